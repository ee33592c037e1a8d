"""Every example, and the lines of the README, run as a user would run them."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import networkx
import pytest
from machine import with_package

import cc_rapids.scipy

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
EACH = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


@EACH
def test_an_example_runs(path, tmp_path):
    ran = subprocess.run(
        [sys.executable, "-W", "error", path],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=with_package(os.environ),
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
    assert ran.stderr == ""


@EACH
def test_an_example_is_short_says_its_idea_and_asserts_it(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert 15 <= len(text.splitlines()) <= 60
    assert ast.get_docstring(tree)
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))


def test_the_lines_of_the_readme_give_what_they_say():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 80
    lines, more = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    names = {}
    exec(lines.replace("import cudf", "import pandas as cudf"), names)
    found = names["found"]
    assert len(found) == 2
    assert found.labels()["vertex"].tolist() == [2, 5, 7, 9]
    assert found.labels()["labels"].tolist() == [2, 2, 2, 9]
    said = re.findall(r"# vertex ([\d ]+), labels ([\d ]+):", lines)
    assert said == [("2 5 7 9", "2 2 2 9")]
    names |= {"nx": networkx, "graph": networkx.path_graph(3)}
    try:
        exec(more, names)
    finally:
        cc_rapids.uninstall()
    assert names["connected_components"] is cc_rapids.scipy.connected_components
    assert len(names["pairs"].cc.sizes()) == 2


def test_the_links_of_the_readme_lead_somewhere():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!http)([^)#]+)\)", readme)
    assert "notebooks/ten_minutes.ipynb" in links
    assert [link for link in links if not (ROOT / link).exists()] == []
