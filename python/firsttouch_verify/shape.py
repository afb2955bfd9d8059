"""Shapes: how far they reach along a direction.

A *support* of some pieces of a shape is an upper bound of ``u . y`` over all their points ``y``, for all directions
``u`` in a box.

Points: let ``c`` be the centre of the box, off by at most ``d`` from ``u``, and ``|y| <= r``. The computed ``c . y``
has three products and two sums, so ``u . y`` is at most the largest computed value plus ``(2**-50 |c| + d) r``. For
vertices that move it is the mean of two such values.
"""

from __future__ import annotations

from math import inf, sqrt

from .interval import IDENTITY, ZERO, center, dot, exact, larger, longest, mul, size, sub, sum_up, transposed_times, up
from .motion import pose
from .reading import Members, index, listed, number, row, rows

ROUNDING = 8.0 * 2.0**-52
UNDERFLOW = 1e-140
SOLIDS = ("box", "ellipsoid", "sphere", "capsule", "cylinder", "cone", "hull")


def positive(sizes):
    if any(not one > 0.0 for one in sizes):
        raise ValueError("a size is not positive")
    return sizes


def some(values):
    if not values:
        raise ValueError("a list is empty")
    return values


def reach_of(points) -> float:
    """An upper bound of the distance of points from the origin."""
    square = max(x * x + y * y + z * z for x, y, z in points)
    return up(up(sqrt(square) * (1.0 + ROUNDING)) + UNDERFLOW)


def slack(u, reach: float) -> float:
    """What rounding and the size of the box may add to the support of points within a distance of the origin."""
    parts = [center(x) for x in u]
    middle, radius = exact(part[0] for part in parts), exact(part[1] for part in parts)
    return up(sum_up((ROUNDING, longest(middle), reach), (longest(radius), reach)) + UNDERFLOW)


def points_support(points, u, reach: float) -> float:
    a, b, c = (center(x)[0] for x in u)
    most = max(a * x + b * y + c * z for x, y, z in points)
    return up(most + slack(u, reach))


class Solid:
    """A convex solid."""

    @staticmethod
    def read(line: Members):
        for kind in SOLIDS:
            if line.has(kind):
                return Solid(kind, line.take(kind))
        return None

    def __init__(self, kind: str, value):
        self.kind = kind
        if kind == "hull":
            self.points = some(rows(value, 3))
            self.far = reach_of(self.points)
        elif kind == "sphere":
            self.sizes = positive((number(value),))
        else:
            self.sizes = positive(tuple(value) if isinstance(value, tuple) else row(value, 3 if kind in ("box", "ellipsoid") else 2))

    def support(self, u) -> float:
        if self.kind == "hull":
            return points_support(self.points, u, self.far)
        x, y, z = (size(one) for one in u)
        sizes = self.sizes
        if self.kind == "box":
            return sum_up((sizes[0], x), (sizes[1], y), (sizes[2], z))
        if self.kind == "ellipsoid":
            return longest([mul((axis, axis), one) for axis, one in zip(sizes, u)])
        if self.kind == "sphere":
            return sum_up((sizes[0], longest(u)))
        r, h = sizes
        if self.kind == "capsule":
            return sum_up((r, longest(u)), (h, z))
        if self.kind == "cylinder":
            return sum_up((r, longest(u[:2])), (h, z))
        along = mul((h, h), u[2])
        return larger(along[1], up(sum_up((r, longest(u[:2]))) - along[0]))

    def reach(self) -> float:
        """An upper bound of the distance of its points from the origin."""
        if self.kind == "hull":
            return self.far
        if self.kind in ("sphere", "ellipsoid"):
            return max(self.sizes)
        if self.kind == "capsule":
            return up(self.sizes[0] + self.sizes[1])
        return longest(exact(self.sizes))


