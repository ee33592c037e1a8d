"""Components at any threshold of one forest: the same as by runs of their own, and as SciPy's."""

import copy
import pickle
import re

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist
from support.as_lists import columns
from support.choices import some
from support.edge_kinds import EDGES, same
from support.edge_lists import quick
from support.planted import Plant, planted

from cc_rapids import Components, backends, components, components_at, errors, oracle
from cc_rapids.algorithms.dendrogram import MergeTree
from cc_rapids.kernels import boruvka
from cc_rapids.kernels import dendrogram as kernels

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
COMPILED = ["i8", "u8", "f4", "f8"]  # make test compiles kernels for these types
THREADS = backends.get("threads")
WORDS = {"max": "at_least", "min": "at_most"}
LINE = {"src": [1, 2, 3], "dst": [2, 3, 4], "w": [0.9, 0.7, 0.8]}
FRAMES = pd.DataFrame, pl.DataFrame, pa.table


@st.composite
def weighed(draw, types=tuple(COMPILED), n=9):
    """An edge list with loops, duplicates and ties, weights of any type, and both kinds of ids."""
    m = draw(st.integers(0, 24))
    end = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    dtype = np.dtype(draw(st.sampled_from(types)))
    low = 0 if dtype.kind == "u" else -3
    few = st.lists(st.integers(low, 5), min_size=m, max_size=m)
    weights = np.array(draw(few), dtype)
    if dtype.kind == "f":
        weights /= dtype.type(4)
    src, dst = (np.array(draw(end), np.int64) for _ in range(2))
    return src * 10 - 40, dst * 10 - 40, weights


def thresholds():
    """Numbers that are weights, between them and beyond them."""
    exact = st.sampled_from([-(2**63), 2**63, 2**64 - 1, -1e300, 1e300, 0.1, -0.0, np.inf, -np.inf])
    return st.integers(-5, 6) | st.integers(-20, 24).map(lambda k: k / 4) | exact


def lists(frame):
    return [np.asarray(column).tolist() for column in frame]


@quick
@given(weighed(), st.lists(thresholds(), min_size=1, max_size=4), st.sampled_from(["max", "min"]))
def test_each_threshold_gives_what_components_at_does(edges, levels, which):
    *ends, weights = edges
    tree = components(tuple(ends), weight=weights, forest=which).dendrogram()
    cuts = tree.cuts(levels)
    options = {"weight": weights, "direction": WORDS[which]}
    right = components_at(tuple(ends), thresholds=levels, **options)
    assert cuts == right
    assert lists(tree.merges(levels)) == lists(right.merges())
    for level in levels:
        right = components_at(tuple(ends), thresholds=[level], **options).at(level)
        found = tree.at(level)
        assert found == right
        assert lists(tree.labels(level)) == lists(right.labels())
        assert lists(tree.sizes(level)) == lists(right.sizes())


def steps(tree, weights, which):
    """All merges by label frames alone: at each weight from the strictest on."""
    rows, before = [], None
    for level in sorted(set(weights.tolist()), reverse=which == "max"):
        vertex, after = lists(tree.labels(level))
        before = vertex if before is None else before
        parts = {}
        for one, other in zip(before, after, strict=True):
            parts.setdefault(other, []).append(one)
        rows += [
            (level, one, other, before.count(one))
            for one, other in sorted({(o, a) for a, own in parts.items() for o in own})
            if len(set(parts[other])) > 1
        ]
        before = after
    return rows


@some("types", [COMPILED, TYPES], usual=[COMPILED], ids=["some types", "all types"])
@quick
@given(st.data(), st.sampled_from(["max", "min"]), st.sampled_from(["max", "min"]))
def test_merges_at_every_weight(types, data, which, labels):
    *ends, weights = data.draw(weighed(types))
    options = {"weight": weights, "forest": which, "labels": labels}
    tree = components(tuple(ends), **options).dendrogram()
    rows = tree.merges()
    assert rows._fields == ("threshold", "before", "after", "size")
    assert rows.threshold.dtype == weights.dtype
    assert sorted(zip(*lists(rows), strict=True)) == sorted(steps(tree, weights, which))
    places = pd.Series(rows.threshold.astype("f8"))
    order = places if which == "min" else -places
    assert order.is_monotonic_increasing
    if labels == "min":
        assert all(
            group.is_monotonic_increasing for _, group in pd.Series(rows.before).groupby(places)
        )


