"""Propagation blocking: every edge is linked once, in whatever blocks and tiles it lies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.choices import each, rule_for
from support.machine import SIMULATED

import cc_rapids
from cc_rapids import Design, DesignError, backends, generators, memory_bound, oracle
from cc_rapids.algorithms import auto
from cc_rapids.algorithms.design import as_listed
from cc_rapids.backends.dry_run import recorded_launches
from cc_rapids.kernels import edges, partition
from cc_rapids.kernels.partition import IDS, MOST_BLOCKS, TILE, blocks_of, tiles_of
from cc_rapids.solver.choose import choose_for_batch

N = 1100 if SIMULATED else 20_000
UNIONS = "async+halve", "rem-cas+splice", "jtb+two-try-split"
SAMPLES = "none(order=partitioned)", "strided(every=3, order=partitioned)"

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of four vertices at least, so that small graphs have as many as large ones."""
    monkeypatch.setattr(partition, "LEAST_SHIFT", 2)


def lists():
    """Few and many blocks, all edges in one, self-loops alone, and lists that end in any tile."""
    for graph in (
        generators.uniform(N, 2 * N, seed=1),
        generators.near_duplicate_pairs(N, 2 * N, seed=2),
        generators.star(N),
        generators.path(N),
        generators.self_loops(9),
        generators.path(2),
    ):
        yield (*map(np.asarray, graph.edges), graph.num_vertices)
    sizes = TILE - 1, TILE, TILE + 1, 2 * TILE, 5 * TILE + 7
    for m in sizes[:3] if SIMULATED else sizes:
        yield (*np.random.default_rng(m).integers(0, min(N, 3000), (2, m)), min(N, 3000))


@each(sample=SAMPLES, union=UNIONS)
def test_labels(engine, union, sample):
    for src, dst, n in lists():
        options = {"design": f"{sample}+{union}", "engine": engine}
        found = cc_rapids.components((src, dst), num_vertices=n, **options)
        labels = np.asarray(found.labels().labels)
        np.testing.assert_array_equal(labels, oracle.union_find(src, dst, n))
        assert "order=partitioned" in found.summary()["design"]


@each(dtype=[np.int32, np.int64, np.uint64, np.int8], sample=SAMPLES)
def test_ids_of_each_type_that_begin_elsewhere(engine, sample, dtype):
    random, low = np.random.default_rng(5), -70 if np.dtype(dtype).kind == "i" else 1 << 40
    src, dst = random.integers(0, 150, (2, 200))
    expected = oracle.union_find(src, dst, 150)
    ends = tuple(end.astype(np.int64) + low for end in (src, dst))
    found = cc_rapids.components(
        tuple(end.astype(dtype) for end in ends), design=f"{sample}+async+halve", engine=engine
    ).labels()
    vertex = np.asarray(found.vertex).astype(np.int64) - low
    np.testing.assert_array_equal(np.asarray(found.labels).astype(np.int64) - low, expected[vertex])


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=60))
def test_what_is_linked_is_what_is_listed(rows):
    src, dst = np.array(rows).T
    for sample in SAMPLES:
        found = cc_rapids.components((src, dst), num_vertices=41, design=f"{sample}+async+halve")
        np.testing.assert_array_equal(found.labels().labels, oracle.union_find(src, dst, 41))


