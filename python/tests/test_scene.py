import copy
import pickle

import numpy as np
import pytest

import firsttouch as ft
from conftest import grid_mesh


CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
SIDES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
CUBE = CORNERS, [face for a, b, c, d in SIDES for face in ([a, b, c], [a, c, d])]


def two_balls():
    scene = ft.Scene()
    scene.add("flying", ft.Sphere(1), motion=ft.Linear(ft.Pose([-9, 0, 0]), ft.Pose([11, 0, 0])))
    scene.add("resting", ft.Sphere(1))
    return scene


def test_two_balls_touch_where_they_must():
    r = two_balls().check()
    assert r.kind == "touch" and not r.is_free
    assert 0.35 - 1e-6 < r.toi <= 0.35 and r.free_until == r.toi
    assert r.names == ("flying", "resting") and r.parts == ("solid", "solid")
    assert r.points.shape == (2, 3) and np.allclose(r.points, [[-1, 0, 0]] * 2, atol=1e-5)
    assert np.allclose(r.normal, [1, 0, 0], atol=1e-5)
    assert 0 <= r.gap <= 1e-6 and r.stats["pairs"] == 1 and r.pairs == []


def test_every_option_of_a_check():
    scene = two_balls()
    assert scene.check(t_max=0.3).is_free and scene.check(t_max=0.3).free_until == 0.3
    assert 0.3 - 1e-6 < scene.check(min_separation=1).toi <= 0.3
    assert scene.check(mode="any").kind == "touch"
    [pair] = scene.check(mode="all").pairs
    assert pair.names == ("flying", "resting")
    assert scene.check(threads=2).toi == scene.check(threads=1).toi
    scene["flying"].motion = ft.Fixed()
    assert scene.check().kind == "touching_at_start" and scene.check().toi == 0.0
    for bad in [
        dict(mode="last"), dict(tolerance=0), dict(tolerance=np.nan), dict(min_separation=-1), dict(t_max=2), dict(threads=-1),
        dict(max_iterations=0), dict(start="maybe"), dict(tolerance="small"), dict(threads=1.5),
    ]:  # fmt: skip
        with pytest.raises(ValueError):
            scene.check(**bad)


def test_bodies_change_and_go():
    scene = two_balls()
    scene.add("third", ft.Box([1, 1, 1]), pose=ft.Pose([0, 9, 0]))
    assert list(scene) == ["flying", "resting", "third"] and len(scene) == 3 and "third" in scene
    scene.allow("flying", "resting")
    assert scene.check().is_free
    scene["third"].pose = ft.Pose([5, 0, 0])
    assert scene.check().names == ("flying", "third")
    scene["third"].shape = ft.Sphere(0.25)
    assert np.isclose(scene.check().toi, (5 - 1.25 + 9) / 20, atol=1e-6)
    scene.remove("third")
    assert scene.check().is_free
    scene.keep_apart("flying", "resting", 1.0)
    with pytest.raises(KeyError):
        scene["third"]
    with pytest.raises(ValueError, match="third"):
        scene.remove("third")
    with pytest.raises(ValueError, match="two bodies"):
        scene.add("flying", ft.Sphere(1))


def test_an_answer_has_no_truth_value():
    with pytest.raises(TypeError, match="is_free"):
        bool(two_balls().check())
    with pytest.raises(TypeError):
        assert two_balls().check()


# Files that every reader refuses. A file that is refused and not here, for example because a kind of body is not known
# to the package, fails the test.
REFUSED = {"affine_box", "bad_toml", "duplicate", "missing_mesh", "nan"}


