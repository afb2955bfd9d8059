"""A robot among obstacles, ready for any number of queries."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import configuration, number
from ._errors import unknown, wrong_type
from ._options import MAX_ITERATIONS, TOLERANCE, StepMode, one_touch, pack
from ._types import ArrayLike, PoseLike, ShapeLike
from .answer import Answer, Overlap
from .batch import Batch
from .bodies import Body, RigidBody
from .certificate import Certificate
from .motions import Fixed, Motion
from .planning import Method, Plan, check_values, plan_of, plan_values, range_list
from .pose import IDENTITY, Pose
from .questions import Clearance, Contact, CourseGradient, Gradient, SafeScale, StepGradient, clearance_of, gradient_of, safe_scale_of
from .robot import Robot
from .scene import Scene, _name
from .shapes import Shape, shape_of
from .trajectory import Trajectory


class Checker:
    """A robot among obstacles.

    Parameters
    ----------
    robot : Robot
    obstacles : Scene, optional
        Bodies at rest, moving or deforming. The checker has its own copy.
    padding : float
        Obstacles must stay this much farther away than ``min_separation``, which is for all pairs, links with each
        other included.
    base : pose, optional
        The pose of the base of the robot.

    Examples
    --------
    A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10: they touch at x = 8.

    >>> import firsttouch as ft
    >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
    >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
    >>> room = ft.Scene()
    >>> room.add("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
    >>> c = ft.Checker(robot, obstacles=room)
    >>> r = c.check_motion([0], [16])
    >>> r.kind, round(r.toi, 5), r.names, r.parts
    ('touch', 0.5, ('slider', 'post'), ('ball', 'solid'))
    >>> c.check_motions([[0], [0]], [[7], [16]])
    Batch(1 free, 1 touch)
    """

    if not TYPE_CHECKING:  # A type checker finds these by itself, unless there is such a method.

        def __setattr__(self, name: str, value: Any) -> None:
            # A misspelt setting would change nothing, and nobody would notice.
            if type(self) is Checker and not name.startswith("_") and not hasattr(Checker, name):
                raise AttributeError(f"a Checker has no setting {name!r}")
            object.__setattr__(self, name, value)

    def __init__(
        self, robot: Robot, obstacles: Scene | None = None, padding: float = 0.0, *, base: PoseLike | None = None
    ) -> None:
        if not isinstance(robot, Robot):
            hint = "; ft.Robot.from_urdf reads a file" if isinstance(robot, str) else ""
            hint = "; ft.Robot.join makes one robot of several" if isinstance(robot, (list, tuple)) else hint
            raise wrong_type(robot, "robot", "a Robot", hint)
        if obstacles is not None and not isinstance(obstacles, Scene):
            raise wrong_type(obstacles, "obstacles", "a Scene", "; add_obstacle adds one by one")
        self._robot = robot
        self._base = IDENTITY if base is None else Pose.of(base)
        self._obstacles = Scene() if obstacles is None else obstacles.copy()
        self._said: list[tuple[Any, ...]] = []
        self._held: dict[str, tuple[Shape, str, Pose, list[str]]] = {}
        self._dof = robot.dof
        self._link_padding: dict[str, float] = {}
        self._core = _core.Checker(robot._core, self._obstacles._core, self._base._numbers)
        self.padding = padding

    @property
    def robot(self) -> Robot:
        """The robot, without the objects that it holds."""
        return self._robot

    @property
    def joint_names(self) -> list[str]:
        """The name of each number of a configuration, in order."""
        return self._robot.joint_names

    @property
    def dof(self) -> int:
        """The length of a configuration."""
        return self._dof

    @property
    def base(self) -> Pose:
        """The pose of the base of the robot."""
        return self._base

    @base.setter
    def base(self, pose: PoseLike) -> None:
        at = Pose.of(pose)
        self._core.set_base(at._numbers)
        self._base = at

    @property
    def padding(self) -> float:
        """The distance by which obstacles must stay farther away than ``min_separation``. Checks respect it, distances
        do not."""
        return self._padding

    @padding.setter
    def padding(self, value: float) -> None:
        padding = number(value, "padding")
        self._core.set_padding(padding)
        self._padding = padding

    def set_link_padding(self, link: str, padding: float) -> None:
        """Keeps obstacles this much farther away from one link, in addition to `padding`.

        Examples
        --------
        A ball of radius 1 on a rail, and a post of radius 1 at x = 10: with a padding of 0.5 they touch at x = 7.5.

        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> c = ft.Checker(robot, padding=0.25)
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
        >>> c.set_link_padding("ball", 0.25)
        >>> round(c.check_motion([0], [10]).toi, 5)
        0.75
        """
        value = number(padding, "padding")
        self._known([*self._robot.link_names, *self._held], "no link", link)
        self._core.set_link_padding(link, value)
        self._link_padding[link] = value

    @property
    def obstacles(self) -> list[Body]:
        """The obstacles, in the order in which they were added. Use `move_obstacle` to change one."""
        return self._obstacles.copy().bodies()

    @property
    def held(self) -> list[str]:
        """The names of the objects that the robot holds."""
        return list(self._held)

    def add(
        self, name: str, shape: ShapeLike, *, pose: PoseLike | None = None, motion: Motion | None = None
    ) -> None:
        """Adds an obstacle, as `Scene.add` adds a body. The same as `add_obstacle`."""
        self.add_obstacle(name, shape, pose=pose, motion=motion)

    def remove(self, name: str) -> None:
        """Removes an obstacle, or an object that the robot holds."""
        if _name(name) in self._held:
            self.release(name)
        else:
            self.remove_obstacle(name)

    def add_obstacle(
        self, name: str, shape: ShapeLike, *, pose: PoseLike | None = None, motion: Motion | None = None
    ) -> None:
        """Adds an obstacle; see `Scene.add`."""
        one = Scene()
        one.add(name, shape, pose=pose, motion=motion)
        self._core.add_obstacles(one._core)
        self._obstacles.add(name, shape, pose=pose, motion=motion)

    def move_obstacle(self, name: str, pose: PoseLike) -> None:
        """Moves an obstacle at rest to another pose. Refuses obstacles that move by themselves or deform."""
        at = Pose.of(pose)
        self._known(self._obstacles, "no obstacle", name)
        self._core.move_obstacle(name, at._numbers)
        body = self._obstacles[name]
        if isinstance(body, RigidBody):
            body.motion = Fixed(at)

    def remove_obstacle(self, name: str) -> None:
        """Removes an obstacle."""
        self._known(self._obstacles, "no obstacle", name)
        self._core.remove_obstacle(name)
        self._obstacles.remove(name)
        self._forget(name)

    def hold(
        self, name: str, shape: ShapeLike, link: str, pose: PoseLike | None = None, *, touch_links: Sequence[str] = ()
    ) -> None:
        """Attaches a shape to a link, at `pose` in the frame of the link.

        It is checked against everything except that link and those in `touch_links`.
        """
        if isinstance(touch_links, str):
            raise wrong_type(touch_links, "touch_links", "a list of names")
        at, solid, links = IDENTITY if pose is None else Pose.of(pose), shape_of(shape), list(touch_links)
        self._known(self._robot.link_names, "no link", link)
        self._core.hold(_name(name), solid._core, _name(link), at._numbers, links)
        self._said.append(("hold", name, solid, link, at, links))
        self._held[name] = (solid, link, at, links)

    def release(self, name: str) -> None:
        """Removes an object that the robot holds."""
        self._known(self._held, "nothing that the robot holds", name)
        self._core.release(name)
        self._held.pop(name, None)
        self._forget(name)

    def allow(self, a: str, b: str) -> None:
        """Leaves a pair out of every check: two links, or a link (or the robot, by its name) and an obstacle.

        Names may be patterns with ``*`` and ``?``, which stand for all that match now; a link is called ``robot/link``
        in them.
        """
        pairs = self._pairs_named(a, b)
        self._core.allow(a, b)
        self._said += [("allow", *pair) for pair in pairs]

    def keep_apart(self, a: str, b: str, min_separation: float) -> None:
        """Makes two things touch as soon as they are closer than this, regardless of the ``min_separation`` of a query.
        Names are those of `allow`.

        Examples
        --------
        A ball of radius 1 on a rail, and a post of radius 1 at x = 10.

        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> c = ft.Checker(robot)
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
        >>> c.keep_apart("slider/*", "post", 0.5)
        >>> round(c.check_motion([0], [10]).toi, 5)
        0.75
        """
        value = number(min_separation, "min_separation")
        pairs = self._pairs_named(a, b)
        self._core.keep_apart(a, b, value)
        self._said += [("keep_apart", *pair, value) for pair in pairs]

    def _known(self, names: Any, what: str, name: str) -> None:
        """Refuses a name that is not there, and says which it may stand for."""
        if _name(name) not in names:
            raise unknown(name, list(names), what)

    def _pairs_named(self, a: str, b: str) -> list[tuple[str, str]]:
        try:
            return self._core.pairs_named(_name(a), _name(b))
        except ValueError:
            links = [*self._robot.link_names, *self._held]
            names = [*links, self._robot.name, *self._obstacles, *(f"{self._robot.name}/{link}" for link in links)]
            # The core does not always say which of the two is unknown.
            for name in (a, b):
                if name not in names and not set(name) & set("*?"):
                    raise unknown(name, names) from None
            raise

    def _forget(self, name: str) -> None:
        """Forgets the rules about a thing that is gone."""
        self._said = [said for said in self._said if name not in (said[1:2] if said[0] == "hold" else said[1:3])]

    def check_motion(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        mode: StepMode = "first",
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        t_max: float = 1.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Answer:
        """Returns the first touch on the way from one configuration to another. Every joint moves at a constant rate.

        Parameters
        ----------
        q0, q1 : array_like of shape (dof,)
        mode : {"first", "any"}
        tolerance, min_separation, t_max, max_iterations
            As in `Scene.check`.
        """
        values = pack(one_touch(mode), tolerance, min_separation, t_max, max_iterations, 1)
        ends = self._robot._configuration(q0, "q0"), self._robot._configuration(q1, "q1")
        return Answer(self._core.check_motion(*ends, values))

    def check_state(
        self,
        q: ArrayLike,
        *,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Answer:
        """Checks one configuration. The answer is "free", "touching_at_start" or "undecided"."""
        values = pack("first", tolerance, min_separation, 1.0, max_iterations, 1)
        return Answer(self._core.check_state(self._robot._configuration(q, "q"), values))

    def check_path(
        self,
        Q: ArrayLike,
        *,
        mode: StepMode = "first",
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
        threads: int = 0,
    ) -> Answer:
        """Returns the answer of the first segment that is not free along a path through waypoints.

        Parameters
        ----------
        Q : array_like of shape (N, dof)
        mode : {"first", "any"}
            The mode of the answer of the segment that is not free.
        threads : int
            0 means one per core. The answer does not depend on it.

        Returns
        -------
        Answer
            `Answer.segment` is the segment; all times are those of the segment, from 0 to 1.
        """
        values = pack(one_touch(mode), tolerance, min_separation, 1.0, max_iterations, threads)
        return Answer(self._core.check_path(self._robot._configurations(Q, "Q"), values))

    def check_motions(
        self,
        Q0: ArrayLike,
        Q1: ArrayLike,
        mode: StepMode = "first",
        *,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        t_max: float = 1.0,
        max_iterations: int = MAX_ITERATIONS,
        threads: int = 0,
    ) -> Batch:
        """Checks many edges of a roadmap at once.

        Parameters
        ----------
        Q0, Q1 : array_like of shape (N, dof)
            The two ends of each edge.
        mode : {"first", "any"}
        threads : int
            0 means one per core. The answers do not depend on it.

        Returns
        -------
        Batch
        """
        values = pack(one_touch(mode), tolerance, min_separation, t_max, max_iterations, threads)
        ends = self._robot._configurations(Q0, "Q0"), self._robot._configurations(Q1, "Q1")
        return Batch._of_core(*self._core.check_motions(*ends, values))

    def check_states(
        self,
        Q: ArrayLike,
        *,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
        threads: int = 0,
    ) -> npt.NDArray[np.bool_]:
        """Returns an array of booleans: True for each of the configurations, of shape (N, dof), that is proven free.

        With ``threads`` 0 there is one thread per core. The answers do not depend on it.
        """
        values = pack("any", tolerance, min_separation, 1.0, max_iterations, threads)
        free: npt.NDArray[np.bool_] = self._core.check_states(self._robot._configurations(Q, "Q"), values) == 0
        return free

    def check_trajectory(
        self,
        trajectory: Trajectory,
        *,
        mode: StepMode = "first",
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
        threads: int = 0,
    ) -> Answer:
        """Returns the answer of the first segment of a trajectory that is not free.

        Where all obstacles rest, the trajectory keeps times of its own. Obstacles that move do so from 0 to the
        `duration` of the scene that they came from, 1 without one, and the trajectory must lie within. Only its own
        time is checked, not the time before and after.

        Parameters
        ----------
        trajectory : Trajectory
        mode : {"first", "any"}
            The mode of the answer of the segment that is not free.

        Returns
        -------
        Answer
            `Answer.segment` is the segment between two waypoints; all times are those of the segment, from 0 to 1.
            `Trajectory.time` makes them times of the trajectory.

        Examples
        --------
        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> c = ft.Checker(robot)
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
        >>> way = ft.Trajectory([[0], [4], [12]], times=[0, 1, 3])
        >>> r = c.check_trajectory(way)
        >>> r.segment, round(r.toi, 5), round(way.time(r.segment, r.toi), 5)
        (1, 0.5, 2.0)
        """
        values = pack(one_touch(mode), tolerance, min_separation, 1.0, max_iterations, threads)
        return Answer(self._core.check_trajectory(self._way(trajectory), values))

    def _way(self, trajectory: Trajectory) -> _core.Trajectory:
        if not isinstance(trajectory, Trajectory):
            raise wrong_type(trajectory, "trajectory", "a Trajectory", "; ft.Trajectory makes one of waypoints and times")
        return trajectory._core_of(self._robot, self._clock())

    def _clock(self) -> float | None:
        """Returns the time in which obstacles move, or None if all rest."""
        bodies = self._obstacles.bodies()
        rests = all(isinstance(body, RigidBody) and isinstance(body.world_motion, Fixed) for body in bodies)
        return None if rests else self._obstacles.duration

    def clearance_along(
        self, trajectory: Trajectory, *, tolerance: float = TOLERANCE, max_iterations: int = MAX_ITERATIONS, threads: int = 0
    ) -> Clearance | None:
        """Returns the least distance along a trajectory, proven from both sides, or None if there is nothing to
        measure.

        The clock is that of `check_trajectory`; `Clearance.t` is a time of its `Clearance.segment`.

        Examples
        --------
        A ball goes to x = 4 and back, at rest at both ends, and a post stands at x = 10.

        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> c = ft.Checker(robot)
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
        >>> way = ft.Trajectory([[0], [4], [0]], interpolation="cubic", velocities=[[0], [0], [0]])
        >>> found = c.clearance_along(way)
        >>> found.lower <= 4 <= found.upper
        True
        """
        values = pack("first", tolerance, 0.0, 1.0, max_iterations, threads)
        return clearance_of(self._core.clearance_along(self._way(trajectory), values))

    def contacts_along(
        self, trajectory: Trajectory, segment: int, t: float, *, tolerance: float = TOLERANCE, min_separation: float = 0.0
    ) -> list[Contact]:
        """Returns all contacts at the time `t` of a segment of a trajectory, from 0 to 1; see `contacts`."""
        values = pack("first", tolerance, min_separation, 1.0, MAX_ITERATIONS, 1)
        if not 0 <= segment < 2**62:
            raise ValueError(f"segment must not be negative, but is {segment}")
        return [Contact(**raw) for raw in self._core.contacts_along(self._way(trajectory), segment, number(t, "t"), values)]

    def overlaps(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        obstacle: str | None = None,
        *,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> list[Overlap]:
        """Returns all times at which the robot touches an obstacle on the way from one configuration to another.
        Without the name of an obstacle it returns the times at which the robot touches itself."""
        values = pack("all", tolerance, min_separation, 1.0, max_iterations, 1)
        if obstacle is not None:
            self._known(self._obstacles, "no obstacle", obstacle)
        ends = self._robot._configuration(q0, "q0"), self._robot._configuration(q1, "q1")
        return [Overlap(*raw) for raw in self._core.overlaps(*ends, obstacle, values)]

    def overlaps_along(
        self,
        trajectory: Trajectory,
        obstacle: str | None = None,
        *,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> list[Overlap]:
        """Returns all times at which the robot touches an obstacle along a trajectory. Without the name of an obstacle
        it returns the times at which the robot touches itself.

        The times are on the clock of the trajectory, or of obstacles that move, from 0 to 1. All times between are
        proven free.

        Examples
        --------
        A ball of radius 1 goes through a post of radius 1 at x = 10, from x = 0 to x = 20.

        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> c = ft.Checker(robot)
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
        >>> [overlap] = c.overlaps_along(ft.Trajectory([[0], [20]]), "post")
        >>> round(overlap.start[0], 5), round(overlap.end[1], 5)
        (0.4, 0.6)
        """
        values = pack("all", tolerance, min_separation, 1.0, max_iterations, 1)
        if obstacle is not None:
            self._known(self._obstacles, "no obstacle", obstacle)
        return [Overlap(*raw) for raw in self._core.overlaps_along(self._way(trajectory), obstacle, values)]

    def toi_gradient_along(
        self, trajectory: Trajectory, *, tolerance: float = TOLERANCE, min_separation: float = 0.0
    ) -> CourseGradient | None:
        """Returns the derivative of the time of the first touch along a trajectory by a shift of the configuration at
        that time. Returns None if nothing touches."""
        values = pack("first", tolerance, min_separation, 1.0, MAX_ITERATIONS, 1)
        found = self._core.toi_gradient_along(self._way(trajectory), values)
        return None if found is None else CourseGradient(*found)

    def plan(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        seed: int = 0,
        method: Method = "rrt-connect",
        max_samples: int = 20_000,
        shortcuts: int = 200,
        smooth: int = 0,
        time_limit: float | None = None,
        anytime: bool = False,
        reach: float = 0.5,
        neighbours: int = 10,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Plan:
        """Returns a path from one configuration to another, every edge of which is proven free.

        The same seed gives the same path on every machine, unless `time_limit` ends the search. Not finding a path
        proves nothing. Obstacles must rest.

        Parameters
        ----------
        q0, q1 : array_like of shape (dof,)
        seed : int
            The seed of all random numbers.
        method : {"rrt-connect", "roadmap"}
            Two trees that grow towards each other, or a roadmap whose edges are proven when they are needed; see
            `Roadmap` for many questions.
        max_samples : int
            The number of random configurations after which the search ends without a path.
        shortcuts : int
            The number of shortcuts that are tried.
        smooth : int
            The number of rounds in which all corners are cut. Each round may double the number of waypoints.
        time_limit : float, optional
            In seconds. Then the search ends; a path that is known by then is proven and returned.
        anytime : bool
            Goes on until `time_limit` with the seeds that follow, and returns the shortest path.
        reach : float
            The greatest distance that a tree grows towards a sample. The unit is the range of one joint.
        neighbours : int
            The number of neighbours with which a configuration of a roadmap is joined.
        ranges : mapping of names of joints to (lower, upper), optional
            The ranges to search, instead of the limits of the joints. Slides without limits need them.

        Examples
        --------
        A ball of radius 1 slides in a plane, and a post of radius 1 stands in its way.

        >>> import firsttouch as ft
        >>> slides = [
        ...     ft.Joint("x", "ground", "cart", "prismatic", axis=(1, 0, 0), limits=(-10, 10)),
        ...     ft.Joint("y", "cart", "ball", "prismatic", axis=(0, 1, 0), limits=(-10, 10)),
        ... ]
        >>> links = [ft.Link("ground"), ft.Link("cart"), ft.Link("ball", [(ft.Sphere(1), None)])]
        >>> c = ft.Checker(ft.Robot("slider", links, slides))
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([5, 0, 0]))
        >>> plan = c.plan([0, 0], [9, 0])
        >>> plan.kind, len(plan.waypoints) >= 3, c.check_path(plan.waypoints).is_free
        ('found', True, True)
        """
        if anytime and time_limit is None:
            raise ValueError("anytime needs a time_limit")
        if not isinstance(anytime, bool):
            raise wrong_type(anytime, "anytime", "True or False")
        values = plan_values(method, seed, max_samples, shortcuts, smooth, reach, neighbours)
        check = check_values(tolerance, min_separation, max_iterations)
        ends = self._robot._configuration(q0, "q0"), self._robot._configuration(q1, "q1")
        limit = None if time_limit is None else number(time_limit, "time_limit")
        if limit is not None and not limit >= 0.0:
            raise ValueError(f"time_limit must not be negative, but is {limit}")
        where = range_list(ranges, self.joint_names)
        return plan_of(self, self._core.plan(*ends, values, check, where, limit, anytime))

    def clearance(
        self,
        Q: ArrayLike,
        *,
        with_itself: bool = True,
        tolerance: float = TOLERANCE,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Clearance | None:
        """Returns the least distance along a path through waypoints, proven from both sides, or None if there is
        nothing to measure.

        Parameters
        ----------
        Q : array_like of shape (N, dof), or (dof,) for one configuration
        with_itself : bool
            True if the distances between two links also count, not only those to obstacles. An object that is held is a
            link.

        Examples
        --------
        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> c = ft.Checker(robot)
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
        >>> found = c.clearance([[0], [4], [6], [2]])
        >>> found.lower <= 2 <= found.upper, found.segment, found.t
        (True, 1, 1.0)
        """
        values = pack("first", tolerance, 0.0, 1.0, max_iterations, 1)
        core = self._core
        if not with_itself:
            core = core.copy()
            for a, b in itertools.combinations([*self._robot.link_names, *self._held], 2):
                core.allow(a, b)
        given: Any = Q
        if np.ndim(given) == 1:
            return clearance_of(core.distance(self._robot._configuration(Q, "Q"), values))
        return clearance_of(core.clearance(self._robot._configurations(Q, "Q"), values))

    def contacts(
        self, q0: ArrayLike, q1: ArrayLike, t: float, *, tolerance: float = TOLERANCE, min_separation: float = 0.0
    ) -> list[Contact]:
        """Returns all contacts within ``min_separation + tolerance`` at the time `t` on the way from one configuration
        to another."""
        values = pack("first", tolerance, min_separation, 1.0, MAX_ITERATIONS, 1)
        ends = self._robot._configuration(q0, "q0"), self._robot._configuration(q1, "q1")
        return [Contact(**raw) for raw in self._core.contacts(*ends, number(t, "t"), values)]

    def toi_gradient(
        self, q0: ArrayLike, q1: ArrayLike, *, tolerance: float = TOLERANCE, min_separation: float = 0.0
    ) -> StepGradient | None:
        """Returns the derivative of the time of the first touch by both ends of the way. Returns None if nothing
        touches.

        Examples
        --------
        A ball of radius 1 on a rail touches a post of radius 1 at x = 10 when it is at x = 8, halfway to 16.

        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> c = ft.Checker(robot)
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
        >>> g = c.toi_gradient([0], [16])
        >>> g.q0.round(6), g.q1.round(6)                        # -1/32 each
        (array([-0.03125]), array([-0.03125]))
        """
        values = pack("first", tolerance, min_separation, 1.0, MAX_ITERATIONS, 1)
        ends = self._robot._configuration(q0, "q0"), self._robot._configuration(q1, "q1")
        found = self._core.toi_gradient(*ends, values)
        return None if found is None else StepGradient(*found)

    def clearance_gradient(
        self, q0: ArrayLike, q1: ArrayLike | None = None, *, tolerance: float = TOLERANCE
    ) -> Gradient | None:
        """Returns the derivative of the least distance in a configuration, or on the way to another one, by the
        configurations. Returns None if there is nothing to measure.

        The robot is by its name in it: ``g["panda"].q0`` and ``.q1``. In one configuration the derivative is the sum of
        both, and `Gradient.degenerate` is always ``"several_features"``, because the distance is attained at all times
        of a motion that rests.

        Examples
        --------
        A ball of radius 1 on a rail is 5 away from a post of radius 1 at x = 10 when it is at x = 3.

        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> c = ft.Checker(robot)
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
        >>> g = c.clearance_gradient([0], [3])
        >>> round(g.value, 6), g["slider"].q1.round(6)
        (5.0, array([-1.]))
        """
        values = pack("first", tolerance, 0.0, 1.0, MAX_ITERATIONS, 1)
        goal = None if q1 is None else self._robot._configuration(q1, "q1")
        return gradient_of(self._core.clearance_gradient(self._robot._configuration(q0, "q0"), goal, values))

    def certify_motion(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        t_max: float = 1.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Certificate:
        """Checks the way from one configuration to another, and proves that nothing touches until the time that is
        found.

        Obstacles are not checked against each other, and the certificate says so. Bodies that are held, and obstacles
        that move, count as in `check_motion`.

        Raises
        ------
        ValueError
            If there is no such proof: for bodies that touch at the start, pass within rounding, or have no closed form.
            The text names the pair.

        Examples
        --------
        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> c = ft.Checker(robot)
        >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
        >>> c.certify_motion([0], [7.5])
        Certificate(free until 1, 1 nodes)
        >>> c.certify_motion([0], [7.5]).verify()["pairs"]
        1
        """
        values = pack("first", tolerance, min_separation, t_max, max_iterations, 1)
        ends = self._robot._configuration(q0, "q0"), self._robot._configuration(q1, "q1")
        return Certificate(self._core.certify_motion(*ends, values))

    def certify_path(
        self,
        Q: ArrayLike,
        *,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
        threads: int = 0,
    ) -> Certificate:
        """Does the same for a path through waypoints, all of whose segments must be free. Each takes the same part of
        the time from 0 to 1."""
        values = pack("first", tolerance, min_separation, 1.0, max_iterations, threads)
        return Certificate(self._core.certify_path(self._robot._configurations(Q, "Q"), values))

    def certify_trajectory(
        self,
        trajectory: Trajectory,
        *,
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        max_iterations: int = MAX_ITERATIONS,
        threads: int = 0,
    ) -> Certificate:
        """Does the same along a trajectory, on the clock of `check_trajectory`. The certificate ends before the first
        touch."""
        values = pack("first", tolerance, min_separation, 1.0, max_iterations, threads)
        return Certificate(self._core.certify_along(self._way(trajectory), values))

    def max_safe_scale(
        self, q0: ArrayLike, q1: ArrayLike, change: ArrayLike, *, tolerance: float = TOLERANCE, min_separation: float = 0.0
    ) -> SafeScale:
        """Returns how far the goal may be moved along `change` such that the way stays free.

        For every factor from 0 to `SafeScale.scale`, the way from `q0` to `q1` plus that multiple of `change` is proven
        free.
        """
        values = pack("first", tolerance, min_separation, 1.0, MAX_ITERATIONS, 1)
        ends = self._robot._configuration(q0, "q0"), self._robot._configuration(q1, "q1")
        return safe_scale_of(self._core.max_safe_scale(*ends, configuration(change, self._dof, "change"), values))

    def copy(self) -> Checker:
        """Returns another checker that can be changed by itself. The two share the data of the robot."""
        checker = Checker.__new__(Checker)
        checker.__dict__.update(self.__dict__)
        checker._core = self._core.copy()
        checker._obstacles = self._obstacles.copy()
        checker._said, checker._held = list(self._said), dict(self._held)
        checker._link_padding = dict(self._link_padding)
        return checker

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Checker:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        padding = self._padding, self._link_padding
        return (_rebuilt, (self._robot, self._base, self._obstacles, self._said, padding))

    def __repr__(self) -> str:
        held = f", holding {', '.join(self._held)}" if self._held else ""
        return f"Checker({self._robot!r}{held}, {len(self._obstacles)} obstacles)"

    def _repr_html_(self) -> str:
        from . import _picture
        from ._html import table

        robot = _picture.parts_of_robot(self._robot, self._robot.link_poses(np.zeros(self._dof), base=self._base))
        rows = [("robot", self._robot), *((f"holds {name}", shape) for name, (shape, *_) in self._held.items())]
        rows += [(body.name, body) for body in self._obstacles.bodies()[:40]]
        picture = _picture.element(robot + _picture.parts_of_scene(self._obstacles, len(self._robot.links)))
        return (picture or "") + table(f"Checker, {len(self._obstacles)} obstacles", rows)


def _rebuilt(
    robot: Robot,
    base: Pose,
    obstacles: Scene,
    said: list[Any],
    padding: tuple[float, dict[str, float]],
) -> Checker:
    checker = Checker(robot, obstacles, padding[0], base=base)
    for link, value in padding[1].items():
        checker.set_link_padding(link, value)
    # In the original order: a name may stand for an object that the robot held at that time.
    for what, *about in said:
        if what == "hold":
            checker.hold(*about[:4], touch_links=about[4])
        elif what == "allow":
            checker.allow(*about)
        else:
            checker.keep_apart(*about)
    return checker
