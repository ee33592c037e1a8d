"""Each script of benchmarks runs with tiny sizes, and keeps records that pages can be made of."""

import importlib
import json
import math
import sys
from pathlib import Path

import pytest
from support.choices import some

from cc_rapids import Design
from cc_rapids.generators import REFERENCES

ROOT = Path(__file__).parents[2]
DESIGNS = (
    "none+async+halve",
    "strided+async+halve",
    "kout+async+halve",
    "kout(pick=random)+async+halve",
    "hook+async+halve",
    "bfs+async+halve",
    "rem-lock+split-one",
    "liu-tarjan(PRF)",
    "label-propagation",
    "bfs-cc",
)
#: The command line of each script, and how many records of each name it keeps.
COMMANDS = {
    "audit": ("--engine threads --scale 6 --graphs kron21 --hashed", {"audit": 1}),
    "batches": ("--edges 4000", {"batches": 4, "forgetting": 3}),
    "clusters": (
        "--engine threads --jobs cluster streams --workers 1 --edges 8000 --side 30",
        {"several": 8, "devices": 2},
    ),
    "designs": (
        f"--engine threads --scale 8 --graphs kron21 road --designs {' '.join(DESIGNS)}",
        {"design_space": 28, "design_sampling": 10, "design_ablation": 8, "design_stream": 67},
    ),
    "entities": (
        "--records 2000 --strings 500 --pairs 2000 --edges 5000",
        {"linked_records": 3, "string_lists": 8, "dedup": 1, "numbers_and_sides": 2},
    ),
    "files": (
        "--jobs ways streams --edges 20000 --scale 6 --limit 100000000 --many 9000",
        {"files": 2, "streams": 4},
    ),
    "forests": (
        "--scale 8 --graphs road kron21 --edges 4000 --points 60 --vertices 2000 --pairs 50"
        " --jobs spanning thresholds cuts linkage tree paths --prove",
        {"spanning_forests": 2, "thresholds": 1, "dendrogram": 3, "paths": 3},
    ),
    "lists": (
        "--engine threads --scale 6 --peer-runs 1 --jobs graphs lists ids threads --ids int32"
        " hashed strings",
        {"bench": 10, "lists": 8, "ids": 8, "threads": 1},
    ),
    "networkx_gain": ("--scale 10", {"networkx_gain": 11}),
}


def run(name, folder, words, monkeypatch):
    """Run a script, and return its module."""
    module = importlib.import_module(name)
    command = [name, "--out", str(folder), "--runs", "1", *words.split()]
    monkeypatch.setattr(sys, "argv", command)
    module.main()
    return module


