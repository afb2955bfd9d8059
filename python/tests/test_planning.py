"""Paths that are found are proven, and nothing else is said to be found."""

import time

import numpy as np
import pytest

import firsttouch as ft


@pytest.fixture
def problems(checker, arm):
    """Ten, three of which have no path: their ends lie on two sides of an obstacle."""
    Q = np.random.default_rng(5).uniform(*arm.limits.T, (200, 3))
    free = Q[checker.check_states(Q)]
    return list(zip(free[0:20:2], free[1:20:2]))


@pytest.mark.parametrize("method", ["rrt-connect", "roadmap"])
def test_paths_are_proven(checker, problems, method):
    found = [checker.plan(a, b, method=method, seed=1, smooth=1, max_samples=600) for a, b in problems]
    assert sum(plan.is_found for plan in found) == 7
    bent = 0
    for (a, b), plan in zip(problems, found):
        if not plan.is_found:
            assert plan.waypoints.shape == (0, 3) and plan.clearance is None and plan.answer is None
            continue
        assert (plan.waypoints[0] == a).all() and (plan.waypoints[-1] == b).all()
        assert checker.check_path(plan.waypoints).is_free and plan.answer.is_free
        assert 0 < plan.clearance.lower and plan.length <= plan.found_length and plan.stats["checks"] > 0
        again = checker.plan(a, b, method=method, seed=1, smooth=1, max_samples=600)
        assert np.array_equal(again.waypoints, plan.waypoints)
        bent += len(plan.waypoints) > 2
    assert bent >= 2
    with pytest.raises(TypeError, match="is_found"):
        bool(found[0])


def test_ends_that_touch(checker, arm):
    Q = np.random.default_rng(5).uniform(*arm.limits.T, (300, 3))
    free = checker.check_states(Q)
    plan = checker.plan(Q[free][0], Q[~free][0])
    assert plan.kind == "end_not_free" and plan.end == "goal" and plan.answer.kind == "touching_at_start"
    assert checker.plan(Q[~free][0], Q[free][0]).end == "start" and "end='goal'" in repr(plan)


def walled():
    """A ball that slides in a plane, behind a wall with no way through."""
    slide = lambda name, a, b, axis: ft.Joint(name, a, b, "prismatic", axis=axis, limits=(-10, 10))
    links = [ft.Link("ground"), ft.Link("cart"), ft.Link("ball", [(ft.Sphere(1), None)])]
    c = ft.Checker(ft.Robot("slider", links, [slide("x", "ground", "cart", (1, 0, 0)), slide("y", "cart", "ball", (0, 1, 0))]))
    c.add_obstacle("wall", ft.Box([1, 40, 4]), pose=ft.Pose([5, 0, 0]))
    return c


def test_limits_of_the_search():
    c = walled()
    plan = c.plan([0, 0], [9, 0], max_samples=300)
    assert plan.kind == "not_found" and not plan.is_interrupted and plan.stats["samples"] >= 300
    begin = time.perf_counter()
    plan = c.plan([0, 0], [9, 0], max_samples=10**9, time_limit=0.2)
    assert plan.kind == "not_found" and plan.is_interrupted and time.perf_counter() - begin < 5
    for wrong in (
        dict(anytime=True), dict(method="prm"), dict(max_samples=-1), dict(seed=1.5), dict(time_limit=-1.0), dict(time_limit=float("nan")),
        dict(ranges={"z": (0, 1)}), dict(reach=0.0), dict(smooth=99),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            c.plan([0, 0], [4, 0], **wrong)
    with pytest.raises(ValueError, match="did you mean"):
        c.plan([0, 0], [4, 0], ranges={"xx": (0, 1)})


def test_anytime_paths_are_no_longer(checker, problems):
    a, b = problems[0]
    once = checker.plan(a, b, shortcuts=3)
    best = checker.plan(a, b, shortcuts=3, time_limit=0.3, anytime=True)
    assert best.is_found and best.length <= once.length and checker.check_path(best.waypoints).is_free


def test_a_roadmap_learns(checker, problems):
    roadmap = ft.Roadmap(checker)
    found = [roadmap.plan(a, b, max_samples=600) for a, b in problems]
    assert all(checker.check_path(plan.waypoints).is_free for plan in found if plan.is_found) and sum(plan.is_found for plan in found) == 7
    assert roadmap.nodes > 0 and roadmap.proven_edges > 0 and roadmap.checker is checker
    # A new obstacle on a path is avoided, or no path is found.
    plan = max((plan for plan in found if plan.is_found), key=lambda plan: plan.length)
    middle = checker.robot.link_poses(0.5 * (plan.waypoints[0] + plan.waypoints[1]))["hand"]
    checker.add_obstacle("new", ft.Sphere(0.02), pose=middle)
    again = roadmap.plan(plan.waypoints[0], plan.waypoints[-1], max_samples=600)
    assert not checker.check_path(plan.waypoints).is_free
    assert not again.is_found or checker.check_path(again.waypoints).is_free
    with pytest.raises(TypeError):
        ft.Roadmap("checker")


def test_obstacles_must_rest(arm):
    room = ft.Scene()
    room.add("post", ft.Sphere(0.2), motion=ft.Linear(ft.Pose([9, 0, 0.5]), ft.Pose([5, 0, 0.5])))
    with pytest.raises(ValueError, match="move"):
        ft.Checker(arm, obstacles=room).plan([0, 0, 0], [1, 0, 0])


def test_a_path_in_time():
    c = walled()
    c.remove_obstacle("wall")
    c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([5, 0, 0]))
    plan = c.plan([0, 0], [9, 0], seed=2)
    assert plan.is_found and len(plan.waypoints) > 2
    for jerk in (None, 20):
        way = plan.timed(velocity=[1, 2], acceleration=4, jerk=jerk)
        assert way.interpolation == "cubic" and way.duration > 9
        assert np.array_equal(way.waypoints[[0, -1]], [[0, 0], [9, 0]])
        assert np.allclose([way(0.0), way(way.duration)], [[0, 0], [9, 0]], rtol=0, atol=1e-12)
        for t in np.linspace(0, way.duration, 500):
            assert (np.abs(way.velocity(t)) <= [1 + 1e-9, 2 + 1e-9]).all()
        assert c.check_trajectory(way).is_free
    with pytest.raises(ValueError, match="no limit of velocity for \"x\""):
        plan.timed(acceleration=4)
    with pytest.raises(ValueError, match="give an acceleration"):
        plan.timed(velocity=1)
    with pytest.raises(ValueError, match="acceleration must be a number, or 2 numbers"):
        plan.timed(velocity=1, acceleration=[1, 2, 3])
    with pytest.raises(ValueError, match="limit of velocity of variable 1"):
        plan.timed(velocity=[1, 0], acceleration=4)
    c.add_obstacle("post 2", ft.Sphere(1), pose=ft.Pose([0, 0, 0]))
    with pytest.raises(ValueError, match="no path to time"):
        c.plan([0, 0], [9, 0]).timed(velocity=1, acceleration=4)
