"""Components of edge lists in partitions, on any workers: Dask, Ray and pools share these parts."""
