"""The design space is measured, and its page made, by two commands; nothing is typed by hand."""

import json
import pathlib
import sys

import pytest

from cc_rapids import Design
from cc_rapids.algorithms import design

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "design-space.md"
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


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])


def command(monkeypatch, module, *words):
    monkeypatch.setattr(sys, "argv", [module.__name__, *map(str, words)])
    module.main()


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Records of tiny graphs, and the page made from them."""
    import design_figures
    import design_space

    size = "--engine", "threads", "--scale", 8, "--runs", 2, "--seconds", 600
    graphs = "--graphs", "kron21", "road"
    words = "--out", tmp_path, *size, *graphs, "--designs", *DESIGNS
    command(monkeypatch, design_space, *words)
    page = tmp_path / "design-space.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    command(monkeypatch, design_figures, "--records", tmp_path, "--page", page)
    return tmp_path


def rows(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_two_commands_make_the_page(measured):
    import design_figures
    import design_tables

    page = (measured / "design-space.md").read_text(encoding="utf-8")
    for words in design_tables.GROUPS.values():
        assert f"**{words}**" in page
    drawn = {"options-of-k-out", "union-rules", "rounds", "samples", "entries"}
    for name in drawn:
        assert (measured / "figures" / f"{name}.svg").stat().st_size > 1000
        assert f"figures/{name}.svg" in page
    assert drawn <= set(design_figures.FIGURES)

    runs = rows(measured, "design_space")
    assert {row["design"] for row in runs} == {str(Design.parse(name)) for name in DESIGNS}
    assert all(row["right"] for row in runs if "ms" in row)
    skipped = {(row["graph"], row["link"]) for row in runs if "not_run" in row}
    assert skipped == {("road", "label-propagation")}
    for row in rows(measured, "design_sampling"):
        assert 0 < row["coverage"] <= 1
        assert row["between_trees"] <= row["outside_giant"] + 1e-12
    batches = [row for row in rows(measured, "design_stream") if "rows_per_s" in row]
    kinds = {("inserts_a_query" in row, row.get("at_once", False)) for row in batches}
    assert kinds == {(False, False), (False, True), (True, False)}
    assert (measured / "figures" / "queries.svg").exists()


def test_a_design_that_takes_too_long_is_stopped():
    import design_runs

    from cc_rapids import backends, generators

    backend = backends.get("threads")
    ready = design_runs.Prepared(generators.path(8, engine="threads"), backend)
    with design_runs.limited(backend, -1), pytest.raises(design_runs.TooLongError):
        ready.solve(Design.parse("liu-tarjan(PRF)"), "list")
    assert ready.solve(Design.parse("liu-tarjan(PRF)"), "list").max() == 0


def test_kernels_are_known_without_a_gpu():
    import design_kernels

    names = [("kout+async+halve", "rows"), ("bfs+ecl", "rows"), ("liu-tarjan(PRFA)", "list")]
    launched = design_kernels.rehearse(names, ("kron21", "road"))
    found = {kernel.part.function.__name__ for kernel in launched.values()}
    assert found >= {"rmat", "grid", "link_pairs", "every_row", "members"}
    assert found >= {"from_above", "from_below", "keep_edge", "connect", "alter", "full_shortcut"}


def test_the_page_is_made_from_the_records():
    import design_figures
    import design_tables

    page = PAGE.read_text(encoding="utf-8")
    made = design_figures.contents(design_tables.Space(), PAGE.parent / "figures")
    for name, make in made.items():
        assert f"<!-- table: {name} -->\n{make()}\n<!-- end -->" in page, "run `make figures`"
    readme = (PAGE.parent.parent / "README.md").read_text(encoding="utf-8")
    assert f" {len(design.rows())} algorithms by name" in readme
