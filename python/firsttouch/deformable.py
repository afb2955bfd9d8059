"""Deforming meshes: vertices that move on straight lines from one frame to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import index_list, indices, points as _points
from ._options import MAX_ITERATIONS, TOLERANCE, Mode, Start, pack
from ._types import ArrayLike
from .answer import Answer


class Deformable:
    """A mesh that is checked against itself, frame by frame. It may consist of any number of objects.

    With ``min_separation`` 0 every decision is exact for the float64 numbers given.

    Parameters
    ----------
    V : array_like of shape (N, 3)
        The vertices in some frame. They shape the hierarchy, which later frames keep.
    F : array_like of shape (M, 3)
        The triangles.
    edges : array_like of shape (K, 2), optional
        Loose edges.
    points : array_like of shape (K,), optional
        Loose points.

    Examples
    --------
    A loose point falls from z = 1 to z = -3 through a triangle at rest.

    >>> import numpy as np, firsttouch as ft
    >>> V0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1]], dtype=float)
    >>> V1 = V0.copy(); V1[3, 2] = -3
    >>> m = ft.Deformable(V0, [[0, 1, 2]], points=[3])
    >>> r = m.check(V0, V1)
    >>> r.kind, round(r.toi, 15), r.features
    ('touch', 0.25, ('vertex 3', 'face 0'))
    >>> 0.25 - 2**-50 <= m.compute_collision_free_stepsize(V0, V1) <= 0.25
    True
    """

    def __init__(self, V: ArrayLike, F: ArrayLike, *, edges: ArrayLike | None = None, points: ArrayLike | None = None) -> None:
        self._arguments = (
            _points(V, "V").copy(),
            indices(F, 3, "F").copy(),
            indices(edges, 2, "edges").copy(),
            index_list(points, "points"),
        )
        self._core = _core.Deformable(*self._arguments)

    @property
    def edges(self) -> np.typing.NDArray[np.uint32]:
        """All edges, of shape (E, 2): those of the triangles, and loose ones. Answers number edges by their rows
        here."""
        return self._core.edges

    def check(
        self,
        V0: ArrayLike,
        V1: ArrayLike,
        *,
        mode: Mode = "first",
        start: Start = "report",
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        t_max: float = 1.0,
        max_iterations: int = MAX_ITERATIONS,
        threads: int = 0,
    ) -> Answer:
        """Returns the first touch on the way from one frame to another.

        Parameters
        ----------
        V0, V1 : array_like of shape (N, 3)
            The vertices at the times 0 and 1.
        mode : {"first", "any", "all"}
            In the mode "all", `Answer.pairs` has the first touch of every pair of features that touches.
        start : {"report", "ignore"}
            "ignore" leaves out pairs of features that touch at time 0.
        """
        values = pack(mode, tolerance, min_separation, t_max, max_iterations, threads, start)
        return Answer(self._core.check(self._frame(V0, "V0"), self._frame(V1, "V1"), values))

    def compute_collision_free_stepsize(
        self, V0: ArrayLike, V1: ArrayLike, min_distance: float = 0.0, *, tolerance: float = TOLERANCE, threads: int = 0
    ) -> float:
        """Returns the largest time that is proven free: the whole step is 1.

        The step is proven free on ``[0, step)``; a simulator takes a fraction of it, as with other libraries. Pairs of
        features that touch at time 0 are left out. Pairs that are nearer than `min_distance` at time 0, up to the
        tolerance, need not keep it, but do not touch either.
        """
        answer = self.check(V0, V1, start="ignore", min_separation=min_distance, tolerance=tolerance, threads=threads)
        return answer.free_until

    def is_step_collision_free(
        self, V0: ArrayLike, V1: ArrayLike, min_distance: float = 0.0, *, tolerance: float = TOLERANCE, threads: int = 0
    ) -> bool:
        """Returns True if it is proven that the whole step is free. It leaves out the same pairs as
        `compute_collision_free_stepsize`."""
        answer = self.check(
            V0, V1, mode="any", start="ignore", min_separation=min_distance, tolerance=tolerance, threads=threads
        )
        return answer.is_free

    def _frame(self, value: Any, what: str) -> Any:
        frame = _points(value, what)
        if len(frame) != len(self._arguments[0]):
            raise ValueError(f"{what} must have the shape ({len(self._arguments[0])}, 3), but has {frame.shape}")
        return frame

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, self._arguments)

    def __copy__(self) -> Deformable:
        return _rebuilt(*self._arguments)

    def __deepcopy__(self, memo: object) -> Deformable:
        return _rebuilt(*self._arguments)

    def __repr__(self) -> str:
        V, F, edges, points = self._arguments
        return f"Deformable({len(V)} vertices, {len(F)} faces, {len(edges)} loose edges, {len(points)} loose points)"


def _rebuilt(V: Any, F: Any, edges: Any, points: Any) -> Deformable:
    return Deformable(V, F, edges=edges, points=points)
