"""Edges of a robot on a local Ray cluster: the rate for one worker and for more, and the time that a billion edges
would take.

    pip install './python[ray]'
    python bench/ray_edges.py ROBOT.urdf ROBOT.srdf [--edges 1000000] [--workers 1 2] [--files 16] [--dataset]

Random edges within the limits, no joint moving by more than 0.3, among a few boxes, are written to Parquet files, and
`check_parquet` answers them for each number of workers; with `--dataset`, `check_motions` of a dataset does. The rates
are of the edges alone, without the start of the cluster. The processor time of all workers is given beside the time on
the clock (not with `--dataset`, where workers are gone when they are done): it tells a machine that is busy with other
things from workers that wait for each other. The last line is an estimate on paper: a billion edges on a thousand cores
at the rate of one worker, without the cost of a network.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import ray

import firsttouch as ft


def room() -> ft.Scene:
    """A table, a shelf and a few things on it."""
    scene = ft.Scene()
    scene.add("table", ft.Box([0.8, 1.2, 0.05]), pose=ft.Pose([0.6, 0, 0.1]))
    scene.add("shelf", ft.Box([0.3, 1.0, 0.03]), pose=ft.Pose([0.6, 0, 0.9]))
    random = np.random.default_rng(3)
    for k in range(8):
        x, y = random.uniform([0.35, -0.5], [0.8, 0.5])
        scene.add(f"thing {k}", ft.Cylinder(0.03, 0.2), pose=ft.Pose([x, y, 0.23]))
    return scene


def write_edges(folder: Path, robot: ft.Robot, count: int, files: int) -> None:
    """The two ends of each edge as lists of fixed size."""
    random = np.random.default_rng(4)
    low, high = np.clip(robot.limits, -np.pi, np.pi).T
    for k, part in enumerate(np.array_split(np.arange(count), files)):
        Q0 = random.uniform(low, high, (len(part), robot.dof))
        Q1 = np.clip(Q0 + random.uniform(-0.3, 0.3, Q0.shape), low, high)
        columns = [pa.FixedSizeListArray.from_arrays(pa.array(Q.reshape(-1)), robot.dof) for Q in (Q0, Q1)]
        pq.write_table(pa.table({"id": part, "q0": columns[0], "q1": columns[1]}), folder / f"{k:05}.parquet")


def spent_by_workers() -> float:
    """The processor time of the workers so far, in seconds. The workers are processes of Ray, which names them after
    their task."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            if any(word.startswith("ray::") for word in process.cmdline()[:1]):
                total += sum(process.cpu_times()[:2])
        except psutil.Error:
            pass
    return total


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urdf")
    parser.add_argument("srdf")
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--dataset", action="store_true", help="check_motions of a dataset, not check_parquet")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    robot = ft.Robot.from_urdf(arguments.urdf, srdf=arguments.srdf)
    checker = ft.Checker(robot, obstacles=room())
    ray.init(address="local", num_cpus=max(arguments.workers), include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "edges", Path(folder) / "answers"
        source.mkdir()
        write_edges(source, robot, arguments.edges, arguments.files)
        rates = []
        print("| workers | edges | seconds | edges a second | speed-up | processor time |\n|---:|---:|---:|---:|---:|---:|")
        for workers in arguments.workers:
            shutil.rmtree(target, ignore_errors=True)
            begin, before = time.perf_counter(), spent_by_workers()
            if arguments.dataset:
                edges = ray.data.read_parquet(str(source))
                ft.ray.check_motions(edges, checker, workers=workers, mode="any").write_parquet(str(target))
            else:
                ft.ray.check_parquet(source, target, checker, workers=workers, mode="any")
            spent, worked = time.perf_counter() - begin, spent_by_workers() - before
            rates.append(arguments.edges / spent)
            time_of_workers = "-" if arguments.dataset else f"{worked:.1f}"
            row = f"| {workers} | {arguments.edges} | {spent:.1f} | {rates[-1]:.0f} | {rates[-1] / rates[0]:.2f} | {time_of_workers} |"
            print(row, flush=True)
        free = sum(np.count_nonzero(pq.read_table(file)["is_free"]) for file in target.iterdir())
        print(f"\n{free} of {arguments.edges} are free.")
    one = rates[0] / arguments.workers[0]
    seconds = 1e9 / (1000 * one)
    print(f"10^9 edges on 1,000 cores at {one:.0f} edges a second and core: {seconds:.0f} s, {seconds * 1000 / 3600:.0f} core hours.")


if __name__ == "__main__":
    main()
