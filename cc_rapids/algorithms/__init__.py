"""Algorithms with loops of their own on the host, beside union and find: rounds, and searches.

Written as :mod:`cc_rapids.kernels` are, and in the same catalog.
"""

from . import balduzzi, cong, dense, owner, patwary, rounds, search, stages, sutton

__all__ = [
    "balduzzi",
    "cong",
    "dense",
    "owner",
    "patwary",
    "rounds",
    "search",
    "stages",
    "sutton",
]
