"""Kernels as plain Python whose threads switch at each access to memory that they share.

The text of each function of a kernel is rewritten: before it reads or writes an element, and before
each atomic operation, it yields, so that a thread of a GPU is a generator. A schedule resumes one
after the other, chosen at random but repeatable from a seed; blocks, warps and grids wait for each
other where the kernel says so. Functions without an access stay as they are.
"""

from __future__ import annotations

import ast
import copy
import itertools
import linecache
from collections import Counter
from collections.abc import Callable, Generator
from functools import lru_cache
from random import Random
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from cc_rapids.backends.device_function import Atom, Part

# How many accesses a thread makes before another one is chosen: mostly few, where threads meet, and
# sometimes many, so that one falls behind the others.
BURSTS = (1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 8, 12, 20, 40)
RESIDENT = 3  # blocks that run at the same time, unless all have to
MOST_TURNS = 10_000_000  # in a launch: the longest of the tests takes less than a tenth

Thread = Generator[Any, Any, None]


class Wait(NamedTuple):
    """A wait of a thread, which yields it, for the others of its warp, block or grid."""

    word: str
    scope: str
    answer: Callable[[list[Any]], list[Any]] | None = None  # of the values of all, in their order
    value: Any = None


def _none(values: list[Any]) -> list[Any]:
    return [None] * len(values)


def _ranks(flags: list[Any]) -> list[Any]:
    """Return for each lane how many before it raise their flag, and how many do at all."""
    before = [0, *itertools.accumulate(int(bool(flag)) for flag in flags)]
    return [(np.uint32(number), np.uint32(before[-1])) for number in before[:-1]]


def _neighbours(values: list[Any]) -> list[Any]:
    return [values[lane ^ 1] for lane in range(len(values))]


def _combined(change: Callable[[Any, Any], Any]) -> Callable[[list[Any]], list[Any]]:
    """Return what combines the values of a block in its array, as one step."""

    def answer(given: list[Any]) -> list[Any]:
        array, i, _ = given[0]
        for _, _, value in given:
            array[i] = change(array[i], array.dtype.type(value))
        return _none(given)

    return answer


def _operation(change: Callable[..., Any]) -> Callable[..., Any]:
    """Return an atomic operation: its last argument is the yield that comes before it."""

    def operation(array: Any, i: Any, *values: Any) -> Any:
        kind = array.dtype.type
        before = array[i]
        array[i] = change(before, *(kind(value) for value in values[:-1]))
        return before

    return operation


def _swapped(before: Any, old: Any, new: Any) -> Any:
    return new if before == old else before


def _sum(before: Any, value: Any) -> Any:
    return before + value


def _bits(before: Any, value: Any) -> Any:
    return before | value


#: Operations of one step, which are called with the yield before them as their last argument.
STEPS: dict[str, Callable[..., Any]] = {
    "atomic_cas": _operation(_swapped),
    "atomic_add": _operation(_sum),
    "atomic_min": _operation(min),
    "atomic_max": _operation(max),
    "atomic_or": _operation(_bits),
    "load_streaming": lambda array, i, turn: array[i],
    "memory_fence": lambda turn: None,
}

#: What a thread yields for an operation that others take part in, by its arguments.
WAITS: dict[str, Callable[..., Wait]] = {
    "block_sync": lambda: Wait("block_sync", "block"),
    "grid_sync": lambda array, i: Wait("grid_sync", "grid"),
    "warp_sync": lambda: Wait("warp_sync", "warp"),
    "warp_ballot_rank": lambda flag: Wait("warp_ballot_rank", "warp", _ranks, flag),
    "warp_shuffle_xor": lambda value: Wait("warp_shuffle_xor", "warp", _neighbours, value),
}


def _reduce(word: str, change: Callable[[Any, Any], Any]) -> Callable[..., Wait]:
    answer = _combined(change)
    return lambda *given: Wait(word, "block", answer, given)


WAITS |= {
    "block_reduce_add": _reduce("block_reduce_add", _sum),
    "block_reduce_min": _reduce("block_reduce_min", min),
    "block_reduce_max": _reduce("block_reduce_max", max),
}


class Callee(NamedTuple):
    """A function of a kernel that can be called, and whether it yields."""

    call: Callable[..., Any]
    yields: bool


