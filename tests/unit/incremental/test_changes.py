"""What a batch changed, compared with the labels of all vertices before and after it."""

import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cc_rapids import Connectivity, errors
from cc_rapids.incremental import changes

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def listed(column):
    """A column of any library as a list, with None for nulls."""
    if hasattr(column, "to_pylist"):
        return column.to_pylist()
    if hasattr(column, "to_list"):
        return [None if value is pd.NA or value != value else value for value in column.to_list()]
    return column.tolist()


def labelled(seen):
    """The label of each vertex."""
    if not seen.num_vertices:
        return {}
    frame = seen.components().labels()
    columns = list(frame) if isinstance(frame, tuple) else [frame["vertex"], frame["labels"]]
    return dict(zip(*map(listed, columns), strict=True))


def expected(before, after):
    """The rows of changes, from the labels of all."""
    rows = [(v, before.get(v), label) for v, label in sorted(after.items())]
    return [row for row in rows if row[1] != row[2]]


def rows(changes):
    columns = list(changes) if isinstance(changes, tuple) else None
    columns = columns or [changes[name] for name in ("vertex", "before", "after")]
    return list(zip(*map(listed, columns), strict=True))


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("ids", ["integers", "far", "strings"])
def test_changes_are_the_difference_of_labels(engine, make, ids):
    random, seen = np.random.default_rng(5), Connectivity(engine=engine)
    name = {
        "integers": lambda v: v - 20,
        "far": lambda v: v * 2**55 - 2**60,
        "strings": lambda v: np.array([f"<{x}>" for x in v]),
    }[ids]
    for size in (3, 0, 5, 10, 1, 40, 40):
        before = labelled(seen)
        frame = make({end: name(random.integers(0, 60, size)) for end in ("src", "dst")})
        changed = seen.insert(frame, return_changes=True)
        if size:
            assert type(changed) is type(frame)
        assert rows(changed) == expected(before, labelled(seen))


@pytest.mark.parametrize("design", ["none+async+halve", "shiloach-vishkin", "liu-tarjan(PRF)"])
@pytest.mark.parametrize("fixed", [True, False])
def test_changes_of_arrays_and_counted_vertices(engine, design, fixed):
    random = np.random.default_rng(6)
    seen = Connectivity(60 if fixed else None, design=design, engine=engine)
    for size in (4, 8, 16, 32):
        before = labelled(seen)
        changed = seen.insert(tuple(random.integers(0, 60, (2, size))), return_changes=True)
        assert changed._fields == ("vertex", "before", "after")
        wanted = expected(before, labelled(seen))
        wanted = [(v, v if old is None else old, new) for v, old, new in wanted]
        assert rows(changed) == wanted


def test_nothing_changes_where_edges_join_nothing(engine):
    seen = Connectivity(engine=engine).insert(([1, 2], [2, 3]))
    assert rows(seen.insert(([1, 3], [3, 3]), return_changes=True)) == []
    assert rows(seen.insert(([], []), return_changes=True)) == []
    assert rows(Connectivity(engine=engine).insert(([], []), return_changes=True)) == []
    assert rows(Connectivity(3).insert(([0], [0]), return_changes=True)) == []


def test_a_new_vertex_alone_has_no_label_before():
    seen = Connectivity().insert(pd.DataFrame({"src": [1], "dst": [2]}))
    changed = seen.insert(pd.DataFrame({"src": [7], "dst": [7]}), return_changes=True)
    assert changed["before"].isna().tolist() == [True]
    assert changed["before"].dtype == "Int64"
    assert changed["after"].tolist() == [7]
    assert rows(seen.insert(([9], [9]), return_changes=True)) == [(9, 9, 9)]


