"""Ctrl-C ends long work soon, and the next query works as if nothing had happened.

On a quiet machine it takes less than 0.2 s. The bound here is far above that and far below what the work takes, so that it says something on any
machine.
"""

import os
import signal
import threading
import time

import numpy as np
import pytest

import firsttouch as ft
from conftest import grid_mesh

BOUND = 5.0


def interrupted_after(seconds, work):
    """How long the work goes on after the signal; fails if it ends by itself before."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            work()
    timer.join()
    return time.monotonic() - sent[0]


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


def test_a_deforming_mesh_ends():
    V, F = crumpled(150, 2)
    m = ft.Deformable(V, F)
    assert interrupted_after(0.3, lambda: m.check(V, crumpled(150, 3)[0], mode="all")) < BOUND
    assert m.check(V, V, start="ignore").is_free
