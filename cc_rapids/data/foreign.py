"""Convert objects of other libraries to tables of Arrow or to mappings of columns.

Graphs of NetworkX and igraph, and matrices with weights, become a :class:`Graph`: it has all
vertices, and makes columns by name on request. Objects that only have Arrow's protocols become
tables and columns of PyArrow, or frames of cuDF if they are on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import getitem
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..errors import InputError, counted, id_shown, listed
from . import offsets
from .arrow_protocols import arrow_of
from .frame_access import columns_of, is_frame, key_parts, key_width
from .key_names import are_usable
from .kinds import DESTINATION, SOURCE, Graph, KeyPairs, frame_of_levels, speaks_arrow
from .pair_lists import columns_of_key_pairs

WEIGHT = "weight"  # the values of a matrix
# the result of _conversion_of() for each type of edges so far
_OPENED_BY: WeakKeyDictionary[type, Callable[[Any], Any] | None] = WeakKeyDictionary()


def opened(edges: Any, weight: Any = None) -> Any:
    """Convert edges to a form that an adapter reads; return most kinds unchanged.

    With a ``weight``, a matrix becomes the :class:`Graph` of its entries, with their values as
    :data:`WEIGHT`. ``weight`` is the name of a column, or an array with a number for each entry. An
    InputError for an object that cannot be converted says what to pass instead.
    """
    kind = type(edges)
    try:
        convert = _OPENED_BY[kind]
    except KeyError:
        convert = _OPENED_BY[kind] = _conversion_of(kind)
    if convert is not None:
        return convert(edges)
    if weight is not None and hasattr(edges, "tocoo"):
        return _graph_of_matrix(edges, sums_duplicates=isinstance(weight, str))
    return edges


def with_own_weights(edges: Any, weight: Any) -> tuple[Any, Any]:
    """Return converted edges, and their weights: by default, the weights of a matrix or graph."""
    if weight is None and (hasattr(edges, "tocoo") or isinstance(opened(edges), Graph)):
        weight = WEIGHT
    return opened(edges, weight), weight


def _conversion_of(kind: type) -> Callable[[Any], Any] | None:
    """Return the function that converts objects of a type; None if no conversion is needed."""
    # the library of the type, then those of its bases
    libraries = [base.__module__.partition(".")[0] for base in kind.__mro__]
    if "networkx" in libraries:  # only graphs have adjacency(); views of edges or nodes do not
        return _graph_of_networkx if hasattr(kind, "adjacency") else partial(_refuse, NO_VIEW)
    if "igraph" in libraries and hasattr(kind, "get_edgelist"):
        return _graph_of_igraph
    if "pyspark" in libraries:
        return partial(_refuse, NO_SPARK)
    if libraries[0] == "dask" and kind.__name__ != "DataFrame":
        return partial(_refuse, NO_LAZY)
    if kind.__name__ == "MultiIndex" and libraries[0] in ("pandas", "cudf"):
        return _frame_of_multiindex
    for base, convert_some in CONVERSIONS_OF_SOME.items():
        if issubclass(kind, base) and not hasattr(kind, "tocoo"):  # dok_matrix is a dict
            return convert_some
    return arrow_of if speaks_arrow(kind) else None


def is_always_converted(kind: type) -> bool:
    """Return whether :func:`opened` converts every object of a type."""
    return _conversion_of(kind) not in (None, *CONVERSIONS_OF_SOME.values())


def pairs_of_keys(source: Any, destination: Any, width: int = 0) -> KeyPairs:
    """Return edges between composite ids, given the ids of both ends.

    ``width`` is the number of columns of an id, by default that of the given ids. A frame of
    sources names these columns, unless its names could be confused with columns of answers.
    """
    width = width or key_width(source) or key_width(destination)
    sources = key_parts(f"ids of {SOURCE}", source, width)
    destinations = key_parts(f"ids of {DESTINATION}", destination, width)
    if len(sources) != len(destinations):
        raise InputError(
            f"the ids of {SOURCE} have {counted(len(sources), 'column')}, but those of"
            f" {DESTINATION} have {counted(len(destinations), 'column')}: both ends need the same"
            " columns"
        )
    names = columns_of(source) if is_frame(source) else ()
    return KeyPairs(sources, destinations, tuple(names) if are_usable(names) else ())


def _convert_list(pairs: list[Any]) -> Any:
    """Return a list of pairs of tuples as columns by name; return other lists unchanged."""
    first_item = pairs[0] if pairs else ()
    is_pair = isinstance(first_item, tuple) and len(first_item) == 2
    if not (is_pair and all(isinstance(end, tuple) for end in first_item)):
        return pairs
    return pairs_of_keys(*columns_of_key_pairs(pairs))


def _convert_tuple(sides: tuple[Any, ...]) -> Any:
    """Return ids of several columns by name; convert columns that only have Arrow's protocols."""
    if len(sides) == 2 and any(key_width(side) > 1 for side in sides):
        return pairs_of_keys(*sides)
    if not any(speaks_arrow(type(side)) for side in sides):
        return sides
    return tuple(map(_as_column, sides))