def partitioned(src, dst, n):
    """What the kernel makes of a list, tile by tile, and the starts of its blocks."""
    on, m = backends.get("threads"), src.size
    (blocks, shift), tiles = blocks_of(n), -(-m // TILE)
    larger, smaller = (on.fill(on.empty(tiles * TILE, np.uint32), 0) for _ in range(2))
    starts = on.empty((blocks + 1) * tiles, np.uint32)
    flags = on.fill(on.empty(-(-n // 32), np.uint32), 0), on.fill(on.empty(1, np.int64), 0)
    load = edges.edge_of_list(on, np.uint32)
    read = edges.checked(on, np.uint32, np.uint32, load)
    kernel = partition.partition_tile(on, read, edges.every(on))
    given = src, dst, 0, n, *flags, larger, smaller, starts
    kernel(tiles, 0, m, blocks, shift, *given)
    return larger, smaller, starts.reshape(tiles, blocks + 1), shift, flags


@pytest.mark.parametrize("m", [1, TILE - 1, TILE, 3 * TILE + 5])
def test_tiles_hold_their_own_edges_in_the_order_of_blocks(m):
    n = 4 * MOST_BLOCKS - 3
    src, dst = np.random.default_rng(m).integers(0, n, (2, m))
    larger, smaller, starts, shift, _ = partitioned(src, dst, n)
    assert starts.shape[1] == MOST_BLOCKS + 1
    for tile in range(starts.shape[0]):
        own = slice(tile * TILE, min(m, (tile + 1) * TILE))
        high, low = np.maximum(src[own], dst[own]), np.minimum(src[own], dst[own])
        expected = sorted(zip(high, low, strict=True))
        assert sorted(zip(larger[own], smaller[own], strict=True)) == expected
        blocks = larger[own] >> shift
        assert (np.diff(blocks) >= 0).all()
        begins = np.searchsorted(blocks, np.arange(MOST_BLOCKS + 1))
        np.testing.assert_array_equal(starts[tile], begins)


def test_edges_that_join_nothing_are_noted():
    src, dst = np.array([3, 5, 9, 70]), np.array([3, 6, 100, 71])
    larger, smaller, _, _, (present, out_of_range) = partitioned(src, dst, 80)
    assert sorted(zip(larger[:4], smaller[:4], strict=True)) == [(0, 0), (3, 3), (6, 5), (71, 70)]
    assert present.tolist() == [1 << 3, 0, 0]
    assert out_of_range[0] == 1


def test_blocks_and_tiles(monkeypatch):
    monkeypatch.setattr(partition, "LEAST_SHIFT", 18)
    for n in (0, 1, 1 << 18, (1 << 18) + 1, 60_000_000, 1 << 26, (1 << 26) + 1, (1 << 32) - 1):
        blocks, shift = blocks_of(n)
        assert 1 <= blocks <= MOST_BLOCKS
        assert (blocks - 1) << shift < max(n, 1) <= blocks << shift
        assert shift == 18 or blocks > MOST_BLOCKS // 2
    for m in (0, 1, TILE, 10**6, 10**8, 2 * 10**9):
        for linked in (m, m // 5):
            for blocks in (1, MOST_BLOCKS):
                tiles = tiles_of(linked, m, blocks)
                size = tiles * (8 * TILE + 4 * (blocks + 1))
                assert size <= max(4 * m, size // tiles)
                assert (tiles - 1) * TILE < max(linked, 1)


def test_auto_partitions_lists_whose_labels_no_cache_holds():
    with recorded_launches() as on:
        for n, m in ((IDS.start, 30_000_000), (60_000_000, 100_000_000), (1 << 26, 10**9)):
            design = rule_for(on, n, m).design
            assert "order=partitioned" in str(design)
            assert "order" not in str(auto.for_forest(design))
            batch = choose_for_batch(on, n, m).algorithm
            assert batch == as_listed(batch)
        for n, m in ((IDS.start - 1, 30_000_000), (1 << 32, 10**10), (60_000_000, 3_999_999)):
            assert "order" not in str(rule_for(on, n, m).design)
    assert "order" not in str(rule_for(backends.get("threads"), 60_000_000, 10**8).design)


def test_the_bound_has_half_of_the_list_where_it_is_copied():
    n, answer = 60_000_000, 8 * 60_000_000
    for m in (3_999_999, 4_000_000, 10**8):
        copied = 4 * m if m >= 4_000_000 else 0
        assert memory_bound(n, answer, m) == memory_bound(n, answer) + copied
    assert memory_bound(10**7, answer, 10**8) == memory_bound(10**7, answer)
    assert memory_bound(1 << 32, answer, 10**10) == memory_bound(1 << 32, answer)


def test_forests_and_batches_are_linked_as_listed(engine):
    src, dst = np.random.default_rng(3).integers(0, 50, (2, 80))
    found = cc_rapids.components((src, dst), design=f"{SAMPLES[0]}+async+halve", forest=True)
    assert "order" not in found.summary()["design"]
    assert len(found.forest().row) == found.num_vertices - len(found)
    with pytest.raises(DesignError, match="partitions lists, but batches of edges are too short"):
        cc_rapids.Connectivity(design=f"{SAMPLES[0]}+async+halve", engine=engine)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none(tiles=64, order=partitioned)+async+halve", "with tiles, edges between"),
        ("none(order=partitioned)+label-propagation", "read edges in their own order"),
        ("none(order=partitioned)+bfs-cc", "read edges in their own order"),
        ("none(order=sorted)+async+halve", "'order=sorted'|unknown order"),
    ],
)
def test_designs_that_do_not_partition(name, reason):
    with pytest.raises(DesignError, match=reason):
        Design.parse(name)
