"""The command line, one file a family of commands: ``cc-rapids COMMAND --help`` says more."""

from __future__ import annotations

from .calculate import calculate
from .completion import completion
from .convert import convert
from .doctor import doctor
from .generate import generate
from .group import main
from .verify import verify

__all__ = ["main"]

for command in (calculate, generate, convert, verify, doctor, completion):
    main.add_command(command)
