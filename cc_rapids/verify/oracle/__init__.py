"""Other ways to the same answer, and a proof of an answer; :mod:`cc_rapids.oracle` shows them."""

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
