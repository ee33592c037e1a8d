"""Edges as callers hold them: frames, graphs of cuGraph, adjacency lists.

Frames of cuDF are read as they are, all others through narwhals. A ``cugraph.Graph`` keeps the edge
list or the adjacency list that it was made of, and beside it the symmetrised copy that its
algorithms run on, from which lists can be drawn again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..errors import ColumnTypeError, GraphStateError, InputError, MissingColumnError, unknown
from .column import (
    Column,
    chunked,
    is_cudf,
    is_cudf_frame,
    of,
    of_cudf,
    of_parts,
    of_series,
    refuse_twice,
    remedy_for,
    rows_where,
    same_kind,
    series_of,
    there_of,
)
from .cudf_internals import handle_in, make_frame, names_of, nulls_in
from .edge_input import EdgeInput

Sides = tuple[list[str], list[str]]  # the columns of sources, and those of destinations


def read_table(edges: Any, source: list[str], destination: list[str], nulls: str) -> EdgeInput:
    """Return the columns of a frame of any kind."""
    if is_cudf_frame(edges):
        return read_cudf(edges, source, destination, nulls)
    import narwhals as nw

    edges = chunked(edges)
    try:
        frame = nw.from_native(edges)
    except nw.exceptions.DuplicateError:
        frame = nw.from_native(_unambiguous(edges, [*source, *destination]))
    except TypeError:
        shape = getattr(edges, "shape", None)
        hint = f" of shape {tuple(shape)}" if shape is not None else ""
        raise InputError(
            f"edges cannot be a {type(edges).__name__}{hint}: give a frame of cuDF, pandas, Polars"
            " or PyArrow, a pair of arrays (source, destination), a sparse matrix, or a file's path"
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    names = (source, destination)
    _check_names(frame.columns, *names)
    sides = [[_series(frame, name) for name in side] for side in names]
    return _of_series(sides, names, nulls)


def read_cudf(frame: Any, source: list[str], destination: list[str], nulls: str) -> EdgeInput:
    """Return the columns of a frame of cuDF's."""
    _check_names(names_of(frame), source, destination)
    return _cudf_frame(frame, (source, destination), (source, destination), nulls)


def _unambiguous(edges: Any, names: list[str]) -> Any:
    """Return the columns of a frame in which others share a name; an InputError if these do."""
    columns = list(getattr(edges, "column_names", None) or edges.columns)
    for name in names:
        refuse_twice(name, columns)
    wanted = [name for name in names if name in columns]
    return edges.select(wanted) if hasattr(edges, "column_names") else edges[wanted]


def _check_names(columns: list[Any], source: list[str], destination: list[str]) -> None:
    for name in [*source, *destination]:
        if name not in columns:
            raise MissingColumnError(
                f"{unknown('column', str(name), map(str, columns))}; name the two columns of ids by"
                " source= and destination="
            )
    if source == destination:
        raise InputError(
            f"source and destination are both {', '.join(map(repr, source))}: an edge has two ends,"
            f" in two columns of {', '.join(map(str, columns))}"
        )


def _cudf_frame(frame: Any, where: Sides, names: Sides, nulls: str) -> EdgeInput:
    """Return a cuDF frame without narwhals, which would count nulls by a pass over each column."""
    size, columns = len(frame), [*where[0], *where[1]]
    kept = None
    handles = (handle_in(frame, column) for column in columns)
    if nulls == "drop" and any(map(nulls_in, handles)):
        frame = frame[list(dict.fromkeys(columns))].reset_index(drop=True).dropna()
        kept = frame.index.to_cupy
    remedy = remedy_for(nulls)
    src, dst = (
        [
            of_cudf(name, handle_in(frame, column), partial(frame.__getitem__, column), remedy)
            for name, column in zip(named, side, strict=True)
        ]
        for named, side in zip(names, where, strict=True)
    )
    make = partial(make_frame, type(frame))
    return _given(src, dst, make, True, size - len(frame), kept)


def _given(
    src: list[Column],
    dst: list[Column],
    make: Callable[..., Any],
    device: bool,
    dropped: int,
    kept: Callable[[], Any] | None,
) -> EdgeInput:
    src, dst = map(list, zip(*map(same_kind, src, dst), strict=True))
    return EdgeInput(
        of_parts(src), of_parts(dst), make, device, dropped_rows=dropped, row_index=kept
    )


def _of_series(sides: list[list[Any]], names: Sides, nulls: str) -> EdgeInput:
    """Return the columns of sources and those of destinations, as series of narwhals."""
    size, ends = len(sides[0][0]), len(sides[0])
    every, kept = [*sides[0], *sides[1]], None
    if nulls == "drop":
        every, kept = _without_nulls(every)
    remedy = remedy_for(nulls)
    columns = [
        of_series(name, side, remedy)
        for name, side in zip([*names[0], *names[1]], every, strict=True)
    ]
    make = partial(_make_frame, every[0].implementation)
    dropped = size - len(every[0])
    return _given(columns[:ends], columns[ends:], make, False, dropped, kept)


def _make_frame(backend: Any, columns: dict[str, Any]) -> Any:
    """Return a frame of the library that narwhals calls so, of arrays and series."""
    if backend.is_pandas():
        import pandas as pd

        return pd.DataFrame(columns, copy=False)  # columns are made for it alone
    import narwhals as nw

    return nw.from_dict(columns, backend=backend).to_native()


def _series(frame: Any, name: str) -> Any:
    return series_of(frame.get_column(name).to_native(), name)


