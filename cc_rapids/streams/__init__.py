"""Streams: edges that pass by in chunks, so that only the vertices need to fit into memory."""

from .kinds import is_stream
from .plan import StreamPlan
from .progress import StreamProgress
from .run import check_streamed, stream_components
from .weighed import weighed

__all__ = [
    "StreamPlan",
    "StreamProgress",
    "check_streamed",
    "is_stream",
    "stream_components",
    "weighed",
]
