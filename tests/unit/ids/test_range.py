"""Glances: the span of long lists is guessed from some rows, and no id is lost by it."""

import numpy as np
import pytest
from support.choices import rule_for
from support.edge_lists import check, components_of

import cc_rapids
from cc_rapids import backends, errors, generators
from cc_rapids.backends.dry_run import RecordingBackend, recorded_launches
from cc_rapids.data import read as frames
from cc_rapids.graph import memory_bound
from cc_rapids.graph.edges import Edges
from cc_rapids.ids import encode
from cc_rapids.ids.growing import Range
from cc_rapids.ids.range import IdRange
from cc_rapids.solver import choose


@pytest.fixture
def glancing(tuned):
    """Lists of any length are glanced at."""
    tuned(sampled_scan_edges=0)


def long_list(seed, m, low=-700, n=900):
    random = np.random.default_rng(seed)
    return tuple(low + random.integers(0, n, (2, m)))


@pytest.mark.parametrize("design", ["none+async+halve", "strided+async+halve"])
@pytest.mark.parametrize(
    ("row", "beyond"), [(0, 3), (300, 3), (300, -3), (2000, 2**20), (1500, 0.9)]
)
def test_ids_that_a_glance_misses_are_found(engine, glancing, caplog, design, row, beyond):
    """An id so many times beyond the others as a guess is widened by."""
    caplog.set_level("INFO", "cc_rapids")
    edges, more = long_list(row, 2100), int(beyond * memory_bound.MARGIN_IDS)
    edges[row % 2][row] = 200 + more if beyond > 0 else more - 700
    found = cc_rapids.components(edges, engine=engine, design=design)
    check(found, components_of(*map(np.ndarray.tolist, edges)))
    missed = row >= 256 and abs(beyond) > 1
    assert ("reading all rows" in caplog.text) is missed


@pytest.mark.parametrize("dtype", [np.uint64, np.int64, np.int32])
def test_a_glance_at_the_ends_of_a_type(engine, glancing, dtype):
    limit = np.iinfo(dtype)
    for low in (int(limit.min), int(limit.max) - 899):
        offsets = long_list(1, 1200, 0)
        edges = tuple(
            (offset.astype(np.uint64) + np.uint64(low % 2**64)).astype(dtype) for offset in offsets
        )
        found = cc_rapids.components(edges, engine=engine)
        check(found, components_of(*map(np.ndarray.tolist, edges)))


def test_a_glance_leaves_all_else_as_it_is(engine, glancing):
    edges = long_list(4, 1500)
    found = cc_rapids.components(edges, vertices=[1500, -3], engine=engine)
    check(found, components_of(*map(np.ndarray.tolist, edges), [1500, -3]))
    spread = tuple(side * 2**40 for side in edges)
    found = cc_rapids.components(spread, engine=engine)
    assert found.summary()["ids"] == "hash slots"
    check(found, components_of(*map(np.ndarray.tolist, spread)))
    with pytest.raises(errors.InputError, match=r"outside 0\.\.99"):
        cc_rapids.components(edges, num_vertices=100, engine=engine)


@pytest.mark.parametrize(("apart", "exact"), [(2**40, [False]), (208, [False, True])])
def test_columns_of_far_ids_are_not_read_for_their_span(
    engine, glancing, monkeypatch, tuned, apart, exact
):
    """Where a bit each may pay, they are."""
    tuned(small_id_range=10)
    monkeypatch.setattr(choose, "_launches_once", lambda *_: False)
    read, seen = encode._scan_bounds, []
    monkeypatch.setattr(
        encode, "_scan_bounds", lambda *rest, exact: seen.append(exact) or read(*rest, exact=exact)
    )
    edges = tuple(side * apart for side in long_list(4, 1500))
    found = cc_rapids.components(edges, engine=engine)
    check(found, components_of(*map(np.ndarray.tolist, edges)))
    assert seen == exact


