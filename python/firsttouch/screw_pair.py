"""Two meshes on a contact screw, by the method of CONTACT (2001)."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import number
from ._options import MAX_ITERATIONS, TOLERANCE, Mode
from ._types import PoseLike, ShapeLike
from .answer import Answer
from .pose import IDENTITY, Pose
from .shapes import Mesh, shape_of


class ScrewPair:
    """A moving mesh and one at rest, with their trees of spheres, ready for any number of queries.

    `first_touch` and `Scene.check` take another engine for a mesh on a `ContactScrew`, which was measured to be faster;
    the guarantee is the same. `Scene.decide_by_contact` takes this one for a pair of a scene.

    Parameters
    ----------
    moving, resting : Mesh or trimesh.Trimesh
    leaf_radius : float, optional
        The radius of the leaf spheres of both meshes. If left out, about the size of the smaller triangles.
    labels, edge_edge, vertex_face, face_vertex : bool
        The kinds of tested pairs that are remembered. They change the work, not the answer.

    Examples
    --------
    A triangle flies from z = 2 to z = -2 through another at z = 0.

    >>> import firsttouch as ft
    >>> triangle = ft.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> pair = ft.ScrewPair(triangle, triangle)
    >>> answer = pair.check(ft.Pose([0, 0, 2]), ft.Pose([0, 0, -2]))
    >>> 0.5 - 1e-6 < answer.toi <= 0.5
    True
    """

    __slots__ = ("_core", "_given")

    def __init__(
        self,
        moving: ShapeLike,
        resting: ShapeLike,
        *,
        leaf_radius: float | None = None,
        labels: bool = True,
        edge_edge: bool = True,
        vertex_face: bool = True,
        face_vertex: bool = True,
    ) -> None:
        shapes = shape_of(moving), shape_of(resting)
        for shape in shapes:
            if not isinstance(shape, Mesh):
                raise ValueError(f"a ScrewPair needs two meshes, not {type(shape).__name__}")
        radius = None if leaf_radius is None else number(leaf_radius, "leaf_radius")
        tables = [bool(labels), bool(edge_edge), bool(vertex_face), bool(face_vertex)]
        self._core = _core.ScrewPair(shapes[0]._core, shapes[1]._core, radius, tables)
        self._given = *shapes, radius, *tables

    @property
    def leaf_radius(self) -> float:
        """The radius of the leaf spheres of both trees."""
        return self._core.leaf_radius

    def check(
        self,
        start: PoseLike,
        end: PoseLike,
        at_rest: PoseLike = IDENTITY,
        *,
        mode: Mode = "first",
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        t_max: float = 1.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Answer:
        """Returns the first touch while the moving mesh goes from one pose to another on a `ContactScrew`.

        Parameters
        ----------
        start, end : pose
            The first and the last pose of the moving mesh.
        at_rest : pose
            The pose of the other mesh.
        mode, tolerance, min_separation, t_max, max_iterations
            As for `first_touch`. A contact at time 0 is reported.
        """
        values = (mode, float(tolerance), float(min_separation), float(t_max), int(max_iterations), 1, "report")
        poses = Pose.of(start)._numbers, Pose.of(end)._numbers, Pose.of(at_rest)._numbers
        return Answer(self._core.check(*poses, values))

    def check_relative(
        self,
        first: tuple[Any, Any],
        second: tuple[Any, Any],
        *,
        mode: Mode = "first",
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        t_max: float = 1.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Answer:
        """Returns the first touch of two moving meshes, each given by its first and its last pose.

        The motion of the first relative to the second is the contact screw between its first and last pose in the
        second one's frame, and the points and the normal of a touch are in that frame. A third body would see another
        motion.
        """
        values = (mode, float(tolerance), float(min_separation), float(t_max), int(max_iterations), 1, "report")
        if len(first) != 2 or len(second) != 2:
            raise ValueError("a first and a last pose are needed for each mesh")
        ends = [[Pose.of(pose)._numbers for pose in poses] for poses in (first, second)]
        return Answer(self._core.check_relative(ends[0], ends[1], values))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, self._given)

    def __repr__(self) -> str:
        return f"ScrewPair({self._given[0]!r}, {self._given[1]!r}, leaf_radius={self._given[2]!r})"


def _rebuilt(moving: Any, resting: Any, radius: float | None, *tables: bool) -> ScrewPair:
    names = "labels", "edge_edge", "vertex_face", "face_vertex"
    return ScrewPair(moving, resting, leaf_radius=radius, **dict(zip(names, tables, strict=True)))
