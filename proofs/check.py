"""Gives a certificate to the checker that is proved in Coq: `python3 check.py CHECKER FILE`.

Exit status: 0 verified, 1 refused, 2 unreadable, 3 not in the proved fragment.

The proof trusts `statement` here: that the numbers of the file get into the fields of the same meaning of Meaning.v.
Each number is the f64 that is nearest to its decimals, as a fraction. Proofs are translated too, but a wrong one is
refused. The reader of JSON is that of `firsttouch_verify`.
"""

import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from firsttouch_verify.reading import Members, index, listed, number, pairs, read, row, rows, text  # noqa: E402

DEEPEST = 400


class Unreadable(Exception):
    """No certificate."""


class Refused(Exception):
    """It does not prove its claim."""


class Outside(Exception):
    """It is about something that the theorem does not speak of."""


def exact(values):
    return tuple(Fraction(value) for value in values)


class Shape:
    """Pieces: a radius, and corners with the places from which and to which they move."""

    def __init__(self, pieces, solid=False, deforms=False):
        self.pieces, self.solid, self.deforms = pieces, solid, deforms


def still(corners, radius=0):
    return Fraction(radius), [(corner, corner) for corner in map(exact, corners)]


def box(center, half):
    center, half = exact(center), exact(half)
    return still([[c + sign * h for c, sign, h in zip(center, signs, half)] for signs in product((-1, 1), repeat=3)])


def positive(values):
    if not all(value > 0 for value in values):
        raise ValueError("a size is not positive")
    return values


def solid(line):
    """The piece of a convex solid."""
    if line.has("box"):
        return box((0, 0, 0), positive(row(line.take("box"), 3)))
    if line.has("sphere"):
        return still([(0, 0, 0)], *positive([number(line.take("sphere"))]))
    if line.has("capsule"):
        radius, half = positive(row(line.take("capsule"), 2))
        return still([(0, 0, -half), (0, 0, half)], radius)
    if line.has("hull"):
        return still(some(rows(line.take("hull"), 3)))
    for name in ("ellipsoid", "cylinder", "cone"):
        if line.has(name):
            raise Outside(f"the shape {name}")
    return None


def some(values):
    if not values:
        raise ValueError("a list is empty")
    return values


def compound_piece(value):
    value = Members(value)
    at = row(value.take("at"), 7)
    if at[4:] != (0, 0, 0) or at[3] == 0:
        raise Outside("a piece of a compound that is turned")
    radius, corners = solid(value)
    value.end()
    moved = [tuple(c + Fraction(d) for c, d in zip(corner, at)) for corner, _ in corners]
    return radius, [(corner, corner) for corner in moved]


def surface(line):
    vertices = rows(line.take("vertices"), 3)
    to = rows(line.take("to"), 3) if line.has("to") else None
    if to is not None and len(to) != len(vertices):
        raise ValueError("the two lists of vertices have different lengths")
    corners = []
    for name, width in (("triangles", 3), ("edges", 2), ("loose", 1)):
        listed_here = [index(one) for one in listed(line.take(name))] if line.has(name) else []
        if len(listed_here) % width or any(one >= len(vertices) for one in listed_here):
            raise ValueError(f"the {name} are not made of vertices")
        corners += [listed_here[k : k + width] for k in range(0, len(listed_here), width)]
    is_solid = line.take("solid") if line.has("solid") else False
    if not isinstance(is_solid, bool) or (is_solid and to is not None):
        raise ValueError("a wrong solid")
    some(corners)
    # The inside of a surface is in the hull of its corners, so a solid is a single piece.
    if is_solid:
        corners = [sorted({vertex for piece in corners for vertex in piece})]
    start, end = [exact(v) for v in vertices], [exact(v) for v in to or vertices]
    pieces = [(Fraction(0), [(start[k], end[k]) for k in piece]) for piece in corners]
    return Shape(pieces, is_solid, to is not None)


def shape(line):
    if line.has("half_space"):
        raise Outside("a half-space")
    if line.has("points"):
        radius, points = number(line.take("radius")), some(rows(line.take("points"), 3))
        if radius < 0:
            raise ValueError("the radius is negative")
        return Shape([still([point], radius) for point in points])
    if line.has("boxes"):
        return Shape([box(one[:3], positive(one[3:])) for one in some(rows(line.take("boxes"), 6))])
    if line.has("compound"):
        return Shape([compound_piece(one) for one in some(listed(line.take("compound")))])
    if (one := solid(line)) is not None:
        return Shape([one])
    return surface(line)


def step(value):
    step = Members(value)
    if step.has("pose"):
        x, y, z, *q = exact(row(step.take("pose"), 7))
        if not any(q):
            raise Refused("a quaternion of length zero")
        found = ["pose", *q, x, y, z]
    elif step.has("slide") and not step.has("weight"):
        found = ["slide", *coefficients([exact(one) for one in rows(step.take("slide"), 3)])]
    elif step.has("along"):
        axis = exact(row(step.take("along"), 3))
        if sum(x * x for x in axis) != 1:
            raise Outside("a direction whose length is not exactly 1")
        found = ["slide", *coefficients([tuple(Fraction(d) * x for x in axis) for (d,) in rows(step.take("distance"), 1)])]
    else:
        raise Outside("the step " + " with ".join(step.left))
    step.end()
    return found


