"""Motions of rigid bodies over the time from 0 to 1.

A motion that the core learns gets a class here with its constructor's arguments as attributes, an entry in ``_BY_KIND``, and a row in
``recipe`` of ``src/load.rs``; then it can be made, loaded, changed and pickled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import Floats, floats
from .pose import Pose


class Motion:
    """What all motions have in common. Motions do not change."""

    __slots__ = ("_core",)
    _core: _core.Motion

    @property
    def kind(self) -> str:
        """The kind, in one word, as scene files spell it."""
        return self._core.kind

    def pose_at(self, t: float) -> Floats:
        """The homogeneous matrix at a time from 0 to 1, of shape (4, 4)."""
        return np.array(self._core.pose_at(float(t)))

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

    def __init__(self, pose: Any = None) -> None:
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

    def __init__(self, start: Any, end: Any) -> None:
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

    def __init__(self, start: Any, end: Any) -> None:
        self.start, self.end = Pose.of(start), Pose.of(end)
        self._core = _core.Motion.screw(self.start._numbers, self.end._numbers)


class ContactScrew(_Between):
    """The same screw, with the timing that makes contact equations rational."""

    __slots__ = ()

    def __init__(self, start: Any, end: Any) -> None:
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

    def __init__(self, quat_wxyz: Any, xyz: Any, weight: Any = (1.0,)) -> None:
        self.quat_wxyz = _rows(quat_wxyz, 4, "quat_wxyz")
        self.xyz = _rows(xyz, 3, "xyz")
        self.weight = tuple(floats(weight, "weight").reshape(-1).tolist())
        self._core = _core.Motion.rational(list(self.quat_wxyz), list(self.xyz), list(self.weight))

    @classmethod
    def between(cls, start: Any, end: Any) -> Rational:
        """The quaternion and the origin interpolated linearly, the shorter way round."""
        a, b = Pose.of(start), Pose.of(end)
        q0, q1 = (q / np.linalg.norm(q) for q in (a.quat_wxyz, b.quat_wxyz))
        if q0 @ q1 < 0:
            q1 = -q1
        return cls([q0, q1 - q0], [a.xyz, b.xyz - a.xyz])

    def _arguments(self) -> tuple[Any, ...]:
        return (self.quat_wxyz, self.xyz, self.weight)


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


_BY_KIND: dict[str, type[Motion]] = {
    "fixed": Fixed,
    "linear": Linear,
    "screw": Screw,
    "contact_screw": ContactScrew,
    "rational": Rational,
}


def of_file(core: _core.Motion, poses: list[Any], rational: tuple[Any, Any, Any]) -> Motion:
    """The Python object for a motion of a scene file, from what the file says."""
    kind = _BY_KIND.get(core.kind)
    if kind is Rational and rational[0]:
        return Rational(*rational)
    if kind is None or not poses:
        return OpaqueMotion(core)
    return kind(*map(Pose._of_numbers, poses))


def motion_of(motion: Any, pose: Any) -> Motion:
    """The motion of a body that was given a motion, a pose, or neither."""
    if motion is not None and pose is not None:
        raise ValueError("a body has a motion or a pose, not both")
    if motion is None:
        return Fixed(pose)
    if isinstance(motion, Motion):
        return motion
    raise ValueError(f"a motion is needed (Fixed, Linear, Screw, ...), not {type(motion).__name__}")
