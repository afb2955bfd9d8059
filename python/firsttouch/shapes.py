"""Shapes: geometry at rest, each in its own frame.

Boxes, spheres, capsules, cylinders, ellipsoids and hulls are solids. A mesh is a surface: what is inside a closed one does not touch it.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._arrays import Floats, floats, indices, number, vector
from ._arrays import points as point_rows


class Shape:
    """What all shapes have in common. Shapes do not change; many bodies can share one."""

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
        return all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))

    def __hash__(self) -> int:
        return hash((self.kind, tuple(self._core.parameters), self._core.counts))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._parameters()))})"

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

    def __init__(self, sides: Any) -> None:
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

    def __init__(self, semi_axes: Any) -> None:
        x, y, z = vector(semi_axes, 3, "semi_axes")
        self._core = _core.Shape.ellipsoid((x, y, z))

    @property
    def semi_axes(self) -> Floats:
        """Half the extents along x, y and z."""
        return self._lengths()


class _Faceted(Shape):
    """What has vertices and triangles."""

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

    def __init__(self, points: Any) -> None:
        self._given = point_rows(points, "points").copy()
        self._core = _core.Shape.hull(self._given)

    def _parameters(self) -> tuple[Any, ...]:
        return (self.vertices if self._given is None else self._given,)

    def __repr__(self) -> str:
        return f"Hull({self._core.counts[0]} vertices)"


class Mesh(_Faceted):
    """A surface of triangles. It need be neither closed nor oriented.

    Parameters
    ----------
    vertices : array_like of shape (N, 3), or a ``trimesh.Trimesh``
    faces : array_like of shape (M, 3) of any integer type
        Three rows of `vertices` for each triangle.

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

    def __init__(self, vertices: Any, faces: Any = None) -> None:
        if faces is None:
            if not (hasattr(vertices, "vertices") and hasattr(vertices, "faces")):
                raise ValueError("a mesh needs vertices and faces, or an object that has both")
            vertices, faces = vertices.vertices, vertices.faces
        self._core = _core.Shape.mesh(point_rows(vertices, "vertices"), indices(faces, 3, "faces"))

    @classmethod
    def load(cls, path: str | os.PathLike[str], scale: Any = 1.0) -> Mesh:
        """Reads an OBJ, STL, PLY, glTF, GLB or COLLADA file.

        Parameters
        ----------
        path : path-like
        scale : float or array_like of 3 numbers
            The vertices are multiplied by it.
        """
        vertices, faces = _core.read_mesh(path)
        return cls(vertices * floats(scale, "scale"), faces)


_BY_KIND: dict[str, type[Shape]] = {
    "box": Box,
    "sphere": Sphere,
    "capsule": Capsule,
    "cylinder": Cylinder,
    "ellipsoid": Ellipsoid,
    "hull": Hull,
    "mesh": Mesh,
}


class OpaqueShape(Shape):
    """A shape from a file, of a kind that has no class of its own here. It can be checked, but not pickled."""

    __slots__ = ()

    def __init__(self, core: _core.Shape) -> None:
        self._core = core

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(f"a shape of the kind \"{self.kind}\" cannot be pickled")


def of_core(core: _core.Shape) -> Shape:
    """The Python object for a shape of the core."""
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
    meshes = [(shape.vertices, shape.faces) for shape in shapes if isinstance(shape, Mesh)]
    return [None if isinstance(shape, Mesh) else shape for shape in shapes], meshes


def built_together(pickled: tuple[list[Shape | None], list[tuple[Floats, Any]]]) -> list[Shape]:
    """The shapes again. The hierarchies of the meshes are built over threads."""
    shapes, meshes = pickled
    built = iter(_core.Shape.meshes([(vertices, faces.astype(np.int64)) for vertices, faces in meshes]))
    return [of_core(next(built)) if shape is None else shape for shape in shapes]


def shape_of(value: Any) -> Shape:
    """A shape, or something with vertices and faces, such as a ``trimesh.Trimesh``."""
    if isinstance(value, Shape):
        return value
    if hasattr(value, "vertices") and hasattr(value, "faces"):
        return Mesh(value)
    raise ValueError(f"a shape is needed (Box, Sphere, Mesh, a trimesh.Trimesh, ...), not {type(value).__name__}")
