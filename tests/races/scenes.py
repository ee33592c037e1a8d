"""Forests and edges to race on, and what has to hold of the forest that the threads leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, permutations, product
from typing import Any

from cc_rapids import kernels  # noqa: F401  (enters the choices into the catalog)
from cc_rapids.catalog import CHOICES

from .engine import Call, Interleaver, Shared, Tape
from .explore import Arrays, Race

Edge = tuple[int, int]
Forest = Sequence[int]


@dataclass(frozen=True)
class Rule:
    """A link rule and how it is called: ``link(parent, *extra, u, v)``.

    ``make(on)`` gives the link; ``extra`` says what each element of further arrays holds at first.
    ``hooked`` tells from what the link returns whether it has hooked a root. ``ordered`` promises
    parent[v] <= v at every step; one that ``waits`` may go round and round while others stand.
    """

    make: Callable[[Any], Callable[..., Any]]
    extra: tuple[tuple[str, Callable[[int], int]], ...] = ()
    hooked: Callable[[Any], bool] = bool
    ordered: bool = True
    waits: bool = False

    def arrays(self, forest: Forest) -> dict[str, Sequence[int]]:
        """The arrays that a link takes."""
        more = {name: [start(v) for v in range(len(forest))] for name, start in self.extra}
        return {"parent": forest, **more}

    def link(self, tape: Tape) -> Callable[..., Any]:
        """The link, noting what it returns when it has hooked a root."""
        plain = self.make(Interleaver)

        def link(*arguments: Any) -> Any:
            result = plain(*arguments)
            if self.hooked(result):
                tape.notes.append(result)
            return result

        return link

    def guard(self, name: str, v: int, old: int, new: int) -> str | None:
        return climbing(name, v, old, new) if self.ordered else None


def climbing(name: str, v: int, old: int, new: int) -> str | None:
    """What is wrong with a new parent, where climbs go down and a root is hooked for ever."""
    if name == "parent" and new > v:
        return f"parent[{v}] = {new} is greater"
    if name == "parent" and new == v:
        return f"{v} has a parent and becomes a root again"
    return None


def rules() -> dict[str, Rule]:
    """Each link of the catalog with each choice of the axes that it takes."""
    found = {}
    for choice in CHOICES["link"].values():
        for parts in product(*(CHOICES[axis].values() for axis in choice.takes)):
            name = "+".join([choice.name, *(part.name for part in parts)])
            found[name] = Rule(partial(_made, choice.make, parts))
    return found


def _made(make: Callable[..., Any], parts: tuple[Any, ...], on: Any) -> Any:
    return make(on, *(part.make(on) for part in parts))


def links(rule: Rule, forest: Forest, threads: Sequence[Sequence[Edge]]) -> Race:
    """Threads that link one edge after the other, in a forest that is there already."""
    edges = [edge for thread in threads for edge in thread]

    def calls(tape: Tape, shared: dict[str, Shared]) -> list[list[Call]]:
        link = rule.link(tape)
        return [[partial(link, *shared.values(), *edge) for edge in thread] for thread in threads]

    title = f"forest {list(forest)}, edges of the threads {list(map(list, threads))}"
    verdict = joins(forest, edges)
    return Race(title, rule.arrays(forest), calls, rule.guard, verdict, rule.waits)


def joins(forest: Forest, edges: Iterable[Edge]) -> Callable[[Arrays, tuple[Any, ...]], str | None]:
    """A verdict: the trees are the components of the forest and the edges, each join noted once."""
    before = [v for v, p in enumerate(forest) if v == p]
    expected = components(len(forest), [*enumerate(forest), *edges])

    def verdict(arrays: Arrays, notes: tuple[Any, ...]) -> str | None:
        parent = arrays["parent"]
        if not all(map(partial(climbs, parent), range(len(parent)))):
            return f"a cycle in {parent}"
        if components(len(parent), enumerate(parent)) != expected:
            return f"the trees {parent} are not the components {expected}"
        hooks = [v for v in before if parent[v] != v]
        if len(notes) != len(hooks):
            return f"{len(notes)} hooks told, {len(hooks)} made"
        if any(note is not True for note in notes) and sorted(notes) != hooks:
            return f"hooks of {notes} told, {hooks} made"
        return None

    return verdict


def climbs(parent: Sequence[int], v: int) -> bool:
    """Whether the climb from a vertex comes to a root."""
    for _ in parent:
        v = parent[v]
    return parent[v] == v


def components(n: int, edges: Iterable[Edge]) -> list[int]:
    """The least vertex of each vertex's component."""
    label = list(range(n))
    for u, v in edges:
        low, high = sorted((label[u], label[v]))
        label = [low if x == high else x for x in label]
    return label


def forests(n: int) -> list[Forest]:
    """Every forest in which no parent is greater than its child."""
    return list(product(*(range(v + 1) for v in range(n))))


def splits(n: int, shape: Sequence[int]) -> Iterator[list[list[Edge]]]:
    """All edge lists on up to n vertices for threads with so many edges each.

    Of those that differ only in the order of threads, or in vertices that occur in no edge, one.
    """
    ends = list(permutations(range(n), 2))
    for edges in product(ends, repeat=sum(shape)):
        used = {v for edge in edges for v in edge}
        if len(used) != max(used) + 1:
            continue
        start, threads = 0, []
        for length in shape:
            threads.append(list(edges[start : start + length]))
            start += length
        if all(a <= b for a, b in pairwise(threads) if len(a) == len(b)):
            yield threads
