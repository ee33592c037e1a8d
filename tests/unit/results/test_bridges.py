"""Bridges, against NetworkX and igraph."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from support.as_lists import columns
from support.edge_lists import quick

from cc_rapids import Csr, bridges, errors

PAIRS = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 4), (6, 6), (7, 6)]
RIGHT = [3, 7]


def expected(src, dst):
    """Return the rows of bridges by NetworkX, which takes a parallel edge as one of a cycle."""
    graph = nx.MultiGraph()
    graph.add_edges_from((a, b, row) for row, (a, b) in enumerate(zip(src, dst, strict=True)))
    found = {frozenset(edge[:2]) for edge in nx.bridges(graph)}
    return [row for row, pair in enumerate(zip(src, dst, strict=True)) if frozenset(pair) in found]


@quick
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=40))
def test_bridges_are_those_of_networkx(pairs):
    src, dst = (np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1))
    found = bridges((src, dst))
    right = expected(src.tolist(), dst.tolist())
    assert found.row.tolist() == right
    assert found.source.tolist() == src[right].tolist()
    assert found.destination.tolist() == dst[right].tolist()


@pytest.mark.parametrize("edges", [1_000, 3_000, 10_000])
def test_bridges_are_those_of_igraph(edges):
    igraph = pytest.importorskip("igraph")
    ends = np.random.default_rng(edges).integers(0, 3_000, (2, edges))
    graph = igraph.Graph(n=3_000, edges=ends.T)
    assert bridges((ends[0], ends[1])).row.tolist() == sorted(graph.bridges())


def test_shapes_whose_bridges_are_known():
    n = 50_000
    path = np.arange(n), np.arange(1, n + 1)
    star = np.zeros(n, np.int64), path[1]
    for ends in (path, star):
        assert bridges(ends).row.tolist() == list(range(n))
    ring = np.append(path[0], n), np.append(path[1], 0)
    assert bridges(ring).row.size == 0


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", [int, str, "v{}".format])
def test_frames_and_ids(make, name):
    src, dst = ([name(pair[k]) for pair in PAIRS] for k in (0, 1))
    found = bridges(make({"a": src, "b": dst}), "a", "b")
    assert isinstance(found, pa.Table if make is pa.table else make)
    assert [list(column) for column in columns(found)] == [
        RIGHT,
        [src[row] for row in RIGHT],
        [dst[row] for row in RIGHT],
    ]


def test_ids_of_several_columns():
    src, dst = ([pair[k] for pair in PAIRS] for k in (0, 1))
    frame = pd.DataFrame({"k": ["x"] * 8, "a": src, "l": ["x"] * 8, "b": dst})
    assert bridges(frame, ["k", "a"], ["l", "b"]).row.tolist() == RIGHT


def test_edges_within_a_bound_and_edges_without_bridges():
    edges = np.array([1, 2, 3]), np.array([2, 3, 1])
    assert bridges(edges, weight=np.array([1, 2, 3]), at_least=2).source.tolist() == [2, 3]
    for none in (edges, ([], []), ([1, 1], [1, 1]), ([1, 2], [2, 1])):
        assert len(bridges(none).row) == 0


def test_what_is_refused():
    assert type(bridges(([1], [2]), explain=True)).__name__ == "Plan"
    with pytest.raises(errors.InputError, match="needed twice for bridges: read them into one"):
        bridges((edges for edges in [([1], [2])]), memory_limit="1 GiB")
    matrix = scipy.sparse.csr_array(np.eye(3))
    rows = Csr(matrix.indptr, matrix.indices)
    for twice in (matrix, matrix.tocoo(), rows):
        with pytest.raises(errors.InputError, match="an edge that is held twice is no bridge"):
            bridges(twice)
    with pytest.raises(errors.NullsError):
        bridges(pl.DataFrame({"src": [1, None], "dst": [2, 3]}))
    with pytest.raises(errors.ColumnTypeError):
        bridges((np.array([0.5]), np.array([1.0])))
