"""Every example runs as a user would run it, with warnings as errors; each ends in an assert."""

import ast
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = sorted((pathlib.Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path):
    ran = subprocess.run(
        [sys.executable, "-W", "error", path], capture_output=True, text=True, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_one_idea_and_asserts_it(path):
    text = path.read_text(encoding="utf-8")
    assert 15 <= len(text.splitlines()) <= 90
    assert any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(text)))
