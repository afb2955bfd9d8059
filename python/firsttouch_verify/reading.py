"""A reader of JSON that refuses unusual files.

It refuses members of an object with the same name, numbers that are not finite doubles up to 1e100, NaN and Infinity,
and values nested deeper than eight levels. It also refuses escapes other than of quotes, backslashes and code points,
halves of surrogate pairs, and anything after the value.
"""

from __future__ import annotations

import json
import re

DEEPEST = 8
LARGEST = 1e100


class Index(float):
    """A number that is written with digits alone."""


def _number(token: str) -> float:
    value = Index(token) if token.isdigit() else float(token)
    if not abs(value) <= LARGEST:
        raise ValueError("too large a number")
    return value


def _constant(token: str) -> float:
    raise ValueError(f"{token} is no number")


def _object(pairs):
    names = {name for name, _ in pairs}
    if len(names) != len(pairs) or len(pairs) > 16:
        raise ValueError("too many members, or two of the same name")
    return dict(pairs)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_int=_number, parse_constant=_constant, strict=True
)
# A string, or what begins as one and has no end: so each character is read once.
_STRINGS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_ESCAPES = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)


def read(line: str):
    """Reads one value."""
    bare = _STRINGS.sub("", line)
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", bare):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        raise ValueError("values nested too deeply")
    for string in _STRINGS.findall(line) if "\\" in line else ():
        for escape in _ESCAPES.findall(string):
            if escape not in ('"', "\\") and (len(escape) == 1 or 0xD800 <= int(escape[1:], 16) < 0xE000):
                raise ValueError("a wrong escape")
    return _DECODER.decode(line)


class Members:
    """The members of an object, to be taken out one by one."""

    def __init__(self, value):
        if not isinstance(value, dict):
            raise ValueError("an object was expected")
        self.left = dict(value)

    def has(self, name: str) -> bool:
        return name in self.left

    def optional(self, name: str):
        """The value, or ``None`` if there is no such member."""
        if name in self.left and self.left[name] is None:
            raise ValueError(f'"{name}" is null')
        return self.left.pop(name, None)

    def take(self, name: str):
        if name not in self.left:
            raise ValueError(f'"{name}" is missing')
        return self.left.pop(name)

    def list(self, name: str):
        return listed(self.take(name))

    def end(self) -> None:
        for name in self.left:
            raise ValueError(f'"{name}" is not known here')


def listed(value):
    if not isinstance(value, list):
        raise ValueError("a list was expected")
    return value


def number(value) -> float:
    if not isinstance(value, float):
        raise ValueError("a number was expected")
    return float(value)


def index(value) -> int:
    if not isinstance(value, Index) or not value < 4e9:
        raise ValueError("an index was expected")
    return int(value)


def text(value) -> str:
    if not isinstance(value, str):
        raise ValueError("a text was expected")
    return value


def numbers(value) -> list[float]:
    return [number(one) for one in listed(value)]


def row(value, width: int) -> tuple[float, ...]:
    found = tuple(numbers(value))
    if len(found) != width:
        raise ValueError(f"{width} numbers were expected")
    return found


def rows(value, width: int) -> list[tuple[float, ...]]:
    found = numbers(value)
    if len(found) % width:
        raise ValueError(f"the list is not made of rows of {width}")
    return [tuple(found[k : k + width]) for k in range(0, len(found), width)]


def pairs(value) -> list[tuple[int, int]]:
    found = [tuple(index(one) for one in listed(pair)) for pair in listed(value)]
    if any(len(pair) != 2 for pair in found):
        raise ValueError("two indices were expected")
    return found  # type: ignore[return-value]
