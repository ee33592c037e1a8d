"""Algorithms with their own loops on the host instead of union and find: rounds and searches.

Written as :mod:`cc_rapids.kernels` are, and in the same registry.
"""

# Importing a file registers what it holds, and ``designs()`` lists each axis in this order.
# isort: off
from . import sutton, balduzzi, cong, dense, owner, patwary, rounds, search, stages, afforest, ecl
# isort: on

__all__ = [
    "afforest",
    "balduzzi",
    "cong",
    "dense",
    "ecl",
    "owner",
    "patwary",
    "rounds",
    "search",
    "stages",
    "sutton",
]