def test_the_scene_files_of_the_tree_give_the_same_as_before_and_after_a_pickle(testdata):
    kinds, unknown = {}, []
    for path in sorted((testdata / "scenes").glob("*.toml")):
        if path.stem in REFUSED:
            with pytest.raises(OSError):
                ft.Scene.load(path)
            continue
        scene = ft.Scene.load(path)
        parts = [part for body in scene.bodies() for part in (getattr(body, "shape", None), getattr(body, "motion", None))]
        new = {f"{path.name}: {part.kind}" for part in parts if type(part).__name__.startswith("Opaque")}
        if new:
            unknown += sorted(new)
            continue
        answer = scene.check()
        kinds[path.stem] = answer.kind
        again = pickle.loads(pickle.dumps(scene))
        assert again.check() == answer, path
        assert copy.deepcopy(scene).check() == answer
        assert pickle.loads(pickle.dumps(answer)) == answer
    assert not unknown, f"these kinds need a class in shapes.py or motions.py: {unknown}"
    assert kinds["free"] == "free" and kinds["touch"] == "touch"
    spent = ft.Scene.load(testdata / "scenes" / "undecided.toml").check(max_iterations=1)
    assert spent.kind == "undecided" and not spent.is_free and spent.toi is None and spent.names is not None
    assert sum(kind == "touch" for kind in kinds.values()) >= 7, kinds


def test_an_ellipsoid_on_its_way_to_another_one(testdata):
    scene = ft.Scene.load(testdata / "scenes" / "interpolant.toml")
    assert scene["swelling"].kind == "interpolant"
    # The inverse square of its radius goes from 1 to 1/4, and the radius is 1.6 at the touch.
    r = scene.check()
    assert r.names == ("swelling", "ball") and 0.8125 - 1e-5 < r.toi <= 0.8125


def test_adaptive_robots_stay_adaptive(testdata):
    """`adaptive = true` was dropped without a word when a scene was loaded."""
    scene = ft.Scene.load(testdata / "scenes" / "adaptive.toml")
    arm = scene["arm"]
    assert arm.adaptive and pickle.loads(pickle.dumps(scene))["arm"].adaptive
    usual = ft.Scene.load(testdata / "scenes" / "adaptive.toml")
    usual.remove("arm")
    usual.add_robot_path("arm", arm.robot, arm.trajectory)
    assert not usual["arm"].adaptive
    way, answer = scene.check(), usual.check()
    assert way.kind == answer.kind and set(way.names or ()) == set(answer.names or ())
    spline = ft.Trajectory(arm.trajectory.waypoints, interpolation="spline")
    with pytest.raises(ValueError, match="linear"):
        usual.add_robot_path("other", arm.robot, spline, adaptive=True)
        usual.check()


def test_mesh_files_give_all_that_they_have_or_a_warning(testdata, tmp_path):
    """Animations were dropped without a word, and so were loose edges and points."""
    with pytest.warns(UserWarning, match="an animation moves") as given:
        ft.Mesh.load(testdata / "gltf" / "animated.gltf")
    assert given[0].filename == __file__
    with pytest.warns(UserWarning, match="read the file as a mesh"):
        ft.Points.load(testdata / "ply" / "little.ply", 0.1)
    (tmp_path / "flag.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 9\nf 1 2 3\nl 1 4\np 4\n")
    with pytest.warns(UserWarning, match="2 loose edges and points are no part of the surface"):
        flag = ft.Mesh.load(tmp_path / "flag.obj")
    assert flag.faces.tolist() == [[0, 1, 2]]
    (tmp_path / "scene.toml").write_text(
        '[[body]]\nname = "a"\nshape = { mesh = "a.gltf" }\n[[body]]\nname = "b"\nshape = { sphere = { radius = 1 } }\n'
    )
    (tmp_path / "a.gltf").write_bytes((testdata / "gltf" / "animated.gltf").read_bytes())
    with pytest.warns(UserWarning, match="an animation moves"):
        ft.Scene.load(tmp_path / "scene.toml")


