"""The GPU backend without a GPU: kernels run by the interpreter, on NumPy arrays."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from cc_rapids.backends.base import SHARED_WORDS, Array, Kernel, SharedMemoryLimits
from cc_rapids.backends.device_function import Atom
from cc_rapids.backends.threads import Threads

from .interpreter import Callee, Grid, Thread, callee_of, run

SCHEDULE = "CC_RAPIDS_SCHEDULE"  # the environment variable of the number that schedules depend on
BLOCK_THREADS = 32
WARP_SIZE = 8  # so that a block has several
GRID_STRIDE_BLOCKS = 2
HASHED = 1 << 16  # bytes of each argument that a schedule depends on
JUNK = 1 << 20  # bytes of a new array that are random, at most


class Simulator(Threads):
    """Kernels under the parameters of a small GPU: its blocks, warps and operations.

    The schedule of a launch depends on the kernel, on its arguments and on $CC_RAPIDS_SCHEDULE, and
    what a new array holds on its size and on that number, so that a test that fails does so each
    time, whichever ran before.
    """

    name = "cuda"
    threads_per_row = 4
    warp_size = WARP_SIZE
    max_block_size = BLOCK_THREADS
    samples = True
    few_by_library = merges_in_order = False
    prefetch = None
    in_one_launch = goes_on = finds_in_blocks = True
    warp_shuffle_xor = Atom("warp_shuffle_xor")

    def __init__(self, checked: bool | None = None, schedule: int | None = None) -> None:
        super().__init__(checked)
        self.schedule = int(os.environ.get(SCHEDULE, "0")) if schedule is None else schedule
        self._known: dict[str, Callee] = {}

    @property
    def device_name(self) -> str:
        return "simulated GPU"

    def empty(self, n: int, dtype: Any) -> Array:
        array = super().empty(n, dtype)
        held = array.view(np.uint8)[:JUNK]
        held[:] = np.frombuffer(Random(f"{self.schedule} {held.size}").randbytes(held.size), "u1")
        return array

    def shared_memory_limits(self) -> SharedMemoryLimits:
        return SharedMemoryLimits(GRID_STRIDE_BLOCKS, BLOCK_THREADS, SHARED_WORDS)

    def launch(self, kernel: Kernel, n: int, arguments: tuple[Any, ...]) -> None:
        body = callee_of(kernel.part, self._known)
        given = [_argument(argument, self.checked) for argument in arguments]
        blocks = -(-n // BLOCK_THREADS)
        if kernel.shape in ("grid_stride", "cooperative"):
            blocks = min(blocks, GRID_STRIDE_BLOCKS)
        elif kernel.shape == "single_block":
            blocks = 1
        elif kernel.shape == "block_kernel":
            blocks = n
        grid = Grid(blocks, BLOCK_THREADS, WARP_SIZE, kernel.shape == "cooperative")
        name = kernel.part.function.__name__
        random = Random(f"{self.schedule} {name} {n} {_digest(given)}")
        start = _STARTS.get(kernel.shape, _stride)
        try:
            run(grid, start(grid, n, body, given, kernel.shared_words, random), random, name)
        except Exception as error:
            error.add_note(f"of kernel {name!r} by {SCHEDULE}={self.schedule}")
            raise


def _begun(body: Callee, *arguments: Any) -> Thread | None:
    """Return a thread; None if it was so short that it has ended."""
    thread = body.call(*arguments)
    return thread if body.yields else None


def _each(grid: Grid, n: int, body: Callee, given: list[Any], words: int, random: Random) -> Any:
    def start(block: int, t: int) -> Thread | None:
        i = block * grid.threads + t
        return _begun(body, np.uint64(i), *given) if i < n else None

    return start


def _stride(grid: Grid, n: int, body: Callee, given: list[Any], words: int, random: Random) -> Any:
    last, step = np.uint64(n), np.uint64(grid.blocks * grid.threads)

    def start(block: int, t: int) -> Thread | None:
        return _begun(body, np.uint64(block * grid.threads + t), last, step, *given)

    return start


def _block(grid: Grid, n: int, body: Callee, given: list[Any], words: int, random: Random) -> Any:
    step = np.uint64(grid.threads)
    shared: dict[int, Array] = {}  # of blocks that have not begun all of their threads

    def start(block: int, t: int) -> Thread | None:
        if t == 0:
            junk = np.frombuffer(random.randbytes(4 * words), np.uint32)
            shared[block] = junk.copy()
        own = shared.pop(block) if t == grid.threads - 1 else shared[block]
        return _begun(body, np.uint64(block), np.uint64(t), step, own, *given)

    return start


_STARTS = {"elementwise": _each, "block_kernel": _block}


class _Checked:
    """An array that refuses negative indices, which NumPy counts from the end."""

    def __init__(self, array: Array) -> None:
        self.array, self.dtype, self.size = array, array.dtype, array.size

    def __getitem__(self, i: Any) -> Any:
        return self.array[_from_start(i)]

    def __setitem__(self, i: Any, value: Any) -> None:
        self.array[_from_start(i)] = value


def _from_start(i: Any) -> Any:
    if i < 0:
        raise AssertionError(f"a kernel accesses memory outside its arrays: index {i}")
    return i


def _argument(argument: Any, checked: bool) -> Any:
    """Convert an argument as the compiler would: integers to its width, arrays unchanged."""
    if isinstance(argument, int):
        return np.int64(argument)
    return _Checked(argument) if checked else argument


def _digest(arguments: list[Any]) -> int:
    """Return a number that differs for most arguments."""
    found = 0
    for piece in _bytes_of(arguments):
        found = zlib.crc32(piece, found)
    return found


def _bytes_of(arguments: list[Any]) -> Iterator[bytes]:
    for argument in arguments:
        if isinstance(argument, np.int64):
            yield argument.tobytes()
        else:
            array = getattr(argument, "array", argument)
            yield array[: HASHED // array.itemsize].tobytes()
