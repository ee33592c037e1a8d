"""The GPU backend on Numba's simulator: each GPU thread is a Python thread. For tests."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numba import cuda
from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray

from .base import SHARED_WORDS, Kernel, SharedMemoryLimits
from .cuda_intrinsics import ATOMS, SHAPES
from .threads import Threads

BLOCK_THREADS = 32
GRID_STRIDE_BLOCKS = 2


class Simulator(Threads):
    """Kernels under the GPU's own loops and atomic operations, on NumPy arrays."""

    name = "cuda"
    threads_per_row = 4
    samples = True
    few_by_library = False
    prefetch = None
    in_one_launch = goes_on = True

    @property
    def device_name(self) -> str:
        return "Numba's CUDA simulator"

    def shared_memory_limits(self) -> SharedMemoryLimits:
        return SharedMemoryLimits(GRID_STRIDE_BLOCKS, BLOCK_THREADS, SHARED_WORDS)

    def launch(self, kernel: Kernel, n: int, arguments: tuple[Any, ...]) -> None:
        run = kernel.compiled.get("simulator")
        if run is None:
            body = kernel.part.compiled(cuda.jit(device=True), ATOMS)
            run = kernel.compiled["simulator"] = cuda.jit(SHAPES[kernel.shape](body))
        blocks = -(-n // BLOCK_THREADS)
        if kernel.shape == "grid_stride":
            blocks = min(blocks, GRID_STRIDE_BLOCKS)
        elif kernel.shape in ("single_block", "cooperative"):
            blocks = 1  # of a grid, too: they run one after the other
        elif kernel.shape == "block_kernel":
            blocks = n
        with warnings.catch_warnings():  # integers wrap around, as they do on the GPU
            warnings.filterwarnings("ignore", ".*overflow encountered in scalar", RuntimeWarning)
            given = [_argument(argument, self.checked) for argument in arguments]
            run[blocks, BLOCK_THREADS, 0, 4 * kernel.shared_words](np.uint64(n), *given)


class _Checked(FakeCUDAArray):  # type: ignore[misc]
    """An array that refuses negative indices, which NumPy counts from the end."""

    def __getitem__(self, i: Any) -> Any:
        return super().__getitem__(_from_start(i))

    def __setitem__(self, i: Any, value: Any) -> None:
        super().__setitem__(_from_start(i), value)


def _from_start(i: Any) -> Any:
    if isinstance(i, int | np.integer) and i < 0:
        raise AssertionError(f"a kernel accesses memory outside its arrays: index {i}")
    return i


def _argument(argument: Any, checked: bool = False) -> Any:
    """Convert an argument as the compiler would: integers to its width, arrays unchanged.

    One array may stand for two arguments, and the simulator would copy each of them there and back.
    Strided columns, which kernels only read, become contiguous copies, as the simulator requires.
    """
    if isinstance(argument, int):
        return np.int64(argument)
    kind = _Checked if checked else FakeCUDAArray
    return kind(np.ascontiguousarray(argument))
