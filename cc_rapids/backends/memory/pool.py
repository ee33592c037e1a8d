"""Allocators on top of the caller's, which place the arrays of a run side by side.

Without a pool that calls the driver for each array, and may wait for the device.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any


class Arena:
    """One allocation for all the small arrays of a run; large ones come from the pool directly.

    The block lives as long as any array in it, or the arena. It may be the end of a large array's
    own allocation, for as long as nothing is made that outlives that.
    """

    SIZE, SMALL, ALIGN = 1 << 16, 1 << 15, 256
    allocate: Any
    allocate_large: Any  # a large array with a block beside it

    def __init__(self) -> None:
        self.block: Any = None
        self.used = self.size = 0
        self.beside = False  # a large array
        self.lock = threading.Lock()

    def draw_from(self, allocate: Any, workspace: Any) -> None:
        """Use an allocator for arrays that are too large for a block.

        ``workspace`` over it makes the blocks beside large arrays. In a scope within one of the
        same run, that is the arena itself, which keeps its block.
        """
        if allocate is not self:
            self.allocate, self.allocate_large = allocate, partial(workspace, allocate)

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

    def with_block(self, size: int, block_bytes: int) -> Any:
        """Allocate an array and, if it is large and there is no block, a block beside it."""
        if size <= self.SMALL or self.block is not None:
            return self(size)
        whole = self.allocate_large(size + block_bytes)
        with self.lock:
            self.block, self.used, self.size, self.beside = whole + size, 0, block_bytes, True
        return whole

    def leave_block(self) -> None:
        """Stop placing arrays in a block beside a large array, which they would keep alive."""
        with self.lock:
            if self.beside:
                self.block, self.beside = None, False


class Recycling:
    """Allocator that reuses the memory of large arrays for later ones of the same size.

    Small arrays come from an arena. Work on all of them is in the order of one stream. What
    outlives the closing goes back to the caller's pool. (A pool of CuPy's own that ends while part
    of a block is in use never gives that back.)
    """

    SPARE = 2  # times the requested size, at most

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
        return _leased(self.cuda, held, block, self.take_back)

    def take_back(self, size: int, block: Any) -> None:
        if self.left is not None:
            self.left.append((size, block))

    def close(self) -> None:
        """Free all unused memory, and keep none from now on."""
        self.left = None


class Workspace:
    """The block of each device that is kept from one forest for the next one of similar size.

    It is used if the caller has no memory pool: the driver then takes a tenth of a millisecond or
    more to allocate a block of this size, and again to free it. A block that does not fit is freed
    before another is allocated, so a run never holds both. The block is kept until :meth:`release`,
    or until a run finds that there is a pool.
    """

    MOST = 128 << 20  # bytes that are kept
    SPARE = 4 << 20  # more than requested, at most

    def __init__(self, cuda: Any) -> None:
        self.cuda = cuda
        self.left: dict[int, tuple[int, Any]] = {}  # by device: the size of a block, and the block

    def __call__(self, allocate: Any, size: int) -> Any:
        if not _is_plain():
            self.release()
            return allocate(size)
        device = self.cuda.runtime.getDevice()
        held, block = self.left.pop(device, (0, None))
        if size <= held <= size + self.SPARE:
            self.cuda.runtime.deviceSynchronize()  # whatever used it last, on any stream
        else:
            block = None  # freed here, before more is allocated
            held, block = size, allocate(size)
        if held > self.MOST:
            return block
        return _leased(self.cuda, held, block, partial(self.take_back, device))

    def take_back(self, device: int, size: int, block: Any) -> None:
        self.left.setdefault(device, (size, block))

    def release(self) -> None:
        """Free the memory that is kept."""
        self.left.clear()


def pool_of_caller(cuda: Any) -> Any:
    """Return the allocator of the caller's pool: that of cuDF frames, or of CuPy arrays."""
    return _of_rmm() if "cudf" in sys.modules else cuda.get_allocator()


@cache
def _of_rmm() -> Any:
    from rmm.allocators.cupy import rmm_cupy_allocator

    return rmm_cupy_allocator


def _is_plain() -> bool:
    """Return whether each allocation goes to the driver.

    CuPy has a pool, RMM may have none.
    """
    if "cudf" not in sys.modules:
        return False
    from rmm import mr

    return type(mr.get_current_device_resource()) is mr.CudaMemoryResource


class _Lease:
    """The owner of a block while an array uses it; it returns the block afterwards."""

    def __init__(self, size: int, block: Any, back: Callable[[int, Any], None]) -> None:
        self.size, self.block, self.back = size, block, back

    def __del__(self) -> None:
        self.back(self.size, self.block)


def _leased(cuda: Any, size: int, block: Any, back: Callable[[int, Any], None]) -> Any:
    """Return a pointer to a block; ``back`` gets the block once nothing points into it."""
    lease = _Lease(size, block, back)
    return cuda.MemoryPointer(cuda.UnownedMemory(block.ptr, size, lease), 0)
