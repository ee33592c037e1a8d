"""Implementations by number, such as ``owner:3``: a design, an engine and a kind of memory.

Lehr, Reinsperger and Rysavy 2022, 3.1. Its third program has no numbers: ``matrix-fixpoint``.
"""

from __future__ import annotations

import click

LISTS, VECTOR = "owner(output=lists)", "owner"
IMPLEMENTATIONS = {
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
    """Return options; a ``design`` such as ``owner:3`` is replaced by its three options.

    Raises
    ------
    click.UsageError
        There is no such number, or another engine or memory is given.
    """
    word = options.get("design", "")
    name, colon, digits = word.partition(":")
    if not colon:
        return options
    implementations = IMPLEMENTATIONS.get(name, ())
    # Anything but one or two digits becomes a number that is out of range
    number = int(digits) if digits.isdecimal() and len(digits) < 3 else len(implementations)
    if number >= len(implementations):
        raise click.UsageError(f"no implementation is {word!r}; there are {NUMBERS}.")
    implementation = dict(zip(("design", "engine", "memory"), implementations[number], strict=True))
    for key in ("engine", "memory"):
        if options.get(key, implementation[key]) != implementation[key]:
            raise click.UsageError(
                f"{word} has --{key} {implementation[key]}, so --{key} {options[key]} does not go"
                " with it."
            )
    return options | implementation
