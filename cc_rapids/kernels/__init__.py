"""The algorithms, each written once, as plain Python on arrays; one family a file.

``on`` is the engine (see :mod:`cc_rapids.engines.base`). A kernel neither raises nor prints: the
edge of the package has checked its input. To be read in this order: compress, link, rem, jtb (union
and find); forest (all edges); sample, rows, search (what is linked first); finish; rounds; batch.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from . import bits, compress, link, rem, jtb, forest, sample, rows, search, finish, rounds, batch  # noqa: I001

__all__ = [
    "batch",
    "bits",
    "compress",
    "finish",
    "forest",
    "jtb",
    "kernel",
    "link",
    "rem",
    "rounds",
    "rows",
    "sample",
    "search",
]


@cache
def kernel(make: Callable[..., Any], *parts: Any) -> Any:
    """What the factory ``make`` gives for an engine and further parts, made once."""
    return make(*parts)
