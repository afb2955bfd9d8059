"""firsttouch, python-fcl, IPC Toolkit and Coal on the same pairs of boxes, in one run.

    pip install './python[fcl,ipctk,pinocchio]' && python lab/peers/boxes.py [PAIRS]

Boxes with sides along the axes fly past each other on straight lines, some fast, some grazing. When they touch first is known exactly: each axis
gives an interval of time, in fractions. The table has, for each library and way to call it, the pairs that touch and were reported as free
(misses), those that stay apart by more than 1e-3 and were reported as touching (false alarms), those reported more than 1e-6 after the contact (late),
and the time a query takes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import coal
import fcl
import ipctk
import numpy as np

import firsttouch as ft


@dataclass
class Pair:
    """Two boxes, the first of which moves."""

    sides: np.ndarray
    start: np.ndarray
    end: np.ndarray
    other: np.ndarray
    toi: float | None
    """The exact first contact, rounded."""
    near: bool
    """Whether they come within 1e-3 of each other."""


def first_contact(sides: np.ndarray, start: np.ndarray, end: np.ndarray, other: np.ndarray, margin: float = 0.0) -> Fraction | None:
    """The exact time, by the interval of overlap along each axis."""
    low, high = Fraction(0), Fraction(1)
    for k in range(3):
        reach = (Fraction(float(sides[k])) + Fraction(float(other[k]))) / 2 + Fraction(margin)
        x0, x1 = Fraction(float(start[k])), Fraction(float(end[k]))
        if x0 == x1:
            if abs(x0) > reach:
                return None
            continue
        times = sorted([(reach - x0) / (x1 - x0), (-reach - x0) / (x1 - x0)])
        low, high = max(low, times[0]), min(high, times[1])
    return low if low <= high else None


def pairs(count: int) -> list[Pair]:
    """Half of the boxes are thin, and half fly past at about the distance at which they would touch."""
    random = np.random.default_rng(20)
    made = []
    while len(made) < count:
        sides, other = random.uniform(0.05, 1, 3), random.uniform(0.05, 1, 3)
        start, end = random.uniform(-4, 4, 3), random.uniform(-4, 4, 3)
        if len(made) % 2:
            # Through a point near the surface of the other box.
            near = random.uniform(-1, 1, 3) * (sides + other) / 2
            end = near + (near - start)
        if first_contact(sides, start, start, other) is not None:
            continue
        toi = first_contact(sides, start, end, other)
        near_too = first_contact(sides, start, end, other, 1e-3) is not None
        made.append(Pair(sides, start, end, other, None if toi is None else float(toi), near_too))
    return made


def by_firsttouch(pair: Pair) -> float | None:
    a, b = ft.Box(pair.sides), ft.Box(pair.other)
    answer = ft.first_touch(a, ft.Linear(ft.Pose(pair.start), ft.Pose(pair.end)), b, ft.Fixed())
    return None if answer.is_free else answer.free_until


def by_fcl(request: fcl.ContinuousCollisionRequest) -> Callable[[Pair], float | None]:
    def query(pair: Pair) -> float | None:
        a = fcl.CollisionObject(fcl.Box(*pair.sides), fcl.Transform(pair.start))
        b = fcl.CollisionObject(fcl.Box(*pair.other), fcl.Transform())
        result = fcl.ContinuousCollisionResult()
        fcl.continuousCollide(a, fcl.Transform(pair.end), b, fcl.Transform(), request, result)
        return result.time_of_contact if result.is_collide else None

    return query


CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
BOTH = np.concatenate([FACES, FACES + 8])
EDGES = ipctk.edges(BOTH)
# Its default of 10^7 iterations takes minutes for one pair of parallel edges.
TIGHT_INCLUSION = ipctk.TightInclusionCCD(max_iterations=10_000)


def by_ipctk(pair: Pair) -> float | None:
    a, b = CORNERS * pair.sides, CORNERS * pair.other
    frames = [np.asfortranarray(np.concatenate([a + at, b])) for at in (pair.start, pair.end)]
    mesh = ipctk.CollisionMesh(frames[0], EDGES, BOTH)
    step = ipctk.compute_collision_free_stepsize(mesh, *frames, narrow_phase_ccd=TIGHT_INCLUSION)
    return None if step == 1.0 else step


def by_coal(samples: int) -> Callable[[Pair], float | None]:
    def query(pair: Pair) -> float | None:
        a, b = coal.Box(*pair.sides), coal.Box(*pair.other)
        request, still = coal.CollisionRequest(), coal.Transform3s()
        for t in np.linspace(0, 1, samples):
            at = coal.Transform3s(np.eye(3), pair.start + t * (pair.end - pair.start))
            if coal.collide(a, at, b, still, request, coal.CollisionResult()):
                return float(t)
        return None

    return query


def main(count: int) -> None:
    """Prints the table."""
    given = pairs(count)
    touching = sum(pair.toi is not None for pair in given)
    print(f"{count} pairs, {touching} touch\n")
    print(f"| {'library':36} | misses | false alarms | late | us a query |\n|{'-' * 38}|-------:|-------------:|-----:|-----------:|")
    naive = fcl.CCDSolverType.CCDC_NAIVE
    libraries = {
        "firsttouch": by_firsttouch,
        "python-fcl, as it comes": by_fcl(fcl.ContinuousCollisionRequest()),
        "python-fcl, 10 samples": by_fcl(fcl.ContinuousCollisionRequest(ccd_solver_type=naive)),
        "python-fcl, 100 samples": by_fcl(fcl.ContinuousCollisionRequest(num_max_iterations=100, ccd_solver_type=naive)),
        "ipctk, Tight-Inclusion, 10^4 steps": by_ipctk,
        "coal (hpp-fcl), 10 samples": by_coal(10),
        "coal (hpp-fcl), 100 samples": by_coal(100),
    }
    for name, query in libraries.items():
        try:
            begin = time.perf_counter()
            found = [query(pair) for pair in given]
            spent = time.perf_counter() - begin
        except Exception as error:  # A peer that cannot do it is part of the table.
            print(f"| {name:36} | {type(error).__name__}: {error} |")
            continue
        misses = sum(p.toi is not None and t is None for p, t in zip(given, found))
        alarms = sum(not p.near and t is not None for p, t in zip(given, found))
        late = sum(p.toi is not None and t is not None and t > p.toi + 1e-6 for p, t in zip(given, found))
        print(f"| {name:36} | {misses:6} | {alarms:12} | {late:4} | {spent / count * 1e6:10.1f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
