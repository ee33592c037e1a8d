"""What the README tells someone who decides in a minute, and that it is true of the package."""

import doctest
import re
import tomllib
from pathlib import Path

import pytest

from cc_rapids.generators import REFERENCES
from cc_rapids.tools import doctor

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")


def row(first):
    """The cells of a row of the table of versions."""
    (line,) = re.findall(rf"^\| {re.escape(first)} \|(.*)\|$", README, re.MULTILINE)
    return [cell.strip() for cell in line.split("|")]


def test_the_first_example_comes_on_the_first_screen():
    assert README.index("cc_rapids.components(") < len("\n".join(README.splitlines()[:25]))


def test_pandas_and_polars_users_are_told_in_the_first_paragraph():
    first = README.split("\n\n")[1]
    assert "pandas" in first
    assert "Polars" in first


@pytest.mark.parametrize("title", ["When not to use it", "Install", "Measured"])
def test_there_is_a_section(title):
    assert f"\n## {title}\n" in README


def test_the_example_of_what_comes_after_components_runs():
    (block,) = re.findall(r"```pycon\n(.*?)```", README, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    assert len(test.examples) > 10
    said = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert said == []


def anchors(path):
    """The names by which headings of a page are linked."""
    text = (ROOT / path).read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def test_links_lead_to_files_and_headings():
    links = [link.partition("#") for link in re.findall(r"\]\(([^)]+)\)", README)]
    links = [(path, name) for path, _, name in links if not path.startswith("http")]
    assert len(links) > 10
    assert [path for path, _ in links if not (ROOT / path).exists()] == []
    assert [(path, name) for path, name in links if name and name not in anchors(path)] == []


def test_no_commit_is_named():
    assert HASH.findall("at 54037ee, of 20 M edges") == ["54037ee"]
    assert HASH.findall(README) == []


def test_gpus_and_drivers_are_those_that_the_doctor_asks_for():
    wanted = [f"{'.'.join(map(str, doctor._OLDEST[extra]))} or newer" for extra in ("cu13", "cu12")]
    cells = row("GPU: compute capability")[:2]
    assert [cell.partition(" (")[0] for cell in cells] == wanted
    for cell, driver, advice in zip(cells, row("NVIDIA driver"), doctor._ELSEWHERE, strict=False):
        generation = cell.partition("(")[2].rstrip(")")
        assert generation in advice
        assert driver.partition(" ")[0] in advice


def test_versions_are_those_of_the_metadata():
    for extra, cell in zip(("cu13", "cu12"), row("RAPIDS (cuDF, RMM)"), strict=False):
        least = cell.removesuffix(" or newer")
        assert f"cudf-{extra}>={least}" in PROJECT["optional-dependencies"][extra]
        assert f"rmm-{extra}>={least}" in PROJECT["optional-dependencies"][extra]
    pythons = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if "Python :: 3." in one]
    assert row("Python, on Linux") == [", ".join(pythons)] * 3


def test_what_measures_is_told_beside_what_draws():
    command = re.search(r"`python (benchmarks/\w+\.py)`", README)[1]
    assert (ROOT / command).is_file()
    assert "cc-rapids bench" in README
    assert "make figures" in README


def test_each_reference_graph_of_the_table_is_explained():
    table = README.split("<!-- table: main_job -->")[1].split("<!-- end -->")[0]
    graphs = set(re.findall(r"^\| (\w+), (?:int|hashed)", table, re.MULTILINE))
    explained = set(re.findall(r"^- \*(\w+)\*: .{20,}[;.]$", README, re.MULTILINE))
    assert explained == REFERENCES.keys()
    assert graphs <= explained


def test_tables_are_narrow():
    widest = [line for line in README.splitlines() if line.startswith("|") and len(line) > 100]
    assert widest == []


def test_it_says_how_to_open_the_notebooks():
    assert "pip install '.[notebooks]' jupyterlab" in README
    assert "notebooks" in PROJECT["optional-dependencies"]


def test_the_metadata_has_authors_and_links():
    assert PROJECT["authors"]
    assert {"Repository", "Issues", "Changelog"} <= PROJECT["urls"].keys()
    assert all(link.startswith("https://") for link in PROJECT["urls"].values())
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert all(f'name: "{author["name"]}"' in cited for author in PROJECT["authors"])
    assert f"repository-code: {PROJECT['urls']['Repository']}\n" in cited
