"""Every notebook runs from the wheel alone, without an error and without a word on stderr."""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from support.choices import some

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
USUAL = [ROOT / "notebooks" / "ten_minutes.ipynb"]
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


class OwnKernel(AsyncKernelManager):
    """The kernel of this very Python, whether or not Jupyter knows it by name."""

    def format_kernel_cmd(self, extra_arguments=None):
        return [sys.executable, "-m", "ipykernel_launcher", "-f", self.connection_file]


def outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def check(notebook):
    """No errors, nothing on stderr, and a figure."""
    found = outputs(notebook)
    assert [output for output in found if output.output_type == "error"] == []
    assert [output.text for output in found if output.get("name") == "stderr"] == []
    assert any("image/png" in output.get("data", {}) for output in found)


@EACH
def test_each_picture_has_words(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])):
            words = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            assert len(words.split()) > 5, cell.source


@EACH
def test_no_output_says_that_something_is_missing(path):
    """As on machines without a GPU, where notebooks are stored."""
    for output in outputs(nbformat.read(path, as_version=4)):
        assert not re.search(r"not installed|pip install|no NVIDIA|Traceback", str(output))


@EACH
def test_a_notebook_is_stored_small_with_its_outputs(path):
    assert path.stat().st_size < 300_000
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    check(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    text = path.read_text(encoding="utf-8")
    machine = (ROOT, Path.home(), Path(sys.prefix), Path(tempfile.gettempdir()))
    # a home may be the root folder, whose name is in any address
    assert [str(place) for place in machine if place.name and f"{place}/" in text] == []


def run(path, folder):
    """A notebook after a run in an empty folder."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    client = NotebookClient(
        notebook,
        timeout=None,
        kernel_manager_class=OwnKernel,
        resources={"metadata": {"path": str(folder)}},
    )
    return asyncio.run(client.async_execute())  # which closes the loop of its thread


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A folder with what a wheel of the package installs, and nothing else of the checkout."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(built) as file:
        file.extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture(scope="module")
def runs(request, wheel, tmp_path_factory):
    """A run of each notebook that is tested, as many at a time as there are cores."""
    tests = [item for item in request.session.items if "runs" in getattr(item, "fixturenames", ())]
    paths = [item.callspec.params["path"] for item in tests]
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(os.cpu_count()) as pool:
        patch.setenv("PYTHONPATH", str(wheel))
        code = "import cc_rapids; print(cc_rapids.__file__)"
        found = subprocess.check_output([sys.executable, "-c", code], cwd=wheel, text=True)
        assert Path(found.strip()).is_relative_to(wheel)
        yield {path: pool.submit(run, path, tmp_path_factory.mktemp(path.stem)) for path in paths}


def claims(notebook):
    """What is shown as true or false, in order: nothing else sees an answer that changes."""
    shown = (o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs(notebook))
    return re.findall(r"\b(?:True|False)\b", "\n".join(shown))


@some("path", NOTEBOOKS, usual=USUAL, ids=lambda path: path.stem)
def test_a_notebook_runs(path, runs):
    ran = runs[path].result()
    check(ran)
    assert claims(ran) == claims(nbformat.read(path, as_version=4))
