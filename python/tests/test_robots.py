"""Robots as they come: packages of ROS, xacro, several as one, and without an SRDF."""

import numpy as np
import pytest

import firsttouch as ft
from conftest import TESTDATA, arm_urdf

URDF = """<robot name="one"><link name="base"/>
<link name="part"><collision><geometry><mesh filename="{path}"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="part"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.fixture
def workspace(tmp_path):
    """A robot in one place, and its meshes in a package elsewhere, whose folder has another name."""
    mesh = (TESTDATA / "robots" / "meshes" / "tetrahedron.obj").read_text()
    folder = tmp_path / "workspace" / "src" / "some_folder"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "a part.obj").write_text(mesh)
    (folder / "package.xml").write_text("<package><name>robot_parts</name></package>")
    robot = tmp_path / "elsewhere" / "deep" / "one.urdf"
    robot.parent.mkdir(parents=True)
    robot.write_text(URDF.format(path="package://robot_parts/meshes/a part.obj"))
    return robot, folder, tmp_path / "workspace"


def test_packages_are_found(workspace, monkeypatch):
    urdf, folder, root = workspace
    for name in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(OSError):
        ft.Robot.from_urdf(urdf)
    for dirs in (root, str(root), [root], {"robot_parts": folder}, [folder.parent], folder):
        robot = ft.Robot.from_urdf(urdf, package_dirs=dirs)
        assert len(robot.links[1].shapes) == 1
    for dirs in ({"robot": folder}, [folder / "meshes"]):
        with pytest.raises(OSError):
            ft.Robot.from_urdf(urdf, package_dirs=dirs)
    with pytest.raises(OSError, match="no folder"):
        ft.Robot.from_urdf(urdf, package_dirs=root / "nowhere")
    with pytest.raises(TypeError, match="package_dirs"):
        ft.Robot.from_urdf(urdf, package_dirs=3)
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{root}")
    assert len(ft.Robot.from_urdf(urdf).links[1].shapes) == 1
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    share = root / "install" / "share" / "robot_parts"
    share.parent.mkdir(parents=True)
    folder.rename(share)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(root / "install"))
    assert len(ft.Robot.from_urdf(urdf).links[1].shapes) == 1


def test_xacro(tmp_path):
    pytest.importorskip("xacro")
    path = tmp_path / "ball.urdf.xacro"
    path.write_text(
        '<robot name="ball" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="radius" default="1"/>'
        '<link name="ball"><collision><geometry><sphere radius="$(arg radius)"/></geometry></collision></link></robot>'
    )
    assert ft.Robot.from_urdf(path).links[0].shapes[0][0] == ft.Sphere(1)
    assert ft.Robot.from_urdf(path, xacro_args={"radius": "2"}).links[0].shapes[0][0] == ft.Sphere(2)
    path.write_text('<robot name="ball" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:no_such_macro/></robot>')
    with pytest.raises(OSError, match="xacro"):
        ft.Robot.from_urdf(path)
    with pytest.raises(ValueError, match="xacro_args"):
        ft.Robot.from_urdf(tmp_path / "ball.urdf", xacro_args={"radius": "2"})


def test_robots_are_joined(arm, edges):
    both = ft.Robot.join({"left": arm, "right": (arm, ft.Pose([50, 0, 0]))}, name="cell")
    assert both.name == "cell" and both.joint_names[3] == "right/shoulder" and both.dof == 6
    one, two = ft.Checker(arm), ft.Checker(both)
    kinds = set()
    for a, b in zip(*edges):
        r, told = two.check_motion([*a, *a], [*b, *b]), one.check_motion(a, b)
        assert r.kind == told.kind and (r.toi is None or abs(r.toi - told.toi) < 1e-5)
        kinds.add(r.kind)
    near = ft.Checker(ft.Robot.join({"left": arm, "right": (arm, ft.Pose([0.3, 0, 0]))}))
    assert near.check_state(np.zeros(6)).kind == "touching_at_start" and "free" in kinds
    for wrong in ([arm, arm], [], ["arm"]):
        with pytest.raises(ValueError):
            ft.Robot.join(wrong)


def test_what_touches_always(tmp_path):
    # The plate and a lamp on it touch, with a bolt between.
    lamp = '<link name="bolt"/><link name="lamp"><collision><geometry><box size="0.1 0.1 0.2"/></geometry></collision></link>'
    joints = "".join(
        f'<joint name="{name}" type="fixed"><parent link="{a}"/><child link="{b}"/><origin xyz="0.05 0.1 0"/></joint>'
        for name, a, b in (("one", "plate", "bolt"), ("two", "bolt", "lamp"))
    )
    path = tmp_path / "arm.urdf"
    path.write_text(arm_urdf().replace("</robot>", lamp + joints + "</robot>"))
    robot = ft.Robot.from_urdf(path)
    assert ft.Checker(robot).check_state(np.zeros(3)).kind == "touching_at_start"
    found = {(pair.a, pair.b): pair.finding for pair in robot.survey_pairs(samples=100)}
    assert found["plate", "lamp"] == "rigid_touching" and found["plate", "base"] == "adjacent"
    usable = robot.with_touching_allowed(samples=100)
    assert ft.Checker(usable).check_state(np.zeros(3)).is_free and ("plate", "lamp") in usable.allowed
    # No pair is allowed that touches at times only.
    assert set(usable.allowed) - set(robot.allowed) == {pair for pair, finding in found.items() if finding in ("rigid_touching", "always_seen")}
    with pytest.raises(ValueError):
        robot.survey_pairs(samples=0)


def test_limits(arm):
    assert arm.is_within_limits([0, 0, 0.1]) and not arm.is_within_limits([0, 0, 0.3])
