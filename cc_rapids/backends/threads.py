"""The CPU backend: kernels are compiled by Numba and run by Python threads without the GIL."""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import resource
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, serialize, types
from numba.core.caching import NullCache
from numba.core.compiler import Compiler, CompileResult
from numba.extending import intrinsic

from .. import host_memory
from . import collector, kernel_cache, kernel_times, objects
from .base import Array, Backend, Kernel, Scope
from .compile import Signature, numba_types
from .device_function import Atom, Part
from .memory.packing import Layout, Piece
from .readiness import common

CHUNK = 1 << 16  # indices that a thread takes at a time, see [rows] and threads.jsonl
INDICES_PER_ROW = 4  # the most indices of a kernel per row of a list, such as table slots
ORDER = "acq_rel"
TYPES_AS_TEXT = 6  # index of the type annotations in what CompileResult._reduce() returns
RESERVED = mmap.MAP_PRIVATE | getattr(mmap, "MAP_NORESERVE", 0x4000)  # named since Python 3.13
READ, KEEP, DATA = 0, 3, 1  # arguments of llvm.prefetch: for reading, high locality, data cache

# Kernels own no memory, so reference counting (NRT) is off: Numba would count references to every
# array that a function passes on, by two atomic operations per call on a shared cache line. Only
# launched kernels get wrappers, for calls from Python. Wrappers of all other functions took two
# fifths of the compile time.
_options = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
CHECK = "CC_RAPIDS_BOUNDS_CHECK"  # environment variable that enables bounds checks


def _pointer(context: Any, builder: Any, sig: Any, args: Any, unchecked: bool = False) -> Any:
    """Return the address of array[i]; the index is unsigned, so it never counts from the end.

    With bounds checks on, the index is checked unless ``unchecked`` is set.
    """
    array = context.make_array(sig.args[0])(context, builder, args[0])
    index = context.cast(builder, args[1], sig.args[1], types.intp)
    checked = context.enable_boundscheck and not unchecked
    where = context, builder, sig.args[0], array, [index]
    return cgutils.get_item_pointer(*where, wraparound=False, boundscheck=checked)


# A Numba intrinsic returns its signature and the function that generates its LLVM code.
@intrinsic  # type: ignore[untyped-decorator]
def _atomic_cas(typing: Any, array: Any, i: Any, old: Any, new: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig, args)
        values = [context.cast(builder, args[k], sig.args[k], array.dtype) for k in (2, 3)]
        previous_and_success = builder.cmpxchg(pointer, *values, ORDER, "acquire")
        return builder.extract_value(previous_and_success, 0)

    return array.dtype(array, i, old, new), generate


@intrinsic  # type: ignore[untyped-decorator]
def _memory_fence(typing: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.none(), generate


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(typing: Any, array: Any, i: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig, args, unchecked=True)
        pointer = builder.bitcast(pointer, cgutils.voidptr_t)
        word = ir.IntType(32)
        form = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        llvm_prefetch = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], form)
        builder.call(llvm_prefetch, [pointer, word(READ), word(KEEP), word(DATA)])
        return context.get_dummy_value()

    return types.none(array, i), generate


def _read_modify_write(signed: str, unsigned: str) -> Any:
    """Return an atomic operation, given its LLVM names for signed and for unsigned elements."""

    @intrinsic  # type: ignore[untyped-decorator]
    def operation(typing: Any, array: Any, i: Any, value: Any) -> Any:
        name = signed if array.dtype.signed else unsigned

        def generate(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, sig, args)
            new = context.cast(builder, args[2], sig.args[2], array.dtype)
            return builder.atomic_rmw(name, pointer, new, ORDER)

        return array.dtype(array, i, value), generate

    return operation


def _one_thread_sync(*arguments: Any) -> None:
    """Do nothing, because on the CPU a block, a grid and a warp have one thread."""


def _warp_ballot_rank(flag: Any) -> Any:
    """Return the counts of a warp of one thread: none before the thread, and its flag."""
    return np.uint32(0), np.uint32(flag)


def _load_streaming(array: Any, i: Any) -> Any:
    """Return an element by a plain read: the CPU itself prefetches what is read in order."""
    return array[i]