def test_robots_of_compounds_are_pickled(testdata):
    scene = ft.Scene.load(testdata / "scenes" / "adaptive.toml")
    covers = [shape for link in scene["arm"].robot.links for shape, _ in link.shapes if isinstance(shape, ft.Compound)]
    assert covers and all(isinstance(piece, ft.Ellipsoid) for cover in covers for piece, _ in cover.pieces)
    assert pickle.loads(pickle.dumps(covers)) == covers
    ball, turned = ft.Sphere(0.3), ft.Pose([0, 0, 1], quat_wxyz=[3, 1, 0, 2])
    hammer = ft.Compound([(ft.Box([0.2, 0.1, 2]), turned), (ball, ft.Pose([0, 0, 2]))])
    slide = ft.Joint("slide", "rail", "hammer", "prismatic", axis=(1, 0, 0))
    checker = ft.Checker(ft.Robot("slider", [ft.Link("rail"), ft.Link("hammer", [(hammer, None)])], [slide]))
    checker.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 2]))
    again = pickle.loads(pickle.dumps(checker))
    assert again.check_motion([0], [16]) == checker.check_motion([0], [16])
    assert again.check_motion([0], [16]).kind == "touch"
    assert again.robot.links[1].shapes[0][0] == hammer


def test_times_run_over_the_duration(testdata):
    door = ft.Scene.load(testdata / "scenes" / "door.toml")
    assert door.duration == 4.0 and isinstance(door["door"].motion, ft.Path) and door["handle"].parent == "door"
    # It meets the post 1.875 after the start.
    r = door.check()
    assert r.names == ("door", "post") and 1.875 - 1e-5 < r.toi <= 1.875 and r.free_until == r.toi
    assert door.check(t_max=1.8).is_free and door.check(t_max=1.8).free_until == 1.8
    for bad in 0.0, 4.5, np.nan:
        with pytest.raises(ValueError, match="t_max"):
            door.check(t_max=bad)
    scene = ft.Scene(duration=60)
    scene.add("flying", ft.Sphere(1), motion=ft.Linear(ft.Pose([-9, 0, 0]), ft.Pose([11, 0, 0])))
    scene.add("resting", ft.Sphere(1))
    assert 21 - 1e-4 < scene.check().toi <= 21
    [pair] = scene.check(mode="all").pairs
    assert pair.toi == scene.check().toi and pickle.loads(pickle.dumps(scene)).check() == scene.check()
    for bad in 0, -1, np.nan, np.inf, "long", None:
        with pytest.raises(ValueError, match="duration"):
            ft.Scene(duration=bad)


def test_what_has_a_parent_moves_with_it():
    scene = ft.Scene()
    scene.add("door", ft.Box([2, 0.1, 2]), pose=ft.Pose([1, 0, 0]), motion=ft.Turn([0, 0, 1], degrees=180))
    scene.add("knob", ft.Sphere(0.1), pose=ft.Pose([1, 0.2, 0]), parent="door")
    scene.add("ring", ft.Sphere(0.01), motion=ft.Linear(ft.Pose(), ft.Pose([0, 0, 1])), parent="knob")
    scene.allow("door", "knob"), scene.allow("knob", "ring")
    # The knob comes round at the radius 2, before the door.
    scene.add("post", ft.Sphere(0.1), pose=ft.Pose([0, 2.05, 0]))
    assert scene.check().names == ("knob", "post")
    assert np.allclose(scene["ring"].world_motion.pose_at(1.0)[:3, 3], [-2, -0.2, 1])
    again = pickle.loads(pickle.dumps(scene))
    assert again.check() == scene.check() and again["ring"].parent == "knob"
    scene["door"].motion = ft.Fixed(ft.Pose([0, 5, 0]))
    assert scene.check().is_free
    assert np.allclose(scene["ring"].world_motion.pose_at(1.0)[:3, 3], [1, 5.2, 1])
    scene["door"].pose = ft.Pose([-1, 1.85, 0])
    assert scene.check().names == ("knob", "post") and scene.check().kind == "touching_at_start"
    with pytest.raises(ValueError, match="parent"):
        scene.remove("knob")
    scene.remove("ring"), scene.remove("knob")
    assert scene.check().is_free
    for bad in "nobody", "new":
        with pytest.raises(ValueError, match="parent"):
            scene.add("new", ft.Sphere(1), parent=bad)


