"""SciPy, NetworkX and cuGraph as oracles, each imported when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...data.pair_lists import columns_of_pairs
from ...errors import InputError, VerificationError
from .columns import ends, first_few, host, label_columns


def least_by(peer: str, src: Any, dst: Any, n: int) -> Any:
    """Return for each vertex the least vertex of its component, as another library finds it.

    ``peer`` is a key of ``PEERS``. ``src`` and ``dst`` are int64 within 0 .. n - 1, on the host or
    on a GPU. They are copied to the library's device, where the result stays.
    """
    if not n:
        return np.empty(0, np.int64)
    labels = PEERS[peer](src, dst, n)
    library: Any = np
    if hasattr(labels, "__cuda_array_interface__"):
        import cupy

        library = cupy
    # the first index of a label is the least vertex that has it
    _, first_vertex, code = library.unique(labels, return_index=True, return_inverse=True)
    return first_vertex[code]


def _by_scipy(src: Any, dst: Any, n: int) -> Any:
    """Return SciPy's component labels."""
    from scipy.sparse import coo_array, csgraph

    src, dst = host(src), host(dst)
    matrix = coo_array((np.ones(src.size, bool), (src, dst)), shape=(n, n))
    return csgraph.connected_components(matrix, directed=False)[1] if n else np.empty(0, np.int64)


def _by_networkx(src: Any, dst: Any, n: int) -> Any:
    """Return the component of each vertex, numbered in the order in which NetworkX lists them."""
    import networkx as nx

    graph = nx.empty_graph(n)
    graph.add_edges_from(zip(host(src).tolist(), host(dst).tolist(), strict=True))
    labels = np.empty(n, np.int64)
    for number, part in enumerate(nx.connected_components(graph, backend="networkx")):
        labels[list(part)] = number
    return labels


def _by_cugraph(src: Any, dst: Any, n: int) -> Any:
    """Return cuGraph's component labels; self-loops add the vertices without edges."""
    import cudf
    import cugraph
    import cupy

    function = cugraph.weakly_connected_components
    if getattr(function, "__globals__", {}).get("__name__", "").startswith("cc_rapids"):
        raise InputError(
            "cuGraph's own function cannot be called while cc_rapids is installed in its place:"
            " call cc_rapids.uninstall() first"
        )
    dtype, loops = np.int32 if n < 1 << 31 else np.int64, cupy.arange(n)
    ends = [cupy.concatenate([cupy.asarray(end), loops]).astype(dtype) for end in (src, dst)]
    graph = cugraph.Graph()
    graph.from_cudf_edgelist(cudf.DataFrame({"src": ends[0], "dst": ends[1]}), "src", "dst")
    frame = function(graph).sort_values("vertex")
    return frame["labels"].to_cupy()


PEERS = {"scipy": _by_scipy, "networkx": _by_networkx, "cugraph": _by_cugraph}


def against_scipy(src: npt.ArrayLike, dst: npt.ArrayLike, n: int, labels: npt.ArrayLike) -> None:
    """Raise an error unless dense labels of the vertices 0 .. n - 1 equal the labels of SciPy.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge.
    n : int
        The number of vertices.
    labels : (n,) integers
        Labels 0 .. k - 1 in the order of the least vertices, such as ``labels("dense")``.

    Raises
    ------
    VerificationError
        There are not ``n`` labels, or a label differs. The error names the first such vertex.

    See Also
    --------
    cc_rapids.oracle.against_networkx : Compare with NetworkX, for ids of any type.
    cc_rapids.oracle.certify : Prove labels without another library.
    """
    theirs = _by_scipy(*ends(src, dst, n), n)
    ours = np.asarray(labels)
    if ours.shape != (n,):
        raise VerificationError(f"labels of shape {ours.shape} for {n:,} vertices")
    if not np.array_equal(ours, theirs):
        v = int((ours != theirs).argmax())
        raise VerificationError(
            f"vertex {v} has the label {ours[v]}, but should have {theirs[v]}, as in"
            f" SciPy's {theirs.max() + 1:,} components"
        )


