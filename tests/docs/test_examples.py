"""Every example, and the lines of the README, run as a user would run them."""

import ast
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import networkx
import pytest
from support.choices import some
from support.machine import with_package

import cc_rapids.scipy

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
EACH = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


ELSEWHERE = {"own_link_rule"}  # in a process of its own: what it adds would stay in this one


@EACH
def test_an_example_runs(path, tmp_path, monkeypatch, capfd):
    if path.stem in ELSEWHERE:
        command = [sys.executable, "-W", "error", path]
        subprocess.run(command, cwd=tmp_path, env=with_package(os.environ), check=True)
    else:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [str(path)])
        runpy.run_path(str(path), run_name="__main__")
    printed = capfd.readouterr()
    assert printed.out
    assert printed.err == ""


@EACH
def test_an_example_is_short_says_its_idea_and_asserts_it(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert 15 <= len(text.splitlines()) <= 60
    assert ast.get_docstring(tree)
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))


LESS = """from pyarrow.csv import read_csv
    islands = cc_rapids.components(read_csv(PAIRS)[::2], "word", "neighbour")"""

# What an example shows, and the same broken: text of it, and what stands there instead.
BROKEN = [
    ("curator", "BUCKETS = [[[100, 104], [101, 103,", "BUCKETS = [[[100, 104], [101, 102,"),
    ("curator", "in enumerate(BUCKETS)]", "in enumerate(BUCKETS[:1])]"),
    ("dask_components", "components(messages,", "components(messages.partitions[:9],"),
    ("duckdb_pairs", "a.phone = b.phone", "a.phone = b.email"),
    ("duckdb_pairs", 'missing="self")', 'missing="null")'),
    ("fraud_rings", '"tel-7", "tel-7"', '"tel-7", "tel-8"'),
    ("fraud_rings", '"tel-9", None', '"tel-9", "tel-7"'),
    ("incremental", "network.save(", "cc_rapids.Connectivity().save("),
    ("incremental", "DataFrame(MORNING)", "DataFrame(EVENING)"),
    ("incremental", "elsewhere.insert(", "network.insert("),
    ("keep_the_best", 'by="reviews"', "by=None"),
    ("keep_the_best", 'by="reviews"', 'by="reviews", missing="drop"'),
    ("larger_than_memory", "        raise RuntimeError", "        return"),
    ("larger_than_memory", 'Path(folder) / "far.npz"', "None"),
    ("larger_than_memory", "(N - 7), FILES)", "(N - 8), FILES)"),
    ("near_duplicates", "SIMILAR = 0.75", "SIMILAR = 0.5"),
    ("near_duplicates", 'on="document")', 'on="document", missing="drop")'),
    ("own_link_rule", "current = cas(parent, u, u, v)", "current = u"),
    ("several_thresholds", "thresholds=[0.9, 0.8, 0.5]", "thresholds=[0.9, 0.85, 0.7]"),
    ("spanning_forest", 'forest["row"].to_numpy()', "[0, 1, 2, 5]"),
    ("word_ladders", 'islands = cc_rapids.components(PAIRS, "word", "neighbour")', LESS),
]


@some(("name", "shown", "broken"), BROKEN, usual=BROKEN[::5])
def test_what_is_asserted_fails_where_it_is_broken(name, shown, broken, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name])
    path = ROOT / "examples" / f"{name}.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(shown) == 1
    text = text.replace(shown, broken).replace("__file__", f"{str(path)!r}")
    if name not in ELSEWHERE:
        with pytest.raises((AssertionError, cc_rapids.CcRapidsError)):
            exec(compile(text, path, "exec"), {"__name__": "__main__"})
        return
    (tmp_path / "broken.py").write_text(text)
    command = [sys.executable, tmp_path / "broken.py"]
    ran = subprocess.run(command, capture_output=True, text=True, env=with_package(os.environ))
    assert re.search(r"^(AssertionError|cc_rapids\.errors\.)", ran.stderr, re.MULTILINE)


def test_every_example_is_broken_somewhere():
    assert {name for name, *_ in BROKEN} == {path.stem for path in EXAMPLES}


def test_the_lines_of_the_readme_give_what_they_say():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
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
    links = re.findall(r"\]\((?!http)([^)#]+)\)|(?:src|srcset)=\"([^\"]+)\"", readme)
    links = [one or other for one, other in links]
    assert "notebooks/ten_minutes.ipynb" in links
    assert [link for link in links if not (ROOT / link).exists()] == []