def _convert_mapping(columns: dict[str, Any]) -> dict[str, Any]:
    """Convert the columns of a mapping that only have Arrow's protocols to PyArrow."""
    if not any(speaks_arrow(type(column)) for column in columns.values()):
        return columns
    return {name: _as_column(column) for name, column in columns.items()}


def _as_column(column: Any) -> Any:
    return arrow_of(column) if speaks_arrow(type(column)) else column


def _convert_array(array: Any) -> Any:
    """Return the fields of a structured array as columns; return other arrays unchanged."""
    names = array.dtype.names
    return array if names is None else {name: array[name] for name in names}


# the functions that convert some objects of a type, and return the others unchanged
CONVERSIONS_OF_SOME: dict[type, Callable[[Any], Any]] = {
    np.ndarray: _convert_array,
    tuple: _convert_tuple,
    list: _convert_list,
    dict: _convert_mapping,
}


def _frame_of_multiindex(index: Any) -> Any:
    """Return an index of several levels as a frame; two unnamed levels get the default names."""
    frame = frame_of_levels(index)
    if index.nlevels == 2 and all(name is None for name in index.names):
        frame.columns = [SOURCE, DESTINATION]
    return frame


NO_SPARK = (
    "edges are a {} of PySpark, whose rows are on its cluster: pass frame.toPandas(), or"
    " frame.toArrow() with Spark 4, or write the rows to Parquet files and pass the folder"
)
NO_LAZY = "edges cannot be a {} of Dask: pass a frame with two columns, or edges.compute()"
NO_VIEW = (
    "edges cannot be a {} of NetworkX: pass the graph itself, or list(G.edges()) for its pairs"
    " alone"
)


def _refuse(message: str, edges: Any) -> Any:
    """Raise an InputError; ``message`` is a template for the name of the type of edges."""
    raise InputError(message.format(type(edges).__name__))


def _graph_of_networkx(graph: Any) -> Graph:
    """Return a graph of NetworkX, with its nodes as ids and its edges in their order."""
    nodes = list(graph)
    types = set(map(type, nodes))
    width = len(nodes[0]) if types == {tuple} else 0
    if width and all(len(node) == width for node in nodes):
        ends = {
            f"{side}_{k}": partial(_ends_of, graph, end, k)
            for end, side in enumerate((SOURCE, DESTINATION))
            for k in range(width)
        }
    else:
        _check_nodes(graph, nodes, types)
        ends = {SOURCE: partial(_ends_of, graph, 0), DESTINATION: partial(_ends_of, graph, 1)}
    names = {name for *_, data in graph.edges(data=True) for name in data}
    _check_attributes(names, ends)
    attributes = {name: partial(_attribute_of_networkx, graph, name) for name in names}
    return Graph(f"{type(graph).__name__} of NetworkX", ends | attributes, vertices=nodes)


def _check_nodes(graph: Any, nodes: list[Any], types: set[type]) -> None:
    """Raise an InputError unless all nodes are integers, or all are strings."""
    if bool not in types:  # bool is a subclass of int, but not a type of ids
        for valid_types in (str, (int, np.integer)):
            if all(issubclass(kind, valid_types) for kind in types):
                return
    words = listed(sorted({kind.__name__ for kind in types}))
    raise InputError(
        f"the nodes of the {type(graph).__name__} are {words}, such as {id_shown(nodes[0])}, but"
        " ids must be all integers, all strings or all tuples of these: pass"
        " nx.convert_node_labels_to_integers(G), or call nx.connected_components(G,"
        " backend='cc_rapids')"
    )


def _ends_of(graph: Any, end: int, k: int | None = None) -> list[Any]:
    """Return one end of each edge, or its part ``k`` if the nodes are tuples."""
    ends = [edge[end] for edge in graph.edges()]
    return ends if k is None else [node[k] for node in ends]


def _attribute_of_networkx(graph: Any, name: str) -> list[Any]:
    return [value for *_, value in graph.edges(data=name)]  # None for an edge without the attribute


