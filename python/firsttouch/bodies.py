"""The bodies of a scene, as `Scene.__getitem__` returns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._arrays import Floats, Indices
from .motions import Fixed, Motion, Within, motion_of
from ._types import PoseLike, ShapeLike
from .pose import IDENTITY, Pose
from .shapes import Shape, shape_of

if TYPE_CHECKING:
    from .robot import Robot
    from .scene import Scene
    from .trajectory import Trajectory


@dataclass(eq=False)
class Body:
    """A named body in a scene."""

    name: str

    @property
    def kind(self) -> str:
        """The kind, in one word."""
        raise NotImplementedError

    @property
    def pieces(self) -> int:
        """The number of triangles and solids that it consists of."""
        return 1

    def _add_to(self, scene: Scene) -> None:
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class RigidBody(Body):
    """A shape that moves as a whole. Setting its motion, pose or shape changes the scene."""

    _shape: Shape
    _motion: Motion
    parent: str | None = None
    """The body in whose frame the motion and the pose are given; None: in the world."""
    _scene: Scene | None = None

    def __repr__(self) -> str:
        within = f", parent={self.parent!r}" if self.parent is not None else ""
        return f"RigidBody({self.name!r}, {self._shape!r}, motion={self._motion!r}{within})"

    @property
    def kind(self) -> str:
        return self._shape.kind

    @property
    def pieces(self) -> int:
        return max(1, *self._shape._core.counts)

    @property
    def shape(self) -> Shape:
        """The shape."""
        return self._shape

    @shape.setter
    def shape(self, value: ShapeLike) -> None:
        shape = shape_of(value)
        if self._scene is not None:
            self._scene._core.set_shape(self.name, shape._core)
        self._shape = shape

    @property
    def motion(self) -> Motion:
        """The motion in the frame of its parent. Bodies in its own frame move with it."""
        return self._motion

    @motion.setter
    def motion(self, value: Motion) -> None:
        self._motion = motion_of(value, None)
        if self._scene is not None:
            self._scene._moved(self)

    @property
    def world_motion(self) -> Motion:
        """The motion in the world: `motion`, composed with the motions of its parents."""
        if self.parent is None or self._scene is None:
            return self._motion
        return Within(self._scene[self.parent].world_motion, self._motion)

    @property
    def pose(self) -> Pose:
        """The pose at time 0 in the frame of its parent. Setting it puts the body at rest there."""
        return self._motion.pose_at(0.0)

    @pose.setter
    def pose(self, value: PoseLike) -> None:
        self.motion = Fixed(value)

    def _add_to(self, scene: Scene) -> None:
        self._scene = scene
        try:
            scene._core.add(self.name, self._shape._core, self.world_motion._core)
        except ValueError:
            self._scene = None
            raise


@dataclass(eq=False)
class AffineBody(Body):
    """An ellipsoid that changes its shape: polynomials in time, entry k being the coefficient of t^k."""

    semi_axes: tuple[float, float, float]
    linear: list[Any]
    xyz: list[Any]
    weight: list[float]

    @property
    def kind(self) -> str:
        return "affine"

    def _add_to(self, scene: Scene) -> None:
        scene._core.add_affine(self.name, self.semi_axes, self.linear, self.xyz, self.weight)


@dataclass(eq=False)
class InterpolantBody(Body):
    """An ellipsoid on its way to another one: its matrix and its centre are linear in time.

    With the semi-axes A and the pose (R, c), the matrix is ``B = R diag(A)^-2 R^T``, and the points are those with
    ``(x - c)^T B (x - c) <= 1``.
    """

    semi_axes: tuple[tuple[float, float, float], tuple[float, float, float]]
    """At the start and at the end."""
    start: Pose
    end: Pose

    @property
    def kind(self) -> str:
        return "interpolant"

    def _add_to(self, scene: Scene) -> None:
        scene._core.add_interpolant(self.name, self.semi_axes, self.start._numbers, self.end._numbers)


@dataclass(eq=False)
class RobotBody(Body):
    """A robot on its way from one configuration to another."""

    robot: Robot
    q0: list[float]
    q1: list[float]
    base: Pose = IDENTITY

    @property
    def kind(self) -> str:
        return "robot"

    @property
    def pieces(self) -> int:
        return sum(max(1, *shape_of(shape)._core.counts) for link in self.robot.links for shape, _ in link.shapes)

    def _add_to(self, scene: Scene) -> None:
        scene._core.add_robot(self.name, self.robot._core, self.q0, self.q1, self.base._numbers)


@dataclass(eq=False)
class RobotPathBody(Body):
    """A robot on a trajectory."""

    robot: Robot
    trajectory: Trajectory
    base: Pose = IDENTITY
    adaptive: bool = False
    """True if the check of a segment reuses the proofs of earlier segments."""

    @property
    def kind(self) -> str:
        return "robot"

    @property
    def pieces(self) -> int:
        return sum(max(1, *shape_of(shape)._core.counts) for link in self.robot.links for shape, _ in link.shapes)

    def _add_to(self, scene: Scene) -> None:
        way = self.trajectory._core_of(self.robot, scene.duration)
        scene._core.add_robot_path(self.name, self.robot._core, way, self.base._numbers, self.adaptive)


@dataclass(eq=False)
class GraspedBody(Body):
    """A body that lies at rest until a robot on a trajectory takes it up, and rests again where the robot puts it
    down."""

    shape: Shape
    robot: str
    link: str
    pose: Pose
    """The pose at which it lies before."""
    touch_links: list[str]
    at: int
    """The waypoint at which it is taken up, counted from 0."""
    release: int | None
    """The waypoint at which it is put down; None: it is kept."""

    @property
    def kind(self) -> str:
        return self.shape.kind

    @property
    def pieces(self) -> int:
        return max(1, *self.shape._core.counts)

    def _add_to(self, scene: Scene) -> None:
        held = self.touch_links, self.at, self.release
        scene._core.grasp(self.name, self.shape._core, self.robot, self.link, self.pose._numbers, *held)


@dataclass(eq=False)
class AttachedBody(Body):
    """A body that a robot holds."""

    shape: Shape
    robot: str
    link: str
    pose: Pose
    touch_links: list[str]

    @property
    def kind(self) -> str:
        return "attached"

    def _add_to(self, scene: Scene) -> None:
        scene._core.attach(self.name, self.shape._core, self.robot, self.link, self.pose._numbers, self.touch_links)


@dataclass(eq=False, repr=False)
class DeformingBody(Body):
    """A mesh whose vertices move on straight lines from one frame to the next."""

    frame0: Floats
    frame1: Floats
    faces: Indices
    edges: Indices
    points: list[int]

    @property
    def kind(self) -> str:
        return "deformable"

    @property
    def pieces(self) -> int:
        return len(self.faces)

    def _add_to(self, scene: Scene) -> None:
        scene._core.add_deforming(self.name, self.frame0, self.frame1, self.faces, self.edges, self.points)

    def __repr__(self) -> str:
        return f"DeformingBody({self.name!r}, {len(self.frame0)} vertices, {len(self.faces)} faces)"
