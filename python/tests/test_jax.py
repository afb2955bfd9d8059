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
