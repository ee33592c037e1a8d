"""Removal of edges and vertices, expiry, and their errors."""

import datetime
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from cc_rapids import Connectivity, components, maximum_spanning_forest
from cc_rapids.backends import Kernel
from cc_rapids.errors import (
    ArgumentTypeError,
    ColumnTypeError,
    InputError,
    MissingColumnError,
    NullsError,
    UnknownVertexError,
)
from cc_rapids.incremental import forgetting, kept
from cc_rapids.kernels import lasting

EDGES = pd.DataFrame({"src": [1, 2, 1, 4], "dst": [2, 3, 3, 5], "until": [10, 30, 20, 40]})


def labels(seen):
    found = seen.components().labels()
    named = found._asdict() if isinstance(found, tuple) else found
    return dict(
        zip(*(np.asarray(named[name]).tolist() for name in ("vertex", "labels")), strict=True)
    )


def unread():
    raise AssertionError("no other edge is to be read")
    yield


def test_edges_outside_the_kept_forest_need_no_other_edges():
    seen = Connectivity(keep_forest=True).insert(EDGES[["src", "dst"]])
    kept = seen._state.kept
    ids = seen._state.index.arrived[np.array([kept.src, kept.dst])]
    assert kept.src.size == 3
    rows = {(1, 2), (2, 3), (1, 3)} - set(map(tuple, np.sort(ids, axis=0).T.tolist()))
    (outside,) = rows
    pair = ([outside[1]], [outside[0]])
    assert labels(seen.remove(pair, remaining=unread())) == {1: 1, 2: 1, 3: 1, 4: 4, 5: 4}


@pytest.mark.parametrize("dense", [0, 4])
@pytest.mark.parametrize("keep", [False, True])
def test_pairs_of_earlier_removals_stay_removed_until_they_are_inserted(
    keep, dense, tmp_path, monkeypatch
):
    monkeypatch.setattr(forgetting, "DENSE", dense)
    ring = pd.DataFrame({"src": ["d", "c", "b", "a"], "dst": ["c", "b", "a", "d"]})
    seen = Connectivity(keep_forest=keep).insert(ring).remove((["a"], ["b"]), remaining=ring)
    seen.save(tmp_path / "seen")
    for other in (seen, Connectivity.load(tmp_path / "seen")):
        other.remove((["b"], ["c"]), remaining=ring)
        assert labels(other) == {"a": "a", "b": "b", "c": "a", "d": "a"}
        other.remove((["c"], ["d"]), remaining=ring)  # (b, c) joins no component any more
        assert labels(other) == {"a": "a", "b": "b", "c": "c", "d": "a"}
        other.insert((["b"], ["a"])).remove((["a"], ["d"]), remaining=ring)
        assert labels(other) == {"a": "a", "b": "a", "c": "c", "d": "d"}


@pytest.mark.parametrize(
    ("edge", "expected"),
    [((2, 1), {1: 1, 2: 1, 3: 3, 4: 3}), ((2, 4), {1: 1, 2: 2, 3: 3, 4: 2})],
)
def test_only_the_inserted_pairs_of_an_iterator_return(edge, expected):
    ring = [(1, 2), (2, 3), (3, 1)]
    seen = Connectivity().insert(ring).remove([(1, 2)], remaining=ring)
    other = (3, 4) if edge == (2, 1) else (4, 4)

    def batches():
        yield [edge]
        seen.insert([other])  # the states of both are merged

    seen.insert(batches()).remove([(2, 3), (1, 3)], remaining=[*ring, edge, other])
    assert labels(seen) == expected


def test_parallel_edges_that_stay_are_inserted_again():
    parallel = pd.DataFrame({"src": ["a", "a"], "dst": ["b", "b"]})
    seen = Connectivity().insert(parallel).remove(parallel[:1], remaining=parallel[1:])
    assert len(seen) == 2
    assert len(seen.insert(parallel[1:])) == 1


def test_a_vertex_at_the_end_of_the_forest_needs_no_other_edges():
    seen = Connectivity(keep_forest=True).insert(([5, 6, 7], [6, 7, 7]))
    assert labels(seen.remove_vertices([5])) == {6: 6, 7: 6}


def test_the_least_vertex_of_all_is_forgotten():
    seen = Connectivity().insert(EDGES[["src", "dst"]])
    seen.remove_vertices([1], remaining=EDGES)
    assert labels(seen) == {2: 2, 3: 2, 4: 4, 5: 4}
    with pytest.raises(UnknownVertexError, match="not a vertex so far"):
        seen.connected(([1], [2]))


