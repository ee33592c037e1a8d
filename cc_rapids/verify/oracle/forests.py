"""Spanning forests by weight: Kruskal's algorithm, its merges, and proofs of forests."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from ...data import read
from ...data.adapters import adapter_of
from ...data.column import Borrowing
from ...data.dtypes import is_integer, is_number
from ...data.edge_input import EdgeInput
from ...data.frame_access import on_host
from ...data.weights import ForestWeight, weighted
from ...errors import InputError, VerificationError
from ..shown_rows import ShownRows, check_ascending, places_of
from .certificate import unite
from .columns import Indices, check_ends, common_dtype, ends, host, host_ids, ids_and_ranks

UNLINKED = np.iinfo(np.int64).max  # the link of a root: greater than all edges


def kruskal(
    src: npt.ArrayLike,
    dst: npt.ArrayLike,
    n: int,
    weights: npt.ArrayLike,
    greatest: bool = False,
) -> Indices:
    """Return the rows of a minimum spanning forest, by Kruskal's sequential algorithm.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices.
    weights : (m,) numbers
        The weight of each edge; not changed. Ties go to the lower row, and -0.0 equals 0.0.
    greatest : bool
        Whether to return the rows of a maximum spanning forest instead.

    Returns
    -------
    (k,) int64
        A new array of the rows, ascending.

    Raises
    ------
    InputError
        An edge names a vertex outside 0 .. n - 1, the columns differ in length, or a weight is not
        a number or is NaN.

    See Also
    --------
    cc_rapids.minimum_spanning_forest : Find the forest on any engine, for ids of any type.
    cc_rapids.oracle.certify_forest : Prove a forest without another algorithm.

    Notes
    -----
    Kruskal, "On the shortest spanning subtree of a graph and the traveling salesman problem",
    Proc. AMS 1956.

    Examples
    --------
    >>> kruskal([0, 1, 2], [1, 2, 0], 3, [0.5, 0.9, 0.7])
    array([0, 2])
    """
    src, dst = ends(src, dst, n)
    order = _order(weights, src.size, greatest)
    return np.sort(order[_join_trees(src[order], dst[order], np.arange(n))])


def certify_forest(
    src: npt.ArrayLike,
    dst: npt.ArrayLike,
    n: int,
    weights: npt.ArrayLike | None,
    rows: npt.ArrayLike,
    greatest: bool = False,
) -> None:
    """Prove that rows form a minimum (maximum) spanning forest; without weights, any forest.

    A minimum spanning forest must pass three checks. The rows form no cycle. Every edge of the list
    joins two vertices of one tree of the forest. No edge outside the forest is lighter than the
    heaviest edge on the forest path between its ends. Of two edges with equal weights, the edge in
    the lower row counts as lighter, so exactly one forest is right. Without weights, the third
    check is left out, and any spanning forest is right.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices.
    weights : (m,) numbers, or None
        The weight of each edge; not changed. With None, any spanning forest is right.
    rows : (k,) integers
        The rows of the edges of the forest, ascending.
    greatest : bool
        Whether the forest must be a maximum spanning forest.

    Raises
    ------
    InputError
        As for :func:`kruskal`.
    VerificationError
        The rows do not form this forest. The error names the first edge that proves it.

    See Also
    --------
    cc_rapids.oracle.certify_spanning_forest : Prove an answer, for ids of any type.

    Examples
    --------
    >>> certify_forest([0, 1, 2], [1, 2, 0], 3, [0.5, 0.9, 0.7], [0, 1])
    Traceback (most recent call last):
        ...
    cc_rapids.errors.VerificationError: edge 2 of weight 0.7 is not in the forest, but should \
