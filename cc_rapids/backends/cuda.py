"""The GPU backend: kernels are compiled by Numba, cached as cubins, and launched by the driver.

A launch by Numba takes 33-76 us, and the first launch compiles. Here, a launch packs the arguments
into one buffer and calls the driver, and a new process loads machine code from the cache.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import cache, lru_cache
from inspect import isgeneratorfunction
from typing import Any

import numpy as np

from ..errors import EngineError, install_advice
from . import kernel_times
from .base import SINGLE_BLOCK_THREADS, Array, Backend, Flag, Kernel, Scope, SharedMemoryLimits
from .compile import threads_per_block
from .device_function import Atom
from .memory import pinned
from .memory.packing import Layout, PackedArgs, Piece, pack_layout, words_of
from .memory.pinned import ThreadBuffers
from .memory.pool import Arena, Recycling, Workspace, pool_of_caller, spare_bytes_of_rmm
from .peers import Peers

log: logging.Logger = logging.getLogger(__name__)

BLOCK_THREADS = 256
GRID_STRIDE_BLOCKS = 8  # blocks per multiprocessor in a grid-stride kernel: all are resident

WORD = 0xFFFFFFFFFFFFFFFF  # mask of a 64-bit argument
UNLIMITED = WORD  # as a maximum of blocks

_MAX_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def open_backend() -> Backend:
    """Return the GPU backend; raise an EngineError if its packages or a GPU are missing."""
    try:
        import cupy
        import numba_cuda
    except ImportError as error:
        raise EngineError(
            f"engine 'cuda' needs a package that is not installed ({error}):"
            f" {install_advice('cu13')} (or cu12: `cc-rapids doctor` shows which)"
        ) from error
    assert numba_cuda  # imported only to check that it is installed
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise EngineError(
            f"engine 'cuda' finds no NVIDIA GPU ({error}); engine='threads' runs on the CPU"
        ) from error
    return Cuda(cupy)


class Cuda(Backend):
    """Backend for the current NVIDIA GPU, on CuPy's current stream; its arrays are CuPy arrays."""

    name = "cuda"
    on_device = True
    threads_per_row = warp_size = 32
    samples = True
    in_one_launch = goes_on = finds_in_blocks = True
    warp_shuffle_xor: Atom | None = Atom("warp_shuffle_xor")

    def __init__(self, cupy: Any) -> None:
        self.xp = cupy
        self._launch = cupy.cuda.driver.launchKernel
        self._launch_cooperative = cupy.cuda.driver.launchCooperativeKernel
        self._stream = cupy.cuda.get_current_stream
        self._device = cupy.cuda.runtime.getDevice
        self._allocating = _generator_of(cupy.cuda.using_allocator)
        self._buffers = ThreadBuffers()
        self._workspace = Workspace(cupy.cuda, _total_bytes)
        atexit.register(self._workspace.release)  # before the driver ends
        self._process = os.getpid()
        self._loading = threading.Lock()
        self._peers = Peers(cupy.cuda.runtime)

    @property
    def device_name(self) -> str:
        return str(_properties(self._device())["name"].decode())

    @property
    def has_locks(self) -> bool:  # type: ignore[override]
        """True since Volta, which schedules the threads of a warp independently."""
        return bool(_properties(self._device())["major"] >= 7)

    def shared_memory_limits(self) -> SharedMemoryLimits:  # type: ignore[override]
        return _shared_memory_limits()

    def launch(self, kernel: Kernel, n: int, arguments: tuple[Any, ...]) -> None:
        device = self._device()
        words: list[int] = [n]  # the arguments of the kernel as 64-bit words
        # The key of the loaded kernel: the device, and for each argument NumPy's number of the type
        # of a contiguous array, -2 minus this number for a strided array, or -1 for an integer.
        types: list[int] = [device]
        array = self.xp.ndarray
        for argument in arguments:
            if isinstance(argument, array):
                dtype, size, step = argument.dtype, argument.size, argument.strides[0]
                itemsize = dtype.itemsize
                # The fields of Numba's array: two unused pointers, the number of elements and their
                # size, the address, the shape and the strides.
                words += (0, 0, size, itemsize, argument.data.ptr, size, step & WORD)
                types.append(dtype.num if step == itemsize else -2 - dtype.num)
            elif isinstance(argument, int):
                words.append(argument & WORD)
                types.append(-1)
            else:
                argument.put(words, types)
        key = tuple(types)
        loaded = kernel.compiled.get(key)
        if loaded is None:
            with kernel_times.preparing():
                function = self._load(kernel, arguments, device)
            loaded = kernel.compiled[key] = function, *_geometry(kernel, device)
        function, indices_per_block, threads, max_blocks, shared_bytes = loaded
        blocks, stream = -(-n // indices_per_block), self._stream().ptr
        if blocks > max_blocks:
            blocks = max_blocks
        extra, params = self._buffers.pack(words)
        if kernel.shape == "cooperative":
            self._launch_cooperative(function, blocks, 1, 1, threads, 1, 1, 0, stream, params)
            return
        self._launch(function, blocks, 1, 1, threads, 1, 1, shared_bytes, stream, 0, extra)

    def _load(self, kernel: Kernel, arguments: tuple[Any, ...], device: int) -> int:
        """Return the driver's handle of the kernel for these argument types on this device."""
        from . import compile as compiler

        signature = compiler.signature_of(arguments)
        properties = _properties(device)
        capability = (properties["major"], properties["minor"])
        with self._loading:  # one thread compiles, and threads of other GPUs find it in the cache
            binary = compiler.stored(kernel, signature, capability)
        driver = self.xp.cuda.driver
        function = driver.moduleGetFunction(driver.moduleLoadData(binary.cubin), binary.entry)
        if kernel.shared_words:  # without the attribute, a block may use at most 48 KiB
            driver.funcSetAttribute(function, _MAX_SHARED, 4 * kernel.shared_words)
        return int(function)

    def empty(self, n: int, dtype: Any) -> Array:
        return self.xp.ndarray((n,), dtype)

    def without_memory(self, dtype: Any) -> Array:
        null = self.xp.cuda.UnownedMemory(0, 0, self, self._device())
        contiguous = (np.dtype(dtype).itemsize,)
        return self.xp.ndarray((0,), dtype, self.xp.cuda.MemoryPointer(null, 0), contiguous)

    def alloc_readback(self, n: int) -> Array:
        """Return memory that this thread keeps, so that a run starts without an allocation."""
        if 8 * n > pinned.READBACK_BYTES:
            return self.empty(n, np.uint64)
        return self.xp.ndarray((n,), np.uint64, self._buffers.kept_memory(self._device()))

    def new_flag(self) -> Flag:
        return self._buffers.flag(self._device(), self._stream)

    def alloc_packed(self, *shapes: tuple[int, Any], arena_bytes: int = 0) -> list[Array]:
        size, pieces = _pack_layout(shapes)
        allocate = self.xp.cuda.get_allocator()
        if arena_bytes and isinstance(allocate, Arena):
            return self._views(allocate.with_block(size, arena_bytes), pieces)
        return self._views(allocate(size), pieces)

    def copy_packed(self, arrays: list[Array], copies: list[Array]) -> None:
        """Copy all arrays at once, or one by one if each has an allocation, as after unpickling."""
        words, copied_words = words_of(self.xp, arrays), words_of(self.xp, copies)
        if words is None or copied_words is None or words.size != copied_words.size:
            super().copy_packed(arrays, copies)
            return
        copied_words.data.copy_from_device_async(words.data, words.nbytes, self._stream())

    def leave_arena(self) -> None:
        arena = self.xp.cuda.get_allocator()
        if isinstance(arena, Arena):
            arena.leave_block()

    def packed_args(self, whole: Array, layout: Layout) -> Iterable[Any]:
        return (PackedArgs(layout, whole.data.ptr),)

    def packed_views(self, whole: Array, pieces: Iterable[Piece]) -> list[Array]:
        return self._views(whole.data, pieces)

    def _views(self, data: Any, pieces: Iterable[Piece]) -> list[Array]:
        array = self.xp.ndarray
        return [array((n,), dtype, data + start) for start, n, dtype in pieces]

    def fill(self, array: Array, byte: int) -> Array:
        array.data.memset_async(byte, array.nbytes, self._stream())
        return array

    def asarray(self, array: Array) -> Array:
        if not isinstance(array, self.xp.ndarray):
            return self.xp.asarray(array)
        device = array.data.device_id
        if device == self._device():
            return array
        if array.flags.c_contiguous:
            return self.received(array, device)
        with self.using_device(device):  # only contiguous bytes can be copied between GPUs
            array = self.xp.ascontiguousarray(array)
            self.synchronize()
        copy = self.received(array, device)
        self.synchronize()  # before the memory of the contiguous copy is reused
        return copy

    def written(self, memory: str, n: int, dtype: Any, write: Callable[[Array], None]) -> Array:
        if memory == "device" or not n:
            return super().written(memory, n, dtype, write)
        return pinned.written(self.xp, memory, n, dtype, write)

    def placed(self, array: Array, memory: str) -> Array:
        if memory == "device" or not array.size:
            return self.asarray(array)
        return pinned.placed(self.xp, array, memory)

    @property
    def device_id(self) -> int:
        return int(self._device())

    @property
    def device_count(self) -> int:
        return int(self.xp.cuda.runtime.getDeviceCount())

    def using_device(self, number: int) -> contextlib.AbstractContextManager[Any]:
        device: contextlib.AbstractContextManager[Any] = self.xp.cuda.Device(number)
        return device

    def connect(self, number: int) -> bool:
        """Enable copies over NVLink or PCIe; otherwise the driver copies through the host."""
        return self._peers.connect(self._device(), number)

    def received(self, array: Array, number: int) -> Array:
        copy = self.empty(array.size, array.dtype)
        if not array.size:
            return copy
        device, stream, runtime = self._device(), self._stream().ptr, self.xp.cuda.runtime
        target, source = (copy.data.ptr, device), (array.data.ptr, number)
        try:
            runtime.memcpyPeerAsync(*target, *source, array.nbytes, stream)
        except runtime.CUDARuntimeError as error:
            log.warning("GPU %d receives data of GPU %d through NumPy: %s", device, number, error)
            self._copy_by_host(array, number, copy)
        return copy

    def _copy_by_host(self, array: Array, sender: int, copy: Array) -> None:
        """Copy an array of device ``sender`` through NumPy, and wait for the copy."""
        runtime = self.xp.cuda.runtime
        try:
            with self.using_device(sender):
                host = np.ascontiguousarray(self.xp.asnumpy(array))
            target, source, stream = copy.data.ptr, host.ctypes.data, self._stream().ptr
            runtime.memcpyAsync(target, source, host.nbytes, runtime.memcpyDefault, stream)
            self.synchronize()
        except runtime.CUDARuntimeError as error:
            raise EngineError(
                f"GPU {self._device()} cannot receive data of GPU {sender}: {error}: leave GPU"
                f" {sender} out of devices="
            ) from None

    def free_bytes_of(self, memory: str) -> int:
        if memory == "device":
            return self.free_bytes()
        host = self.by_name("threads").free_bytes()
        return host if memory == "zero-copy" else min(host, self.free_bytes())

    def counts(self, numbers: Array, n: int) -> Array:
        """Count by sorting: CuPy's bincount takes 8 bytes for each number and block of threads."""
        # the type of the numbers, unless n does not fit into an int32
        bounds = self.xp.arange(n + 1, dtype=np.int64 if n >> 31 else numbers.dtype)
        return self.xp.diff(self.xp.searchsorted(self.xp.sort(numbers), bounds))

    def to_host(self, array: Array) -> Any:
        fits_page = 0 < array.nbytes <= pinned.READBACK_BYTES
        fits_page = fits_page and array.ndim == 1 and array.flags.c_contiguous
        if isinstance(array, np.ndarray) or not fits_page:
            return self.xp.asnumpy(array)  # a NumPy array is returned unchanged
        return self._buffers.read_now(self._stream(), array)

    def read_async(self, array: Array) -> Callable[[], Any]:
        return self._buffers.read_async(self._stream(), array)

    def synchronize(self) -> None:
        self._stream().synchronize()

    @property
    def in_caller_order(self) -> bool:
        return not self._stream().ptr  # 0 is the default stream

    def mark(self) -> Any:
        event = self.xp.cuda.Event()
        event.record()
        return event

    def elapsed(self, first: Any, last: Any) -> float:
        last.synchronize()
        return float(self.xp.cuda.get_elapsed_time(first, last))

    def cache_bytes(self) -> int:
        return int(_properties(self._device())["l2CacheSize"])

    def free_bytes(self) -> int:
        free, total = self.xp.cuda.runtime.memGetInfo()
        free += self.xp.get_default_memory_pool().free_bytes()
        if "rmm" in sys.modules:
            free += spare_bytes_of_rmm(self.xp.cuda.runtime, total)
        return int(min(free, total))  # the bytes of RMM may be an upper bound

    def peak_bytes(self) -> int | None:
        if "rmm" in sys.modules:
            from rmm import statistics

            counts = statistics.get_statistics()
            return None if counts is None else int(counts.peak_bytes)
        return int(self.xp.get_default_memory_pool().total_bytes())

    def arena(self) -> Arena:
        return Arena()

    @contextlib.contextmanager
    def reusing(self) -> Iterator[None]:
        arena = self.xp.cuda.get_allocator()
        if not isinstance(arena, Arena):
            yield
            return
        recycling = Recycling(self.xp.cuda, arena)
        try:
            with self.xp.cuda.using_allocator(recycling):
                yield
        finally:
            recycling.close()

    def scope(self, arena: Any = None) -> Scope:
        if os.getpid() != self._process:
            raise EngineError(
                "a GPU cannot be used in a process forked from one that has used it: start"
                " processes with multiprocessing.get_context('spawn'), or use engine='threads'"
            )
        arena = arena or Arena()
        arena.draw_from(pool_of_caller(self.xp.cuda), self._workspace)
        return Scope(self.name, self._allocating(arena), arena)

    def release_memory(self) -> None:
        self._workspace.release()


_pack_layout = lru_cache(256)(pack_layout)  # consecutive batches have equal layouts


@cache
def _shared_memory_limits() -> SharedMemoryLimits:
    """Return limits that hold on every GPU of the machine, for one block per multiprocessor."""
    import cupy

    devices = [_properties(device) for device in range(cupy.cuda.runtime.getDeviceCount())]
    words = min(device["sharedMemPerBlockOptin"] for device in devices) // 4
    blocks = min(device["multiProcessorCount"] for device in devices)
    return SharedMemoryLimits(blocks, threads_per_block(words), words)


@cache
def _total_bytes(device: int) -> int:
    return int(_properties(device)["totalGlobalMem"])


def _generator_of(manager: Callable[..., Any]) -> Callable[..., Generator[None, None, None]]:
    """Return a generator function with the steps of a context manager.

    If possible, it is the function that contextlib has decorated, to avoid contextlib's overhead.
    """
    generator = getattr(manager, "__wrapped__", None)
    if generator is not None and isgeneratorfunction(generator):
        return generator  # type: ignore[no-any-return]

    def within(*arguments: Any) -> Generator[None, None, None]:
        with manager(*arguments):
            yield

    return within


def _geometry(kernel: Kernel, device: int) -> tuple[int, int, int, int]:
    """Return indices and threads per block, max. blocks, and bytes of shared memory per block."""
    processors, shared = _properties(device)["multiProcessorCount"], 4 * kernel.shared_words
    if kernel.shape == "grid_stride":
        resident = processors * GRID_STRIDE_BLOCKS
        return BLOCK_THREADS, BLOCK_THREADS, resident * kernel.waves, shared
    if kernel.shape == "single_block":
        return SINGLE_BLOCK_THREADS, SINGLE_BLOCK_THREADS, 1, shared
    if kernel.shape == "cooperative":
        return SINGLE_BLOCK_THREADS, SINGLE_BLOCK_THREADS, processors, shared
    if kernel.shape == "block_kernel":
        return 1, threads_per_block(kernel.shared_words), UNLIMITED, shared
    return BLOCK_THREADS, BLOCK_THREADS, UNLIMITED, shared


@cache
def _properties(device: int) -> dict[str, Any]:
    """Return the properties of a device by name."""
    import cupy

    return dict(cupy.cuda.runtime.getDeviceProperties(device))
