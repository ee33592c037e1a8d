"""The interface of backends to kernels and to the package; words.py lists what kernels may call."""

from __future__ import annotations

import time
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..errors import CapacityError, EngineError, unknown
from .device_function import Atom, Part
from .memory.packing import Layout, Piece
from .words import WORDS

UNKNOWN_CACHE = 64 << 20  # assumed bytes of the last-level cache
SINGLE_BLOCK_THREADS = 1024  # max. threads of a single-block kernel
# Words of shared memory per block that all GPUs since Turing have: 64 KiB.
SHARED_WORDS = 1 << 14
# Max. rows of an edge list that NumPy, SciPy and PyArrow process until kernels are compiled: see
# docs/design/decisions/compiling.md.
UNCOMPILED_ROWS = 1 << 18
DEFAULT_ADVICE = "pass fewer, or leave them out"

# Kinds of memory for edges and matrices: device memory; device memory filled from pinned host
# pages; or the pinned pages themselves. On CPU threads all three are ordinary memory.
DEVICE_MEMORY = "device"
MEMORY = (DEVICE_MEMORY, "pinned", "zero-copy")

Array = Any  # numpy.ndarray, or cupy.ndarray on a GPU


class SharedMemoryLimits(NamedTuple):
    """The size of blocks that use as much shared memory as possible, and their number.

    ``blocks`` are resident at once. Each has ``threads`` threads and ``words`` 32-bit words.
    """

    blocks: int
    threads: int
    words: int


class Kernel:
    """A kernel to launch: call it with the number of indices and the arrays of the function.

    ``by_numpy``, if it is set, is a NumPy function with the same arguments and results. It replaces
    the kernel on CPU threads for few indices until the kernel is compiled. ``together`` is the
    number of indices per task of a CPU thread, for kernels with much work per index.
    ``shared_words`` is the number of words of shared memory per block. ``waves`` is the number of
    consecutive parts into which a grid-stride kernel is split, so that all threads of a long kernel
    end at about the same time.

    See Also
    --------
    cc_rapids.backends.base.Backend : The backend that launches it.
    """

    together = shared_words = 0
    waves = 1
    by_numpy: Callable[..., None] | None = None

    def __init__(self, backend: Backend, shape: str, part: Part) -> None:
        self.backend = backend
        self.shape = shape
        self.part = part
        self.compiled: dict[Any, Any] = {}  # compiled kernels by the types of arguments

    def __call__(self, n: int, *arguments: Any) -> None:
        if n:
            self.backend.launch(self, n, arguments)


class Flag:
    """A flag for the host, which one launch may set: a kernel stores ``value`` in ``word[0]``."""

    value = 1

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.word: Array = backend.fill(backend.alloc_readback(1), 0)

    def read_async(self) -> Callable[[], bool]:
        """Return a function that waits for the work launched so far and reads the flag."""
        read = self.backend.read_async(self.word)
        return lambda: bool(read()[0])