def callee_of(part: Part, known: dict[str, Callee]) -> Callee:
    """Return the function of a part over the functions that it calls, rewritten if it yields.

    ``known`` holds those made before, by their fingerprints; new ones are added.
    """
    found = known.get(part.fingerprint)
    if found is not None:
        return found
    ready: dict[str, Any] = {}
    yielding = set()
    for name, value in part.closure.items():
        ready[name] = value
        if isinstance(value, Part):
            ready[name], yields = callee_of(value, known)
            yielding |= {name} if yields else set()
        elif isinstance(value, Atom):
            ready[name] = STEPS.get(value.name) or WAITS[value.name]
    atoms = {name: value.name for name, value in part.closure.items() if isinstance(value, Atom)}
    steps = frozenset(name for name, word in atoms.items() if word in STEPS)
    code = _rewritten(
        part.function.__code__, frozenset(yielding), steps, frozenset(atoms.keys() - steps)
    )
    made = code or part.function.__code__
    cells = tuple(CellType(ready[name]) for name in made.co_freevars)
    function = FunctionType(made, part.function.__globals__, made.co_name, None, cells)
    found = known[part.fingerprint] = Callee(function, code is not None)
    return found


@lru_cache(4096)
def _rewritten(
    code: CodeType, yielding: frozenset[str], steps: frozenset[str], waits: frozenset[str]
) -> CodeType | None:
    """Return the code of a function that yields before each access; None if it has none.

    The names are those of what it closes over: functions that yield, operations of one step, and
    those that wait for others.
    """
    linecache.checkcache(code.co_filename)
    node = _functions("".join(linecache.getlines(code.co_filename)))[
        code.co_firstlineno, code.co_name
    ]
    rewriter = _Rewriter(yielding, steps, waits)
    if not any(map(rewriter.switches, node.body)):
        return None
    node = copy.deepcopy(node)
    node.decorator_list = []
    rewriter.generic_visit(node)
    # parsed, because the fields of a node are others in each version of Python
    module = ast.parse(f"def around({', '.join(code.co_freevars)}): pass")
    [around] = module.body
    assert isinstance(around, ast.FunctionDef)
    around.body = [node]
    module = ast.fix_missing_locations(module)
    [outer] = _codes(compile(module, code.co_filename, "exec", dont_inherit=True))
    [inner] = _codes(outer)
    return inner


def _codes(code: CodeType) -> list[CodeType]:
    return [value for value in code.co_consts if isinstance(value, CodeType)]


@lru_cache(64)
def _functions(text: str) -> dict[tuple[int, str], ast.FunctionDef]:
    """Return the functions of a file by their first lines, decorators included, and names."""
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
            found[first, node.name] = node
    return found


def _turn() -> ast.Yield:
    return ast.Yield(None)


class _Rewriter(ast.NodeTransformer):
    """Yields before each access, once all that it needs is known."""

    def __init__(self, yielding: frozenset[str], steps: frozenset[str], waits: frozenset[str]):
        self.yielding, self.steps, self.waits = yielding, steps, waits
        self.switching = yielding | steps | waits
        self.numbers = itertools.count()

    def switches(self, node: ast.AST) -> bool:
        """Tell whether a part of a function makes an access."""
        return any(
            isinstance(own, ast.Subscript | ast.Yield | ast.YieldFrom)
            or (isinstance(own, ast.Call) and getattr(own.func, "id", None) in self.switching)
            for own in ast.walk(node)
        )

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = getattr(node.func, "id", None)
        if name in self.yielding:
            return ast.YieldFrom(node)
        if name in self.waits:
            return ast.Yield(node)
        if name in self.steps:
            node.args.append(_turn())
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not self.switches(node.slice):
            return ast.BoolOp(ast.Or(), [_turn(), node])
        both = ast.Tuple([node.slice, _turn()], ast.Load())
        node.slice = ast.Subscript(both, ast.Constant(0), ast.Load())
        return node

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        stores: list[ast.stmt] = []
        targets = [self._kept(target, stores) for target in node.targets]
        value = self.visit(node.value)
        return [ast.copy_location(ast.Assign(targets, value), node), *stores]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        if not isinstance(node.target, ast.Subscript):
            return self.generic_visit(node)
        array, place, value = node.target.value, self._new(), self._new()
        own = ast.Subscript(array, _load(place), ast.Load())
        changed = ast.BinOp(_load(value), node.op, self.visit(node.value))
        steps = [
            ast.Assign([_store(place)], self.visit(node.target.slice)),
            ast.Expr(_turn()),
            ast.Assign([_store(value)], own),
            ast.Assign([_store(value)], changed),
            ast.Expr(_turn()),
            ast.Assign([ast.Subscript(array, _load(place), ast.Store())], _load(value)),
        ]
        return [ast.copy_location(step, node) for step in steps]

    def _kept(self, target: ast.expr, stores: list[ast.stmt]) -> ast.expr:
        """Return a target without elements of arrays, which later statements store."""
        if isinstance(target, ast.Tuple):
            target.elts = [self._kept(own, stores) for own in target.elts]
        elif isinstance(target, ast.Subscript):
            value = self._new()
            index = self.visit(target.slice)
            if self.switches(index):
                place = self._new()
                stores.append(ast.Assign([_store(place)], index))
                index = _load(place)
            stores.append(ast.Expr(_turn()))
            element = ast.Subscript(target.value, index, ast.Store())
            stores.append(ast.Assign([element], _load(value)))
            for statement in stores:
                ast.copy_location(statement, target)
            return _store(value)
        return target

    def _new(self) -> str:
        return f"_kept_{next(self.numbers)}"


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


