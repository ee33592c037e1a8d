"""What each thread keeps for its launches on a GPU: buffers that would be made for each else."""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable
from typing import Any

from . import pages
from .base import Array

# The five words that end cuLaunchKernel's 'extra' form: one buffer of arguments, and its size.
_BUFFER, _SIZE, _END = 1, 2, 0


class Kept(threading.local):
    """The buffers of one thread."""

    def __init__(self) -> None:
        self._arguments: dict[int, Any] = {}  # by how many words they are
        self._asides: dict[int, Any] = {}  # by device
        self._notes: dict[str, Any] = {}

    def pack(self, words: list[int]) -> int:
        """The arguments as cuLaunchKernel's 'extra': it copies them before it returns, so that a
        thread needs one buffer for all its launches.
        """
        return ctypes.addressof(self._packed(words)[0])

    def pack_each(self, words: list[int]) -> int:
        """The arguments as a cooperative launch takes them: the address of each."""
        return ctypes.addressof(self._packed(words)[1])

    def _packed(self, words: list[int]) -> tuple[Any, Any]:
        count = len(words)
        if count not in self._arguments:
            data = (ctypes.c_uint64 * count)()
            size, first = ctypes.c_size_t(8 * count), ctypes.addressof(data)
            extra = (ctypes.c_void_p * 5)(_BUFFER, first, _SIZE, ctypes.addressof(size), _END)
            each = (ctypes.c_void_p * count)(*range(first, first + 8 * count, 8))
            form = struct.Struct(f"{count}Q")
            self._arguments[count] = form, data, extra, each, size
        form, data, extra, each, _ = self._arguments[count]
        form.pack_into(data, 0, *words)
        return extra, each

    def aside(self, device: int) -> Any:
        """``pages.NOTE`` bytes of the device."""
        if device not in self._asides:
            self._asides[device] = pages.aside()
        return self._asides[device]

    def note(self, stream: Any, array: Array) -> Any:
        """A copy on the host of at most ``pages.NOTE`` bytes."""
        read = self._sent("now", stream, array)
        stream.synchronize()
        return read()

    def later(self, stream: Any, array: Array) -> Callable[[], Any]:
        """What waits for such a copy, while more is launched; on a page of its own."""
        read, done = self._sent("later", stream, array), stream.record()

        def copy() -> Any:
            done.synchronize()
            return read()

        return copy

    def _sent(self, page: str, stream: Any, array: Array) -> Callable[[], Any]:
        if page not in self._notes:
            self._notes[page] = pages.note()
        read: Callable[[], Any] = self._notes[page](stream, array)
        return read
