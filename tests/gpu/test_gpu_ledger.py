"""Rows on a GPU: the ledger of every door, bounds, and the labels of an index, as on threads."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import cc_rapids
from cc_rapids import LedgerError
from cc_rapids.graph.edges import BorrowedEdges

pytestmark = pytest.mark.gpu
ROWS = 20_000


@pytest.fixture
def edges():
    """A list with null ends, and weights that are null or NaN."""
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "src": pd.array(random.integers(0, 15_000, ROWS), "Int64"),
            "dst": pd.array(random.integers(0, 15_000, ROWS), "Int64"),
            "w": random.random(ROWS),
        }
    )
    frame.loc[random.random(ROWS) < 0.01, "src"] = pd.NA
    frame.loc[random.random(ROWS) < 0.02, "w"] = np.nan
    return frame


def on_gpu(cudf, frame):
    return cudf.from_pandas(frame)


BOUND = {"weight": "w", "at_least": 0.35, "nulls": "drop"}


@pytest.mark.parametrize(
    "options", [{"nulls": "drop"}, BOUND, BOUND | {"at_most": 0.9}, BOUND | {"forest": True}]
)
def test_frames_of_cudf_have_the_ledger_of_pandas(cudf, edges, options):
    found = cc_rapids.components(on_gpu(cudf, edges), **options)
    right = cc_rapids.components(edges, **options, engine="threads")
    assert found.summary()["engine"] == "cuda"
    assert found.ledger == right.ledger
    assert found.ledger["null_end"] > 0
    assert found == right


@pytest.mark.parametrize("forest", ["min", "max"])
def test_forests_within_bounds_have_rows_and_labels_of_the_index(cudf, edges, forest):
    frame = edges.dropna().set_index(pd.Index(range(7, 7 + len(edges.dropna()))))
    options = {"weight": "w", "at_least": 0.3, "forest": forest}
    found = cc_rapids.components(on_gpu(cudf, frame), **options).forest().to_pandas()
    right = cc_rapids.components(frame, **options, engine="threads").forest()
    assert list(found.columns) == list(right.columns)
    for name in right:
        assert found[name].tolist() == right[name].tolist(), name
    assert (found["index"] == found["row"] + 7).all()


def test_other_frames_with_an_index(cudf, edges):
    frame = edges.dropna()  # whose index has gaps
    given, options = on_gpu(cudf, frame), {"weight": "w", "at_least": 0.6}
    assert "index" in cc_rapids.bridges(given, **options).columns
    found = cc_rapids.components(given, **options)
    right = cc_rapids.components(frame, **options, engine="threads")
    report, expected = found.report(given), right.report(frame)
    assert report.ledger == expected.ledger
    one, other = (int(end) for end in frame[frame.w >= 0.6].iloc[5][["src", "dst"]])
    path, way = found.path(one, other, given).to_pandas(), right.path(one, other, frame)
    assert path["index"].tolist() == [frame.index[row] for row in path["row"]]
    assert (path["w" if "w" in path else "weight"] >= 0.6).all()
    assert len(path) == len(way)


def test_pairs_of_cupy_with_weights_of_either_side(edges):
    import cupy

    frame = edges.dropna()
    ends = frame.src.to_numpy(np.int64), frame.dst.to_numpy(np.int64)
    weights = frame.w.to_numpy()
    right = cc_rapids.components(ends, weight=weights, at_least=0.4, engine="threads")
    for own in (cupy.asarray(weights), weights):
        found = cc_rapids.components(tuple(map(cupy.asarray, ends)), weight=own, at_least=0.4)
        assert found.ledger == right.ledger
        assert found == right


@pytest.mark.parametrize("kind", ["int64", "int32", "string"])
@pytest.mark.parametrize("given", ["files", "dataset"])
def test_streams_of_files_have_the_ledger_of_threads(given, kind, edges, tmp_path):
    frame = edges.dropna(subset=["src"]).sort_values("w").astype({"src": kind, "dst": kind})
    for number, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
        table = pa.Table.from_pandas(frame.iloc[part], preserve_index=False)
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=900)
    source = str(tmp_path / "*.parquet") if given == "files" else ds.dataset(tmp_path)
    for options in ({}, {"weight": "w", "at_least": 0.5}):
        found = cc_rapids.stream_components(source, memory_limit="400MiB", engine="cuda", **options)
        right = cc_rapids.stream_components(
            source, memory_limit="400MiB", engine="threads", **options
        )
        assert found.ledger == right.ledger
        assert found == right
        assert ("row_group" in found.ledger) == bool(options)


def test_batches_and_states(cudf, edges, tmp_path):
    seen = cc_rapids.Connectivity()
    parts = [on_gpu(cudf, edges[k : k + 4000]) for k in range(0, ROWS, 4000)]
    for part in parts:
        seen.insert(part, nulls="drop")
    seen.insert(parts, nulls="drop")
    nulls = int(edges.src.isna().sum())
    assert seen.ledger == {"given": 2 * ROWS, "linked": 2 * (ROWS - nulls), "null_end": 2 * nulls}
    seen.save(tmp_path / "state")
    assert cc_rapids.Connectivity.load(tmp_path / "state").ledger == seen.ledger
    assert seen.components().ledger == seen.ledger


@pytest.mark.parametrize("how", ["cut", "repeated"])
def test_columns_that_are_lent_otherwise_are_refused(cudf, edges, how, monkeypatch):
    import cupy

    lend = BorrowedEdges.__enter__

    def lent(self):
        first, second, *others = lend(self)
        changed = (
            [column[:-1] for column in (first, second)]
            if how == "cut"
            else [
                cupy.concatenate([cupy.asarray(c), cupy.asarray(c)[-1:]]) for c in (first, second)
            ]
        )
        return [*changed, *others]

    monkeypatch.setattr(BorrowedEdges, "__enter__", lent)
    with pytest.raises(LedgerError, match="rows were given"):
        cc_rapids.Connectivity().insert(on_gpu(cudf, edges), nulls="drop")


def test_a_weight_series_with_another_index_is_refused(cudf, edges):
    frame = on_gpu(cudf, edges.dropna())
    other = frame["w"].reset_index(drop=True)
    with pytest.raises(cc_rapids.InputError, match="index"):
        cc_rapids.minimum_spanning_forest(frame, weight=other)
    same = cc_rapids.minimum_spanning_forest(frame, weight=frame["w"])
    assert len(same) == len(cc_rapids.minimum_spanning_forest(frame, weight="w"))


def test_an_index_of_several_levels_has_no_column(cudf, edges):
    frame = edges.dropna().reset_index(drop=True)
    frame.index = pd.MultiIndex.from_arrays([frame.index // 3, frame.index % 3])
    found = cc_rapids.spanning_forest(on_gpu(cudf, frame))
    assert "index" not in found.columns
    assert len(found) == len(cc_rapids.spanning_forest(frame))


def test_graphs_of_cugraph(cudf, edges):
    import cugraph

    frame = on_gpu(cudf, edges.dropna()[["src", "dst"]].astype("int64"))
    graph = cugraph.Graph()
    graph.from_cudf_edgelist(frame, "src", "dst")
    ledger = cc_rapids.components(graph).ledger
    assert ledger["given"] == ledger["linked"] > 0
