"""Allocators on top of the caller's, which place a run's small arrays in one allocation.

Without a pool, the caller's allocator would call the driver for each array, which may wait for the
device.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any

POOL_BYTES = 5, 7  # cudaMemPoolAttrReservedMemCurrent and cudaMemPoolAttrUsedMemCurrent


class Arena:
    """One allocation for all small arrays of a run; large arrays come from the pool directly.

    The block lives as long as the arena or any array in it. It may be the tail of a large array's
    allocation. This is possible until the run makes an array that outlives it: up to then, all
    large arrays belong to the run and come from the workspace.
    """

    size: int
    used: int
    lock: threading.Lock

    SIZE, SMALL, ALIGN = 1 << 16, 1 << 15, 256
    allocate: Any
    allocate_own: Any  # allocator for arrays that the run frees itself
    block: Any = None
    used = size = 0
    outside: bool = False  # whether the block is the tail of a large array
    in_run: bool = False  # whether large arrays are freed by the run

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def draw_from(self, allocate: Any, workspace: Workspace) -> None:
        """Set the allocator for arrays that are too large for a block, and its workspace.

        In a nested scope of the same run, the allocator is the arena itself, which keeps its block.
        """
        if allocate is not self:
            self.allocate = partial(workspace.allocate_outside, allocate)
            self.allocate_own = partial(workspace, allocate)

    def __call__(self, size: int) -> Any:
        """Allocate a small array in the block, or in a new block if it is full."""
        with self.lock:
            fits = self.block is not None and self.used + size <= self.size
            if size <= self.SMALL and not fits:
                self.block, self.used, self.size = self.allocate(self.SIZE), 0, self.SIZE
                fits, self.outside = True, False
            if fits and (size <= self.SMALL or self.outside):
                first, self.used = self.used, self.used + -(-size // self.ALIGN) * self.ALIGN
                return self.block + first
        return self.allocate_own(size) if self.in_run else self.allocate(size)

    def with_block(self, size: int, block_bytes: int) -> Any:
        """Allocate an array of the run; append a block to a large array if there is none yet."""
        if size <= self.SMALL:
            return self(size)
        self.in_run = True
        if self.block is not None:
            return self(size)
        whole = self.allocate_own(size + block_bytes)
        with self.lock:
            self.block, self.used, self.size, self.outside = whole + size, 0, block_bytes, True
        return whole

    def leave_block(self) -> None:
        """Stop using a block that is the tail of a large array, which it would keep alive."""
        with self.lock:
            self.in_run = False
            if self.outside:
                self.block, self.outside = None, False


class Recycling:
    """Allocator that reuses the memory of freed large arrays for later ones of the same size.

    Small arrays come from an arena. All work on the arrays is ordered on one stream. Memory still
    in use at the end returns to the caller's pool when it is freed. (A CuPy pool that is closed
    while part of a block is in use never returns that block.)
    """

    cuda: Any
    arena: Arena

    SPARE = 2  # largest ratio of a reused block to the requested size

    def __init__(self, cuda: Any, arena: Arena) -> None:
        self.cuda, self.arena = cuda, arena
        self.cached: list[tuple[int, Any]] | None = []

    def __call__(self, size: int) -> Any:
        if size <= Arena.SMALL:
            return self.arena(size)
        left = self.cached or []
        fitting = [
            k for k, (capacity, _) in enumerate(left) if size <= capacity <= self.SPARE * size
        ]
        if fitting:
            capacity, block = left.pop(min(fitting, key=lambda k: left[k][0]))
        else:
            capacity, block = size, self.arena.allocate_own(size)
        return _leased(self.cuda, capacity, block, self.give_back)

    def give_back(self, size: int, block: Any) -> None:
        if self.cached is not None:
            self.cached.append((size, block))

    def close(self) -> None:
        """Free all unused memory, and stop caching."""
        self.cached = None


class CachedBlock:
    """A cached block of a device; it is not idle while kernels may still use it."""

    device: int
    size: int
    block: Any
    turn: int
    idle: bool

    def __init__(self, device: int, size: int, block: Any, turn: int) -> None:
        self.device, self.size, self.block, self.turn = device, size, block, turn
        self.idle = False


class Workspace:
    """Cache of blocks for the temporary arrays of later runs.

    It is used if the caller has no memory pool: then the driver takes a tenth of a millisecond or
    more to allocate a block, and longer to free it. All blocks of a device, including those in use,
    are limited to a share of its memory. The oldest blocks are evicted first, and also blocks that
    none of the next ``TURNS`` arrays reused. Blocks are cached until :meth:`release`, until the
    driver runs out of memory, or until a run detects a pool.

    Parameters
    ----------
    cuda : module
        CuPy's module.
    total : callable
        Returns the bytes of memory of a device.
    """

    cuda: Any
    total: Callable[[int], int]
    turn: int
    lock: Any  # threading.RLock, which is a function before Python 3.13
    busy: bool

    SHARE = 32  # at most 1 / 32 of a device's memory is cached
    SPARE = 4 << 20  # most bytes of a reused block beyond the requested size
    TURNS = 64  # a block is freed if none of the next 64 arrays reused it

    def __init__(self, cuda: Any, total: Callable[[int], int]) -> None:
        self.cuda, self.total = cuda, total
        self.cached: list[CachedBlock] = []  # oldest first
        self.used: dict[int, tuple[int, int]] = {}  # device and bytes of each block in use
        self.turn = 0
        self.lock = threading.RLock()  # reentrant: garbage collection may free a lease inside it
        self.busy = False  # inside the lock: blocks may be appended but not removed

    def __call__(self, allocate: Any, size: int) -> Any:
        """Reuse a cached block, or allocate one; with a pool, let ``allocate`` do it."""
        if not _is_plain():
            if self.cached:
                self.release()
            return allocate(size)
        device = self.cuda.runtime.getDevice()
        most = self.total(device) // self.SHARE
        if size > most:
            return self.allocate_outside(allocate, size)
        with self.lock:
            self.busy, self.turn = True, self.turn + 1
            try:
                cached = self._reusable(device, size)
                capacity, block = (cached.size, cached.block) if cached else (size, None)
                self._make_room(device, most - capacity)
            finally:
                self.busy = False
            lease = self.turn
        if block is None:
            block = self.allocate_outside(allocate, size)
        self.used[lease] = device, capacity
        return _leased(self.cuda, capacity, block, partial(self.give_back, lease))

    def _reusable(self, device: int, size: int) -> CachedBlock | None:
        """Return the smallest block that fits, and wait for its last use on any stream."""
        best = None
        for spare in self.cached:
            if spare.device == device and size <= spare.size <= size + self.SPARE:
                best = spare if best is None or spare.size < best.size else best
        if best is None:
            return None
        self.cached.remove(best)
        if not best.idle:
            others = [spare for spare in self.cached if spare.device == device]
            self.cuda.runtime.deviceSynchronize()
            for spare in others:
                spare.idle = True
        return best

    def _make_room(self, device: int, most: int) -> None:
        """Free old blocks, then others until a device's blocks are at most ``most`` bytes."""
        if not self.cached:
            return
        blocks = [block for block in self.cached if block.device == device]
        device_bytes = 0
        for where, size in [*self.used.values()]:
            device_bytes += size if where == device else 0
        for block in blocks:
            device_bytes += block.size
        for block in blocks:
            if device_bytes > most or block.turn + self.TURNS < self.turn:
                self.cached.remove(block)
                device_bytes -= block.size

    def allocate_outside(self, allocate: Any, size: int) -> Any:
        """Allocate memory outside the workspace; if that fails, free the workspace and retry."""
        try:
            return allocate(size)
        except MemoryError:
            if not self.cached:
                raise
            self.release()
            return allocate(size)

    def give_back(self, lease: int, size: int, block: Any) -> None:
        """Cache a block for the next run."""
        with self.lock:
            device, _ = self.used.pop(lease)
            self.cached.append(CachedBlock(device, size, block, self.turn))
            if self.busy:  # called by the garbage collector; the next call makes room
                return
            self.busy = True
            try:
                self._make_room(device, self.total(device) // self.SHARE)
            finally:
                self.busy = False

    def release(self) -> None:
        """Free all cached memory."""
        with self.lock:
            if not self.busy:
                self.cached = []


def pool_of_caller(cuda: Any) -> Any:
    """Return the allocator of the caller's pool, of cuDF frames or otherwise of CuPy arrays."""
    return _of_rmm() if "cudf" in sys.modules else cuda.get_allocator()


@cache
def _of_rmm() -> Any:
    """Return RMM's allocator for CuPy."""
    from rmm.allocators.cupy import rmm_cupy_allocator

    return rmm_cupy_allocator


def spare_bytes_of_rmm(runtime: Any, total: int) -> int:
    """Return the bytes that RMM's current resource has reserved but not allocated.

    For a pool that does not count its allocations, this is an upper bound: all its bytes. For
    managed memory, and for resources of unknown size, it is ``total``.
    """
    mr = sys.modules["rmm"].mr
    resource, given = mr.get_current_device_resource(), 0
    while resource is not None:
        kind = type(resource).__name__
        if kind == "CudaAsyncMemoryResource":
            if not hasattr(resource, "pool_handle"):
                return total
            pool = resource.pool_handle()
            reserved, used = (runtime.memPoolGetAttribute(pool, which) for which in POOL_BYTES)
            return int(reserved - used)
        if kind == "PoolMemoryResource":
            return max(int(resource.pool_size()) - given, 0)
        if kind == "CudaMemoryResource":
            return 0
        if kind == "StatisticsResourceAdaptor":
            given = resource.allocation_counts.current_bytes
        elif kind == "TrackingResourceAdaptor":
            given = resource.get_allocated_bytes()
        elif not kind.endswith("ResourceAdaptor"):
            return total
        resource = getattr(resource, "upstream_mr", None)
    return total


def _is_plain() -> bool:
    """Return whether each allocation calls the driver, as it does if RMM has no pool."""
    if "cudf" not in sys.modules:
        return False
    mr = sys.modules["rmm"].mr  # cuDF has imported it
    return type(mr.get_current_device_resource()) is mr.CudaMemoryResource


class _Lease:
    """Owner of a block while an array uses it; it returns the block afterwards."""

    def __init__(self, size: int, block: Any, back: Callable[[int, Any], None]) -> None:
        self.size, self.block, self.back = size, block, back

    def __del__(self) -> None:
        self.back(self.size, self.block)


def _leased(cuda: Any, size: int, block: Any, back: Callable[[int, Any], None]) -> Any:
    """Return a pointer to a block; ``back`` receives the block once no pointer is left."""
    lease = _Lease(size, block, back)
    return cuda.MemoryPointer(cuda.UnownedMemory(block.ptr, size, lease), 0)
