"""Ids of several kinds for batches of edges, and designs that take batches in different ways."""

import numpy as np

EXAMPLES = ["none+async+halve", "none+jtb+two-try-split", "none+rem-cas+splice", "shiloach-vishkin"]
KINDS = {
    "near": lambda v: v,
    "signed": lambda v: v - 10,
    "sparse": lambda v: (v - 10) * 10**17,
    "unsigned": lambda v: 2**64 - 1 - v * 10**17,
    "strings": lambda v: f"é{v % 7}-{v}",
}


def column(values):
    """An array of ids: of integers, unsigned if they are too large for others, or of strings."""
    return np.array(values) if values else np.array([], np.int64)
