"""Sources: where edges come from in chunks, and how large these may be."""

from .ahead import ahead
from .kinds import Chunk, Cursor, Source, is_iterable, is_stream, source_of
from .memory import Budget, bytes_of
from .weighed import weighed

__all__ = [
    "Budget",
    "Chunk",
    "Cursor",
    "Source",
    "ahead",
    "bytes_of",
    "is_iterable",
    "is_stream",
    "source_of",
    "weighed",
]
