"""Streams: edges that pass by in chunks, so that only the vertices need to fit into memory."""

from .plan import StreamPlan
from .progress import StreamProgress
from .run import check_streamed, stream_components

__all__ = ["StreamPlan", "StreamProgress", "check_streamed", "stream_components"]
