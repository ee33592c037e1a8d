"""Allocators on top of the caller's, which place a run's small arrays in one allocation.

Without a pool, the caller's allocator would call the driver for each array, and the driver may wait
for the device.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

POOL_BYTES = 5, 7  # cudaMemPoolAttrReservedMemCurrent and cudaMemPoolAttrUsedMemCurrent


class Arena:
    """One allocation for all small arrays of a run; large arrays come from the pool directly.

    The block lives as long as the arena or any array in the block. Until :meth:`leave_block`, the
    block may be the tail of a large array's allocation. Large arrays before that call belong to the
    run and come from the workspace; later arrays may outlive the run.
    """

    SIZE, SMALL, ALIGN = 1 << 16, 1 << 15, 256
    allocate: Any  # allocator for large arrays that may outlive the run
    allocate_own: Any  # allocator for large arrays that the run frees itself
    block: Any = None
    size: int = 0
    used: int = 0
    is_tail: bool = False  # whether the block is the tail of a large array's allocation
    in_run: bool = False  # whether large arrays are freed by the run

    def __init__(self) -> None:
        self.lock: threading.Lock = threading.Lock()

    def draw_from(self, allocate: Any, workspace: Workspace) -> None:
        """Set the allocator for arrays that are too large for a block, and the workspace.

        In a nested scope of the same run, ``allocate`` is the arena itself; nothing changes.
        """
        if allocate is not self:
            self.allocate = partial(workspace.allocate_outside, allocate)
            self.allocate_own = partial(workspace, allocate)

    def __call__(self, size: int) -> Any:
        """Allocate a small array in a block, and a large one in a tail with space, or by itself."""
        with self.lock:
            fits = self.block is not None and self.used + size <= self.size
            if size <= self.SMALL and not fits:
                self.block, self.used, self.size = self.allocate(self.SIZE), 0, self.SIZE
                fits, self.is_tail = True, False
            if fits and (size <= self.SMALL or self.is_tail):
                start = self.used
                self.used += -(-size // self.ALIGN) * self.ALIGN
                return self.block + start
        return self.allocate_own(size) if self.in_run else self.allocate(size)

    def with_block(self, size: int, block_bytes: int) -> Any:
        """Allocate an array at the start of a run, and with it the arena's block.

        If the array is large and there is no block yet, a block of ``block_bytes`` follows the
        array in the same allocation. After a large array, later ones come from the workspace.
        """
        if size <= self.SMALL:
            return self(size)
        self.in_run = True
        if self.block is not None:
            return self(size)
        whole = self.allocate_own(size + block_bytes)
        with self.lock:
            self.block, self.used, self.size, self.is_tail = whole + size, 0, block_bytes, True
        return whole

    def leave_block(self) -> None:
        """Stop using a block that is a tail: its arrays would keep the large array's memory alive.

        Later large arrays do not come from the workspace.
        """
        with self.lock:
            self.in_run = False
            if self.is_tail:
                self.block, self.is_tail = None, False


class Recycling:
    """Allocator that reuses the memory of freed large arrays for later arrays of similar size.

    Small arrays come from an arena. All work on the arrays is ordered on one stream. Memory that is
    in use at :meth:`close` returns to the caller's pool when it is freed. (A CuPy pool that is
    closed while a part of a block is in use never returns that block.)
    """

    SPARE = 2  # max. ratio of a reused block to the requested size

    def __init__(self, cuda: Any, arena: Arena) -> None:
        self.cuda = cuda
        self.arena = arena
        self.cached: list[tuple[int, Any]] | None = []

    def __call__(self, size: int) -> Any:
        if size <= Arena.SMALL:
            return self.arena(size)
        cached = self.cached or []
        fitting = [
            k for k, (capacity, _) in enumerate(cached) if size <= capacity <= self.SPARE * size
        ]
        if fitting:
            smallest = min(fitting, key=lambda k: cached[k][0])
            capacity, block = cached.pop(smallest)
        else:
            capacity, block = size, self.arena.allocate_own(size)
        return _leased(self.cuda, capacity, block, self.give_back)

    def give_back(self, size: int, block: Any) -> None:
        if self.cached is not None:
            self.cached.append((size, block))

    def close(self) -> None:
        """Free all unused memory, and stop caching."""
        self.cached = None


@dataclass(eq=False)
class CachedBlock:
    """A cached block of a device."""

    device: int
    size: int
    block: Any
    turn: int  # the workspace's ``turn`` when the block was cached
    idle: bool = False  # whether no kernel can still be using the block


class Workspace:
    """Cache of blocks for the temporary arrays of later runs.

    It is used if the caller has no memory pool, because the driver takes a tenth of a millisecond
    or more to allocate a block, and longer to free it. All blocks of a device, including those in
    use, take at most ``1 / SHARE`` of its memory. The oldest blocks are evicted first. Blocks stay
    until :meth:`release`, until the driver runs out of memory, or until a run detects a pool.
    ``total(device)`` is the memory of a device in bytes.
    """

    SHARE = 32  # at most 1 / 32 of a device's memory is cached
    SPARE = 4 << 20  # max. bytes of a reused block beyond the requested size
    TURNS = 64  # a block is freed if none of the next 64 arrays reused it

    def __init__(self, cuda: Any, total: Callable[[int], int]) -> None:
        self.cuda = cuda
        self.total = total
        self.cached: list[CachedBlock] = []  # oldest first
        self.used: dict[int, tuple[int, int]] = {}  # by lease: device and bytes of a block in use
        self.turn: int = 0  # the number of arrays allocated so far
        # Reentrant, because garbage collection may free a lease (see _leased) in a thread that
        # holds the lock. The type is Any, because RLock is a function before Python 3.13.
        self.lock: Any = threading.RLock()
        self.busy: bool = False  # if True, garbage collection may append blocks but not free any

    def __call__(self, allocate: Any, size: int) -> Any:
        """Reuse a cached block, or allocate one; if there is a pool, only call ``allocate``."""
        if not _calls_driver():
            if self.cached:  # from before the caller had a pool
                self.release()
            return allocate(size)
        device = self.cuda.runtime.getDevice()
        max_bytes = self.total(device) // self.SHARE
        if size > max_bytes:
            return self.allocate_outside(allocate, size)
        with self.lock:
            self.busy, self.turn = True, self.turn + 1
            try:
                reused = self._take_smallest(device, size)
                capacity, block = (reused.size, reused.block) if reused else (size, None)
                self._make_room(device, max_bytes - capacity)
            finally:
                self.busy = False
            lease = self.turn  # identifies this block while it is in use
        if block is None:
            block = self.allocate_outside(allocate, size)
        self.used[lease] = device, capacity
        return _leased(self.cuda, capacity, block, partial(self.give_back, lease))

    def _take_smallest(self, device: int, size: int) -> CachedBlock | None:
        """Remove and return the smallest block that fits; wait for its last use on any stream."""
        smallest = None
        for spare in self.cached:
            if spare.device == device and size <= spare.size <= size + self.SPARE:
                smallest = spare if smallest is None or spare.size < smallest.size else smallest
        if smallest is None:
            return None
        self.cached.remove(smallest)
        if not smallest.idle:
            # Blocks that garbage collection appends during the wait may still be in use.
            others = [spare for spare in self.cached if spare.device == device]
            self.cuda.runtime.deviceSynchronize()
            for spare in others:
                spare.idle = True
        return smallest

    def _make_room(self, device: int, max_bytes: int) -> None:
        """Free cached blocks of a device, oldest first.

        A block is freed if none of the next ``TURNS`` arrays reused it, or while all blocks of the
        device, including those in use, have more than ``max_bytes``.
        """
        if not self.cached:
            return
        blocks = [block for block in self.cached if block.device == device]
        device_bytes = 0
        for block_device, size in [*self.used.values()]:  # a copy: it may change meanwhile
            device_bytes += size if block_device == device else 0
        for block in blocks:
            device_bytes += block.size
        for block in blocks:
            if device_bytes > max_bytes or block.turn + self.TURNS < self.turn:
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
        """Cache a block that no array uses any longer."""
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
        """Free all cached memory, unless garbage collection has interrupted another method."""
        with self.lock:
            if not self.busy:
                self.cached = []


def pool_of_caller(cuda: Any) -> Any:
    """Return the allocator of the caller's pool: RMM's if cuDF is imported, otherwise CuPy's."""
    return _of_rmm() if "cudf" in sys.modules else cuda.get_allocator()


