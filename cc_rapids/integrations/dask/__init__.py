"""Edge lists that Dask spreads over workers: :mod:`cc_rapids.dask` shows what is public."""
