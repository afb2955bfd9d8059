"""``ft.drake`` against Drake itself: places, collisions, edges, optimised trajectories."""

import numpy as np
import pytest

import firsttouch as ft

pytest.importorskip("pydrake")
from pydrake.geometry import Box, Convex, HalfSpace, Mesh  # noqa: E402
from pydrake.geometry.optimization import HPolyhedron  # noqa: E402
from pydrake.math import RigidTransform, RollPitchYaw  # noqa: E402
from pydrake.multibody.plant import CoulombFriction  # noqa: E402
from pydrake.planning import (  # noqa: E402
    CollisionChecker,
    EdgeMeasure,
    GcsTrajectoryOptimization,
    KinematicTrajectoryOptimization,
    RobotDiagramBuilder,
    SceneGraphCollisionChecker,
)
from pydrake.solvers import Solve  # noqa: E402

INERTIA = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def link(name, origin, shape):
    return f'<link name="{name}">{INERTIA}<collision><origin {origin}/><geometry>{shape}</geometry></collision></link>'


def joint(name, kind, parent, child, xyz, axis, rpy="0 0 0"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}" rpy="{rpy}"/>'
        f'<axis xyz="{axis}"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>'
    )


# Two branches, so that the order of joints matters.
ARM = f"""<robot name="arm">
{link("base", 'xyz="0 0 0"', '<box size="0.2 0.2 0.2"/>')}
{link("upper", 'xyz="0.5 0 0" rpy="0 1.5707963267948966 0"', '<cylinder radius="0.05" length="0.7"/>')}
{link("lower", 'xyz="0.5 0 0"', '<box size="0.7 0.1 0.1"/>')}
{link("tip", 'xyz="0.1 0 0"', '<sphere radius="0.08"/>')}
{link("horn", 'xyz="0 0 0.2"', '<capsule radius="0.04" length="0.3"/>')}
{joint("turn", "revolute", "base", "upper", "0 0 0.15", "0 0 1")}
{joint("bend", "revolute", "upper", "lower", "1 0 0", "0 0.6 0.8", "0.3 0.1 -0.2")}
{joint("nod", "revolute", "base", "horn", "0 0 0.3", "0 1 0")}
{joint("reach", "prismatic", "lower", "tip", "0.9 0 0", "1 0 0")}
</robot>"""


STANDS = RigidTransform(RollPitchYaw(0, 0, 0.4), [0, 0, 0.3])


def diagram(build=lambda plant: None, urdf=ARM, at=STANDS):
    builder = RobotDiagramBuilder(time_step=0.0)
    models = builder.parser().AddModelsFromString(urdf, "urdf")
    plant = builder.plant()
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"), at)
    build(plant)
    return builder.Build(), models


def fixed(plant, name, shape, xyz, rpy=(0, 0, 0)):
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(RollPitchYaw(*rpy), xyz), shape, name, CoulombFriction(1, 1))


def furnish(plant):
    fixed(plant, "post", Box(0.3, 0.3, 1.5), [1.2, 1.0, 0.5])
    fixed(plant, "floor", Box(9, 9, 1), [0, 0, -0.7], (0.1, 0, 0))


@pytest.fixture(scope="module")
def cell():
    made, models = diagram(furnish)
    return made, models, ft.drake.checker(made.plant(), made.scene_graph())


def test_links_are_where_drake_has_them(cell):
    made, _, checker = cell
    plant, context = made.plant(), made.plant().CreateDefaultContext()
    random = np.random.default_rng(1)
    assert checker.dof == plant.num_positions() == 4 and not checker.obstacles
    for _ in range(50):
        q = random.uniform(-2.5, 2.5, 4)
        plant.SetPositions(context, q)
        poses = checker.robot.link_poses(ft.drake.configuration(plant, q))
        for name in ("base", "upper", "lower", "tip", "horn"):
            there = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(name)).GetAsMatrix4()
            assert np.allclose(poses[f"arm::{name}"], there, atol=1e-12), name
        assert np.array_equal(ft.drake.positions(plant, ft.drake.configuration(plant, q)), q)
    limits = checker.robot.limits
    assert np.array_equal(limits, [[-2.5, 2.5]] * 4)