def test_motions_in_several_pieces():
    a, b = ft.Pose([1, 0, 0]), ft.Pose([0, 1, 0], quat_wxyz=[1, 0, 0, 1])
    path = ft.Path(a, [ft.Leg(1, by=ft.Turn([0, 0, 2], degrees=90)), (2, b), ft.Leg(3, a, "screw"), ft.Leg(4, by="hold")], 5)
    for t, place in (0, [1, 0, 0]), (0.2, [0, 1, 0]), (0.4, [0, 1, 0]), (0.6, [1, 0, 0]), (1, [1, 0, 0]):
        assert np.allclose(path.pose_at(t)[:3, 3], place)
    hill = [(0, ft.Pose()), (2, ft.Pose([1, 0, 1])), (4, ft.Pose([2, 0, 0]))]
    late = ft.Spline([(t + 1, at) for t, at in hill], duration=8)
    assert np.isclose(late.pose_at(2 / 8)[2, 3], 11 / 16) and np.allclose(late.pose_at(0.1), np.eye(4))
    leg = ft.Path(ft.Pose(), [ft.Leg(1, by="hold"), ft.Leg(5, by=ft.Spline(hill))], 8)
    assert all(np.allclose(leg.pose_at(t), late.pose_at(t)) for t in np.linspace(0, 1, 33))
    for motion in path, late, leg, ft.Spline(hill), ft.Within(path, late), ft.Turn([1, 0, 0], [0, 1, 0], degrees=-800, start=b):
        for other in pickle.loads(pickle.dumps(motion)), copy.copy(motion), copy.deepcopy(motion):
            assert other == motion and hash(other) == hash(motion) and repr(other) == repr(motion)
        rebuilt = eval(repr(motion), {name: getattr(ft, name) for name in ("Path", "Leg", "Pose", "Spline", "Turn", "Within")})
        assert rebuilt == motion
    turn = ft.Turn([0, 0, 1], degrees=90)
    for bad in [
        lambda: ft.Turn([0, 0, 1]), lambda: ft.Turn([0, 0, 1], degrees=1, radians=1), lambda: ft.Turn([0, 0, 0], degrees=1),
        lambda: ft.Turn([0, 0, 1], degrees=np.nan), lambda: ft.Path(a, []), lambda: ft.Path(a, [(1, b), (1, a)]),
        lambda: ft.Path(a, [(2, b)], 1), lambda: ft.Path(a, [ft.Leg(1)]), lambda: ft.Path(a, [ft.Leg(1, b, "hold")]),
        lambda: ft.Path(a, [ft.Leg(1, by="leap")]), lambda: ft.Path(a, [ft.Leg(1, by=turn._starting_at(a))]), lambda: ft.Path(a, [7]),
        lambda: ft.Spline([]), lambda: ft.Spline([(0, a)]), lambda: ft.Spline([a, b]),
        lambda: ft.Spline(hill, duration=3), lambda: ft.Spline([(-1, a), (1, b)], duration=3), lambda: ft.Within(a, b),
    ]:  # fmt: skip
        with pytest.raises(ValueError):
            bad()


