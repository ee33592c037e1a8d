"""A drop-in for pylibcugraph's ``weakly_connected_components``, which nx-cugraph and CuPy call."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from ..api import components
from ..data.adapters import Csr, decompressed, edge_count, vertex_list
from ..data.column import array_of
from ..errors import CcRapidsError, GraphStateError, LedgerError, counted
from ..ledger import Ledger, lost_rows
from ..results.components import Components
from .distributed.forests import linked_all

log: logging.Logger = logging.getLogger(__name__)

FAILED = -1  # the vote of a rank that failed, in place of its number of edges
LOST = -2  # the vote of a rank whose ledger does not balance
COPIES = 2  # of all forests during a gather: pylibcugraph's result, and the returned arrays


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
        A graph. Its edges are copied once, because pylibcugraph offers no other way to read them.
        If the graph is on several GPUs, each rank sends a spanning forest of its edges to all
        ranks by ``pylibcugraph.replicate_edgelist``, so every rank must call this function.
    offsets, indices : (n + 1,) and (m,) arrays of integers, or None
        The adjacency list of the vertices 0 .. n - 1 in CSR format, if ``graph`` is None.
    weights, do_expensive_check : object
        Ignored.
    labels : (n,) array of the type of the indices, optional
        An array to write the labels to. If it is passed, the function returns None.

    Returns
    -------
    two arrays of the type of the vertices, or None
        Vertices and labels, sorted by vertex. The label is the least vertex of the component. For a
        graph on several GPUs, each rank gets its own vertices, in the order of the graph. Their
        labels may be vertices of other ranks.

    Raises
    ------
    GraphStateError
        The forests do not fit on every GPU, this version of pylibcugraph cannot send edges, or
        arguments contradict each other. Either all ranks raise this error or none.
    LedgerError
        Edges of the graph or of a rank's forest were lost or repeated. All ranks raise this error.

    See Also
    --------
    cc_rapids.weakly_connected_components : The same for graphs of cuGraph.
    cc_rapids.install : Replace pylibcugraph's function by this one.

    Examples
    --------
    >>> import numpy as np
    >>> from cc_rapids.integrations.pylibcugraph import weakly_connected_components
    >>> offsets, indices = np.array([0, 1, 1, 1]), np.array([2])
    >>> weakly_connected_components(None, None, offsets, indices, None, None, False)
    (array([0, 1, 2]), array([0, 1, 0]))
    """
    if graph is None and offsets is not None and indices is not None:
        answer = _all_of(
            components(Csr(array_of("offsets", offsets), array_of("indices", indices)))
        )
    elif graph is None or any(part is not None for part in (offsets, indices, weights)):
        raise GraphStateError("pass either a graph, or offsets and indices")
    elif type(graph).__name__ == "MGGraph":
        if labels is not None:
            raise GraphStateError("labels= is for adjacency lists, and for graphs on one GPU")
        answer = _of_rank(graph, resource_handle, Ranks(resource_handle))
    elif type(graph).__name__ == "SGGraph":
        edges = decompressed(graph, resource_handle)
        answer = _all_of(components(edges, vertices=vertex_list(graph, resource_handle)))
    else:
        raise GraphStateError(f"the edges of a {type(graph).__name__} cannot be read")
    vertices, labels_found = answer
    if labels is None:
        return vertices, labels_found
    out = array_of("labels", labels)
    if out.dtype != labels_found.dtype or out.size != labels_found.size:
        raise GraphStateError(
            f"labels= is {out.size:,} of {out.dtype}, but the answer has {labels_found.size:,} of"
            f" {labels_found.dtype}"
        )
    out[:] = labels_found
    return None


def _all_of(result: Components) -> tuple[Any, Any]:
    """Return the vertices and labels of an answer."""
    frame = result.labels()
    return frame.vertex, frame.labels


