"""Components of distributed edge lists; :mod:`cc_rapids.dask` has the public names."""