def test_a_guess_says_how_much_of_it_was_seen():
    for size in (1, 100, 10**6, 2**63):
        more = (size - 1) // encode.WIDER + memory_bound.MARGIN_IDS
        guess = IdRange(-more, size - 1 + more, np.dtype(np.int64), False, more=more)
        assert 0.98 * size - 2 * memory_bound.MARGIN_IDS <= guess.least_size <= size


ROWS = 1 << 16
RANGE = ROWS * 9  # of the ids


def in_order(low=0):
    """Sources that grow, and both ends of an edge near each other."""
    random = np.random.default_rng(6)
    src = np.sort(random.integers(0, RANGE, ROWS))
    return src + low, src + low + random.integers(1, 100, ROWS)


def reordered(order):
    return tuple(end[order] for end in in_order())


def far(share):
    """The same with some ends anywhere."""
    src, dst = in_order()
    random = np.random.default_rng(8)
    return src, np.where(random.random(ROWS) < share, random.integers(0, RANGE, ROWS), dst)


FILES = np.argsort(np.arange(ROWS) % 8, kind="stable")
ORDERS = {
    "in order": (in_order(), 1, 1),
    "either end first": (in_order()[::-1], 1, 1),
    "backwards": (reordered(slice(None, None, -1)), 1, 1),
    "shuffled": (reordered(np.random.default_rng(7).permutation(ROWS)), 0, 0.2),
    "a file after the other": (reordered(FILES), 0.95, 1),
    "ends anywhere": (far(1), 0, 0.2),
    "one edge in ten far apart": (far(0.1), 0.88, 0.93),
    "the ends of the type": ((np.full(ROWS, -(2**63)), np.full(ROWS, 2**63 - 1)), 0, 0),
    "from its least id": (in_order(-(2**63)), 1, 1),
    "unsigned": (tuple(end.astype(np.uint64) + np.uint64(2**63) for end in in_order()), 1, 1),
}


@pytest.mark.parametrize("name", ORDERS)
def test_neighbours_in_a_list_that_are_near_are_seen(on, tuned, name):
    tuned(sampled_scan_edges=100)
    edges, least, most = ORDERS[name]
    given = frames.read(edges, "src", "dst", None, None, "raise")
    order = encode.id_range_of(given, list(map(on.asarray, edges)), on, exact=False).order
    assert least <= order.locality <= most


@pytest.mark.parametrize("forest", [False, True])
def test_a_list_that_falls_is_read_from_its_end(engine, glancing, monkeypatch, forest):
    """The rows of a spanning forest are those of the list as it came."""
    read, backwards = [], Edges.backwards
    machine = choose.Machine.of
    monkeypatch.setattr(
        choose.Machine, "of", lambda *given: machine(*given)._replace(on_device=True)
    )
    monkeypatch.setattr(choose, "_launches_once", lambda *_: False)

    def noted(edges):
        read.append(edges.m)
        return backwards(edges)

    monkeypatch.setattr(Edges, "backwards", noted)
    grid = generators.grid(40, 40, 0.8, 3)
    src, dst = (np.asarray(end)[::-1].copy() for end in grid.edges)
    found = cc_rapids.components((src, dst), engine=engine, forest=forest)
    assert read == [src.size]
    check(found, components_of(src.tolist(), dst.tolist()))
    del read[:]
    cc_rapids.components((src[::-1], dst[::-1]), engine=engine)
    assert not read
    if forest:
        rows = np.asarray(found.forest().row)
        assert rows.size == len(found.labels().vertex) - len(found)
        check(
            cc_rapids.components((src[rows], dst[rows])), components_of(src.tolist(), dst.tolist())
        )


def test_lists_without_rows_or_of_few(on, glancing):
    for edges in (([], []), ([3], [4])):
        sides = [np.array(side, np.int64) for side in edges]
        given = frames.read(tuple(sides), "src", "dst", None, None, "raise")
        assert encode.id_range_of(given, sides, on, exact=False).order.locality == len(sides[0])


