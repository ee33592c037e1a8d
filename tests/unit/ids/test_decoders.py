"""Look-ups among sorted integers, indexed or not: against Python's dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import sizes
from support.edge_lists import ENDS, UNSIGNED, quick

from cc_rapids import backends
from cc_rapids.ids.decoders import SortedDecoder

KINDS = {"i8": (ENDS, -(2**63), 2**63 - 1), "u8": (UNSIGNED, 0, 2**64 - 1)}
KINDS |= {"i4": ([0, 2**31 - 1, -(2**31)], -(2**31), 2**31 - 1)}


def places(held, wanted, backend):
    """Where each number is among sorted ones, None where it is not."""
    at, known = SortedDecoder.of(backend.asarray(held)).lookup(backend.asarray(wanted), backend)
    at, known = map(backend.to_host, (at, known))
    return [int(p) if there else None for p, there in zip(at, known, strict=True)]


@quick
@given(st.data(), st.sampled_from(sorted(KINDS)), st.sampled_from(sorted(KINDS)))
def test_integers_of_any_type_are_found_among_those_of_any(data, kind, other):
    def draw(kind):
        some, low, high = KINDS[kind]
        near = st.integers(0, 50)
        return data.draw(st.lists(st.sampled_from(some) | near | st.integers(low, high)))

    held = sorted(set(draw(kind)))
    low, high = KINDS[other][1:]
    wanted = draw(other) + [value for value in held if low <= value <= high]
    where = {value: place for place, value in enumerate(held)}
    for size in (0, 10**6):
        with sizes.override(ids_per_lookup=size):
            found = places(np.array(held, kind), np.array(wanted, other), backends.get("threads"))
        assert found == [where.get(value) for value in wanted]


@pytest.mark.parametrize("count", [1, 2, 1000])
def test_engines_find_the_same(engine, count):
    held = np.sort(np.unique(np.random.default_rng(count).integers(-(2**62), 2**62, count)))
    wanted = np.concatenate([held[::-1], held + 1, [-(2**63), 2**63 - 1]])
    backend = backends.get(engine)
    with backend.scope():
        found = places(held, wanted, backend)
    where = {value: place for place, value in enumerate(held.tolist())}
    assert found == [where.get(value) for value in wanted.tolist()]
