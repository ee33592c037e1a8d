"""What the README tells someone who decides in a minute, and that it is true of the package."""

import doctest
import re
import tomllib
from pathlib import Path

from cc_rapids.generators import REFERENCES
from cc_rapids.tools import doctor

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def row(first):
    """The cells of a row of the table of versions."""
    (line,) = re.findall(rf"^\| {re.escape(first)} \|(.*)\|$", README, re.MULTILINE)
    return [cell.strip() for cell in line.split("|")]


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


def test_gpus_and_drivers_are_those_that_the_doctor_asks_for():
    capabilities = [doctor._MIN_CAPABILITY[extra] for extra in ("cu13", "cu12")]
    wanted = [f"{major}.{minor} or newer" for major, minor in capabilities]
    cells = row("GPU: compute capability")[:2]
    assert [cell.partition(" (")[0] for cell in cells] == wanted
    for cell, driver, advice in zip(cells, row("NVIDIA driver"), doctor._USABLE_GPUS, strict=False):
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


def test_each_reference_graph_of_the_table_is_explained():
    table = README.split("<!-- table: main_job -->")[1].split("<!-- end -->")[0]
    graphs = set(re.findall(r"^\| (\w+), (?:int|hashed)", table, re.MULTILINE))
    explained = set(re.findall(r"^- \*(\w+)\*: .{20,}[;.]$", README, re.MULTILINE))
    assert explained == REFERENCES.keys()
    assert graphs <= explained


def test_the_metadata_has_authors_and_links():
    assert PROJECT["authors"]
    assert {"Repository", "Issues", "Changelog"} <= PROJECT["urls"].keys()
    assert all(link.startswith("https://") for link in PROJECT["urls"].values())
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert all(f'name: "{author["name"]}"' in cited for author in PROJECT["authors"])
    assert f"repository-code: {PROJECT['urls']['Repository']}\n" in cited
