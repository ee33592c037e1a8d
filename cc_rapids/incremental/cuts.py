"""The trees of several cuts as one forest, and the answers that are made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from ..algorithms.design import Design
from ..algorithms.run import join
from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..ids.decoders import IdDecoder
from ..kernels import cuts as kernels
from ..kernels import find
from ..kernels import forest as trees
from ..results.components import Components, Facts
from ..results.labels import LabelKind


class GrowingTrees:
    """Trees that grow from the strictest cut to the loosest, and what each cut changes.

    Parameters
    ----------
    forest : Forest
        Every vertex a tree of its own; its parents are overwritten.
    cuts : int
        How many cuts there are.
    design : Design
        A design for batches.
    """

    def __init__(self, forest: Forest, cuts: int, design: Design) -> None:
        backend, n = forest.backend, forest.n
        self.number: Any = np.min_scalar_type(cuts).type
        self.forest, self.design, self.edges = forest, design, list[int]()
        self.above = backend.empty(n, forest.vertex)
        self.cut = backend.fill(backend.empty(n, self.number), 0xFF)
        self.started = perf_counter()

    def join(self, edges: Edges, count: int) -> None:
        """Join the edges of the next cut that no stricter one contains; they ``count`` as many."""
        forest, backend, n = self.forest, self.forest.backend, self.forest.n
        if edges.m and n:
            join(edges, forest, self.design)
            climb = backend.kernel(find.find_with_skip)
            note = backend.kernel(kernels.note_hooks, forest.vertex, self.number, climb)
            note(n, forest.parent, self.cut, self.above, len(self.edges))
        self.edges.append(count + (self.edges[-1] if self.edges else 0))

    def grown(self, given: EdgeInput, decoder: IdDecoder, ids: str) -> CutTrees:
        """Return the trees of all cuts, for answers of the kind of ``given``."""
        seconds = {"copy": None, "compute": perf_counter() - self.started}
        facts = tuple(Facts(str(self.design), ids, edges, seconds=seconds) for edges in self.edges)
        rule = self.design.words[1].spec
        least = rule.root_is_min and not rule.packed
        present = None if self.forest.all_present else self.forest.present.copy()
        return CutTrees(
            given, self.forest.backend, decoder, present, self.cut, self.above, least, facts
        )


@dataclass(frozen=True)
class CutTrees:
    """The trees of several cuts, from the strictest to the loosest, over vertices in id order.

    A cut only hooks roots of stricter ones, so one forest holds all, with the cut of each hook.

    Attributes
    ----------
    given : EdgeInput
        The edges without their rows, which determine the kind of answers.
    backend : Backend
    decoder : IdDecoder
    present : words of uint32, or None
        The vertices that occur, as bits; None if all do.
    cut, above : (n,) arrays of unsigned integers
        The cut at which a vertex was hooked (all bits set for none), and the root of its tree then.
    least : bool
        Whether every root is the least vertex of its tree.
    facts : tuple of Facts
        Those of each cut.
    """

    given: EdgeInput
    backend: Backend
    decoder: IdDecoder
    present: Array | None
    cut: Array
    above: Array
    least: bool
    facts: tuple[Facts, ...]

    def at(self, number: int) -> Forest:
        """Return the trees of one cut, flat and counted: a new forest."""
        backend, n = self.backend, int(self.cut.size)
        flat = Forest(backend, n, all_present=self.present is None)
        if self.present is not None:
            flat.present[:] = self.present
        climb = backend.kernel(kernels.roots_at, flat.vertex)
        climb(n, self.cut, self.above, number, flat.parent)
        if not self.least:
            lowest = backend.fill(backend.empty(n, flat.vertex), 0xFF)
            backend.kernel(trees.least_of_trees, flat.vertex)(n, flat.parent, lowest)
            backend.kernel(trees.reroot)(n, lowest, flat.parent, flat.present)
        flat.count()
        return flat


class CutAnswers(Mapping[Any, Components]):
    """The answer at each threshold, made when it is first asked for, and kept."""

    def __init__(self, trees: CutTrees, levels: Sequence[Any], labels: LabelKind) -> None:
        self._trees, self._labels = trees, labels
        self._number = {level: number for number, level in enumerate(levels)}
        self._made: dict[Any, Components] = {}

    def __len__(self) -> int:
        return len(self._number)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._number)

    def __getitem__(self, level: Any) -> Components:
        if level not in self._made:
            trees, number = self._trees, self._number[level]
            with trees.backend.scope():
                forest = trees.at(number)
            self._made[level] = Components(
                *(trees.given, trees.backend, trees.decoder, forest),
                *(self._labels, trees.facts[number]),
            )
        return self._made[level]
