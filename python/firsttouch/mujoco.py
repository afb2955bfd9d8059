"""Robots from MuJoCo."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Collection
from typing import Any, Literal

import mujoco as _mujoco
import numpy as np
import numpy.typing as npt

from ._arrays import Floats, floats
from .checker import Checker
from .pose import Pose
from .robot import Joint, Link, Robot
from .shapes import Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Hull, Mesh, Shape, Sphere

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

    Pairs that MuJoCo does not collide are allowed: by ``contype`` and ``conaffinity``, by ``exclude``, within a welded
    group, and with the parent of one unless the flag ``filterparent`` is off. A geom that a ``pair`` names is a link of
    its own, ``"BODY/GEOM"``, and the pair is checked in any case. `configuration` makes a configuration of a ``qpos``.

    Every joint has numbers of its own. A linear equality of two joints holds all along a motion if it holds at its
    ends. Other active equalities do not, and give a warning; so do margins and mocap bodies. A model with flexes is
    refused.
    """
    return _robot(model, name, meshes, ignore_geoms, frozenset())


def _robot(model: Any, name: str | None, meshes: str, ignore_geoms: Collection[str], planes: frozenset[int]) -> Robot:
    """The robot without those planes."""
    _judge(model)
    links: list[Link] = []
    joints: list[Joint] = []
    paired = _paired(model, ignore_geoms)
    for body in range(model.nbody):
        geoms = [(g, *_geom(model, g, meshes)) for g in _geoms(model, body, ignore_geoms) if g not in planes]
        frame = _add_joints(model, body, links, joints)
        placed = [(g, (shape, _matrix(frame) @ _matrix(pose))) for g, shape, pose in geoms]
        links.append(Link(_body(model, body), [part for g, part in placed if g not in paired]))
        for g, part in placed:
            if g in paired:
                links.append(Link(_link_of(model, g), [part]))
                joints.append(Joint(f"{_link_of(model, g)} is fixed", _body(model, body), _link_of(model, g), "fixed"))
    called = name if name is not None else (model.names[: model.names.index(b"\0")].decode() or "mujoco")
    return Robot(called, links, joints, allow=_allowed(model, ignore_geoms))._of_mujoco()


def checker(
    model: Any,
    *,
    name: str | None = None,
    meshes: Literal["hull", "surface"] = "hull",
    ignore_geoms: Collection[str] = (),
) -> Checker:
    """A checker of a ``mujoco.MjModel``: its robot among its planes, which are half-spaces.

    Geoms that are fixed to the world are the link ``world`` of the robot, planes of the world are obstacles with the
    names of their geoms. A geom that MuJoCo does not collide with a plane, by ``contype`` and ``conaffinity`` or by
    ``exclude``, may touch it. The arguments are those of `robot`.

    Examples
    --------
    >>> import firsttouch as ft
    >>> model = _mujoco.MjModel.from_xml_string(
    ...     '<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1"/>'
    ...     '<body name="ball" pos="0 0 3"><joint name="drop" type="slide" axis="0 0 1"/><geom size="1"/></body></worldbody></mujoco>'
    ... )
    >>> r = ft.mujoco.checker(model).check_motion([0], [-4])
    >>> round(r.toi, 5), r.names[1]
    (0.5, 'floor')
    """
    planes = [g for g in _geoms(model, 0, ignore_geoms) if model.geom_type[g] == _GEOM.mjGEOM_PLANE]
    required = {g for pair in _pairs(model) for g in pair if g in planes}
    if required:
        raise ValueError(f"a pair names the plane \"{_geom_name(model, min(required))}\", which is not supported")
    # By their numbers: geoms without a name have none to be ignored by.
    among = Checker(_robot(model, name, meshes, ignore_geoms, frozenset(planes)))
    links = among.robot.link_names
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
    for g in planes:
        at = Pose(model.geom_pos[g], quat_wxyz=model.geom_quat[g])
        normal = at.matrix[:3, 2]
        called = _geom_name(model, g)
        called = called if called not in {*links, among.robot.name, *(body.name for body in among.obstacles)} else f"plane {g}"
        among.add_obstacle(called, HalfSpace(normal, float(normal @ at.xyz)))
        for body in range(model.nbody):
            geoms = [h for h in _geoms(model, body, ignore_geoms) if h not in planes]
            is_fixed = int(model.body_weldid[body]) == 0
            meets = [h for h in geoms if _meet(model, g, h) and not is_fixed and (0, body) not in excluded and (body, 0) not in excluded]
            for link in {_body(model, body), *(_link_of(model, h) for h in geoms if h in _paired(model, ignore_geoms))} & set(links):
                own = [h for h in geoms if (_link_of(model, h) if h in _paired(model, ignore_geoms) else _body(model, body)) == link]
                if own and not set(own) & set(meets):
                    among.allow(f"{among.robot.name}/{link}", called)
    return among


