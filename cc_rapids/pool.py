"""Connected components of partitions on a process pool, by merging one forest per partition."""

from .integrations.pool import components

__all__ = ["components"]
