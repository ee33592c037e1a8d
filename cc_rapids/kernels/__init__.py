"""Device code: each algorithm written once, as plain Python on arrays, one theme per file.

``on`` is the backend (see :mod:`cc_rapids.backends.base`), which is passed in: nothing of the rest
of the package is imported here. A kernel neither raises nor prints: the edge of the package has
checked its input. To be read in this order: find, union, rem, jtb (union and find); edges and
forest (all edges); sampling, giant and csr_sampling (what is linked first); queries. Of no paper:
the range, the bit map and the hash table of ids, strings, the order and the columns of an answer
(scan, gather), and audits, which share nothing with the rest.

What a union rule of one's own takes: :func:`union_rule` registers it, ``FINDS`` are the finds that
it may close over, ``HOOKS`` and ``LOCKS`` the arrays that it may keep beside the parents, and
``none_of`` says how it notes that no edge has hooked a vertex.
"""

# Importing a file registers what it holds, and ``designs()`` lists each axis in this order.
# isort: off
from . import find, sampling, csr_sampling, union, jtb, rem
from . import forest, queries

# isort: on
from .find import FINDS
from .primitives import none_of
from .spec import (
    HOOKS,
    LOCKS,
    find_rule,
    rounds_rule,
    sampling_rule,
    standalone_algorithm,
    union_rule,
)

__all__ = [
    "FINDS",
    "HOOKS",
    "LOCKS",
    "csr_sampling",
    "find",
    "find_rule",
    "forest",
    "jtb",
    "none_of",
    "queries",
    "rem",
    "rounds_rule",
    "sampling",
    "sampling_rule",
    "standalone_algorithm",
    "union",
    "union_rule",
]
