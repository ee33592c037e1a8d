"""Random flows along edges, which go on wherever a cycle lets them.

us, vs    : (m,) unsigned, the ends of each edge.
in_forest : (m,) uint8, not 0 for the edges of a spanning forest.
flows     : (m,) uint64, what flows from the first end of each edge to the second, modulo 2^64.
balance   : (n,) uint64, what flows out of each vertex less what flows into it.
"""

from typing import Any

import numpy as np

ZERO = np.uint64(0)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # of SplitMix64
STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND, THIRD = np.uint64(30), np.uint64(27), np.uint64(31)


def flow_outside(on: Any) -> Any:
    """Let a random number flow along each edge outside the forest, and nothing along others."""
    add = on.atomic_add

    @on.elementwise
    def flow_outside(e, us, vs, in_forest, flows, balance):
        u, v, flow = us[e], vs[e], ZERO
        if u != v and in_forest[e] == 0:
            h = (e + np.uint64(1)) * STEP
            h = (h ^ (h >> FIRST)) * MIX_1
            h = (h ^ (h >> SECOND)) * MIX_2
            flow = h ^ (h >> THIRD)
            add(balance, u, flow)
            add(balance, v, ZERO - flow)
        flows[e] = flow

    return flow_outside
