"""The algorithms, each written once, as plain Python on arrays; one family a file.

``on`` is the engine (see :mod:`cc_rapids.engines.base`). A kernel neither raises nor prints: the
edge of the package has checked its input. To be read in this order: compress, link, rem, jtb (union
and find); forest (all edges); sample and rows (what is linked first); finish; batch.
"""

# Importing a file registers what it holds, and ``designs()`` lists each axis in this order.
# isort: off
from . import compress, sample, rows, link, jtb, rem
from . import batch, finish, forest
# isort: on

__all__ = ["batch", "compress", "finish", "forest", "jtb", "link", "rem", "rows", "sample"]
