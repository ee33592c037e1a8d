"""Generate graphs from a seed: the reference graphs of the benchmarks, and simple shapes.

The same arguments give the same edges on every engine and machine, because each edge is a function
of the seed and its index. Edges are not sorted or deduplicated: unless stated otherwise, a graph
may contain self-loops and duplicates. :mod:`cc_rapids.tools.generators.pieces` generates lists that
are larger than memory.

>>> from cc_rapids import components, generators
>>> ring = generators.permuted(generators.cliques([3, 1, 2]), seed=5)
>>> found = components(ring.edges, num_vertices=ring.num_vertices)
>>> len(found) == ring.components == 3
True
>>> bool((found.labels().labels == ring.labels()).all())
True
"""

from . import pieces
from .graph import Graph
from .lists import banded_pairs, near_duplicate_pairs, record_keys
from .pieces import REFERENCES
from .random import barabasi_albert, grid, reference, rmat, uniform
from .shapes import cliques, duplicated, isolated, path, permuted, self_loops, star, torus2d

__all__ = [
    "REFERENCES",
    "Graph",
    "banded_pairs",
    "barabasi_albert",
    "cliques",
    "duplicated",
    "grid",
    "isolated",
    "near_duplicate_pairs",
    "path",
    "permuted",
    "pieces",
    "record_keys",
    "reference",
    "rmat",
    "self_loops",
    "star",
    "torus2d",
    "uniform",
]
