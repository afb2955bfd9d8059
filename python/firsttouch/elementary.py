"""One point and triangle, or two edges, whose vertices move linearly: decided exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core
from ._arrays import floats
from ._options import MAX_ITERATIONS, TOLERANCE, pack
from ._types import ArrayLike


def point_triangle_ccd(
    p0: ArrayLike, a0: ArrayLike, b0: ArrayLike, c0: ArrayLike, p1: ArrayLike, a1: ArrayLike, b1: ArrayLike, c1: ArrayLike,
    *,
    min_distance: float = 0.0,
    tolerance: float = TOLERANCE,
    t_max: float = 1.0,
    max_iterations: int = MAX_ITERATIONS,
) -> tuple[Any, Any]:  # fmt: skip
    """Decides if and when a moving point meets a moving triangle.

    With `min_distance` 0 the decision is exact for the float64 numbers given, however degenerate they are.

    Parameters
    ----------
    p0, a0, b0, c0 : array_like of shape (3,) or (N, 3)
        The point and the corners of the triangle at time 0.
    p1, a1, b1, c1 : array_like of shape (3,) or (N, 3)
        The same at time 1. Arrays of both shapes can be mixed.
    min_distance : float
        Features closer than this touch. Then the answer comes from conservative advancement. A query that it cannot
        decide within `max_iterations` counts as a hit, at the time up to which it is proven free.

    Returns
    -------
    hit : bool or array of bool
    toi : float or array of float
        Never after the exact first contact, and at most 2^-50 before it; None, or NaN in arrays, where there is no hit.

    Examples
    --------
    >>> import firsttouch as ft
    >>> triangle = [0, 0, 0], [1, 0, 0], [0, 1, 0]
    >>> hit, toi = ft.point_triangle_ccd([0.25, 0.25, 1], *triangle, [0.25, 0.25, -3], *triangle)
    >>> hit, 0.25 - 2**-50 <= toi <= 0.25
    (True, True)
    >>> hit, toi = ft.point_triangle_ccd([[0.25, 0.25, 1], [2, 2, 1]], *triangle, [[0.25, 0.25, -3], [2, 2, -3]], *triangle)
    >>> hit, toi.round(15)
    (array([ True, False]), array([0.25,  nan]))
    """
    values = pack("first", tolerance, min_distance, t_max, max_iterations, 1)
    return _decide((p0, a0, b0, c0, p1, a1, b1, c1), values, _core.vertex_face_one, _core.vertex_face_many)


def edge_edge_ccd(
    a0: ArrayLike, b0: ArrayLike, c0: ArrayLike, d0: ArrayLike, a1: ArrayLike, b1: ArrayLike, c1: ArrayLike, d1: ArrayLike,
    *,
    min_distance: float = 0.0,
    tolerance: float = TOLERANCE,
    t_max: float = 1.0,
    max_iterations: int = MAX_ITERATIONS,
) -> tuple[Any, Any]:  # fmt: skip
    """Decides if and when a moving edge from a to b meets a moving edge from c to d.

    See `point_triangle_ccd` for the arguments and the result.

    Examples
    --------
    >>> import firsttouch as ft
    >>> across = [0, -1, 0], [0, 1, 0]
    >>> hit, toi = ft.edge_edge_ccd([-1, 0, 1], [1, 0, 1], *across, [-1, 0, -1], [1, 0, -1], *across)
    >>> hit, round(toi, 12)
    (True, 0.5)
    """
    values = pack("first", tolerance, min_distance, t_max, max_iterations, 1)
    return _decide((a0, b0, c0, d0, a1, b1, c1, d1), values, _core.edge_edge_one, _core.edge_edge_many)


_NAMES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


_FLOAT64 = np.dtype(np.float64)


def _is_ready(given: tuple[Any, ...]) -> bool:
    """Returns True if all are arrays that the core takes as they are: a look is cheaper than a conversion."""
    shape: tuple[int, ...] = getattr(given[0], "shape", ())
    if len(shape) != 2 or shape[1] != 3:
        return False
    for corner in given:
        if type(corner) is not np.ndarray or corner.dtype is not _FLOAT64 or corner.shape != shape:
            return False
        if not corner.flags.c_contiguous:
            return False
    return True


def _decide(given: tuple[Any, ...], values: Any, one: Callable[..., Any], many: Callable[..., Any]) -> tuple[Any, Any]:
    if _is_ready(given):
        return many(list(given), values)  # type: ignore[no-any-return]
    if getattr(given[0], "ndim", 1) == 1:
        # Eight points, the usual case of a single query, are converted together. All other arguments are examined one
        # by one.
        try:
            stacked = np.asarray(given)
        except ValueError:
            stacked = np.empty(0)
        if stacked.shape == (8, 3) and stacked.dtype.kind in "fiu":
            return one(stacked.tolist(), values)  # type: ignore[no-any-return]
    corners = [floats(corner, f"the {name} point") for corner, name in zip(given, _NAMES, strict=True)]
    rows = 1
    batch = False
    for corner, name in zip(corners, _NAMES, strict=True):
        if corner.ndim not in (1, 2) or corner.shape[-1] != 3:
            raise ValueError(f"the {name} point must have the shape (3,) or (N, 3), but has {corner.shape}")
        if corner.ndim == 2:
            if batch and corner.shape[0] not in (1, rows) and rows != 1:
                raise ValueError(f"the {name} point has {corner.shape[0]} rows, but another has {rows}")
            rows = corner.shape[0] if not batch or rows == 1 else rows
            batch = True
    if not batch:
        return one([corner.tolist() for corner in corners], values)  # type: ignore[no-any-return]
    wanted = (rows, 3)
    full = [c if c.shape == wanted else np.ascontiguousarray(np.broadcast_to(c, wanted)) for c in corners]
    return many(full, values)  # type: ignore[no-any-return]
