"""Two colours and odd cycles, against NetworkX and against the edges themselves."""

import copy
import pickle
from collections import defaultdict

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
from support.edge_kinds import EDGES, same
from support.edge_lists import edge_lists, quick

import cc_rapids
from cc_rapids import Components, backends, bipartition, errors, generators, is_bipartite
from cc_rapids.algorithms.boruvka import forest_of_first_rows
from cc_rapids.algorithms.rooted_forest import NO_EDGE, rooted


def graph_of(src, dst, vertices=()):
    graph = nx.MultiGraph()
    graph.add_nodes_from(vertices)
    graph.add_edges_from(zip(src, dst, strict=True))
    return graph


def check_cycle(edges):
    """Edges are around one odd cycle that meets no vertex twice, in their order."""
    assert len(edges) % 2 == 1
    if len(edges) == 1:
        assert edges[0][0] == edges[0][1]
        return
    starts = [end for end in edges[0] if end in edges[-1]]
    walks = []
    for start in starts:
        at, walk = start, []
        for edge in edges:
            if at not in edge:
                break
            walk.append(at)
            at = edge[1] if edge[0] == at else edge[0]
        walks.append(at == start and len(set(walk)) == len(edges))
    assert any(walks)


def colors_of(found):
    """The vertices, and their colours or None, as lists."""
    *vertex, color = columns(found.colors())
    vertex = vertex[0] if len(vertex) == 1 else list(zip(*vertex, strict=True))
    return vertex, [None if pd.isna(one) or one == -1 else int(one) for one in color]


def check(found, src, dst, vertices=()):
    """All that a Bipartition says is right of these edges, given as lists."""
    graph = graph_of(src, dst, vertices)
    parts = {v: part for part in nx.connected_components(graph) for v in part}
    odd = {min(part) for part in nx.connected_components(graph)}
    odd = {least for least in odd if not nx.is_bipartite(graph.subgraph(parts[least]))}
    assert found.is_bipartite == nx.is_bipartite(graph) == (not odd)
    vertex, color = colors_of(found)
    assert vertex == sorted(parts)
    colors = dict(zip(vertex, color, strict=True))
    assert all((colors[v] is None) == (min(part) in odd) for v, part in parts.items())
    for a, b in zip(src, dst, strict=True):
        assert min(parts[a]) in odd or colors[a] != colors[b]
    assert all(colors[least] == 0 for v in parts if (least := min(parts[v])) not in odd)
    lists = columns(found.odd_cycles())
    names, row, *ends = lists
    width = len(ends) // 2
    if width > 1:  # labels are numbers in the order of the least ids
        least = sorted({min(part) for part in parts.values()})
        names = [least[number] for number in names]
    sources, destinations = ends[:width], ends[width:]
    cycles = defaultdict(list)
    for k, name in enumerate(names):
        edge = tuple(
            tuple(part[k] for part in side) if width > 1 else side[0][k]
            for side in (sources, destinations)
        )
        assert edge == (src[row[k]], dst[row[k]])
        assert edge[0] in parts[name]
        cycles[name].append(edge)
    assert list(cycles) == sorted(odd)
    for cycle in cycles.values():
        check_cycle(cycle)
    for a, b in zip(src, dst, strict=True):
        if a == b:
            assert len(cycles[min(parts[a])]) == 1


@quick
@given(edge_lists())
def test_integers_of_any_type(edges):
    before = [column.copy() for column in edges]
    found = bipartition(edges)
    check(found, *(column.tolist() for column in edges))
    assert is_bipartite(edges) == found.is_bipartite
    for column, old in zip(edges, before, strict=True):
        np.testing.assert_array_equal(column, old)


pairs = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=18)


@quick
@given(pairs, st.sets(st.integers(0, 20)), st.sampled_from([pd.DataFrame, pl.DataFrame, pa.table]))
def test_few_edges_with_vertices_of_their_own(some, vertices, make):
    """Colours are fixed but for components without any; cycles go by the rows of the list."""
    src, dst = [a for a, _ in some], [b for _, b in some]
    ids = {"src": np.array(src, np.int64), "dst": np.array(dst, np.int64)}
    check(bipartition(make(ids), vertices=sorted(vertices)), src, dst, vertices)


@quick
@given(pairs)
def test_trees_and_even_cycles_alone_are_bipartite(some):
    src, dst = np.array([(2 * a, 2 * b + 1) for a, b in some], np.int64).reshape(-1, 2).T
    found = bipartition((src, dst))
    check(found, src.tolist(), dst.tolist())
    assert found.is_bipartite
    vertex, color = found.colors()
    for _, members in found.components:  # the two sides are those of even and odd numbers
        own = np.isin(vertex, members)
        assert len(set((vertex[own] + color[own]) % 2)) == 1


