"""Merging of forests over the same vertices that several devices have made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..backends import Array, Backend
from ..graph.forest import Forest
from ..kernels import merge as merging
from ..tuning import tuning
from .compiled import CompiledDesign, build
from .design import Design

PAIRS = 8  # vertices per pair that fits in place of their parents
COUNT_SHIFT = 48  # of the word that names the giant, see kernels/giant.py


@dataclass(frozen=True)
class Packed:
    """A flat forest as it is sent to another device, in as few bytes as its giant allows.

    Attributes
    ----------
    giant : int
        The root of the largest tree.
    inside : (n + 31) // 32 words of uint32
        Its vertices, as bits.
    vertices, roots : (k,) arrays of vertices
        All other vertices that have a parent, and their roots.
    present : (n + 31) // 32 words of uint32
        That of the forest.
    parent : (n,) array of vertices, optional
        That of the forest, to be sent instead of the first three, if these pairs are too many.
    """

    giant: int
    inside: Array
    vertices: Array
    roots: Array
    present: Array
    parent: Array | None = None

    def received(self, backend: Backend, number: int) -> Packed:
        """Return a copy on the current device of what another one has packed."""
        present = backend.received(self.present, number)
        if self.parent is not None:
            parent = backend.received(self.parent, number)
            return Packed(0, self.inside, self.vertices, self.roots, present, parent)
        inside, vertices, roots = (
            backend.received(array, number) for array in (self.inside, self.vertices, self.roots)
        )
        return Packed(self.giant, inside, vertices, roots, present)

    @property
    def nbytes(self) -> int:
        """The bytes that are sent."""
        parts = (self.inside, self.vertices, self.roots) if self.parent is None else (self.parent,)
        return sum(int(array.nbytes) for array in (self.present, *parts))


def pack(forest: Forest) -> Packed:
    """Pack a flat forest; wait until that is done."""
    backend, n, vertex = forest.backend, forest.n, forest.vertex
    compiled, probes, room = _compiled(forest), tuning.giant_probes, n // PAIRS
    shapes = (2, np.int64), (probes, vertex), (forest.present.size, np.uint32)
    numbers, probed, inside = backend.alloc_packed(*shapes)
    vertices, roots = backend.alloc_packed((room, vertex), (room, vertex))
    root_word, pack_count = backend.fill(numbers, 0)[:1], numbers[1:]
    if n:
        compiled.probe(probes, n, forest.parent, probed)
        compiled.most_frequent(probes, probed, root_word)
    octets = inside.view(np.uint8)
    kernel = backend.kernel(merging.pack, vertex)
    kernel(octets.size, n, forest.parent, root_word, octets, vertices, roots, pack_count)
    word, count = backend.to_host(numbers).tolist()
    pairs = vertices[:count], roots[:count]
    parent = forest.parent if count > room else None
    return Packed(word & (1 << COUNT_SHIFT) - 1, inside, *pairs, forest.present, parent)


def merge(forest: Forest, other: Packed) -> None:
    """Join the trees of a flat forest that another one joins, and flatten it again.

    Parameters
    ----------
    forest : Forest
        Not counted yet.
    other : Packed
        A forest over the same vertices, on the same device; not written.
    """
    backend, n, vertex = forest.backend, forest.n, forest.vertex
    trees = forest.parent, backend.unused(vertex)
    if other.parent is not None:
        backend.kernel(merging.link_parents, vertex)(n, *trees, other.parent)
    else:
        octets = other.inside.view(np.uint8)
        backend.kernel(merging.link_giant, vertex)(octets.size, other.giant, *trees, octets)
        pairs = other.vertices, other.roots
        backend.kernel(merging.link_pairs, vertex)(other.vertices.size, *trees, *pairs)
    forest.present |= other.present
    flatten(_compiled(forest), forest)


def flatten(compiled: CompiledDesign, forest: Forest) -> None:
    """Point every vertex of a forest at its root, and note the roots that have children."""
    n, parent, present = forest.n, forest.parent, forest.present
    if n >= tuning.frequent_root_vertices:
        compiled.mark_frequent(tuning.giant_probes, n, parent, present)
    compiled.flatten(n, parent, present)


def _compiled(forest: Forest) -> CompiledDesign:
    return build(Design(), forest.backend, forest.vertex, forest.vertex, False, False)
