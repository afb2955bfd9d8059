"""Paths that are searched for, and proven free."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

import numpy as np

from . import _core
from ._arrays import Floats, number
from ._errors import unknown, wrong_type
from ._options import MAX_ITERATIONS, TOLERANCE, OptionValues, pack
from ._types import ArrayLike
from .answer import Answer
from .questions import Clearance

if TYPE_CHECKING:
    from .checker import Checker
    from .trajectory import Trajectory

Method: TypeAlias = Literal["rrt-connect", "roadmap"]


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """The result of a planner. It has no truth value: read `kind` or `is_found`."""

    kind: Literal["found", "end_not_free", "not_found"]
    """``"found"``: every edge of the path is proven free. ``"end_not_free"``: the robot touches something at an end, so
    there is no path. ``"not_found"``: no path was found, which proves nothing."""
    waypoints: Floats
    """The configurations from the first to the last, of shape (N, dof). Between two of them every joint moves at a
    constant rate. No rows if none was found."""
    length: float
    """The length of the path, in ranges of joints; infinite without a path."""
    found_length: float
    """The length before shortcuts and smoothing."""
    end: Literal["start", "goal"] | None
    """The end that is not free."""
    answer: Answer | None
    """Of the path, or of the end that is not free; None if none was found."""
    is_interrupted: bool
    """True if the time limit ended the search without a path."""
    stats: dict[str, int]
    """Counts of the work that the search took."""
    _checker: Checker = field(repr=False)

    @property
    def is_found(self) -> bool:
        """True if there is a path, proven free."""
        return self.kind == "found"

    @property
    def clearance(self) -> Clearance | None:
        """The least distance along the path, proven from both sides; None without a path, or if there is nothing to
        measure. It is computed when this is read, in the world of the search."""
        return self._checker.clearance(self.waypoints) if self.is_found else None

    def timed(
        self,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        jerk: ArrayLike | None = None,
        *,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Trajectory:
        """Returns the path as a trajectory within limits, at rest at both ends, and proven free as a whole.

        It cuts the corners of the path and takes nearly the least time that the limits allow. A corner whose cut
        touches is cut less, or the robot stops there. The trajectory that is returned is the one that is proven: send
        it to the robot as it is.

        Parameters
        ----------
        velocity, acceleration, jerk : number or array_like of shape (dof,)
            The largest ones of each joint, per second. Without `velocity` the limits of the robot's file count. Without
            `jerk` the acceleration jumps.

        Returns
        -------
        Trajectory
            Cubics, with times in seconds.

        Raises
        ------
        ValueError
            Without a path, without an acceleration, or if a limit is missing or not positive.
        RuntimeError
            If no trajectory along the path is proven free.

        Examples
        --------
        A ball on a rail goes 3 m with at most 1 m/s and 1 m/s²: a second to accelerate, 2 seconds, and a second to
        brake.

        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0), limits=(-10, 10))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> plan = ft.Checker(robot).plan([0], [3])
        >>> round(plan.timed(velocity=1, acceleration=1).duration, 5)
        4.0
        """
        from .trajectory import Trajectory as TrajectoryClass

        if not self.is_found:
            raise ValueError(f"there is no path to time: the plan is {self.kind!r}")
        if acceleration is None:
            raise ValueError("give an acceleration: robot files have no limits of it")
        dof = self.waypoints.shape[1]
        limits = (
            None if velocity is None else _limits(velocity, "velocity", dof),
            _limits(acceleration, "acceleration", dof),
            None if jerk is None else _limits(jerk, "jerk", dof),
        )
        check = check_values(tolerance, min_separation, max_iterations)
        times, rows, velocities = self._checker._core.timed(self.waypoints.tolist(), limits, check)
        return TrajectoryClass(rows, times, interpolation="cubic", velocities=velocities)

    def __bool__(self) -> NoReturn:
        raise TypeError("a plan has no truth value: use .is_found, or look at .kind")

    def __repr__(self) -> str:
        if self.is_found:
            return f"Plan('found', {len(self.waypoints)} waypoints, length={self.length!r})"
        about = f", end={self.end!r}, {self.answer!r}" if self.end is not None else ""
        return f"Plan({self.kind!r}{about}{', is_interrupted=True' if self.is_interrupted else ''})"

    def _repr_html_(self) -> str:
        from ._html import table

        names = ["length", "found_length", "end", "answer", "stats"]
        return table(self.kind, [(name, getattr(self, name)) for name in names if getattr(self, name) is not None])


class Roadmap:
    """Free configurations and proven edges, kept for many queries in one world.

    Edges are proven when a path uses them. If something in the checker changes, it forgets which edges are free, and
    keeps the configurations.

    Parameters
    ----------
    checker : Checker
        Later changes of it are seen.
    ranges : mapping of names of joints to (lower, upper), optional
        The ranges to search, instead of the limits of the joints. Joints without limits need them: turns have half a
        turn beyond the ends of the first question otherwise, and all later ends must lie there.

    Examples
    --------
    >>> import firsttouch as ft
    >>> slides = [
    ...     ft.Joint("x", "ground", "cart", "prismatic", axis=(1, 0, 0), limits=(-10, 10)),
    ...     ft.Joint("y", "cart", "ball", "prismatic", axis=(0, 1, 0), limits=(-10, 10)),
    ... ]
    >>> links = [ft.Link("ground"), ft.Link("cart"), ft.Link("ball", [(ft.Sphere(1), None)])]
    >>> c = ft.Checker(ft.Robot("slider", links, slides))
    >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([5, 0, 0]))
    >>> roadmap = ft.Roadmap(c)
    >>> roadmap.plan([0, 0], [9, 0]).kind, roadmap.plan([9, 0], [0, 0]).kind, roadmap.nodes > 0
    ('found', 'found', True)
    """

    def __init__(self, checker: Checker, *, ranges: Mapping[str, tuple[float, float]] | None = None) -> None:
        from .checker import Checker as CheckerClass

        if not isinstance(checker, CheckerClass):
            raise wrong_type(checker, "checker", "a Checker")
        self._checker = checker
        self._ranges = range_list(ranges, checker.joint_names)
        self._core = _core.Roadmap()

    @property
    def checker(self) -> Checker:
        """The world."""
        return self._checker

    @property
    def nodes(self) -> int:
        """The number of configurations that it knows."""
        return self._core.nodes

    @property
    def proven_edges(self) -> int:
        """The number of edges that are proven free in the world of the last query."""
        return self._core.proven_edges

    def plan(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        seed: int = 0,
        max_samples: int = 20_000,
        shortcuts: int = 200,
        smooth: int = 0,
        time_limit: float | None = None,
        reach: float = 0.5,
        neighbours: int = 10,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Plan:
        """Returns a path from one configuration to another, every edge of which is proven free; see `Checker.plan` for
        the options."""
        values = plan_values("roadmap", seed, max_samples, shortcuts, smooth, reach, neighbours)
        check = check_values(tolerance, min_separation, max_iterations)
        robot = self._checker.robot
        ends = robot._configuration(q0, "q0"), robot._configuration(q1, "q1")
        limit = None if time_limit is None else number(time_limit, "time_limit")
        if limit is not None and not limit >= 0.0:
            raise ValueError(f"time_limit must not be negative, but is {limit}")
        return plan_of(self._checker, self._core.plan(self._checker._core, *ends, values, check, self._ranges, limit))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Roadmap cannot be copied or pickled: make another one of the checker")

    def __repr__(self) -> str:
        return f"Roadmap({self.nodes} nodes, {self.proven_edges} proven edges)"


def plan_values(
    method: str, seed: int, max_samples: int, shortcuts: int, smooth: int, reach: float, neighbours: int
) -> tuple[str, int, int, int, int, float, int]:
    """The options of a planner, in the order in which the core takes them."""
    if not isinstance(method, str):
        raise wrong_type(method, "method", "\"rrt-connect\" or \"roadmap\"")
    counts = {"seed": seed, "max_samples": max_samples, "shortcuts": shortcuts, "smooth": smooth, "neighbours": neighbours}
    found = {}
    for name, value in counts.items():
        try:
            found[name] = operator.index(value)
        except TypeError:
            raise wrong_type(value, name, "an integer") from None
        if not 0 <= found[name] < 2**62:
            raise ValueError(f"{name} must not be negative, but is {value}")
    if found["smooth"] > 20:
        raise ValueError(f"smooth must be at most 20, but is {smooth}: each time may double the number of waypoints")
    given = found["seed"], found["max_samples"], found["shortcuts"], found["smooth"]
    return (method, *given, number(reach, "reach"), found["neighbours"])


def _limits(given: ArrayLike, name: str, dof: int) -> list[float]:
    """Returns a limit for each joint. A single number is the limit of all joints."""
    values = np.asarray(given, dtype=np.float64)
    if values.shape not in ((), (dof,)):
        raise ValueError(f"{name} must be a number, or {dof} numbers, but has the shape {values.shape}")
    return [float(value) for value in np.broadcast_to(values, (dof,))]


def check_values(tolerance: float, min_separation: float, max_iterations: int) -> OptionValues:
    """The options of the checks of a planner."""
    return pack("any", tolerance, min_separation, 1.0, max_iterations, 1)


def range_list(ranges: Mapping[str, tuple[float, float]] | None, names: list[str]) -> list[tuple[str, tuple[float, float]]]:
    """The ranges as the core takes them."""
    if ranges is None:
        return []
    if not isinstance(ranges, Mapping):
        raise wrong_type(ranges, "ranges", "a mapping of names of joints to (lower, upper)")
    for name in ranges:
        if name not in names:
            raise unknown(str(name), names, "no joint")
    return [(name, (number(low, "a range"), number(high, "a range"))) for name, (low, high) in ranges.items()]


def plan_of(checker: Checker, raw: dict[str, Any]) -> Plan:
    """The object for a dictionary of the core."""
    rows = np.array(raw.get("waypoints", []), dtype=np.float64).reshape(-1, checker.dof)
    answer = raw.get("answer")
    return Plan(
        raw["kind"],
        rows,
        raw.get("length", math.inf),
        raw.get("found_length", math.inf),
        raw.get("end"),
        None if answer is None else Answer(answer),
        raw.get("is_interrupted", False),
        raw["stats"],
        checker.copy(),
    )
