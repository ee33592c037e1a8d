"""SciPy, NetworkX and cuGraph as oracles, each imported when it is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import VerificationError
from .columns import ends, host, label_columns, some


def against_scipy(src: npt.ArrayLike, dst: npt.ArrayLike, n: int, labels: npt.ArrayLike) -> None:
    """Compare dense labels of the vertices 0 .. n - 1 with SciPy's: they have to be equal.

    Parameters
    ----------
    src, dst, n
        As for :func:`union_find`.
    labels : (n,) integers
        0 .. k - 1 in the order of the least vertices, such as ``labels("dense")``.

    Raises
    ------
    VerificationError
        Another number of vertices, or the first label that differs.
    """
    from scipy.sparse import coo_array, csgraph

    src, dst = ends(src, dst, n)
    matrix = coo_array((np.ones(src.size, bool), (src, dst)), shape=(n, n))
    count, theirs = csgraph.connected_components(matrix, directed=False) if n else (0, np.empty(0))
    ours = np.asarray(labels)
    if ours.shape != (n,):
        raise VerificationError(f"labels of shape {ours.shape} for {n:,} vertices")
    if not np.array_equal(ours, theirs):
        v = int((ours != theirs).argmax())
        raise VerificationError(
            f"vertex {v} has the label {ours[v]}, and {theirs[v]} from SciPy, which finds {count:,}"
            " components"
        )


def against_networkx(
    edges: Any, answer: Any, source: str = "src", destination: str = "dst", *, vertices: Any = None
) -> None:
    """Compare a label frame with NetworkX's components, as sets of ids.

    Parameters
    ----------
    edges, source, destination
        A frame or a pair of arrays, of any ids.
    answer : frame or pair of arrays, columns ``vertex`` and ``labels``
        What :func:`cc_rapids.connected_components` returned.
    vertices : column or range, optional
        Vertices besides those of the edges.

    Raises
    ------
    VerificationError
        The first vertex of the answer whose component differs, or a vertex that has none.
    """
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from([] if vertices is None else host(vertices).tolist())
    pair = edges if isinstance(edges, tuple | list) else (edges[source], edges[destination])
    graph.add_edges_from(zip(*(host(column).tolist() for column in pair), strict=True))
    theirs = {v: part for part in nx.connected_components(graph) for v in part}
    ours: dict[Any, set[Any]] = {}
    vertex, label = (column.tolist() for column in label_columns(answer))
    for v, name in zip(vertex, label, strict=True):
        ours.setdefault(name, set()).add(v)
    for v, name in zip(vertex, label, strict=True):
        if ours[name] != theirs.get(v):
            raise VerificationError(
                f"the component of {v!s} is {some(ours[name])}, and {some(theirs.get(v, set()))}"
                " from NetworkX"
            )
    missing = theirs.keys() - set(vertex)
    if missing:
        raise VerificationError(f"{some(missing)} have no label")


def against_cugraph(edges: Any, answer: Any, source: str = "src", destination: str = "dst") -> None:
    """Compare a label frame with cuGraph's weakly connected components, as partitions, on the GPU.

    Parameters
    ----------
    edges : cudf.DataFrame
        Its columns ``source`` and ``destination`` name every vertex.
    answer : cudf.DataFrame with columns ``vertex`` and ``labels``
        What :func:`cc_rapids.connected_components` returned.

    Raises
    ------
    VerificationError
        As for :func:`same_partition`.
    """
    import cugraph

    graph = cugraph.Graph()
    graph.from_cudf_edgelist(edges, source=source, destination=destination, renumber=True)
    same_partition(answer, cugraph.weakly_connected_components(graph))


def same_partition(ours: Any, theirs: Any) -> None:
    """Compare two label frames, whatever their labels: these have to map one to one.

    Parameters
    ----------
    ours, theirs : cuDF or pandas frames with columns ``vertex`` and ``labels``, in any order

    Raises
    ------
    VerificationError
        A vertex has no label in one of them or two in one of them, or the first label of one that
        meets two labels of the other.
    """
    theirs = theirs[["vertex", "labels"]].rename(columns={"labels": "other"})
    both = ours[["vertex", "labels"]].merge(theirs, on="vertex", how="outer")
    for column, side in (("labels", "first"), ("other", "second")):
        alone = both["vertex"][both[column].isna()]
        if len(alone):
            raise VerificationError(f"{some(alone)} have no label in the {side} frame")
    twice = both["vertex"][both["vertex"].duplicated()]
    if len(twice):
        raise VerificationError(f"{some(twice)} are listed more than once")
    pairs = both.drop_duplicates(["labels", "other"])
    for column, other, side in (("labels", "other", "first"), ("other", "labels", "second")):
        label = pairs[column][pairs[column].duplicated()].head(1)
        if len(label):
            two = pairs[pairs[column].isin(label)].head(2)
            raise VerificationError(
                f"{some(two['vertex'])} share the label {host(label)[0]!s} of the {side} frame,"
                f" and have the labels {some(two[other])} in the other"
            )
