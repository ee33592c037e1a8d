"""Slots found block by block of the table: the same edges and ids, in another order."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import sizes
from support.choices import each
from support.machine import SIMULATED

import cc_rapids
from cc_rapids import backends, oracle
from cc_rapids.api import find_components
from cc_rapids.data.adapters import Csr
from cc_rapids.ids import encode, hash_table
from cc_rapids.ids.range import IdRange
from cc_rapids.kernels import id_blocks, id_place
from cc_rapids.kernels.id_blocks import TILE
from cc_rapids.kernels.partition import MOST_BLOCKS
from cc_rapids.options import Options

M = TILE + 9 if SIMULATED else 5 * TILE + 9
FEW = {"estimated_ids": 10, "sampled_scan_edges": 10, "small_id_range": 10, "blocked_ids": 1}
LIMITS = np.iinfo(np.int64)

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def in_blocks(monkeypatch, on):
    """Blocks of 64 slots at least, for lists of any length, on any engine."""
    monkeypatch.setattr(type(on), "in_one_launch", False)
    monkeypatch.setattr(type(on), "finds_in_blocks", True)
    monkeypatch.setattr(id_blocks, "LEAST_SHIFT", 6)
    monkeypatch.setattr(hash_table, "_spread_evenly", lambda *given: True)
    with sizes.override(**FEW):
        yield


@pytest.fixture
def made(monkeypatch):
    """The tables that were filled block by block."""
    tables, place = [], hash_table.PlacedSlots._place_in_blocks

    def noted(self, *given):
        tables.append(self)
        place(self, *given)

    monkeypatch.setattr(hash_table.PlacedSlots, "_place_in_blocks", noted)
    return tables


def range_of(*columns):
    low, high = min(int(c.min()) for c in columns), max(int(c.max()) for c in columns)
    return IdRange(low, high, np.dtype(np.int64 if low < 0 else np.uint64))


def edges_of(table, on):
    """The edges of a table's slots, sorted, as the words of their ids, the larger one first."""
    keys = on.to_host(table.keys).copy()
    keys[-1] = -1 % 2**64  # the slot of the id that has the bits of a free one
    ends = [keys[on.to_host(column)] for column in table.columns]
    if table.in_blocks:
        assert (ends[0] >= ends[1]).all()
    return np.sort(np.rec.fromarrays(np.sort(ends, axis=0)[::-1], names="larger, smaller"))


def check_slots(src, dst, on, ids=None):
    """Both ways leave the same ids in the table, and the same edges; return the one by blocks."""
    ids, given = ids or range_of(src, dst), [on.asarray(src), on.asarray(dst)]
    expected = np.unique(np.append(src, dst)).size
    tables = [hash_table.PlacedSlots(given, ids, on, expected, any_order) for any_order in (0, 1)]
    assert [table.complete for table in tables] == [True, True]
    one, other = (edges_of(table, on) for table in tables)
    np.testing.assert_array_equal(one, other)
    one, other = (np.sort(on.to_host(table.keys)) for table in tables)
    np.testing.assert_array_equal(one, other)
    assert [column.size for column in tables[1].columns] == [src.size] * 2
    return tables[1]


def ends(count, m, dtype=np.int64, seed=0):
    """Two columns of ids from anywhere, of ``count`` different ones."""
    limits, random = np.iinfo(dtype), np.random.default_rng(seed)
    ids = random.integers(limits.min, limits.max, count, dtype, endpoint=True)
    return ids[random.integers(0, count, (2, m))]


@each(m=[1, TILE - 1, TILE, TILE + 1, M], count=[1, 40, 3000])
def test_all_edges_of_full_tiles_and_others(on, made, m, count):
    check_slots(*ends(count, m), on)
    assert len(made) == 1


@pytest.mark.parametrize("tiles", [1, 2])
def test_parts_of_a_list_share_their_memory(on, monkeypatch, tiles):
    monkeypatch.setattr(id_blocks, "tiles_of", lambda *given: tiles)
    check_slots(*ends(4000, 2 * TILE + 9), on)


@pytest.mark.parametrize("least_shift", [1, 30])
def test_the_most_blocks_and_one(on, monkeypatch, least_shift):
    monkeypatch.setattr(id_blocks, "LEAST_SHIFT", least_shift)
    assert id_blocks.table_blocks_of(5000)[0] == (1 if least_shift == 30 else 157)
    check_slots(*ends(3000, TILE + 50), on)


def test_threads_of_a_segment_are_fewer_where_it_is_short(on, monkeypatch):
    for warp, blocks, lanes in ((32, 1, 32), (32, 50, 32), (32, 100, 16), (32, 256, 8), (1, 9, 1)):
        assert id_blocks.lanes_of(blocks, warp) == lanes
    monkeypatch.setattr(id_blocks, "lanes_of", lambda blocks, warp: 4)
    check_slots(*ends(300, TILE + 5), on)


