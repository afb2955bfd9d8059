"""A robot in a simulation, step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from . import _core
from ._arrays import Floats, number
from ._errors import wrong_type
from ._options import MAX_ITERATIONS, TOLERANCE, StepMode, one_touch, pack
from ._types import ArrayLike, PoseLike
from .answer import Answer
from .checker import Checker
from .robot import Robot
from .scene import Scene

_R = TypeVar("_R")


class Simulated:
    """A robot that moves step by step. It reuses the values and proofs of the last step that still hold.

    It belongs to the thread that made it, and Ctrl-C waits for the end of a step.

    Parameters
    ----------
    robot : Robot
    obstacles : Scene, optional
    q : array_like of shape (dof,), optional
        The configuration at the start of the first step; that of `Robot.zero` if left out.
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
    >>> sim = ft.Simulated(robot, obstacles=room, q=[0])
    >>> for x in (3, 6, 9):
    ...     r = sim.step([x])
    ...     sim.accept(r.free_until)
    >>> r.kind, sim.q.round(5)
    ('touch', array([8.]))
    """

    def __init__(
        self,
        robot: Robot,
        obstacles: Scene | None = None,
        q: ArrayLike | None = None,
        *,
        base: PoseLike | None = None,
    ) -> None:
        self._begin(Checker(robot, obstacles, base=base), q)

    @classmethod
    def of(cls, checker: Checker, q: ArrayLike | None = None) -> Simulated:
        """Makes a simulation in the world of a checker, with all of its rules: paddings, pairs, and objects that the
        robot holds."""
        if not isinstance(checker, Checker):
            raise wrong_type(checker, "checker", "a Checker")
        made = cls.__new__(cls)
        made._begin(checker.copy(), q)
        return made

    def _begin(self, checker: Checker, q: ArrayLike | None) -> None:
        robot = checker.robot
        start = robot.zero.tolist() if q is None else robot._configuration(q, "q")
        self._checker = checker
        self._core = _core.Simulated(checker._core, start)

    @property
    def robot(self) -> Robot:
        """The robot, without the objects that it holds."""
        return self._checker.robot

    @property
    def q(self) -> Floats:
        """The configuration at the start of the next step."""
        return np.array(self._core.configuration)

    def step(
        self,
        q1: ArrayLike,
        *,
        mode: StepMode = "first",
        tolerance: float = TOLERANCE,
        min_separation: float = 0.0,
        t_max: float = 1.0,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Answer:
        """Returns the first touch on the way from `q` to another configuration. Nothing moves until `accept`.

        The options are those of `Checker.check_motion`.
        """
        values = pack(one_touch(mode), tolerance, min_separation, t_max, max_iterations, 1)
        return Answer(self._core.step(self.robot._configuration(q1, "q1"), values))

    def accept(self, t: float = 1.0) -> None:
        """Moves to the time `t` of the last step, from 0 to 1. A step can be accepted once."""
        self._core.accept(number(t, "t"))

    def edit(self, change: Callable[[Checker], _R]) -> _R:
        """Changes the world between two steps, and returns the result of `change`. Proofs that still hold are kept.

        Parameters
        ----------
        change : callable
            Takes the world as a `Checker`. If it raises an exception, nothing changes.

        Examples
        --------
        >>> import firsttouch as ft
        >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
        >>> sim = ft.Simulated(ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide]))
        >>> sim.edit(lambda world: world.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0])))
        >>> sim.step([20]).kind
        'touch'
        """
        world = self._checker.copy()
        result = change(world)
        # A copy: `change` may have kept the checker.
        self._core.change(world.copy()._core)
        self._checker = world.copy()
        return result

    @property
    def world(self) -> Checker:
        """A copy of the world, for other queries."""
        return self._checker.copy()

    def copy(self) -> Simulated:
        """Returns another simulation in the same state, which continues independently."""
        made = Simulated.__new__(Simulated)
        made._checker, made._core = self._checker.copy(), self._core.copy()
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Simulated:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        # An unpickled simulation computes its proofs again.
        return (Simulated.of, (self._checker, self.q.tolist()))

    def __repr__(self) -> str:
        return f"Simulated({self._checker!r}, q={self.q.tolist()})"
