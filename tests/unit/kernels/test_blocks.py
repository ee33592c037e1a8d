"""Tiles: the edges inside so many ids first. What they join is right, whatever they leave out."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from support.choices import rule_for, some
from support.machine import SIMULATED

import cc_rapids
from cc_rapids import Design, DesignError, backends, generators, oracle
from cc_rapids.algorithms.compiled import KernelComposer
from cc_rapids.backends.dry_run import RecordingBackend
from cc_rapids.data.adapters import Csr
from cc_rapids.kernels import blocks
from cc_rapids.solver.choose import choose_for_batch

pytestmark = pytest.mark.slow

UNIONS = "async+halve", "rem-cas+splice", "early+full", "ecl", "afforest"
BESIDES = "hooks+split", "jtb+two-try-split", "rem-lock+halve-one"  # keep more than parents
SIDE = 16 if SIMULATED else 30


def of(graph):
    return (*map(np.asarray, graph.edges), graph.num_vertices)


def reordered(src, dst, n, order):
    return src[order], dst[order], n


def lists():
    """The same grid in order, backwards, shuffled and renamed; and what tiles are of no use for."""
    grid = of(generators.grid(SIDE, SIDE, 0.6, 1))
    src, dst, n = grid
    random = np.random.default_rng(2)
    yield "in order", grid
    yield "by the other end", (dst, src, n)
    yield "backwards", reordered(*grid, np.arange(src.size)[::-1])
    yield "shuffled", reordered(*grid, random.permutation(src.size))
    names = random.permutation(n).astype(src.dtype)
    yield "renamed", (names[src], names[dst], n)
    yield (
        "twice, with loops",
        (np.append(src, [*src, *range(n)]), np.append(dst, [*dst, *range(n)]), n),
    )
    yield "path", of(generators.path(SIDE * SIDE))
    yield "star", of(generators.star(SIDE * SIDE))
    yield "one edge", of(generators.duplicated(generators.path(2), 500, 3))
    yield "no edges", of(generators.isolated(9))


LISTS = dict(lists())


PAIRS = [(7, union) for union in UNIONS + BESIDES]
PAIRS += [(window, "async+halve") for window in (1, 64, 16384)]


@some(("window", "union"), PAIRS, [*PAIRS[:3], PAIRS[-1]])
def test_labels(engine, window, union):
    for name, (src, dst, n) in LISTS.items():
        options = {"design": f"none(tiles={window})+{union}", "engine": engine}
        found = cc_rapids.components((src, dst), num_vertices=n, **options)
        expected = oracle.union_find(src, dst, n)
        np.testing.assert_array_equal(np.asarray(found.labels().labels), expected, name)


@pytest.mark.parametrize("union", ["async+halve", "rem-cas+split-one", "hooks+split"])
def test_spanning_forests(engine, union):
    design = Design.parse(f"none(tiles=7)+{union}")
    for name, (src, dst, n) in LISTS.items():
        found = cc_rapids.components(
            (src, dst), num_vertices=n, design=design, engine=engine, forest=True
        )
        rows = np.asarray(found.forest().row)
        assert rows.size == np.unique(rows).size == n - len(found)
        expected = oracle.union_find(src, dst, n)
        np.testing.assert_array_equal(oracle.union_find(src[rows], dst[rows], n), expected, name)


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("union", ["async+halve", "hooks+split"])
def test_rows(engine, both, union):
    """Rows that are long, too: a star's is left to the phase after the tiles."""
    for name, (src, dst, n) in LISTS.items():
        matrix = coo_array((np.ones(src.size), (src, dst)), (n, n)).tocsr()
        matrix = (matrix + matrix.T).tocsr() if both else matrix
        rows = Csr(matrix.indptr, matrix.indices, symmetric=both)
        design = f"none(tiles=7)+{union}"
        found = cc_rapids.components(rows, design=design, engine=engine)
        expected = oracle.union_find(src, dst, n)
        np.testing.assert_array_equal(np.asarray(found.labels().labels), expected, name)


