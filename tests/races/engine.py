"""A backend whose arrays belong to a tape: a call runs up to its next access, and no further.

A call is a function of what its accesses returned. So a thread needs no stack of its own: it is a
call and the values it was given, and one more value runs the call again from its beginning, up to
the access after those. Each such point is reached once: from then on it is a node of a graph.

Two ways to one access are one node where all that the call knows is the same: the local variables
of its functions, and the values that it was given in the statements that are not finished yet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .statements import statement

LONGEST = 600  # accesses of one call: the calls here end after far fewer, unless they never end

Call = Callable[[], Any]
Where = tuple[tuple[Any, int, int], ...]  # code, instruction, statement; of callers first


class Access(NamedTuple):
    """One step of a thread: what it asks of a location of the memory."""

    operation: str
    location: int
    operands: tuple[int, ...]


class Past(NamedTuple):
    """An access that a call has made, what it returned, and where the call then was."""

    access: Access
    value: int
    where: Where


class FaultError(Exception):
    """Something that no schedule may lead to."""


class _Pause(BaseException):
    """The call has come to an access whose value is not known yet."""


class _Itself(NamedTuple):
    """An object that equals nothing but itself."""

    thing: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


def _known(value: Any) -> Any:
    """A local variable as a part of a key."""
    if isinstance(value, int | np.integer | np.bool_):
        return type(value), int(value)
    return tuple(map(_known, value)) if type(value) is tuple else _Itself(value)


class Tape:
    """The values that a call was given so far, and what it noted on its way."""

    def __init__(self) -> None:
        self.values: Sequence[int] = ()
        self.place = 0
        self.notes: list[Any] = []
        self.paused: Access | None = None
        self.where: Where = ()
        self.variables: tuple[Any, ...] = ()

    def access(self, access: Access) -> int:
        if self.place == len(self.values):
            self.paused = access
            frames = list(_frames())[::-1]
            self.where = tuple((f.f_code, f.f_lasti, statement(f)) for f in frames)
            self.variables = tuple(
                (name, _known(value)) for f in frames for name, value in f.f_locals.items()
            )
            raise _Pause
        self.place += 1
        return self.values[self.place - 1]

    def run(self, call: Call, values: Sequence[int]) -> Access | None:
        """The access after those that returned ``values``, None if the call ends instead."""
        self.values, self.place, self.notes, self.paused = values, 0, [], None
        try:
            with np.errstate(over="ignore"):  # integers wrap around, as they do on a GPU
                call()
        except _Pause:
            return self.paused
        except Exception as error:
            raise FaultError(f"{type(error).__name__}: {error}") from error
        return None


def _frames() -> Iterator[Any]:
    """The functions that are running, up to the tape, those of this file left out."""
    frame = sys._getframe(1)
    while frame.f_code is not Tape.run.__code__:
        if frame.f_code.co_filename != __file__:
            yield frame
        frame = frame.f_back


def pending(past: Sequence[Past], where: Where) -> list[int]:
    """The values of the accesses in statements that are not finished: no variable holds them yet.

    Backwards, each function's instructions fall while its statement is the same; from where they
    do not, that function and those that it calls had not begun what they are doing now.
    """
    found, limits = [], [instruction for _, instruction, _ in where]
    for step in reversed(past):
        both = zip(step.where, where[: len(limits)], strict=False)
        for depth, ((code, then, number), (here, now, same)) in enumerate(both):
            if code is not here or number != same or then > limits[depth]:
                del limits[depth:]
                break
            if then < now:
                limits[depth:] = [then]
                found.append(step.value)
                break
        else:
            if len(step.where) == len(limits):
                limits.pop()  # the very same access: one turn of a loop ago
        if not limits:
            break
    return found


class Shared:
    """An array that all threads see; every subscript is a place where they may be switched."""

    def __init__(self, tape: Tape, name: str, first: int, size: int, kind: Any = int) -> None:
        self.tape, self.name, self.first, self.size, self.kind = tape, name, first, size, kind

    def access(self, operation: str, i: Any, *operands: Any) -> Any:
        i = int(i)
        if not 0 <= i < self.size:
            raise IndexError(f"{self.name}[{i}], of {self.size}")
        wanted = tuple(int(self.kind(operand)) for operand in operands)
        return self.kind(self.tape.access(Access(operation, self.first + i, wanted)))

    def __getitem__(self, i: Any) -> Any:
        return self.access("read", i)

    def __setitem__(self, i: Any, value: Any) -> None:
        self.access("store", i, value)


def _itself(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _atomic(operation: str) -> Any:
    def atomic(array: Any, i: Any, *operands: Any) -> Any:
        return array.access(operation, i, *operands)

    return staticmethod(atomic)


class Interleaver:
    """The words to write a kernel in; what they make is the plain function."""

    threads_per_row, warp_shuffle_xor = 1, None
    device = elementwise = grid_stride = staticmethod(_itself)
    atomic_cas, atomic_or = map(_atomic, ("cas", "bit_or"))
    atomic_add, atomic_min, atomic_max = map(_atomic, ("add", "min", "max"))
    block_reduce_add, block_reduce_min, block_reduce_max = map(_atomic, ("add", "min", "max"))

    @staticmethod
    def memory_fence() -> None:
        """On the tape of the call that is running: a fence has no array that would know it."""
        frame = sys._getframe(1)
        while frame.f_code is not Tape.run.__code__:
            frame = frame.f_back
        frame.f_locals["self"].access(Access("fence", -1, ()))


class Node:
    """A thread that has come to ``access`` in one of its calls, ``past`` one way to it."""

    __slots__ = ("access", "after", "call", "past", "thread", "where")

    def __init__(self, thread: Thread, call: int, access: Access, past: tuple[Past, ...]) -> None:
        self.thread, self.call, self.access, self.past = thread, call, access, past
        self.where = thread.tape.where
        self.after: dict[int, tuple[Node | None, tuple[Any, ...]]] = {}

    def given(self, value: int) -> tuple[Node | None, tuple[Any, ...]]:
        """Where the thread comes to by that value, None at its end, and what was noted."""
        found = self.after.get(value)
        if found is None:
            past = (*self.past, Past(self.access, value, self.where))
            if len(past) > LONGEST:
                raise FaultError(f"a call has not ended after {LONGEST} accesses")
            found = self.after[value] = self.thread.node(self.call, past)
        return found


class Thread:
    """The calls that one thread makes, one after the other, and the nodes of them so far."""

    def __init__(self, tape: Tape, calls: Sequence[Call]) -> None:
        self.tape, self.calls = tape, calls
        self.nodes: dict[Any, Node] = {}

    def node(self, call: int, past: tuple[Past, ...]) -> tuple[Node | None, tuple[Any, ...]]:
        """Where the thread is after those accesses of a call, and what was noted by its end."""
        tape = self.tape
        access = tape.run(self.calls[call], [step.value for step in past])
        if access is None:
            notes = tuple(tape.notes)
            node, more = self.begin(call + 1)
            return node, notes + more
        open_values = tuple(pending(past, tape.where))
        key = call, access, tape.where, tape.variables, open_values, tuple(tape.notes)
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = Node(self, call, access, past)
        return node, ()

    def begin(self, call: int = 0) -> tuple[Node | None, tuple[Any, ...]]:
        """The first access from that call on."""
        return self.node(call, ()) if call < len(self.calls) else (None, ())