class Ranks:
    """All ranks of a graph on several GPUs, which run the same collective steps together.

    A rank that skipped a step would deadlock the others. So every error is caught, and the ranks
    vote on whether to go on before the next step.

    Parameters
    ----------
    resources : pylibcugraph.ResourceHandle
        The handle for sending data between ranks.

    Raises
    ------
    GraphStateError
        This version of pylibcugraph cannot send edges between ranks. Every rank raises it.
    """

    def __init__(self, resources: Any) -> None:
        import pylibcugraph

        if not hasattr(pylibcugraph, "replicate_edgelist"):
            raise GraphStateError(
                "this pylibcugraph has no replicate_edgelist, by which the ranks of a graph over"
                " several GPUs send each other edges"
            )
        self._replicate = pylibcugraph.replicate_edgelist
        self._resources = resources

    def gathered(self, src: Any, dst: Any) -> tuple[Any, Any]:
        """Return the edges of all ranks; each rank must pass at least one edge."""
        src, dst, *_ = self._replicate(self._resources, src, dst, None, None, None)
        return src, dst

    def agreed(
        self, like: Any, vote_here: int, count_here: int, reason: object
    ) -> tuple[list[int], ...]:
        """Gather two numbers from every rank, in unspecified order.

        They are sent as the two ends of one edge, which is all that pylibcugraph can send.

        Parameters
        ----------
        like : array
            An array of the library that this rank uses, NumPy or CuPy.
        vote_here, count_here : int
            The numbers of this rank; the first is ``FAILED`` or ``LOST`` if the rank has failed.
        reason : object
            The error of this rank, for the message.

        Raises
        ------
        GraphStateError, LedgerError
            A rank has failed or lost edges. Every rank raises it.
        """
        # full_like makes an array of CuPy if ``like`` is one
        ends = [
            np.full_like(like, number, dtype=np.int64, shape=1)
            for number in (vote_here, count_here)
        ]
        votes, counts = (array.tolist() for array in self.gathered(*ends))
        failed, lost = votes.count(FAILED), votes.count(LOST)
        if failed or lost:
            suffix = f": {reason}" if vote_here in (FAILED, LOST) else ""
            kind, word = (LedgerError, "lost edges") if lost else (GraphStateError, "failed")
            raise kind(f"{failed + lost} of {counted(len(votes), 'rank')} {word}{suffix}")
        return votes, counts


def _of_rank(graph: Any, resources: Any, ranks: Ranks) -> tuple[Any, Any]:
    """Return the vertices of this rank and their labels in the graph of all ranks."""
    vertices = vertex_list(graph, resources)
    src = dst = vertices[:0]

    def solved() -> tuple[Components, Any, int, int]:
        """Return the components of this rank, its forest, free memory and row count."""
        given_rows, edges = edge_count(graph, resources), decompressed(graph, resources)
        solution = components(edges, vertices=vertices, forest=True)
        _, *ends = solution.forest()
        joins = solution.num_vertices - len(solution)
        if ends[0].size != joins:
            raise lost_rows("the forest of this rank", joins, ends[0].size)
        answer = solution.answer
        given_rows = answer.facts.rows.linked if given_rows is None else given_rows
        return solution, ends, answer.backend.free_bytes(), given_rows

    local, reason = _tried(solved)
    rows_here, free_here, given_rows, linked = _vote(reason), 0, 0, 0
    if local is not None:
        solution, (src, dst), free_here, given_rows = local
        rows_here, linked = src.size, solution.answer.facts.rows.linked
    rows, free_bytes = ranks.agreed(vertices, rows_here, free_here, reason)
    if len(rows) == 1:
        Ledger(given_rows, linked).check("the edges of the graph")
        return vertices, solution.component_of(vertices)
    least_free = min(free_bytes)
    needed_bytes = COPIES * (src.itemsize + dst.itemsize) * sum(rows)
    if needed_bytes > least_free:
        raise GraphStateError(
            f"forests of {sum(rows):,} edges from {len(rows):,} ranks take {needed_bytes:,} bytes"
            f" on each GPU, but one has only {least_free:,} free"
        )
    if not rows_here:  # a self-loop changes no component; an empty array would have no address
        src = dst = np.full_like(vertices, 0, shape=1)
    # a rank without edges sends one self-loop
    all_edges, sent = ranks.gathered(src, dst), sum(max(count, 1) for count in rows)

    def labelled() -> Any:
        """Return the labels of this rank's vertices, from the edges of all ranks."""
        solution = components(all_edges, vertices=vertices)
        linked_all(solution, sent, "the forests of all ranks")
        return solution.component_of(vertices)

    result, reason = _tried(labelled)
    # for a rank that succeeded, the vote is its number of given rows
    every_given, every_linked = ranks.agreed(vertices, _vote(reason) or given_rows, linked, reason)
    Ledger(sum(every_given), sum(every_linked)).check("the edges of all ranks")
    log.debug("%d ranks sent %s of forests", len(rows), counted(sum(rows), "edge"))
    return vertices, result


def _vote(reason: Exception | None) -> int:
    """Return the vote of a rank: ``LOST`` or ``FAILED`` for an error, 0 for none."""
    return 0 if reason is None else LOST if isinstance(reason, LedgerError) else FAILED


def _tried(step: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """Return the result of a step, or None and the error that it raised."""
    try:
        return step(), None
    except (CcRapidsError, MemoryError, RuntimeError) as error:
        return None, error
