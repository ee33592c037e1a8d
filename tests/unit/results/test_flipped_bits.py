"""Saved files with one bit flipped: each is refused, or what it loads is unchanged."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.as_lists import columns

import cc_rapids
from cc_rapids import Components, Connectivity, StableIds, components, errors

FLIPS = 150
EDGES = pd.DataFrame({"src": [5, 2, 900, 7, 7], "dst": [2, 7, 900, 5, 9], "w": [1.5, 2, 3, 4, 5]})
WORDS = pl.DataFrame({"src": ["a", "b", "é"], "dst": ["b", "c", "f"]})
SEVERAL = pa.table({"sk": ["u", "u"], "si": [7, 5], "dk": ["c", "c"], "di": [3, 7]})
SIDES = ["sk", "si"], ["dk", "di"]


def batches(edges, *sides, **options):
    seen = Connectivity(**options)
    seen.insert(edges, *sides)
    return seen


def held(found):
    """Everything that an answer says."""
    found = found.components() if isinstance(found, Connectivity) else found
    whole = found.components if isinstance(found, StableIds) else found
    facts = whole.summary() | {"peak_bytes": 0}
    forest = columns(whole.forest()) if whole.answer.forest_edges is not None else None
    counter = found.next_id if isinstance(found, StableIds) else None
    return columns(found.labels()), facts, forest, counter


def streamed(path):
    parts = [EDGES[["src", "dst"]]] * 2
    return cc_rapids.stream_components(parts, checkpoint=path, memory_limit="1GB")


# What saves a file, and what loads it
SAVED = {
    "answer": (components(EDGES), Components.load),
    "forest": (components(EDGES, weight="w", forest="max"), Components.load),
    "strings": (components(WORDS, forest=True, labels="max"), Components.load),
    "several columns": (components(SEVERAL, *SIDES), Components.load),
    "batches": (batches(EDGES), Connectivity.load),
    "expiring": (batches(EDGES.assign(t=[1, 2, 3, 4, 5]), expiry="t"), Connectivity.load),
    "batches of strings": (batches(WORDS, keep_forest=True), Connectivity.load),
    "batches of several": (batches(SEVERAL, *SIDES), Connectivity.load),
    "numbers": (components(EDGES).stable_ids(), StableIds.load),
    "numbers of strings": (components(WORDS).stable_ids(), StableIds.load),
    "numbers of several": (components(SEVERAL, *SIDES).stable_ids(), StableIds.load),
    "stream": (None, streamed),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAVED)
def test_a_flipped_bit_is_refused_or_changes_nothing(kind, tmp_path):
    path = tmp_path / "saved"
    owner, load = SAVED[kind]
    streamed(path) if owner is None else owner.save(path)
    right, whole = held(load(path)), path.read_bytes()
    chance = np.random.default_rng(0)
    bits = chance.permutation(8 * len(whole))[: FLIPS if owner is not None else FLIPS // 10]
    refusals = []
    for bit in bits.tolist():
        octets = bytearray(whole)
        octets[bit // 8] ^= 1 << bit % 8
        path.write_bytes(octets)
        try:
            found = load(path)
        except errors.FormatError as error:
            refusals.append(str(error))
        else:
            assert held(found) == right, f"bit {bit} of {8 * len(whole)}"
    assert all(str(path) in said for said in refusals)
    assert len(refusals) > len(bits) // 3
    # Parquet has bytes that nothing reads
    assert len(refusals) == len(bits) or kind.startswith("numbers")
