"""Components of edge lists in partitions: what Dask, Ray and pools of processes have in common."""
