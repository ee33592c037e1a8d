"""Run a Python program with cc_rapids in place of cuGraph's functions.

``python -m cc_rapids SCRIPT`` runs a script. If no such file exists, ``python -m cc_rapids
COMMAND`` is the same as ``cc-rapids COMMAND``.
"""

from __future__ import annotations

import os
import runpy
import sys
from typing import NoReturn

from .integrations.install import install

USAGE = """usage: python -m cc_rapids [-m MODULE | SCRIPT] [ARGUMENT ...]

Runs a Python program with cc_rapids in place of cugraph.weakly_connected_components,
cugraph.connected_components and pylibcugraph.weakly_connected_components.

python -m cc_rapids COMMAND is cc-rapids COMMAND: see python -m cc_rapids.cli --help."""


def main(arguments: list[str]) -> None:
    """Install cc_rapids into cuGraph, then run a script or module as ``python`` would."""
    as_module = arguments[:1] == ["-m"]
    program = arguments[1:] if as_module else arguments
    if not program or (program[0].startswith("-") and not as_module):
        wants_help = program[:1] in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if wants_help else sys.stderr)
        raise SystemExit(0 if wants_help else 2)
    if not as_module and not os.path.exists(program[0]):
        _run_command(program)
    install()
    sys.argv = program
    if as_module:
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
        runpy.run_path(program[0], run_name="__main__")


def _run_command(arguments: list[str]) -> NoReturn:
    """Run a command of ``cc-rapids``, and exit with its code."""
    from .cli import main as group
    from .tools.cli.group import SYNONYMS

    name = arguments[0]
    if name not in group.commands:
        names = ", ".join(group.commands)
        hint = f"; did you mean {SYNONYMS[name]}?" if name in SYNONYMS else ""
        message = f"Error: there is no file {name}, and the commands are {names}{hint}"
        print(message, file=sys.stderr)
        raise SystemExit(2)
    group(arguments, prog_name="python -m cc_rapids")
    raise AssertionError("commands exit")


if __name__ == "__main__":
    main(sys.argv[1:])
