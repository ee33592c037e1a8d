"""For each Python of the classifiers: wheels of all that an extra needs, and types that hold.

python distribution/resolve.py

It stands for runs on interpreters that are not at hand, and on GPUs: the newest releases for each
Python are resolved, wheels only, and mypy reads the package as that Python would.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import builds

PLATFORM = "x86_64-manylinux_2_28"
EXTRAS = "", "cu13", "cu12", "dask", "networkx", "plot", "ray"
SHOWN = "numpy", "numba", "numba-cuda", "pyarrow", "scipy", "cudf-cu13", "cudf-cu12"


def pythons():
    """Return the versions of Python that the classifiers name."""
    classifiers = builds.project()["classifiers"]
    return [line.rpartition(" ")[2] for line in classifiers if "Python :: 3." in line]


def resolved(python, extra):
    """Return the releases, by name, that an installation for a Python takes; wheels only."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-header"]
    command += ["--no-annotate", "--only-binary", ":all:", "--python-version", python]
    command += ["--python-platform", PLATFORM, "-"]
    asked = "\n".join(builds.requirements(*filter(None, [extra])))
    done = subprocess.run(command, input=asked, stdout=subprocess.PIPE, text=True, check=True)
    lines = (line.partition(";")[0].strip() for line in done.stdout.splitlines())
    return dict(line.split("==") for line in lines if "==" in line)


def main():
    """Print a line for each Python and extra; stop at the first that cannot be had."""
    for python in pythons():
        for extra in EXTRAS:
            found = resolved(python, extra)
            shown = [f"{name} {found[name]}" for name in SHOWN if name in found]
            print(f"{python} {f'[{extra}]' if extra else '':10}", *shown, flush=True)
        with tempfile.TemporaryDirectory() as cache:
            command = [Path(sys.executable).parent / "mypy", "--python-version", python]
            subprocess.run([*command, "--cache-dir", cache], cwd=builds.ROOT, check=True)


if __name__ == "__main__":
    main()
