"""Metadata that NetworkX reads about the backend, without imports."""

from __future__ import annotations

from typing import Any

_CACHED = "NetworkX caches the converted graph and its answer until the graph changes."
_IF_CONVERTED = (
    "NetworkX chooses this backend automatically only for a graph that is already converted."
)
_TREES = (
    "The algorithm is ``'kruskal'``, or ``'prim'`` if all weights differ. Ties and the order of"
    " edges are as in NetworkX."
)
_FUNCTIONS = {
    "connected_components": _CACHED,
    "number_connected_components": _CACHED,
    "is_connected": _CACHED,
    "node_connected_component": f"{_CACHED} {_IF_CONVERTED}",
    "is_bipartite": f"{_CACHED} {_IF_CONVERTED}",
    "bridges": _CACHED,
    "has_bridges": _CACHED,
    "articulation_points": f"{_CACHED} The points are in the order of the nodes of the graph.",
    "weakly_connected_components": _CACHED,
    "number_weakly_connected_components": _CACHED,
    "is_weakly_connected": _CACHED,
    "minimum_spanning_edges": _TREES,
    "maximum_spanning_edges": _TREES,
    "minimum_spanning_tree": _TREES,
    "maximum_spanning_tree": _TREES,
    "partition_spanning_tree": "Ties and the order of edges are as in NetworkX.",
}


def get_info() -> dict[str, Any]:
    """Return the facts that NetworkX needs about the backend: its name, functions and settings.

    Returns
    -------
    dict
        ``default_config`` has the item ``engine``: ``"threads"``, or ``"cuda"`` to solve on the
        GPU. ``nx.config.backends.cc_rapids.engine`` changes the engine.

    Examples
    --------
    >>> sorted(get_info()["functions"])[:2]
    ['articulation_points', 'bridges']
    """
    return {
        "backend_name": "cc_rapids",
        "project": "cc_rapids",
        "package": "cc_rapids",
        "short_summary": "Connected components on CPU threads, or on an NVIDIA GPU.",
        "default_config": {"engine": "threads"},
        "functions": {name: {"additional_docs": text} for name, text in _FUNCTIONS.items()},
    }
