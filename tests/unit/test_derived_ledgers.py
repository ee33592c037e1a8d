"""The ledgers of answers that are made of others or of thresholds, and of drop-ins."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse

import cc_rapids
import cc_rapids.accessor
from cc_rapids import api, errors, several_gpus
from cc_rapids.analysis.cuts import Levels
from cc_rapids.backends.threads import Threads
from cc_rapids.graph.edges import Edges
from cc_rapids.incremental import thresholds

LEVELS = [0.8, 0.2, 0.5]


def frame_of(seed, rows=200):
    """Random edges, of which some have a null end, a null weight, or one that is nan."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 300, (rows, 2)), columns=["src", "dst"]).astype("Int64")
    frame["weight"] = rng.random(rows).round(2)
    frame.loc[rng.random(rows) < 0.1, "src"] = pd.NA
    frame.loc[rng.random(rows) < 0.1, "weight"] = np.nan
    return frame


def whole(frame):
    """A frame's rows without nulls."""
    return frame.dropna().reset_index(drop=True).astype({"src": "int64", "dst": "int64"})


def expected(frame, level, direction):
    there = frame["src"].notna()
    weights = frame["weight"][there]
    known = weights.notna()
    within = weights >= level if direction == "at_least" else weights <= level
    facts = {
        "given": len(frame),
        "linked": int(within.sum()),
        "null_end": int((~there).sum()),
        "null_weight": int((~known).sum()),
        "out_of_bounds": int((known & ~within).sum()),
    }
    return {name: rows for name, rows in facts.items() if rows or name in ("given", "linked")}


def folder_of(frame, folder):
    """Two Parquet files of a frame."""
    for k, part in enumerate((frame[:70], frame[70:])):
        table = pa.Table.from_pandas(part, preserve_index=False)
        pq.write_table(table, folder / f"{k}.parquet", row_group_size=30)
    return str(folder)


def dataset_of(frame, folder):
    import pyarrow.dataset

    return pyarrow.dataset.dataset(folder_of(frame, folder))


def relation_of(frame, folder):
    import duckdb

    return duckdb.connect().from_arrow(pa.Table.from_pandas(frame, preserve_index=False))


DOORS = {
    "frame": lambda frame, folder: frame,
    "table": lambda frame, folder: pa.Table.from_pandas(frame, preserve_index=False),
    "lazy frame": lambda frame, folder: pl.from_pandas(frame).lazy(),
    "folder": folder_of,
    "dataset": dataset_of,
    "relation": relation_of,
    "iterator": lambda frame, folder: iter([frame[:70], frame[70:]]),
}


