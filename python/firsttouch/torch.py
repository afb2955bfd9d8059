"""PyTorch: times of contact and least distances as functions that autograd differentiates.

Examples
--------
A ball of radius 1 on a rail touches a post of radius 1 at x = 10 when it is at x = 8, halfway to 16.

>>> import firsttouch as ft
>>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
>>> checker = ft.Checker(ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide]))
>>> checker.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
>>> q1 = torch.tensor([16.0], requires_grad=True)
>>> toi = ft.torch.toi(checker, torch.tensor([0.0]), q1)
>>> toi.backward()
>>> round(toi.item(), 6), round(q1.grad.item(), 6)                  # 1/2, -1/32
(0.5, -0.03125)

Where nothing touches, the time of contact is constant. The least distance is not: here it is 10 - 2 - x.

>>> q = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
>>> distance = ft.torch.clearance(checker)(q)
>>> distance.backward()
>>> round(distance.item(), 6), round(q.grad.item(), 6)
(5.0, -1.0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ._differentiable import LeastDistance, TimeOfContact
from ._options import TOLERANCE
from .checker import Checker


class _OfTwo(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, q0: Any, q1: Any, asked: TimeOfContact | LeastDistance) -> Any:
        # By way of float64, because numpy does not know all types.
        a, b = (q.detach().to(device="cpu", dtype=torch.float64).numpy() for q in (q0, q1))
        if not any(ctx.needs_input_grad[:2]):
            return _like(asked.value(a, b), q0)
        value, by_q0, by_q1 = asked.value_and_gradients(a, b)
        ctx.save_for_backward(_like(by_q0, q0), _like(by_q1, q1))
        return _like(value, q0)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, cotangent: Any) -> Any:
        by_q0, by_q1 = ctx.saved_tensors
        return cotangent[..., None] * by_q0, cotangent[..., None] * by_q1, None


class _OfOne(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, q: Any, asked: LeastDistance) -> Any:
        a = q.detach().to(device="cpu", dtype=torch.float64).numpy()
        if not ctx.needs_input_grad[0]:
            return _like(asked.value(a), q)
        value, by_q, _ = asked.value_and_gradients(a)
        ctx.save_for_backward(_like(by_q, q))
        return _like(value, q)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, cotangent: Any) -> Any:
        (by_q,) = ctx.saved_tensors
        return cotangent[..., None] * by_q, None


def toi(
    checker: Checker,
    q0: Any,
    q1: Any,
    *,
    tolerance: float = TOLERANCE,
    min_separation: float = 0.0,
    free: float = 1.0,
    threads: int = 0,
) -> Any:
    """The time of contact on the way from one configuration to another, for PyTorch.

    Parameters
    ----------
    checker : Checker
    q0, q1 : tensor of shape (..., dof)
        The two ends, of the same shape.
    tolerance, min_separation : float
        As in `Checker.check_motion`.
    free : float
        The value where nothing touches, or where that is not decided. Its derivatives are 0.
    threads : int
        The number of threads that decide a batch; 0 means one per core.

    Returns
    -------
    tensor of shape (...)
        In the type and on the device of `q0`, and rounded to that type: for times that are proven take
        `Checker.check_motions`. Integers become numbers of torch's default type. The work is done on the CPU.
        Derivatives are those of `Checker.toi_gradient`; where the touch is degenerate, they are the derivatives that
        the points of contact alone give. They are computed, not proven.
    """
    contact = TimeOfContact(checker, tolerance=tolerance, min_separation=min_separation, free=free, threads=threads)
    q0, q1 = _floating(q0), _floating(q1)
    contact.check_shapes(q0, q1)
    return _OfTwo.apply(q0, q1, contact)


def clearance(
    checker: Checker, *, tolerance: float = TOLERANCE, nothing: float = np.inf, threads: int = 0
) -> Callable[..., Any]:
    """The least distance as a function of tensors, in a configuration or on the way from one to another.

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
        Of tensors of shape (..., dof); its value has the shape (...) and the type of the first. Any other argument
        becomes a tensor of float64. Where things overlap, the distance and its derivatives are 0: a barrier pushes
        before anything touches, `toi` after. Elsewhere they are those of `Checker.clearance_gradient`: computed, not
        proven.
    """
    distance = LeastDistance(checker, tolerance=tolerance, nothing=nothing, threads=threads)

    def of(q: Any, q1: Any = None) -> Any:
        given = [_floating(end if torch.is_tensor(end) else np.asarray(end, dtype=np.float64)) for end in (q, q1) if end is not None]
        distance.check_shapes(*given)
        return _OfOne.apply(*given, distance) if q1 is None else _OfTwo.apply(*given, distance)

    return of


def _floating(q: Any) -> Any:
    """A time rounded to an integer would be a contact at the start."""
    tensor = torch.as_tensor(q)
    if tensor.is_complex():
        raise ValueError(f"configurations must be real numbers, but have the type {tensor.dtype}")
    return tensor if tensor.is_floating_point() else tensor.to(torch.get_default_dtype())


def _like(array: Any, tensor: Any) -> Any:
    return torch.as_tensor(array).to(dtype=tensor.dtype, device=tensor.device)
