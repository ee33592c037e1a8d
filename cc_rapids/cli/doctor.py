"""``cc-rapids doctor``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from .group import examples
from .show import as_json, console, print_json, size

if TYPE_CHECKING:
    from ..doctor import Facts


@click.command(
    epilog=examples(
        "cc-rapids doctor", "For the head of a report of a fault:", "cc-rapids doctor --json"
    )
)
@as_json
def doctor(json_output: bool) -> None:
    """Say what is installed, which engine would run and why, and how to get the GPU ones."""
    from ..doctor import diagnose

    facts = diagnose()
    if json_output:
        print_json(asdict(facts))
        return
    terminal = console()
    for line in _diagnosis(facts):
        terminal.print(line, soft_wrap=True)


def _diagnosis(facts: Facts) -> Iterator[str]:
    yield f"python      {facts.python}"
    for name, version in facts.packages.items():
        yield f"{name:<12}{version or '-'}"
    yield f"cpus        {facts.cpus}"
    if facts.driver is None:
        yield "driver      none"
    else:
        version = facts.driver.version or "of unknown version"
        yield f"driver      NVIDIA {version}, CUDA {'.'.join(map(str, facts.driver.cuda))}"
        for gpu in facts.driver.gpus:
            major, minor = gpu.capability
            yield f"gpu         {gpu.name}, {size(gpu.memory)}, compute {major}.{minor}"
    yield ""
    yield f"engine      {facts.engine}: {facts.why}"
    for step in facts.advice:
        yield f"to do       {step}"
