"""Every schedule of a few threads, or random ones, and a counter-example if one goes wrong.

What is to come depends only on where the threads are and on the memory. So schedules that meet in
one state are continued once, and counted as often as they come there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from . import memory as model
from .engine import Access, Call, FaultError, Node, Shared, Tape, Thread
from .memory import Cell, Late, Memory

STEPS = 20_000  # of a schedule by chance, before threads that wait are taken to wait for ever

TIMES = 6  # that a call may come to one access with all the same variables, by chance
OPEN = -1  # schedules from a state that are still being counted

Arrays = dict[str, tuple[int, ...]]


class State(NamedTuple):
    nodes: tuple[Node | None, ...]
    cells: tuple[Cell, ...]
    late: tuple[Late, ...]
    notes: tuple[Any, ...]


class Step(NamedTuple):
    thread: int
    access: Access
    returned: int | None


class RaceError(AssertionError):
    """A schedule that leads to a fault: the message tells it step by step."""


@dataclass
class Found:
    """How much was looked at; schedules that meet in one state are all counted."""

    races: int = 0
    states: int = 0
    schedules: int = 0

    def __iadd__(self, other: Found) -> Found:
        self.races += other.races
        self.states += other.states
        self.schedules += other.schedules
        return self


@dataclass
class Race:
    """Threads that each make some calls, the arrays they share, and what has to hold.

    ``calls(tape, arrays)`` gives the calls of each thread. ``guard(name, i, old, new)`` is asked
    at each write that changes something, ``verdict(arrays, notes)`` at the end of each schedule;
    they say what is wrong, if anything is. Where a call ``waits`` for other threads, it is enough
    that every schedule can still come to an end; else none may come back to where it was.
    ``kinds`` are the types of the elements where those of Python will not do.
    """

    title: str
    arrays: dict[str, Sequence[int]]
    calls: Callable[[Tape, dict[str, Shared]], list[list[Call]]]
    guard: Callable[[str, int, int, int], str | None]
    verdict: Callable[[Arrays, tuple[Any, ...]], str | None]
    waits: bool = False
    kinds: dict[str, Any] = field(default_factory=dict)


class Course:
    """A race on a memory: its first state, and the moves from each."""

    def __init__(self, race: Race, memory: Memory) -> None:
        self.race, self.memory = race, memory
        self.places = [(name, i) for name, array in race.arrays.items() for i in range(len(array))]
        self.tape, shared, first = Tape(), {}, 0
        for name, array in race.arrays.items():
            kind = race.kinds.get(name, int)
            shared[name] = Shared(self.tape, name, first, len(array), kind)
            first += len(array)
        calls = race.calls(self.tape, shared)
        threads = [Thread(self.tape, own).begin() for own in calls]
        cells = [model.fresh(x, len(threads)) for array in race.arrays.values() for x in array]
        self.first = State(
            tuple(node for node, _ in threads),
            tuple(cells),
            ((),) * len(threads),
            tuple(sorted(note for _, notes in threads for note in notes)),
        )

    def moves(self, state: State, thread: int) -> Iterator[tuple[Step, State]]:
        """All that the thread may do next: nothing if it has ended."""
        node, late = state.nodes[thread], state.late[thread]
        if late:
            yield from self.arrivals(state, thread)
        if node is None:
            return
        access = node.access
        location = access.location
        own = [value for edge_index, value in late if edge_index == location]
        if access.operation == "store" and self.memory.late:
            late = (*late, (location, access.operands[0]))
            yield self.given(state, thread, 0, state.cells, late)
        elif access.operation == "fence":
            if not late:  # else what is late comes first
                yield self.given(state, thread, 0, self.all_seen(state.cells, thread), late)
        elif access.operation != "read":
            if not own:  # else its own late store to the location comes first
                old = model.newest(state.cells[location])
                cells = self.write(state, Step(thread, access, old), location)
                yield self.given(state, thread, old, cells, late)
        elif own:
            yield self.given(state, thread, own[-1], state.cells, late)
        else:
            for value, cell in model.readings(state.cells[location], thread):
                cells = _put(state.cells, location, cell)
                yield self.given(state, thread, value, cells, late)

    def arrivals(self, state: State, thread: int) -> Iterator[tuple[Step, State]]:
        """The stores of the thread that may arrive now: of each location the oldest."""
        late, known = state.late[thread], set()
        for k, (location, value) in enumerate(late):
            if location not in known:
                known.add(location)
                step = Step(thread, Access("store", location, (value,)), None)
                left = (*late[:k], *late[k + 1 :])
                cells = self.write(state, step, location)
                yield step, state._replace(cells=cells, late=_put(state.late, thread, left))

    def write(self, state: State, step: Step, location: int) -> tuple[Cell, ...]:
        cell = state.cells[location]
        old = model.newest(cell)
        new = model.applied(step.access, old)
        wrong = self.race.guard(*self.places[location], old, new) if new != old else None
        if wrong:
            raise FaultError(wrong, step)
        return _put(state.cells, location, model.written(cell, step.thread, new, self.memory.stale))

    def given(
        self, state: State, thread: int, value: int, cells: tuple[Cell, ...], late: Late
    ) -> tuple[Step, State]:
        """The thread's access has returned a value."""
        node = state.nodes[thread]
        step = Step(thread, node.access, value)
        try:
            node, notes = node.given(value)
        except FaultError as fault:
            raise FaultError(fault.args[0], step) from fault
        if node is None:
            cells = self.all_seen(cells, thread)
        notes = tuple(sorted(state.notes + notes)) if notes else state.notes
        return step, State(
            _put(state.nodes, thread, node), cells, _put(state.late, thread, late), notes
        )

    def all_seen(self, cells: tuple[Cell, ...], thread: int) -> tuple[Cell, ...]:
        """The memory from when on the thread reads nothing older than what is newest now."""
        return tuple(model.settled(c, thread) for c in cells) if self.memory.stale else cells

    def verdict(self, state: State) -> None:
        found: dict[str, list[int]] = {name: [] for name in self.race.arrays}
        for (name, _), cell in zip(self.places, state.cells, strict=True):
            found[name].append(model.newest(cell))
        wrong = self.race.verdict({k: tuple(v) for k, v in found.items()}, state.notes)
        if wrong:
            raise FaultError(wrong)

    def failed(self, steps: list[Step], fault: FaultError) -> RaceError:
        told = steps + list(fault.args[1:])
        lines = [fault.args[0], f"in {self.race.title}, {self.memory}"]
        lines += ["threads " + " ".join(str(step.thread) for step in told)]
        return RaceError("\n".join([*lines, *map(self.told, told)]))

    def told(self, step: Step) -> str:
        if step.access.operation == "fence":
            return f"  thread {step.thread}: fence"
        name, i = self.places[step.access.location]
        operands = ", ".join(map(str, step.access.operands))
        if step.returned is None:
            what = f"{name}[{i}] = {operands} arrives"
        elif step.access.operation == "store":
            what = f"{name}[{i}] = {operands}"
        elif step.access.operation == "read":
            what = f"{name}[{i}] is {step.returned}"
        else:
            what = f"{step.access.operation}({name}, {i}, {operands}) returns {step.returned}"
        return f"  thread {step.thread}: {what}"


