"""Robots: trees of links that move by their joints."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from . import _core
from ._core import Robot as CoreRobot
from ._arrays import Floats, configuration, configurations
from ._errors import wrong_type
from ._packages import PackageDirs, robot_text
from ._types import ArrayLike, PoseLike, ShapeLike
from .pose import IDENTITY, Pose
from .shapes import Shape, built_together, of_core, pickled_together, shape_of


JointKind: TypeAlias = Literal["fixed", "revolute", "prismatic", "planar", "floating", "ball"]
Finding: TypeAlias = Literal[
    "adjacent", "rigid_touching", "rigid_apart", "always_seen", "never_proven", "never_seen", "sometimes"
]


class LinkPair(NamedTuple):
    """The finding about two links of a robot."""

    a: str
    """The link that comes first."""
    b: str
    """The other."""
    finding: Finding
    """``"adjacent"``: a joint joins them. ``"rigid_touching"``, ``"rigid_apart"``: only fixed joints lie between them,
    and they touch always or are proven apart. ``"always_seen"``: they touched in all samples. ``"never_proven"``:
    proven never to touch within the limits of the joints. ``"never_seen"``: they touched in no sample. ``"sometimes"``:
    they touched in some."""


@dataclass(frozen=True)
class Link:
    """A rigid part of a robot: shapes, each with its pose in the frame of the link."""

    name: str
    shapes: Sequence[tuple[ShapeLike, PoseLike | None]] = ()
    """Pairs of a `Shape` and a pose; a pose of None is the identity."""


@dataclass(frozen=True)
class Joint:
    """A joint between two links."""

    name: str
    parent: str
    child: str
    kind: JointKind
    """"fixed", "revolute", "prismatic", "planar", "floating" or "ball"."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """In the frame of the joint; need not have unit length."""
    origin: PoseLike = IDENTITY
    """The pose of the frame of the joint in the frame of the parent link."""
    limits: tuple[float, float] | None = None
    mimic: tuple[str, float, float] | None = field(default=None)
    """The joint that it follows, a factor and an offset."""


class Robot:
    """A tree of links.

    Links that a joint joins are not checked against each other; `allow` names further pairs.

    Examples
    --------
    >>> import firsttouch as ft
    >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0), limits=(0, 20))
    >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
    >>> robot
    Robot('slider', 2 links, 1 joints: slide)
    >>> robot.link_poses([3])["ball"][:3, 3]
    array([3., 0., 0.])
    """

    __slots__ = ("_core", "_quaternions")
    _core: CoreRobot
    _quaternions: dict[str, int]
    """Of a robot from MuJoCo: the ball and free joints, and where the quaternion of each begins in a configuration."""

    def __init__(
        self, name: str, links: Iterable[Link], joints: Iterable[Joint], *, allow: Iterable[tuple[str, str]] = ()
    ) -> None:
        link_tuples = [
            (link.name, [(shape_of(shape)._core, _numbers(pose)) for shape, pose in link.shapes]) for link in links
        ]
        self._core = _core.Robot(str(name), link_tuples, [_joint_tuple(joint) for joint in joints], list(allow))
        self._quaternions = {}

    @classmethod
    def from_urdf(
        cls,
        path: str | os.PathLike[str],
        srdf: str | os.PathLike[str] | None = None,
        *,
        package_dirs: PackageDirs | None = None,
        xacro_args: Mapping[str, str] | None = None,
    ) -> Robot:
        """Reads a URDF file with its meshes and, if given, an SRDF file.

        Entries that are ignored give warnings. A file that ends in ``.xacro`` is run by the package ``xacro``.

        Parameters
        ----------
        path, srdf : paths
        package_dirs : folder, several folders, or a mapping of names of packages to folders, optional
            The folders of ``package://`` paths: a folder is a package, or has packages in it. After these come the
            folders of the variables ``ROS_PACKAGE_PATH`` and ``AMENT_PREFIX_PATH``, and then those around the file.
        xacro_args : mapping of names to values, optional
            The arguments of a file for xacro.

        Raises
        ------
        OSError
            If a file cannot be read or is refused; the text says which, where and why.
        """
        text = robot_text(path, package_dirs, xacro_args)
        read = _core.Robot.from_urdf(path, srdf) if text is None else _core.Robot.from_urdf_text(text, path, srdf)
        core, notes = read
        for note in notes:
            warnings.warn(note, stacklevel=2)
        return cls._of_core(core)

    @classmethod
    def join(cls, robots: Iterable[JoinedRobot] | Mapping[str, JoinedRobot], *, name: str = "robots") -> Robot:
        """Joins several robots to one, so that a checker moves all of them at once and checks them against each other.

        Parameters
        ----------
        robots : list of robots, or mapping of names to robots
            Each a robot, or a pair of a robot and the pose of its base. Their names must differ; a mapping gives them
            others.
        name : str
            Of all of them together.

        Returns
        -------
        Robot
            Its root is the link ``world``. The links and joints of a robot ``r`` are called ``r/...``; a configuration
            is that of the first robot, then that of the second, and so on.

        Examples
        --------
        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> one = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
        >>> both = ft.Robot.join({"left": one, "right": (one, ft.Pose([10, 0, 0]))})
        >>> both.joint_names
        ['left/slide', 'right/slide']
        >>> r = ft.Checker(both).check_motion([0, 0], [8, -8])
        >>> round(r.toi, 5), r.parts
        (0.5, ('left/ball', 'right/ball'))
        """
        given = list(robots.items()) if isinstance(robots, Mapping) else [(None, robot) for robot in robots]
        placed = []
        is_of_mujoco = False
        for called, entry in given:
            robot, base = entry if isinstance(entry, tuple) else (entry, None)
            if not isinstance(robot, Robot):
                raise wrong_type(robot, "a robot to join", "a Robot, or a Robot and a pose")
            is_of_mujoco = is_of_mujoco or bool(robot._quaternions)
            core = robot._core
            if called is not None and called != robot.name:
                core = _core.Robot(str(called), core.links(), core.joints(), core.allowed())
            placed.append((core, _numbers(base)))
        names = [core.name for core, _ in placed]
        if len(set(names)) < len(names):
            raise ValueError(f"robots to join need different names, but are called {names}: {{\"left\": a, \"right\": b}} names them")
        if not placed:
            raise ValueError("there is no robot to join")
        joined = cls._of_core(_core.Robot.join(str(name), placed))
        return joined._of_mujoco() if is_of_mujoco else joined

    def survey_pairs(self, *, samples: int = 1000, seed: int = 0, boxes: int = 2000) -> list[LinkPair]:
        """Returns a finding about every pair of links with shapes: if they touch always, at times, or never.

        Parameters
        ----------
        samples : int
            The number of random configurations within the limits that are examined.
        seed : int
            The same seed gives the same result.
        boxes : int
            The number of boxes of joint values that the proof of one pair may examine.

        Examples
        --------
        >>> import firsttouch as ft
        >>> ball = [(ft.Sphere(0.4), None)]
        >>> hinge = lambda a, b: ft.Joint(b, a, b, "revolute", origin=ft.Pose([1, 0, 0]), limits=(-1, 1))
        >>> row = ft.Robot("row", [ft.Link(name, ball) for name in "abc"], [hinge("a", "b"), hinge("b", "c")])
        >>> [pair.finding for pair in row.survey_pairs()]
        ['adjacent', 'never_proven', 'adjacent']
        """
        if samples < 1 or seed < 0 or boxes < 0:
            raise ValueError("samples must be at least 1, and seed and boxes not negative")
        return [LinkPair(*found) for found in self._core.survey_pairs(samples, seed, boxes)]

    def with_touching_allowed(self, *, samples: int = 1000, seed: int = 0) -> Robot:
        """Returns the robot with all pairs of links allowed that touch always: rigidly, or in all samples of
        `survey_pairs`.

        Without an SRDF file, neighbours that no joint joins, such as a flange and a gripper, touch in every
        configuration. The returned robot can be used. For rigid pairs it is proven that they touch always, for others
        it is seen in samples.

        Examples
        --------
        >>> import firsttouch as ft
        >>> ball = [(ft.Sphere(0.7), None)]
        >>> fixed = lambda a, b: ft.Joint(b, a, b, "fixed", origin=ft.Pose([0.5, 0, 0]))
        >>> row = ft.Robot("row", [ft.Link(name, ball) for name in "abc"], [fixed("a", "b"), fixed("b", "c")])
        >>> ft.Checker(row).check_state([]).kind, ft.Checker(row.with_touching_allowed()).check_state([]).kind
        ('touching_at_start', 'free')
        """
        always = [(a, b) for a, b, found in self.survey_pairs(samples=samples, seed=seed, boxes=0) if found in _ALWAYS]
        core = self._core
        allowed = [*core.allowed(), *always]
        robot = Robot._of_core(_core.Robot(core.name, core.links(), core.joints(), allowed))
        return robot._of_mujoco() if self._quaternions else robot

    @classmethod
    def from_mjcf(cls, path: str | os.PathLike[str], srdf: str | os.PathLike[str] | None = None) -> Robot:
        """Reads an MJCF file of MuJoCo with its meshes and, if given, an SRDF file.

        MuJoCo is not needed for it. For a model that MuJoCo has read there is `from_mujoco`. The quaternions of ball
        and free joints have their real part last, where a ``qpos`` of MuJoCo has it first:
        `firsttouch.mujoco.configuration` converts it.

        Raises
        ------
        OSError
            If a file cannot be read or is refused; the text says which, where and why.
        """
        core, notes = _core.Robot.from_urdf(path, srdf)
        for text in notes:
            warnings.warn(text, stacklevel=2)
        return cls._of_core(core)._of_mujoco()

    @classmethod
    def from_pinocchio(cls, model: Any, collision_model: Any, *, name: str | None = None) -> Robot:
        """A robot from a ``pinocchio.Model`` and its collision ``GeometryModel``; see `firsttouch.pinocchio`."""
        from .pinocchio import robot

        return robot(model, collision_model, name=name)

    @classmethod
    def from_yourdfpy(cls, urdf: Any) -> Robot:
        """A robot from a ``yourdfpy.URDF``; see `firsttouch.yourdfpy`."""
        from .yourdfpy import robot

        return robot(urdf)

    @classmethod
    def from_mujoco(
        cls,
        model: Any,
        *,
        name: str | None = None,
        meshes: Literal["hull", "surface"] = "hull",
        ignore_geoms: Collection[str] = (),
    ) -> Robot:
        """A robot from a ``mujoco.MjModel``, with the arguments of `firsttouch.mujoco.robot`."""
        from .mujoco import robot

        return robot(model, name=name, meshes=meshes, ignore_geoms=ignore_geoms)

    @classmethod
    def _of_core(cls, core: CoreRobot) -> Robot:
        robot = cls.__new__(cls)
        robot._core = core
        robot._quaternions = {}
        return robot

    def _of_mujoco(self) -> Robot:
        """Marks the robot, so that a raw ``qpos`` is told from a configuration where possible."""
        ends = ((i, name) for i, name in enumerate(self.joint_names) if name.endswith("/rot_x"))
        self._quaternions = {name.removesuffix("/rot_x"): i for i, name in ends}
        return self

    def _configuration(self, value: Any, what: str) -> list[float]:
        self._refuse_qpos(value, what)
        return configuration(value, self.dof, what)

    def _configurations(self, value: Any, what: str) -> Floats:
        self._refuse_qpos(value, what)
        return configurations(value, self.dof, what)

    def _refuse_qpos(self, value: Any, what: str) -> None:
        """Refuses ``data.qpos`` itself, and warns of an array that looks like a copy of it at the start.

        The two have the same length, and the quaternions of ball and free joints another order.
        """
        if not self._quaternions or not isinstance(value, np.ndarray):
            return
        convert = "a qpos of MuJoCo has the real part of a quaternion first: ft.mujoco.configuration(model, qpos) converts it"
        memory: Any = value
        while isinstance(memory, np.ndarray):
            memory = memory.base
        if type(memory).__name__ == "PyCapsule":
            raise ValueError(f"{what} is a view into the memory of another library; {convert}")
        if value.ndim in (1, 2) and value.shape[-1] == self.dof:
            for name, at in self._quaternions.items():
                w, rest = value[..., at], value[..., at + 1 : at + 4]
                if np.any((np.abs(w) == 1) & np.all(rest == 0, axis=-1)):
                    text = f"{what} turns joint \"{name}\" by exactly half a turn about x; if that is not meant: {convert}"
                    warnings.warn(text, stacklevel=4)
                    return

    @property
    def name(self) -> str:
        """Its name."""
        return self._core.name

    @property
    def joint_names(self) -> list[str]:
        """The name of each number of a configuration, in order. Joints of several numbers have a name for each:
        ``"base/x"``."""
        return self._core.joint_names

    @property
    def dof(self) -> int:
        """The length of a configuration."""
        return len(self._core.joint_names)

    @property
    def limits(self) -> Floats:
        """The lower and the upper limit of each number of a configuration, of shape (dof, 2); infinite where there is
        none."""
        return np.array([(-np.inf, np.inf) if limit is None else limit for limit in self._core.limits]).reshape(-1, 2)

    @property
    def zero(self) -> Floats:
        """The configuration in which every variable has its default value."""
        return np.array(self._core.zero)

    @property
    def link_names(self) -> list[str]:
        """The links, parents before children."""
        return self._core.link_names

    @property
    def links(self) -> list[Link]:
        """The links with their shapes, parents before children."""
        return [
            Link(name, [(of_core(shape), Pose._of_numbers(pose)) for shape, pose in parts])
            for name, parts in self._core.links()
        ]

    @property
    def joints(self) -> list[Joint]:
        """The joints, in the order of the links that they carry."""
        return [
            Joint(name, parent, child, cast("JointKind", kind), axis, Pose._of_numbers(origin), limits, mimic)
            for name, parent, child, origin, kind, axis, limits, mimic in self._core.joints()
        ]

    @property
    def allowed(self) -> list[tuple[str, str]]:
        """The pairs of links that are not checked, other than those that a joint joins."""
        return self._core.allowed()

    def link_poses(self, q: ArrayLike, *, base: PoseLike | None = None) -> dict[str, Pose]:
        """Returns the pose of each link in a configuration."""
        poses = self._core.link_poses(_numbers(base), self._configuration(q, "q"))
        return {name: Pose._of_core(pose) for name, pose in zip(self.link_names, poses, strict=True)}

    def is_within_limits(self, q: ArrayLike) -> bool:
        """Returns True if a configuration is within the limits of all joints."""
        values, (low, high) = np.array(self._configuration(q, "q")), self.limits.T
        return bool(np.all((low <= values) & (values <= high)))

    def __copy__(self) -> Robot:
        return self

    def __deepcopy__(self, memo: object) -> Robot:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # A mesh that several links share is pickled once.
        shapes: list[Shape] = []
        known: dict[int, int] = {}
        links = []
        for name, parts in self._core.links():
            described = []
            for core, pose in parts:
                address = core.address
                place = len(shapes) if address is None else known.setdefault(address, len(shapes))
                if place == len(shapes):
                    shapes.append(of_core(core))
                described.append((place, pose))
            links.append((name, described))
        joints = self._core.joints()
        given = (self.name, pickled_together(shapes), links, joints, self.allowed, bool(self._quaternions))
        return (_rebuilt, given)

    def __repr__(self) -> str:
        names = self.joint_names
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        return f"Robot({self.name!r}, {len(self.link_names)} links, {len(names)} joints: {shown})"

    def _repr_html_(self) -> str:
        from . import _picture
        from ._html import table

        rows = [(joint.name, f"{joint.kind}, {joint.parent} to {joint.child}") for joint in self.joints]
        picture = _picture.element(_picture.parts_of_robot(self, self.link_poses(np.zeros(self.dof))))
        return (picture or "") + table(f"Robot {self.name}", rows[:40])


JoinedRobot: TypeAlias = Robot | tuple[Robot, PoseLike | None]

_ALWAYS = ("rigid_touching", "always_seen")


def _rebuilt(
    name: str,
    pickled: Any,
    links: list[Any],
    joints: list[Any],
    allowed: list[tuple[str, str]],
    is_of_mujoco: bool = False,
) -> Robot:
    shapes = built_together(pickled)
    tuples = [(link, [(shapes[place]._core, pose) for place, pose in parts]) for link, parts in links]
    robot = Robot._of_core(_core.Robot(name, tuples, joints, allowed))
    return robot._of_mujoco() if is_of_mujoco else robot


def _numbers(pose: PoseLike | None) -> Any:
    return (IDENTITY if pose is None else Pose.of(pose))._numbers


def _joint_tuple(joint: Joint) -> Any:
    axis = tuple(float(x) for x in joint.axis)
    if len(axis) != 3:
        raise ValueError(f"the axis of joint \"{joint.name}\" must have 3 entries")
    return (joint.name, joint.parent, joint.child, _numbers(joint.origin), joint.kind, axis, joint.limits, joint.mimic)
