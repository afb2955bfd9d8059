"""Ctrl-C ends long work soon, and the next query works as if nothing had happened.

The tests bound the processor time that the process takes after the signal, not the time on the clock: other programs on
a busy machine do not add to it. On a quiet machine it is less than 0.2 s. The bound here is far above that, and below
the time of the work: more than a second, and minutes for most of it. Each is one call, so the signal comes while the
library works, and not between two calls.
"""

import gc
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
    """The processor time that the work takes after the signal; fails if the work ends by itself before."""
    sent = []

    def send():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    # Hypothesis has a callback in the garbage collector, and an exception that is raised there is lost.
    gc.disable()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        timer.cancel()
        gc.enable()
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
    """Rows were decided to the end of the arrays. All of these lie in one plane, which takes the exact stage."""
    P = np.random.default_rng(1).integers(-2, 3, size=(8, 100_000, 3)).astype(float)
    P[..., 2] = 0
    P = np.tile(P, (1, 30, 1))
    assert interrupted_after(0.1, lambda: ft.point_triangle_ccd(*P)) < 0.5
    P[..., 2] = np.random.default_rng(2).normal(size=P.shape[:2])
    assert interrupted_after(0.1, lambda: ft.edge_edge_ccd(*P, min_distance=0.01)) < 0.5


def cap(n, radius=1.0):
    """A sixth of a sphere. One that turns inside of another one is as close to it everywhere and all the time."""
    V, F = grid_mesh(n, lambda x, y: 1 + 0 * x)
    return radius * V / np.linalg.norm(V, axis=1, keepdims=True), F


def arm(inner, outer, z=0.0):
    """A link that slides along z and turns about it, beside an obstacle."""
    links = [ft.Link("world"), ft.Link("base"), ft.Link("inner", [(ft.Mesh(*inner), None)])]
    turn = ft.Joint("turn", "base", "inner", "revolute", axis=(0, 0, 1))
    slide = ft.Joint("slide", "world", "base", "prismatic", axis=(0, 0, 1))
    checker = ft.Checker(ft.Robot("arm", links, [slide, turn]))
    checker.add_obstacle("outer", ft.Mesh(*outer), pose=ft.Pose([0, 0, z]))
    return checker


def test_one_edge_and_its_clearance_end():
    """One edge begins on the caller's thread, and goes to another one when it takes long."""
    checker = arm(cap(100), cap(100, 1 + 3e-4))
    edges = np.zeros((2, 1000, 2))
    edges[1, :, 1] = 3.0
    path = np.concatenate(edges)
    assert interrupted_after(0.3, lambda: checker.check_motion([0, 0], [0, 3], tolerance=1e-9)) < BOUND
    assert interrupted_after(0.3, lambda: checker.clearance(path, tolerance=1e-9)) < BOUND
    assert interrupted_after(0.3, lambda: checker.check_motions(*edges, tolerance=1e-9, threads=1)) < BOUND
    assert interrupted_after(0.3, lambda: checker.check_path(edges[:, 0], tolerance=1e-9)) < BOUND
    assert checker.check_motion([-1, 0], [-2, 0]).is_free


def test_a_safe_scale_and_contacts_end():
    checker = arm(crumpled(400, 4), crumpled(400, 5), -0.16)
    change = [0.0, 0.1]
    assert interrupted_after(0.3, lambda: checker.max_safe_scale([0, 0], [0.02, 3], change, tolerance=1e-9)) < BOUND
    assert interrupted_after(0.3, lambda: checker.contacts([0, 0], [-0.16, 0], 1.0)) < BOUND


def test_a_scene_ends():
    scene = ft.Scene()
    mesh = ft.Mesh(*cap(60))
    for k in range(60):
        above, angle = [0, 0, 0.001 * k], 1 + k % 2
        turned = ft.Pose(above, quat_wxyz=[np.cos(angle), 0, 0, np.sin(angle)])
        scene.add(str(k), mesh, motion=ft.Screw(ft.Pose(above), turned))
    assert interrupted_after(0.2, lambda: scene.check(mode="all", tolerance=1e-9)) < BOUND
    assert interrupted_after(0.2, lambda: scene.clearance(tolerance=1e-9)) < BOUND


def test_contacts_of_a_scene_end():
    scene = ft.Scene()
    mesh = ft.Mesh(*crumpled(120, 1))
    for k in range(30):
        scene.add(str(k), mesh, pose=ft.Pose([0.01 * k, 0, 0.04 * k], quat_wxyz=[1, 0.1 * k, 0.2, 0]))
    assert interrupted_after(0.2, lambda: scene.contacts(0.3)) < BOUND


def test_a_deforming_mesh_ends():
    """A crumpled sheet that crosses itself everywhere; and a leaning stack of triangles, which never touch."""
    V, F = crumpled(300, 2)
    m = ft.Deformable(V, F)
    moved = crumpled(300, 3)[0]
    assert interrupted_after(0.3, lambda: m.check(V, moved, mode="all", start="ignore")) < BOUND
    assert m.check(V, V, start="ignore").is_free

    stack = np.random.default_rng(3).normal(size=(40_000, 3, 3))
    stack[..., 2] = 1e-4 * np.arange(len(stack))[:, None]
    V, F = stack.reshape(-1, 3), np.arange(stack[..., 0].size).reshape(-1, 3)
    m = ft.Deformable(V, F)
    leaning = V @ [[1, 0.3, 0.2], [0.1, 1, 0], [0.2, 0.5, 1]]
    assert interrupted_after(0.3, lambda: m.check(V, leaning, start="ignore")) < BOUND


def test_a_plan_ends():
    """The ball is on one side of a wall, and the goal on the other."""
    slide = lambda name, a, b, axis: ft.Joint(name, a, b, "prismatic", axis=axis, limits=(-10, 10))
    links = [ft.Link("ground"), ft.Link("cart"), ft.Link("ball", [(ft.Sphere(1), None)])]
    c = ft.Checker(ft.Robot("slider", links, [slide("x", "ground", "cart", (1, 0, 0)), slide("y", "cart", "ball", (0, 1, 0))]))
    c.add_obstacle("wall", ft.Box([1, 40, 4]), pose=ft.Pose([5, 0, 0]))
    roadmap = ft.Roadmap(c)
    for plan in (c.plan, roadmap.plan):
        for limit in (None, 1000.0):
            assert interrupted_after(0.2, lambda: plan([0, 0], [9, 0], max_samples=10**9, time_limit=limit)) < BOUND  # noqa: B023
    # It is as good as before.
    c.remove_obstacle("wall")
    assert roadmap.plan([0, 0], [9, 0]).is_found and c.plan([0, 0], [9, 0]).is_found


def test_a_trajectory_ends(checker):
    Q = np.random.default_rng(1).uniform(-0.05, 0.05, (300_000, 3))
    checker.remove_obstacle("post")
    way = ft.Trajectory(Q, interpolation="linear")
    checker._way(way)
    assert interrupted_after(1.5, lambda: [checker.check_trajectory(way), checker.clearance_along(way)]) < BOUND
