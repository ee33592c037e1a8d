"""Reference implementations that compute or verify answers independently of the kernels.

:func:`union_find`, :func:`kruskal`, :func:`single_linkage`, :func:`walk`, :func:`bridges`,
:func:`articulation_points` and :func:`biconnected_component_edges` compute an answer. All other
functions verify an answer: they return None, or raise a
:class:`~cc_rapids.errors.VerificationError` that names the first counterexample. All run on one
host thread and share no code with the kernels, except that :func:`against_cugraph` runs on a GPU.

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
