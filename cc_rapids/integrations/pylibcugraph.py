"""A drop-in for pylibcugraph's ``weakly_connected_components``, which nx-cugraph and CuPy call."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..api import components
from ..data.adapters import Csr
from ..data.column import array_of
from ..data.cugraph_graphs import decompressed, edge_count, vertex_list
from ..errors import CcRapidsError, GraphStateError, LedgerError, counted
from ..ledger import Ledger, lost_rows
from ..results.components import Components
from .distributed.forests import ledger_of

log: logging.Logger = logging.getLogger(__name__)

FAILED = -1  # the vote of a rank that failed, in place of its number of edges
LOST = -2  # the vote of a rank whose ledger does not balance
COPIES = 2  # copies of all forests during a gather: pylibcugraph's result and our arrays


def weakly_connected_components(
    resource_handle: Any,
    graph: Any,
    offsets: Any,
    indices: Any,
    weights: Any,
    labels: Any,
    do_expensive_check: bool,
) -> Any:
    """Find the weakly connected components of a graph of pylibcugraph, or of CSR arrays.

    Parameters
    ----------
    resource_handle : pylibcugraph.ResourceHandle or None
        The handle for extracting the edges of a graph and for sending data between ranks.
    graph : pylibcugraph.SGGraph, pylibcugraph.MGGraph or None
        The graph. Its edges are copied once, because pylibcugraph offers no other way to read the
        edges. If the graph is on several GPUs, each rank sends a spanning forest of its edges to
        all ranks by ``pylibcugraph.replicate_edgelist``, so every rank must call this function.
    offsets, indices : (n + 1,) and (m,) arrays of integers, or None
        The adjacency list of the vertices 0 .. n - 1 in CSR format, if ``graph`` is None.
    weights : object
        Ignored for adjacency lists; None for a graph.
    do_expensive_check : object
        Ignored.
    labels : (n,) array of the type of the indices, optional
        An array to write the labels to. If it is passed, the function returns None.

    Returns
    -------
    two arrays of the type of the vertices, or None
        Vertices and labels, sorted by vertex. The label is the least vertex of the component. For a
        graph on several GPUs, each rank gets its own vertices, in the order of the graph. Labels
        may be vertices of other ranks.

    Raises
    ------
    GraphStateError
        The forests do not fit on every GPU, this version of pylibcugraph cannot send edges, or
        arguments contradict each other. Either all ranks raise this error or none.
    LedgerError
        Edges of the graph or of a rank's forest were lost or repeated. All ranks raise this error.

    See Also
    --------
    cc_rapids.weakly_connected_components : Find the components of graphs of cuGraph.
    cc_rapids.install : Replace pylibcugraph's function by this function.

    Examples
    --------
    >>> import numpy as np
    >>> from cc_rapids.integrations.pylibcugraph import weakly_connected_components
    >>> offsets, indices = np.array([0, 1, 1, 1]), np.array([2])
    >>> weakly_connected_components(None, None, offsets, indices, None, None, False)
    (array([0, 1, 2]), array([0, 1, 0]))
    """
    if graph is None and offsets is not None and indices is not None:
        answer = _label_columns(
            components(Csr(array_of("offsets", offsets), array_of("indices", indices)))
        )
    elif graph is None or any(part is not None for part in (offsets, indices, weights)):
        raise GraphStateError("pass either a graph, or offsets and indices (and weights)")
    elif type(graph).__name__ == "MGGraph":
        if labels is not None:
            raise GraphStateError("labels= is for adjacency lists, and for graphs on one GPU")
        answer = _labels_of_rank(graph, resource_handle, Ranks(resource_handle))
    elif type(graph).__name__ == "SGGraph":
        edges = decompressed(graph, resource_handle)
        answer = _label_columns(components(edges, vertices=vertex_list(graph, resource_handle)))
    else:
        raise GraphStateError(f"the edges of a {type(graph).__name__} cannot be read")
    vertices, answer_labels = answer
    if labels is None:
        return vertices, answer_labels
    out = array_of("labels", labels)
    if out.dtype != answer_labels.dtype or out.size != answer_labels.size:
        raise GraphStateError(
            f"labels= has {out.size:,} items of {out.dtype}, but the answer has"
            f" {answer_labels.size:,} labels of {answer_labels.dtype}"
        )
    out[:] = answer_labels
    return None


def _label_columns(result: Components) -> tuple[Any, Any]:
    """Return the columns ``vertex`` and ``labels`` of an answer."""
    frame = result.labels()
    return frame.vertex, frame.labels


class Ranks:
    """All ranks of a graph on several GPUs, which run the same collective steps together.

    A rank that skipped a step would deadlock the others. Therefore every error is caught, and the
    ranks vote before the next step on whether to go on. ``resources`` is the handle to send data.
    """

    def __init__(self, resources: Any) -> None:
        import pylibcugraph

        if not hasattr(pylibcugraph, "replicate_edgelist"):
            raise GraphStateError(
                "this pylibcugraph has no replicate_edgelist, which sends edges between the ranks"
                " of a graph on several GPUs"
            )
        self._replicate = pylibcugraph.replicate_edgelist
        self._resources = resources

    def gathered(self, src: Any, dst: Any) -> tuple[Any, Any]:
        """Return the edges of all ranks; each rank must pass at least one edge."""
        src, dst, *_ = self._replicate(self._resources, src, dst, None, None, None)
        return src, dst

    def exchange_votes(
        self, like: Any, vote_here: int, count_here: int, reason: object
    ) -> tuple[list[int], ...]:
        """Send a vote and any other number to all ranks; return the votes and numbers of all ranks.

        Both are sent as the ends of one edge, because pylibcugraph sends only edges, in arrays of
        the library of ``like``, NumPy or CuPy. The order of the ranks is unspecified. If a vote of
        :func:`_vote` is ``FAILED`` or ``LOST``, every rank raises an error. On ranks with such a
        vote, the message includes ``reason``.
        """
        numbers = vote_here, count_here
        ends = [np.full_like(like, number, dtype=np.int64, shape=1) for number in numbers]
        votes, counts = (array.tolist() for array in self.gathered(*ends))
        failed, lost = votes.count(FAILED), votes.count(LOST)
        if failed or lost:
            suffix = f": {reason}" if vote_here in (FAILED, LOST) else ""
            error, verb = (LedgerError, "lost edges") if lost else (GraphStateError, "failed")
            raise error(f"{failed + lost} of {counted(len(votes), 'rank')} {verb}{suffix}")
        return votes, counts


class _Solved(NamedTuple):
    """The answer of a rank for its own edges, with the edges of a spanning forest."""

    result: Components | None  # None if the rank has failed
    src: Any
    dst: Any
    free_bytes: int = 0  # of the GPU
    rows: int = 0  # the edges of the graph on this rank; ``linked`` if they cannot be counted
    linked: int = 0  # the number of edges that kernels linked


def _labels_of_rank(graph: Any, resources: Any, ranks: Ranks) -> tuple[Any, Any]:
    """Return the vertices of this rank and their labels in the graph of all ranks."""
    vertices = vertex_list(graph, resources)
    solved, reason = _tried(partial(_solved_here, graph, resources, vertices))
    if solved is None:  # this rank still has to vote
        solved = _Solved(None, vertices[:0], vertices[:0])
    vote = _vote(reason, solved.src.size)
    forest_sizes, free_bytes = ranks.exchange_votes(vertices, vote, solved.free_bytes, reason)
    # No rank has failed, so the votes are sizes
    if len(forest_sizes) == 1:
        Ledger(solved.rows, solved.linked).check("the edges of the graph")
        return vertices, solved.result.component_of(vertices)
    _check_gather(forest_sizes, solved.src.itemsize + solved.dst.itemsize, min(free_bytes))
    src, dst = solved.src, solved.dst
    if not src.size:  # send a harmless self-loop, because an empty array has no address
        src = dst = np.full_like(vertices, 0, shape=1)
    all_edges = ranks.gathered(src, dst)
    sent = sum(max(size, 1) for size in forest_sizes)  # a rank without edges sends a self-loop
    labels, reason = _tried(partial(_labels_of, vertices, all_edges, sent))
    vote = _vote(reason, solved.rows)
    all_rows, all_linked = ranks.exchange_votes(vertices, vote, solved.linked, reason)
    Ledger(sum(all_rows), sum(all_linked)).check("the edges of all ranks")
    log.debug("%d ranks sent %s of forests", len(forest_sizes), counted(sum(forest_sizes), "edge"))
    return vertices, labels


def _solved_here(graph: Any, resources: Any, vertices: Any) -> _Solved:
    """Find the components of the edges of this rank, with a spanning forest."""
    rows = edge_count(graph, resources)  # None if pylibcugraph cannot count edges
    result = components(decompressed(graph, resources), vertices=vertices, forest=True)
    _, src, dst = result.forest()
    joins = result.num_vertices - len(result)
    if src.size != joins:
        raise lost_rows("the forest of this rank", joins, src.size)
    linked = result.answer.facts.rows.linked
    free_bytes = result.answer.backend.free_bytes()
    rows = linked if rows is None else rows
    return _Solved(result, src, dst, free_bytes, rows, linked)


def _labels_of(vertices: Any, edges: Any, sent: int) -> Any:
    """Return the labels of this rank's vertices, from the ``sent`` edges of all forests."""
    result = components(edges, vertices=vertices)
    ledger_of(result, sent, "the forests of all ranks")
    return result.component_of(vertices)


def _check_gather(forest_sizes: list[int], edge_bytes: int, free_bytes: int) -> None:
    """Raise a GraphStateError unless the forests of all ranks fit on the GPU of each rank."""
    needed_bytes = COPIES * edge_bytes * sum(forest_sizes)
    if needed_bytes > free_bytes:
        raise GraphStateError(
            f"forests of {sum(forest_sizes):,} edges from {len(forest_sizes):,} ranks take"
            f" {needed_bytes:,} bytes on each GPU, but one GPU has only {free_bytes:,} free"
        )


def _vote(reason: Exception | None, edges: int) -> int:
    """Return the vote of a rank: ``LOST`` or ``FAILED`` for an error, otherwise ``edges``."""
    if reason is None:
        return edges
    return LOST if isinstance(reason, LedgerError) else FAILED


def _tried(step: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """Return the result of a step, or None and the error that it raised."""
    try:
        return step(), None
    except (CcRapidsError, MemoryError, RuntimeError) as error:
        return None, error
