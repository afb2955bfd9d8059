"""Rerun: a scene in motion as a recording."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import rerun as rr

from .answer import Answer
from .bodies import DeformingBody, GraspedBody, RigidBody, RobotBody, RobotPathBody
from .pose import Pose
from .scene import Scene
from .shapes import Box, Capsule, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere, shape_of


def to_rerun(
    scene: Scene, path: str | os.PathLike[str], *, steps: int = 60, answer: Answer | None = None
) -> None:
    """Writes a recording of a scene in motion.

    Parameters
    ----------
    scene : Scene
    path : path-like
        The recording, ``.rrd``.
    steps : int
        The number of steps into which the whole time is divided.
    answer : Answer, optional
        Its points and normal are shown at its time.

    Ellipsoids that change their shape and bodies that robots hold are not shown.
    """
    recording = rr.RecordingStream("firsttouch")
    recording.save(os.fspath(path))
    times = np.linspace(0.0, 1.0, steps + 1)
    for body in scene.bodies():
        at = f"scene/{body.name}"
        if isinstance(body, RigidBody):
            recording.log(at, _drawn(body.shape), static=True)
            motion = body.world_motion
            for t in times:
                _at_time(recording, t * scene.duration)
                recording.log(at, _placed(motion.pose_at(t)))
        elif isinstance(body, DeformingBody):
            for t in times:
                _at_time(recording, t * scene.duration)
                positions = body.frame0 + t * (body.frame1 - body.frame0)
                recording.log(at, rr.Mesh3D(vertex_positions=positions, triangle_indices=body.faces))
        elif isinstance(body, GraspedBody):
            recording.log(at, _drawn(body.shape), static=True)
            for t in times:
                _at_time(recording, t * scene.duration)
                recording.log(at, _placed(np.array(scene._core.pose_at(body.name, t))))
        elif isinstance(body, RobotBody):
            q0, q1 = np.array(body.q0), np.array(body.q1)
            _log_robot(recording, at, body, times, [q0 + t * (q1 - q0) for t in times], scene.duration)
        elif isinstance(body, RobotPathBody):
            way = body.trajectory._core_of(body.robot, scene.duration)
            _log_robot(recording, at, body, times, [way.at(t) for t in times], scene.duration)
    if answer is not None and answer.toi is not None and answer.points is not None and answer.normal is not None:
        _at_time(recording, answer.toi)
        recording.log("answer/points", rr.Points3D(answer.points))
        recording.log("answer/normal", rr.Arrows3D(origins=[answer.points[0]], vectors=[answer.normal]))
    recording.flush()
    recording.disconnect()


def _log_robot(
    recording: Any, at: str, body: RobotBody | RobotPathBody, times: Any, rows: list[Any], duration: float
) -> None:
    links = body.robot.links
    for link in links:
        for k, (shape, pose) in enumerate(link.shapes):
            recording.log(f"{at}/{link.name}/{k}", _drawn(shape_of(shape)), _placed(Pose() if pose is None else Pose.of(pose)), static=True)
    for t, q in zip(times, rows, strict=True):
        _at_time(recording, t * duration)
        for name, pose in body.robot.link_poses(q, base=body.base).items():
            recording.log(f"{at}/{name}", _placed(pose))


def _at_time(recording: Any, t: float) -> None:
    recording.set_time("t", duration=float(t))


def _placed(pose: Any) -> Any:
    return rr.Transform3D(translation=pose[:3, 3], mat3x3=pose[:3, :3])


def _drawn(shape: Shape) -> Any:
    if isinstance(shape, Box):
        return rr.Boxes3D(half_sizes=[shape.sides / 2])
    if isinstance(shape, Sphere):
        return rr.Ellipsoids3D(half_sizes=[[shape.radius] * 3])
    if isinstance(shape, Ellipsoid):
        return rr.Ellipsoids3D(half_sizes=[shape.semi_axes])
    if isinstance(shape, Capsule):
        # Rerun's begin at the centre of a cap.
        return rr.Capsules3D(lengths=[shape.length], radii=[shape.radius], translations=[[0, 0, -shape.length / 2]])
    if isinstance(shape, Cylinder):
        return rr.Cylinders3D(lengths=[shape.length], radii=[shape.radius])
    vertices, faces = shape._core.vertices, shape._core.faces
    if isinstance(shape, (Mesh, Hull)) and vertices is not None and faces is not None and len(faces) > 0:
        return rr.Mesh3D(vertex_positions=vertices, triangle_indices=faces)
    low, high = shape.bounds
    return rr.Boxes3D(mins=[low], sizes=[high - low])
