"""Trajectories: where they are, how fast, and those of other packages."""

import numpy as np
import pytest

import firsttouch as ft

RANDOM = np.random.default_rng(3)


def close(trajectory, place, speed, count=300):
    """The trajectory is everywhere where another says, and as fast."""
    ts = np.linspace(trajectory.start_time, trajectory.end_time, count)[1:-1]
    assert np.allclose(trajectory(ts), [np.ravel(place(t)) for t in ts], rtol=0, atol=1e-10)
    assert np.allclose(trajectory.velocity(ts), [np.ravel(speed(t)) for t in ts], rtol=0, atol=1e-9)


@pytest.mark.parametrize("interpolation", ["linear", "cubic", "spline"])
def test_it_is_where_the_core_has_it(arm, interpolation):
    Q = RANDOM.uniform(-1, 1, (6, 3))
    velocities = RANDOM.uniform(-1, 1, (6, 3)) if interpolation == "cubic" else None
    way = ft.Trajectory(Q, [1, 1.5, 3, 3.2, 4, 6], interpolation=interpolation, velocities=velocities)
    core = way._core_of(arm, None)
    for t in np.linspace(1, 6, 101):
        assert np.allclose(way(t), core.at((t - 1) / 5), rtol=0, atol=1e-9)
    assert way.duration == 5 and (way(0.0) == way(1.0)).all() and (way(9.0) == way(6.0)).all() and not way.velocity(9.0).any()
    ts = np.linspace(1.01, 5.99, 200)
    rough = (way(ts + 1e-6) - way(ts - 1e-6)) / 2e-6
    smooth = np.min(np.abs(ts[:, None] - way.knots), axis=1) > 1e-5
    assert np.allclose(way.velocity(ts)[smooth], rough[smooth], atol=1e-5)
    assert np.allclose(way(way.knots), Q) and way(np.zeros(0)).shape == (0, 3)
    with pytest.raises(ValueError):
        way(np.zeros((2, 2)))


def test_bezier_and_bspline():
    points = RANDOM.normal(size=(2, 5, 3))
    points[1, 0] = points[0, -1]
    way = ft.Trajectory.bezier([1, 2, 4], points)
    half = points[1]
    while len(half) > 1:
        half = 0.5 * (half[1:] + half[:-1])
    assert np.allclose(way(3.0), half[0]) and np.allclose(way(4.0), points[1, -1])
    interpolate = pytest.importorskip("scipy.interpolate")
    for degree in (1, 2, 3, 5, 7):
        count = degree + 6
        knots = np.concatenate([np.zeros(degree), np.linspace(0, 3, count - degree + 1), np.full(degree, 3.0)])
        control = RANDOM.normal(size=(count, 2))
        curve = interpolate.BSpline(knots, control, degree)
        close(ft.Trajectory.bspline(knots, control, degree), curve, curve.derivative())
    for wrong in (lambda: ft.Trajectory.bspline([0, 1], [[0]], 3), lambda: ft.Trajectory.bezier([0, 1, 2], np.zeros((1, 3, 2)))):
        with pytest.raises(ValueError):
            wrong()


def test_of_scipy():
    interpolate = pytest.importorskip("scipy.interpolate")
    x, Y = np.array([0, 1, 2.5, 3, 4]), RANDOM.normal(size=(5, 3))
    curves = [
        interpolate.CubicSpline(x, Y),
        interpolate.PchipInterpolator(x, Y),
        interpolate.Akima1DInterpolator(x, Y),
        interpolate.make_interp_spline(x, Y, k=3),
        interpolate.make_interp_spline(np.arange(9.0), RANDOM.normal(size=(9, 3)), k=5),
        interpolate.BPoly.from_derivatives(x, [[y, 0 * y] for y in Y]),
    ]
    for curve in curves:
        close(ft.Trajectory.from_scipy(curve), curve, curve.derivative())
    with pytest.raises(TypeError, match="PPoly"):
        ft.Trajectory.from_scipy([[0], [1]])


