"""The kernels around a link rule, run by threads that take their rows one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import ne
from typing import Any

import numpy as np

from cc_rapids.kernels import cuts, forest, sampling
from cc_rapids.kernels import edges as reading
from cc_rapids.kernels import giant as giant_module
from cc_rapids.kernels import queries as batch
from cc_rapids.kernels.find import find_with_skip
from cc_rapids.kernels.giant import mark_in_giant

from .engine import Call, Interleaver, Shared, Tape
from .explore import Arrays, Race
from .scenes import Edge, Forest, LinkRule, climbing, components, joins

COUNT_SHIFT = 48  # of the word that names the giant
Kernel = Callable[..., Any]


def first_phase(
    rule: LinkRule,
    before: Forest,
    threads: Sequence[Sequence[Edge]],
    begin: Callable[[Any], Any] = reading.from_vertex,
) -> Race:
    """Threads that link rows of edges, with self-loops, in a forest that is there already."""
    edges = [edge for thread in threads for edge in thread]
    src, dst = columns(edges)
    joined = joins(rule, before, edges)
    loops = bits(u for u, v in edges if u == v)

    def calls(tape: Tape, shared: dict[str, Shared]) -> list[list[Call]]:
        on, join = Interleaver, rule.join(tape)
        one = reading.one_edge(on, np.uint32, np.uint32, join, begin(on))
        read, edge_index = reading.edge_of_list(on, np.uint32), reading.every(on)
        kernel = reading.every_edge(on, one, read, edge_index, reading.no_prefetch(on))
        more = *rule.trees(shared), None, shared["present"], shared["out_of_range"]
        return rows(threads, lambda i: partial(kernel, i, src, dst, 0, len(before), *more))

    def verdict(arrays: Arrays, notes: tuple[Any, ...]) -> str | None:
        if arrays["present"] != (loops,) or arrays["out_of_range"] != (0,):
            return f"present is {arrays['present']}, out_of_range {arrays['out_of_range']}"
        return joined(arrays, notes)

    arrays = {**rule.arrays(before), "present": [0], "out_of_range": [0]}
    title = _title(before, threads)
    return Race(title, arrays, calls, rule.guard, verdict, rule.waits, rule.kinds)


def second_phase(
    rule: LinkRule,
    before: Forest,
    giant: int,
    threads: Sequence[Sequence[Edge]],
    make: Callable[..., Kernel] = giant_module.unless_in_giant,
) -> Race:
    """The same beside a giant: the trees are flat, and all of that root's have their bits."""
    edges = [edge for thread in threads for edge in thread]
    src, dst = columns(edges)
    joined, n = joins(rule, before, edges), len(before)
    members = [v for v in range(n) if before[v] == giant]
    root_word = (len(members) << COUNT_SHIFT | giant,)
    label = components(n, [*enumerate(before), *edges])

    def calls(tape: Tape, shared: dict[str, Shared]) -> list[list[Call]]:
        on = Interleaver
        parts = (
            make(on, np.uint32, rule.join(tape)),
            reading.edge_of_list(on, np.uint32),
            reading.every(on),
        )
        kernel = sampling.link_edges_outside(on, np.uint32, np.uint32, *parts)
        notes = shared["present"], shared["out_of_range"], root_word, shared["in_giant"]
        more = *rule.trees(shared), None, *notes
        return rows(threads, lambda i: partial(kernel, i, src, dst, 0, n, *more))

    def verdict(arrays: Arrays, notes: tuple[Any, ...]) -> str | None:
        in_giant = [v for v in range(n) if arrays["in_giant"][0] >> v & 1]
        if not set(members) <= set(in_giant) or any(label[v] != label[giant] for v in in_giant):
            return f"{in_giant} have bits, the giant is {giant} in {label}"
        return joined(arrays, notes)

    arrays = {
        **rule.arrays(before),
        "present": [0],
        "out_of_range": [0],
        "in_giant": [bits(members)],
    }
    title = f"giant {giant}, {_title(before, threads)}"
    return Race(title, arrays, calls, rule.guard, verdict, rule.waits, rule.kinds)


def mixed_batch(
    rule: LinkRule,
    before: Forest,
    threads: Sequence[Sequence[Edge]],
    asks: Sequence[Sequence[bool]],
) -> Race:
    """Threads whose rows are insertions or queries: ``asks`` says of each row which it is."""
    edges = [edge for thread in threads for edge in thread]
    queries = [ask for own in asks for ask in own]
    new = [(u, u if ask else v) for (u, v), ask in zip(edges, queries, strict=True)]
    src, dst = columns(edges)
    first = components(len(before), enumerate(before))
    last = components(len(before), [*enumerate(before), *new])
    joined = joins(rule, before, new)

    def calls(tape: Tape, shared: dict[str, Shared]) -> list[list[Call]]:
        on, (parent, aux) = Interleaver, rule.trees(shared)
        trees = aux if rule.extra == "ranks" else parent
        same = batch.same(on, rule.word, rule.low, rule.find(on))
        ends = reading.edge_of_list(on, np.uint32)
        kernel = batch.insert_or_query(on, np.uint32, rule.word, rule.join(tape), ends, same)
        more = parent, aux, trees, queries, shared["answers"]
        return rows(threads, lambda i: partial(kernel, i, src, dst, len(before), *more))

    def verdict(arrays: Arrays, notes: tuple[Any, ...]) -> str | None:
        for (u, v), ask, answer in zip(edges, queries, arrays["answers"], strict=True):
            if ask and not (first[u] == first[v]) <= answer <= (last[u] == last[v]):
                return f"whether {u} and {v} are joined is answered by {answer}"
        return joined(arrays, notes)

    arrays = {**rule.arrays(before), "answers": [0] * len(edges)}
    title = f"queries {list(map(list, asks))}, {_title(before, threads)}"
    return Race(title, arrays, calls, rule.guard, verdict, rule.waits, rule.kinds)