def in_stripes(i, m, stripes):
    """The plain twin: column by column of a table with a row for each stripe, and what is left."""
    groups = m // 32 >> stripes
    table = np.arange(groups << stripes).reshape(-1, groups) if groups else np.empty(0, int)
    order = np.append(table.T.ravel(), np.arange(table.size, -(-m // 32)))
    return 32 * order[i // 32] + i % 32


@pytest.mark.parametrize("m", [1, 31, 127, 128, 500, 1024])
@pytest.mark.parametrize("stripes", [0, 2, 3])
def test_each_edge_is_in_one_stripe(on, m, stripes):
    place = blocks.strided_permutation(on, np.uint64(stripes))

    @on.elementwise
    def write(i, m, out):
        out[i] = place(np.uint64(i), np.uint64(m))

    out = on.empty(m, np.int64)
    write(m, m, out)
    wanted = in_stripes(np.arange(m), m, stripes)
    assert np.array_equal(on.to_host(out), wanted)
    assert np.array_equal(np.sort(wanted), np.arange(m))


@pytest.mark.parametrize("forest", [False, True])
def test_edges_in_stripes(engine, monkeypatch, forest):
    """On engines whose threads run one by one, too; and as few edges as these have one stripe."""
    monkeypatch.setattr(KernelComposer, "_takes_strided_order", lambda composer: True)
    made, striped = [], blocks.strided_permutation
    monkeypatch.setattr(
        blocks, "strided_permutation", lambda on: made.append(on) or striped(on, np.uint64(2))
    )
    for name, (src, dst, n) in LISTS.items():
        options = {"design": "none(tiles=9)+async+halve", "engine": engine, "forest": forest}
        found = cc_rapids.components((src, dst), num_vertices=n, **options)
        expected = oracle.union_find(src, dst, n)
        np.testing.assert_array_equal(np.asarray(found.labels().labels), expected, name)
        if forest:
            rows = np.asarray(found.forest().row)
            assert rows.size == n - len(found)
            joined = oracle.union_find(src[rows], dst[rows], n)
            np.testing.assert_array_equal(joined, expected, name)
    assert len(made) > 0


def check_elsewhere(src, dst, n, dtype, **options):
    """The same list with ids from the least of a type, or from beyond the signed ones."""
    low = {np.int32: -(2**31), np.int64: -(2**62), np.uint64: 2**63 + 5}[dtype]
    edges = tuple((end.astype(object) + low).astype(dtype) for end in (src, dst))
    labels = cc_rapids.components(edges, **options).labels()
    at = (np.asarray(labels.vertex).astype(object) - low).astype(np.int64)
    expected = oracle.union_find(src, dst, n)[at].astype(object) + low
    np.testing.assert_array_equal(np.asarray(labels.labels).astype(object), expected)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
def test_ids_that_begin_elsewhere(engine, dtype):
    check_elsewhere(*LISTS["in order"], dtype, design="none(tiles=7)+async+halve", engine=engine)


def check_beyond_a_glance(m, row, far, tuned, **options):
    """A path, one edge of which leads to an id that a glance does not see: it is told, and the list
    is read again.
    """
    tuned(sampled_scan_edges=10)
    src, dst = np.arange(m), np.arange(1, m + 1)
    dst[row] = far
    found = cc_rapids.components((src, dst), **options)
    assert len(found) == 2
    assert np.asarray(found.component_of([far])).tolist() == [0]


def test_an_id_beyond_a_glance(engine, tuned):
    """It has no vertex, in no tile."""
    options = {"design": "none(tiles=7)+async+halve", "engine": engine}
    check_beyond_a_glance(400, 300, 12_000, tuned, **options)


@settings(deadline=None)  # the first one compiles
@given(st.lists(st.integers(0, 60), max_size=80), st.integers(1, 20))
def test_tiles_share_a_list_of_any_order(sources, window):
    """Each edge is looked at by one tile at most, and where the list is in order by its own."""
    backend = backends.get("threads")
    first = blocks.first_of_list(backend, np.uint32)
    src, count = np.array(sources, np.int32), 61 // window + 1
    block_offsets = backend.empty(count + 1, np.uint64)
    blocks.find_block_offsets(backend, window, first)(
        count + 1, src.size, 61, src, 0, block_offsets
    )
    assert (np.diff(block_offsets.astype(int)) >= 0).all()
    assert 0 <= block_offsets.min() <= block_offsets.max() <= src.size
    if sources == sorted(sources):
        own = [range(*block_offsets[v // window :][:2].astype(int)) for v in sources]
        assert all(e in taken for e, taken in enumerate(own))


def looked_at(src, dst, n):
    """How many edges tiles look at, by a union that counts them."""
    seen = []
    backend = RecordingBackend()

    def load_edge(e, a, b, low, size):
        seen.append(int(e))
        return np.uint64(a[e]), np.uint64(b[e])

    def link_in_block(u, v, e, base, size, shared, hook_edge):
        return bool(max(u - base, v - base) < size)

    share = blocks.share_of_list(backend, load_edge, link_in_block).function
    block_offsets = np.searchsorted(src, np.arange(0, n + 100, 100)).astype(np.uint64)
    shared = np.empty(100, np.uint32)
    zero, one = np.uint64(0), np.uint64(1)
    with np.errstate(over="ignore"):
        for k, taken in enumerate(pairwise(block_offsets)):
            base, size = np.uint64(100 * k), np.uint64(100)
            share(zero, one, base, size, *taken, shared, src, dst, 0, n, 0, None)
    return len(seen)


def test_a_list_in_no_order_is_left_alone():
    """A thread stops once many more edges have led out of its tile than into it."""
    random = np.random.default_rng(4)
    src = np.sort(random.integers(0, 1000, 5000))
    assert looked_at(src, np.minimum(src + 1, 999), 1000) == 5000
    far = looked_at(src, (src + 500) % 1000, 1000)
    assert far == 10 * blocks.CREDIT


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "none(tiles=16385)+async+halve",
            "held in shared memory, which has room for at most 16,384 ids",
        ),
        ("none(tiles=0)+async+halve", "a count from 1 on"),
        ("none(tiles=on)+async+halve", "unknown tiles of sample none 'on'"),
        ("none(tiles=9)+liu-tarjan(PRF)", "start with every vertex as its own tree"),
        ("none(tiles=9)+soman", "start with every vertex as its own tree"),
    ],
)
def test_designs_that_there_are_not(name, why):
    with pytest.raises(DesignError, match=why.replace("(", r"\(")):
        Design.parse(name)


def test_its_name():
    design = Design.parse("none( tiles = 64 ) + async + halve")
    assert str(design) == "none(tiles=64)+async+halve"
    assert (design.window, Design().window) == (64, 0)
    assert str(Design.parse("none(tiles=off)+async+halve")) == "none+async+halve"


def test_batches_have_no_tiles():
    with pytest.raises(DesignError, match=r"leave out none\(tiles=64\)"):
        cc_rapids.Connectivity(design="none(tiles=64)+async+halve")
    gpu = RecordingBackend()
    assert rule_for(gpu, 10**7, 10**7, locality=1.0).design.window
    assert not choose_for_batch(gpu, 10**7, 10**7).algorithm.window
