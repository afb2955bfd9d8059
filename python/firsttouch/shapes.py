"""Shapes: geometry at rest, each in its own frame.

Boxes, spheres, capsules, cylinders, cones, ellipsoids, hulls and half-spaces are solids. A mesh is a surface: a body
inside a closed one touches it only if the mesh is made solid. Point clouds are balls, octrees are boxes, and a height
field is a surface.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np

from . import _core
from ._arrays import Floats, Indices, floats, indices, number, vector
from ._arrays import points as point_rows
from ._errors import wrong_type
from ._types import ArrayLike, PoseLike, ShapeLike, SupportsMesh
from .pose import IDENTITY, Pose


class Shape:
    """The base class of all shapes. Shapes are immutable; many bodies can share one."""

    __slots__ = ("_core",)
    _core: _core.Shape

    @property
    def kind(self) -> str:
        """The kind, in one word, as scene files spell it."""
        return self._core.kind

    @property
    def bounds(self) -> Floats:
        """The lower and the upper corner of the box around it, of shape (2, 3), rounded outwards."""
        return self._core.bounds

    def __copy__(self) -> Shape:
        return self

    def __deepcopy__(self, memo: object) -> Shape:
        return self

    def _parameters(self) -> tuple[Any, ...]:
        return tuple(self._core.parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self._parameters())

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Shape):
            return NotImplemented
        ours, theirs = self._parameters(), other._parameters()
        return self.kind == other.kind and all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))

    def __hash__(self) -> int:
        return hash((self.kind, tuple(self._core.parameters), self._core.counts))

    def __repr__(self) -> str:
        shown = (list(value) if isinstance(value, tuple) else value for value in self._parameters())
        return f"{type(self).__name__}({', '.join(map(repr, shown))})"

    def _repr_html_(self) -> str:
        from ._html import escape

        return f"<code>{escape(repr(self))}</code>"


class _Extended(Shape):
    """A solid that is given by three lengths."""

    __slots__ = ()

    def _lengths(self) -> Floats:
        return np.array(self._core.parameters)

    def _parameters(self) -> tuple[Any, ...]:
        return (self._core.parameters,)


class Box(_Extended):
    """A solid box about the origin.

    Parameters
    ----------
    sides : array_like of 3 numbers
        The full side lengths along x, y and z.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Box([2, 4, 6]).bounds
    array([[-1., -2., -3.],
           [ 1.,  2.,  3.]])
    """

    __slots__ = ()

    def __init__(self, sides: ArrayLike) -> None:
        x, y, z = vector(sides, 3, "box sides")
        self._core = _core.Shape.cuboid((x, y, z))

    @property
    def sides(self) -> Floats:
        """The full side lengths."""
        return self._lengths()


class _Round(Shape):
    """A solid of revolution: its first parameter is a radius."""

    __slots__ = ()

    @property
    def radius(self) -> float:
        """The radius."""
        return self._core.parameters[0]


class _Long(_Round):
    """A solid of revolution along z: its second parameter is a length."""

    __slots__ = ()

    @property
    def length(self) -> float:
        """The length along z; of a capsule, that of the segment between the centres of its caps."""
        return self._core.parameters[1]


class Sphere(_Round):
    """A solid ball about the origin.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Sphere(0.5)
    Sphere(0.5)
    >>> ft.Sphere(-1)
    Traceback (most recent call last):
    ...
    ValueError: sphere radius must be positive, but is -1
    """

    __slots__ = ()

    def __init__(self, radius: float) -> None:
        self._core = _core.Shape.sphere(number(radius, "sphere radius"))


class Capsule(_Long):
    """A solid capsule along z about the origin.

    Parameters
    ----------
    radius : float
        Of the tube and its caps.
    length : float
        Of the segment between the centres of the caps.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Capsule(1, 2).bounds[1]
    array([1., 1., 2.])
    """

    __slots__ = ()

    def __init__(self, radius: float, length: float) -> None:
        self._core = _core.Shape.capsule(number(radius, "capsule radius"), number(length, "capsule length"))


class Cylinder(_Long):
    """A solid cylinder along z about the origin.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Cylinder(radius=1, length=2).bounds[1]
    array([1., 1., 1.])
    """

    __slots__ = ()

    def __init__(self, radius: float, length: float) -> None:
        self._core = _core.Shape.cylinder(number(radius, "cylinder radius"), number(length, "cylinder length"))


class Cone(_Long):
    """A solid cone along z: the tip at z = length / 2, the base at z = -length / 2.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Cone(radius=1, length=4).bounds[1]
    array([1., 1., 2.])
    """

    __slots__ = ()

    def __init__(self, radius: float, length: float) -> None:
        self._core = _core.Shape.cone(number(radius, "cone radius"), number(length, "cone length"))


class HalfSpace(Shape):
    """Everything on one side of a plane: where ``normal @ x <= offset``, for a normal of unit length.

    Parameters
    ----------
    normal : array_like of 3 numbers
        The direction out of it; of any length but zero.
    offset : float
        The distance of the plane from the origin, along the normal.

    Examples
    --------
    A ball of radius 1 falls from z = 10 to z = 0 onto the floor z = 1.

    >>> import firsttouch as ft
    >>> falling = ft.Linear(ft.Pose([0, 0, 10]), ft.Pose([0, 0, 0]))
    >>> round(ft.first_touch(ft.Sphere(1), falling, ft.HalfSpace([0, 0, 1], 1), ft.Fixed()).toi, 5)
    0.8
    """

    __slots__ = ("normal", "offset")

    def __init__(self, normal: ArrayLike, offset: float = 0.0) -> None:
        self.normal = vector(normal, 3, "normal")
        self.offset = number(offset, "offset")
        self._core = _core.Shape.half_space(self.normal, self.offset)

    def _parameters(self) -> tuple[Any, ...]:
        return (self.normal, self.offset)


class Ellipsoid(_Extended):
    """A solid ellipsoid about the origin.

    Parameters
    ----------
    semi_axes : array_like of 3 numbers
        Half its extents along x, y and z.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Ellipsoid([1, 2, 3]).semi_axes
    array([1., 2., 3.])
    """

    __slots__ = ()

    def __init__(self, semi_axes: ArrayLike) -> None:
        x, y, z = vector(semi_axes, 3, "semi_axes")
        self._core = _core.Shape.ellipsoid((x, y, z))

    @property
    def semi_axes(self) -> Floats:
        """Half the extents along x, y and z."""
        return self._lengths()


class _Faceted(Shape):
    """The base class of shapes with vertices and triangles."""

    __slots__ = ()

    @property
    def vertices(self) -> Floats:
        """The vertices, of shape (N, 3): a copy. Those of a hull are the points that are corners."""
        vertices = self._core.vertices
        assert vertices is not None
        return vertices

    @property
    def faces(self) -> np.typing.NDArray[np.uint32]:
        """The triangles, of shape (M, 3): a copy."""
        faces = self._core.faces
        assert faces is not None
        return faces

    def _parameters(self) -> tuple[Any, ...]:
        return (self.vertices, self.faces)

    def __hash__(self) -> int:
        return hash((self.kind, self._core.counts))

    def __repr__(self) -> str:
        vertices, faces = self._core.counts
        return f"{type(self).__name__}({vertices} vertices, {faces} faces)"


class Hull(_Faceted):
    """The solid convex hull of points.

    Parameters
    ----------
    points : array_like of shape (N, 3)
        Answers number the corners by their rows here.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]])
    Hull(4 vertices)
    """

    __slots__ = ("_given",)
    _given: Floats | None

    def __init__(self, points: ArrayLike) -> None:
        self._given = point_rows(points, "points").copy()
        self._core = _core.Shape.hull(self._given)

    def _parameters(self) -> tuple[Any, ...]:
        return (self.vertices if self._given is None else self._given,)

    def __repr__(self) -> str:
        return f"Hull({self._core.counts[0]} vertices)"


class Mesh(_Faceted):
    """A surface of triangles. It need be neither closed nor oriented, unless it is solid.

    Parameters
    ----------
    vertices : array_like of shape (N, 3), or a ``trimesh.Trimesh``
    faces : array_like of shape (M, 3) of any integer type
        Three rows of `vertices` for each triangle.
    solid : bool
        True if a body inside also touches it. Refused for a mesh that is not closed.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    Mesh(3 vertices, 1 faces)
    >>> ft.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]])
    Traceback (most recent call last):
    ...
    ValueError: mesh triangle 0 vertex 3 is out of range: there are only 3
    """

    __slots__ = ()

    def __init__(self, vertices: ArrayLike | SupportsMesh, faces: ArrayLike | None = None, *, solid: bool = False) -> None:
        if faces is None:
            if not (hasattr(vertices, "vertices") and hasattr(vertices, "faces")):
                hint = ": a file is read by ft.Mesh.load" if isinstance(vertices, (str, os.PathLike)) else ""
                raise ValueError(f"a mesh needs vertices and faces, or an object that has both{hint}")
            mesh: Any = vertices
            vertices, faces = mesh.vertices, mesh.faces
        make = _core.Shape.solid_mesh if solid else _core.Shape.mesh
        self._core = make(point_rows(vertices, "vertices"), indices(faces, 3, "faces"))

    @property
    def is_solid(self) -> bool:
        """True if a body inside touches it."""
        return self.kind != "mesh"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_mesh, (*self._parameters(), self.is_solid))

    def __repr__(self) -> str:
        plain = super().__repr__()
        return f"{plain[:-1]}, solid)" if self.is_solid else plain

    @classmethod
    def load(cls, path: str | os.PathLike[str], scale: ArrayLike | float = 1.0, *, solid: bool = False) -> Mesh:
        """Reads an OBJ, STL, PLY, OFF, glTF, GLB or COLLADA file.

        Parameters
        ----------
        path : path-like
        scale : float or array_like of 3 numbers
            The vertices are multiplied by it.
        solid : bool
            True if a body inside also touches it.
        """
        vertices, faces = _core.read_mesh(path)
        return cls(vertices * floats(scale, "scale"), faces, solid=solid)


def _mesh(vertices: Any, faces: Any, solid: bool) -> Mesh:
    return Mesh(vertices, faces, solid=solid)


class Points(Shape):
    """A ball about each of many points, as a scanner gives them.

    Parameters
    ----------
    points : array_like of shape (N, 3)
    radius : float
        Of the balls.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Points([[0, 0, 0], [3, 0, 0]], 0.5)
    Points(2 points, 0.5)
    """

    __slots__ = ()

    def __init__(self, points: ArrayLike, radius: float) -> None:
        self._core = _core.Shape.point_cloud(point_rows(points, "points"), number(radius, "radius"))

    @classmethod
    def load(cls, path: str | os.PathLike[str], radius: float, scale: ArrayLike | float = 1.0) -> Points:
        """Reads a PLY, PCD, XYZ or NPY file. The points are multiplied by `scale`."""
        return cls(_core.read_points(path) * floats(scale, "scale"), radius)

    @property
    def points(self) -> Floats:
        """The points, of shape (N, 3): a copy."""
        points = self._core.vertices
        assert points is not None
        return points

    @property
    def radius(self) -> float:
        """The radius of the balls."""
        return self._core.parameters[0]

    def _parameters(self) -> tuple[Any, ...]:
        return (self.points, self.radius)

    def __repr__(self) -> str:
        return f"Points({self._core.counts[0]} points, {self.radius!r})"


class Octree(Shape):
    """The occupied cells of an octree, as boxes.

    Parameters
    ----------
    resolution : float
        The side of a cell of level 0.
    cells : array_like of shape (N, 3) or (N, 4), of any integer type
        The low corner of each cell in units of the resolution and, as the fourth number, its level: its side is
        ``2**level`` times the resolution.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.Octree(0.5, [[0, 0, 0], [4, 0, 0]]).bounds[1].round(9)
    array([2.5, 0.5, 0.5])
    """

    __slots__ = ()

    def __init__(self, resolution: float, cells: ArrayLike) -> None:
        rows = np.asarray(cells)
        if rows.ndim == 2 and rows.shape[1] == 3:
            rows = np.concatenate([rows, np.zeros((len(rows), 1), dtype=rows.dtype)], axis=1)
        self._core = _core.Shape.octree(number(resolution, "resolution"), indices(rows, 4, "cells"))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Octree:
        """Reads an OctoMap file, ``.bt`` or ``.ot``."""
        return cls(*_core.read_octree(path))

    @property
    def resolution(self) -> float:
        """The side of a cell of level 0."""
        return self._core.parameters[0]

    @property
    def cells(self) -> Indices:
        """The cells, of shape (N, 4), in the order of the tree: a copy."""
        cells = self._core.cells
        assert cells is not None
        return cells

    def _parameters(self) -> tuple[Any, ...]:
        return (self.resolution, self.cells)

    def __repr__(self) -> str:
        return f"Octree({self.resolution!r}, {self._core.counts[1]} cells)"


class HeightField(Shape):
    """A surface over a grid, centred in x and y.

    Parameters
    ----------
    heights : array_like of shape (rows, columns)
        Row by row from low y to high y, each from low x to high x.
    size : array_like of 2 numbers
        Its sides along x and y.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ft.HeightField([[0, 0], [1, 2]], size=[4, 6]).bounds[1].round(9)
    array([2., 3., 2.])
    """

    __slots__ = ()

    def __init__(self, heights: ArrayLike, size: ArrayLike) -> None:
        grid = floats(heights, "heights")
        if grid.ndim != 2:
            raise ValueError(f"heights must have the shape (rows, columns), but have {grid.shape}")
        self._core = _core.Shape.height_field(grid, vector(size, 2, "size"))

    @classmethod
    def load(cls, path: str | os.PathLike[str], size: ArrayLike) -> HeightField:
        """Reads a PNG file: black is z = 0, white z = ``size[2]``."""
        x, y, z = vector(size, 3, "size")
        return cls(_core.read_heights(path) * z, (x, y))

    @property
    def heights(self) -> Floats:
        """The heights, of shape (rows, columns): a copy."""
        heights = self._core.heights
        assert heights is not None
        return heights

    @property
    def size(self) -> Floats:
        """The sides along x and y."""
        return np.array(self._core.parameters)

    def _parameters(self) -> tuple[Any, ...]:
        return (self.heights, self._core.parameters)

    def __repr__(self) -> str:
        rows, columns = self.heights.shape
        return f"HeightField({rows} x {columns} heights, {self._core.parameters})"


class Compound(Shape):
    """Several convex shapes as one, each at its own pose.

    Parameters
    ----------
    pieces : iterable of (Shape, pose)
        Convex solids; a pose may be None. They may overlap.

    Examples
    --------
    >>> import firsttouch as ft
    >>> ball, bar = ft.Sphere(1), ft.Box([4, 1, 1])
    >>> dumbbell = ft.Compound([(ball, ft.Pose([-2, 0, 0])), (bar, None), (ball, ft.Pose([2, 0, 0]))])
    >>> dumbbell.bounds[1].round(9)
    array([3., 1., 1.])
    """

    __slots__ = ("pieces",)

    def __init__(self, pieces: Iterable[tuple[ShapeLike, PoseLike | None]]) -> None:
        made = []
        for k, piece in enumerate(pieces):
            try:
                shape, pose = piece
            except (TypeError, ValueError):
                raise ValueError(f"piece {k} must be a shape and a pose, not {piece!r}") from None
            made.append((shape_of(shape), IDENTITY if pose is None else Pose.of(pose)))
        self.pieces: tuple[tuple[Shape, Pose], ...] = tuple(made)
        self._core = _core.Shape.compound([(shape._core, pose._numbers) for shape, pose in self.pieces])

    def _parameters(self) -> tuple[Any, ...]:
        return (self.pieces,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compound) and self.pieces == other.pieces

    def __hash__(self) -> int:
        return hash(("compound", self.pieces))


_BY_KIND: dict[str, type[Shape]] = {
    "box": Box,
    "sphere": Sphere,
    "capsule": Capsule,
    "cylinder": Cylinder,
    "cone": Cone,
    "ellipsoid": Ellipsoid,
    "hull": Hull,
    "mesh": Mesh,
    "solid mesh": Mesh,
    "points": Points,
    "octree": Octree,
    "height_field": HeightField,
}


class OpaqueShape(Shape):
    """A shape from a file, of a kind that has no class of its own here. It can be checked, but not pickled."""

    __slots__ = ()

    def __init__(self, core: _core.Shape) -> None:
        self._core = core

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(f"a shape of the kind \"{self.kind}\" cannot be pickled")


def of_file(described: Any) -> Shape:
    """Returns the Python object for a shape of a scene file, from a shape of the core or from the parts that it is
    built of."""
    if not isinstance(described, tuple):
        return of_core(described)
    kind, *arguments = described
    if kind == "half_space":
        return HalfSpace(*arguments)
    return Compound((of_core(core), Pose._of_numbers(pose)) for core, pose in arguments[0])


def of_core(core: _core.Shape) -> Shape:
    """The Python object for a shape of the core."""
    if core.kind == "half_space":
        *normal, offset = core.parameters
        return HalfSpace(normal, offset)
    pieces = core.pieces
    if pieces is not None:
        compound = Compound.__new__(Compound)
        compound._core = core
        compound.pieces = tuple((of_core(piece), Pose._of_numbers(pose)) for piece, pose in pieces)
        return compound
    kind = _BY_KIND.get(core.kind)
    if kind is None:
        return OpaqueShape(core)
    shape = kind.__new__(kind)
    shape._core = core
    if isinstance(shape, Hull):
        # What its points were is not known any more.
        shape._given = None
    return shape


def pickled_together(shapes: list[Shape]) -> tuple[list[Shape | None], list[tuple[Floats, Any]]]:
    """Shapes for a pickle, with the arrays of all meshes apart: None stands for a mesh."""
    meshes = [(shape.vertices, shape.faces) for shape in shapes if _is_surface(shape)]
    return [None if _is_surface(shape) else shape for shape in shapes], meshes


def _is_surface(shape: Shape) -> TypeGuard[Mesh]:
    return isinstance(shape, Mesh) and not shape.is_solid


def built_together(pickled: tuple[list[Shape | None], list[tuple[Floats, Any]]]) -> list[Shape]:
    """Rebuilds the shapes. The hierarchies of the meshes are built on several threads."""
    shapes, meshes = pickled
    built = iter(_core.Shape.meshes([(vertices, faces.astype(np.int64)) for vertices, faces in meshes]))
    return [of_core(next(built)) if shape is None else shape for shape in shapes]


def shape_of(value: ShapeLike) -> Shape:
    """Returns a `Shape` as it is, and makes one of an object with vertices and faces, such as a ``trimesh.Trimesh``."""
    if isinstance(value, Shape):
        return value
    if hasattr(value, "vertices") and hasattr(value, "faces"):
        return Mesh(value)
    hint = ""
    if isinstance(value, (str, os.PathLike)):
        hint = ": ft.Mesh.load reads a file"
    elif hasattr(value, "to_mesh"):
        hint = ": give its to_mesh()"
    raise wrong_type(value, "a shape", "a Shape (Box, Sphere, Mesh, ...) or a trimesh.Trimesh", hint)
