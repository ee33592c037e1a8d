"""Paths along a forest against NetworkX, which finds each one alone."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.edge_lists import quick

from cc_rapids import backends
from cc_rapids.algorithms.intervals import Minima
from cc_rapids.algorithms.paths import Chains, order_from_weakest
from cc_rapids.algorithms.rooted_forest import rooted
from cc_rapids.graph import sorting

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
    """Draw the ends and weights of the edges of a forest whose numbers are mixed."""
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
    return n, ends[:, 0].copy(), ends[:, 1].copy(), weights


@quick
@given(drawn=forests(), heavy_is_weak=st.booleans(), dtype=st.sampled_from(WEIGHTS))
def test_every_pair_has_the_path_and_the_weakest_edge_of_networkx(drawn, heavy_is_weak, dtype):
    n, src, dst, drawn_weights = drawn
    weights = np.array(drawn_weights, dtype)
    forest, tree = forest_of(src, dst, n)
    order = order_from_weakest(weights, heavy_is_weak, np)
    chains = Chains.of(forest, order, np)
    first, second = (side.reshape(-1) for side in np.indices((n, n)))
    length, place = chains.between(first, second, tree[first] == tree[second], np)
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for e, (u, v) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
        graph.add_edge(u, v, edge=e)
    sign = -1 if heavy_is_weak else 1
    paths = dict(nx.all_pairs_shortest_path(graph))
    right = []
    for k, (a, b, steps, weakest) in enumerate(zip(first, second, length, place, strict=True)):
        if b not in paths[a]:
            assert (steps, weakest) == (-1, -1)
            continue
        edges = [graph.edges[pair]["edge"] for pair in nx.utils.pairwise(paths[a][b])]
        assert steps == len(edges)
        right += [(k, step, edge) for step, edge in enumerate(edges)]
        if not edges:
            assert weakest == -1
            continue
        assert order[weakest] == min(edges, key=lambda e: (sign * drawn_weights[e], e))
    pair, step, at = chains.edges_along(first, second, length, np)
    assert list(zip(pair.tolist(), step.tolist(), order[at].tolist(), strict=True)) == right
    plain = Chains.of(forest, None, np)
    assert np.array_equal(plain.between(first, second, tree[first] == tree[second], np)[0], length)
    assert plain.edges_along(first, second, length, np)[2].tolist() == order[at].tolist()


@given(forests())
def test_few_chains_are_above_a_vertex_and_each_is_consecutive(drawn):
    n, src, dst, _ = drawn
    forest, _ = forest_of(src, dst, n)
    chains = Chains.of(forest, None, np)
    assert sorted(chains.number.tolist()) == list(range(n))
    parent = np.empty(n, np.int64)
    parent[chains.number] = chains.number[forest.parent]
    assert chains.above.tolist() == parent.tolist()
    for v in range(n):
        at, left = v, 0
        while parent[at] != at:
            left += chains.head[at] == at
            assert chains.head[at] == at or parent[at] == at - 1
            at = parent[at]
        assert left <= n.bit_length() - 1


def test_a_path_of_many_vertices_is_one_chain():
    n = 100_000
    src = np.arange(n - 1)
    forest, tree = forest_of(src, src + 1, n)
    order = order_from_weakest(src % 1000, False, np)
    chains = Chains.of(forest, order, np)
    assert not chains.head.any()
    first, second = np.array([0, n - 1, 5_001, 7]), np.array([n - 1, 999, 5_999, 7])
    length, place = chains.between(first, second, tree[first] == tree[second], np)
    assert length.tolist() == [n - 1, n - 1_000, 998, 0]
    assert order[place[:3]].tolist() == [0, 1_000, 5_001]
    one = np.array([n - 1]), np.array([n - 4])
    edges = order[chains.edges_along(*one, np.array([3]), np)[2]]
    assert edges.tolist() == [n - 2, n - 3, n - 4]


@pytest.mark.parametrize("dtype", WEIGHTS)
def test_extreme_weights_keep_their_order(dtype):
    span = np.finfo(dtype) if np.issubdtype(dtype, np.floating) else np.iinfo(dtype)
    weights = np.array([span.max, span.min, span.max, 0], dtype)
    assert order_from_weakest(weights, True, np)[:2].tolist() == [0, 2]
    assert weights[order_from_weakest(weights, False, np)[0]] == span.min


def test_no_pairs_and_no_edges_are_answered():
    none = np.zeros(0, np.int64)
    forest, _ = forest_of(none, none, 3)
    chains = Chains.of(forest, none, np)
    length, place = chains.between(np.array([0, 1]), np.array([1, 1]), np.array([False, True]), np)
    assert (length.tolist(), place.tolist()) == ([-1, 0], [-1, -1])
    assert [len(part) for part in chains.between(none, none, none == 0, np)] == [0, 0]
    assert [len(part) for part in chains.edges_along(none, none, none, np)] == [0, 0, 0]


@quick
@given(st.lists(st.integers(0, 50), min_size=1, max_size=130), st.data())
def test_the_least_of_intervals(values, data):
    ends = st.integers(0, len(values) - 1)
    drawn = data.draw(st.lists(st.tuples(ends, ends), max_size=20))
    begin, end = np.sort(np.array(drawn, np.int64).reshape(-1, 2), axis=1).T
    minima = Minima.of(np.array(values, np.int32), np)
    right = [min(values[a : b + 1]) for a, b in zip(begin, end, strict=True)]
    assert minima.over(begin, end, np).tolist() == right


@quick
@given(st.lists(st.integers(0, 9), max_size=40), st.sampled_from([1, 64]))
def test_rows_of_each_value_are_those_of_a_stable_sort(drawn, bits):
    values = np.array(drawn, np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "WORD_BITS", bits)
        rows, starts = sorting.rows_of_each(values, 11, np)
    assert rows.tolist() == np.argsort(values, kind="stable").tolist()
    assert starts.tolist() == [sum(value < k for value in drawn) for k in range(12)]
