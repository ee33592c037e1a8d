"""The benchmark of lists as users hold them, and the rows that it gives the README's table."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cc_rapids import VerificationError, backends
from cc_rapids.generators import REFERENCES

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CARD = "NVIDIA H100 80GB HBM3"


@pytest.fixture
def lists(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import lists

    return lists


@pytest.fixture
def report(lists):
    import report

    return report


def of_threads(lists, folder, monkeypatch, *more):
    words = "--engine", "threads", "--scale", 6, "--runs", 2, "--out", folder, *more
    monkeypatch.setattr(sys, "argv", ["lists.py", *map(str, words)])
    lists.main()
    return [json.loads(row) for row in (folder / "lists.jsonl").read_text().splitlines()]


def test_one_command_measures_each_list_with_ids_of_each_kind(lists, tmp_path, monkeypatch):
    rows = of_threads(lists, tmp_path, monkeypatch)
    assert [(row["graph"], row["dtype"]) for row in rows] == [
        (name, ids) for name in lists.LISTS for ids in ("int32", "int64", "hashed")
    ]
    assert set(lists.LISTS) <= REFERENCES.keys()
    for row in rows:
        assert (row["engine"], row["scale"], row["n"]) == ("threads", 6, 64)
        assert row["equal_to_scipy"]
        assert (row["wall_ms"]["runs"], row["scipy_build_ms"]["runs"]) == (2, 2)
    for name in lists.LISTS:
        same = {(row["m"], row["components"]) for row in rows if row["graph"] == name}
        assert len(same) == 1
    assert {row["ids"] for row in rows if row["dtype"] == "hashed"} == {"hash slots"}
    assert {row["ids"] for row in rows if row["dtype"] != "hashed"} == {"as they are"}


def test_ids_of_each_kind(lists):
    vertices = np.arange(5, dtype=np.uint32)
    made = {name: make(vertices) for name, make in lists.IDS.items()}
    assert {name: ids.dtype.name for name, ids in made.items()} == {
        "int32": "int32",
        "int64": "int64",
        "hashed": "int64",
    }
    assert made["hashed"].tolist() == [
        (k * 0x9E3779B97F4A7C15 + (1 << 63)) % (1 << 64) - (1 << 63) for k in range(5)
    ]


def test_answers_are_compared_by_their_components(lists):
    threads = backends.get("threads")
    ours = pd.DataFrame({"vertex": [-3, 1, 2, 7], "labels": [-3, 1, -3, 1]})
    theirs = pd.DataFrame({"vertex": [7, 2, 1, -3], "labels": [0, 5, 0, 5]})
    lists.check(threads, ours, theirs)
    for column, wrong in (("vertex", [-3, 1, 2, 8]), ("labels", [-3, 1, 1, 1])):
        with pytest.raises(VerificationError, match=f"column {column} differs"):
            lists.check(threads, ours.assign(**{column: wrong}), theirs)
    with pytest.raises(VerificationError, match="column labels differs"):
        lists.check(threads, ours, theirs.assign(labels=[0, 5, 1, 5]))


def test_what_fails_costs_its_own_row_alone(lists, tmp_path, monkeypatch, capsys):
    def fail(ids):
        raise MemoryError("too much")

    monkeypatch.setitem(lists.IDS, "int64", fail)
    with pytest.raises(SystemExit, match="not measured: pairs1M, int64"):
        of_threads(lists, tmp_path, monkeypatch, "--lists", "pairs1M")
    assert "too much" in capsys.readouterr().err
    lines = (tmp_path / "lists.jsonl").read_text().splitlines()
    assert [json.loads(line)["dtype"] for line in lines] == ["int32", "hashed"]


def of_gpu(name, ids, **more):
    """A record as a GPU gives it."""
    bound = {"bound_bytes": 10**9, "within_bound": True} if ids != "hashed" else {}
    full = REFERENCES[name]
    row = {
        "engine": "cuda",
        "scale": None,
        "device": CARD,
        "commit": "c",
        "date": "2026-11-25",
        "graph": name,
        "dtype": ids,
        "n": full.vertices,
        "m": full.edges,
        "vertices": full.vertices,
        "wall_ms": {"median": 16.04},
        "cugraph_build_ms": {"median": 900.0},
        "cugraph_wcc_ms": {"median": 81.0},
        "times_faster": 61.2,
        "peak_bytes": 480_000_000,
        "cugraph_peak_bytes": 7_000_000_000,
        "equal_to_cugraph": True,
    }
    return row | bound | more


@pytest.fixture
def folder(tmp_path):
    """The records of the package, with those of lists to be written."""
    (tmp_path / "bench.jsonl").write_bytes((BENCHMARKS / "records" / "bench.jsonl").read_bytes())

    def write(*rows):
        (tmp_path / "lists.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return tmp_path

    return write


def test_lists_are_the_first_rows_of_the_table(report, folder):
    without = report.table(folder()).splitlines()
    rows = [
        of_gpu("pairs60M", "int32"),
        of_gpu("pairs60M", "hashed"),
        of_gpu("pairs1M", "int32", wall_ms={"median": 0.738}),
    ]
    lines = report.table(folder(*rows)).splitlines()
    assert lines[:2] == without[:2]
    assert lines[2:5] == [
        "| pairs60M, int32 | 100.0 M | 16.0 ms | 981 ms | 61 x | 480 MB | 7,000 MB |",
        "| pairs60M, hashed | 100.0 M | 16.0 ms | 981 ms | 61 x | 480 MB | 7,000 MB |",
        "| pairs1M, int32 | 2.0 M | 0.74 ms | 981 ms | 61 x | 480 MB | 7,000 MB |",
    ]
    assert lines[5:-1] == without[2:-1]
    assert "hashed ids have no such range" in lines[-1]
    assert "hashed ids have no such range" not in without[-1]


def test_the_newest_rows_of_the_last_commit_are_shown(report, folder):
    rows = [
        of_gpu("bands10M", "int32", commit="old"),
        of_gpu("pairs60M", "int32", times_faster=1.0),
        of_gpu("pairs60M", "int32", times_faster=2.0),
        of_gpu("pairs60M", "int64", engine="threads"),
        of_gpu("pairs60M", "int64", scale=20.0),
    ]
    assert [row["times_faster"] for row in report.user_lists(folder(*rows))] == [2.0]
    assert report.user_lists(folder()) == []


def test_another_day_or_card_is_said(report, folder):
    measured = report.measured()[1]
    date, card = measured["date"], measured["device"]
    same = of_gpu("pairs1M", "int32", date=date, device=card)
    assert f"Measured {date}. " in report.table(folder(same))
    other = of_gpu("pairs1M", "int32", date="2027-01-02", device="NVIDIA GH200")
    words = f"Measured {date}, the first 1 rows on 2027-01-02 on one NVIDIA GH200. "
    assert words in report.table(folder(same, other))


def test_memory_above_the_bound_is_said(report, folder):
    above = of_gpu("pairs1M", "int64", peak_bytes=10**9)
    assert "of 1 of " in report.table(folder(above))
    assert "of 1 of " not in report.table(folder(of_gpu("pairs1M", "hashed", peak_bytes=10**9)))
