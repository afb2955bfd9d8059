"""Columns of Arrow tables: what Ray's workers read and write, without Ray."""

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from firsttouch.tables import configurations, with_answers


def table_of(Q0, Q1):
    column = lambda Q: pa.FixedSizeListArray.from_arrays(pa.array(Q.reshape(-1)), Q.shape[1])
    return pa.table({"id": np.arange(len(Q0)), "q0": column(Q0), "q1": column(Q1)})


def test_a_wrong_column_is_an_error(checker, edges):
    table = table_of(*edges)
    good = configurations(table, "q0", 3)
    assert np.array_equal(good, edges[0])
    assert np.array_equal(configurations(pa.table({"q0": edges[0].tolist()}), "q0", 3), edges[0])
    bad = [
        pa.table({"other": [1]}),
        pa.table({"q0": [1.0, 2.0]}),
        pa.table({"q0": [[1.0, 2.0, 3.0], None]}),
        pa.table({"q0": [[1.0, 2.0, None]]}),
        pa.table({"q0": [[1.0, 2.0]]}),
        pa.table({"q0": [[1.0, 2.0, 3.0], [1.0]]}),
        pa.table({"q0": [[1, 2, 3]]}),
        pa.table({"q0": pa.array(edges[0].astype("f4").tolist(), type=pa.list_(pa.float32()))}),
    ]
    for wrong in bad:
        with pytest.raises(ValueError):
            configurations(wrong, "q0", 3)


def test_answers_stand_beside_the_columns(checker, edges):
    table = table_of(*edges)
    expected = checker.check_motions(*edges, mode="any")
    for given in table, table.slice(7, 30), pa.concat_tables([table.slice(0, 20), table.slice(20)]):
        found = with_answers(given, checker, "q0", "q1", {"mode": "any"})
        assert found.column_names == ["id", "q0", "q1", "kind", "is_free", "toi", "free_until"]
        rows = given["id"].to_numpy()
        assert found["kind"].to_pylist() == expected.kind[rows].tolist()
        assert np.array_equal(found["free_until"].to_numpy(), expected.free_until[rows])
    with pytest.raises(ValueError, match="already"):
        with_answers(with_answers(table, checker, "q0", "q1", {}), checker, "q0", "q1", {})
