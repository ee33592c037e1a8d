"""Bridges, articulation points and blocks by one depth-first search, and checks of all answers."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from ...data import read
from ...data.frame_access import collected, columns_of
from ...errors import VerificationError
from ..shown_rows import ShownRows, first_difference
from .columns import Indices, check_ends, ends, host, ids_of
from .forests import numbered_ends, places_of_rows

NO_ROW = -1


def bridges(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> Indices:
    """Return the rows of the edges that are bridges, by one depth-first search.

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
    cc_rapids.bridges : The same on every engine, for ids of any type.
    cc_rapids.oracle.certify_bridges : Check an answer by this function.

    Notes
    -----
    Tarjan, "A note on finding the bridges of a graph", Inf. Process. Lett. 1974.

    Examples
    --------
    >>> bridges([0, 1, 2, 2], [1, 2, 0, 3], 4)
    array([3])
    """
    return np.flatnonzero(_searched(src, dst, n)[0])


def articulation_points(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> Indices:
    """Return the articulation points, by one depth-first search.

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
    cc_rapids.articulation_points : The same on every engine, for ids of any type.
    cc_rapids.oracle.certify_articulation_points : Check an answer by this function.

    Notes
    -----
    Hopcroft and Tarjan, "Efficient algorithms for graph manipulation", CACM 1973.

    Examples
    --------
    >>> articulation_points([0, 1, 2, 2], [1, 2, 0, 3], 4)
    array([2])
    """
    return np.flatnonzero(_searched(src, dst, n)[1])


def biconnected_component_edges(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> Indices:
    """Return the biconnected component of each edge, by one depth-first search.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices.

    Returns
    -------
    (m,) int64
        A new array of numbers 0 .. k - 1 in the order of the first row of each component; -1 for
        self-loops.

    Raises
    ------
    InputError
        An edge names a vertex outside 0 .. n - 1, or the columns differ in length.

    See Also
    --------
    cc_rapids.biconnected_component_edges : The same on every engine, for ids of any type.
    cc_rapids.oracle.certify_biconnected_component_edges : Check an answer by this function.

    Notes
    -----
    Hopcroft and Tarjan, "Efficient algorithms for graph manipulation", CACM 1973.

    Examples
    --------
    >>> biconnected_component_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 3], 4)
    array([ 0,  0,  0,  1, -1])
    """
    block = _searched(src, dst, n)[2]
    edges = np.flatnonzero(block != NO_ROW)
    _, first, numbered = np.unique(block[edges], return_index=True, return_inverse=True)
    block[edges] = np.argsort(np.argsort(first))[numbered]
    return np.asarray(block, np.int64)


def certify_bridges(
    answer: Any,
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    nulls: str = "raise",
) -> None:
    """Check an answer of :func:`cc_rapids.bridges` by another algorithm.

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
        A listed row is not a bridge, a bridge is missing, the rows do not ascend, or an edge has
        different ends in the list of edges. The error names the first such row.
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
    given = read.read(edges, source, destination, None, None, nulls)
    ids, src, dst = numbered_ends(given)
    shown = ShownRows(answer, "bridges", max(len(given.src.key_columns), 1))
    listed = host(shown.rows())
    falls = np.flatnonzero(listed[1:] <= listed[:-1])
    if falls.size:
        k = falls[0]
        raise VerificationError(f"row {listed[k + 1]:,} of the bridges comes after {listed[k]:,}")
    rows = places_of_rows(given, listed, "bridges")
    right = np.flatnonzero(_searched(src, dst, len(ids))[0])
    wrong, missing = np.flatnonzero(~np.isin(rows, right)), np.setdiff1d(right, rows)
    if wrong.size:
        raise VerificationError(f"row {listed[wrong[0]]:,} is not a bridge")
    if missing.size:
        one, other = (ids[side[missing[:1]]].tolist()[0] for side in (src, dst))
        raise VerificationError(f"the bridge from {one!r} to {other!r} is missing")
    check_ends(shown, listed, ids[src[rows]], ids[dst[rows]])


