"""Where a body is: a place and an orientation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from . import _core
from ._arrays import Floats, floats, vector

PoseNumbers: TypeAlias = tuple[float, float, float, float, float, float, float]


class Pose:
    """A rotation followed by a translation.

    Parameters
    ----------
    xyz : array_like of 3 numbers
        The place of the origin.
    quat_wxyz : array_like of 4 numbers, optional
        The orientation as a quaternion, the real part first. It need not have unit length.
    quat_xyzw : array_like of 4 numbers, optional
        The same with the real part last.

    Examples
    --------
    >>> import firsttouch as ft
    >>> half_turn_about_z = ft.Pose([1, 2, 3], quat_wxyz=[0, 0, 0, 1])
    >>> half_turn_about_z.matrix @ [1, 0, 0, 1]
    array([0., 2., 3., 1.])
    >>> ft.Pose.of(half_turn_about_z.matrix).xyz
    array([1., 2., 3.])
    """

    __slots__ = ("_numbers",)
    _numbers: PoseNumbers

    def __init__(self, xyz: Any = (0.0, 0.0, 0.0), *, quat_wxyz: Any = None, quat_xyzw: Any = None) -> None:
        if quat_wxyz is not None and quat_xyzw is not None:
            raise ValueError("a pose takes one quaternion: quat_wxyz or quat_xyzw")
        w, i, j, k = 1.0, 0.0, 0.0, 0.0
        if quat_wxyz is not None:
            w, i, j, k = vector(quat_wxyz, 4, "quat_wxyz")
        elif quat_xyzw is not None:
            i, j, k, w = vector(quat_xyzw, 4, "quat_xyzw")
        x, y, z = vector(xyz, 3, "xyz")
        self._numbers = (x, y, z, w, i, j, k)
        # Refuses what is no pose.
        _core.matrix_from_pose(self._numbers)

    @classmethod
    def of(cls, value: Any) -> Pose:
        """Anything that says where a body is.

        Parameters
        ----------
        value : Pose, array_like of shape (4, 4) or (3, 3), or an object with ``.homogeneous`` or ``.as_matrix()``
            A matrix of shape (3, 3) is a rotation about the origin. The matrix becomes a unit quaternion, rounded to float64;
            what is proven is proven for that quaternion.

        Examples
        --------
        >>> import numpy as np, firsttouch as ft
        >>> ft.Pose.of(np.eye(4))
        Pose([0.0, 0.0, 0.0], quat_wxyz=[1.0, 0.0, 0.0, 0.0])
        >>> ft.Pose.of(2 * np.eye(4))
        Traceback (most recent call last):
        ...
        ValueError: the last row of a pose must be 0, 0, 0, 1, but is [0.0, 0.0, 0.0, 2.0]
        """
        if isinstance(value, Pose):
            return value
        if hasattr(value, "homogeneous"):
            value = value.homogeneous
        elif hasattr(value, "as_matrix"):
            value = value.as_matrix()
        matrix = floats(value, "pose")
        if matrix.shape == (3, 3):
            homogeneous = np.eye(4)
            homogeneous[:3, :3] = matrix
            matrix = homogeneous
        if matrix.shape != (4, 4):
            hint = "; a place alone is ft.Pose([x, y, z])" if matrix.shape == (3,) else ""
            raise ValueError(f"a pose must have the shape (4, 4), but has {matrix.shape}{hint}")
        pose = cls.__new__(cls)
        pose._numbers = _core.pose_from_matrix(matrix)
        return pose

    @classmethod
    def _of_numbers(cls, numbers: Sequence[float]) -> Pose:
        x, y, z, *quat = numbers
        return cls([x, y, z], quat_wxyz=quat)

    @property
    def xyz(self) -> Floats:
        """The place of the origin."""
        return np.array(self._numbers[:3])

    @property
    def quat_wxyz(self) -> Floats:
        """The quaternion as given, the real part first."""
        return np.array(self._numbers[3:])

    @property
    def quat_xyzw(self) -> Floats:
        """The quaternion as given, the real part last."""
        w, i, j, k = self._numbers[3:]
        return np.array([i, j, k, w])

    @property
    def matrix(self) -> Floats:
        """The homogeneous matrix, of shape (4, 4)."""
        return np.array(_core.matrix_from_pose(self._numbers))

    def as_matrix(self) -> Floats:
        """The same as `matrix`."""
        return self.matrix

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pose) and self._numbers == other._numbers

    def __hash__(self) -> int:
        return hash(self._numbers)

    def __repr__(self) -> str:
        return f"Pose({list(self._numbers[:3])}, quat_wxyz={list(self._numbers[3:])})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Pose._of_numbers, (self._numbers,))


IDENTITY = Pose()
