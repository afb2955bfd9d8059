"""``ft.jax.toi``: values, derivatives, compiled and mapped."""

import numpy as np
import pytest

import firsttouch as ft

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def float64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def slider():
    """A ball of radius 1 on a rail along x, and a post of radius 1 at x = 10: they touch at x = 8."""
    slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
    c = ft.Checker(ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide]))
    c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
    return c


def test_values_and_derivatives():
    toi = ft.jax.toi(slider())
    q0, q1 = jnp.array([0.0]), jnp.array([16.0])
    assert np.isclose(toi(q0, q1), 0.5, atol=1e-6) and ft.jax.toi(slider(), q0, q1) == toi(q0, q1)
    # (1 - t) q0 + t q1 = 8.
    for at in [toi, jax.jit(toi)]:
        value, (by_q0, by_q1) = jax.value_and_grad(at, argnums=(0, 1))(q0, q1)
        assert np.isclose(value, 0.5, atol=1e-6)
        assert np.allclose([by_q0[0], by_q1[0]], -1 / 32, atol=1e-6)
    # Free: the value that is given for it, and no derivative.
    assert toi(q0, q0) == 1.0 and ft.jax.toi(slider(), free=2.0)(q0, q0) == 2.0
    assert jax.grad(toi)(q0, q0)[0] == 0


def test_mapped_and_compiled(checker, edges):
    toi = ft.jax.toi(checker)
    expected = checker.check_motions(*edges)
    times = np.where(np.isnan(expected.toi), 1.0, expected.toi)
    Q0, Q1 = map(jnp.asarray, edges)
    assert np.array_equal(jax.vmap(toi)(Q0, Q1), times)
    assert np.array_equal(jax.jit(jax.vmap(toi))(Q0, Q1), times) and np.array_equal(toi(Q0, Q1), times)
    # One end for all.
    assert np.array_equal(jax.vmap(toi, in_axes=(None, 0))(Q0[0], Q1), checker_values(checker, np.tile(edges[0][0], (60, 1)), edges[1]))
    gradients = jax.jit(jax.vmap(jax.grad(toi, argnums=1)))(Q0, Q1)
    touching = 0
    for k, (q0, q1) in enumerate(zip(*edges, strict=True)):
        one = checker.toi_gradient(q0, q1)
        if one is not None and np.isfinite(one.q1).all() and np.isfinite(one.q0).all():
            touching += 1
            assert np.array_equal(gradients[k], one.q1)
    assert touching >= 5
    summed = jax.grad(lambda Q: toi(Q0, Q).sum())(Q1)
    assert np.array_equal(summed, gradients)


def checker_values(checker, Q0, Q1):
    toi = checker.check_motions(Q0, Q1).toi
    return np.where(np.isnan(toi), 1.0, toi)


def test_float32_and_wrong_shapes():
    toi = ft.jax.toi(slider())
    value = toi(jnp.array([0.0], dtype=jnp.float32), jnp.array([16.0], dtype=jnp.float32))
    assert value.dtype == jnp.float32 and np.isclose(value, 0.5, atol=1e-5)
    for bad in [(jnp.zeros(2), jnp.zeros(2)), (jnp.zeros(()), jnp.zeros(())), (jnp.zeros((2, 1)), jnp.zeros((3, 1)))]:
        with pytest.raises(ValueError, match="shape"):
            toi(*bad)
    with pytest.raises(ValueError, match="both"):
        ft.jax.toi(slider(), jnp.zeros(1))


def test_a_step_of_gradient_descent_moves_the_contact_later():
    toi = ft.jax.toi(slider())
    q0, q1 = jnp.array([0.0]), jnp.array([16.0])
    step = jax.jit(lambda q: q + 10 * jax.grad(toi, argnums=1)(q0, q))
    for _ in range(5):
        later = step(q1)
        assert toi(q0, later) > toi(q0, q1)
        q1 = later


def test_integers_and_lists_are_numbers():
    """A time in the type of an integer was 0 once: a touch at the start where nothing touches."""
    toi = ft.jax.toi(slider())
    for ends in ([0], [16]), (jnp.array([0]), jnp.array([16])), (np.array([0]), [16.0]):
        assert np.isclose(toi(*ends), 0.5, atol=1e-6) and np.isclose(ft.jax.toi(slider(), *ends), 0.5, atol=1e-6)
    with pytest.raises(ValueError, match="real"):
        toi([0j], [16.0])


def test_clearances(checker, edges):
    clearance = ft.jax.clearance(checker)
    Q0, Q1 = map(jnp.asarray, edges)
    expected = np.array([checker.clearance([a, b]).upper for a, b in zip(*edges, strict=True)])
    for found in clearance(Q0, Q1), jax.vmap(clearance)(Q0, Q1), jax.jit(clearance)(Q0, Q1):
        assert found.dtype == jnp.float64 and np.array_equal(found, expected)
    assert np.array_equal(clearance(Q0), [checker.clearance(q).upper for q in edges[0]])
    free = np.flatnonzero(expected > 1e-3)
    by_q0, by_q1 = jax.grad(lambda a, b: clearance(a, b).sum(), argnums=(0, 1))(Q0, Q1)
    alone = jax.grad(lambda q: clearance(q).sum())(Q0)
    for k in free:
        g = checker.clearance_gradient(edges[0][k], edges[1][k])["arm"]
        assert np.array_equal(by_q0[k], g.q0) and np.array_equal(by_q1[k], g.q1)
        g = checker.clearance_gradient(edges[0][k])["arm"]
        assert np.allclose(alone[k], g.q0 + g.q1)
    assert len(free) > 5 and np.isfinite(by_q0).all() and np.isfinite(alone).all()
    with pytest.raises(ValueError, match="shape"):
        clearance(jnp.zeros(2))
    assert np.isclose(ft.jax.clearance(slider(), nothing=3.0)([0.0]), 8.0, atol=1e-6)


def test_a_barrier_pushes_before_anything_touches():
    clearance, toi = ft.jax.clearance(slider()), ft.jax.toi(slider())
    q = jnp.array([7.5])
    barrier = lambda q: -jnp.log(clearance(q))
    assert jax.grad(toi, argnums=1)(jnp.zeros(1), q) == 0 and jax.grad(barrier)(q) > 0
    for _ in range(20):
        q = q - 0.1 * jax.grad(barrier)(q)
    assert clearance(q) > 1.5


def test_float64_unless_told():
    """In a process of its own, because the switch is one of the process."""
    import subprocess
    import sys

    code = (
        "import jax, firsttouch as ft\n"
        "slide = ft.Joint('slide', 'rail', 'ball', 'prismatic', axis=(1, 0, 0))\n"
        "c = ft.Checker(ft.Robot('r', [ft.Link('rail'), ft.Link('ball', [(ft.Sphere(1), None)])], [slide]))\n"
        "c.add_obstacle('post', ft.Sphere(1), pose=ft.Pose([10, 0, 0]))\n"
        "assert not jax.config.jax_enable_x64 and ft.jax and not jax.config.jax_enable_x64\n"
        "print(ft.jax.clearance(c)([0.0]).dtype, ft.jax.toi(c)([0.0], [16.0]).dtype)\n"
    )
    import os

    plain = {name: value for name, value in os.environ.items() if name != "JAX_ENABLE_X64"}
    for setting, kind in ({}, "float64"), ({"JAX_ENABLE_X64": "0"}, "float32"):
        done = subprocess.run([sys.executable, "-c", code], env={**plain, **setting}, capture_output=True, text=True, timeout=120)
        assert done.stdout.split() == [kind, kind], done.stderr
