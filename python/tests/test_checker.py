import pickle

import numpy as np
import pytest

import firsttouch as ft


def test_single_and_batch_agree(checker, edges):
    Q0, Q1 = edges
    batch = checker.check_motions(Q0, Q1)
    single = [checker.check_motion(a, b) for a, b in zip(Q0, Q1)]
    assert batch.kind.tolist() == [r.kind for r in single]
    for r, toi, free_until in zip(single, batch.toi, batch.free_until):
        assert free_until == r.free_until and (np.isnan(toi) if r.toi is None else toi == r.toi)
    assert 10 < batch.is_free.sum() < 50
    assert len(batch) == 60 and "free" in repr(batch) and "<table" in batch._repr_html_()
    for threads in (1, 2, 3):
        again = checker.check_motions(Q0, Q1, threads=threads)
        assert np.array_equal(again.codes, batch.codes) and np.array_equal(again.free_until, batch.free_until)
    any_ = checker.check_motions(Q0, Q1, mode="any")
    assert np.array_equal(any_.is_free, batch.is_free) and (any_.free_until <= batch.free_until).all()
    with pytest.raises(TypeError):
        bool(batch)


def test_batches_are_arrow_tables(checker, edges):
    pytest.importorskip("pyarrow")
    batch = checker.check_motions(*edges)
    table = batch.to_arrow()
    assert table.column_names == ["kind", "is_free", "toi", "free_until"]
    assert table["kind"].to_pylist() == batch.kind.tolist()
    assert table["toi"].null_count == np.isnan(batch.toi).sum()
    assert len(checker.check_motions(np.zeros((0, 3)), np.zeros((0, 3))).to_arrow()) == 0


def test_states_and_paths(checker, edges):
    Q0, Q1 = edges
    free = checker.check_states(Q0)
    assert free.tolist() == [checker.check_state(q).is_free for q in Q0]
    assert {checker.check_state(q).kind for q in Q0} <= {"free", "touching_at_start"}
    batch = checker.check_motions(Q0[:-1], Q0[1:])
    r = checker.check_path(Q0)
    first = int(np.argmin(batch.is_free))
    assert not batch.is_free.all() and r.segment == first and r.free_until == batch.free_until[first]
    assert r.stats["segments"] == 59 and f"segment={first}" in repr(r)
    assert checker.check_path(np.repeat(Q0[free][:1], 3, axis=0)).segment is None
    # A single waypoint is a state. Once it was free even if something touched.
    for q in Q0[:20]:
        assert checker.check_path([q]).is_free == checker.check_state(q).is_free
    with pytest.raises(ValueError):
        checker.check_path(np.zeros((0, Q0.shape[1])))


def test_a_misspelt_setting_is_refused(checker):
    with pytest.raises(AttributeError, match="paddng"):
        checker.paddng = 0.1
    with pytest.raises(AttributeError, match="durations"):
        ft.Scene().durations = 2


def test_obstacles_move_and_things_are_held(checker):
    q = np.zeros(3)
    assert checker.check_state(q).is_free
    checker.move_obstacle("post", ft.Pose([0.5, 0, 0.3]))
    r = checker.check_state(q)
    assert r.kind == "touching_at_start" and r.names == ("arm", "post") and r.parts[1] == "solid"
    before = checker.copy()
    checker.allow("arm", "post")
    assert checker.check_state(q).is_free and not before.check_state(q).is_free
    checker.remove_obstacle("post")
    checker.add_obstacle("wall", ft.Box([0.1, 2, 2]), pose=ft.Pose([1.6, 0, 0]))
    assert checker.check_state(q).is_free
    checker.hold("stick", ft.Box([1.5, 0.02, 0.02]), "hand", ft.Pose([0.8, 0, 0]))
    r = checker.check_state(q)
    assert r.kind == "touching_at_start" and "stick" in r.parts and checker.held == ["stick"]
    again = pickle.loads(pickle.dumps(checker))
    assert again.check_state(q) == r and repr(again) == repr(checker) and "holding stick" in repr(again)
    checker.release("stick")
    assert checker.check_state(q).is_free and not again.check_state(q).is_free
    checker.base = ft.Pose([0.8, 0, 0])
    assert not checker.check_state(q).is_free
    for bad in [lambda: checker.release("stick"), lambda: checker.move_obstacle("sun", np.eye(4)), lambda: checker.allow("a", "b")]:
        with pytest.raises(ValueError):
            bad()


def test_robots_are_described_and_pickled(arm, checker, edges):
    assert arm.joint_names == ["shoulder", "elbow", "slide"] == checker.joint_names and arm.dof == 3
    assert arm.limits.tolist() == [[-3, 3], [-3, 3], [0, 0.2]]
    assert arm.link_names == ["plate", "base", "upper", "lower", "hand"]
    again = ft.Robot(arm.name, arm.links, arm.joints, allow=arm.allowed)
    for robot in again, pickle.loads(pickle.dumps(arm)):
        assert robot.joint_names == arm.joint_names and repr(robot) == repr(arm)
        for name, pose in robot.link_poses([0.1, 0.2, 0.1]).items():
            assert np.array_equal(pose, arm.link_poses([0.1, 0.2, 0.1])[name])
    loaded = pickle.loads(pickle.dumps(checker))
    ours, theirs = checker.check_motions(*edges), loaded.check_motions(*edges)
    assert np.array_equal(ours.free_until, theirs.free_until) and np.array_equal(ours.codes, theirs.codes)


