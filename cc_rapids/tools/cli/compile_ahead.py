"""``cc-rapids compile``."""

from __future__ import annotations

import re
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from .group import command, examples, option_of_method
from .options import as_json, engine_option
from .show import console, print_json, seconds

if TYPE_CHECKING:
    from ..ahead import Compiled

Capability = tuple[int, int]


def capability(value: str) -> Capability:
    """Return the major and minor version of a compute capability such as ``9.0`` or ``sm_90``."""
    match = re.fullmatch(r"(?:sm_)?(\d+)\.?(\d)", value)
    if match is None:
        raise click.BadParameter(f"{value!r} is not a compute capability such as 9.0 or sm_90")
    return int(match[1]), int(match[2])


@command(
    "compile",
    epilog=examples(
        "cc-rapids compile",
        "For an H100, in an image that is built on a machine without a GPU:",
        "cc-rapids compile --engine cuda --architecture 9.0",
    ),
)
@engine_option
@option_of_method(
    "--architecture",
    metavar="X.Y",
    type=capability,
    help="Compute capability; by default, that of the first GPU.",
)
@option_of_method(
    "--processes",
    metavar="N",
    type=click.IntRange(min=1),
    help="The number of processes; one per CPU by default.",
)
@as_json
def compile_kernels(
    engine: str | None, architecture: Capability | None, processes: int | None, json_output: bool
) -> None:
    """Compile the kernels of common jobs in advance.

    The first run of such a job then starts faster.

    The kernels are stored in the kernel cache of this user on this machine, which cc-rapids doctor
    --cache shows. Kernels in the cache are not compiled again, so you can repeat the command, for
    example after an update.

    The default engine is the one that cc-rapids doctor shows. --architecture needs numba-cuda, but
    no GPU.
    """
    from ..ahead import compile_ahead
    from ..doctor import diagnose

    started = time.perf_counter()
    facts = diagnose()
    engine = engine or ("cuda" if architecture else facts.engine)
    if engine != "cuda" and architecture:
        raise click.UsageError("--architecture names a kind of GPU, so it needs --engine cuda.")
    if engine == "cuda" and architecture is None:
        if facts.driver is None or not facts.driver.gpus:
            raise click.UsageError(
                "There is no GPU on this machine: pass --architecture, such as 9.0."
            )
        architecture = facts.driver.gpus[0].capability
    compiled = compile_ahead(engine, architecture, processes)
    elapsed = time.perf_counter() - started
    if json_output:
        print_json(asdict(compiled) | {"seconds": round(elapsed, 3)})
    else:
        console().print(_in_words(compiled, elapsed), soft_wrap=True)


def _in_words(compiled: Compiled, elapsed: float) -> str:
    """Return a description of the compiled kernels."""
    where = compiled.engine
    if compiled.capability is not None:
        major, minor = compiled.capability
        where = f"{where}, sm_{major}{minor}"
    return (
        f"{compiled.kernels} kernels for {where}: {compiled.compiled} compiled,"
        f" {compiled.kernels - compiled.compiled} available already, in {seconds(elapsed)}"
    )
