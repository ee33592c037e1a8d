"""Several arrays in one allocation."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

ALIGN = 256  # alignment in bytes of the pieces of one allocation
WORD_BYTES = 8

Piece = tuple[int, int, Any]  # offset, number of elements and their type


def pack_layout(shapes: Iterable[tuple[int, Any]]) -> tuple[int, list[Piece]]:
    """Return the bytes of one allocation for arrays ``(n, dtype)``, and the piece of each array."""
    start, pieces = 0, []
    for n, dtype in shapes:
        pieces.append((start, n, dtype))
        start += -(-n * np.dtype(dtype).itemsize // ALIGN) * ALIGN
    if start > sys.maxsize:  # array libraries would raise other errors
        raise MemoryError(f"{start:,} bytes exceed the address space")
    return start, pieces


class Layout:
    """The offsets of the arrays of a launch in one allocation.

    A launch takes the arrays from here, because an object for each array would take longer to
    create than the launch. All allocations for arrays of the same lengths and types share a layout.
    """

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces: tuple[tuple[int, int, np.dtype[Any]], ...] = tuple(
            (start, n, np.dtype(dtype)) for start, n, dtype in pieces
        )

    @cached_property
    def words(self) -> list[int]:
        """The words of a launch (see ``Cuda.launch``) for the pieces, with 0 for each address."""
        return [
            word
            for _, n, dtype in self.pieces
            for word in (0, 0, n, dtype.itemsize, 0, n, dtype.itemsize)
        ]

    @cached_property
    def starts(self) -> list[tuple[int, int]]:
        """The position in ``words`` of the address of each piece, and the offset of the piece."""
        return [(7 * k + 4, start) for k, (start, _, _) in enumerate(self.pieces)]

    @cached_property
    def types(self) -> list[int]:
        """The number that NumPy gives to the type of each piece."""
        return [dtype.num for _, _, dtype in self.pieces]


class PackedArgs:
    """The arrays of a layout at a given address."""

    address: int
    layout: Layout

    __slots__ = "address", "layout"

    def __init__(self, layout: Layout, address: int) -> None:
        self.layout, self.address = layout, address

    def put(self, words: list[int], types: list[int]) -> None:
        """Append the pieces to the words of a launch, and their types to the types."""
        layout, address, first = self.layout, self.address, len(words)
        words += layout.words
        for position, start in layout.starts:
            words[first + position] = address + start
        types += layout.types

    def type_samples(self) -> list[Any]:
        """Return an array for each piece that has its type, from which a kernel is compiled.

        Each array has one element, because NumPy gives empty arrays the stride 0, and kernels are
        compiled for contiguous pieces.
        """
        return [np.empty(1, dtype) for _, _, dtype in self.layout.pieces]


def words_of(xp: Any, arrays: list[Any]) -> Any:
    """Return the memory of arrays from one allocation as one array of uint64.

    Return None if each array has its own allocation, as all NumPy arrays and unpickled arrays do.
    """
    last, start = arrays[-1], arrays[0].data
    memory = getattr(start, "mem", None)
    if memory is None or any(array.data.mem is not memory for array in arrays):
        return None
    return xp.ndarray(((last.data.ptr + last.nbytes - start.ptr) // WORD_BYTES,), np.uint64, start)