def test_the_robots_of_the_tree(testdata):
    robots = testdata / "robots"
    plain = ft.Robot.from_urdf(robots / "plain.urdf", srdf=robots / "plain.srdf")
    assert plain.joint_names == ["turn", "lift"] and plain.allowed == [("base", "hand")]
    with pytest.warns(UserWarning):
        untidy = ft.Robot.from_urdf(robots / "untidy.urdf", srdf=robots / "untidy.srdf")
    for robot in plain, untidy:
        again = pickle.loads(pickle.dumps(robot))
        assert again.joints == robot.joints and again.allowed == robot.allowed and again.joint_names == robot.joint_names
        assert [link.name for link in again.links] == robot.link_names


def test_wrong_configurations(checker):
    dof = checker.dof
    good = np.zeros((4, dof))
    for bad in [np.zeros((4, dof + 1)), np.zeros(dof), np.full((4, dof), np.nan), np.full((4, dof), "x"), None, np.zeros((4, dof)) * 1j]:
        with pytest.raises(ValueError):
            checker.check_motions(good, bad)
        with pytest.raises(ValueError):
            checker.check_path(bad)
    with pytest.raises(ValueError, match=r"Q1\[2\]"):
        checker.check_motions(good, np.where(np.arange(4)[:, None] == 2, np.inf, good))
    with pytest.raises(ValueError, match="rows"):
        checker.check_motions(good, good[:3])
    with pytest.raises(ValueError):
        checker.check_motion(good[0], [1, 2])
    with pytest.raises(ValueError, match="padding"):
        ft.Checker(checker.robot, padding=-0.1)
    assert checker.check_motions(good[::2], good[1::2].astype(np.float32)).is_free.all()
    assert checker.check_motions(np.asfortranarray(good), good).is_free.all()


def test_padding_is_for_obstacles_alone(checker, edges):
    import pickle

    padded = checker.copy()
    padded.padding = 0.05
    free, fewer = checker.check_motions(*edges), padded.check_motions(*edges)
    assert fewer.is_free.sum() < free.is_free.sum() and not (fewer.is_free & ~free.is_free).any()
    # Without obstacles it changes nothing.
    alone, padded_alone = ft.Checker(checker.robot), ft.Checker(checker.robot, padding=0.05)
    assert alone.check_motions(*edges).kind.tolist() == padded_alone.check_motions(*edges).kind.tolist()
    padded.set_link_padding("hand", 0.1)
    more = padded.check_motions(*edges)
    assert more.is_free.sum() <= fewer.is_free.sum() and padded.padding == 0.05 and checker.padding == 0
    assert pickle.loads(pickle.dumps(padded)).check_motions(*edges).kind.tolist() == more.kind.tolist()
    with pytest.raises(ValueError, match="nobody"):
        padded.set_link_padding("nobody", 0.1)


def test_the_mode_of_all_pairs_is_refused(checker, edges):
    """It was taken for "first" once, and `Answer.pairs` was empty."""
    (q0, *_), (q1, *_) = edges
    for ask in [
        lambda: checker.check_motion(q0, q1, mode="all"),
        lambda: checker.check_path([q0, q1], mode="all"),
        lambda: checker.check_motions([q0], [q1], mode="all"),
    ]:
        with pytest.raises(ValueError, match="scene"):
            ask()


def test_batches_say_what_blocks(checker, edges):
    batch = checker.check_motions(*edges)
    singles = [checker.check_motion(a, b) for a, b in zip(*edges)]
    assert batch.names == [r.names for r in singles] and batch.parts == [r.parts for r in singles]
    for one, r, again in zip(batch, singles, (batch[k] for k in range(len(batch)))):
        assert one == again and (one.kind, one.toi, one.free_until, one.names, one.parts) == (r.kind, r.toi, r.free_until, r.names, r.parts)
    assert batch[-1] == list(batch)[-1] and batch[3:5][1] == batch[4] and len(batch[~batch.is_free]) == (~batch.is_free).sum()
    assert batch[[2, 0]].names == [batch[2].names, batch[0].names]
    assert sum(batch.counts().values()) == (~batch.is_free).sum() and list(batch.counts().values()) == sorted(batch.counts().values(), reverse=True)
    again = pickle.loads(pickle.dumps(batch))
    assert again.names == batch.names and np.array_equal(again.codes, batch.codes)
    for wrong in (lambda: batch[60], lambda: batch[None], lambda: batch["free"], lambda: batch[0.5]):
        with pytest.raises(IndexError):
            wrong()
    for threads in (1, 3):
        assert checker.check_motions(*edges, threads=threads).names == batch.names
        assert np.array_equal(checker.check_states(edges[0], threads=threads), checker.check_states(edges[0]))


def test_batches_are_frames(checker, edges):
    pd = pytest.importorskip("pandas")
    batch = checker.check_motions(*edges)
    frame = batch.to_pandas()
    assert isinstance(frame, pd.DataFrame) and frame["kind"].tolist() == batch.kind.tolist()
    assert [None if a is None else (a, b) for a, b in zip(frame["part_a"], frame["part_b"])] == batch.parts
