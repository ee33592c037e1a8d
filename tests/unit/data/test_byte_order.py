"""Columns of pandas whose numbers have their bytes in the other order, as files of FITS have."""

import sys

import pandas as pd
import pytest

import cc_rapids
from cc_rapids import components

OTHER = ">" if sys.byteorder == "little" else "<"
EDGES = pd.DataFrame(
    {"src": [1, 2, 8], "dst": [2, 3, 9], "w": [1.0, 2.0, 3.0], "k": [1, 2, 3]}, index=[5, 3, 4]
)
KINDS = {"src": "i8", "dst": "u4", "w": "f8", "k": "i2"}
OTHERS = pd.DataFrame(
    {name: EDGES[name].to_numpy().astype(OTHER + kind) for name, kind in KINDS.items()},
    index=EDGES.index,
)
DOORS = {
    "components": lambda edges: components(edges).labels(),
    "nulls": lambda edges: components(edges, nulls="drop").labels(),
    "series": lambda edges: components((edges["src"], edges["dst"])).labels(),
    "bound": lambda edges: components(edges, weight="w", at_least=2).labels(),
    "bound of integers": lambda edges: components(edges, weight="k", at_most=2).labels(),
    "stream": lambda edges: cc_rapids.stream_components(
        iter([edges]), weight="w", at_least=2, memory_limit="300MB"
    ).labels(),
    "forest": lambda edges: cc_rapids.minimum_spanning_forest(edges, weight="w"),
    "thresholds": lambda edges: cc_rapids.components_at(edges, weight="k", thresholds=[2]).labels(
        2
    ),
    "batches": lambda edges: cc_rapids.Connectivity().insert(edges).components().labels(),
    "rows": lambda edges: components(edges).edges(1, edges),
    "best": lambda edges: components(edges).deduplicate(edges, on="src", by="w"),
    "attached": lambda edges: components(edges).attach(edges, on="dst"),
    "records": lambda edges: cc_rapids.link_records(edges, keys=["k"]).labels(),
    "two columns": lambda edges: components(edges, ["src", "k"], ["dst", "k"]).sizes(),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_they_are_read_as_the_same_numbers(door):
    assert not any(kind.isnative for kind in OTHERS.dtypes)
    found, right = door(OTHERS), door(EDGES)
    pd.testing.assert_frame_equal(found, right, check_dtype=False)
