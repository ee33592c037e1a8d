"""Implementations by number, such as ``owner:3``: a design, an engine and a kind of memory.

The numbers are those of Lehr, Reinsperger and Rysavy 2022, section 3.1. The third program of the
paper, ``matrix-fixpoint``, has no numbers.
"""

from __future__ import annotations

import click

LISTS, VECTOR = "owner(output=lists)", "owner"
IMPLEMENTATIONS = {  # for each number, the design, the engine and the memory
    "owner": (
        (LISTS, "threads", "device"),
        (LISTS, "cuda", "device"),
        (VECTOR, "cuda", "device"),
        (LISTS, "cuda", "pinned"),
        (VECTOR, "cuda", "pinned"),
        (LISTS, "cuda", "zero-copy"),
        (VECTOR, "cuda", "zero-copy"),
    ),
    "dense": (
        ("dense", "threads", "device"),
        ("dense", "cuda", "device"),
        ("dense", "cuda", "pinned"),
        ("dense", "cuda", "zero-copy"),
    ),
}
NUMBERS = " and ".join(f"{name}:0 to {name}:{len(of) - 1}" for name, of in IMPLEMENTATIONS.items())


def by_number(options: dict[str, str]) -> dict[str, str]:
    """Return options with a ``design`` such as ``owner:3`` replaced by its three options.

    Raise a UsageError if there is no such number, or if another engine or memory is given.
    """
    design = options.get("design", "")
    name, colon, digits = design.partition(":")
    if not colon:
        return options
    implementations = IMPLEMENTATIONS.get(name, ())
    # Anything but one or two digits becomes a number that is out of range
    number = int(digits) if digits.isdecimal() and len(digits) < 3 else len(implementations)
    if number >= len(implementations):
        raise click.UsageError(f"There is no implementation {design!r}: choose from {NUMBERS}.")
    implementation = dict(zip(("design", "engine", "memory"), implementations[number], strict=True))
    for key in ("engine", "memory"):
        if options.get(key, implementation[key]) != implementation[key]:
            raise click.UsageError(
                f"{design} runs with --{key} {implementation[key]}, so leave out --{key}"
                f" {options[key]}."
            )
    return options | implementation
