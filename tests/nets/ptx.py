"""Compare the PTX of every kernel of two trees under one compiler: ``make ptx-net BASE=HEAD~1``.

Symbols are replaced by numbers in the order in which they stand in the text, so that a commit that
only moves or renames leaves the same PTX behind. No GPU is needed.
"""

from __future__ import annotations

import argparse
import collections
import gc
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from support.machine import ROOT, SELDOM

FUNCTION = re.compile(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
VARIABLE = re.compile(r"^\s*\.[^(){}%]*\s([\w$]+)(?:\[\d*\])?(?:\s*=.*)?;$")
NOISE = re.compile(r"//.*|^\s*\.(?:file|loc|section|version)\b.*$", re.M)
TARGET = 7, 5

KERNELS: dict = {}  # of this process of the pool, by their keys


def normalised(ptx: str) -> str:
    """Return PTX without comments and with numbers for the names of functions and variables.

    Numbers follow the first use in code: the compiler declares variables in no order of its own.
    """
    lines = [line.strip() for line in NOISE.sub("", ptx).splitlines() if line.strip()]
    variables = [line for line in lines if VARIABLE.match(line) and not line.startswith(".reg")]
    names = {VARIABLE.match(line)[1] for line in variables} | {*FUNCTION.findall(ptx)}
    code = "\n".join(line for line in lines if line not in set(variables))
    numbers: dict[str, str] = {}

    def number(match: re.Match) -> str:
        word, parameter = re.fullmatch(r"([\w$]+?)(_param_\d+)?", match[0]).groups()
        if word not in names:
            return match[0]
        return numbers.setdefault(word, f"symbol{len(numbers)}") + (parameter or "")

    code = re.sub(r"(?<![\w$.%])[A-Za-z_$][\w$]*", number, code)
    declared = (re.sub(r"(?<![\w$.%])[A-Za-z_$][\w$]*", number, line) for line in variables)
    return "\n".join([*sorted(declared), code])


def _begin() -> None:
    from support import launches

    gc.set_threshold(*SELDOM)
    KERNELS.update(launches.rehearse("pairs")[0])


def _compiled(key: tuple) -> tuple[str, str]:
    from cc_rapids.backends import compile as compiler

    kernel = KERNELS[key]
    name = f"{kernel.part.function.__name__}({', '.join(key[2])})"
    return name, normalised(compiler.to_ptx(kernel, key[2], TARGET))


def compiled() -> list[tuple[str, str]]:
    """Return the name and the normalised PTX of every kernel of the tree that is imported."""
    _begin()
    with multiprocessing.get_context("spawn").Pool(os.cpu_count(), _begin) as pool:
        return pool.map(_compiled, list(KERNELS), 16)


def differences(old: list, new: list) -> Iterator[str]:
    """Yield the names of kernels whose PTX one of two trees alone has."""
    for sign, some, others in (("-", old, new), ("+", new, old)):
        left = collections.Counter(text for _, text in some)
        left.subtract(text for _, text in others)
        for name, text in some:
            if left[text] > 0:
                left[text] -= 1
                yield f"{sign} {name}"


def tree_of(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)


def of_tree(folder: Path) -> list[tuple[str, str]]:
    """Return what :func:`compiled` finds in a tree, in a process of its own."""
    paths = [folder, folder / "tests", ROOT / "tests"]  # this file, if the tree has none
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    environment["PYTHONHASHSEED"] = "0"  # Numba orders some of its code by sets of names
    command = [sys.executable, str(Path(__file__)), "--dump"]
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=True, text=True
    )
    return json.loads(done.stdout)


def main() -> int:
    """Compare this tree with a commit."""
    parser = argparse.ArgumentParser(description="Compare the PTX of two trees.")
    parser.add_argument("base", nargs="?", default="HEAD~1")
    parser.add_argument("--dump", action="store_true", help="write the PTX of one tree as JSON")
    options = parser.parse_args()
    if options.dump:
        print(json.dumps(compiled()))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        tree_of(options.base, Path(folder))
        old, new = of_tree(Path(folder)), of_tree(ROOT)
    lines = list(differences(old, new))
    print("\n".join([*lines, f"{len(old)} kernels at {options.base}, {len(new)} here"]))
    print("the same PTX" if not lines else f"{len(lines)} differ")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