@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
def test_ids_and_frames_of_every_kind(engine, edges):
    given_edges = edges()
    found = bipartition(given_edges, engine=engine)
    vertex, label = columns(found.components.labels())
    assert colors_of(found)[0] == vertex
    forest = cc_rapids.spanning_forest(given_edges, engine=engine)
    cycles = found.odd_cycles()
    assert type(cycles).__module__.partition(".")[0] == type(forest).__module__.partition(".")[0]
    odd = {own for own, one in zip(label, colors_of(found)[1], strict=True) if one is None}
    assert set(columns(cycles)[0]) == odd


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_ids_of_several_columns(engine, make):
    frame = {
        "a_kind": ["u", "u", "c", "u", "w"],
        "a_id": [7, 7, 3, 1, 5],
        "b_kind": ["c", "c", "c", "v", "w"],
        "b_id": [3, 4, 4, 2, 5],
    }
    names = ["a_kind", "a_id"], ["b_kind", "b_id"]
    found = bipartition(make(frame), *names, engine=engine)
    src, dst = (list(zip(*(frame[name] for name in side), strict=True)) for side in names)
    check(found, src, dst)
    names = found.odd_cycles()
    names = list(getattr(names, "column_names", None) or names.columns)
    assert names == ["labels", "row"] + [
        f"{key}_{end}" for end in ("source", "destination") for key in ("kind", "id")
    ]


def test_a_column_named_color_is_numbered_like_others_of_answers():
    frame = pd.DataFrame({"src_color": [1], "src_id": [2], "dst_color": [2], "dst_id": [2]})
    found = bipartition(frame, ["src_color", "src_id"], ["dst_color", "dst_id"])
    assert list(found.colors()) == ["0_vertex", "1_vertex", "color"]


LONG = 10_000 + 1


@pytest.mark.parametrize("order", ["in order", "backwards", "shuffled"])
def test_long_cycles(engine, order):
    """One long odd cycle, with a tail: every row of the cycle, and none of the tail."""
    many = 301 if engine == "cuda" else LONG
    ring = np.arange(many)
    src = np.concatenate([ring, np.arange(many, many + 50)])
    dst = np.concatenate([np.roll(ring, -1), np.append(np.arange(many + 1, many + 50), 0)])
    rows = {"in order": slice(None), "backwards": slice(None, None, -1)}.get(order)
    rows = np.random.default_rng(3).permutation(src.size) if rows is None else rows
    found = bipartition((src[rows], dst[rows]), engine=engine)
    cycle = found.odd_cycles()
    assert sorted(cycle.source.tolist()) == ring.tolist()
    check_cycle(list(zip(cycle.source.tolist(), cycle.destination.tolist(), strict=True)))
    assert set(found.colors().color.tolist()) == {-1}


def test_generated_graphs(engine):
    grid = generators.grid(20, 20) if engine == "threads" else generators.grid(5, 5)
    found = bipartition((grid.src, grid.dst), engine=engine)
    assert found.is_bipartite
    check(found, grid.src.tolist(), grid.dst.tolist())
    for seed in range(3):
        chance = np.random.default_rng(seed)
        src, dst = chance.integers(0, 600, (2, 500))
        check(bipartition((src, dst), engine=engine), src.tolist(), dst.tolist())


def test_rows_are_those_of_the_list_where_edges_were_dropped():
    frame = pl.DataFrame({"src": [None, 1, 2, None, 3], "dst": [4, 2, 3, 5, 1]})
    cycle = bipartition(frame, nulls="drop").odd_cycles()
    assert sorted(cycle["row"]) == [1, 2, 4]


def test_matrices_and_files(tmp_path):
    dense = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert not is_bipartite(scipy.sparse.csr_array(dense))
    found = bipartition(scipy.sparse.csr_array(dense + dense.T))
    assert len(found.odd_cycles().row) == 3
    (tmp_path / "edges.csv").write_text("src,dst\n1,2\n2,3\n1,3\n")
    assert columns(bipartition(tmp_path / "edges.csv").odd_cycles())[0] == [1, 1, 1]


@pytest.mark.parametrize("labels", ["max", "dense", "size"])
def test_cycles_have_the_labels_that_were_asked_for(labels):
    found = bipartition(([1, 2, 4, 8], [2, 2, 5, 8]), labels=labels)
    names = found.components.labels()
    by_vertex = dict(zip(names.vertex.tolist(), names.labels.tolist(), strict=True))
    cycles = found.odd_cycles()
    assert cycles.labels.tolist() == [by_vertex[v] for v in cycles.source.tolist()]