def rows(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


@some("name", COMMANDS, usual=["batches", "networkx_gain"])
def test_a_script_keeps_its_records(name, tmp_path, monkeypatch):
    words, expected = COMMANDS[name]
    if name == "files":
        pytest.importorskip("polars")
    run(name, tmp_path, words, monkeypatch)
    kept = {path.stem: rows(tmp_path, path.stem) for path in tmp_path.iterdir()}
    assert {record: len(found) for record, found in kept.items()} == expected
    for row in (row for found in kept.values() for row in found):
        assert row.keys() >= {"commit", "date", "device", "versions", "load", "engine"}
        assert row["engine"] == "threads"


def test_bridges_are_those_of_igraph(tmp_path, monkeypatch):
    pytest.importorskip("igraph")
    run("forests", tmp_path, "--jobs bridges --vertices 2000", monkeypatch)
    assert [row["graph"] for row in rows(tmp_path, "bridges")] == ["skewed", "grid"]


def test_a_failure_costs_its_own_case_alone(tmp_path, monkeypatch, capsys):
    lists = importlib.import_module("lists")

    def fail(ids):
        raise MemoryError("too much")

    monkeypatch.setitem(lists.IDS, "int64", fail)
    with pytest.raises(SystemExit, match="not measured: lists, pairs1M, int64"):
        run("lists", tmp_path, "--engine threads --scale 6 --lists pairs1M", monkeypatch)
    assert "too much" in capsys.readouterr().err
    assert [row["dtype"] for row in rows(tmp_path, "lists")] == ["int32", "hashed"]
    assert set(lists.LISTS) <= REFERENCES.keys()


@pytest.mark.extended
def test_both_commits_give_the_same_answers(tmp_path, monkeypatch):
    words = f"--engine threads --scale 6 --base {ROOT} --base-commit same".split()
    command = ["commits", "--out", str(tmp_path), "--runs", "1", *words, "--jobs", "kron21 rows"]
    monkeypatch.setattr(sys, "argv", command)
    importlib.import_module("commits").main()
    (row,) = rows(tmp_path, "commits")
    assert row["rows"][0]["vertices"] == 64


@pytest.mark.extended
def test_the_first_use_compiles_and_the_next_does_not(tmp_path, monkeypatch):
    first_use = importlib.import_module("first_use")
    cold = first_use.once(lambda cache: first_use.calculated(ROOT, cache))
    assert cold["compiled"] > 0


@pytest.fixture
def papers(monkeypatch):
    """Experiments of a few designs each, whose kernels are compiled for other tests too."""
    papers = importlib.import_module("papers")
    monkeypatch.setattr(papers, "SUTTON", ("soman", "multi-jump", "adaptive"))
    monkeypatch.setattr(papers, "SWEEP", (1, 4))
    monkeypatch.setattr(
        papers, "CONG", ("graft-shortcut", "stages+graft-shortcut", papers.CONG[-1])
    )
    monkeypatch.setattr(papers, "LEHR", ("owner", "auto"))
    monkeypatch.setattr(papers, "DENSITIES", (0.1, 1.0))
    monkeypatch.setattr(papers, "BALDUZZI", ("single-pass",))
    monkeypatch.setattr(papers, "SLOW", math.inf)  # no run is left out for the time of another
    return papers


@pytest.mark.extended
def test_experiments_of_papers_and_designs_make_their_pages(tmp_path, monkeypatch, papers):
    """Tables and figures of tiny records stand in a copy of the pages."""
    run("designs", tmp_path, COMMANDS["designs"][0], monkeypatch)
    words = "--engine threads --scale 6 --edges 2000 --seconds 1000000"
    run("papers", tmp_path, words, monkeypatch)
    found = rows(tmp_path, "papers")
    assert {row["experiment"] for row in found} == set(papers.EXPERIMENTS)
    assert all(row["right"] for row in found)
    runs = rows(tmp_path, "design_space")
    assert {row["design"] for row in runs} == {str(Design.parse(name)) for name in DESIGNS}
    assert all(row["right"] for row in runs if "ms" in row)
    skipped = {(row["graph"], row["link"]) for row in runs if "not_run" in row}
    assert skipped == {("road", "label-propagation")}
    for name, drawn in {
        "paper_pages": ("sutton-steps", "sutton-segments", "cong-stages", "lehr-all"),
        "design_pages": ("options-of-k-out", "union-rules", "rounds", "samples", "entries"),
    }.items():
        module = importlib.import_module(name)
        module.draw(tmp_path, tmp_path / "figures")
        assert all((tmp_path / "figures" / f"{figure}.svg").exists() for figure in drawn)
        text = "".join(make() for make in module.contents(tmp_path).values())
        assert "not measured yet" not in text.lower()


def test_an_experiment_without_time_says_so(tmp_path, monkeypatch, papers):
    words = "--engine threads --scale 4 --edges 100 --seconds 0"
    run("papers", tmp_path, words, monkeypatch)
    assert {row["not_run"] for row in rows(tmp_path, "papers")} == {"no time was left"}


def test_slow_designs_are_run_less_often(tmp_path, monkeypatch, papers):
    monkeypatch.setattr(papers, "SLOW", 0.0)
    monkeypatch.setattr(papers, "DENSITIES", (0.1, 0.2, 0.3, 0.4))
    words = "--engine threads --scale 4 --experiments lehr --seconds 1000000"
    run("papers", tmp_path, words, monkeypatch)
    found = rows(tmp_path, "papers")
    runs = [["wall_ms" in row for row in found[k::2]] for k in range(2)]
    assert runs == [[True, False, False, False], [True, False, False, True]]


def test_graphs_have_the_sizes_that_the_papers_print(papers):
    small = {name: make("threads") for name, make in papers.graphs(8).items()}
    degrees = {name: round(graph.num_edges / graph.num_vertices) for name, graph in small.items()}
    assert degrees == {
        "road": 1,
        "grid174M": 1,
        "social22": 16,
        "kron21": 43,
        "random50M": 4,
        "random100M": 2,
        "rmat24 200M": 12,
        "torus100M": 2,
    }


def test_a_design_that_takes_too_long_is_stopped():
    from cc_rapids import backends, generators

    designs = importlib.import_module("designs")
    backend = backends.get("threads")
    ready = designs.Prepared(generators.path(8, engine="threads"), backend)
    with designs.limited(backend, -1), pytest.raises(designs.TooLongError):
        ready.solve(Design.parse("liu-tarjan(PRF)"), "list")
    assert ready.solve(Design.parse("liu-tarjan(PRF)"), "list").max() == 0


def test_kernels_are_known_without_a_gpu():
    designs = importlib.import_module("designs")
    names = [("kout+async+halve", "rows"), ("bfs+ecl", "rows"), ("liu-tarjan(PRFA)", "list")]
    launched = designs.rehearse(names, ("kron21", "road"))
    found = {kernel.part.function.__name__ for kernel in launched.values()}
    assert found >= {"rmat", "grid", "link_first_two", "every_row", "members"}
    assert found >= {"from_above", "from_below", "keep_edge", "connect", "alter", "full_shortcut"}