def _graph_of_igraph(graph: Any) -> Graph:
    """Return a graph of igraph; ids are the names of vertices if there are names, or indices."""
    vertices: Any = range(graph.vcount())
    ends: Any = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2).T
    if "name" in graph.vs.attributes():
        vertices = graph.vs["name"]
        _check_vertex_names(vertices)
        are_integers = vertices and type(vertices[0]) is int
        ids = np.array(vertices, None if are_integers else object)  # object keeps Python's strings
        ends = ids[ends]
    columns = {SOURCE: partial(getitem, ends, 0), DESTINATION: partial(getitem, ends, 1)}
    names = graph.es.attributes()
    _check_attributes(names, columns)
    attributes = {name: partial(getitem, graph.es, name) for name in names}
    return Graph(f"{type(graph).__name__} of igraph", columns | attributes, vertices)


def _check_vertex_names(names: list[Any]) -> None:
    """Raise an InputError unless all vertices have different names, all strings or integers."""
    types = set(map(type, names))
    if not (types <= {str} or types <= {int}):
        words = listed(sorted(kind.__name__ for kind in types))
        problem = f"are {words}, but must be all strings or all integers"
    elif len(set(names)) < len(names):
        vertices = counted(len(names), "vertex", "vertices")
        problem = f"are {counted(len(set(names)), 'different name')} of {vertices}"
    else:
        return
    raise InputError(
        f"the names of the vertices of the igraph graph {problem}: rename some, or call"
        " del graph.vs['name'], so that the indices of the vertices are the ids"
    )


def _check_attributes(names: Any, ends: Mapping[str, Any]) -> None:
    """Raise an InputError if an edge attribute has the name of a column of ids."""
    for name in names:
        if name in ends:
            raise InputError(
                f"an edge attribute has the name of the column of ids, {name!r}: rename it, or pass"
                " a frame"
            )


def _graph_of_matrix(matrix: Any, sums_duplicates: bool) -> Graph:
    """Return a sparse matrix as a graph: each entry is an edge from its row to its column.

    If ``sums_duplicates``, repeated entries of a COO matrix are summed, as by SciPy. It is true if
    the weights are the values of the matrix, and false if the caller passed an array of weights,
    which has one weight for each entry.
    """
    check_square(matrix)
    # tocsr() sums repeated entries, so there are fewer entries afterwards
    if sums_duplicates and matrix.format == "coo" and matrix.tocsr().nnz < matrix.nnz:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    coo = entries_of(matrix)
    arrays = {SOURCE: coo.row, DESTINATION: coo.col, WEIGHT: coo.data}
    columns = {name: partial(getitem, arrays, name) for name in arrays}
    return Graph(type(matrix).__name__, columns, range(matrix.shape[0]))


def check_square(matrix: Any) -> None:
    """Raise an InputError unless a matrix is square; also check the number of its offsets."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix has shape (n, n), not {tuple(matrix.shape)}")
    if matrix.format in ("csr", "csc"):
        check_pointers(matrix.format, matrix.indptr, matrix.shape[0])


def check_pointers(kind: str, indptr: Any, rows: int) -> None:
    """Raise an InputError unless a matrix has one more offset in ``indptr`` than rows."""
    if len(indptr) != rows + 1:
        raise InputError(
            f"'indptr' of the {kind} matrix has {len(indptr):,} offsets, but {rows:,} rows need"
            f" {rows + 1:,}: build the matrix again"
        )


def entries_of(matrix: Any) -> Any:
    """Return a sparse matrix in COO format, converted by its own library.

    Zeros that only pad the blocks of a BSR matrix are not entries, as in SciPy since 1.18.
    """
    if matrix.format == "bsr":
        check_pointers("bsr", matrix.indptr, matrix.shape[0] // matrix.blocksize[0])
    if matrix.format in ("csr", "csc", "bsr"):
        starts = matrix.indptr.get() if hasattr(matrix.indptr, "get") else matrix.indptr
        offsets.check("indptr", starts, len(matrix.indices), may_have_spare=True)
    if matrix.format == "lil":
        counts, data_counts = (list(map(len, lists)) for lists in (matrix.rows, matrix.data))
        if counts != data_counts or len(counts) != matrix.shape[0]:
            raise InputError(
                "the lil matrix has rows and data of different lengths: build it again"
            )
    try:
        converted = matrix.tocoo(copy=False)
    except ValueError as error:
        raise InputError(
            f"the {matrix.format} matrix cannot be read ({error}): build it again"
        ) from error
    if matrix.format == "bsr":
        converted.eliminate_zeros()
    return converted
