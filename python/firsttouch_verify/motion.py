"""Frames that move: their maps at an instant, and bounds of how points in them move over a window.

A step maps ``y`` to ``x = L y + p``. Let the sizes of ``L``, ``L'``, ``L''`` be at most ``N, N1, N2`` and those of
``p, p', p''`` at most ``P, P1, P2``. Then ``|x| <= N |y| + P``, ``|x'| <= N1 |y| + N |y'| + P1`` and
``|x''| <= N2 |y| + 2 N1 |y'| + N |y''| + P2``. Derivatives are by the time of the window, from 0 to 1.
"""

from __future__ import annotations

from math import nan

from .interval import (
    IDENTITY, ONE, ZERO, add, div, exact, larger, length, longest, mul, plus, product, rotation, sin_cos, size, sub, sum_up,
    times, turn, unit, up,
)
from .reading import Members, index, number, numbers, row, rows, text

LONGEST_CHAIN = 500
NOWHERE = (ZERO, ZERO, ZERO)


class Polynomial:
    """A polynomial in Bernstein form. Each coefficient is a list of the same length."""

    def __init__(self, coefficients):
        self.coefficients = coefficients

    @staticmethod
    def read(value, width: int) -> Polynomial:
        found = rows(value, width)
        if not 1 <= len(found) <= 33:
            raise ValueError("a polynomial needs 1 to 33 coefficients")
        return Polynomial([exact(one) for one in found])

    def cut(self, s):
        """De Casteljau's algorithm: the coefficients on ``[0, s]``, and those on ``[s, 1]``."""
        line, before, after = self.coefficients, [], []
        rest = sub(ONE, s)
        while line:
            before.append(line[0])
            after.append(line[-1])
            line = [
                tuple(add(mul(x, rest), mul(y, s)) for x, y in zip(a, b)) for a, b in zip(line, line[1:])
            ]
        return Polynomial(before), Polynomial(after[::-1])

    def at(self, s):
        return self.cut(s)[1].coefficients[0]

    def within(self, s):
        return self.cut(s[1])[0].cut(div(s[0], s[1]))[1]

    def sizes(self):
        def largest(some) -> float:
            most = 0.0
            for one in some:
                most = larger(most, longest(one))
            return most

        def differences(some):
            return [tuple(sub(x, y) for x, y in zip(b, a)) for a, b in zip(some, some[1:])]

        degree = float(len(self.coefficients) - 1)
        first = differences(self.coefficients)
        second = up(degree * (degree - 1.0) * largest(differences(first)))
        return largest(self.coefficients), up(degree * largest(first)), second

    def shortest(self) -> float:
        speed = self.sizes()[1]
        return sub(length(self.at((0.5, 0.5))), mul((0.5, 0.5), (speed, speed)))[0]


def tangent(angle: float, s):
    """The tangent of half an angle times ``s``, and its cosine."""
    half = 0.5 * angle
    sine, cosine = sin_cos(mul((half, half), s))
    return div(sine, cosine), cosine


def positive(x: float) -> float:
    return x if x > 0.0 else nan


def over(x: float, y: float) -> float:
    return up(x / y) if y == y else nan


def pose(values):
    """The map of a pose ``x, y, z, qw, qx, qy, qz``."""
    return rotation(exact(values[3:])), exact(values[:3])


