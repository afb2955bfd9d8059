"""Where a body is: a place and an orientation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from . import _core
from ._arrays import Floats, floats, vector
from ._types import ArrayLike, PoseLike

PoseNumbers: TypeAlias = tuple[float, float, float, float, float, float, float]


class Pose:
    """A rotation followed by a translation.

    Parameters
    ----------
    xyz : array_like of 3 numbers
        The position of the origin.
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

    Poses are composed with ``@``, and are arrays of shape (4, 4) where one is wanted.

    >>> (half_turn_about_z @ half_turn_about_z).xyz
    array([0., 0., 6.])
    >>> half_turn_about_z[:3, 3]
    array([1., 2., 3.])
    """

    __slots__ = ("_given", "_known")
    _given: PoseNumbers | None
    """Place and quaternion; None where the core gave the matrix."""
    _known: Floats | None
    """The matrix, once it has been requested."""

    # An array leaves ``array @ pose`` to the pose.
    __array_priority__ = 1000.0

    def __init__(
        self,
        xyz: ArrayLike = (0.0, 0.0, 0.0),
        *,
        quat_wxyz: ArrayLike | None = None,
        quat_xyzw: ArrayLike | None = None,
    ) -> None:
        if quat_wxyz is not None and quat_xyzw is not None:
            raise ValueError("a pose takes one quaternion: quat_wxyz or quat_xyzw")
        w, i, j, k = 1.0, 0.0, 0.0, 0.0
        if quat_wxyz is not None:
            w, i, j, k = vector(quat_wxyz, 4, "quat_wxyz")
        elif quat_xyzw is not None:
            i, j, k, w = vector(quat_xyzw, 4, "quat_xyzw")
        x, y, z = vector(xyz, 3, "xyz")
        self._given = (x, y, z, w, i, j, k)
        # Refuses numbers that are no pose.
        self._known = np.array(_core.matrix_from_pose(self._given))

    @classmethod
    def from_rpy(cls, xyz: ArrayLike = (0.0, 0.0, 0.0), rpy: ArrayLike = (0.0, 0.0, 0.0), *, degrees: bool = False) -> Pose:
        """Makes a pose from roll, pitch and yaw as in URDF files: about the fixed axes x, then y, then z, in radians
        unless `degrees`.

        Examples
        --------
        >>> import math, firsttouch as ft
        >>> ft.Pose.from_rpy([1, 2, 3], [0, 0, math.pi / 2]).matrix.round(12)[:3, 0]
        array([0., 1., 0.])
        """
        unit = math.pi / 180 if degrees else 1.0
        roll, pitch, yaw = ((math.cos(0.5 * unit * a), math.sin(0.5 * unit * a)) for a in vector(rpy, 3, "rpy"))
        w, i, j, k = _times((yaw[0], 0.0, 0.0, yaw[1]), _times((pitch[0], 0.0, pitch[1], 0.0), (roll[0], roll[1], 0.0, 0.0)))
        return cls(xyz, quat_wxyz=[w, i, j, k])

    @classmethod
    def from_rotvec(cls, xyz: ArrayLike = (0.0, 0.0, 0.0), rotvec: ArrayLike = (0.0, 0.0, 0.0), *, degrees: bool = False) -> Pose:
        """Makes a pose from a rotation vector: its direction is the axis, its length the angle, in radians unless
        `degrees`.

        Examples
        --------
        >>> import firsttouch as ft
        >>> ft.Pose.from_rotvec([1, 2, 3], [0, 0, 90], degrees=True).matrix.round(12)[:3, 0]
        array([0., 1., 0.])
        """
        x, y, z = vector(rotvec, 3, "rotvec")
        angle = math.hypot(x, y, z)
        half = 0.5 * angle * (math.pi / 180 if degrees else 1.0)
        along = math.sin(half) / angle if angle > 0.0 else 0.0
        return cls(xyz, quat_wxyz=[math.cos(half), along * x, along * y, along * z])

    @classmethod
    def of(cls, value: PoseLike) -> Pose:
        """Makes a pose from any description of one.

        Parameters
        ----------
        value : Pose, array_like of shape (4, 4) or (3, 3), or an object with ``.homogeneous`` or ``.as_matrix()``
            A matrix of shape (3, 3) is a rotation about the origin. The matrix becomes a unit quaternion, rounded to
            float64. Proofs hold for that quaternion.

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
        given: Any = value
        if hasattr(given, "homogeneous"):
            given = given.homogeneous
        elif hasattr(given, "as_matrix"):
            given = given.as_matrix()
        matrix = floats(given, "pose")
        if matrix.shape == (3, 3):
            homogeneous = np.eye(4)
            homogeneous[:3, :3] = matrix
            matrix = homogeneous
        if matrix.shape != (4, 4):
            hint = "; a place alone is ft.Pose([x, y, z])" if matrix.shape == (3,) else ""
            raise ValueError(f"a pose must have the shape (4, 4), but has {matrix.shape}{hint}")
        pose = cls.__new__(cls)
        pose._given, pose._known = _tuple(_core.pose_from_matrix(matrix)), None
        return pose

    @classmethod
    def _of_core(cls, matrix: Sequence[Sequence[float]]) -> Pose:
        """From a matrix of the core, which it keeps as it is."""
        pose = cls.__new__(cls)
        pose._given, pose._known = None, np.array(matrix)
        return pose

    @property
    def _numbers(self) -> PoseNumbers:
        if self._given is None:
            self._given = _tuple(_core.pose_from_matrix(self.matrix))
        return self._given

    @classmethod
    def _of_numbers(cls, numbers: Sequence[float]) -> Pose:
        x, y, z, *quat = numbers
        return cls([x, y, z], quat_wxyz=quat)

    @property
    def xyz(self) -> Floats:
        """The position of the origin."""
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
        if self._known is None:
            self._known = np.array(_core.matrix_from_pose(self._numbers))
        return self._known.copy()

    def as_matrix(self) -> Floats:
        """The same as `matrix`."""
        return self.matrix

    def inverse(self) -> Pose:
        """Returns the inverse of this pose, up to rounding.

        Examples
        --------
        >>> import firsttouch as ft
        >>> p = ft.Pose([1, 2, 3], quat_wxyz=[1, 0, 0, 1])
        >>> (p @ p.inverse()).matrix.round(12).tolist()[0]
        [1.0, 0.0, 0.0, 0.0]
        """
        matrix = self.matrix
        x, y, z = (-matrix[:3, :3].T @ matrix[:3, 3]).tolist()
        w, i, j, k = self._unit()
        return Pose([x, y, z], quat_wxyz=[w, -i, -j, -k])

    def transform(self, points: ArrayLike) -> Floats:
        """Transforms points of shape (3,) or (N, 3) from this frame to the frame in which the pose is given."""
        given, matrix = floats(points, "points"), self.matrix
        if given.ndim not in (1, 2) or given.shape[-1] != 3:
            raise ValueError(f"points must have the shape (3,) or (N, 3), but have {given.shape}")
        moved: Floats = given @ matrix[:3, :3].T + matrix[:3, 3]
        return moved

    def __matmul__(self, other: PoseLike) -> Pose:
        """Applies first `other`, then this: the pose of a frame that has the pose `other` in this frame."""
        second = Pose.of(other)
        matrix = self.matrix
        x, y, z = (matrix[:3, :3] @ second.xyz + matrix[:3, 3]).tolist()
        w, i, j, k = _times(self._unit(), second._unit())
        return Pose([x, y, z], quat_wxyz=[w, i, j, k])

    def __rmatmul__(self, other: PoseLike) -> Pose:
        return Pose.of(other) @ self

    def _unit(self) -> tuple[float, float, float, float]:
        w, i, j, k = self._numbers[3:]
        length = math.hypot(w, i, j, k)
        return (w / length, i / length, j / length, k / length)

    @property
    def shape(self) -> tuple[int, int]:
        """That of the matrix."""
        return (4, 4)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("a pose has no array to share: copy must not be False")
        return self.matrix if dtype is None else self.matrix.astype(dtype)

    def __getitem__(self, place: Any) -> Any:
        """Entries of the matrix."""
        return self.matrix[place]

    def __len__(self) -> int:
        return 4

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pose) and self._numbers == other._numbers

    def __hash__(self) -> int:
        return hash(self._numbers)

    def __repr__(self) -> str:
        return f"Pose({list(self._numbers[:3])}, quat_wxyz={list(self._numbers[3:])})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Pose._of_numbers, (self._numbers,))


def _tuple(numbers: Sequence[float]) -> PoseNumbers:
    x, y, z, w, i, j, k = numbers
    return (x, y, z, w, i, j, k)


def _times(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """The product of two quaternions, the real part first."""
    (s, x, y, z), (t, u, v, w) = a, b
    return (
        s * t - x * u - y * v - z * w,
        s * u + x * t + y * w - z * v,
        s * v - x * w + y * t + z * u,
        s * w + x * v - y * u + z * t,
    )


IDENTITY = Pose()
