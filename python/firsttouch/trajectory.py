"""A robot's way over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._arrays import Floats, floats

if TYPE_CHECKING:
    from .robot import Robot

Interpolation = Literal["linear", "cubic", "spline"]


@dataclass(frozen=True, eq=False, init=False)
class Trajectory:
    """Waypoints with times, joined by lines, cubics or splines, or polynomials.

    Parameters
    ----------
    waypoints : array_like of shape (N, dof)
    times : array_like of shape (N,), optional
        Increasing, within the duration of the scene. The robot rests before the first and after the last. Without times, the trajectory takes
        the whole duration, and every segment the same time.
    interpolation : {"linear", "cubic", "spline"}
        Every joint at a constant rate between waypoints; cubics with the velocities at the waypoints; the natural cubic spline.
    velocities : array_like of shape (N, dof), optional
        For "cubic".

    Examples
    --------
    A ball on a rail goes to x = 4 in half the time and waits. Another comes along: it is at 16 - 16 t, and they meet at t = 5/8.

    >>> import firsttouch as ft
    >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
    >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
    >>> s = ft.Scene()
    >>> s.add_robot_path("slider", robot, ft.Trajectory([[0], [4], [4]]))
    >>> s.add("other", ft.Sphere(1), motion=ft.Linear(ft.Pose([16, 0, 0]), ft.Pose([0, 0, 0])))
    >>> round(s.check().toi, 5)
    0.625
    """

    waypoints: Floats
    times: Floats | None
    interpolation: str
    velocities: Floats | None
    coefficients: list[Any] | None

    def __init__(
        self,
        waypoints: Any,
        times: Any = None,
        *,
        interpolation: Interpolation = "linear",
        velocities: Any = None,
    ) -> None:
        if interpolation not in ("linear", "cubic", "spline"):
            raise ValueError(f"interpolation must be \"linear\", \"cubic\" or \"spline\", not {interpolation!r}")
        if (velocities is None) == (interpolation == "cubic"):
            raise ValueError("velocities are for interpolation=\"cubic\", which needs them")
        given = None if velocities is None else _rows(velocities, "velocities")
        self._set(_rows(waypoints, "waypoints"), times, interpolation, given, None)

    @classmethod
    def polynomials(cls, times: Any, coefficients: Any) -> Trajectory:
        """One polynomial for each joint between two times, as programs for smooth trajectories give them.

        Parameters
        ----------
        times : array_like of shape (N + 1,)
        coefficients : sequence of N pieces, each of one list of at most 8 coefficients per joint
            That of the constant first, in powers of the time since the piece began. Each piece must begin where the one before it ends.
        """
        pieces = [[[float(c) for c in joint] for joint in piece] for piece in coefficients]
        if not pieces:
            raise ValueError("coefficients must have a piece")
        made = cls.__new__(cls)
        made._set(np.zeros((0, len(pieces[0]))), times, "polynomials", None, pieces)
        return made

    def _set(
        self, waypoints: Floats, times: Any, interpolation: str, velocities: Floats | None, coefficients: list[Any] | None
    ) -> None:
        on = None if times is None else floats(times, "times")
        if on is not None and on.ndim != 1:
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

    def _core_of(self, robot: Robot, duration: float) -> _core.Trajectory:
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
