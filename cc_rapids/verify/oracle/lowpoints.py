"""Find bridges, articulation points and biconnected components by one search; check answers."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from ...data import read
from ...errors import VerificationError, counted
from ..shown_rows import ShownFrame, check_ascending, first_difference
from .columns import Indices, check_ends, ends, host, ids_of
from .forests import numbered_ends, placed_rows

NO_ROW = -1


def bridges(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> Indices:
    """Return the rows of the edges that are bridges, found by one depth-first search.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices.

    Returns
    -------
    (k,) int64
        A new array of the rows, ascending.

    Raises
    ------
    InputError
        An edge names a vertex outside 0 .. n - 1, or the columns differ in length.

    See Also
    --------
    cc_rapids.bridges : Find the bridges on any engine, for ids of any type.
    cc_rapids.oracle.certify_bridges : Check an answer against this function.

    Notes
    -----
    Tarjan, "A note on finding the bridges of a graph", Inf. Process. Lett. 1974.

    Examples
    --------
    >>> bridges([0, 1, 2, 2], [1, 2, 0, 3], 4)
    array([3])
    """
    return np.flatnonzero(_depth_first_search(src, dst, n)[0])


def articulation_points(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> Indices:
    """Return the articulation points, found by one depth-first search.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices.

    Returns
    -------
    (k,) int64
        A new array of the vertices, ascending.

    Raises
    ------
    InputError
        As for :func:`bridges`.

    See Also
    --------
    cc_rapids.articulation_points : Find them on any engine, for ids of any type.
    cc_rapids.oracle.certify_articulation_points : Check an answer against this function.

    Notes
    -----
    Hopcroft and Tarjan, "Efficient algorithms for graph manipulation", CACM 1973.

    Examples
    --------
    >>> articulation_points([0, 1, 2, 2], [1, 2, 0, 3], 4)
    array([2])
    """
    return np.flatnonzero(_depth_first_search(src, dst, n)[1])


def biconnected_component_edges(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> Indices:
    """Return the biconnected component of each edge, found by one depth-first search.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices.

    Returns
    -------
    (m,) int64
        A new array. Components are numbered 0 .. k - 1 in the order of their first rows.
        Self-loops have -1.

    Raises
    ------
    InputError
        An edge names a vertex outside 0 .. n - 1, or the columns differ in length.

    See Also
    --------
    cc_rapids.biconnected_component_edges : Find them on any engine, for ids of any type.
    cc_rapids.oracle.certify_biconnected_component_edges : Check an answer against this function.

    Notes
    -----
    Hopcroft and Tarjan, "Efficient algorithms for graph manipulation", CACM 1973.

    Examples
    --------
    >>> biconnected_component_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 3], 4)
    array([ 0,  0,  0,  1, -1])
    """
    block = _depth_first_search(src, dst, n)[2]
    edges = np.flatnonzero(block != NO_ROW)
    _, first_edge, code = np.unique(block[edges], return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first_edge))  # argsort twice gives ranks
    block[edges] = number[code]
    return np.asarray(block, np.int64)


def certify_bridges(
    answer: Any,
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    nulls: str = "raise",
) -> None:
    """Check an answer of :func:`cc_rapids.bridges` against a depth-first search.

    Parameters
    ----------
    answer : frame
        The result of :func:`cc_rapids.bridges`: column ``row``, and the ends of each bridge.
    edges : frame, or pair of arrays or series
        The edges that the answer was computed from. They are copied to the host from a GPU.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`cc_rapids.components`.
    nulls : {"raise", "drop"}
        As for :func:`cc_rapids.components`.

    Raises
    ------
    VerificationError
        A row of the answer is not a bridge, a bridge is missing, the rows do not ascend, or a
        bridge has other ends than its edge. The error names the first such row.
    InputError
        The edges or an argument cannot be used.

    See Also
    --------
    cc_rapids.oracle.bridges : Find the bridges.

    Examples
    --------
    >>> import cc_rapids
    >>> edges = ["b", "x", "c"], ["c", "c", "b"]
    >>> found = cc_rapids.bridges(edges)
    >>> certify_bridges(found, edges)
    >>> certify_bridges(found, (["b", "x", "c"], ["c", "c", "x"]))
    Traceback (most recent call last):
        ...
    cc_rapids.errors.VerificationError: row 1 is not a bridge
    """
    given = read.read(edges, source, destination, nulls=nulls)
    ids, src, dst = numbered_ends(given)
    shown, rows, places = placed_rows(answer, given, "bridges")
    check_ascending(rows, "bridges")
    expected = bridges(src, dst, len(ids))
    wrong = np.flatnonzero(~np.isin(places, expected))
    missing = np.setdiff1d(expected, places)
    if wrong.size:
        raise VerificationError(f"row {rows[wrong[0]]:,} is not a bridge")
    if missing.size:
        source_id, destination_id = ids[[src[missing[0]], dst[missing[0]]]].tolist()
        raise VerificationError(f"the bridge from {source_id!r} to {destination_id!r} is missing")
    check_ends(shown, rows, ids[src[places]], ids[dst[places]])


def certify_articulation_points(
    answer: Any,
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    nulls: str = "raise",
) -> None:
    """Check an answer of :func:`cc_rapids.articulation_points` against a depth-first search.

    Parameters
    ----------
    answer : frame
        The result of :func:`cc_rapids.articulation_points`: the vertices, sorted by id.
    edges : frame, or pair of arrays or series
        The edges that the answer was computed from. They are copied to the host from a GPU.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`cc_rapids.components`.
    nulls : {"raise", "drop"}
        As for :func:`cc_rapids.components`.

    Raises
    ------
    VerificationError
        The vertices are not the articulation points, sorted by id. The error names the first wrong
        vertex.
    InputError
        The edges or an argument cannot be used.

    See Also
    --------
    cc_rapids.oracle.articulation_points : Find the articulation points.

    Examples
    --------
    >>> import cc_rapids
    >>> edges = [1, 2], [2, 3]
    >>> certify_articulation_points(cc_rapids.articulation_points(edges), edges)
    """
    given = read.read(edges, source, destination, nulls=nulls)
    ids, src, dst = numbered_ends(given)
    expected = ids[articulation_points(src, dst, len(ids))].tolist()
    shown = ShownFrame(answer, "articulation points")
    points = ids_of(shown.frame, shown.names).tolist()
    k = first_difference(points, expected)
    if k is not None:
        point = repr(points[k]) if k < len(points) else "missing"
        count = counted(len(expected), "articulation point")
        fault = f"should be {expected[k]!r}" if k < len(expected) else f"there are {count}"
        raise VerificationError(f"articulation point {k:,} is {point}, but {fault}")


def certify_biconnected_component_edges(
    answer: Any,
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    nulls: str = "raise",
) -> None:
    """Check an answer of :func:`cc_rapids.biconnected_component_edges` against a search.

    Parameters
    ----------
    answer : frame
        The result of :func:`cc_rapids.biconnected_component_edges`.
    edges : frame, or pair of arrays or series
        The edges that the answer was computed from. They are copied to the host from a GPU.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`cc_rapids.components`.
    nulls : {"raise", "drop"}
        As for :func:`cc_rapids.components`.

    Raises
    ------
    VerificationError
        The rows are not the ascending rows of all edges that are not self-loops; an edge has the
        number of another component; or a row has other ends than its edge. The error names the
        first such row.
    InputError
        The edges or an argument cannot be used.

    See Also
    --------
    cc_rapids.oracle.biconnected_component_edges : Find the biconnected components.

    Examples
    --------
    >>> import cc_rapids
    >>> edges = [1, 2, 3, 3], [2, 3, 1, 4]
    >>> found = cc_rapids.biconnected_component_edges(edges)
    >>> certify_biconnected_component_edges(found, edges)
    """
    given = read.read(edges, source, destination, nulls=nulls)
    ids, src, dst = numbered_ends(given)
    what = "biconnected components"
    shown, rows, places = placed_rows(answer, given, what)
    numbers = host(shown.numbers("labels"))
    block = biconnected_component_edges(src, dst, len(ids))
    in_block = np.flatnonzero(block != NO_ROW)
    expected = in_block if given.row_index is None else host(given.row_index())[in_block]
    k = first_difference(rows.tolist(), expected.tolist())
    if k is not None:
        edge = f"edge {rows[k]:,}" if k < rows.size else "missing"
        fault = f"be edge {expected[k]:,}" if k < expected.size else "not exist"
        raise VerificationError(f"row {k:,} of the {what} is {edge}, but should {fault}")
    k = first_difference(numbers.tolist(), block[in_block].tolist())
    if k is not None:
        raise VerificationError(
            f"edge {rows[k]:,} is in biconnected component {numbers[k]:,}, but should be in"
            f" {block[in_block[k]]:,}"
        )
    check_ends(shown, rows, ids[src[places]], ids[dst[places]])


def _depth_first_search(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> Any:
    """Return masks of the bridges and of the articulation points, and the block of each edge.

    A block is a biconnected component. Self-loops have no block, ``NO_ROW``.
    """
    src, dst = ends(src, dst, n)
    tail, head = np.concatenate([src, dst]), np.concatenate([dst, src])
    order = np.argsort(tail, kind="stable")
    starts = np.searchsorted(tail[order], np.arange(n + 1))
    rows = order % max(src.size, 1)  # entries e and e + m of tail and head are edge e
    return _search(starts, head[order], rows, src.size)


@numba.njit  # type: ignore[untyped-decorator]
def _search(starts: Any, heads: Any, rows: Any, m: int) -> tuple[Any, Any, Any]:
    """Search an adjacency list depth-first, and return the arrays of :func:`_depth_first_search`.

    ``heads[starts[v]:starts[v + 1]]`` are the neighbours of v, and ``rows`` are the edges to these.
    Vertices are numbered in the order of the search. ``row_to[v]`` is the edge by which the search
    has reached v. ``low[v]`` is the least number among v, the vertices below v in the search tree,
    and their neighbours by edges other than their ``row_to``. ``pending`` is a stack of the edges
    without a block. When the search returns from v to its parent u and ``low[v]`` is at least
    ``number[u]``, the edge ``row_to[v]`` and all edges above it on the stack form a block.
    """
    n = starts.size - 1
    block, pending, pending_count, block_count = np.full(m, NO_ROW), np.empty(m, np.int64), 0, 0
    is_bridge, is_point = np.zeros(m, np.bool_), np.zeros(n, np.bool_)
    number, low = np.full(n, NO_ROW), np.empty(n, np.int64)
    row_to, stack, next_entry = np.full(n, NO_ROW), np.empty(n, np.int64), starts[:-1].copy()
    visited = 0
    for root in range(n):
        if number[root] != NO_ROW:
            continue
        number[root] = low[root] = visited
        visited += 1
        stack[0], depth, children = root, 1, 0
        while depth:
            v = stack[depth - 1]
            if next_entry[v] < starts[v + 1]:
                w, row = heads[next_entry[v]], rows[next_entry[v]]
                next_entry[v] += 1
                if row == row_to[v]:
                    continue
                if number[w] != NO_ROW:  # w was visited before
                    low[v] = min(low[v], number[w])
                    if number[w] < number[v]:  # an edge is stacked once, at its later end
                        pending[pending_count] = row
                        pending_count += 1
                    continue
                # go on to w
                pending[pending_count] = row
                pending_count += 1
                number[w] = low[w] = visited
                visited += 1
                row_to[w], stack[depth] = row, w
                depth += 1
                continue
            depth -= 1  # all edges of v are read: return to its parent
            if depth:
                u = stack[depth - 1]
                low[u] = min(low[u], low[v])
                is_bridge[row_to[v]] = low[v] > number[u]
                children += depth == 1  # a root is a point if it has several children in the tree
                is_point[u] |= depth > 1 and low[v] >= number[u]
                if low[v] >= number[u]:
                    while block[row_to[v]] == NO_ROW:
                        pending_count -= 1
                        block[pending[pending_count]] = block_count
                    block_count += 1
        is_point[root] = children > 1
    return is_bridge, is_point, block
