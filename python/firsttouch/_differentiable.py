"""Times of contact and least distances with their derivatives, for batches of any shape. The adapters for automatic
differentiation share this module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._options import MAX_ITERATIONS, pack

if TYPE_CHECKING:
    from ._arrays import Floats
    from .checker import Checker


class _OfChecker:
    """A checker and its options, as a function of arrays of shape (..., dof)."""

    def __init__(self, checker: Checker, tolerance: float, min_separation: float, threads: int) -> None:
        self.dof = checker.dof
        # A copy, so that later changes of the checker do not change the function that was differentiated.
        self._checker = checker.copy()
        self._values = pack("first", tolerance, min_separation, 1.0, MAX_ITERATIONS, threads)

    def check_shapes(self, q0: Any, q1: Any = None) -> None:
        """Refuses anything but a configuration, or a pair of configurations."""
        for what, q in ("q" if q1 is None else "q0", q0), ("q1", q1):
            if q is not None and (len(q.shape) == 0 or q.shape[-1] != self.dof):
                raise ValueError(f"{what} must have the shape (..., {self.dof}), but has {tuple(q.shape)}")
        if q1 is not None and q0.shape != q1.shape:
            raise ValueError(f"q0 and q1 must have the same shape, but have {tuple(q0.shape)} and {tuple(q1.shape)}")

    def _rows(self, q: Any) -> Floats:
        return np.ascontiguousarray(np.asarray(q, dtype=np.float64).reshape(-1, self.dof))


class TimeOfContact(_OfChecker):
    """The time of contact between two configurations."""

    def __init__(
        self, checker: Checker, *, tolerance: float, min_separation: float, free: float, threads: int = 0
    ) -> None:
        super().__init__(checker, tolerance, min_separation, threads)
        self._free = float(free)

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


class LeastDistance(_OfChecker):
    """The least distance in a configuration, or between two."""

    def __init__(self, checker: Checker, *, tolerance: float, nothing: float = np.inf, threads: int = 0) -> None:
        super().__init__(checker, tolerance, 0.0, threads)
        self._nothing, self._tolerance = float(nothing), float(tolerance)

    def value(self, q0: Any, q1: Any = None) -> Floats:
        """The least distance, of shape (...)."""
        return self._found(q0, q1, False)[0]

    def value_and_gradients(self, q0: Any, q1: Any = None) -> tuple[Floats, Floats, Floats]:
        """The least distance, and its derivatives by both ends, of shape (..., dof). In one configuration the first is
        the whole derivative."""
        found, by_q0, by_q1 = self._found(q0, q1, True)
        return (found, by_q0, by_q1) if q1 is not None else (found, by_q0 + by_q1, by_q1)

    def _found(self, q0: Any, q1: Any, with_gradients: bool) -> tuple[Floats, Floats, Floats]:
        ends = self._rows(q0), None if q1 is None else self._rows(q1)
        least, *flat = self._checker._core.clearance_gradients(*ends, with_gradients, self._values)
        by_q0, by_q1 = (rows.reshape(-1, self.dof) for rows in flat)
        # Where things overlap, the points of contact alone give no useful derivative.
        touches = least <= self._tolerance
        by_q0[touches], by_q1[touches] = 0.0, 0.0
        shape = np.shape(q0)
        found = np.where(np.isnan(least), self._nothing, least).reshape(shape[:-1])
        return found, by_q0.reshape(shape), by_q1.reshape(shape)