def test_sums_of_many_segments_are_taken_in_runs(on):
    with sizes.override(single_block_sum=10):
        check_slots(*ends(3000, M), on)


def test_larger_ends_in_one_block_and_smaller_ones_in_another(on):
    """Chunks that lie within one segment each, and blocks without any edge."""
    random = np.random.default_rng(3)
    src, dst = random.integers(0, 2**50, M), 2**62 + random.integers(0, 2**50, M)
    src[:30], dst[:30] = 2**61, 2**61 + 5
    ids = IdRange(0, 2**63 - 1, np.dtype(np.int64))
    src, dst = src // 2**43 * 2**43, dst // 2**43 * 2**43
    check_slots(src, dst, on, ids)


def test_a_hub_at_either_end(on):
    src, dst = ends(2000, M)
    src[::2] = src[1]
    check_slots(src, dst, on)
    check_slots(dst, src, on)


@each(
    compiled={"dtypes": [("i8", "u8"), ("u8", "i8"), ("i4", "i8")]},
    dtypes=[("i8", "u8"), ("u8", "i8"), ("u8", "u8"), ("i4", "i8"), ("i4", "i4")],
)
def test_sides_of_different_types(engine, made, dtypes):
    random = np.random.default_rng(4)
    most = min(np.iinfo(dtype).max for dtype in dtypes)
    ids = random.integers(0, most, 2000, np.uint64, endpoint=True)
    src, dst = (ids[random.integers(0, 2000, TILE + 5)].astype(dtype) for dtype in dtypes)
    check(engine, src, dst)
    assert len(made) == 1


def test_ids_at_the_ends_of_bits(engine, made):
    for dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        src, dst = ends(2000, TILE + 5, dtype)
        src[7:9], dst[7:9] = [limits.max, limits.min], [limits.min, limits.max]
        src[11], dst[40] = limits.max, limits.max
        check(engine, src, dst)
    assert len(made) == 2


def check(engine, src, dst, **options):
    found = cc_rapids.components((src, dst), engine=engine, **options)
    vertex, labels = found.labels()
    ids = np.unique(np.append(src, dst))
    places = (np.searchsorted(ids, side) for side in (src, dst))
    np.testing.assert_array_equal(vertex, ids)
    np.testing.assert_array_equal(labels, ids[oracle.union_find(*places, ids.size)])
    assert found.summary()["ids"] == "hash slots"
    return found


@pytest.mark.parametrize("count", [M // 2, 2 * M])
def test_labels(engine, made, count):
    check(engine, *ends(count, M))
    assert len(made) == 1


anywhere = st.one_of(
    st.integers(LIMITS.min, LIMITS.max),
    st.sampled_from([-1, 0, LIMITS.min, LIMITS.max, LIMITS.max - 1, 2**62]),
    st.integers(0, 5).map(lambda k: 2**40 + k),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(anywhere, anywhere), min_size=1, max_size=60))
@example([(5, 5)] * 40)
@example([(LIMITS.max, LIMITS.max)])
def test_what_is_found_is_what_is_listed(rows):
    src, dst = np.array(rows, np.int64).T
    check_slots(src, dst, backends.get("threads"), IdRange(LIMITS.min, LIMITS.max, src.dtype))


def test_bunched_ids_take_hashes(engine, made, monkeypatch, caplog):
    caplog.set_level("INFO", "cc_rapids")
    random = np.random.default_rng(6)
    src, dst = random.permutation(3000), random.permutation(3000)
    src[0] = 2**60
    check(engine, src, dst)
    assert [table.complete for table in made] == [False]
    assert "the ids are bunched" in caplog.text


def test_no_search_leaves_the_table(on, monkeypatch):
    monkeypatch.setattr(id_place, "MARGIN", 4)
    ids = on.asarray(np.append(np.arange(100) + 2**40 - 100, 0))
    table = hash_table.PlacedSlots([ids, ids], IdRange(0, 2**40, ids.dtype), on, None, True)
    assert not table.complete


# Where edges are asked for by their rows.


def test_spanning_forests_name_the_rows_of_the_list(engine, made):
    src, dst = ends(900, 1500)
    vertex = np.unique([src, dst])
    places = [np.searchsorted(vertex, side) for side in (src, dst)]
    for options in ({"forest": True}, {"forest": "min", "weight": np.arange(1500)[::-1].copy()}):
        found = check(engine, src, dst, **options)
        row = np.asarray(found.forest().row)
        assert row.size == found.num_vertices - len(found)
        joined = oracle.union_find(*(side[row] for side in places), vertex.size)
        np.testing.assert_array_equal(joined, oracle.union_find(*places, vertex.size))
    assert sorted(row) == oracle_rows(*places, vertex.size)
    assert not made


def oracle_rows(us, vs, n):
    """The rows of a spanning forest in which later rows come first."""
    parent, rows = list(range(n)), []

    def root(v):
        while parent[v] != v:
            v = parent[v]
        return v

    for row in range(us.size)[::-1]:
        u, v = root(us[row]), root(vs[row])
        if u != v:
            parent[max(u, v)] = min(u, v)
            rows.append(row)
    return sorted(rows)


def test_adjacency_lists_and_named_vertices_stay_in_order(engine, made):
    src, dst = ends(400, 700)
    check(engine, src, dst, vertices=src)
    rows = Csr(np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0]), True)
    assert len(cc_rapids.components(rows, engine=engine)) == 1
    assert not made


