"""Checks of the offsets of adjacency lists in arrays and files."""

from __future__ import annotations

from typing import Any

from ..errors import InputError

WAY_OUT = "offsets begin at 0, never decrease, and end at the number of indices; build them again"


def first_wrong(offsets: Any, m: int) -> int | None:
    """Return the position of the first invalid offset for m entries; None if all are valid.

    ``offsets`` is a NumPy array of integers.
    """
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

    If there may be spare entries after the last row, as SciPy allows, offsets may end before m.
    """
    if may_have_spare and offsets.size:
        m = min(max(int(offsets[-1]), 0), m)
    at = first_wrong(offsets, m)
    if at is not None:
        around = offsets[max(at - 1, 0) : at + 1].tolist()
        raise error(in_words(name, at, offsets.size, around, m))


def in_words(name: str, at: int, size: int, around: list[int], m: int) -> str:
    """Return a description of an invalid offset; "" if it is now valid.

    Parameters
    ----------
    name : str
        The caller's name of the offsets.
    around : list of int
        The previous offset, if any, and the invalid offset.
    m : int
        The number of indices.
    """
    if not around:
        return f"{name} is empty, but there are {m:,} indices: {WAY_OUT}"
    here, before = around[-1], around[0]
    message = f"{name}[{at}] is {here:,}, where row {at - 1:,} ends,"
    if at == 0 and here:
        return f"{name}[0] is {here:,}, but must be 0, because row 0 begins there: {WAY_OUT}"
    if at == 0:
        no_row = size == 1 and m
        return f"{name} has no row, but there are {m:,} indices: {WAY_OUT}" if no_row else ""
    if here < 0 or here > m:
        return f"{message} and there are {m:,} indices: {WAY_OUT}"
    if here < before:
        return f"{message} and begins at {before:,}: {WAY_OUT}"
    if at == size - 1 and here != m:
        return f"{message} the last one, and there are {m:,} indices: {WAY_OUT}"
    return ""
