"""Bridges, classes between them, articulation points and blocks, against NetworkX and igraph."""

import warnings

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

from cc_rapids import (
    Csr,
    articulation_points,
    biconnected_component_edges,
    bridges,
    components,
    errors,
    oracle,
    two_edge_connected_components,
)
from cc_rapids.algorithms import bridges as low_and_high
from cc_rapids.algorithms import rooted_forest


def report(pairs):
    return components(pairs).report(pairs)


PAIRS = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 4), (6, 6), (7, 6)]
RIGHT = [3, 7]


def expected(src, dst):
    """Return the rows of bridges by NetworkX, which takes a parallel edge as one of a cycle."""
    graph = nx.MultiGraph()
    graph.add_edges_from((a, b, row) for row, (a, b) in enumerate(zip(src, dst, strict=True)))
    found = {frozenset(edge[:2]) for edge in nx.bridges(graph)}
    return [row for row, pair in enumerate(zip(src, dst, strict=True)) if frozenset(pair) in found]


def classes(src, dst):
    """Return the least vertex of the class of each vertex, by NetworkX without the bridges."""
    graph = nx.Graph()
    graph.add_nodes_from([*src, *dst])
    cut = set(expected(src, dst))
    graph.add_edges_from(
        pair for row, pair in enumerate(zip(src, dst, strict=True)) if row not in cut
    )
    return {v: min(part) for part in nx.connected_components(graph) for v in part}


def numbered(block_of_row):
    """Return numbers of blocks in the order of their first rows."""
    numbers = {}
    return [numbers.setdefault(block, len(numbers)) for block in block_of_row]


def blocks(pairs):
    """Return the rows of all edges but loops, and the numbers of their blocks by NetworkX."""
    rows = [row for row, (a, b) in enumerate(pairs) if a != b]
    graph = nx.MultiGraph([pairs[row] for row in rows])
    components = enumerate(nx.biconnected_component_edges(graph))
    block = {frozenset(edge): number for number, edges in components for edge in edges}
    return rows, numbered(block[frozenset(pairs[row])] for row in rows)


LISTS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=40)


@quick
@given(LISTS)
def test_classes_are_those_of_networkx_without_bridges(pairs):
    src, dst = ([pair[k] for pair in pairs] for k in (0, 1))
    found = two_edge_connected_components((src, dst))
    labels = classes(src, dst)
    assert found.labels().vertex.tolist() == sorted(labels)
    assert found.labels().labels.tolist() == [labels[v] for v in sorted(labels)]
    assert len(found) == len({*labels.values()})


@quick
@given(LISTS)
def test_articulation_points_are_those_of_networkx(pairs):
    found = articulation_points(([pair[0] for pair in pairs], [pair[1] for pair in pairs]))
    assert found.vertex.tolist() == sorted(nx.articulation_points(nx.Graph(pairs)))


@quick
@given(LISTS)
def test_blocks_are_those_of_networkx_and_of_the_oracle(pairs):
    edges = src, dst = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = biconnected_component_edges(edges)
    rows, labels = blocks(pairs)
    assert (found.row.tolist(), found.labels.tolist()) == (rows, labels)
    assert found.source.tolist() == [src[row] for row in rows]
    assert found.destination.tolist() == [dst[row] for row in rows]
    own = oracle.biconnected_component_edges(np.add(src, 9), np.add(dst, 9), 19)
    assert own[rows].tolist() == labels
    assert np.flatnonzero(own == -1).tolist() == [row for row, (a, b) in enumerate(pairs) if a == b]
    oracle.certify_biconnected_component_edges(found, edges)


@pytest.mark.parametrize("edges", [1_000, 3_000, 10_000])
def test_blocks_are_those_of_igraph(edges):
    igraph = pytest.importorskip("igraph")
    src, dst = np.random.default_rng(edges).integers(0, 3_000, (2, edges))
    src, dst = src[src != dst], dst[src != dst]
    cover = igraph.Graph(n=3_000, edges=np.stack([src, dst], 1)).biconnected_components()
    ends = [set(vertices) for vertices in cover]
    at = {}  # two blocks share at most one vertex, so the ends of an edge name its block
    for number, vertices in enumerate(ends):
        for vertex in vertices:
            at.setdefault(vertex, set()).add(number)
    of_row = (at[a] & at[b] for a, b in zip(src.tolist(), dst.tolist(), strict=True))
    found = biconnected_component_edges((src, dst))
    assert found.row.tolist() == list(range(src.size))
    assert found.labels.tolist() == numbered(block for [block] in of_row)


