"""Robots from MuJoCo."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import mujoco as _mujoco
import numpy as np

from ._arrays import Floats, floats
from .pose import Pose
from .robot import Joint, Link, Robot
from .shapes import Box, Capsule, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere

_GEOM = _mujoco.mjtGeom
_JOINT = _mujoco.mjtJoint


def robot(
    model: Any,
    *,
    name: str | None = None,
    meshes: Literal["hull", "surface"] = "hull",
    ignore_geoms: Collection[str] = (),
) -> Robot:
    """The robot of a ``mujoco.MjModel``: all its bodies and the geoms that can collide.

    Parameters
    ----------
    model : mujoco.MjModel
    meshes : {"hull", "surface"}
        MuJoCo collides the convex hulls of meshes; "surface" takes their triangles as they are.
    ignore_geoms : names of geoms
        Left out. Planes and height fields are not supported, and a geom that is not supported is an error unless it is
        named here.

    Pairs that MuJoCo does not collide are allowed: by ``contype`` and ``conaffinity``, by ``exclude``, within a welded group, and with
    the parent of one. `configuration` makes a configuration of a ``qpos``.
    """
    links: list[Link] = []
    joints: list[Joint] = []
    for body in range(model.nbody):
        shapes = [_geom(model, g, meshes) for g in _geoms(model, body, ignore_geoms)]
        frame = _add_joints(model, body, links, joints)
        links.append(Link(_body(model, body), [(shape, _matrix(frame) @ _matrix(pose)) for shape, pose in shapes]))
    called = name if name is not None else (model.names[: model.names.index(b"\0")].decode() or "mujoco")
    return Robot(called, links, joints, allow=_allowed(model, ignore_geoms))


def configuration(model: Any, qpos: Any) -> Floats:
    """A ``qpos`` as a configuration of `robot`: free and ball joints have their quaternion with the real part last."""
    values = floats(qpos, "qpos")
    numbers: list[float] = []
    for j in _joint_order(model):
        at = int(model.jnt_qposadr[j])
        if model.jnt_type[j] == _JOINT.mjJNT_FREE:
            numbers += values[at : at + 3].tolist() + values[at + 4 : at + 7].tolist() + [float(values[at + 3])]
        elif model.jnt_type[j] == _JOINT.mjJNT_BALL:
            numbers += values[at + 1 : at + 4].tolist() + [float(values[at])]
        else:
            numbers.append(float(values[at]))
    return np.array(numbers)


def _body(model: Any, body: int) -> str:
    return str(model.body(body).name) or f"body {body}"


def _joint_order(model: Any) -> list[int]:
    """Parents first, children in order: bodies of MuJoCo are in this order already."""
    return [int(model.body_jntadr[b]) + k for b in range(model.nbody) for k in range(int(model.body_jntnum[b]))]


def _matrix(pose: Any) -> Floats:
    return Pose.of(pose).matrix


def _shift(offset: Any) -> Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = offset
    return matrix


def _add_joints(model: Any, body: int, links: list[Link], joints: list[Joint]) -> Floats:
    """Adds the joints of a body, with a link without shapes between two of them, and returns where the body is in its link."""
    if body == 0:
        return np.eye(4)
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    own = _body(model, body)
    parent = _body(model, int(model.body_parentid[body]))
    origin = _frame_in_link(model, int(model.body_parentid[body])) @ Pose(
        model.body_pos[body], quat_wxyz=model.body_quat[body]
    ).matrix
    if count == 0:
        joints.append(Joint(f"{own} is welded", parent, own, "fixed", origin=origin))
        return np.eye(4)
    if int(model.body_weldid[model.body_parentid[body]]) == 0:
        # MuJoCo collides a body with a parent that is fixed to the world. Links that a joint joins are never checked, so there is a link
        # without shapes between the two.
        links.append(Link(f"{own} is mounted here"))
        joints.append(Joint(f"mount of {own}", parent, f"{own} is mounted here", "fixed"))
        parent = f"{own} is mounted here"
    inside = np.eye(4)
    for k in range(count):
        j = first + k
        child = own if k == count - 1 else f"{own} before joint {k + 1}"
        joint_name = str(model.joint(j).name) or f"joint {j}"
        axis = tuple(float(x) for x in model.jnt_axis[j])
        limits = tuple(float(x) for x in model.jnt_range[j]) if model.jnt_limited[j] else None
        kind = model.jnt_type[j]
        reference = float(model.qpos0[model.jnt_qposadr[j]])
        if kind == _JOINT.mjJNT_FREE:
            # Its coordinates are those of the world.
            joints.append(Joint(joint_name, parent, child, "floating"))
            inside = np.eye(4)
        elif kind == _JOINT.mjJNT_HINGE:
            half = -0.5 * reference
            turned = Pose(quat_wxyz=[np.cos(half), *(np.sin(half) * np.array(axis))]).matrix
            at = origin @ inside @ _shift(model.jnt_pos[j]) @ turned
            joints.append(Joint(joint_name, parent, child, "revolute", axis, at, limits))  # type: ignore[arg-type]
            inside = _shift(-model.jnt_pos[j])
        elif kind == _JOINT.mjJNT_SLIDE:
            at = origin @ inside @ _shift(-reference * np.array(axis))
            joints.append(Joint(joint_name, parent, child, "prismatic", axis, at, limits))  # type: ignore[arg-type]
            inside = np.eye(4)
        elif kind == _JOINT.mjJNT_BALL:
            joints.append(Joint(joint_name, parent, child, "ball", origin=origin @ inside @ _shift(model.jnt_pos[j])))
            inside = _shift(-model.jnt_pos[j])
        else:
            raise ValueError(f"joint \"{joint_name}\" is of a kind that is not known")
        if k < count - 1:
            links.append(Link(child))
        parent, origin = child, np.eye(4)
    return inside


def _frame_in_link(model: Any, body: int) -> Floats:
    """Where a body is in the frame of its link, which is that of its last joint."""
    count = int(model.body_jntnum[body])
    if body == 0 or count == 0:
        return np.eye(4)
    last = int(model.body_jntadr[body]) + count - 1
    kind = model.jnt_type[last]
    turns = kind == _JOINT.mjJNT_HINGE or kind == _JOINT.mjJNT_BALL
    return _shift(-model.jnt_pos[last]) if turns else np.eye(4)


def _geoms(model: Any, body: int, ignored: Collection[str]) -> list[int]:
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    colliding = [g for g in range(first, first + count) if model.geom_contype[g] or model.geom_conaffinity[g]]
    return [g for g in colliding if str(model.geom(g).name) not in ignored]


def _geom(model: Any, g: int, meshes: str) -> tuple[Shape, Pose]:
    a, b, c = (float(x) for x in model.geom_size[g])
    kind = model.geom_type[g]
    pose = Pose(model.geom_pos[g], quat_wxyz=model.geom_quat[g])
    if kind == _GEOM.mjGEOM_SPHERE:
        return Sphere(a), pose
    if kind == _GEOM.mjGEOM_CAPSULE:
        return Capsule(a, 2.0 * b), pose
    if kind == _GEOM.mjGEOM_ELLIPSOID:
        return Ellipsoid([a, b, c]), pose
    if kind == _GEOM.mjGEOM_CYLINDER:
        return Cylinder(a, 2.0 * b), pose
    if kind == _GEOM.mjGEOM_BOX:
        return Box([2.0 * a, 2.0 * b, 2.0 * c]), pose
    if kind == _GEOM.mjGEOM_MESH:
        mesh = int(model.geom_dataid[g])
        start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        vertices = np.array(model.mesh_vert[start : start + count], dtype=np.float64)
        if meshes == "hull":
            return Hull(vertices), pose
        start, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        return Mesh(vertices, np.array(model.mesh_face[start : start + count])), pose
    called = str(model.geom(g).name) or str(g)
    raise ValueError(f"geom \"{called}\" is of a kind that is not supported; it can be named in ignore_geoms")


def _allowed(model: Any, ignored: Collection[str]) -> list[tuple[str, str]]:
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
    weld = [int(w) for w in model.body_weldid]
    geoms = [_geoms(model, body, ignored) for body in range(model.nbody)]

    def collide(i: int, j: int) -> bool:
        if weld[i] == weld[j] or (i, j) in excluded or (j, i) in excluded:
            return False
        for a, b in ((weld[i], weld[j]), (weld[j], weld[i])):
            up = weld[int(model.body_parentid[a])]
            if a != 0 and up == b and up != 0:
                return False
        return any(
            model.geom_contype[g] & model.geom_conaffinity[h] or model.geom_contype[h] & model.geom_conaffinity[g]
            for g in geoms[i]
            for h in geoms[j]
        )

    pairs = ((i, j) for j in range(model.nbody) for i in range(j))
    return [(_body(model, i), _body(model, j)) for i, j in pairs if geoms[i] and geoms[j] and not collide(i, j)]
