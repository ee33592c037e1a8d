"""Pinned host memory, which a GPU's kernels can access.

With a unified address space, which all 64-bit systems have, pinned (page-locked) memory has the
same address on both sides. A CuPy array over it is accessed in place, over the bus ("zero-copy").
It is freed with the last array that uses it, and no pool caches it.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...errors import CapacityError
from ..base import Array, Flag

READBACK_BYTES = 4096  # bytes of an array that is copied to the host through a pinned page
LOCKED = 1  # cudaMemoryTypeHost, the driver's value for pinned pages


def locked(cupy: Any, n: int, dtype: Any) -> tuple[Any, Array]:
    """Allocate ``n`` elements; return a NumPy and a CuPy array that share this pinned memory."""
    dtype = np.dtype(dtype)
    runtime, size = cupy.cuda.runtime, max(n, 1) * dtype.itemsize
    flags = runtime.hostAllocPortable | runtime.hostAllocMapped
    try:
        pages = cupy.cuda.PinnedMemory(size, flags)
    except runtime.CUDARuntimeError as error:
        raise CapacityError(
            f"the host cannot lock {size:,} bytes of pages ({error}), which memory='pinned' and"
            " 'zero-copy' require: pass memory='device'"
        ) from error
    array = np.frombuffer(cupy.cuda.PinnedMemoryPointer(pages, 0), dtype, n)
    return array, _array_over(cupy, pages.ptr, n, dtype, pages)


def placed(cupy: Any, array: Any, memory: str) -> Array:
    """Return the array in pinned memory if ``memory`` is "zero-copy", or on the device if "pinned".

    For "pinned", a NumPy array is copied to the device from pinned pages, and a CuPy array is
    returned as it is. Pages that are already pinned are used in place.
    """
    if isinstance(array, cupy.ndarray):
        if memory == "pinned" or _is_locked(cupy, array.data.ptr):
            return array
        _, mapped = locked(cupy, array.size, array.dtype)
        mapped[:] = array
        return mapped
    if array.flags.c_contiguous and _is_locked(cupy, array.ctypes.data):
        mapped = _array_over(cupy, array.ctypes.data, array.size, array.dtype, array)
    else:
        buffer, mapped = locked(cupy, array.size, array.dtype)
        buffer[:] = array
    return mapped if memory == "zero-copy" else _copied(cupy, mapped)


def written(cupy: Any, memory: str, n: int, dtype: Any, write: Callable[[Array], None]) -> Array:
    """Allocate pinned memory and call ``write`` to fill it by kernels.

    Return the pinned array if ``memory`` is "zero-copy", otherwise its copy on the device.
    """
    _, mapped = locked(cupy, n, dtype)
    write(mapped)
    return mapped if memory == "zero-copy" else _copied(cupy, mapped)


def readback() -> Callable[[Any, Array], Callable[[], Any]]:
    """Return ``send(stream, array)``, which copies small arrays to a pinned page of its own.

    ``send`` starts a copy of at most ``READBACK_BYTES`` and returns a function that reads the page.
    Before calling this function, the caller waits for the copy. One thread may copy one array at a
    time: all copies use the same page, because a copy through a fresh page takes twice the time.
    """
    import cupy

    page, mapped = locked(cupy, READBACK_BYTES, np.uint8)
    address, runtime = mapped.data.ptr, cupy.cuda.runtime

    def send(stream: Any, array: Array) -> Callable[[], Any]:
        size, dtype, direction = array.nbytes, array.dtype, runtime.memcpyDefault
        runtime.memcpyAsync(address, array.data.ptr, size, direction, stream.ptr)
        return lambda: page[:size].view(dtype).copy()

    return send


def alloc_kept() -> Any:
    """Allocate ``READBACK_BYTES`` of device memory outside all pools."""
    import cupy

    try:
        return cupy.cuda.MemoryPointer(cupy.cuda.Memory(READBACK_BYTES), 0)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise MemoryError(str(error)) from error


def _copied(cupy: Any, mapped: Array) -> Array:
    """Return a copy on the device; wait for the copy, so that the pages may be freed."""
    copy = cupy.ndarray(mapped.shape, mapped.dtype)
    copy.data.copy_from_device_async(mapped.data, mapped.nbytes)
    cupy.cuda.get_current_stream().synchronize()
    return copy


def _is_locked(cupy: Any, address: int) -> bool:
    return bool(cupy.cuda.runtime.pointerGetAttributes(address).type == LOCKED)


def _array_over(cupy: Any, address: int, n: int, dtype: Any, owner: Any) -> Array:
    """Return a CuPy array over memory that ``owner`` keeps alive."""
    device = cupy.cuda.runtime.getDevice()
    memory = cupy.cuda.UnownedMemory(address, n * dtype.itemsize, owner, device)
    return cupy.ndarray((n,), dtype, cupy.cuda.MemoryPointer(memory, 0))


# Keys in the five words of cuLaunchKernel's 'extra': the argument buffer, its size, and the end.
_BUFFER, _SIZE, _END = 1, 2, 0

NOW, LATER = 0, (1, 2)  # keys of a thread's pages for synchronous and for asynchronous copies


class _FlagPage:
    """A pinned word for flags, the event of the launch that may set it, and the last flag's value.

    ``host_word`` and ``word`` are the same word, for the host and for kernels.
    """

    def __init__(self) -> None:
        import cupy

        self.host_word, self.word = locked(cupy, 1, np.uint64)
        self.event = cupy.cuda.Event(disable_timing=True)
        self.host_word[0] = self.value = 0


class _FlagPages:
    """All flag pages of a thread on a device, and the pages that are not in use.

    All pages are referenced from here. If only a flag referenced its page, the page and its event
    would be finalised when a reference cycle with the flag is collected. A later flag would then
    record a destroyed event.
    """

    def __init__(self) -> None:
        self.all_pages: list[_FlagPage] = []
        self.unused: list[_FlagPage] = []

    def take(self) -> _FlagPage:
        """Return a page that is not in use."""
        if self.unused:
            return self.unused.pop()
        self.all_pages.append(_FlagPage())
        return self.all_pages[-1]


class _PinnedFlag(Flag):
    """A flag in a pinned page, which kernels set over the bus and the host reads without a copy.

    The page belongs to a thread and is reused when no flag uses it. Each flag has another value.
    The page is therefore not cleared, and work left by an interrupted call cannot set a later flag.
    """

    def __init__(self, pages: _FlagPages, stream: Callable[[], Any]) -> None:
        self.pages, self.stream = pages, stream
        self.page = pages.take()
        self.page.value += 1
        self.word, self.value = self.page.word, self.page.value

    def __del__(self) -> None:
        if hasattr(self, "page"):
            self.pages.unused.append(self.page)

    def read_async(self) -> Callable[[], bool]:
        self.page.event.record(self.stream())
        return self._read

    def _read(self) -> bool:
        """Wait for the launch; return whether it has set the flag."""
        self.page.event.synchronize()
        return bool(self.page.host_word[0] == self.value)


class ThreadBuffers(threading.local):
    """The buffers of one thread."""

    def __init__(self) -> None:
        self._flag_pages: dict[int, _FlagPages] = {}  # by device
        self._arguments: dict[int, Any] = {}  # by number of words
        self._kept_memory: dict[int, Any] = {}  # by device
        self._readbacks: dict[int, Any] = {}  # by page
        self._page = NOW  # the page of the last asynchronous copy, if there was one

    def pack(self, words: list[int]) -> tuple[int, int]:
        """Pack arguments of cuLaunchKernel; return the addresses for 'extra' and 'kernelParams'.

        A cooperative launch takes 'kernelParams'. Both kinds of launch copy the arguments before
        they return, so a thread needs only one buffer.
        """
        count = len(words)
        pack, extra, params, _ = self._arguments.get(count) or self._add_arguments(count)
        pack(*words)
        return extra, params

    def _add_arguments(self, count: int) -> tuple[Any, ...]:
        """Allocate the buffers of :meth:`pack` for ``count`` arguments.

        Return the function that writes the arguments, the two addresses that :meth:`pack` returns,
        and the buffers, which must stay alive.
        """
        data = (ctypes.c_uint64 * count)()
        size, start = ctypes.c_size_t(8 * count), ctypes.addressof(data)
        extra = (ctypes.c_void_p * 5)(_BUFFER, start, _SIZE, ctypes.addressof(size), _END)
        params = (ctypes.c_void_p * count)(*range(start, start + 8 * count, 8))
        pack = partial(struct.Struct(f"{count}Q").pack_into, data, 0)
        buffers = extra, params, size
        entry = pack, ctypes.addressof(extra), ctypes.addressof(params), buffers
        self._arguments[count] = entry
        return entry

    def kept_memory(self, device: int) -> Any:
        """Return ``READBACK_BYTES`` of device memory that this thread keeps for a device."""
        if device not in self._kept_memory:
            self._kept_memory[device] = alloc_kept()
        return self._kept_memory[device]

    def flag(self, device: int, stream: Callable[[], Any]) -> Flag:
        """Return a new flag on a device, not set; ``stream`` returns the current stream."""
        pages = self._flag_pages.get(device)
        if pages is None:
            pages = self._flag_pages[device] = _FlagPages()
        return _PinnedFlag(pages, stream)

    def read_now(self, stream: Any, array: Array) -> Any:
        """Return a copy on the host of an array of at most ``READBACK_BYTES``."""
        read = self._start_copy(NOW, stream, array)
        stream.synchronize()
        return read()

    def read_async(self, stream: Any, array: Array) -> Callable[[], Any]:
        """Start a copy to the host through one of two alternating pages.

        Return a function that waits for the copy; work may be launched meanwhile.
        """
        self._page = LATER[1] if self._page == LATER[0] else LATER[0]
        read, done = self._start_copy(self._page, stream, array), stream.record()

        def wait_and_read() -> Any:
            done.synchronize()
            return read()

        return wait_and_read

    def _start_copy(self, page: int, stream: Any, array: Array) -> Callable[[], Any]:
        """Start a copy through a page; return the function that reads the page."""
        if page not in self._readbacks:
            self._readbacks[page] = readback()
        read: Callable[[], Any] = self._readbacks[page](stream, array)
        return read
