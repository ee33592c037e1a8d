"""Convert objects of other libraries to tables of Arrow or to mappings of columns.

Graphs of NetworkX and igraph, and matrices with weights, become a :class:`Graph`: columns by name,
made on request, and all vertices. Objects that only have Arrow's protocols become tables and
columns of PyArrow, or frames of cuDF if they are on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..errors import InputError, counted, id_shown, listed
from . import offsets
from .kinds import DESTINATION, SOURCE, Graph, frame_of_levels, speaks_arrow

WEIGHT = "weight"  # the values of a matrix
_OPENED_BY: WeakKeyDictionary[type, Callable[[Any], Any] | None] = WeakKeyDictionary()


def opened(edges: Any, weight: Any = None) -> Any:
    """Convert edges to a form that an adapter reads; return most kinds unchanged.

    Parameters
    ----------
    weight : str or array, optional
        The requested weights: an array with one number per entry of a matrix, or a name. A matrix
        then becomes the :class:`Graph` of its entries, with their values as :data:`WEIGHT`.

    Raises
    ------
    InputError
        The object cannot be converted; the error says what to pass instead.
    """
    kind = type(edges)
    try:
        way = _OPENED_BY[kind]
    except KeyError:
        way = _OPENED_BY[kind] = _way_for(kind)
    if way is not None:
        return way(edges)
    if weight is not None and hasattr(edges, "tocoo"):
        return _graph_of_matrix(edges, isinstance(weight, str))
    return edges


def with_own_weights(edges: Any, weight: Any) -> tuple[Any, Any]:
    """Return converted edges and their weights; matrices and graphs have default weights."""
    if weight is None and (hasattr(edges, "tocoo") or isinstance(opened(edges), Graph)):
        weight = WEIGHT
    return opened(edges, weight), weight


def _way_for(kind: type) -> Callable[[Any], Any] | None:
    """Return the function that converts objects of a type; None if no conversion is needed."""
    roots = [own.__module__.partition(".")[0] for own in kind.__mro__]
    if "networkx" in roots:
        return _graph_of_networkx if hasattr(kind, "adjacency") else _refuse_view
    if "igraph" in roots and hasattr(kind, "get_edgelist"):
        return _graph_of_igraph
    if "pyspark" in roots:
        return _refuse_spark
    if roots[0] == "dask" and kind.__name__ != "DataFrame":
        return _refuse_lazy
    if kind.__name__ == "MultiIndex" and roots[0] in ("pandas", "cudf"):
        return _ends_of_levels
    if issubclass(kind, np.ndarray):
        return _columns_of_fields
    if issubclass(kind, tuple):
        return _sides_in_memory
    if issubclass(kind, dict) and not hasattr(kind, "tocoo"):
        return _columns_in_memory
    return arrow_of if speaks_arrow(kind) else None


def is_opened(kind: type) -> bool:
    """Return whether all objects of a type are converted."""
    return _way_for(kind) not in (None, _columns_of_fields, _sides_in_memory, _columns_in_memory)


def _sides_in_memory(sides: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return columns in memory: those that only have Arrow's protocols are read once, here."""
    if not any(speaks_arrow(type(side)) for side in sides):
        return sides
    return tuple(arrow_of(side) if speaks_arrow(type(side)) else side for side in sides)


def _columns_in_memory(columns: dict[str, Any]) -> dict[str, Any]:
    sides = tuple(columns.values())
    copied = _sides_in_memory(sides)
    return columns if copied is sides else dict(zip(columns, copied, strict=True))


def _columns_of_fields(array: Any) -> Any:
    """Return the fields of a structured array as columns; return other arrays unchanged."""
    names = array.dtype.names
    return array if names is None else {name: array[name] for name in names}


def _ends_of_levels(index: Any) -> Any:
    """Return an index of several levels as a frame; two unnamed levels get the default names."""
    frame = frame_of_levels(index)
    if index.nlevels == 2 and all(name is None for name in index.names):
        frame.columns = [SOURCE, DESTINATION]
    return frame


def _refuse_spark(frame: Any) -> Any:
    raise InputError(
        f"edges are a {type(frame).__name__} of PySpark, whose rows are on its cluster: pass"
        " frame.toPandas() (from Spark 4 on frame.toArrow()), or write them to Parquet files"
        " and pass the folder"
    )


