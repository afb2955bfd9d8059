"""Robots from ``yourdfpy``."""

from __future__ import annotations

from typing import Any

from .robot import Joint, Link, Robot
from .shapes import Box, Cylinder, Mesh, Shape, Sphere

_KINDS = {"continuous": "revolute"}


def robot(urdf: Any) -> Robot:
    """The robot of a ``yourdfpy.URDF``, with its collision geometry.

    Meshes are read again from the files that the URDF names, as surfaces.
    """
    described = urdf.robot
    meshes: dict[Any, Shape] = {}
    links = [Link(link.name, [_collision(c, urdf, meshes) for c in link.collisions]) for link in described.links]
    return Robot(described.name, links, [_joint(joint) for joint in described.joints])


def _collision(collision: Any, urdf: Any, meshes: dict[Any, Shape]) -> tuple[Shape, Any]:
    geometry = collision.geometry
    if geometry.box is not None:
        return Box(geometry.box.size), collision.origin
    if geometry.sphere is not None:
        return Sphere(geometry.sphere.radius), collision.origin
    if geometry.cylinder is not None:
        return Cylinder(geometry.cylinder.radius, geometry.cylinder.length), collision.origin
    scale = 1.0 if geometry.mesh.scale is None else geometry.mesh.scale
    path = urdf._filename_handler(fname=geometry.mesh.filename)
    key = (path, str(scale))
    if key not in meshes:
        meshes[key] = Mesh.load(path, scale)
    return meshes[key], collision.origin


def _joint(joint: Any) -> Joint:
    axis = (1.0, 0.0, 0.0) if joint.axis is None else tuple(float(x) for x in joint.axis)
    # A continuous joint has no limits, whatever its file says.
    limits = None
    if joint.limit is not None and joint.type != "continuous" and joint.limit.lower is not None:
        limits = (float(joint.limit.lower), float(joint.limit.upper))
    mimic = None
    if joint.mimic is not None:
        factor = 1.0 if joint.mimic.multiplier is None else float(joint.mimic.multiplier)
        mimic = (joint.mimic.joint, factor, 0.0 if joint.mimic.offset is None else float(joint.mimic.offset))
    return Joint(
        joint.name,
        joint.parent,
        joint.child,
        _KINDS.get(joint.type, joint.type),
        axis,  # type: ignore[arg-type]
        joint.origin,
        limits,
        mimic,
    )
