"""The types of the arguments of this package, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

import numpy as np

if TYPE_CHECKING:
    from .motions import Motion
    from .pose import Pose
    from .shapes import Shape


class SupportsArray(Protocol):
    """Any object that NumPy converts to an array: its own arrays, those of JAX and PyTorch, columns of tables."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


class SupportsHomogeneous(Protocol):
    """A pose of Pinocchio, for example."""

    @property
    def homogeneous(self) -> Any: ...


class SupportsAsMatrix(Protocol):
    """A rotation of SciPy, for example."""

    def as_matrix(self) -> Any: ...


class SupportsMesh(Protocol):
    """A mesh of trimesh, for example."""

    @property
    def vertices(self) -> Any: ...
    @property
    def faces(self) -> Any: ...


Row: TypeAlias = SupportsArray | Sequence[float]
"""Numbers in a row."""
# A text is a sequence of texts, so it is none of these, where numpy's own `ArrayLike` takes it.
Matrix: TypeAlias = SupportsArray | Sequence[Row]
"""Rows of numbers."""
ArrayLike: TypeAlias = Row | Sequence[Row] | Sequence[Sequence[Row]]
"""Numbers, in as many dimensions as the argument says."""
PoseLike: TypeAlias = Union["Pose", Matrix, SupportsHomogeneous, SupportsAsMatrix]
"""What `Pose.of` takes."""
ShapeLike: TypeAlias = Union["Shape", SupportsMesh]
"""A shape, or a mesh of another package."""
MotionLike: TypeAlias = Union["Motion", PoseLike]
"""A motion, or the pose of a body at rest."""
