"""A simulation answers as a checker does, step after step."""

import copy
import pickle
import threading

import numpy as np
import pytest

import firsttouch as ft


def test_steps_are_those_of_a_checker(checker):
    random = np.random.default_rng(2)
    sim = ft.Simulated.of(checker, [0.0, 0.5, 0.1])
    kinds, edits = [], 0
    for k in range(120):
        low, high = checker.robot.limits.T
        q1 = np.clip(sim.q + random.normal(0, 0.15, 3) * (random.random(3) < 0.7), low, high)
        r, told = sim.step(q1), checker.check_motion(sim.q, q1)
        kinds.append(r.kind)
        assert r.kind == told.kind and abs(r.free_until - told.free_until) < 1e-4, k
        if r.toi is not None:
            assert r.names == told.names
        if r.is_free:
            before = sim.q
            sim.accept(1.0)
            assert np.allclose(sim.q, q1) and (before == sim.q).all() == (before == q1).all()
        if k % 30 == 20:
            at = ft.Pose([0.5 + 0.1 * random.random(), 0.45, 0.3])
            moved = checker.copy()
            moved.move_obstacle("post", at)
            if not moved.check_state(sim.q).is_free:
                continue
            edits += 1
            for change in (sim.edit, lambda move: move(checker)):
                change(lambda world: world.move_obstacle("post", at))  # noqa: B023
    assert kinds.count("free") > 40 and kinds.count("touch") > 3 and edits >= 2


def test_it_is_copied_and_pickled(arm, room):
    sim = ft.Simulated(arm, obstacles=room, q=[0.0, 0.5, 0.1], base=ft.Pose([0, 0, 0.1]))
    for other in (copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))):
        assert np.array_equal(other.q, sim.q) and repr(other) == repr(sim)
        assert other.step([0.5, 0.5, 0.1]).kind == sim.step([0.5, 0.5, 0.1]).kind
    assert sim.world.base == ft.Pose([0, 0, 0.1])


def test_what_is_wrong_changes_nothing(arm, room):
    sim = ft.Simulated(arm, obstacles=room)
    assert (sim.q == arm.zero).all()
    for wrong in (
        lambda: sim.step([0]), lambda: sim.step([np.nan] * 3), lambda: sim.accept(2.0), lambda: sim.step([0, 0, 0], mode="all"),
        lambda: sim.edit(lambda world: world.remove_obstacle("sun")), lambda: ft.Simulated("arm"), lambda: ft.Simulated.of(arm),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()
    assert (sim.q == arm.zero).all() and len(sim.world.obstacles) == 2


def test_a_simulation_belongs_to_its_thread(arm):
    sim, found = ft.Simulated(arm), []

    def elsewhere():
        try:
            sim.step([0, 0, 0.1])
        except BaseException as error:
            found.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found and "thread" in found[0]
