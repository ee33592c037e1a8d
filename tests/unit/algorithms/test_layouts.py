"""Owners, adjacency matrices and kinds of memory: their options, and what is refused before it."""

import numpy as np
import pytest
from support.design_graphs import GRAPHS, RACES, check, rows_of

import cc_rapids
from cc_rapids import Design, generators, oracle
from cc_rapids.backends import MEMORY, threads
from cc_rapids.errors import CapacityError, DesignError, InputError

pytestmark = pytest.mark.slow

NAMES = ("owner", "owner(output=lists)", "dense", "matrix-fixpoint")
PAIRS = {"owner": 2, "owner(output=lists)": 2, "dense": 1, "matrix-fixpoint": 4}


@pytest.mark.parametrize("name", ["owner(output=lists)", "none+owner(output=labels)"])
def test_both_outputs_of_owners(engine, name):
    design = Design.parse(name)
    for src, dst, n in GRAPHS.values():
        found = cc_rapids.components((src, dst), num_vertices=n, design=design, engine=engine)
        check(found, src, dst, n, False)
        for both in (True, False):
            rows = rows_of(src, dst, n, both)
            check(cc_rapids.components(rows, design=design, engine=engine), src, dst, n, False)


@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.parametrize("seed", range(4))
def test_owners_race(name, seed, tuned):
    """Searches overlap in every component; the labels that they raise are each other's."""

    tuned(owner_searches=7)
    cc_rapids.algorithms.compiled.build.cache_clear()
    for make in RACES.values():
        made = make(seed)
        src, dst = map(np.asarray, made.edges)
        found = cc_rapids.components((src, dst), num_vertices=made.num_vertices, design=name)
        check(found, src, dst, made.num_vertices, False)
    cc_rapids.algorithms.compiled.build.cache_clear()


@pytest.mark.parametrize("block", [1, 50])
def test_a_matrix_in_blocks_of_rows(engine, block, tuned):
    tuned(matrix_block_cells=block)
    for src, dst, n in GRAPHS.values():
        options = {"num_vertices": n, "design": "matrix-fixpoint", "engine": engine}
        check(cc_rapids.components((src, dst), **options), src, dst, n, False)


@pytest.mark.parametrize("name", NAMES)
def test_one_vertex_and_ids_of_other_kinds(engine, name):
    options = {"design": name, "engine": engine}
    for src, dst, vertices, expected in (
        ([7], [7], [7], [7]),
        ([0], [0], [0], [0]),
        ([-(2**62), 2**60], [5, 2**60], [-(2**62), 5, 2**60], [-(2**62), -(2**62), 2**60]),
        (["b", "c"], ["a", "b"], ["a", "b", "c"], ["a", "a", "a"]),
    ):
        labels = cc_rapids.components((src, dst), **options).labels()
        assert np.asarray(labels.vertex).tolist() == vertices
        assert np.asarray(labels.labels).tolist() == expected
    with pytest.raises(InputError, match=r"holds the id 30, outside 0\.\.4"):
        cc_rapids.components(([0, 1, 2], [1, 2, 30]), num_vertices=5, **options)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sample", ["kout", "strided", "stages", "bfs"])
def test_they_take_all_edges_at_once(name, sample):
    with pytest.raises(DesignError, match="rows or a matrix of all edges"):
        Design.parse(f"{sample}+{name}")


@pytest.mark.parametrize("name", NAMES)
def test_neither_batches_nor_forests(name):
    with pytest.raises(DesignError, match="no spanning forest"):
        cc_rapids.components(([1], [2]), design=name, forest=True)
    with pytest.raises(DesignError, match="batches"):
        cc_rapids.Connectivity(design=name)


@pytest.mark.parametrize("name", NAMES)
def test_too_many_pairs_are_refused_before_anything_is_made(name, monkeypatch):
    n, taken = 1000, []
    empty = threads.Threads.empty

    def counted(self, size, dtype):
        taken.append(size * np.dtype(dtype).itemsize)
        return empty(self, size, dtype)

    monkeypatch.setattr(threads.Threads, "empty", counted)
    monkeypatch.setattr(threads.Threads, "free_bytes", lambda self: 999_999)
    words = rf"^{name.replace('(', '.').replace(')', '.')} takes .*: {PAIRS[name]},000,000 bytes"
    words += " for 1,000 ids .* but 999,999 are free; .*none.async.halve"
    with pytest.raises(CapacityError, match=words) as refused:
        cc_rapids.components(([0], [1]), num_vertices=n, design=name)
    assert isinstance(refused.value, MemoryError)
    assert sum(taken) < 10_000


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_holds_the_pairs(name, monkeypatch):
    n, taken = 700, []
    edges = tuple(np.random.default_rng(1).integers(0, n, (2, n)).astype(np.int32))
    plan = cc_rapids.components(edges, num_vertices=n, design=name, explain=True)
    empty = threads.Threads.empty

    def counted(self, size, dtype):
        taken.append(size * np.dtype(dtype).itemsize)
        return empty(self, size, dtype)

    monkeypatch.setattr(threads.Threads, "empty", counted)
    cc_rapids.components(edges, num_vertices=n, design=name).labels()
    assert sum(taken) <= plan.bytes + 4096
    assert plan.bytes <= 2 * sum(taken)


@pytest.mark.parametrize("memory", MEMORY)
def test_every_kind_of_memory_gives_the_same_answer(engine, memory):
    made = generators.rmat(5, 50, 0.57, 0.19, 0.19, 6)
    src, dst = map(np.asarray, made.edges)
    expected = oracle.union_find(src, dst, 32)
    for name in ("auto", "strided+async+halve", "soman", "kout+async+halve", *NAMES):
        options = {"design": name, "engine": engine, "memory": memory}
        found = cc_rapids.components((src, dst), num_vertices=32, **options)
        np.testing.assert_array_equal(np.asarray(found.labels().labels), expected, name)
        assert found.summary()["memory"] == memory
        rows = rows_of(src, dst, 32, True)
        found = cc_rapids.components(rows, **options)
        np.testing.assert_array_equal(np.asarray(found.labels().labels), expected, name)
    forest = cc_rapids.spanning_forest((src, dst), engine=engine, memory=memory)
    assert len(forest.row) == 32 - len(found)
    words = cc_rapids.connected_components((["b"], ["a"]), engine=engine, memory=memory)
    assert list(words.labels) == ["a", "a"]


def test_kinds_of_memory_that_there_are_not():
    with pytest.raises(InputError, match=r"unknown memory 'mapped'.* one of device, pinned"):
        cc_rapids.components(([1], [2]), memory="mapped")
    with pytest.raises(InputError, match="copied chunk by chunk: leave out memory='zero-copy'"):
        cc_rapids.components(iter([([1], [2])]), memory="zero-copy")


def test_the_span_is_not_guessed_where_its_square_is_taken(monkeypatch, tuned):
    tuned(sampled_scan_edges=10)
    ids = np.arange(400)
    plan = cc_rapids.components((ids, ids[::-1].copy()), design="dense", explain=True)
    monkeypatch.setattr(threads.Threads, "free_bytes", lambda self: plan.bytes)
    found = cc_rapids.components((ids, ids[::-1].copy()), design="dense")
    assert len(found) == 200
