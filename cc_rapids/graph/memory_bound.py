"""A bound on the memory of a run beyond its input, as one formula.

For integer ids that take one word each (``summary()["ids"]`` is "as they are" or "offset"), and the
design that "auto" chooses for an edge list, it is::

    4 n + n / 8 + answer + 8 MiB

bytes, for n integers from the least id to the greatest. This is a word and a bit per id, the
requested frames, and 8 MiB for everything else: bits of a sample, ranks, queues, sums, and
speculative rows that turn out not to exist.

On a GPU, a list of 4 M edges or more with 16 M ids or more takes 4 bytes per edge in addition,
because the edges are copied in the order of blocks of vertices (see
:mod:`cc_rapids.kernels.partition`). With ``memory_limit=``, they are not copied. On threads, a list
of up to 262,144 edges takes up to 24 MiB in addition until the kernels are compiled, because SciPy
solves it.
"""

from __future__ import annotations

from numbers import Integral

from ..errors import InputError, shown
from ..kernels.partition import IDS
from ..keywords import suggest_keywords

# An estimated range of ids is widened by 1 / 256 of its size, and by 4096 ids: see
# docs/design/decisions/ids.md.
WIDER = 256
MARGIN_IDS = 4096
SLACK = 8 << 20  # bytes in addition to the answer and to the word and the bit of each id
SHARE = 80  # ids / 80 more words are enough for all other memory that grows with the ids
FEW_IDS = 1 << 14  # one launch allocates memory for at least this number of ids
AT_ONCE_EDGES = 4_000_000  # a list of fewer edges may be solved in one launch


def word_for(ids: int) -> int:
    """Return the bytes of a vertex in a graph of this number of ids."""
    return 4 if ids < 1 << 32 else 8


def slack(ids: int) -> int:
    """Return the bytes allowed beyond 4.125 per id and the answer: 8 MiB up to 160 M ids."""
    return max(SLACK, word_for(ids) * ids // SHARE)


def ids_at_once(edges: int) -> int:
    """Return the capacity in ids when a list of this number of edges is solved in one launch."""
    return max(FEW_IDS, 2 * edges)


@suggest_keywords
def memory_bound(ids: int, answer: int, edges: int | None = None) -> int:
    """Return a bound on the bytes of a run beyond its input: ``4 n + n / 8 + answer + 8 MiB``.

    The bound holds on any backend for edge lists, the design of "auto", and integer ids that take
    one word each (see :mod:`cc_rapids.ids.encode`). For other ids and designs, and for adjacency
    lists, ``components(..., explain=True).bytes`` returns the memory for the largest possible
    answer.

    Parameters
    ----------
    ids : int
        The number of integers from the least id to the greatest, whether they occur or not. From
        2^32 ids on, each id takes 8 bytes instead of 4.
    answer : int
        The bytes of the requested frames that exist at the same time. A frame of labels has two
        columns of the type of the ids, and a row for each vertex that occurs. If the frames take
        less than one bit per id, the bound includes another bit per id instead of the frames.
    edges : int, optional
        The number of rows of the list. On a GPU, a list of fewer than four million rows is solved
        in one launch, before its ids are known: memory is allocated for two ids per row, if this
        is more than ``ids``. A longer list with 16 M ids or more is copied on a GPU, which takes 4
        bytes per row.

    Returns
    -------
    int
        The number of bytes. For more than 160 M ids, the last term of the formula is 0.05 bytes for
        every id, not 8 MiB (0.1 bytes, if ids take 8 bytes). Without a pool, add the blocks of
        driver memory that are kept from earlier runs; each may be 4 MiB larger than the run needs.
        See :func:`cc_rapids.release_memory`. On threads, lists of up to 262,144 edges take up to 24
        MiB in addition until the kernels are compiled.

    See Also
    --------
    cc_rapids.components : Return a plan with the bytes of a run, with ``explain=True``.
    cc_rapids.release_memory : Free the GPU memory that is kept between runs.

    Examples
    --------
    >>> import cc_rapids
    >>> answer = 1_507_453 * 2 * 8  # int64
    >>> cc_rapids.memory_bound(2_097_152, answer) / 1e6
    41.158608
    """
    numbers = {"ids": ids, "answer": answer, "edges": 0 if edges is None else edges}
    for name, number in numbers.items():
        if not isinstance(number, Integral) or number < 0:
            raise InputError(f"{name} must be a number of at least 0, not {shown(number)}")
    if edges is not None and edges < AT_ONCE_EDGES:
        ids = max(ids, ids_at_once(edges))
    bits = ids // 8
    copied = 4 * partitioned_edges(ids, edges or 0)
    return word_for(ids) * ids + bits + max(answer, bits) + slack(ids) + copied


def partitioned_edges(ids: int, edges: int) -> int:
    """Return how many edges a run may copy in the order of blocks of vertices: all or none.

    A run may estimate a wider range than ``ids``, because it reads a sample of the edges.
    """
    max_estimate = ids + 2 * (ids // WIDER + MARGIN_IDS)
    may_be_partitioned = max_estimate >= IDS.start and ids < IDS.stop
    return edges if edges >= AT_ONCE_EDGES and may_be_partitioned else 0
