"""Independent computations of an answer, and a proof; see :mod:`cc_rapids.oracle`."""

from .certificate import certify, certify_components, union_find
from .peers import against_cugraph, against_networkx, against_scipy, same_partition

__all__ = [
    "against_cugraph",
    "against_networkx",
    "against_scipy",
    "certify",
    "certify_components",
    "same_partition",
    "union_find",
]