@quick
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_merges_at_once_are_the_same_where_steps_and_vertices_do_not_fit_into_a_word(n, seed):
    random = np.random.default_rng(seed)
    src = np.arange(1, n)
    dst = random.integers(0, src) if n > 1 else src
    step = np.sort(random.integers(0, 4, n - 1))
    tree, more = MergeTree.of(src, dst, n, THREADS), 1 << 33
    one, other = (
        np.where(ends >= n, ends + np.uint64(more), ends) for ends in (tree.first, tree.second)
    )  # clusters of a forest of so many vertices more, which no edge names
    wide = MergeTree(n + more, one, other, tree.size, tree.least, tree.greatest, THREADS)
    before, after, at = tree.at_once(step)
    for own, right in zip(
        wide.at_once(step),
        (np.where(before >= n, before + np.uint64(more), before), after + np.uint64(more), at),
        strict=True,
    ):
        assert own.tolist() == right.tolist()


def curve_by_hand(edges, weights, n, which):
    """The components, the largest one and the susceptibility by one union after the other."""
    parent, size = list(range(n)), [1] * n

    def root(v):
        while parent[v] != v:
            v = parent[v]
        return v

    rows = []
    for level in sorted(set(weights.tolist()), reverse=which == "max"):
        before = size.count(0)
        for k in np.flatnonzero(weights == level):
            u, v = root(edges[0][k]), root(edges[1][k])
            if u != v:
                parent[v], size[u], size[v] = u, size[u] + size[v], 0
        if size.count(0) > before:
            others = sorted(size)[:-1]
            rows.append((level, n - size.count(0), max(size), sum(s * s for s in others) / n))
    return rows


@quick
@given(weighed(), st.sampled_from(["max", "min"]))
def test_the_curve_is_that_of_a_sequential_run(edges, which):
    *ends, weights = edges
    tree = components(tuple(ends), weight=weights, forest=which).dendrogram()
    frame = tree.curve()
    vertex = lists(tree.components.labels())[0]
    places = [np.searchsorted(vertex, side) for side in ends]
    right = curve_by_hand(places, weights, len(vertex), which)
    assert frame._fields == ("threshold", "components", "largest", "susceptibility")
    assert frame.threshold.dtype == weights.dtype
    assert list(zip(*lists(frame), strict=True)) == right


@pytest.mark.slow
def test_a_curve_of_many_thresholds():
    """Longer than the runs of the sums, and again to check their sums of sums."""
    random, n = np.random.default_rng(4), 3000
    ends, weights = random.integers(0, n, (2, n)), random.permutation(n)
    tree = components(tuple(ends), weight=weights, forest="min", num_vertices=n).dendrogram()
    right = curve_by_hand(ends, weights, n, "min")
    assert list(zip(*lists(tree.curve()), strict=True)) == right


@quick
@given(weighed(), st.sampled_from(["max", "min"]))
def test_the_linkage_of_a_component_is_that_of_its_edges_alone(edges, which):
    *ends, weights = edges
    far = (lambda w: 9 - w.astype(float)) if which == "max" else (lambda w: w + 9.0)
    found = components(tuple(ends), weight=weights, forest=which)
    tree = found.dendrogram()
    vertex, labels = map(np.array, lists(found.labels()))
    for label in set(labels.tolist()):
        inside = np.isin(ends[0], vertex[labels == label])
        alone = components(
            tuple(side[inside] for side in ends), weight=weights[inside], forest=which
        )
        right = alone.dendrogram().linkage(far)
        assert tree.linkage(far, component=label).tolist() == right.tolist()


def test_scipy_draws_a_component_or_all_with_a_finite_root():
    edges, weights = ([1, 2, 8, 9], [2, 3, 9, 7]), np.array([3, 5, 4, 2])
    tree = components(edges, weight=weights, forest="min", num_vertices=11).dendrogram()
    mpl.use("Agg")
    for merges in (tree.linkage(component=1), tree.linkage(root=6)):
        drawn = hierarchy.dendrogram(merges)
        assert sorted(drawn["leaves"]) == list(range(len(merges) + 1))
    joined, right = tree.linkage(root=6), tree.linkage()
    right[np.isinf(right)] = 6
    assert joined.tolist() == right.tolist()
    assert tree.linkage(component=0).shape == (0, 4)
    mpl.pyplot.close("all")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"root": 0.2}, errors.InputError, "root=0.2, because the last merge inside a component"),
        ({"root": np.nan}, errors.InputError, "root=nan, because"),
        ({"root": "1"}, errors.ArgumentTypeError, "root= must be a number, the distance, not '1'"),
        ({"component": 7}, errors.InputError, "7 is not a label of the only component"),
    ],
)
def test_roots_and_components_that_are_none(given, error, words):
    tree = components(pd.DataFrame(LINE), weight="w", forest="max").dendrogram()
    with pytest.raises(error, match=words):
        tree.linkage(lambda w: 1 - w, **given)


def partition(labels):
    """The same number for what is together, in the order of the first of each."""
    return np.unique(labels, return_index=True)[1][
        np.unique(labels, return_inverse=True)[1]
    ].tolist()


