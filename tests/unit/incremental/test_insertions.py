"""Many batches at once: all or none of them; and batches that are sampled first."""

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from cc_rapids import Connectivity, backends, components
from cc_rapids.algorithms import auto
from cc_rapids.algorithms.design import Design
from cc_rapids.backends import threads
from cc_rapids.errors import FormatError, InputError, MissingColumnError
from cc_rapids.incremental import state
from cc_rapids.solver.choose import choose_for_batch

KINDS = {
    "pairs": lambda src, dst: (src, dst),
    "pandas": lambda src, dst: pd.DataFrame({"src": src, "dst": dst}),
    "pyarrow": lambda src, dst: pa.table({"src": src, "dst": dst}),
    "strings": lambda src, dst: (src.astype(str).astype(object), dst.astype(str).astype(object)),
}


def drawn(n, m, count, seed=0):
    """Batches of m edges between n vertices."""
    rng = np.random.default_rng(seed)
    return [tuple(rng.integers(0, n, (2, m))) for _ in range(count)]


def parts(found):
    """The components as sets of vertices."""
    frame = found.labels()
    vertex, label = (
        np.asarray(frame[k]).astype(str)
        for k in ([0, 1] if isinstance(frame, tuple) else ["vertex", "labels"])
    )
    return sorted(sorted(vertex[label == name]) for name in set(label))


def theirs(many):
    """NetworkX's components of all batches."""
    graph = nx.Graph()
    for src, dst in many:
        graph.add_edges_from(zip(src.astype(str), dst.astype(str), strict=True))
    return sorted(map(sorted, nx.connected_components(graph)))


@pytest.mark.parametrize("kind", KINDS)
def test_many_batches_are_those_one_by_one(kind):
    many = drawn(90, 7, 9)
    frames = [KINDS[kind](*pair) for pair in many]
    at_once, each = Connectivity().insert(iter(frames)), Connectivity()
    for frame in frames:
        each.insert(frame)
    assert parts(at_once.components()) == parts(each.components()) == theirs(many)
    assert repr(at_once) == repr(each)
    assert "63 edges in 9 batches" in repr(at_once)


@pytest.mark.parametrize("small", [0, 1 << 20])
@pytest.mark.parametrize("window", [1, 10, 25, 1 << 23])
def test_batches_that_are_joined_as_one(monkeypatch, tuned, window, small):
    """Whatever is lent and copied together: several types, kinds and lengths, dropped rows."""
    tuned(batch_window_edges=window, joined_batch_edges=small)
    joined = []
    join = state.join
    monkeypatch.setattr(
        state, "join", lambda plan, edges, *rest: joined.append(edges.m) or join(plan, edges, *rest)
    )
    wide = drawn(60, 10, 5)
    narrow = [(src.astype(np.int32), dst.astype(np.uint8)) for src, dst in drawn(90, 10, 3, 1)]
    holes = [(pd.array([3, None, 5], "Int64"), pd.array([4, 5, None], "Int64"))] * 2
    frames = [pd.DataFrame({"src": src, "dst": dst}) for src, dst in holes]
    frames.append(pd.DataFrame({"src": [], "dst": []}))
    seen = Connectivity().insert(iter([*wide, *narrow, *frames]), nulls="drop")
    kept = [*wide, *narrow, *[(np.array([3]), np.array([4]))] * 2]
    assert parts(seen.components()) == theirs(kept)
    assert "82 edges in 11 batches" in repr(seen)
    assert seen.components().summary()["dropped"] == 4
    assert isinstance(seen.components().labels(), pd.DataFrame)
    assert sum(joined) == 82
    assert max(joined) == ({1: 10, 10: 10, 25: 20}.get(window, 50) if small else 10)


def test_a_list_of_frames_is_as_many_batches():
    frames = [pd.DataFrame({"a": [k], "b": [k + 1]}) for k in range(4)]
    assert repr(Connectivity().insert(frames, "a", "b")).count("4 edges in 4 batches") == 1


@pytest.mark.filterwarnings("ignore:the iterator, which may have been read before")
def test_no_batches_change_nothing():
    seen = Connectivity(3).insert(([0], [1]))
    before = repr(seen)
    assert repr(seen.insert(iter(()))) == before


def test_an_id_outside_leaves_all_as_it_was():
    seen = Connectivity(5).insert(([0], [1]))
    before = repr(seen), parts(seen.components())
    with pytest.raises(
        InputError, match=r"of 3 batches, at least one contains an id outside 0\.\.4 .*one by one"
    ):
        seen.insert(iter([([1], [2]), ([2], [7]), ([3], [4])]))
    assert (repr(seen), parts(seen.components())) == before
    assert len(seen.insert(iter([([1], [2]), ([3], [4])]))) == 2


def test_an_iterator_that_fails_leaves_all_as_it_was():
    def broken():
        yield [1], [2]
        raise RuntimeError("the source is gone")

    seen = Connectivity(5).insert(([0], [1]))
    before = repr(seen), parts(seen.components())
    with pytest.raises(RuntimeError, match="the source is gone"):
        seen.insert(broken())
    assert (repr(seen), parts(seen.components())) == before


