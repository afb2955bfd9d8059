"""Least distances, contacts, times of overlap, derivatives and safe scales: numbers that can be checked by hand."""

import pickle

import numpy as np
import pytest

import firsttouch as ft
from conftest import grid_mesh


def passing(y, duration=1.0):
    """A ball of radius 1 flies along x past another in the origin; y is the distance of the centres when it is
    least."""
    scene = ft.Scene(duration)
    scene.add("flying", ft.Sphere(1), motion=ft.Linear(ft.Pose([-10, y, 0]), ft.Pose([10, y, 0])))
    scene.add("resting", ft.Sphere(1))
    return scene


def test_the_least_distance_of_a_scene():
    found = passing(5).clearance()
    assert found.lower <= 3 <= found.upper and found.upper - found.lower <= 1e-6 and found.is_tight
    assert abs(found.t - 0.5) < 1e-3 and found.names == ("flying", "resting") and found.segment is None
    assert np.allclose(found.points, [[0, 4, 0], [0, 1, 0]], atol=0.02) and np.allclose(found.normal, [0, -1, 0], atol=0.01)
    # In another unit of time.
    slow = passing(5, duration=60).clearance()
    assert abs(slow.t - 30) < 0.06 and slow.lower == found.lower
    early = passing(5).clearance(t_max=0.25)
    assert abs(early.t - 0.25) < 1e-6 and early.lower <= np.sqrt(50) - 2 <= early.upper
    at = passing(5).distance_at(0)
    assert at.lower <= np.sqrt(125) - 2 <= at.upper and at.upper - at.lower < 1e-12
    assert passing(1).clearance().lower == 0 and passing(1).clearance(tolerance=1e-3).upper == 0
    alone = ft.Scene()
    alone.add("ball", ft.Sphere(1))
    assert alone.clearance() is None and alone.distance_at(0.5) is None
    assert pickle.loads(pickle.dumps(found)) == found and found != slow and found._repr_html_().startswith("<table")
    with pytest.raises(ValueError, match="t must be"):
        passing(5).distance_at(2)