def cross(v, w):
    return v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]


def turned(q, v):
    """A vector, turned by a quaternion of any length."""
    w, *u = q
    once = cross(u, v)
    twice = cross(u, once)
    square = sum(x * x for x in q)
    return tuple(x + 2 * (w * y + z) / square for x, y, z in zip(v, once, twice))


def coefficients(rows):
    if not 1 <= len(rows) <= 33:
        raise ValueError("a polynomial needs 1 to 33 coefficients")
    return [len(rows), *(x for row in rows for x in row)]


def known(value, count):
    if value is not None and index(value) >= count:
        raise ValueError("a frame is not known")
    return None if value is None else int(value)


class Statement:
    """What is claimed."""

    def __init__(self, line):
        if line.take("format") != "firsttouch-certificate" or index(line.take("version")) != 1:
            raise ValueError("this is no certificate of version 1")
        claim = Members(line.take("claim"))
        self.free_until, self.separation = number(claim.take("free_until")), number(claim.take("separation"))
        claim.end()
        if not (0 < self.free_until <= 1 and self.separation >= 0):
            raise ValueError("the claim is about no time from 0 to 1, or about a negative separation")
        for source in line.list("sources"):
            source = Members(source)
            text(source.take("file")), text(source.take("sha256"))
            source.end()
        self.lines = index(line.take("lines"))
        line.end()
        self.shapes, self.frames, self.parts, self.separations, self.unchecked = [], [], [], {}, set()
        self.parents, self.turns = [], []

    def add(self, line):
        if line.has("part"):
            if index(line.take("part")) != len(self.parts):
                raise ValueError("a wrong number of a part")
            frame, number_of_shape = known(line.take("frame"), len(self.frames)), index(line.take("shape"))
            text(line.take("body")), text(line.take("name"))
            if number_of_shape >= len(self.shapes):
                raise ValueError("a shape is not known")
            self.parts.append((frame, number_of_shape))
        elif line.has("shape"):
            if index(line.take("shape")) != len(self.shapes):
                raise ValueError("a wrong number of a shape")
            self.shapes.append(shape(line))
        elif line.has("separation"):
            separation = number(line.take("separation"))
            if separation < 0:
                raise ValueError("a separation is negative")
            for pair in self.new_pairs(line.take("pairs")):
                self.separations[pair] = separation
        elif line.has("frame"):
            if index(line.take("frame")) != len(self.frames):
                raise ValueError("a wrong number of a frame")
            self.frames.append(self.frame(line))
        else:
            self.unchecked |= set(self.new_pairs(line.take("unchecked")))
            text(line.take("why"))
        line.end()

    def new_pairs(self, value):
        found = pairs(value)
        for pair in found:
            if not pair[0] <= pair[1] < len(self.parts) or pair in self.separations or pair in self.unchecked:
                raise ValueError("a pair is not known, or listed twice")
        if len(set(found)) != len(found):
            raise ValueError("a pair is listed twice")
        return found

    def frame(self, line):
        """The words of a frame, after those of the frames that it is in."""
        parent = known(line.take("in"), len(self.frames))
        if line.has("name"):
            text(line.take("name"))
        off = row(line.take("within"), 2) if line.has("within") else (0, 0)
        if min(off) < 0:
            raise ValueError("an error is negative")
        words, start, turns = [*exact(off)], 0, []
        moves = line.list("moves")
        words.append(len(moves))
        for value in moves:
            move = Members(value)
            until, steps = number(move.take("until")), listed(move.take("by"))
            if until <= start:
                raise ValueError("the times of the moves do not increase")
            start = until
            steps = [step(one) for one in steps]
            words += [Fraction(until), len(steps), *(word for one in steps for word in one)]
            turns.append([one[1:5] for one in steps if one[0] == "pose" and any(one[2:5])])
            move.end()
        self.parents.append(parent)
        self.turns.append(turns)
        # The frame itself comes first, and the outermost one last.
        return [words, *(self.frames[parent] if parent is not None else [])]

    def in_world(self, frame, direction):
        """A direction of a frame that only slides, as seen from the world. As the rest of a proof, it is not
        trusted."""
        while frame is not None:
            turns = self.turns[frame]
            if any(other != turns[0] for other in turns):
                raise Outside("directions in a frame that is turned between two moves")
            for q in reversed(turns[0] if turns else []):
                direction = turned(q, direction)
            frame = self.parents[frame]
        return direction

    def words(self):
        """Everything before the proofs, in the order of `driver.ml`."""
        yield from (Fraction(self.free_until), Fraction(self.separation), len(self.parts))
        for frame, number_of_shape in self.parts:
            chain = [] if frame is None else self.frames[frame]
            yield len(chain)
            for words in chain:
                yield from words
            pieces = self.shapes[number_of_shape].pieces
            yield len(pieces)
            for radius, corners in pieces:
                yield from (radius, len(corners))
                for start, end in corners:
                    yield from (*start, *end)
        yield len(self.separations)
        for pair, separation in self.separations.items():
            yield from (*pair, Fraction(separation))
        yield len(self.unchecked)
        for pair in sorted(self.unchecked):
            yield from pair


