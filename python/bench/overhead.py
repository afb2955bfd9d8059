"""The cost of a call from Python over the call in Rust, in one run.

    maturin develop --release
    cargo build --release -p firsttouch-python-bench
    python bench/overhead.py target/release/bar [ROBOT.urdf ROBOT.srdf]

Prints, in microseconds, one `first_touch` of two balls that the first bound decides, one row of `point_triangle_ccd`
and of `edge_edge_ccd` in a batch of 2,000, and, for a robot, one edge of `check_motions` in a batch of 2,000.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import firsttouch as ft


def best(call: Callable[[], object], repeats: int = 30) -> float:
    """The least time of several runs, in microseconds."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e6


def bar(program: str, *arguments: str) -> float:
    """The same in Rust."""
    return float(subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout)


def told(what: str, ours: float, rust: float) -> None:
    """A line of the table."""
    print(f"{what:36} Python {ours:9.4f} us   Rust {rust:9.4f} us   over {ours - rust:8.4f} us, {100 * (ours / rust - 1):6.1f} %")


def two_balls() -> float:
    """One call, of 2,000 in a loop."""
    ball, moving, resting = ft.Sphere(1), ft.Linear(ft.Pose([-9, 0, 0]), ft.Pose([-5, 0, 0])), ft.Fixed()

    def calls() -> None:
        for _ in range(2000):
            ft.first_touch(ball, moving, ball, resting)

    return best(calls) / 2000


def main(program: str, urdf: str | None = None, srdf: str | None = None) -> None:
    """All lines of the table."""
    told("first_touch of two balls, a call", two_balls(), bar(program, "balls"))
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "numbers")
        corners = np.random.default_rng(1).normal(size=(8, 2000, 3))
        corners.tofile(file)
        for name, call, word in ("point_triangle_ccd", ft.point_triangle_ccd, "faces"), ("edge_edge_ccd", ft.edge_edge_ccd, "pairs"):
            told(f"{name}, a row", best(lambda: call(*corners)) / 2000, bar(program, word, file))  # noqa: B023
        if urdf is None or srdf is None:
            return
        robot = ft.Robot.from_urdf(urdf, srdf=srdf)
        room = ft.Scene()
        room.add("block", ft.Box([0.3, 0.3, 0.3]), pose=ft.Pose([0.5, 0.45, 0.6]))
        checker = ft.Checker(robot, obstacles=room)
        random = np.random.default_rng(2)
        low, high = np.clip(robot.limits, -np.pi, np.pi).T
        Q0 = random.uniform(low, high, (2000, robot.dof))
        Q1 = np.clip(Q0 + random.uniform(-0.3, 0.3, Q0.shape), low, high)
        np.concatenate([Q0, Q1]).tofile(file)
        for threads in (1, 2):
            ours = best(lambda: checker.check_motions(Q0, Q1, mode="any", threads=threads), 15) / 2000  # noqa: B023
            told(f"check_motions, an edge, {threads} threads", ours, bar(program, "edges", urdf, srdf, file, str(threads)))
        print(checker.check_motions(Q0, Q1, mode="any"))


if __name__ == "__main__":
    main(*sys.argv[1:])