def test_many_batches_are_waited_for_once(monkeypatch):
    waits = []
    read = threads.Threads.to_host
    monkeypatch.setattr(
        threads.Threads, "to_host", lambda self, array: waits.append(array) or read(self, array)
    )
    Connectivity(90).insert(iter(drawn(90, 7, 9)))
    assert len(waits) == 1


def test_the_old_trees_are_not_written():
    seen = Connectivity(50)
    before = seen._state.forest.parent.copy()
    old = seen._state
    seen.insert(iter(drawn(50, 30, 3)))
    np.testing.assert_array_equal(old.forest.parent, before)


FILES = {
    "a pattern of csv": "*.csv",
    "a pattern of Parquet": "*.parquet",
    "a folder": "csv",
    "a list": ["1.csv", "0.csv"],
    "one file": "whole/whole.parquet",
    "a dataset": lambda: ds.dataset("parquet"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two files of edges as csv, and as Parquet; also each in a folder, and all in one."""
    monkeypatch.chdir(tmp_path)
    tables = [pa.table({"src": [5, 2, 9], "dst": [2, 7, 9]}), pa.table({"src": [9], "dst": [8]})]
    for kind, write in (("csv", pyarrow.csv.write_csv), ("parquet", pq.write_table)):
        (tmp_path / kind).mkdir()
        for k, table in enumerate(tables):
            write(table, f"{k}.{kind}")
            write(table, f"{kind}/{k}.{kind}")
    (tmp_path / "whole").mkdir()
    pq.write_table(pa.concat_tables(tables), "whole/whole.parquet")
    return tmp_path


@pytest.mark.parametrize("edges", FILES.values(), ids=FILES)
def test_files_are_inserted_as_components_reads_them(folder, edges, engine):
    edges = edges() if callable(edges) else edges
    found = Connectivity(engine=engine).insert(([8], [7])).insert(edges)
    labels = found.components().labels()
    assert type(labels) is pa.Table
    assert labels["vertex"].to_pylist() == [2, 5, 7, 8, 9]
    assert labels["labels"].to_pylist() == [2] * 5
    alone = Connectivity(engine=engine)
    changed = alone.insert(edges, return_changes=True)
    assert changed["vertex"].to_pylist() == [2, 5, 7, 8, 9]
    assert alone.components() == components(edges)


def test_files_that_do_not_fit_together_insert_nothing(folder):
    seen = Connectivity().insert(([1], [2]))
    with pytest.raises(FormatError, match=r"no file matches nix\*\.csv"):
        seen.insert("nix*.csv")
    with pytest.raises(FormatError, match=r"nix\.csv does not exist"):
        seen.insert("nix.csv")
    with pytest.raises(MissingColumnError, match=r"0\.csv has no column 'a'"):
        seen.insert("*.csv", "a", "dst")
    (folder / "2.csv").write_text("src,dst\n3,x\n")
    with pytest.raises(FormatError, match="some ids are text"):
        seen.insert("*.csv")
    (folder / "2.csv").write_text("src,dst\n3,\n")
    with pytest.raises(InputError, match="null"):
        seen.insert("*.csv")
    assert (len(seen), seen.components().num_vertices) == (1, 2)
    assert len(seen.insert("*.csv", nulls="drop")) == 2
    with pytest.raises(InputError, match="contains an id outside"):
        Connectivity(3).insert("*.parquet")


@pytest.mark.parametrize("pairs", ["*.csv", "csv", ["0.csv"]])
def test_pairs_in_several_files_are_refused(folder, pairs):
    seen = Connectivity().insert("*.csv")
    for ask in (seen.connected, seen.process, components("0.csv").connected):
        with pytest.raises(InputError, match="name one file, or read them into one frame"):
            ask(pairs)


@pytest.mark.parametrize("sample", ["strided", "strided(every=2)", "strided(every=20)"])
@pytest.mark.parametrize("n", [1, 40, 3000])
def test_batches_that_are_sampled(monkeypatch, sample, n):
    """A batch whose sample finds a giant may leave edges out; the trees before it count too."""
    chosen = Design(sample, "rem-cas", "split-one")
    plan = choose_for_batch(backends.get("threads"), n, 1, chosen)
    monkeypatch.setattr(state, "choose_for_batch", lambda *args: plan)
    seen, many = Connectivity(n), drawn(n, 2000, 4)
    for count, batch in enumerate(many, 1):
        edges = tuple(np.concatenate(sides) for sides in zip(*many[:count], strict=True))
        expected = components(edges, num_vertices=n, design="none+async+halve").labels()
        found = seen.insert(batch).components().labels()
        np.testing.assert_array_equal(found.labels, expected.labels)


def test_what_auto_runs_for_batches_hooks_roots_alone():
    for rule in auto.AUTO:
        design = auto.for_forest(rule.design)
        assert design.hooks_roots_only
        assert design.compress != "splice"


def test_a_design_that_is_asked_for_is_what_runs(monkeypatch):
    named = []
    monkeypatch.setattr(
        state, "choose_for_batch", lambda *args: named.append(args[3]) or choose_for_batch(*args)
    )
    Connectivity(5, design="none+async+halve").insert(([0], [1]))
    assert named == [Design()]
