"""What holds for every edge list, on threads: against NetworkX and SciPy, and of itself."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from support import design_pairs
from support.as_lists import columns
from support.choices import each
from support.edge_lists import SPAN, check, components_of, edge_lists, id_ranges, quick

import cc_rapids
from cc_rapids import backends, generators, oracle


@quick
@given(edge_lists())
def test_integers_of_any_type(edges):
    before = [column.copy() for column in edges]
    found = cc_rapids.components(edges)
    src, dst = (column.tolist() for column in edges)
    check(found, components_of(src, dst))
    oracle.certify_components(found, edges)
    oracle.against_networkx(edges, found.labels())
    for column, old in zip(edges, before, strict=True):
        np.testing.assert_array_equal(column, old)
    if edges[0].dtype == edges[1].dtype:
        assert found.labels().vertex.dtype == found.labels().labels.dtype == edges[0].dtype


@quick
@given(edge_lists(), st.randoms(use_true_random=False))
def test_order_direction_duplicates_and_chunks_do_not_matter(edges, random):
    expected = columns(cc_rapids.connected_components(edges))
    src, dst = edges
    m = src.size
    order = np.array(random.sample(range(m), m), int)
    again = np.array([random.randrange(m) for _ in range(random.randrange(9))] if m else [], int)
    cut = random.randint(0, m)
    same_kind = src.dtype == dst.dtype
    variants = {
        "reversed": (dst, src),
        "shuffled": (src[order], dst[order]),
        "duplicated": (np.concatenate([src, src[again]]), np.concatenate([dst, dst[again]])),
        "backwards in memory": (src[::-1], dst[::-1]),
        "chunks": pa.table(
            {
                "src": pa.chunked_array([src[cut:], src[:cut]], pa.from_numpy_dtype(src.dtype)),
                "dst": pa.chunked_array([dst[cut:], dst[:cut]], pa.from_numpy_dtype(dst.dtype)),
            }
        ),
    }
    if same_kind:
        variants["both ways"] = np.concatenate([src, dst]), np.concatenate([dst, src])
    for name, variant in variants.items():
        assert columns(cc_rapids.connected_components(variant)) == expected, name


@quick
@given(edge_lists(dtypes=("i4", "i4")), st.data())
def test_every_design(pytestconfig, edges, data):
    some = design_pairs.selected(pytestconfig.getoption("--designs"))
    design = data.draw(st.sampled_from(some))
    found = cc_rapids.components(edges, design=design)
    check(found, components_of(*(column.tolist() for column in edges)))


@quick
@given(edge_lists(dtypes=("i4", "i4")), st.randoms(use_true_random=False))
def test_joining_edge_lists_joins_components(edges, random):
    """The components of all edges are those of the labels of one part, joined by the other."""
    src, dst = edges
    cut = random.randint(0, src.size)
    first = cc_rapids.connected_components((src[:cut], dst[:cut]), vertices=np.concatenate(edges))
    summary = np.concatenate([first.vertex, src[cut:]]), np.concatenate([first.labels, dst[cut:]])
    whole = cc_rapids.connected_components(edges)
    assert columns(cc_rapids.connected_components(summary)) == columns(whole)


@quick
@given(edge_lists(dtypes=("i8", "i8")))
def test_all_kinds_of_frames_agree(edges):
    both = dict(zip(("src", "dst"), edges, strict=True))
    expected = columns(cc_rapids.connected_components(edges))
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = make(both)
        answer = cc_rapids.connected_components(frame)
        assert type(answer) is type(frame)
        assert columns(answer) == expected
    series = tuple(map(pd.Series, edges))
    assert columns(cc_rapids.connected_components(series)) == expected


@quick
@given(
    st.integers(0, 30).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.lists(st.tuples(*[st.integers(0, max(n - 1, 0))] * 2), max_size=40 if n else 0),
        )
    )
)
def test_a_given_number_of_vertices(graph):
    n, pairs = graph
    src, dst = np.array(pairs, np.int32).reshape(-1, 2).T
    found = cc_rapids.components((src, dst), num_vertices=n)
    check(found, components_of(src.tolist(), dst.tolist(), range(n)))
    oracle.certify(src, dst, n, found.labels().labels)
    oracle.against_scipy(src, dst, n, found.labels("dense").labels)
    matrix = coo_array((np.ones(src.size), (src, dst)), shape=(n, n))
    if n:
        oracle.against_scipy(src, dst, n, cc_rapids.components(matrix).labels("dense").labels)


@quick
@given(edge_lists(dtypes=("i8", "i8")), st.data())
def test_more_vertices(edges, data):
    src, dst = (column.tolist() for column in edges)
    low = data.draw(id_ranges(("i8", "i8"))) if not src else min(src + dst)
    ids = st.integers(max(low - SPAN, -(2**63)), min(low + 2 * SPAN, 2**63 - 1))
    more = data.draw(st.lists(ids, max_size=20), label="vertices")
    found = cc_rapids.components(edges, vertices=np.array(more, np.int64))
    check(found, components_of(src, dst, more))
    oracle.certify_components(found, edges, vertices=np.array(more, np.int64))
    steps = range(data.draw(ids), data.draw(ids), data.draw(st.sampled_from([1, 3, -2])))
    found = cc_rapids.components(edges, vertices=steps)
    check(found, components_of(src, dst, steps))


words = st.text(max_size=3) | st.sampled_from(["", " ", "a", "A", "10", "9", "é", "z"])


@quick
@given(st.lists(st.tuples(words, words), max_size=30), st.lists(words, max_size=4))
def test_strings(pairs, more):
    src, dst = (list(column) for column in zip(*pairs, strict=True)) if pairs else ([], [])
    parts = components_of(src, dst, more)
    text = pa.table({"src": pa.array(src, pa.string()), "dst": pa.array(dst, pa.string())})
    found = cc_rapids.components(text, vertices=pa.chunked_array([more], pa.string()))
    check(found, parts)
    oracle.certify_components(found, text, vertices=pa.chunked_array([more], pa.string()))
    plain = columns(cc_rapids.connected_components(text))
    for frame in (
        text.to_pandas(),
        pl.DataFrame({"src": src, "dst": dst}, schema={"src": pl.String, "dst": pl.String}),
        (np.array(src, object), np.array(dst, object)),
    ):
        assert columns(cc_rapids.connected_components(frame)) == plain


def sinking_stars(stars, size):
    """Stars whose centre is the greatest vertex, every edge with a smaller leaf than the last.

    So each edge hooks the root of its star under a new one: threads that work on the same star at
    the same time want to change the same word. One edge of each star comes after the other.
    """
    star = np.tile(np.arange(stars, dtype=np.uint32), size - 1) * np.uint32(size)
    leaf = np.repeat(np.arange(size - 1, dtype=np.uint32)[::-1], stars)
    n = stars * size
    return generators.Graph(
        star + np.uint32(size - 1),
        star + leaf,
        n,
        "stars",
        stars,
        lambda: np.arange(n) // size * size,
    )


FINDS = ("naive", "halve")

RACES = {
    "star": lambda seed: generators.permuted(generators.star(30_000), seed),
    "sinking stars": lambda seed: sinking_stars(100, 300 + seed),
    "few sinking stars": lambda seed: sinking_stars(30, 990 + seed),
    "path": lambda seed: generators.path(100_000, shuffle=seed),
    "clique": lambda seed: generators.permuted(generators.cliques([300]), seed),
    "cliques": lambda seed: generators.permuted(generators.cliques([40, 1, 60, 2] * 20), seed),
    "one edge": lambda seed: generators.duplicated(generators.path(2), 50_000, seed),
    "duplicates": lambda seed: generators.duplicated(generators.path(1000, shuffle=seed), 50, seed),
    "rmat": lambda seed: generators.rmat(14, 40_000, 0.57, 0.19, 0.19, seed),
    "grid": lambda seed: generators.grid(200, 200, 0.6, seed),
}


@each(name=[f"{s}+async+{c}" for s in ("none", "strided") for c in FINDS], graph=RACES)
def test_threads_that_race_agree(graph, name, tuned):
    """Chunks are long enough for the threads to overlap, and too short for them to stay apart.

    With a plain load and store in place of the compare-and-swap, the paths and the sinking stars
    fail within a few seeds on two cores.
    """
    if backends.get("threads").workers < 2:
        pytest.skip("one core: no races")
    tuned(thread_chunk=1024)
    for seed in range(10):
        made = RACES[graph](seed)
        n = made.num_vertices
        expected = made.labels() if made.components else oracle.union_find(*made.edges, n)
        found = cc_rapids.components(made.edges, num_vertices=n, design=name)
        np.testing.assert_array_equal(found.labels().labels, expected)
