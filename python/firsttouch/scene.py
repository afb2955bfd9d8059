"""Many bodies of any kind, and the first touch among them."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _core, motions, shapes
from ._arrays import index_list, indices, number, vector
from ._arrays import points as point_rows
from ._errors import unknown, wrong_type
from ._options import MAX_ITERATIONS, TOLERANCE, Mode, Start, pack
from ._types import ArrayLike, PoseLike, ShapeLike
from .answer import Answer, Overlap
from .bodies import (
    AffineBody,
    AttachedBody,
    Body,
    DeformingBody,
    GraspedBody,
    InterpolantBody,
    RigidBody,
    RobotBody,
    RobotPathBody,
)
from .certificate import Certificate
from .motions import Motion, motion_of
from .pose import IDENTITY, Pose
from .questions import (
    Clearance,
    Contact,
    Gradient,
    Penetration,
    SafeScale,
    clearance_of,
    gradient_of,
    safe_scale_of,
)
from .shapes import shape_of
from .trajectory import Trajectory

if TYPE_CHECKING:
    from .robot import Robot


_MOST_ROWS = 40


class Scene:
    """Bodies, and the pairs of them that are not checked.

    Parameters
    ----------
    duration : float
        Times in answers, and `t_max`, run from 0 to this. A motion takes all of it.

    Examples
    --------
    A ball of radius 1 flies from x = -9 to x = 11 towards another at rest in the origin: they touch at x = -2.

    >>> import firsttouch as ft
    >>> s = ft.Scene()
    >>> s.add("flying", ft.Sphere(1), motion=ft.Linear(ft.Pose([-9, 0, 0]), ft.Pose([11, 0, 0])))
    >>> s.add("resting", ft.Sphere(1))
    >>> r = s.check()
    >>> r.kind, round(r.toi, 5), r.names
    ('touch', 0.35, ('flying', 'resting'))

    It is given another motion, and passes.

    >>> s["flying"].motion = ft.Linear(ft.Pose([-9, 3, 0]), ft.Pose([11, 3, 0]))
    >>> s.check().is_free
    True
    """

    if not TYPE_CHECKING:  # A type checker finds these by itself, unless there is such a method.

        def __setattr__(self, name: str, value: Any) -> None:
            # A misspelt setting would change nothing, and nobody would notice.
            if type(self) is Scene and not name.startswith("_") and not hasattr(Scene, name):
                raise AttributeError(f"a Scene has no setting {name!r}")
            object.__setattr__(self, name, value)

    def __init__(self, duration: float = 1.0) -> None:
        self.duration = duration
        self._core = _core.Scene()
        self._bodies: dict[str, Body] = {}
        self._allowed: list[tuple[str, str]] = []
        self._separations: dict[tuple[str, str], float] = {}
        self._by_contact: dict[tuple[str, str], float | None] = {}
        self._paddings: dict[str, float] = {}
        self._defaults: dict[str, Any] = {}
        self._leaves_out_resting = False

    @property
    def duration(self) -> float:
        """The length of the whole time: times in answers, and `t_max`, run from 0 to this."""
        return self._duration

    @duration.setter
    def duration(self, value: float) -> None:
        duration = number(value, "duration")
        if not 0.0 < duration <= 1e100:
            raise ValueError(f"duration must be positive, and at most 1e100, but is {duration}")
        self._duration = duration

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scene:
        """Reads a scene file.

        The options that the file sets are the defaults of `check`. As in the command, pairs of bodies that both rest
        are left out, unless nothing moves; ``leave_out_resting(False)`` checks them too. Entries that are ignored give
        warnings.

        Raises
        ------
        OSError
            If a file cannot be read or is refused; the text says which, where and why.
        """
        loaded = _core.load_scene(path)
        scene = cls(loaded["duration"])
        scene._defaults = loaded["options"]
        # The core has everything that follows. It is noted here for those who look at it, and for a pickle.
        scene._core = loaded["scene"]
        scene._leaves_out_resting = loaded["leaves_out_resting"]
        # A robot must exist before a body is attached to it.
        bodies = sorted(loaded["bodies"], key=lambda body: bool(body["kind"] in ("attached", "grasped")))
        scene._note([_body_of_file(body) for body in bodies])
        scene._allowed += loaded["allow"]
        for pairs, min_separation, by_contact in loaded["pairs"]:
            if min_separation is not None:
                scene._separations.update(dict.fromkeys(pairs, min_separation))
            if by_contact:
                scene._by_contact.update(dict.fromkeys(pairs))
        for text in loaded["warnings"]:
            warnings.warn(text, stacklevel=2)
        return scene

    def add(
        self, name: str, shape: ShapeLike, *, motion: Motion | None = None, pose: PoseLike | None = None, parent: str | None = None
    ) -> None:
        """Adds a rigid body.

        Parameters
        ----------
        name : str
            Different from all others.
        shape : Shape or trimesh.Trimesh
        motion : Motion, optional
        pose : pose, optional
            The pose at which the body rests, if it has no motion, or at which its `Turn` starts; the origin if neither
            is given.
        parent : str, optional
            The rigid body in whose frame the motion and the pose are given.

        Examples
        --------
        A ball at the end of a door that opens by half a turn.

        >>> import firsttouch as ft
        >>> s = ft.Scene()
        >>> s.add("door", ft.Box([2, 0.1, 2]), pose=ft.Pose([1, 0, 0]), motion=ft.Turn([0, 0, 1], degrees=180))
        >>> s.add("ball", ft.Sphere(0.1), pose=ft.Pose([1, 0.2, 0]), parent="door")
        >>> s["ball"].world_motion.pose_at(1.0)[:3, 3].round(12)
        array([-2. , -0.2,  0. ])
        """
        if parent is not None and not isinstance(self._bodies.get(_name(parent)), RigidBody):
            raise ValueError(f"the parent of \"{name}\" must be a rigid body of the scene, and \"{parent}\" is none")
        self._put(RigidBody(_name(name), shape_of(shape), motion_of(motion, pose), parent))

    def add_robot(
        self, name: str, robot: Robot, q0: ArrayLike, q1: ArrayLike | None = None, *, base: PoseLike | None = None
    ) -> None:
        """Adds a robot on its way from one configuration to another. Every joint moves at a constant rate.

        Parameters
        ----------
        robot : Robot
        q0, q1 : array_like of one number per joint
            The configurations at the times 0 and 1; without `q1` it stands still.
        base : pose, optional
            The pose of its base.
        """
        start = robot._configuration(q0, "q0")
        end = start if q1 is None else robot._configuration(q1, "q1")
        self._put(RobotBody(_name(name), robot, start, end, IDENTITY if base is None else Pose.of(base)))

    def add_robot_path(
        self, name: str, robot: Robot, trajectory: Trajectory, *, base: PoseLike | None = None, adaptive: bool = False
    ) -> None:
        """Adds a robot that follows a trajectory. Everything else in the scene keeps the same time.

        Parameters
        ----------
        robot : Robot
        trajectory : Trajectory
            Its times are those of the scene, from 0 to the `duration` that the scene has now.
        base : pose, optional
            The pose of its base.
        adaptive : bool
            True if the check of a segment reuses the proofs of earlier segments. The answers are the same within the
            tolerance. It goes with linear interpolation.
        """
        if not isinstance(trajectory, Trajectory):
            raise ValueError(f"trajectory must be a Trajectory, not {type(trajectory).__name__}")
        place = IDENTITY if base is None else Pose.of(base)
        self._put(RobotPathBody(_name(name), robot, trajectory, place, bool(adaptive)))

    def add_deforming(self, name: str, V0: ArrayLike, V1: ArrayLike, F: ArrayLike, *, edges: ArrayLike | None = None, points: ArrayLike | None = None) -> None:
        """Adds a mesh whose vertices move on straight lines. It is also checked against itself.

        Parameters
        ----------
        V0, V1 : array_like of shape (N, 3)
            The vertices at the times 0 and 1.
        F : array_like of shape (M, 3)
            The triangles.
        edges : array_like of shape (K, 2), optional
            Loose edges.
        points : array_like of shape (K,), optional
            Loose points.
        """
        frames = point_rows(V0, "V0").copy(), point_rows(V1, "V1").copy()
        faces, loose = indices(F, 3, "F").copy(), indices(edges, 2, "edges").copy()
        self._put(DeformingBody(_name(name), *frames, faces, loose, index_list(points, "points")))

    def attach(
        self,
        name: str,
        shape: ShapeLike,
        robot: str,
        link: str,
        pose: PoseLike | None = None,
        *,
        touch_links: Sequence[str] = (),
        at: int | None = None,
        release: int | None = None,
    ) -> None:
        """Adds a body that a robot holds: it moves with a link, at `pose` in the frame of the link.

        It is checked against everything except that link and those in `touch_links`.

        With `at`, a robot on a trajectory takes it up at that waypoint, counted from 0, and puts it down at the
        waypoint `release`, or keeps it. Then `pose` is its pose in the world before that.
        """
        place = IDENTITY if pose is None else Pose.of(pose)
        given = _name(name), shape_of(shape), _name(robot), _name(link), place, list(touch_links)
        if at is None:
            if release is not None:
                raise ValueError("release goes with at")
            self._put(AttachedBody(*given))
            return
        waypoints = index_list([at] if release is None else [at, release], "at and release")
        self._put(GraspedBody(*given, waypoints[0], None if release is None else waypoints[1]))

    def hold(
        self,
        name: str,
        shape: ShapeLike,
        link: str,
        pose: PoseLike | None = None,
        *,
        touch_links: Sequence[str] = (),
    ) -> None:
        """Adds a body that a robot holds, as `Checker.hold` does; `link` is ``robot/link``. See also `attach`.

        Examples
        --------
        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "hand", "prismatic", axis=(1, 0, 0))
        >>> s = ft.Scene()
        >>> s.add_robot("arm", ft.Robot("arm", [ft.Link("rail"), ft.Link("hand")], [slide]), [0], [10])
        >>> s.hold("cup", ft.Sphere(1), "arm/hand")
        >>> s.add("post", ft.Sphere(1), pose=ft.Pose([7, 0, 0]))
        >>> round(s.check().toi, 5)
        0.5
        """
        robot, slash, of_robot = _name(link).partition("/")
        if not slash:
            raise ValueError(f"link must be \"robot/link\", but is \"{link}\"")
        self.attach(name, shape, robot, of_robot, pose, touch_links=touch_links)

    def remove(self, name: str) -> None:
        """Removes a body, with all rules about its pairs. It must not be the parent of another."""
        for child in self._children(_name(name)):
            raise ValueError(f"\"{name}\" is the parent of \"{child.name}\"")
        if name not in self._bodies:
            raise unknown(name, self._bodies)
        self._core.remove(name)
        body = self._bodies.pop(name)
        if isinstance(body, RigidBody):
            body._scene = None
        links = body.robot.link_names if isinstance(body, (RobotBody, RobotPathBody)) else []
        gone = {name, *(f"{name}/{link}" for link in links)}
        self._allowed = [pair for pair in self._allowed if not gone.intersection(pair)]
        self._separations = {pair: value for pair, value in self._separations.items() if not gone.intersection(pair)}
        self._by_contact = {pair: value for pair, value in self._by_contact.items() if name not in pair}
        self._paddings = {padded: value for padded, value in self._paddings.items() if padded not in gone}

    def allow(self, a: str, b: str) -> None:
        """Leaves a pair of bodies out of every check; a body and itself: its own parts.

        A link of a robot is called ``robot/link``. Names may be patterns with ``*`` and ``?``, which stand for all that
        match now.
        """
        pairs = self._pairs_named(a, b)
        self._core.allow(a, b)
        self._allowed += pairs

    def _pairs_named(self, a: str, b: str) -> list[tuple[str, str]]:
        try:
            return self._core.pairs_named(_name(a), _name(b))
        except ValueError:
            robots = [body for body in self._bodies.values() if isinstance(body, (RobotBody, RobotPathBody))]
            names = [*self._bodies, *(f"{body.name}/{link}" for body in robots for link in body.robot.link_names)]
            for name in (a, b):
                if name not in names and not set(name) & set("*?"):
                    raise unknown(name, names) from None
            raise

    def leave_out_resting(self, leave_out: bool = True) -> None:
        """Leaves out, or checks again, all pairs of two rigid bodies at rest, except those of `keep_apart`.

        Examples
        --------
        A cup stands on a table, and nothing moves.

        >>> import firsttouch as ft
        >>> s = ft.Scene()
        >>> s.add("table", ft.Box([2, 2, 1]))
        >>> s.add("cup", ft.Cylinder(0.1, 0.2), pose=ft.Pose([0, 0, 0.6]))
        >>> s.check().kind
        'touching_at_start'
        >>> s.leave_out_resting()
        >>> s.check().kind
        'free'
        """
        self._core.leave_out_resting(bool(leave_out))
        self._leaves_out_resting = bool(leave_out)

    def keep_apart(self, a: str, b: str, min_separation: float) -> None:
        """Makes two bodies touch as soon as they are closer than this, regardless of the options of `check`."""
        pairs = self._pairs_named(a, b)
        self._core.keep_apart(a, b, float(min_separation))
        self._separations.update(dict.fromkeys(pairs, float(min_separation)))

    def pad(self, name: str, padding: float) -> None:
        """Keeps all other bodies this much farther away from a robot, or from one link (``robot/link``), than the
        separation of the pair.

        Checks respect it, distances do not. The padding of a link is added to that of its robot.

        Examples
        --------
        >>> import firsttouch as ft
        >>> ball = ft.Robot("post", [ft.Link("foot", [(ft.Sphere(1), None)])], [])
        >>> s = ft.Scene()
        >>> s.add_robot("post", ball, [], [])
        >>> s.add("other", ft.Sphere(1), pose=ft.Pose([3, 0, 0]))
        >>> s.pad("post", 0.5)
        >>> s.pad("post/foot", 0.6)
        >>> s.check().kind
        'touching_at_start'
        """
        names = self._core.names_matching(_name(name))
        self._core.pad(name, float(padding))
        self._paddings.update(dict.fromkeys(names, float(padding)))

    def decide_by_contact(self, a: str, b: str, leaf_radius: float | None = None) -> None:
        """Lets CONTACT decide a pair: a mesh on a `ContactScrew` and a mesh at rest. `ScrewPair` describes the method.

        A check raises ValueError if the two bodies are anything else by then.
        """
        radius = None if leaf_radius is None else float(leaf_radius)
        self._core.decide_by_contact(_name(a), _name(b), radius)
        self._by_contact[a, b] = radius

    def check(
        self,
        mode: Mode = "first",
        tolerance: float | None = None,
        min_separation: float | None = None,
        t_max: float | None = None,
        threads: int = 0,
        *,
        max_iterations: int = MAX_ITERATIONS,
        start: Start | None = None,
    ) -> Answer:
        """Returns the first touch in the scene.

        Parameters
        ----------
        mode : {"first", "any", "all"}
            The earliest touch; any touch, as soon as one is known; the first touch of every pair.
        tolerance : float
            At the time of impact the gap is at most ``min_separation + tolerance``. The default is that of the scene's
            file, or 1e-6.
        min_separation : float
            Bodies closer than this touch. The default is that of the scene's file, or 0.
        t_max : float
            The end of the time to check. The default is that of the scene's file, or the duration.
        threads : int
            0 means one per core. The answer does not depend on it.
        max_iterations : int
            The number of steps that one pair may take before the answer is undecided.
        start : {"report", "ignore"}
            What to do about contacts at time 0. The default is that of the scene's file, or "report".

        Returns
        -------
        Answer
        """
        values = self._values(mode, tolerance, min_separation, t_max, threads, max_iterations, start)
        return Answer(self._core.check(values, self.duration))

    def clearance(
        self,
        *,
        tolerance: float | None = None,
        t_max: float | None = None,
        threads: int = 0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Clearance | None:
        """Returns the least distance of any two bodies over the whole time, proven from both sides.

        Pairs that are allowed to touch are left out. Separations to be kept play no part.

        Returns
        -------
        Clearance or None
            With ``upper - lower`` at most the tolerance; None if there is no pair.

        Examples
        --------
        A ball of radius 1 flies past another along x, at a distance of 5 between the centres.

        >>> import firsttouch as ft
        >>> s = ft.Scene()
        >>> s.add("flying", ft.Sphere(1), motion=ft.Linear(ft.Pose([-10, 5, 0]), ft.Pose([10, 5, 0])))
        >>> s.add("resting", ft.Sphere(1))
        >>> c = s.clearance()
        >>> c.lower <= 3 <= c.upper, c.upper - c.lower <= 1e-6, round(c.t, 3)
        (True, True, 0.5)
        """
        values = self._values("first", tolerance, None, t_max, threads, max_iterations, None)
        return clearance_of(self._core.clearance(values, self.duration))

    def distance_at(self, t: float, *, max_iterations: int = MAX_ITERATIONS) -> Clearance | None:
        """Returns the least distance of any two bodies at the time `t`, as exact as rounding allows, or None if there
        is no pair."""
        values = self._values("first", None, None, None, 1, max_iterations, None)
        return clearance_of(self._core.distance_at(number(t, "t"), values, self.duration))

    def contacts(
        self, t: float, *, tolerance: float | None = None, min_separation: float | None = None
    ) -> list[Contact]:
        """Returns all contacts within ``min_separation + tolerance`` at the time `t`, a full manifold for faces on
        faces.

        Examples
        --------
        A box of side 2 lands flat on a slab: four corners touch.

        >>> import firsttouch as ft
        >>> s = ft.Scene()
        >>> s.add("box", ft.Box([2, 2, 2]), motion=ft.Linear(ft.Pose([0, 0, 5]), ft.Pose([0, 0, 0])))
        >>> s.add("slab", ft.Box([8, 8, 2]))
        >>> contacts = s.contacts(s.check().toi)
        >>> sorted(contact.points[0, :2].round(6).tolist() for contact in contacts)
        [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
        """
        values = self._values("first", tolerance, min_separation, None, 1, MAX_ITERATIONS, None)
        return [Contact(**raw) for raw in self._core.contacts(number(t, "t"), values, self.duration)]

    def overlaps(
        self,
        a: str,
        b: str,
        *,
        tolerance: float | None = None,
        min_separation: float | None = None,
        t_max: float | None = None,
        max_iterations: int = MAX_ITERATIONS,
    ) -> list[Overlap]:
        """Returns all times at which two bodies touch, in order. All times between are proven free.

        Examples
        --------
        A ball of radius 1 flies from x = -10 to x = 10 through another: they touch from x = -2 to x = 2.

        >>> import firsttouch as ft
        >>> s = ft.Scene()
        >>> s.add("flying", ft.Sphere(1), motion=ft.Linear(ft.Pose([-10, 0, 0]), ft.Pose([10, 0, 0])))
        >>> s.add("resting", ft.Sphere(1))
        >>> [overlap] = s.overlaps("flying", "resting")
        >>> round(overlap.start[0], 5), round(overlap.end[1], 5), overlap.certain
        (0.4, 0.6, True)
        """
        values = self._values("all", tolerance, min_separation, t_max, 1, max_iterations, None)
        return [Overlap(*raw) for raw in self._core.overlaps(_name(a), _name(b), values, self.duration)]

    def toi_gradient(
        self,
        *,
        tolerance: float | None = None,
        min_separation: float | None = None,
        t_max: float | None = None,
        threads: int = 0,
    ) -> Gradient | None:
        """Returns the derivative of the time of the first touch by the motions of the two bodies that touch. Returns
        None if nothing touches.

        Examples
        --------
        A ball that meets another at t = 0.35. If it starts 1 farther along, the time falls by (1 - t) / 20 to first
        order.

        >>> import firsttouch as ft
        >>> s = ft.Scene()
        >>> s.add("flying", ft.Sphere(1), motion=ft.Linear(ft.Pose([-9, 0, 0]), ft.Pose([11, 0, 0])))
        >>> s.add("resting", ft.Sphere(1))
        >>> s.toi_gradient()["flying"].start.translation.round(7)[0]
        np.float64(-0.0325)
        """
        values = self._values("first", tolerance, min_separation, t_max, threads, MAX_ITERATIONS, None)
        return gradient_of(self._core.toi_gradient(values, self.duration))

    def clearance_gradient(
        self, *, tolerance: float | None = None, t_max: float | None = None, threads: int = 0
    ) -> Gradient | None:
        """Returns the derivative of the least distance by the motions of the two bodies that are closest. Returns None
        if there is no pair."""
        values = self._values("first", tolerance, None, t_max, threads, MAX_ITERATIONS, None)
        return gradient_of(self._core.clearance_gradient(values, self.duration))

    def certify(
        self,
        *,
        tolerance: float | None = None,
        min_separation: float | None = None,
        t_max: float | None = None,
        threads: int = 0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Certificate:
        """Checks the scene, and proves that nothing touches until the time that is found: all the time, or until
        shortly before the first touch.

        The arguments are those of `check`.

        Raises
        ------
        ValueError
            If there is no such proof: for bodies that touch at the start, pass within rounding, or have no closed form.
            The text names the pair.

        Examples
        --------
        >>> import firsttouch as ft
        >>> s = ft.Scene()
        >>> s.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose([0, 0, 10]), ft.Pose([0, 0, 0])))
        >>> s.add("slab", ft.Box([8, 8, 2]))
        >>> certificate = s.certify()
        >>> 0.7999 < certificate.free_until < 0.8
        True
        >>> certificate.verify()["parts"]
        2
        """
        values = self._values("first", tolerance, min_separation, t_max, threads, max_iterations, None)
        return Certificate(self._core.certify(values, self.duration))

    def max_safe_scale(
        self,
        name: str,
        *,
        translation: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (0.0, 0.0, 0.0),
        vertices: ArrayLike | None = None,
        tolerance: float | None = None,
        min_separation: float | None = None,
        max_iterations: int = MAX_ITERATIONS,
    ) -> SafeScale:
        """Returns how far the goal of a body may be changed such that nothing touches.

        Parameters
        ----------
        name : str
            A rigid body at rest or in a linear motion, or a deforming mesh.
        translation, rotation : array_like of 3 numbers
            The change of the goal of a rigid body: a translation, and a rotation vector in radians about its origin and
            the axes of the world.
        vertices : array_like of shape (N, 3)
            The change of the goal of a deforming mesh, a vector for each vertex.

        Examples
        --------
        A ball of radius 1 that rests 4 above a floor may be let down by 3, three quarters of a change by 4.

        >>> import firsttouch as ft
        >>> s = ft.Scene()
        >>> s.add("ball", ft.Sphere(1), pose=ft.Pose([0, 0, 4]))
        >>> s.add("floor", ft.Box([9, 9, 1]), pose=ft.Pose([0, 0, -0.5]))
        >>> round(s.max_safe_scale("ball", translation=[0, 0, -4]).scale, 5)
        0.75
        """
        values = self._values("first", tolerance, min_separation, None, 1, max_iterations, None)
        if vertices is not None:
            return safe_scale_of(self._core.safe_vertices(_name(name), point_rows(vertices, "vertices"), values, self.duration))
        change = vector(translation, 3, "translation"), vector(rotation, 3, "rotation")
        return safe_scale_of(self._core.safe_twist(_name(name), *change, values, self.duration))

    def penetration_at(self, a: str, b: str, t: float) -> Penetration:
        """Returns a translation that takes two bodies apart at the time `t`; its length bounds the depth. Refuses
        robots.

        Examples
        --------
        >>> import firsttouch as ft
        >>> s = ft.Scene()
        >>> s.add("floor", ft.Box([20, 20, 8]), pose=ft.Pose([0, 0, -4]))
        >>> s.add("ball", ft.Sphere(1), pose=ft.Pose([0, 0, 0.75]))
        >>> round(s.penetration_at("floor", "ball", 0).upper, 6)
        0.25
        """
        upper, normal = self._core.penetration_at(_name(a), _name(b), number(t, "t"), self.duration)
        return Penetration(upper, np.array(normal))

    def _values(
        self,
        mode: Mode,
        tolerance: float | None,
        min_separation: float | None,
        t_max: float | None,
        threads: int,
        max_iterations: int,
        start: Start | None,
    ) -> Any:
        """Returns the options of a query: each as given, else as in the scene's file, else the default."""
        given = {"tolerance": tolerance, "min_separation": min_separation, "t_max": t_max, "start": start}
        chosen: dict[str, Any] = {"tolerance": TOLERANCE, "min_separation": 0.0, "t_max": self.duration, "start": "report"}
        chosen.update(self._defaults)
        chosen.update({name: value for name, value in given.items() if value is not None})
        return pack(mode=mode, max_iterations=max_iterations, threads=threads, **chosen)

    def __getitem__(self, name: str) -> RigidBody:
        # Most bodies are rigid; others have attributes of their own.
        if name not in self._bodies:
            raise unknown(_name(name), self._bodies)
        return cast("RigidBody", self._bodies[name])

    def __contains__(self, name: object) -> bool:
        return name in self._bodies

    def __iter__(self) -> Iterator[str]:
        return iter(self._bodies)

    def __len__(self) -> int:
        return len(self._bodies)

    def bodies(self) -> list[Body]:
        """All bodies, in the order in which they were added."""
        return list(self._bodies.values())

    def _put(self, body: Body) -> None:
        body._add_to(self)
        self._bodies[body.name] = body

    def _put_all(self, bodies: list[Body]) -> None:
        """Bodies that may come before their parents."""
        self._note(bodies)
        for body in bodies:
            body._add_to(self)

    def _note(self, bodies: list[Body]) -> None:
        """Bodies that the core has, or gets next."""
        noted: dict[str, Body] = {body.name: body for body in bodies}
        self._bodies = noted
        for body in bodies:
            if isinstance(body, RigidBody):
                body._scene = self

    def _children(self, name: str) -> Iterator[RigidBody]:
        for body in self._bodies.values():
            if isinstance(body, RigidBody) and body.parent == name:
                yield body

    def _moved(self, body: RigidBody) -> None:
        self._core.set_motion(body.name, body.world_motion._core)
        for child in self._children(body.name):
            self._moved(child)

    def __repr__(self) -> str:
        return f"Scene({', '.join(f'{body.name}: {body.kind}' for body in self._bodies.values())})"

    def _repr_html_(self) -> str:
        from ._html import table

        from . import _picture

        rows: list[tuple[str, object]] = [(body.name, body) for body in self._bodies.values()]
        more: list[tuple[str, object]] = [("and", f"{len(rows) - _MOST_ROWS} more")] if len(rows) > _MOST_ROWS else []
        return (_picture.of_scene(self) or "") + table(f"Scene of {len(self)} bodies", rows[:_MOST_ROWS] + more)

    def copy(self) -> Scene:
        """Returns another scene with the same bodies, which can be changed by itself. Shapes and robots are shared."""
        return copy.copy(self)

    def __copy__(self) -> Scene:
        return _rebuilt(*self._state())

    def __deepcopy__(self, memo: object) -> Scene:
        return _rebuilt(*self._state())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, self._state())

    def _state(self) -> tuple[Any, ...]:
        bodies = [copy.copy(body) for body in self._bodies.values()]
        for body in bodies:
            if isinstance(body, RigidBody):
                body._scene = None
        separations = dict(self._separations), dict(self._by_contact), dict(self._paddings)
        settings = *separations, dict(self._defaults), self._leaves_out_resting
        return self.duration, bodies, list(self._allowed), *settings