def test_of_toppra():
    toppra = pytest.importorskip("toppra")
    path = toppra.SplineInterpolator(np.linspace(0, 1, 4), np.array([[0, 0], [1, 0.5], [0.5, 2], [0, 1.0]]))
    limits = [
        toppra.constraint.JointVelocityConstraint(np.array([[-1, 1], [-1, 1.0]])),
        toppra.constraint.JointAccelerationConstraint(np.array([[-2, 2], [-2, 2.0]])),
    ]
    for parametrizer in ("ParametrizeConstAccel", "ParametrizeSpline"):
        computed = toppra.algorithm.TOPPRA(limits, path, parametrizer=parametrizer).compute_trajectory()
        way = ft.Trajectory.from_toppra(computed)
        close(way, computed, lambda t: computed(t, 1))  # noqa: B023
        assert abs(way.duration - computed.duration) < 1e-12


def test_of_ruckig():
    ruckig = pytest.importorskip("ruckig")
    braked = 0
    for _ in range(60):
        given, computed = ruckig.InputParameter(3), ruckig.Trajectory(3)
        given.current_position, given.target_position = RANDOM.normal(size=(2, 3)).tolist()
        given.current_velocity, given.current_acceleration = RANDOM.normal(0, 1.5, size=(2, 3)).tolist()
        given.max_velocity, given.max_acceleration, given.max_jerk = [1.0] * 3, [2.0] * 3, [4.0] * 3
        assert ruckig.Ruckig(3).calculate(given, computed) in (ruckig.Result.Working, ruckig.Result.Finished)
        braked += any(profile.brake.duration > 0 for profile in computed.profiles[0])
        way = ft.Trajectory.from_ruckig(computed)
        close(way, lambda t: computed.at_time(float(t))[0], lambda t: computed.at_time(float(t))[1])  # noqa: B023
        assert way.duration == computed.duration
    assert 10 < braked


def test_of_drake():
    drake = pytest.importorskip("pydrake.trajectories")
    math = pytest.importorskip("pydrake.math")
    pieces = drake.PiecewisePolynomial.CubicShapePreserving([0, 1, 2.5, 3], RANDOM.normal(size=(2, 4)))
    bezier = drake.BezierCurve(1, 3, RANDOM.normal(size=(2, 6)))
    ahead = RANDOM.normal(size=(2, 4))
    ahead[:, 0] = bezier.control_points()[:, -1]
    scaling = drake.PiecewisePolynomial.FirstOrderHold([0, 1, 2], np.array([[0, 1.2, 3.0]]))
    curves = [
        pieces,
        bezier,
        drake.BsplineTrajectory(math.BsplineBasis(5, 9), [RANDOM.normal(size=(2, 1)) for _ in range(9)]),
        drake.CompositeTrajectory([bezier, drake.BezierCurve(3, 4, ahead)]),
        drake.PathParameterizedTrajectory(pieces, scaling),
    ]
    for curve in curves:
        close(ft.Trajectory.from_drake(curve), curve.value, lambda t: curve.EvalDerivative(t, 1))  # noqa: B023
    with pytest.raises(TypeError):
        ft.Trajectory.from_drake(7)


def test_a_checker_proves_trajectories(checker, arm, edges):
    """A checker and a scene say the same of one robot among things at rest, and samples agree with both."""
    Q0, Q1 = edges
    kinds = []
    for a, b in zip(Q0, Q1):
        way = ft.Trajectory([a, 0.5 * (a + b) + 0.1, b], times=[2.0, 2.5, 4.0], interpolation="spline")
        r = checker.check_trajectory(way)
        kinds.append(r.kind)
        free = checker.check_states(way(np.linspace(2, 4, 200)))
        if r.is_free:
            assert free.all()
            found = checker.clearance_along(way)
            sampled = min(checker.clearance(q).lower for q in way(np.linspace(2, 4, 20)))
            assert 0 < found.lower <= sampled + 1e-6
        elif r.kind == "touch":
            t = way.time(r.segment, r.toi)
            assert checker.check_states(way(np.linspace(2, t - 1e-4, 50))).all()
            scene = ft.Scene(duration=4.0)
            for body in checker.obstacles:
                scene.add(body.name, body.shape, pose=body.pose)
            scene.leave_out_resting()
            scene.add_robot_path("arm", arm, way)
            assert abs(scene.check().toi - t) < 1e-5
            assert checker.contacts_along(way, r.segment, r.toi)
            assert checker.toi_gradient_along(way).segment == r.segment
            name = next(name for name in r.names + ("post",) if name in ("post", "shelf"))
            checker.overlaps_along(way, name)
    assert kinds.count("free") > 8 and kinds.count("touch") > 8