def test_records_keep_their_places(engine, made):
    import pandas as pd

    ids = np.unique(ends(500, 1000))
    frame = pd.DataFrame({"id": ids, "key": np.arange(ids.size) // 3})
    linked = cc_rapids.link_records(frame, ["key"], id="id", engine=engine)
    np.testing.assert_array_equal(linked.labels().labels, ids[np.arange(ids.size) // 3 * 3])
    assert not made


def test_only_backends_that_gain_change_the_order(on, made, monkeypatch):
    src, dst = ends(400, 700)
    monkeypatch.setattr(type(on), "finds_in_blocks", False)
    check(on.name, src, dst)
    monkeypatch.setattr(type(on), "finds_in_blocks", True)
    with sizes.override(blocked_ids=10**6):
        check(on.name, src, dst)
    assert not made
    check(on.name, src, dst)
    assert len(made) == 1


def facts_of(rows, **more):
    ids = IdRange(LIMITS.min, LIMITS.max, np.dtype(np.int64))
    return encode.IdFacts(encode.INTEGERS, rows, 8 * rows, ids, rows, **more)


def test_parts_take_no_more_than_the_cost_of_the_encoding(on, monkeypatch):
    max_bytes = encode.HashEncoding().max_bytes
    for rows in (10**3, 10**6, 10**9):
        slots = hash_table.slots_for(rows)
        room = hash_table.bytes_of_order(slots, rows, 4)
        assert 8 * slots + 4 * rows + room == max_bytes(facts_of(rows))
        assert max_bytes(facts_of(rows, any_order=True)) == max_bytes(facts_of(rows))
    for m in (1, TILE, 10**6, 10**8, 10**10):
        for width in (4, 8, 20):
            for blocks in (1, 20, MOST_BLOCKS):
                tiles = id_blocks.tiles_of(m, width * m, blocks)
                size = tiles * (20 * TILE + 13 * blocks + 16)
                assert size <= max(width * m, size // tiles)
                assert tiles * TILE < 1 << 32
                assert (tiles - 1) * TILE < m
    src, dst = ends(3000, 6 * TILE if not SIMULATED else 2 * TILE)
    taken, empty = [], type(on).empty
    table = hash_table.PlacedSlots([src, dst], range_of(src, dst), on, 3000)
    where = hash_table._home_slot_parameters(range_of(src, dst), 4000)
    full = on.fill(on.empty(1, np.uint32), 0)

    def noted(self, n, dtype):
        taken.append(n * np.dtype(dtype).itemsize)
        return empty(self, n, dtype)

    monkeypatch.setattr(type(on), "empty", noted)
    table._place_in_blocks([src, dst], where, 4000, full)
    room = hash_table.bytes_of_order(4000, 3000, 4)
    assert SIMULATED or sum(taken) <= room + (1 << 16)


# What the caller says of the number of vertices.


@each(said=[1, 50, 700, 10**9], spread=[True, False])
def test_a_wrong_number_of_vertices_gives_a_right_answer(engine, on, monkeypatch, said, spread):
    monkeypatch.setattr(hash_table, "_spread_evenly", lambda *given: spread)
    src, dst = ends(1500, 1500)
    options = Options.check(wants_labels=True, engine=engine, expected_rows=said)
    found = find_components((src, dst), options)
    ids = np.unique([src, dst])
    places = (np.searchsorted(ids, side) for side in (src, dst))
    np.testing.assert_array_equal(found.labels().vertex, ids)
    np.testing.assert_array_equal(found.labels().labels, ids[oracle.union_find(*places, ids.size)])


def test_a_number_that_the_caller_knows_is_not_estimated(engine, on, monkeypatch, made):
    monkeypatch.setattr(hash_table, "_estimate_ids", None)
    src, dst = ends(3000, 2500)
    count = np.unique([src, dst]).size
    options = Options.check(wants_labels=True, engine=engine, expected_rows=count)
    assert find_components((src, dst), options).num_vertices == count
    assert [table.expected_vertices for table in made] == [count]