def _rebuilt(
    duration: float,
    bodies: list[Body],
    allowed: list[Any],
    separations: dict[Any, float],
    by_contact: dict[Any, float | None],
    paddings: dict[str, float],
    defaults: dict[str, Any],
    leaves_out_resting: bool,
) -> Scene:
    scene = Scene(duration)
    scene._defaults = defaults
    scene.leave_out_resting(leaves_out_resting)
    scene._put_all(bodies)
    for a, b in allowed:
        scene.allow(a, b)
    for (a, b), min_separation in separations.items():
        scene.keep_apart(a, b, min_separation)
    for (a, b), leaf_radius in by_contact.items():
        scene.decide_by_contact(a, b, leaf_radius)
    for name, padding in paddings.items():
        scene.pad(name, padding)
    return scene


def _body_of_file(body: dict[str, Any]) -> Body:
    from .robot import Robot

    name, kind = body["name"], body["kind"]
    if kind == "rigid":
        motion = motions.of_file(body["motion"], body["recipe"])
        # A motion that is not known here is that in the world.
        parent = None if isinstance(motion, motions.OpaqueMotion) else body["parent"]
        return RigidBody(name, shapes.of_file(body["shape"]), motion, parent)
    if kind == "affine":
        return AffineBody(name, tuple(body["semi_axes"]), body["linear"], body["xyz"], body["weight"])
    if kind == "interpolant":
        first, last = (tuple(axes) for axes in body["semi_axes"])
        return InterpolantBody(name, (first, last), Pose._of_numbers(body["from"]), Pose._of_numbers(body["to"]))
    if kind == "attached":
        at = Pose._of_numbers(body["pose"])
        return AttachedBody(name, shapes.of_file(body["shape"]), body["robot"], body["link"], at, body["touch_links"])
    if kind == "deforming":
        faces, edges = indices(body["faces"], 3, "faces"), indices(body["edges"], 2, "edges")
        return DeformingBody(name, body["frame0"], body["frame1"], faces, edges, body["points"].tolist())
    if kind == "grasped":
        place = Pose._of_numbers(body["pose"])
        given = body["robot"], body["link"], place, body["touch_links"], body["at"], body["release"]
        return GraspedBody(name, shapes.of_file(body["shape"]), *given)
    if kind == "robot_path":
        way = Trajectory._of_file(body)
        base = Pose._of_numbers(body["base"])
        return RobotPathBody(name, Robot._of_core(body["robot"]), way, base, body["adaptive"])
    return RobotBody(name, Robot._of_core(body["robot"]), body["q0"], body["q1"], Pose._of_numbers(body["base"]))


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise wrong_type(value, "a name", "a string")
    return value