def test_a_face_on_a_face_is_a_whole_manifold():
    scene = ft.Scene(duration=2)
    scene.add("box", ft.Box([2, 2, 2]), motion=ft.Linear(ft.Pose([0, 0, 5]), ft.Pose([0, 0, 0])))
    scene.add("slab", ft.Box([8, 8, 2]))
    r = scene.check()
    contacts = scene.contacts(r.toi)
    assert sorted(c.points[0, :2].round(5).tolist() for c in contacts) == [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    for contact in contacts:
        assert contact.names == ("box", "slab") and 0 <= contact.gap <= 1e-6 and np.allclose(contact.normal, [0, 0, -1])
    assert scene.contacts(0.1) == [] and pickle.loads(pickle.dumps(contacts)) == contacts
    assert len(scene.contacts(1.0, min_separation=2)) == 4


def test_all_times_of_overlap():
    [overlap] = passing(0, duration=10).overlaps("flying", "resting")
    # Outside of it they are proven apart; inside they are within the tolerance.
    assert 4 - 1e-4 < overlap.start[0] <= 4 and 6 <= overlap.end[1] < 6 + 1e-4 and overlap.certain
    assert overlap.start[0] <= overlap.start[1] < 4 + 1e-4 and 6 - 1e-4 < overlap.end[0] <= overlap.end[1]
    assert passing(5).overlaps("flying", "resting") == []
    # Two passes.
    scene = passing(0)
    there, back = ft.Pose([-10, 0, 0]), ft.Pose([10, 0, 0])
    scene["flying"].motion = ft.Path(there, [(1, back), (2, there)])
    first, second = scene.overlaps("resting", "flying")
    assert np.allclose([first.start[0], first.end[1], second.start[0], second.end[1]], [0.2, 0.3, 0.7, 0.8], atol=1e-5)
    with pytest.raises(ValueError, match="nobody"):
        scene.overlaps("flying", "nobody")


def test_derivatives_of_a_scene_are_those_of_differences():
    scene = passing(0.7)
    found = scene.toi_gradient()
    assert found.degenerate is None and found.names == ("flying", "resting") and found.value == scene.check().toi
    for end in 0, 1:
        for axis in range(3):
            def toi(step, end=end, axis=axis):
                places = np.array([[-10, 0.7, 0], [10, 0.7, 0]])
                places[end, axis] += step
                moved = passing(0.7)
                moved["flying"].motion = ft.Linear(ft.Pose(places[0]), ft.Pose(places[1]))
                return moved.check(tolerance=1e-12).toi

            by = (found["flying"].start, found["flying"].end)[end].translation[axis]
            assert abs(by - (toi(1e-4) - toi(-1e-4)) / 2e-4) < 1e-6
    assert np.allclose(passing(0.7, duration=8).toi_gradient()["flying"].start.translation, 8 * found["flying"].start.translation)
    assert passing(5).toi_gradient() is None
    closest = passing(5).clearance_gradient(tolerance=1e-12)
    assert np.allclose(closest["flying"].start.translation, [0, 0.5, 0], atol=1e-5) and abs(closest.value - 3) < 1e-9
    with pytest.raises(KeyError):
        closest["nobody"]


def test_derivatives_by_vertices():
    V, F = grid_mesh(4)
    scene = ft.Scene()
    scene.add_deforming("cloth", V + [0.1, 0.2, 3], V + [0.1, 0.2, -1], F)
    scene.add("ball", ft.Sphere(1))
    found = scene.toi_gradient()["cloth"]
    assert len(found.vertices) and found.V0.shape == found.V1.shape == (len(found.vertices), 3)
    # The sheet as a whole: 0.5 is met halfway, at a speed of 4.
    assert np.isclose(found.V0[:, 2].sum(), 0.5 / 4, atol=1e-6) and np.isclose(found.V1[:, 2].sum(), 0.5 / 4, atol=1e-6)


def test_how_far_a_goal_may_be_changed():
    scene = ft.Scene()
    scene.add("ball", ft.Sphere(1), pose=ft.Pose([0, 0, 4]))
    scene.add("floor", ft.Box([9, 9, 1]), pose=ft.Pose([0, 0, -0.5]))
    down = scene.max_safe_scale("ball", translation=[0, 0, -4])
    assert down.is_free and 0.75 - 1e-6 < down.scale < 0.75 and down.clearance.names == ("ball", "floor") and down.steps >= 1
    assert scene.max_safe_scale("ball", translation=[0, 0, 4]).scale == 1
    V, F = grid_mesh(3)
    scene.add_deforming("cloth", V + [0, 0, 2], V + [0, 0, 2], F)
    scene.allow("cloth", "cloth"), scene.allow("cloth", "ball")
    lowered = scene.max_safe_scale("cloth", vertices=np.tile([0, 0, -4.0], (len(V), 1)))
    assert 0.5 - 1e-5 < lowered.scale < 0.5
    with pytest.raises(ValueError, match="change"):
        scene.max_safe_scale("cloth", vertices=np.zeros((2, 3)))


def test_how_deep(arm):
    scene = ft.Scene(duration=2)
    scene.add("floor", ft.Box([20, 20, 8]), pose=ft.Pose([0, 0, -4]))
    scene.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose([0, 0, 2]), ft.Pose([0, 0, 0])))
    assert np.isclose(scene.penetration_at("floor", "ball", 1.25).upper, 0.25) and scene.penetration_at("floor", "ball", 0).upper == 0
    assert np.allclose(scene.penetration_at("floor", "ball", 2.0).normal, [0, 0, 1])
    scene.add_robot("arm", arm, [0, 0, 0])
    with pytest.raises(ValueError, match="robot"):
        scene.penetration_at("arm", "ball", 0)


def slider():
    """A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10."""
    slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
    c = ft.Checker(ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide]))
    c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
    return c


