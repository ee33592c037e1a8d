"""The edges and vertices of cuGraph's graphs, by its Python objects and by pylibcugraph.

A ``cugraph.Graph`` keeps the edge list or adjacency list that it was made from. It also keeps a
symmetrised copy for its algorithms, from which pylibcugraph can extract an edge list.
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
    """Return the vertices, and the numbers that cuGraph gave them, as a frame of cuGraph.

    cuGraph numbers vertices that are not 32-bit or 64-bit integers.

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

    Return None if the graph was made from an adjacency list, in which unused ids below the greatest
    id are vertices too. The adjacency list that cuGraph adds to a graph from a frame is not read.
    """
    if graph.edgelist is not None:
        return graph.edgelist.edgelist_df
    if graph.adjlist is not None and graph.input_df is None:
        return None
    src, dst = decompressed(graph._plc_graph)
    return cudf.DataFrame({"src": src, "dst": dst})


def decompressed(plc_graph: Any, resources: Any = None) -> tuple[Any, Any]:
    """Return the sources and destinations of a pylibcugraph graph, as new CuPy arrays."""
    decompress = _from_pylibcugraph("decompress_to_edgelist")
    resources = resources or _from_pylibcugraph("ResourceHandle")()
    src, dst, *_ = decompress(resources, plc_graph, False)  # without expensive checks
    return src, dst


def edge_count(plc_graph: Any, resources: Any = None) -> int | None:
    """Return the number of edges of a graph; None if pylibcugraph cannot count degrees.

    For a graph on several GPUs, only the out-degrees of the vertices of this rank are added. The
    sum over all ranks is the number of edges.
    """
    import pylibcugraph

    out_degrees = getattr(pylibcugraph, "out_degrees", None)
    if out_degrees is None:
        return None
    resources = resources or _from_pylibcugraph("ResourceHandle")()
    return int(out_degrees(resources, plc_graph, None, False)[1].sum())  # [0] are the vertices


def vertex_list(plc_graph: Any, resources: Any = None) -> Any:
    """Return all vertices of a pylibcugraph graph, including isolated ones, as a new CuPy array."""
    extract = _from_pylibcugraph("extract_vertex_list")
    return extract(resources or _from_pylibcugraph("ResourceHandle")(), plc_graph, False)


def _from_pylibcugraph(name: str) -> Any:
    """Return a function or class of pylibcugraph; raise a GraphStateError if it does not exist."""
    import pylibcugraph

    try:
        return getattr(pylibcugraph, name)
    except AttributeError:
        raise GraphStateError(
            f"this pylibcugraph has no {name}, which is needed to read the edges of a graph"
        ) from None
