"""Two shapes, in motion or at rest, without a scene."""

from __future__ import annotations

from . import _core
from ._options import MAX_ITERATIONS, TOLERANCE, Mode, Start
from ._types import MotionLike, PoseLike, ShapeLike
from .answer import Answer
from .motions import Motion, motion_of
from .questions import Clearance, Contact
from .scene import Scene
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
    """Returns the first touch of two shapes in motion.

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
        The number of steps that a pair of pieces may take before the answer is undecided.
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


def distance(
    shape_a: ShapeLike, pose_a: PoseLike, shape_b: ShapeLike, pose_b: PoseLike, *, max_iterations: int = MAX_ITERATIONS
) -> Clearance:
    """Returns the distance of two shapes at rest, bounded from both sides as exactly as rounding allows; 0 if they
    overlap.

    Examples
    --------
    A ball of radius 1 whose centre is 5 above the top of a slab.

    >>> import firsttouch as ft
    >>> found = ft.distance(ft.Sphere(1), ft.Pose([0, 0, 6]), ft.Box([8, 8, 2]), ft.Pose())
    >>> found.lower <= 4 <= found.upper, round(found.upper, 9)
    (True, 4.0)
    """
    found = _at_rest(shape_a, pose_a, shape_b, pose_b).distance_at(0.0, max_iterations=max_iterations)
    assert found is not None, "there are two bodies"
    return found


def intersects(
    shape_a: ShapeLike,
    pose_a: PoseLike,
    shape_b: ShapeLike,
    pose_b: PoseLike,
    *,
    tolerance: float = TOLERANCE,
    min_separation: float = 0.0,
    max_iterations: int = MAX_ITERATIONS,
) -> bool:
    """Returns False if two shapes at rest are proven farther apart than `min_separation`.

    Returns True if they come within ``min_separation + tolerance``, and also if the budget is spent before they are
    proven apart.

    Examples
    --------
    Two balls of radius 1 touch if their centres are at most 2 apart.

    >>> import firsttouch as ft
    >>> ball = ft.Sphere(1)
    >>> [ft.intersects(ball, ft.Pose(), ball, ft.Pose([x, 0, 0])) for x in (1.9, 2.1)]
    [True, False]
    """
    scene = _at_rest(shape_a, pose_a, shape_b, pose_b)
    answer = scene.check(
        mode="any", tolerance=tolerance, min_separation=min_separation, max_iterations=max_iterations
    )
    return not answer.is_free


def contacts(
    shape_a: ShapeLike,
    pose_a: PoseLike,
    shape_b: ShapeLike,
    pose_b: PoseLike,
    *,
    tolerance: float = TOLERANCE,
    min_separation: float = 0.0,
) -> list[Contact]:
    """Returns all contacts of two shapes at rest within ``min_separation + tolerance``, or none if they are farther
    apart.

    Examples
    --------
    A cube of side 2 stands on a slab whose top is at z = 0: four contacts, one at each lower corner.

    >>> import firsttouch as ft
    >>> len(ft.contacts(ft.Box([2, 2, 2]), ft.Pose([0, 0, 1]), ft.Box([8, 8, 2]), ft.Pose([0, 0, -1])))
    4
    """
    scene = _at_rest(shape_a, pose_a, shape_b, pose_b)
    return scene.contacts(0.0, tolerance=tolerance, min_separation=min_separation)


def _at_rest(shape_a: ShapeLike, pose_a: PoseLike, shape_b: ShapeLike, pose_b: PoseLike) -> Scene:
    scene = Scene()
    scene.add("a", shape_a, pose=pose_a)
    scene.add("b", shape_b, pose=pose_b)
    return scene