def test_values_of_a_column_are_forgotten_with_their_last_id(tmp_path):
    calls = pd.DataFrame({"a": ["mail"], "b": ["ann@x"], "c": ["card"], "d": ["77"]})
    seen = Connectivity().insert(calls, ["a", "b"], ["c", "d"])
    seen.remove_vertices([("mail", "ann@x")])
    seen.save(tmp_path / "seen")
    content = (tmp_path / "seen").read_bytes()
    assert b"ann@x" not in content
    assert seen.components().labels()[
        "1_vertex" if "1_vertex" in seen.components().labels() else "b"
    ].tolist() == ["77"]


def test_numbered_vertices_lose_edges_and_stay():
    seen = Connectivity(4).insert(([0, 1], [1, 2]))
    assert labels(seen.remove(([2], [1]), remaining=([0], [1]))) == {0: 0, 1: 0, 2: 2, 3: 3}
    with pytest.raises(InputError, match=r"num_vertices=4, which are exactly 0 \.\. 3"):
        seen.remove_vertices([3])


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    ("pairs", "given", "error", "match"),
    [
        (([1], [9]), {}, UnknownVertexError, "1 of 1 pairs is not an edge so far, first 1 and 9"),
        (([1, 1], [2, 4]), {}, UnknownVertexError, "1 of 2 pairs"),
        (([4], [5]), {}, InputError, "1 component may split.*pass them as remaining="),
        (([4], [5]), {"remaining": ([1], [8])}, UnknownVertexError, r"insert .* first"),
        (([4], [5]), {"remaining": ([1], [4])}, InputError, "1 of .* it was never inserted"),
        (([4], [5]), {"missing": "false"}, InputError, "missing"),
        (([None], [5]), {}, NullsError, "null"),
        ((4, 5), {}, ArgumentTypeError, r"^remove\(\) .* two single ids: call remove\(\(\[first\]"),
    ],
)
def test_an_error_changes_nothing(pairs, given, error, match, keep):
    seen = Connectivity(keep_forest=keep).insert(EDGES[["src", "dst"]])
    before = seen._state
    with pytest.raises(error, match=match):
        seen.remove(pairs, **given)
    assert seen._state is before


def test_unknown_pairs_and_ids_are_left_out_if_ignored():
    seen = Connectivity().insert(EDGES[["src", "dst"]])
    seen.remove(([1, 1], [9, 4]), missing="ignore").remove_vertices([77], missing="ignore")
    assert labels(seen) == {1: 1, 2: 1, 3: 1, 4: 4, 5: 4}
    with pytest.raises(UnknownVertexError, match="not a vertex so far, first 77: missing"):
        seen.remove_vertices([77])


def test_a_batch_of_an_iterator_that_began_before_a_removal_is_refused():
    seen = Connectivity().insert(([1], [2]))

    def batches():
        yield ([1], [2])
        seen.remove(([1], [2]), remaining=([], []))
        yield ([2], [3])

    with pytest.raises(InputError, match="while an iterator was read"):
        seen.insert(batches())
    assert labels(seen) == {1: 1, 2: 2}


def test_others_insert_after_a_list_has_been_read():
    seen = Connectivity().insert(([1, 2], [2, 3]))
    other = threading.Thread(target=seen.insert, args=(([3], [4]),))

    def left():
        other.start()
        yield ([1], [2])

    seen.remove(([2], [3]), remaining=left())
    other.join()
    assert labels(seen) == {1: 1, 2: 1, 3: 3, 4: 3}


@pytest.mark.parametrize("keep", [False, True])
def test_a_list_that_inserts_edges_while_it_is_read_is_refused(keep):
    seen = Connectivity(keep_forest=keep).insert(EDGES[["src", "dst"]])

    def left():
        seen.insert(([8], [9]))
        yield EDGES[:3]

    for remove in (seen.remove, seen.remove_vertices):
        given = ([4], [5]) if remove == seen.remove else [2]
        with pytest.raises(InputError, match="inserted or removed edges while it was read"):
            remove(given, remaining=left())
    assert labels(seen) == {1: 1, 2: 1, 3: 1, 4: 4, 5: 4, 8: 8, 9: 8}


