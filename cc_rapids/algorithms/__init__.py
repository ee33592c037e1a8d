"""Algorithms beside union and find: rounds and searches, with loops on the host, and batches.

Written as :mod:`cc_rapids.kernels` are, and in the same catalog.
"""

from . import batch, rounds, search

__all__ = ["batch", "rounds", "search"]
