"""A robot's way over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core, _polynomials
from ._arrays import Floats, floats, number
from ._types import ArrayLike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .robot import Robot

Interpolation = Literal["linear", "cubic", "spline"]


@dataclass(frozen=True, eq=False, init=False)
class Trajectory:
    """Waypoints with times, joined by lines, cubics or splines, or polynomials.

    Parameters
    ----------
    waypoints : array_like of shape (N, dof)
    times : array_like of shape (N,), optional
        Increasing, within the duration of the scene. The robot rests before the first and after the last. Without
        times, the trajectory takes the whole duration, and every segment the same time.
    interpolation : {"linear", "cubic", "spline"}
        Every joint at a constant rate between waypoints; cubics with the velocities at the waypoints; the natural cubic
        spline.
    velocities : array_like of shape (N, dof), optional
        For "cubic".

    Examples
    --------
    A ball on a rail goes to x = 4 in half the time and waits. Another comes along: it is at 16 - 16 t, and they meet at
    t = 5/8.

    >>> import firsttouch as ft
    >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
    >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
    >>> s = ft.Scene()
    >>> s.add_robot_path("slider", robot, ft.Trajectory([[0], [4], [4]]))
    >>> s.add("other", ft.Sphere(1), motion=ft.Linear(ft.Pose([16, 0, 0]), ft.Pose([0, 0, 0])))
    >>> round(s.check().toi, 5)
    0.625

    It can be asked where it is, and how fast.

    >>> way = ft.Trajectory([[0], [4], [4]], times=[0, 2, 3])
    >>> way(1.0), way.velocity(1.0), way.duration
    (array([2.]), array([2.]), 3.0)
    """

    waypoints: Floats
    times: Floats | None
    interpolation: str
    velocities: Floats | None
    coefficients: list[Any] | None

    def __init__(
        self,
        waypoints: ArrayLike,
        times: ArrayLike | None = None,
        *,
        interpolation: Interpolation = "linear",
        velocities: ArrayLike | None = None,
    ) -> None:
        if interpolation not in ("linear", "cubic", "spline"):
            raise ValueError(f"interpolation must be \"linear\", \"cubic\" or \"spline\", not {interpolation!r}")
        if (velocities is None) == (interpolation == "cubic"):
            raise ValueError("velocities are for interpolation=\"cubic\", which needs them")
        given = None if velocities is None else _rows(velocities, "velocities")
        self._set(_rows(waypoints, "waypoints"), times, interpolation, given, None)

    @classmethod
    def polynomials(cls, times: ArrayLike, coefficients: ArrayLike | Sequence[Any]) -> Trajectory:
        """One polynomial for each joint between two times, as programs for smooth trajectories give them.

        Parameters
        ----------
        times : array_like of shape (N + 1,)
        coefficients : sequence of N pieces, each of one list of at most 12 coefficients per joint
            That of the constant first, in powers of the time since the piece began. Each piece must begin where the one
            before it ends.
        """
        given: Any = coefficients
        pieces = [[[float(c) for c in joint] for joint in piece] for piece in given]
        if not pieces:
            raise ValueError("coefficients must have a piece")
        if len({len(piece) for piece in pieces}) > 1:
            raise ValueError("all pieces must have the same number of joints")
        on = floats(times, "times")
        if on.shape != (len(pieces) + 1,):
            raise ValueError(f"times must have one entry more than there are pieces, {len(pieces) + 1}, but have the shape {on.shape}")
        made = cls.__new__(cls)
        made._set(np.zeros((0, len(pieces[0]))), times, "polynomials", None, pieces)
        return made

    @classmethod
    def bezier(cls, times: ArrayLike, control_points: ArrayLike) -> Trajectory:
        """One Bezier curve between two times.

        Parameters
        ----------
        times : array_like of shape (N + 1,)
        control_points : array_like of shape (N, K, dof), or (K, dof) for a single curve
            At most 12 of them for each curve, which begins where the one before it ends.

        Examples
        --------
        >>> import firsttouch as ft
        >>> ft.Trajectory.bezier([0, 2], [[0], [0], [4]])(1.0)
        array([1.])
        """
        curves, on = floats(control_points, "control_points"), floats(times, "times")
        if curves.ndim == 2:
            curves = curves[None]
        if curves.ndim != 3 or on.shape != (len(curves) + 1,):
            text = f"control_points must have the shape (N, K, dof) and times (N + 1,), but have {curves.shape} and {on.shape}"
            raise ValueError(text)
        widths = np.diff(on)
        return cls._of_pieces(on, [_polynomials.of_bernstein(curve, h) for curve, h in zip(curves, widths, strict=True)])

    @classmethod
    def bspline(cls, knots: ArrayLike, control_points: ArrayLike, degree: int = 3) -> Trajectory:
        """A B-spline over time.

        Parameters
        ----------
        knots : array_like of shape (N + degree + 1,)
            Times that do not decrease. The curve begins at knot `degree` and ends at knot N.
        control_points : array_like of shape (N, dof)
        degree : int
            At most 11.

        Examples
        --------
        >>> import firsttouch as ft
        >>> ft.Trajectory.bspline([0, 0, 0, 1, 2, 2, 2], [[0], [1], [2], [3]], degree=2)(1.0)
        array([1.5])
        """
        points, on = _rows(control_points, "control_points"), floats(knots, "knots")
        if degree < 1 or len(points) <= degree:
            raise ValueError(f"a B-spline of degree {degree} needs more than {max(degree, 1)} control points, not {len(points)}")
        if on.shape != (len(points) + degree + 1,) or not np.all(np.diff(on) >= 0.0):
            raise ValueError(f"knots must be {len(points) + degree + 1} times that do not decrease, but have the shape {on.shape}")
        return cls._of_pieces(*_polynomials.of_b_spline(on, points, degree))

    @classmethod
    def from_scipy(cls, curve: Any) -> Trajectory:
        """Makes a trajectory from an interpolation of SciPy with one column per joint: ``CubicSpline``,
        ``PchipInterpolator``, ``Akima1DInterpolator``, ``PPoly``, ``BPoly`` or ``BSpline``. Its axis of time is the
        first.
        """
        from .curves import of_scipy

        return cls._of_pieces(*of_scipy(curve))

    @classmethod
    def from_toppra(cls, trajectory: Any) -> Trajectory:
        """Makes a trajectory from a result of TOPP-RA: ``ParametrizeSpline`` or ``ParametrizeConstAccel`` over a
        spline, composed exactly up to rounding.

        The degree is that of the path times that of the time scaling, and at most 11: a path of cubics has 6, one of
        quintics 10.
        """
        from .curves import of_toppra

        return cls._of_pieces(*of_toppra(trajectory))

    @classmethod
    def from_ruckig(cls, trajectory: Any) -> Trajectory:
        """Makes a trajectory from a ``ruckig.Trajectory``: cubics between the switching times of all joints."""
        from .curves import of_ruckig

        return cls._of_pieces(*of_ruckig(trajectory))

    @classmethod
    def from_drake(cls, trajectory: Any) -> Trajectory:
        """Makes a trajectory from a trajectory of Drake with one row per joint.

        ``PiecewisePolynomial``, ``BezierCurve``, ``BsplineTrajectory``, ``CompositeTrajectory`` of these, and
        ``PathParameterizedTrajectory``.
        """
        from .curves import of_drake

        return cls._of_pieces(*of_drake(trajectory))

    @classmethod
    def _of_pieces(cls, times: Any, pieces: list[Floats]) -> Trajectory:
        return cls.polynomials(times, [piece.tolist() for piece in pieces])

    @property
    def start_time(self) -> float:
        """The time at which it begins; 0 without times."""
        return 0.0 if self.times is None else float(self.times[0])

    @property
    def end_time(self) -> float:
        """The time at which it ends; 1 without times."""
        return 1.0 if self.times is None else float(self.times[-1])

    @property
    def duration(self) -> float:
        """The duration; 1 without times."""
        return self.end_time - self.start_time

    @property
    def knots(self) -> Floats:
        """The times of the waypoints."""
        if self.times is not None:
            return self.times.copy()
        return np.linspace(0.0, 1.0, len(self.waypoints) if self.coefficients is None else len(self.coefficients) + 1)

    def time(self, segment: int, t: float) -> float:
        """Returns the time of the trajectory at the time `t` of a segment, from 0 to 1, as in `Answer.segment` and
        `Answer.toi`."""
        knots = self.knots
        if not 0 <= segment < len(knots) - 1:
            raise ValueError(f"segment must be from 0 to {len(knots) - 2}, not {segment}")
        start, end = float(knots[segment]), float(knots[segment + 1])
        return min(start + (end - start) * number(t, "t"), end)

    def __call__(self, t: ArrayLike | float) -> Floats:
        """Returns the configuration at a time, of shape (dof,), or at many, of shape (N, dof). The robot rests before
        the start and after the end.

        Joints are evaluated one by one: orientations on lines are those of the numbers, up to their length.
        """
        return self._at(t, 0)

    def velocity(self, t: ArrayLike | float) -> Floats:
        """Returns the velocity of each joint, of the shape that a call returns. At a waypoint it is the velocity after
        it, and before the start and after the end it is 0."""
        return self._at(t, 1)

    def acceleration(self, t: ArrayLike | float) -> Floats:
        """Returns the acceleration of each joint, with the same rules."""
        return self._at(t, 2)

    def _at(self, t: Any, derivative: int) -> Floats:
        when = floats(t, "t")
        if np.ndim(t) == 0:
            when = when.reshape(())
        if when.ndim > 1 or not np.all(np.isfinite(when)):
            raise ValueError(f"t must be a time or a row of times, but has the shape {when.shape}")
        knots, pieces = self.knots, self._pieces()
        rows = []
        for moment in np.atleast_1d(when).tolist():
            inside = min(max(moment, float(knots[0])), float(knots[-1]))
            k = min(int(np.searchsorted(knots, inside, side="right")) - 1, len(pieces) - 1)
            found = _polynomials.value(pieces[k], inside - float(knots[k]), derivative)
            rows.append(found if inside == moment or derivative == 0 else np.zeros_like(found))
        stacked = np.stack(rows) if rows else np.zeros((0, pieces[0].shape[0]))
        return stacked if when.ndim == 1 else stacked[0]

    def _pieces(self) -> list[Floats]:
        if self.coefficients is not None:
            longest = [max(len(joint) for joint in piece) for piece in self.coefficients]
            return [
                np.array([joint + [0.0] * (size - len(joint)) for joint in piece], dtype=np.float64)
                for piece, size in zip(self.coefficients, longest, strict=True)
            ]
        if len(self.waypoints) < 2:
            raise ValueError("a trajectory needs two waypoints")
        if self.velocities is not None:
            return _polynomials.of_cubics(self.knots, self.waypoints, self.velocities)
        make = _polynomials.of_spline if self.interpolation == "spline" else _polynomials.of_lines
        return make(self.knots, self.waypoints)

    def _set(
        self, waypoints: Floats, times: Any, interpolation: str, velocities: Floats | None, coefficients: list[Any] | None
    ) -> None:
        on = None if times is None else floats(times, "times")
        if on is not None and (on.ndim != 1 or len(on) == 0):
            raise ValueError(f"times must be a row of numbers, but has the shape {on.shape}")
        named = {
            "waypoints": waypoints,
            "times": on,
            "interpolation": interpolation,
            "velocities": velocities,
            "coefficients": coefficients,
        }
        for name, value in named.items():
            object.__setattr__(self, name, value)

    @classmethod
    def _of_file(cls, body: dict[str, Any]) -> Trajectory:
        made = cls.__new__(cls)
        waypoints = np.array(body["waypoints"], dtype=np.float64)
        velocities = None if body["velocities"] is None else np.array(body["velocities"], dtype=np.float64)
        coefficients = body["coefficients"]
        if coefficients is not None:
            waypoints = waypoints[:0]
        made._set(waypoints, body["times"], body["interpolation"], velocities, coefficients)
        return made

    def _core_of(self, robot: Robot, duration: float | None) -> _core.Trajectory:
        """Returns the trajectory for the core, on a clock from 0 to a duration, or without one on its own clock."""
        for name, rows in (("waypoints", self.waypoints), ("velocities", self.velocities)):
            if rows is not None and rows.shape[1] != robot.dof:
                raise ValueError(f"{name} must have the shape (N, {robot.dof}), but has {rows.shape}")
        return _core.Trajectory(
            robot._core,
            self.interpolation,
            None if self.times is None else self.times.tolist(),
            self.waypoints.tolist(),
            None if self.velocities is None else self.velocities.tolist(),
            self.coefficients,
            duration,
        )

    def __repr__(self) -> str:
        count = len(self.waypoints) if self.coefficients is None else len(self.coefficients) + 1
        return f"Trajectory({count} waypoints, {self.interpolation})"


def _rows(value: Any, what: str) -> Floats:
    array = floats(value, what)
    if array.ndim != 2:
        raise ValueError(f"{what} must have the shape (N, dof), but has {array.shape}")
    return array.copy()
