"""Tables of ids: their kernels by definition, and audits that make one of their own."""

import numpy as np
import pytest
from races.engine import Interleaver

from cc_rapids import VerificationError, components
from cc_rapids.kernels import id_hash

MIX = 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53


def mixed(ids):
    """MurmurHash3's finaliser, of a whole column."""
    h = ids.view(np.uint64)
    for factor in MIX:
        h = (h ^ (h >> np.uint64(33))) * np.uint64(factor)
    return h ^ (h >> np.uint64(33))


def test_registers_hold_the_longest_runs_of_zeros(on):
    rows = 100_000
    column = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, rows)
    found = np.zeros(id_hash.REGISTERS, np.uint32)
    on.kernel(id_hash.update_registers)(rows, column, found)
    expected = np.zeros(id_hash.REGISTERS, np.uint32)
    for h in mixed(column).tolist():
        register, tail = h % id_hash.REGISTERS, h // id_hash.REGISTERS
        zeros = (tail & -tail).bit_length() if tail else 50  # and the one after them
        expected[register] = max(expected[register], zeros)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("size", [1, 32, 10**6, 2**32 - 1, 2**32, 2**33 + 7, 2**40])
def test_a_search_begins_at_the_hash_as_a_fraction_of_the_slots(size):
    home = id_hash.home(Interleaver)
    for key in (0, 1, 2**40, 2**64 - 2):
        h = int(mixed(np.array([key], np.uint64))[0]) >> 32
        with np.errstate(over="ignore"):
            assert home(np.uint64(key), np.uint64(size)) == h * size >> 32 < size


def test_audits_find_ids_by_a_table_of_their_own(engine, tuned):
    """Also the one whose bits are those of an empty place, and the one that is 0."""
    tuned(lookup_slots_per_vertex=0, lookup_slots=0)
    zero = components(([0, 2**40], [2**41, -1]), engine=engine)
    assert zero.audit(([0, 2**40], [2**41, -1])).vertices == 4
    ids = np.append(np.arange(1, 40) * 2**40, -1)  # of which one has all its bits set
    found = components((ids[:-1], ids[1:]), engine=engine)
    assert found.audit((ids[:-1], ids[1:])).components == 1
    assert found.audit((ids[::-1][:-1], ids[::-1][1:])).components == 1
    fewer = components((ids[:-2], ids[1:-1]), engine=engine)
    for stranger in (-1, 5):
        src = np.append(stranger, ids[1:-2])
        says = f"edge 0 joins {stranger} and {ids[1]}, but {stranger} has no label"
        with pytest.raises(VerificationError, match=says):
            fewer.audit((src, ids[1:-1]))