def test_what_is_wrong_with_a_file_is_said(testdata, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.toml"):
        ft.Scene.load(tmp_path / "nowhere.toml")
    with pytest.raises(OSError, match=r"nan\.toml:\d+"):
        ft.Scene.load(testdata / "scenes" / "nan.toml")
    with pytest.raises(FileNotFoundError, match="body"):
        ft.Scene.load(testdata / "scenes" / "missing_mesh.toml")
    with pytest.raises(OSError):
        ft.Robot.from_urdf(testdata / "scenes" / "nan.toml")


def test_everything_copies_pickles_and_prints():
    V, F = grid_mesh(3)
    shapes = [
        ft.Box([1, 2, 3]), ft.Sphere(1), ft.Capsule(1, 2), ft.Cylinder(1, 2), ft.Ellipsoid([1, 2, 3]),
        ft.Hull(np.random.default_rng(1).normal(size=(30, 3))), ft.Mesh(V, F), ft.Mesh(*CUBE, solid=True), ft.Mesh(*CUBE), ft.Cone(1, 2),
        ft.HalfSpace([1, 2, 3], 0.5), ft.Points(V, 0.25), ft.Octree(0.5, [[0, 0, 0, 1], [5, 5, 5, 0]]), ft.HeightField([[0, 1], [2, 3], [4, 6]], [2, 3]),
        ft.Compound([(ft.Sphere(1), None), (ft.Box([1, 2, 3]), ft.Pose([1, 2, 3], quat_wxyz=[1, 2, 3, 4]))]),
    ]  # fmt: skip
    poses = ft.Pose([1, 2, 3], quat_wxyz=[1, 2, 3, 4]), ft.Pose([4, 5, 6])
    motions = [
        ft.Fixed(poses[0]), ft.Linear(*poses), ft.Screw(*poses), ft.ContactScrew(*poses), ft.Rational.between(*poses),
        ft.Turn([1, 2, 3], [3, 2, 1], degrees=400, start=poses[0]), ft.Path(poses[0], [(1, poses[1])], 2),
        ft.Spline([(0, poses[0]), (2, poses[1])]), ft.Within(ft.Fixed(poses[0]), ft.Linear(ft.Pose(), poses[1])),
    ]  # fmt: skip
    for thing in [*shapes, *motions, *poses]:
        for other in pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing):
            assert other == thing and type(other) is type(thing) and repr(other) == repr(thing)
    assert all(a != b for a in shapes for b in shapes if a is not b)
    for thing in [*shapes, *motions, two_balls(), two_balls().check()]:
        assert thing._repr_html_().startswith("<")
    for motion in motions:
        assert np.allclose(motion.pose_at(0.0), poses[0].matrix)
    scene = ft.Scene()
    for k, shape in enumerate(shapes):
        scene.add(str(k), shape, motion=motions[k % len(motions)])
    assert pickle.loads(pickle.dumps(scene)).check(mode="all") == scene.check(mode="all")
    # A copy is changed by itself.
    other = scene.copy()
    other.remove("0")
    assert len(scene) == len(shapes) and len(other) == len(shapes) - 1
    m = ft.Deformable(V, F)
    assert pickle.loads(pickle.dumps(m)).check(V, V + 1).is_free and "vertices" in repr(m)


def test_poses_of_other_packages():
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_euler("z", 90, degrees=True)
    pose = ft.Pose.of(turn)
    assert np.allclose(pose.matrix[:3, :3], turn.as_matrix())
    assert np.allclose(ft.Pose.of(pose.matrix.astype(np.float32)).matrix, pose.matrix, atol=1e-6)
    assert ft.Pose([1, 2, 3], quat_xyzw=[0, 0, 0, 1]) == ft.Pose([1, 2, 3])
    for bad in [np.zeros((4, 4)), np.full((4, 4), np.nan), np.diag([1, 1, -1, 1]), np.eye(3)[:2], "pose", None, [[1]]]:
        with pytest.raises(ValueError):
            ft.Pose.of(bad)
    with pytest.raises(ValueError):
        ft.Pose([0, 0, 0], quat_wxyz=[0, 0, 0, 0])


def test_a_trimesh_is_a_shape():
    trimesh = pytest.importorskip("trimesh")
    ball = trimesh.creation.icosphere(subdivisions=2, radius=1.0)
    r = ft.first_touch(ball, ft.Linear(ft.Pose([-9, 0, 0]), ft.Pose([11, 0, 0])), ft.Sphere(1), np.eye(4))
    assert r.kind == "touch" and 0.35 - 1e-6 <= r.toi < 0.36
    assert r.parts[0].startswith("tri ") and r.names is None


