"""Least: words that many threads lower at once."""

from typing import Any


def lessen(on: Any) -> Any:
    """Lower a word to a value; a stale read of it costs one more atomic operation."""
    low = on.min

    @on.device
    def lessen(values, i, value):
        if value < values[i]:
            low(values, i, value)

    return lessen
