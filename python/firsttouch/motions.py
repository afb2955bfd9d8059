"""Motions of rigid bodies over the time from 0 to 1.

A motion that the core learns gets a class here with its constructor's arguments as attributes, an entry in
``_OF_FILE``, and a row in ``recipe`` of ``src/load.rs``; then it can be made, loaded, changed and pickled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _core
from ._arrays import Floats, floats, number, vector
from ._types import ArrayLike, PoseLike
from .pose import IDENTITY, Pose


class Motion:
    """The base class of all motions. Motions are immutable."""

    __slots__ = ("_core",)
    _core: _core.Motion

    @property
    def kind(self) -> str:
        """The kind, in one word, as scene files spell it."""
        return self._core.kind

    def pose_at(self, t: float) -> Pose:
        """Returns the pose of the body at a time from 0 to 1."""
        return Pose._of_core(self._core.pose_at(float(t)))

    def _arguments(self) -> tuple[Any, ...]:
        raise TypeError(f"a motion of the kind \"{self.kind}\" cannot be pickled or compared")

    def __copy__(self) -> Motion:
        return self

    def __deepcopy__(self, memo: object) -> Motion:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self._arguments())

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Motion):
            return NotImplemented
        return self._arguments() == other._arguments()

    def __hash__(self) -> int:
        return hash((self.kind, self._arguments()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._arguments()))})"

    def _repr_html_(self) -> str:
        from ._html import escape

        return f"<code>{escape(repr(self))}</code>"


class Fixed(Motion):
    """At rest.

    Examples
    --------
    >>> import numpy as np, firsttouch as ft
    >>> ft.Fixed(np.eye(4)).pose_at(0.5)[:3, 3]
    array([0., 0., 0.])
    """

    __slots__ = ("pose",)

    def __init__(self, pose: PoseLike | None = None) -> None:
        self.pose = Pose() if pose is None else Pose.of(pose)
        self._core = _core.Motion.fixed(self.pose._numbers)

    def _arguments(self) -> tuple[Any, ...]:
        return (self.pose,)


class _Between(Motion):
    """From one pose to another."""

    __slots__ = ("end", "start")
    start: Pose
    end: Pose

    def _arguments(self) -> tuple[Any, ...]:
        return (self.start, self.end)


class Linear(_Between):
    """The origin moves on a straight line at constant velocity; the body turns at a constant rate, the shorter way.

    Parameters
    ----------
    start, end : pose
        The poses at the times 0 and 1: arrays of shape (4, 4), `Pose`, or anything that `Pose.of` takes.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Linear(ft.Pose([0, 0, 0]), ft.Pose([4, 0, 0])).pose_at(0.25)[:3, 3]
    array([1., 0., 0.])
    """

    __slots__ = ()

    def __init__(self, start: PoseLike, end: PoseLike) -> None:
        self.start, self.end = Pose.of(start), Pose.of(end)
        self._core = _core.Motion.linear(self.start._numbers, self.end._numbers)


class Screw(_Between):
    """One screw at constant speed from the first pose to the second, turning the shorter way.

    Examples
    --------
    >>> import numpy as np, firsttouch as ft
    >>> half_turn = ft.Screw(ft.Pose(), ft.Pose([2, 0, 0], quat_wxyz=[0, 0, 0, 1]))
    >>> half_turn.pose_at(0.5)[:3, 3].round(12)
    array([ 1., -1.,  0.])
    """

    __slots__ = ()

    def __init__(self, start: PoseLike, end: PoseLike) -> None:
        self.start, self.end = Pose.of(start), Pose.of(end)
        self._core = _core.Motion.screw(self.start._numbers, self.end._numbers)


class ContactScrew(_Between):
    """The same screw, with the timing that makes contact equations rational."""

    __slots__ = ()

    def __init__(self, start: PoseLike, end: PoseLike) -> None:
        self.start, self.end = Pose.of(start), Pose.of(end)
        self._core = _core.Motion.contact_screw(self.start._numbers, self.end._numbers)


class Rational(Motion):
    """Quotients of polynomials in time.

    Parameters
    ----------
    quat_wxyz : array_like of shape (K, 4)
        Row k is the coefficient of t^k of the quaternion, which need not have unit length.
    xyz : array_like of shape (K, 3)
        The same for the numerator of the translation.
    weight : array_like of shape (K,), optional
        The same for its denominator; 1 if left out.

    Examples
    --------
    >>> import firsttouch as ft
    >>> falling = ft.Rational(quat_wxyz=[[1, 0, 0, 0]], xyz=[[0, 0, 5], [0, 0, 0], [0, 0, -5]])
    >>> falling.pose_at(0.5)[:3, 3]
    array([0.  , 0.  , 3.75])
    """

    __slots__ = ("quat_wxyz", "weight", "xyz")

    def __init__(self, quat_wxyz: ArrayLike, xyz: ArrayLike, weight: ArrayLike = (1.0,)) -> None:
        self.quat_wxyz = _rows(quat_wxyz, 4, "quat_wxyz")
        self.xyz = _rows(xyz, 3, "xyz")
        self.weight = tuple(floats(weight, "weight").reshape(-1).tolist())
        self._core = _core.Motion.rational(list(self.quat_wxyz), list(self.xyz), list(self.weight))

    @classmethod
    def between(cls, start: PoseLike, end: PoseLike) -> Rational:
        """The quaternion and the origin interpolated linearly, the shorter way round."""
        a, b = Pose.of(start), Pose.of(end)
        q0, q1 = (q / np.linalg.norm(q) for q in (a.quat_wxyz, b.quat_wxyz))
        if q0 @ q1 < 0:
            q1 = -q1
        return cls([q0, q1 - q0], [a.xyz, b.xyz - a.xyz])

    def _arguments(self) -> tuple[Any, ...]:
        return (self.quat_wxyz, self.xyz, self.weight)


class Turn(Motion):
    """A rotation at a constant rate about a line in space, by any angle in either direction, also by several turns.

    Parameters
    ----------
    axis : array_like of 3 numbers
        The direction of the line; it need not have unit length.
    point : array_like of 3 numbers
        A point of the line.
    degrees, radians : float
        The angle, counterclockwise seen against the axis; one of the two.
    start : pose, optional
        The pose of the body at time 0; the origin if left out. `Scene.add` also takes it as ``pose``.

    Examples
    --------
    Three quarters of a turn about the vertical line through (1, 0, 0).

    >>> import firsttouch as ft
    >>> ft.Turn([0, 0, 1], [1, 0, 0], degrees=270).pose_at(1.0)[:3, 3].round(12)
    array([1., 1., 0.])
    """

    __slots__ = ("axis", "point", "radians", "start")

    def __init__(
        self,
        axis: ArrayLike,
        point: ArrayLike = (0.0, 0.0, 0.0),
        *,
        degrees: float | None = None,
        radians: float | None = None,
        start: PoseLike | None = None,
    ) -> None:
        if (degrees is None) == (radians is None):
            raise ValueError("a turn takes its angle in degrees or in radians, one of the two")
        self.axis = vector(axis, 3, "axis")
        self.point = vector(point, 3, "point")
        self.radians = math.radians(number(degrees, "degrees")) if radians is None else number(radians, "radians")
        self.start = None if start is None else Pose.of(start)
        start_numbers = (self.start or IDENTITY)._numbers
        self._core = _core.Motion.turn(start_numbers, self.axis, self.point, self.radians)

    @property
    def degrees(self) -> float:
        """The angle in degrees."""
        return math.degrees(self.radians)

    def _starting_at(self, start: Any) -> Turn:
        return Turn(self.axis, self.point, radians=self.radians, start=start)

    def _arguments(self) -> tuple[Any, ...]:
        return (self.axis, self.point, self.radians, self.start)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_turn, self._arguments())

    def __repr__(self) -> str:
        start = "" if self.start is None else f", start={self.start!r}"
        return f"Turn({list(self.axis)}, {list(self.point)}, radians={self.radians!r}{start})"


def _turn(axis: Any, point: Any, radians: float, start: Pose | None) -> Turn:
    return Turn(axis, point, radians=radians, start=start)


class Spline(Motion):
    """A smooth motion through poses: velocity and acceleration are continuous.

    Parameters
    ----------
    keyframes : iterable of (float, pose)
        Times, which increase, and where the body is then. It turns the shorter way between two poses.
    duration : float, optional
        The whole time, in the unit of the keyframes: the body waits before the first of them and after the last.
        Without it the first is the start of the motion and the last its end.

    Examples
    --------
    Up and down: 1 in the middle, and 11/16 at a quarter, as the natural spline through 0, 1, 0 has it.

    >>> import firsttouch as ft
    >>> hill = ft.Spline([(0, ft.Pose([0, 0, 0])), (2, ft.Pose([1, 0, 1])), (4, ft.Pose([2, 0, 0]))])
    >>> hill.pose_at(0.25)[2, 3]
    np.float64(0.6875)
    """

    __slots__ = ("duration", "keyframes")

    def __init__(self, keyframes: Iterable[tuple[float, PoseLike]], duration: float | None = None) -> None:
        self.keyframes = tuple(_keyframe(k, given) for k, given in enumerate(keyframes))
        self.duration = None if duration is None else number(duration, "duration")
        if not self.keyframes:
            raise ValueError("a spline needs at least two keyframes")
        numbers = [(t, pose._numbers) for t, pose in self.keyframes]
        self._core = _core.Motion.spline(numbers, self.duration)

    def _arguments(self) -> tuple[Any, ...]:
        return (self.keyframes, self.duration)


def _keyframe(k: int, given: Any) -> tuple[float, Pose]:
    try:
        t, pose = given
    except (TypeError, ValueError):
        raise ValueError(f"keyframe {k} must be a time and a pose, not {given!r}") from None
    return number(t, f"time of keyframe {k}"), Pose.of(pose)


class Leg(NamedTuple):
    """A leg of a `Path`: the motion from the end of the leg before it.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Leg(3.0, ft.Pose([2, 0, 0]))                        # straight, until the time 3
    Leg(until=3.0, to=Pose([2.0, 0.0, 0.0], quat_wxyz=[1.0, 0.0, 0.0, 0.0]), by='linear')
    >>> turning = ft.Leg(1.0, by=ft.Turn([0, 0, 1], degrees=90))
    >>> waiting = ft.Leg(4.0, by="hold")
    """

    until: float
    """The time at which it ends."""
    to: PoseLike | None = None
    """The pose at which it ends, for ``"linear"`` and ``"screw"``."""
    by: Literal["linear", "screw", "hold"] | Turn | Spline = "linear"
    """``"linear"`` and ``"screw"`` are as `Linear` and `Screw`. A `Turn` begins where the body is and has no start of
    its own; a `Spline` must begin where the body is, and only the ratios of its times count."""

    def _checked(self, k: int) -> Leg:
        until = number(self.until, f"end of leg {k}")
        if self.by in ("linear", "screw"):
            if self.to is None:
                raise ValueError(f"leg {k} needs a pose at its end")
            return Leg(until, Pose.of(self.to), self.by)
        if self.to is not None:
            raise ValueError(f"leg {k} takes no pose: where it ends follows from how it moves")
        if isinstance(self.by, Turn) and self.by.start is not None:
            raise ValueError(f"leg {k} is a turn with a start, but it starts where the leg before ends")
        return Leg(until, None, self.by)

    def _numbers(self) -> tuple[float, str, list[float]]:
        if isinstance(self.by, Turn):
            return (self.until, "turn", [*self.by.axis, *self.by.point, self.by.radians])
        if isinstance(self.by, Spline):
            return (self.until, "spline", [x for t, pose in self.by.keyframes for x in (t, *pose._numbers)])
        return (self.until, str(self.by), [] if self.to is None else list(Pose.of(self.to)._numbers))


class Path(Motion):
    """One leg after another.

    Parameters
    ----------
    start : pose
        The pose of the body at time 0.
    legs : iterable of Leg or (float, pose)
        The legs, in order. A time and a pose are a straight leg.
    duration : float, optional
        The whole time, in the unit of the legs; the body waits after the last. The end of the last leg if left out.

    Examples
    --------
    A door opens by a quarter turn about its hinge, slides by 2, and waits.

    >>> import firsttouch as ft
    >>> quarter = ft.Leg(1.0, by=ft.Turn([0, 0, 1], [1, 0, 0], degrees=90))
    >>> slide = ft.Leg(3.0, ft.Pose([3, -1, 0], quat_wxyz=[1, 0, 0, 1]))
    >>> door = ft.Path(ft.Pose(), [quarter, slide], duration=4.0)
    >>> door.pose_at(0.5)[:3, 3].round(12)                     # halfway of the slide
    array([ 2., -1.,  0.])
    """

    __slots__ = ("duration", "legs", "start")

    def __init__(self, start: PoseLike, legs: Iterable[Leg | tuple[float, PoseLike]], duration: float | None = None) -> None:
        self.start = Pose.of(start)
        self.legs = tuple(_leg(k, given)._checked(k) for k, given in enumerate(legs))
        if not self.legs:
            raise ValueError("a path needs a leg")
        self.duration = self.legs[-1].until if duration is None else number(duration, "duration")
        numbers = [leg._numbers() for leg in self.legs]
        self._core = _core.Motion.path(self.start._numbers, numbers, self.duration)

    def _arguments(self) -> tuple[Any, ...]:
        return (self.start, self.legs, self.duration)


def _leg(k: int, given: Any) -> Leg:
    if isinstance(given, Leg):
        return given
    try:
        until, to = given
    except (TypeError, ValueError):
        raise ValueError(f"leg {k} must be a Leg, or a time and a pose, not {given!r}") from None
    return Leg(until, to)


class Within(Motion):
    """A motion in a frame that moves itself. `Scene.add` with a ``parent`` makes it.

    Parameters
    ----------
    frame : Motion
        The motion of the frame.
    motion : Motion
        The motion of the body in the frame.

    Examples
    --------
    >>> import firsttouch as ft
    >>> up = ft.Linear(ft.Pose(), ft.Pose([0, 0, 1]))
    >>> along = ft.Linear(ft.Pose(), ft.Pose([2, 0, 0]))
    >>> ft.Within(up, along).pose_at(0.5)[:3, 3]
    array([1. , 0. , 0.5])
    """

    __slots__ = ("frame", "motion")

    def __init__(self, frame: Motion, motion: Motion) -> None:
        self.frame, self.motion = motion_of(frame, None), motion_of(motion, None)
        self._core = self.motion._core.within(self.frame._core)

    def _arguments(self) -> tuple[Any, ...]:
        return (self.frame, self.motion)


def _rows(value: Any, width: int, what: str) -> tuple[Any, ...]:
    array = floats(value, what)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{what} must have the shape (K, {width}), but has {array.shape}")
    return tuple(tuple(row) for row in array.tolist())


class OpaqueMotion(Motion):
    """A motion from a file, of a kind that has no class of its own here. It can be checked, but not pickled."""

    __slots__ = ()

    def __init__(self, core: _core.Motion) -> None:
        self._core = core

    def __repr__(self) -> str:
        return f"<motion of the kind \"{self.kind}\">"


def _leg_of_file(until: float, by: str, numbers: list[float]) -> Leg:
    if by == "turn":
        return Leg(until, by=Turn(numbers[:3], numbers[3:6], radians=numbers[6]))
    if by == "hold":
        return Leg(until, by="hold")
    return Leg(until, _pose(numbers), "screw" if by == "screw" else "linear")


_pose = Pose._of_numbers

# The Python constructor for each kind of motion in a file.
_OF_FILE: dict[str, Callable[..., Motion]] = {
    "fixed": lambda at: Fixed(_pose(at)),
    "linear": lambda start, end: Linear(_pose(start), _pose(end)),
    "screw": lambda start, end: Screw(_pose(start), _pose(end)),
    "contact_screw": lambda start, end: ContactScrew(_pose(start), _pose(end)),
    "rational": Rational,
    "turn": lambda start, turn: Turn(turn[:3], turn[3:6], radians=turn[6], start=_pose(start)),
    "path": lambda start, legs, duration: Path(_pose(start), [_leg_of_file(*leg) for leg in legs], duration),
    "spline": lambda keyframes, duration: Spline([(t, _pose(at)) for t, at in keyframes], duration),
}


def of_file(core: _core.Motion, recipe: tuple[str, tuple[Any, ...]] | None) -> Motion:
    """Returns the Python object for a motion of a scene file, made from its description in the file."""
    if recipe is None:
        return OpaqueMotion(core)
    kind, arguments = recipe
    return _OF_FILE[kind](*arguments)


def motion_of(motion: Any, pose: PoseLike | None) -> Motion:
    """Returns the motion of a body that was given a motion, a pose, or neither."""
    if pose is not None and isinstance(motion, Turn) and motion.start is None:
        return motion._starting_at(pose)
    if motion is not None and pose is not None:
        raise ValueError("a body has a motion or a pose, not both")
    if motion is None:
        return Fixed(pose)
    if isinstance(motion, Motion):
        return motion
    raise ValueError(f"a motion is needed (Fixed, Linear, Screw, ...), not {type(motion).__name__}")