def against_networkx(
    edges: Any, answer: Any, source: str = "src", destination: str = "dst", *, vertices: Any = None
) -> None:
    """Raise an error unless a label frame has the components that NetworkX finds.

    Parameters
    ----------
    edges : frame, pair of arrays or list of pairs
        The edges, of any ids.
    source, destination : str, or lists of str of equal length, optional
        The columns with the two ends of each edge.
    answer : frame or pair of arrays, columns ``vertex`` and ``labels``
        The result of :func:`cc_rapids.connected_components`.
    vertices : column or range, optional
        Vertices in addition to those of the edges.

    Raises
    ------
    VerificationError
        A component differs, or a vertex has no label. The error names the first such vertices.

    See Also
    --------
    cc_rapids.oracle.against_scipy : Compare with SciPy, for vertices 0 .. n - 1.
    cc_rapids.oracle.same_partition : Compare two label frames.
    """
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from([] if vertices is None else host(vertices).tolist())
    if isinstance(edges, list):
        edges = columns_of_pairs(edges)
    pair = edges if isinstance(edges, tuple) else (edges[source], edges[destination])
    graph.add_edges_from(zip(*(host(column).tolist() for column in pair), strict=True))
    component_of = {v: part for part in nx.connected_components(graph) for v in part}
    with_label: dict[Any, set[Any]] = {}
    listed, labels = (column.tolist() for column in label_columns(answer))
    for v, label in zip(listed, labels, strict=True):
        with_label.setdefault(label, set()).add(v)
    for v, label in zip(listed, labels, strict=True):
        if with_label[label] != component_of.get(v):
            raise VerificationError(
                f"the component of {v!s} is {first_few(with_label[label])}, but NetworkX finds"
                f" {first_few(component_of.get(v, set()))}"
            )
    missing = component_of.keys() - set(listed)
    if missing:
        raise VerificationError(f"{first_few(missing)} have no label")


def against_cugraph(edges: Any, answer: Any, source: str = "src", destination: str = "dst") -> None:
    """Raise an error unless a label frame has the weakly connected components of cuGraph.

    Parameters
    ----------
    edges : cudf.DataFrame
        The edges. Every vertex must be an end of an edge.
    answer : cudf.DataFrame with columns ``vertex`` and ``labels``
        The result of :func:`cc_rapids.connected_components`.
    source, destination : str
        The columns with the two ends of each edge.

    Raises
    ------
    VerificationError
        As for :func:`same_partition`.

    See Also
    --------
    cc_rapids.oracle.against_networkx : Compare with NetworkX.
    cc_rapids.oracle.same_partition : Compare two label frames.
    """
    import cugraph

    graph = cugraph.Graph()
    graph.from_cudf_edgelist(edges, source=source, destination=destination, renumber=True)
    same_partition(answer, cugraph.weakly_connected_components(graph))


def same_partition(ours: Any, theirs: Any) -> None:
    """Raise an error unless two label frames have the same components; labels may differ.

    Parameters
    ----------
    ours, theirs : cuDF or pandas frames
        With columns ``vertex`` and ``labels``, in any order.

    Raises
    ------
    VerificationError
        A vertex has no label or is listed twice in one of the frames, or a label of one frame
        occurs with two labels of the other. The error names the first such vertices.

    See Also
    --------
    cc_rapids.Components.equals : Compare two answers.
    """
    theirs = theirs[["vertex", "labels"]].rename(columns={"labels": "other"})
    both = ours[["vertex", "labels"]].merge(theirs, on="vertex", how="outer")
    for column, side in (("labels", "first"), ("other", "second")):
        unlabelled = both["vertex"][both[column].isna()]
        if len(unlabelled):
            raise VerificationError(f"{first_few(unlabelled)} have no label in the {side} frame")
    twice = both["vertex"][both["vertex"].duplicated()]
    if len(twice):
        raise VerificationError(f"{first_few(twice)} are listed more than once")
    # each label must occur with one label of the other frame, so in one distinct pair
    pairs = both.drop_duplicates(["labels", "other"])
    for column, other, side in (("labels", "other", "first"), ("other", "labels", "second")):
        label = pairs[column][pairs[column].duplicated()].head(1)
        if len(label):
            two = pairs[pairs[column].isin(label)].head(2)
            raise VerificationError(
                f"{first_few(two['vertex'])} share the label {host(label)[0]!s} of the {side}"
                f" frame, but have the labels {first_few(two[other])} in the other"
            )
