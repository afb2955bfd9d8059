"""The proof: a tree for some pairs of parts, whose leaves are separating directions. The verifier in Rust explains each
test at its head."""

from __future__ import annotations

from math import inf

from .interval import dot, exact, larger, longest, neg, sub, sum_up, times, transposed_times, up
from .motion import known_frame
from .reading import Members, index, listed, number, numbers, pairs
from .statement import Statement

DEEPEST = 400


class Side:
    """Some parts, or some pieces of one part: two ranges."""

    def __init__(self, parts: tuple[int, int], pieces: tuple[int, int]):
        self.parts, self.pieces = parts, pieces

    def is_single(self) -> bool:
        return self.parts[1] - self.parts[0] == 1


class Proof:
    """All proofs that were checked."""

    def __init__(self, statement: Statement):
        self.statement = statement
        self.proven = [bytearray(len(statement.parts)) for _ in statement.parts]
        # For a solid mesh and another part: whether it was divided, and whether it was whole.
        self.solids: dict[tuple[int, int], list[bool]] = {}
        self.count = 0

    @staticmethod
    def read(line: Members):
        """Reads one line of the proof."""
        ranges = pairs(line.take("proof"))
        if len(ranges) != 2:
            raise ValueError("two ranges of parts were expected")
        frame, nodes = line.take("frame"), []
        for value in line.list("nodes"):
            node = Members(value)
            if node.has("split_t"):
                nodes.append(("time", number(node.take("split_t"))))
            elif node.has("split_a"):
                nodes.append((0, index(node.take("split_a"))))
            elif node.has("split_b"):
                nodes.append((1, index(node.take("split_b"))))
            else:
                nodes.append(("apart", numbers(node.take("apart"))))
            node.end()
        line.end()
        return ranges, frame, nodes

    def check(self, tree) -> None:
        """Checks one line, and notes its pairs as proven."""
        (a, b), frame, self.nodes = tree
        statement = self.statement
        for first, last in (a, b):
            if not first < last <= len(statement.parts):
                raise ValueError("the two ranges of parts are empty, unknown, or have parts in common")
        if a[0] < b[1] and b[0] < a[1]:
            raise ValueError("the two ranges of parts are empty, unknown, or have parts in common")
        self.base = known_frame(frame, len(statement.frames.list))
        if self.base is not None and not statement.frames.list[self.base].is_rigid:
            raise ValueError("the frame of the directions does not keep distances")
        for part in [*range(*a), *range(*b)]:
            if not statement.frames.is_in(statement.parts[part][1], self.base):
                raise ValueError(f"{statement.name_of(part)} is not in the frame of the directions")
        self.next = 0
        sides = [Side(parts, self.pieces(parts)) for parts in (a, b)]
        try:
            self.prove(sides, (0.0, statement.free_until), True, 0)
            if self.next < len(self.nodes):
                raise ValueError("a node after the end of the tree")
        except ValueError as error:
            raise ValueError(f"node {self.next} of the proof: {error}") from None
        self.count += self.next
        for p in range(*a):
            for q in range(*b):
                self.proven[min(p, q)][max(p, q)] = 1

    def end(self) -> dict:
        """Refuses what leaves out a pair."""
        statement = self.statement
        found, unchecked = 0, [0] * len(statement.reasons)
        for p in range(len(statement.parts)):
            for q in range(p, len(statement.parts)):
                if (p, q) in statement.unchecked:
                    unchecked[statement.unchecked[p, q]] += 1
                elif p != q and self.proven[p][q]:
                    found += 1
                elif p != q:
                    raise ValueError(f"{statement.name_of(p)} and {statement.name_of(q)} are not proven apart")
                elif statement.shape_of(p).deforms:
                    raise ValueError(f"nothing is said about {statement.name_of(p)} against itself")
        for (solid, other), (divided, whole) in self.solids.items():
            if divided and not whole:
                raise ValueError(f"{statement.name_of(other)} may be inside of {statement.name_of(solid)}, a solid mesh, at all times")
        return {
            "free_until": statement.free_until,
            "separation": statement.separation,
            "parts": len(statement.parts),
            "pairs": found,
            "unchecked": [{"why": why, "pairs": count} for why, count in zip(statement.reasons, unchecked)],
            "nodes": self.count,
        }

    def pieces(self, parts: tuple[int, int]) -> tuple[int, int]:
        return 0, self.statement.shape_of(parts[0]).pieces if parts[1] - parts[0] == 1 else 1

    def prove(self, sides, window, is_whole: bool, depth: int) -> list[bool]:
        """Checks the next node and all that belong to it. Returns which sides have a divided solid mesh below."""
        if depth > DEEPEST:
            raise ValueError("the tree is too deep")
        if self.next >= len(self.nodes):
            raise ValueError("the tree has no end")
        kind, value = self.nodes[self.next]
        self.next += 1
        divided, whole_below = [False, False], is_whole
        if kind == "apart":
            self.apart(sides, window, value)
            return self.note(sides, is_whole, divided)
        if kind == "time":
            if not window[0] < value < window[1]:
                raise ValueError(f"{value} is not inside of the window {window}")
            halves = [(sides, (window[0], value)), (sides, (value, window[1]))]
        else:
            side = sides[kind]
            first, last = side.pieces if side.is_single() else side.parts
            if not first < value < last:
                raise ValueError(f"{value} is not inside of {first}..{last}")
            if side.is_single():
                whole_below = False
                divided[kind] = self.statement.shape_of(side.parts[0]).is_solid_mesh
            halves = []
            for part in ((first, value), (value, last)):
                half = Side(side.parts, part) if side.is_single() else Side(part, self.pieces(part))
                halves.append(([half if k == kind else sides[k] for k in (0, 1)], window))
        for below, time in halves:
            found = self.prove(below, time, whole_below, depth + 1)
            divided = [divided[0] or found[0], divided[1] or found[1]]
        return self.note(sides, is_whole, divided)

    def note(self, sides, is_whole: bool, divided: list[bool]) -> list[bool]:
        """Notes for each pair with a solid mesh whether that was divided, or is whole in a window in which all of the
        other part is there."""
        for side in (0, 1):
            for solid in range(*sides[side].parts):
                if not self.statement.shape_of(solid).is_solid_mesh:
                    continue
                for other in range(*sides[1 - side].parts):
                    known = self.solids.setdefault((solid, other), [False, False])
                    known[0] |= divided[side]
                    known[1] |= is_whole and not divided[side]
        return divided

    def apart(self, sides, window, values) -> None:
        """Checks that the first side is before the second one along a direction, all through the window."""
        half_space = None
        if not values:
            directions, half_space = self.normal(sides, window)
        elif len(values) in (3, 6):
            directions = (exact(values[:3]), exact(values[-3:]))
        else:
            raise ValueError("a direction has 0, 3 or 6 numbers")
        opposite = tuple(tuple(neg(x) for x in d) for d in directions)
        a_along, a_speed, a_acceleration, a_error = self.reach(sides[0], window, directions, half_space)
        b_along, b_speed, b_acceleration, b_error = self.reach(sides[1], window, opposite, half_space)
        largest = larger(longest(directions[0]), longest(directions[1]))
        change = longest([sub(y, x) for x, y in zip(*directions)])
        dip = sum_up((0.125, largest, up(a_acceleration + b_acceleration)), (0.25, change, up(a_speed + b_speed)))
        needed = sum_up((1.0, dip), (largest, up(up(a_error + b_error) + self.separation(sides))))
        for end in (0, 1):
            gap = -up(a_along[end] + b_along[end])
            # A comparison with a NaN is false, and refuses.
            if not gap > needed:
                raise ValueError(f"not apart: {gap:e} at {window[end]} in the window {window}, where {needed:e} is needed")

    def separation(self, sides) -> float:
        """The largest separation of the pairs of two sides."""
        own, default = self.statement.separations, self.statement.separation
        if not own:
            return default
        return max(own.get((min(p, q), max(p, q)), default) for p in range(*sides[0].parts) for q in range(*sides[1].parts))

    def normal(self, sides, window):
        """The direction out of the half-space that is one of the sides, from the first side to the second, and the part
        that it is."""
        statement = self.statement
        found = [
            (sign, side.parts[0])
            for sign, side in zip((1.0, -1.0), sides)
            if side.is_single() and statement.shape_of(side.parts[0]).kind == "half_space"
        ]
        if len(found) != 1:
            raise ValueError("not one of the sides is a half-space")
        sign, part = found[0]
        frame = statement.parts[part][1]
        if statement.frames.travel(frame, self.base, window, 1.0, 0.0) != (0.0, 0.0, 0.0):
            raise ValueError("the half-space moves in the frame of the directions")
        turned = statement.frames.map(frame, self.base, window, 0)
        if turned is None:
            raise ValueError("the half-space is nowhere")
        normal = times(turned[0], exact(statement.shape_of(part).normal))
        normal = tuple(x if sign > 0.0 else neg(x) for x in normal)
        return (normal, normal), part

    def reach(self, side: Side, window, directions, half_space):
        """Returns how far a side reaches along the directions at both ends, and bounds of its speed, acceleration and
        error."""
        statement = self.statement
        along, speed, acceleration, error = [-inf, -inf], 0.0, 0.0, 0.0
        for part in range(*side.parts):
            first, last = side.pieces if side.is_single() else self.pieces((part, part + 1))
            _, frame, number_of_shape = statement.parts[part]
            shape = statement.shapes[number_of_shape]
            distance, moved = shape.sizes(first, last, window)
            maps = [statement.frames.map(frame, self.base, window, end) for end in (0, 1)]
            if shape.kind == "half_space":
                if half_space != part:
                    raise ValueError("the direction is not its normal")
                travel = (0.0, 0.0, 0.0)
            else:
                travel = statement.frames.travel(frame, self.base, window, distance, moved)
            if travel is None or maps[0] is None or maps[1] is None:
                raise ValueError(f"{statement.name_of(part)} has a kink in the window {window}")
            for end in (0, 1):
                turned, shift = maps[end]
                outside = dot(directions[end], shift)[1]
                if shape.kind == "half_space":
                    own = shape.offset
                else:
                    own = shape.support(first, last, transposed_times(turned, directions[end]), window[end], distance)
                along[end] = larger(along[end], up(outside + own))
            speed, acceleration, error = larger(speed, travel[0]), larger(acceleration, travel[1]), larger(error, travel[2])
        return along, speed, acceleration, error