def test_blocks_on_each_engine(engine):
    found = biconnected_component_edges(PAIRS, engine=engine)
    assert found.row.tolist() == [0, 1, 2, 3, 4, 5, 7]  # row 6 is a loop
    assert found.labels.tolist() == [0, 0, 0, 1, 2, 2, 3]
    assert found.labels.dtype == np.int64


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: found.drop(index=0), "row 0 of the .* is edge 1, but should be edge 0"),
        (lambda found: found.iloc[:-1], "row 6 of the .* is missing, but should be edge 7"),
        (lambda found: found.assign(labels=0), "edge 3 is in biconnected component 0, but"),
        (lambda found: found.assign(source=9), "edge 0 has different ends in the edges"),
    ],
)
def test_wrong_blocks_are_refused(change, said):
    edges = pd.DataFrame(PAIRS, columns=["a", "b"])
    found = biconnected_component_edges(edges, "a", "b")
    oracle.certify_biconnected_component_edges(found, edges, "a", "b")
    with pytest.raises(errors.VerificationError, match=said):
        oracle.certify_biconnected_component_edges(change(found), edges, "a", "b")


def test_blocks_of_edges_within_a_bound_with_dropped_rows():
    edges = pl.DataFrame({"src": [1, None, 2, 3, 3], "dst": [2, 1, 3, 1, 4], "w": [9, 9, 9, 1, 9]})
    found = biconnected_component_edges(edges, weight="w", at_least=2, nulls="drop")
    assert found.columns == ["row", "source", "destination", "labels"]
    assert found["row"].to_list() == [0, 2, 4]
    assert found["labels"].to_list() == [0, 1, 2]
    oracle.certify_biconnected_component_edges(
        biconnected_component_edges(edges, nulls="drop"), edges, nulls="drop"
    )


def test_blocks_of_edges_with_weights():
    edges = ([1, 2, 3], [2, 3, 1])
    found = biconnected_component_edges(edges, weight=np.array([5, 6, 7]), forest="min")
    assert found._fields == ("row", "source", "destination", "weight", "labels")
    assert found.weight.tolist() == [5, 6, 7]


@quick
@given(LISTS)
def test_bridges_are_those_of_networkx(pairs):
    src, dst = (np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1))
    found = bridges((src, dst))
    right = expected(src.tolist(), dst.tolist())
    assert found.row.tolist() == right
    assert found.row.dtype == np.int64
    assert found.source.tolist() == src[right].tolist()
    assert found.destination.tolist() == dst[right].tolist()


@pytest.mark.parametrize("edges", [1_000, 3_000, 10_000])
def test_bridges_are_those_of_igraph(edges):
    igraph = pytest.importorskip("igraph")
    ends = np.random.default_rng(edges).integers(0, 3_000, (2, edges))
    graph = igraph.Graph(n=3_000, edges=ends.T)
    assert bridges((ends[0], ends[1])).row.tolist() == sorted(graph.bridges())


def test_words_of_64_bits_give_the_same(engine, monkeypatch):
    ends = np.random.default_rng(4).integers(0, 900, (2, 1000))
    given = {"edges": (ends[0], ends[1]), "engine": engine}
    functions = bridges, articulation_points, biconnected_component_edges
    right = [function(**given) for function in functions]
    for module in (rooted_forest, low_and_high):
        monkeypatch.setattr(module, "word_of", lambda n: np.uint64)
    found = [function(**given) for function in functions]
    assert found[0].row.tolist() == right[0].row.tolist()
    assert found[1].vertex.tolist() == right[1].vertex.tolist()
    assert found[2].labels.tolist() == right[2].labels.tolist()
    oracle.certify_bridges(found[0], given["edges"])


@pytest.mark.parametrize("many", [0, 1, 2, 31, 32, 33, 1000])
def test_paths_stars_and_rings_of_any_length(engine, many):
    ids = np.random.default_rng(many).permutation(many + 1)
    star = np.full(many, ids[0]), ids[1:]
    for edges in ((ids[:-1], ids[1:]), star):
        assert len(bridges(edges, engine=engine).row) == many
    points = articulation_points((ids[:-1], ids[1:]), engine=engine).vertex
    assert points.tolist() == sorted(ids[1:-1])
    assert not len(bridges((ids, np.roll(ids, 1)), engine=engine).row)


@quick
@given(LISTS)
def test_the_oracle_finds_the_same(pairs):
    src, dst = (np.array([pair[k] + 9 for pair in pairs], np.int64) for k in (0, 1))
    found, points = bridges((src, dst)), articulation_points((src, dst))
    assert oracle.bridges(src, dst, 19).tolist() == found.row.tolist()
    assert oracle.articulation_points(src, dst, 19).tolist() == points.vertex.tolist()
    oracle.certify_bridges(found, (src, dst))
    oracle.certify_articulation_points(points, (src, dst))


