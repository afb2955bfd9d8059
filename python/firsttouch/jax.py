"""JAX: times of contact and least distances as functions that can be differentiated, compiled and mapped.

The first function that is made switches JAX to float64, because a configuration in float32 is off by 1e-7, and so is
the answer about it. With the variable ``JAX_ENABLE_X64`` in the environment, 0 or 1, JAX stays as it is; arrays of
float32 give float32 in any case.

Examples
--------
A ball of radius 1 on a rail touches a post of radius 1 at x = 10 when it is at x = 8, halfway to 16.

>>> import firsttouch as ft
>>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
>>> checker = ft.Checker(ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide]))
>>> checker.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
>>> toi = ft.jax.toi(checker)
>>> round(float(toi([0.0], [16.0])), 6)
0.5
>>> jax.grad(toi, argnums=1)(jax.numpy.array([0.0]), jax.numpy.array([16.0])).round(6).tolist()    # -1/32
[-0.03125]
>>> jax.jit(jax.vmap(toi))(jax.numpy.zeros((2, 1)), jax.numpy.array([[16.0], [32.0]])).round(6).tolist()
[0.5, 0.25]

Where nothing touches, the time of contact is constant. The least distance is not: here it is 10 - 2 - x.

>>> clearance = ft.jax.clearance(checker)
>>> value, gradient = jax.value_and_grad(clearance)(jax.numpy.array([3.0]))
>>> round(float(value), 6), gradient.round(6).tolist()
(5.0, [-1.0])
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ._differentiable import LeastDistance, TimeOfContact
from ._options import TOLERANCE
from .checker import Checker


def toi(
    checker: Checker,
    q0: Any = None,
    q1: Any = None,
    *,
    tolerance: float = TOLERANCE,
    min_separation: float = 0.0,
    free: float = 1.0,
    threads: int = 0,
) -> Any:
    """The time of contact on the way from one configuration to another, for JAX.

    Parameters
    ----------
    checker : Checker
        As it is now; later changes of it are not seen.
    q0, q1 : array of shape (..., dof), optional
        The two ends. Without them a function of both is returned.
    tolerance, min_separation : float
        As in `Checker.check_motion`.
    free : float
        The value where nothing touches, or where that is not decided. Its derivatives are 0.
    threads : int
        The number of threads that decide a batch; 0 means one per core.

    Returns
    -------
    array of shape (...), or a function of `q0` and `q1`
        In the floating type that JAX gives both ends, float64 unless it is told otherwise, and rounded to it: for times
        that are proven take `Checker.check_motions`. With ``jax.grad`` and ``jax.vjp`` its derivatives are those of
        `Checker.toi_gradient`. Where the touch is degenerate, they are the derivatives that the points of contact alone
        give. They are computed, not proven.

    Notes
    -----
    The work is done on the CPU by a callback; ``jit`` and ``vmap`` work, and a mapped call is one batch.
    """
    _take_float64()
    contact = TimeOfContact(checker, tolerance=tolerance, min_separation=min_separation, free=free, threads=threads)
    function = _of_two(contact)
    if (q0 is None) != (q1 is None):
        raise ValueError("toi takes both ends or none")
    return function if q0 is None else function(q0, q1)


def clearance(
    checker: Checker, *, tolerance: float = TOLERANCE, nothing: float = np.inf, threads: int = 0
) -> Callable[..., Any]:
    """The least distance as a function of JAX, in a configuration or on the way from one to another.

    Parameters
    ----------
    checker : Checker
        As it is now; later changes of it are not seen. Its padding does not count.
    tolerance : float
        As in `Checker.clearance`.
    nothing : float
        The value where there is no pair to measure.
    threads : int
        The number of threads that measure a batch; 0 means one per core.

    Returns
    -------
    function of ``q``, or of ``q0`` and ``q1``
        Of arrays of shape (..., dof); its value has the shape (...). Where things overlap, the distance is 0 up to the
        tolerance, and its derivatives are 0: a barrier pushes before anything touches, `toi` after. Elsewhere they are
        those of `Checker.clearance_gradient`: computed, not proven. ``grad``, ``vjp``, ``jit`` and ``vmap`` work as
        with `toi`.
    """
    _take_float64()
    distance = LeastDistance(checker, tolerance=tolerance, nothing=nothing, threads=threads)
    of_one, of_two = _of_one(distance), _of_two(distance)
    return lambda q, q1=None: of_one(q) if q1 is None else of_two(q, q1)


def _take_float64() -> None:
    if "JAX_ENABLE_X64" not in os.environ and not jax.config.jax_enable_x64:
        jax.config.update("jax_enable_x64", True)


def _call(work: Callable[..., Any], outputs: Any, *ends: Any) -> Any:
    return jax.pure_callback(work, outputs, *ends, vmap_method="broadcast_all")


def _scalar(q: Any) -> Any:
    return jax.ShapeDtypeStruct(q.shape[:-1], q.dtype)


def _of_two(asked: TimeOfContact | LeastDistance) -> Callable[[Any, Any], Any]:
    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def value(q0: Any, q1: Any) -> Any:
        asked.check_shapes(q0, q1)
        return _call(lambda a, b: asked.value(a, b).astype(a.dtype), _scalar(q0), q0, q1)

    def forward(q0: Any, q1: Any) -> Any:
        asked.check_shapes(q0, q1)
        whole = jax.ShapeDtypeStruct(q0.shape, q0.dtype)

        def work(a: Any, b: Any) -> Any:
            return tuple(np.asarray(x, dtype=a.dtype) for x in asked.value_and_gradients(a, b))

        found, by_q0, by_q1 = _call(work, (_scalar(q0), whole, whole), q0, q1)
        return found, (by_q0, by_q1)

    def backward(gradients: Any, cotangent: Any) -> Any:
        return tuple(cotangent[..., None] * gradient for gradient in gradients)

    value.defvjp(forward, backward)
    return lambda q0, q1: value(*_numbers(q0, q1))


def _of_one(asked: LeastDistance) -> Callable[[Any], Any]:
    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def value(q: Any) -> Any:
        asked.check_shapes(q)
        return _call(lambda a: asked.value(a).astype(a.dtype), _scalar(q), q)

    def forward(q: Any) -> Any:
        asked.check_shapes(q)

        def work(a: Any) -> Any:
            return tuple(np.asarray(x, dtype=a.dtype) for x in asked.value_and_gradients(a)[:2])

        return _call(work, (_scalar(q), jax.ShapeDtypeStruct(q.shape, q.dtype)), q)

    value.defvjp(forward, lambda gradient, cotangent: (cotangent[..., None] * gradient,))
    return lambda q: value(*_numbers(q))


def _numbers(*given: Any) -> list[Any]:
    """All in one floating type: a time rounded to an integer would be a contact at the start."""
    ends = [jax.numpy.asarray(q) for q in given]
    kind = jax.numpy.result_type(*ends, float)
    if jax.numpy.issubdtype(kind, jax.numpy.complexfloating):
        raise ValueError(f"configurations must be real numbers, but have the type {kind}")
    return [q.astype(kind) for q in ends]
