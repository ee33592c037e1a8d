"""How long the ways through the package are: python -m nets.counts, or make counts.

Of modules, imports at the top level count: what functions import, and what a type checker alone
reads, does not. Of the main path, each function of ours counts once that a warm
``components(frame).labels()`` on integers enters and a debugger can stop in: not machine code of
kernels, and no names that begin with ``__``. A dry run's launch counts as the launch that it
replaces. Of a warm call about a batch each Python function
counts as often as it is called, of ours and of libraries that are installed here, and each call of
the driver.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
from support import fake_cudf, fake_gpu

import cc_rapids
from cc_rapids import backends
from cc_rapids.backends.dry_run import RecordingBackend, recorded_launches
from cc_rapids.backends.threads import Threads

PACKAGE = Path(cc_rapids.__file__).parent
FILES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


@functools.cache
def imports(module: str) -> frozenset[str]:
    """Return the modules of ours that a module imports when it is loaded."""
    path = FILES[module]
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ImportFrom):
            continue
        above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            found.add(f"{base}.{alias.name}" if f"{base}.{alias.name}" in FILES else base)
    return frozenset(found & FILES.keys() - {module, "cc_rapids"})


@functools.cache
def chain(module: str) -> tuple[str, ...]:
    """Return the longest chain of imports that begins with a module."""
    return (module, *max(map(chain, imports(module)), key=len, default=()))


def longest() -> tuple[str, ...]:
    """Return the longest chain of all."""
    return max(map(chain, FILES), key=len)


# Whether phases are launched together, with a GPU's parameters; None on threads, and with the
# backend of GPUs over a driver that is a stand-in.
PATHS: dict[str, bool | None] = {
    "on threads": None,
    "on a GPU": False,
    "on a GPU, in one launch": True,
    "on a GPU, with its backend": None,
}
TESTS = str(Path(__file__).parents[1])


class _Gpu(RecordingBackend):
    """A dry run whose arrays pass for CuPy's."""

    on_device = True

    def empty(self, n: int, dtype: Any) -> Any:
        return super().empty(n, dtype).view(fake_cudf.Array)


def entered(path: str) -> set[tuple[str, str]]:
    """Return the file and the name of each function that a main path enters, once it is warm.

    It begins and ends with a frame of pandas', or of stand-ins for cuDF's. What a dry run and a
    stand-in do in place of a GPU, as they run a kernel's functions as Python, is left out.
    """
    columns = {"src": np.arange(30) % 7, "dst": np.arange(30) % 5}
    together = PATHS[path]
    if path.endswith("its backend"):
        with fake_gpu.installed():
            return _entered(fake_cudf.DataFrame(columns))
    if together is None:
        with mock.patch.object(backends.get("threads"), "is_compiled", True):
            return _entered(pd.DataFrame(columns))
    with fake_cudf.installed(), recorded_launches(_Gpu) as backend:
        backend.in_one_launch = together
        return _entered(fake_cudf.DataFrame(columns))


def _entered(frame: Any) -> set[tuple[str, str]]:
    for _ in range(2):
        cc_rapids.components(frame).labels()
    found: set[tuple[str, str]] = set()
    inside: list[FrameType] = []  # of a dry run's launch

    def note(frame: FrameType, event: str, value: Any) -> Callable[..., None] | None:
        code = frame.f_code
        if inside:
            return None
        is_dry_run = code is RecordingBackend.launch.__code__
        ours = code.co_filename.startswith(str(PACKAGE))
        if ours and not code.co_name.startswith("__"):
            counted = Threads.launch.__code__ if is_dry_run else code
            found.add((counted.co_filename, counted.co_qualname))
        stands_in = code.co_filename.startswith(TESTS) and code.co_filename != __file__
        if is_dry_run or stands_in:
            inside.append(frame)
            return leave
        return None

    def leave(frame: FrameType, event: str, value: Any) -> None:
        if event == "return":
            inside.clear()

    before = sys.gettrace()
    sys.settrace(note)  # a profiler would also see compiled kernels, which no debugger enters
    try:
        cc_rapids.components(frame).labels()
    finally:
        sys.settrace(before)
    return found


class Calls(NamedTuple):
    """How many functions of Python's a call takes, and what it asks of the driver, in order."""

    python: int
    driver: list[str]


BATCHES: dict[str, Callable[[Any, Any], Any]] = {
    "insert": lambda seen, frame: seen.insert(frame),
    "connected": lambda seen, frame: seen.connected(frame),
}


def calls(name: str) -> Calls:
    """Count the calls of a warm insertion, or question, of a frame between given vertices.

    The backend is that of GPUs, over stand-ins for cuDF and CuPy, whose own calls do not count.
    """
    rows = np.arange(30, dtype=np.int32)
    with fake_gpu.installed():
        frame = fake_cudf.DataFrame({"src": rows % 7, "dst": rows % 5})
        seen = cc_rapids.Connectivity(num_vertices=100_000, engine="cuda")
        for _ in range(3):
            BATCHES[name](seen, frame)
        fake_gpu.Driver.calls.clear()
        python = _python_calls(functools.partial(BATCHES[name], seen, frame))
        return Calls(python, list(fake_gpu.Driver.calls))


def _python_calls(work: Callable[[], Any]) -> int:
    """Return the number of functions that a call enters, without those of this folder."""
    count, inside = 0, list[FrameType]()  # of a stand-in

    def note(frame: FrameType, event: str, value: Any) -> None:
        nonlocal count
        if event == "return" and inside == [frame]:
            inside.clear()
        if event != "call" or inside:
            return
        if not frame.f_code.co_filename.startswith(TESTS):
            count += 1
        elif frame.f_code.co_filename != __file__:
            inside.append(frame)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def main() -> None:
    """Print all counts."""
    for what, modules in (("the longest chain", longest()), ("api", chain("cc_rapids.api"))):
        print(f"{len(modules)} files: {what} ({' > '.join(m[10:] for m in modules)})")
    for path in PATHS:
        found = entered(path)
        modules = len({file for file, _ in found})
        print(f"{len(found)} functions in {modules} modules: the main path {path}")
    for name in BATCHES:
        count, driver = calls(name)
        print(f"{count} calls of functions, {len(driver)} of the driver: {name} on a GPU")
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES.values())
    print(f"{lines:,} lines in {len(FILES)} modules")


if __name__ == "__main__":
    main()
