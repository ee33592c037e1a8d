"""Merge forests that several devices have computed over the same vertices."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..backends import Array, Backend
from ..graph.forest import Forest
from ..kernels import giant
from ..kernels import merge as merging
from .compiled import CompiledDesign, build
from .design import Design

PAIRS = 8  # a buffer has room for one pair per 8 vertices; if that is too few, the parents are sent


@dataclass(frozen=True)
class Packed:
    """A flat forest, compressed for transfer to another device.

    If there are too many pairs of ``vertices`` and ``roots`` for their buffers, only ``parent`` and
    ``present`` are sent.
    """

    giant: int  # the root of the giant component, the largest tree
    inside: Array  # ((n + 31) // 32,) uint32, the bit set of the giant component's vertices
    vertices: Array  # (k,) the vertices outside the giant component that have a parent
    roots: Array  # (k,) the roots of these vertices
    present: Array  # ((n + 31) // 32,) uint32, the forest's bit set of present vertices
    parent: Array | None = None  # (n,) the forest's parents, if they are sent

    def received(self, backend: Backend, number: int) -> Packed:
        """Copy a packed forest from device ``number`` to the current device."""
        present = backend.received(self.present, number)
        if self.parent is not None:
            return replace(self, present=present, parent=backend.received(self.parent, number))
        inside, vertices, roots = (
            backend.received(array, number) for array in (self.inside, self.vertices, self.roots)
        )
        return Packed(self.giant, inside, vertices, roots, present)

    @property
    def nbytes(self) -> int:
        """The number of bytes to send."""
        parts = (self.inside, self.vertices, self.roots) if self.parent is None else (self.parent,)
        return sum(int(array.nbytes) for array in (self.present, *parts))


def pack(forest: Forest) -> Packed:
    """Pack a flat forest for transfer to another device, and wait for the result."""
    backend, n, vertex = forest.backend, forest.n, forest.vertex
    compiled, probes, max_pairs = _compiled(forest), giant.PROBES, n // PAIRS
    shapes = (2, np.int64), (probes, vertex), (forest.present.size, np.uint32)
    numbers, probed, inside = backend.alloc_packed(*shapes)
    vertices, roots = backend.alloc_packed((max_pairs, vertex), (max_pairs, vertex))
    root_word, pack_count = backend.fill(numbers, 0)[:1], numbers[1:]
    if n:
        compiled.probe(probes, n, forest.parent, probed)
        compiled.most_frequent(probes, probed, root_word)
    octets = inside.view(np.uint8)
    kernel = backend.kernel(merging.pack, vertex)
    kernel(octets.size, n, forest.parent, root_word, octets, vertices, roots, pack_count)
    root_and_count, pair_count = backend.to_host(numbers).tolist()
    pairs = vertices[:pair_count], roots[:pair_count]
    parent = forest.parent if pair_count > max_pairs else None
    root_mask = (1 << int(giant.COUNT_SHIFT)) - 1  # the other bits are a count of probes
    return Packed(root_and_count & root_mask, inside, *pairs, forest.present, parent)


def merge(forest: Forest, other: Packed) -> None:
    """Merge the components of another forest into a flat forest, and flatten it again.

    The components of ``forest`` have not been counted yet. ``other`` is over the same vertices and
    on the same device, and is not changed.
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
    """Point every vertex of a forest at its root, and mark the roots that have children."""
    n, parent, present = forest.n, forest.parent, forest.present
    if n >= giant.MANY_VERTICES:
        # before many threads contend for the bits of these roots
        compiled.mark_frequent(giant.PROBES, n, parent, present)
    compiled.flatten(n, parent, present)


def _compiled(forest: Forest) -> CompiledDesign:
    """Return the kernels of the default design, for the types of a forest."""
    vertex = forest.vertex
    return build(Design(), forest.backend, vertex, vertex, reads_csr=False, record_forest=False)
