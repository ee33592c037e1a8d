"""Metadata that NetworkX reads about the backend, without imports."""

from __future__ import annotations

from typing import Any

_DOCS = "NetworkX caches the converted graph and its answer until the graph changes."
_LATER = "NetworkX chooses this backend automatically only for a graph that is already converted."
_TREES = (
    "``algorithm='kruskal'``, or ``'prim'`` if all weights differ; ties and the order of edges are"
    " those of NetworkX."
)
_FUNCTIONS = {
    "connected_components": _DOCS,
    "number_connected_components": _DOCS,
    "is_connected": _DOCS,
    "node_connected_component": f"{_DOCS} {_LATER}",
    "is_bipartite": f"{_DOCS} {_LATER}",
    "bridges": _DOCS,
    "has_bridges": _DOCS,
    "articulation_points": f"{_DOCS} The points are in the order of the graph's nodes.",
    "weakly_connected_components": _DOCS,
    "number_weakly_connected_components": _DOCS,
    "is_weakly_connected": _DOCS,
    "minimum_spanning_edges": _TREES,
    "maximum_spanning_edges": _TREES,
    "minimum_spanning_tree": _TREES,
    "maximum_spanning_tree": _TREES,
    "partition_spanning_tree": "Ties and the order of edges are those of NetworkX.",
}


def get_info() -> dict[str, Any]:
    """Return the backend in NetworkX's terms: its name, its functions and its settings.

    Returns
    -------
    dict
        ``default_config`` holds ``engine``, which ``nx.config.backends.cc_rapids.engine`` changes:
        ``"threads"``, or ``"cuda"`` to solve on the GPU.

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