WRONG = [
    (lambda found: found.drop(index=0), "the bridge from 3 to 4 is missing"),
    (lambda found: found.iloc[::-1], "row 3 of the bridges comes after 7"),
    (lambda found: found.assign(row=[0, 3]), "row 0 is not a bridge"),
    (lambda found: found.assign(source=[3, 6]), "edge 7 has different ends in the edges"),
    (lambda found: found.assign(destination=[5, 6]), "edge 3 has different ends in the edges"),
]


@pytest.mark.parametrize(("change", "said"), WRONG)
def test_wrong_bridges_are_refused(change, said):
    edges = pd.DataFrame(PAIRS, columns=["a", "b"])
    found = bridges(edges, "a", "b")
    oracle.certify_bridges(found, edges, "a", "b")
    with pytest.raises(errors.VerificationError, match=said):
        oracle.certify_bridges(change(found), edges, "a", "b")


def test_wrong_points_are_refused():
    edges = pd.DataFrame(PAIRS, columns=["a", "b"])
    found = articulation_points(edges, "a", "b")
    oracle.certify_articulation_points(found, edges, "a", "b")
    for vertices, said in (
        ([3], "point 1 is missing, but should be 4"),
        ([4, 3], "point 0 is 4, but should be 3"),
        ([3, 4, 6], "point 2 is 6, but there are 2 articulation points"),
    ):
        wrong = pd.DataFrame({"vertex": vertices})
        with pytest.raises(errors.VerificationError, match=said):
            oracle.certify_articulation_points(wrong, edges, "a", "b")


def test_dropped_rows_and_several_columns_are_certified():
    edges = pl.DataFrame({"src": [1, None, 2, 3, 3], "dst": [2, 1, 3, 1, 4]})
    found = bridges(edges, nulls="drop")
    assert found["row"].to_list() == [4]
    oracle.certify_bridges(found, edges, nulls="drop")
    with pytest.raises(errors.VerificationError, match="row 1 of the bridges is not among the"):
        oracle.certify_bridges(found.with_columns(row=pl.lit(1)), edges, nulls="drop")
    frame = pd.DataFrame({"k": ["x"] * 3, "a": [1, 2, 3], "l": ["x"] * 3, "b": [2, 3, 4]})
    sides = ["k", "a"], ["l", "b"]
    oracle.certify_bridges(bridges(frame, *sides), frame, *sides)
    oracle.certify_articulation_points(articulation_points(frame, *sides), frame, *sides)


@pytest.mark.parametrize("edges", [1_000, 3_000, 5_000, 10_000])
def test_classes_and_articulation_points_are_those_of_igraph(edges):
    igraph = pytest.importorskip("igraph")
    src, dst = np.random.default_rng(edges).integers(0, 3_000, (2, edges))
    graph = igraph.Graph(n=3_000, edges=np.stack([src, dst], 1))
    found = articulation_points((src, dst)).vertex
    assert found.tolist() == sorted(graph.articulation_points())
    graph.delete_edges(graph.bridges())
    own = two_edge_connected_components((src, dst), num_vertices=3_000).labels("dense").labels
    assert own.tolist() == graph.connected_components().membership


def test_shapes_whose_bridges_are_known():
    n = 50_000
    path = np.arange(n), np.arange(1, n + 1)
    star = np.zeros(n, np.int64), path[1]
    for ends in (path, star):
        assert bridges(ends).row.tolist() == list(range(n))
        assert len(two_edge_connected_components(ends)) == n + 1
    assert articulation_points(path).vertex.tolist() == list(range(1, n))
    assert articulation_points(star).vertex.tolist() == [0]
    ring = np.append(path[0], n), np.append(path[1], 0)
    assert bridges(ring).row.size == articulation_points(ring).vertex.size == 0
    assert len(two_edge_connected_components(ring)) == 1


def test_the_root_of_a_tree_counts_blocks_and_not_children():
    for chords, points in (([], [0]), ([(1, 2)], [0]), ([(1, 2), (2, 3)], [])):
        star = [(0, 1), (0, 2), (0, 3)]
        assert articulation_points(star + chords).vertex.tolist() == points


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
    edges = make({"a": src, "b": dst})
    points = articulation_points(edges, "a", "b")
    assert type(points) is type(found)
    assert [list(column) for column in columns(points)] == [[name(3), name(4)]]
    kinds = two_edge_connected_components(edges, "a", "b")
    assert [list(column) for column in columns(kinds.labels())] == [
        [name(v) for v in range(1, 8)],
        [name(v) for v in (1, 1, 1, 4, 4, 6, 7)],
    ]


