"""The algorithms, each written once, as plain Python on arrays; one family a file.

``on`` is the engine (see :mod:`cc_rapids.engines.base`). A kernel neither raises nor prints: the
edge of the package has checked its input.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from . import answer, bits, columns, compress, forest, generate, ids, link, sample

__all__ = [
    "answer",
    "bits",
    "columns",
    "compress",
    "forest",
    "generate",
    "ids",
    "kernel",
    "link",
    "sample",
]


@cache
def kernel(make: Callable[..., Any], *parts: Any) -> Any:
    """What the factory ``make`` gives for an engine and further parts, made once."""
    return make(*parts)
