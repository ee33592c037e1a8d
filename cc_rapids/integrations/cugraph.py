"""Drop-ins for cuGraph's functions, with the same arguments, answers and error messages.

The drop-ins differ where the original functions fail or lose vertices: matrices need no
``directed=False``, and isolated vertices of matrices are counted. On every run, integer vertices
get the same labels, and spanning forests have the same edges.
"""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec
from typing import Any

from ..api import components, find_components
from ..data.arguments import check_flag
from ..data.cugraph_graphs import check_state, edge_frame, is_graph, numbering
from ..data.dtypes import is_object
from ..errors import ArgumentTypeError, EngineError, GraphStateError, InputError, shown
from ..options import Options
from ..results.lookup import frame_with_labels

WEIGHTS = "weights"  # the name of the column of weights in cuGraph's edge list

log: logging.Logger = logging.getLogger(__name__)


def weakly_connected_components(
    G: Any,  # noqa: N803
    directed: bool | None = None,
    connection: str | None = None,
    return_labels: bool | None = None,
) -> Any:
    """Find the weakly connected components of a graph or a matrix, as cuGraph's function does.

    Parameters
    ----------
    G : cugraph.Graph, or CuPy or SciPy sparse matrix or array
        An undirected graph or an (n, n) matrix of any format. The edge list or adjacency list of a
        graph is read in place. Every stored entry of a matrix is an edge.
    directed : bool, optional
        For matrices only, and without effect, because weak components ignore directions.
    connection : {"weak"}, optional
        The kind of components.
    return_labels : bool, optional
        For matrices only. If False, only the number of components is returned.

    Returns
    -------
    cudf.DataFrame with columns ``vertex`` and ``labels`` for a graph
        One row per vertex, including vertices without edges. ``labels`` has cuGraph's type (int32
        or int64). For a graph of int32 or int64 vertices, the rows are sorted by vertex, and the
        label is the least vertex of the component. CuGraph renumbers vertices of other types:
        strings, unsigned integers, and several columns (``0_vertex``, ``1_vertex``, ...). Then the
        rows are sorted by cuGraph's numbers, and the label is the least number in the component.
        These numbers differ from graph to graph, but ``components(graph).labels()`` is the same on
        every run.
    (int, (n,) array of int32), or int, for a matrix
        The number of components k, and for each row of the matrix a label 0 .. k-1. Labels follow
        the order of the first row of each component. The array is CuPy's for a CuPy matrix, and
        NumPy's for a SciPy matrix.

    Raises
    ------
    ArgumentTypeError
        An argument cannot be combined with ``G``, or ``G`` is neither a graph nor a matrix. The
        error is also a TypeError.
    InputError
        The graph is directed, the matrix is not square, or ids are null. The error is also a
        ValueError.
    GraphStateError
        The graph is empty or distributed over several GPUs.

    See Also
    --------
    cc_rapids.install : Replace cuGraph's function by this function.
    cc_rapids.components : Find the components of edge lists of any kind.
    cc_rapids.dask.weakly_connected_components : Find the components of graphs on several GPUs.

    Examples
    --------
    >>> import scipy.sparse, cc_rapids
    >>> matrix = scipy.sparse.coo_array(([1, 1], ([0, 3], [1, 3])), shape=(4, 4))
    >>> cc_rapids.weakly_connected_components(matrix)
    (3, array([0, 0, 1, 2], dtype=int32))
    """
    graph = is_graph(G)
    for name, value in (("directed", directed), ("return_labels", return_labels)):
        if graph and value is not None:
            raise ArgumentTypeError(f"'{name}' cannot be specified for a Graph-type input")
    if connection is not None and not _is_kind(connection, "weak"):
        raise ArgumentTypeError("'connection' must be 'weak' for weakly_connected_components()")
    if not graph:
        return _of_matrix(G, _wants_labels(return_labels))
    if G.is_directed():
        raise InputError("input graph must be undirected")
    check_state(G)
    return _labels_of_ids(G) if numbering(G) is None else _labels_of_renumbered(G)