def every_schedule(race: Race, memory: Memory) -> Found:
    """Go through all schedules, and through all that reads may find; RaceError at the first fault.

    A schedule that comes back to a state, because a call waits, is not counted.
    """
    course = Course(race, memory)
    counts: dict[State, int] = {course.first: OPEN}
    trail: list[list[Any]] = [[course.first, _successors(course, course.first), 0]]
    steps: list[Step] = []
    open_ends: dict[State, list[Step]] = {}
    try:
        while trail:
            state, successors, count = trail[-1]
            for step, after in successors:
                known = counts.get(after)
                if known == OPEN and not race.waits:
                    raise FaultError("a schedule comes back to where it was: a call waits", step)
                if known is None:
                    counts[after] = OPEN
                    steps.append(step)
                    trail.append([after, _successors(course, after), 0])
                    break
                if known != OPEN:
                    trail[-1][2] = count = count + known
            else:
                if not any(state.nodes) and not any(state.late):
                    course.verdict(state)
                    count = 1
                counts[state] = count
                if not count:
                    open_ends[state] = list(steps)
                trail.pop()
                if trail:
                    steps.pop()
                    trail[-1][2] += count
    except FaultError as fault:
        raise course.failed(steps, fault) from None
    _must_end(course, counts, open_ends)
    return Found(1, len(counts), counts[course.first])


def _must_end(course: Course, counts: dict[State, int], open_ends: dict[State, list[Step]]) -> None:
    """Each state from which the search only came back to earlier ones must still lead on."""
    while open_ends:
        lead_on = [
            state
            for state in open_ends
            if any(
                counts[after] or after not in open_ends for _, after in _successors(course, state)
            )
        ]
        if not lead_on:
            state, steps = min(open_ends.items(), key=lambda end: len(end[1]))
            raise course.failed(steps, FaultError("from here on no schedule ends"))
        for state in lead_on:
            del open_ends[state]


def random_schedules(race: Race, memory: Memory, random: Random, number: int) -> Found:
    """Some schedules by chance, from those that switch at each step to those that seldom do."""
    course, found = Course(race, memory), Found(1)
    for _ in range(number):
        state, thread, steps = course.first, 0, []
        been: dict[Node | None, int] = {}
        stay = random.choice((0.0, 0.5, 0.9))
        try:
            while busy := [
                t for t, node in enumerate(state.nodes) if node is not None or state.late[t]
            ]:
                if len(steps) == STEPS:
                    raise FaultError(f"threads still wait after {STEPS} steps")
                if thread not in busy or random.random() >= stay:
                    thread = random.choice(busy)
                step, state = random.choice(list(course.moves(state, thread)))
                steps.append(step)
                node = state.nodes[thread]
                been[node] = been.get(node, 0) + (step.returned is not None and node is not None)
                if been[node] > TIMES and not race.waits:
                    raise FaultError("a call comes back again and again: a call waits")
            course.verdict(state)
        except FaultError as fault:
            raise course.failed(steps, fault) from None
        found += Found(0, len(steps), 1)
    return found


def _successors(course: Course, state: State) -> Iterator[tuple[Step, State]]:
    for thread in range(len(state.nodes)):
        yield from course.moves(state, thread)


def _put(row: tuple[Any, ...], i: int, value: Any) -> tuple[Any, ...]:
    return row if row[i] is value else (*row[:i], value, *row[i + 1 :])
