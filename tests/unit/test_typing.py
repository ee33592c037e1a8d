"""What type checkers know of answers, with and without types of the libraries of frames."""

import importlib.util
import runpy
import subprocess
import sys

import pytest
from support.machine import ROOT

ANSWERS = ROOT / "tests" / "typing" / "answers.py"
UNTYPED = "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n"


def test_the_types_are_those_at_run_time():
    runpy.run_path(str(ANSWERS))


@pytest.mark.slow
@pytest.mark.extended
def test_mypy_knows_the_frames_of_an_answer(tmp_path):
    """Also without types of some libraries: what mypy knows of all others is in its cache then."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    options = ["--strict", "--ignore-missing-imports", "--follow-imports=silent", "--config-file="]
    command = [sys.executable, "-m", "mypy", *options, f"--cache-dir={tmp_path / 'cache'}"]
    environment = {"MYPYPATH": f"{tmp_path}:{ROOT}", "PATH": "/usr/bin:/bin"}
    for without in ((), ("pandas", "pyarrow")):
        for library in without:
            (tmp_path / library).mkdir()
            (tmp_path / library / "__init__.pyi").write_text(UNTYPED)
        done = subprocess.run(
            [*command, str(ANSWERS)], capture_output=True, text=True, env=environment, cwd=tmp_path
        )
        assert done.returncode == 0, f"without {without}: {done.stdout}{done.stderr}"
