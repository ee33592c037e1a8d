"""Components of edge lists in partitions: the parts that Dask, Ray and pools share."""
