"""Paths along a forest against NetworkX, which finds each one alone."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.edge_lists import quick

from cc_rapids import backends
from cc_rapids.algorithms.paths import Jumps, edges_between, order_from_weakest
from cc_rapids.algorithms.rooted_forest import rooted

WEIGHTS = [np.uint8, np.int8, np.uint64, np.int64, np.float32, np.float64]


def forest_of(src, dst, n):
    """Return the rooted forest of edges without a cycle, and the tree of each vertex."""
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(src.tolist(), dst.tolist(), strict=True))
    tree, roots = np.zeros(n, np.int64), []
    for k, vertices in enumerate(nx.connected_components(graph)):
        tree[list(vertices)] = k
        roots.append(min(vertices))
    return rooted(src, dst, np.array(roots, np.int64), n, backends.get("threads")), tree


@st.composite
def forests(draw):
    """Draw the ends, rows and weights of the edges of a forest whose numbers are mixed."""
    n = draw(st.integers(1, 40))
    names = np.array(draw(st.permutations(range(n))), np.int64)
    reach = draw(st.sampled_from([1, 2, n]))  # a path, nearly one, or any tree
    edges = []
    for v in range(1, n):
        if draw(st.integers(0, 7)):
            u = draw(st.integers(max(0, v - reach), v - 1))
            edges.append((u, v) if draw(st.booleans()) else (v, u))
    ends = names[np.array(edges, np.int64).reshape(-1, 2)]
    weights = draw(st.lists(st.integers(0, 3), min_size=len(ends), max_size=len(ends)))
    row = np.array(draw(st.permutations(range(len(ends)))), np.int64) * 3
    return n, ends[:, 0].copy(), ends[:, 1].copy(), row, weights


@quick
@given(forests(), st.booleans(), st.sampled_from(WEIGHTS))
def test_every_pair_has_the_length_and_the_weakest_row_of_networkx(drawn, heavy_is_weak, dtype):
    n, src, dst, row, drawn_weights = drawn
    weights = np.array(drawn_weights, dtype)
    forest, tree = forest_of(src, dst, n)
    order = order_from_weakest(weights, row, heavy_is_weak, np)
    jumps = Jumps.of(forest, order, np)
    first, second = (side.reshape(-1) for side in np.indices((n, n)))
    length, place = jumps.between(first, second, tree[first] == tree[second], np)
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for e, (u, v) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
        graph.add_edge(u, v, edge=e)
    sign = -1 if heavy_is_weak else 1
    paths = dict(nx.all_pairs_shortest_path(graph))
    for a, b, steps, weakest in zip(first, second, length, place, strict=True):
        if b not in paths[a]:
            assert (steps, weakest) == (-1, -1)
            continue
        edges = [graph.edges[pair]["edge"] for pair in nx.utils.pairwise(paths[a][b])]
        assert steps == len(edges)
        assert edges_between(forest, tree, a, b, np).tolist() == edges
        if not edges:
            assert weakest == -1
            continue
        assert order[weakest] == min(edges, key=lambda e: (sign * drawn_weights[e], row[e]))


def test_a_path_of_many_vertices_needs_a_level_for_each_bit_of_its_depth():
    n = 100_000
    src = np.arange(n - 1)
    forest, tree = forest_of(src, src + 1, n)
    order = order_from_weakest(src % 1000, src, False, np)
    jumps = Jumps.of(forest, order, np)
    assert len(jumps.above) == (n - 1).bit_length()
    first, second = np.array([0, n - 1, 5_001, 7]), np.array([n - 1, 999, 5_999, 7])
    length, place = jumps.between(first, second, tree[first] == tree[second], np)
    assert length.tolist() == [n - 1, n - 1_000, 998, 0]
    assert order[place[:3]].tolist() == [0, 1_000, 5_001]
    assert edges_between(forest, tree, n - 1, n - 4, np).tolist() == [n - 2, n - 3, n - 4]


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_extreme_weights_keep_their_order(dtype):
    span = np.finfo(dtype) if np.issubdtype(dtype, np.floating) else np.iinfo(dtype)
    weights = np.array([span.max, span.min, span.max, 0], dtype)
    row = np.array([9, 4, 2, 6])
    assert order_from_weakest(weights, row, True, np)[:2].tolist() == [2, 0]
    assert weights[order_from_weakest(weights, row, False, np)[0]] == span.min


def test_no_pairs_and_no_edges_are_answered():
    none = np.zeros(0, np.int64)
    forest, _ = forest_of(none, none, 3)
    jumps = Jumps.of(forest, none, np)
    length, place = jumps.between(np.array([0, 1]), np.array([1, 1]), np.array([False, True]), np)
    assert (length.tolist(), place.tolist()) == ([-1, 0], [-1, -1])
    assert [len(part) for part in jumps.between(none, none, none == 0, np)] == [0, 0]
