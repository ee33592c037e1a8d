"""Connected components on GPU dataframes, or on CPU threads without a GPU.

>>> import pandas as pd, cc_rapids
>>> edges = pd.DataFrame({"src": [1, 2, 8], "dst": [2, 3, 9]})
>>> len(cc_rapids.components(edges))
2

Public names are imported on first use, so ``import cc_rapids`` alone loads no other library.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The module of each public name; "" if the name is itself a module of this package.
_HOMES = {
    "bipartition": "api",
    "articulation_points": "api",
    "biconnected_component_edges": "api",
    "bridges": "api",
    "two_edge_connected_components": "api",
    "components": "api",
    "is_bipartite": "api",
    "spanning_forest": "api",
    "minimum_spanning_forest": "api",
    "maximum_spanning_forest": "api",
    "link_records": "linkage",
    "components_of_neighbors": "neighbors",
    "HDBSCAN": "hdbscan",
    "NeighborComponents": "results.components",
    "link_pairs": "rules",
    "score_clusters": "rules",
    "LinkedPairs": "results.components",
    "LinkedRecords": "results.components",
    "Csr": "data.adapters",
    "connected_components": "integrations.connected_components",
    "weakly_connected_components": "integrations.cugraph",
    "install": "integrations.install",
    "installed": "integrations.install",
    "uninstall": "integrations.install",
    "load_ipython_extension": "integrations.ipython",
    "unload_ipython_extension": "integrations.ipython",
    "Bipartition": "analysis.bipartition",
    "Components": "results.components",
    "Dendrogram": "analysis.dendrogram",
    "Plan": "solver.choose",
    "SpreadComponents": "results.on_devices",
    "StreamPlan": "incremental.stream",
    "StreamProgress": "incremental.progress",
    "Connectivity": "incremental.connectivity",
    "stream_components": "incremental.stream",
    "components_at": "incremental.thresholds",
    "Cuts": "analysis.thresholds",
    "StableIds": "results.components",
    "Evidence": "analysis.evidence",
    "Report": "analysis.report",
    "Design": "algorithms.design",
    "designs": "algorithms.design",
    "ArgumentTypeError": "errors",
    "CcRapidsError": "errors",
    "CapacityError": "errors",
    "CapacityWarning": "errors",
    "CcRapidsWarning": "errors",
    "ChangedFileError": "errors",
    "CheckpointError": "errors",
    "ColumnTypeError": "errors",
    "DesignError": "errors",
    "EngineError": "errors",
    "FormatError": "errors",
    "GraphStateError": "errors",
    "ImageError": "errors",
    "InputError": "errors",
    "LedgerError": "errors",
    "MissingColumnError": "errors",
    "MissingExtraError": "errors",
    "NullsError": "errors",
    "OutputError": "errors",
    "UnknownVertexError": "errors",
    "UnmatchedWarning": "errors",
    "VerificationError": "errors",
    "frame_library": "tools.frame_library",
    "memory_bound": "graph.memory_bound",
    "release_memory": "backends",
    "curator": "",
    "dask": "",
    "datasets": "",
    "generators": "",
    "measure": "",
    "ndimage": "",
    "oracle": "",
    "plots": "",
    "pool": "",
    "ray": "",
    "scipy": "",
}

__all__ = [
    "HDBSCAN",
    "ArgumentTypeError",
    "Bipartition",
    "CapacityError",
    "CapacityWarning",
    "CcRapidsError",
    "CcRapidsWarning",
    "ChangedFileError",
    "CheckpointError",
    "ColumnTypeError",
    "Components",
    "Connectivity",
    "Csr",
    "Cuts",
    "Dendrogram",
    "Design",
    "DesignError",
    "EngineError",
    "Evidence",
    "FormatError",
    "GraphStateError",
    "ImageError",
    "InputError",
    "LedgerError",
    "LinkedPairs",
    "LinkedRecords",
    "MissingColumnError",
    "MissingExtraError",
    "NeighborComponents",
    "NullsError",
    "OutputError",
    "Plan",
    "Report",
    "SpreadComponents",
    "StableIds",
    "StreamPlan",
    "StreamProgress",
    "UnknownVertexError",
    "UnmatchedWarning",
    "VerificationError",
    "__version__",
    "articulation_points",
    "biconnected_component_edges",
    "bipartition",
    "bridges",
    "components",
    "components_at",
    "components_of_neighbors",
    "connected_components",
    "curator",
    "dask",
    "datasets",
    "designs",
    "frame_library",
    "generators",
    "install",
    "installed",
    "is_bipartite",
    "link_pairs",
    "link_records",
    "maximum_spanning_forest",
    "measure",
    "memory_bound",
    "minimum_spanning_forest",
    "ndimage",
    "oracle",
    "plots",
    "pool",
    "release_memory",
    "scipy",
    "score_clusters",
    "spanning_forest",
    "stream_components",
    "two_edge_connected_components",
    "uninstall",
    "weakly_connected_components",
]

if TYPE_CHECKING:
    from . import curator, dask, datasets, measure, ndimage, plots, pool
    from .algorithms.design import Design, designs
    from .analysis.bipartition import Bipartition
    from .analysis.dendrogram import Dendrogram
    from .analysis.evidence import Evidence
    from .analysis.report import Report
    from .analysis.thresholds import Cuts
    from .api import (
        articulation_points,
        biconnected_component_edges,
        bipartition,
        bridges,
        components,
        is_bipartite,
        maximum_spanning_forest,
        minimum_spanning_forest,
        spanning_forest,
        two_edge_connected_components,
    )
    from .backends import release_memory
    from .data.adapters import Csr
    from .errors import (
        ArgumentTypeError,
        CapacityError,
        CapacityWarning,
        CcRapidsError,
        CcRapidsWarning,
        ChangedFileError,
        CheckpointError,
        ColumnTypeError,
        DesignError,
        EngineError,
        FormatError,
        GraphStateError,
        ImageError,
        InputError,
        LedgerError,
        MissingColumnError,
        MissingExtraError,
        NullsError,
        OutputError,
        UnknownVertexError,
        UnmatchedWarning,
        VerificationError,
    )
    from .graph.memory_bound import memory_bound
    from .hdbscan import HDBSCAN
    from .incremental.connectivity import Connectivity
    from .incremental.progress import StreamProgress
    from .incremental.stream import StreamPlan, stream_components
    from .incremental.thresholds import components_at
    from .integrations import scipy
    from .integrations.connected_components import connected_components
    from .integrations.cugraph import weakly_connected_components
    from .integrations.install import install, installed, uninstall
    from .linkage import link_records
    from .neighbors import components_of_neighbors
    from .results.components import (
        Components,
        LinkedPairs,
        LinkedRecords,
        NeighborComponents,
        StableIds,
    )
    from .results.on_devices import SpreadComponents
    from .rules import link_pairs, score_clusters
    from .solver.choose import Plan
    from .tools import generators
    from .tools.frame_library import frame_library
    from .verify import oracle


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cc_rapids' has no attribute {name!r}")
    home = _HOMES[name]
    module = importlib.import_module(f".{home or name}", __name__)
    globals()[name] = value = getattr(module, name) if home else module
    return value


def __dir__() -> list[str]:
    return sorted({*_HOMES, "__version__"})
