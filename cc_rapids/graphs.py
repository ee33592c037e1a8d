"""Graphs of cuGraph and adjacency lists: what they hold is read as it is.

A ``cugraph.Graph`` keeps the edge list or the adjacency list that it was made of, and beside it
the symmetrised copy that its algorithms run on, from which lists can be drawn again.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any

from .columns import of
from .errors import GraphStateError
from .given import Given
from .tables import read_table


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
    """

    offsets: Any
    indices: Any
    symmetric: bool = False


def is_graph(thing: Any) -> bool:
    """Whether it is one of cuGraph's; without importing cuGraph, which then nobody has."""
    return isinstance(thing, getattr(sys.modules.get("cugraph"), "Graph", ()))


def read_rows(rows: Csr, given: Given, name: str = "offsets") -> Given:
    """An adjacency list, of which ``given`` holds the indices on both sides.

    What the offsets hold is looked at where they lie when they are lent, see
    :func:`cc_rapids.adjacency.check_offsets`.
    """
    return replace(given, offsets=of(name, rows.offsets), symmetric=rows.symmetric)


def check_state(graph: Any) -> None:
    """A GraphStateError unless the graph lies on one GPU and holds edges."""
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
    """The frame by which cuGraph numbered vertices that are no integers of 32 or 64 bits.

    Returns
    -------
    frame with the columns "0", "1", ... of the vertices and "id", or None if the vertices are
    what the user gave
    """
    if not graph.properties.renumbered:
        return None
    return graph.renumber_map.implementation.df


def edge_frame(graph: Any) -> Any:
    """The edges in cuGraph's own numbers: a frame with columns "src" and "dst".

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


def read_graph(graph: Any, nulls: str) -> tuple[Given | Csr, Any]:
    """What a graph holds: its edges, and the vertices that it names besides (or None).

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
    return given, None if given.dropped else vertex_list(graph._plc_graph)


def _sides(graph: Any) -> tuple[list[str], list[str]]:
    source, destination = (
        side if isinstance(side, list) else [side]
        for side in (graph.source_columns, graph.destination_columns)
    )
    return source, destination


def decompressed(handle: Any, resources: Any = None) -> tuple[Any, Any]:
    """The sources and destinations of a graph of pylibcugraph, as new CuPy arrays."""
    decompress = _tool("decompress_to_edgelist")
    src, dst, *_ = decompress(resources or _tool("ResourceHandle")(), handle, False)
    return src, dst


def vertex_list(handle: Any, resources: Any = None) -> Any:
    """All vertices of a graph of pylibcugraph, without edges too, as a new CuPy array."""
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
