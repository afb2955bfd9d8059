"""Ray: many edges on many machines."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ray

from ._arrays import Floats
from .checker import Checker


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
    """Checks the edges of a Ray dataset. The result has the same rows, with the columns of `Batch.to_arrow` beside theirs.

    Parameters
    ----------
    dataset : ray.data.Dataset
        With two columns of lists of float64, one number per joint. Anything else is an error, and never an empty answer.
    checker : Checker
        Sent once to each worker, which keeps it.
    q0, q1 : str
        The names of the two columns.
    workers : int, optional
        How many actors, of one core each; one per core of the cluster if left out.
    batch_size : int
        How many edges an actor gets at a time.
    **options
        As in `Checker.check_motions`: ``mode``, ``tolerance``, ``min_separation``, ``t_max``, ``max_iterations``.
    """
    return dataset.map_batches(
        _Worker,
        fn_constructor_args=(ray.put(checker), q0, q1, options),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=ray.data.ActorPoolStrategy(size=workers if workers is not None else _cores()),
        num_cpus=1,
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
    """Checks the edges of every Parquet file in a folder, and writes a file of the same name, with the answers, to another.

    A file is written completely or not at all, and files that are there already are not computed again: a run that was stopped goes on
    where it was. A worker that dies loses the file that it was at, which another computes again.

    Parameters
    ----------
    source, target : path-like
        Folders that all workers see.
    progress : callable, optional
        Called with the number of files that are done and of all files.

    Returns
    -------
    int
        How many files were computed in this run.
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
        # Raises what the worker raised; what is written stays.
        ray.get(ready)
        done += 1
        if progress is not None:
            progress(done, len(files))
    return len(missing)


@ray.remote(num_cpus=1, max_retries=-1)  # type: ignore[untyped-decorator]
def _check_file(source: str, target: str, shared: list[Any], q0: str, q1: str, options: dict[str, Any]) -> None:
    table = _with_answers(pq.read_table(source), _checker_of(shared[0]), q0, q1, options)
    unfinished = f"{target}.{os.getpid()}.unfinished"
    pq.write_table(table, unfinished)
    os.replace(unfinished, target)


# The last checker that this process was sent, by its reference: building the hierarchies of a large robot takes longer than many edges.
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
        return _with_answers(table, self._checker, *self._arguments)


def _with_answers(table: Any, checker: Checker, q0: str, q1: str, options: dict[str, Any]) -> Any:
    first, second = (configurations(table, name, checker.dof) for name in (q0, q1))
    batch = checker.check_motions(first, second, threads=1, **options)
    for name, column in zip(("kind", "is_free", "toi", "free_until"), batch.to_arrow().columns, strict=True):
        if name in table.column_names:
            raise ValueError(f"there is a column \"{name}\" already")
        plain = column.cast(pa.string()) if name == "kind" else column
        table = table.append_column(name, plain)
    return table


def configurations(table: Any, name: str, dof: int) -> Floats:
    """A column of lists of float64 as an array of shape (N, dof)."""
    if name not in table.column_names:
        raise ValueError(f"there is no column \"{name}\", only {', '.join(table.column_names)}")
    column = table[name].combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], type=column.type)
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    kind = column.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    if not is_list or kind.value_type != pa.float64():
        raise ValueError(f"column \"{name}\" must be lists of float64, but is {kind}")
    if column.null_count or column.flatten().null_count:
        raise ValueError(f"column \"{name}\" has nulls")
    values = column.flatten().to_numpy(zero_copy_only=False)
    lengths = column.value_lengths() if not pa.types.is_fixed_size_list(kind) else None
    sizes = {kind.list_size} if lengths is None else set(np.unique(lengths.to_numpy(zero_copy_only=False)).tolist())
    if len(column) and sizes != {dof}:
        raise ValueError(f"column \"{name}\" must have {dof} numbers a row, but has {', '.join(map(str, sorted(sizes)))}")
    return np.asarray(values, dtype=np.float64).reshape(-1, dof)


def _cores() -> int:
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
