"""Checks of the offsets of adjacency lists in arrays and files."""

from __future__ import annotations

from typing import Any

from ..errors import InputError

WAY_OUT = "offsets begin at 0, never decrease, and end at the number of indices; build them again"


def first_wrong(offsets: Any, m: int) -> int | None:
    """Return the position of the first invalid offset for m entries; None if all are valid."""
    if not offsets.size:
        return 0 if m else None
    wrong = (offsets < 0) | (offsets > m)
    wrong[1:] |= offsets[1:] < offsets[:-1]  # a difference might overflow
    wrong[0] |= offsets[0] != 0
    wrong[-1] |= offsets[-1] != m
    return int(wrong.argmax()) if wrong.any() else None


def check(
    name: str,
    offsets: Any,
    m: int,
    may_have_spare: bool = False,
    error: type[InputError] = InputError,
) -> None:
    """Raise an error unless NumPy offsets are valid for m entries.

    If there may be spare entries after the last row, as in SciPy, the offsets may end before m.
    """
    if may_have_spare and offsets.size:
        m = min(max(int(offsets[-1]), 0), m)
    at = first_wrong(offsets, m)
    if at is not None:
        up_to_wrong = offsets[max(at - 1, 0) : at + 1].tolist()
        raise error(in_words(name, at, offsets.size, up_to_wrong, m))


def in_words(name: str, at: int, size: int, up_to_wrong: list[int], m: int) -> str:
    """Return a description of the invalid offset at position ``at``, or "" if it is valid.

    It is valid if the caller has changed it since a kernel found it invalid. ``name`` is the
    caller's name for the ``size`` offsets of m indices. ``up_to_wrong`` contains the previous
    offset, if there is one, and the invalid offset.
    """
    if not up_to_wrong:
        return f"{name} is empty, but there are {m:,} indices: {WAY_OUT}"
    offset, previous = up_to_wrong[-1], up_to_wrong[0]
    if at == 0 and offset:
        return f"{name}[0] is {offset:,}, but must be 0, because row 0 begins there: {WAY_OUT}"
    if at == 0:
        lacks_rows = size == 1 and m  # n rows have n + 1 offsets
        return f"{name} has no row, but there are {m:,} indices: {WAY_OUT}" if lacks_rows else ""
    message = f"{name}[{at}] is {offset:,}, where row {at - 1:,} ends,"
    if offset < 0 or offset > m:
        return f"{message} and there are {m:,} indices: {WAY_OUT}"
    if offset < previous:
        return f"{message} and begins at {previous:,}: {WAY_OUT}"
    if at == size - 1 and offset != m:
        return f"{message} the last one, and there are {m:,} indices: {WAY_OUT}"
    return ""