@pytest.mark.parametrize("direction", ["at_least", "at_most"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("seed", [1, 2])
def test_each_threshold_has_a_ledger(door, direction, seed, tmp_path):
    frame = frame_of(seed)
    edges = DOORS[door](frame, tmp_path)
    options = {"thresholds": LEVELS, "direction": direction, "nulls": "drop"}
    cuts = cc_rapids.components_at(edges, **options)
    unchecked = {"unchecked": True} if door == "iterator" else {}
    for level in LEVELS:
        assert cuts.at(level).ledger == expected(frame, level, direction) | unchecked
        assert cuts.at(level).summary()["ledger"].startswith("200 rows given = ")


def test_thresholds_of_text_leave_out_comments_and_blank_lines(tmp_path):
    (tmp_path / "edges.txt").write_text("# of a tool\n# more\nsrc dst w\n1 2 9\n\n2 3 5\n3 4 1\n")
    cuts = cc_rapids.components_at(str(tmp_path / "edges.txt"), weight="w", thresholds=[5])
    lines = {"given": 6, "linked": 2, "blank": 1, "comment": 2, "out_of_bounds": 1}
    assert cuts.at(5).ledger == lines


FAULTS = {
    "a bucket lost": lambda buckets: [buckets[0][:0], *buckets[1:]],
    "a bucket cut": lambda buckets: [*buckets[:-1], buckets[-1][:-1]],
    "a bucket repeated": lambda buckets: [buckets[1], *buckets[1:]],
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
@pytest.mark.parametrize("door", ["frame", "folder", "iterator"])
def test_edges_that_a_bucket_loses(door, fault, monkeypatch, tmp_path):
    edges, make = DOORS[door](whole(frame_of(1)), tmp_path), thresholds._Reader._buckets
    monkeypatch.setattr(thresholds._Reader, "_buckets", lambda *given: fault(make(*given)))
    with pytest.raises(errors.LedgerError, match=r"are accounted for: [\d,]+ (lost|too many)"):
        cc_rapids.components_at(edges, thresholds=LEVELS)


@pytest.mark.parametrize("door", ["folder", "dataset", "relation"])
@pytest.mark.parametrize("fault", [lambda rows: rows[1:], lambda rows: [*rows, rows[0]]])
def test_chunks_that_a_stream_of_thresholds_loses(door, fault, monkeypatch, tmp_path):
    edges, read = DOORS[door](whole(frame_of(1)), tmp_path), thresholds._Reader.stream

    def faulty(self, chunks, state):
        return read(self, iter(fault(list(chunks))), state)

    monkeypatch.setattr(thresholds._Reader, "stream", faulty)
    with pytest.raises(errors.LedgerError, match="rows were given"):
        cc_rapids.components_at(edges, thresholds=LEVELS)


@pytest.fixture
def tree():
    options = {"weight": "weight", "forest": "max", "nulls": "drop"}
    return cc_rapids.components(frame_of(3), **options).dendrogram()


def test_a_dendrogram_goes_on_from_the_ledger_of_its_run(tree):
    ledger = tree.components.ledger
    for level in (2.0, 0.5, 0.0):
        found = tree.at(level).ledger
        linked = int((tree.components.forest()["weight"] >= level).sum())
        assert (found["given"], found["linked"]) == (200, linked)
        assert found.get("out_of_bounds", 0) == len(tree) - linked
        assert found["not_in_forest"] == ledger["linked"] - len(tree)
        assert (found["null_end"], found["null_weight"]) == (
            ledger["null_end"],
            ledger["null_weight"],
        )
    parts, _ = tree.split(max_size=3)
    assert sum(parts.ledger.values()) == 2 * 200


def test_edges_that_a_dendrogram_loses(tree, monkeypatch):
    bounds = Levels.bounds_of
    monkeypatch.setattr(
        Levels, "bounds_of", lambda *given: [end - (end > 0) for end in bounds(*given)]
    )
    with pytest.raises(errors.LedgerError, match="1 lost"):
        tree.at(0.5)


def test_copies_and_derived_answers_keep_the_ledger(tmp_path):
    frame = frame_of(4)
    found = cc_rapids.components(frame, weight="weight", at_least=0.3, nulls="drop")
    assert set(found.ledger) == {"given", "linked", "null_end", "null_weight", "out_of_bounds"}
    found.save(tmp_path / "saved")
    loaded = cc_rapids.Components.load(tmp_path / "saved")
    others = [copy.deepcopy(found), pickle.loads(pickle.dumps(found)), loaded]
    assert [one.ledger for one in others] == [found.ledger] * 3
    plain = cc_rapids.components(frame, nulls="drop").ledger
    assert cc_rapids.two_edge_connected_components(frame, nulls="drop").ledger == plain
    assert cc_rapids.bipartition(frame, nulls="drop").components.ledger == plain
    named = frame.rename(columns={"weight": "kind"}).assign(kind=1)
    several = cc_rapids.components(named, ["kind", "src"], ["kind", "dst"], nulls="drop")
    assert several.with_key_names(["kind", "id"]).ledger == several.ledger == plain


def test_records_are_rows(tmp_path):
    people = pd.DataFrame({"id": [1, 2, 2, 3], "mail": ["a", None, "a", "b"], "name": list("xyxy")})
    found = cc_rapids.link_records(people, ["mail", "name"], id="id")
    assert found.ledger == {"given": 4, "linked": 4}
    found.save(tmp_path / "saved")
    assert cc_rapids.Components.load(tmp_path / "saved").ledger == found.ledger


def test_a_report_shows_the_ledger():
    frame = frame_of(5)
    found = cc_rapids.components(frame, nulls="drop")
    report = found.report(frame, nulls="drop")
    assert report.ledger == found.ledger
    line = f"Ledger of the edges: {found.summary()['ledger']}."
    assert line in report.to_html()
    assert line in report._repr_html_()
    assert found.summary()["ledger"] in found._repr_html_()


@pytest.fixture
def lossy(monkeypatch):
    """Kernels that get one edge less than was read."""
    solve = api.solve

    def solved(*given):
        found = solve(*given)
        edges = found.encoded.edges
        fewer = Edges(edges.src[:-1], edges.dst[:-1], edges.low)
        return replace(found, encoded=replace(found.encoded, edges=fewer))

    monkeypatch.setattr(api, "solve", solved)


def of_networkx(graph):
    import networkx

    with cc_rapids.installed():
        return list(networkx.connected_components(graph, backend="cc_rapids"))


PAIRS = pd.DataFrame({"src": [1, 2, 7], "dst": [2, 3, 7]})
MATRIX = scipy.sparse.coo_array(([1, 1], ([0, 3], [1, 2])), shape=(4, 4))


def graph():
    networkx = pytest.importorskip("networkx")
    return networkx.Graph([(1, 2), (2, 3)])


ARRAYS = {
    "cuGraph's": lambda: cc_rapids.weakly_connected_components(MATRIX),
    "SciPy's": lambda: cc_rapids.scipy.connected_components(MATRIX),
    "NetworkX's": lambda: of_networkx(graph()),
    "pandas' accessor": lambda: PAIRS.cc.components(),
    "Polars' accessor": lambda: pl.from_pandas(PAIRS).cc.components(),
    "lazy frames": lambda: pl.from_pandas(PAIRS).lazy().cc.labels().collect(),
    "forests": lambda: cc_rapids.spanning_forest(PAIRS),
    "bridges": lambda: cc_rapids.bridges(PAIRS),
    "biconnected_component_edges": lambda: cc_rapids.biconnected_component_edges(PAIRS),
}


@pytest.mark.parametrize("door", ARRAYS)
def test_drop_ins_only_raise(door, lossy):
    with pytest.raises(Exception, match="1 lost") as caught:  # Polars wraps errors of sources
        ARRAYS[door]()
    assert isinstance(caught.value, errors.LedgerError) or "LedgerError" in str(caught.value)


@pytest.fixture
def machine(monkeypatch):
    """Threads pass for three devices."""
    monkeypatch.setattr(Threads, "device_count", 3)


def on_devices(edges, **options):
    return cc_rapids.components(edges, devices="all", engine="threads", **options)


def test_rows_of_several_devices_add_up(machine):
    frame = frame_of(6)
    options = {"nulls": "drop", "weight": "weight", "at_least": 0.3}
    found, alone = (
        on_devices([frame[:70], frame[70:90], frame[90:]], **options),
        cc_rapids.components(frame, **options),
    )
    assert found.ledger == alone.ledger
    assert found.summary()["ledger"] == alone.summary()["ledger"]


PART_FAULTS = {
    "lost": lambda parts, numbers: (parts[:-1], numbers[:-1]),
    "repeated": lambda parts, numbers: ([*parts[:-1], parts[0]], numbers),
}


@pytest.mark.parametrize("fault", PART_FAULTS.values(), ids=list(PART_FAULTS))
def test_parts_that_devices_lose(machine, monkeypatch, fault):
    frame, solve = whole(frame_of(6)), several_gpus.solve_on_devices
    parts = [frame[:70], frame[70:90], frame[90:]]
    monkeypatch.setattr(
        several_gpus,
        "solve_on_devices",
        lambda parts, numbers, *given: solve(*fault(parts, numbers), *given),
    )
    with pytest.raises(errors.LedgerError, match="rows were given"):
        on_devices(parts)