def _refuse_lazy(edges: Any) -> Any:
    raise InputError(
        f"edges cannot be a {type(edges).__name__} of Dask: pass a frame with two columns, or"
        " edges.compute()"
    )


def _refuse_view(view: Any) -> Any:
    raise InputError(
        f"edges cannot be a {type(view).__name__} of NetworkX: pass the graph itself, or"
        " list(G.edges()) for its pairs alone"
    )


def _graph_of_networkx(graph: Any) -> Graph:
    """Return the edges of a graph of NetworkX in its order, by the names of its nodes."""
    nodes = list(graph)
    kinds = set(map(type, nodes))
    width = len(nodes[0]) if kinds == {tuple} else 0
    if width and all(len(node) == width for node in nodes):
        ends = {}
        for side, end in ((SOURCE, 0), (DESTINATION, 1)):
            for k in range(width):
                ends[f"{side}_{k}"] = partial(_parts_of_nodes, graph, end, k)
    else:
        _check_nodes(graph, nodes, kinds)
        ends = {SOURCE: partial(_ends_of, graph, 0), DESTINATION: partial(_ends_of, graph, 1)}
    names = {name for *_, data in graph.edges(data=True) for name in data}
    _check_attributes(names, ends, "an edge attribute")
    others = {name: partial(_attribute_of_networkx, graph, name) for name in names}
    return Graph(f"{type(graph).__name__} of NetworkX", ends | others, nodes)


def _check_nodes(graph: Any, nodes: list[Any], kinds: set[type]) -> None:
    """Raise an InputError unless all nodes are integers, or all are strings."""
    for kind in (str, (int, np.integer)):
        if all(issubclass(own, kind) and not issubclass(own, bool) for own in kinds):
            return
    words = listed(sorted({kind.__name__ for kind in kinds}))
    raise InputError(
        f"the nodes of the {type(graph).__name__} are {words}, such as {id_shown(nodes[0])}, but"
        " ids must be all integers, all strings or all tuples of these: pass"
        " nx.convert_node_labels_to_integers(G), or call nx.connected_components(G,"
        " backend='cc_rapids')"
    )


def _ends_of(graph: Any, end: int) -> list[Any]:
    return [edge[end] for edge in graph.edges()]


def _parts_of_nodes(graph: Any, end: int, k: int) -> list[Any]:
    return [edge[end][k] for edge in graph.edges()]


def _attribute_of_networkx(graph: Any, name: str) -> list[Any]:
    return [value for *_, value in graph.edges(data=name)]  # None where an edge has none


def _graph_of_igraph(graph: Any) -> Graph:
    """Return the edges of a graph of igraph in the order of their indices.

    Vertices are given by name if all have a name, otherwise by index.
    """
    vertices: Any = range(graph.vcount())
    ends: Any = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2).T
    if "name" in graph.vs.attributes():
        vertices = graph.vs["name"]
        _check_vertex_names(vertices)
        ids = np.array(vertices, None if vertices and type(vertices[0]) is int else object)
        ends = ids[ends]
    columns = {SOURCE: partial(_row, ends, 0), DESTINATION: partial(_row, ends, 1)}
    names = graph.es.attributes()
    _check_attributes(names, columns, "an edge attribute")
    others = {name: partial(graph.es.__getitem__, name) for name in names}
    return Graph(f"{type(graph).__name__} of igraph", columns | others, vertices)


def _check_vertex_names(names: list[Any]) -> None:
    """Raise an InputError unless all vertices have different names, of one kind."""
    kinds = set(map(type, names))
    if not (kinds <= {str} or kinds <= {int}):
        words = listed(sorted(kind.__name__ for kind in kinds))
        problem = f"are {words}, but must be all strings or all integers"
    elif len(set(names)) < len(names):
        many = counted(len(names), "vertex", "vertices")
        problem = f"are {counted(len(set(names)), 'different name')} of {many}"
    else:
        return
    raise InputError(
        f"the names of the vertices of the igraph graph {problem}: rename some, or"
        " del graph.vs['name'], so that vertices are their indices"
    )


def _row(array: Any, k: int) -> Any:
    return array[k]


def _check_attributes(names: Any, ends: Mapping[str, Any], what: str) -> None:
    """Raise an InputError if an attribute has the name of a column of ids."""
    for name in names:
        if name in ends:
            raise InputError(
                f"{what} is called {name!r}, as the column of ids is: rename it, or pass a frame"
            )