def test_shapes_of_many_pieces(testdata, tmp_path):
    """Each meets a small ball where it must. The ball falls from z = 10 to z = 0."""

    def toi(shape, x=0.0, y=0.0):
        falling = ft.Linear(ft.Pose([x, y, 10]), ft.Pose([x, y, 0]))
        return ft.first_touch(ft.Sphere(0.5), falling, shape, ft.Fixed()).toi

    for shape, top in [
        (ft.Cone(1, 4), 2), (ft.HalfSpace([0, 0, 2], 3), 3), (ft.Points([[0, 0, 1], [5, 5, 5]], 1), 2),
        (ft.Octree(1, [[-1, -1, 1, 1]]), 3), (ft.HeightField(np.full((3, 4), 2.5), [4, 4]), 2.5), (ft.Mesh(*CUBE, solid=True), 1),
        (ft.Compound([(ft.Box([1, 1, 1]), ft.Pose([0, 0, 3])), (ft.Sphere(1), ft.Pose([9, 0, 0]))]), 3.5),
    ]:  # fmt: skip
        exact = (10 - 0.5 - top) / 10
        assert exact - 1e-6 < toi(shape) <= exact, shape
    # A body inside touches a solid mesh, but not its surface.
    inside = ft.Fixed()
    assert ft.first_touch(ft.Sphere(0.1), inside, ft.Mesh(*CUBE), inside).is_free
    assert ft.first_touch(ft.Sphere(0.1), inside, ft.Mesh(*CUBE, solid=True), inside).kind == "touching_at_start"
    with pytest.raises(ValueError, match="open|closed"):
        ft.Mesh(CORNERS, CUBE[1][:-1], solid=True)
    for bad in [
        lambda: ft.Cone(0, 1), lambda: ft.HalfSpace([0, 0, 0]), lambda: ft.Points([], 1), lambda: ft.Points([[0, 0, 0]], -1),
        lambda: ft.Octree(0, [[0, 0, 0]]), lambda: ft.Octree(1, [[0, 0]]), lambda: ft.Octree(1, [[2**40, 0, 0]]), lambda: ft.Octree(1, [[0, 0, 0, 300]]),
        lambda: ft.HeightField([1, 2], [1, 1]), lambda: ft.HeightField([[1, 2]], [1, 1]), lambda: ft.HeightField([[1, np.nan], [1, 2]], [1, 1]),
        lambda: ft.Compound([]), lambda: ft.Compound([ft.Sphere(1)]), lambda: ft.Compound([(ft.Mesh(*CUBE), None)]),
    ]:  # fmt: skip
        with pytest.raises(ValueError):
            bad()
    np.save(tmp_path / "scan.npy", CORNERS)
    assert ft.Points.load(tmp_path / "scan.npy", 0.1, scale=2) == ft.Points(2 * CORNERS, 0.1)
    with pytest.raises(FileNotFoundError):
        ft.Octree.load(tmp_path / "nowhere.bt")


def test_new_shapes_in_scene_files(tmp_path):
    path = tmp_path / "scene.toml"
    np.save(tmp_path / "scan.npy", CORNERS)
    path.write_text("""
[[body]]
name = "floor"
shape = { half_space = { normal = [0, 1, 3], offset = -9 } }
[[body]]
name = "scan"
shape = { points = "scan.npy", radius = 0.1 }
[[body]]
name = "spike"
shape = { cone = { radius = 0.5, length = 1 } }
pose = { xyz = [9, 0, 0] }
[[body]]
name = "table"
shape = { compound = [ { shape = { box = [1, 1, 0.1] }, pose = { xyz = [0, 0, 2] } }, { shape = { sphere = { radius = 0.2 } } } ] }
motion = { linear = { from = { xyz = [20, 0, 0] }, to = { xyz = [0, 0, 0] } } }
""")
    scene = ft.Scene.load(path)
    assert [type(scene[name].shape).__name__ for name in scene] == ["HalfSpace", "Points", "Cone", "Compound"]
    r = scene.check(mode="all")
    assert r.names == ("spike", "table") and r.parts[1] == "piece 1"
    assert pickle.loads(pickle.dumps(scene)).check(mode="all") == r and "<img" in scene._repr_html_()


