"""Errors that name the argument, and suggest the name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class WrongType(TypeError, ValueError):
    """An argument of the wrong type. It is also a ``ValueError``, as every error about bad input is."""


class UnknownName(KeyError, ValueError):
    """A name that does not exist."""

    def __str__(self) -> str:
        return str(self.args[0])


def wrong_type(value: object, what: str, wanted: str, hint: str = "") -> WrongType:
    """Returns the error that an argument has the wrong type."""
    return WrongType(f"{what} must be {wanted}, not {type(value).__name__}{hint}")


def unknown(name: str, known: Iterable[str], what: str = "nothing") -> UnknownName:
    """Returns the error that this name does not exist, with similar names."""
    near = difflib.get_close_matches(name, list(dict.fromkeys(known)), n=3, cutoff=0.5)
    near += [other for other in known if name in other and other not in near][: 3 - len(near)]
    meant = " or ".join(f"\"{other}\"" for other in near)
    return UnknownName(f"{what} is called \"{name}\"" + (f"; did you mean {meant}?" if near else ""))
