"""A stage for fuzzy deduplication in NeMo Curator: streamed components of Parquet edge files.

It replaces Curator's stage of the same name. It also runs without Curator, on any objects with the
attributes of Curator's tasks.
"""

from .integrations.curator import ConnectedComponentsStage

__all__ = ["ConnectedComponentsStage"]
