"""Small shaded pictures of shapes for notebooks, drawn with numpy. No check is run for them.

Every triangle is covered with points so densely that each pixel gets one, and the nearest point of a pixel is seen. A
picture has a palette, so that it takes 10 to 20 kB.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Floats
from .pose import Pose
from .shapes import Capsule, Compound, Cone, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere, shape_of

if TYPE_CHECKING:
    from .robot import Robot
    from .scene import Scene

# Triangles, of shape (N, 3, 3), and the number of a colour.
Part = tuple[Floats, int]

_WIDTH, _HEIGHT = 480, 320
_LARGEST = 20_000
_MOST_TRIANGLES = 60_000
_SHADES = 12
_COLOURS = [
    (86, 130, 190), (222, 143, 60), (104, 168, 96), (190, 88, 84), (140, 110, 180), (150, 108, 90), (210, 130, 180),
    (128, 128, 128), (180, 180, 70), (80, 175, 190), (120, 150, 220), (235, 180, 120), (150, 200, 140), (225, 140, 135),
    (185, 165, 215), (190, 160, 145), (230, 180, 210), (175, 175, 175), (210, 210, 130), (150, 210, 220),
]  # fmt: skip
MARK = len(_COLOURS)
"""The colour of a point of contact."""
_PALETTE = [*_COLOURS, (235, 20, 20)]


def of_scene(scene: Scene) -> str | None:
    """Returns the bodies at their first poses, as an element of HTML, or None if there is nothing to draw."""
    return element(parts_of_scene(scene))


def parts_of_scene(scene: Scene, first: int = 0) -> list[Part]:
    """Returns the bodies of a scene at their first poses, with colours from the first one on."""
    from .bodies import AttachedBody, DeformingBody, GraspedBody, RigidBody, RobotBody, RobotPathBody

    found: list[Part] = []
    planes: list[tuple[HalfSpace, Floats, int]] = []
    bodies = scene.bodies()
    poses: dict[str, dict[str, Pose]] = {}
    for k, body in enumerate(bodies):
        colour = (first + k) % len(_COLOURS)
        if isinstance(body, RigidBody):
            at = body.world_motion.pose_at(0.0).matrix
            if isinstance(body.shape, HalfSpace):
                planes.append((body.shape, at, colour))
            else:
                found.append((_placed(triangles_of(body.shape), at), colour))
        elif isinstance(body, DeformingBody):
            found.append((np.asarray(body.frame0)[np.asarray(body.faces, dtype=np.int64)], colour))
        elif isinstance(body, GraspedBody):
            found.append((_placed(triangles_of(body.shape), np.array(scene._core.pose_at(body.name, 0.0))), colour))
        elif isinstance(body, (RobotBody, RobotPathBody)):
            q = body.q0 if isinstance(body, RobotBody) else body.trajectory(body.trajectory.start_time)
            poses[body.name] = body.robot.link_poses(q, base=body.base)
            found += [(part, colour) for part, _ in parts_of_robot(body.robot, poses[body.name])]
        elif isinstance(body, AttachedBody) and body.robot in poses:
            at = poses[body.robot][body.link].matrix @ Pose.of(body.pose).matrix
            found.append((_placed(triangles_of(body.shape), at), colour))
    return found + [(_square(plane, at, found), colour) for plane, at, colour in planes]


def parts_of_robot(robot: Robot, poses: dict[str, Pose]) -> list[Part]:
    """The links of a robot, each with a colour of its own."""
    found = []
    for k, link in enumerate(robot.links):
        for shape, pose in link.shapes:
            at = poses[link.name].matrix if pose is None else poses[link.name].matrix @ Pose.of(pose).matrix
            found.append((_placed(triangles_of(shape_of(shape)), at), k % len(_COLOURS)))
    return found


def marks(points: Any, size: float) -> list[Part]:
    """Points of contact, as small balls."""
    ball = triangles_of(Sphere(size))
    return [(ball + np.asarray(point), MARK) for point in points]


def element(parts: list[Part], turn: float = -0.9, tilt: float = 0.45) -> str | None:
    """Returns a picture as an element of HTML, or None if there is nothing to draw."""
    url = data_url(parts, turn, tilt)
    return None if url is None else f'<img alt="a picture" style="max-width:100%" src="{url}">'


def data_url(parts: list[Part], turn: float, tilt: float) -> str | None:
    """Returns the picture as a data URL."""
    picture = png(parts, turn, tilt, _WIDTH, _HEIGHT)
    scale = 2
    while picture is not None and len(picture) > _LARGEST:
        picture = png(parts, turn, tilt, _WIDTH // scale, _HEIGHT // scale)
        scale *= 2
    if picture is None:
        return None
    return "data:image/png;base64," + base64.b64encode(picture).decode()


def png(parts: list[Part], turn: float, tilt: float, width: int, height: int) -> bytes | None:
    """Draws the parts, seen from a direction: `turn` about the vertical z axis, and `tilt` above the horizon."""
    parts = [(part, colour) for part, colour in parts if len(part) and np.all(np.isfinite(part))]
    if not parts:
        return None
    corners = np.concatenate([part for part, _ in parts])
    colours = np.concatenate([np.full(len(part), colour) for part, colour in parts])
    ct, st, ca, sa = np.cos(turn), np.sin(turn), np.cos(tilt), np.sin(tilt)
    # Rows: to the right, up, and towards who looks.
    view = np.array([[ct, st, 0.0], [sa * -st, sa * ct, ca], [ca * st, -ca * ct, sa]])
    seen = corners @ view.T
    low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    scale = min((width - 8) / max(high[0] - low[0], 1e-300), (height - 8) / max(high[1] - low[1], 1e-300))
    flat = (seen[..., :2] - 0.5 * (low + high)[:2]) * scale
    flat = np.stack([flat[..., 0] + 0.5 * width, 0.5 * height - flat[..., 1]], axis=-1)
    depth = (seen[..., 2] - low[2]) / max(high[2] - low[2], 1e-300)
    sides = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
    length = np.linalg.norm(sides, axis=1)
    facing = np.abs(sides @ np.array([-0.3, 0.5, 0.81])) / np.where(length > 0.0, length, 1.0)
    inks = 1 + colours * _SHADES + np.minimum(facing * _SHADES, _SHADES - 1).astype(np.int64)
    pixels = np.zeros(width * height, dtype=np.int64)
    edges = flat - np.roll(flat, 1, axis=1)
    reach = np.abs(edges).max(axis=(1, 2))
    steps = 2 ** np.ceil(np.log2(np.maximum(reach, 0.5) * 1.5)).astype(np.int64).clip(0, 11)
    for count in np.unique(steps):
        i, j = np.divmod(np.arange((count + 1) ** 2), count + 1)
        inside = i + j <= count
        weights = np.stack([i[inside], j[inside], count - i[inside] - j[inside]], axis=1) / count
        which = np.flatnonzero(steps == count)
        batch = max(1, 500_000 // len(weights))
        for begin in range(0, len(which), batch):
            some = which[begin : begin + batch]
            at = np.einsum("pk,nkd->npd", weights, flat[some]).astype(np.int64)
            keys = (np.einsum("pk,nk->np", weights, depth[some]) * 2.0**40).astype(np.int64) * 1024 + inks[some][:, None]
            place = at[..., 1].clip(0, height - 1) * width + at[..., 0].clip(0, width - 1)
            np.maximum.at(pixels, place.ravel(), keys.ravel())
    return _encoded((pixels % 1024).astype(np.uint16).reshape(height, width))


def _encoded(inks: Any) -> bytes:
    """Returns a PNG whose palette has the inks that occur."""
    used, numbered = np.unique(inks, return_inverse=True)
    palette = bytearray()
    for ink in used[:256].tolist():
        colour, shade = divmod(ink - 1, _SHADES)
        light = 0.4 + 0.6 * (shade + 0.5) / _SHADES
        palette += bytes((255, 255, 255) if ink == 0 else (int(c * light) for c in _PALETTE[colour]))
    rows = np.minimum(numbered, 255).astype(np.uint8).reshape(inks.shape)
    lines = np.concatenate([np.zeros((len(rows), 1), dtype=np.uint8), rows], axis=1).tobytes()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, 3, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"PLTE", bytes(palette)) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def triangles_of(shape: Shape) -> Floats:
    """Returns the surface of a shape as triangles, of shape (N, 3, 3). Round shapes become facets. A shape without
    triangles, or with too many, becomes its box."""
    if isinstance(shape, Sphere):
        return _round(np.full(3, shape.radius), 0.0)
    if isinstance(shape, Ellipsoid):
        return _round(shape.semi_axes, 0.0)
    if isinstance(shape, Capsule):
        return _round(np.full(3, shape.radius), 0.5 * shape.length)
    if isinstance(shape, (Cylinder, Cone)):
        half = 0.5 * shape.length
        top = shape.radius if isinstance(shape, Cylinder) else 0.0
        return _turned([(0.0, -half), (shape.radius, -half), (top, half), (0.0, half)])
    if isinstance(shape, Compound):
        pieces = [_placed(triangles_of(shape_of(piece)), Pose.of(pose).matrix) for piece, pose in shape.pieces]
        return np.concatenate(pieces) if pieces else np.zeros((0, 3, 3))
    vertices, faces = shape._core.vertices, shape._core.faces
    if vertices is not None and faces is not None and 0 < len(faces) <= _MOST_TRIANGLES:
        found: Floats = np.asarray(vertices)[np.asarray(faces, dtype=np.int64)]
        return found
    low, high = shape.bounds
    if not np.all(np.isfinite([low, high])):
        return np.zeros((0, 3, 3))
    around: Floats = _cuboid(high - low) + 0.5 * (low + high)
    return around


def _cuboid(sides: Floats) -> Floats:
    found = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (-0.5, 0.5):
            square = np.zeros((4, 3))
            square[:, axis] = side
            square[:, u], square[:, v] = [-0.5, 0.5, 0.5, -0.5], [-0.5, -0.5, 0.5, 0.5]
            found += [square[[0, 1, 2]], square[[0, 2, 3]]]
    return np.array(found) * sides


def _round(axes: Floats, half: float) -> Floats:
    """A ball, stretched by the axes; its halves this far up and down."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 14)
    ball = _turned([(float(np.cos(a)), float(np.sin(a))) for a in angles]) * axes
    stretched: Floats = ball + np.where(ball[..., 2:] > 0.0, half, -half) * np.array([0.0, 0.0, 1.0])
    return stretched


