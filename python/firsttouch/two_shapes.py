"""Two shapes in motion, without a scene."""

from __future__ import annotations

from . import _core
from ._options import MAX_ITERATIONS, TOLERANCE, Mode, Start
from ._types import MotionLike, ShapeLike
from .answer import Answer
from .motions import Motion, motion_of
from .shapes import Shape, shape_of


def first_touch(
    shape_a: ShapeLike,
    motion_a: MotionLike,
    shape_b: ShapeLike,
    motion_b: MotionLike,
    *,
    mode: Mode = "first",
    tolerance: float = TOLERANCE,
    min_separation: float = 0.0,
    t_max: float = 1.0,
    max_iterations: int = MAX_ITERATIONS,
    start: Start = "report",
) -> Answer:
    """The first touch of two shapes in motion.

    Parameters
    ----------
    shape_a, shape_b : Shape or trimesh.Trimesh
    motion_a, motion_b : Motion or pose
        A pose is a body at rest.
    mode : {"first", "any", "all"}
        "any" ends with any touch; "all" is the same as "first" here.
    tolerance : float
        At the time of impact the gap is at most ``min_separation + tolerance``.
    min_separation : float
        Shapes closer than this touch.
    t_max : float
        The end of the time to check, at most 1.
    max_iterations : int
        How many steps a pair of pieces may take before the answer is undecided.
    start : {"report", "ignore"}
        What to do about a contact at time 0.

    Returns
    -------
    Answer

    Examples
    --------
    A ball of radius 1 falls from z = 10 to z = 0 onto a slab whose top is at z = 1: they touch when it is at z = 2.

    >>> import firsttouch as ft
    >>> falling = ft.Linear(ft.Pose([0, 0, 10]), ft.Pose([0, 0, 0]))
    >>> answer = ft.first_touch(ft.Sphere(1), falling, ft.Box([8, 8, 2]), ft.Fixed())
    >>> 0.8 - 1e-6 < answer.toi <= 0.8
    True
    """
    a = shape_a if isinstance(shape_a, Shape) else shape_of(shape_a)
    b = shape_b if isinstance(shape_b, Shape) else shape_of(shape_b)
    m = motion_a if isinstance(motion_a, Motion) else motion_of(None, motion_a)
    n = motion_b if isinstance(motion_b, Motion) else motion_of(None, motion_b)
    try:
        values = (mode, tolerance, min_separation, t_max, max_iterations, 1, start)
        return Answer(_core.first_touch(a._core, m._core, b._core, n._core, values))
    except (TypeError, OverflowError) as error:
        raise ValueError(f"an option has the wrong type: {error}") from None
