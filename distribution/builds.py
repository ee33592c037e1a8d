"""Environments, and distributions that are built from a clean tree, the same bytes each time."""

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPILER = "numba-cuda[cu13]>=0.27", "numpy<2.5"  # of the PTX that the wheel brings along

CHECKED = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # from 3.11.4 on


def environment(python, folder, *packages, lowest=False):
    """Return the Python of a new virtual environment with some packages, from wheels only.

    With ``lowest`` the packages are the oldest releases that their own names allow; what these
    need in turn is the newest.
    """
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", python, folder], check=True)
    own = Path(folder, "bin", "python")
    options = ["--quiet", "--only-binary", ":all:", "--python", own]
    options += ["--resolution", "lowest-direct"] if lowest else []
    subprocess.run([*uv, "pip", "install", *options, *packages], check=True)
    return own


def project():
    """Return the table of the package's metadata."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]


def requirements(*extras):
    """Return the requirements of the package and of some extras, extras of extras included."""
    metadata = project()
    found, names = list(metadata["dependencies"]), list(extras)
    while names:
        for one in metadata["optional-dependencies"][names.pop()]:
            inner = re.fullmatch(rf"{metadata['name']}\[(.*)\]", one)
            if inner:
                names += inner[1].split(",")
            else:
                found.append(one)
    return found


def clean_environ(home):
    """Return the variables of a user without settings, whose home is an empty folder.

    Modules are imported from the environment only: neither from the current folder nor from a path.
    """
    Path(home).mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    for name in [name for name in kept if name.startswith(("XDG_", "CC_RAPIDS_", "NUMBA_"))]:
        del kept[name]
    return kept | {"HOME": str(home), "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def build(builder, tree, out, seconds):
    """Build the sdist of a tree, and the wheel from the sdist; return both paths.

    Parameters
    ----------
    builder
        The Python of an environment with ``hatchling``.
    tree, out
        The folder of sources, and the folder to write to.
    seconds
        The time that all files get, since the epoch: the same sources give the same bytes.
    """
    with tempfile.TemporaryDirectory() as folder:
        _hatch(builder, tree, "sdist", out, seconds)
        (sdist,) = Path(out).glob("*.tar.gz")
        _hatch(builder, unpacked(sdist, folder), "wheel", out, seconds)
    (wheel,) = Path(out).glob("*.whl")
    return sdist, wheel


def _hatch(builder, tree, target, out, seconds):
    """Build one distribution of a tree."""
    command = [builder, "-P", "-m", "hatchling", "build", "--target", target]
    variables = os.environ | {"SOURCE_DATE_EPOCH": str(seconds)}
    command += ["--directory", Path(out).absolute()]
    subprocess.run(command, cwd=tree, env=variables, stdout=subprocess.DEVNULL, check=True)


def sums(paths):
    """Return the lines by which ``sha256sum --check`` proves some files."""
    lines = (f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in sorted(paths))
    return "".join(lines)


def unpacked(sdist, folder):
    """Return the folder of an sdist's files, unpacked."""
    with tarfile.open(sdist) as file:
        file.extractall(folder, **CHECKED)
    (inside,) = Path(folder).iterdir()
    return inside
