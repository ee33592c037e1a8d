"""What every engine promises to kernels; the same tests for all of them."""

import numpy as np
import pytest
from support import design_pairs

import cc_rapids
from cc_rapids.algorithms.compiled import KernelComposer
from cc_rapids.kernels import edges, primitives

SIZES = [0, 1, 31, 32, 33, 100]
WIDTHS = [np.int32, np.uint32, np.int64, np.uint64]


def test_each_runs_once_for_every_index(on):
    def visit(on):
        add = on.atomic_add

        @on.elementwise
        def visit(i, counts):
            add(counts, i, 1)

        return visit

    visit = visit(on)
    for n in SIZES:
        counts = on.fill(on.empty(n + 1, np.int64), 0)
        visit(n, counts)
        assert on.to_host(counts).tolist() == [1] * n + [0]


def test_sweep_shares_all_indices_between_threads(on):
    def visit(on):
        add, all_add = on.atomic_add, on.block_reduce_add

        @on.grid_stride
        def visit(first, n, step, counts, total):
            mine = np.int64(0)
            i = first
            while i < n:
                add(counts, i, 1)
                mine += np.int64(i)
                i += step
            all_add(total, 0, mine)

        return visit

    visit = visit(on)
    for n in SIZES:
        counts = on.fill(on.empty(n + 1, np.int64), 0)
        total = on.fill(on.empty(1, np.int64), 0)
        visit(n, counts, total)
        assert on.to_host(counts).tolist() == [1] * n + [0]
        assert on.to_host(total).tolist() == [sum(range(n))]


def test_the_threads_of_a_tile_share_memory_and_wait_for_each_other(on):
    """Each takes a number and leaves it for the next one, until all have seen all."""
    size = 100

    def ring(on):
        add, barrier = on.atomic_add, on.block_sync
        most, none = np.uint64(size), np.uint64(0)

        @on.block_kernel(size)
        def ring(k, t, step, near, counts, sums):
            i = t
            while i < most:
                near[i] = np.uint32(k + i)
                i += step
            barrier()
            add(counts, k, 1)
            if t == none:
                total, j = np.int64(0), none
                while j < most:
                    total += np.int64(near[j])
                    j += np.uint64(1)
                sums[k] = total

        return ring

    ring = ring(on)
    for n in (0, 1, 2, 9):
        counts, sums = (on.fill(on.empty(n + 1, np.int64), 0) for _ in range(2))
        ring(n, counts, sums)
        assert on.to_host(sums).tolist() == [sum(range(k, k + size)) for k in range(n)] + [0]
        threads = on.to_host(counts).tolist()
        assert threads == [threads[0]] * n + [0]
        assert n == 0 or threads[0] > 0


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize(
    ("name", "old", "value", "new"),
    [
        ("atomic_add", 5, 3, 8),
        ("atomic_min", 5, 3, 3),
        ("atomic_max", 5, 9, 9),
        ("atomic_or", 5, 2, 7),
    ],
)
def test_atomics_return_the_old_value_and_store_the_new(on, name, dtype, old, value, new):
    def once(on):
        operation = getattr(on, name)

        @on.elementwise
        def once(i, array, seen):
            seen[i] = operation(array, i, dtype(value))

        return once

    array = on.asarray(np.array([old], dtype))
    seen = on.asarray(np.zeros(1, dtype))
    once(on)(1, array, seen)
    assert on.to_host(array).tolist() == [new]
    assert on.to_host(seen).tolist() == [old]


@pytest.mark.parametrize("dtype", WIDTHS)
def test_asking_ahead_touches_nothing_and_may_name_no_element(on, dtype):
    def look(on):
        ahead = edges.prefetch_ahead(on, np.uint64, edges.every(on))

        @on.elementwise
        def look(i, src, dst, parent):
            ahead(i, src, dst, -1, parent)

        return look

    far = on.asarray(np.full(100, np.iinfo(dtype).max, dtype))
    parent = on.asarray(np.arange(3, dtype=np.uint32))
    look(on)(100, far, far, parent)
    assert on.to_host(parent).tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", WIDTHS)
def test_compare_and_swap(on, dtype):
    def swap(on):
        cas = on.atomic_cas

        @on.elementwise
        def swap(i, array, seen):
            seen[i] = cas(array, i, dtype(7), dtype(1))

        return swap

    array, seen = on.asarray(np.array([7, 8], dtype)), on.asarray(np.zeros(2, dtype))
    swap(on)(2, array, seen)
    assert on.to_host(array).tolist() == [1, 8]
    assert on.to_host(seen).tolist() == [7, 8]


def test_min_and_max_know_signs(on):
    def extremes(on):
        low, high = on.block_reduce_min, on.block_reduce_max

        @on.grid_stride
        def extremes(first, n, step, column, bounds):
            value = column[min(first, n - np.uint64(1))]
            low(bounds, 0, value)
            high(bounds, 1, value)

        return extremes

    values = np.array([3, -9, 12, -2], np.int64)
    bounds = on.asarray(np.array([0, 0], np.int64))
    extremes(on)(4, on.asarray(values), bounds)
    found = on.to_host(bounds)
    assert found[0] <= 0 <= found[1]
    assert found[0] in (*values, 0)
    unsigned = on.asarray(np.array([2**64 - 1, 0], np.uint64))
    huge = np.array([2**64 - 2] * 70, np.uint64)
    extremes(on)(70, on.asarray(huge), unsigned)
    assert on.to_host(unsigned).tolist() == [2**64 - 2, 2**64 - 2]