class Group:
    """Threads that wait for each other: those of a warp, a block or the grid."""

    __slots__ = ("size", "waiting")

    def __init__(self, size: int) -> None:
        self.size = size
        self.waiting: list[tuple[Lane, Wait]] = []


class Lane:
    """A thread, and what it is resumed with."""

    __slots__ = ("block", "groups", "index", "send", "value")

    def __init__(self, thread: Thread, index: int, block: int, groups: dict[str, Group]) -> None:
        self.send, self.index, self.block, self.groups = thread.send, index, block, groups
        self.value: Any = None


class Grid(NamedTuple):
    """The blocks of a launch: their number, and the threads of each and of its warps."""

    blocks: int
    threads: int
    warp: int
    together: bool  # do all blocks run at the same time?


def run(grid: Grid, start: Callable[[int, int], Thread | None], random: Random, name: str) -> None:
    """Run ``start(block, thread)`` for each thread of a grid, by a random schedule.

    Raises
    ------
    AssertionError
        Threads wait for others that have ended or wait for something else, or they never end.
    """
    with np.errstate(over="ignore"):  # integers wrap around, as they do on a GPU
        _Run(grid, start, random, name).all()


class _Run:
    """One launch on its way."""

    def __init__(
        self, grid: Grid, start: Callable[[int, int], Thread | None], random: Random, name: str
    ) -> None:
        self.grid, self.start, self.bits, self.name = grid, start, random.getrandbits, name
        self.whole = Group(grid.blocks * grid.threads)
        self.order = list(range(grid.blocks))
        random.shuffle(self.order)
        self.left: dict[int, int] = {}  # threads that have not ended, by their blocks
        self.live: list[Lane] = []  # those that do not wait
        self.waiting: Counter[str] = Counter()  # the threads that wait, by the words of kernels

    def all(self) -> None:
        for _ in range(self.grid.blocks if self.grid.together else RESIDENT):
            self._next_block()
        self._resume()
        if self.left:
            waits = ", ".join(f"{count} at {word}" for word, count in (+self.waiting).items())
            raise AssertionError(
                f"kernel {self.name!r}: threads wait for others that do not come: {waits}"
            )

    def _next_block(self) -> None:
        while self.order:
            block, grid = self.order.pop(), self.grid
            own = Group(grid.threads)
            lanes = []
            warp = own
            for t in range(grid.threads):
                if t % grid.warp == 0:
                    warp = Group(min(grid.warp, grid.threads - t))
                thread = self.start(block, t)
                if thread is not None:
                    groups = {"warp": warp, "block": own, "grid": self.whole}
                    lanes.append(Lane(thread, t, block, groups))
            if lanes:
                self.left[block] = len(lanes)
                self.live += lanes
                return

    def _resume(self) -> None:
        """Resume threads by chance until all wait or have ended."""
        live, bits = self.live, self.bits
        turns = 0
        while live:
            chance = bits(40)
            k = (chance >> 4) % len(live)
            lane = live[k]
            send = lane.send
            try:
                wait = send(lane.value)
                lane.value = None
                if wait is None:
                    for _ in range(BURSTS[chance & 15] - 1):
                        wait = send(None)
                        if wait is not None:
                            break
            except StopIteration:
                live[k] = live[-1]
                live.pop()
                self._ended(lane.block)
                continue
            turns += 1
            if wait is not None:
                live[k] = live[-1]
                live.pop()
                self._arrived(lane, wait)
            elif turns > MOST_TURNS:
                raise AssertionError(f"kernel {self.name!r} does not end")

    def _ended(self, block: int) -> None:
        self.left[block] -= 1
        if not self.left[block]:
            del self.left[block]
            if not self.grid.together:
                self._next_block()

    def _arrived(self, lane: Lane, wait: Wait) -> None:
        group = lane.groups[wait.scope]
        group.waiting.append((lane, wait))
        self.waiting[wait.word] += 1
        if len(group.waiting) < group.size:
            return
        if len({wait.word for _, wait in group.waiting}) > 1:
            return  # which nothing ends
        self.waiting[wait.word] -= group.size
        arrived = sorted(group.waiting, key=_place)
        values = [wait.value for _, wait in arrived]
        for (lane, _), answer in zip(arrived, (wait.answer or _none)(values), strict=True):
            lane.value = answer
            self.live.append(lane)
        group.waiting = []


def _place(arrived: tuple[Lane, Wait]) -> tuple[int, int]:
    return arrived[0].block, arrived[0].index
