"""Integers that arrive in batches keep their numbers, and indexes share a table without harm."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cc_rapids import Connectivity, backends
from cc_rapids.data.read import NOTHING as NOTHING_READ
from cc_rapids.errors import ColumnTypeError, InputError
from cc_rapids.ids import arrival_table, growing
from cc_rapids.ids.growing import Integers
from cc_rapids.kernels import arrival_table as kernels

ON = backends.get("threads")
NEAR, FAR = st.integers(-50, 50), st.integers(-(2**63), 2**63 - 1)


def bits(values):
    return np.array(values, np.int64)


def check(index, expected):
    """The index has these ids, each with the number by which it was found first."""
    assert index.n == len(expected)
    assert sorted(expected) == index.ids.tolist()
    assert np.array_equal(index.arrived.view(index.wide)[index.places], sorted(expected))
    numbers, known = index.lookup(np.array(list(expected), index.wide), ON)
    assert known.all()
    assert sorted(numbers.tolist()) == list(range(index.n))
    assert dict(zip(expected, numbers.tolist(), strict=True)) == expected


@given(st.lists(st.lists(NEAR | FAR, max_size=30), max_size=6))
@settings(deadline=None)
def test_numbers_stay_as_they_were(batches):
    index, expected = Integers.empty(ON), {}
    for batch in batches:
        index, (numbers, again) = index.insert([bits(batch), bits(batch[::-1])], ON)
        assert numbers.tolist() == again[::-1].tolist()
        for value, number in zip(batch, numbers.tolist(), strict=True):
            assert expected.setdefault(value, number) == number
        if expected:
            check(index, expected)


@pytest.mark.parametrize("step", [1, 10**12], ids=["by place", "by hash"])
def test_an_older_index_goes_on_with_a_table_of_its_own(step):
    old, _ = Integers.empty(ON).insert([bits([1, 2, 3]) * step], ON)
    one, (first,) = old.insert([bits([4, 5]) * step], ON)
    other, (second,) = old.insert([bits([6, 4]) * step], ON)
    assert one.table is not other.table
    assert first.tolist() == second.tolist() == [3, 4]
    for index, known in ((old, 3), (one, 5), (other, 5)):
        found = index.lookup(bits([1, 2, 3, 4, 5, 6, 7]) * step, ON)[1]
        assert int(found.sum()) == known
    assert one.lookup(bits([6]) * step, ON)[1].tolist() == [False]
    assert other.lookup(bits([5]) * step, ON)[1].tolist() == [False]


def test_ids_are_found_behind_later_ids(on):
    """A table that was built again has its ids in any order: here, the older half comes last."""
    ids, n = np.random.default_rng(1).integers(0, 2**63, 1000).astype(np.uint64), 500
    table = arrival_table.ArrivalTable(on.asarray(ids), 0, 2**64 - 1, 0, on)
    slots, free = on.to_host(table.slots).copy(), np.iinfo(table.vertex).max
    slots[slots != free] = 999 - slots[slots != free]
    table.slots, table.ids = on.asarray(slots), on.asarray(ids[::-1].copy())
    numbers, valid = map(on.to_host, table.look_up(table.ids, n))
    assert valid.tolist() == [True] * n + [False] * n
    assert numbers[:n].tolist() == list(range(n))
    kernel = on.kernel(kernels.look_up, table.vertex, kernels.by_hash)
    out, known = np.zeros(1000, table.vertex), np.zeros(1000, np.uint8)
    kernel.by_numpy(1000, ids[::-1], table.base, n, slots, ids[::-1], out, known)
    assert (out.tolist(), known.tolist()) == (numbers.tolist(), valid.tolist())


def test_an_older_index_is_pickled_with_its_ids():
    index, _ = Integers.empty(ON).insert([bits([5, 10**12, 7])], ON)
    index.insert([bits(range(0, 10**12, 10**9))], ON)  # takes the ids to a larger table
    check(pickle.loads(pickle.dumps(index)), {5: 0, 10**12: 1, 7: 2})


@pytest.mark.parametrize("step", [1, 10**12], ids=["by place", "by hash"])
def test_an_interrupted_batch_leaves_the_index_as_it_was(step, monkeypatch):
    index, _ = Integers.empty(ON).insert([bits([1, 2, 3]) * step], ON)
    with monkeypatch.context() as patch:

        def interrupt(*_):
            raise KeyboardInterrupt

        patch.setattr(arrival_table.ArrivalTable, "_reserve", interrupt)
        with pytest.raises(KeyboardInterrupt):
            index.insert([bits([9, 8]) * step], ON)
    found, known = index.lookup(bits([1, 2, 3, 8, 9]) * step, ON)
    assert known.tolist() == [True] * 3 + [False] * 2
    after, (numbers,) = index.insert([bits([3, 9, 7]) * step], ON)
    assert after.n == 5
    assert numbers[0] == found[2]
    assert sorted(numbers[1:].tolist()) == [3, 4]


def test_a_table_changes_from_hashes_to_places_and_back():
    index, _ = Integers.empty(ON).insert([bits([0, 10**5])], ON)
    assert not index.table.by_place
    index, _ = index.insert([np.arange(40_000)], ON)
    assert index.table.by_place
    index, _ = index.insert([bits([10**15])], ON)
    assert not index.table.by_place
    check(index, by_number(index))


def by_number(index):
    return dict(zip(index.arrived.view(index.wide).tolist(), range(index.n), strict=True))


@pytest.mark.parametrize("step", [1, 10**12], ids=["by place", "by hash"])
def test_ids_that_go_on_upwards_or_downwards_remake_the_table_now_and_then(monkeypatch, step):
    made = []
    init = arrival_table.ArrivalTable.__init__
    monkeypatch.setattr(
        arrival_table.ArrivalTable, "__init__", lambda *a, **k: (made.append(1), init(*a, **k))[1]
    )
    for sign in (1, -1):
        made.clear()
        index = Integers.empty(ON)
        for start in range(0, 100_000, 1000):
            index, _ = index.insert([sign * step * np.arange(start, start + 1000)], ON)
        assert index.table.by_place == (step == 1)
        assert index.n == 100_000
        assert len(made) <= 16, "one table for each half as many ids more"


def test_the_whole_range_of_64_bits():
    ends = [-(2**63), -1, 0, 2**63 - 1]
    index, _ = Integers.empty(ON).insert([bits(ends)], ON)
    assert index.ids.tolist() == ends
    big = np.array([0, 2**63, 2**64 - 1], np.uint64)
    with pytest.raises(ColumnTypeError, match="no integer type holds both"):
        index.insert([big], ON)
    index, _ = Integers.empty(ON).insert([big], ON)
    assert index.ids.tolist() == big.tolist()
    assert index.lookup(bits([-1, 0]), ON)[1].tolist() == [False, True]


def test_columns_that_change_are_refused(monkeypatch):
    index, _ = Integers.empty(ON).insert([bits([1, 2, 3])], ON)
    monkeypatch.setattr(growing, "bounds", lambda arrays, backend: (1, 3))
    with pytest.raises(InputError, match="changed while it was read"):
        index.extend(NOTHING_READ, [bits([1, 2**40]), bits([2, -7])], ON)
    assert index.lookup(bits([1, 2**40, -7]), ON)[1].tolist() == [True, False, False]
    monkeypatch.undo()
    assert index.insert([bits([9])], ON)[0].n == 4


def test_many_threads_claim_each_id_once():
    random = np.random.default_rng(5)
    for step in (1, 2**40 + 1):
        index = Integers.empty(ON)
        for seed in range(20):
            rows = random.integers(0, 3000, 20_000) * step
            index, (numbers,) = index.insert([rows], ON)
            assert np.array_equal(index.arrived.view(np.int64)[numbers], rows), seed
        assert np.unique(index.arrived).size == index.n == 3000


def test_a_batch_that_fails_changes_nothing():
    seen = Connectivity().insert((np.array([1, 2]), np.array([2, 3])))
    with pytest.raises(ColumnTypeError):
        seen.insert((np.array([5], np.uint64) + np.uint64(2**63), np.array([-1])))
    seen.insert((np.array([7]), np.array([3])))
    assert seen.components().labels()[0].tolist() == [1, 2, 3, 7]


@pytest.mark.parametrize("vertex", [np.uint32, np.uint64])
def test_free_slots_belong_to_no_id_by_numpy_either(vertex):
    ids = bits([10**12, -5, 7])
    slots = np.full(32, np.iinfo(vertex).max, vertex)
    arrived = np.zeros(8, np.uint64)
    numbers, is_new, out = np.zeros(3, vertex), np.zeros(3, np.uint8), np.zeros(3, vertex)
    claim = kernels.claim(ON, vertex, kernels.by_hash)
    claim.by_numpy(3, ids, 0, 0, slots, arrived, out, is_new, numbers)
    assign_numbers = kernels.assign_numbers(ON, vertex)
    assign_numbers.by_numpy(3, np.flatnonzero(is_new), ids, 0, slots, arrived, numbers)
    look_up = kernels.look_up(ON, vertex, kernels.by_hash)
    wanted, found, valid = bits([7, 8]), np.zeros(2, vertex), np.zeros(2, np.uint8)
    look_up.by_numpy(2, wanted, 0, 3, slots, arrived, found, valid)
    assert valid.tolist() == [1, 0]
    assert found.tolist() == [2, 0]
