"""The command line, one module per command; see ``cc-rapids COMMAND --help``."""

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
    edge_rows,
    evaluate,
    generate,
    link,
    link_pairs,
    verify,
)
from .group import main

__all__ = ["main"]

for _command in (  # the order of the list in help
    doctor.doctor,
    compile_ahead.compile_kernels,
    generate.generate,
    convert.convert,
    calculate.calculate,
    verify.verify,
    edge_rows.bridges,
    edge_rows.forest,
    deduplicate.deduplicate,
    link.link,
    link_pairs.link_pairs,
    link_pairs.score_clusters,
    designs.designs,
    bench.bench,
    evaluate.evaluate,
    completion.completion,
):
    main.add_command(_command)
