"""The same answers as the collision manager of trimesh, and the first touch that it cannot tell."""

import numpy as np
import pytest

import firsttouch as ft

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("fcl")


def placed(x, y, z):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def test_the_same_collisions():
    random = np.random.default_rng(5)
    ball = trimesh.creation.icosphere(subdivisions=1, radius=0.5)
    box = trimesh.creation.box(extents=(0.8, 0.8, 0.8))
    ours, theirs = ft.trimesh.CollisionManager(), trimesh.collision.CollisionManager()
    others = ft.trimesh.CollisionManager(), trimesh.collision.CollisionManager()
    for k in range(12):
        mesh, at = (ball, box)[k % 2], placed(*random.uniform(-1.2, 1.2, 3))
        for manager in (ours, theirs) if k < 8 else others:
            manager.add_object(str(k), mesh, at)
    hit, names = ours.in_collision_internal(return_names=True)
    expected = theirs.in_collision_internal(return_names=True)
    assert hit == expected[0] == ours.in_collision_internal()
    assert names == {tuple(sorted(pair)) for pair in expected[1]} and 3 < len(names) < 28
    for at in [placed(0, 0, 0), placed(9, 0, 0)]:
        assert ours.in_collision_single(ball, at, return_names=True) == theirs.in_collision_single(ball, at, return_names=True)
    assert ours.in_collision_other(others[0], return_names=True) == theirs.in_collision_other(others[1], return_names=True)
    ours.set_transform("0", placed(99, 0, 0))
    ours.remove_object("1")
    assert all("0" not in pair and "1" not in pair for pair in ours.in_collision_internal(return_names=True)[1])


def test_first_touch():
    manager = ft.trimesh.CollisionManager()
    manager.add_object("a", trimesh.creation.box(extents=(1, 1, 1)), placed(-10, 0, 0))
    manager.add_object("b", trimesh.creation.box(extents=(1, 1, 1)), placed(10, 0.1, 0))
    r = manager.first_touch({"a": placed(10, 0, 0), "b": placed(-10, 0.1, 0)})
    assert r.kind == "touch" and 0.475 - 1e-6 < r.toi <= 0.475 and not manager.in_collision_internal()