_atomic_add = _read_modify_write("add", "add")
_atomic_min = _read_modify_write("min", "umin")
_atomic_max = _read_modify_write("max", "umax")
ATOMS: dict[str, Any] = {
    "atomic_cas": _atomic_cas,
    "atomic_add": _atomic_add,
    "atomic_min": _atomic_min,
    "atomic_max": _atomic_max,
    "atomic_or": _read_modify_write("or", "or"),
    "memory_fence": _memory_fence,
    "prefetch": _prefetch,
    "block_reduce_add": _atomic_add,
    "block_reduce_min": _atomic_min,
    "block_reduce_max": _atomic_max,
}
PLAIN: dict[str, Any] = {  # operations that are plain functions, compiled like parts of kernels
    "block_sync": _one_thread_sync,
    "warp_sync": _one_thread_sync,
    "grid_sync": _one_thread_sync,
    "load_streaming": _load_streaming,
    "warp_ballot_rank": _warp_ballot_rank,
}


class _TimedCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler; it records its time and pauses garbage collection."""

    def compile_extra(self, func: Any) -> Any:
        with kernel_times.preparing(), kernel_times.compiling(), collector.paused():
            return super().compile_extra(func)


class _Compiler:
    """Numba with fixed options and a cache, with or without bounds checks."""

    def __init__(self, checked: bool) -> None:
        options = _options | {"boundscheck": checked}
        self.suffix = "_checked" if checked else ""  # of the names of compiled functions
        self.jit_kernel = numba.njit(**options, pipeline_class=_TimedCompiler)
        self.jit_part = numba.njit(**options, no_cpython_wrapper=True)
        self.atoms = ATOMS | {name: self._compiled(function) for name, function in PLAIN.items()}
        self.parts: dict[str, Any] = {}  # compiled functions of all kernels, by fingerprint

    def _compiled(self, function: Any) -> Any:
        """Compile a function under a name with the suffix; the linker merges equal names."""
        name = function.__name__ + self.suffix
        renamed = FunctionType(function.__code__, function.__globals__, name)
        renamed.__qualname__ = name
        return self.jit_part(renamed)

    def kernel(self, shape: str, part: Part) -> Any:
        """Return a kernel of a shape; its first call loads or compiles it."""
        loop = SHAPES[shape](part.compiled(self.jit_part, self.atoms, self.parts, self.suffix))
        loop.__qualname__ = f"{shape}_{part.symbol}{self.suffix}"
        run = self.jit_kernel(loop)
        run._cache = _OnDisk(f"{shape} {part.fingerprint}{self.suffix}")
        return run


_compiler = cache(_Compiler)  # at most two per process: with and without bounds checks


def compile_kernel(kernel: Kernel, signature: Signature, anew: bool = False) -> Any:
    """Load or compile a kernel for given argument types; always compile it if ``anew``."""
    shared = [types.uint32[::1]] if kernel.shared_words else []
    arguments = numba.types.BaseTuple.from_types(numba_types(signature))
    run = _compiler(False).kernel(kernel.shape, kernel.part)
    if anew:
        run._cache = NullCache()
    run.compile((types.int64, types.int64, *shared, arguments))
    return run


def to_object(kernel: Kernel, signature: Signature) -> tuple[tuple[str, str], bytes]:
    """Return the key of a kernel in :mod:`.objects`, (kernel, signature), and its machine code."""
    (compiled,) = compile_kernel(kernel, signature, anew=True).overloads.values()
    fields = list(compiled._reduce())
    fields[TYPES_AS_TEXT] = ""  # the text names folders of this machine
    key = f"{kernel.shape} {kernel.part.fingerprint}", str(compiled.signature.args)
    return key, serialize.dumps(tuple(fields))


def _elementwise(function: Any) -> Any:
    def elementwise(first: int, last: int, *arguments: Any) -> None:
        for i in range(first, last):
            function(np.uint64(i), *arguments)

    return elementwise


def _grid_stride(function: Any) -> Any:
    def grid_stride(first: int, last: int, *arguments: Any) -> None:
        function(np.uint64(first), np.uint64(last), np.uint64(1), *arguments)

    return grid_stride


def _block_kernel(function: Any) -> Any:
    def block_kernel(first: int, last: int, shared: Any, *arguments: Any) -> None:
        for k in range(first, last):
            function(np.uint64(k), np.uint64(0), np.uint64(1), shared, *arguments)

    return block_kernel


SHAPES = {
    "elementwise": _elementwise,
    "grid_stride": _grid_stride,
    "single_block": _grid_stride,
    "cooperative": _grid_stride,
    "block_kernel": _block_kernel,
}


class Threads(Backend):
    """Backend for the cores of this machine; its arrays are NumPy arrays.

    Parameters
    ----------
    checked : bool, optional
        Whether kernels check every array access. An access out of bounds raises an AssertionError
        that names the kernel. The default comes from the environment (``CHECK``).
    """

    workers: int
    checked: bool
    is_compiled: bool

    name = "threads"
    on_device = False
    few_by_library = merges_in_order = True
    xp = np
    prefetch: Atom | None = Atom("prefetch")
    schedule: Callable[[range], Iterator[int]] = iter  # a free worker takes the next chunk

    def __init__(self, checked: bool | None = None) -> None:
        self.workers = int(os.environ.get("CC_RAPIDS_THREADS", 0)) or len(os.sched_getaffinity(0))
        self.checked = os.environ.get(CHECK, "0") not in ("", "0") if checked is None else checked
        self.is_compiled = self.checked or common.is_ready()
        self._forget_pool()
        os.register_at_fork(after_in_child=self._forget_pool)

    def _forget_pool(self) -> None:
        """Start without a pool, as after a fork, which copies held locks but no threads."""
        self._lock = threading.Lock()
        self._pool: tuple[int, ThreadPoolExecutor] | None = None  # with its number of workers

    @property
    def device_name(self) -> str:
        return f"{self.workers} threads, {objects.processor()[0]}"

    def check_compiled(self) -> bool:
        self.is_compiled = self.is_compiled or common.is_ready()
        if not self.is_compiled:
            common.compile_in_background()
        return self.is_compiled

    def launch(self, kernel: Kernel, n: int, arguments: tuple[Any, ...]) -> None:
        is_short = not self.is_compiled and n <= INDICES_PER_ROW * self.uncompiled_rows
        if is_short and kernel.by_numpy and not self.check_compiled():
            kernel.by_numpy(n, *arguments)
            return
        run = kernel.compiled.get("threads")
        if run is None:
            with kernel_times.preparing():
                run = _compiler(self.checked).kernel(kernel.shape, kernel.part)
            kernel.compiled["threads"] = run
        chunk = kernel.together or CHUNK
        if kernel.shape == "grid_stride":
            chunk = max(CHUNK, -(-n // (self.workers * kernel.waves)))
        elif kernel.shape in ("single_block", "cooperative"):  # one thread runs all of it
            chunk = n
        elif kernel.shape == "block_kernel":  # n is the number of blocks
            chunk = 1
        starts = self.schedule(range(0, n, chunk))  # one iterator, from which all workers take

        def work() -> None:
            """Run chunks of indices until none are left."""
            shared = (np.empty(kernel.shared_words, np.uint32),) if kernel.shared_words else ()
            for first in starts:
                try:
                    run(first, min(first + chunk, n), *shared, *arguments)
                except IndexError as error:  # raised by bounds checks only
                    name = kernel.part.function.__name__
                    raise AssertionError(
                        f"kernel {name!r} accesses memory outside its arrays: {error}"
                    ) from error

        helpers = min(self.workers - 1, (n - 1) // chunk)
        futures = list(map(self._executor().submit, [work] * helpers)) if helpers else []
        try:
            work()
        finally:  # after an interrupt, no thread may write to freed arrays
            for _ in starts:  # discard the chunks that are left
                pass
            for future in futures:
                future.result()

    def _executor(self) -> ThreadPoolExecutor:
        """Return the pool of threads, which is replaced if the number of workers has changed."""
        with self._lock:
            if self._pool is None or self._pool[0] != self.workers:
                self._pool = self.workers, ThreadPoolExecutor(self.workers, "cc_rapids")
            return self._pool[1]

    @contextlib.contextmanager
    def using(self, workers: int) -> Iterator[None]:
        before, self.workers = self.workers, workers
        try:
            yield
        finally:
            self.workers = before

    def empty(self, n: int, dtype: Any) -> Array:
        try:
            return np.empty(n, dtype)
        except ValueError as error:  # NumPy's error for more bytes than the address space
            raise MemoryError(str(error)) from error

    def reserve(self, n: int, dtype: Any) -> Array:
        # the spare elements cost only addresses, because pages that are not written take no memory
        size = max(n * np.dtype(dtype).itemsize, host_memory.total_bytes())
        try:
            memory = mmap.mmap(-1, -(-size // mmap.PAGESIZE) * mmap.PAGESIZE, RESERVED)
        except (OSError, OverflowError):  # such as a limit on the address space of a process
            return super().reserve(n, dtype)
        with contextlib.suppress(OSError):  # an operating system without huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)  # as NumPy does
        return np.frombuffer(memory, dtype)

    def alloc_readback(self, n: int) -> Array:
        return self.empty(n, np.uint64)

    def alloc_packed(self, *shapes: tuple[int, Any], arena_bytes: int = 0) -> list[Array]:
        """Allocate separate arrays and no arena, because allocation is faster than a launch."""
        arrays = []
        for n, dtype in shapes:  # faster than a comprehension, which calls a function
            arrays.append(self.empty(n, dtype))
        return arrays

    def leave_arena(self) -> None:
        """Do nothing: there is no arena."""

    def packed_args(self, whole: Array, layout: Layout) -> Iterable[Any]:
        return self.packed_views(whole, layout.pieces)

    def packed_views(self, whole: Array, pieces: Iterable[Piece]) -> list[Array]:
        arrays = []
        for start, n, dtype in pieces:
            arrays.append(whole[start : start + n * np.dtype(dtype).itemsize].view(dtype))
        return arrays

    def scope(self, arena: Any = None) -> Scope:
        return Scope(self.name, arena=arena)

    def fill(self, array: Array, byte: int) -> Array:
        array.view(np.uint8).fill(byte)
        return array

    def asarray(self, array: Array) -> Array:
        if hasattr(array, "__cuda_array_interface__"):
            import cupy

            return cupy.asnumpy(cupy.asarray(array))
        array = np.asarray(array)
        return array if array.flags.writeable else np.asarray(_Writeable(array))

    def to_host(self, array: Array) -> Any:
        return array

    def read_async(self, array: Array) -> Callable[[], Any]:
        return partial(self.to_host, array)

    def synchronize(self) -> None:
        """Do nothing: a launch returns when it is done."""

    def cache_bytes(self) -> int:
        with contextlib.suppress(ValueError, OSError):
            return os.sysconf("SC_LEVEL3_CACHE_SIZE") or super().cache_bytes()
        return super().cache_bytes()

    free_bytes: Callable[[], int] = staticmethod(host_memory.free_bytes)

    def peak_bytes(self) -> int | None:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class _OnDisk:
    """A cache of one kernel, used by Numba, whose key includes the closure of the kernel.

    Numba's own key of a function that closes over compiled functions differs in every process.
    """

    cache_path = None

    def __init__(self, kernel: str) -> None:
        self.kernel, self.key = kernel, f"{kernel} {_recipe()}"

    def _cache_key(self, signature: Any, codegen: Any) -> str:
        return f"{self.key} {signature} {codegen.magic_tuple()}"

    def load_overload(self, signature: Any, context: Any) -> Any:
        with kernel_times.preparing():
            content = objects.recall(self.kernel, str(signature))  # from the wheel
            if content is None:
                key = self._cache_key(signature, context.codegen())
                content = kernel_cache.recall(key, ".code")
            if content is not None:
                return CompileResult._rebuild(context, *pickle.loads(content))
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        with kernel_times.preparing():
            key = self._cache_key(signature, compiled.library.codegen)
            kernel_cache.keep(key, ".code", serialize.dumps(compiled._reduce()))


@cache
def _recipe() -> str:
    return kernel_cache.recipe(*objects.SOURCES)


class _Writeable:
    """A read-only array that NumPy takes for writeable; no kernel writes to a column.

    For arrays that are read-only, Numba would compile each kernel a second time.
    """

    def __init__(self, array: Array) -> None:
        self.array = array
        address, is_read_only = array.ctypes.data, False
        self.__array_interface__ = array.__array_interface__ | {"data": (address, is_read_only)}
