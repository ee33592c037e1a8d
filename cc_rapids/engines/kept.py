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
        if len(words) not in self._arguments:
            data = (ctypes.c_uint64 * len(words))()
            size = ctypes.c_size_t(8 * len(words))
            extra = (ctypes.c_void_p * 5)(
                _BUFFER, ctypes.addressof(data), _SIZE, ctypes.addressof(size), _END
            )
            self._arguments[len(words)] = struct.Struct(f"{len(words)}Q"), data, size, extra
        form, data, _, extra = self._arguments[len(words)]
        form.pack_into(data, 0, *words)
        return ctypes.addressof(extra)

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
