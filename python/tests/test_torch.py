"""``ft.torch.toi``. Needs PyTorch; without it this is skipped."""

import numpy as np
import pytest

import firsttouch as ft

torch = pytest.importorskip("torch")


def test_values_and_derivatives(checker, edges):
    Q0, Q1 = (torch.tensor(Q, requires_grad=True) for Q in edges)
    found = ft.torch.toi(checker, Q0, Q1)
    expected = checker.check_motions(*edges).toi
    assert np.array_equal(found.detach().numpy(), np.where(np.isnan(expected), 1.0, expected))
    found.sum().backward()
    for k, (q0, q1) in enumerate(zip(*edges, strict=True)):
        one = checker.toi_gradient(q0, q1)
        if one is not None and np.isfinite(one.q1).all() and np.isfinite(one.q0).all():
            assert np.array_equal(Q1.grad[k].numpy(), one.q1) and np.array_equal(Q0.grad[k].numpy(), one.q0)
    with pytest.raises(ValueError, match="shape"):
        ft.torch.toi(checker, Q0, Q1[:3])