class Proof:
    """A line of the proof. Its numbers of parts and pieces become counts of what goes to the first half."""

    def __init__(self, line, statement):
        self.statement = statement
        self.ranges = pairs(line.take("proof"))
        self.frame = known(line.take("frame"), len(statement.frames))
        self.nodes = [self.node(value) for value in line.list("nodes")]
        line.end()
        if len(self.ranges) != 2:
            raise ValueError("two ranges of parts were expected")

    @staticmethod
    def node(value):
        node = Members(value)
        names = [name for name in ("split_t", "split_a", "split_b") if node.has(name)]
        if len(names) == 1:
            found = (names[0], (number if names[0] == "split_t" else index)(node.take(names[0])))
        else:
            found = ("apart", [number(one) for one in listed(node.take("apart"))])
        node.end()
        return found

    def words(self):
        for first, last in self.ranges:
            if not first < last <= len(self.statement.parts):
                raise Refused("a range of parts")
        (a, b), (c, d) = self.ranges
        if a < d and c < b:
            raise Refused("two ranges with parts in common")
        self.next = 0
        words = [*self.ranges[0], *self.ranges[1], *self.tree([self.side(a, b), self.side(c, d)], 0)]
        if self.next != len(self.nodes):
            raise Refused("a node after the end of a tree")
        return words

    def side(self, first, last):
        """Returns a flag for a single part, the part, and the range of parts or pieces."""
        if last - first > 1:
            return False, first, first, last
        shape = self.statement.shapes[self.statement.parts[first][1]]
        return True, first, 0, len(shape.pieces)

    def tree(self, sides, depth):
        if depth > DEEPEST or self.next >= len(self.nodes):
            raise Refused("a tree that is too deep, or has no end")
        kind, value = self.nodes[self.next]
        self.next += 1
        if kind == "apart":
            if not value:
                raise Outside("the normal of a half-space")
            if len(value) not in (3, 6):
                raise Refused("a direction has 3 or 6 numbers")
            first, last = (self.statement.in_world(self.frame, exact(one)) for one in (value[:3], value[-3:]))
            return ["apart", *first, *last]
        if kind == "split_t":
            return ["t", Fraction(value), *self.tree(sides, depth + 1), *self.tree(sides, depth + 1)]
        k = 0 if kind == "split_a" else 1
        single, part, first, last = sides[k]
        if single and self.statement.shapes[self.statement.parts[part][1]].solid:
            raise Outside("a solid mesh that is divided")
        if not first < value < last:
            raise Refused("a split outside of what there is")
        halves = [(True, part, first, value), (True, part, value, last)]
        if not single:
            halves = [self.side(first, value), self.side(value, last)]
        words = [kind[-1], value - first]
        for half in halves:
            words += self.tree([half if k == j else sides[j] for j in (0, 1)], depth + 1)
        return words


def word(one):
    if isinstance(one, Fraction):
        return f"{'-' if one < 0 else '+'}{abs(one.numerator):b}/{one.denominator:b}"
    return str(one)


def words(file):
    """The input of the checker."""
    statement, proofs, count = None, [], 0
    for line in file:
        count += 1
        if not line.endswith(b"\n"):
            raise ValueError("a line has no end")
        members = Members(read(line[:-1].decode()))
        if statement is None:
            statement = Statement(members)
        elif members.has("proof"):
            proofs.append(Proof(members, statement))
        elif proofs:
            raise ValueError("a line of the statement after a proof")
        else:
            statement.add(members)
    if statement is None or count != statement.lines:
        raise ValueError("a wrong number of lines")
    # The theorem is about pairs of different parts.
    for k, (_, number_of_shape) in enumerate(statement.parts):
        if statement.shapes[number_of_shape].deforms and (k, k) not in statement.unchecked:
            raise Refused(f"nothing is said about part {k} against itself")
    found = [*statement.words(), len(proofs)]
    for one in proofs:
        found += one.words()
    return found


def main():
    checker, name = sys.argv[1:]
    try:
        with open(name, "rb") as file:
            found = words(file)
    except (OSError, ValueError, RecursionError) as error:
        print(f"unreadable: {error}")
        return 2
    except Refused as error:
        print(f"refused: {error}")
        return 1
    except Outside as error:
        print(f"not in the proved fragment: {error}")
        return 3
    run = subprocess.run([checker], input=" ".join(map(word, found)), text=True, stdout=subprocess.PIPE)
    if (run.returncode, run.stdout) not in ((0, "accepted\n"), (1, "not accepted\n")):
        raise SystemExit("the checker failed")
    print("verified" if run.returncode == 0 else "refused: the proof does not prove the claim")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
