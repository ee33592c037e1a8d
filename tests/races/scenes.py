"""Forests and edges to race on, and what has to hold of the forest that the threads leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import count, pairwise, permutations, product
from typing import Any

import numpy as np

from cc_rapids.algorithms.design import Word, designs, parse_word
from cc_rapids.kernels import find as compress
from cc_rapids.kernels import forest
from cc_rapids.kernels.find import naive
from cc_rapids.kernels.spec import UnionSpec

from .engine import Call, Interleaver, Shared, Tape
from .explore import Arrays, Race

NONE = (1 << 32) - 1
RANK, LOW = 58, (1 << 58) - 1  # of a word of jtb's

Edge = tuple[int, int]
Forest = Sequence[int]


@dataclass(frozen=True)
class LinkRule:
    """A link rule, called ``link(parent, extra, u, v)``; it returns the root hooked, or NONE.

    ``make(on)`` gives the link; ``extra`` is the word of the catalog for what it keeps beside the
    parents. ``ordered`` promises parent[v] <= v at every step, ``told`` that it returns each root
    that is hooked, ``forests`` that the edges of these hooks are a forest; one that ``waits`` may
    go round and round while others stand. Queries climb by ``find``.
    """

    make: Callable[[Any], Callable[..., Any]]
    extra: str = ""
    ordered: bool = True
    forests: bool = True
    waits: bool = False
    told: bool = True
    find: Callable[[Any], Any] = naive

    def arrays(self, forest: Forest) -> dict[str, Sequence[int]]:
        """The array of parents, and the other one if there is one."""
        n = len(forest)
        more = {"hooks": [NONE] * n, "locks": [0] * n, "ranks": forest}
        return {"parent": forest} | ({self.extra: more[self.extra]} if self.extra else {})

    @property
    def word(self) -> Any:
        """The type of what finds climb."""
        return np.uint64 if self.extra == "ranks" else np.uint32

    @property
    def low(self) -> Any:
        """The bits of a word that are the parent."""
        return self.word(LOW if self.extra == "ranks" else NONE)

    @property
    def kinds(self) -> dict[str, Any]:
        return {"ranks": np.uint64} if self.extra == "ranks" else {}

    def trees(self, shared: dict[str, Shared]) -> tuple[Shared, Shared]:
        """The first two arguments of a link."""
        return shared["parent"], shared[self.extra or "parent"]

    def parents(self, arrays: Arrays) -> tuple[int, ...]:
        """The forest in the end."""
        if self.extra == "ranks":
            return tuple(word & LOW for word in arrays["ranks"])
        return arrays["parent"]

    def join(self, tape: Tape) -> Callable[..., Any]:
        """The link for the sake of an edge, which notes (root, edge) when it has hooked a root."""

        def note(chosen: Any, r: Any, e: Any) -> None:
            tape.notes.append((int(r), int(e)))

        return forest.joining(Interleaver, np.uint32, self.make(Interleaver), note)

    def guard(self, name: str, v: int, old: int, new: int) -> str | None:
        if name == "ranks":
            if new & LOW == v:
                return None if old & LOW == v else f"{v} has a parent and becomes a root again"
            return None if old >> RANK == new >> RANK else f"{v} is no root and changes its rank"
        return climbing(name, v, old, new) if self.ordered else None


def climbing(name: str, v: int, old: int, new: int) -> str | None:
    """What is wrong with a new parent, where climbs go down and a root is hooked for ever."""
    if name == "parent" and new > v:
        return f"parent[{v}] = {new} is greater"
    if name == "parent" and new == v:
        return f"{v} has a parent and becomes a root again"
    return None


def rules() -> dict[str, LinkRule]:
    """Each link of the catalog that is a union of two trees, with each find that goes with it."""
    return {name: LinkRule(made, aux, **facts) for name, made, aux, facts in _rules()}


def _rules() -> Iterator[tuple[Any, ...]]:
    for design in designs():
        sample, link, compress = design.words
        spec = link.spec
        if not sample.spec.samples and spec.is_union:
            made = partial(_made, spec, compress, dict(link.options).get("find"))
            aux = spec.aux_array.name if spec.aux_array else ""
            forests, waits = design.makes_forests, aux == "locks"
            own = spec.finds[compress.spec.name] if spec.takes_find and compress else naive
            ordered = spec.root_is_min
            facts = {"ordered": ordered, "forests": forests, "waits": waits, "find": own}
            yield str(design).removeprefix("none+"), made, aux, facts


def rule(link: str, compress: str | None = None, **facts: Any) -> LinkRule:
    """A link and its find by name, also those that no design is made of."""
    word = parse_word("link", link)
    step = parse_word("compress", compress) if compress else None
    compress_after_union = dict(word.options).get("find")
    aux = word.spec.aux_array.name if word.spec.aux_array else ""
    return LinkRule(partial(_made, word.spec, step, compress_after_union), aux, **facts)


def _made(spec: UnionSpec, step: Word | None, compress_after_union: str | None, on: Any) -> Any:
    """The link, put together as :mod:`cc_rapids.algorithms.compiled` does it."""
    made = step and spec.finds[step.spec.name](on)
    after = compress.AFTER_UNION.get(compress_after_union or (step.spec.name if step else ""))
    known = {"find": made, "step": made, "compress_after_union": after and after(on)}
    return spec.make(on, np.uint32, *(known[part] for part in spec.requires))


def links(rule: LinkRule, before: Forest, threads: Sequence[Sequence[Edge]]) -> Race:
    """Threads that link one edge after the other, in a forest that is there already."""
    edges = [edge for thread in threads for edge in thread]

    def calls(tape: Tape, shared: dict[str, Shared]) -> list[list[Call]]:
        join, numbers = rule.join(tape), count()
        trees = *rule.trees(shared), None
        return [
            [partial(join, *trees, *map(np.uint32, edge), next(numbers)) for edge in thread]
            for thread in threads
        ]

    title = f"forest {list(before)}, edges of the threads {list(map(list, threads))}"
    verdict = joins(rule, before, edges)
    return Race(title, rule.arrays(before), calls, rule.guard, verdict, rule.waits, rule.kinds)


def joins(
    rule: LinkRule, before: Forest, edges: Sequence[Edge]
) -> Callable[[Arrays, tuple[Any, ...]], str | None]:
    """A verdict: the trees are the components of the forest and the edges, each join noted once.

    With the trees that were there the edges noted are a spanning forest, where the rule says so.
    """
    roots = [v for v, p in enumerate(before) if v == p]
    expected = components(len(before), [*enumerate(before), *edges])

    def verdict(arrays: Arrays, notes: tuple[Any, ...]) -> str | None:
        parent = rule.parents(arrays)
        if not all(map(partial(climbs, parent), range(len(parent)))):
            return f"a cycle in {parent}"
        if components(len(parent), enumerate(parent)) != expected:
            return f"the trees {parent} are not the components {expected}"
        hooks, told = [v for v in roots if parent[v] != v], sorted(r for r, _ in notes)
        if rule.told and told != hooks:
            return f"hooks of {told} told, {hooks} made"
        chosen = [edges[e] for _, e in notes]
        if rule.forests and components(len(before), [*enumerate(before), *chosen]) != expected:
            return f"the edges {chosen} noted are no spanning forest"
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


@cache
def splits(n: int, shape: tuple[int, ...]) -> list[list[list[Edge]]]:
    """All edge lists on up to n vertices for threads with so many edges each.

    Of those that differ only in the order of threads, or in vertices that occur in no edge, one.
    """
    ends, found = list(permutations(range(n), 2)), []
    for edges in product(ends, repeat=sum(shape)):
        used = {v for edge in edges for v in edge}
        if len(used) != max(used) + 1:
            continue
        start, threads = 0, []
        for length in shape:
            threads.append(list(edges[start : start + length]))
            start += length
        if all(a <= b for a, b in pairwise(threads) if len(a) == len(b)):
            found.append(threads)
    return found
