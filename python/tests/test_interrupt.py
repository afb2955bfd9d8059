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


def test_a_scene_ends():
    V, F = crumpled(120, 1)
    scene = ft.Scene()
    for k in range(6):
        turned = ft.Pose([0.01 * k, 0, 0.4 * k], quat_wxyz=[1, 0.1 * k, 0.2, 0])
        scene.add(str(k), ft.Mesh(V, F), motion=ft.Screw(turned, ft.Pose([0, 0.02 * k, -0.3 * k])))
    assert interrupted_after(0.2, lambda: scene.check(mode="all", tolerance=1e-9)) < BOUND
    assert interrupted_after(0.2, lambda: scene.clearance(tolerance=1e-9)) < BOUND


def test_a_deforming_mesh_ends():
    V, F = crumpled(150, 2)
    m = ft.Deformable(V, F)
    moved = crumpled(150, 3)[0]
    for mode in "all", "first":
        assert interrupted_after(0.3, lambda mode=mode: m.check(V, moved, mode=mode, start="ignore")) < BOUND
    assert m.check(V, V, start="ignore").is_free
