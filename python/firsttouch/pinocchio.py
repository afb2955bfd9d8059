"""Robots from Pinocchio."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pinocchio as pin

from ._arrays import Floats, floats
from .robot import Joint, JointKind, Link, Robot
from .shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def robot(model: Any, collision_model: Any, *, name: str | None = None) -> Robot:
    """The robot of a ``pinocchio.Model`` and its collision ``GeometryModel``.

    The links are the frames of bodies, joined as in the file that the model was built from. If the collision model has
    collision pairs, only these are checked; otherwise all except links that a joint joins. A configuration of the robot
    has one number per joint, also for continuous joints; `configuration` makes one of a configuration of Pinocchio.
    """
    bodies = [k for k, frame in enumerate(model.frames) if frame.type == pin.FrameType.BODY]
    shapes: dict[int, list[tuple[Shape, Any]]] = {k: [] for k in bodies}
    owner: list[int] = []
    for geometry in collision_model.geometryObjects:
        body = _body_of(model, geometry.parentFrame)
        owner.append(body)
        placement = model.frames[body].placement.inverse() * geometry.placement
        shapes[body].append((shape(geometry.geometry), placement))
    links = [Link(model.frames[k].name, shapes[k]) for k in bodies]
    joints = [_joint(model, k) for k in bodies if _body_of(model, model.frames[k].parentFrame, default=-1) >= 0]
    allowed = []
    if len(collision_model.collisionPairs) > 0:
        checked = {frozenset((owner[p.first], owner[p.second])) for p in collision_model.collisionPairs}
        for i, a in enumerate(bodies):
            for b in bodies[i + 1 :]:
                if frozenset((a, b)) not in checked:
                    allowed.append((model.frames[a].name, model.frames[b].name))
    return Robot(model.name if name is None else name, links, joints, allow=allowed)


def configuration(model: Any, q: Any) -> Floats:
    """A configuration of Pinocchio as one of `robot`: the angle of a continuous joint in place of its cosine and
    sine."""
    values = floats(q, "q")
    numbers: list[float] = []
    for k in _moving(model):
        joint = model.joints[k]
        own = values[joint.idx_q : joint.idx_q + joint.nq].tolist()
        short = joint.shortname()
        if "RUB" in short or "RevoluteUnbounded" in short:
            own = [float(np.arctan2(own[1], own[0]))]
        elif "Planar" in short:
            own = [own[0], own[1], float(np.arctan2(own[3], own[2]))]
        numbers += own
    return np.array(numbers)


def _moving(model: Any) -> list[int]:
    """The joints in the order of the robot's configuration: parents first, children in the order of the bodies."""
    children: dict[int, list[int]] = {}
    for k in range(1, len(model.joints)):
        children.setdefault(int(model.parents[k]), []).append(k)
    order: list[int] = []
    open_joints = children.get(0, [])[::-1]
    while open_joints:
        k = open_joints.pop()
        order.append(k)
        open_joints += children.get(k, [])[::-1]
    return order


def _body_of(model: Any, frame: int, default: int | None = None) -> int:
    """The frame of the body that a frame belongs to, going up."""
    while model.frames[frame].type != pin.FrameType.BODY:
        if frame == 0:
            if default is not None:
                return default
            raise ValueError(f"frame \"{model.frames[frame].name}\" belongs to no body")
        frame = int(model.frames[frame].parentFrame)
    return frame


def _joint(model: Any, body: int) -> Joint:
    child = model.frames[body]
    carrier = model.frames[child.parentFrame]
    parent_index = _body_of(model, int(carrier.parentFrame))
    parent = model.frames[parent_index]
    if carrier.type == pin.FrameType.FIXED_JOINT:
        origin = parent.placement.inverse() * child.placement
        return Joint(carrier.name, parent.name, child.name, "fixed", origin=origin)
    k = int(carrier.parentJoint)
    joint = model.joints[k]
    kind, axis = _kind(joint, carrier.name)
    origin = parent.placement.inverse() * model.jointPlacements[k]
    limits = None
    if joint.nq == 1:
        limits = (float(model.lowerPositionLimit[joint.idx_q]), float(model.upperPositionLimit[joint.idx_q]))
        limits = limits if np.all(np.isfinite(limits)) else None
    return Joint(carrier.name, parent.name, child.name, cast("JointKind", kind), axis, origin, limits)


def _kind(joint: Any, name: str) -> tuple[str, tuple[float, float, float]]:
    short = joint.shortname().removeprefix("JointModel")
    if short in ("RX", "RY", "RZ", "RUBX", "RUBY", "RUBZ"):
        return "revolute", _AXES[short[-1]]
    if short in ("PX", "PY", "PZ"):
        return "prismatic", _AXES[short[-1]]
    if short.startswith(("RevoluteUnaligned", "RevoluteUnboundedUnaligned", "PrismaticUnaligned")):
        x, y, z = joint.extract().axis
        return ("prismatic" if short.startswith("P") else "revolute"), (float(x), float(y), float(z))
    if short == "FreeFlyer":
        return "floating", _AXES["Z"]
    if short == "Spherical":
        return "ball", _AXES["Z"]
    if short == "Planar":
        return "planar", _AXES["Z"]
    raise ValueError(f"joint \"{name}\" is a {joint.shortname()}, which is not supported")


def shape(geometry: Any) -> Shape:
    """The shape of a geometry of Coal."""
    kind = type(geometry).__name__
    if kind == "Box":
        return Box(2.0 * np.asarray(geometry.halfSide))
    if kind == "Sphere":
        return Sphere(geometry.radius)
    if kind == "Capsule":
        return Capsule(geometry.radius, 2.0 * geometry.halfLength)
    if kind == "Cylinder":
        return Cylinder(geometry.radius, 2.0 * geometry.halfLength)
    if kind == "Cone":
        return Cone(geometry.radius, 2.0 * geometry.halfLength)
    if kind == "Ellipsoid":
        return Ellipsoid(geometry.radii)
    if kind.startswith("Convex"):
        return Hull(np.array(geometry.points()))
    if kind.startswith("BVHModel"):
        faces = [[t[0], t[1], t[2]] for t in (geometry.tri_indices(k) for k in range(geometry.num_tris))]
        return Mesh(np.array(geometry.vertices()), np.array(faces, dtype=np.int64))
    raise ValueError(f"a {kind} is not supported")