def _meet(model: Any, g: int, h: int) -> bool:
    """Returns True if MuJoCo collides two geoms, by their bits."""
    return bool(model.geom_contype[g] & model.geom_conaffinity[h] or model.geom_contype[h] & model.geom_conaffinity[g])


def _geom_name(model: Any, g: int) -> str:
    return str(model.geom(g).name) or f"geom {g}"


def configuration(model: Any, qpos: Any) -> Floats:
    """A ``qpos`` as a configuration of `robot`: free and ball joints have their quaternion with the real part last.

    Parameters
    ----------
    model : mujoco.MjModel
    qpos : array_like of shape (nq,), or (N, nq) for many

    The two have the same length, so that one in the place of the other is another pose and no error. A checker of a
    robot from MuJoCo with such joints refuses ``data.qpos`` itself, and warns of a copy whose quaternion is the
    identity. `qpos` goes the other way.

    Raises
    ------
    ValueError
        If the shape is another, or a quaternion is zero.
    """
    order, quaternions = _layouts.get(model) or _layout(model)
    # As a simulation has it, without a detour: this is called for every step.
    if type(qpos) is np.ndarray and qpos.dtype == np.float64 and qpos.ndim == 1 and len(qpos) == len(order):
        found: Floats = qpos[order]
        for _, start in quaternions:
            own = qpos[start : start + 4]
            if not own.dot(own) > 1e-20:
                break
        else:
            return found
    values = floats(qpos, "qpos")
    if values.ndim not in (1, 2) or values.shape[-1] != model.nq:
        raise ValueError(f"qpos must have the shape ({model.nq},) or (N, {model.nq}), but has {values.shape}")
    for j, start in quaternions:
        length = np.linalg.norm(values[..., start : start + 4], axis=-1)
        if not np.all(length > 1e-10):
            raise ValueError(f"the quaternion of joint \"{_joint(model, j)}\" in qpos is zero, or no number")
    return np.ascontiguousarray(values[..., order])


def qpos(model: Any, q: Any) -> Floats:
    """A configuration of `robot` as a ``qpos``: the inverse of `configuration`."""
    values = floats(q, "q")
    if values.ndim not in (1, 2) or values.shape[-1] != model.nq:
        raise ValueError(f"q must have the shape ({model.nq},) or (N, {model.nq}), but has {values.shape}")
    given = np.empty_like(values)
    given[..., _order(model)] = values
    return given


# Of each model: the place of each number of a configuration in ``qpos``, and the quaternions.
_layouts: weakref.WeakKeyDictionary[Any, tuple[npt.NDArray[np.intp], list[tuple[int, int]]]] = weakref.WeakKeyDictionary()


def _layout(model: Any) -> tuple[npt.NDArray[np.intp], list[tuple[int, int]]]:
    found = np.array(_order(model), dtype=np.intp), _quaternions(model)
    _layouts[model] = found
    return found


def _order(model: Any) -> list[int]:
    """For each number of a configuration, its place in ``qpos``."""
    order: list[int] = []
    for j in _joint_order(model):
        at = int(model.jnt_qposadr[j])
        if model.jnt_type[j] == _JOINT.mjJNT_FREE:
            order += [at, at + 1, at + 2, at + 4, at + 5, at + 6, at + 3]
        elif model.jnt_type[j] == _JOINT.mjJNT_BALL:
            order += [at + 1, at + 2, at + 3, at]
        else:
            order.append(at)
    return order


def _quaternions(model: Any) -> list[tuple[int, int]]:
    """The ball and free joints, and where their quaternions begin in ``qpos``."""
    skip = {int(_JOINT.mjJNT_FREE): 3, int(_JOINT.mjJNT_BALL): 0}
    kinds = ((j, int(model.jnt_type[j])) for j in range(model.njnt))
    return [(j, int(model.jnt_qposadr[j]) + skip[kind]) for j, kind in kinds if kind in skip]


