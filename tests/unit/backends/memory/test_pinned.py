"""Locked pages of the host: which arrays are used as they lie, which are copied, and where to.

A stand-in for CuPy gives memory of the host for both; a real one is asked in tests/gpu.
"""

import ctypes
import gc
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from cc_rapids import backends
from cc_rapids.backends.base import Scope
from cc_rapids.backends.memory import pinned as pages
from cc_rapids.errors import CapacityError

MOST = 1 << 20  # bytes of locked pages that the stand-in gives


class Memory:
    """An address, the bytes there, and what keeps them."""

    def __init__(self, address, size, owner, device=0):
        self.ptr, self.size, self.owner, self.device = address, size, owner, device


class Array(np.ndarray):
    """An array under an address, or in memory of the 'device'."""

    def __new__(cls, shape, dtype, pointer=None):
        if pointer is None:
            return np.empty(shape, dtype).view(cls)
        octets = (ctypes.c_uint8 * pointer.size).from_address(pointer.ptr)
        made = np.frombuffer(octets, dtype).reshape(shape).view(cls)
        made.kept = pointer
        return made

    @property
    def data(self):
        address = self.ctypes.data
        return SimpleNamespace(
            ptr=address,
            copy_from_device_async=lambda source, size: ctypes.memmove(address, source.ptr, size),
        )


@pytest.fixture
def cupy():
    locked, waits = {}, []

    class Pinned:
        def __init__(self, size, flags):
            assert flags == 3
            if size > MOST:
                raise runtime.CUDARuntimeError("out of memory")
            self.held = np.empty(size, np.uint8)
            self.ptr = self.held.ctypes.data
            locked[self.ptr] = size

    runtime = SimpleNamespace(
        CUDARuntimeError=type("CUDARuntimeError", (RuntimeError,), {}),
        hostAllocPortable=1,
        hostAllocMapped=2,
        getDevice=lambda: 0,
        pointerGetAttributes=lambda address: SimpleNamespace(type=int(address in locked)),
    )
    cuda = SimpleNamespace(
        runtime=runtime,
        PinnedMemory=Pinned,
        PinnedMemoryPointer=lambda pages, offset: pages.held,
        UnownedMemory=Memory,
        MemoryPointer=lambda memory, offset: memory,
        get_current_stream=lambda: SimpleNamespace(synchronize=lambda: waits.append(1)),
    )
    return SimpleNamespace(ndarray=Array, cuda=cuda, locked=locked, waits=waits)


def address(array):
    return array.ctypes.data


@pytest.mark.parametrize("array", [np.arange(5, dtype=np.int32), np.arange(10)[::2]])
def test_ordinary_memory_is_copied_into_locked_pages(cupy, array):
    seen = pages.placed(cupy, array, "zero-copy")
    assert address(seen) in cupy.locked
    assert (seen.tolist(), seen.dtype) == (array.tolist(), array.dtype)
    copy = pages.placed(cupy, array, "pinned")
    assert address(copy) not in cupy.locked
    assert (copy.tolist(), copy.dtype) == (array.tolist(), array.dtype)
    assert (len(cupy.locked), len(cupy.waits)) == (2, 1)


def test_locked_pages_are_used_where_they_lie(cupy):
    held, _ = pages.locked(cupy, 4, np.int64)
    held[:] = [3, 1, 4, 1]
    assert address(pages.placed(cupy, held, "zero-copy")) == address(held)
    copy = pages.placed(cupy, held, "pinned")
    assert copy.tolist() == [3, 1, 4, 1]
    assert address(copy) != address(held)
    assert len(cupy.locked) == 1


def test_what_is_on_the_device_leaves_it_for_zero_copies_alone(cupy):
    array = Array(3, np.uint32)
    array[:] = [1, 2, 3]
    assert pages.placed(cupy, array, "pinned") is array
    seen = pages.placed(cupy, array, "zero-copy")
    assert address(seen) in cupy.locked
    assert seen.tolist() == [1, 2, 3]
    assert pages.placed(cupy, seen, "zero-copy") is seen


@pytest.mark.parametrize("memory", ["pinned", "zero-copy"])
def test_a_matrix_is_written_in_locked_pages(cupy, memory):
    written = []

    def write(cells):
        cells[:] = 7
        written.append(address(cells))

    cells = pages.written(cupy, memory, 9, np.uint8, write)
    assert written[0] in cupy.locked
    assert (address(cells) in cupy.locked) == (memory == "zero-copy")
    assert cells.tolist() == [7] * 9


def test_pages_that_cannot_be_locked_are_said_in_bytes(cupy):
    with pytest.raises(CapacityError, match=r"lock 4,000,000 bytes of pages \(out of memory"):
        pages.locked(cupy, 1_000_000, np.int32)


def test_a_device_without_a_page_of_memory_is_said_to_be_out_of_it(cupy, monkeypatch):
    def none_left(size):
        assert size == pages.READBACK_BYTES
        raise cupy.cuda.runtime.CUDARuntimeError("cudaErrorMemoryAllocation")

    cupy.cuda.Memory = none_left
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    said = r"'cuda' ran out of memory \(cudaErrorMemoryAllocation\)"
    with pytest.raises(CapacityError, match=said), Scope("cuda"):
        pages.alloc_kept()


def test_free_bytes_are_those_of_the_host():
    assert 0 < backends.get("threads").free_bytes() < 1 << 50


@pytest.fixture
def on(cupy, monkeypatch):
    """What gives flags, on a stand-in whose events and stream do nothing."""
    cupy.cuda.Event = lambda **_: SimpleNamespace(record=lambda _: None, synchronize=lambda: None)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    buffers = pages.ThreadBuffers()
    return lambda: buffers.flag(0, lambda: None)


def test_flags_that_are_alive_at_once_are_apart(on):
    first, second = on(), on()
    first.word[:] = first.value
    read, other = first.read_async(), second.read_async()
    third = on()
    assert read()
    assert not other()
    assert not third.read_async()()


def test_a_flag_is_not_set_by_the_one_that_had_its_page(on, cupy):
    for _ in range(3):
        flag = on()
        assert not flag.read_async()()
        flag.word[:] = flag.value
        assert flag.read_async()()
        del flag
    assert len(cupy.locked) == 1


def test_a_page_outlives_a_flag_that_is_collected_in_a_cycle(cupy, monkeypatch):
    """Collecting a cycle finalises all that it alone refers to, such as an event."""
    ended = []

    class Event(SimpleNamespace):
        def __del__(self):
            ended.append(self)

    nothing = {"record": lambda _: None, "synchronize": lambda: None}
    cupy.cuda.Event = lambda **_: Event(**nothing)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    buffers = pages.ThreadBuffers()
    flag = buffers.flag(0, lambda: None)
    flag.me = flag  # as an exception's frames refer to themselves
    del flag
    gc.collect()
    assert not ended
    assert not buffers.flag(0, lambda: None).read_async()()
