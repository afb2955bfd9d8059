"""Ellipsoids by algebra: their relation at rest, and all their times of overlap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import _core
from ._arrays import Floats, number
from ._arrays import points as _points
from ._types import ArrayLike, MotionLike, PoseLike, ShapeLike
from .answer import Overlap
from .motions import Motion, motion_of
from .pose import Pose
from .shapes import Ellipsoid, of_core, shape_of


class ContactPoint(NamedTuple):
    """The point at which two ellipsoids touch, or would touch if both were scaled about their centres. It is computed,
    not proven."""

    point: Floats
    """The point, of shape (3,)."""
    normal: Floats
    """The unit normal from the first to the second."""
    ratio: float
    """The factor of scaling: below 1 if they overlap, above 1 if they are apart."""


def contact_at(
    shape_a: ShapeLike, motion_a: MotionLike, shape_b: ShapeLike, motion_b: MotionLike, t: float
) -> ContactPoint | None:
    """Returns the point of contact at a time of contact, for example an end of an `Overlap`, or None if the centres
    coincide.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ball = ft.Ellipsoid([1, 1, 1])
    >>> flying = ft.Rational.between(ft.Pose([-4, 0, 0]), ft.Pose([0, 0, 0]))
    >>> contact = ft.ellipsoids.contact_at(ball, flying, ball, ft.Fixed(), 0.5)
    >>> contact.point.round(9).tolist(), contact.normal.round(9).tolist(), round(contact.ratio, 9)
    ([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 1.0)
    """
    m, n = _motion(motion_a), _motion(motion_b)
    found = _core.contact_at(shape_of(shape_a)._core, m._core, shape_of(shape_b)._core, n._core, number(t, "t"))
    return None if found is None else ContactPoint(np.array(found[0]), np.array(found[1]), found[2])


def overlap_intervals(
    shape_a: ShapeLike, motion_a: MotionLike, shape_b: ShapeLike, motion_b: MotionLike
) -> list[Overlap]:
    """Returns all times at which two moving ellipsoids touch or overlap. At all times between the intervals they are
    proven separate.

    Parameters
    ----------
    shape_a, shape_b : Ellipsoid
    motion_a, motion_b : Rational, Fixed or pose

    Examples
    --------
    Two balls of radius 1, one of which flies from x = -10 to x = 10: they overlap while it is between -2 and 2.

    >>> import firsttouch as ft
    >>> ball = ft.Ellipsoid([1, 1, 1])
    >>> flying = ft.Rational.between(ft.Pose([-10, 0, 0]), ft.Pose([10, 0, 0]))
    >>> [overlap] = ft.ellipsoids.overlap_intervals(ball, flying, ball, ft.Fixed())
    >>> round(overlap.start[0], 9), round(overlap.end[1], 9), overlap.certain
    (0.4, 0.6, True)
    """
    m, n = _motion(motion_a), _motion(motion_b)
    found = _core.overlap_intervals(shape_of(shape_a)._core, m._core, shape_of(shape_b)._core, n._core)
    return [Overlap(*overlap) for overlap in found]


def relation(shape_a: ShapeLike, pose_a: PoseLike, shape_b: ShapeLike, pose_b: PoseLike) -> str:
    """Decides exactly if two ellipsoids at rest are "separate", "touching" or "overlapping".

    Examples
    --------
    >>> import firsttouch as ft
    >>> ball = ft.Ellipsoid([1, 1, 1])
    >>> ft.ellipsoids.relation(ball, ft.Pose(), ball, ft.Pose([2, 0, 0]))
    'touching'
    """
    a, b = Pose.of(pose_a)._numbers, Pose.of(pose_b)._numbers
    return _core.relation(shape_of(shape_a)._core, a, shape_of(shape_b)._core, b)


def enclosing(points: ArrayLike) -> tuple[Ellipsoid, Pose]:
    """Returns a small ellipsoid around points, of shape (N, 3), and its pose.

    Examples
    --------
    >>> import itertools, firsttouch as ft
    >>> ellipsoid, pose = ft.ellipsoids.enclosing(list(itertools.product([-1, 1], repeat=3)))
    >>> [round(a, 3) for a in ellipsoid.semi_axes.tolist()]
    [1.732, 1.732, 1.732]
    """
    core, numbers = _core.enclosing(_points(points, "points"))
    shape = of_core(core)
    assert isinstance(shape, Ellipsoid)
    return shape, Pose._of_numbers(numbers)


def _motion(value: MotionLike) -> Motion:
    return value if isinstance(value, Motion) else motion_of(None, value)
