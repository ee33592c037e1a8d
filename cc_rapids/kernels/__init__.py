"""Device code: each algorithm is written once, as plain Python on arrays, one topic per file.

Kernel factories receive the backend as ``on`` (see :mod:`cc_rapids.backends.base`). The docstring
of a factory describes the kernel or the device function that it returns. Interchangeable functions
have the same parameters, although some do not use every parameter. This package imports nothing
from the rest of cc_rapids. A kernel neither raises nor prints, because callers validate the input.

If the threads of a kernel loop, its first three arguments are the first index of a thread, the end
of the indices, and ``step``, the distance between two indices of a thread: on a GPU the number of
threads, on a CPU 1. The first arguments of a kernel of blocks are the number ``k`` of the block,
the number ``t`` of a thread in the block, and the count ``step`` of threads in the block. On a CPU,
kernels prefetch the data of later rows, because a thread would otherwise stall on each row. A GPU
runs other threads while one waits.

Suggested reading order: find, union, rem, jtb (union-find); edges, forest (phases over all edges);
sampling, giant, csr_sampling (edges linked first); queries. Other topics are forests by weight
(boruvka), merge trees (dendrogram), Euler tours, the ids (id_range, id_hash, strings), the columns
of an answer (scan, gather) and audits. Audits share no code with the other files.

A custom union rule needs four names from here. :func:`union_rule` registers it, ``FINDS`` are the
find functions that it can use, ``HOOKS`` and ``LOCKS`` are the auxiliary arrays that it can
request, and ``none_of`` returns the value that means "no root was hooked".
"""

# Importing a file registers its rules. ``designs()`` lists each axis in this order.
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
