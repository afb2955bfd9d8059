"""CONTACT by itself, and in a scene."""

import copy
import pickle

import pytest

import firsttouch as ft

TRIANGLE = ft.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])


def test_a_pair_by_itself():
    pair = ft.ScrewPair(TRIANGLE, TRIANGLE, leaf_radius=0.3)
    assert 0.3 <= pair.leaf_radius < 0.3001
    for asked in (pair, pickle.loads(pickle.dumps(pair)), ft.ScrewPair(TRIANGLE, TRIANGLE, labels=False)):
        touch = asked.check(ft.Pose([0, 0, 2]), ft.Pose([0, 0, -2]))
        assert touch.kind == "touch" and 0.5 - 1e-6 < touch.toi <= 0.5
        assert asked.check(ft.Pose([0, 0, 2]), ft.Pose([0, 0, 1])).kind == "free"
        # Towards each other: relative to the second the first does the same.
        poses = (ft.Pose([0, 0, 1]), ft.Pose([0, 0, -1])), (ft.Pose([0, 0, -1]), ft.Pose([0, 0, 1]))
        assert 0.5 - 1e-6 < asked.check_relative(*poses).toi <= 0.5


def test_what_a_pair_refuses():
    with pytest.raises(ValueError, match="two meshes"):
        ft.ScrewPair(TRIANGLE, ft.Sphere(1))
    with pytest.raises(ValueError, match="leaf radius"):
        ft.ScrewPair(TRIANGLE, TRIANGLE, leaf_radius=-1)
    with pytest.raises(ValueError):
        ft.ScrewPair(TRIANGLE, TRIANGLE).check(ft.Pose(), ft.Pose(), tolerance=0)


def scene_of(motion):
    scene = ft.Scene()
    scene.add("flying", TRIANGLE, motion=motion)
    scene.add("resting", TRIANGLE)
    scene.decide_by_contact("flying", "resting")
    return scene


def test_a_pair_of_a_scene():
    scene = scene_of(ft.ContactScrew(ft.Pose([0, 0, 2]), ft.Pose([0, 0, -2])))
    for same in (scene, copy.copy(scene), pickle.loads(pickle.dumps(scene))):
        answer = same.check()
        assert 0.5 - 1e-6 < answer.toi <= 0.5
    # The method is a part of the scene wherever it goes: nothing else decides the pair in silence.
    refused = scene_of(ft.Linear(ft.Pose([0, 0, 2]), ft.Pose([0, 0, -2])))
    for same in (refused, copy.copy(refused), pickle.loads(pickle.dumps(refused))):
        with pytest.raises(ValueError, match='"flying" \\(linear\\)'):
            same.check()


def test_a_scene_file(tmp_path):
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    text = """
    [[body]]
    name = "flying"
    shape = { mesh = "t.obj" }
    motion = { MOTION = { from = { xyz = [0, 0, 2] }, to = { xyz = [0, 0, -2] } } }
    [[body]]
    name = "resting"
    shape = { mesh = "t.obj" }
    [[pair]]
    bodies = ["flying", "resting"]
    method = "contact"
    """
    file = tmp_path / "scene.toml"
    file.write_text(text.replace("MOTION", "contact_screw"))
    assert 0.5 - 1e-6 < ft.Scene.load(file).check().toi <= 0.5
    file.write_text(text.replace("MOTION", "linear"))
    with pytest.raises(ValueError, match="method"):
        ft.Scene.load(file).check()
