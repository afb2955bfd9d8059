"""Many answers at once, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, cast, overload

import numpy as np
import numpy.typing as npt

from ._arrays import Floats

KINDS = ("free", "touch", "touching_at_start", "undecided")
"""The kinds that the codes of `Batch.codes` stand for."""

_Two = tuple[str, str]


@dataclass(frozen=True)
class BatchAnswer:
    """One row of a `Batch`. `Checker.check_motion` tells where and in which features two bodies touch. It has no truth
    value."""

    kind: Literal["free", "touch", "touching_at_start", "undecided"]
    """As in `Answer`."""
    toi: float | None
    """The time of impact; None if there is none."""
    free_until: float
    """The time before which nothing touches."""
    names: tuple[str, str] | None
    """The two bodies."""
    parts: tuple[str, str] | None
    """The part of each: ``"solid"``, ``"tri 7"``, or the name of a link."""

    @property
    def is_free(self) -> bool:
        """True if it is proven that nothing touches."""
        return self.kind == "free"

    def __bool__(self) -> NoReturn:
        raise TypeError("an answer has no truth value: use .is_free, or look at .kind")


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """The answers of `Checker.check_motions`, one row per edge.

    ``b[3]`` is one of them, and ``b[10:20]`` or ``b[~b.is_free]`` some of them. Like an `Answer` it has no truth value.
    """

    codes: npt.NDArray[np.uint8]
    """The kind of each answer, as an index into `KINDS`."""
    toi: Floats
    """The time of impact of each, NaN where there is none."""
    free_until: Floats
    """The time before which each is proven free."""
    _pairs: npt.NDArray[np.int32]
    """For each, the index in `_named` of the bodies that touch; -1 if it is free."""
    _named: tuple[tuple[_Two | None, _Two | None], ...]

    @classmethod
    def _of_core(cls, codes: Any, toi: Any, free_until: Any, pairs: Any, named: Any) -> Batch:
        two = [tuple(None if of is None else (of[0], of[1]) for of in pair) for pair in named]
        return cls(codes, toi, free_until, pairs, cast("Any", tuple(two)))

    @property
    def is_free(self) -> npt.NDArray[np.bool_]:
        """True for each row in which it is proven that nothing touches."""
        free: npt.NDArray[np.bool_] = self.codes == 0
        return free

    @property
    def kind(self) -> npt.NDArray[np.str_]:
        """The kind of each answer, in words."""
        return np.array(KINDS)[self.codes]

    @property
    def names(self) -> list[tuple[str, str] | None]:
        """The two bodies of each row that is not free; None for a free row."""
        return [None if pair < 0 else self._named[pair][0] for pair in self._pairs.tolist()]

    @property
    def parts(self) -> list[tuple[str, str] | None]:
        """The part of each body, as in `Answer.parts`; None where nothing is known to touch."""
        return [None if pair < 0 else self._named[pair][1] for pair in self._pairs.tolist()]

    def counts(self) -> dict[tuple[tuple[str, str], tuple[str, str] | None], int]:
        """Returns the number of edges that each pair of bodies and parts blocks, the most frequent first."""
        found = np.bincount(self._pairs[self._pairs >= 0], minlength=len(self._named)).tolist()
        order = sorted(range(len(found)), key=lambda k: (-found[k], k))
        return {cast("Any", self._named[k]): found[k] for k in order if found[k]}

    def __len__(self) -> int:
        return len(self.codes)

    def __bool__(self) -> NoReturn:
        raise TypeError("a batch of answers has no truth value: use .is_free.all()")

    @overload
    def __getitem__(self, which: int | np.integer[Any]) -> BatchAnswer: ...
    @overload
    def __getitem__(self, which: slice | npt.NDArray[Any] | list[int]) -> Batch: ...
    def __getitem__(self, which: Any) -> BatchAnswer | Batch:
        if isinstance(which, (int, np.integer)) and not isinstance(which, (bool, np.bool_)):
            toi, pair = float(self.toi[which]), int(self._pairs[which])
            names, parts = (None, None) if pair < 0 else self._named[pair]
            kind: Any = KINDS[self.codes[which]]
            return BatchAnswer(kind, None if np.isnan(toi) else toi, float(self.free_until[which]), names, parts)
        codes = self.codes[which]
        if codes.ndim != 1:
            raise IndexError(f"a batch is indexed by a number, a slice, or a row of numbers or truth values, not by {which!r}")
        return Batch(codes, self.toi[which], self.free_until[which], self._pairs[which], self._named)

    def __iter__(self) -> Iterator[BatchAnswer]:
        return (self[k] for k in range(len(self)))

    def to_arrow(self) -> Any:
        """The columns as a ``pyarrow.Table``: ``kind``, ``is_free``, ``toi`` (null where there is none) and
        ``free_until``."""
        import pyarrow as pa

        codes = pa.array(self.codes.astype(np.int8))
        columns = {
            "kind": pa.DictionaryArray.from_arrays(codes, pa.array(KINDS)),
            "is_free": pa.array(self.is_free),
            "toi": pa.array(self.toi, mask=np.isnan(self.toi)),
            "free_until": pa.array(self.free_until),
        }
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """The columns as a ``pandas.DataFrame``: those of `to_arrow`, and ``name_a``, ``name_b``, ``part_a``,
        ``part_b`` (None where there is none)."""
        import pandas as pd

        columns: dict[str, Any] = {
            "kind": pd.Categorical.from_codes(self.codes.astype(np.int8).tolist(), list(KINDS)),
            "is_free": self.is_free,
            "toi": self.toi,
            "free_until": self.free_until,
        }
        for word, pairs in (("name", self.names), ("part", self.parts)):
            for k, side in enumerate("ab"):
                columns[f"{word}_{side}"] = pd.Series([None if two is None else two[k] for two in pairs], dtype=object)
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        counts = np.bincount(self.codes, minlength=len(KINDS))
        words = [f"{count} {kind}" for kind, count in zip(KINDS, counts.tolist(), strict=True) if count]
        return f"Batch({', '.join(words) or 'empty'})"

    def _repr_html_(self) -> str:
        from ._html import table

        counts = np.bincount(self.codes, minlength=len(KINDS)).tolist()
        return table(f"{len(self)} answers", list(zip(KINDS, counts, strict=True)))
