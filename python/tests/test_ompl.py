"""Planners of OMPL find paths whose every edge is proven free."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import firsttouch as ft

ob = pytest.importorskip("ompl.base")
og = pytest.importorskip("ompl.geometric")


@pytest.mark.parametrize("planner", ["RRTConnect", "PRM", "BITstar"])
def test_planners_solve(checker, planner):
    start, goal = np.array([-0.5, 0.3, 0.05]), np.array([-2.0, -1.0, 0.1])
    assert checker.check_states(np.array([start, goal])).all()
    space = ft.ompl.space(checker)
    si = ob.SpaceInformation(space)
    validator = ft.ompl.use(si, checker)
    si.setup()
    problem = ob.ProblemDefinition(si)
    states = []
    for q in (start, goal):
        state = si.allocState()
        for k, value in enumerate(q):
            state[k] = float(value)
        states.append(state)
    problem.setStartAndGoalStates(*states)
    planned = getattr(og, planner)(si)
    planned.setProblemDefinition(problem)
    planned.setup()
    assert planned.solve(5.0)
    path = problem.getSolutionPath()
    Q = np.array([[path.getState(i)[k] for k in range(3)] for i in range(path.getStateCount())])
    assert np.allclose(Q[0], start) and np.allclose(Q[-1], goal)
    assert validator.checked > 0 and checker.check_path(Q).is_free


@pytest.mark.parametrize("planner", ["RRTstar", "PRMstar"])
def test_an_interrupt_ends_a_planner(planner, arm_file):
    """In a process of its own: OMPL's PRM ends the whole process if an exception leaves a check."""
    code = f"""
import os, signal, threading, time
import firsttouch as ft
from ompl import base as ob, geometric as og
signal.signal(signal.SIGINT, signal.default_int_handler)
checker = ft.Checker(ft.Robot.from_urdf({str(arm_file)!r}))
si = ob.SpaceInformation(ft.ompl.space(checker))
ft.ompl.use(si, checker)
si.setup()
states = [si.allocState() for _ in range(2)]
for state, q in zip(states, ([-0.5, 0.3, 0.05], [-2.0, -1.0, 0.1])):
    for k, value in enumerate(q):
        state[k] = value
problem = ob.ProblemDefinition(si)
problem.setStartAndGoalStates(*states)
planner = og.{planner}(si)
planner.setProblemDefinition(problem)
planner.setup()
assert ft.ompl.solve(planner, 0.2)
sent = []
timer = threading.Timer(0.3, lambda: (sent.append(time.process_time()), os.kill(os.getpid(), signal.SIGINT)))
timer.start()
try:
    ft.ompl.solve(planner, 60.0)
except KeyboardInterrupt:
    assert time.process_time() - sent[0] < 2.0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print("ended")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.endswith("ended\n"), done.stderr


def test_a_space_of_the_wrong_dimension_is_refused(checker):
    si = ob.SpaceInformation(ob.RealVectorStateSpace(2))
    with pytest.raises(ValueError, match="2 dimensions"):
        ft.ompl.MotionValidator(si, checker)


def test_nothing_is_kept_alive(checker):
    """A space information owns its two checkers. They once kept a method of it, so that none of the three was ever
    freed."""
    si = ob.SpaceInformation(ft.ompl.space(checker))
    validator = ft.ompl.use(si, checker)
    alive = [weakref.ref(validator), weakref.ref(si.getStateValidityChecker())]
    assert all(isinstance(each(), kind) for each, kind in zip(alive, (ft.ompl.MotionValidator, ft.ompl.StateValidityChecker), strict=True))
    del si, validator
    gc.collect()
    assert [each() for each in alive] == [None, None]
