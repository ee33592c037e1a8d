"""cuGraph's function for graphs that are spread over GPUs: ``cugraph.dask``'s contract."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentTypeError, GraphStateError, InputError
from .dask_api import components
from .dask_run import is_dask


def weakly_connected_components(graph: Any) -> Any:
    """Find the weak components of a graph that cuGraph made of a dask_cudf edge list.

    The edges are read where they lie, and cuGraph's communicators (``Comms``) are not asked.

    Parameters
    ----------
    graph : cugraph.Graph
        Undirected, by ``from_dask_cudf_edgelist``; it still has the edge list it was made of.

    Returns
    -------
    dask_cudf.DataFrame with columns ``vertex`` and ``labels``, on the workers
        Of int32 or int64 vertices ``labels`` is the least vertex of the component, of others
        (strings, several columns, which come as ``0_vertex``, ...) 0 .. k-1 in the order of these.

    Raises
    ------
    InputError
        The graph is directed; a ValueError.
    GraphStateError
        It holds no edges of Dask's.
    ArgumentTypeError
        It is no graph; a TypeError.
    EngineError
        No ``distributed.Client`` is connected.
    """
    if not hasattr(graph, "is_directed"):
        raise ArgumentTypeError(
            f"a {type(graph).__name__} is no cugraph.Graph: cc_rapids.dask.components takes frames"
        )
    if graph.is_directed():
        raise InputError("input graph must be undirected")
    frame, source, destination = _edges(graph)
    several = isinstance(source, list)
    small = not several and all(
        str(frame.dtypes[name]) in ("int32", "int64") for name in (source, destination)
    )
    return components(frame, source, destination, labels="min" if small else "dense").labels()


def _edges(graph: Any) -> tuple[Any, Any, Any]:
    """The frame that the graph was made of, or its own edge list where vertices are as given."""
    frame = getattr(graph, "input_df", None)
    if is_dask(frame):
        ends = graph.source_columns, graph.destination_columns
        return frame, *(one[0] if isinstance(one, list) and len(one) == 1 else one for one in ends)
    frame = getattr(getattr(graph, "edgelist", None), "edgelist_df", None)
    if frame is None or not is_dask(frame) or getattr(graph, "renumbered", False):
        raise GraphStateError(
            "the graph holds no edge list of Dask's any more: give the frame that it was made of to"
            " cc_rapids.dask.components(frame, source, destination), or if it lies on one GPU the"
            " graph to cc_rapids.weakly_connected_components"
        )
    return frame, frame.columns[0], frame.columns[1]
