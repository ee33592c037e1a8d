"""Every notebook runs from top to bottom, without an error and without a word on stderr."""

import pathlib
import shutil
import sys

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


class OwnKernel(AsyncKernelManager):
    """The kernel of this very Python, whether or not Jupyter knows it by name."""

    def format_kernel_cmd(self, extra_arguments=None):
        return [sys.executable, "-m", "ipykernel_launcher", "-f", self.connection_file]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "notebooks").mkdir()
    notebook = nbformat.read(path, as_version=4)
    assert path.stat().st_size < 300_000
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_manager_class=OwnKernel,
        resources={"metadata": {"path": str(tmp_path / "notebooks")}},
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [o.text for o in outputs if o.get("name") == "stderr"] == []
    assert any("image/png" in output.get("data", {}) for output in outputs)
