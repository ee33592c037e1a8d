"""An engine whose arrays belong to a tape: a call runs up to its next access, and no further.

A call is a function of what its accesses returned. So a thread needs no stack of its own: it is a
call and the values it was given, and one more value runs the call again from its beginning, up to
the access after those. Each such point is reached once: from then on it is a node of a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

LONGEST = 120  # accesses of one call: the calls here end after far fewer, unless they never end

Call = Callable[[], Any]


class Access(NamedTuple):
    """One step of a thread: what it asks of a location of the memory."""

    operation: str
    location: int
    operands: tuple[int, ...]


class Fault(Exception):
    """Something that no schedule may lead to."""


class _Pause(BaseException):
    """The call has come to an access whose value is not known yet."""


class Tape:
    """The values that a call was given so far, and what it noted on its way."""

    def __init__(self) -> None:
        self.values: Sequence[int] = ()
        self.place = 0
        self.notes: list[Any] = []
        self.paused: Access | None = None

    def access(self, access: Access) -> int:
        if self.place == len(self.values):
            self.paused = access
            raise _Pause
        self.place += 1
        return self.values[self.place - 1]

    def run(self, call: Call, values: Sequence[int]) -> Access | None:
        """The access after those that returned ``values``, None if the call ends instead."""
        self.values, self.place, self.notes, self.paused = values, 0, [], None
        try:
            call()
        except _Pause:
            return self.paused
        except Exception as error:
            raise Fault(f"{type(error).__name__}: {error}") from error
        return None


class Shared:
    """An array that all threads see; every subscript is a place where they may be switched."""

    def __init__(self, tape: Tape, name: str, first: int, size: int) -> None:
        self.tape, self.name, self.first, self.size = tape, name, first, size

    def access(self, operation: str, i: Any, *operands: Any) -> int:
        i = int(i)
        if not 0 <= i < self.size:
            raise IndexError(f"{self.name}[{i}], of {self.size}")
        return self.tape.access(Access(operation, self.first + i, tuple(map(int, operands))))

    def __getitem__(self, i: Any) -> int:
        return self.access("read", i)

    def __setitem__(self, i: Any, value: Any) -> None:
        self.access("store", i, value)


def _itself(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _atomic(operation: str) -> Any:
    def atomic(array: Shared, i: Any, *operands: Any) -> int:
        return array.access(operation, i, *operands)

    return staticmethod(atomic)


class Interleaver:
    """The words to write a kernel in; what they make is the plain function."""

    device = each = sweep = staticmethod(_itself)
    cas, add, min, max, bit_or = map(_atomic, ("cas", "add", "min", "max", "bit_or"))
    all_add, all_min, all_max = map(_atomic, ("add", "min", "max"))


class Node:
    """A thread that has come to ``access``, after ``values`` in one of its calls."""

    __slots__ = ("access", "after", "call", "calls", "tape", "values")

    def __init__(self, tape: Tape, calls: Sequence[Call], call: int, values: tuple[int, ...]):
        self.tape, self.calls, self.call, self.values = tape, calls, call, values
        self.access: Access | None = None
        self.after: dict[int, tuple[Node | None, tuple[Any, ...]]] = {}

    def given(self, value: int) -> tuple[Node | None, tuple[Any, ...]]:
        """Where the thread comes to by that value, None at its end, and what was noted."""
        found = self.after.get(value)
        if found is None:
            found = self.after[value] = self.go(value)
        return found

    def go(self, value: int) -> tuple[Node | None, tuple[Any, ...]]:
        values = (*self.values, value)
        if len(values) > LONGEST:
            raise Fault(f"a call has not ended after {LONGEST} accesses")
        access = self.tape.run(self.calls[self.call], values)
        if access is None:
            notes = tuple(self.tape.notes)
            node, more = begin(self.tape, self.calls, self.call + 1)
            return node, notes + more
        node = Node(self.tape, self.calls, self.call, values)
        node.access = access
        return node, ()


def begin(
    tape: Tape, calls: Sequence[Call], call: int = 0
) -> tuple[Node | None, tuple[Any, ...]]:
    """The first access of a thread from that call on; calls that need no memory just run."""
    notes: tuple[Any, ...] = ()
    for number in range(call, len(calls)):
        access = tape.run(calls[number], ())
        if access is not None:
            node = Node(tape, calls, number, ())
            node.access = access
            return node, notes
        notes += tuple(tape.notes)
    return None, notes
