"""The GPU-specific parts of kernels: loops over threads, and atomic operations.

``cuda`` has to be a global of this module: Numba's simulator replaces it there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, cuda, int64, uint32

WARP = 32
ALL_LANES = 0xFFFFFFFF
NO_SIGN = (1 << 63) - 1
HIGHEST, NOTHING = np.uint64(1 << 63), np.uint64(0)
_device: Any = cuda.jit(device=True)


def _each(function: Any) -> Any:
    def each(n: Any, *arguments: Any) -> None:
        i = np.uint64(cuda.blockIdx.x) * np.uint64(cuda.blockDim.x) + np.uint64(cuda.threadIdx.x)
        if i < n:
            function(i, *arguments)

    return each


def _sweep(function: Any) -> Any:
    def sweep(n: Any, *arguments: Any) -> None:
        first = np.uint64(cuda.blockIdx.x) * np.uint64(cuda.blockDim.x) + np.uint64(
            cuda.threadIdx.x
        )
        step = np.uint64(cuda.gridDim.x) * np.uint64(cuda.blockDim.x)
        function(first, np.uint64(n), step, *arguments)

    return sweep


def _tile(function: Any) -> Any:
    def tile(n: Any, *arguments: Any) -> None:
        near = cuda.shared.array(0, uint32)  # as long as the launch says
        k, t = np.uint64(cuda.blockIdx.x), np.uint64(cuda.threadIdx.x)
        function(k, t, np.uint64(cuda.blockDim.x), near, *arguments)

    return tile


SHAPES = {
    "elementwise": _each,
    "grid_stride": _sweep,
    "single_block": _sweep,
    "cooperative": _sweep,
    "block_kernel": _tile,
}


@_device
def cas(array: Any, i: Any, old: Any, new: Any) -> Any:
    return cuda.atomic.cas(array, i, old, new)


@_device
def add(array: Any, i: Any, value: Any) -> Any:
    return cuda.atomic.add(array, i, value)


@_device
def minimum(array: Any, i: Any, value: Any) -> Any:
    return cuda.atomic.min(array, i, value)


@_device
def maximum(array: Any, i: Any, value: Any) -> Any:
    return cuda.atomic.max(array, i, value)


@_device
def bit_or(array: Any, i: Any, value: Any) -> Any:
    return cuda.atomic.or_(array, i, value)


@_device
def fence() -> None:
    cuda.threadfence()


@_device
def barrier() -> None:
    cuda.syncthreads()


@_device
def everyone(array: Any, i: Any) -> None:
    """Wait until every block of the grid has arrived.

    Blocks count down; the first of them counts for all the others, too, so that the highest bit
    changes when the last has come. The word is then as good for the next time. What threads wrote
    is seen by the fence before, and nothing is read from an older cache after the other one.
    """
    cuda.syncthreads()
    if cuda.gridDim.x > 1:
        if cuda.threadIdx.x == 0:
            one = np.uint64(1)
            if cuda.blockIdx.x == 0:
                one = HIGHEST - np.uint64(cuda.gridDim.x - 1)
            cuda.threadfence()
            before = cuda.atomic.add(array, i, NOTHING - one)
            while (cuda.atomic.add(array, i, NOTHING) ^ before) & HIGHEST == NOTHING:
                pass
            cuda.threadfence()
        cuda.syncthreads()


@_device
def count(flag: Any) -> Any:
    """Count the lanes of a warp that raise a flag, by a ballot."""
    raised = cuda.ballot_sync(ALL_LANES, flag)
    before = raised & (np.uint32(1 << cuda.laneid) - np.uint32(1))
    return cuda.popc(np.uint32(before)), cuda.popc(np.uint32(raised))


@_device
def count_alone(flag: Any) -> Any:
    """Count on the simulator, which has no ballots and whose lanes are single threads."""
    return np.uint32(0), np.uint32(flag)


@_device
def read(array: Any, i: Any) -> Any:
    return array[i]


@_device
def meet() -> None:
    cuda.syncwarp(ALL_LANES)


@_device
def once(array: Any, i: Any) -> Any:
    return cuda.ldcs(array, i & NO_SIGN)  # which would be looked at else, to count from the end


@_device
def swap_pairs(value: Any) -> Any:
    return cuda.shfl_xor_sync(ALL_LANES, value, 1)


# The threads of a sweep all reach these calls, so that a whole block can combine its values, each
# warp by shuffles, and send one atomic operation: on one word of memory they wait for each other.
# The simulator has no shuffles.


@_device
def neighbour(array: Any, value: Any, distance: Any) -> Any:
    """Return the value of the lane ``distance`` further on; shuffles take signed integers only."""
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


def _of_block(combine: Any, operation: Any) -> Any:
    @_device
    def of_block(array: Any, i: Any, value: Any) -> None:
        near = cuda.shared.array(WARP, int64)
        lane, warp = cuda.threadIdx.x % WARP, cuda.threadIdx.x // WARP
        distance = WARP // 2
        while distance > 0:
            value = combine(value, neighbour(array, value, distance))
            distance //= 2
        if lane == 0:
            near[warp] = np.int64(value)
        cuda.syncthreads()
        if warp == 0 and lane == 0:
            warp = 1
            while warp < cuda.blockDim.x // WARP:
                value = combine(value, array.dtype.type(near[warp]))
                warp += 1
            operation(array, i, value)
        cuda.syncthreads()  # before the next of these calls writes there

    return of_block


ATOMS = {
    "atomic_cas": cas,
    "atomic_add": add,
    "atomic_min": minimum,
    "atomic_max": maximum,
    "atomic_or": bit_or,
}
ATOMS |= {"memory_fence": fence, "block_sync": barrier, "grid_sync": everyone}
if config.ENABLE_CUDASIM:
    ATOMS |= {"block_reduce_add": add, "block_reduce_min": minimum, "block_reduce_max": maximum}
    ATOMS |= {"warp_ballot_rank": count_alone, "warp_sync": fence, "load_streaming": read}
else:
    ATOMS["warp_shuffle_xor"] = swap_pairs
    ATOMS |= {"load_streaming": once, "warp_ballot_rank": count, "warp_sync": meet}
    ATOMS |= {
        "block_reduce_add": _of_block(plus, add),
        "block_reduce_min": _of_block(lesser, minimum),
    }
    ATOMS["block_reduce_max"] = _of_block(greater, maximum)
