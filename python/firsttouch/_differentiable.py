"""The time of contact with its derivatives for batches of any shape: what the adapters for automatic differentiation share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._options import MAX_ITERATIONS, pack

if TYPE_CHECKING:
    from ._arrays import Floats
    from .checker import Checker


class TimeOfContact:
    """A checker and its options, as a function of two arrays of shape (..., dof)."""

    def __init__(
        self, checker: Checker, *, tolerance: float, min_separation: float, free: float, threads: int = 0
    ) -> None:
        self.dof = checker.dof
        self._free = float(free)
        # Later changes of the checker do not change what was differentiated.
        self._checker = checker.copy()
        self._values = pack("first", tolerance, min_separation, 1.0, MAX_ITERATIONS, threads)

    def value(self, q0: Any, q1: Any) -> Floats:
        """The time of contact, of shape (...)."""
        a, b = self._rows(q0), self._rows(q1)
        _, toi, *_ = self._checker._core.check_motions(a, b, self._values)
        found: Floats = np.where(np.isnan(toi), self._free, toi).reshape(np.shape(q0)[:-1])
        return found

    def value_and_gradients(self, q0: Any, q1: Any) -> tuple[Floats, Floats, Floats]:
        """The time of contact, and its derivatives by both ends, of shape (..., dof)."""
        a, b = self._rows(q0), self._rows(q1)
        toi, by_q0, by_q1 = self._checker._core.toi_gradients(a, b, self._values)
        shape = np.shape(q0)
        found = np.where(np.isnan(toi), self._free, toi).reshape(shape[:-1])
        return found, by_q0.reshape(shape), by_q1.reshape(shape)

    def check_shapes(self, q0: Any, q1: Any) -> None:
        """Refuses what is no pair of configurations."""
        for what, q in ("q0", q0), ("q1", q1):
            if len(q.shape) == 0 or q.shape[-1] != self.dof:
                raise ValueError(f"{what} must have the shape (..., {self.dof}), but has {tuple(q.shape)}")
        if q0.shape != q1.shape:
            raise ValueError(f"q0 and q1 must have the same shape, but have {tuple(q0.shape)} and {tuple(q1.shape)}")

    def _rows(self, q: Any) -> Floats:
        return np.ascontiguousarray(np.asarray(q, dtype=np.float64).reshape(-1, self.dof))
