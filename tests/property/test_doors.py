"""Every door: frames, arrays, files and streams, with ids and nulls of every kind, in any order."""

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.trials import TRIALS

import cc_rapids
from cc_rapids import ColumnTypeError, NullsError, oracle

KINDS = {  # from small numbers to ids, in the same order
    "near": lambda v: v,
    "far": lambda v: (v - 20) * 2**57,
    "high": lambda v: 2**63 + v * 2**50,
    "words": lambda v: f"v{v:02}é",
}
TYPES = {"near": "int32", "far": "int64", "high": "uint64", "words": "string"}


def table(src, dst, kind):
    dtype = getattr(pa, TYPES[kind])()
    return pa.table({"src": pa.array(src, dtype), "dst": pa.array(dst, dtype)})


def nullable(edges):
    kinds = {pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype()}
    kinds |= {pa.uint64(): pd.UInt64Dtype(), pa.string(): pd.StringDtype()}
    return edges.to_pandas(types_mapper=kinds.get)


def csv(edges, folder):
    import pyarrow.csv

    pyarrow.csv.write_csv(edges, folder / "edges.csv")
    return folder / "edges.csv"


def parquet(edges, folder):
    pq.write_table(edges, folder / "edges.parquet", row_group_size=7)
    return folder / "edges.parquet"


# How each door is knocked at: whether it takes nulls, and what is handed in
DOORS = {
    "pandas": (True, lambda edges, folder: nullable(edges)),
    "polars": (True, lambda edges, folder: pl.from_arrow(edges)),
    "lazy": (True, lambda edges, folder: pl.from_arrow(edges).lazy()),
    "arrow": (True, lambda edges, folder: edges),
    "chunked": (True, lambda edges, folder: pa.concat_tables([edges[:3], edges[3:]])),
    "parquet": (True, parquet),
    "duckdb": (True, lambda edges, folder: duckdb.from_arrow(edges)),
    "frames": (True, lambda edges, folder: iter([edges[:5], edges[5:]])),
    "reader": (True, lambda edges, folder: edges.to_reader(4)),
    "pattern": (True, lambda edges, folder: str(parquet(edges, folder)) + "*"),
    "csv": (False, csv),
    "arrays": (False, lambda edges, folder: tuple(map(np.asarray, edges.columns))),
    "lists": (False, lambda edges, folder: tuple(c.to_pylist() for c in edges.columns)),
    "pairs": (False, lambda edges, folder: iter([tuple(map(np.asarray, edges.columns))])),
}


def pairs_of(frame):
    """The label of each vertex, of a label frame of any kind."""
    if isinstance(frame, pl.DataFrame):
        frame = frame.to_arrow()
    elif isinstance(frame, duckdb.DuckDBPyRelation):
        frame = frame.to_arrow_table()
    if isinstance(frame, pa.Table):
        columns = frame.to_pydict().values()
    else:
        columns = frame.vertex.tolist(), frame.labels.tolist()
    return dict(zip(*columns, strict=True))


def expected(src, dst, kind):
    """The label of each vertex, by sequential union-find over the small numbers."""
    numbers = np.array([src, dst], np.int64)
    labels = oracle.union_find(*numbers, 40)
    name = KINDS[kind]
    return {name(v): name(int(labels[v])) for v in sorted({*src, *dst})}


ends = st.integers(0, 39)


@settings(
    max_examples=TRIALS["doors"].times,
    deadline=None,  # the first example of a kind compiles
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    st.sampled_from(list(DOORS)),
    st.sampled_from(list(KINDS)),
    st.lists(st.tuples(ends | st.none(), ends | st.none()), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
)
def test_every_door_gives_the_same_answer(tmp_path, door, kind, pairs, random):
    nulls, make = DOORS[door]
    whole = [pair for pair in pairs if None not in pair]
    random.shuffle(whole)
    if not nulls or not whole:
        pairs = whole or [(1, 2)]
        whole = pairs
    name = KINDS[kind]
    sides = [[None if v is None else name(v) for v in side] for side in zip(*pairs, strict=True)]
    given = table(*sides, kind)
    wanted = expected(*zip(*whole, strict=True), kind)
    missing = len(pairs) - len(whole)
    if missing:
        with pytest.raises(NullsError, match="null"):
            cc_rapids.components(make(given, tmp_path))
        found = cc_rapids.components(make(given, tmp_path), nulls="drop")
    else:
        found = cc_rapids.components(make(given, tmp_path))
    assert pairs_of(found.labels()) == wanted
    facts = found.summary()
    assert (facts["dropped"], facts["edges"]) == (missing, len(whole))
    found.audit(make(given, tmp_path), nulls="drop")


@pytest.mark.parametrize("door", [door for door in DOORS if door != "csv"])  # has words there
def test_no_door_takes_what_names_no_vertex(tmp_path, door):
    floats = pa.table({"src": [1.5, 2.0], "dst": [2.0, 3.5]})
    with pytest.raises(ColumnTypeError, match="floats merge ids"):
        cc_rapids.components(DOORS[door][1](floats, tmp_path))


near = st.lists(st.tuples(ends, ends), min_size=1, max_size=40)


@settings(max_examples=TRIALS["drop-ins"].times, deadline=None, derandomize=True)
@given(near, st.lists(ends, max_size=4), st.integers(1, 5))
def test_every_drop_in_and_batches_give_the_same_answer(pairs, alone, batches):
    src, dst = map(np.array, zip(*pairs, strict=True))
    labels = oracle.union_find(src, dst, 40)
    dense = np.unique(labels, return_inverse=True)[1]
    matrix = sp.coo_array((np.ones(len(pairs)), (src, dst)), shape=(40, 40))
    for form in (matrix, matrix.tocsr(), matrix.tocsc()):
        count, found = cc_rapids.scipy.connected_components(form, directed=False)
        assert (count, found.tolist()) == (dense.max() + 1, dense.tolist())
        assert cc_rapids.components(form).labels().labels.tolist() == labels.tolist()
    seen = cc_rapids.Connectivity(40)
    for part in np.array_split(np.arange(src.size), batches):
        seen.insert((src[part], dst[part]))
    assert seen.components().labels().labels.tolist() == labels.tolist()
    assert seen.connected((src, dst)).all()
    graph = nx.Graph(pairs)
    graph.add_nodes_from(alone)
    theirs = [set(part) for part in nx.connected_components(graph, backend="networkx")]
    assert list(nx.connected_components(graph, backend="cc_rapids")) == theirs
    frame = pd.DataFrame({"src": src, "dst": dst})
    answer = cc_rapids.connected_components(frame, vertices=np.array(alone, int))
    assert answer["vertex"].tolist() == sorted(graph)
    assert answer["labels"].tolist() == labels[answer["vertex"]].tolist()
