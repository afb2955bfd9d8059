"""A robot is the same whoever read its file."""

import pickle
import warnings

import numpy as np
import pytest

import firsttouch as ft


def same(checker, edges, robot, room, configuration=lambda q: q):
    other = ft.Checker(robot, obstacles=room)
    Q0, Q1 = edges
    ours, theirs = checker.check_motions(Q0, Q1), other.check_motions(configuration(Q0), configuration(Q1))
    assert ours.kind.tolist() == theirs.kind.tolist()
    assert np.allclose(ours.free_until, theirs.free_until, atol=1e-6)
    assert 10 < ours.is_free.sum() < 50
    return other


def test_yourdfpy(arm_file, checker, edges, room):
    yourdfpy = pytest.importorskip("yourdfpy")
    robot = ft.Robot.from_yourdfpy(yourdfpy.URDF.load(str(arm_file)))
    assert robot.joint_names == checker.joint_names and robot.limits.tolist() == checker.robot.limits.tolist()
    same(checker, edges, robot, room)


def test_pinocchio(arm_file, checker, edges, room):
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(str(arm_file))
    collision = pin.buildGeomFromUrdf(model, str(arm_file), pin.GeometryType.COLLISION)
    robot = ft.Robot.from_pinocchio(model, collision)
    assert robot.joint_names == checker.joint_names and robot.link_names == checker.robot.link_names
    q = np.array([0.1, 0.2, 0.05])
    assert np.array_equal(ft.pinocchio.configuration(model, q), q)
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    for name, pose in robot.link_poses(q).items():
        assert np.allclose(pose, data.oMf[model.getFrameId(name, pin.FrameType.BODY)].homogeneous, atol=1e-12)
    same(checker, edges, robot, room)
    # With pairs, only these are checked.
    collision.addAllCollisionPairs()
    everything = ft.Robot.from_pinocchio(model, collision)
    collision.removeAllCollisionPairs()
    collision.addCollisionPair(pin.CollisionPair(0, 4))
    assert len(everything.allowed) < len(ft.Robot.from_pinocchio(model, collision).allowed) == 5


MJCF = """
<mujoco model="arm">
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="base" pos="0 0 .2"><geom type="cylinder" size=".1 .05"/>
      <body name="upper" pos="0 0 .2" quat="1 0 .2 0">
        <joint name="shoulder" axis="0 1 0" range="-170 170" limited="true"/>
        <geom type="capsule" size=".04 .2" pos=".3 0 0" euler="0 90 0"/>
        <body name="lower" pos=".6 0 0">
          <joint name="elbow" axis="0 .6 .8" pos=".05 .02 0" ref="20"/>
          <joint name="slide" type="slide" axis="1 0 0" range="0 .2" limited="true"/>
          <geom type="box" size=".1 .05 .03" pos=".2 0 0"/>
          <geom type="ellipsoid" size=".05 .06 .07" pos=".35 0 0"/>
        </body>
      </body>
    </body>
    <body name="ball" pos="1 1 1"><freejoint name="free"/><geom type="sphere" size=".1"/></body>
  </worldbody>
</mujoco>
"""


def test_mujoco():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    with pytest.raises(ValueError, match="floor"):
        ft.Robot.from_mujoco(model)
    robot = ft.mujoco.robot(model, ignore_geoms=["floor"])
    assert robot.name == "arm" and robot.joint_names[:3] == ["shoulder", "elbow", "slide"]
    random = np.random.default_rng(2)
    checker = ft.Checker(robot)
    touching = 0
    for _ in range(200):
        data.qpos[:] = 0
        data.qpos[:3] = random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(0, 0.2)
        data.qpos[3:6] = random.uniform(-0.8, 0.8, 3)
        data.qpos[6:10] = random.normal(size=4)
        data.qpos[6:10] /= np.linalg.norm(data.qpos[6:10])
        mujoco.mj_forward(model, data)
        q = ft.mujoco.configuration(model, data.qpos)
        poses = robot.link_poses(q)
        # The places of the geoms are compared: a link has the frame of its last joint.
        links = {link.name: link for link in robot.links}
        for body in ("base", "upper", "lower", "ball"):
            first = model.body(body).geomadr[0]
            _, pose = links[body].shapes[0]
            assert np.allclose((poses[body] @ pose.matrix)[:3, 3], data.geom_xpos[first], atol=1e-9)
            assert np.allclose((poses[body] @ pose.matrix)[:3, :3], data.geom_xmat[first].reshape(3, 3), atol=1e-9)
        theirs = [c for c in data.contact if 0 not in (model.geom_bodyid[c.geom1], model.geom_bodyid[c.geom2])]
        depth = min([c.dist for c in theirs], default=1.0)
        if abs(depth) > 1e-3:
            touching += depth < 0
            assert checker.check_state(q).is_free == (depth > 0)
    assert 5 < touching < 150