def test_a_mesh_is_copied():
    V, F = grid_mesh(2)
    mesh = ft.Mesh(V, F)
    V[:] = np.nan
    assert np.isfinite(mesh.vertices).all()
    assert mesh.faces.shape == (8, 3) and np.array_equal(mesh.faces, F)
    assert ft.Mesh(mesh.vertices.astype(np.float32), F.astype(np.uint8)) == mesh
    assert ft.Mesh(np.asfortranarray(mesh.vertices), F[:, :]) == mesh


def test_robots_in_scenes(arm, room):
    r0 = ft.Checker(arm, obstacles=room).check_motion([0, 0, 0], [2, -1.5, 0.1])
    scene = room.copy()
    scene.add_robot("arm", arm, [0, 0, 0], [2, -1.5, 0.1])
    scene.attach("cup", ft.Sphere(0.01), "arm", "hand", ft.Pose([0.2, 0, 0]))
    r = scene.check()
    assert (r.kind == "free") == (r0.kind == "free")
    assert pickle.loads(pickle.dumps(scene)).check() == r
    assert list(scene) == ["post", "shelf", "arm", "cup"]


def test_deforming_bodies():
    V, F = grid_mesh(8)
    scene = ft.Scene()
    scene.add_deforming("cloth", V + [0, 0, 3], V + [0, 0, -1], F)
    scene.add("ball", ft.Sphere(1))
    r = scene.check()
    assert r.kind == "touch" and 0.5 - 1e-6 < r.toi <= 0.5 and r.names == ("cloth", "ball")
    assert pickle.loads(pickle.dumps(scene)).check() == r


def test_a_motion_set_while_a_check_runs_is_not_seen_by_it():
    import threading

    V, F = grid_mesh(60, lambda x, y: 0.1 * np.sin(9 * x) * np.cos(9 * y))
    scene = ft.Scene()
    scene.add("a", ft.Mesh(V, F), motion=ft.Linear(ft.Pose([0, 0, 5]), ft.Pose([0, 0, -5])))
    scene.add("b", ft.Mesh(V, F))
    expected = scene.check()
    found = []
    thread = threading.Thread(target=lambda: found.extend(scene.check() for _ in range(5)))
    thread.start()
    for _ in range(50):
        scene["b"].motion = ft.Fixed()
    thread.join()
    assert all(answer == expected for answer in found) and len(found) == 5


def test_a_robot_on_a_path_from_a_file(testdata, tmp_path):
    """The same answers as those of the command: the part that is carried is pushed when the hand is gone, and the box
    passes the arm."""
    scene = ft.Scene.load(testdata / "scenes" / "pick_and_place" / "cycle.toml")
    # Loaded scenes check what rests, too: the fence stands in the table.
    scene.allow("table", "fence")
    exact = 8 + (0.6 - 0.09) / 0.6
    answer = scene.check()
    assert set(answer.names) == {"part", "pusher"} and exact - 1e-4 < answer.toi <= exact
    again = pickle.loads(pickle.dumps(scene)).check()
    assert again == answer
    page = ft.view(scene)
    assert "part" in {body["name"] for body in page.document["bodies"]}

    cycle = ft.Scene.load(testdata / "scenes" / "cycle" / "cell.toml")
    assert cycle["arm"].trajectory.interpolation == "spline"
    found = cycle.check()
    assert pickle.loads(pickle.dumps(cycle)).check() == found
    way = cycle["arm"].trajectory
    other = ft.Trajectory(way.waypoints, way.times, interpolation="spline")
    built = ft.Scene(cycle.duration)
    built.add_robot_path("arm", cycle["arm"].robot, other)
    for body in cycle.bodies()[1:]:
        built.add(body.name, body.shape, motion=body.motion)
    assert built.check() == found


