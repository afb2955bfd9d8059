"""Shared by the tests: files in the tree, and robots made in code."""

from pathlib import Path

import numpy as np
import pytest

import firsttouch as ft

TESTDATA = Path(__file__).resolve().parents[2] / "testdata"


@pytest.fixture
def testdata():
    return TESTDATA


def arm_urdf(scale_attribute='scale="0.1 0.1 0.1"'):
    """An arm of three joints with a box, a cylinder, a sphere and a mesh, on a fixed base plate."""
    mesh = TESTDATA / "robots" / "meshes" / "tetrahedron.obj"
    return f"""<?xml version="1.0"?>
<robot name="arm">
  <link name="plate"><collision><geometry><box size="0.6 0.6 0.1"/></geometry></collision></link>
  <joint name="bolted" type="fixed"><parent link="plate"/><child link="base"/><origin xyz="0 0 0.1"/></joint>
  <link name="base"><collision><origin xyz="0 0 0.05"/><geometry><cylinder radius="0.1" length="0.1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.2" rpy="0 0.3 0"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <link name="upper"><collision><origin xyz="0.3 0 0" rpy="0 1.5707963267948966 0"/>
    <geometry><cylinder radius="0.04" length="0.5"/></geometry></collision></link>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.6 0 0"/><axis xyz="0 0.6 0.8"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <link name="lower"><collision><origin xyz="0.2 0 0"/><geometry><sphere radius="0.06"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="lower"/><child link="hand"/>
    <origin xyz="0.3 0 0"/><axis xyz="1 0 0"/><limit lower="0" upper="0.2" effort="1" velocity="1"/></joint>
  <link name="hand"><collision><geometry><mesh filename="{mesh}" {scale_attribute}/></geometry></collision></link>
</robot>
"""


@pytest.fixture
def arm_file(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(arm_urdf())
    return path


@pytest.fixture
def arm(arm_file):
    return ft.Robot.from_urdf(arm_file)


@pytest.fixture
def room():
    scene = ft.Scene()
    scene.add("post", ft.Cylinder(0.1, 1.5), pose=ft.Pose([0.5, 0.45, 0.3]))
    scene.add("shelf", ft.Box([0.4, 0.6, 0.05]), pose=ft.Pose([0.6, -0.3, 0.9]))
    return scene


@pytest.fixture
def checker(arm, room):
    return ft.Checker(arm, obstacles=room)


@pytest.fixture
def edges(arm):
    """The ends of 60 edges within the limits."""
    random = np.random.default_rng(7)
    low, high = arm.limits.T
    Q0 = random.uniform(low, high, (60, arm.dof))
    return Q0, np.clip(Q0 + random.uniform(-0.6, 0.6, Q0.shape), low, high)


def grid_mesh(n, height=lambda x, y: 0.0 * x):
    """A square of 2 n^2 triangles over [-1, 1]^2."""
    x, y = np.meshgrid(np.linspace(-1, 1, n + 1), np.linspace(-1, 1, n + 1), indexing="ij")
    vertices = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    i = (np.arange(n)[:, None] * (n + 1) + np.arange(n)[None, :]).reshape(-1)
    faces = np.concatenate([np.stack([i, i + 1, i + n + 2], 1), np.stack([i, i + n + 2, i + n + 1], 1)])
    return vertices, faces
