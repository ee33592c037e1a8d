"""The algorithms, each written once, as plain Python on arrays; one family a file.

``on`` is the engine (see :mod:`cc_rapids.engines.base`). A kernel neither raises nor prints: the
edge of the package has checked its input. To be read in this order: compress, link, rem, jtb (union
and find); forest (all edges); sample and rows (what is linked first); finish; batch.
"""

from . import batch, compress, finish, forest, jtb, link, rem, rows, sample

__all__ = [
    "batch",
    "compress",
    "finish",
    "forest",
    "jtb",
    "link",
    "rem",
    "rows",
    "sample",
]
