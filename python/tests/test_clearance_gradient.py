"""Derivatives of least distances of a checker: against closed forms and small changes."""

import numpy as np
import pytest

import firsttouch as ft


def slider():
    slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
    c = ft.Checker(ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide]))
    c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
    return c


def test_a_closed_form():
    c = slider()
    g = c.clearance_gradient([0], [3])
    assert np.isclose(g.value, 5.0, atol=1e-6) and g.degenerate is None and set(g.names) == {"slider", "post"}
    assert np.allclose(g["slider"].q0, 0.0, atol=1e-6) and np.allclose(g["slider"].q1, -1.0, atol=1e-6)
    g = c.clearance_gradient([2])
    assert np.isclose(g.value, 6.0, atol=1e-6) and np.allclose(g["slider"].q0 + g["slider"].q1, -1.0, atol=1e-6)
    lonely = slider()
    lonely.remove_obstacle("post")
    assert lonely.clearance_gradient([2]) is None


def test_small_changes(checker, edges):
    """Central differences, where the derivative exists and is that of one pair."""
    compared = 0
    for q0, q1 in zip(*edges, strict=True):
        g = checker.clearance_gradient(q0, q1, tolerance=1e-10)
        if g.value <= 1e-3 or g.degenerate is not None:
            continue
        measure = lambda a, b: checker.clearance([a, b], tolerance=1e-10).upper
        for end in (0, 1):
            for k in range(checker.dof):
                shift = np.zeros((2, checker.dof))
                shift[end, k] = 1e-6
                slope = (measure(q0 + shift[0], q1 + shift[1]) - measure(q0 - shift[0], q1 - shift[1])) / 2e-6
                assert np.isclose((g["arm"].q0, g["arm"].q1)[end][k], slope, atol=2e-3), (q0, q1, end, k)
                compared += 1
    assert compared >= 60


def test_in_one_configuration(checker, edges):
    compared = 0
    for q in edges[0][:30]:
        g = checker.clearance_gradient(q, tolerance=1e-10)
        # It is attained at all times of a motion that rests, which counts as several features.
        assert g.degenerate == "several_features"
        if g.value <= 1e-3:
            continue
        for k in range(checker.dof):
            shift = 1e-6 * np.eye(checker.dof)[k]
            slope = (checker.clearance(q + shift, tolerance=1e-10).upper - checker.clearance(q - shift, tolerance=1e-10).upper) / 2e-6
            assert np.isclose((g["arm"].q0 + g["arm"].q1)[k], slope, atol=2e-3)
            compared += 1
    assert compared >= 20


@pytest.mark.parametrize("bad", [[], [[1.0]], ["x"], [np.nan]])
def test_bad_input(bad):
    with pytest.raises((ValueError, TypeError)):
        slider().clearance_gradient(bad)
