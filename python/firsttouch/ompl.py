"""OMPL: a motion validator that proves every edge, instead of sampling it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from ompl import base as _base

from ._arrays import Floats
from .checker import Checker


class MotionValidator(_base.MotionValidator):  # type: ignore[misc]
    """Accepts an edge if it is proven free.

    Parameters
    ----------
    si : ompl.base.SpaceInformation
        Of a ``RealVectorStateSpace`` with one dimension per joint of the checker, in the order of
        ``checker.joint_names``.
    checker : Checker
    configuration : callable, optional
        A function that makes a configuration of a state, for other spaces. The planner must move through that space as
        the checker moves the joints, each at a constant rate.
    **options
        As in `Checker.check_motion`: ``tolerance``, ``min_separation``, ``max_iterations``.

    An edge that is undecided is refused.
    """

    def __init__(
        self, si: Any, checker: Checker, configuration: Callable[[Any], Any] | None = None, **options: Any
    ) -> None:
        super().__init__(si)
        self.checker = checker
        self.options = {"mode": "any", **options}
        self.configuration = configuration if configuration is not None else _real_vector(si, checker)
        self.checked = 0
        """The number of edges that were checked."""

    def checkMotion(self, s1: Any, s2: Any) -> bool:
        """Returns True if the edge between two states is proven free."""
        self.checked += 1
        return self.checker.check_motion(self.configuration(s1), self.configuration(s2), **self.options).is_free


class StateValidityChecker(_base.StateValidityChecker):  # type: ignore[misc]
    """Accepts a state if it is within the bounds of the space and proven free."""

    def __init__(
        self, si: Any, checker: Checker, configuration: Callable[[Any], Any] | None = None, **options: Any
    ) -> None:
        super().__init__(si)
        self.checker = checker
        self.options = options
        self.configuration = configuration if configuration is not None else _real_vector(si, checker)
        # Of the space: a method of `si`, which owns this object, would keep both alive for ever.
        self._bounds = si.getStateSpace().satisfiesBounds

    def isValid(self, state: Any) -> bool:
        """Returns True if a state is proven free."""
        return bool(self._bounds(state)) and self.checker.check_state(self.configuration(state), **self.options).is_free


def space(checker: Checker, unlimited: float = np.pi) -> Any:
    """A ``RealVectorStateSpace`` with one dimension per joint and its limits; joints without limits get plus and minus
    `unlimited`."""
    real = _base.RealVectorStateSpace(checker.dof)
    bounds = _base.RealVectorBounds(checker.dof)
    for k, (low, high) in enumerate(checker.robot.limits.tolist()):
        bounds.setLow(k, low if np.isfinite(low) else -unlimited)
        bounds.setHigh(k, high if np.isfinite(high) else unlimited)
    real.setBounds(bounds)
    return real


def use(si: Any, checker: Checker, **options: Any) -> MotionValidator:
    """Gives a space information a motion validator and a state checker, and returns the former."""
    validator = MotionValidator(si, checker, **options)
    si.setMotionValidator(validator)
    si.setStateValidityChecker(StateValidityChecker(si, checker, **options))
    return validator


def solve(planner: Any, seconds: float) -> Any:
    """Lets a planner search for some seconds, and returns its status. Ctrl-C ends it.

    The same as ``planner.solve(seconds)``, where Ctrl-C raises its exception in the middle of the planner's C++ code. A
    planner with threads of its own, such as ``PRM``, ends the whole process then. Here the planner is told to stop, and
    the exception is raised when it has.
    """
    condition = _base.timedPlannerTerminationCondition(float(seconds))
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        return planner.solve(condition)
    seen: list[tuple[int, Any]] = []

    def stop(number: int, frame: Any) -> None:
        seen.append((number, frame))
        condition.terminate()

    signal.signal(signal.SIGINT, stop)
    try:
        status = planner.solve(condition)
    finally:
        signal.signal(signal.SIGINT, before)
    if seen:
        before(*seen[0])
    return status


def _real_vector(si: Any, checker: Checker) -> Callable[[Any], Floats]:
    dimension = si.getStateSpace().getDimension()
    if dimension != checker.dof:
        raise ValueError(f"the state space has {dimension} dimensions, but the robot has {checker.dof} joints")
    return lambda state: np.array([state[k] for k in range(dimension)])
