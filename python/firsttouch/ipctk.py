"""IPC Toolkit: its narrow phase with the exact tests of firsttouch."""

from __future__ import annotations

from typing import Any

import ipctk as _ipctk
import numpy as np

from ._options import MAX_ITERATIONS, TOLERANCE
from .elementary import edge_edge_ccd, point_triangle_ccd

# The core takes no time span of length 0.
_INSTANT = 1e-100


class ExactCCD(_ipctk.NarrowPhaseCCD):  # type: ignore[misc]
    """A ``NarrowPhaseCCD`` for everything in ``ipctk`` that takes one.

    With a minimum distance of 0 every decision is exact: nothing is missed, and there are no false alarms.

    ``ipctk`` keeps the GIL while its threads wait to call Python, which would never end. So making an `ExactCCD` sets
    the number of its threads to one. `firsttouch.Deformable` gives the same step, on all cores and without a call of
    Python for each pair.

    Examples
    --------
    >>> import numpy as np, ipctk, firsttouch as ft
    >>> V0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 1], [1.2, 0.2, 1], [0.2, 1.2, 1]], dtype=float, order="F")
    >>> V1 = V0.copy(order="F"); V1[3:, 2] = -1
    >>> F = np.array([[0, 1, 2], [3, 4, 5]])
    >>> mesh = ipctk.CollisionMesh(V0, ipctk.edges(F), F)
    >>> step = ipctk.compute_collision_free_stepsize(mesh, V0, V1, narrow_phase_ccd=ft.ipctk.ExactCCD())
    >>> 0.5 - 2**-50 <= step <= 0.5
    True
    """

    def __init__(self, tolerance: float = TOLERANCE, max_iterations: int = MAX_ITERATIONS) -> None:
        super().__init__()
        _ipctk.set_num_threads(1)
        self.tolerance = tolerance
        self.max_iterations = max_iterations

    def _options(self, min_distance: float, tmax: float) -> dict[str, Any]:
        return {
            "min_distance": min_distance,
            "t_max": min(max(float(tmax), _INSTANT), 1.0),
            "tolerance": self.tolerance,
            "max_iterations": self.max_iterations,
        }

    def point_triangle_ccd(
        self, p_t0: Any, t0_t0: Any, t1_t0: Any, t2_t0: Any, p_t1: Any, t0_t1: Any, t1_t1: Any, t2_t1: Any,
        min_distance: float = 0.0, tmax: float = 1.0,
    ) -> tuple[bool, float]:  # fmt: skip
        """Decides if and when a point meets a triangle."""
        corners = (p_t0, t0_t0, t1_t0, t2_t0, p_t1, t0_t1, t1_t1, t2_t1)
        return _told(point_triangle_ccd(*map(_flat, corners), **self._options(min_distance, tmax)))

    def edge_edge_ccd(
        self, ea0_t0: Any, ea1_t0: Any, eb0_t0: Any, eb1_t0: Any, ea0_t1: Any, ea1_t1: Any, eb0_t1: Any, eb1_t1: Any,
        min_distance: float = 0.0, tmax: float = 1.0,
    ) -> tuple[bool, float]:  # fmt: skip
        """Decides if and when two edges meet."""
        corners = (ea0_t0, ea1_t0, eb0_t0, eb1_t0, ea0_t1, ea1_t1, eb0_t1, eb1_t1)
        return _told(edge_edge_ccd(*map(_flat, corners), **self._options(min_distance, tmax)))

    def point_edge_ccd(
        self, p_t0: Any, e0_t0: Any, e1_t0: Any, p_t1: Any, e0_t1: Any, e1_t1: Any,
        min_distance: float = 0.0, tmax: float = 1.0,
    ) -> tuple[bool, float]:  # fmt: skip
        """Decides if and when a point meets an edge, in two or three dimensions. The point is an edge without
        length."""
        corners = (p_t0, p_t0, e0_t0, e1_t0, p_t1, p_t1, e0_t1, e1_t1)
        return _told(edge_edge_ccd(*map(_flat, corners), **self._options(min_distance, tmax)))

    def point_point_ccd(
        self, p0_t0: Any, p1_t0: Any, p0_t1: Any, p1_t1: Any, min_distance: float = 0.0, tmax: float = 1.0
    ) -> tuple[bool, float]:
        """Decides if and when two points meet, in two or three dimensions. The points are edges without length."""
        corners = (p0_t0, p0_t0, p1_t0, p1_t0, p0_t1, p0_t1, p1_t1, p1_t1)
        return _told(edge_edge_ccd(*map(_flat, corners), **self._options(min_distance, tmax)))


def _flat(point: Any) -> Any:
    """A point of two or three coordinates, in a row or a column, as three numbers."""
    flat = np.asarray(point, dtype=np.float64).reshape(-1)
    return flat if flat.size == 3 else np.append(flat, 0.0)


def _told(found: tuple[Any, Any]) -> tuple[bool, float]:
    hit, toi = found
    return bool(hit), 1.0 if toi is None else float(toi)
