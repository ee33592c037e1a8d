"""The interface of backends to kernels and to the package; words.py lists its operations."""

from __future__ import annotations

import time
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..errors import CapacityError, EngineError, unknown
from .device_function import Atom, Part
from .memory.packing import Layout, Piece
from .words import WORDS

UNKNOWN_CACHE = 64 << 20
SINGLE_BLOCK_THREADS = 1024  # threads, at most, of a block that is launched alone
# Words that blocks may share everywhere: 64 KiB, as all GPUs since Turing have.
SHARED_WORDS = 1 << 14
WAY_OUT = "pass fewer, or leave them out"

# Where kernels read edges and matrices: the engine's own memory; the same, but filled from pages of
# the host that are locked; or those pages themselves. On CPU threads all three are ordinary memory.
MEMORY = ("device", "pinned", "zero-copy")

Array = Any  # numpy.ndarray, or cupy.ndarray on a GPU


class SharedMemoryLimits(NamedTuple):
    """The blocks with the most shared memory: how many run at once, and with how many threads."""

    blocks: int
    threads: int
    words: int


class Kernel:
    """A kernel to launch: call it with the number of indices and the arrays of the function.

    ``together`` is the number of indices that a CPU thread takes at a time, for kernels with much
    work per index, and ``shared_words`` the number of words that the threads of a block share.
    ``waves`` is the number of consecutive parts of a grid-stride kernel: in a long one, all threads
    then end at about the same time.

    See Also
    --------
    cc_rapids.backends.base.Backend : The backend that launches it.
    """

    together = shared_words = 0
    waves = 1

    def __init__(self, backend: Backend, shape: str, part: Part) -> None:
        self.backend, self.shape, self.part = backend, shape, part
        self.compiled: dict[Any, Any] = {}  # compiled kernels by the types of arguments

    def __call__(self, n: int, *arguments: Any) -> None:
        if n:
            self.backend.launch(self, n, arguments)


class Flag:
    """A word that a kernel may set for the host: its last arguments are ``value`` and ``word``.

    It is for one launch.
    """

    value = 1

    def __init__(self, backend: Backend) -> None:
        self.backend, self.word = backend, backend.fill(backend.alloc_readback(1), 0)

    def read_async(self) -> Callable[[], bool]:
        """Return a function that waits for what is launched so far, and says if it is set."""
        read = self.backend.read_async(self.word)
        return lambda: bool(read()[0])


