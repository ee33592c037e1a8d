"""The edges and vertices of cuGraph's graphs, by its Python objects and by pylibcugraph.

A ``cugraph.Graph`` keeps the edge list or adjacency list that it was made from. It also keeps the
symmetrised copy on which its algorithms run; an edge list can be made from this copy again.
"""

from __future__ import annotations

import sys
from typing import Any

from ..errors import GraphStateError
from .lazy import cudf


def is_graph(thing: Any) -> bool:
    """Return whether an object is a cuGraph graph, without importing cuGraph."""
    return isinstance(thing, getattr(sys.modules.get("cugraph"), "Graph", ()))


def check_state(graph: Any) -> None:
    """Raise a GraphStateError unless the graph is on one GPU and has edges."""
    if graph.is_multi_gpu():
        raise GraphStateError(
            "the graph is distributed over several GPUs: pass it to"
            " cc_rapids.dask.weakly_connected_components, as you would to cugraph.dask's function"
        )
    if graph._Impl is None:
        raise GraphStateError(
            "the graph has no edges yet: add some, for example with"
            " graph.from_cudf_edgelist(frame, source, destination)"
        )


def numbering(graph: Any) -> Any:
    """Return cuGraph's frame of the numbers of vertices that are not 32-bit or 64-bit integers.

    Returns
    -------
    frame or None
        A frame with the columns "0", "1", ... of the vertices and "id" of their numbers; None if
        the graph stores the vertices as the user gave them.
    """
    if not graph.properties.renumbered:
        return None
    return graph.renumber_map.implementation.df


def edge_frame(graph: Any) -> Any:
    """Return the edges in cuGraph's internal numbers: a frame with columns "src" and "dst".

    Return None if the graph was made from an adjacency list. A graph made from a frame may also
    have an adjacency list, but there unused ids below the greatest id are vertices too.
    """
    if graph.edgelist is not None:
        return graph.edgelist.edgelist_df
    if graph.adjlist is not None and graph.input_df is None:
        return None
    src, dst = decompressed(graph._plc_graph)
    return cudf.DataFrame({"src": src, "dst": dst})


def decompressed(handle: Any, resources: Any = None) -> tuple[Any, Any]:
    """Return the sources and destinations of a pylibcugraph graph, as new CuPy arrays."""
    decompress = _tool("decompress_to_edgelist")
    src, dst, *_ = decompress(resources or _tool("ResourceHandle")(), handle, False)
    return src, dst


def edge_count(handle: Any, resources: Any = None) -> int | None:
    """Return the sum of the degrees in a graph; None if pylibcugraph cannot count degrees.

    For a graph on several GPUs, this is the sum over the vertices of this rank. The sum over all
    ranks is the number of edges.
    """
    import pylibcugraph

    count = getattr(pylibcugraph, "out_degrees", None)
    resources = resources or _tool("ResourceHandle")()
    return None if count is None else int(count(resources, handle, None, False)[1].sum())


def vertex_list(handle: Any, resources: Any = None) -> Any:
    """Return all vertices of a pylibcugraph graph, including isolated ones, as a new CuPy array."""
    extract = _tool("extract_vertex_list")
    return extract(resources or _tool("ResourceHandle")(), handle, False)


def _tool(name: str) -> Any:
    """Return a function or class of pylibcugraph; raise a GraphStateError if it does not exist."""
    import pylibcugraph

    try:
        return getattr(pylibcugraph, name)
    except AttributeError:
        raise GraphStateError(
            f"this pylibcugraph has no {name}, which is needed to read the edges of a graph"
        ) from None