def _judge(model: Any) -> None:
    """Refuses features that are not read and change answers, or warns of them."""
    if model.nflex:
        raise ValueError("the model has flexes, which are not supported: remove them, or check them as deforming meshes")
    doubts = []
    kinds = [_mujoco.mjtEq(int(model.eq_type[e])).name.removeprefix("mjEQ_").lower() for e in _lasting(model)]
    if kinds:
        doubts.append(f"equalities that do not hold between two configurations ({', '.join(sorted(set(kinds)))})")
    if np.any(model.geom_margin != 0) or np.any(model.pair_margin != 0):
        doubts.append("margins, which are not read: give a min_separation instead")
    if np.any(model.body_mocapid >= 0):
        doubts.append("mocap bodies, which rest where the model says")
    if model.opt.disableflags & int(_mujoco.mjtDisableBit.mjDSBL_CONTACT):
        doubts.append("a flag that disables contacts, which are checked all the same")
    for doubt in doubts:
        warnings.warn(f"the model has {doubt}", stacklevel=5)


def _lasting(model: Any) -> list[int]:
    """The active equalities that are not linear in joints."""
    off = int(_mujoco.mjtDisableBit.mjDSBL_EQUALITY) | int(_mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    if model.opt.disableflags & off:
        return []
    linear = int(_mujoco.mjtEq.mjEQ_JOINT)
    active = [e for e in range(model.neq) if model.eq_active0[e]]
    return [e for e in active if model.eq_type[e] != linear or np.any(model.eq_data[e, 2:5] != 0)]


def _joint(model: Any, j: int) -> str:
    return str(model.joint(j).name) or f"joint {j}"


def _link_of(model: Any, g: int) -> str:
    """The link of a geom that a pair names."""
    return f"{_body(model, int(model.geom_bodyid[g]))}/{model.geom(g).name or g}"


def _pairs(model: Any) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in zip(model.pair_geom1, model.pair_geom2, strict=True)]


def _paired(model: Any, ignored: Collection[str]) -> set[int]:
    """The geoms that pairs name."""
    return {g for pair in _pairs(model) for g in pair if str(model.geom(g).name) not in ignored}


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
    """Adds the joints of a body, with a link without shapes between two of them, and returns where the body is in its
    link."""
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
    if int(model.body_weldid[model.body_parentid[body]]) == 0 or not _filters_parents(model):
        # MuJoCo collides a body with a parent that is fixed to the world, or with any by a flag. Links that a joint
        # joins are never checked, so there is a link without shapes between the two.
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
    """Returns the pose of a body in the frame of its link, which is the frame of its last joint."""
    count = int(model.body_jntnum[body])
    if body == 0 or count == 0:
        return np.eye(4)
    last = int(model.body_jntadr[body]) + count - 1
    kind = model.jnt_type[last]
    turns = kind == _JOINT.mjJNT_HINGE or kind == _JOINT.mjJNT_BALL
    return _shift(-model.jnt_pos[last]) if turns else np.eye(4)


def _geoms(model: Any, body: int, ignored: Collection[str]) -> list[int]:
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    paired = _paired(model, ignored)
    colliding = [g for g in range(first, first + count) if model.geom_contype[g] or model.geom_conaffinity[g] or g in paired]
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
    raise ValueError(f"geom \"{called}\" is of a kind that is not supported; it can be named in ignore_geoms, and ft.mujoco.checker takes planes of the world")


def _allowed(model: Any, ignored: Collection[str]) -> list[tuple[str, str]]:
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
    weld = [int(w) for w in model.body_weldid]
    paired = _paired(model, ignored)
    required = {tuple(sorted(pair)) for pair in _pairs(model)}
    # The links: a body with its geoms, and each geom of a pair.
    parts: list[tuple[str, int, list[int]]] = []
    for body in range(model.nbody):
        geoms = _geoms(model, body, ignored)
        parts.append((_body(model, body), body, [g for g in geoms if g not in paired]))
        parts += [(_link_of(model, g), body, [g]) for g in geoms if g in paired]
    parts = [part for part in parts if part[2]]

    def collide(first: tuple[str, int, list[int]], second: tuple[str, int, list[int]]) -> bool:
        (_, i, some), (_, j, others) = first, second
        if any(tuple(sorted((g, h))) in required for g in some for h in others):
            return True
        if weld[i] == weld[j] or (i, j) in excluded or (j, i) in excluded:
            return False
        for a, b in ((weld[i], weld[j]), (weld[j], weld[i])):
            up = weld[int(model.body_parentid[a])]
            if _filters_parents(model) and a != 0 and up == b and up != 0:
                return False
        return any(
            model.geom_contype[g] & model.geom_conaffinity[h] or model.geom_contype[h] & model.geom_conaffinity[g]
            for g in some
            for h in others
        )

    pairs = ((parts[i], parts[j]) for j in range(len(parts)) for i in range(j))
    return [(first[0], second[0]) for first, second in pairs if not collide(first, second)]


def _filters_parents(model: Any) -> bool:
    return not model.opt.disableflags & int(_mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