def connected_components(
    G: Any,  # noqa: N803
    directed: bool | None = None,
    connection: str = "weak",
    return_labels: bool | None = None,
) -> Any:
    """Find the weak components, as :func:`weakly_connected_components` does, or strong components.

    Parameters
    ----------
    G : cugraph.Graph or sparse matrix
        As for :func:`weakly_connected_components`.
    directed, return_labels : bool, optional
        As for :func:`weakly_connected_components`.
    connection : {"weak", "strong"}
        The kind of components. CuGraph computes strong components, and a log line says so. If
        cuGraph is not installed, SciPy computes the strong components of SciPy matrices.

    Returns
    -------
    frame, (int, array) or int
        As for :func:`weakly_connected_components`.

    Raises
    ------
    ArgumentTypeError, InputError, GraphStateError
        As for :func:`weakly_connected_components`; InputError for another connection.
    EngineError
        Strong components are requested, and cuGraph is not installed.

    See Also
    --------
    cc_rapids.weakly_connected_components : Find only weak components.
    cc_rapids.install : Replace cuGraph's function by this function.

    Examples
    --------
    >>> import scipy.sparse
    >>> from cc_rapids.integrations.cugraph import connected_components
    >>> connected_components(scipy.sparse.eye_array(3), return_labels=False)
    3
    """
    if _is_kind(connection, "weak"):
        return weakly_connected_components(G, directed, connection, return_labels)
    if _is_kind(connection, "strong"):
        return _strong(G, directed, return_labels)
    kind = connection if isinstance(connection, str) else shown(connection)
    raise InputError(f"invalid connection type: {kind}, must be either 'strong' or 'weak'")


def _is_kind(connection: Any, kind: str) -> bool:
    """Return whether ``connection`` is the string ``kind``; False for an array of strings."""
    return isinstance(connection, str) and connection == kind


def _wants_labels(return_labels: Any) -> bool:
    """Return the flag ``return_labels`` after a check of its type; True for None."""
    return return_labels is None or check_flag("return_labels", return_labels)


def minimum_spanning_tree(
    G: Any,  # noqa: N803
    weight: Any = None,
    algorithm: Any = "boruvka",
    ignore_nan: bool = False,
) -> Any:
    """Find a minimum spanning forest of a weighted graph, as cuGraph's function does.

    Parameters
    ----------
    G : cugraph.Graph
        An undirected graph with weights; its edge list is read in place. If an edge is listed
        several times, the least weight counts.
    weight, algorithm
        Without effect, as in cuGraph, because a graph has one weight for each edge.
    ignore_nan : bool
        Whether to leave out edges whose weight is NaN, instead of raising an error.

    Returns
    -------
    cugraph.Graph
        A graph of the edges of the forest with their weights. As in cuGraph, vertices without edges
        are left out. Ties are broken by the lower row of the edge list.

    Raises
    ------
    ArgumentTypeError
        ``G`` is not a graph. The error is also a TypeError.
    InputError, NullsError
        The graph is directed, or a weight is NaN. The error is also a ValueError.
    GraphStateError
        The graph has no edge list, no weights, or is distributed over several GPUs.

    See Also
    --------
    cc_rapids.minimum_spanning_forest : Return rows of edge lists of any kind.
    cc_rapids.install : Replace cuGraph's function by this function.
    """
    return _spanning_tree(G, "min", ignore_nan)


def maximum_spanning_tree(
    G: Any,  # noqa: N803
    weight: Any = None,
    algorithm: Any = "boruvka",
    ignore_nan: bool = False,
) -> Any:
    """Find a maximum spanning forest of a weighted graph, as cuGraph's function does.

    Parameters
    ----------
    G : cugraph.Graph
        As for :func:`minimum_spanning_tree`. If an edge is listed several times, the greatest
        weight counts.
    weight, algorithm, ignore_nan
        As for :func:`minimum_spanning_tree`.

    Returns
    -------
    cugraph.Graph
        As for :func:`minimum_spanning_tree`.

    See Also
    --------
    cc_rapids.maximum_spanning_forest : Return rows of edge lists of any kind.
    cc_rapids.install : Replace cuGraph's function by this function.
    """
    return _spanning_tree(G, "max", ignore_nan)