class Step:
    """One map of a move."""

    def __init__(self, value):
        step = Members(value)
        self.kind = next((kind for kind in ("pose", "turn", "along", "tangent", "slide", "quat") if step.has(kind)), "linear")
        first = step.take(self.kind)
        self.weight = None
        if self.kind == "pose":
            self.map = pose(row(first, 7))
        elif self.kind in ("turn", "along"):
            self.axis = unit(row(first, 3))
            self.course = Polynomial.read(step.take("angle" if self.kind == "turn" else "distance"), 1)
        elif self.kind == "tangent":
            self.axis = unit(row(first, 3))
            self.angle, self.shift = number(step.take("angle")), number(step.take("shift"))
            if not 0.0 < self.angle < 3.0:
                raise ValueError("the angle of a tangent is not from 0 to 3")
        else:
            self.course = Polynomial.read(first, {"slide": 3, "quat": 4, "linear": 9}[self.kind])
            weight = None if self.kind == "quat" else step.optional("weight")
            self.weight = None if weight is None else Polynomial.read(weight, 1)
        step.end()

    def at(self, s):
        if self.kind == "pose":
            return self.map
        if self.kind == "tangent":
            grown, whole = tangent(self.angle, s)[0], tangent(self.angle, ONE)[0]
            distance = div(mul((self.shift, self.shift), grown), whole)
            return IDENTITY, tuple(mul(x, distance) for x in self.axis)
        value = self.course.at(s)
        if self.weight is not None:
            weight = self.weight.at(s)[0]
            value = tuple(div(x, weight) for x in value)
        if self.kind == "turn":
            return turn(self.axis, value[0]), NOWHERE
        if self.kind == "along":
            return IDENTITY, tuple(mul(x, value[0]) for x in self.axis)
        if self.kind == "slide":
            return IDENTITY, value
        if self.kind == "quat":
            return rotation(value), NOWHERE
        return (value[0:3], value[3:6], value[6:9]), NOWHERE

    def sizes(self, s):
        """The bounds of ``L`` and of ``p`` over a window."""
        kept, still = (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if self.kind == "pose":
            return kept, (longest(self.map[1]), 0.0, 0.0)
        if self.kind == "tangent":
            # With x = angle s / 2, (tan x)' = angle / (2 cos^2 x) and (tan x)'' = angle tan x (tan x)'. All grow with
            # s.
            (tan, cos), whole = tangent(self.angle, s[1]), tangent(self.angle, ONE)[0]
            angle, width, long, shift = (self.angle, self.angle), sub(s[1], s[0]), longest(self.axis), abs(self.shift)
            scale = div(mul((shift, shift), (long, long)), whole)
            speed = div(mul(mul(mul((0.5, 0.5), angle), scale), width), mul(cos, cos))
            return kept, (mul(scale, tan)[1], speed[1], mul(mul(mul(angle, tan), speed), width)[1])
        within = self.course.within(s)
        p, p1, p2 = within.sizes()
        if self.kind == "turn":
            return (1.0, p1, sum_up((p1, p1), (p2,))), still
        if self.kind == "along":
            long = longest(self.axis)
            return kept, (sum_up((p, long)), sum_up((p1, long)), sum_up((p2, long)))
        if self.kind == "quat":
            least = positive(within.shortest())
            speed = over(2.0 * p1, least)
            change = sum_up((2.0, over(p2, least)), (0.5, speed, speed))
            return (1.0, speed, sum_up((speed, speed), (change,))), still
        if self.weight is not None:
            weight = self.weight.within(s)
            _, w1, w2 = weight.sizes()
            least = positive(weight.shortest())
            p = over(p, least)
            p1 = over(sum_up((p1,), (p, w1)), least)
            p2 = over(sum_up((p2,), (2.0, p1, w1), (p, w2)), least)
        return (kept, (p, p1, p2)) if self.kind == "slide" else ((p, p1, p2), still)


def after(outer, inner):
    """Returns the map that applies the second one, and then the first one."""
    return product(outer[0], inner[0]), plus(times(outer[0], inner[1]), outer[1])


def compose(steps, s):
    """The map of the steps of a move, at a time of its own."""
    found = None
    for step in steps:
        found = step.at(s) if found is None else after(found, step.at(s))
    return (IDENTITY, NOWHERE) if found is None else found


class Frame:
    """A frame that moves in another."""

    def __init__(self, line: Members, known: list[Frame]):
        self.parent = known_frame(line.take("in"), len(known))
        name = line.optional("name")
        if name is not None:
            text(name)
        within = line.optional("within")
        self.within = (0.0, 0.0) if within is None else row(within, 2)
        if min(self.within) < 0.0:
            raise ValueError("an error is negative")
        self.moves = []
        start = 0.0
        for value in line.list("moves"):
            move = Members(value)
            until = number(move.take("until"))
            self.moves.append((until, [Step(step) for step in move.list("by")]))
            move.end()
            if until <= start:
                raise ValueError("the times of the moves do not increase")
            start = until
        line.end()
        for (_, first), (_, second) in zip(self.moves, self.moves[1:]):
            one, other = compose(first, ONE), compose(second, ZERO)
            pairs = zip([*one[0][0], *one[0][1], *one[0][2], *one[1]], [*other[0][0], *other[0][1], *other[0][2], *other[1]])
            if any(size(sub(x, y)) > 2.0 * (self.within[0] + self.within[1]) + 1e-9 * (1.0 + size(x)) for x, y in pairs):
                raise ValueError("it jumps between two moves")
        self.depth = 1 if self.parent is None else known[self.parent].depth + 1
        if self.depth > LONGEST_CHAIN:
            raise ValueError("too long a chain of frames")
        self.is_rigid = (self.parent is None or known[self.parent].is_rigid) and all(
            step.kind != "linear" for _, steps in self.moves for step in steps
        )

    def during(self, window):
        """The steps of the move that a window is in, and its ends in the time of that move."""
        start = 0.0
        for until, steps in self.moves:
            if window[1] <= until:
                if not start <= window[0]:
                    return None
                if (start, until) == (0.0, 1.0):
                    return steps, exact(window)
                whole = sub((until, until), (start, start))
                return steps, tuple(div(sub((t, t), (start, start)), whole) for t in window)
            start = until
        return None


def known_frame(value, known: int):
    """A frame by its index, or the world."""
    if value is None:
        return None
    frame = index(value)
    if frame >= known:
        raise ValueError(f"frame {frame} is not known")
    return frame


class Frames:
    """All frames, and the maps at the instants of the last queries."""

    def __init__(self):
        self.list: list[Frame] = []
        self.maps: dict = {}

    def is_in(self, frame, base) -> bool:
        while frame != base:
            if frame is None:
                return False
            frame = self.list[frame].parent
        return True

    def map(self, frame, base, window, end):
        """The map from a frame to one that it is in, at the start or the end of a window. ``None`` if the window is in
        no single move."""
        if frame == base:
            return IDENTITY, NOWHERE
        if frame is None:
            return None
        key = (frame, base, window[end], end)
        found = self.maps.get(key)
        if found is None:
            outer = self.map(self.list[frame].parent, base, window, end)
            during = self.list[frame].during(window)
            if outer is None or during is None:
                return None
            found = after(outer, compose(during[0], during[1][end]))
            if len(self.maps) > 100_000:
                self.maps.clear()
            self.maps[key] = found
        return found

    def travel(self, frame, base, window, distance: float, speed: float):
        """Bounds of the speed, the acceleration and the error of points of a frame over a window, as seen from a frame
        that it is in."""
        acceleration = error = 0.0
        while frame != base:
            if frame is None:
                return None
            at = self.list[frame]
            during = at.during(window)
            if during is None:
                return None
            turned, moved = at.within
            outside, inner = 1.0, distance
            for step in reversed(during[0]):
                (n, n1, n2), (p, p1, p2) = step.sizes(during[1])
                outside = sum_up((outside, n))
                distance, speed, acceleration = (
                    sum_up((n, distance), (p,)),
                    sum_up((n1, distance), (n, speed), (p1,)),
                    sum_up((n2, distance), (2.0, n1, speed), (n, acceleration), (p2,)),
                )
            error = sum_up((moved,), (turned, inner), (turned, error), (outside, error))
            frame = at.parent
        return speed, acceleration, error
