"""Ctrl-C ends long work soon, and the next query works as if nothing had happened.

What is bounded is the processor time that the process takes after the signal, not the time on the clock: other programs on a busy machine do not add to
it. On a quiet machine it is less than 0.2 s. The bound here is far above that, and far below what the work takes, which would go on for minutes.
"""

import os
import signal
import threading
import time

import numpy as np
import pytest

import firsttouch as ft
from conftest import grid_mesh

BOUND = 2.0


@pytest.fixture(autouse=True)
def heeded():
    """A shell starts programs in the background with Ctrl-C ignored, and Python keeps it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_after(seconds, work):
    """The processor time that the work takes after the signal; fails if it ends by itself before."""
    sent = []

    def send():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            work()
    timer.join()
    return time.process_time() - sent[0]


def crumpled(n, seed):
    random = np.random.default_rng(seed)
    V, F = grid_mesh(n)
    return V + random.normal(scale=0.02, size=V.shape), F


def test_a_batch_of_edges_ends(checker):
    random = np.random.default_rng(1)
    low, high = checker.robot.limits.T
    Q = random.uniform(low, high, (2, 1_000_000, 3))
    assert interrupted_after(0.3, lambda: checker.check_motions(*Q)) < BOUND
    assert len(checker.check_motions(*Q[:, :10])) == 10


def test_rows_end():
    """Rows were decided to the end of the arrays: five seconds for four million of them."""
    P = np.random.default_rng(1).normal(size=(8, 400_000, 3))
    assert interrupted_after(0.1, lambda: ft.point_triangle_ccd(*P)) < 0.5
    assert interrupted_after(0.1, lambda: ft.edge_edge_ccd(*P, min_distance=0.01)) < 0.5


def crumpled_arm(n):
    """A sheet of many triangles that turns beside another one, so close that a question about the two takes about a second."""
    V, F = crumpled(n, 4)
    links = [ft.Link("base"), ft.Link("sheet", [(ft.Mesh(V, F), None)])]
    turn = ft.Joint("turn", "base", "sheet", "revolute", axis=(0, 0, 1))
    slide = ft.Joint("slide", "world", "base", "prismatic", axis=(0, 0, 1))
    checker = ft.Checker(ft.Robot("sheet", [ft.Link("world"), *links], [slide, turn]))
    V, F = crumpled(n, 5)
    checker.add_obstacle("other", ft.Mesh(V, F), pose=ft.Pose([0, 0, -0.14]))
    return checker


def test_one_edge_and_its_clearance_end():
    """One edge begins on the caller's thread, and goes to another one when it takes long."""
    checker = crumpled_arm(150)
    edges = np.zeros((2, 300, 2))
    edges[1] = [0.02, 3.0]
    checker.check_state([0.0, 0.0])
    assert interrupted_after(0.3, lambda: checker.check_motion([0, 0], [0.02, 3], tolerance=1e-9)) < BOUND
    assert interrupted_after(0.3, lambda: checker.clearance([[0, 0], [0.02, 3]], tolerance=1e-9)) < BOUND
    assert interrupted_after(0.3, lambda: checker.check_motions(*edges, tolerance=1e-9, threads=1)) < BOUND
    assert interrupted_after(0.3, lambda: checker.check_path(edges[:, 0], tolerance=1e-9)) < BOUND
    change = [0.0, 0.1]
    assert interrupted_after(0.3, lambda: checker.max_safe_scale([0, 0], [0.02, 3], change, tolerance=1e-9)) < BOUND
    assert interrupted_after(0.3, lambda: checker.contacts([0, 0], [-0.14, 0], 1.0)) < BOUND
    assert checker.check_motion([1, 0], [2, 0]).is_free


def test_a_scene_ends():
    V, F = crumpled(120, 1)
    scene = ft.Scene()
    for k in range(6):
        turned = ft.Pose([0.01 * k, 0, 0.4 * k], quat_wxyz=[1, 0.1 * k, 0.2, 0])
        scene.add(str(k), ft.Mesh(V, F), motion=ft.Screw(turned, ft.Pose([0, 0.02 * k, -0.3 * k])))
    assert interrupted_after(0.2, lambda: scene.check(mode="all", tolerance=1e-9)) < BOUND
    assert interrupted_after(0.2, lambda: scene.clearance(tolerance=1e-9)) < BOUND
    assert interrupted_after(0.2, lambda: scene.contacts(0.3)) < BOUND


def test_a_deforming_mesh_ends():
    V, F = crumpled(150, 2)
    m = ft.Deformable(V, F)
    moved = crumpled(150, 3)[0]
    for mode in "all", "first":
        assert interrupted_after(0.3, lambda mode=mode: m.check(V, moved, mode=mode, start="ignore")) < BOUND
    assert m.check(V, V, start="ignore").is_free