@pytest.mark.parametrize("factor", [1, 1 << 50])
def test_vertices_without_edges_and_far_ids(factor):
    ends = np.array([3, 7, 9]) * factor, np.array([7, 3, 3]) * factor
    found = two_edge_connected_components(ends, vertices=np.array([5]) * factor)
    assert (found.labels().labels // factor).tolist() == [3, 5, 3, 9]
    assert found.labels("max").labels.tolist() == [v * factor for v in (7, 5, 7, 9)]
    assert (articulation_points(ends).vertex // factor).tolist() == [3]
    kept = np.array([3, 7]) * factor, np.array([7, 3]) * factor
    assert found.audit(kept, vertices=np.array([5, 9]) * factor).components == 3


def test_ids_of_several_columns():
    src, dst = ([pair[k] for pair in PAIRS] for k in (0, 1))
    frame = pd.DataFrame({"k": ["x"] * 8, "a": src, "l": ["x"] * 8, "b": dst})
    sides = ["k", "a"], ["l", "b"]
    assert bridges(frame, *sides).row.tolist() == RIGHT
    kinds = biconnected_component_edges(frame, *sides)
    assert kinds["labels"].tolist() == [0, 0, 0, 1, 2, 2, 3]
    oracle.certify_biconnected_component_edges(kinds, frame, *sides)
    assert articulation_points(frame, *sides).iloc[:, 1].tolist() == [3, 4]
    assert two_edge_connected_components(frame, *sides).sizes()["size"].tolist() == [3, 2, 1, 1]


def test_edges_within_a_bound_and_edges_without_bridges():
    edges = np.array([1, 2, 3]), np.array([2, 3, 1])
    assert bridges(edges, weight=np.array([1, 2, 3]), at_least=2).source.tolist() == [2, 3]
    for none in (edges, ([], []), ([1, 1], [1, 1]), ([1, 2], [2, 1])):
        assert len(bridges(none).row) == len(articulation_points(none).vertex) == 0
    for none in (([], []), ([1, 1], [1, 1])):
        assert len(biconnected_component_edges(none).row) == 0


FUNCTIONS = [
    bridges,
    two_edge_connected_components,
    articulation_points,
    biconnected_component_edges,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_refused(function):
    assert type(function(([1], [2]), explain=True)).__name__ == "Plan"
    with pytest.raises(errors.InputError, match="reads all edges twice: read them into one"):
        function((edges for edges in [([1], [2])]), memory_limit="1 GiB")
    with pytest.raises(errors.NullsError):
        function(pl.DataFrame({"src": [1, None], "dst": [2, 3]}))
    with pytest.raises(errors.ColumnTypeError):
        function((np.array([0.5]), np.array([1.0])))
    with pytest.raises(errors.InputError):
        function(([0, -1], [1, 2]), num_vertices=3)


def test_edges_that_may_be_there_twice():
    matrix = scipy.sparse.coo_array(([1, 1, 1, 1], ([0, 1, 1, 2], [1, 0, 2, 1])), (3, 3)).tocsr()
    rows = Csr(matrix.indptr, matrix.indices)
    for twice in (matrix, matrix.tocoo(), rows):
        for function in FUNCTIONS[:2]:
            with pytest.raises(errors.InputError, match="a duplicate edge is not a bridge"):
                function(twice)
        assert articulation_points(twice).vertex.tolist() == [1]
        kinds = biconnected_component_edges(twice)
        middle = np.where(kinds.source == 1, kinds.destination, kinds.source)
        assert kinds.labels.tolist() == numbered(middle.tolist())


@pytest.mark.parametrize("forest", [True, 1, "min"])
def test_classes_have_no_forest(forest):
    with pytest.raises(errors.InputError, match="2-edge-connected components have no forest"):
        two_edge_connected_components(([1], [2]), forest=forest)


BOTH = [(1, 2), (2, 3), (3, 1), (3, 4), (5, 5)]


@pytest.mark.parametrize("find", [bridges, two_edge_connected_components, report])
def test_a_list_with_both_directions_warns(find):
    pairs = BOTH + [(b, a) for a, b in BOTH]
    with pytest.warns(errors.CcRapidsWarning, match="most edges .* in both directions") as caught:
        find(pairs)
    assert caught[0].filename == __file__
    edges, ends = pd.DataFrame(pairs, columns=["a", "b"]), ["a", "b"]
    way = str(caught[0].message).partition("such as by ")[2].partition(", where")[0]
    once = eval(way, {"pd": pd, "np": np, "edges": edges, "ends": ends})
    assert bridges(once, *ends)[["source", "destination"]].values.tolist() == [[3, 4]]


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], [(4, 3)], BOTH, [(5, 5)] * 9])
def test_few_reversed_edges_or_repeats_in_one_direction_do_not_warn(more):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for find in (bridges, two_edge_connected_components, report):
            find(BOTH + more)
