"""Many answers at once, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import Floats

KINDS = ("free", "touch", "touching_at_start", "undecided")
"""What the codes of `Batch.codes` stand for."""


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """The answers of `Checker.check_motions`, one row per edge.

    Like an `Answer` it has no truth value.
    """

    codes: npt.NDArray[np.uint8]
    """The kind of each answer, as an index into `KINDS`."""
    toi: Floats
    """The time of impact of each, NaN where there is none."""
    free_until: Floats
    """The time before which each is proven free."""

    @property
    def is_free(self) -> npt.NDArray[np.bool_]:
        """Where it is proven that nothing touches."""
        free: npt.NDArray[np.bool_] = self.codes == 0
        return free

    @property
    def kind(self) -> npt.NDArray[np.str_]:
        """The kind of each answer, in words."""
        return np.array(KINDS)[self.codes]

    def __len__(self) -> int:
        return len(self.codes)

    def __bool__(self) -> bool:
        raise TypeError("a batch of answers has no truth value: use .is_free.all()")

    def to_arrow(self) -> Any:
        """The columns as a ``pyarrow.Table``: ``kind``, ``is_free``, ``toi`` (null where there is none) and ``free_until``."""
        import pyarrow as pa

        codes = pa.array(self.codes.astype(np.int8))
        columns = {
            "kind": pa.DictionaryArray.from_arrays(codes, pa.array(KINDS)),
            "is_free": pa.array(self.is_free),
            "toi": pa.array(self.toi, mask=np.isnan(self.toi)),
            "free_until": pa.array(self.free_until),
        }
        return pa.table(columns)

    def __repr__(self) -> str:
        counts = np.bincount(self.codes, minlength=len(KINDS))
        words = [f"{count} {kind}" for kind, count in zip(KINDS, counts.tolist(), strict=True) if count]
        return f"Batch({', '.join(words) or 'empty'})"

    def _repr_html_(self) -> str:
        from ._html import table

        counts = np.bincount(self.codes, minlength=len(KINDS)).tolist()
        return table(f"{len(self)} answers", list(zip(KINDS, counts, strict=True)))
