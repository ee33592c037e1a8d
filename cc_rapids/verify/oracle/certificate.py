"""Sequential union-find, and the proof of an answer by its edges."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from ...data import read
from ...data.column import Borrowing
from ...data.dtypes import is_integer
from ...errors import ArgumentTypeError, VerificationError, shown
from .columns import Indices, common_dtype, ends, first_few, host_ids, ids_and_ranks, label_columns


def union_find(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> Indices:
    """Return for each vertex the least vertex of its component, by sequential union-find.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices.

    Returns
    -------
    (n,) int64
        A new array of labels.

    Raises
    ------
    InputError
        An edge names a vertex outside 0 .. n - 1, or the columns differ in length.

    See Also
    --------
    cc_rapids.oracle.certify : Prove labels without another algorithm.

    Notes
    -----
    Trees are linked by index, and paths are halved, as in Tarjan and van Leeuwen, "Worst-case
    analysis of set union algorithms", J. ACM 1984.
    """
    src, dst = ends(src, dst, n)
    return np.asarray(_united(src, dst, np.arange(n)))


def certify(
    src: npt.ArrayLike, dst: npt.ArrayLike, n: int, labels: npt.ArrayLike, ids: Any = None
) -> None:
    """Prove that the label of each vertex is the least vertex of its component.

    Three conditions are checked. Each label is the least vertex with that label. Every edge joins
    two vertices with the same label, so no component is split. A breadth-first search from each
    label reaches every vertex with that label, so no two components are merged.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices.
    labels : (n,) integers
        The label of each vertex; not changed.
    ids : (n,) sequence, optional
        The ids of the vertices, for error messages. Defaults to their numbers.

    Raises
    ------
    InputError
        As for :func:`union_find`.
    VerificationError
        The labels are wrong. The error names the first vertex or edge that proves it.

    See Also
    --------
    cc_rapids.oracle.certify_components : Prove an answer, for ids of any type.
    cc_rapids.Components.audit : Prove an answer on the engine that holds it.

    Notes
    -----
    The checks are those of Beamer, Asanovic and Patterson, "The GAP benchmark suite", 2015.
    """
    src, dst = ends(src, dst, n)
    id_of: Any = range(n) if ids is None else ids
    label = _checked_labels(np.asarray(labels), n, id_of)
    e = _first_across(src, dst, label)
    if e >= 0:
        u, v = src[e], dst[e]
        raise VerificationError(
            f"edge {e:,} joins {id_of[u]!s} and {id_of[v]!s}, which have the labels"
            f" {id_of[label[u]]!s} and {id_of[label[v]]!s}"
        )
    v = unreached(src, dst, label)
    if v >= 0:
        raise VerificationError(
            f"vertex {id_of[v]!s} has the label {id_of[label[v]]!s}, but no path joins the two"
        )


def unreached(src: Indices, dst: Indices, label: Indices) -> int:
    """Return the first vertex that no path joins to its label; -1 if there is none.

    Each label must label itself, and each edge must join vertices with equal labels.
    """
    n = label.size
    neighbour = np.empty(2 * src.size, np.uint32 if n <= 1 << 32 else np.uint64)
    return int(_first_unreached(_adjacency(src, dst, n, neighbour), neighbour, label))


def certify_components(
    found: Any,
    edges: Any,
    source: str = "src",
    destination: str = "dst",
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    nulls: str = "raise",
) -> None:
    """Prove an answer of :func:`cc_rapids.components`, for ids of any type.

    Parameters
    ----------
    found : Components
        The answer, whose labels of kind ``"min"`` are checked.
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        The edges that the answer was computed from, in any form that
        :func:`cc_rapids.components` accepts. They are copied to the host from a GPU.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`cc_rapids.components`.
    vertices : column, array or range, optional
        As for :func:`cc_rapids.components`.
    num_vertices : int, optional
        As for :func:`cc_rapids.components`.
    nulls : {"raise", "drop"}
        As for :func:`cc_rapids.components`.

    Raises
    ------
    ArgumentTypeError
        ``found`` is not an answer, such as a frame of labels.
    VerificationError
        The vertices of the answer are not the vertices of the edges and of ``vertices``, sorted by
        id; the labels are not the least ids of the components, see :func:`certify`; or
        ``len(found)`` is not the number of components.

    See Also
    --------
    cc_rapids.oracle.certify : Prove the labels of the vertices 0 .. n - 1.
    cc_rapids.Components.audit : Prove an answer on the engine that holds it.

    Examples
    --------
    >>> import cc_rapids
    >>> edges = ["b", "x", "c"], ["c", "y", "a"]
    >>> certify_components(cc_rapids.components(edges), edges)
    """
    if not callable(getattr(type(found), "labels", None)):
        raise ArgumentTypeError(
            f"found must be an answer of components(), not {shown(found)}: oracle.certify proves"
            " labels in an array"
        )
    given = read.read(edges, source, destination, vertices, num_vertices, nulls)
    with Borrowing(given.columns) as borrowed:
        columns = [host_ids(column) for column in borrowed]
    if isinstance(given.vertices, range):
        columns.append(np.array(given.vertices, np.int64))
    vertex, label, *columns = common_dtype([*label_columns(found.labels("min")), *columns])
    ids, (src, dst, *_) = ids_and_ranks(columns)
    _check_vertices(vertex, ids)
    label_rank = np.searchsorted(ids, label)  # ids.size if the label is greater than all ids
    unknown = np.flatnonzero(ids[np.minimum(label_rank, ids.size - 1)] != label)
    if unknown.size:
        v = unknown[0]
        raise VerificationError(
            f"vertex {ids[v]!s} has the label {label[v]!s}, which is not a vertex"
        )
    certify(src, dst, ids.size, label_rank, ids)
    count = np.count_nonzero(label_rank == np.arange(ids.size))
    if len(found) != count:
        raise VerificationError(f"len() is {len(found):,}, but there are {count:,} components")


def _checked_labels(labels: npt.NDArray[Any], n: int, id_of: Any) -> Indices:
    """Return the labels as int64; raise an error unless each is the least vertex that has it."""
    if labels.shape != (n,) or (n and not is_integer(labels.dtype)):
        raise VerificationError(
            f"labels of type {labels.dtype} and shape {labels.shape} for {n:,} vertices"
        )
    outside = (labels < 0) | (labels >= n)
    if outside.any():
        v = int(outside.argmax())
        raise VerificationError(f"vertex {id_of[v]!s} has the label {labels[v]}, not in 0..{n - 1}")
    label = labels.astype(np.int64, copy=False)
    wrong = (label > np.arange(n)) | (label[label] != label)
    if wrong.any():
        v = int(wrong.argmax())
        raise VerificationError(
            f"vertex {id_of[v]!s} has the label {id_of[label[v]]!s}, which itself has the label"
            f" {id_of[label[label[v]]]!s}: the least vertex of a component labels itself and the"
            " others"
        )
    return label


def _check_vertices(vertex: npt.NDArray[Any], ids: npt.NDArray[Any]) -> None:
    """Raise a VerificationError unless the vertices are exactly the ids, in order."""
    if np.array_equal(vertex, ids):
        return
    missing, unknown = np.setdiff1d(ids, vertex), np.setdiff1d(vertex, ids)
    if missing.size:
        raise VerificationError(f"{first_few(missing)} have no label")
    if unknown.size:
        raise VerificationError(
            f"{first_few(unknown)} have a label, but neither edges nor vertices= contain them"
        )
    raise VerificationError("vertices are listed twice, or not in the order of their ids")


@numba.njit  # type: ignore[untyped-decorator]
def unite(parent: Any, u: int, v: int) -> bool:
    """Join the trees of two vertices, and return whether they were two trees."""
    while parent[u] != u:
        parent[u] = parent[parent[u]]
        u = parent[u]
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    parent[max(u, v)] = min(u, v)
    return u != v


@numba.njit  # type: ignore[untyped-decorator]
def _united(src: Any, dst: Any, parent: Any) -> Any:
    """Replace ``parent``, at first 0 .. n - 1, by the least vertices of components; return it."""
    for e in range(src.size):
        unite(parent, src[e], dst[e])
    for v in range(parent.size):
        # parent[v] <= v, so the parent of the parent is already a root
        parent[v] = parent[parent[v]]
    return parent


@numba.njit  # type: ignore[untyped-decorator]
def _first_across(src: Any, dst: Any, labels: Any) -> int:
    """Return the first edge between two labels; -1 if there is none."""
    for e in range(src.size):
        if labels[src[e]] != labels[dst[e]]:
            return e
    return -1


@numba.njit  # type: ignore[untyped-decorator]
def _adjacency(src: Any, dst: Any, n: int, neighbour: Any) -> Any:
    """Write the neighbours of each v to ``neighbour[start[v]:start[v + 1]]``; return ``start``."""
    start = np.zeros(n + 2, np.int64)
    for e in range(src.size):
        start[src[e] + 2] += 1
        start[dst[e] + 2] += 1
    for v in range(n):
        start[v + 2] += start[v + 1]
    # start[v + 1] is the next free entry of v and, after the loop, the start of v + 1
    for e in range(src.size):
        u, v = src[e], dst[e]
        neighbour[start[u + 1]] = v
        start[u + 1] += 1
        neighbour[start[v + 1]] = u
        start[v + 1] += 1
    return start


@numba.njit  # type: ignore[untyped-decorator]
def _first_unreached(start: Any, neighbour: Any, labels: Any) -> int:
    """Return the first vertex that no breadth-first search from a label reaches; -1 if none."""
    reached, queue = np.zeros(labels.size, np.bool_), np.empty(labels.size, np.int64)
    head = tail = 0
    for root in range(labels.size):
        if labels[root] == root:
            queue[tail], reached[root] = root, True
            tail += 1
        while head < tail:
            v = queue[head]
            head += 1
            for k in range(start[v], start[v + 1]):
                w = neighbour[k]
                if not reached[w]:
                    queue[tail], reached[w] = w, True
                    tail += 1
    for v in range(labels.size):
        if not reached[v]:
            return v
    return -1
