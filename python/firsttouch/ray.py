"""Ray: many edges on many machines."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import ray

from .checker import Checker
from .tables import configurations as configurations
from .tables import with_answers


def check_motions(
    dataset: Any,
    checker: Checker,
    *,
    q0: str = "q0",
    q1: str = "q1",
    workers: int | None = None,
    batch_size: int = 4096,
    **options: Any,
) -> Any:
    """Checks the edges of a Ray dataset. The result has the same rows, with the columns of `Batch.to_arrow` beside
    theirs.

    Parameters
    ----------
    dataset : ray.data.Dataset
        With two columns of lists of float64, one number per joint. Anything else is an error, and never an empty
        answer.
    checker : Checker
        Sent once to each worker, which keeps it.
    q0, q1 : str
        The names of the two columns.
    workers : int, optional
        The number of actors, of one core each. If left out, one less than the cluster has cores, because reading and
        writing take turns on the last.
    batch_size : int
        The number of edges that an actor gets at a time.
    **options
        As in `Checker.check_motions`: ``mode``, ``tolerance``, ``min_separation``, ``t_max``, ``max_iterations``.
    """
    cores = _cores()
    actors = workers if workers is not None else max(1, cores - 1)
    return dataset.map_batches(
        _Worker,
        fn_constructor_args=(ray.put(checker), q0, q1, options),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=ray.data.ActorPoolStrategy(size=actors),
        # Actors that claimed every core would wait for the tasks that read, and those for a core, for ever.
        num_cpus=1 if actors < cores else 0,
    )


def check_parquet(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    checker: Checker,
    *,
    q0: str = "q0",
    q1: str = "q1",
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> int:
    """Checks the edges of every Parquet file in a folder, and writes a file of the same name, with the answers, to
    another.

    A file is written completely or not at all, and files that are there already are not computed again: a run that was
    stopped continues. If a worker dies, another one computes its current file again.

    Parameters
    ----------
    source, target : path-like
        Folders that all workers see.
    progress : callable, optional
        Called with the number of files that are done and of all files.

    Returns
    -------
    int
        The number of files that were computed in this run.
    """
    files = sorted(Path(source).glob("*.parquet"))
    if not files:
        raise FileNotFoundError(f"{source}: there are no Parquet files")
    Path(target).mkdir(parents=True, exist_ok=True)
    missing = [file for file in files if not (Path(target) / file.name).exists()]
    shared = ray.put(checker)
    open_files = list(missing)
    running: dict[Any, Path] = {}
    done = len(files) - len(missing)
    while open_files or running:
        while open_files and len(running) < (workers if workers is not None else _cores()):
            file = open_files.pop(0)
            # In a list the reference stays one, and the worker looks whether it has the checker already.
            running[_check_file.remote(str(file), str(Path(target) / file.name), [shared], q0, q1, options)] = file
        [ready], _ = ray.wait(list(running))
        running.pop(ready)
        # Raises the error of the worker, if there is one. Files that are written stay.
        ray.get(ready)
        done += 1
        if progress is not None:
            progress(done, len(files))
    return len(missing)


@ray.remote(num_cpus=1, max_retries=-1)  # type: ignore[untyped-decorator]
def _check_file(source: str, target: str, shared: list[Any], q0: str, q1: str, options: dict[str, Any]) -> None:
    table = with_answers(pq.read_table(source), _checker_of(shared[0]), q0, q1, options)
    unfinished = f"{target}.{os.getpid()}.unfinished"
    pq.write_table(table, unfinished)
    os.replace(unfinished, target)


# The last checker that this process was sent, by its reference: building the hierarchies of a large robot takes longer
# than many edges.
_last: dict[str, Checker] = {}


def _checker_of(reference: Any) -> Checker:
    key = reference.hex()
    if key not in _last:
        _last.clear()
        _last[key] = ray.get(reference)
    return _last[key]


class _Worker:
    """An actor that holds the checker."""

    def __init__(self, checker: Any, q0: str, q1: str, options: dict[str, Any]) -> None:
        self._checker: Checker = ray.get(checker)
        self._arguments = (q0, q1, options)

    def __call__(self, table: Any) -> Any:
        return with_answers(table, self._checker, *self._arguments)


def _cores() -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
