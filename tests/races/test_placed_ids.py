"""Ids that find their slots at the same time: one slot each, in the order of the ids.

All schedules of two threads that enter ids whose searches begin at one slot or at neighbours, equal
ones among them.
"""

from itertools import pairwise

import numpy as np
import pytest

from cc_rapids.ids import hash_table
from cc_rapids.ids.range import IdRange
from cc_rapids.kernels import id_place
from races import memory
from races.runs import Outcomes, every_run

SPAN = 64  # of the ids, for 32 slots: two ids begin at each


@pytest.mark.parametrize("model", [memory.STRONG, memory.STALE, memory.WEAK])
@pytest.mark.parametrize(
    "ids",
    [[8, 8], [8, 9], [9, 8], [8, 9, 8], [9, 10, 8], [10, 9, 8, 9], [9, 8, 11, 10], [8, 30, 9]],
    ids=str,
)
def test_each_id_has_one_slot_in_the_order_of_the_ids(monkeypatch, ids, model):
    monkeypatch.setattr(id_place, "MARGIN", 4)
    backend, seen = Outcomes(model), np.array(ids)

    def run():
        given = IdRange(0, SPAN - 1, np.dtype(np.int64))
        table = hash_table.PlacedSlots([seen, seen[:0]], given, backend)
        slots = table.columns[0].tolist()
        if not table.complete:
            return "an id has found no slot"
        if len(set(zip(ids, slots, strict=True))) != len(set(ids)) or len(set(slots)) != len(
            set(ids)
        ):
            return f"ids {ids} are at {slots}"
        held = [(s, int(key)) for s, key in enumerate(table.keys.tolist()) if key != 2**64 - 1]
        if sorted(set(slots)) != [s for s, _ in held]:
            return f"{held} are held where {slots} were found"
        return out_of_order(held)

    wrong = next(every_run(backend, run), None)
    assert wrong is None, wrong
    assert backend.found.races


def out_of_order(held):
    """What is wrong with the order: all ids of a cluster are less than those of the next one."""
    clusters = [[held[0][1]]]
    for (s, _), (t, key) in pairwise(held):
        if t > s + 1:
            clusters.append([])
        clusters[-1].append(key)
    if any(max(one) > min(other) for one, other in pairwise(clusters)):
        return f"{held} are out of order"
    return None
