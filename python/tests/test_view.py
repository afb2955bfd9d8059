"""The page of a scene: the document is what ``viewer/FORMAT.md`` says, and names stay text."""

import base64
import json
import pickle
import zlib

import numpy as np
import pytest

import firsttouch as ft
from conftest import grid_mesh


def document_in(page):
    text = page.split('<script type="application/json" id="firsttouch-document">')[1].split("</script>")[0]
    return json.loads(text)


def numbers(document, view):
    data = zlib.decompress(base64.b64decode(document["buffers"][view["buffer"]]["data"]))
    assert len(data) == document["buffers"][view["buffer"]]["bytes"]
    kind = np.dtype("<" + view["type"][0] + str(int(view["type"][1:]) // 8))
    return np.frombuffer(data, kind, view["count"], view["offset"])


def test_every_kind_of_body(arm, tmp_path):
    V, F = grid_mesh(4)
    scene = ft.Scene(duration=4)
    scene.add("</script><b>ball", ft.Sphere(0.2), motion=ft.Linear(ft.Pose([5, 0, 0]), ft.Pose([-5, 0, 0.5])))
    for k, shape in enumerate([ft.Box([1, 2, 3]), ft.Capsule(1, 2), ft.Cylinder(1, 2), ft.Ellipsoid([1, 2, 3]), ft.Mesh(V, F), ft.Hull(np.eye(4)[:, :3])]):
        scene.add(str(k), shape, pose=ft.Pose([0, 20 + 10 * k, 0]))
    scene.add("lid", ft.Box([1, 1, 1]), motion=ft.Path(ft.Pose([0, 99, 0]), [ft.Leg(1, by=ft.Turn([0, 0, 1], [0, 98, 0], degrees=400)), ft.Leg(4, by="hold")]))
    scene.add_deforming("cloth", V + [0, 0, 30], V + [0, 0, 29], F)
    scene.add_robot("arm", arm, [0, 0, 0], [-0.4, 0.3, 0.1])
    scene.attach("cup", ft.Sphere(0.05), "arm", "hand", ft.Pose([0.3, 0, 0]))
    view = ft.view(scene, title="all")
    answer = scene.check()
    document = document_in(view.html)
    assert document["title"] == "all" and document["format"] == "firsttouch-view" and document["version"] == 1
    names = [body["name"] for body in document["bodies"]]
    assert names[:2] == ["</script><b>ball", "0"] and {"upper", "hand", "cup", "cloth"} <= set(names)
    [run] = document["runs"]
    assert run["duration"] == 4 and run["answer"]["time"] == answer.toi and "</script><b>ball" in [names[k] for k in run["answer"]["bodies"]]
    assert run["answer"]["points"] == answer.points.tolist() and run["answer"]["parts"] == list(answer.parts)
    moving = {names[motion["body"]]: motion for motion in run["motions"]}
    assert {"</script><b>ball", "lid", "upper", "cup"} <= set(moving) and "0" not in moving
    # A sample at the touch, two where the velocity jumps, and no turn of more than 30 degrees.
    assert answer.toi in numbers(document, moving["</script><b>ball"]["times"])
    times = numbers(document, moving["lid"]["times"])
    assert np.sum(times == 1.0) == 2 and len(times) > 400 / 30
    ball = moving["</script><b>ball"]
    positions = numbers(document, ball["positions"]).reshape(-1, 3)
    assert np.allclose(positions[:, 0], 5 - 10 * numbers(document, ball["times"]) / 4)
    mesh = next(g for g in document["geometries"] if g["kind"] == "mesh" and "frames" not in g)
    low, high = np.array(mesh["box"])
    assert np.allclose(low + (high - low) * numbers(document, mesh["positions"]).reshape(-1, 3) / 65535, V, atol=1e-4)
    assert np.array_equal(numbers(document, mesh["indices"]).reshape(-1, 3), F)
    view.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == view.html
    assert view.html.count("</script>") == view.html.count("<script")


def test_paths_and_frames(checker, edges):
    Q = np.stack([edges[0][0], edges[1][0], edges[0][1]])
    view = ft.view(checker, Q)
    [run] = view.document["runs"]
    answer = checker.check_path(Q)
    assert run["segments"] == [0, 1, 2] and run["answer"]["answer"] == answer.kind
    if answer.toi is not None:
        assert run["answer"]["time"] == answer.segment + answer.toi
    V, F = grid_mesh(3)
    m = ft.Deformable(np.concatenate([V, V + [0, 0, 1]]), np.concatenate([F, F + len(V)]))
    V0 = np.concatenate([V, V + [0, 0, 1]])
    V1 = np.concatenate([V, V - [0, 0, 1]])
    [run] = ft.view(m, V0, V1).document["runs"]
    assert run["answer"]["answer"] == "touch" and run["answer"]["bodies"] == [0, 0]
    for bad in [(3,), (checker,), (m, V0)]:
        with pytest.raises(ValueError, match="view takes"):
            ft.view(*bad)


@pytest.mark.parametrize("name", ["affine", "interpolant"])
def test_changing_ellipsoids(testdata, name):
    view = ft.view(ft.Scene.load(testdata / "scenes" / f"{name}.toml"))
    document = document_in(view.html)
    motion = next(motion for motion in document["runs"][0]["motions"] if "matrices" in motion)
    assert motion["matrices"]["count"] == 9 * motion["times"]["count"]


def test_a_given_answer(checker, edges):
    """Any given answer was refused: an answer has no truth value."""
    scene = ft.Scene(duration=3)
    scene.add("box", ft.Box([1, 1, 1]), motion=ft.Linear(ft.Pose([0, 0, 5]), ft.Pose([0, 0, 0])))
    scene.add("slab", ft.Box([8, 8, 2]))
    scene.add("post", ft.Ellipsoid([1, 1, 1.5]), pose=ft.Pose([1.2, 0, 3.1]))
    answer = scene.check(mode="all")
    shown = ft.view(scene, answer=answer).document
    assert shown == ft.view(scene, mode="all").document
    [run] = shown["runs"]
    assert len(run["pairs"]) == 2 and any(run["answer"]["marks"])
    stored = pickle.loads(pickle.dumps(answer))
    [told] = ft.view(scene, answer=stored).document["runs"]
    # It has all but the touch itself, of which the corners of features are drawn.
    for found in [run["answer"], *run["pairs"]]:
        del found["marks"]
    assert told == run
    path = np.stack([edges[0][0], edges[1][0]])
    found = checker.check_path(path)
    assert ft.view(checker, path, answer=found).document == ft.view(checker, path).document


def test_an_answer_of_another_scene():
    """Its bodies are found by their names. Bodies that are gone are left out."""
    scene = ft.Scene()
    scene.add("other", ft.Sphere(1), pose=ft.Pose([0, 0, 50]))
    scene.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose([0, 0, 5]), ft.Pose([0, 0, 0])))
    scene.add("slab", ft.Box([8, 8, 2]))
    answer = scene.check()
    scene.remove("other")
    document = ft.view(scene, answer=answer).document
    names = [body["name"] for body in document["bodies"]]
    assert [names[k] for k in document["runs"][0]["answer"]["bodies"]] == list(answer.names)
    scene.remove("slab")
    [run] = ft.view(scene, answer=answer).document["runs"]
    assert "bodies" not in run["answer"] and "marks" not in run["answer"] and run["answer"]["answer"] == "touch"