def test_a_file_of_mujoco(testdata):
    """The reader of MJCF files, and MuJoCo's own, give the same robot: a ball joint, several joints of one body,
    references and meshes."""
    mujoco = pytest.importorskip("mujoco")
    path = testdata / "robots" / "arm.xml"
    model = mujoco.MjModel.from_xml_path(str(path))
    ours, theirs = ft.Robot.from_mjcf(path), ft.Robot.from_mujoco(model)
    assert ours.joint_names == theirs.joint_names
    a, b = ft.Checker(ours), ft.Checker(theirs)
    # Both check a body against a parent that is fixed to the world, as MuJoCo does: there is a link without shapes
    # between the two.
    assert ("base", "upper") not in ours.allowed and ("base", "upper") not in theirs.allowed
    random = np.random.default_rng(5)
    ends = []
    for _ in range(2):
        qpos = np.array([model.qpos0 + random.uniform(-1, 1, model.nq) for _ in range(200)])
        ends.append(np.array([ft.mujoco.configuration(model, row) for row in qpos]))
    first, second = a.check_motions(*ends), b.check_motions(*ends)
    assert first.kind.tolist() == second.kind.tolist() and 5 < first.is_free.sum() < 195
    assert np.allclose(first.free_until, second.free_until, atol=1e-4)
    with pytest.raises(OSError):
        ft.Robot.from_mjcf(testdata / "scenes" / "nan.toml")


def test_a_raw_qpos(testdata):
    """A qpos and a configuration have the same length, and their quaternions another order: one for the other was
    another pose, in silence."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    robot = ft.Robot.from_mujoco(model, ignore_geoms=["floor"])
    room = ft.Scene()
    checker = pickle.loads(pickle.dumps(ft.Checker(robot)))
    for use in (
        checker.check_state,
        robot.link_poses,
        lambda q: checker.check_motion(q, q),
        lambda q: checker.check_states(q[None]),
        lambda q: room.add_robot("arm", robot, q),
    ):
        with pytest.raises(ValueError, match=r"ft\.mujoco\.configuration\(model, qpos\) converts it"):
            use(data.qpos)
        with pytest.warns(UserWarning, match="half a turn about x"):
            use(data.qpos.copy())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_state(ft.mujoco.configuration(model, data.qpos))
    random = np.random.default_rng(4).normal(size=(5, model.nq))
    random[:, 6:10] /= np.linalg.norm(random[:, 6:10], axis=1)[:, None]
    many = ft.mujoco.configuration(model, random)
    assert np.array_equal(many[3], ft.mujoco.configuration(model, random[3]))
    assert np.array_equal(ft.mujoco.qpos(model, many), random)
    with pytest.raises(ValueError, match="must have the shape"):
        ft.mujoco.configuration(model, data.qpos[1:])
    with pytest.raises(ValueError, match="is zero"):
        ft.mujoco.configuration(model, np.zeros(model.nq))
    # Without quaternions the two are the same.
    slide = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><joint type="slide"/><geom size=".1"/></body></worldbody></mujoco>'
    )
    assert ft.Checker(ft.Robot.from_mujoco(slide)).check_state(mujoco.MjData(slide).qpos).is_free
    with pytest.raises(ValueError, match="view into the memory"):
        ft.Robot.from_mjcf(testdata / "robots" / "arm.xml").link_poses(mujoco.MjData(model).qpos)


PAIRED = """
<mujoco>%s<worldbody>
  <body name="a" pos="0 0 5"><joint name="s" type="slide" axis="1 0 0"/><geom name="ga" size=".5"/>
    <body name="b"><joint name="u" type="slide" axis="1 0 0"/><geom name="gb" size=".5" pos="-2 0 0"/></body></body>
  </worldbody>%s</mujoco>
"""


def test_what_else_a_model_says():
    """Pairs and the flag filterparent were ignored; elements that are not read give a warning."""
    mujoco = pytest.importorskip("mujoco")

    def robot(first="", last=""):
        return ft.Robot.from_mujoco(mujoco.MjModel.from_xml_string(PAIRED % (first, last)))

    def answer(*parts):
        return ft.Checker(robot(*parts)).check_motion([0, 0], [0, 3])

    assert answer().is_free
    for parts in (
        ("", '<contact><pair geom1="ga" geom2="gb"/></contact>'),
        ("", '<contact><pair geom1="gb" geom2="ga"/><exclude body1="a" body2="b"/></contact>'),
        ("<default><geom contype='0' conaffinity='0'/></default>", '<contact><pair geom1="ga" geom2="gb"/></contact>'),
        ('<option><flag filterparent="disable"/></option>', ""),
    ):
        assert answer(*parts).toi == pytest.approx(1 / 3, abs=1e-5), parts
    weld = '<equality><weld body1="a" body2="b"%s/></equality>'
    with pytest.warns(UserWarning, match=r"do not hold between two configurations \(weld\)"):
        robot("", weld % "")
    with pytest.warns(UserWarning, match="margins"):
        robot("<default><geom margin='0.1'/></default>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot("", weld % ' active="false"')
        robot("", '<equality><joint joint1="s" joint2="u" polycoef="0 2 0 0 0"/></equality>')