def test_integers_are_passed_with_their_sign(on):
    def store(on):
        @on.elementwise
        def store(i, value, out):
            out[i] = value

        return store

    out = on.empty(1, np.int64)
    for value in (0, -1, -(2**63), 2**63 - 1):
        store(on)(1, value, out)
        assert on.to_host(out).tolist() == [value]


def test_strided_and_read_only_arrays_are_read_in_place(on):
    def copy(on):
        @on.elementwise
        def copy(i, column, out):
            out[i] = column[i]

        return copy

    whole = np.arange(20, dtype=np.int32)
    whole.flags.writeable = False
    column, out = on.asarray(whole)[1::2], on.empty(10, np.int32)
    copy(on)(10, column, out)
    assert on.to_host(out).tolist() == whole[1::2].tolist()


def test_kernels_see_what_earlier_ones_wrote(on):
    def step(on):
        @on.elementwise
        def step(i, old, new):
            new[i] = old[i] + 1

        return step

    step, n = step(on), 50
    a, b = on.fill(on.empty(n, np.int64), 0), on.empty(n, np.int64)
    for _ in range(5):
        step(n, a, b)
        step(n, b, a)
    assert on.to_host(a).tolist() == [10] * n


def pytest_generate_tests(metafunc):
    """Designs without a sample for rules of linking, with the finds that they take."""
    if "union" in metafunc.fixturenames:
        designs = cc_rapids.designs()
        links = [d for d in designs if d.sample == "none" and d.words[1].spec.is_union]
        found = design_pairs.selected(design_pairs.asked(metafunc.config), links)
        metafunc.parametrize("union", found, ids=str)


@pytest.mark.slow
def test_contended_links_lose_no_hook(on, union):
    """Every edge hooks onto one vertex; each of the n - 1 edges of a star must hook once."""
    vertex, aux = np.uint32, union.words[1].spec.aux_array
    link = KernelComposer(union, on, vertex, np.uint32, False, True).link()
    none = primitives.none_of(vertex)

    def hook(on):
        add = on.atomic_add

        @on.elementwise
        def hook(i, parent, extra, hooks):
            if link(parent, extra, vertex(i), vertex(0)) != none:
                add(hooks, 0, 1)

        return hook

    n = 200
    parent = on.asarray(np.arange(n, dtype=vertex))
    words = on.fill(on.empty(n, aux.dtype or vertex), aux.initial_byte) if aux else parent
    if aux and aux.pack:
        aux.pack(on)(n, parent, words)
    hooks = on.fill(on.empty(1, np.int64), 0)
    hook(on)(n, parent, words, hooks)
    if aux and aux.unpack:
        aux.unpack(on, vertex)(n, words, parent)
    assert on.to_host(hooks).tolist() == [n - 1]
    assert (on.to_host(parent) == np.arange(n)).sum() == 1


def test_bits_rank_members(on):
    n = 900
    members = np.array([0, 5, 31, 32, 63, 64, 95, 255, 256, 257, 511, 700, 899])
    words = np.zeros(-(-n // 32), np.uint32)
    np.bitwise_or.at(words, members // 32, np.uint32(1) << (members % 32).astype(np.uint32))
    block = primitives.WORD * primitives.RANK_BLOCK
    starts = [int((members < b * block).sum()) for b in range(-(-n // block))]

    def ask(on):
        has, rank = primitives.has(on), primitives.rank(on)

        @on.elementwise
        def ask(i, words, before, inside, ranks):
            inside[i] = has(words, np.uint32(i))
            ranks[i] = rank(words, before, np.uint32(i))

        return ask

    inside, ranks = on.empty(n, np.int64), on.empty(n, np.int64)
    before = on.asarray(np.array(starts, np.uint32))
    ask(on)(n, on.asarray(words), before, inside, ranks)
    assert np.flatnonzero(on.to_host(inside)).tolist() == members.tolist()
    assert on.to_host(ranks).tolist() == [int((members < v).sum()) for v in range(n)]


def test_an_engine_says_what_it_is(on):
    assert on.device_name
    assert on.free_bytes() > 0
    if not on.on_device:
        assert on.peak_bytes() > 1 << 20  # of the process; on a GPU None where nothing counts
    with on.scope():
        assert on.xp.zeros(3).size == 3
    on.synchronize()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
@pytest.mark.parametrize(("size", "n"), [(0, 0), (0, 3), (1, 1), (1000, 40), (10, 5000)])
def test_numbers_are_counted(on, dtype, size, n):
    numbers = np.random.default_rng(size).integers(0, max(n, 1), size).astype(dtype)
    counts = on.to_host(on.counts(on.asarray(numbers), n))
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, np.bincount(numbers.astype(np.int64), minlength=n))
