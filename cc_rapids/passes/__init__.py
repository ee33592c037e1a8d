"""Passes over columns and over solved forests: what comes before and after connectivity.

Kernels as those of :mod:`cc_rapids.kernels`, but of no paper: the spans, sets and slots of ids,
the hashes and the order of strings, and the columns of an answer.
"""

from . import answer, columns, ids, one_launch, strings

__all__ = ["answer", "columns", "ids", "one_launch", "strings"]
