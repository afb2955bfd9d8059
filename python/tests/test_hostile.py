"""Whatever arrays come in: an answer or a ValueError, never a crash, and never an answer to numbers that are not
there."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import firsttouch as ft
from conftest import grid_mesh

DTYPES = st.sampled_from(["f8", "f4", "f2", ">f8", "i8", "i4", "u1", "u8", "?", "c16", "U3", "O", "M8[s]"])
SHAPES = st.one_of(
    st.tuples(st.integers(0, 5), st.integers(0, 5)), st.just(()), st.tuples(st.integers(0, 5)), st.tuples(*[st.integers(1, 3)] * 3)
)


@st.composite
def arrays(draw):
    """Any type, any shape, strided, reversed or read-only, with NaN and infinities where the type has them."""
    dtype, shape = np.dtype(draw(DTYPES)), draw(SHAPES)
    if dtype.kind == "O":
        array = np.full(shape, draw(st.sampled_from([None, 1, 2.5, "x", [1]])), dtype=object)
    else:
        array = draw(hnp.arrays(dtype, shape))
    if array.ndim >= 1:
        way = draw(st.sampled_from(["as is", "fortran", "strided", "reversed", "read-only"]))
        if way == "fortran":
            array = np.asfortranarray(array)
        elif way == "strided":
            array = np.repeat(array, 2, axis=0)[::2]
        elif way == "reversed":
            array = array[::-1]
        elif way == "read-only":
            array = array.copy()
            array.flags.writeable = False
    return array


def accepted(call):
    """Returns the result of the call, or None if it is refused with a ValueError. Anything else fails the test."""
    try:
        return call()
    except ValueError as error:
        assert str(error)
        return None


def is_numbers(array, *shape):
    fits = array.ndim == len(shape) and all(want is None or got == want for got, want in zip(array.shape, shape))
    return fits and array.dtype.kind in "fiub" and np.isfinite(array.astype("f8")).all()


@settings(max_examples=200, deadline=None)
@given(arrays(), arrays())
def test_meshes(V, F):
    mesh = accepted(lambda: ft.Mesh(V, F))
    if mesh is not None:
        assert is_numbers(V, None, 3) or V.dtype.kind == "O"
        assert F.size and F.dtype.kind in "iu" and (F < len(V)).all()
        assert np.array_equal(mesh.vertices, V.astype("f8"))
        assert ft.first_touch(mesh, np.eye(4), ft.Sphere(1), np.eye(4)).kind in ("free", "touching_at_start", "undecided")


@settings(max_examples=150, deadline=None)
@given(arrays())
def test_poses_and_sizes(array):
    pose = accepted(lambda: ft.Pose.of(array))
    assert pose is None or np.allclose(pose.matrix[:3, :3] @ pose.matrix[:3, :3].T, np.eye(3))
    for make in ft.Box, ft.Ellipsoid, ft.Hull, ft.Sphere, ft.Pose:
        accepted(lambda: make(array))
    accepted(lambda: ft.Rational(array, array))
    accepted(lambda: ft.ellipsoids.enclosing(array))


@settings(max_examples=150, deadline=None)
@given(arrays(), st.integers(0, 7))
def test_features(array, place):
    corners = list(np.random.default_rng(place).normal(size=(8, 3)))
    corners[place] = array
    for ccd in ft.point_triangle_ccd, ft.edge_edge_ccd:
        found = accepted(lambda: ccd(*corners))
        if found is not None and array.dtype.kind != "O":
            assert array.shape == (3,) or array.ndim == 2
            assert is_numbers(array, *([None] * (array.ndim - 1)), 3)


@settings(max_examples=100, deadline=None)
@given(arrays())
def test_frames(array):
    V, F = grid_mesh(1)
    m = ft.Deformable(V, F)
    for call in (lambda: m.check(array, V), lambda: m.check(V, array), lambda: ft.Deformable(array, F), lambda: ft.Deformable(V, array)):
        accepted(call)
    accepted(lambda: ft.Deformable(V, F, edges=array))
    accepted(lambda: ft.Deformable(V, F, points=array))
    assert m.check(V, V).is_free


SLIDER = ft.Robot(
    "slider",
    [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])],
    [ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))],
)


@settings(max_examples=100, deadline=None)
@given(arrays())
def test_configurations(array):
    checker = ft.Checker(SLIDER)
    for call in (lambda: checker.check_motions(array, array), lambda: checker.check_path(array), lambda: checker.check_states(array)):
        found = accepted(call)
        assert found is None or array.dtype.kind == "O" or is_numbers(array, None, 1)
    accepted(lambda: checker.check_motion(array, array))
    accepted(lambda: checker.check_state(array))


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.floats(), st.integers(), st.text(max_size=3), st.none(), st.booleans()), st.sampled_from(
    ["mode", "tolerance", "min_separation", "t_max", "max_iterations", "threads", "start"]))  # fmt: skip
def test_options(value, name):
    scene = ft.Scene()
    scene.add("a", ft.Sphere(1))
    scene.add("b", ft.Sphere(1), pose=ft.Pose([5, 0, 0]))
    found = accepted(lambda: scene.check(**{name: value}))
    assert found is None or found.kind in ("free", "touching_at_start")
    if name != "threads":
        accepted(lambda: ft.first_touch(ft.Sphere(1), np.eye(4), ft.Sphere(1), ft.Pose([9, 0, 0]), **{name: value}))
