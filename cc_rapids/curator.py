"""A stage for NeMo Curator's fuzzy deduplication: components of edges in Parquet files, streamed.

It takes the place of Curator's own stage of the same name. Without Curator it runs as well, on any
objects that have the attributes of its tasks.
"""

from .integrations.curator import ConnectedComponentsStage

__all__ = ["ConnectedComponentsStage"]
