"""Texts: strings as bytes and offsets, numbered by a hash table and put in order by radix sorts.

Strings get 64-bit hashes, these get slots of the table that also numbers integers, and every string
is compared with the first of its slot: should two strings share a hash, all are hashed anew.

Only one row for each different string is put in order, and no strings are compared for it. Those
that are not yet told apart make a group, one at first. In each round the bytes that all strings of
a group have in common are passed over, however many; the seven bytes after them, and how many of
them there are, make a number; and the groups are sorted by it. A group falls apart in every round,
so that few are needed: a word of ten random letters takes one or two, and "vertex 1" to "vertex
9999999" take one. Many rounds are needed only where strings are each other's prefixes in long
chains: then the caller sorts by other means.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np

from .backends import Array, Engine
from .errors import InputError
from .kernels import forest
from .kernels import strings as kernels
from .slots import Slots

log = logging.getLogger(__name__)

SEEDS = 0x2545F4914F6CDD1D, 0x5851F42D4C957F2D, 0x14057B7EF767814F
ROUNDS = 64
PIECE = 7  # bytes by which strings are sorted at a time
WORD = 8  # bytes


@dataclass(frozen=True)
class Text:
    """Strings on an engine: string i is ``chars[offsets[i]:offsets[i + 1]]``.

    Parameters
    ----------
    chars : (c,) array of uint8
        The bytes of the strings.
    words : (c // 8,) array of uint64
        The same memory.
    offsets : (m + 1,) array of int32 or int64
    engine : Engine
    """

    chars: Array
    words: Array
    offsets: Array
    engine: Engine

    @classmethod
    def of(cls, chars: Array, offsets: Array, engine: Engine) -> Text:
        """Strings whose arrays are copied only if they do not lie on the engine, or oddly there."""
        chars, offsets = engine.asarray(chars), engine.asarray(offsets)
        whole = chars[: chars.size // WORD * WORD]
        address = chars.data.ptr if engine.on_device else chars.ctypes.data
        if address % WORD:
            chars = chars.copy()
            whole = chars[: whole.size]
        return cls(chars, whole.view(np.uint64), offsets, engine)

    @property
    def size(self) -> int:
        """The number of strings."""
        return int(self.offsets.size) - 1

    def run(self, make: Any, n: int, *arguments: Any) -> None:
        """Run a kernel that reads the strings."""
        kernel = self.engine.kernel(make)
        kernel(n, self.chars, self.words, self.offsets, *arguments)


def check_offsets(text: Text) -> None:
    """Raise an InputError if the strings leave their bytes, which libraries never look for."""
    wrong = text.engine.fill(text.engine.notes(1), 0)
    text.run(kernels.note_wrong_places, text.size, wrong)
    if text.engine.to_host(wrong)[0]:
        raise InputError(
            "strings changed while they were read: some end before they begin, or beyond the bytes"
            " of their column; give a copy, or wait until what writes to it is done"
        )


def factorise(text: Text) -> tuple[Array, Array] | None:
    """Codes of all strings in the order of their bytes, and a row for each different one.

    Parameters
    ----------
    text : Text
        At least one string.

    Returns
    -------
    codes : (m,) array of uint32 (uint64 for very many)
        For each string its place among the different ones.
    rows : (n,) array of uint32 (uint64)
        Where each of the different strings is found first, in their order.
    None
        Hashes have failed, or the order would take too many rounds; a line is logged.
    """
    with text.engine.reusing():
        return _factorise(text)


def _factorise(text: Text) -> tuple[Array, Array] | None:
    numbered = number(text)
    if numbered is None:
        log.info("two strings share a hash, whatever the seed: the library numbers the strings")
        return None
    slots, least = numbered
    rows = order(text, least[least != np.iinfo(least.dtype).max])
    if rows is None:
        log.info("strings are not told apart in %d rounds: the library sorts them", ROUNDS)
        return None
    engine = text.engine
    least[slots[rows]] = engine.xp.arange(rows.size, dtype=least.dtype)
    engine.kernel(forest.hang, slots.dtype.type)(slots.size, slots, least, slots)
    return slots, rows


def number(text: Text) -> tuple[Array, Array] | None:
    """The slot of each string, and the first row of each slot (all bits set where it is free).

    None if two different strings share a slot by every seed.
    """
    engine, m = text.engine, text.size
    row: Any = np.uint32 if m < 1 << 32 else np.uint64
    for seed in SEEDS:
        table = Slots([hashes(text, seed)], [], engine)
        slots, size = table.columns[0], table.keys.size
        del table
        least = engine.fill(engine.empty(size, row), 0xFF)
        engine.kernel(forest.lower, row)(m, slots, least)
        differ = engine.fill(engine.empty(1, np.uint32), 0)
        text.run(kernels.compare, m, slots, least, differ)
        if not engine.to_host(differ)[0]:
            return slots, least
    return None


def hashes(text: Text, seed: int) -> Array:
    """The hash of each string: a new array of uint64."""
    found = text.engine.empty(text.size, np.uint64)
    text.run(kernels.hash_rows, text.size, seed, found)
    return found


@dataclass
class Groups:
    """Strings that are not yet told apart, in groups that follow each other.

    Attributes
    ----------
    rows : (k,) array of uint32 or uint64
        The strings.
    at : (k,) array of the same type
        The places that they take in the order of all.
    group : (k,) array of the same type
        The group of each, from 0 on.
    first : (groups,) array of the same type
        Where each group begins.
    depth : (groups,) array of uint64
        How many bytes the strings of each have in common, as far as is known.
    """

    rows: Array
    at: Array
    group: Array
    first: Array
    depth: Array


def order(text: Text, rows: Array) -> Array | None:
    """Rows whose strings all differ, in the order of their bytes; None if it takes too long.

    A string comes after its prefixes, as in Python's order of the encoded strings.
    """
    engine, xp, k = text.engine, text.engine.xp, rows.size
    group, first, depth = engine.pieces((k, rows.dtype), (1, rows.dtype), (1, np.uint64))
    for array in (group, first, depth):
        engine.fill(array, 0)
    tied: Groups | None = Groups(rows, xp.arange(k, dtype=rows.dtype), group, first, depth)
    placed = rows.copy()
    for _ in range(ROUNDS):
        assert tied is not None
        tied = _divide(text, tied, placed)
        if tied is None:
            return placed
    return None


def _divide(text: Text, tied: Groups, placed: Array) -> Groups | None:
    """Sort groups by their next bytes, into their places; what is still tied, in new groups."""
    engine, xp, k = text.engine, text.engine.xp, tied.rows.size
    depth = engine.fill(engine.empty(tied.first.size, np.uint64), 0xFF)
    runs = -(-k // int(kernels.RUN))
    text.run(kernels.deepen, runs, tied.rows, tied.group, tied.first, tied.depth, depth)
    numbers = engine.empty(k, np.uint64)
    text.run(kernels.pieces, k, tied.rows, tied.group, depth, numbers)
    by = xp.argsort(numbers)
    if tied.first.size > 1:
        by = by[xp.argsort(tied.group[by], kind="stable")]
    numbers, rows, group = numbers[by], tied.rows[by], tied.group  # a group stays where it was
    placed[tied.at] = rows
    starts = xp.ones(k + 1, bool)
    starts[1:-1] = (numbers[1:] != numbers[:-1]) | (group[1:] != group[:-1])
    left = xp.flatnonzero(~(starts[1:] & starts[:-1]))
    if not left.size:
        return None
    starts = starts[left]
    first = xp.flatnonzero(starts).astype(rows.dtype)
    deep = depth[group[left[first]]] + np.uint64(PIECE)
    return Groups(rows[left], tied.at[left], xp.cumsum(starts, dtype=rows.dtype) - 1, first, deep)
