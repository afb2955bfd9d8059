"""Errors that name the argument, and suggest the name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class WrongType(TypeError, ValueError):
    """An argument of a type that says nothing here. It is a ``ValueError`` as well, as all bad input is."""


class UnknownName(KeyError, ValueError):
    """A name that nothing has."""

    def __str__(self) -> str:
        return str(self.args[0])


def wrong_type(value: object, what: str, wanted: str, hint: str = "") -> WrongType:
    """That an argument is no such thing."""
    return WrongType(f"{what} must be {wanted}, not {type(value).__name__}{hint}")


def unknown(name: str, known: Iterable[str], what: str = "nothing") -> UnknownName:
    """That nothing has this name, with the names that are like it."""
    near = difflib.get_close_matches(name, list(dict.fromkeys(known)), n=3, cutoff=0.5)
    near += [other for other in known if name in other and other not in near][: 3 - len(near)]
    meant = " or ".join(f"\"{other}\"" for other in near)
    return UnknownName(f"{what} is called \"{name}\"" + (f"; did you mean {meant}?" if near else ""))