def test_states_and_edges_are_those_of_drake(cell):
    made, models, checker = cell
    plant = made.plant()
    drake = SceneGraphCollisionChecker(model=made, robot_model_instances=models, edge_step_size=0.01)
    ours = ft.drake.CollisionChecker(checker, plant)
    random = np.random.default_rng(2)
    Q = random.uniform(-2, 2, (400, 4))
    theirs = np.array(drake.CheckConfigsCollisionFree(list(Q)), dtype=bool)
    found = np.array(ours.CheckConfigsCollisionFree(list(Q)), dtype=bool)
    assert np.array_equal(theirs, found) and 40 < found.sum() < 360
    assert [ours.CheckConfigCollisionFree(q) for q in Q[:40]] == found[:40].tolist()
    edges = [(a, np.clip(a + random.uniform(-0.5, 0.5, 4), -2, 2)) for a in Q[found][:60]]
    proven = ours.CheckEdgesCollisionFree(edges)
    sampled = drake.CheckEdgesCollisionFree(edges)
    # Edges that are proven free are free at Drake's samples.
    assert all(s for s, p in zip(sampled, proven, strict=True) if p) and 10 < sum(proven) < 60
    for (a, b), is_free, measure in zip(edges, proven, ours.MeasureEdgesCollisionFree(edges, parallelize=False), strict=True):
        assert isinstance(measure, EdgeMeasure) and measure.completely_free() == bool(is_free) == ours.CheckEdgeCollisionFree(a, b)
        assert measure.distance() == pytest.approx(np.linalg.norm(b - a))
        if not is_free:
            told = drake.MeasureEdgeCollisionFree(a, b)
            assert told.completely_free() or measure.alpha() <= told.alpha() + 0.03
            assert drake.CheckConfigCollisionFree(ours.InterpolateBetweenConfigurations(a, b, measure.alpha() * 0.999))
    inside = Q[~found][0]
    assert ours.MeasureEdgeCollisionFree(inside, Q[found][0]).alpha_or(-1.0) == -1.0 and not ours.CheckEdgeCollisionFreeParallel(inside, inside)
    assert ours.CheckEdgesCollisionFree([]) == [] == ours.CheckConfigsCollisionFree([])
    # Each method of ours is one of theirs.
    assert all(hasattr(CollisionChecker, name) for name in dir(ours) if not name.startswith("_"))


def test_every_kind_of_joint(tmp_path):
    """Free bodies, balls, planes: by a model in Drake's own format."""
    body = lambda name: f'<link name="{name}"><inertial><mass>1</mass></inertial><collision name="c"><geometry><box><size>0.2 0.1 0.3</size></box></geometry></collision></link>'
    builder = RobotDiagramBuilder(time_step=0.0)
    sdf = f'<sdf version="1.9"><model name="m">{"".join(body(name) for name in ("free", "ball", "plane", "hook", "float"))}</model></sdf>'
    builder.parser().AddModelsFromString(sdf, "sdf")
    plant = builder.plant()
    from pydrake.multibody import tree

    world, at = plant.world_frame(), RigidTransform(RollPitchYaw(0.3, 0.2, 0.1), [1, 2, 3])
    frame = lambda name: plant.AddFrame(tree.FixedOffsetFrame(f"{name} offset", plant.GetFrameByName(name), RigidTransform(RollPitchYaw(0.1, 0.5, 0), [0.1, 0.2, 0])))
    off = plant.AddFrame(tree.FixedOffsetFrame("off", world, at))
    plant.AddJoint(tree.BallRpyJoint("b", off, frame("ball")))
    plant.AddJoint(tree.PlanarJoint("p", off, frame("plane"), [0, 0, 0]))
    plant.AddJoint(tree.UniversalJoint("u", plant.GetFrameByName("ball"), frame("hook")))
    plant.AddJoint(tree.RpyFloatingJoint("f", off, frame("float")))
    made = builder.Build()
    robot = ft.drake.robot(plant, made.scene_graph())
    context, random = plant.CreateDefaultContext(), np.random.default_rng(4)
    assert robot.dof == plant.num_positions() == 7 + 3 + 3 + 2 + 6
    for _ in range(30):
        q = random.uniform(-1, 1, plant.num_positions())
        start = plant.GetJointByName("free").position_start()
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        plant.SetPositions(context, q)
        poses = robot.link_poses(ft.drake.configuration(plant, q))
        for name in ("free", "ball", "plane", "hook", "float"):
            there = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(name)).GetAsMatrix4()
            assert np.allclose(poses[f"m::{name}"], there, atol=1e-9), name