def test_trajectories_in_code():
    slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
    robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])

    def toi(way, post=8.0):
        scene = ft.Scene(duration=4)
        scene.add_robot_path("slider", robot, way)
        scene.add("post", ft.Sphere(1), pose=ft.Pose([post, 0, 0]))
        return scene.check().toi

    # x = 6 is reached: on a line to 8 in 4, or between the times 1 and 3; by x = 8 s² (3 - 2 s) at s = 0.6736; by
    # x = t².
    assert toi(ft.Trajectory([[0], [8]])) == pytest.approx(3, abs=1e-5)
    assert toi(ft.Trajectory([[0], [8]], [1, 3])) == pytest.approx(2.5, abs=1e-5)
    assert toi(ft.Trajectory([[0], [4], [8]], interpolation="spline")) == pytest.approx(3, abs=1e-5)
    cubic = ft.Trajectory([[0], [8]], interpolation="cubic", velocities=[[0], [0]])
    s = toi(cubic) / 4
    assert 8 * s * s * (3 - 2 * s) == pytest.approx(6, abs=1e-5)
    assert toi(ft.Trajectory.polynomials([0, 4], [[[0, 0, 1]]])) == pytest.approx(6**0.5, abs=1e-5)
    for wrong in (
        lambda: ft.Trajectory([[0], [8]], interpolation="cubic"),
        lambda: ft.Trajectory([[0], [8]], interpolation="bezier"),
        lambda: ft.Trajectory([0, 8]),
        lambda: toi(ft.Trajectory([[0], [8]], [1, 5])),
        lambda: toi(ft.Trajectory([[0], [8]], [3, 1])),
        lambda: toi(ft.Trajectory([[0, 1], [8, 1]])),
        lambda: toi(ft.Trajectory([[0], [np.nan]])),
    ):
        with pytest.raises(ValueError):
            wrong()
    scene = ft.Scene(duration=4)
    scene.add_robot_path("slider", robot, ft.Trajectory([[0], [4], [8]]))
    scene.attach("load", ft.Sphere(0.5), "slider", "ball", ft.Pose([4, 0, 0]), at=1)
    scene.add("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
    # The ball takes the load at x = 4, where it may touch it, and both go on: the ball itself touches the post at
    # x = 8.
    assert scene.check().toi == pytest.approx(4, abs=1e-5)
    with pytest.raises(ValueError):
        scene.attach("other", ft.Sphere(0.5), "slider", "ball", at=7)
    assert "other" not in scene


def test_scenes_and_checkers_share_their_words():
    slide = ft.Joint("slide", "rail", "hand", "prismatic", axis=(1, 0, 0))
    robot = ft.Robot("arm", [ft.Link("rail"), ft.Link("hand", [(ft.Sphere(1), None)])], [slide])
    s, c = ft.Scene(), ft.Checker(robot)
    s.add_robot("arm", robot, [0], [10])
    for world, link in ((s, "arm/hand"), (c, "hand")):
        world.hold("cup", ft.Sphere(1), link, ft.Pose([2, 0, 0]))
        world.add("post", ft.Sphere(1), pose=ft.Pose([9, 0, 0]))
    ask = [s.check, lambda: c.check_motion([0], [10])]
    assert all(abs(question().toi - 0.5) < 1e-6 for question in ask)
    for world in (s, c):
        world.remove("post")
    assert all(question().is_free for question in ask)
    c.remove("cup")
    assert c.held == []
    with pytest.raises(ValueError, match="robot/link"):
        s.hold("other", ft.Sphere(1), "hand")