class Backend(ABC):
    """A backend that runs kernels; ``name`` is its value of ``engine=``.

    See Also
    --------
    cc_rapids.backends.base.Kernel : A kernel to launch.
    """

    name: str
    on_device: bool  # whether arrays are in GPU memory
    xp: Any  # the array library: numpy or cupy
    threads_per_row = 1
    warp_size = 1
    max_block_size = SINGLE_BLOCK_THREADS
    samples = False  # whether an audit is faster with a first pass over a sample of the edges
    warp_shuffle_xor: Atom | None = None
    prefetch: Atom | None = None
    has_locks = True  # whether a thread that waits for a lock lets its holder run
    in_one_launch = False  # whether a short list is faster if all phases are one launch
    goes_on = False  # whether launches are asynchronous
    finds_in_blocks = False  # whether probing a table larger than the cache is faster by blocks
    # Whether libraries replace kernels for small inputs: PyArrow numbers strings, and NumPy counts
    # and gathers vertices.
    few_by_library = False
    merges_in_order = False  # whether one thread merges clusters faster than launches do
    is_compiled = True  # if False, NumPy, SciPy and PyArrow process short lists

    # ``backends.get``, set by the package, because this module cannot import it
    by_name: ClassVar[staticmethod[[str], Backend]]

    memory_fence: Atom = Atom("memory_fence")
    load_streaming: Atom = Atom("load_streaming")
    warp_sync: Atom = Atom("warp_sync")
    block_sync: Atom = Atom("block_sync")
    grid_sync: Atom = Atom("grid_sync")
    warp_ballot_rank: Atom = Atom("warp_ballot_rank")
    atomic_cas: Atom = Atom("atomic_cas")
    atomic_or: Atom = Atom("atomic_or")
    atomic_add: Atom = Atom("atomic_add")
    atomic_min: Atom = Atom("atomic_min")
    atomic_max: Atom = Atom("atomic_max")
    block_reduce_add: Atom = Atom("block_reduce_add")
    block_reduce_min: Atom = Atom("block_reduce_min")
    block_reduce_max: Atom = Atom("block_reduce_max")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name: unpickling returns the backend of the process that unpickles."""
        return self.by_name, (self.name,)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise an AttributeError that suggests operations of words.py with similar names."""
            raise AttributeError(unknown("word of a backend", name, WORDS))

    @property
    def uncompiled_rows(self) -> int:
        """The maximum number of rows that NumPy, SciPy and PyArrow process in place of kernels."""
        return 0 if self.is_compiled else UNCOMPILED_ROWS

    @staticmethod
    def device(function: types.FunctionType) -> Part:
        """Return a device function, callable from kernels and other device functions."""
        return Part(function)

    def elementwise(self, function: types.FunctionType) -> Kernel:
        """Return a kernel that runs ``function(i, *arrays)`` for each ``i < n``."""
        return self.shaped("elementwise", function)

    def grid_stride(self, function: types.FunctionType) -> Kernel:
        """Return a kernel that runs ``function(first, last, step, *arrays)`` once per thread.

        The thread processes the indices ``first, first + step, ... < last``. ``last`` is the number
        of indices on a GPU, and the end of one part of them on a CPU.
        """
        return self.shaped("grid_stride", function)

    def single_block(self, function: types.FunctionType) -> Kernel:
        """Return a grid-stride kernel of one block, whose threads can synchronise."""
        return self.shaped("single_block", function)

    def cooperative(self, function: types.FunctionType) -> Kernel:
        """Return a grid-stride kernel whose blocks are all resident at once and can synchronise."""
        return self.shaped("cooperative", function)

    def block_kernel(self, shared_words: int) -> Callable[[types.FunctionType], Kernel]:
        """Return a decorator that makes a kernel of ``function(k, t, step, shared, *arrays)``.

        The kernel runs it in each block ``k < n``, once for each of its threads.
        """

        def decorate(function: types.FunctionType) -> Kernel:
            kernel = self.shaped("block_kernel", function)
            kernel.shared_words = shared_words
            return kernel

        return decorate

    def check_compiled(self) -> bool:
        """Return whether the common kernels are compiled; if not, start to compile them."""
        return self.is_compiled

    @cache  # noqa: B019  # backends are singletons
    def shared_memory_limits(self) -> SharedMemoryLimits:
        """Return the limits of blocks with shared memory; by default, a block has one thread."""
        return SharedMemoryLimits(2, 1, SHARED_WORDS)

    @cache  # noqa: B019  # backends are singletons
    def kernel(self, make: Callable[..., Any], *parts: Any) -> Any:
        """Return ``make(self, *parts)`` from a cache; ``make`` is a factory of kernels."""
        return make(self, *parts)

    def shaped(self, shape: str, function: types.FunctionType) -> Kernel:
        """Return a kernel of the given shape, such as ``"elementwise"``."""
        return Kernel(self, shape, Part(function))

    @property
    @abstractmethod
    def device_name(self) -> str:
        """The name of the device, for summaries."""

    @abstractmethod
    def launch(self, kernel: Kernel, n: int, arguments: tuple[Any, ...]) -> None:
        """Run a kernel for n indices, after all earlier kernels.

        Arguments are 1-d arrays and integers.
        """

    @abstractmethod
    def empty(self, n: int, dtype: Any) -> Array:
        """Allocate an uninitialised array of ``n`` elements."""

    def reserve(self, n: int, dtype: Any) -> Array:
        """Allocate an uninitialised array of ``n`` elements and spare ones: by default, half of n.

        On CPU threads, addresses are reserved for all of the memory of the machine. Memory is
        allocated only for elements that are written.
        """
        return self.empty(n + n // 2, dtype)

    @cache  # noqa: B019
    def unused(self, dtype: Any) -> Array:
        """Return an empty array of a type, for an argument that a kernel does not read.

        All callers share one array for each type.
        """
        return self.without_memory(dtype)

    def without_memory(self, dtype: Any) -> Array:
        """Return a new empty array that does not keep other memory alive.

        The array is contiguous, because the machine code of kernels depends on contiguity.
        """
        return self.empty(0, np.uint8).view(dtype)

    @abstractmethod
    def alloc_readback(self, n: int) -> Array:
        """Allocate ``n`` uint64 in which kernels store results for the host.

        The host must read them before the next call, which may return the same memory.
        """

    def new_flag(self) -> Flag:
        """Return a flag that is not set."""
        return Flag(self)

    @abstractmethod
    def alloc_packed(self, *shapes: tuple[int, Any], arena_bytes: int = 0) -> list[Array]:
        """Allocate arrays of ``(n, dtype)`` each, in one allocation on backends that benefit.

        On a GPU without a pool, each allocation calls the driver, and freeing it may wait for the
        device. ``arena_bytes`` is the size of an additional arena in the same allocation, for small
        arrays of the run until :meth:`leave_arena`.
        """

    def alloc_like(self, arrays: list[Array], arena_bytes: int = 0) -> list[Array]:
        """Allocate arrays with the sizes and types of arrays from :meth:`alloc_packed`."""
        shapes = [(array.size, array.dtype) for array in arrays]
        return self.alloc_packed(*shapes, arena_bytes=arena_bytes)

    def copy_packed(self, arrays: list[Array], copies: list[Array]) -> None:
        """Copy each array to the array that :meth:`alloc_like` allocated for it."""
        for array, copy in zip(arrays, copies, strict=True):
            copy[:] = array

    @abstractmethod
    def leave_arena(self) -> None:
        """Allocate later arrays outside the run's arena, so that they may outlive the run."""

    @abstractmethod
    def packed_args(self, whole: Array, layout: Layout) -> Iterable[Any]:
        """Return arguments for a launch that pass it the pieces of ``whole``, an array of bytes."""

    @abstractmethod
    def packed_views(self, whole: Array, pieces: Iterable[Piece]) -> list[Array]:
        """Return the pieces of an array of bytes, as arrays of their lengths and types."""

    @abstractmethod
    def fill(self, array: Array, byte: int) -> Array:
        """Set all bytes of an array, and return it."""

    @abstractmethod
    def asarray(self, array: Array) -> Array:
        """Return the array in memory that this engine's kernels can read.

        It is copied only if necessary.
        """

    def written(self, memory: str, n: int, dtype: Any, write: Callable[[Array], None]) -> Array:
        """Allocate an array of ``n`` elements in a kind of memory, and call ``write`` to fill it.

        See MEMORY for the kinds.
        """
        array = self.empty(n, dtype)
        write(array)
        return array

    def placed(self, array: Array, memory: str) -> Array:
        """Return the array in the given kind of memory; copy it only if necessary."""
        return self.asarray(array)

    @property
    def device_id(self) -> int | None:
        """The number of the GPU that holds the engine's arrays; None on CPU threads."""
        return None

    @property
    def device_count(self) -> int:
        """The number of devices that edges can be spread over; 0 if there is no choice."""
        return 0

    def using_device(self, number: int) -> AbstractContextManager[Any]:
        """Return a context in which this thread uses a device; see :attr:`device_count`."""
        return nullcontext()

    def connect(self, number: int) -> bool:
        """Enable the current device to read the memory of another; return whether this works."""
        return True

    def received(self, array: Array, number: int) -> Array:
        """Copy an array from another device to the current one.

        The array must be complete. The copy is ordered like a launch.
        """
        return array.copy()

    def free_bytes_of(self, memory: str) -> int:
        """Return the free bytes of a kind of memory."""
        return self.free_bytes()

    def counts(self, numbers: Array, n: int) -> Array:
        """Return the counts of ``0 .. n - 1`` in ``numbers``, 32-bit or 64-bit integers below n."""
        return self.xp.bincount(numbers.astype(np.int64, copy=False), minlength=n)

    @abstractmethod
    def to_host(self, array: Array) -> Any:
        """Copy an array to the host as a NumPy array, after all work that writes it."""

    @abstractmethod
    def read_async(self, array: Array) -> Callable[[], Any]:
        """Start an asynchronous copy to the host; return a function that waits for it.

        The copy contains the results of all work launched so far. At most two copies may be
        pending; more work may be launched in between.
        """

    @abstractmethod
    def synchronize(self) -> None:
        """Wait for all launched work."""

    @property
    def in_caller_order(self) -> bool:
        """True if launches are asynchronous and the caller's later GPU work waits for them.

        The backend then uses the same stream as the libraries of the caller's frames.
        """
        return False

    def using(self, workers: int) -> AbstractContextManager[Any]:
        """Return a context in which kernels run on ``workers`` threads; a GPU raises an error."""
        raise EngineError(
            f"engine {self.name!r} always uses all of {self.device_name}: leave out threads="
        )

    def mark(self) -> Any:
        """Return a mark in the order of launched work, for :meth:`elapsed`."""
        return time.perf_counter()

    def elapsed(self, first: Any, last: Any) -> float:
        """Return the milliseconds between two marks, after both are reached.

        With a device, this is the time on the device.
        """
        return float(1e3 * (last - first))

    def cache_bytes(self) -> int:
        """Return the size of the last-level cache, or an estimate."""
        return UNKNOWN_CACHE

    @abstractmethod
    def free_bytes(self) -> int:
        """Return the bytes that this backend can still allocate."""

    def check_capacity(self, size: int, what: str, way: str = DEFAULT_ADVICE) -> None:
        """Raise a CapacityError if ``what`` needs more than the free bytes.

        Without this check, a host may overcommit its memory and kill the process at the first
        write. ``way`` is the advice to the caller.
        """
        free_bytes = self.free_bytes()
        if size > free_bytes:
            raise CapacityError(
                f"{what} would take {size / 2**30:,.1f} GiB, but engine {self.name!r} has"
                f" {free_bytes / 2**30:,.1f} GiB free: {way}"
            )

    @abstractmethod
    def peak_bytes(self) -> int | None:
        """Return the peak memory use so far, if the backend records it."""

    def arena(self) -> Any:
        """Return an arena for the small arrays of one run; all scopes of the run can share it."""
        return None

    @abstractmethod
    def scope(self, arena: Any = None) -> Scope:
        """Return a context in which ``xp`` allocates from the pool of the caller's frames.

        Parameters
        ----------
        arena : optional
            The result of :meth:`arena`, or ``arena`` of ``with backend.scope() as arena`` earlier
            in the same run.

        Raises
        ------
        CapacityError
            An allocation failed. Earlier allocations of the run are freed, except cached memory,
            which :func:`cc_rapids.release_memory` frees. Nothing else has changed.
        EngineError
            The backend cannot be used in this process.
        """

    def release_memory(self) -> None:
        """Free the memory that is cached for later runs."""
        return

    def reusing(self) -> AbstractContextManager[Any]:
        """Return a context in which freed memory of large arrays is reused."""
        return nullcontext()


class Scope:
    """A context that turns allocation failures into errors of cc_rapids.

    It is a class, because small runs enter it twice, and a generator would be slower. ``with ... as
    arena`` binds the arena for the small arrays of the run, if there is one. ``pool`` is a
    generator that redirects allocations to a pool, from its first step until it is closed.
    """

    def __init__(
        self, engine: str, pool: Generator[None, None, None] | None = None, arena: Any = None
    ) -> None:
        self.engine = engine
        self.pool = pool
        self.arena = arena

    def __enter__(self) -> Any:
        if self.pool is not None:
            next(self.pool)
        return self.arena

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if self.pool is not None:
            self.pool.close()
        if isinstance(error, MemoryError) and not isinstance(error, CapacityError):
            reason = str(error).strip() or "no details"
            raise CapacityError(
                f"engine {self.engine!r} ran out of memory ({reason}):"
                " components(..., explain=True) returns the memory of a run;"
                " num_vertices= and stream_components() need less"
            ) from error