def test_questions_about_a_robot():
    c = slider()
    found = c.clearance([[0], [4], [6], [2]])
    assert found.lower <= 2 <= found.upper and (found.segment, found.t) == (1, 1.0) and found.parts == ("ball", "solid")
    assert c.clearance([3]).lower <= 5 <= c.clearance([3]).upper and c.clearance([3]).segment is None
    g = c.toi_gradient([0], [16])
    assert np.allclose([g.toi, g.q0[0], g.q1[0]], [0.5, -1 / 32, -1 / 32], atol=1e-6) and g.degenerate is None
    assert c.toi_gradient([0], [4]) is None
    [contact] = c.contacts([0], [16], c.check_motion([0], [16]).toi)
    assert contact.names == ("slider", "post") and np.allclose(contact.points, [[9, 0, 0]] * 2, atol=1e-5)
    safe = c.max_safe_scale([0], [4], [8])
    assert 0.5 - 1e-6 < safe.scale < 0.5 and safe.is_free
    for bad in [lambda: c.clearance([[0, 1]]), lambda: c.clearance([[np.nan]]), lambda: c.contacts([0], [1], 2), lambda: c.toi_gradient([0], "x")]:
        with pytest.raises(ValueError):
            bad()


def test_derivatives_of_a_robot_are_those_of_differences(checker, edges):
    checked = 0
    for q0, q1 in zip(*edges, strict=True):
        found = checker.toi_gradient(q0, q1)
        if found is None or found.degenerate is not None or found.toi < 0.05:
            continue
        for joint in range(3):
            step = np.eye(3)[joint] * 1e-5
            tois = [checker.check_motion(q0, q1 + sign * step, tolerance=1e-11).toi for sign in (1, -1)]
            if None in tois:
                continue
            expected = (tois[0] - tois[1]) / 2e-5
            # Where another pair becomes the first to touch, there is no derivative to compare with.
            if abs(expected) < 100:
                checked += abs(found.q1[joint] - expected) <= 1e-3 * max(1, abs(expected))
    assert checked >= 15


def test_many_derivatives_at_once(checker, edges):
    toi, by_q0, by_q1 = checker._core.toi_gradients(*edges, ("first", 1e-6, 0.0, 1.0, 1 << 20, 2, "report"))
    by_q0, by_q1 = by_q0.reshape(60, 3), by_q1.reshape(60, 3)
    assert 5 < np.isnan(toi).sum() < 55
    for k, (q0, q1) in enumerate(zip(*edges, strict=True)):
        one = checker.toi_gradient(q0, q1)
        if one is None:
            assert np.isnan(toi[k]) and not by_q0[k].any()
        elif np.isfinite(one.q0).all() and np.isfinite(one.q1).all():
            assert toi[k] == one.toi and np.array_equal(by_q0[k], one.q0) and np.array_equal(by_q1[k], one.q1)


def test_the_clearance_to_obstacles_alone():
    links = [ft.Link("base", [(ft.Sphere(1), None)]), ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])]
    joints = [ft.Joint("mount", "base", "rail", "fixed"), ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))]
    checker = ft.Checker(ft.Robot("slider", links, joints))
    assert checker.clearance([[3], [4]]).parts == ("base", "ball")
    assert checker.clearance([[3], [4]], with_itself=False) is None
    checker.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
    checker.hold("tool", ft.Sphere(0.5), "ball", ft.Pose([0, 0, 3]))
    found = checker.clearance([[3], [4]], with_itself=False)
    assert found.lower <= 4 <= found.upper and found.names == ("slider", "post") and found.parts[0] == "ball"
    # The checker itself is as it was.
    assert checker.clearance([[3], [4]]).lower <= 1
    assert checker.clearance([4], with_itself=False).lower <= 4


def test_what_is_no_shape_says_what_to_give():
    with pytest.raises(ValueError, match=r"ft\.Mesh\.load"):
        ft.Checker(ft.Robot("one", [ft.Link("base")], [])).add_obstacle("wall", "wall.stl")
