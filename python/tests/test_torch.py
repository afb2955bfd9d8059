"""``ft.torch.toi``. Needs PyTorch; without it this is skipped."""

import numpy as np
import pytest

import firsttouch as ft

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: PyPI has it with CUDA alone, several GB, so it is no part of the extra test"
)


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


def test_integers_and_lists_are_numbers(checker, edges):
    """A time in the type of an integer was 0 once: a touch at the start where nothing touches."""
    q0, q1 = [0, 0, 0], [1, 1, 0]
    wanted = ft.torch.toi(checker, torch.tensor(q0, dtype=torch.float32), torch.tensor(q1, dtype=torch.float32))
    for found in ft.torch.toi(checker, q0, q1), ft.torch.toi(checker, torch.tensor(q0), torch.tensor(q1)):
        assert found.dtype == torch.get_default_dtype() and found == wanted
    half = ft.torch.toi(checker, torch.tensor(q0, dtype=torch.bfloat16), torch.tensor(q1, dtype=torch.bfloat16))
    assert half.dtype == torch.bfloat16 and abs(half - wanted) < 0.01
    with pytest.raises(ValueError, match="real"):
        ft.torch.toi(checker, torch.tensor(q0) * 1j, torch.tensor(q1))


def test_derivatives_are_those_of_small_changes(checker, edges):
    kinds = checker.check_motions(*edges).kind
    touching = np.flatnonzero(kinds == "touch")[:4]
    ends = [torch.tensor(Q[touching], requires_grad=True) for Q in edges]
    smooth = [checker.toi_gradient(*(Q[k] for Q in edges)).degenerate is None for k in touching]
    assert any(smooth)
    rows = [q[smooth].detach().requires_grad_() for q in ends]
    exact = lambda a, b: ft.torch.toi(checker, a, b, tolerance=1e-12)
    assert torch.autograd.gradcheck(exact, tuple(rows), eps=1e-5, atol=1e-3, rtol=1e-3)
    first = torch.autograd.grad(exact(*rows).sum(), rows[1], create_graph=True)[0]
    with pytest.raises(RuntimeError):
        first.sum().backward()


def test_clearances(checker, edges):
    clearance = ft.torch.clearance(checker)
    Q0, Q1 = (torch.tensor(Q, requires_grad=True) for Q in edges)
    found = clearance(Q0, Q1)
    assert np.array_equal(found.detach().numpy(), [checker.clearance([a, b]).upper for a, b in zip(*edges, strict=True)])
    found.sum().backward()
    alone = torch.tensor(edges[0], requires_grad=True)
    clearance(alone).sum().backward()
    for k in np.flatnonzero(found.detach().numpy() > 1e-3):
        g = checker.clearance_gradient(edges[0][k], edges[1][k])["arm"]
        assert np.array_equal(Q0.grad[k], g.q0) and np.array_equal(Q1.grad[k], g.q1)
        g = checker.clearance_gradient(edges[0][k])["arm"]
        assert np.allclose(alone.grad[k], g.q0 + g.q1)
    assert clearance([0.0, 0.0, 0.0]).dtype == torch.float64
