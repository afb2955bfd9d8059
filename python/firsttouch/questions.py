"""What queries beyond the first touch return: least distances, contacts, derivatives, and how far a goal may be
changed."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ._arrays import Floats

Degenerate: TypeAlias = Literal["at_start", "grazing", "several_features", "half_turn", "degenerate"]


class _Plain:
    """Base class for fields that are numbers, texts and arrays. Instances are compared by their contents, and shown
    field by field."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        from ._html import table

        rows = [(field.name, getattr(self, field.name)) for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return table(type(self).__name__, [(name, value) for name, value in rows if value is not None])


@dataclass(frozen=True, slots=True, eq=False)
class Clearance(_Plain):
    """The least distance over a span of time, proven from both sides.

    No two bodies are ever closer than `lower`, and at `t` two bodies are at most `upper` apart. If the budget is spent,
    `is_tight` is false, and both bounds still hold.
    """

    lower: float
    """No two bodies are ever closer than this."""
    upper: float
    """At `t` the two are at most this far apart."""
    t: float
    """When they are."""
    names: tuple[str, str] | None
    """The two bodies that are closest."""
    parts: tuple[str, str]
    """The part of each: ``"solid"``, ``"tri 7"``, or the name of a link."""
    part_paths: tuple[str, str]
    """The same, with the shape and the triangle of a link."""
    features: tuple[str, str]
    """The feature of each part."""
    points: Floats
    """The closest point on each side, of shape (2, 3)."""
    normal: Floats
    """The unit normal from the first body to the second."""
    is_tight: bool = True
    """True if ``upper - lower`` is at most the tolerance."""
    segment: int | None = None
    """The segment of a path; None elsewhere."""


@dataclass(frozen=True, slots=True, eq=False)
class Contact(_Plain):
    """One of all contacts at an instant."""

    names: tuple[str, str] | None
    """The two bodies."""
    parts: tuple[str, str]
    """The part of each: ``"solid"``, ``"tri 7"``, or the name of a link."""
    part_paths: tuple[str, str]
    """The same, with the shape and the triangle of a link."""
    features: tuple[str, str]
    """The feature of each part."""
    points: Floats
    """The point on each side, of shape (2, 3)."""
    normal: Floats
    """The unit normal from the first body to the second."""
    gap: float
    """The distance of the two points along the normal; 0 where the bodies overlap."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseGradient(_Plain):
    """Derivatives by a pose."""

    translation: Floats
    """By the place of the body's origin."""
    rotation: Floats
    """By a rotation vector, in radians, about the body's origin and the axes of the world."""


@dataclass(frozen=True, slots=True, eq=False)
class MotionGradient(_Plain):
    """Derivatives by the data that define the motion of one body. Fields that do not apply are None; for a motion
    without such data all are None."""

    start: PoseGradient | None = None
    """A rigid body at rest, in a linear motion or on a screw: by its pose at the start. The derivative by the pose of a
    body at rest is the sum of both."""
    end: PoseGradient | None = None
    """By its pose at the end."""
    q0: Floats | None = None
    """A robot, or an object that it holds: by its configuration at the start."""
    q1: Floats | None = None
    """By its configuration at the end."""
    shift: Floats | None = None
    """A robot on a trajectory, or an object that it holds: by a shift of its configuration at that time."""
    lay: PoseGradient | None = None
    """A body that a robot on a trajectory holds: by the pose at which it lay before the robot took it up."""
    vertices: npt.NDArray[np.int64] | None = None
    """A deforming mesh: the vertices that matter."""
    V0: Floats | None = None
    """By their places at the start, a row for each."""
    V1: Floats | None = None
    """By their places at the end."""


@dataclass(frozen=True, slots=True, eq=False)
class Gradient(_Plain):
    """Derivatives of a time of contact, or of a least distance, by the motions of two bodies. They are computed, not
    proven."""

    value: float
    """The time of contact, or the least distance."""
    names: tuple[str, str] | None
    """The two bodies."""
    bodies: tuple[MotionGradient, MotionGradient]
    """For each of them."""
    degenerate: Degenerate | None
    """The reason why there is no derivative: they touch at the start, they only graze, or several features touch, or
    are closest, at once or at several times, or a body turns by half a turn. It is None if there is a derivative."""

    def __getitem__(self, name: str) -> MotionGradient:
        if self.names is None or name not in self.names:
            raise KeyError(name)
        return self.bodies[self.names.index(name)]


@dataclass(frozen=True, slots=True, eq=False)
class StepGradient(_Plain):
    """Derivatives of the time of contact on the way of a robot. They are computed, not proven."""

    toi: float
    """The time of contact."""
    q0: Floats
    """By the configuration at the start."""
    q1: Floats
    """By the configuration at the end."""
    degenerate: Degenerate | None
    """The reason why there is no derivative; None if there is a derivative."""


@dataclass(frozen=True, slots=True, eq=False)
class CourseGradient(_Plain):
    """Derivatives of the time of contact along a trajectory of a robot. They are computed, not proven."""

    segment: int
    """The segment of the first touch."""
    toi: float
    """The time of contact in that segment, from 0 to 1."""
    shift: Floats
    """By a shift of the configuration at that time, one number per joint."""
    degenerate: Degenerate | None
    """The reason why there is no derivative; None if there is a derivative."""


@dataclass(frozen=True, slots=True, eq=False)
class SafeScale(_Plain):
    """The part of a change of a goal that is proven safe."""

    scale: float
    """Free for every part of the change from 0 up to, and including, this; 0 if it is not free without a change."""
    is_free: bool
    """True if the motion without a change is proven free."""
    clearance: Clearance | None
    """The least distance at that scale; None if there is nothing to measure."""
    steps: int
    """The number of motions that were measured."""


@dataclass(frozen=True, slots=True, eq=False)
class Penetration(_Plain):
    """A translation that takes two bodies apart."""

    upper: float
    """Moving the second body by this along `normal` takes them apart: an upper bound of the depth; 0 if they are
    apart."""
    normal: Floats
    """The unit direction to move the second body in."""


def clearance_of(raw: dict[str, Any] | None) -> Clearance | None:
    """The object for a dictionary of the core."""
    return None if raw is None else Clearance(**raw)


def gradient_of(raw: dict[str, Any] | None) -> Gradient | None:
    """The object for a dictionary of the core."""
    if raw is None:
        return None
    first, second = (_motion_gradient(body) for body in raw["bodies"])
    return Gradient(raw["value"], raw["names"], (first, second), raw["degenerate"])


def _motion_gradient(raw: dict[str, Any]) -> MotionGradient:
    fields: dict[str, Any] = dict(raw)
    fields.update({end: PoseGradient(*raw[end]) for end in ("start", "end", "lay") if end in raw})
    return MotionGradient(**fields)


def safe_scale_of(raw: dict[str, Any]) -> SafeScale:
    """The object for a dictionary of the core."""
    return SafeScale(raw["scale"], raw["is_free"], clearance_of(raw["clearance"]), raw["steps"])
