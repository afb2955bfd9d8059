"""PyTorch: the time of contact as a function that autograd differentiates.

Examples
--------
>>> q1 = torch.tensor(goal, requires_grad=True)                     # doctest: +SKIP
>>> ft.torch.toi(checker, torch.tensor(start), q1).sum().backward() # doctest: +SKIP
>>> q1.grad                                                         # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

import torch

from ._differentiable import TimeOfContact
from ._options import TOLERANCE
from .checker import Checker


class _TimeOfContact(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, q0: Any, q1: Any, contact: TimeOfContact) -> Any:
        a, b = (q.detach().cpu().numpy() for q in (q0, q1))
        if not any(ctx.needs_input_grad[:2]):
            return _like(contact.value(a, b), q0)
        value, by_q0, by_q1 = contact.value_and_gradients(a, b)
        ctx.save_for_backward(_like(by_q0, q0), _like(by_q1, q1))
        return _like(value, q0)

    @staticmethod
    def backward(ctx: Any, cotangent: Any) -> Any:
        by_q0, by_q1 = ctx.saved_tensors
        return cotangent[..., None] * by_q0, cotangent[..., None] * by_q1, None


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
        How many threads decide a batch; 0 means one per core.

    Returns
    -------
    tensor of shape (...)
        In the type and on the device of `q0`. The work is done on the CPU. Derivatives are those of `Checker.toi_gradient`; where the touch
        is degenerate they are those that the points of contact alone would have. They are computed, not proven.
    """
    contact = TimeOfContact(checker, tolerance=tolerance, min_separation=min_separation, free=free, threads=threads)
    contact.check_shapes(q0, q1)
    return _TimeOfContact.apply(q0, q1, contact)


def _like(array: Any, tensor: Any) -> Any:
    return torch.as_tensor(array).to(dtype=tensor.dtype, device=tensor.device)