@quick
@given(st.integers(2, 14), st.integers(0, 2**32 - 1), st.booleans())
def test_it_is_single_linkage_of_scipy(n, seed, ties):
    random = np.random.default_rng(seed)
    points = random.integers(0, 4, (n, 2)) if ties else random.random((n, 2))
    far = pdist(points)
    ends = np.triu_indices(n, 1)
    own = components(ends, weight=far, forest="min").dendrogram().linkage()
    theirs = hierarchy.linkage(far, "single")
    assert own.dtype == np.float64
    assert hierarchy.is_valid_linkage(own)
    assert own[:, 2].tolist() == theirs[:, 2].tolist()
    assert hierarchy.cophenet(own).tolist() == hierarchy.cophenet(theirs).tolist()
    if not ties:
        assert own.tolist() == theirs.tolist()
    for height in {0.0, *far.tolist()}:
        flat = (hierarchy.fcluster(merges, height, "distance") for merges in (own, theirs))
        one, other = map(partition, flat)
        assert one == other
    assert sorted(hierarchy.dendrogram(own, no_plot=True)["leaves"]) == list(range(n))


@quick
@given(weighed(), st.sampled_from(["max", "min"]))
def test_functions_of_scipy_run_on_separate_components(edges, which):
    """A height is the weight of the weakest edge between two vertices, inf if there is none."""
    *ends, weights = edges
    found = components(tuple(ends), weight=weights, forest=which)
    tree, n = found.dendrogram(), found.num_vertices
    far = (lambda w: 9 - w) if which == "max" else (lambda w: w + 9.0)
    if n < 2:
        return
    merges = tree.linkage(far)
    vertex, labels = lists(found.labels())
    pairs = np.triu_indices(n, 1)
    length, _, weakest = found.paths(tuple(np.array(vertex)[side] for side in pairs))
    heights = np.where(length > 0, far(weakest.astype(float)), np.inf)
    assert hierarchy.cophenet(merges).tolist() == heights.tolist()
    leaves = hierarchy.leaves_list(merges)
    assert sorted(leaves) == list(range(n))
    whole = np.array(labels)[leaves]
    assert (whole[1:] != whole[:-1]).sum() == len(found) - 1  # each component in one piece
    assert partition(hierarchy.fcluster(merges, len(found), "maxclust")) == partition(labels)
    for level in set(weights.tolist()):
        flat = hierarchy.fcluster(merges, far(float(level)), "distance")
        assert partition(flat) == partition(lists(tree.labels(level))[1])
    assert hierarchy.is_monotonic(merges)
    assert hierarchy.to_tree(merges).count == n
    assert np.unique(hierarchy.cut_tree(merges, n_clusters=1)).tolist() == [0]


@quick
@given(weighed(), st.sampled_from(["max", "min"]))
def test_linkage_joins_all_in_order(edges, which):
    *ends, weights = edges
    found = components(tuple(ends), weight=weights, forest=which)
    tree = found.dendrogram()
    nearer = (lambda w: 9 - w.astype(float)) if which == "max" else (lambda w: w + 9.0)
    merges = tree.linkage(nearer)
    n = found.num_vertices
    assert merges.shape == (max(n - 1, 0), 4)
    if n < 2:
        return
    assert hierarchy.is_valid_linkage(merges)
    vertex, labels = lists(found.labels())
    inside = np.isfinite(merges[:, 2])
    assert int(inside.sum()) == n - len(found) == len(tree)
    ranked = {v: k for k, v in enumerate(vertex)}
    places = (np.array([ranked[v] for v in side.tolist()], np.int64) for side in ends)
    right = oracle.single_linkage(*places, n, weights, which == "max")
    assert merges[inside][:, [0, 1, 3]].tolist() == right[:, :3].tolist()
    assert merges[inside][:, 2].tolist() == nearer(weights[right[:, 3]]).tolist()
    flat = hierarchy.fcluster(merges, 1e300, "distance")
    assert partition(flat) == partition(labels)
    assert merges[-1, 3] == n
    beyond = merges[~inside]
    assert beyond[:, 3].tolist() == np.cumsum(found_sizes(labels))[1:].tolist()


def found_sizes(labels):
    return [labels.count(label) for label in sorted(set(labels))]


def parts_by_hand(own, links, most):
    """The parts of some vertices, and the weights that are cut, by searches at each weight.

    ``links`` are the edges with their weights, the strongest weights the least.
    """
    graph = nx.Graph()
    graph.add_nodes_from(own)
    graph.add_edges_from((u, v) for u, v, _ in links if {u, v} <= own)
    if len(own) <= most:
        return [own], []
    for level in sorted({w for *_, w in links}, reverse=True):
        graph.remove_edges_from([(u, v) for u, v, w in links if w >= level])
        graph.add_edges_from((u, v) for u, v, w in links if w < level and {u, v} <= own)
        children = list(nx.connected_components(graph))
        if len(children) > 1:
            break
    if len(own) > 2 and len(children) == len(own):
        return [own], []
    below = [parts_by_hand(child, links, most) for child in children]
    return (
        [part for parts, _ in below for part in parts],
        [level] + [weight for _, cut in below for weight in cut],
    )


