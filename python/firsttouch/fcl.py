"""In place of python-fcl: ``import firsttouch.fcl as fcl``, and `continuousCollide` proves its answers.

Everything else is that of ``fcl``. Its objects do not give back the geometry that they were made of, so
`CollisionObject`, `BVHModel` and `Convex` here are those of ``fcl``, and remember it as well.
"""

from __future__ import annotations

from typing import Any

import fcl as _fcl
import numpy as np
from fcl import *  # noqa: F403

from . import shapes as _shapes
from ._options import MAX_ITERATIONS, TOLERANCE
from .motions import Linear, Motion, Screw
from .pose import Pose
from .two_shapes import first_touch


class BVHModel(_fcl.BVHModel):  # type: ignore[misc]
    """A mesh; see ``fcl.BVHModel``."""

    def __init__(self) -> None:
        self._vertices: list[Any] = []
        self._faces: list[Any] = []

    def addVertex(self, x: float, y: float, z: float) -> Any:
        """See ``fcl.BVHModel.addVertex``."""
        self._vertices.append([x, y, z])
        return super().addVertex(x, y, z)

    def addTriangle(self, v1: Any, v2: Any, v3: Any) -> Any:
        """See ``fcl.BVHModel.addTriangle``."""
        first = len(self._vertices)
        self._vertices += [list(v1), list(v2), list(v3)]
        self._faces.append([first, first + 1, first + 2])
        return super().addTriangle(v1, v2, v3)

    def addSubModel(self, verts: Any, triangles: Any) -> Any:
        """See ``fcl.BVHModel.addSubModel``."""
        first = len(self._vertices)
        self._vertices += np.asarray(verts, dtype=np.float64).tolist()
        self._faces += (np.asarray(triangles, dtype=np.int64) + first).tolist()
        return super().addSubModel(verts, triangles)


class Convex(_fcl.Convex):  # type: ignore[misc]
    """A convex polyhedron; see ``fcl.Convex``. The hull of its vertices is taken."""

    def __init__(self, vertices: Any, num_faces: int, faces: Any) -> None:
        self._vertices = np.array(vertices, dtype=np.float64)


class CollisionObject(_fcl.CollisionObject):  # type: ignore[misc]
    """A geometry and its place; see ``fcl.CollisionObject``."""

    def __init__(self, geom: Any = None, tf: Any = None) -> None:
        self._geometry = geom
        self._shape: _shapes.Shape | None = None


def continuousCollide(
    o1: Any,
    tf1_end: Any,
    o2: Any,
    tf2_end: Any,
    request: Any = None,
    result: Any = None,
    *,
    tolerance: float = TOLERANCE,
    min_separation: float = 0.0,
    max_iterations: int = MAX_ITERATIONS,
) -> float:
    """Returns the time of contact of two objects on the way from their poses to their end poses, or 1 if there is none.

    Parameters
    ----------
    o1, o2 : CollisionObject
        Of this module.
    tf1_end, tf2_end : fcl.Transform
    request : fcl.ContinuousCollisionRequest, optional
        Of this only the type of the motion is used: ``CCDM_TRANS`` (no rotation; the default of ``fcl``),
        ``CCDM_LINEAR`` or ``CCDM_SCREW``. The solver, its iterations and its error do not apply: nothing is missed.
    result : fcl.ContinuousCollisionResult, optional
        Gets the result and the time of contact. An undecided query counts as a contact at the time up to which it is
        proven free.
    tolerance, min_separation, max_iterations
        As in `firsttouch.first_touch`.
    """
    request = _fcl.ContinuousCollisionRequest() if request is None else request
    result = _fcl.ContinuousCollisionResult() if result is None else result
    motions = [_motion(o, end, request.ccd_motion_type) for o, end in ((o1, tf1_end), (o2, tf2_end))]
    answer = first_touch(
        _shape(o1),
        motions[0],
        _shape(o2),
        motions[1],
        tolerance=tolerance,
        min_separation=min_separation,
        max_iterations=max_iterations,
    )
    time = 1.0 if answer.is_free else answer.free_until
    result.is_collide = bool(result.is_collide or not answer.is_free)
    result.time_of_contact = min(result.time_of_contact, time)
    return time


def _motion(o: Any, end: Any, kind: int) -> Motion:
    start_pose, end_pose = _pose(o), _pose(end)
    if kind == _fcl.CCDMotionType.CCDM_TRANS:
        end_pose = Pose(end_pose.xyz, quat_wxyz=start_pose.quat_wxyz)
    elif kind == _fcl.CCDMotionType.CCDM_SCREW:
        return Screw(start_pose, end_pose)
    elif kind != _fcl.CCDMotionType.CCDM_LINEAR:
        raise ValueError("the motion must be CCDM_TRANS, CCDM_LINEAR or CCDM_SCREW")
    return Linear(start_pose, end_pose)


def _pose(place: Any) -> Pose:
    """Of an object or a transform; fcl gives quaternions with the real part first."""
    return Pose(place.getTranslation(), quat_wxyz=place.getQuatRotation())


def _shape(o: Any) -> _shapes.Shape:
    if not isinstance(o, CollisionObject):
        raise ValueError("an fcl.CollisionObject does not give its geometry back: make it with firsttouch.fcl.CollisionObject")
    if o._shape is None:
        o._shape = shape(o._geometry)
    return o._shape


def shape(geometry: Any) -> _shapes.Shape:
    """The shape of a geometry of ``fcl``."""
    if isinstance(geometry, _fcl.Box):
        return _shapes.Box(geometry.side)
    if isinstance(geometry, _fcl.Sphere):
        return _shapes.Sphere(geometry.radius)
    if isinstance(geometry, _fcl.Ellipsoid):
        return _shapes.Ellipsoid(geometry.radii)
    if isinstance(geometry, _fcl.Capsule):
        return _shapes.Capsule(geometry.radius, geometry.lz)
    if isinstance(geometry, _fcl.Cylinder):
        return _shapes.Cylinder(geometry.radius, geometry.lz)
    if isinstance(geometry, _fcl.Cone):
        return _shapes.Cone(geometry.radius, geometry.lz)
    if isinstance(geometry, _fcl.Halfspace):
        return _shapes.HalfSpace(geometry.n, geometry.d)
    if isinstance(geometry, _fcl.TriangleP):
        return _shapes.Mesh([geometry.a, geometry.b, geometry.c], [[0, 1, 2]])
    if isinstance(geometry, Convex):
        return _shapes.Hull(geometry._vertices)
    if isinstance(geometry, BVHModel):
        return _shapes.Mesh(geometry._vertices, geometry._faces)
    if isinstance(geometry, (_fcl.BVHModel, _fcl.Convex)):
        kind = type(geometry).__name__
        raise ValueError(f"an fcl.{kind} does not give its vertices back: make it with firsttouch.fcl.{kind}")
    raise ValueError(f"fcl.{type(geometry).__name__} is not supported")
