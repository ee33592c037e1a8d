"""Whole runs of a design: each launch is a race, and each of its outcomes is gone on from.

``Outcomes`` is a backend on NumPy arrays. A launch goes through every schedule of its threads,
and one of the outcomes is what the arrays then hold; ``every_run`` takes one after the other.
What a launch only reads is no place where threads are switched.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from cc_rapids.backends import Backend
from cc_rapids.backends.threads import Threads

from .engine import Call, Interleaver, Shared, Tape
from .explore import Found, Race, every_schedule
from .memory import Memory

POISON = 0xA5  # each byte of an array that nothing has been written to
Outcome = tuple[tuple[int, ...], ...]


class _WrittenError(BaseException):
    """An array is written that was taken for one that is only read."""


class _KnownError(BaseException):
    """A run has come to where another one was."""


class _Frozen:
    """An array that a launch only reads, as far as is known."""

    def __init__(self, name: str, array: Any) -> None:
        self.name, self.array, self.size = name, array, array.size

    def __getitem__(self, i: Any) -> Any:
        if not 0 <= int(i) < self.size:
            raise IndexError(f"{self.name}[{i}], of {self.size}")
        return self.array[i]

    def access(self, *_: Any) -> Any:
        raise _WrittenError(self.name)

    __setitem__ = access


class Launched:
    """A kernel: its function, and the names of the arrays that it was seen to write."""

    def __init__(self, backend: Outcomes, shape: str, function: Callable[..., Any]) -> None:
        self.backend, self.shape, self.function = backend, shape, function
        self.name = function.__name__
        self.written: set[str] = set()

    def __call__(self, n: int, *arguments: Any) -> None:
        if n:
            self.backend.launch(self, n, arguments)


class Outcomes(Backend):
    """A backend whose launches have any outcome that a schedule of some threads leads to.

    Index i belongs to thread i % ``threads``. Outcomes are numbered: the k-th launch takes
    ``script[k]``, or the first one beyond the script; ``asked`` says how many there were.
    """

    name, on_device, xp, device_name = "races", False, np, "a model memory"
    warp_shuffle_xor = None
    memory_fence = staticmethod(Interleaver.memory_fence)
    load_streaming = staticmethod(operator.getitem)
    atomic_or = staticmethod(Interleaver.atomic_or)
    block_reduce_add = staticmethod(Interleaver.atomic_add)
    atomic_min = block_reduce_min = staticmethod(Interleaver.atomic_min)
    atomic_max = block_reduce_max = staticmethod(Interleaver.atomic_max)
    alloc_packed, alloc_readback = Threads.alloc_packed, Threads.alloc_readback
    packed_args, packed_views = Threads.packed_args, Threads.packed_views
    leave_arena, read_async, scope = Threads.leave_arena, Threads.read_async, Threads.scope

    @staticmethod
    def atomic_add(array: Any, i: Any, value: Any) -> Any:
        if not isinstance(array, np.ndarray):
            return Interleaver.atomic_add(array, i, value)
        before = array[i]  # memory of a tile
        array[i] = before + value
        return before

    @staticmethod
    def atomic_cas(array: Any, i: Any, old: Any, new: Any) -> Any:
        if not isinstance(array, np.ndarray):
            return Interleaver.atomic_cas(array, i, old, new)
        before = array[i]  # memory of a tile
        array[i] = new if before == old else before
        return before

    def __init__(self, memory: Memory, threads: int = 2, group: int = 1, waits: bool = False):
        self.memory, self.threads, self.threads_per_row, self.waits = memory, threads, group, waits
        self.known: dict[Any, list[Outcome]] = {}
        self.found, self.runs = Found(), 0
        self.begin(())

    def begin(self, script: Sequence[int], been: set[Any] | None = None) -> None:
        """A new run."""
        self.script, self.asked, self.been = tuple(script), [], been
        self.arrays: list[Any] = []

    @staticmethod
    def device(function: Any) -> Any:
        return function

    def elementwise(self, function: Any) -> Any:
        return Launched(self, "elementwise", function)

    def grid_stride(self, function: Any) -> Any:
        return Launched(self, "grid_stride", function)

    def block_kernel(self, shared_words: int) -> Any:
        """A tile is one thread, with memory of its own: see tests/races/test_tile_races.py."""

        def made(function: Any) -> Any:
            def solve_block(k: Any, *arguments: Any) -> None:
                memory = np.full(shared_words, POISON, np.uint32)
                function(k, np.uint64(0), np.uint64(1), memory, *arguments)

            solve_block.__signature__ = _without(inspect.signature(function), range(1, 4))
            return Launched(self, "elementwise", solve_block)

        return made

    @staticmethod
    def block_sync() -> None:
        """Of one thread."""

    def empty(self, n: int, dtype: Any) -> Any:
        array = np.full(n * np.dtype(dtype).itemsize, POISON, np.uint8).view(dtype)
        self.arrays.append(array)
        return array

    def fill(self, array: Any, byte: int) -> Any:
        array.view(np.uint8)[:] = byte
        return array

    def asarray(self, array: Any) -> Any:
        return array

    def to_host(self, array: Any) -> Any:
        return array.copy()

    def synchronize(self) -> None:
        return

    def free_bytes(self) -> int:
        return 1 << 40

    def peak_bytes(self) -> int | None:
        return None

    def launch(self, kernel: Any, n: int, arguments: tuple[Any, ...]) -> None:
        """One of the outcomes, by the script."""
        names = _names_of(kernel, len(arguments))
        given = {name: _plain(value) for name, value in zip(names, arguments, strict=True)}
        turn = len(self.asked)
        if turn >= len(self.script) and self.been is not None:
            here = kernel, n, *_contents(self.arrays), *_contents(given.values())
            if here in self.been:
                raise _KnownError
            self.been.add(here)
        outcomes = self.outcomes(kernel, n, given)
        self.asked.append(len(outcomes))
        outcome = outcomes[self.script[turn] if turn < len(self.script) else 0]
        for name, values in zip(sorted(kernel.written), outcome, strict=True):
            given[name][:] = np.array(values, given[name].dtype)

    def outcomes(self, kernel: Launched, n: int, given: dict[str, Any]) -> list[Outcome]:
        """All that the arrays which the launch writes may hold at its end."""
        key = kernel, n, *_contents(given.values()), *_same(given.values())
        while key not in self.known:
            found: set[Outcome] = set()
            try:
                self.found += every_schedule(self.race(kernel, n, given, found), self.memory)
                self.known[key] = sorted(found)
            except _WrittenError as written:
                kernel.written.add(written.args[0])
                self.known = {key: v for key, v in self.known.items() if key[0] is not kernel}
        return self.known[key]

    def race(self, kernel: Launched, n: int, given: dict[str, Any], found: set[Outcome]) -> Race:
        arrays = {name: given[name].tolist() for name in sorted(kernel.written)}
        shared_at = {_place(given[name]): name for name in arrays}

        def calls(tape: Tape, shared: dict[str, Shared]) -> list[list[Call]]:
            def passed(name: str, value: Any) -> Any:
                if not isinstance(value, np.ndarray):
                    return np.int64(value)
                other = shared_at.get(_place(value))
                return shared[other] if other else _Frozen(name, value)

            run = [passed(name, value) for name, value in given.items()]
            threads = range(min(self.threads, n))
            if kernel.shape == "grid_stride":
                step = np.uint64(len(threads))
                return [
                    [partial(kernel.function, np.uint64(t), np.uint64(n), step, *run)]
                    for t in threads
                ]
            indices = [range(t, n, self.threads) for t in threads]
            return [[partial(kernel.function, np.uint64(i), *run) for i in own] for own in indices]

        def verdict(ended: dict[str, tuple[int, ...]], notes: tuple[Any, ...]) -> None:
            found.add(tuple(ended.values()))

        kinds = {name: given[name].dtype.type for name in arrays}
        return Race(
            f"{kernel.name}({given})", arrays, calls, lambda *_: None, verdict, self.waits, kinds
        )


def every_run(backend: Outcomes, run: Callable[[], str | None]) -> Iterator[str]:
    """Run a procedure for all outcomes of its launches; what is wrong at the ends, if anything."""
    been: set[Any] = set()
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        backend.begin(script, been)
        try:
            wrong = run()
            backend.runs += 1
            if wrong:
                yield f"{wrong}, outcomes {script}"
        except _KnownError:
            pass
        for turn in range(len(script), len(backend.asked)):
            before = (*script, *(0,) * (turn - len(script)))
            scripts += [(*before, k) for k in range(1, backend.asked[turn])]


def _names_of(kernel: Launched, count: int) -> list[str]:
    """What a kernel calls its arguments; those that it passes on unnamed are numbered."""
    *named, last = inspect.signature(kernel.function).parameters.values()
    names = [parameter.name for parameter in named][3 if kernel.shape == "grid_stride" else 1 :]
    if last.kind is not last.VAR_POSITIONAL:
        return [*names, last.name]
    return names + [f"{last.name} {k}" for k in range(count - len(names))]


def _without(signature: inspect.Signature, places: range) -> inspect.Signature:
    kept = [p for k, p in enumerate(signature.parameters.values()) if k not in places]
    return signature.replace(parameters=kept)


def _plain(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) else int(value)


def _contents(values: Any) -> list[Any]:
    return [v.tobytes() if isinstance(v, np.ndarray) else v for v in values]


def _place(array: Any) -> tuple[Any, ...]:
    return array.__array_interface__["data"][0], array.size, array.dtype.str


def _same(values: Any) -> list[int]:
    """Which arguments are one and the same array."""
    places = [_place(v) if isinstance(v, np.ndarray) else None for v in values]
    return [places.index(edge_index) for edge_index in places]
