"""Several arrays in one allocation."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

ALIGN = 256  # alignment in bytes of the pieces of one allocation
WORD_BYTES = 8
ARRAY_WORDS, ADDRESS = 7, 4  # words of an array in a launch, and the position of its address

Piece = tuple[int, int, Any]  # offset, number of elements and their type


def pack_layout(shapes: Iterable[tuple[int, Any]]) -> tuple[int, list[Piece]]:
    """Return the size in bytes of one allocation for arrays ``(n, dtype)``, and their pieces."""
    start, pieces = 0, []
    for n, dtype in shapes:
        pieces.append((start, n, dtype))
        start += -(-n * np.dtype(dtype).itemsize // ALIGN) * ALIGN
    if start > sys.maxsize:  # array libraries would raise other errors
        raise MemoryError(f"{start:,} bytes exceed the address space")
    return start, pieces


class Layout:
    """The pieces of one allocation that are arguments of a launch.

    A launch reads them from here, because creating an array object for each piece would take longer
    than the launch. All allocations for arrays of the same lengths and types share a layout.
    """

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces: tuple[tuple[int, int, np.dtype[Any]], ...] = tuple(
            (start, n, np.dtype(dtype)) for start, n, dtype in pieces
        )

    @cached_property
    def words(self) -> list[int]:
        """The words of the pieces in ``Cuda.launch``, with 0 in place of each address."""
        return [
            word
            for _, n, dtype in self.pieces
            for word in (0, 0, n, dtype.itemsize, 0, n, dtype.itemsize)
        ]

    @cached_property
    def starts(self) -> list[tuple[int, int]]:
        """For each piece, the position of its address in ``words``, and its offset."""
        return [(ARRAY_WORDS * k + ADDRESS, start) for k, (start, _, _) in enumerate(self.pieces)]

    @cached_property
    def types(self) -> list[int]:
        """The number that NumPy gives to the type of each piece."""
        return [dtype.num for _, _, dtype in self.pieces]


class PackedArgs:
    """The pieces of an allocation at ``address``, as arguments of a launch."""

    address: int
    layout: Layout

    __slots__ = "address", "layout"

    def __init__(self, layout: Layout, address: int) -> None:
        self.layout, self.address = layout, address

    def put(self, words: list[int], types: list[int]) -> None:
        """Append the words and types of the pieces to the ``words`` and ``types`` of a launch."""
        layout, address, first = self.layout, self.address, len(words)
        words += layout.words
        for position, start in layout.starts:
            words[first + position] = address + start
        types += layout.types

    def type_samples(self) -> list[Any]:
        """Return one array of the type of each piece, from which a kernel's signature is made.

        Each array has one element, because NumPy gives empty arrays the stride 0, and kernels are
        compiled for contiguous pieces.
        """
        return [np.empty(1, dtype) for _, _, dtype in self.layout.pieces]


def words_of(xp: Any, arrays: list[Any]) -> Any:
    """Return the memory of arrays from one allocation as one array of uint64.

    Return None if each array has its own allocation, as all NumPy arrays and unpickled arrays do.
    """
    last, pointer = arrays[-1], arrays[0].data
    memory = getattr(pointer, "mem", None)
    if memory is None or any(array.data.mem is not memory for array in arrays):
        return None
    size = last.data.ptr + last.nbytes - pointer.ptr
    return xp.ndarray((size // WORD_BYTES,), np.uint64, pointer)