@quick
@given(weighed(), st.sampled_from(["max", "min"]), st.integers(1, 6))
def test_a_split_cuts_the_weakest_links_of_each_part(edges, which, most):
    *ends, weights = edges
    sign = -1 if which == "max" else 1
    found = components(tuple(ends), weight=weights, forest=which)
    triples = zip(*(side.tolist() for side in ends), (sign * weights.astype(float)), strict=True)
    links = [(u, v, w) for u, v, w in triples if u != v]
    vertex, labels = lists(found.labels())
    right, rows = {}, []
    for label in sorted(set(labels)):
        own = {v for v, one in zip(vertex, labels, strict=True) if one == label}
        parts, cut = parts_by_hand(own, links, most)
        right |= {v: min(part) for part in parts for v in part}
        if len(own) > most:
            sizes = list(map(len, parts))
            apart = sum(right[u] != right[v] for u, v, _ in links if u in own)
            weakest = (sign * max(cut), sign * min(cut)) if cut else (None, None)
            counts = len(own), len(parts), max(sizes), max(sizes) > most, apart
            rows.append((label, *counts, *weakest))
    split = found.dendrogram().split(max_size=most)
    assert split.parts.labels().labels.tolist() == [right[v] for v in vertex]
    names = "labels size parts largest oversized edges_cut weakest_cut strongest_cut"
    assert split.cuts._fields == tuple(names.split())
    shown = zip(*lists(split.cuts), strict=True)
    assert [tuple(None if x != x else x for x in row) for row in shown] == rows


@quick
@given(weighed(), st.sampled_from(["max", "min"]), thresholds(), st.integers(1, 3))
def test_a_cut_is_an_answer_of_its_own(edges, which, level, most):
    """The forest, the dendrogram and the parts of a cut are those of a run within the bound."""
    *ends, weights = edges
    options = {"weight": weights, "forest": which}
    cut = components(tuple(ends), **options).dendrogram().at(level)
    vertices = np.unique(ends)
    own = components(tuple(ends), vertices=vertices, **options, **{WORDS[which]: level})
    assert lists(cut.forest()) == lists(own.forest())
    assert lists(cut.dendrogram().curve()) == lists(own.dendrogram().curve())
    for size in (3, most):  # then the parts of parts
        (cut, cuts), (own, right) = (one.dendrogram().split(size) for one in (cut, own))
        assert repr(lists(cuts)) == repr(lists(right))  # with nan
        assert lists(cut.forest()) == lists(own.forest())


def test_what_is_small_enough_is_not_split():
    frame = pd.DataFrame(LINE)
    split = components(frame, weight="w", forest="max").dendrogram().split(4)
    assert len(split.parts) == 1
    assert len(split.cuts) == 0
    assert split.cuts["weakest_cut"].dtype == np.float64


def test_a_part_of_one_tie_stays_whole():
    frame = pd.DataFrame({"src": [1, 2, 3, 4], "dst": [2, 3, 4, 1], "w": [5, 5, 5, 5]})
    parts, cuts = components(frame, weight="w", forest="max").dendrogram().split(3)
    assert parts.labels()["labels"].tolist() == [1, 1, 1, 1]
    assert cuts.iloc[0, :6].tolist() == [1, 4, 1, 4, True, 0]
    assert cuts[["weakest_cut", "strongest_cut"]].isna().all(axis=None)


