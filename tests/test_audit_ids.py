"""Audits that look ids up in a table of their own."""

import numpy as np
import pytest

from cc_rapids import VerificationError, components
from cc_rapids.audit import places


def test_strangers_among_the_first_ids_are_told(engine, monkeypatch):
    """A table is filled in the order of the edges first: not all that it holds is of the answer."""
    monkeypatch.setattr(places, "MANY", 0)
    ids = np.append(np.arange(1, 40) * 2**40, -1)  # of which one has all its bits set
    found = components((ids[:-1], ids[1:]), engine=engine)
    assert found.audit((ids[:-1], ids[1:])).components == 1
    assert found.audit((ids[::-1][:-1], ids[::-1][1:])).components == 1
    fewer = components((ids[:-2], ids[1:-1]), engine=engine)
    for stranger in (-1, 5):
        src = np.append(stranger, ids[1:-2])
        says = f"edge 0 joins {stranger} and {ids[1]}, and {stranger} has no label"
        with pytest.raises(VerificationError, match=says):
            fewer.audit((src, ids[1:-1]))
