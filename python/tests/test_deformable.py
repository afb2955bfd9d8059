import numpy as np
import pytest

import firsttouch as ft
from conftest import grid_mesh


def two_sheets(n=6):
    V, F = grid_mesh(n)
    upper = V * [0.7, 0.7, 1] + [0.05, 0.03, 1]
    return np.concatenate([V, upper]), np.concatenate([F, F + len(V)]), len(V)


def test_what_is_within_the_distance_does_not_pass_through():
    """It was left out altogether once: a sheet that had come within the distance went through the other in its next
    step."""
    V, F = grid_mesh(4)
    V = np.concatenate([V, V + [0.1, 0.1, 0.0]])
    m = ft.Deformable(V, np.concatenate([F, F + len(V) // 2]))
    upper = len(V) // 2
    for gap, until in (2e-3, 0.02), (1e-3 + 5e-7, 0.020010), (5e-4, 0.01):
        V[upper:, 2] = gap
        fallen = V.copy()
        fallen[upper:, 2] -= 0.05
        step = m.compute_collision_free_stepsize(V, fallen, min_distance=1e-3)
        assert abs(step - until) < 1e-4 and not m.is_step_collision_free(V, fallen, min_distance=1e-3), gap
    risen = V.copy()
    risen[upper:, 2] += 0.05
    assert m.compute_collision_free_stepsize(V, risen, min_distance=1e-3) == 1.0


def test_two_sheets_meet():
    V0, F, n = two_sheets()
    V1 = V0.copy()
    V1[n:, 2] = -1
    m = ft.Deformable(V0, F)
    r = m.check(V0, V1)
    assert r.kind == "touch" and 0.5 - 2**-50 <= r.toi <= 0.5 and r.names is None and r.stats["vf_candidates"] > 0
    assert m.compute_collision_free_stepsize(V0, V1) == r.toi
    assert not m.is_step_collision_free(V0, V1) and m.is_step_collision_free(V0, V0 + 1)
    assert m.compute_collision_free_stepsize(V0, V0 + 1) == 1.0
    assert 0.45 - 1e-5 <= m.compute_collision_free_stepsize(V0, V1, min_distance=0.1) <= 0.45
    everything = m.check(V0, V1, mode="all")
    assert len(everything.pairs) == everything.stats["vf_touching"] + everything.stats["ee_touching"] > 10
    assert all(pair.kind == "touch" and pair.toi >= 0.5 - 1e-12 for pair in everything.pairs)
    assert m.check(V0, V1, threads=2) == r
    assert m.edges.shape[1] == 2


def test_frames_of_the_wrong_size():
    V, F, _ = two_sheets()
    m = ft.Deformable(V, F)
    for bad in [V[1:], V[:, :2], np.where(V == 1, np.nan, V), V.astype(complex), "frames", V[None]]:
        with pytest.raises(ValueError):
            m.check(V, bad)
    with pytest.raises(ValueError):
        ft.Deformable(V, F + len(V))
    with pytest.raises(ValueError):
        ft.Deformable(V, -F)
    with pytest.raises(ValueError):
        ft.Deformable(V, [])


def test_single_and_batch_agree():
    random = np.random.default_rng(3)
    corners = random.normal(size=(8, 400, 3))
    for ccd in ft.point_triangle_ccd, ft.edge_edge_ccd:
        hit, toi = ccd(*corners)
        assert hit.dtype == bool and 5 < hit.sum() < 200
        for row in range(0, 400, 7):
            one, when = ccd(*corners[:, row])
            assert one == hit[row] and (np.isnan(toi[row]) if when is None else when == toi[row])
        # float32, and rows that are not contiguous.
        wide = np.ascontiguousarray(np.swapaxes(corners, 0, 1))
        assert np.array_equal(ccd(*(wide[:, k] for k in range(8)))[1], toi, equal_nan=True)
        assert ccd(*corners.astype(np.float32))[0].shape == (400,)
        assert len(ccd(*corners[:, :0])[0]) == 0
        with pytest.raises(ValueError, match="row 3"):
            ccd(corners[0], np.where(np.arange(400)[:, None] == 3, np.nan, corners[1]), *corners[2:])
        with pytest.raises(ValueError):
            ccd(corners[0][:5], *corners[1:])


def test_distance_and_time():
    triangle = [0, 0, 0], [1, 0, 0], [0, 1, 0]
    ends = [0.25, 0.25, 1], [0.25, 0.25, -3]
    assert ft.point_triangle_ccd(ends[0], *triangle, ends[1], *triangle, t_max=0.2) == (False, None)
    hit, toi = ft.point_triangle_ccd(ends[0], *triangle, ends[1], *triangle, min_distance=0.5)
    assert hit and 0.125 - 1e-6 <= toi <= 0.125


def test_ellipsoids():
    ball = ft.Ellipsoid([1, 1, 1])
    flying = ft.Rational.between(ft.Pose([-10, 0, 0]), ft.Pose([10, 0, 0]))
    scene = ft.Scene()
    scene.add("a", ball, motion=flying)
    scene.add("b", ball)
    [pair] = scene.check(mode="all").pairs
    assert pair.overlaps == ft.ellipsoids.overlap_intervals(ball, flying, ball, np.eye(4))
    with pytest.raises(ValueError, match="not rational"):
        ft.ellipsoids.overlap_intervals(ball, ft.Linear(np.eye(4), np.eye(4)), ball, np.eye(4))
    with pytest.raises(ValueError, match="must be an ellipsoid"):
        ft.ellipsoids.relation(ft.Sphere(1), np.eye(4), ball, np.eye(4))