@cache
def _of_rmm() -> Any:
    """Return RMM's allocator for CuPy."""
    from rmm.allocators.cupy import rmm_cupy_allocator

    return rmm_cupy_allocator


def spare_bytes_of_rmm(runtime: Any, total: int) -> int:
    """Return the bytes that RMM's current resource has reserved but not allocated.

    If neither the pool nor an adaptor counts allocations, this is an upper bound: the whole pool.
    For managed memory, and for resources of unknown size, it is ``total``, the device's memory.
    """
    mr = sys.modules["rmm"].mr
    resource, allocated = mr.get_current_device_resource(), 0
    while resource is not None:
        name = type(resource).__name__
        if name == "CudaAsyncMemoryResource":
            if not hasattr(resource, "pool_handle"):
                return total
            pool = resource.pool_handle()
            reserved, used = (runtime.memPoolGetAttribute(pool, key) for key in POOL_BYTES)
            return int(reserved - used)
        if name == "PoolMemoryResource":
            return max(int(resource.pool_size()) - allocated, 0)
        if name == "CudaMemoryResource":
            return 0
        if name == "StatisticsResourceAdaptor":
            allocated = resource.allocation_counts.current_bytes
        elif name == "TrackingResourceAdaptor":
            allocated = resource.get_allocated_bytes()
        elif not name.endswith("ResourceAdaptor"):
            return total
        resource = getattr(resource, "upstream_mr", None)
    return total


def _calls_driver() -> bool:
    """Return whether each allocation calls the driver: cuDF is imported, and RMM has no pool."""
    if "cudf" not in sys.modules:
        return False
    mr = sys.modules["rmm"].mr  # cuDF has imported it
    return type(mr.get_current_device_resource()) is mr.CudaMemoryResource


class _Lease:
    """Owner of a block while arrays use it; passes the block to ``give_back`` afterwards."""

    def __init__(self, size: int, block: Any, give_back: Callable[[int, Any], None]) -> None:
        self.size, self.block, self.give_back = size, block, give_back

    def __del__(self) -> None:
        self.give_back(self.size, self.block)


def _leased(cuda: Any, size: int, block: Any, give_back: Callable[[int, Any], None]) -> Any:
    """Return a pointer to a block; ``give_back`` is called once no array uses the block."""
    lease = _Lease(size, block, give_back)
    return cuda.MemoryPointer(cuda.UnownedMemory(block.ptr, size, lease), 0)
