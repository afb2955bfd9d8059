"""Arrays as the core takes them: float64 or int64, contiguous, of the right shape."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._errors import WrongType, wrong_type

Floats: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]


def floats(value: Any, what: str) -> Floats:
    """Returns any real numbers as float64. Anything else raises a ``ValueError``."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} must be an array of numbers: {error}") from None
    if array.dtype.kind not in "fiubO":
        raise ValueError(f"{what} must be real numbers, but has the type {array.dtype}")
    try:
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be real numbers: {error}") from None


def number(value: Any, what: str) -> float:
    """One number."""
    try:
        return float(value)
    except TypeError:
        raise wrong_type(value, what, "a number") from None
    except ValueError:
        raise WrongType(f"{what} must be a number, not {value!r}") from None


def vector(value: Any, length: int, what: str) -> tuple[float, ...]:
    """Returns this many numbers."""
    array = floats(value, what)
    if array.shape != (length,):
        raise ValueError(f"{what} must have {length} entries, but has the shape {array.shape}")
    return tuple(array.tolist())


def points(value: Any, what: str) -> Floats:
    """An array of shape (N, 3)."""
    array = floats(value, what)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{what} must have the shape (N, 3), but has {array.shape}")
    return array


def configuration(value: Any, dof: int, what: str) -> list[float]:
    """Returns one number per joint."""
    array = floats(value, what)
    if array.shape != (dof,):
        raise ValueError(f"{what} must have one number per joint, the shape ({dof},), but has {array.shape}")
    return array.tolist()  # type: ignore[no-any-return]


def configurations(value: Any, dof: int, what: str) -> Floats:
    """An array of shape (N, dof)."""
    array = floats(value, what)
    if array.ndim != 2 or array.shape[1] != dof:
        raise ValueError(f"{what} must have the shape (N, {dof}), but has {array.shape}")
    return array


def indices(value: Any, width: int, what: str) -> Indices:
    """An array of shape (N, width) of any integer type; None is an empty one."""
    if value is None:
        return np.zeros((0, width), dtype=np.int64)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} must be an array of integers: {error}") from None
    if array.size == 0 and array.ndim in (1, 2):
        return np.zeros((0, width), dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{what} must be integers, but has the type {array.dtype}")
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{what} must have the shape (N, {width}), but has {array.shape}")
    if array.dtype.kind == "u" and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{what} has the index {array.max()}, which is out of range")
    return np.ascontiguousarray(array, dtype=np.int64)


def index_list(value: Any, what: str) -> list[int]:
    """Indices in a row; None is an empty list."""
    if value is None:
        return []
    array = np.asarray(value)
    if array.size == 0:
        return []
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ValueError(f"{what} must be a row of integers, but has the shape {array.shape} and the type {array.dtype}")
    if int(array.min()) < 0 or int(array.max()) >= 2**32:
        raise ValueError(f"{what} has an index that is out of range")
    return array.tolist()  # type: ignore[no-any-return]