def flattening(before: Forest, threads: Sequence[Sequence[int]], steps: int) -> Race:
    """Threads that each flatten some vertices, whose climbs leap by so many steps."""
    label = components(len(before), enumerate(before))
    roots = bits(p for v, p in enumerate(before) if before[p] == p != v)

    def calls(tape: Tape, shared: dict[str, Shared]) -> list[list[Call]]:
        kernel = forest.flatten(Interleaver, find_with_skip(Interleaver, np.uint64(steps)))
        return [[partial(kernel, v, *shared.values()) for v in thread] for thread in threads]

    def verdict(arrays: Arrays, notes: tuple[Any, ...]) -> str | None:
        if list(arrays["parent"]) == label and arrays["present"] == (roots,):
            return None
        return f"{arrays} where {label} and {roots:b} are right"

    arrays = {"parent": before, "present": [0]}
    return Race(_title(before, threads), arrays, calls, climbing, verdict)


def noting(strict: Forest, loose: Forest, threads: Sequence[Sequence[int]], steps: int) -> Race:
    """Threads that note what was hooked between two cuts, by climbs that leap so many steps.

    In the stricter cut vertices were noted that are no roots there.
    """
    n, root = len(loose), components(len(loose), enumerate(loose))
    never = 255
    was, now = ([p != v for v, p in enumerate(trees)] for trees in (strict, loose))
    cut = tuple(
        0 if before else 1 if after else never for before, after in zip(was, now, strict=True)
    )

    def calls(tape: Tape, shared: dict[str, Shared]) -> list[list[Call]]:
        find = find_with_skip(Interleaver, np.uint64(steps))
        kernel = cuts.note_hooks(Interleaver, np.uint32, np.uint8, find)
        return [[partial(kernel, v, *shared.values(), 1) for v in own] for own in threads]

    def verdict(arrays: Arrays, notes: tuple[Any, ...]) -> str | None:
        above = [root[v] if cut[v] == 1 else n for v in range(n)]
        same = components(n, enumerate(arrays["parent"])) == root
        if same and (list(arrays["above"]), tuple(arrays["cut"])) == (above, cut):
            return None
        return f"{arrays} where {above} and {cut} are right"

    arrays = {"parent": loose, "cut": [0 if before else never for before in was]}
    arrays["above"] = [n] * n
    return Race(_title(loose, threads), arrays, calls, climbing, verdict)


def marking(before: Forest, giant: int) -> Race:
    """Threads that flatten eight vertices each and note those of the giant."""
    n, label = len(before), components(len(before), enumerate(before))
    members = [v for v in range(n) if label[v] == giant]
    expected = tuple(bits(members).to_bytes(-(-n // 8), "little"))
    root_word, children = (len(members) << COUNT_SHIFT | giant,), sum(map(ne, label, range(n)))

    def calls(tape: Tape, shared: dict[str, Shared]) -> list[list[Call]]:
        kernel = mark_in_giant(Interleaver, np.uint32, find_with_skip(Interleaver))
        parent, linked, octets = shared.values()
        own = [(np.uint64(b), np.uint64(b + 1), np.uint64(1)) for b in range(len(expected))]
        return [[partial(kernel, *octet, n, parent, root_word, linked, octets)] for octet in own]

    def verdict(arrays: Arrays, notes: tuple[Any, ...]) -> str | None:
        counted = arrays["linked"] == (children,)
        if list(arrays["parent"]) == label and arrays["octets"] == expected and counted:
            return None
        return f"{arrays} where {label}, {expected} and {children} are right"

    arrays = {"parent": before, "linked": [0], "octets": [0] * len(expected)}
    return Race(f"giant {giant}, forest {list(before)}", arrays, calls, climbing, verdict)


def rows(threads: Sequence[Sequence[Edge]], call: Callable[[np.uint64], Call]) -> list[list[Call]]:
    """The calls of each thread, where the rows of the threads follow each other."""
    found, first = [], 0
    for thread in threads:
        found.append([call(np.uint64(i)) for i in range(first, first + len(thread))])
        first += len(thread)
    return found


def columns(edges: Sequence[Edge]) -> tuple[Any, ...]:
    """The two ends of all edges, as kernels read them; they never change."""
    return tuple(np.array(edges, np.int32).reshape(-1, 2).T)


def bits(vertices: Any) -> int:
    """One word of bits."""
    return sum(1 << v for v in set(vertices))


def _title(before: Forest, threads: Sequence[Sequence[Any]]) -> str:
    return f"forest {list(before)}, rows of the threads {list(map(list, threads))}"
