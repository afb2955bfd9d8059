"""Curves of other packages as polynomials: what `Trajectory.from_scipy` and its like take.

Each function returns the knots and the pieces of `firsttouch._polynomials`. The objects are recognised by their
attributes, so that none of the packages is imported here. Objects of any other kind are refused: nothing is sampled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _polynomials
from ._arrays import Floats, floats
from ._errors import WrongType, wrong_type

Curve = tuple[list[float], list[Floats]]


def of_scipy(curve: Any) -> Curve:
    """Reads a ``PPoly`` or a class derived from it, a ``BPoly`` or a ``BSpline``."""
    if all(hasattr(curve, name) for name in ("t", "c", "k")):
        points = _columns(floats(curve.c, "the coefficients of the B-spline"), 1)
        knots, degree = floats(curve.t, "knots"), int(curve.k)
        if degree == 0:
            raise WrongType("a B-spline of degree 0 jumps from value to value")
        # SciPy lets the knots be more than are needed.
        return _polynomials.of_b_spline(knots[: len(points) + degree + 1], points, degree)
    if not (hasattr(curve, "c") and hasattr(curve, "x")):
        raise wrong_type(curve, "the curve", "a PPoly, BPoly or BSpline of SciPy, or what is derived from one")
    times, rows = floats(curve.x, "times"), _columns(floats(curve.c, "the coefficients"), 2)
    if not np.all(np.diff(times) > 0.0):
        raise ValueError("the times of the curve must increase")
    if type(curve).__name__ == "BPoly":
        widths = np.diff(times)
        return times.tolist(), [_polynomials.of_bernstein(rows[:, k], widths[k]) for k in range(rows.shape[1])]
    return times.tolist(), [rows[::-1, k].T.copy() for k in range(rows.shape[1])]


def _columns(array: Floats, before: int) -> Floats:
    """Returns the array with one column per joint after its first `before` axes."""
    if array.ndim == before:
        return array[..., None]
    if array.ndim != before + 1:
        raise ValueError(f"the curve must have one column per joint, but its values have {array.ndim - before} axes")
    return array


def of_toppra(trajectory: Any) -> Curve:
    """A spline over time, or a path under piecewise constant accelerations."""
    if hasattr(trajectory, "cspl"):
        return of_scipy(trajectory.cspl)
    names = ("_path", "_ts", "_ss", "_velocities", "_us")
    if not all(hasattr(trajectory, name) for name in names):
        raise wrong_type(trajectory, "the trajectory", "a ParametrizeSpline or a ParametrizeConstAccel of TOPP-RA")
    if not hasattr(trajectory._path, "cspl"):
        raise wrong_type(trajectory._path, "the path of the trajectory", "a SplineInterpolator of TOPP-RA")
    knots, path = of_scipy(trajectory._path.cspl)
    times, places, speeds, changes = (np.asarray(getattr(trajectory, name), dtype=np.float64) for name in names[1:])
    scaling = [np.array([[s, v, 0.5 * u]]) for s, v, u in zip(places, speeds, changes, strict=False)]
    count = len(times) - 1
    return _polynomials.along(np.array(knots), path, times, scaling[:count])


def of_ruckig(trajectory: Any) -> Curve:
    """Reads profiles of constant jerk, one section after another, and merges the switching times of all joints."""
    if not hasattr(trajectory, "profiles"):
        raise wrong_type(trajectory, "the trajectory", "a ruckig.Trajectory")
    begin = 0.0
    times: list[float] = [0.0]
    pieces: list[Floats] = []
    ends = [float(end) for end in getattr(trajectory, "intermediate_durations", [])] or [float(trajectory.duration)]
    sections = trajectory.profiles
    if len(ends) != len(sections):
        raise ValueError(f"the trajectory has {len(sections)} sections, but {len(ends)} durations")
    for section, end in zip(sections, ends, strict=True):
        phases = [_phases(profile, end - begin) for profile in section]
        cuts = sorted({0.0, end - begin, *(t for joint in phases for t, _ in joint if t < end - begin)})
        # Times that differ by rounding are one.
        kept = [cuts[0]] + [b for a, b in zip(cuts, cuts[1:], strict=False) if b - a > 1e-12]
        kept[-1] = end - begin
        for start in kept[:-1]:
            rows = []
            for joint in phases:
                t, cubic = next((t, cubic) for t, cubic in reversed(joint) if t <= start + 1e-12)
                rows.append(_polynomials.shifted(cubic[None], max(0.0, start - t))[0])
            pieces.append(np.stack(rows))
        times += [begin + t for t in kept[1:]]
        begin = end
    _compare(trajectory, times, pieces)
    return times, pieces


def _compare(trajectory: Any, times: list[float], pieces: list[Floats]) -> None:
    """Refuses a trajectory that consists of more than its profiles."""
    for start, end, piece in zip(times, times[1:], pieces, strict=False):
        for share in (0.0, 0.5, 1.0):
            t = (end - start) * share
            told, found = np.asarray(trajectory.at_time(start + t)[0]), _polynomials.value(piece, t)
            if np.any(np.abs(told - found) > 1e-9 * (1.0 + np.abs(told))):
                raise ValueError(f"the profiles of the trajectory do not say where it is at t = {start + t}")


def _phases(profile: Any, duration: float) -> list[tuple[float, Floats]]:
    """Returns the time at which each phase of constant jerk begins, and its cubic: braking first, then the profile.
    After the profile the joint keeps its acceleration."""
    found: list[tuple[float, Floats]] = []
    t = 0.0
    brake = profile.brake
    if brake.duration > 0.0:
        for width, j, a, v, p in zip(brake.t, brake.j, brake.a, brake.v, brake.p, strict=True):
            if width > 0.0:
                found.append((t, np.array([p, v, 0.5 * a, j / 6.0])))
                t += float(width)
    for k, width in enumerate(profile.t):
        if width > 0.0:
            a, v, p = float(profile.a[k]), float(profile.v[k]), float(profile.p[k])
            found.append((t, np.array([p, v, 0.5 * a, float(profile.j[k]) / 6.0])))
            t += float(width)
    end = np.array([float(profile.p[-1]), float(profile.v[-1]), 0.5 * float(profile.a[-1]), 0.0])
    if not found or t < duration - 1e-12:
        found.append((t, end))
    return found


def of_drake(trajectory: Any) -> Curve:
    """Reads the kinds of Drake whose pieces are polynomials."""
    kind = type(trajectory).__name__.partition("_")[0]
    if hasattr(trajectory, "cols") and trajectory.cols() != 1:
        raise ValueError(f"the trajectory must have one column, but has {trajectory.cols()}")
    if kind == "PiecewisePolynomial":
        times = [float(t) for t in trajectory.get_segment_times()]
        return times, [_matrix(trajectory.getPolynomialMatrix(k)) for k in range(len(times) - 1)]
    if kind == "BezierCurve":
        start, end = float(trajectory.start_time()), float(trajectory.end_time())
        return [start, end], [_polynomials.of_bernstein(np.asarray(trajectory.control_points()).T, end - start)]
    if kind == "BsplineTrajectory":
        basis = trajectory.basis()
        points = np.stack([np.asarray(point).reshape(-1) for point in trajectory.control_points()])
        return _polynomials.of_b_spline(np.array(basis.knots()), points, int(basis.order()) - 1)
    if kind == "CompositeTrajectory":
        times, pieces = [], []
        for k in range(trajectory.get_number_of_segments()):
            knots, own = of_drake(trajectory.segment(k))
            times += knots if not times else knots[1:]
            pieces += own
        return times, pieces
    if kind == "PathParameterizedTrajectory":
        knots, path = of_drake(trajectory.path())
        times, scaling = of_drake(trajectory.time_scaling())
        return _polynomials.along(np.array(knots), path, np.array(times), scaling)
    raise wrong_type(trajectory, "the trajectory", "of a kind of Drake whose pieces are polynomials")


def _matrix(polynomials: Any) -> Floats:
    """One polynomial per row, with the constant first."""
    rows = [np.asarray(one.GetCoefficients(), dtype=np.float64) for one in np.asarray(polynomials).reshape(-1)]
    found = np.zeros((len(rows), max(len(row) for row in rows)))
    for row, given in zip(found, rows, strict=True):
        row[: len(given)] = given
    return found
