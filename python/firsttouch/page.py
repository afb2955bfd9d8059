"""A motion and its answer as one page: the document of ``viewer/FORMAT.md`` inside of the viewer's page."""

from __future__ import annotations

import base64
import json
import os
import zlib
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from .answer import Answer
from .bodies import (
    AffineBody,
    AttachedBody,
    DeformingBody,
    GraspedBody,
    InterpolantBody,
    RigidBody,
    RobotBody,
    RobotPathBody,
)
from .checker import Checker
from .deformable import Deformable
from .motions import Fixed, Linear, Motion
from .pose import IDENTITY, Pose
from .scene import Scene
from .shapes import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightField,
    Octree,
    Points,
    Shape,
    Sphere,
    shape_of,
)

if TYPE_CHECKING:
    from ._arrays import Floats
    from .robot import Robot

# The one line of the page that a document replaces.
_PLACE = "<!-- firsttouch-document -->"

# No body turns further than this from one sample to the next, in radians, and so many samples are taken of a smooth motion.
_TURN, _FEWEST, _MOST = np.pi / 6, 16, 1024


class View:
    """A page that shows a motion and its answer. A notebook shows it by itself."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        """What is shown, in the words of ``viewer/FORMAT.md``."""

    @property
    def html(self) -> str:
        """The page, which needs nothing else: no network, no other file."""
        page = resources.files(__package__).joinpath("viewer.html").read_text(encoding="utf-8")
        text = json.dumps(self.document, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
        before, after = page.split(_PLACE)
        return f'{before}<script type="application/json" id="firsttouch-document">{text}</script>{after}'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        answers = ", ".join(run["answer"]["answer"] for run in self.document["runs"])
        return f"View({self.document['title']!r}, {len(self.document['bodies'])} bodies, {answers})"

    def _repr_html_(self) -> str:
        style = "width:100%;height:520px;border:0"
        return f'<iframe style="{style}" sandbox="allow-scripts" srcdoc="{escape(self.html, quote=True)}"></iframe>'


def view(what: Any, *motion: Any, answer: Answer | None = None, title: str | None = None, **options: Any) -> View:
    """A page that shows a motion and its answer.

    Parameters
    ----------
    what : Scene, Checker or Deformable
        What is shown.
    *motion
        Of a scene nothing. Of a checker the waypoints ``Q`` of a path, of shape (N, dof). Of a deforming mesh its frames ``V0`` and ``V1``.
    answer : Answer, optional
        What is shown as the answer; that of `check`, or `check_path`, if left out.
    title : str, optional
    **options
        Of the check, if there is no answer given.

    Returns
    -------
    View
        It shows itself in a notebook; `View.save` writes the page to a file.

    Examples
    --------
    >>> import firsttouch as ft
    >>> s = ft.Scene()
    >>> s.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose([0, 0, 10]), ft.Pose([0, 0, 0])))
    >>> s.add("slab", ft.Box([8, 8, 2]))
    >>> ft.view(s)
    View('scene', 2 bodies, touch)
    >>> ft.view(s).save("scene.html")                           # doctest: +SKIP
    """
    if isinstance(what, Scene) and not motion:
        return _view_scene(what, answer or what.check(**options), title or "scene")
    if isinstance(what, Checker) and len(motion) == 1:
        return _view_path(what, motion[0], answer or what.check_path(motion[0], **options), title or what.robot.name)
    if isinstance(what, Deformable) and len(motion) == 2:
        scene = Scene()
        _, faces, edges, points = what._arguments
        scene.add_deforming("mesh", *motion, faces, edges=edges, points=points)
        return _view_scene(scene, answer or what.check(*motion, **options), title or "deforming mesh")
    raise ValueError("view takes a scene, a checker and waypoints, or a deforming mesh and its two frames")


class _Stage:
    """The bodies of a document, and the numbers that they are made of."""

    def __init__(self) -> None:
        self.geometries: list[dict[str, Any]] = []
        self.bodies: list[dict[str, Any]] = []
        self.motions: list[dict[str, Any]] = []
        self._known: dict[int, int] = {}
        self._kept: list[Shape] = []
        self._bytes = bytearray()

    def data(self, array: Any, kind: str) -> dict[str, Any]:
        """Numbers inside of the buffer."""
        flat = np.ascontiguousarray(array, dtype=np.dtype(kind).newbyteorder("<")).ravel()
        self._bytes.extend(bytes(-len(self._bytes) % flat.itemsize))
        offset = len(self._bytes)
        self._bytes.extend(flat.tobytes())
        word = {"u": "u", "f": "f"}[flat.dtype.kind] + str(8 * flat.itemsize)
        return {"buffer": 0, "offset": offset, "count": flat.size, "type": word}

    def buffers(self) -> list[dict[str, Any]]:
        """The buffer as text."""
        if not self._bytes:
            return []
        text = base64.b64encode(zlib.compress(bytes(self._bytes))).decode("ascii")
        return [{"encoding": "deflate-base64", "bytes": len(self._bytes), "data": text}]

    def shape(self, shape: Shape) -> int:
        """The geometry of a shape."""
        key = id(shape)
        if key not in self._known:
            self._known[key] = self._add_geometry(self._geometry(shape))
            # As long as it is kept no other shape gets its identity.
            self._kept.append(shape)
        return self._known[key]

    def parts(self, shape: Shape, at: Pose = IDENTITY) -> list[tuple[int, Pose]]:
        """The geometries of a shape at a place: those of its pieces if it is a compound."""
        if not isinstance(shape, Compound):
            return [(self.shape(shape), at)]
        return [(self.shape(piece), Pose.of(at.matrix @ pose.matrix)) for piece, pose in shape.pieces]

    def _add_geometry(self, geometry: dict[str, Any]) -> int:
        self.geometries.append(geometry)
        return len(self.geometries) - 1

    def _geometry(self, shape: Shape) -> dict[str, Any]:
        if isinstance(shape, Box):
            return {"kind": "box", "size": shape.sides.tolist()}
        if isinstance(shape, Sphere):
            return {"kind": "sphere", "radius": shape.radius}
        if isinstance(shape, (Capsule, Cylinder, Cone)):
            return {"kind": shape.kind, "radius": shape.radius, "length": shape.length}
        if isinstance(shape, Ellipsoid):
            return {"kind": "ellipsoid", "semi_axes": shape.semi_axes.tolist()}
        if isinstance(shape, HalfSpace):
            *normal, offset = shape._core.parameters
            return {"kind": "half_space", "normal": normal, "offset": offset}
        if isinstance(shape, Points):
            return {"kind": "points", "positions": self.data(shape.points, "f4"), "radius": shape.radius}
        if isinstance(shape, Octree):
            sides = shape.resolution * 2.0 ** shape.cells[:, 3]
            centers = shape.resolution * shape.cells[:, :3] + sides[:, None] / 2
            return {"kind": "boxes", "positions": self.data(centers, "f4"), "sizes": self.data(sides, "f4")}
        if isinstance(shape, HeightField):
            return self.mesh(*_height_mesh(shape))
        vertices, faces = shape._core.vertices, shape._core.faces
        if vertices is None or faces is None or len(faces) == 0:
            low, high = shape.bounds
            corners = np.array(np.meshgrid(*np.stack([low, high], 1), indexing="ij")).reshape(3, 8).T
            # The box around what has no picture of its own.
            vertices, faces = corners, np.array(_BOX_FACES)
        return self.mesh(vertices, faces)

    def mesh(self, vertices: Any, faces: Any, end: Any = None, loose: dict[str, Any] | None = None) -> dict[str, Any]:
        """The geometry of a mesh, with its second frame if it deforms."""
        both = vertices if end is None else np.concatenate([vertices, end])
        low, high = both.min(axis=0), both.max(axis=0)
        wide = np.where(high > low, high - low, 1.0)

        def quantised(points: Any) -> dict[str, Any]:
            return self.data(np.round((points - low) / wide * 65535), "u2")

        kind = "u2" if len(vertices) <= 65536 else "u4"
        positions = quantised(vertices)
        geometry = {
            "kind": "mesh",
            "box": [low.tolist(), (low + wide).tolist()],
            "positions": positions,
            "indices": self.data(faces, kind),
        }
        for name, indices in (loose or {}).items():
            if len(indices):
                geometry[name] = self.data(indices, kind)
        if end is not None:
            geometry["frames"] = {"times": [0.0, 1.0], "positions": [positions, quantised(end)]}
        return geometry

    def add(self, name: str, kind: str, shapes: list[tuple[int, Pose]], pose: Any = None, **more: Any) -> int:
        """A body."""
        shown = [{"geometry": geometry, **_placed(at)} for geometry, at in shapes]
        self.bodies.append({"name": name, "kind": kind, "shapes": shown, **_placed(pose or IDENTITY), **more})
        return len(self.bodies) - 1

    def move(self, body: int, times: Any, poses: list[Floats]) -> None:
        """The motion of a body, from samples."""
        if all(np.array_equal(pose, poses[0]) for pose in poses):
            return
        quaternions = np.array([Pose.of(pose).quat_wxyz for pose in poses])
        self.motions.append({
            "body": body,
            "times": self.data(times, "f8"),
            "positions": self.data(np.array([pose[:3, 3] for pose in poses]), "f8"),
            "quaternions": self.data(quaternions, "f4"),
        })  # fmt: skip

    def document(self, title: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
        """The whole document."""
        return {
            "format": "firsttouch-view",
            "version": 1,
            "title": title,
            "buffers": self.buffers(),
            "geometries": self.geometries,
            "bodies": self.bodies,
            "runs": runs,
        }


_BOX_FACES = [
    [0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
]  # fmt: skip


def _height_mesh(field: HeightField) -> tuple[Floats, Any]:
    rows, columns = field.heights.shape
    x, y = (np.linspace(-side / 2, side / 2, n) for side, n in zip(field.size, (columns, rows), strict=True))
    vertices = np.stack([*np.meshgrid(x, y), field.heights], axis=-1).reshape(-1, 3)
    i = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    halves = [[i, i + 1, i + columns + 1], [i, i + columns + 1, i + columns]]
    return vertices, np.concatenate([np.stack(half, axis=1) for half in halves])


def _placed(pose: Pose) -> dict[str, Any]:
    placed = {}
    if any(pose.xyz):
        placed["position"] = pose.xyz.tolist()
    quaternion = pose.quat_wxyz / np.linalg.norm(pose.quat_wxyz)
    if quaternion[0] != 1.0:
        placed["quaternion"] = quaternion.tolist()
    return placed


def _view_scene(scene: Scene, answer: Answer, title: str) -> View:
    stage = _Stage()
    shown: dict[str, dict[str, int] | int] = {}
    touches = [found.toi for found in [answer, *answer.pairs] if found.toi is not None]
    exact = [min(toi / scene.duration, 1.0) for toi in touches]
    for body in scene.bodies():
        if isinstance(body, RigidBody):
            motion = body.world_motion
            index = stage.add(body.name, body.kind, stage.parts(body.shape), Pose.of(motion.pose_at(0)))
            times = _times(motion, exact)
            stage.move(index, times * scene.duration, [motion.pose_at(t) for t in times])
            shown[body.name] = index
        elif isinstance(body, DeformingBody):
            loose = {"edges": body.edges, "points": body.points}
            geometry = stage.mesh(body.frame0, body.faces, body.frame1, loose)
            geometry["frames"]["times"] = [0.0, scene.duration]
            shown[body.name] = stage.add(body.name, "deforming", [(stage._add_geometry(geometry), IDENTITY)])
        elif isinstance(body, GraspedBody):
            times = _with_exact(np.linspace(0.0, 1.0, _samples(scene) + 1), exact)
            poses = [np.array(scene._core.pose_at(body.name, t)) for t in times]
            index = stage.add(body.name, body.kind, stage.parts(body.shape), Pose.of(poses[0]))
            stage.move(index, times * scene.duration, poses)
            shown[body.name] = index
        elif isinstance(body, (RobotBody, RobotPathBody)):
            held = [other for other in scene.bodies() if isinstance(other, AttachedBody) and other.robot == body.name]
            parts = {other.name: (other.shape, other.link, other.pose) for other in held}
            rows = _configurations(body, scene)
            segments = list(zip(rows[:-1], rows[1:], strict=True))
            unit, count = scene.duration / len(segments), len(segments)
            given = body.name, body.robot, body.base, parts, segments
            links = _add_robot(stage, *given, [t * count for t in exact], unit)
            shown[body.name] = links
            shown.update({name: links[name] for name in parts})
        elif isinstance(body, AffineBody):
            shown[body.name] = _add_affine(stage, body, exact, scene.duration)
        elif isinstance(body, InterpolantBody):
            shown[body.name] = _add_interpolant(stage, body, exact, scene.duration)
    run: dict[str, Any] = {
        "duration": scene.duration,
        "answer": _answer(answer, shown),
        "stats": answer.stats,
        "motions": stage.motions,
    }
    if answer.pairs:
        run["pairs"] = [_answer(pair, shown) for pair in answer.pairs[:2000]]
    return View(stage.document(title, [run]))


def _samples(scene: Scene) -> int:
    """How many samples of what follows a trajectory are taken."""
    paths = [body for body in scene.bodies() if isinstance(body, RobotPathBody)]
    segments = [body.trajectory._core_of(body.robot, scene.duration).segments for body in paths]
    return int(np.clip(_FEWEST * max(segments, default=1), _FEWEST, _MOST))


def _configurations(body: RobotBody | RobotPathBody, scene: Scene) -> list[Floats]:
    """Configurations at equal steps of time, straight between which the robot is shown."""
    if isinstance(body, RobotBody):
        return [np.array(body.q0), np.array(body.q1)]
    way = body.trajectory._core_of(body.robot, scene.duration)
    return [np.array(way.at(t)) for t in np.linspace(0.0, 1.0, _samples(scene) + 1)]


def _view_path(checker: Checker, Q: Any, answer: Answer, title: str) -> View:
    stage = _Stage()
    shown: dict[str, dict[str, int] | int] = {}
    for body in checker.obstacles:
        if isinstance(body, RigidBody):
            at = Pose.of(body.world_motion.pose_at(0))
            shown[body.name] = stage.add(body.name, body.kind, stage.parts(body.shape), at)
        elif isinstance(body, DeformingBody):
            geometry = stage._add_geometry(stage.mesh(body.frame0, body.faces))
            shown[body.name] = stage.add(body.name, "deforming", [(geometry, IDENTITY)])
    waypoints = np.asarray(Q, dtype=np.float64)
    segments = list(zip(waypoints[:-1], waypoints[1:], strict=True))
    exact = [] if answer.toi is None else [(answer.segment or 0) + answer.toi]
    held = {name: (shape, link, pose) for name, (shape, link, pose, _) in checker._held.items()}
    robot = checker.robot
    shown[robot.name] = _add_robot(stage, robot.name, robot, checker.base, held, segments, exact, 1.0)
    run = {
        "duration": float(len(segments)),
        "segments": [float(k) for k in range(len(segments) + 1)],
        "answer": _answer(answer, shown, answer.segment),
        "motions": stage.motions,
    }
    return View(stage.document(title, [run]))


def _add_robot(
    stage: _Stage,
    name: str,
    robot: Robot,
    base: Pose,
    held: dict[str, tuple[Shape, str, Pose]],
    segments: list[tuple[Floats, Floats]],
    exact: list[float],
    unit: float,
) -> dict[str, int]:
    """One body for each link that has shapes, and for what is held."""
    at_start = robot.link_poses(segments[0][0] if segments else robot.zero, base=base)
    indices: dict[str, int] = {}
    carriers: list[tuple[int, str, Floats]] = []
    for link in robot.links:
        if link.shapes:
            places = [(shape, IDENTITY if pose is None else Pose.of(pose)) for shape, pose in link.shapes]
            shapes = [part for shape, at in places for part in stage.parts(shape_of(shape), at)]
            index = stage.add(link.name, "link", shapes, Pose.of(at_start[link.name]), group=name)
            indices[link.name] = index
            carriers.append((index, link.name, np.eye(4)))
    for item, (shape, carrier, pose) in held.items():
        at = at_start[carrier] @ pose.matrix
        index = stage.add(item, "attached", stage.parts(shape), Pose.of(at), group=name)
        indices[item] = index
        carriers.append((index, carrier, pose.matrix))
    times: list[float] = []
    tracks: list[dict[str, Floats]] = []
    for k, (q0, q1) in enumerate(segments):
        # No link turns further than all its joints together.
        spans = int(np.clip(np.ceil(np.abs(q1 - q0).sum() / _TURN), _FEWEST, _MOST))
        for t in _with_exact(np.linspace(0.0, 1.0, spans + 1), [time - k for time in exact]):
            times.append((k + float(t)) * unit)
            tracks.append(robot.link_poses(q0 + t * (q1 - q0), base=base))
    for index, carrier, offset in carriers:
        stage.move(index, times, [poses[carrier] @ offset for poses in tracks])
    return indices


def _add_affine(stage: _Stage, body: AffineBody, exact: list[float], duration: float) -> int:
    """An ellipsoid that changes its shape: the image of a unit ball."""
    times = _with_exact(np.linspace(0.0, 1.0, 33), exact)

    def at(coefficients: list[Any], t: float) -> Any:
        return sum(np.asarray(c, dtype=np.float64) * t**k for k, c in enumerate(coefficients))

    axes = np.array(body.semi_axes)
    matrices = np.array([at(body.linear, t).reshape(3, 3) * axes / at(body.weight, t) for t in times])
    centers = np.array([at(body.xyz, t) / at(body.weight, t) for t in times])
    return _add_images(stage, body.name, times, matrices, centers, duration)


def _add_interpolant(stage: _Stage, body: InterpolantBody, exact: list[float], duration: float) -> int:
    """An ellipsoid whose matrix is linear in time."""
    times = _with_exact(np.linspace(0.0, 1.0, 33), exact)
    turned = [Pose.of(pose).matrix for pose in (body.start, body.end)]
    ends = [m[:3, :3] @ np.diag(1.0 / np.square(axes)) @ m[:3, :3].T for m, axes in zip(turned, body.semi_axes, strict=True)]
    matrices, centers = [], []
    for t in times:
        values, axes = np.linalg.eigh((1 - t) * ends[0] + t * ends[1])
        # The symmetric root of the inverse, which changes smoothly.
        matrices.append((axes / np.sqrt(values)) @ axes.T)
        centers.append((1 - t) * turned[0][:3, 3] + t * turned[1][:3, 3])
    return _add_images(stage, body.name, times, np.array(matrices), np.array(centers), duration)


def _add_images(stage: _Stage, name: str, times: Floats, matrices: Floats, centers: Floats, duration: float) -> int:
    """The images of a unit ball over time."""
    ball = stage._add_geometry({"kind": "ellipsoid", "semi_axes": [1.0, 1.0, 1.0]})
    more = {"matrix": matrices[0].ravel().tolist(), "position": centers[0].tolist()}
    index = stage.add(name, "ellipsoid", [(ball, IDENTITY)], **more)
    stage.motions.append({
        "body": index,
        "times": stage.data(times * duration, "f8"),
        "positions": stage.data(centers, "f8"),
        "matrices": stage.data(matrices, "f8"),
    })  # fmt: skip
    return index


def _times(motion: Motion, exact: list[float]) -> Floats:
    """The times of the samples of a motion: twice where its velocity jumps."""
    if isinstance(motion, Fixed):
        return np.array([0.0, 1.0])
    ends = [0.0, *motion._core.kinks, 1.0]
    all_times = []
    for first, last in zip(ends[:-1], ends[1:], strict=True):
        spans = 1 if isinstance(motion, Linear) and _rests(motion) else _FEWEST
        while spans > 1 and spans < _MOST and _largest_turn(motion, np.linspace(first, last, spans + 1)) > _TURN:
            spans *= 2
        all_times.append(_with_exact(np.linspace(first, last, spans + 1), exact))
    return np.concatenate(all_times)


def _rests(motion: Linear) -> bool:
    return bool(np.array_equal(motion.pose_at(0)[:3, :3], motion.pose_at(1)[:3, :3]))


def _largest_turn(motion: Motion, times: Floats) -> float:
    rotations = np.array([motion.pose_at(t)[:3, :3] for t in times])
    traces = np.einsum("kij,kij->k", rotations[:-1], rotations[1:])
    return float(np.arccos(np.clip((traces - 1) / 2, -1, 1)).max())


def _with_exact(times: Floats, exact: list[float]) -> Floats:
    """The same with those of the answer that lie between, and without what is nearly at one of these."""
    inside = [t for t in exact if times[0] < t < times[-1]]
    near = 1e-3 * (times[1] - times[0])
    kept = [t for t in times[1:-1] if all(abs(t - e) > near for e in inside)]
    return np.unique(np.array([times[0], *kept, *inside, times[-1]]))


def _answer(answer: Answer, shown: dict[str, dict[str, int] | int], segment: int | None = None) -> dict[str, Any]:
    """An answer in the words of the document."""
    found: dict[str, Any] = {"answer": answer.kind}
    names, parts = answer.names, answer.parts
    first = float(segment or 0)
    if names is None and parts is not None and shown:
        # A mesh with itself.
        names = (next(iter(shown)),) * 2
    if names is not None:
        pair = [_index(shown.get(name), part) for name, part in zip(names, parts or ("", ""), strict=True)]
        if all(index is not None for index in pair):
            found["bodies"] = pair
    if answer.kind == "undecided":
        found["free_until"] = first + answer.free_until
    if answer.toi is not None and answer.points is not None and answer.normal is not None:
        found.update(time=first + answer.toi, parts=answer.parts, features=answer.features)
        found.update(points=answer.points.tolist(), normal=answer.normal.tolist())
        if answer.gap is not None and np.isfinite(answer.gap):
            found["gap"] = answer.gap
        if answer.free_until < answer.toi:
            found["free_until"] = first + answer.free_until
        if segment is not None:
            found["toi"] = answer.toi
    if segment is not None and answer.kind != "free":
        found["segment"] = segment
    if answer.overlaps:
        found["overlaps"] = [{"from": o.start[0], "to": o.end[1], "certain": o.certain} for o in answer.overlaps]
    return found


def _index(shown: dict[str, int] | int | None, part: str) -> int | None:
    """The body that shows a part."""
    if isinstance(shown, dict):
        return shown.get(part, next(iter(shown.values()), None))
    return shown
