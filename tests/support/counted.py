"""An engine that counts: the bytes that a run holds at once, and what it copies to the host.

It runs on threads, and asks for memory as the engine of GPUs does: the same choices, one block
beside the forest for the arrays of a run, rows that are gathered before they are counted.
"""

import weakref
from contextlib import contextmanager, nullcontext

import numpy as np
import pytest

from cc_rapids import backends
from cc_rapids.backends.base import Largest, Scope
from cc_rapids.backends.memory.packing import side_by_side
from cc_rapids.backends.memory.pool import Arena
from cc_rapids.backends.threads import Threads

H100 = Largest(132, 1024, 58_112)  # its tiles, of threads and words
TO_HOST, TO_DEVICE = "to the host", "to the device"


class Block:
    """A place in an array of bytes, as CuPy's pointers are places in memory."""

    def __init__(self, whole, start=0):
        self.whole, self.start = whole, start

    def __add__(self, start):
        return Block(self.whole, self.start + start)


class Counted(Threads):
    """Threads that hold, and copy, what the engine of GPUs would."""

    def __init__(self, like_gpu=True):
        super().__init__()
        self.held = self.peak = 0
        self.copies = []  # (direction, bytes)
        self.like_gpu = self.goes_on = self.in_one_launch = like_gpu
        self.name = "cuda" if like_gpu else "threads"
        self.arena = None

    def largest_tiles(self):
        return H100 if self.like_gpu else super().largest_tiles()

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
        block = (self.arena or self.allocate)(size) if size else self.allocate(0)
        return block.whole[block.start : block.start + size].view(dtype)

    def pieces(self, *shapes, room=0):
        if not room or self.arena is None:
            return super().pieces(*shapes)
        size, pieces = side_by_side(shapes)
        block = self.arena.with_room(size, room)
        return self.pieces_of(block.whole[block.start : block.start + size], pieces)

    def leave_room(self):
        if self.arena is not None:
            self.arena.leave_room()

    def room(self):
        """As on a GPU, an arena for the small arrays of a run."""
        if self.like_gpu:
            self.arena = Arena()
            self.arena.allocate = self.arena.allocate_large = self.allocate
        return self.arena

    def scope(self, room=None):
        return Scope(self.name, nullcontext(), room or self.room())

    def to_host(self, array):
        self.copies.append((TO_HOST, array.nbytes))
        return super().to_host(array).copy()

    def later(self, array):
        copy = self.to_host(array)
        return lambda: copy

    def asarray(self, array):
        if not isinstance(array, np.ndarray):
            self.copies.append((TO_DEVICE, np.asarray(array).nbytes))
        return super().asarray(array)


@contextmanager
def counted(like_gpu=True):
    """A counting engine, which every name of an engine stands for meanwhile."""
    engine = Counted(like_gpu)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backends, "opened", lambda name: engine)
        yield engine
        engine.arena = None
