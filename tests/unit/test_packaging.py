"""What is shipped: every module and its types in the wheel, tests and examples in the sdist."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import cc_rapids

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The names in the wheel and the sdist, the wheel's metadata, and a folder of its modules."""
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    folder = str(tmp_path_factory.mktemp("dist"))
    installed = tmp_path_factory.mktemp("installed")
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=folder, versions=["standard"])
    (sdist,) = SdistBuilder(str(ROOT)).build(directory=folder, versions=["standard"])
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        file.extractall(installed)
        metadata = file.read(next(n for n in names if n.endswith("METADATA"))).decode()
    with tarfile.open(sdist) as file:
        inside = {name.partition("/")[2] for name in file.getnames()}
    return names, inside, metadata, installed


def sources(*folders):
    files = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return {str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_nothing_else(built):
    wheel, *_ = built
    ours = {name for name in wheel if ".dist-info/" not in name}
    data = {str(p.relative_to(ROOT)) for p in (ROOT / "cc_rapids" / "datasets").glob("*.[!p]*")}
    assert {Path(name).suffix for name in data} == {".csv", ".md", ".txt"}
    assert ours == sources("cc_rapids") | data | {"cc_rapids/py.typed"}
    assert {name.partition("/")[0] for name in ours} == {"cc_rapids"}  # no tests, no records
    assert [name for name in ours if name.endswith((".jsonl", ".ipynb"))] == []
    assert any(name.endswith("licenses/LICENSE") for name in wheel)
    assert any(name.endswith("entry_points.txt") for name in wheel)


@pytest.mark.extended
def test_generate_bench_calculate_and_evaluate_work_from_the_wheel(built, tmp_path):
    """Without the checkout: in a folder of its own, and beside it nothing but the wheel."""
    *_, installed = built
    environment = os.environ | {"PYTHONPATH": str(installed)}

    def run(*words):
        command = [sys.executable, "-m", "cc_rapids", *words, "--quiet"]
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    folder = tmp_path / "graphs"
    folder.mkdir()
    run("generate", "grid", "--rows", "5", "--columns", "4", "graphs/grid.csv")
    run("calculate", "graphs/grid.csv", "--output", "labels.csv")
    assert (tmp_path / "labels.csv").read_text().count("\n") == 1 + 20
    one = ("--ids", "int32", "--form", "coo", "--engine", "cpu", "--rounds", "1", "--json")
    assert json.loads(run("bench", "--nodes", "50", *one))["checked"]
    run("evaluate", "graphs", "--rounds", "1", "--out", "evaluated", "--engine", "cpu")
    assert (tmp_path / "evaluated" / "speed-up.png").stat().st_size > 1000


@pytest.mark.slow
def test_the_sdist_holds_what_it_takes_to_test_and_to_learn(built):
    _, sdist, *_ = built
    assert sources("cc_rapids", "tests", "examples", "benchmarks", "distribution") <= sdist
    assert "recipe/recipe.yaml" in sdist
    assert {"LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"} <= sdist
    assert {"cc_rapids/datasets/word_ladders.csv", "cc_rapids/py.typed", "Makefile"} <= sdist
    hidden = {name.partition("/")[0] for name in sdist if name.startswith(".")}
    assert hidden <= {".gitignore"}


@pytest.mark.slow
def test_the_metadata_says_who_can_run_it(built):
    _, _, metadata, _ = built
    for line in (
        f"Version: {cc_rapids.__version__}",
        "Requires-Python: >=3.11",
        "License-Expression: Apache-2.0",
        "Provides-Extra: cu12",
        "Provides-Extra: cu13",
    ):
        assert line in metadata.splitlines()
    plain = [line for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    needed = {re.split(r"[^\w-]", line.split()[1])[0] for line in plain if "extra ==" not in line}
    assert needed == {"click", "narwhals", "numba", "numpy", "pyarrow", "rich", "scipy"}


def test_the_version_is_the_same_everywhere():
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited[1] == cc_rapids.__version__
    assert f"\n## {cc_rapids.__version__} " in (ROOT / "CHANGELOG.md").read_text()
