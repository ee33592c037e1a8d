"""An engine whose arrays belong to a tape: a call runs up to its next access, and no further.

A call is a function of what its accesses returned. So a thread needs no stack of its own: it is a
call and the values it was given, and one more value runs the call again from its beginning, up to
the access after those. Each such point is reached once: from then on it is a node of a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

LONGEST = 120  # accesses of one call: the calls here end after far fewer, unless they never end
PERIOD, TIMES = 8, 6  # so few accesses with the same answers so often: the call waits for another

Call = Callable[[], Any]


class Access(NamedTuple):
    """One step of a thread: what it asks of a location of the memory."""

    operation: str
    location: int
    operands: tuple[int, ...]


class FaultError(Exception):
    """Something that no schedule may lead to."""


class _Pause(BaseException):
    """The call has come to an access whose value is not known yet."""


class Tape:
    """The values that a call was given so far, and what it noted on its way."""

    def __init__(self, waits: bool) -> None:
        self.waits = waits  # may a call wait for other threads?
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
            raise FaultError(f"{type(error).__name__}: {error}") from error
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
    """A thread that has come to ``access`` in one of its calls, ``before`` the node it came from.

    A call that has got the same answers to the same few accesses again and again goes back to
    where it was: it waits for another answer, and does not count how often it has asked.
    """

    __slots__ = ("access", "after", "before", "call", "calls", "past", "tape")

    def __init__(self, tape: Tape, calls: Sequence[Call], call: int, access: Access) -> None:
        self.tape, self.calls, self.call, self.access = tape, calls, call, access
        self.before: Node | None = None
        self.past: tuple[tuple[Access, int], ...] = ()
        self.after: dict[int, tuple[Node | None, tuple[Any, ...]]] = {}

    def given(self, value: int) -> tuple[Node | None, tuple[Any, ...]]:
        """Where the thread comes to by that value, None at its end, and what was noted."""
        found = self.after.get(value)
        if found is None:
            found = self.after[value] = self.go(value)
        return found

    def go(self, value: int) -> tuple[Node | None, tuple[Any, ...]]:
        past = (*self.past, (self.access, value))
        access = self.tape.run(self.calls[self.call], [value for _, value in past])
        if access is None:
            notes = tuple(self.tape.notes)
            node, more = begin(self.tape, self.calls, self.call + 1)
            return node, notes + more
        node = Node(self.tape, self.calls, self.call, access)
        node.before, node.past = self, past
        return node.waiting(), ()

    def waiting(self) -> Node:
        """The node itself, or that of one round before if the call goes round and round."""
        if len(self.past) > LONGEST:
            raise FaultError(f"a call has not ended after {LONGEST} accesses")
        for period in range(1, PERIOD + 1):
            if self.past[-period:] * TIMES == self.past[-period * TIMES :]:
                if not self.tape.waits:
                    raise FaultError("a call has got the same answers again and again: it waits")
                node = self
                for _ in range(period):
                    node = node.before
                if node.access == self.access:
                    return node
        return self


def begin(tape: Tape, calls: Sequence[Call], call: int = 0) -> tuple[Node | None, tuple[Any, ...]]:
    """The first access of a thread from that call on; calls that need no memory just run."""
    notes: tuple[Any, ...] = ()
    for number in range(call, len(calls)):
        access = tape.run(calls[number], ())
        if access is not None:
            return Node(tape, calls, number, access), notes
        notes += tuple(tape.notes)
    return None, notes
