"""JAX: the time of contact as a function that can be differentiated, compiled and mapped.

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
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ._differentiable import TimeOfContact
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
        How many threads decide a batch; 0 means one per core.

    Returns
    -------
    array of shape (...), or a function of `q0` and `q1`
        In the floating type that JAX gives both ends, float32 unless it is told otherwise, and rounded to it: for times that are proven take
        `Checker.check_motions`. With ``jax.grad`` and ``jax.vjp`` its derivatives are those of `Checker.toi_gradient`. Where the touch is
        degenerate they are those that the points of contact alone would have. They are computed, not proven.

    Notes
    -----
    The work is done on the CPU by a callback; ``jit`` and ``vmap`` work, and a mapped call is one batch.
    """
    function = _function(
        TimeOfContact(checker, tolerance=tolerance, min_separation=min_separation, free=free, threads=threads)
    )
    if (q0 is None) != (q1 is None):
        raise ValueError("toi takes both ends or none")
    return function if q0 is None else function(q0, q1)


def _function(contact: TimeOfContact) -> Callable[[Any, Any], Any]:
    def call(work: Callable[[Any, Any], Any], outputs: Any, q0: Any, q1: Any) -> Any:
        return jax.pure_callback(work, outputs, q0, q1, vmap_method="broadcast_all")

    def scalar(q: Any) -> Any:
        return jax.ShapeDtypeStruct(q.shape[:-1], q.dtype)

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def time_of_contact(q0: Any, q1: Any) -> Any:
        contact.check_shapes(q0, q1)
        return call(lambda a, b: contact.value(a, b).astype(a.dtype), scalar(q0), q0, q1)

    def forward(q0: Any, q1: Any) -> Any:
        contact.check_shapes(q0, q1)
        whole = jax.ShapeDtypeStruct(q0.shape, q0.dtype)

        def work(a: Any, b: Any) -> Any:
            return tuple(np.asarray(x, dtype=a.dtype) for x in contact.value_and_gradients(a, b))

        value, by_q0, by_q1 = call(work, (scalar(q0), whole, whole), q0, q1)
        return value, (by_q0, by_q1)

    def backward(gradients: Any, cotangent: Any) -> Any:
        return tuple(cotangent[..., None] * gradient for gradient in gradients)

    time_of_contact.defvjp(forward, backward)

    def of_numbers(q0: Any, q1: Any) -> Any:
        """Both ends in one floating type: a time rounded to an integer would be a contact at the start."""
        ends = [jax.numpy.asarray(q) for q in (q0, q1)]
        kind = jax.numpy.result_type(*ends, float)
        if jax.numpy.issubdtype(kind, jax.numpy.complexfloating):
            raise ValueError(f"configurations must be real numbers, but have the type {kind}")
        return time_of_contact(*(q.astype(kind) for q in ends))

    return of_numbers
