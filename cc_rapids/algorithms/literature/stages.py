"""Meta-algorithm that calls another algorithm on groups of the edges in random order.

The first group joins most of the giant component. Edges of later groups are copied, with each
endpoint replaced by its component. Most of these edges are inside a component and are dropped.

Cong and Muzio 2014, Algorithm 3.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernels.spec import Step, sampling_rule
from .cong import contract, contracted
from .sutton import multi_jumps

ROUNDS, ONE = np.uint64(4), np.uint64(1)
# odd multipliers of the hash
SPREAD, KEY_SPREAD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
HIGH = np.uint64(32)


def shuffled(on: Any) -> Any:
    """Return the number of the i-th of m edges in random order, by a permutation.

    A Feistel network permutes the numbers of 2 * ``half`` bits. A result of m or more is permuted
    again until it is below m (cycle walking). This gives a permutation of the numbers below m.
    """

    @on.device
    def edge_index(i, m, half):
        width = np.uint64(half)
        mask, e, is_outside = (ONE << width) - ONE, i, True
        while is_outside:
            left, right = e >> width, e & mask
            key = ONE
            while key <= ROUNDS:
                mixed = (right + key * KEY_SPREAD) * SPREAD
                # the upper half of a product depends on more bits than the lower half
                left, right = right, left ^ ((mixed >> HIGH) & mask)
                key += ONE
            e = (left << width) | right
            is_outside = e >= np.uint64(m)
        return e

    return edge_index


def half_bits(m: int) -> int:
    """Return half the number of bits, rounded up, of the numbers below m; at least 1."""
    bits = max(m - 1, 0).bit_length()
    return max(1, (bits + 1) // 2)


@sampling_rule(
    "stages",
    options={"q": 1},
    requires=("read",),
    meta=True,
    needs="a copy of q edges per vertex (q is an option), 8 bytes each",
    paper="Stages, Cong and Muzio 2014, Algorithm 3",
)
def stages(on: Any, vertex: type, read: Any, q: int) -> Callable[[Step, Any], Step]:
    """Link groups of q n edges in random order; replace endpoints by the components found before.

    Between groups all trees are shortcut to stars, because ``contract`` reads the parent of an
    endpoint as its component. The next group then links roots only, and all other vertices keep
    their parents. The type ``vertex`` is not used.
    """
    copy_contracted, shortcut = contract(on, read, shuffled(on)), multi_jumps(on)

    def in_stages(step: Step, unpack: Any) -> Step:
        # ``step`` links one group. ``unpack`` writes back parents that the link keeps in an
        # auxiliary array; None without it

        def connect_rest(state: Any) -> None:
            parent, aux, _ = state.trees
            group_size, half = max(q * state.n, 1), half_bits(state.m)  # half is for shuffled
            for first in range(0, state.m, group_size):
                size = min(group_size, state.m - first)
                step(contracted(state, copy_contracted, first, size, half))
                if unpack:
                    unpack(state.n, aux, parent)
                shortcut(state)

        return connect_rest

    return in_stages
