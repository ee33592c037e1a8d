"""Oracles: independent ways to compute an answer, and a proof of an answer.

All but :func:`union_find`, :func:`kruskal`, :func:`single_linkage`, :func:`walk`, :func:`bridges`
and :func:`articulation_points` return nothing, or raise a
:class:`~cc_rapids.errors.VerificationError` that names the first counterexample. They share no code
with the kernels, and run on one thread of the host; only :func:`against_cugraph` stays on a GPU.

>>> src, dst = [3, 1], [4, 3]
>>> union_find(src, dst, 6)
array([0, 1, 2, 1, 1, 5])
>>> certify(src, dst, 6, [0, 1, 2, 1, 1, 0])
Traceback (most recent call last):
    ...
cc_rapids.errors.VerificationError: vertex 5 has the label 0, but no path joins the two
"""

from .verify.oracle import *  # noqa: F403
from .verify.oracle import __all__ as __all__
