"""The statement: shapes, frames, parts, and which pairs of parts keep apart."""

from __future__ import annotations

from .motion import Frame, Frames, known_frame
from .reading import Members, index, number, pairs, text
from .shape import Shape

MOST_PARTS = 30_000


def header(line: Members):
    """Reads the first line: the claim, and the number of lines of the file."""
    if line.take("format") != "firsttouch-certificate" or index(line.take("version")) != 1:
        raise ValueError("this is no certificate of version 1")
    claim = Members(line.take("claim"))
    until, separation = number(claim.take("free_until")), number(claim.take("separation"))
    claim.end()
    if not (0.0 < until <= 1.0 and 0.0 <= separation):
        raise ValueError("the claim is about no time from 0 to 1, or about a negative separation")
    for value in line.list("sources"):
        source = Members(value)
        text(source.take("file"))
        text(source.take("sha256"))
        source.end()
    count = index(line.take("lines"))
    line.end()
    return (until, separation), count


class Statement:
    """Everything that is claimed."""

    def __init__(self, free_until: float, separation: float):
        self.free_until, self.separation = free_until, separation
        self.shapes: list[Shape] = []
        self.frames = Frames()
        self.parts: list[tuple[str, int | None, int]] = []
        self.separations: dict[tuple[int, int], float] = {}
        self.unchecked: dict[tuple[int, int], int] = {}
        self.reasons: list[str] = []

    def add(self, line: Members) -> None:
        def expect(value, following: int) -> None:
            if index(value) != following:
                raise ValueError(f"number {index(value)} where {following} was expected")

        if line.has("part"):
            expect(line.take("part"), len(self.parts))
            frame = known_frame(line.take("frame"), len(self.frames.list))
            shape = index(line.take("shape"))
            if shape >= len(self.shapes) or len(self.parts) >= MOST_PARTS:
                raise ValueError(f"shape {shape} is not known, or there are too many parts")
            name = f"{text(line.take('body'))}/{text(line.take('name'))}"
            line.end()
            self.parts.append((name, frame, shape))
        elif line.has("shape"):
            expect(line.take("shape"), len(self.shapes))
            self.shapes.append(Shape(line))
        elif line.has("separation"):
            separation = number(line.take("separation"))
            if separation < 0.0:
                raise ValueError("a separation is negative")
            for pair in self.known_pairs(line.take("pairs")):
                if pair in self.unchecked or pair in self.separations:
                    raise ValueError(f"parts {pair} are listed twice")
                self.separations[pair] = separation
            line.end()
        elif line.has("frame"):
            expect(line.take("frame"), len(self.frames.list))
            self.frames.list.append(Frame(line, self.frames.list))
        else:
            for pair in self.known_pairs(line.take("unchecked")):
                if pair in self.unchecked or pair in self.separations:
                    raise ValueError(f"parts {pair} are listed twice")
                self.unchecked[pair] = len(self.reasons)
            self.reasons.append(text(line.take("why")))
            line.end()

    def known_pairs(self, value):
        found = pairs(value)
        for a, b in found:
            if a > b or b >= len(self.parts):
                raise ValueError(f"{[a, b]} is no pair of known parts, the lower one first")
        return found

    def shape_of(self, part: int) -> Shape:
        return self.shapes[self.parts[part][2]]

    def name_of(self, part: int) -> str:
        return f'part {part} ("{self.parts[part][0]}")'