def test_a_list_whose_neighbours_are_near_begins_with_tiles():
    """However many edges there are; otherwise, or as rows, a sample is better of many."""
    gpu = RecordingBackend()
    n, m = 2 * 10**6, 5 * 10**7
    assert rule_for(gpu, n, m, locality=0.7).design.window
    assert "a locality of at least 67%" in str(rule_for(gpu, n, m, locality=0.7))
    for other in (
        rule_for(gpu, n, m, locality=0.6),
        rule_for(gpu, n, m, symmetric=True),
        rule_for(gpu, n, 10**6, locality=1.0),
        rule_for(gpu, 10**5, m, locality=1.0),
        rule_for(backends.get("threads"), n, m, locality=1.0),
    ):
        assert not other.design.window


def test_rows_begin_with_tiles_where_a_list_of_few_edges_does_not():
    gpu, size = RecordingBackend(), 10**7
    assert rule_for(gpu, size, size, is_list=False).design.window
    assert rule_for(gpu, size, 2 * size, symmetric=True, is_list=False).design.window
    listed = rule_for(gpu, size, size)
    assert str(listed.design) == "none+rem-cas+splice"
    assert "for edge lists" in str(listed)


def test_no_column_is_read_for_a_span_that_is_given():
    """Of a short list; of a long one, some rows are looked at."""
    src, dst = np.array([0, 4, 4], np.int32), np.array([1, 5, 2], np.int32)
    for options, names in (({}, {"find_bounds"}), ({"num_vertices": 7}, set())):
        with recorded_launches() as on:
            cc_rapids.components((src, dst), **options)
        launched = {kernel.part.function.__name__ for kernel in on.launched.values()}
        assert launched & {"find_bounds", "sampled_scan", "sampled_order"} == names


@pytest.mark.parametrize(("dtype", "n"), [(np.int8, 253), (np.int16, 65_533), (np.int32, 9)])
def test_an_id_is_no_vertex_by_wrapping_around(engine, dtype, n):
    """-5 of 8 bits is 251 of 8 unsigned ones; that is no reason to take it for the vertex 251."""
    edges = np.array([3, 4], dtype), np.array([-5, 1], dtype)
    with pytest.raises(errors.InputError, match="'dst' holds the id -5, outside 0"):
        cc_rapids.components(edges, num_vertices=n, engine=engine)


def test_a_signed_and_an_unsigned_column_have_ids_2_32_apart(engine, glancing):
    left, right = (side.astype(np.int32) for side in long_list(5, 2100, low=-10))
    right = np.abs(right).astype(np.uint32)
    right[300] = 2**32 - 10  # in a row that the sample skips
    found = cc_rapids.components((left, right), engine=engine)
    check(found, components_of(left.tolist(), right.tolist()))


def test_named_vertices_lie_outside_the_type_of_the_columns(engine, glancing):
    """They were marked outside of the bit set, as the estimate was limited to the type."""
    edges, named = tuple(side.astype(np.uint32) for side in long_list(6, 2100, low=0)), range(-9, 5)
    found = cc_rapids.components(edges, vertices=named, engine=engine)
    check(found, components_of(*map(np.ndarray.tolist, edges), named))


def test_a_list_of_vertices_lies_outside_the_type_of_the_columns(engine, glancing):
    edges = tuple(side.astype(np.uint32) for side in long_list(6, 2100, low=0))
    edges[0][300] = 2**32 - 10  # in a row that the sample skips
    named = np.array([-50, -10])
    found = cc_rapids.components(edges, vertices=named, engine=engine)
    check(found, components_of(*map(np.ndarray.tolist, edges), named.tolist()))


def test_a_negative_id_of_a_batch_is_none_of_more_than_2_31_vertices(on):
    edges = np.array([5, -(2**31)], np.int32), np.array([7, 5], np.int32)
    given = frames.read(edges, None, None, None, None, "raise")
    with pytest.raises(errors.InputError, match="'src' holds the id -2147483648, outside 0"):
        Range(2**31 + 1).extend(given, edges, on, exact=False)