def test_obstacles_that_move_have_a_clock(arm):
    room = ft.Scene(duration=4.0)
    room.add("post", ft.Sphere(0.2), motion=ft.Linear(ft.Pose([9, 0, 0.5]), ft.Pose([0, 0, 0.5])))
    c = ft.Checker(arm, obstacles=room)
    assert c.check_trajectory(ft.Trajectory([[0, 0, 0], [0, 0, 0]], times=[0, 1])).is_free
    assert not c.check_trajectory(ft.Trajectory([[0, 0, 0], [0, 0, 0]], times=[0, 4])).is_free
    with pytest.raises(ValueError, match="between 0 and 4"):
        c.check_trajectory(ft.Trajectory([[0, 0, 0], [0, 0, 0]], times=[0, 5]))
    with pytest.raises(TypeError, match="trajectory must be a Trajectory"):
        c.check_trajectory([[0, 0, 0]])


def test_degrees_that_are_too_high_are_refused(checker):
    with pytest.raises(ValueError, match="degree"):
        checker.check_trajectory(ft.Trajectory.polynomials([0, 1], [[[0.0] * 12 + [1.0]] * 3]))


def test_high_degrees_against_samples(checker):
    """Polynomials of degree 8 to 11, by the middle of their time so that their coefficients stay of one size."""
    random, kinds = np.random.default_rng(5), []
    for case in range(60):
        degree = 8 + case % 4
        curve = np.polynomial.Polynomial
        joints = [curve(random.uniform(-1, 1, degree + 1) * scale).convert(domain=[-1, 1]) for scale in (0.4, 0.4, 0.04)]
        # In powers of the time since the start, over the time from 0 to 1.
        pieces = [[joint(curve([-0.5, 1.0])).coef.tolist() for joint in joints]]
        way = ft.Trajectory.polynomials([0, 1], pieces)
        states = way(np.linspace(0, 1, 300))
        assert np.allclose(states, np.stack([joint(np.linspace(-0.5, 0.5, 300)) for joint in joints], axis=1), atol=1e-10)
        r = checker.check_trajectory(way)
        kinds.append(r.kind)
        until = 1.0 if r.is_free else r.free_until
        assert checker.check_states(states[np.linspace(0, 1, 300) < until]).all()
        if r.kind == "touch":
            assert not checker.check_state(way(r.toi), tolerance=1e-4).is_free
    assert kinds.count("free") >= 8 and kinds.count("touch") >= 8 and "undecided" not in kinds


def test_what_is_held_comes_along(checker, arm):
    way = ft.Trajectory([[0.0, 0.0, 0.1], [-0.4, 0.2, 0.1]], times=[0, 2])
    assert checker.check_trajectory(way).is_free
    checker.hold("pole", ft.Box([3, 0.02, 0.02]), "hand", ft.Pose([1.5, 0, 0]), touch_links=["lower", "upper"])
    r, told = checker.check_trajectory(way), checker.check_motion(way(0), way(2))
    assert r.kind == told.kind and r.names == told.names and r.toi == told.toi
    checker.add_obstacle("wall", ft.Box([0.1, 4, 4]), pose=ft.Pose([2.5, 0, 0]))
    r, told = checker.check_trajectory(way), checker.check_motion(way(0), way(2))
    assert r.kind == told.kind != "free" and "pole" in r.parts and r.parts == told.parts
    # A padding also counts here.
    loose = checker.copy()
    loose.release("pole")
    assert loose.check_trajectory(way).is_free
    loose.padding = 10.0
    assert not loose.check_trajectory(way).is_free
