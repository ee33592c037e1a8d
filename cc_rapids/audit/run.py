"""The audit: one pass over the edges, and one over the vertices."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from time import perf_counter
from typing import Any

import numpy as np

from .. import bits, frames, inputs, kernels, reading
from ..catalog import unknown
from ..choosing import stride_of
from ..columns import Column, of
from ..edges import Edges
from ..engines import Engine
from ..errors import InputError, VerificationError
from ..forest import ROOM, Forest
from ..given import Given
from ..oracle.peers import PEERS
from ..passes import audit as passes
from ..passes import columns as column_passes
from ..passes import trees
from ..pick import check_kinds
from ..sources import Budget, Chunk, Cursor, ahead, bytes_of, is_stream, source_of
from .compared import compare
from .faults import Faults
from .outside import check_outside, shares
from .places import Places, in_words
from .proof import Audit
from .tiled import begin, in_order

NOTHING = (1 << 64) - 1
PIECE = 1 << 22  # vertices of a range that are looked at at a time


def audit(
    places: Places,
    edges: Any,
    source: Any,
    destination: Any,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    nulls: str = "raise",
    header: bool | None = None,
    oracle: str | None = None,
    memory_limit: int | str | None = None,
) -> Audit:
    """Prove an answer; see :meth:`cc_rapids.Components.audit`."""
    started = perf_counter()
    if oracle is not None and oracle not in PEERS:
        raise InputError(unknown("oracle", str(oracle), PEERS))
    path = isinstance(edges, str | os.PathLike) and not isinstance(source, list)
    run = _Run(places)
    if is_stream(edges) or (path and oracle is None):
        if oracle is not None:
            raise InputError(
                f"oracle={oracle!r} takes all edges at once: read the stream into one frame, or"
                " leave it out"
            )
        budget = Budget(bytes_of(memory_limit), 0)
        for given in _chunks(edges, (source, destination, header), nulls, budget, run):
            run.take(given)
        count = inputs.check_vertices(num_vertices, vertices)
        run.name(range(count) if count is not None else vertices)
    else:
        given = frames.read(edges, source, destination, vertices, num_vertices, nulls, header)
        run.take(given, oracle, alone=True)
    found = run.close()
    return Audit(run.edges, places.forest.vertices, found, oracle, perf_counter() - started)


def _chunks(
    edges: Any, names: tuple[Any, Any, bool | None], nulls: str, budget: Budget, run: _Run
) -> Iterator[Given]:
    """The chunks of a stream, each checked; ``names`` are the two columns and the header."""
    source, destination, header = names
    if isinstance(source, list) or isinstance(destination, list):
        raise InputError(
            f"ids of edges that are read in chunks are one column a side, not source={source!r} and"
            f" destination={destination!r}: read them into one frame"
        )
    stream, places = source_of(edges, source, destination, header=header), run.places
    budget.fixed, strings = stream.fixed, places.column.strings
    budget.update("strings" if strings else "range", places.forest.n)
    read: Generator[Chunk, None, None] = stream.read(Cursor(), budget, strings)
    taken: Iterator[Chunk] = ahead(read, stream.readers) if stream.threaded else read
    with closing(taken):  # type: ignore[type-var]
        for chunk in taken:
            yield frames.read(
                chunk.frame, chunk.source, chunk.destination, chunk.vertices, None, nulls
            )


class _Run:
    """The trees so far, and what edges and the caller have named."""

    def __init__(self, places: Places) -> None:
        self.places, self.engine, self.forest = places, places.engine, places.forest
        self.edges = self.rows = self.since = 0
        self.giant = self.top = 0  # the most frequent label, and the root of its vertices
        self.known = self.settled = False  # whether there are bits of either
        self.half = False  # whether half of the vertices hang from that root
        self.begun = self.tiled = False  # whether there are trees, and of tiles first
        self.looked = False  # whether at the vertices
        self.found: list[int] = []  # what all kernels have told
        self.faults = Faults(places)
        with self.engine.scope():
            self._begin(self.engine, self.forest)

    def _begin(self, engine: Engine, forest: Forest) -> None:
        n, words = forest.n, forest.seen.size
        shapes = (n, forest.vertex), *3 * [(words, np.uint32)], (7, np.uint64)
        held = engine.pieces(*shapes, room=ROOM)
        self.trees, self.alike, self.inside, self.named, self.told = held
        self.edge, self.first = self.told[:1], self.told[1:5]  # faults of edges, and of vertices
        self.count, self.wrong = self.told[5:6].view(np.int64), self.told[6:].view(np.int64)
        engine.fill(self.inside, 0)
        engine.fill(self.named, 0)
        engine.fill(self.told, 0xFF)
        engine.fill(self.told[5:], 0)

    def take(self, given: Given, oracle: str | None = None, alone: bool = False) -> None:
        """Hold some edges against the labels, and join them; no others come if they are alone."""
        if not given.src.size and given.vertices is None:
            self.rows += given.dropped
            return
        check_kinds(self.places.column, given.src)
        with inputs.lent_on(self.engine, given) as columns:
            ends = self.places.ends(columns[:2])
            self._join(ends, alone)
            if alone and given.vertices is None:  # nothing else is named: one wait for all
                self._look()
            self.found = self.engine.to_host(self.told).tolist()
            if self.found[6]:  # by an edge that has waited, and does not know its row
                self._check(ends, ends.m, kernels.kernel(reading.every, self.engine))
                self.found = self.engine.to_host(self.told).tolist()
            row = self.found[0]
            if row != NOTHING:
                raise VerificationError(self.faults.edge(given, columns, ends, row, self.rows))
            if len(columns) > 2:
                self._name(columns[2])
            if oracle is not None:
                compare(self.places, oracle, ends)
        if isinstance(given.vertices, range):
            self.name(given.vertices)
        self.rows += given.src.size + given.dropped
        self.edges += given.src.size
        self.since += given.src.size

    def name(self, vertices: Any) -> None:
        """Note vertices that are named besides the edges: a range, or a column of ids."""
        if vertices is None:
            return
        if isinstance(vertices, range):
            for start in range(0, len(vertices), PIECE):
                piece = vertices[start : start + PIECE]
                with self.engine.scope():
                    ids = self.engine.xp.arange(piece.start, piece.stop, piece.step)
                    self._name(ids)
            return
        column = vertices if isinstance(vertices, Column) else of("vertices", vertices)
        check_kinds(self.places.column, column)
        with self.engine.scope(), column.lend() as held:
            self._name(held)

    def close(self) -> int:
        """The number of components, when all edges have passed."""
        engine, forest, faults = self.engine, self.forest, self.faults
        if not self.looked:
            with engine.scope():
                self._start()
                self._look()
                self.found = engine.to_host(self.told).tolist()
        _, *first, found, _ = self.found
        kinds = faults.missing, faults.label, faults.merged, faults.foreign
        for v, words in zip(first, kinds, strict=True):
            if v != NOTHING:
                with engine.scope():
                    raise VerificationError(words(v))
        if found != forest.components:
            raise VerificationError(
                f"len() is {forest.components:,}, and there are {found:,} components"
            )
        return int(found)

    def _look(self) -> None:
        """Look at every vertex, when all edges are joined and all is named."""
        engine, forest, vertex = self.engine, self.forest, self.forest.vertex
        check = kernels.kernel(passes.check_vertices, engine, vertex)
        answer, own = (forest.parent, forest.seen), (self.trees, self.named, self.first)
        check(forest.n, self.giant, self.top, *answer, self.inside, *own, self.count)
        kernels.kernel(passes.check_roots, engine, vertex)(forest.n, forest.seen, *own)
        self.looked = True

    def _join(self, ends: Edges, alone: bool) -> None:
        """Hold each edge against the labels, and join it: those inside tiles first, of a list in
        order, or those of a sample, where one pays, unless what came before has settled most
        vertices.
        """
        n, m, samples = self.forest.n, ends.m, self.engine.samples
        if alone and samples and in_order(ends, n, self.engine):
            begin(self.engine, self.forest, ends, self.trees, self.edge)
            self.begun = self.tiled = True
            self._check(ends, m, kernels.kernel(reading.every, self.engine))
            return
        self._start()
        every = stride_of(n, m)
        if every and not self.known:
            self._gather_alike()
        if samples and stride_of(n, self.since):
            self._gather()
        if self.settled or not (samples and every):
            self._check(ends, m, kernels.kernel(reading.every, self.engine))
            return
        few = reading.sampled_count(m, every)
        self._check(ends, few, kernels.kernel(reading.sampled, self.engine, every))
        self._gather()
        if alone and shares(self.engine, n, m):
            how, notes = (every, self.half, self._hold()), (self.named, self.wrong)
            check_outside(self.engine, self.forest, ends, *how, self._own(), notes)
            return
        self._check(ends, m - few, kernels.kernel(reading.unsampled, self.engine, every))

    def _start(self) -> None:
        """Make every vertex a tree, before anything is joined."""
        if not self.begun:
            start = kernels.kernel(kernels.forest.start, self.engine, self.forest.vertex)
            start(self.forest.n, self.trees)
        self.begun = True

    def _check(self, ends: Edges, count: int, place: Any) -> None:
        """Hold so many edges against the labels, and join them."""
        engine, n, wide = self.engine, self.forest.n, ends.wide_for(self.forest.n)
        read = kernels.kernel(reading.listed, engine, wide)
        look = reading.no_look if self.settled else reading.look_ahead
        ahead = kernels.kernel(look, engine, wide, place)
        kind = engine, self.forest.vertex, wide, read, place, ahead, self._hold()
        rest = ends.src, ends.dst, ends.low, n, *self._own(), self.named, self.edge
        kernels.kernel(passes.check_edges, *kind)(count, *rest)

    def _own(self) -> tuple[Any, ...]:
        """What an edge is held against, and joined in."""
        return self.top, self.forest.parent, self.alike, self.inside, self.trees

    def _hold(self) -> Any:
        """How an edge is held against the labels, and joined."""
        hold, join = passes.hold_apart, trees.join_roots
        if self.engine.samples and not self.tiled:
            hold, join = passes.hold_outside if self.settled else passes.hold, trees.join_parents
        same = kernels.kernel(passes.agree, self.engine, self.known)
        return kernels.kernel(hold, self.engine, same, kernels.kernel(join, self.engine))

    def _probe(self) -> tuple[list[int], list[int]]:
        """The labels and the roots of some vertices."""
        forest = self.forest
        found = self.engine.empty(2 * passes.PROBES, forest.vertex)
        probe = kernels.kernel(passes.probe, self.engine, forest.vertex)
        probe(passes.PROBES, forest.n, forest.parent, self.trees, found)
        told = self.engine.to_host(found).tolist()
        return told[: passes.PROBES], told[passes.PROBES :]

    def _gather_alike(self) -> None:
        """Note which vertices have the label that most do."""
        forest, octets = self.forest, self.alike.view(np.uint8)
        self.giant, self.known = Counter(self._probe()[0]).most_common(1)[0][0], True
        gather = kernels.kernel(passes.gather_alike, self.engine, forest.vertex)
        gather(octets.size, forest.n, self.giant, forest.parent, octets)

    def _gather(self) -> None:
        """Note which vertices with that label hang from the root that most of them do."""
        if not self.known:
            self._gather_alike()
        forest, octets = self.forest, self.inside.view(np.uint8)
        among = zip(*self._probe(), strict=True)
        roots = Counter(root for label, root in among if label == self.giant)
        (self.top, count), *_ = roots.most_common(1)
        self.since, self.settled, self.half = 0, True, 2 * count >= passes.PROBES
        gather = kernels.kernel(passes.gather_inside, self.engine, forest.vertex)
        gather(octets.size, forest.n, self.top, self.alike.view(np.uint8), self.trees, octets)

    def _name(self, column: Any) -> None:
        engine, xp, forest = self.engine, self.engine.xp, self.forest
        at = self.places.of(column)
        there = at < forest.n
        if forest.n:
            inside = xp.where(there, at, 0).astype(at.dtype)
            word = forest.seen[inside >> bits.SHIFT]
            there &= (word >> (inside & bits.LAST).astype(np.uint32)) & bits.ONE != 0
        if not bool(there.all()):
            row = int(xp.argmin(there))
            parts = bool(self.places.column.parts)
            one = [part[row : row + 1] for part in column] if parts else column[row : row + 1]
            raise VerificationError(f"vertex {in_words(one, parts)} has no label")
        mark = kernels.kernel(column_passes.mark_column, engine, forest.vertex)
        mark(at.size, at, 0, self.named)