def test_meshes_and_filters(tmp_path):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "t.obj").write_text(text)

    def build(plant):
        fixed(plant, "mesh", Mesh(str(tmp_path / "t.obj"), 0.5), [3, 0, 0])
        fixed(plant, "hull", Convex(str(tmp_path / "t.obj"), 0.5), [3, 2, 0])

    made, _ = diagram(build)
    for meshes, kinds in ("hull", {"hull"}), ("surface", {"hull", "mesh"}):
        robot = ft.drake.robot(made.plant(), made.scene_graph(), meshes=meshes)
        world = next(one for one in robot.links if one.name == "world")
        assert {shape.kind for shape, _ in world.shapes} == kinds and len(world.shapes) == 2
    # Neighbours are not collided, by Drake's own filter, and others are.
    assert ("arm::lower", "arm::upper") in {tuple(sorted(pair)) for pair in robot.allowed}
    assert ("arm::base", "arm::lower") not in {tuple(sorted(pair)) for pair in robot.allowed}
    with pytest.raises(ValueError, match="finalized"):
        ft.drake.robot(RobotDiagramBuilder().plant(), made.scene_graph())
    with pytest.raises(ValueError, match="hull"):
        ft.drake.robot(made.plant(), made.scene_graph(), meshes="soft")
    with pytest.raises(ValueError, match="shape"):
        ft.drake.configuration(made.plant(), [0.0])


FLAT = f"""<robot name="arm">
{link("base", 'xyz="0 0 0"', '<box size="0.1 0.1 0.1"/>')}
<link name="car">{INERTIA}</link>
{link("ball", 'xyz="0 0 0"', '<sphere radius="0.3"/>')}
{joint("x", "prismatic", "base", "car", "0 0 1", "1 0 0")}
{joint("y", "prismatic", "car", "ball", "0 0 0", "0 1 0")}
</robot>"""


def flat():
    made, models = diagram(lambda plant: fixed(plant, "post", Box(0.6, 0.6, 3), [0, 0, 0]), FLAT, RigidTransform())
    checker = ft.drake.checker(made.plant(), made.scene_graph())
    return made, checker


def test_a_kinematic_optimisation_asks_us_and_is_proven():
    """Without the constraint the optimal trajectory goes through the post, with it around. The answer is proven, not
    sampled."""
    made, checker = flat()
    plant = made.plant()
    found = {}
    for is_asked in (False, True):
        problem = KinematicTrajectoryOptimization(num_positions=2, num_control_points=8, spline_order=4)
        problem.AddPathPositionConstraint([-1.5, 0.0], [-1.5, 0.0], 0.0)
        problem.AddPathPositionConstraint([1.5, 0.0], [1.5, 0.0], 1.0)
        problem.AddDurationConstraint(1.0, 1.0)
        problem.AddPathLengthCost(1.0)
        if is_asked:
            constraint = ft.drake.clearance_constraint(checker, plant, 0.05, largest=0.5)
            for s in np.linspace(0, 1, 21)[1:-1]:
                problem.AddPathPositionConstraint(constraint, s)
            points = np.stack([np.linspace(-1.5, 1.5, 8), 1.2 * np.sin(np.linspace(0, np.pi, 8))])
            problem.SetInitialGuess(ft_guess(problem, points))
        result = Solve(problem.prog())
        assert result.is_success()
        found[is_asked] = ft.Trajectory.from_drake(problem.ReconstructTrajectory(result))
    assert checker.check_trajectory(found[False]).kind == "touch"
    assert checker.check_trajectory(found[True]).is_free
    assert checker.clearance_along(found[True]).lower > 0.0
    assert checker.certify_trajectory(found[True]).verify()["free_until"] == 1.0


