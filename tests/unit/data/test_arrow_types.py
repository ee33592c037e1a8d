"""Types of PyArrow that few of its functions take: views, and runs of any values."""

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import cc_rapids
from cc_rapids import components

SRC, DST, WEIGHT = list("abcabcd"), list("bcabcae"), [1, 5, 2, 4, 3, 0, 6]  # a b c is an odd cycle
BOUND = {"weight": "w", "at_least": 2}


def of_runs(words, make):
    encoded = pc.run_end_encode(pa.array(words))
    return pa.RunEndEncodedArray.from_arrays(encoded.run_ends, make(encoded.values))


def of_dictionary(words):
    encoded = pa.array(words).dictionary_encode()
    return pa.DictionaryArray.from_arrays(encoded.indices, encoded.dictionary.cast(VIEW))


VIEW = pa.string_view()
KINDS = {
    "views": lambda words: pa.array(words, VIEW),
    "dictionary of views": of_dictionary,
    "runs": lambda words: of_runs(words, lambda values: values),
    "runs of views": lambda words: of_runs(words, lambda values: values.cast(VIEW)),
    "runs of a dictionary": lambda words: of_runs(words, lambda values: values.dictionary_encode()),
}


def table(make=pa.array, **extra):
    return pa.table({"src": make(SRC), "dst": make(DST), "w": WEIGHT, **extra})


def listed(frame):
    if isinstance(frame, pa.Table):
        return [column.to_pylist() for column in frame.columns]
    return [frame[name].tolist() for name in frame]


DOORS = {
    "bound": lambda edges: components(edges, **BOUND).labels(),
    "bound of two columns": lambda edges: components(
        edges.append_column("k", edges["src"]).append_column("l", edges["dst"]),
        ["src", "k"],
        ["dst", "l"],
        **BOUND,
    ).labels(),
    "stream": lambda edges: cc_rapids.stream_components(
        iter([edges]), **BOUND, memory_limit="300MB"
    ).labels(),
    "reader": lambda edges: components(edges.to_reader(), **BOUND).labels(),
    "dataset": lambda edges: components(ds.dataset(edges), **BOUND).labels(),
    "nulls": lambda edges: components(edges, nulls="drop").labels(),
    "sides": lambda edges: cc_rapids.bipartition(edges).audit(edges).odd,
    "rows": lambda edges: components(edges).edges("a", edges),
    "kept": lambda edges: components(edges).deduplicate(edges, on="src", by="w"),
    "thresholds": lambda edges: cc_rapids.components_at(edges, weight="w", thresholds=[2]).labels(
        2
    ),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_ids_of_such_types_are_read_as_strings(door, kind):
    found, right = (door(table(make)) for make in (kind, pa.array))
    assert listed(found) == listed(right) if isinstance(right, pa.Table) else found == right
    if door is DOORS["rows"]:
        assert found.schema == table(kind).schema


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_views_in_files_are_bounded(suffix, tmp_path):
    path = str(tmp_path / f"edges.{suffix}")
    if suffix == "parquet":
        pq.write_table(table(KINDS["views"]), path)
    else:
        feather.write_feather(table(KINDS["views"]), path, compression="uncompressed")
    right = listed(components(table(), **BOUND).labels())
    for edges in (path, str(tmp_path), ds.dataset(path, format=suffix.replace("arrow", "ipc"))):
        assert listed(components(edges, **BOUND).labels()) == right


EXTRA = {
    "binary views": pa.array([b"x"] * 7, pa.binary_view()),
    "runs": pc.run_end_encode(pa.array([1, 1, 2, 2, 3, 3, 3])),
    "lists of views": pa.array([["x"]] * 7, pa.list_(VIEW)),
    "structs of views": pa.array([{"a": str(k)} for k in range(7)], pa.struct([("a", VIEW)])),
    "union": pa.UnionArray.from_sparse(pa.array([0] * 7, pa.int8()), [pa.array([1] * 7)]),
}


@pytest.mark.parametrize("extra", EXTRA.values(), ids=EXTRA)
def test_a_column_of_such_a_type_beside_the_ids_changes_nothing(extra):
    edges, plain = table(extra=extra), table()
    for name in ("bound", "stream", "reader", "dataset", "nulls", "thresholds"):
        assert listed(DOORS[name](edges)) == listed(DOORS[name](plain)), name
    for name in ("rows", "kept"):
        found = DOORS[name](edges)
        assert listed(found.drop_columns("extra")) == listed(DOORS[name](plain))
        kept = [WEIGHT.index(weight) for weight in found["w"].to_pylist()]
        assert found["extra"].to_pylist() == [extra.to_pylist()[k] for k in kept]
        assert found.schema == edges.schema


def test_columns_of_pandas_backed_by_views_are_bounded():
    kind = pd.ArrowDtype(VIEW)
    edges = pd.DataFrame({"src": pd.array(SRC, kind), "dst": pd.array(DST, kind), "w": WEIGHT})
    found = components(edges, **BOUND).labels()
    assert listed(found) == listed(components(table(), **BOUND).labels())
    part = components(edges).edges("a", edges)
    assert part["w"].tolist() == WEIGHT[:6]
    assert (part.dtypes == edges.dtypes).all()
