"""`ft.mujoco.checker` against MuJoCo's own contacts."""

import numpy as np
import pytest

import firsttouch as ft

mujoco = pytest.importorskip("mujoco")

XML = """<mujoco><worldbody>
  <geom name="floor" type="plane" size="9 9 1"/>
  <geom name="ramp" type="plane" size="9 9 1" pos="-2 0 0" zaxis="1 0 1"/>
  <geom name="post" type="cylinder" size="0.2 1" pos="1 0 1"/>
  <body name="arm" pos="0 0 0.8">
    <joint name="swing" axis="0 1 0" range="-3 3"/><geom name="upper" type="capsule" size="0.05" fromto="0 0 0 0.6 0 0"/>
    <geom name="ghost" type="sphere" size="0.05" pos="0.3 0 0.2" contype="0" conaffinity="0"/>
    <body name="fore" pos="0.7 0 0"><joint name="bend" axis="0 0 1"/><geom name="lower" type="box" size="0.3 0.04 0.04" pos="0.35 0 0"/></body>
  </body>
  <body name="diver" pos="0 3 1"><joint name="drop" type="slide" axis="0 0 1"/><geom name="diver" size="0.3"/></body>
</worldbody><contact><exclude body1="world" body2="diver"/></contact></mujoco>"""


def test_states_are_those_of_mujoco():
    model = mujoco.MjModel.from_xml_string(XML)
    data, checker = mujoco.MjData(model), ft.mujoco.checker(model)
    assert [body.name for body in checker.obstacles] == ["floor", "ramp"] and checker.dof == 3
    random, touching, checked = np.random.default_rng(1), 0, 0
    for _ in range(400):
        data.qpos[:] = random.uniform([-3, -3, -3], [3, 3, 1])
        mujoco.mj_forward(model, data)
        distances = [contact.dist for contact in data.contact]
        # Its contacts are at most a little off.
        if any(abs(d) < 1e-3 for d in distances):
            continue
        r = checker.check_state(ft.mujoco.configuration(model, data.qpos))
        near = checker.clearance(ft.mujoco.configuration(model, data.qpos))
        if r.is_free and near.upper < 1e-3:
            continue
        assert r.is_free == (len(distances) == 0), (data.qpos, distances, r)
        touching += not r.is_free
        checked += 1
    assert checked > 300 and 60 < touching < 250


def test_planes_that_cannot_be_obstacles():
    moving = XML.replace('<geom name="diver" size="0.3"/>', '<geom name="diver" type="plane" size="1 1 1"/>')
    with pytest.raises(ValueError):
        ft.mujoco.checker(mujoco.MjModel.from_xml_string(moving))
    paired = XML.replace("<contact>", '<contact><pair geom1="floor" geom2="lower"/>')
    with pytest.raises(ValueError, match="floor"):
        ft.mujoco.checker(mujoco.MjModel.from_xml_string(paired))
    robot = ft.Robot.from_mujoco(mujoco.MjModel.from_xml_string(XML), ignore_geoms=["floor", "ramp"])
    assert robot.joint_names == ["swing", "bend", "drop"]