def ft_guess(problem, points):
    from pydrake.math import BsplineBasis
    from pydrake.trajectories import BsplineTrajectory

    return BsplineTrajectory(BsplineBasis(4, points.shape[1]), [point[:, None] for point in points.T])


def test_a_trajectory_of_convex_sets_is_proven():
    made, checker = flat()
    # The ball has a radius of 0.3, the post half a side of 0.3: free boxes around it, and one that cuts a corner.
    box = lambda low, high: HPolyhedron.MakeBox(low, high)
    regions = [box([-2, -2], [-0.65, 2]), box([-2, 0.65], [2, 2]), box([0.65, -2], [2, 2])]

    def solved(regions):
        problem = GcsTrajectoryOptimization(2)
        inside = problem.AddRegions(regions, order=3)
        start, goal = problem.AddRegions([box([-1.5, 0], [-1.5, 0])], order=0), problem.AddRegions([box([1.5, 0], [1.5, 0])], order=0)
        problem.AddEdges(start, inside)
        problem.AddEdges(inside, goal)
        problem.AddPathLengthCost()
        problem.AddTimeCost()
        problem.AddVelocityBounds([-1, -1], [1, 1])
        way, result = problem.SolvePath(start, goal)
        assert result.is_success()
        return ft.Trajectory.from_drake(way)

    r = checker.check_trajectory(solved(regions))
    assert r.is_free, r
    wrong = solved([*regions, box([-2, 0.3], [2, 0.7])])
    r = checker.check_trajectory(wrong)
    assert r.kind == "touch" and "world" in r.parts


def test_half_spaces_of_the_world():
    """Drake's own checker takes them with spheres only."""
    made, _ = diagram(lambda plant: fixed(plant, "ramp", HalfSpace(), [0, 0, 0], (0, -np.pi / 4, 0)), FLAT, RigidTransform())
    checker = ft.drake.checker(made.plant(), made.scene_graph())
    assert [(body.name, body.kind) for body in checker.obstacles] == [("ramp", "half_space")]
    # The ball of radius 0.3 is at (x, y, 1), and the slope at z = x: they touch at x = 1 - 0.3 * sqrt(2).
    checker.allow("arm::base", "ramp")
    r = checker.check_motion([-1, 0], [1, 0])
    assert r.kind == "touch" and "ramp" in r.names and abs(-1 + 2 * r.toi - (1 - 0.3 * np.sqrt(2))) < 1e-5


def test_a_constraint_by_itself():
    made, checker = flat()
    constraint = ft.drake.clearance_constraint(checker, made.plant(), 0.05, largest=0.5)
    from pydrake.autodiffutils import ExtractGradient, InitializeAutoDiff

    assert constraint.Eval(np.array([1.0, 0.0])) == pytest.approx([0.4], abs=1e-6) and constraint.CheckSatisfied([1.0, 0.0])
    assert constraint.Eval(np.array([5.0, 0.0])) == [0.5] and not constraint.CheckSatisfied([0.62, 0.0])
    value = constraint.Eval(InitializeAutoDiff(np.array([1.0, 0.0])))
    assert np.allclose(ExtractGradient(value), [[1.0, 0.0]], atol=1e-6)
    assert np.allclose(ExtractGradient(constraint.Eval(InitializeAutoDiff(np.array([5.0, 0.0])))), 0.0)
