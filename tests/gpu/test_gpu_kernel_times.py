"""The time of compiling kernels for a GPU, apart from that in which they run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gpu


def test_the_first_run_of_a_machine_says_what_it_spent(own_store, tmp_path):
    (tmp_path / "pairs.csv").write_text("src,dst\n5,2\n2,7\n9,9\n")
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}

    def run(word):
        command = [sys.executable, "-m", "cc_rapids.cli", "calculate", "pairs.csv", "--json"]
        command += ["--engine", word]
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment)
        assert (done.returncode, done.stderr) == (0, b"")
        return json.loads(done.stdout)

    first, second = run("gpu"), run("cuda")
    assert first["engine"] == second["engine"] == "cuda"
    assert first["components"] == second["components"] == 2
    assert first["kernels_compiled"] > 0
    assert second["kernels_compiled"] == 0
    assert second["seconds"]["kernels"] < first["seconds"]["kernels"]
    assert first["seconds"]["compute"] < first["seconds"]["kernels"]
