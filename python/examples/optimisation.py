"""Optimisation: a path that touches is bent by gradients until it is proven free and keeps its distance."""

import jax
import jax.numpy as jnp
import numpy as np

import firsttouch as ft

slide = lambda name, a, b, axis: ft.Joint(name, a, b, "prismatic", axis=axis, limits=(-9, 9))
links = [ft.Link("ground"), ft.Link("cart"), ft.Link("box", [(ft.Box([0.6, 0.3, 0.3]), None)])]
checker = ft.Checker(ft.Robot("slider", links, [slide("x", "ground", "cart", (1, 0, 0)), slide("y", "cart", "box", (0, 1, 0))]))
for k, (x, y) in enumerate([(2, -0.4), (4, 0.5), (6, -0.3)]):
    checker.add_obstacle(f"post {k}", ft.Cylinder(0.5, 2), pose=ft.Pose([x, y, 0]))
toi, clearance = ft.jax.toi(checker), ft.jax.clearance(checker)


def cost(inner):
    path = jnp.concatenate([ends[:1], inner, ends[1:]])
    near = jnp.maximum(0.0, 0.1 - clearance(path[:-1], path[1:]))  # pushes before anything touches
    return jnp.sum(jnp.diff(path, axis=0) ** 2) + 20.0 * jnp.sum(near) + 5.0 * jnp.sum(1.0 - toi(path[:-1], path[1:]))


ends = jnp.array([[0.0, 0.0], [8.0, 0.0]])
inner, slope = ends[0] + jnp.linspace(0, 1, 9)[1:-1, None] * (ends[1] - ends[0]), jax.jit(jax.grad(cost))
print("before:", checker.check_path(np.concatenate([ends[:1], inner, ends[1:]])))
for step in range(400):
    inner = inner - 0.02 / (1 + step / 40) * slope(inner)
path = np.concatenate([ends[:1], inner, ends[1:]])
answer = checker.check_path(path)
assert answer.is_free, answer
print("after:", answer, "never closer than", checker.clearance(path).lower)
