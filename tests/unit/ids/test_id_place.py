"""Slots in the order of evenly spread ids: the same answers, and no sort."""

import numpy as np
import pytest
from support import sizes
from support.choices import each
from support.machine import SIMULATED

import cc_rapids
from cc_rapids import oracle
from cc_rapids.ids import hash_table
from cc_rapids.ids.range import IdRange
from cc_rapids.kernels import id_place

M = 2000 if SIMULATED else 6000


@pytest.fixture(autouse=True)
def long_lists(monkeypatch, on):
    """Let lists of this file count as long, on an engine without launches that hash short ones."""
    monkeypatch.setattr(type(on), "in_one_launch", False)
    monkeypatch.setattr(hash_table, "PARTS", 4)
    few = M // 10
    with sizes.override(
        estimated_ids=few, sampled_scan_edges=few, spread_sample_ids=M, small_id_range=10
    ):
        yield


@pytest.fixture
def placed(monkeypatch):
    """The tables that were made in the order of the ids."""
    made, make = [], hash_table.PlacedSlots.__init__

    def noted(self, *given):
        make(self, *given)
        made.append(self)

    monkeypatch.setattr(hash_table.PlacedSlots, "__init__", noted)
    return made


def spread(n, dtype, seed=0):
    """Different integers of the whole range of a type, among them the first and the last."""
    limits = np.iinfo(dtype)
    found = np.random.default_rng(seed).integers(limits.min, limits.max, n, dtype, endpoint=True)
    ends = np.array([limits.min, limits.max, limits.max - 1, dtype(limits.max // 2)], dtype)
    return np.unique(np.append(found, ends))


def check(engine, src, dst):
    found = cc_rapids.components((src, dst), engine=engine)
    vertex, labels = found.labels()
    ids = np.unique([src, dst])
    ends = (np.searchsorted(ids, side) for side in (src, dst))
    np.testing.assert_array_equal(vertex, ids)
    np.testing.assert_array_equal(labels, ids[oracle.union_find(*ends, ids.size)])
    assert vertex.dtype == src.dtype
    assert found.summary()["ids"] == "hash slots"
    return found


@each(dtype=[np.int64, np.uint64, np.int32], vertices=[M // 2, 2 * M])
def test_labels_and_vertices_in_order(engine, placed, dtype, vertices):
    ids = spread(vertices, dtype)
    src, dst = ids[np.random.default_rng(1).integers(0, ids.size, (2, M))]
    src[:2], dst[:2] = ids[[0, -1]], ids[[-2, -1]]
    check(engine, src, dst)
    assert [table.complete for table in placed] == [True]


@pytest.mark.parametrize("lone", [-1, -(2**63), 2**63 - 1])
def test_the_ids_at_the_ends_of_bits(engine, placed, lone):
    """Alone, in a self-loop, and as the least of a component."""
    ids = spread(M, np.int64)
    src, dst = ids[np.random.default_rng(2).integers(0, ids.size, (2, M))]
    for side in (src, dst):
        side[np.isin(side, lone)] = 5
    check(engine, np.append(src, lone), np.append(dst, lone))
    check(engine, np.append(src, lone), np.append(dst, src[0]))
    assert [table.complete for table in placed] == [True, True]


def test_long_clusters_are_sorted(engine, monkeypatch, placed):
    """Runs of neighbours, each of which fills slots one after the other, in any order."""
    monkeypatch.setattr(hash_table, "_spread_evenly", lambda *given: True)
    starts = np.random.default_rng(3).integers(-(2**62), 2**62, M // 25)
    ids = np.random.default_rng(4).permutation((starts[:, None] + np.arange(25)).ravel())
    src = ids[np.random.default_rng(5).permutation(ids.size)]
    check(engine, src, np.where(np.arange(ids.size) % 3 == 0, ids, src))
    assert placed[0].complete


def test_bunched_ids_take_hashes(engine, monkeypatch, placed, caplog):
    caplog.set_level("INFO", "cc_rapids")
    ids = np.arange(2 * M)
    ids[0] = 2**60
    src, dst = ids[np.random.default_rng(6).integers(0, ids.size, (2, M))]
    src[0] = 2**60
    check(engine, src, dst)
    assert not placed
    monkeypatch.setattr(hash_table, "_spread_evenly", lambda *given: True)
    check(engine, src, dst)
    assert [table.complete for table in placed] == [False]
    assert "the ids are bunched" in caplog.text


def test_more_slots_than_32_bits_number_take_hashes(engine, monkeypatch, placed):
    monkeypatch.setattr(hash_table, "MOST_PLACED", M)  # the slots of fewer ids than there are
    src, dst = spread(2 * M, np.int64)[: 2 * M].reshape(2, M)
    check(engine, src, dst)
    assert not placed


def test_no_search_leaves_the_table(on, monkeypatch):
    """Of more ids than there is room for behind the last slot where a search begins."""
    monkeypatch.setattr(id_place, "MARGIN", 4)
    ids = np.append(np.arange(100) + 2**40 - 100, 0)
    table = hash_table.PlacedSlots(
        [on.asarray(ids), on.asarray(ids)], IdRange(0, 2**40, np.dtype(np.int64)), on
    )
    assert not table.complete


def test_ids_beyond_an_estimated_range_begin_at_its_ends(on):
    ids = np.append(np.arange(-40, 40) * 2**50, [2**63 - 1, -(2**63)])
    table = hash_table.PlacedSlots(
        [on.asarray(ids), on.asarray(ids)],
        IdRange(-30 * 2**50, 30 * 2**50, np.dtype(np.int64), exact=False),
        on,
    )
    assert table.complete
    forest = table.forest()
    forest.parent[:] = on.xp.arange(forest.n, dtype=forest.vertex)
    forest.count()
    flat, decoder = table.finalise_order(forest, np.dtype(np.int64))
    np.testing.assert_array_equal(on.to_host(decoder.ids), np.sort(ids))
    np.testing.assert_array_equal(on.to_host(flat.parent), np.arange(ids.size))
