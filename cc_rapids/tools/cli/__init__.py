"""The command line, one file per command; see ``cc-rapids COMMAND --help``."""

from __future__ import annotations

from . import (
    bench,
    calculate,
    compile_ahead,
    completion,
    convert,
    deduplicate,
    designs,
    doctor,
    evaluate,
    generate,
    link,
    verify,
)
from .group import main

__all__ = ["main"]

for command in (  # in the order of use, in which they are listed
    doctor.doctor,
    compile_ahead.compile_kernels,
    generate.generate,
    convert.convert,
    calculate.calculate,
    verify.verify,
    deduplicate.deduplicate,
    link.link,
    designs.designs,
    bench.bench,
    evaluate.evaluate,
    completion.completion,
):
    main.add_command(command)
