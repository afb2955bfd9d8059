"""Proofs that can be written to a file, and verified without this package."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable
from typing import Any

from . import _core


class Certificate:
    """A proof that nothing touches: from `Scene.certify`, `Checker.certify_motion`, `Checker.certify_path` or
    `Checker.certify_trajectory`.

    The file has the whole statement, shapes and motions as numbers and formulas, and the proof.
    ``python -m firsttouch_verify FILE`` and the program ``firsttouch-verify`` read it, and share no code with what
    wrote it.

    Examples
    --------
    >>> import firsttouch as ft
    >>> s = ft.Scene()
    >>> s.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose([0, 0, 10]), ft.Pose([0, 0, 4])))
    >>> s.add("slab", ft.Box([8, 8, 2]))
    >>> certificate = s.certify()
    >>> certificate.free_until
    1.0
    >>> certificate.save("ball.ftc")                            # doctest: +SKIP
    """

    __slots__ = ("_raw",)

    def __init__(self, raw: _core.Certificate) -> None:
        self._raw = raw

    @property
    def free_until(self) -> float:
        """The part of the whole time, from 0 to 1, until which nothing touches. It does not depend on the duration of
        the scene."""
        return self._raw.free_until

    @property
    def nodes(self) -> int:
        """The number of nodes of all trees of the proof."""
        return self._raw.nodes

    @property
    def statement(self) -> list[dict[str, Any]]:
        """The claim, one entry for each line of the file: shapes, frames, parts, separations, and pairs that are not
        checked."""
        return [json.loads(line) for line in self._raw.statement().splitlines()]

    def text(self, sources: Iterable[str | os.PathLike[str]] = ()) -> str:
        """The file as text; see `save`."""
        return self._raw.text(_hashes(sources))

    def save(self, path: str | os.PathLike[str], *, sources: Iterable[str | os.PathLike[str]] = ()) -> None:
        """Writes the file, or none at all.

        Parameters
        ----------
        path : path-like
        sources : paths, optional
            Files that the shapes and motions came from. Their names and hashes are written; the proof does not need
            them.
        """
        self._raw.save(os.fspath(path), _hashes(sources))

    def verify(self) -> dict[str, Any]:
        """Verifies the file with `firsttouch_verify`, which is in this package and trusts no other part of it.

        Returns
        -------
        dict
            The proven values ``free_until`` and ``separation``, and the numbers of parts, pairs and nodes.

        Raises
        ------
        firsttouch_verify.Refused
        """
        from firsttouch_verify import verify

        found: dict[str, Any] = verify(io.BytesIO(self.text().encode()))
        return found

    def __repr__(self) -> str:
        return f"Certificate(free until {self.free_until:g}, {self.nodes} nodes)"


def _hashes(sources: Iterable[str | os.PathLike[str]]) -> list[tuple[str, str]]:
    found = []
    for source in sources:
        with open(source, "rb") as file:
            found.append((os.fspath(source), hashlib.sha256(file.read()).hexdigest()))
    return found
