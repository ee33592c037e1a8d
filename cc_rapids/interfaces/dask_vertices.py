"""Distributed vertices: no worker holds all of them. After Balduzzi et al. 2018, section 2.

Every vertex has an owner, one of as many parts as there are workers. As in the paper each part
first joins what lies within it, and what crosses its borders comes last; there single finds and
hooks go to the owner of a vertex by one-sided MPI, here all of a part go in one batch:

1. Each worker joins the forests of its partitions, whose edges go to the owners of one end, and
   each part labels its vertices by the edges within it.
2. Edges that cross are looked up at both ends: from there on they join components of parts, and a
   component within a part is not heard of again. Of these edges each part keeps a forest.
3. While they are more than ``room``, a round of hooks: every vertex that still has a neighbour
   takes the least of them for its parent. Of such choices no cycle is longer than two, because the
   choice of a choice is never greater than the vertex; the lesser of two that chose each other is
   a root, and the least of its tree. Batches of finds double the way that each vertex sees until
   it sees its root, and edges are looked up again.
4. What is left, a forest of at most ``room`` edges, is solved on one worker, and the way back is
   one batch of finds a round.

The bound: every tree of step 3 has two vertices or more, so a round at least halves the vertices
that have neighbours. With b such vertices after step 2 there are at most log2(b) rounds, and
because P parts keep P (b - 1) edges at most, none once b <= room / P + 1; in a round that begins
with b of them trees are less than b deep, which takes at most log2(b) + 2 batches of finds. By
default ``room`` is the number of vertices of the largest part: beside its share of the vertices,
and of the edges of forests, no worker ever holds more rows than that. Where borders are shorter
(lattices in tiles, roads) no round is needed, and four batches are all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import getitem
from typing import Any

import numpy as np
from distributed import Future

from ..errors import InputError
from . import dask_parts as parts
from .dask_exchange import Exchange
from .dask_owners import Given, Hashed, Owner, even, unsteady
from .dask_progress import Watch
from .dask_tree import Tasks
from .dask_work import Ends


def most_rounds(vertices: int, count: int, room: int) -> int:
    """The most rounds of hooks with so many vertices at the borders of so many parts."""
    rounds = 0
    while vertices > 1 and count * (vertices - 1) > room:
        vertices, rounds = vertices // 2, rounds + 1
    return rounds


def owner_of(wanted: Any, facts: list[dict[str, Any]], count: int) -> Owner:
    """The owner of vertices.

    Raises
    ------
    InputError
        Ranges are wanted of strings.
    """
    lows = [fact["low"] for fact in facts if fact["low"] is not None]
    highs = [fact["high"] for fact in facts if fact["high"] is not None]
    if callable(wanted):
        return Given(wanted, count)
    if wanted == "hash" or (wanted is None and not lows):
        return Hashed(count)
    kinds = sorted({kind.dtype for fact in facts for kind in fact["kinds"]})
    if kinds and not lows:
        raise InputError(f"owners='range' is for integers, and ids are {', '.join(kinds)}")
    return even(min(lows, default=0), max(highs, default=0), count)


@dataclass
class Distributed:
    """A run over distributed vertices, after the forests of the partitions."""

    tasks: Tasks
    exchange: Exchange
    owner: Owner
    count: int
    named: range | None
    options: dict[str, Any]
    facts: dict[str, Any] = field(default_factory=dict)

    def run(self, leaves: list[Future], kind: str | None, room: int | None) -> list[Future]:
        """The answers of the parts."""
        send, on = self.exchange.send, self.exchange.on
        owner, count, options, named = self.owner, self.count, self.options, self.named
        numbers = range(count)
        held = self.tasks.client.who_has(leaves)
        boxes = [
            self.tasks.submit(parts.routed, leaf, owner, count, kind, worker=next(iter(at), None))
            for leaf, at in zip(leaves, (held.get(leaf.key, ()) for leaf in leaves), strict=True)
        ]
        edges = send(boxes, "source", None, "to owners")
        asked = named, options
        inner = [on(p, parts.local_labels, edges[p], owner, p, count, *asked) for p in numbers]
        cross = [on(p, parts.crossing, edges[p], inner[p], owner, p, count) for p in numbers]
        border = send(cross, "destination", numbers, "borders")
        del boxes, edges, cross  # the forests of the workers are held, and all follows from them
        labels = [on(p, parts.with_new, inner[p], border[p]) for p in numbers]
        left = [on(p, parts.bordering, border[p], labels[p], options) for p in numbers]
        if room is None:
            room = max(self.tasks.facts([on(p, len, labels[p]) for p in numbers]))
        levels: list[list[Future]] = []
        while sum(rows := self._rows(left)) > room:
            self.facts.setdefault("border", self._border(left))
            levels.append(self._hook(left, len(levels) + 1))
            left = self._relabel(left, levels[-1], len(levels))
        self.facts |= {"rounds": len(levels), "room": room, "rest": sum(rows)}
        table = self._solve(left, rows)
        for number, level in reversed(list(enumerate(levels, 1))):
            table = self.exchange.find(level, "labels", table, f"back, round {number}")
        return [on(p, parts.finished, labels[p], table[p]) for p in numbers]

    def _rows(self, left: list[Future]) -> list[int]:
        found = self.tasks.facts([self.tasks.submit(parts.described, one) for one in left])
        return [fact["rows"] for fact in found]

    def _border(self, left: list[Future]) -> int:
        """At most how many vertices there are at the borders."""
        return 2 * sum(self._rows(left))

    def _hook(self, left: list[Future], number: int) -> list[Future]:
        """The root of every vertex that has a neighbour, at its owner."""
        on, stage = self.exchange.on, f"hooks, round {number}"
        count = self.count
        boxes = [
            on(p, parts.least_neighbours, one, self.owner, count) for p, one in enumerate(left)
        ]
        nearest = self.exchange.send(boxes, "vertex", range(count), stage)
        tables = [on(p, parts.least, one) for p, one in enumerate(nearest)]
        seen = self.exchange.further(tables, stage)
        tables = [on(p, parts.rooted, one) for p, one in enumerate(seen)]
        while True:
            seen = self.exchange.further(tables, stage)
            tables = [on(p, parts.jumped, one) for p, one in enumerate(seen)]
            if not sum(self.tasks.facts([on(p, parts.moved, seen[p]) for p in range(count)])):
                return tables

    def _relabel(self, left: list[Future], roots: list[Future], number: int) -> list[Future]:
        """The forests of what still joins different trees."""
        on, stage = self.exchange.on, f"edges, round {number}"
        edges = [on(p, parts.edges_of, one) for p, one in enumerate(left)]
        for end in parts.ENDS:
            edges = self.exchange.find(edges, end, roots, stage)
        return [on(p, parts.shrunk, one, self.options) for p, one in enumerate(edges)]

    def _solve(self, left: list[Future], rows: list[int]) -> list[Future]:
        """What is left, solved where most of it is, and told to the owners."""
        exchange, home = self.exchange, int(np.argmax(rows))
        on = exchange.on
        weights = self.tasks.facts([on(p, parts.weight_of, one) for p, one in enumerate(left)])
        for part, weight in enumerate(weights):
            exchange.bytes[part, home] += weight if part != home else 0
        exchange.batches += 1
        whole = on(home, parts.solved, self.options, *left)
        box = on(home, parts.boxed, whole, "vertex", self.owner, self.count)
        return exchange.send([box], "vertex", [home], "rest")


def distributed(
    tasks: Tasks,
    leaves: list[Future],
    called: Ends,
    owners: Any,
    room: int | None,
    named: range | None,
    count: int | None,
    options: dict[str, Any],
    watch: Watch,
) -> tuple[list[Future], dict[str, Any]]:
    """The answers of the parts for the forests of the workers, and the facts.

    Parameters
    ----------
    called : pair of columns
        What the caller calls the ids.
    named : range, optional
        Vertices that count even if no edge names them.
    count : int, optional
        ``num_vertices``: an InputError says if an id lies outside.
    """
    facts = tasks.facts([tasks.submit(parts.described, leaf) for leaf in leaves])
    number = len(tasks.workers())
    kind = parts.kind_of_ids(called, facts, named)
    owner = owner_of(owners, facts, number)
    _check_ids(called, facts, count)
    if isinstance(owner, Given):
        _check_function(tasks, leaves, owner, kind, named)
    exchange = Exchange(tasks, owner, number, watch)
    run = Distributed(tasks, exchange, owner, number, named, options)
    answers = run.run(leaves, kind, room)
    counts = tasks.facts([tasks.submit(parts.counted, one) for one in answers])
    vertices, components = (sum(column) for column in zip(*counts, strict=True))
    return answers, run.facts | {
        "vertices": vertices,
        "components": components,
        "dropped": sum(fact["dropped"] for fact in facts),
        "most_in_a_part": max(held for held, _ in counts),
        "bytes": int(exchange.bytes.sum()),
        "batches": exchange.batches,
    }


def _check_function(
    tasks: Tasks, leaves: list[Future], owner: Given, kind: str | None, named: range | None
) -> None:
    """Ask every worker for the owners of some ids; an InputError if two calls differ.

    Ids are asked about once more where they arrive. Nothing finds all functions that are none,
    short of sending every id once more: whether the vertices of two parts are disjoint cannot be
    known by sending less than a bit for each.
    """
    samples = [tasks.submit(parts.sample, leaf, kind) for leaf in leaves]
    asked = [
        tasks.submit(parts.called, owner, named, *samples, worker=one) for one in tasks.workers()
    ]
    calls = np.concatenate(tasks.facts([tasks.submit(getitem, one, 1) for one in asked]))
    differs = (calls != calls[0]).any(axis=0)
    if differs.any():
        at = int(differs.argmax())
        [ids] = tasks.facts([tasks.submit(parts.one_of, asked[0], at)])
        raise unsteady(ids, *np.unique(calls[:, at])[:2])


def _check_ids(called: Ends, facts: list[dict[str, Any]], count: int | None) -> None:
    bounds = [fact[end] for fact in facts for end in ("low", "high") if fact[end] is not None]
    if count is None or not bounds:
        return
    low, high = min(bounds), max(bounds)
    if low < 0 or high >= count:
        raise InputError(
            f"{called[0]!r} or {called[1]!r} holds the id {low if low < 0 else high}, outside"
            f" 0..{count - 1} of num_vertices={count}: give a larger one, or vertices="
        )