def test_queries_in_a_batch_see_a_kept_forest():
    seen = Connectivity(keep_forest=True).insert(([1], [2]))
    rows = pd.DataFrame({"src": [2, 1], "dst": [3, 2], "query": [False, True]})
    assert seen.process(rows).tolist() == [True]
    assert labels(seen) == {1: 1, 2: 1, 3: 1}
    with pytest.raises(InputError, match="process"):
        Connectivity(expiry="until").process(rows)


def moments(*days):
    return [datetime.datetime(9999, 1, day) for day in days]


@pytest.mark.parametrize(
    ("until", "before"),
    [
        (np.array([1, 3, 2], np.uint8), 3),
        (np.array([0.5, 2.5, 1.5]), 2),
        (pa.array(moments(1, 3, 2)), datetime.datetime(9999, 1, 3)),
        (pa.array([one.date() for one in moments(1, 3, 2)]), datetime.date(9999, 1, 3)),
        (pl.Series(moments(1, 3, 2)), np.datetime64("9999-01-03")),
    ],
)
def test_edges_expire_by_times_of_many_types(until, before, tmp_path):
    make = pl.DataFrame if isinstance(until, pl.Series) else pa.table
    ends = {"src": np.array([1, 2, 3]), "dst": np.array([2, 3, 4])}
    seen = Connectivity(expiry="until").insert(make(ends | {"until": until}))
    seen.expire(before)
    seen.save(tmp_path / "seen")
    seen = Connectivity.load(tmp_path / "seen")
    assert labels(seen) == {1: 1, 2: 2, 3: 2, 4: 4}
    seen.insert(make(ends | {"until": until}))  # two of which have expired
    assert labels(seen.expire(before, drop_isolated=True)) == {2: 2, 3: 2}


def test_a_file_without_edges_holds_the_time_of_a_cut(tmp_path):
    no_time = pd.DataFrame({"src": [1], "dst": [2], "until": [np.nan]})
    seen = Connectivity(expiry="until").insert(no_time, nulls="drop").expire(0.5)
    seen.save(tmp_path / "seen")
    seen = Connectivity.load(tmp_path / "seen")
    assert len(seen.insert(no_time.assign(until=0.25))) == 2
    assert len(seen.insert(no_time.assign(until=0.75))) == 1


def test_files_hold_times(tmp_path):
    EDGES.to_parquet(tmp_path / "a.parquet")
    EDGES.to_parquet(tmp_path / "b.parquet")
    seen = Connectivity(expiry="until").insert(str(tmp_path / "*.parquet"))
    assert labels(seen.expire(25)) == {1: 1, 2: 2, 3: 2, 4: 4, 5: 4}
    seen.remove(([3], [2]), remaining=str(tmp_path / "*.parquet"))
    assert labels(seen) == {1: 1, 2: 2, 3: 3, 4: 4, 5: 4}


@pytest.mark.parametrize(
    ("edges", "error", "match"),
    [
        (EDGES[["src", "dst"]], MissingColumnError, "unknown column 'until': one of dst, src; "),
        (([1], [2]), MissingColumnError, "^the edges have no columns; expiry='until' names"),
        (EDGES.assign(until=1.5), ColumnTypeError, "are floats, but earlier times are integers"),
        (EDGES.assign(until=np.uint64(1 << 63)), ColumnTypeError, r"up to 2\^63 - 1"),
        (EDGES.assign(until="x"), ColumnTypeError, "must be numbers"),
        (EDGES.assign(until=[None, 1, 2, 3]).astype({"until": "Int64"}), NullsError, "1 of 4"),
    ],
)
def test_times_that_are_none_change_nothing(edges, error, match):
    seen = Connectivity(expiry="until").insert(EDGES)
    before = seen._state
    with pytest.raises(error, match=match):
        seen.insert(edges)
    assert seen._state is before


@pytest.mark.parametrize(
    ("before", "error", "match"),
    [
        (float("nan"), InputError, "not finite"),
        ("x", ArgumentTypeError, "number or a datetime"),
        (True, ArgumentTypeError, "bool"),
        (datetime.date(2020, 1, 1), InputError, "expiry times are integers"),
        (1 << 64, InputError, "64 bits"),
    ],
)
def test_a_time_that_is_none_is_refused(before, error, match):
    with pytest.raises(error, match=match):
        Connectivity(expiry="until").insert(EDGES).expire(before)