def _graph_of_matrix(matrix: Any, copy: bool) -> Graph:
    """Return the entries of a sparse matrix with their values, by rows and columns.

    If the values of the matrix are the weights (``own``), repeated entries of a COO matrix are
    summed, as in SciPy.
    """
    check_square(matrix)
    if copy and matrix.format == "coo" and matrix.tocsr().nnz < matrix.nnz:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    coo = entries_of(matrix)
    made = {SOURCE: coo.row, DESTINATION: coo.col, WEIGHT: coo.data}
    columns = {name: partial(made.__getitem__, name) for name in made}
    return Graph(type(matrix).__name__, columns, range(matrix.shape[0]))


def check_square(matrix: Any) -> None:
    """Raise an InputError unless a matrix is square and has one more offset than rows."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix has shape (n, n), not {tuple(matrix.shape)}")
    if matrix.format in ("csr", "csc"):
        check_pointers(matrix.format, matrix.indptr, matrix.shape[0])


def check_pointers(kind: str, indptr: Any, rows: int) -> None:
    """Raise an InputError unless a matrix has one more offset than rows."""
    if len(indptr) != rows + 1:
        raise InputError(
            f"'indptr' of the {kind} matrix has {len(indptr):,} offsets, but {rows:,} rows need"
            f" {rows + 1:,}: build the matrix again"
        )


def entries_of(matrix: Any) -> Any:
    """Return the entries of a sparse matrix by rows and columns, converted by its own library.

    Zeros that only pad blocks are not edges, as in SciPy since 1.18.
    """
    if matrix.format == "bsr":
        check_pointers("bsr", matrix.indptr, matrix.shape[0] // matrix.blocksize[0])
    if matrix.format in ("csr", "csc", "bsr"):
        starts = matrix.indptr.get() if hasattr(matrix.indptr, "get") else matrix.indptr
        offsets.check("indptr", starts, len(matrix.indices), may_have_spare=True)
    if matrix.format == "lil":
        lengths = [list(map(len, side)) for side in (matrix.rows, matrix.data)]
        if lengths[0] != lengths[1] or len(lengths[0]) != matrix.shape[0]:
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


def arrow_of(thing: Any) -> Any:
    """Return an object that is known by Arrow's protocols alone as a table or column.

    Raises
    ------
    InputError
        The object does not provide the data that its protocol promises, or it is on a device whose
        library is missing.
    """
    import pyarrow as pa

    streams = hasattr(thing, "__arrow_c_stream__")
    try:
        column = pa.chunked_array(thing if streams else [pa.array(thing)])
    except Exception as error:  # of the other library, or of PyArrow about what it has lent
        if hasattr(thing, "__arrow_c_device_array__") and not streams:
            return _on_device(thing, error)
        raise _lends_nothing(thing, error) from error
    return pa.Table.from_struct_array(column) if pa.types.is_struct(column.type) else column


def _lends_nothing(thing: Any, error: Exception) -> InputError:
    return InputError(
        f"a {type(thing).__name__} does not lend its columns by Arrow's protocol ({error}): pass a"
        " frame of cuDF, pandas, Polars or PyArrow"
    )


class _Schema:
    """An object with the schema of data that an Arrow protocol has provided."""

    def __init__(self, lent: Any) -> None:
        self.schema = lent[0]

    def __arrow_c_schema__(self) -> Any:
        return self.schema


def _on_device(thing: Any, error: Exception) -> Any:
    """Return an object that PyArrow cannot read as a cuDF frame or series."""
    try:
        import cudf
        import pyarrow as pa
        from pylibcudf import Column, Table

        kind = pa.field(_Schema(thing.__arrow_c_device_array__())).type
        if not pa.types.is_struct(kind):
            return cudf.Series.from_pylibcudf(Column.from_arrow(thing))
        names = [kind.field(k).name for k in range(kind.num_fields)]
        table = Table.from_arrow(thing)
        return cudf.DataFrame.from_pylibcudf(table, metadata={"columns": names})
    except ImportError:
        raise InputError(
            f"a {type(thing).__name__} lies on a device that PyArrow does not read ({error}), but"
            " cuDF is not installed: copy it to the host, or install cuDF"
        ) from error
    except Exception as other:  # of pylibcudf, about what is lent
        raise _lends_nothing(thing, other) from other
