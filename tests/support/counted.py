"""A backend that counts: the bytes that a run holds at once, and what it copies to the host.

It runs on threads, and asks for memory as the backend of GPUs does: the same choices, one block
beside the forest for the arrays of a run, rows that are gathered before they are counted.
"""

import weakref
from contextlib import contextmanager

import numpy as np
import pytest

from cc_rapids import backends
from cc_rapids.backends.base import Scope, SharedMemoryLimits
from cc_rapids.backends.memory.packing import pack_layout
from cc_rapids.backends.memory.pool import Arena
from cc_rapids.backends.threads import Threads

H100 = SharedMemoryLimits(132, 1024, 58_112)  # its tiles, of threads and words
TO_HOST, TO_DEVICE = "to the host", "to the device"


class Block:
    """A place in an array of bytes, as CuPy's pointers are places in memory."""

    def __init__(self, whole, start=0):
        self.whole, self.start = whole, start

    def __add__(self, start):
        return Block(self.whole, self.start + start)


class Counted(Threads):
    """Threads that hold, and copy, what the backend of GPUs would."""

    def __init__(self, like_gpu=True):
        super().__init__()
        self.held = self.peak = 0
        self.copies = []  # (direction, bytes)
        self.like_gpu = self.goes_on = self.in_one_launch = like_gpu
        self.few_by_library = not like_gpu
        self.name = "cuda" if like_gpu else "threads"
        self.current_arena = None

    def shared_memory_limits(self):
        return H100 if self.like_gpu else super().shared_memory_limits()

    def allocate(self, size):
        whole = np.empty(size, np.uint8)
        self.held += size
        self.peak = max(self.peak, self.held)
        weakref.finalize(whole, self.give_back, size)
        return Block(whole)

    def give_back(self, size):
        self.held -= size

    def empty(self, n, dtype):
        size = n * np.dtype(dtype).itemsize
        block = (self.current_arena or self.allocate)(size) if size else self.allocate(0)
        return block.whole[block.start : block.start + size].view(dtype)

    def alloc_packed(self, *shapes, arena_bytes=0):
        if not arena_bytes or self.current_arena is None:
            return super().alloc_packed(*shapes)
        size, pieces = pack_layout(shapes)
        block = self.current_arena.with_block(size, arena_bytes)
        return self.packed_views(block.whole[block.start : block.start + size], pieces)

    def leave_arena(self):
        if self.current_arena is not None:
            self.current_arena.leave_block()

    def arena(self):
        """As on a GPU, an arena for the small arrays of a run."""
        if self.like_gpu:
            self.current_arena = Arena()
            self.current_arena.allocate = self.current_arena.allocate_own = self.allocate
        return self.current_arena

    def scope(self, arena=None):
        return Scope(self.name, arena=arena or self.arena())

    def to_host(self, array):
        self.copies.append((TO_HOST, array.nbytes))
        return super().to_host(array).copy()

    def read_async(self, array):
        copy = self.to_host(array)
        return lambda: copy

    def asarray(self, array):
        if not isinstance(array, np.ndarray):
            self.copies.append((TO_DEVICE, np.asarray(array).nbytes))
        return super().asarray(array)


@contextmanager
def counted(like_gpu=True):
    """A counting backend, which every name of a backend stands for meanwhile."""
    backend = Counted(like_gpu)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backends, "opened", lambda name: backend)
        yield backend
        backend.current_arena = None