def test_types_are_those_of_labels():
    frame = pd.DataFrame({"src": [1, 5], "dst": [2, 6]}, dtype="int32")
    seen = Connectivity().insert(frame)
    changed = seen.insert(
        pd.DataFrame({"src": [2], "dst": [6]}, dtype="int32"), return_changes=True
    )
    assert changed.dtypes.tolist() == [np.dtype("int32")] * 3


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_ids_of_several_columns(make):
    seen = Connectivity()
    sides = ["a", "b"], ["c", "d"]
    seen.insert(make({"a": ["u", "w"], "b": [7, 1], "c": ["c", "x"], "d": [3, 1]}), *sides)
    more = make({"a": ["u"], "b": [7], "c": ["w"], "d": [1]})
    changed = seen.insert(more, *sides, return_changes=True)
    names = list(getattr(changed, "column_names", None) or changed.columns)
    parts = [
        list(zip(*(listed(changed[n]) for n in names[k : k + 2]), strict=True)) for k in (0, 2, 4)
    ]
    assert parts == [[("w", 1), ("x", 1)], [("w", 1), ("w", 1)], [("c", 3), ("c", 3)]]


def test_many_batches_together_change_what_they_change_together(engine):
    batches = [(np.array([k]), np.array([k + 3])) for k in range(6)]
    seen = Connectivity(engine=engine).insert(([0, 1], [1, 2]))
    before = labelled(seen)
    changed = seen.insert(iter(batches), return_changes=True)
    wanted = [
        (v, v if old is None else old, new) for v, old, new in expected(before, labelled(seen))
    ]
    assert rows(changed) == wanted


def test_what_other_threads_insert_meanwhile_is_not_among_the_changes():
    seen = Connectivity().insert(([1, 3], [2, 4]))

    def batches():
        yield [1], [1]
        thread = threading.Thread(target=lambda: seen.insert(([3], [5])))
        thread.start()
        thread.join()
        yield [2], [4]

    changed = seen.insert(batches(), return_changes=True)
    assert rows(changed) == [(3, 3, 1), (4, 3, 1), (5, 3, 1)]
    assert len(seen) == 1


def test_a_batch_that_fails_changes_nothing():
    seen = Connectivity(3)
    with pytest.raises(errors.InputError):
        seen.insert(([0], [7]), return_changes=True)
    with pytest.raises(errors.ArgumentTypeError, match="return_changes"):
        seen.insert(([0], [1]), return_changes="yes")
    assert len(seen) == 3
    assert seen.insert(([0], [1])) is seen


def test_nulls_are_dropped_from_changes_too():
    seen = Connectivity().insert(pl.DataFrame({"src": [1], "dst": [2]}))
    frame = pl.DataFrame({"src": [0, None], "dst": [2, 1]})
    changed = seen.insert(frame, nulls="drop", return_changes=True)
    assert rows(changed) == [(0, None, 0), (1, 1, 0), (2, 1, 0)]


def test_no_more_is_labelled_than_was_merged(monkeypatch):
    n = 10_000
    seen = Connectivity().insert((np.arange(n) * 2, np.arange(n) * 2 + 1))
    sizes, least = [], changes._least_of_groups
    monkeypatch.setattr(
        changes, "_least_of_groups", lambda g, v, xp: sizes.append(g.size) or least(g, v, xp)
    )
    changed = seen.insert(([n * 2 - 1, n * 2], [5, n * 4]), return_changes=True)
    assert rows(changed) == [
        (n * 2 - 2, n * 2 - 2, 4),
        (n * 2 - 1, n * 2 - 2, 4),
        (n * 2, n * 2, n * 2),
        (n * 4, n * 4, n * 2),
    ]
    assert max(sizes) <= 4  # trees that were joined, with their vertices, and new vertices


@pytest.mark.parametrize("first", [0, 3, 1 << 20])
@pytest.mark.parametrize("seed", range(5))
def test_changes_do_not_depend_on_the_places_looked_at_first(monkeypatch, first, seed):
    monkeypatch.setattr(changes, "FIRST", first)
    monkeypatch.setattr(changes, "SHARE", 10**9)
    random, seen = np.random.default_rng(seed), Connectivity()
    for _ in range(12):
        before = labelled(seen)
        changed = seen.insert(tuple(random.integers(0, 80, (2, 8))), return_changes=True)
        wanted = expected(before, labelled(seen))
        assert rows(changed) == [(v, v if old is None else old, new) for v, old, new in wanted]
