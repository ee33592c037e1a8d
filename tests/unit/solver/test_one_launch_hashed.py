"""Ids far apart in one launch: the same answers as by the usual way, in the order of the ids."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import sizes

from cc_rapids import backends, components, oracle
from cc_rapids.algorithms.auto import ONE_LAUNCH_RULE
from cc_rapids.kernels import find, id_hash, one_launch_hashed

ODD = 0x9E3779B97F4A7C15  # spreads 0, 1, ... over all 64-bit integers, each to another one


pytestmark = pytest.mark.usefixtures("launched")


@pytest.fixture(params=[True, False], ids=["at once", "by a second launch"])
def table_at_once(request):
    """Whether the launch that scans the ids has a hash table ready."""
    with sizes.override(hashed_at_once=1 << 15 if request.param else 0, small_id_range=10):
        yield request.param


def hashed(numbers, dtype):
    """Different integers of a type for different numbers."""
    return (np.asarray(numbers).astype(np.uint64) * np.uint64(ODD)).astype(dtype)


def expected(src, dst):
    """Vertices in order, and the least id of each component, by the oracle."""
    vertex = np.unique([src, dst])
    ends = (np.searchsorted(vertex, side) for side in (src, dst))
    return vertex, vertex[oracle.union_find(*ends, vertex.size)]


def check(found, src, dst):
    labels = found.labels()
    for mine, theirs in zip(labels, expected(src, dst), strict=True):
        np.testing.assert_array_equal(mine, theirs)
        assert mine.dtype == np.result_type(src.dtype, dst.dtype)
    assert found.summary()["ids"] == "hash slots"
    assert len(found) == np.unique(labels.labels).size


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32])
@pytest.mark.parametrize("m", [1, 2, 40, 3000])
def test_labels_are_those_of_the_usual_way(launched, table_at_once, dtype, m):
    src, dst = hashed(np.random.default_rng(m).integers(0, m, (2, m)), dtype)
    src[0], dst[0] = np.iinfo(dtype).min, np.iinfo(dtype).max
    found = components((src, dst))
    found.labels()
    assert launched == ["solve"] * (1 if table_at_once else 2) + ["decode_rows"]
    check(found, src, dst)
    usual = components((src, dst), design=ONE_LAUNCH_RULE.design)
    for kind in ("min", "max", "dense", "size", "fingerprint"):
        for mine, theirs in zip(found.labels(kind), usual.labels(kind), strict=True):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype
    assert found.summary()["components"] == usual.summary()["components"]
    np.testing.assert_array_equal(found.component_of(dst), usual.component_of(dst))
    assert found == usual


def test_the_id_with_all_bits_set(launched, table_at_once):
    for src, dst in (
        (np.array([-1, 2**40]), np.array([7, 5])),
        (np.array([2**64 - 1, 2**40], np.uint64), np.array([2**64 - 1, 5], np.uint64)),
    ):
        check(components((src, dst)), src, dst)


def test_columns_of_two_widths(launched, table_at_once):
    src, dst = np.array([2**40, -3, 5]), np.array([-3, 4, 6], np.int32)
    check(components((src, dst)), src, dst)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=1, max_size=60),
    st.sampled_from([2**20 + 3, 2**50 + 1, ODD]),
    st.booleans(),
)
def test_any_small_list(pairs, apart, at_once):
    ends = np.array([(u * apart, v * apart) for u, v in pairs] + [(0, apart * 7)], object)
    src, dst = ((ends & (2**64 - 1)).astype(np.uint64).astype(np.int64)).T
    with sizes.override(hashed_at_once=1 << 15 if at_once else 0, small_id_range=10):
        vertex, labels = components((src, dst)).labels()
    for mine, theirs in zip((vertex, labels), expected(src, dst), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_ids_in_a_few_bunches_are_sorted_afterwards(launched, table_at_once):
    """A bucket of one id too many is enough."""
    random = np.random.default_rng(5)
    src, dst = random.integers(0, 1000, (2, 2000)) + (random.integers(0, 3, (2, 2000)) << 40)
    found = components((src, dst))
    assert launched[0] == "solve"
    assert len(launched) > 3
    check(found, src, dst)
    most = int(one_launch_hashed.MAX_BUCKET)
    for size in (most, most + 1):  # the last of which is one too many
        del launched[:]
        near, further = np.arange(size), np.append(np.arange(1, size), 2**50)
        found = components((near, further))
        assert (len(launched) > 2) == (size > most)
        check(found, near, further)


def test_a_table_that_is_full_makes_room_for_the_usual_way(launched, table_at_once, monkeypatch):
    """A longer search than allowed: of one slot, so that the second id of a slot finds none."""
    backends.get("threads").__class__.kernel.cache_clear()
    monkeypatch.setattr(id_hash, "PROBES", np.uint64(1))
    from cc_rapids.solver import one_launch

    one_launch._kernel.cache_clear()
    src, dst = hashed(np.arange(900).reshape(2, 450), np.int64)
    check(components((src, dst), design="auto"), src, dst)
    assert len(launched) > 2
    backends.get("threads").__class__.kernel.cache_clear()
    one_launch._kernel.cache_clear()


def test_what_the_plan_says(launched, table_at_once):
    src, dst = hashed(np.arange(900).reshape(2, 450), np.int64)
    planned, found = components((src, dst), explain=True), components((src, dst))
    assert planned.ids == found.summary()["ids"] == "hash slots"
    assert planned.design == found.summary()["design"] == str(ONE_LAUNCH_RULE.design)


def test_answers_outlive_the_run(launched, table_at_once, tmp_path):
    src, dst = hashed(np.random.default_rng(1).integers(0, 90, (2, 90)), np.int64)
    found = components((src, dst))
    found.save(tmp_path / "answer")
    from cc_rapids import Components

    check(found, src, dst)
    np.testing.assert_array_equal(
        Components.load(tmp_path / "answer").labels().labels, found.labels().labels
    )
    assert src[3] in found
    assert 12345 not in found


def test_an_id_beyond_the_range_counts_as_one_without_a_slot():
    """As only a column that another thread writes has: it has no bucket to be counted in."""
    on = backends.get("threads")
    distance = one_launch_hashed.distance_in(on, 0)
    count = one_launch_hashed.count_buckets(on, find.find_with_skip(on), distance)

    @on.cooperative
    def run(t, n, step, low, span, keys, tree, within, starts, totals, flags):
        count(
            t, step, np.uint64(low), np.uint64(span), 0, keys, tree, within, starts, totals, flags
        )

    for ids, full in (([5, 9], 0), ([5, 10], 1), ([4, 9], 1)):
        keys = np.array([*ids, 2**64 - 1, 2**64 - 1], np.uint64)
        tree, within = np.arange(4, dtype=np.uint32), np.zeros(4, np.uint32)
        starts, totals, flags = np.zeros(6, np.uint32), np.zeros(2, int), np.zeros(2, int)
        run(4, 5, 4, keys, tree, within, starts, totals, flags)
        assert flags.tolist() == [full, 0]
        assert starts.sum() == 2 - full
