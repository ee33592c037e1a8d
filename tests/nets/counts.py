"""How long the ways through the package are: python -m nets.counts, or make counts.

Of modules, imports at the top level count: what functions import, and what a type checker alone
reads, does not. Of the main path, each function of ours counts once that a warm
``components(frame).labels()`` on integers enters; names that begin with ``__`` do not.
"""

from __future__ import annotations

import ast
import functools
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import cc_rapids

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


def entered() -> set[tuple[str, str]]:
    """Return the file and the name of each function that the main path enters, once it is warm."""
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"src": np.arange(30) % 7, "dst": np.arange(30) % 5})
    for _ in range(2):
        cc_rapids.components(frame).labels()
    found: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        ours = event == "call" and code.co_filename.startswith(str(PACKAGE))
        if ours and not code.co_name.startswith("__"):
            found.add((code.co_filename, code.co_qualname))

    sys.setprofile(note)
    try:
        cc_rapids.components(frame).labels()
    finally:
        sys.setprofile(None)
    return found


def main() -> None:
    """Print all counts."""
    for what, modules in (("the longest chain", longest()), ("api", chain("cc_rapids.api"))):
        print(f"{len(modules)} files: {what} ({' > '.join(m[10:] for m in modules)})")
    path = entered()
    print(f"{len(path)} functions in {len({file for file, _ in path})} modules: the main path")
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES.values())
    print(f"{lines:,} lines in {len(FILES)} modules")


if __name__ == "__main__":
    main()
