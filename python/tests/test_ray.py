"""Edges on a small cluster. Needs ``pip install './python[ray]'``; without Ray this is skipped."""

import pickle
import subprocess
import sys
import time

import numpy as np
import pytest

import firsttouch as ft

ray = pytest.importorskip("ray")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def cluster():
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


def table_of(Q0, Q1):
    column = lambda Q: pa.FixedSizeListArray.from_arrays(pa.array(Q.reshape(-1)), Q.shape[1])
    return pa.table({"id": np.arange(len(Q0)), "q0": column(Q0), "q1": column(Q1)})


def test_a_dataset(cluster, checker, edges):
    expected = checker.check_motions(*edges)
    dataset = ray.data.from_arrow(table_of(*edges))
    rows = ft.ray.check_motions(dataset, checker, workers=1, batch_size=17).take_all()
    rows.sort(key=lambda row: row["id"])
    assert [row["kind"] for row in rows] == expected.kind.tolist()
    assert [row["free_until"] for row in rows] == expected.free_until.tolist()


@pytest.mark.parametrize("workers", [None, 2])
def test_a_dataset_of_files_with_a_worker_per_core(cluster, checker, edges, tmp_path, workers):
    """Actors on every core once left none to the tasks that read the files, and the run never ended."""
    pq.write_table(table_of(*edges), tmp_path / "edges.parquet")
    dataset = ray.data.read_parquet(str(tmp_path / "edges.parquet"))
    rows = ft.ray.check_motions(dataset, checker, workers=workers, batch_size=17).take_all()
    expected = checker.check_motions(*edges)
    assert [row["kind"] for row in sorted(rows, key=lambda row: row["id"])] == expected.kind.tolist()


def test_files_that_are_there_are_not_computed_again(cluster, checker, edges, tmp_path):
    source, target = tmp_path / "edges", tmp_path / "answers"
    source.mkdir()
    for k in range(3):
        pq.write_table(table_of(*(Q[20 * k : 20 * k + 20] for Q in edges)), source / f"{k}.parquet")
    seen = []
    assert ft.ray.check_parquet(source, target, checker, workers=2, progress=lambda *n: seen.append(n)) == 3
    assert seen == [(1, 3), (2, 3), (3, 3)]
    expected = checker.check_motions(*edges)
    found = [kind for k in range(3) for kind in pq.read_table(target / f"{k}.parquet")["kind"].to_pylist()]
    assert found == expected.kind.tolist()
    (target / "1.parquet").unlink()
    before = (target / "0.parquet").stat().st_mtime_ns
    assert ft.ray.check_parquet(source, target, checker) == 1
    assert (target / "0.parquet").stat().st_mtime_ns == before and len(list(target.iterdir())) == 3


RUN = """
import pickle, sys
import ray
import firsttouch as ft
ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
source, target, checker = sys.argv[1:]
with open(checker, "rb") as file:
    ft.ray.check_parquet(source, target, pickle.load(file), progress=lambda done, of: print(done, flush=True))
"""


def test_a_run_that_is_killed_goes_on(cluster, checker, edges, tmp_path):
    """The process is killed while it works. Every written file is whole, and the next run computes the rest."""
    source, target = tmp_path / "edges", tmp_path / "answers"
    source.mkdir()
    repeated, files = [np.tile(Q, (50, 1)) for Q in edges], 10
    for k in range(files):
        pq.write_table(table_of(*repeated), source / f"{k}.parquet")
    (tmp_path / "checker").write_bytes(pickle.dumps(checker))
    run = subprocess.Popen([sys.executable, "-c", RUN, source, target, tmp_path / "checker"], stdout=subprocess.PIPE, text=True)
    assert [run.stdout.readline() for _ in range(2)] == ["1\n", "2\n"]
    run.kill()
    run.wait()
    time.sleep(1.0)  # Its worker may be at the end of a file.
    left = sorted(target.glob("*.parquet"))
    expected = checker.check_motions(*repeated)
    before = {path: path.stat().st_mtime_ns for path in left}
    assert 2 <= len(left) < files
    assert ft.ray.check_parquet(source, target, checker) == files - len(left)
    assert all(path.stat().st_mtime_ns == told for path, told in before.items())
    for k in range(files):
        assert pq.read_table(target / f"{k}.parquet")["free_until"].to_pylist() == expected.free_until.tolist()


@pytest.fixture
def two_nodes():
    from ray.cluster_utils import Cluster

    ray.shutdown()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield cluster, second
    ray.shutdown()
    cluster.shutdown()


def test_a_node_that_is_removed_loses_nothing(two_nodes, checker, edges, tmp_path):
    """The second of two nodes goes away while it works. Its files are computed again by the first, and all answers are
    there once."""
    cluster, second = two_nodes
    source, target = tmp_path / "edges", tmp_path / "answers"
    source.mkdir()
    repeated = [np.tile(Q, (20, 1)) for Q in edges]
    files = 12
    for k in range(files):
        pq.write_table(table_of(*(Q[100 * k : 100 * k + 100] for Q in repeated)), source / f"{k:02}.parquet")
    seen = []

    def progress(done, of):
        seen.append(done)
        if done == 3:
            cluster.remove_node(second, allow_graceful=False)

    assert ft.ray.check_parquet(source, target, checker, progress=progress) == files
    assert seen == list(range(1, files + 1))
    assert not second.any_processes_alive()
    expected = checker.check_motions(*(Q[: 100 * files] for Q in repeated)).kind.tolist()
    found = [kind for k in range(files) for kind in pq.read_table(target / f"{k:02}.parquet")["kind"].to_pylist()]
    assert found == expected
    # No work is left.
    assert ft.ray.check_parquet(source, target, checker) == 0
