"""``cc-rapids doctor``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from .group import command, examples, option_of_output
from .options import as_json
from .show import console, print_json, size

if TYPE_CHECKING:
    from ...backends.kernel_cache import Cache
    from ..doctor import Facts


@command(
    epilog=examples(
        "cc-rapids doctor",
        "For a bug report:",
        "cc-rapids doctor --json",
        "The size of the kernel cache, and whether it is used:",
        "cc-rapids doctor --cache",
    )
)
@option_of_output("--cache", is_flag=True, help="Show the cache of compiled kernels.")
@option_of_output("--clear", is_flag=True, help="With --cache: clear the cache.")
@as_json
def doctor(cache: bool, clear: bool, json_output: bool) -> None:
    """Show what is installed, and which engine would run.

    The output states why this engine is chosen, and what to install or update to run on a GPU. The
    command finds the components of a few edges to check that the engine works. The exit code is 0
    if all is well, and 1 if something is broken. A machine without a GPU counts as healthy; a
    machine whose GPU cannot be used counts as broken.
    """
    if clear and not cache:
        raise click.UsageError("--clear needs --cache: cc-rapids doctor --cache --clear")
    if cache:
        _print_cache(clear, json_output)
        return
    from ..doctor import check_engine, diagnose

    facts = diagnose()
    broken = None
    try:
        check_engine(facts)
    except RuntimeError as error:
        broken = str(error)
    except Exception as error:  # a broken installation may raise any error, which is reported
        broken = f"{type(error).__name__}: {error}"
    if json_output:
        print_json(asdict(facts) | {"healthy": broken is None, "broken": broken})
    else:
        terminal = console()
        for line in _diagnosis_lines(facts, broken):
            terminal.print(line, soft_wrap=True)
    if broken is not None:
        raise SystemExit(1)


def _print_cache(clear: bool, json_output: bool) -> None:
    """Print the state of the kernel cache, after clearing it if requested."""
    from ...backends import kernel_cache

    removed: dict[str, int] = {}
    if clear:
        try:
            removed_files, removed_bytes = kernel_cache.clear()
        except OSError as error:
            raise click.ClickException(error.strerror or str(error)) from None
        removed = {"removed_files": removed_files, "removed_bytes": removed_bytes}
    cache = kernel_cache.survey()
    if json_output:
        print_json(asdict(cache) | removed)
        return
    terminal = console()
    if clear:
        line = f"removed     {removed_files:,} files, {size(removed_bytes)}"
        terminal.print(line, soft_wrap=True)
    for line in _cache_lines(cache):
        terminal.print(line, soft_wrap=True)


def _cache_lines(cache: Cache) -> Iterator[str]:
    """Yield the lines about the kernel cache."""
    yield f"cache       {cache.path}"
    yield f"kept        {cache.files:,} files, {size(cache.bytes)}"
    yield f"bound       {size(cache.bound)} (CC_RAPIDS_CACHE_SIZE)"
    owner = (
        "does not exist yet" if cache.owner is None else f"user {cache.owner}, mode {cache.mode}"
    )
    yield f"owner       {owner}"
    yield "used        " + ("yes" if cache.used else f"no: {cache.why}")


def _diagnosis_lines(facts: Facts, broken: str | None) -> Iterator[str]:
    """Yield the lines about packages, GPUs and the engine."""
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
    yield f"health      {'all is well' if broken is None else f'broken: {broken}'}"