def _without_nulls(series: list[Any]) -> tuple[list[Any], Callable[[], Any] | None]:
    """Return the rows of series of one length in which none is null, and what gives their numbers.

    The series themselves, and None, if that is all of them.
    """
    natives = [side.to_native() for side in series]
    there = [mask for mask in map(there_of, natives) if mask is not None]
    if not there:
        return series, None
    keep = np.logical_and.reduce(there)
    rows = [series_of(rows_where(native, keep)) for native in natives]
    return rows, partial(np.flatnonzero, keep)


def read_series(src: Any, dst: Any, names: Sides, nulls: str) -> EdgeInput:
    """Return a pair of series of one kind and length."""
    if is_cudf(src) and is_cudf(dst):
        import cudf

        both = {"0": src.reset_index(drop=True), "1": dst.reset_index(drop=True)}
        return _cudf_frame(cudf.DataFrame(both), (["0"], ["1"]), names, nulls)
    sides = [[series_of(side, own[0])] for side, own in zip((src, dst), names, strict=True)]
    return _of_series(sides, names, nulls)


@dataclass(frozen=True)
class Csr:
    """An adjacency list: vertex i is linked to ``indices[offsets[i]:offsets[i + 1]]``.

    Parameters
    ----------
    offsets : (n + 1,) array or series of integers
    indices : (m,) array or series of integers, of the same library
    symmetric : bool
        Whether every edge stands in the rows of both its ends; then rows can be left out whole.
        What you promise here is not checked.

    See Also
    --------
    components : Find the components of an adjacency list.
    """

    offsets: Any
    indices: Any
    symmetric: bool = False


def is_graph(thing: Any) -> bool:
    """Return whether it is one of cuGraph's; without importing cuGraph, which then nobody has."""
    return isinstance(thing, getattr(sys.modules.get("cugraph"), "Graph", ()))


def read_rows(rows: Csr, given: EdgeInput, name: str = "offsets") -> EdgeInput:
    """Return an adjacency list, of which ``given`` holds the indices on both sides.

    What the offsets hold is looked at where they lie when they are lent, see
    :func:`cc_rapids.graph.edges.check_offsets`.
    """
    offsets = of(name, rows.offsets)
    if offsets.strings:
        raise ColumnTypeError(f"{name} are strings, and say by integers where each row begins")
    return replace(given, row_offsets=offsets, symmetric=rows.symmetric)


def check_state(graph: Any) -> None:
    """Raise a GraphStateError unless the graph lies on one GPU and holds edges."""
    if graph.is_multi_gpu():
        raise GraphStateError(
            "the graph is spread over several GPUs: cc_rapids.dask.weakly_connected_components"
            " takes it, as cugraph.dask's does"
        )
    if graph._Impl is None:
        raise GraphStateError(
            "the graph holds no edges yet: give it some, such as by"
            " graph.from_cudf_edgelist(frame, source, destination)"
        )


def numbering(graph: Any) -> Any:
    """Return the frame by which cuGraph numbered vertices that are no integers of 32 or 64 bits.

    Returns
    -------
    frame with the columns "0", "1", ... of the vertices and "id", or None if the vertices are
    what the user gave
    """
    if not graph.properties.renumbered:
        return None
    return graph.renumber_map.implementation.df


def edge_frame(graph: Any) -> Any:
    """Return the edges in cuGraph's own numbers: a frame with columns "src" and "dst".

    None if the graph was made of an adjacency list, and has no edge list either. (One that was
    made of a frame may hold an adjacency list too, in which the ids between are vertices.)
    """
    if graph.edgelist is not None:
        return graph.edgelist.edgelist_df
    if graph.adjlist is not None and graph.input_df is None:
        return None
    import cudf

    src, dst = decompressed(graph._plc_graph)
    return cudf.DataFrame({"src": src, "dst": dst})


def read_graph(graph: Any, nulls: str) -> tuple[EdgeInput | Csr, Any]:
    """Return what a graph holds: its edges, and the vertices that it names besides (or None).

    Raises
    ------
    GraphStateError
        It is spread over several GPUs, or empty, or no longer has the list that it was made of.
    """
    check_state(graph)
    if numbering(graph) is not None:
        if graph.input_df is None:
            raise GraphStateError(
                "the graph no longer has the frame that it was made of:"
                " cc_rapids.weakly_connected_components(graph) reads its own numbers"
            )
        return read_table(graph.input_df, *_sides(graph), nulls), None
    frame = edge_frame(graph)
    if frame is None:
        return Csr(graph.adjlist.offsets, graph.adjlist.indices), None
    given = read_table(frame, ["src"], ["dst"], nulls)
    # where ends are null, cuGraph has made vertices of whatever bytes lie there
    return given, None if given.dropped_rows else vertex_list(graph._plc_graph)


def _sides(graph: Any) -> tuple[list[str], list[str]]:
    source, destination = (
        side if isinstance(side, list) else [side]
        for side in (graph.source_columns, graph.destination_columns)
    )
    return source, destination


def decompressed(handle: Any, resources: Any = None) -> tuple[Any, Any]:
    """Return the sources and destinations of a graph of pylibcugraph, as new CuPy arrays."""
    decompress = _tool("decompress_to_edgelist")
    src, dst, *_ = decompress(resources or _tool("ResourceHandle")(), handle, False)
    return src, dst


def vertex_list(handle: Any, resources: Any = None) -> Any:
    """Return all vertices of a graph of pylibcugraph, without edges too, as a new CuPy array."""
    extract = _tool("extract_vertex_list")
    return extract(resources or _tool("ResourceHandle")(), handle, False)


def _tool(name: str) -> Any:
    import pylibcugraph

    try:
        return getattr(pylibcugraph, name)
    except AttributeError:
        raise GraphStateError(
            f"this pylibcugraph has no {name}, by which a graph's edges are read"
        ) from None
