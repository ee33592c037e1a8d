"""Published algorithms with their own loops on the host, instead of union and find.

The files are written like those of :mod:`cc_rapids.kernels`, use the same registry of rules, and
name arrays like :mod:`cc_rapids.kernels.forest`. ``connect_rest`` links all edges of ``state``, a
:class:`cc_rapids.algorithms.run.RunState`.
"""

# Importing a file registers its rules. ``designs()`` lists the rules of each kind in this order.
# isort: off
from . import sutton, balduzzi, cong, dense, owner, patwary, rounds, search, stages, afforest, ecl
from . import fastsv, contour, thrifty
# isort: on

__all__ = [
    "afforest",
    "balduzzi",
    "cong",
    "contour",
    "dense",
    "ecl",
    "fastsv",
    "owner",
    "patwary",
    "rounds",
    "search",
    "stages",
    "sutton",
    "thrifty",
]