def test_expiry_needs_times():
    with pytest.raises(InputError, match="expiry='COLUMN'"):
        Connectivity().expire(3)
    with pytest.raises(InputError, match="insert edges first"):
        Connectivity(expiry="until").expire(3)
    with pytest.raises(ArgumentTypeError, match="int"):
        Connectivity(expiry=3)


def test_a_file_whose_forest_does_not_span_is_refused(tmp_path):
    from cc_rapids.data.files import archive
    from cc_rapids.errors import FormatError

    Connectivity(keep_forest=True).insert(([1, 2], [2, 3])).save(tmp_path / "seen")
    words, arrays = archive.read(tmp_path / "seen")
    arrays["kept_src"] = arrays["kept_src"][:1]
    archive.write(tmp_path / "seen", words, dict(arrays))
    with pytest.raises(FormatError, match="damaged"):
        Connectivity.load(tmp_path / "seen")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_batches_that_are_merged_keep_what_expires_last(kind, monkeypatch):
    """The rows are those of one forest of all edges, whose links survive what expires.

    Many expire at once, and their order has to stay when others go.
    """
    rng = np.random.default_rng(0)
    monkeypatch.setattr(kept, "MERGED", 0)
    seen, frames = Connectivity(expiry="until"), []
    for step in range(40):
        src, dst = rng.integers(0, 1500, (2, 100))
        until = rng.integers(step, step + 50, 100).astype(kind)
        frames.append(pd.DataFrame({"src": src, "dst": dst, "until": until}))
        seen.insert(frames[-1]).expire(step)
        every = pd.concat(frames)
        every = every[every["until"] >= step]
        held = seen._state.kept
        known = np.unique(pd.concat(frames)[["src", "dst"]])
        anew = components(every[["src", "dst"]], vertices=known)
        assert labels(seen) == dict(zip(*anew.labels().to_numpy().T.tolist(), strict=True))
        assert held.src.size == known.size - len(anew)
        best = maximum_spanning_forest(every, weight="until")
        assert sorted(held.until.tolist()) == sorted(every["until"].to_numpy()[best["row"]])
        rows = held.links[held.links != kept.NONE] & lasting.LOW
        assert np.sort(rows).tolist() == list(range(held.src.size))


