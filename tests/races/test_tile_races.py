"""The phases of a tile under every schedule of two of its threads, and faults planted in them.

Between the phases all threads of a tile wait for each other, and tiles meet nowhere: so no other
threads are there to race with. CC_RAPIDS_DEEP_RACES=1 takes all scenes instead of a part.
"""

from functools import partial
from itertools import combinations, product

import numpy as np
import pytest

from cc_rapids.kernels import blocks
from cc_rapids.kernels import edges as reading
from cc_rapids.kernels import find as compress
from races import explore, memory, phases, plants, scenes
from races.engine import Interleaver
from races.explore import Race
from races.portions import RULES, explore_all, on_each_memory, some

BASE = np.uint64(8)  # the first vertex of the tile
TWO, NONE = map(np.uint64, (2, 0))
NEAR = {name: rule for name, rule in RULES.items() if not rule.extra}
for_each_union = pytest.mark.parametrize("rule", NEAR.values(), ids=NEAR)


def linking(rule, n, edges):
    """Two threads that take every other edge; the last one leads out of the tile."""
    listed = [*edges, (0, n)]
    src, dst = phases.columns([(u + int(BASE), v + int(BASE)) for u, v in listed])
    joined = scenes.joins(rule, range(n), [edge if n not in edge else (0, 0) for edge in listed])

    def calls(tape, shared):
        def note(hook_edge, r, e):
            tape.notes.append((int(r) - int(BASE), int(e)))

        on, near = Interleaver, shared["parent"]
        link = blocks.link_in_block(on, rule.make(on), note)
        share = blocks.share_of_list(on, reading.edge_of_list(on, np.uint32), link)
        last = np.uint64(len(listed))
        rest = TWO, BASE, np.uint64(n), NONE, last, near, src, dst, 0, 100, 0, None
        return [[partial(share, np.uint64(t), *rest)] for t in range(2)]

    return Race(f"edges {listed}", rule.arrays(range(n)), calls, rule.guard, joined)


def settling(before, find=compress.halve):
    """Two threads that store the roots of every other vertex."""
    label = scenes.components(len(before), enumerate(before))
    wanted = tuple(int(BASE) + v for v in label)

    def calls(tape, shared):
        near, parent = shared.values()
        settle = blocks.flatten_block(Interleaver, np.uint32, find(Interleaver))
        size = np.uint64(len(before))
        return [[partial(settle, np.uint64(t), TWO, BASE, size, near, parent)] for t in range(2)]

    def verdict(arrays, notes):
        found = arrays["parent"][int(BASE) :]
        return None if found == wanted else f"{found} where {wanted} are right"

    arrays = {"shared": before, "parent": [0] * (int(BASE) + len(before))}
    return Race(f"forest {list(before)}", arrays, calls, lambda *_: None, verdict)


@for_each_union
def test_linking(rule):
    pairs = list(combinations(range(4), 2))
    cases = some(6, rule, [4], product(pairs, repeat=2))
    cases += some(2, rule, [4], product(pairs, repeat=3))
    explore_all((linking(rule, *case) for case in cases), memory.WEAK)


@on_each_memory
def test_settling(model):
    explore_all(map(settling, scenes.forests(4)), model)


def test_a_lost_hook_is_found():
    planted = scenes.LinkRule(lambda on: plants.no_retry(on, compress.halve(on)))
    with pytest.raises(explore.RaceError, match="are not the components"):
        explore_all([linking(planted, 4, [(0, 3), (1, 3)])], memory.STRONG)


def test_a_parent_instead_of_a_root_is_found():
    def one_step(on):
        return lambda parent, v: parent[v]

    with pytest.raises(explore.RaceError, match="are right"):
        explore_all([settling([0, 0, 1, 2], one_step)], memory.STRONG)
