"""The signature and the objects of python-fcl, with answers that are proven."""

import numpy as np
import pytest

import firsttouch as ft

fcl = pytest.importorskip("fcl")


def head_on(module):
    place = lambda x: fcl.Transform(np.array([x, 0.0, 0.0]))
    a = module.CollisionObject(module.Box(1, 1, 1), place(-10))
    b = module.CollisionObject(module.Box(1, 1, 1), place(10))
    return a, place(10), b, place(-10)


def test_boxes_head_on_do_not_pass_through_each_other():
    # python-fcl, as it is by default, lets two boxes fly through each other.
    result = ft.fcl.ContinuousCollisionResult()
    time = ft.fcl.continuousCollide(*head_on(ft.fcl), ft.fcl.ContinuousCollisionRequest(), result)
    assert result.is_collide and 0.475 - 1e-6 < time <= 0.475 == pytest.approx(result.time_of_contact, abs=1e-6)
    theirs = fcl.ContinuousCollisionResult()
    fcl.continuousCollide(*head_on(fcl), fcl.ContinuousCollisionRequest(), theirs)
    assert not theirs.is_collide


def test_all_geometries():
    V = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    F = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    mesh = ft.fcl.BVHModel()
    mesh.beginModel(len(F), len(V))
    mesh.addSubModel(V, F)
    mesh.endModel()
    convex = ft.fcl.Convex(V, 4, np.concatenate([np.full((4, 1), 3), F], axis=1).reshape(-1))
    triangle = fcl.TriangleP(*V[:3])
    for geometry in [fcl.Sphere(0.5), fcl.Box(1, 1, 1), fcl.Capsule(0.5, 1), fcl.Cylinder(0.5, 1), fcl.Ellipsoid(1, 1, 1), fcl.Cone(0.5, 1), mesh, convex, triangle]:
        o = ft.fcl.CollisionObject(geometry, fcl.Transform(np.array([0.0, 0, 9])))
        ball = ft.fcl.CollisionObject(fcl.Sphere(1), fcl.Transform())
        request = ft.fcl.ContinuousCollisionRequest(ccd_motion_type=fcl.CCDMotionType.CCDM_LINEAR)
        assert 0.5 < ft.fcl.continuousCollide(o, fcl.Transform(), ball, fcl.Transform(), request) < 1
    floor = ft.fcl.CollisionObject(fcl.Halfspace(np.array([0.0, 0, 1]), 2.0), fcl.Transform())
    falling = ft.fcl.CollisionObject(fcl.Sphere(1), fcl.Transform(np.array([0.0, 0, 10])))
    assert np.isclose(ft.fcl.continuousCollide(falling, fcl.Transform(), floor, fcl.Transform()), 0.7, atol=1e-5)
    # fcl itself still takes these objects.
    assert fcl.collide(ft.fcl.CollisionObject(mesh, fcl.Transform()), ft.fcl.CollisionObject(convex, fcl.Transform())) > 0


def test_what_cannot_be_is_refused():
    plain = fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform())
    with pytest.raises(ValueError, match="geometry"):
        ft.fcl.continuousCollide(plain, fcl.Transform(), plain, fcl.Transform())
    plane = ft.fcl.CollisionObject(fcl.Plane(np.array([0.0, 0, 1]), 0), fcl.Transform())
    with pytest.raises(ValueError, match="Plane"):
        ft.fcl.continuousCollide(plane, fcl.Transform(), plane, fcl.Transform())