def test_links_are_forgotten_with_edges_that_are_removed():
    frame = pd.DataFrame({"src": range(40), "dst": [v // 2 * 2 for v in range(40)], "until": 1})
    seen = Connectivity(expiry="until").insert(frame)
    seen.insert(pd.DataFrame({"src": [0], "dst": [2], "until": [5]}))
    assert seen._state.kept.links is not None
    seen.remove(([1], [0]), remaining=frame)
    assert seen._state.kept.links is None
    seen.insert(pd.DataFrame({"src": [1], "dst": [2], "until": [3]}))
    assert labels(seen)[1] == 0


def test_pairs_outside_the_forest_are_looked_up_in_a_table(monkeypatch):
    """A later removal looks at no edge of the forest, nor at any vertex but those of pairs."""
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 500, (2, 4000))
    seen = Connectivity(keep_forest=True).insert((edges[0], edges[1]))

    def outside():
        held = seen._state.kept
        ids = seen._state.index.arrived[np.array([held.src, held.dst])].astype(np.int64)
        inside = set(map(tuple, np.sort(ids, axis=0).T.tolist()))
        pairs = map(tuple, np.sort(edges, axis=0).T.tolist())
        return np.array([pair for pair in pairs if pair not in inside and pair[0] != pair[1]])

    for k in range(forgetting.SCANS):
        assert seen._state.kept.pairs is None
        seen.remove(tuple(outside()[10 + k :][:5].T), remaining=unread())
    launched, run = [], Kernel.__call__
    monkeypatch.setattr(
        Kernel, "__call__", lambda own, n, *more: (launched.append(n), run(own, n, *more))
    )
    seen.remove(tuple(outside()[5:9].T), remaining=unread())
    assert max(launched) == 4
    seen.insert(([1000], [7]))  # the table grows with the forest
    with pytest.raises(InputError, match="pass them as remaining="):
        seen.remove(([7], [1000]))
    seen.remove(([7], [1000]), remaining=(edges[0], edges[1]))
    assert labels(seen)[1000] == 1000


@pytest.mark.parametrize("expiry", [None, "until"])
def test_a_pair_that_is_given_twice_is_removed_once(expiry, monkeypatch):
    """Also where a table of the kept pairs is there, from the removal of one outside the forest."""
    monkeypatch.setattr(forgetting, "SCANS", 1)
    edges = pd.DataFrame({"src": [1, 2, 1, 5, 6, 8], "dst": [2, 3, 3, 6, 7, 9], "until": 3})
    seen = Connectivity(keep_forest=expiry is None, expiry=expiry).insert(edges)
    seen.remove(([3, 1], [1, 3]), remaining=edges)
    left = edges.drop(index=2)
    seen.remove(([2, 3, 2, 8], [3, 2, 3, 9]), remaining=left)
    assert labels(seen) == {1: 1, 2: 1, 3: 3, 5: 5, 6: 5, 7: 5, 8: 8, 9: 9}
    seen.remove(([5, 6], [6, 5]), remaining=left.iloc[[0, 2, 3]])
    assert labels(seen) == {1: 1, 2: 1, 3: 3, 5: 5, 6: 6, 7: 6, 8: 8, 9: 9}


@pytest.mark.parametrize("dense", [0, 4])
@pytest.mark.parametrize("dtype", [np.int32, np.uint64, np.uint8])
@pytest.mark.parametrize("factor", [1, 10**6])
@pytest.mark.parametrize("keep", [False, True])
def test_what_is_left_has_ids_of_any_type(keep, factor, dtype, dense, monkeypatch):
    """Also of other types than the ids were inserted with, and out of their range."""
    monkeypatch.setattr(forgetting, "DENSE", dense)
    if np.iinfo(dtype).max < 9 * factor:
        pytest.skip("does not fit")
    src, dst = (np.array(ends) * factor for ends in ([1, 2, 3, 8], [2, 3, 1, 9]))
    given = src.astype(dtype), dst.astype(dtype)
    seen = Connectivity(keep_forest=keep).insert((src, dst))
    seen.remove((src[:2], dst[:2]), remaining=given)
    own = np.array([1, 2, 1, 8, 8]) * factor
    assert list(labels(seen).values()) == own.tolist()
    given = given[0][2:], given[1][2:]
    for strange in (np.iinfo(dtype).max, 0):
        bad = np.append(given[0], dtype(strange)), np.append(given[1], given[1][:1])
        with pytest.raises(UnknownVertexError, match="1 of 3 edges of remaining="):
            seen.remove((src[2:3], dst[2:3]), remaining=bad)
    bad = np.append(given[0], given[0][:1]), np.append(given[1], given[1][1:])
    with pytest.raises(
        InputError, match="1 of 3 edges of remaining= joins two components, so it was never"
    ):
        seen.remove((src[2:3], dst[2:3]), remaining=bad)


def test_a_file_without_rows_needs_no_types(tmp_path):
    rows = {"src": [1, 2], "dst": [2, 3], "until": [5, 6]}
    pq.write_table(pa.table(rows), tmp_path / "0.parquet")
    pq.write_table(pa.table({name: pa.nulls(0) for name in rows}), tmp_path / "1.parquet")
    edges = pd.DataFrame({name: [*values, k] for k, (name, values) in enumerate(rows.items(), 7)})
    seen = Connectivity(expiry="until").insert(edges)
    assert len(seen.remove(([7], [8]), remaining=f"{tmp_path}/*.parquet")) == 3


START = np.datetime64("2020-01-01T00:00:00")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("zone", [False, True])
def test_nanoseconds_stay_nanoseconds(make, zone):
    nanoseconds = np.array([500_000_000, 500_000_900, 500_001_000]).astype("m8[ns]")
    times = START + nanoseconds
    if make is pa.table and zone:
        times = pa.array(times, pa.timestamp("ns", "UTC"))
    seen = Connectivity(expiry="t").insert(make({"src": [1, 3, 5], "dst": [2, 4, 6], "t": times}))
    before = pd.Timestamp("2020-01-01 00:00:00.500000500")
    assert len(seen.expire(before.tz_localize("UTC") if zone else before)) == 4
    assert len(seen.expire(START + np.timedelta64(500_000_901, "ns"))) == 5


def test_a_finer_time_is_rounded_up_to_the_unit_of_the_column():
    times = np.full(2, START + np.timedelta64(500, "ms")).astype("M8[us]")
    frame = pd.DataFrame({"src": [1, 3], "dst": [2, 4], "t": times})
    seen = Connectivity(expiry="t").insert(frame)
    assert len(seen.expire(START + np.timedelta64(500, "ms"))) == 2
    assert len(seen.expire(pd.Timestamp("2020-01-01 00:00:00.500000500"))) == 4
    far = Connectivity(expiry="t").insert(frame.assign(t=np.array(["9999", "2020"], "M8[us]")))
    assert len(far.expire(datetime.datetime(9999, 1, 1))) == 3


def test_batches_of_other_units_are_exact_or_refused(tmp_path):
    def batch(vertex, time, unit):
        times = np.array([time], "m8[ns]") + START
        return pd.DataFrame(
            {"src": [vertex], "dst": [vertex + 1], "t": times.astype(f"M8[{unit}]")}
        )

    seen = Connectivity(expiry="t").insert(batch(1, 1000, "us")).insert(batch(3, 2000, "ns"))
    with pytest.raises(ColumnTypeError, match="between two microseconds"):
        seen.insert(batch(5, 2001, "ns"))
    assert len(seen.expire(START + np.timedelta64(2000, "ns"))) == 3
    seen = Connectivity(expiry="t").insert(batch(1, 1001, "ns")).insert(batch(3, 2000, "us"))
    seen.save(tmp_path / "seen")
    seen = Connectivity.load(tmp_path / "seen")
    assert len(seen.expire(START + np.timedelta64(1002, "ns"))) == 3
    with pytest.raises(ColumnTypeError, match="beyond nanoseconds"):
        seen.insert(pd.DataFrame({"src": [5], "dst": [6], "t": np.array(["9999"], "M8[s]")}))


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_numbers_beyond_64_bits_are_refused_and_others_exact(kind):
    times = np.array([2**53, 2**53 + 2], kind)
    seen = Connectivity(expiry="t").insert(pd.DataFrame({"src": [1, 3], "dst": [2, 4], "t": times}))
    for before in (10**400, -(10**400), np.inf):
        with pytest.raises(InputError, match="pass a time"):
            seen.expire(before)
    assert len(seen.expire(2**53)) == 2
    assert len(seen.expire(2**53 + 1)) == 3


@pytest.mark.parametrize(
    "times",
    [
        np.array([2**60, -(2**60)], "M8[s]"),
        pa.array([-(2**60), 2**60], pa.timestamp("s")),
        pa.array([0, 2**31 - 1], pa.date32()),
        np.array([1, 2], "M8[ps]"),
    ],
    ids=["numpy", "arrow", "date", "picoseconds"],
)
def test_times_that_microseconds_do_not_hold_are_refused(times):
    edges = pa.table({"src": [1, 3], "dst": [2, 4]})
    frame = {"src": np.array([1, 3]), "dst": np.array([2, 4]), "until": times}
    if isinstance(times, pa.Array):
        frame = edges.append_column("until", times)
    with pytest.raises(ColumnTypeError, match=r"'until' are .*are stored in us of 64 bits"):
        Connectivity(expiry="until").insert(frame)


@pytest.mark.parametrize("unit", ["D", "Y", "s"])
@pytest.mark.parametrize("kind", ["us", "ns"])
def test_a_time_beyond_all_others_expires_all_or_none(kind, unit):
    frame = EDGES.assign(until=pd.to_datetime(EDGES["until"], unit="s").astype(f"M8[{kind}]"))
    seen = Connectivity(expiry="until").insert(frame)
    assert seen.expire(np.datetime64(-(2**62), unit)).num_components == 2
    assert seen.expire(np.datetime64(2**62, unit)).num_components == 5


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.date32()])
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_the_times_in_files_may_be_datetimes(kind, suffix, tmp_path):
    times = pa.array([datetime.datetime(2024, 1, day) for day in (1, 3, 2)]).cast(kind)
    table = pa.table({"a": [1, 2, 3], "b": [2, 3, 4], "until": times})
    (tmp_path / "edges").mkdir()
    write = pq.write_table if suffix == "parquet" else feather.write_feather
    for k in range(2):
        write(table.slice(2 * k, 2 - k), tmp_path / f"edges/{k}.{suffix}")
    seen = Connectivity(expiry="until").insert(tmp_path / "edges", "a", "b")
    seen.expire(datetime.datetime(2024, 1, 2))
    assert labels(seen) == {1: 1, 2: 2, 3: 2, 4: 2}
