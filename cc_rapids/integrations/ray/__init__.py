"""Components of Ray datasets; :mod:`cc_rapids.ray` has the public names."""
