"""Arenas: allocators over the caller's own.

Without a pool that calls the driver for each array, and may wait for the device.
"""

from __future__ import annotations

import threading
from typing import Any


class Arena:
    """One allocation for all the small arrays of a run; large ones come from the pool directly.

    The block lives as long as any array in it, or the arena. It may be the end of a large array's
    own allocation, for as long as nothing is made that outlives that.
    """

    SIZE, SMALL, ALIGN = 1 << 16, 1 << 15, 256
    allocate: Any

    def __init__(self) -> None:
        self.block: Any = None
        self.used = self.size = 0
        self.beside = False  # a large array
        self.lock = threading.Lock()

    def __call__(self, size: int) -> Any:
        with self.lock:
            fits = self.block is not None and self.used + size <= self.size
            if size <= self.SMALL and not fits:
                self.block, self.used, self.size = self.allocate(self.SIZE), 0, self.SIZE
                fits, self.beside = True, False
            if fits and (size <= self.SMALL or self.beside):
                first, self.used = self.used, self.used + -(-size // self.ALIGN) * self.ALIGN
                return self.block + first
        return self.allocate(size)

    def with_room(self, size: int, room: int) -> Any:
        """An array and, if there is no block yet and it is a large one, a block beside it."""
        if size <= self.SMALL or self.block is not None:
            return self(size)
        whole = self.allocate(size + room)
        with self.lock:
            self.block, self.used, self.size, self.beside = whole + size, 0, room, True
        return whole

    def leave_room(self) -> None:
        """No more arrays in a block beside a large one, which they would keep alive."""
        with self.lock:
            if self.beside:
                self.block, self.beside = None, False


class Recycling:
    """Memory that a large array has left serves the next one of about its size, until it is closed.

    Small arrays come from an arena. Work on all of them is in the order of one stream. What
    outlives the closing goes back to the caller's pool. (A pool of CuPy's own that ends while part
    of a block is in use never gives that back.)
    """

    SPARE = 2  # times the size that is asked for, at most

    def __init__(self, cuda: Any, arena: Arena) -> None:
        self.cuda, self.arena = cuda, arena
        self.left: list[tuple[int, Any]] | None = []

    def __call__(self, size: int) -> Any:
        if size <= Arena.SMALL:
            return self.arena(size)
        left = self.left or []
        fitting = [k for k, (held, _) in enumerate(left) if size <= held <= self.SPARE * size]
        if fitting:
            held, block = left.pop(min(fitting, key=lambda k: left[k][0]))
        else:
            held, block = size, self.arena.allocate(size)
        lease = _Lease(self, held, block)
        return self.cuda.MemoryPointer(self.cuda.UnownedMemory(block.ptr, held, lease), 0)

    def close(self) -> None:
        """Give back all that is free, and keep nothing from now on."""
        self.left = None


class _Lease:
    """Owns a block for as long as an array has it."""

    def __init__(self, by: Recycling, size: int, block: Any) -> None:
        self.by, self.size, self.block = by, size, block

    def __del__(self) -> None:
        left = self.by.left
        if left is not None:
            left.append((self.size, self.block))