def test_strong_parts_of_a_chained_component_stay_whole():
    """Cliques of 50 in a row, with weaker and weaker links between them, are the parts."""
    random, count, size = np.random.default_rng(1), 40, 50
    inner = np.column_stack(np.triu_indices(size, 1))
    pairs = np.concatenate([inner + size * k for k in range(count)])
    joins = np.column_stack([np.arange(1, count) * size - 1, np.arange(1, count) * size])
    strong, weak = 0.5 + random.random(len(pairs)) / 2, random.random(count - 1) / 2
    ends, weights = np.concatenate([pairs, joins]).T, np.append(strong, weak)
    found = components(tuple(ends), weight=weights, forest="max")
    parts, cuts = found.dendrogram().split(max_size=size)
    assert parts.labels().labels.tolist() == (np.arange(count * size) // size * size).tolist()
    assert cuts.weakest_cut.tolist() == [weak.min()]
    assert cuts.strongest_cut.tolist() == [weak.max()]


@pytest.mark.parametrize("make", FRAMES)
def test_frames_of_each_kind(make, engine):
    found = components(make(LINE), weight="w", forest="max", engine=engine)
    tree = found.dendrogram()
    assert repr(tree) == "<Dendrogram: 3 merges of 4 vertices to 1 component, from 0.9 to 0.7>"
    assert len(tree) == 3
    assert "at least" in tree._repr_html_()
    frames = tree.labels(0.8), tree.sizes(0.8), tree.merges(), tree.split(2).cuts, tree.curve()
    for frame in frames:
        assert type(frame) is type(found.labels())
    assert columns(tree.labels(0.75)) == [[1, 2, 3, 4], [1, 1, 3, 3]]
    assert columns(tree.merges()) == [
        [0.9, 0.9, 0.8, 0.8, 0.7, 0.7],
        [1, 2, 3, 4, 1, 3],
        [1, 1, 3, 3, 1, 1],
        [1, 1, 1, 1, 2, 2],
    ]
    assert columns(tree.split(2).cuts) == [[1], [4], [2], [2], [False], [1], [0.7], [0.7]]
    assert tree.audit(make(LINE), weight="w").merges == 3
    assert str(tree.cuts([0.9, 0.7])) == "<Cuts: components 3 at 0.9, 1 at 0.7>"


@pytest.mark.slow
@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
def test_ids_of_every_kind(edges, engine):
    given = edges()
    if hasattr(given, "indptr"):
        pytest.skip("a matrix has weights of its own, by which no forest is found")
    size = len(given[0]) if isinstance(given, tuple) else len(given["src"])
    weights = np.arange(size, dtype=np.int16)
    tree = components(given, weight=weights, forest="min", engine=engine).dendrogram()
    whole = components(edges(), engine=engine)
    assert tree.at(size) == whole
    assert len(tree.at(-1)) == whole.num_vertices
    assert len(tree.linkage()) == max(whole.num_vertices - 1, 0)
    columns(tree.merges())
    parts, cuts = tree.split(1)
    assert len(parts) == whole.num_vertices
    assert len(columns(cuts)[0]) == sum(size > 1 for size in columns(whole.sizes())[1])
    assert tree.audit(edges(), weight=weights).vertices == whole.num_vertices


@pytest.mark.parametrize("which", ["min", "max"])
@pytest.mark.parametrize("make", FRAMES)
def test_weights_that_are_missing(make, which, engine):
    """An edge without a weight is no edge: its ends are not vertices because of it."""
    whole = {"src": [1, 3, 8, 5], "dst": [2, 2, 9, 1], "w": [0.5, 0.75, 0.25, None]}
    frame, options = make(whole), {"weight": "w", "nulls": "drop"}
    with pytest.raises(errors.NullsError, match="1 of 4 weights 'w' is null"):
        components(frame, weight="w", forest=which, engine=engine)
    tree = components(frame, forest=which, engine=engine, **options).dendrogram()
    right = make({name: column[:3] for name, column in whole.items()})
    right = components(right, weight="w", forest=which, engine=engine).dendrogram()
    assert columns(tree.merges()) == columns(right.merges())
    assert columns(tree.split(2).cuts) == columns(right.split(2).cuts)
    proof = tree.audit(frame, **options)
    assert (proof.edges, proof.vertices, proof.components, proof.merges) == (3, 5, 2, 3)


@pytest.mark.parametrize("which", ["min", "max"])
def test_infinite_weights(which, engine):
    weights = np.array([-np.inf, 1, np.inf])
    edges = ([1, 2, 3], [2, 3, 4])
    tree = components(edges, weight=weights, forest=which, engine=engine).dendrogram()
    assert [len(tree.at(level)) for level in (-np.inf, 0, 1, np.inf)] == (
        [3, 3, 2, 1] if which == "min" else [1, 2, 2, 3]
    )
    assert tree.linkage(lambda _: [0, 1, np.inf])[:, 2].tolist() == [0, 1, np.inf]
    assert tree.audit(edges, weight=weights).merges == 3


def test_integers_that_no_float_tells_apart(engine):
    weights = np.array([2**53, 2**53 + 1, 2**53 + 2])
    for which, counts in (("min", [3, 2, 1]), ("max", [1, 2, 3])):
        options = {"weight": weights, "forest": which, "engine": engine}
        tree = components(([1, 2, 3], [2, 3, 4]), **options).dendrogram()
        assert [len(tree.at(level)) for level in weights.tolist()] == counts
        assert tree.split(3).cuts.weakest_cut.tolist() == [weights[2 if which == "min" else 0]]


def test_ids_of_several_columns():
    ends = {"src_kind": ["a", "b", "b"], "src_id": [1, 2, 3], "dst_kind": ["b"] * 3}
    frame = pd.DataFrame({**ends, "dst_id": [2, 3, 4], "w": [3, 1, 2]})
    sides = ["src_kind", "src_id"], ["dst_kind", "dst_id"]
    tree = components(frame, *sides, weight="w", forest="max", labels="min").dendrogram()
    named = ["threshold", "before_kind", "before_id", "after_kind", "after_id", "size"]
    assert len(list(tree.merges())) == len(named)
    assert tree.merges().iloc[-1, [0, -1]].tolist() == [1, 2]
    cuts = tree.split(2).cuts
    assert list(cuts)[2:7] == ["size", "parts", "largest", "oversized", "edges_cut"]
    assert tree.audit(frame, *sides, weight="w").merges == 3


@pytest.mark.parametrize("labels", ["max", "dense", "size", "fingerprint"])
def test_other_labels(labels, engine):
    options = {"weight": "w", "labels": labels, "engine": engine}
    frame = pd.DataFrame(LINE)
    tree = components(frame, forest="max", **options).dendrogram()
    right = components_at(frame, thresholds=[0.9, 0.8], **options)
    same(tree.labels(0.8), right.labels(0.8))
    same(
        components(frame, weight="w", forest="max").dendrogram().labels(0.8, labels),
        right.labels(0.8),
    )
    same(tree.merges([0.9, 0.8]), right.merges())
    parts, cuts = tree.split(3)
    assert parts.labels()["labels"].tolist() == [1, 1, 3, 3]
    assert cuts["labels"].tolist() == tree.components.labels()["labels"].tolist()[:1]
    after = [2, 2, 4, 4, 4, 4] if labels == "max" else [1, 1, 3, 3, 1, 1]
    assert tree.merges()["after"].tolist() == after


def test_vertices_besides_the_edges(engine):
    frame = pd.DataFrame(LINE)
    options = {"weight": "w", "forest": "max", "engine": engine}
    tree = components(frame, vertices=[9, 2], **options).dendrogram()
    assert tree.labels(0.9)["vertex"].tolist() == [1, 2, 3, 4, 9]
    assert tree.linkage(lambda w: 1 - w)[-1].tolist() == [4, 7, np.inf, 5]
    tree = components(frame, num_vertices=6, **options).dendrogram()
    assert tree.labels(0.9)["labels"].tolist() == [0, 1, 1, 3, 4, 5]
    assert np.isinf(tree.linkage(lambda w: 1 - w)[:, 2]).sum() == 2


@pytest.mark.parametrize("ends", [([], []), ([7], [7])])
def test_lists_without_merges(ends, engine):
    weights = np.zeros(len(ends[0]))
    tree = components(ends, weight=weights, forest="min", engine=engine).dendrogram()
    assert tree.linkage().shape == (0, 4)
    assert [len(column) for column in tree.merges()] == [0, 0, 0, 0]
    assert [len(column) for column in tree.curve()] == [0, 0, 0, 0]
    assert len(tree.at(0)) == len(ends[0])
    assert [len(column) for column in tree.split(1).cuts] == [0] * 8
    assert repr(tree) == f"<Dendrogram: 0 merges of {counted(len(ends[0]))}>"
    assert tree.audit(ends, weight=weights).merges == 0


def counted(vertices):
    return ("0 vertices to 0 components", "1 vertex to 1 component")[vertices]


def test_copies_and_saved_answers(tmp_path):
    frame = pd.DataFrame(LINE)
    found = components(frame, weight="w", forest="max")
    tree = found.dendrogram()
    found.save(tmp_path / "found")
    for other in (
        pickle.loads(pickle.dumps(tree)),
        copy.deepcopy(tree),
        copy.copy(found).dendrogram(),
        Components.load(tmp_path / "found").dendrogram(),
    ):
        same(other.merges(), tree.merges())
        assert other.linkage(lambda w: 1 - w).tolist() == tree.linkage(lambda w: 1 - w).tolist()
        assert other.at(0.8) == tree.at(0.8)
        assert other.audit(frame, weight="w").merges == 3
        with pytest.raises(
            errors.InputError, match=r"lacks the 3 edges, which split.* with at\(\)"
        ):
            other.split(2)


def test_a_report_of_the_parts_of_a_split():
    frame = pd.DataFrame({"src": [1, 2, 8], "dst": [2, 3, 9], "w": [1.0, 0.5, 0.7]})
    parts = components(frame, weight="w", forest="max").dendrogram().split(2).parts
    with pytest.raises(errors.InputError, match=r"answer of split.* edges\[found.connected\("):
        parts.report(frame)
    assert parts.report(frame[parts.connected(frame)]).components()["edges"].sum() == 2


def test_stable_numbers_are_of_one_threshold():
    found = components(pd.DataFrame(LINE), weight="w", forest="max")
    held = found.stable_ids().components
    assert held.dendrogram().labels(0.8)["labels"].tolist() == [1, 1, 3, 3]


def test_no_threshold_needs_the_merges_one_by_one():
    tree = components(pd.DataFrame(LINE), weight="w", forest="max").dendrogram()
    tree.cuts([0.9, 0.7]).merges()
    assert "_tree" not in vars(tree)


@pytest.mark.parametrize("forest", [False, True])
def test_a_forest_without_weights(forest):
    found = components(pd.DataFrame(LINE), forest=forest)
    with pytest.raises(
        errors.InputError, match=r"but this answer has none: call components\(edges"
    ):
        found.dendrogram()


@pytest.mark.parametrize("wrong", [None, [0.5], [], (1, 2), np.array([1.0])])
def test_a_threshold_is_one_number(wrong):
    tree = components(pd.DataFrame(LINE), weight="w", forest="max").dendrogram()
    with pytest.raises(errors.InputError, match="is not one threshold: pass a number"):
        tree.at(wrong)
    for strange in ("a", np.nan, pd.NA):
        with pytest.raises(errors.CcRapidsError, match="threshold"):
            tree.at(strange)


@pytest.mark.parametrize(
    ("distance", "words"),
    [
        (None, "weights of a maximum spanning forest decrease from merge to merge"),
        (lambda w: w, "the distance 0.8 of merge 1, by an edge of weight 0.8, is less than that"),
        (
            lambda w: -w,
            "the distance -0.9 of merge 0, by an edge of weight 0.9, is negative, which",
        ),
        (lambda w: w * np.nan, "the distance nan of merge 0, by an edge of weight 0.9, is nan"),
        (lambda w: w[1:], r"distance() returned float64 of shape (2,) for 3 weights"),
        (lambda w: list("abc"), r"distance() returned <U1 of shape (3,) for 3 weights"),
    ],
)
def test_distances_that_are_none(distance, words):
    tree = components(pd.DataFrame(LINE), weight="w", forest="max").dendrogram()
    with pytest.raises(errors.InputError, match=re.escape(words)):
        tree.linkage(distance)


def test_a_distance_is_a_function():
    tree = components(pd.DataFrame(LINE), weight="w", forest="max").dendrogram()
    with pytest.raises(errors.ArgumentTypeError, match="must be a function of an array of weights"):
        tree.linkage("1 - w")


@some("dtype", ["u1", "u8", "i1", "i8"], usual=["u8", "i8"])
def test_distances_of_integers_do_not_wrap(dtype):
    limits = np.iinfo(dtype)
    weights = np.array([limits.max, 3, limits.min], dtype)
    tree = components(([1, 2, 3], [2, 3, 4]), weight=weights, forest="max").dendrogram()
    far = tree.linkage(lambda w: w.max() - w)[:, 2]
    assert far.tolist() == [0, float(limits.max) - 3, float(limits.max) - limits.min]
    with pytest.raises(errors.InputError, match=r"is negative, .* lambda w: w\.max\(\) - w$"):
        tree.linkage(lambda w: 1 - w)


def test_distances_that_are_negative_by_themselves():
    tree = components(([1, 2], [2, 3]), weight=np.array([-3, 2]), forest="min").dendrogram()
    with pytest.raises(errors.InputError, match=r"-3\.0 of merge 0, .*: lambda w: w - w\.min\(\)"):
        tree.linkage()
    assert tree.linkage(lambda w: w - w.min())[:, 2].tolist() == [0, 5]


def test_a_distance_changes_no_weights():
    tree = components(pd.DataFrame(LINE), weight="w", forest="max").dendrogram()

    def distance(weights):
        weights[:] = 0
        return weights

    tree.linkage(distance)
    assert tree.merges()["threshold"].tolist() == [0.9, 0.9, 0.8, 0.8, 0.7, 0.7]


@pytest.mark.parametrize("size", [0, -1, 2.5, None, True])
def test_parts_have_a_size(size):
    tree = components(pd.DataFrame(LINE), weight="w", forest="max").dendrogram()
    with pytest.raises(errors.InputError, match="max_size= must be a count of at least 1, not"):
        tree.split(size)


@quick
@given(weighed(), st.sampled_from(["max", "min"]))
def test_right_merges_are_proved(edges, which):
    *ends, weights = edges
    tree = components(tuple(ends), weight=weights, forest=which).dendrogram()
    proof = tree.audit(tuple(ends), weight=weights)
    assert (proof.merges, proof.components) == (len(tree), len(tree.components))


@pytest.mark.parametrize("name", ["first", "second", "size"])
def test_wrong_merges_are_refused(name):
    frame = pd.DataFrame(LINE)
    tree = components(frame, weight="w", forest="max").dendrogram()
    getattr(tree._tree, name)[1] += 1
    with pytest.raises(errors.VerificationError, match=r"merge 1 is of clusters \d and \d"):
        tree.audit(frame, weight="w")


IN_ORDER = {
    "joined": Plant(kernels.contract_in_order, "= (word(u), nodes", "= (word(v), nodes", ""),
    "sizes": Plant(kernels.merge_in_order, "size_a + size_b", "size_a + word(1)", ""),
    "clusters": Plant(kernels.merge_in_order, "word(np.uint64(n) + k)", "word(n)", ""),
    "chains": Plant(kernels.find_chains, "chain[k] = word(x)", "pass", ""),
    "order": Plant(boruvka.listed_weight, "order(weights[", "~order(weights[", ""),
}
IN_PARALLEL = {
    "all joined": Plant(kernels.follow_lightest, "(word(v), word(u))", "(word(v), word(v))", ""),
    "runs": Plant(kernels.sum_runs, "size += records[at]", "size += word(1)", ""),
    "sums": Plant(kernels.add_runs, "records[at] += sums[earlier]", "pass", ""),
    "names": Plant(kernels.name_clusters, "rows[j - ONE]", "rows[j]", ""),
    "begins": Plant(kernels.gather_joined, "word(is_first)", "word(0)", ""),
}


@pytest.mark.slow
@some("name", [*IN_ORDER, *IN_PARALLEL], usual=["sizes", "chains", "order", "runs", "names"])
def test_planted_faults_are_found(name, tmp_path, monkeypatch):
    monkeypatch.setattr(type(THREADS), "merges_in_order", name in IN_ORDER)
    plant = (IN_ORDER | IN_PARALLEL)[name]
    random = np.random.default_rng(5)
    path, falling = random.permutation(200), np.arange(100)[::-1] // 2
    edges, weights = (path[:-1], path[1:]), np.append(falling, random.integers(0, 50, 99))
    options = {"weight": weights, "forest": "min", "engine": "threads"}
    with planted(plant, tmp_path):
        tree = components(edges, **options).dendrogram()
        with pytest.raises(errors.VerificationError, match=r"merge \d+ is of clusters"):
            tree.audit(edges, weight=weights)
    assert components(edges, **options).dendrogram().audit(edges, weight=weights)


def test_wrong_orders_and_edges_are_refused():
    frame = pd.DataFrame(LINE)
    tree = components(frame, weight="w", forest="max").dendrogram()
    tree._weights[0] = 0.95
    with pytest.raises(errors.VerificationError, match=r"at 0\.95, but should be of 0 and 1"):
        tree.audit(frame, weight="w")
    tree = components(frame, weight="w", forest="max").dendrogram()
    heavy = pd.concat([frame, pd.DataFrame({"src": [1], "dst": [4], "w": [2.0]})])
    with pytest.raises(
        errors.VerificationError, match=r"edge 3 of weight 2\.0 is not in the forest"
    ):
        tree.audit(heavy.reset_index(drop=True), weight="w")


def test_a_long_path_and_a_star():
    path = np.arange(20_000)
    for src, dst in ((path, path + 1), (np.zeros_like(path), path + 1)):
        weights = np.random.default_rng(3).permutation(path)
        tree = components((src, dst), weight=weights, forest="min").dendrogram()
        right = oracle.single_linkage(src, dst, path.size + 1, weights)
        assert tree.linkage()[:, [0, 1, 3]].tolist() == right[:, :3].tolist()
        assert len(tree.merges().before) == 2 * path.size
    equal = components((path, path + 1), weight=np.ones(path.size, "i1"), forest="min")
    merges = equal.dendrogram().merges()
    assert (merges.before.tolist(), set(merges.after.tolist())) == ([*range(20_001)], {0})


def test_clusters_of_a_tree_by_hand():
    src, dst = np.array([3, 0, 1]), np.array([1, 2, 0])
    tree = MergeTree.of(src, dst, 5, THREADS)
    assert tree.first.tolist() == [1, 0, 5]
    assert tree.second.tolist() == [3, 2, 6]
    assert tree.size.tolist() == [2, 2, 4]
    assert tree.roots().tolist() == [7, 4]
    every = np.arange(8)
    assert tree.sizes_of(every).tolist() == [1, 1, 1, 1, 1, 2, 2, 4]
    assert tree.least_of(every).tolist() == [0, 1, 2, 3, 4, 1, 0, 0]
    assert tree.greatest_of(every).tolist() == [0, 1, 2, 3, 4, 3, 2, 3]
    before, after, step = tree.at_once(np.array([0, 1, 1]))
    assert before.tolist() == [1, 3, 0, 5, 2]
    assert after.tolist() == [5, 5, 7, 7, 7]
    assert step.tolist() == [0, 0, 1, 1, 1]


@quick
@given(weighed(), st.sampled_from(["max", "min"]))
def test_the_oracle_takes_the_edges_of_kruskal(edges, which):
    *ends, weights = edges
    src, dst = ((end + 40) // 10 for end in ends)
    merges = oracle.single_linkage(src, dst, 9, weights, which == "max")
    assert (
        sorted(merges[:, 3].tolist())
        == oracle.kruskal(src, dst, 9, weights, which == "max").tolist()
    )