class Shape:
    """A shape."""

    def __init__(self, line: Members):
        self.is_solid_mesh = self.deforms = False
        solid = Solid.read(line)
        if solid is not None:
            self.kind, self.pieces, self.solids = "solids", 1, [((IDENTITY, (ZERO, ZERO, ZERO)), solid)]
        elif line.has("half_space"):
            *normal, self.offset = row(line.take("half_space"), 4)
            self.kind, self.pieces, self.normal = "half_space", 1, tuple(normal)
            if longest(exact(self.normal)) < 0.5:
                raise ValueError("the normal is too short")
        elif line.has("points"):
            points, self.radius = line.take("points"), number(line.take("radius"))
            if self.radius < 0.0:
                raise ValueError("the radius is negative")
            self.kind, self.points = "points", some(rows(points, 3))
            self.pieces = len(self.points)
        elif line.has("boxes"):
            boxes = some(rows(line.take("boxes"), 6))
            self.kind, self.pieces = "solids", len(boxes)
            self.solids = [((IDENTITY, exact(one[:3])), Solid("box", one[3:])) for one in boxes]
        elif line.has("compound"):
            self.kind, self.solids = "solids", []
            for value in some(line.list("compound")):
                piece = Members(value)
                at = pose(row(piece.take("at"), 7))
                solid = Solid.read(piece)
                if solid is None:
                    raise ValueError("a piece of a compound is no convex solid")
                piece.end()
                self.solids.append((at, solid))
            self.pieces = len(self.solids)
        else:
            self.read_surface(line)
        line.end()

    def read_surface(self, line: Members) -> None:
        self.kind, self.vertices = "surface", rows(line.take("vertices"), 3)
        self.to = rows(line.take("to"), 3) if line.has("to") else None
        if self.to is not None and len(self.to) != len(self.vertices):
            raise ValueError("the two lists of vertices have different lengths")
        self.corners = []
        for name, corners in (("triangles", 3), ("edges", 2), ("loose", 1)):
            if not line.has(name):
                continue
            found = [index(one) for one in listed(line.take(name))]
            if len(found) % corners or any(vertex >= len(self.vertices) for vertex in found):
                raise ValueError(f"the {name} are not made of vertices")
            self.corners += [tuple(found[k : k + corners]) for k in range(0, len(found), corners)]
        if line.has("solid"):
            solid = line.take("solid")
            if not isinstance(solid, bool):
                raise ValueError("true or false was expected")
            self.is_solid_mesh = solid
        self.deforms = self.to is not None
        if self.is_solid_mesh and self.deforms:
            raise ValueError("a solid mesh does not deform")
        self.pieces = len(some(self.corners))

    def used(self, first: int, last: int):
        return {vertex for piece in self.corners[first:last] for vertex in piece}

    def support(self, first: int, last: int, u, t: float, reach: float) -> float:
        """The support of some pieces at a time, whose points are within a distance of the origin."""
        if self.kind == "half_space":
            return inf
        if self.kind == "points":
            return up(points_support(self.points[first:last], u, reach) + sum_up((self.radius, longest(u))))
        if self.kind == "solids":
            return max(
                up(dot(u, shift)[1] + solid.support(transposed_times(turned, u)))
                for (turned, shift), solid in self.solids[first:last]
            )
        used = self.used(first, last)
        if self.to is None:
            return points_support([self.vertices[vertex] for vertex in used], u, reach)
        a, b, c = (center(x)[0] for x in u)
        most = -inf
        for vertex in used:
            (x, y, z), (p, q, r) = self.vertices[vertex], self.to[vertex]
            most = max(most, (1.0 - t) * (a * x + b * y + c * z) + t * (a * p + b * q + c * r))
        return up(most + slack(u, reach))

    def sizes(self, first: int, last: int, window) -> tuple[float, float]:
        """Upper bounds of the distance of the points of some pieces from the origin, and of how far they move over a
        window."""
        if self.kind == "half_space":
            return inf, 0.0
        if self.kind == "points":
            return up(reach_of(self.points[first:last]) + self.radius), 0.0
        if self.kind == "solids":
            return max(up(longest(shift) + solid.reach()) for (_, shift), solid in self.solids[first:last]), 0.0
        used = self.used(first, last)
        reach = reach_of([self.vertices[vertex] for vertex in used])
        if self.to is None:
            return reach, 0.0
        moved = max(
            longest([sub((y, y), (x, x)) for x, y in zip(self.vertices[vertex], self.to[vertex])]) for vertex in used
        )
        time = sub((window[1], window[1]), (window[0], window[0]))[1]
        return larger(reach, reach_of([self.to[vertex] for vertex in used])), sum_up((moved, time))