def kilobytes(shown):
    return len(shown._repr_html_()) / 1000


def test_notebooks_show_pictures_and_ask_nothing(room, arm, checker, monkeypatch):
    """A scene's page had 745 kB once, and a check was run for it."""
    for kind in ft.Scene, ft.Checker:
        for name in dir(kind):
            if name.startswith(("check", "clearance", "distance")):
                monkeypatch.setattr(kind, name, None)
    V, F = grid_mesh(120)
    room.add("large", ft.Mesh(V, F), pose=ft.Pose([0, 0, -1]))
    room.add("floor", ft.HalfSpace([0, 0, 1], -1.5))
    room.add("cup", ft.Capsule(0.1, 0.3), motion=ft.Linear(ft.Pose([1, 1, 1]), ft.Pose([2, 1, 1])))
    room.add_robot("arm", arm, [0, 0, 0], [0.1, 0.1, 0])
    room.attach("held", ft.Cone(0.1, 0.2), "arm", "hand")
    for shown in room, checker, arm:
        assert "<img" in shown._repr_html_() and "<iframe" not in shown._repr_html_() and kilobytes(shown) < 30
    crowd = ft.Scene()
    random = np.random.default_rng(1)
    for k in range(300):
        crowd.add(f"body {k}", ft.Box(random.uniform(0.1, 1, 3)), pose=ft.Pose(random.uniform(-9, 9, 3), quat_wxyz=random.normal(size=4)))
    assert "<img" in crowd._repr_html_() and kilobytes(crowd) < 30 and "260 more" in crowd._repr_html_()
    assert ft.Scene()._repr_html_().startswith("<table")


def test_what_a_picture_shows():
    from firsttouch import _picture

    image = pytest.importorskip("PIL.Image")
    import io

    s = ft.Scene()
    s.add("ball", ft.Sphere(1))
    s.add("far", ft.Sphere(1), pose=ft.Pose([0, 8, 0]))
    picture = _picture.png(_picture.parts_of_scene(s), 0.0, 0.0, 200, 100)
    pixels = np.asarray(image.open(io.BytesIO(picture)).convert("RGB"), dtype=int)
    # From the front one hides the other: a disc as high as the picture, without holes, and nothing beside it.
    rows, columns = np.indices(pixels.shape[:2])
    radius = np.hypot(rows - 50, columns - 100)
    inked = (pixels != 255).any(axis=2)
    assert inked[radius < 44].all() and not inked[radius > 49].any()
    assert (pixels[radius < 40][:, 2] > pixels[radius < 40][:, 0]).all()
    assert _picture.png([], 0, 0, 10, 10) is None
    for shape in ft.Box([1, 2, 3]), ft.Cylinder(1, 2), ft.Cone(1, 2), ft.Capsule(1, 2), ft.Ellipsoid([1, 2, 3]), ft.Hull(np.eye(4)[:, :3]):
        corners = _picture.triangles_of(shape).reshape(-1, 3)
        assert np.allclose([corners.min(axis=0), corners.max(axis=0)], shape.bounds, atol=0.05)
