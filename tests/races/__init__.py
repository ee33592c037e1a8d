"""All interleavings of small kernels: their plain Python text, run as threads over a model memory.

``engine`` runs a call up to its next access, ``memory`` says what an access may find, ``explore``
goes through every schedule or through random ones, and ``scenes`` sets up forests and edges.
"""
