"""The papers' experiments run by one command, and their page is made by another."""

import json
import math
import pathlib
import sys

import pytest

from cc_rapids import Design

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "papers.md"


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])


def command(monkeypatch, module, *words):
    monkeypatch.setattr(sys, "argv", [module.__name__, *map(str, words)])
    module.main()


@pytest.fixture
def few(monkeypatch):
    """Experiments of a few designs each, whose kernels are compiled for other tests too."""
    import papers

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


def rows(folder):
    return [json.loads(line) for line in (folder / "papers.jsonl").read_text().splitlines()]


def page_in(folder):
    page = folder / "papers.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    return page


def test_two_commands_make_the_page(tmp_path, monkeypatch, few):
    import paper_figures

    words = "--engine", "threads", "--scale", 6, "--runs", 1, "--edges", 2000, "--seconds", 1e9
    command(monkeypatch, few, "--out", tmp_path, *words)
    found = rows(tmp_path)
    assert {row["experiment"] for row in found} == set(few.EXPERIMENTS)
    assert all(row["right"] for row in found)
    cases = {(row["graph"], row["design"]) for row in found if row["experiment"] == "sutton"}
    swept = {f"adaptive(segments={k})" for k in (1, 4)}
    assert {design for graph, design in cases if graph == "kron21"} == {*few.SUTTON, *swept}
    assert {row["n"] for row in found if row["experiment"] == "cong"} == {64}

    page = page_in(tmp_path)
    command(monkeypatch, paper_figures, "--records", tmp_path, "--page", page)
    text = page.read_text(encoding="utf-8")
    for name in ("sutton-steps", "sutton-segments", "cong-stages", "lehr-all", "balduzzi-dense"):
        assert (tmp_path / "figures" / f"{name}.svg").stat().st_size > 1000
        assert f"figures/{name}.svg" in text
    assert "not measured yet" not in text.lower()


def test_a_page_without_records(tmp_path, monkeypatch):
    import paper_figures

    page = page_in(tmp_path)
    command(monkeypatch, paper_figures, "--records", tmp_path, "--page", page)
    assert page.read_text(encoding="utf-8").count("Not measured yet") == 4
    assert not list((tmp_path / "figures").iterdir())


def test_an_experiment_without_time_says_so(tmp_path, monkeypatch, few):
    words = "--engine", "threads", "--scale", 4, "--runs", 1, "--edges", 100, "--seconds", 0
    command(monkeypatch, few, "--out", tmp_path, *words)
    assert {row["not_run"] for row in rows(tmp_path)} == {"no time was left"}


def test_slow_designs_are_run_less_often(tmp_path, monkeypatch, few):
    monkeypatch.setattr(few, "SLOW", 0.0)
    monkeypatch.setattr(few, "DENSITIES", (0.1, 0.2, 0.3, 0.4))
    words = "--engine", "threads", "--scale", 4, "--runs", 5, "--experiments", "lehr"
    words += "--seconds", 1e9
    command(monkeypatch, few, "--out", tmp_path, *words)
    runs = {
        design: [row.get("wall_ms", {}).get("runs") for row in rows(tmp_path)[k::2]]
        for k, design in enumerate(few.LEHR)
    }
    assert runs == {"owner": [1, None, None, None], "auto": [1, None, None, 1]}


def test_all_that_is_named_is_a_design():
    import paper_tables
    import papers

    named = {*papers.SUTTON, *papers.CONG, *papers.LEHR, *papers.BALDUZZI, paper_tables.OURS}
    named |= {*paper_tables.RANKED, *paper_tables.CALLED, *paper_tables.STEPS}
    for name in named - {"auto"}:
        assert str(Design.parse(name)) == name


def test_graphs_have_the_sizes_that_the_papers_print():
    import papers

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


def test_the_page_is_made_from_the_records():
    import paper_figures
    import records

    page = PAGE.read_text(encoding="utf-8")
    for name, make in paper_figures.contents(records.HERE, PAGE.parent / "figures").items():
        assert f"<!-- table: {name} -->\n{make()}\n<!-- end -->" in page, "run `make figures`"
