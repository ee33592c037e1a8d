"""The command line, one file per command; see ``cc-rapids COMMAND --help``."""

from __future__ import annotations

from . import bench, calculate, completion, convert, designs, doctor, evaluate, generate, verify
from .group import main

__all__ = ["main"]

for command in (
    calculate.calculate,
    generate.generate,
    convert.convert,
    verify.verify,
    bench.bench,
    evaluate.evaluate,
    designs.designs,
    doctor.doctor,
    completion.completion,
):
    main.add_command(command)
