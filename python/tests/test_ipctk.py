"""Our tests of features as the narrow phase of IPC Toolkit, and our step against its own on the same frames."""

import numpy as np
import pytest

import firsttouch as ft
from conftest import grid_mesh

ipctk = pytest.importorskip("ipctk")


def frames(seed):
    random = np.random.default_rng(seed)
    V, F = grid_mesh(6)
    V0 = np.concatenate([V, V * [0.6, 0.6, 1] + [0, 0, 0.5]])
    V0 = V0 + random.normal(scale=0.02, size=V0.shape)
    V1 = V0 + random.normal(scale=0.05, size=V0.shape)
    V1[len(V):, 2] -= random.uniform(0.2, 0.8)
    return V0, V1, np.concatenate([F, F + len(V)])


def test_steps_agree():
    hits = 0
    for seed in range(8):
        V0, V1, F = frames(seed)
        mesh = ipctk.CollisionMesh(V0, ipctk.edges(F), F)
        ordered = np.asfortranarray(V0), np.asfortranarray(V1)
        theirs = ipctk.compute_collision_free_stepsize(mesh, *ordered)
        with_ours = ipctk.compute_collision_free_stepsize(mesh, *ordered, narrow_phase_ccd=ft.ipctk.ExactCCD())
        ours = ft.Deformable(V0, F).compute_collision_free_stepsize(V0, V1)
        hits += ours < 1
        # Theirs is conservative: never after the contact, and a little before it.
        assert theirs <= ours + 1e-12 and ours - theirs < 1e-2
        assert with_ours == pytest.approx(ours, abs=1e-12)
    assert hits >= 4


def test_points_and_edges():
    exact = ft.ipctk.ExactCCD()
    at = np.array
    hit, toi = exact.point_edge_ccd(at([0.0, 1]), at([-1.0, 0]), at([1.0, 0]), at([0.0, -1]), at([-1.0, 0]), at([1.0, 0]))
    assert hit and 0.5 - 2**-50 <= toi <= 0.5
    hit, _ = exact.point_edge_ccd(at([2.0, 1]), at([-1.0, 0]), at([1.0, 0]), at([2.0, -1]), at([-1.0, 0]), at([1.0, 0]))
    assert not hit
    hit, toi = exact.point_point_ccd(at([0.0, 0, 1]), at([0.0, 0, 0]), at([0.0, 0, -3]), at([0.0, 0, 0]))
    assert hit and 0.25 - 2**-50 <= toi <= 0.25
    assert exact.point_point_ccd(at([0.0, 0, 1]), at([0.0, 0, 0]), at([0.0, 0, -3]), at([0.0, 0, 0]), 0.0, 0.0)[0] is False
