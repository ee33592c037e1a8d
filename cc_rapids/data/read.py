"""Frames, arrays, matrices and files in; frames of the caller's own kind out.

What comes in is looked at, never changed and, where its memory can be read as it is, not copied.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial, reduce
from operator import and_
from typing import Any

import numpy as np

from ..errors import ColumnTypeError, InputError, shown
from . import offsets
from .adapters import Csr, is_graph, read_cudf, read_graph, read_rows, read_series, read_table
from .arguments import check_flag, check_names, check_word
from .column import (
    REFUSE,
    Column,
    as_series,
    chunked,
    empty,
    held,
    is_cudf,
    is_cudf_frame,
    is_series,
    no_rows,
    of,
    of_parts,
    remedy_for,
    same_kind,
)
from .edge_input import EdgeInput, Histogram, Labels, Members, Merges, Sizes, SpanningForest
from .frame_access import parts_of

DEVICE = "__cuda_array_interface__"
Side = str | list[str]  # the column of one end of each edge, or several that are one id
SOURCE, DESTINATION = "src", "dst"  # the columns of what is in memory, unless they are named


def at_hand(edges: Any) -> bool:
    """Return whether they are a pair or a frame, as most are: then they are no stream.

    A frame's own ``columns`` is not asked for, as it may cost as much as a small run.
    """
    return isinstance(edges, tuple) or hasattr(type(edges), "columns")


def read(
    edges: Any,
    source: str | list[str] | None,
    destination: str | list[str] | None,
    vertices: Any,
    num_vertices: int | None,
    nulls: str,
    header: bool | None = None,
    droppable: bool = True,
) -> EdgeInput:
    """Check what the caller gave; see :func:`cc_rapids.components` for what that may be.

    If rows are not ``droppable``, as the caller has no ``nulls``, errors do not advise it.
    """
    check_word("nulls policy", nulls, ("raise", "drop"))
    nulls = nulls if droppable else REFUSE
    if num_vertices is not None:
        if vertices is not None:
            raise InputError("give vertices or num_vertices, not both")
        vertices = range(_count(num_vertices))
    every, asked = num_vertices is not None, (source, destination)
    source, destination = named(source, destination)
    if header is not None:
        header = flag_of_header(edges, header)
    if is_graph(edges) or isinstance(edges, Csr):
        given, vertices, every = _graph(edges, vertices, nulls)
    elif is_cudf_frame(edges):
        given = read_cudf(edges, *several(source, destination), nulls)
    elif hasattr(edges, "as_gpu_object"):  # a frame of cudf.pandas
        given = _proxy(edges, source, destination, nulls)
    elif isinstance(edges, str | os.PathLike):
        given, listed = _file(edges, *asked, nulls, header)
        if vertices is not None and listed is not None:
            raise InputError(f"the file lists {len(listed):,} vertices itself: leave vertices out")
        vertices = listed if vertices is None else vertices
    elif isinstance(source, list) or isinstance(destination, list):
        given = read_table(edges, *several(source, destination), nulls)
    elif hasattr(edges, "tocoo"):
        given = _matrix(edges, vertices)
        vertices, every = range(edges.shape[0]), True
    elif isinstance(edges, tuple | list):
        given = _pair(edges, source, destination, nulls)
    else:
        given = read_table(edges, [source], [destination], nulls)
    return _with_vertices(given, vertices, every)


def named(
    source: str | list[str] | None, destination: str | list[str] | None
) -> tuple[str | list[str], str | list[str]]:
    """Return the columns of edges in memory: those that were given, or else src and dst."""
    for what, names in (("source=", source), ("destination=", destination)):
        if names is not None:
            check_names(what, names)
    source = SOURCE if source is None else source
    return source, DESTINATION if destination is None else destination


def flag_of_header(edges: Any, header: Any) -> bool:
    """Return whether the first line is a header; an InputError unless edges are paths."""
    listed = edges if isinstance(edges, list) and edges else [edges]
    if not all(isinstance(item, str | os.PathLike) for item in listed):
        raise InputError(
            "header= says whether the first line of text files names the columns, and edges are a"
            f" {type(edges).__name__}: leave it out"
        )
    return check_flag("header", header)


def _proxy(edges: Any, source: Any, destination: Any, nulls: str) -> EdgeInput:
    """Return the cuDF frame within a proxy of ``cudf.pandas``; answers become proxies again."""
    given = read_cudf(edges.as_gpu_object(), *several(source, destination), nulls)
    return replace(given, make_frame=partial(_make_proxy, given.make_frame))


def _make_proxy(frame: Any, columns: dict[str, Any]) -> Any:
    from cudf.pandas.fast_slow_proxy import as_proxy_object

    return as_proxy_object(frame(columns))


def several(source: Any, destination: Any) -> tuple[list[str], list[str]]:
    """Return the names of several columns a side, as many on each."""
    sides = [side if isinstance(side, list) else [side] for side in (source, destination)]
    if len(sides[0]) != len(sides[1]) or not sides[0]:
        raise InputError(
            f"source names {len(sides[0])} columns and destination {len(sides[1])}: a vertex has"
            " the same columns at both ends of an edge"
        )
    return sides[0], sides[1]


def _count(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
        raise InputError(f"num_vertices is a count from 0 on, not {shown(number)}")
    check_range("num_vertices", range(int(number)), shown(number))
    return int(number)


def check_range(name: str, ids: range, given: str = "") -> None:
    """Raise an InputError if a range holds more than 2^63 - 1 ids, or some beyond 64 bits."""
    if not ids:
        return
    least, greatest = min(ids[0], ids[-1]), max(ids[0], ids[-1])
    count = (greatest - least) // abs(ids.step) + 1
    if least < -(1 << 63) or greatest >= 1 << 64 or count >= 1 << 63:
        raise InputError(
            f"{name}={given or shown(ids)} goes beyond the integers of 64 bits: give fewer, or"
            " vertices= those that there are"
        )


def _with_vertices(given: EdgeInput, vertices: Any, every: bool) -> EdgeInput:
    if vertices is None:
        return given
    if given.src.parts:
        return _with_column(given, _vertex_rows(given.src, vertices))
    if not isinstance(vertices, range):
        return _with_column(given, of("vertices", vertices))
    check_range("vertices", vertices)
    if given.src.strings and given.src.size:
        raise InputError(
            f"column {given.src.name!r} holds strings, so vertices= takes strings too"
            " (and num_vertices= does not apply)"
        )
    if given.src.strings:
        given = replace(given, src=empty(given.src.name), dst=empty(given.dst.name))
    return replace(given, vertices=vertices, vertices_are_dense_range=every)


def _with_column(given: EdgeInput, vertices: Column) -> EdgeInput:
    """Return the input with a column of vertices.

    Edges or vertices without rows may be of any kind.
    """
    src, dst = given.src, given.dst
    if not vertices.size:
        return given
    if not src.size:
        src, dst = no_rows(vertices, src), no_rows(vertices, dst)
        return replace(given, src=src, dst=dst, vertices=vertices)
    for part, own in zip(vertices.parts or (vertices,), src.parts or (src,), strict=True):
        if part.strings != own.strings:
            raise ColumnTypeError(
                f"vertices are {part.dtype}, but column {own.name!r} is {own.dtype}: give ids of"
                " the kind that the edges hold"
            )
    return replace(given, vertices=vertices)


def _vertex_rows(src: Column, vertices: Any) -> Column:
    """Return vertices of several columns."""
    if isinstance(vertices, range):
        raise InputError(
            f"the vertices are rows of {len(src.parts)} columns ({src.name}), so vertices= takes a"
            " frame with as many (and num_vertices= does not apply)"
        )
    return of_parts(parts_of("vertices", vertices, len(src.parts)))


def _file(
    path: Any, source: Any, destination: Any, nulls: str, header: bool | None
) -> tuple[EdgeInput, range | None]:
    from .files.read import read_edges

    if isinstance(source, list) or isinstance(destination, list):
        source, destination = (
            side if len(side) > 1 else side[0] for side in several(source, destination)
        )
    file = read_edges(path, source=source, destination=destination, header=header)
    given = read_table(file.table, *several(file.source, file.destination), nulls)
    return replace(given, taken=(file.taken,)), file.vertices


def _matrix(matrix: Any, vertices: Any) -> EdgeInput:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix has shape (n, n), not {tuple(matrix.shape)}")
    if vertices is not None:
        raise InputError(f"a matrix has its own {matrix.shape[0]} vertices: leave vertices out")
    if matrix.format in ("csr", "csc"):
        _check_pointers(matrix.format, matrix.indptr, matrix.shape[0])
        indices = matrix.indices[: matrix.nnz]  # there may be room for more behind them
        given = _arrays(indices, indices, ("indices", "indices"))
        return read_rows(Csr(matrix.indptr, indices), given, "indptr")
    coo = _converted(matrix)
    return _arrays(coo.row, coo.col, ("row", "column"))


def _converted(matrix: Any) -> Any:
    """Return a matrix whose rows are not read as they are, converted by its own library."""
    if matrix.format == "bsr":
        _check_pointers("bsr", matrix.indptr, matrix.shape[0] // matrix.blocksize[0])
        offsets.check("indptr", matrix.indptr, len(matrix.indices), room=True)
    if matrix.format == "lil":
        lengths = [list(map(len, side)) for side in (matrix.rows, matrix.data)]
        if lengths[0] != lengths[1] or len(lengths[0]) != matrix.shape[0]:
            raise InputError(
                "the lil matrix has rows and data of other lengths than each other: make it anew"
            )
    try:
        return matrix.tocoo(copy=False)
    except ValueError as error:
        raise InputError(
            f"the {matrix.format} matrix cannot be read ({error}): make it anew"
        ) from error


def _check_pointers(kind: str, indptr: Any, rows: int) -> None:
    """Raise an InputError unless a matrix of a kind has an offset more than it has rows."""
    if len(indptr) != rows + 1:
        raise InputError(
            f"'indptr' of the {kind} matrix has {len(indptr):,} offsets, and {rows:,} rows need"
            f" {rows + 1:,}: make the matrix anew"
        )


def _graph(graph: Any, vertices: Any, nulls: str) -> tuple[EdgeInput, Any, bool]:
    if vertices is not None:
        raise InputError("a graph has its own vertices: leave vertices and num_vertices out")
    if is_graph(graph):
        graph, vertices = read_graph(graph, nulls)
    if isinstance(graph, EdgeInput):
        return graph, vertices, False
    given = _pair((graph.indices, graph.indices), "indices", "indices", REFUSE)
    return read_rows(graph, given), range(max(len(graph.offsets) - 1, 0)), True


def _pair(edges: Any, source: str, destination: str, nulls: str) -> EdgeInput:
    if isinstance(edges, list) and not edges:
        edges = ([], [])
    if isinstance(edges, list) and any(isinstance(item, tuple) for item in edges):
        raise InputError(
            f"edges are a list of {len(edges):,} tuples: give the two columns,"
            " such as tuple(zip(*edges))"
        )
    if len(edges) != 2:
        raise InputError(
            f"edges as a {type(edges).__name__} are (source, destination), two arrays of one"
            f" length; this one has {len(edges)} items"
        )
    src, dst = map(chunked, edges)
    if not (is_series(src) and type(src) is type(dst)):
        return _arrays(src, dst, (source, destination), nulls)
    if len(src) != len(dst):
        raise _unequal(source, len(src), destination, len(dst))
    return read_series(src, dst, ([source], [destination]), nulls)


def _arrays(src: Any, dst: Any, names: tuple[str, str], nulls: str = "raise") -> EdgeInput:
    sides = [held(name, side) for name, side in zip(names, (src, dst), strict=True)]
    m, k = (side.size for side in sides)
    if m != k:
        raise _unequal(names[0], m, names[1], k)
    masks = [side.there for side in sides if side.there is not None]
    if len({type(mask) for mask in masks}) > 1:
        masks = list(map(_host, masks))
    keep = reduce(and_, masks) if masks and nulls == "drop" else None
    remedy = remedy_for(nulls)
    left, right = (side.column(remedy) if keep is None else side.where(keep) for side in sides)
    on_device = any(is_cudf(side) or hasattr(side, DEVICE) for side in (src, dst))
    left, right = same_kind(_as_array(left, src), _as_array(right, dst))
    if keep is None:
        return EdgeInput(left, right, _plain, on_device)
    dropped = m - int(keep.sum())
    return EdgeInput(
        left, right, _plain, on_device, dropped_rows=dropped, row_index=partial(_places, keep)
    )


def _host(mask: Any) -> Any:
    return mask.get() if hasattr(mask, "get") else mask


def _as_array(column: Column, side: Any) -> Column:
    """Return a column of strings as one whose answers are arrays, not a host's series."""
    if not (column.strings and is_series(as_series(side))) or is_cudf(side):
        return column
    return replace(column, native=_objects)


def _objects(words: Any, every: Any) -> Any:
    return np.array(words.to_pylist(), object)


def _places(keep: Any) -> Any:
    return keep.nonzero()[0]


def _unequal(source: str, m: int, destination: str, k: int) -> InputError:
    return InputError(
        f"{source!r} has {m:,} ids and {destination!r} has {k:,}: both ends of each edge are needed"
    )


def _plain(columns: dict[str, Any]) -> Any:
    """Return arrays for a caller who gave arrays."""
    kinds: dict[Any, Any] = {
        kind._fields: kind for kind in (Labels, Members, Sizes, Histogram, Merges, SpanningForest)
    }
    return kinds[tuple(columns)](**columns)


NOTHING = read(([], []), "src", "dst", None, None, "raise")


def check_vertices(num_vertices: Any, named: Any) -> int | None:
    """Return the number of vertices if it is given.

    An InputError if it is no count, or both are.
    """
    if num_vertices is None:
        return None
    counted = read(([], []), "src", "dst", named, num_vertices, "raise").vertices
    return len(counted) if isinstance(counted, range) else None
