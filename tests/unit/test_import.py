"""What imports what: light at the top, and device code that knows no machine."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cc_rapids

PACKAGE = (ROOT := Path(__file__).parents[2]) / "cc_rapids"


def imports(path):
    """Each imported module, with its dots resolved."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            yield ".".join([*above, *filter(None, [node.module])])


def test_kernels_know_no_machine():
    kernels = sorted((PACKAGE / "kernels").glob("*.py"))
    assert kernels
    allowed = {*sys.stdlib_module_names, "numpy"} - {"threading", "concurrent"}
    for path in kernels:
        for module in imports(path):
            assert module.startswith("cc_rapids.kernels") or module.split(".")[0] in allowed, path


def modules_after(statement):
    """The top-level modules that a statement loads in a process of its own, but Python's."""
    code = (
        "import sys; before = set(sys.modules)\n"
        f"{statement}\n"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return set(done.stdout.split()) - sys.stdlib_module_names


@pytest.mark.parametrize(
    ("statement", "loaded"),
    [
        ("import cc_rapids", set()),
        ("import cc_rapids; dir(cc_rapids); cc_rapids.__version__", set()),
        ("import cc_rapids.errors; cc_rapids.InputError", set()),
        ("import cc_rapids.cli", {"click"}),
    ],
)
def test_imports_are_light(statement, loaded):
    assert modules_after(statement) == {"cc_rapids"} | loaded


@pytest.mark.slow
def test_arrays_need_no_library_of_frames():
    edges = "(numpy.array([1]), numpy.array([2]))"
    statement = f"import numpy, cc_rapids; cc_rapids.components({edges}).sizes()"
    frames = {"cudf", "cupy", "dask", "narwhals", "networkx", "pandas", "polars", "pyarrow"}
    assert modules_after(statement).isdisjoint(frames)


def test_every_public_name_is_there():
    by_case = sorted(cc_rapids.__all__, key=lambda name: (not name.isupper(), name))
    assert by_case == cc_rapids.__all__  # as ruff sorts them
    for public in cc_rapids.__all__:
        assert getattr(cc_rapids, public) is not None
        assert public in dir(cc_rapids)
    with pytest.raises(AttributeError, match="module 'cc_rapids' has no attribute 'component'"):
        cc_rapids.component  # noqa: B018


def test_test_files_have_names_of_their_own():
    """As pytest imports them by these, whichever process collects which."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
