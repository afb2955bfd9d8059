"""Tables of Arrow: edges in two columns of lists, and answers in columns beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from ._arrays import Floats
from .checker import Checker


def with_answers(table: Any, checker: Checker, q0: str, q1: str, options: dict[str, Any]) -> Any:
    """A table with the answers of its edges beside its columns, on one thread.

    Examples
    --------
    >>> import firsttouch as ft
    >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
    >>> checker = ft.Checker(ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide]))
    >>> checker.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
    >>> table = pa.table({"from": [[0.0], [0.0]], "to": [[4.0], [16.0]]})
    >>> with_answers(table, checker, "from", "to", {})["kind"].to_pylist()
    ['free', 'touch']
    """
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
