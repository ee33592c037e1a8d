"""All interleavings of small kernels: their plain Python text, run as threads over a model memory.

``engine`` runs a call up to its next access, ``memory`` says what an access may find, ``explore``
goes through every schedule or through random ones, ``scenes`` sets up forests and edges to link,
and ``phases`` the kernels around the links. ``runs`` is a backend on top of these, each launch of
which is a race, and ``whole`` runs designs on it. ``portions`` says how much a test goes through.
"""
