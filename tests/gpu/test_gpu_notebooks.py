"""The code of every notebook and every example, run as a script where frames are cuDF's."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.machine import with_package

import cc_rapids

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = sorted([*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "examples").glob("*.py")])


def code_of(path):
    """What a notebook runs, without Jupyter; no cell has a magic."""
    if path.suffix == ".py":
        return path.read_text(encoding="utf-8")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_it_runs_on_the_device(path, tmp_path):
    assert cc_rapids.frame_library().__name__ == "cudf"
    for wanted in ("examples", "benchmarks/records"):
        shutil.copytree(ROOT / wanted, tmp_path / wanted)
    folder = tmp_path / ("notebooks" if path.suffix == ".ipynb" else "examples")
    folder.mkdir(exist_ok=True)
    script = folder / f"{path.stem}.py"
    script.write_text(code_of(path), encoding="utf-8")
    environment = with_package(os.environ) | {"MPLBACKEND": "Agg"}
    ran = subprocess.run(
        [sys.executable, script], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
