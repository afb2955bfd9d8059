"""Trajectories as polynomials between knots: for values, velocities, and curves in other forms.

A piece is an array of shape (dof, K): the coefficients of each joint in powers of the time since the piece began, that
of the constant first.
"""

from __future__ import annotations

import math

import numpy as np

from ._arrays import Floats


def of_lines(times: Floats, waypoints: Floats) -> list[Floats]:
    """A constant rate between waypoints."""
    rates = np.diff(waypoints, axis=0) / np.diff(times)[:, None]
    return [np.stack([start, rate], axis=1) for start, rate in zip(waypoints[:-1], rates, strict=True)]


def of_cubics(times: Floats, waypoints: Floats, velocities: Floats) -> list[Floats]:
    """Cubics with these velocities at the waypoints."""
    pieces = []
    for k, h in enumerate(np.diff(times)):
        start, end, v, w = waypoints[k], waypoints[k + 1], velocities[k], velocities[k + 1]
        second = (3.0 * (end - start) / h - 2.0 * v - w) / h
        third = (2.0 * (start - end) / h + v + w) / (h * h)
        pieces.append(np.stack([start, v, second, third], axis=1))
    return pieces


def of_spline(times: Floats, waypoints: Floats) -> list[Floats]:
    """The natural cubic spline: its second derivatives solve a tridiagonal system, and are 0 at both ends."""
    h, rows = np.diff(times), len(waypoints)
    rates = np.diff(waypoints, axis=0) / h[:, None]
    diagonal, right = 2.0 * (h[:-1] + h[1:]), 6.0 * np.diff(rates, axis=0)
    bends = np.zeros_like(waypoints)
    for k in range(1, rows - 2):
        factor = h[k] / diagonal[k - 1]
        diagonal[k] -= factor * h[k]
        right[k] -= factor * right[k - 1]
    for k in range(rows - 3, -1, -1):
        bends[k + 1] = (right[k] - h[k + 1] * bends[k + 2]) / diagonal[k]
    pieces = []
    for k, rate in enumerate(rates):
        first = rate - h[k] * (2.0 * bends[k] + bends[k + 1]) / 6.0
        pieces.append(np.stack([waypoints[k], first, 0.5 * bends[k], (bends[k + 1] - bends[k]) / (6.0 * h[k])], axis=1))
    return pieces


def value(piece: Floats, t: float, derivative: int = 0) -> Floats:
    """Returns the values of the joints at a time since the start of the piece, or a derivative of them."""
    found = np.zeros(piece.shape[0])
    for power in range(piece.shape[1] - 1, derivative - 1, -1):
        found = found * t + math.perm(power, derivative) * piece[:, power]
    return found


def shifted(piece: Floats, t: float) -> Floats:
    """The same curve in powers of the time since `t`."""
    orders = range(piece.shape[1])
    return np.stack([value(piece, t, order) / math.factorial(order) for order in orders], axis=1)


def of_bernstein(control_points: Floats, width: float) -> Floats:
    """A Bezier curve over a time of this width; its control points are rows."""
    degree = len(control_points) - 1
    columns = []
    for power in range(degree + 1):
        terms = ((-1) ** (power - k) * math.comb(power, k) * control_points[k] for k in range(power + 1))
        columns.append(math.comb(degree, power) * sum(terms, np.zeros(control_points.shape[1])) / width**power)
    return np.stack(columns, axis=1)


def of_b_spline(knots: Floats, control_points: Floats, degree: int) -> tuple[list[float], list[Floats]]:
    """The times and the pieces of a B-spline, by de Boor's recursion on polynomials."""
    times, pieces = [], []
    for span in range(degree, len(control_points)):
        start, end = knots[span], knots[span + 1]
        if not start < end:
            continue
        rows = [control_points[span - degree + j][:, None] for j in range(degree + 1)]
        for level in range(1, degree + 1):
            for j in range(degree, level - 1, -1):
                low, high = knots[span - degree + j], knots[span + 1 + j - level]
                # (t - low) / (high - low) in powers of t - start.
                a, b = (start - low) / (high - low), 1.0 / (high - low)
                rows[j] = _times_line(rows[j - 1], 1.0 - a, -b) + _times_line(rows[j], a, b)
        times.append(float(start))
        pieces.append(rows[degree])
        last = float(end)
    return ([*times, last], pieces) if pieces else ([], [])


def _times_line(piece: Floats, constant: float, slope: float) -> Floats:
    product = np.zeros((piece.shape[0], piece.shape[1] + 1))
    product[:, :-1] += constant * piece
    product[:, 1:] += slope * piece
    return product


def composed(piece: Floats, inner: Floats) -> Floats:
    """A curve of a variable that is itself a polynomial of time."""
    found = np.zeros((piece.shape[0], 1))
    for power in range(piece.shape[1] - 1, -1, -1):
        grown = np.zeros((found.shape[0], found.shape[1] + len(inner) - 1))
        for k, c in enumerate(inner):
            grown[:, k : k + found.shape[1]] += c * found
        grown[:, 0] += piece[:, power]
        found = grown
    return found


def along(
    path_knots: Floats, path: list[Floats], times: Floats, scaling: list[Floats]
) -> tuple[list[float], list[Floats]]:
    """A path whose variable is a function of time: the scaling never runs backwards.

    A piece of time in which the path changes its polynomial is cut there.
    """
    cuts, pieces = [float(times[0])], []
    for k, inner in enumerate(scaling):
        width, begin = float(times[k + 1] - times[k]), 0.0
        while begin < width:
            here, ahead = float(value(inner, begin)[0]), float(value(inner, width)[0])
            # The middle of the rest tells which polynomial holds: the ends may be knots, up to rounding.
            after = float(value(inner, 0.5 * (begin + width))[0])
            slack = 1e-12 * max(1.0, abs(float(path_knots[-1] - path_knots[0])))
            place = int(np.clip(np.searchsorted(path_knots, here + slack, side="right") - 1, 0, len(path) - 1))
            if after < here - slack or ahead < after - slack:
                raise ValueError(f"the time scaling runs backwards at t = {times[k] + begin}")
            end = width
            if place < len(path) - 1 and ahead > path_knots[place + 1] + slack:
                end = _crossing(inner, float(path_knots[place + 1]), begin, width)
            local = shifted(inner, begin)[0]
            local[0] -= path_knots[place]
            pieces.append(composed(path[place], local))
            begin = end
            cuts.append(float(times[k] + end))
        cuts[-1] = float(times[k + 1])
    return cuts, pieces


def _crossing(inner: Floats, level: float, low: float, high: float) -> float:
    """Returns the argument at which an increasing polynomial reaches a level, by bisection."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if value(inner, middle)[0] < level else (low, middle)
    return high