def certify_articulation_points(
    answer: Any,
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    nulls: str = "raise",
) -> None:
    """Check an answer of :func:`cc_rapids.articulation_points` by another algorithm.

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
        The vertices are not the articulation points in order. The error names the first wrong one.
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
    given = read.read(edges, source, destination, None, None, nulls)
    ids, src, dst = numbered_ends(given)
    right = ids[_searched(src, dst, len(ids))[1]]
    frame = collected(answer)
    frame = frame._asdict() if hasattr(frame, "_asdict") else frame
    lists = ids_of(frame, columns_of(frame)).tolist(), right.tolist()
    k = first_difference(*lists)
    if k is not None:
        points = [f"{side[k]!r}" if k < len(side) else "none" for side in lists]
        raise VerificationError(
            f"articulation point {k:,} is {points[0]} in the answer, but {points[1]} by a search"
        )


def certify_biconnected_component_edges(
    answer: Any,
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    nulls: str = "raise",
) -> None:
    """Check an answer of :func:`cc_rapids.biconnected_component_edges` by another algorithm.

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
        The rows are not those of all edges except self-loops, in order; an edge has a wrong
        number; or an edge has different ends in the list of edges. The error names the first such
        row.
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
    given = read.read(edges, source, destination, None, None, nulls)
    ids, src, dst = numbered_ends(given)
    what = "biconnected components"
    shown = ShownRows(answer, what, max(len(given.src.key_columns), 1))
    listed, numbers = host(shown.rows()), host(shown.numbers("labels"))
    block = biconnected_component_edges(src, dst, len(ids))
    right = np.flatnonzero(block != NO_ROW)
    rows = places_of_rows(given, listed, what)
    k = first_difference(rows.tolist(), right.tolist())
    if k is not None:
        edge = f"row {listed[k]:,}" if k < listed.size else "no row"
        raise VerificationError(f"the {what} have {edge} in place {k:,} of another edge")
    k = first_difference(numbers.tolist(), block[right].tolist())
    if k is not None:
        raise VerificationError(
            f"row {listed[k]:,} is in biconnected component {numbers[k]:,} in the answer, but in"
            f" {block[right[k]]:,} by a search"
        )
    check_ends(shown, listed, ids[src[rows]], ids[dst[rows]])


def _searched(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> Any:
    """Return which edges are bridges, which vertices articulation points, and blocks of edges."""
    src, dst = ends(src, dst, n)
    tail, head = np.concatenate([src, dst]), np.concatenate([dst, src])
    order = np.argsort(tail, kind="stable")
    starts = np.searchsorted(tail[order], np.arange(n + 1))
    return _search(starts, head[order], order % max(src.size, 1), src.size)


@numba.njit  # type: ignore[untyped-decorator]
def _search(starts: Any, heads: Any, rows: Any, m: int) -> tuple[Any, Any, Any]:
    """Search depth-first; return masks of bridges and articulation points, and blocks of edges.

    ``low[v]`` is the least search number that one edge reaches from v or from a vertex below v. The
    edge by which v was reached does not count. ``pending`` is the stack of the edges whose block is
    not complete. A block is complete at the vertex below its first one.
    """
    n = starts.size - 1
    block, pending, waiting, blocks = np.full(m, NO_ROW), np.empty(m, np.int64), 0, 0
    is_bridge, is_point = np.zeros(m, np.bool_), np.zeros(n, np.bool_)
    number, low = np.full(n, NO_ROW), np.empty(n, np.int64)
    above, path, following = np.full(n, NO_ROW), np.empty(n, np.int64), starts[:-1].copy()
    visited = 0
    for root in range(n):
        if number[root] != NO_ROW:
            continue
        number[root] = low[root] = visited
        visited += 1
        path[0], length, children = root, 1, 0
        while length:
            v = path[length - 1]
            if following[v] < starts[v + 1]:
                w, row = heads[following[v]], rows[following[v]]
                following[v] += 1
                if row == above[v]:
                    continue
                if number[w] != NO_ROW:
                    low[v] = min(low[v], number[w])
                    if number[w] < number[v]:
                        pending[waiting] = row
                        waiting += 1
                    continue
                pending[waiting] = row
                waiting += 1
                number[w] = low[w] = visited
                visited += 1
                above[w], path[length] = row, w
                length += 1
                continue
            length -= 1
            if length:
                u = path[length - 1]
                low[u] = min(low[u], low[v])
                is_bridge[above[v]] = low[v] > number[u]
                children += length == 1
                is_point[u] |= length > 1 and low[v] >= number[u]
                if low[v] >= number[u]:
                    while block[above[v]] == NO_ROW:
                        waiting -= 1
                        block[pending[waiting]] = blocks
                    blocks += 1
        is_point[root] = children > 1
    return is_bridge, is_point, block
