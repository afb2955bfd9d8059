import pytest

import firsttouch as ft
from conftest import grid_mesh

pytest.importorskip("rerun")


def test_a_recording_is_written(tmp_path, arm):
    V, F = grid_mesh(2)
    scene = ft.Scene()
    shapes = [ft.Sphere(0.1), ft.Box([1, 1, 1]), ft.Capsule(0.1, 1), ft.Cylinder(0.1, 1), ft.Ellipsoid([1, 2, 3]), ft.Hull(V + [[0, 0, k % 2] for k in range(len(V))]), ft.Mesh(V, F)]
    for k, shape in enumerate(shapes):
        scene.add(str(k), shape, motion=ft.Linear(ft.Pose([5.0 * k, 0, 5]), ft.Pose([5.0 * k, 0, 0])))
    scene.add_robot("arm", arm, [0, 0, 0], [1, 1, 0.1], base=ft.Pose([0, 30, 0]))
    scene.add_deforming("cloth", V, V + 1, F)
    path = tmp_path / "scene.rrd"
    ft.to_rerun(scene, path, steps=4, answer=scene.check())
    assert path.read_bytes()[:4] == b"RRF2" and path.stat().st_size > 10_000
