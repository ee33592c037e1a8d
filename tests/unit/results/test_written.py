"""Labels that are written to Parquet files, some rows at a time."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cc_rapids
from cc_rapids.errors import InputError, OutputError
from cc_rapids.results.answer import Answer
from cc_rapids.results.written import arrow_of

FORMS = {
    "near": lambda a, b: (a, b),
    "far": lambda a, b: (a * 10**12, b * 10**12),
    "pandas": lambda a, b: pd.DataFrame({"src": a, "dst": b}),
    "polars": lambda a, b: pl.DataFrame({"src": a, "dst": b}),
    "strings": lambda a, b: pa.table({"src": a.astype(str), "dst": b.astype(str)}),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=60),
    st.integers(1, 100),
    st.sampled_from([None, "max", "size"]),
)
@settings(deadline=None, max_examples=25)
def test_files_together_are_the_label_frame(form, tmp_path_factory, pairs, rows, kind):
    a, b = np.array(pairs, np.int64).reshape(-1, 2).T
    found = cc_rapids.components(FORMS[form](a.copy(), b.copy()))
    folder = tmp_path_factory.mktemp("labels") / "out"
    files = found.to_parquet(folder, rows_per_file=rows, kind=kind)
    tables = [pq.read_table(path) for path in files]
    assert all(0 < table.num_rows <= rows for table in tables) or found.num_vertices == 0
    assert pa.concat_tables(tables).equals(arrow_of(found.labels(kind)))
    assert sorted(path.name for path in folder.iterdir()) == [path[-18:] for path in files]


def test_a_path_of_a_file_is_one_file(tmp_path):
    found = cc_rapids.components((np.arange(0, 20, 2), np.arange(1, 20, 2)))
    path = tmp_path / "labels.parquet"
    path.write_text("replaced")
    for kind, groups in (("min", 3), ("size", 2)):
        rows = 7 if kind == "min" else 10
        assert found.to_parquet(path, rows_per_file=rows, kind=kind) == [str(path)]
        assert pq.ParquetFile(path).num_row_groups == groups
        assert pq.read_table(path).equals(arrow_of(found.labels(kind)))
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(OutputError, match="it is a directory"):
        found.to_parquet(tmp_path / "folder.parquet")


def test_several_columns_keep_their_names(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [2, 3], "d": ["y", "z"]})
    found = cc_rapids.components(frame, ["a", "b"], ["c", "d"])
    files = found.to_parquet(tmp_path / "out")
    assert pq.read_table(files[0]).column_names == list(found.labels().columns)


def test_the_frame_of_all_rows_is_not_made(tmp_path, monkeypatch):
    found = cc_rapids.components((np.arange(0, 10**5, 2), np.arange(1, 10**5, 2)))
    monkeypatch.setattr(Answer, "label_frame", None)
    monkeypatch.setattr(Answer, "rows", None)
    assert len(found.to_parquet(tmp_path / "out", rows_per_file=999)) == 101


def test_nothing_remains_of_what_fails(tmp_path, monkeypatch):
    found = cc_rapids.components(([1, 2], [2, 3]))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(OutputError, match="is not an empty folder"):
        found.to_parquet(tmp_path / "full")
    with pytest.raises(OutputError):
        found.to_parquet(tmp_path / "none" / "out")
    for wrong in (0, -1, True, 2.5, "3"):
        with pytest.raises(InputError, match="rows_per_file"):
            found.to_parquet(tmp_path / "out", rows_per_file=wrong)
    with pytest.raises(InputError, match="labels"):
        found.to_parquet(tmp_path / "out", kind="least")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(pq, "write_table", interrupt)
    with pytest.raises(KeyboardInterrupt):
        found.to_parquet(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["full"]
