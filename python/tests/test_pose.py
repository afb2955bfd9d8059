import copy
import pickle

import numpy as np
import pytest

import firsttouch as ft

RANDOM = np.random.default_rng(4)


def poses(n):
    return [ft.Pose(RANDOM.normal(size=3), quat_wxyz=RANDOM.normal(size=4)) for _ in range(n)]


def test_poses_are_a_group():
    for p, q in zip(poses(20), poses(20)):
        assert np.allclose((p @ q).matrix, p.matrix @ q.matrix) and isinstance(p @ q, ft.Pose)
        assert np.allclose(p.inverse().matrix, np.linalg.inv(p.matrix))
        # An array, or an object like one, on either side.
        assert np.allclose(p.matrix @ q, (p @ q).matrix) and isinstance(p.matrix @ q, ft.Pose)
        assert np.allclose(p @ q.matrix, (p @ q).matrix)
        points = RANDOM.normal(size=(5, 3))
        assert np.allclose(p.transform(points), points @ p.matrix[:3, :3].T + p.xyz)
        assert np.allclose(p.transform(points[0]), p.transform(points)[0])


def test_poses_are_arrays():
    [p] = poses(1)
    assert np.asarray(p).shape == (4, 4) == p.shape and np.array_equal(np.array(p, dtype="f4"), p.matrix.astype("f4"))
    assert np.array_equal(np.stack([p, p])[1], p) and np.array_equal(p[:3, 3], p.xyz) and np.allclose(np.linalg.inv(p), p.inverse())
    changed = p.matrix
    changed[0, 0] = 7
    assert p.matrix[0, 0] != 7
    with pytest.raises(TypeError):
        p[0, 0] = 1


def test_angles():
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    for _ in range(20):
        angles, place = RANDOM.uniform(-4, 4, 3), RANDOM.normal(size=3)
        for degrees in (False, True):
            told = rotation.from_euler("xyz", angles, degrees=degrees).as_matrix()
            assert np.allclose(ft.Pose.from_rpy(place, angles, degrees=degrees)[:3, :3], told)
            told = rotation.from_rotvec(angles, degrees=degrees).as_matrix()
            assert np.allclose(ft.Pose.from_rotvec(place, angles, degrees=degrees)[:3, :3], told)
    assert ft.Pose.from_rotvec([1, 2, 3]) == ft.Pose([1, 2, 3]) == ft.Pose.from_rpy([1, 2, 3])


def test_the_same_type_comes_out_everywhere(arm, checker):
    scene = ft.Scene()
    scene.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose(), ft.Pose([1, 0, 0])))
    found = [
        scene["ball"].pose, scene["ball"].motion.pose_at(0.5), arm.link_poses(arm.zero)["hand"], checker.base, arm.joints[0].origin,
        arm.links[0].shapes[0][1],
    ]  # fmt: skip
    for pose in found:
        assert isinstance(pose, ft.Pose) and isinstance(pose.inverse() @ pose, ft.Pose)
        for again in (copy.copy(pose), pickle.loads(pickle.dumps(pose)), eval(repr(pose), {"Pose": ft.Pose})):
            assert again == pose and np.allclose(again, pose, rtol=0, atol=1e-14) and hash(again) == hash(pose)