class Backend(ABC):
    """A backend that runs kernels; ``name`` is its value of ``engine=``.

    See Also
    --------
    cc_rapids.backends.base.Kernel : A kernel to launch.
    """

    name: str
    on_device: bool  # are its arrays those of a GPU?
    xp: Any  # the array library: numpy or cupy
    threads_per_row = 1
    warp_size = 1
    max_block_size = SINGLE_BLOCK_THREADS
    samples = False  # does an audit gain by a pass over a sample of the edges first?
    warp_shuffle_xor: Atom | None = None
    prefetch: Atom | None = None
    has_locks = True  # do threads that wait for each other's locks make progress?
    in_one_launch = False  # does a list of few edges gain by phases that are launched together?
    goes_on = False  # does the host go on while kernels run?
    finds_in_blocks = False  # is it faster to find ids block by block of a table beyond the cache?
    # Does PyArrow number few strings, and NumPy count and gather few vertices? Where it is as fast,
    # kernels for that need not be compiled.
    few_by_library = False

    # Returns the backend of an engine; set by the package, which knows all of them.
    by_name: ClassVar[staticmethod[[str], Backend]]

    memory_fence, load_streaming = Atom("memory_fence"), Atom("load_streaming")
    warp_sync, block_sync, grid_sync = map(Atom, ("warp_sync", "block_sync", "grid_sync"))
    warp_ballot_rank = Atom("warp_ballot_rank")
    atomic_cas, atomic_or = Atom("atomic_cas"), Atom("atomic_or")
    atomic_add, atomic_min, atomic_max = map(Atom, ("atomic_add", "atomic_min", "atomic_max"))
    block_reduce_add = Atom("block_reduce_add")
    block_reduce_min, block_reduce_max = Atom("block_reduce_min"), Atom("block_reduce_max")

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the call that gets the backend by name in another process: it is never copied."""
        return self.by_name, (self.name,)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise an AttributeError that names the words nearest to an unknown one."""
            raise AttributeError(unknown("word of a backend", name, WORDS))

    @staticmethod
    def device(function: types.FunctionType) -> Part:
        """Return a device function that kernels and other device functions may call."""
        return Part(function)

    def elementwise(self, function: types.FunctionType) -> Kernel:
        """Return a kernel that runs ``function(i, *arrays)`` for each ``i < n``."""
        return self.shaped("elementwise", function)

    def grid_stride(self, function: types.FunctionType) -> Kernel:
        """Return a kernel that runs ``function(first, last, step, *arrays)`` once for each thread.

        ``last`` is where its indices end: those of all threads, or, of a CPU thread, its own.
        """
        return self.shaped("grid_stride", function)

    def single_block(self, function: types.FunctionType) -> Kernel:
        """Return a grid-stride kernel of one block, whose threads may wait for each other."""
        return self.shaped("single_block", function)

    def cooperative(self, function: types.FunctionType) -> Kernel:
        """Return a grid-stride kernel of as many blocks as run at once, which may synchronise."""
        return self.shaped("cooperative", function)

    def block_kernel(self, shared_words: int) -> Callable[[types.FunctionType], Kernel]:
        """Return a decorator that makes a kernel of ``function(k, t, step, shared, *arrays)``.

        The kernel runs it in each block ``k < n``, once for each of its threads.
        """

        def made(function: types.FunctionType) -> Kernel:
            kernel = self.shaped("block_kernel", function)
            kernel.shared_words = shared_words
            return kernel

        return made

    def shared_memory_limits(self) -> SharedMemoryLimits:
        """Return the limits of blocks with shared memory, for a kernel that takes their number."""
        return SharedMemoryLimits(2, 1, SHARED_WORDS)

    @cache  # noqa: B019  # there is one backend of a name, as long as the process lives
    def kernel(self, make: Callable[..., Any], *parts: Any) -> Any:
        """Return the kernel that a factory makes for this backend and further parts, made once."""
        return make(self, *parts)

    def shaped(self, shape: str, function: types.FunctionType) -> Kernel:
        """Return a kernel of one of the shapes."""
        return Kernel(self, shape, Part(function))

    @property
    @abstractmethod
    def device_name(self) -> str:
        """The device in words, for summaries."""

    @abstractmethod
    def launch(self, kernel: Kernel, n: int, arguments: tuple[Any, ...]) -> None:
        """Run a kernel, after all earlier ones. Arguments are 1-d arrays and integers."""

    @abstractmethod
    def empty(self, n: int, dtype: Any) -> Array:
        """Allocate an array of ``n`` elements of any content."""

    @cache  # noqa: B019
    def unused(self, dtype: Any) -> Array:
        """Return the empty array of a type, for an argument that a kernel does not read.

        It is the same array each time, so nothing is allocated.
        """
        return self.without_memory(dtype)

    def without_memory(self, dtype: Any) -> Array:
        """Return a new array of no elements, which keeps no memory alive.

        It is contiguous like the array that it replaces, because machine code depends on that.
        """
        return self.empty(0, np.uint8).view(dtype)

    def alloc_readback(self, n: int) -> Array:
        """Allocate ``n`` uint64 in which kernels store results for the host.

        The host reads them before the next call, which may return the same memory.
        """
        return self.empty(n, np.uint64)

    def new_flag(self) -> Flag:
        """Return a flag that is not set."""
        return Flag(self)

    def alloc_packed(self, *shapes: tuple[int, Any], arena_bytes: int = 0) -> list[Array]:
        """Allocate arrays of ``(n, dtype)`` each, in one allocation on backends that gain by it.

        On a GPU without a pool each allocation is a call of the driver, and freeing it may wait for
        the device. ``arena_bytes`` is the number of further bytes for arrays of the run, until
        :meth:`leave_arena`.
        """
        arrays = []
        for n, dtype in shapes:
            arrays.append(self.empty(n, dtype))
        return arrays

    def alloc_like(self, arrays: list[Array], arena_bytes: int = 0) -> list[Array]:
        """Allocate arrays as :meth:`alloc_packed` has allocated others."""
        shapes = [(array.size, array.dtype) for array in arrays]
        return self.alloc_packed(*shapes, arena_bytes=arena_bytes)

    def copy_packed(self, arrays: list[Array], copies: list[Array]) -> None:
        """Copy arrays into those that :meth:`alloc_like` has allocated for them."""
        for array, copy in zip(arrays, copies, strict=True):
            copy[:] = array

    def leave_arena(self) -> None:
        """Keep later allocations apart from those of the run, so that they may outlive it."""
        return

    def packed_args(self, whole: Array, layout: Layout) -> Iterable[Any]:
        """Return parts of an array of bytes, usable only as arguments of a kernel."""
        return self.packed_views(whole, layout.pieces)

    def packed_views(self, whole: Array, pieces: Iterable[Piece]) -> list[Array]:
        """Return parts of an array of bytes as arrays of the given lengths and types."""
        arrays = []
        for start, n, dtype in pieces:
            arrays.append(whole[start : start + n * np.dtype(dtype).itemsize].view(dtype))
        return arrays

    @abstractmethod
    def fill(self, array: Array, byte: int) -> Array:
        """Set all bytes of an array, and return it."""

    @abstractmethod
    def asarray(self, array: Array) -> Array:
        """Return the array in memory that this engine's kernels can read.

        It is copied only if it is elsewhere.
        """

    def by_way_of(self, memory: str, n: int, dtype: Any, write: Callable[[Array], None]) -> Array:
        """Allocate an array of ``n`` elements in a kind of memory, and let ``write`` fill it.

        See MEMORY for the kinds.
        """
        array = self.empty(n, dtype)
        write(array)
        return array

    def placed(self, array: Array, memory: str) -> Array:
        """Return the array in the given kind of memory.

        It is copied only if necessary.
        """
        return self.asarray(array)

    @property
    def device_id(self) -> int | None:
        """The number of the GPU that holds the engine's arrays; None if none does."""
        return None

    @property
    def device_count(self) -> int:
        """The number of devices over which edges can be spread; 0 if there are none to choose."""
        return 0

    def using_device(self, number: int) -> AbstractContextManager[Any]:
        """Return a context in which this thread uses a device; see :attr:`device_count`."""
        return nullcontext()

    def connect(self, number: int) -> bool:
        """Let the current device read the memory of another; return whether it can directly."""
        return True

    def received(self, array: Array, number: int) -> Array:
        """Return a copy, on the current device, of an array that another one holds.

        What writes the array has to be done. The copy is in the order of launched work.
        """
        return array.copy()

    def free_bytes_of(self, memory: str) -> int:
        """Return the bytes that a kind of memory could still hold."""
        return self.free_bytes()

    def counts(self, numbers: Array, n: int) -> Array:
        """Count how often each of ``0 .. n - 1`` occurs among integers in this range."""
        return self.xp.bincount(numbers.astype(np.int64, copy=False), minlength=n)

    @abstractmethod
    def to_host(self, array: Array) -> Any:
        """Copy an array to the host as a NumPy array, after all work that writes it."""

    def read_async(self, array: Array) -> Callable[[], Any]:
        """Start an asynchronous copy to the host; return a function that waits for it.

        The copy contains the results of all work launched so far. Call the returned function before
        starting two other copies; more work may be launched in between.
        """
        return partial(self.to_host, array)

    @abstractmethod
    def synchronize(self) -> None:
        """Wait for all launched work."""

    @property
    def in_caller_order(self) -> bool:
        """True if the host goes on, and what it does next comes after all launched work.

        So it is on the stream that the libraries of the caller's frames use, too.
        """
        return False

    def using(self, workers: int) -> AbstractContextManager[Any]:
        """Return a context in which kernels run on a given number of threads, where possible."""
        raise EngineError(
            f"engine {self.name!r} always uses all of {self.device_name}: leave out threads="
        )

    def mark(self) -> Any:
        """Return a mark in the order of all launched work, for :meth:`elapsed`."""
        return time.perf_counter()

    def elapsed(self, first: Any, last: Any) -> float:
        """Return the milliseconds between two marks, once both are reached.

        It is device time, if the backend has a device.
        """
        return float(1e3 * (last - first))

    def cache_bytes(self) -> int:
        """Return the size of the last-level cache, or an estimate."""
        return UNKNOWN_CACHE

    @abstractmethod
    def free_bytes(self) -> int:
        """Return the bytes that this backend could still allocate."""

    def check_capacity(self, size: int, what: str, way: str = WAY_OUT) -> None:
        """Raise a CapacityError that names ``what`` if more bytes are needed than are free.

        This check is needed because a host may allocate more memory than it has, and kill the
        process when it is written to. ``way`` tells the caller what to do.
        """
        free = self.free_bytes()
        if size > free:
            raise CapacityError(
                f"{what} would take {size / 2**30:,.1f} GiB, and engine {self.name!r} has"
                f" {free / 2**30:,.1f} GiB free: {way}"
            )

    @abstractmethod
    def peak_bytes(self) -> int | None:
        """Return the most memory in use so far, if the backend can tell."""

    def arena(self) -> Any:
        """Return an arena for the small arrays of one run, which all its scopes may share."""
        return None

    def scope(self, arena: Any = None) -> Scope:
        """Return a context in which ``xp`` allocates from the pool of the caller's frames.

        Parameters
        ----------
        arena : optional
            The result of :meth:`arena`, or, to continue a run, the value of an earlier scope of
            that run in a ``with`` statement.

        Raises
        ------
        CapacityError
            An allocation has failed. Earlier allocations of the run are freed, except memory that
            :func:`cc_rapids.release_memory` frees, and nothing else has changed.
        EngineError
            The backend cannot be used in this process.
        """
        return Scope(self.name, arena=arena)

    def release_memory(self) -> None:
        """Free the memory that is kept for later runs."""
        return

    def reusing(self) -> AbstractContextManager[Any]:
        """Return a context, for many large arrays, in which freed memory is used again."""
        return nullcontext()


class Scope:
    """A context that turns allocation failures into errors of cc_rapids; fast to enter.

    It is a class, not a generator, because runs on small lists enter it twice. Its value in a
    ``with`` statement is the arena for the small arrays of the run, if there is one. The ``pool``
    is a generator that has arrays allocated from one, from its first step until it is closed.
    """

    def __init__(
        self, engine: str, pool: Generator[None, None, None] | None = None, arena: Any = None
    ) -> None:
        self.engine, self.pool, self.arena = engine, pool, arena

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
                " components(..., explain=True) returns how much a run takes;"
                " num_vertices= and stream_components() need less"
            ) from error
