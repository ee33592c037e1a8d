"""Components of partitions on a pool of processes, by the same forests as on a Dask cluster."""

from .integrations.pool import components

__all__ = ["components"]
