"""Algorithms with loops of their own on the host, beside union and find: rounds, and searches.

Written as :mod:`cc_rapids.kernels` are, and in the same catalog.
"""

from . import cong, rounds, search, sutton

__all__ = ["cong", "rounds", "search", "sutton"]