DESIGNS = (
    "none+async+naive",
    "kout+async+halve",
    "hook+jtb+two-try-split",
    "strided+liu-tarjan(CUSA)",
)


def test_any_design_finds_the_same():
    chance = np.random.default_rng(1)
    src, dst = chance.integers(0, 40, (2, 30))
    first = bipartition((src, dst))
    for design in (*DESIGNS, "bfs+async+halve"):
        found = bipartition((src, dst), design=design)
        check(found, src.tolist(), dst.tolist())
        same(found.odd_cycles(), first.odd_cycles())
        same(found.colors(), first.colors())


def test_edges_within_a_bound_keep_the_numbers_of_the_list():
    frame = pd.DataFrame({"src": [1, 1, 2, 3], "dst": [9, 2, 3, 1], "w": [0, 5, 5, 5]})
    assert bipartition(frame, weight="w", at_least=1).odd_cycles()["row"].tolist() == [2, 1, 3]


@quick
@given(pairs)
def test_the_forest_is_that_of_the_first_rows(some):
    """Sequentially: a row is taken unless those before it join its ends."""
    ends = np.array(some, np.int64).reshape(-1, 2).T.copy()
    graph, taken = nx.Graph(), []
    graph.add_nodes_from(range(15))
    for row, (a, b) in enumerate(some):
        if not nx.has_path(graph, a, b):
            graph.add_edge(a, b)
            taken.append(row)
    assert forest_of_first_rows(*ends, 15, backends.get("threads")).tolist() == taken


@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
def test_copies_have_the_cycles_too(edges):
    found = bipartition(edges())
    for other in (pickle.loads(pickle.dumps(found)), copy.copy(found)):
        for _ in range(2):
            same(other.colors(), found.colors())
            same(other.odd_cycles(), found.odd_cycles())
        same(pickle.loads(pickle.dumps(other)).odd_cycles(), found.odd_cycles())
        assert repr(other) == repr(found)


def test_what_it_says_of_itself():
    found = bipartition(([1, 2, 7, 8, 9], [2, 3, 8, 9, 7]))
    assert repr(found) == "<Bipartition: 2 components, 1 not bipartite>"
    assert "not bipartite" in found._repr_html_()
    assert (len(found), isinstance(found.components, Components)) == (2, True)
    same(found.colors(), found.colors())
    none = bipartition(([], []))
    assert (none.is_bipartite, len(none), len(none.colors().vertex)) == (True, 0, 0)
    assert len(none.odd_cycles().row) == 0


def test_arguments_that_are_refused(tmp_path):
    for function in (bipartition, is_bipartite):
        assert type(function(([1], [2]), explain=True)).__name__ == "Plan"
        with pytest.raises(errors.InputError, match="read them into one frame"):
            function((edges for edges in [([1], [2])]), memory_limit="1 GiB")
        with pytest.raises(TypeError, match="unknown argument 'colour'"):
            function(([1], [2]), colour=1)
        with pytest.raises(errors.NullsError):
            function(pl.DataFrame({"src": [1, None], "dst": [2, 3]}))


@quick
@given(st.lists(st.integers(0, 2**20), max_size=30), st.integers(1, 4))
def test_a_forest_is_rooted(numbers, trees):
    """Every vertex but the first ones has an earlier one as its parent."""
    n = trees + len(numbers)
    parents = [number % (trees + k) for k, number in enumerate(numbers)]
    own = list(range(trees))
    depth = [0] * trees
    for parent in parents:
        own.append(own[parent])
        depth.append(depth[parent] + 1)
    child = np.arange(trees, n)
    flip = np.array([number % 3 == 0 for number in numbers], bool)
    parent = np.array(parents, np.int64)
    ends = np.where(flip, child, parent), np.where(flip, parent, child)
    found = rooted(*ends, np.arange(trees), n, backends.get("threads"))
    assert found.depth.tolist() == depth
    assert found.child.tolist() == child.tolist()
    assert found.parent.tolist() == [*range(trees), *parents]
    assert found.parent_edge.tolist() == [NO_EDGE] * trees + list(range(len(numbers)))
    first, size = found.preorder()
    assert sorted(first.tolist()) == list(range(n))
    for v in range(n):
        at = v
        inside = {v}
        while at >= trees:
            at = parents[at - trees]
            inside.add(at)
        holders = np.flatnonzero((first <= first[v]) & (first[v] < first + size))
        assert set(holders.tolist()) == inside
    for v in range(n):
        above, at = set(), v
        while at >= trees:
            above.add(at)
            at = parents[at - trees]
        tops = child[np.array([own[c] == own[v] for c in child], bool)] if child.size else child
        below = found.below(np.full(tops.size, v), tops)
        assert {int(top) for top, is_below in zip(tops, below, strict=True) if is_below} == above
