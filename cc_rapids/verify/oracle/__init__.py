"""Independent computations of an answer, and a proof; see :mod:`cc_rapids.oracle`."""

from .certificate import certify, certify_components, union_find
from .forests import certify_forest, certify_spanning_forest, kruskal, single_linkage
from .images import certify_image
from .lowpoints import (
    articulation_points,
    biconnected_component_edges,
    bridges,
    certify_articulation_points,
    certify_biconnected_component_edges,
    certify_bridges,
)
from .paths import walk
from .peers import against_cugraph, against_networkx, against_scipy, same_partition

__all__ = [
    "against_cugraph",
    "against_networkx",
    "against_scipy",
    "articulation_points",
    "biconnected_component_edges",
    "bridges",
    "certify",
    "certify_articulation_points",
    "certify_biconnected_component_edges",
    "certify_bridges",
    "certify_components",
    "certify_forest",
    "certify_image",
    "certify_spanning_forest",
    "kruskal",
    "same_partition",
    "single_linkage",
    "union_find",
    "walk",
]
