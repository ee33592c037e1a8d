"""Trees of the audit: grown from the edges by kernels of its own, and held against the labels."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from .. import bits, inputs, kernels, reading
from ..choosing import choose
from ..columns import Column, of
from ..edges import Edges
from ..engines import Engine
from ..errors import VerificationError
from ..forest import Forest
from ..given import Given
from ..oracle.peers import least_by
from ..passes import audit as passes
from ..passes import columns as column_passes
from ..pick import check_kinds
from .faults import Faults
from .places import Places, in_words

NOTHING, KINDS = (1 << 64) - 1, passes.FOREIGN + 1
FIFTH, TWENTIETH = 5 * 256, 20 * 256  # edges: a block of 256 of each stride is joined first
FULL = 16  # edges a vertex of which a twentieth is sample enough
PIECE = 1 << 22  # vertices of a range that are looked at at a time


def samples(engine: Engine, n: int, m: int) -> bool:
    """Whether it pays to leave edges out that a sample has settled: where it does for a run."""
    return n > 0 and choose(engine, n, m).design.sample != "none"


class Trees:
    """The trees so far, and what edges and the caller have named."""

    def __init__(self, places: Places) -> None:
        self.places, self.engine, self.forest = places, places.engine, places.forest
        self.edges = self.rows = self.since = self.top = 0
        self.gathered = False
        self.faults = Faults(places)
        with self.engine.scope():
            self._begin(self.engine, self.forest)

    def _begin(self, engine: Engine, forest: Forest) -> None:
        n, words = forest.n, forest.seen.size
        self.trees, self.inside, self.named, self.told = engine.pieces(
            (n, forest.vertex), (words, np.uint32), (words, np.uint32), (KINDS + 2, np.uint64)
        )
        self.first, self.counts = self.told[:KINDS], self.told[KINDS:].view(np.int64)
        kernels.kernel(kernels.forest.start, engine, forest.vertex)(n, self.trees)
        engine.fill(self.inside, 0)
        engine.fill(self.named, 0)
        engine.fill(self.first, 0xFF)
        engine.fill(self.counts, 0)

    def take(self, given: Given, at_hand: bool = True) -> None:
        """Join the ends of some edges, and note what they name; those that are not at hand later
        are held against the labels now.
        """
        if not given.src.size and given.vertices is None:
            self.rows += given.dropped
            return
        check_kinds(self.places.column, given.src)
        with inputs.lent_on(self.engine, given) as columns:
            ends, stride = self.places.ends(columns[:2]), 0
            if samples(self.engine, self.forest.n, self.since):
                self._gather()
            elif samples(self.engine, self.forest.n, ends.m):
                stride = TWENTIETH if ends.m >= FULL * self.forest.n else FIFTH
                self._sample(ends, stride)
                self._gather()
            self._join(ends, stride)
            if not at_hand:
                self._tell(given, columns, ends)
            if len(columns) > 2:
                self._name(columns[2])
        if isinstance(given.vertices, range):
            self.name(given.vertices)
        self.rows += given.src.size + given.dropped
        self.edges += given.src.size
        self.since += given.src.size

    def explain(self, given: Given) -> None:
        """Raise a VerificationError that names the first edge whose ends differ, if one does."""
        self.rows = 0
        if given.src.size:
            with inputs.lent_on(self.engine, given) as columns:
                self._tell(given, columns, self.places.ends(columns[:2]))

    def _tell(self, given: Given, columns: list[Any], ends: Edges) -> None:
        """The same, of edges that come after so many rows."""
        every = kernels.kernel(reading.every, self.engine)
        differ = kernels.kernel(passes.differ, *self._kind(ends, every))
        differ(ends.m, *self._read(ends), self.forest.parent, self.first)
        row = int(self.engine.to_host(self.first)[passes.EDGE])
        if row != NOTHING:
            raise VerificationError(self.faults.edge(given, columns, ends, row, self.rows))

    def compare(self, given: Given, oracle: str) -> None:
        """Hold the labels against another library's."""
        if given.src.size or given.vertices is not None:
            with inputs.lent_on(self.engine, given) as columns:
                self._compare(oracle, self.places.ends(columns[:2]))

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
        engine, forest, vertex = self.engine, self.forest, self.forest.vertex
        with engine.scope():
            check = kernels.kernel(passes.check_vertices, engine, vertex)
            answer, own = (forest.parent, forest.seen), (self.trees, self.named, self.first)
            check(forest.n, self.top, *answer, self.inside, *own, self.counts)
            kernels.kernel(passes.check_roots, engine, vertex)(forest.n, forest.seen, *own)
            *first, found, roots = engine.to_host(self.told).tolist()
            faults = self.faults
            kinds = faults.row, faults.missing, faults.label, faults.merged, faults.foreign
            for v, words in zip(first, kinds, strict=True):
                if v != NOTHING:
                    raise VerificationError(words(v))
        if found != roots:
            raise VerificationError(f"there are {found:,} labels, and edges leave {roots:,} trees")
        if found != forest.components:
            raise VerificationError(
                f"len() is {forest.components:,}, and there are {found:,} components"
            )
        return int(found)

    def _sample(self, ends: Edges, stride: int) -> None:
        """Join the edges of one block of each stride."""
        place = kernels.kernel(column_passes.glance, self.engine, stride)
        self._join_some(ends, place, column_passes.glanced_count(ends.m, stride))

    def _join(self, ends: Edges, stride: int) -> None:
        """Join all edges, or those that a sample of blocks has left."""
        place, count = kernels.kernel(reading.every, self.engine), ends.m
        if stride:
            place = kernels.kernel(column_passes.unseen, self.engine, stride)
            count -= column_passes.glanced_count(ends.m, stride)
        if not self.gathered:
            self._join_some(ends, place, count)
            return
        join = kernels.kernel(passes.join_outside, *self._kind(ends, place))
        own = self.inside, self.trees, self.named, self.first
        join(count, *self._read(ends), self.top, *own)

    def _join_some(self, ends: Edges, place: Any, count: int) -> None:
        ahead = kernels.kernel(reading.look_ahead, self.engine, ends.wide_for(self.forest.n), place)
        join = kernels.kernel(passes.join_edges, *self._kind(ends, place), ahead)
        join(count, *self._read(ends), self.trees, self.named, self.first)

    def _read(self, ends: Edges) -> tuple[Any, ...]:
        return ends.src, ends.dst, ends.low, self.forest.n

    def _kind(self, ends: Edges, place: Any) -> tuple[Any, ...]:
        wide = ends.wide_for(self.forest.n)
        read = kernels.kernel(reading.listed, self.engine, wide)
        return self.engine, self.forest.vertex, wide, read, place

    def _gather(self) -> None:
        """Note which vertices hang from the root that most do."""
        engine, forest, self.since, self.gathered = self.engine, self.forest, 0, True
        found = engine.empty(passes.PROBES, forest.vertex)
        kernels.kernel(passes.probe, engine, forest.vertex)(found.size, forest.n, self.trees, found)
        self.top = Counter(engine.to_host(found).tolist()).most_common(1)[0][0]
        octets = self.inside.view(np.uint8)
        gather = kernels.kernel(passes.gather_inside, engine, forest.vertex)
        gather(octets.size, forest.n, self.top, self.trees, octets)

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

    def _compare(self, oracle: str, ends: Edges) -> None:
        """Another library's components, which have to be the same."""
        engine, xp, forest = self.engine, self.engine.xp, self.forest
        src, dst = (
            (column.astype(np.int64) - np.int64(ends.low)) for column in (ends.src, ends.dst)
        )
        theirs = least_by(oracle, src, dst, forest.n)
        other = xp.flatnonzero(engine.asarray(theirs) != forest.parent)
        if other.size:
            v = int(other[0])
            name, own = self.places.name, int(forest.parent[v])
            raise VerificationError(
                f"vertex {name(v)} has the label {name(own)}, and for {oracle} the least vertex"
                f" of its component is {name(int(theirs[v]))}"
            )