def _turned(profile: list[tuple[float, float]], count: int = 28) -> Floats:
    """A profile of radii and heights, turned about the z axis."""
    angles = np.linspace(0.0, 2.0 * np.pi, count + 1)
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    rings = [circle * r + [0.0, 0.0, z] for r, z in profile]
    found = []
    for lower, upper in zip(rings[:-1], rings[1:], strict=True):
        found += [np.stack([lower[:-1], lower[1:], upper[1:]], axis=1), np.stack([lower[:-1], upper[1:], upper[:-1]], axis=1)]
    return np.concatenate(found)


def _square(plane: HalfSpace, at: Floats, others: list[Part]) -> Floats:
    """A piece of the plane below the others."""
    normal = at[:3, :3] @ np.asarray(plane.normal, dtype=np.float64)
    normal /= np.linalg.norm(normal)
    offset = float(plane.offset) + float(normal @ at[:3, 3])
    corners = np.concatenate([part.reshape(-1, 3) for part, _ in others]) if others else np.zeros((1, 3))
    centre = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    size = 0.75 * float(np.linalg.norm(corners.max(axis=0) - corners.min(axis=0))) or 1.0
    centre += (offset - normal @ centre) * normal
    u = np.cross(normal, [0.0, 0.0, 1.0] if abs(normal[2]) < 0.9 else [1.0, 0.0, 0.0])
    u *= size / np.linalg.norm(u)
    v = np.cross(normal, u)
    corners = centre + np.array([-u - v, u - v, u + v, v - u])
    square: Floats = corners[[[0, 1, 2], [0, 2, 3]]]
    return square


def _placed(triangles: Floats, at: Floats) -> Floats:
    found: Floats = triangles @ at[:3, :3].T + at[:3, 3]
    return found
