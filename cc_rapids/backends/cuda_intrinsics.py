"""The GPU-specific parts of kernels: loops over threads, and atomic operations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda, int64, uint32

WARP = 32
ALL_LANES = 0xFFFFFFFF
NO_SIGN = (1 << 63) - 1
HIGH_BIT, ZERO = np.uint64(1 << 63), np.uint64(0)
_device: Any = cuda.jit(device=True)


def _elementwise(function: Any) -> Any:
    def elementwise(n: Any, *arguments: Any) -> None:
        i = np.uint64(cuda.blockIdx.x) * np.uint64(cuda.blockDim.x) + np.uint64(cuda.threadIdx.x)
        if i < n:
            function(i, *arguments)

    return elementwise


def _grid_stride(function: Any) -> Any:
    def grid_stride(n: Any, *arguments: Any) -> None:
        first = np.uint64(cuda.blockIdx.x) * np.uint64(cuda.blockDim.x) + np.uint64(
            cuda.threadIdx.x
        )
        step = np.uint64(cuda.gridDim.x) * np.uint64(cuda.blockDim.x)
        function(first, np.uint64(n), step, *arguments)

    return grid_stride


def _block_kernel(function: Any) -> Any:
    def block_kernel(n: Any, *arguments: Any) -> None:
        shared = cuda.shared.array(0, uint32)  # the launch sets its length
        k, t = np.uint64(cuda.blockIdx.x), np.uint64(cuda.threadIdx.x)
        function(k, t, np.uint64(cuda.blockDim.x), shared, *arguments)

    return block_kernel


SHAPES = {  # makers of kernels, which take the number of indices and then the arguments
    "elementwise": _elementwise,
    "grid_stride": _grid_stride,
    "single_block": _grid_stride,
    "cooperative": _grid_stride,
    "block_kernel": _block_kernel,
}


@_device
def atomic_cas(array: Any, i: Any, old: Any, new: Any) -> Any:
    return cuda.atomic.cas(array, i, old, new)


@_device
def atomic_add(array: Any, i: Any, value: Any) -> Any:
    return cuda.atomic.add(array, i, value)


@_device
def atomic_min(array: Any, i: Any, value: Any) -> Any:
    return cuda.atomic.min(array, i, value)


@_device
def atomic_max(array: Any, i: Any, value: Any) -> Any:
    return cuda.atomic.max(array, i, value)


@_device
def atomic_or(array: Any, i: Any, value: Any) -> Any:
    return cuda.atomic.or_(array, i, value)


@_device
def memory_fence() -> None:
    cuda.threadfence()


@_device
def block_sync() -> None:
    cuda.syncthreads()


@_device
def grid_sync(array: Any, i: Any) -> None:
    """Wait until every block of the grid has arrived.

    One thread of each block subtracts from ``array[i]``: block 0 subtracts HIGH_BIT minus the
    number of other blocks, and every other block 1. The sum is HIGH_BIT, so this bit flips when the
    last block arrives, and the other bits are as before, ready for the next barrier. The first
    fence publishes the writes of the block, and the second fence prevents stale reads.
    """
    cuda.syncthreads()
    if cuda.gridDim.x > 1:
        if cuda.threadIdx.x == 0:
            amount = np.uint64(1)
            if cuda.blockIdx.x == 0:
                amount = HIGH_BIT - np.uint64(cuda.gridDim.x - 1)
            cuda.threadfence()
            before = cuda.atomic.add(array, i, ZERO - amount)
            while (cuda.atomic.add(array, i, ZERO) ^ before) & HIGH_BIT == ZERO:  # an atomic load
                pass
            cuda.threadfence()
        cuda.syncthreads()


@_device
def warp_ballot_rank(flag: Any) -> Any:
    """Return how many earlier lanes of the warp set the flag, and how many lanes in all."""
    lanes = cuda.ballot_sync(ALL_LANES, flag)
    earlier = lanes & (np.uint32(1 << cuda.laneid) - np.uint32(1))
    return cuda.popc(np.uint32(earlier)), cuda.popc(np.uint32(lanes))


@_device
def warp_sync() -> None:
    cuda.syncwarp(ALL_LANES)


@_device
def load_streaming(array: Any, i: Any) -> Any:
    return cuda.ldcs(array, i & NO_SIGN)  # the mask avoids a test for negative indices


@_device
def warp_shuffle_xor(value: Any) -> Any:
    return cuda.shfl_xor_sync(ALL_LANES, value, 1)


# Every thread of a grid-stride kernel calls these reductions. Each warp combines its values by
# shuffles, and each block sends one atomic operation, because operations on one word of memory are
# serialised.


@_device
def shuffle_down(array: Any, value: Any, distance: Any) -> Any:
    """Return the value of the lane of the warp that is ``distance`` lanes further on.

    The shuffle takes signed integers, so the result is converted back to the type of the array.
    """
    return array.dtype.type(cuda.shfl_down_sync(ALL_LANES, np.int64(value), distance))


@_device
def plus(value: Any, other: Any) -> Any:
    return value + other


@_device
def lesser(value: Any, other: Any) -> Any:
    return min(value, other)


@_device
def greater(value: Any, other: Any) -> Any:
    return max(value, other)


def _block_reduce(combine: Any, atomic: Any) -> Any:
    """Return a function that combines the values of a block and updates ``array[i]`` once."""

    @_device
    def block_reduce(array: Any, i: Any, value: Any) -> None:
        shared = cuda.shared.array(WARP, int64)
        lane, warp = cuda.threadIdx.x % WARP, cuda.threadIdx.x // WARP
        distance = WARP // 2
        while distance > 0:
            value = combine(value, shuffle_down(array, value, distance))
            distance //= 2
        if lane == 0:  # which has the combined value of the warp
            shared[warp] = np.int64(value)
        cuda.syncthreads()
        if warp == 0 and lane == 0:
            warp = 1
            while warp < cuda.blockDim.x // WARP:
                value = combine(value, array.dtype.type(shared[warp]))
                warp += 1
            atomic(array, i, value)
        cuda.syncthreads()  # before the next call writes to ``shared``

    return block_reduce


ATOMS: dict[str, Any] = {
    "atomic_cas": atomic_cas,
    "atomic_add": atomic_add,
    "atomic_min": atomic_min,
    "atomic_max": atomic_max,
    "atomic_or": atomic_or,
    "memory_fence": memory_fence,
    "block_sync": block_sync,
    "grid_sync": grid_sync,
    "warp_sync": warp_sync,
    "warp_ballot_rank": warp_ballot_rank,
    "warp_shuffle_xor": warp_shuffle_xor,
    "load_streaming": load_streaming,
    "block_reduce_add": _block_reduce(plus, atomic_add),
    "block_reduce_min": _block_reduce(lesser, atomic_min),
    "block_reduce_max": _block_reduce(greater, atomic_max),
}