def _spanning_tree(graph: Any, kind: str, ignore_nan: bool) -> Any:
    """Return a minimum or maximum spanning forest of a graph as a graph of cuGraph."""
    nulls = "drop" if check_flag("ignore_nan", ignore_nan) else "raise"
    weighted = _weighted_edges(graph)
    forest = components(weighted, weight=WEIGHTS, forest=kind, nulls=nulls).forest()
    cugraph_names = {"source": "src", "destination": "dst"}
    edges = forest[[*cugraph_names, "weight"]].rename(columns=cugraph_names)
    end_columns = {}
    for end, name in cugraph_names.items():
        columns = [name]
        if numbering(graph) is not None:
            # cuGraph names several columns of ids 0_src, 1_src, ...
            edges = graph.unrenumber(edges, name)
            columns = [column for column in edges.columns if column.endswith(name)]
        end_columns[end] = columns if len(columns) > 1 else columns[0]
    forest_graph = sys.modules["cugraph"].Graph()
    forest_graph.from_cudf_edgelist(edges, **end_columns, edge_attr="weight")
    return forest_graph


def _weighted_edges(graph: Any) -> Any:
    """Return the edge list of a graph in cuGraph's internal numbers, with its weights."""
    if not is_graph(graph):
        raise ArgumentTypeError(f"obj of type {type(graph)} is not supported.")
    if graph.is_directed():
        raise InputError("input graph must be undirected")
    if graph.is_multi_gpu():
        raise GraphStateError("the graph is distributed over several GPUs")
    check_state(graph)
    if graph.edgelist is None:
        raise GraphStateError(
            "the graph has no edge list: pass its edges and weights to a spanning forest function"
            " of cc_rapids"
        )
    edges = graph.edgelist.edgelist_df
    if WEIGHTS not in edges.columns:
        raise GraphStateError("the edges of the graph have no weights")
    return edges


def is_accepted(thing: Any) -> bool:
    """Return whether an object is a graph or matrix that these functions accept."""
    # The type is examined, because hasattr on a frame would look for a column of this name
    return is_graph(thing) or hasattr(type(thing), "tocoo")


def _of_matrix(matrix: Any, return_labels: bool) -> Any:
    """Return the number of components of a matrix, with the labels if ``return_labels`` is true."""
    if not is_accepted(matrix):
        raise ArgumentTypeError(f"obj of type {type(matrix)} is not supported.")
    result = components(matrix)
    return (len(result), result.labels("dense").labels) if return_labels else len(result)


def _labels_of_ids(graph: Any) -> Any:
    """Return the label frame of a graph that is not renumbered.

    If all vertices of the graph occur in the edge list, only the edge list is read.
    """
    if graph.edgelist is not None:
        count = int(graph.number_of_vertices())
        labels = _label_frame(graph.edgelist.edgelist_df, count)
        if len(labels) == count:
            return labels
    return _label_frame(graph)


def _label_frame(edges: Any, expected_rows: int | None = None) -> Any:
    """Return the label frame of edges; memory for ``expected_rows`` rows is allocated first."""
    options = Options.check(
        source="src", destination="dst", wants_labels=True, expected_rows=expected_rows
    )
    result: Any = find_components(edges, options)
    return result.labels()


def _labels_of_renumbered(graph: Any) -> Any:
    """Return the label frame of a graph that cuGraph has renumbered to 0 .. n - 1.

    The rows keep the order of cuGraph's table of numbers, as in cuGraph. Sorting the rows by
    strings would take ten times as long as all other steps.
    """
    table = numbering(graph)
    names = [name for name in table.columns if name != "id"]
    new_names = ["vertex"] if len(names) == 1 else [f"{name}_vertex" for name in names]
    # Numbers are copied, because the caller may change them in place; strings are immutable
    vertices = {
        new_name: table[name] if is_object(table[name].dtype) else table[name].copy()
        for new_name, name in zip(new_names, names, strict=True)
    }
    result = components(edge_frame(graph), num_vertices=len(table))
    return frame_with_labels(result.answer, vertices, table["id"])


def _strong(matrix: Any, directed: bool | None, return_labels: bool | None) -> Any:
    """Find strong components by cuGraph or, if it is not installed, by SciPy for its matrices."""
    if "cugraph" in sys.modules or find_spec("cugraph"):
        import cugraph

        log.info("strong components: passed to cugraph.strongly_connected_components")
        return cugraph.strongly_connected_components(matrix, directed, "strong", return_labels)
    from scipy.sparse import csgraph, issparse

    if issparse(matrix):
        log.info("strong components: passed to scipy.sparse.csgraph.connected_components")
        return csgraph.connected_components(
            matrix,
            directed is None or check_flag("directed", directed),
            "strong",
            _wants_labels(return_labels),
        )
    raise EngineError(
        "strong components need cuGraph, which is not installed: pip install cugraph-cu13, or pass"
        " a SciPy matrix"
    )