replace edge 1 of weight 0.9, which is on the forest path between its ends
    """
    src, dst = ends(src, dst, n)
    order = np.arange(src.size) if weights is None else _order(weights, src.size, greatest)
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or (chosen.size and not is_integer(chosen.dtype)):
        raise InputError(f"rows must be 1-d integers, not {chosen.dtype} of shape {chosen.shape}")
    check_ascending(chosen, "forest")
    is_chosen = np.zeros(order.size, bool)
    is_chosen[places_of(chosen, None, src.size, "forest", np).astype(np.int64)] = True
    # from here on, edges are in the order of their weights and then of their rows
    src, dst, is_chosen = src[order], dst[order], is_chosen[order]
    parent, link = np.arange(n), np.full(n, UNLINKED)
    k = _link_trees(src, dst, is_chosen, parent, link)
    if k >= 0:
        raise VerificationError(f"edge {order[k]:,} closes a cycle of the forest")
    k, last = _first_contradiction(src, dst, is_chosen, parent, link, weights is not None)
    if k < 0:
        return
    if last < 0:
        raise VerificationError(f"edge {order[k]:,} joins two trees of the forest")
    numbers = np.asarray(weights)
    raise VerificationError(
        f"edge {order[k]:,} of weight {numbers[order[k]]} is not in the forest, but should"
        f" replace edge {order[last]:,} of weight {numbers[order[last]]}, which is on the forest"
        " path between its ends"
    )


def single_linkage(
    src: npt.ArrayLike,
    dst: npt.ArrayLike,
    n: int,
    weights: npt.ArrayLike,
    greatest: bool = False,
) -> Indices:
    """Return the merges of single-linkage clustering, computed sequentially.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices, which are the clusters 0 .. n - 1.
    weights : (m,) numbers
        The weight of each edge; not changed. Ties go to the lower row.
    greatest : bool
        Whether the edges of greatest weight are merged first, instead of the edges of least weight.

    Returns
    -------
    (k, 4) int64
        A new array with one row per merge: the two clusters (the lower number first), the number
        of vertices of the new cluster, and the row of the edge. Merge i makes cluster n + i.

    Raises
    ------
    InputError
        As for :func:`kruskal`.

    See Also
    --------
    cc_rapids.Dendrogram.linkage : Return the merges on any engine, for ids of any type.
    cc_rapids.oracle.kruskal : Return only the edges.

    Examples
    --------
    >>> print(single_linkage([0, 1, 2], [1, 2, 0], 3, [0.5, 0.9, 0.7]))
    [[0 1 2 0]
     [2 3 3 2]]
    """
    src, dst = ends(src, dst, n)
    order = _order(weights, src.size, greatest)
    merges = np.empty((min(src.size, max(n - 1, 0)), 4), np.int64)
    count = _merge(src[order], dst[order], n, merges)
    merges = merges[:count].copy()
    merges[:, 3] = order[merges[:, 3]]
    return merges


def certify_spanning_forest(
    forest: Any,
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    weight: Any = None,
    greatest: bool = False,
    nulls: str = "raise",
) -> None:
    """Prove an answer of :func:`cc_rapids.minimum_spanning_forest`, for ids of any type.

    Every column is compared with the edges. Answers of :func:`cc_rapids.spanning_forest` are proved
    without ``weight``.

    Parameters
    ----------
    forest : frame
        The answer: the columns ``row``, the ends of each edge, and ``weight`` if the forest is by
        weight.
    edges : frame, or pair of arrays or series
        The edges that the answer was computed from. They are copied to the host from a GPU.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`cc_rapids.components`.
    weight : str, or (m,) array, optional
        As for :func:`cc_rapids.minimum_spanning_forest`.
    greatest : bool
        Whether the answer is one of :func:`cc_rapids.maximum_spanning_forest`.
    nulls : {"raise", "drop"}
        As for :func:`cc_rapids.components`.

    Raises
    ------
    VerificationError
        The answer is not a minimum (maximum) spanning forest, see :func:`certify_forest`; or an end
        or a weight differs from the edge in its row.
    InputError
        The edges or an argument cannot be used.

    See Also
    --------
    cc_rapids.oracle.certify_forest : Prove a forest of the vertices 0 .. n - 1.

    Examples
    --------
    >>> import cc_rapids
    >>> edges, km = (["b", "x", "c"], ["c", "c", "b"]), [3.5, 1, 2]
    >>> found = cc_rapids.minimum_spanning_forest(edges, weight=km)
    >>> certify_spanning_forest(found, edges, weight=km)
    """
    given = read.read(edges, source, destination, nulls=nulls)
    weights = None
    if weight is not None:
        name = ForestWeight(weight, greatest).name
        given = weighted(given, adapter_of(edges).weights(edges, weight), name, nulls)
        weights = on_host(given.weights)
    shown, rows, places = placed_rows(forest, given, "forest")
    if weight is None and "weight" in shown.names:
        raise InputError("the forest has weights: pass weight= to compare them")
    ids, src, dst = numbered_ends(given)
    certify_forest(src, dst, len(ids), weights, places, greatest)
    check_ends(shown, rows, ids[src[places]], ids[dst[places]])
    if weights is not None:
        shown.check_weights(rows, weights[places], on_host)
    shown.check_index(edges)


def numbered_ends(given: EdgeInput) -> tuple[npt.NDArray[Any], Indices, Indices]:
    """Return the sorted distinct ids of edges, and the ranks of both ends, on the host."""
    with Borrowing([given.src, given.dst]) as borrowed:
        columns = [host_ids(column) for column in borrowed]
    if not columns[0].size:
        return columns[0], np.zeros(0, np.int64), np.zeros(0, np.int64)
    ids, (src, dst) = ids_and_ranks(common_dtype(columns))
    return ids, src, dst


def placed_rows(
    frame: Any, given: EdgeInput, what: str
) -> tuple[ShownRows, npt.NDArray[Any], npt.NDArray[Any]]:
    """Return a frame of edges, its column ``row``, and the position of each row in ``given``.

    Positions differ from rows if edges with nulls were dropped. Raise a VerificationError if a row
    is not in ``given``; ``what`` names the frame in the error.
    """
    width = max(len(given.src.key_columns), 1)  # an id of one column has no key columns
    shown = ShownRows(frame, what, width)
    rows = host(shown.rows())
    caller_rows = None if given.row_index is None else host(given.row_index())
    return shown, rows, places_of(rows, caller_rows, given.src.size, what, np)


def _order(weights: npt.ArrayLike, m: int, greatest: bool) -> Indices:
    """Return the rows in ascending order of the weights, or in descending order if ``greatest``.

    Rows with equal weights stay in their order.
    """
    numbers = np.asarray(weights)
    if numbers.shape != (m,) or (m and not is_number(numbers.dtype)):
        raise InputError(
            f"weights must be {m:,} numbers, not {numbers.dtype} of shape {numbers.shape}"
        )
    missing = int((numbers != numbers).sum())
    if missing:
        raise InputError(f"{missing:,} of {m:,} weights are nan, which has no order")
    if not greatest:
        return np.argsort(numbers, kind="stable")
    # reversed twice, so that equal weights stay in the order of their rows
    return m - 1 - np.argsort(numbers[::-1], kind="stable")[::-1]


@numba.njit  # type: ignore[untyped-decorator]
def _join_trees(src: Any, dst: Any, parent: Any) -> Any:
    """Unite the ends of each edge in order; return a mask of the edges that join two trees.

    ``parent`` is modified. At first, each vertex is its own parent.
    """
    joins = np.zeros(src.size, np.bool_)
    for e in range(src.size):
        joins[e] = unite(parent, src[e], dst[e])
    return joins


@numba.njit  # type: ignore[untyped-decorator]
def _merge(src: Any, dst: Any, n: int, merges: Any) -> int:
    """Write the two clusters, the size and the edge of each merge; return the number of merges.

    The vertices of a cluster form a circular list. One vertex of the cluster, its head, stores the
    number and the size of the cluster. A merge joins the shorter list to the longer list.
    """
    head, following = np.arange(n), np.arange(n)
    cluster, size = np.arange(n), np.ones(n, np.int64)  # only the values at heads are valid
    count = 0
    for e in range(src.size):
        u, v = src[e], dst[e]
        if size[head[u]] > size[head[v]]:
            u, v = v, u
        short, long = head[u], head[v]
        if short != long:
            size[long] += size[short]
            a, b = cluster[short], cluster[long]
            merges[count] = min(a, b), max(a, b), size[long], e
            cluster[long] = n + count
            for _ in range(size[short]):
                head[u] = long
                u = following[u]
            following[u], following[v] = following[v], following[u]  # join both circles
            count += 1
    return count


@numba.njit  # type: ignore[untyped-decorator]
def _link_trees(src: Any, dst: Any, is_chosen: Any, parent: Any, link: Any) -> int:
    """Link both trees of each chosen edge; return the first that closes a cycle, or -1.

    The root of the smaller tree gets the root of the larger tree as its parent, so a climb takes at
    most log2 n steps. Paths are not shortened. ``link[v]`` becomes the edge that linked v to
    ``parent[v]``. On the way to a root, links ascend.
    """
    size = np.ones(parent.size, np.int64)
    for e in range(src.size):
        if is_chosen[e]:
            u, v = src[e], dst[e]
            while parent[u] != u:
                u = parent[u]
            while parent[v] != v:
                v = parent[v]
            if u == v:
                return e
            if size[u] > size[v]:
                u, v = v, u
            parent[u], link[u] = v, e
            size[v] += size[u]
    return -1


@numba.njit  # type: ignore[untyped-decorator]
def _first_contradiction(
    src: Any, dst: Any, is_chosen: Any, parent: Any, link: Any, by_weight: bool
) -> tuple[int, int]:
    """Return the first edge that proves a forest wrong, and the last edge of its forest path.

    An edge proves this if no forest path joins its ends; the second value is then -1. If edges are
    ordered ``by_weight``, an edge that precedes the last edge of its path also proves it. Both
    values are -1 if no edge proves the forest wrong.
    """
    for e in range(src.size):
        if not is_chosen[e]:
            u, v, last = src[e], dst[e], -1
            while u != v:
                # Links ascend on the way to a root, so the end with the earlier link climbs. If
                # that end is a root, its link is UNLINKED, so the other end is another root.
                if link[u] > link[v]:
                    u, v = v, u
                if parent[u] == u:
                    return e, -1
                last = max(last, link[u])
                u = parent[u]
            if by_weight and last > e:
                return e, last
    return -1, -1
