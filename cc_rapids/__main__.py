"""``python -m cc_rapids SCRIPT``: run a program with cc_rapids under cuGraph's names."""

from __future__ import annotations

import os
import runpy
import sys

from .integrations.install import install

USAGE = """usage: python -m cc_rapids [-m MODULE | SCRIPT] [ARGUMENT ...]

Runs a Python program with cc_rapids under cugraph.weakly_connected_components,
cugraph.connected_components and pylibcugraph.weakly_connected_components."""


def main(arguments: list[str]) -> None:
    """Install cc_rapids, then run a script or a module as ``python`` would."""
    as_module = arguments[:1] == ["-m"]
    program = arguments[as_module:]
    if not program or (program[0].startswith("-") and not as_module):
        asked = program[:1] in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        raise SystemExit(0 if asked else 2)
    install()
    sys.argv = program
    if as_module:
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
        runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
