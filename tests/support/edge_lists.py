"""Edge lists as Hypothesis draws them, and what an answer about them should be."""

from collections import Counter

import networkx as nx
import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from support.as_lists import columns

quick = settings(
    max_examples=20,
    deadline=None,  # the first example of a type compiles for a second
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

SPAN = 40  # the most that ids of one graph are apart
ENDS = [0, 1, 7, -1, 2**63 - 1, -(2**63), 2**31, -(2**31), 2**62 + 5, 12345678901234567]
UNSIGNED = [0, 1, 2**63, 2**63 - 1, 2**64 - 1, 2**64 - 2, 2**32, 987654321987654321]
# All widths, and the pairs that NumPy cannot add without a float or a wider type
DTYPES = [
    *((kind, kind) for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")),
    ("u8", "i4"),
    ("i8", "u4"),
]


@st.composite
def id_ranges(draw, dtypes):
    """The least id of a graph: at an end of what the types hold, near zero, or anywhere."""
    limits = [np.iinfo(dtype) for dtype in dtypes]
    low = max(limit.min for limit in limits)
    high = min(limit.max for limit in limits) - SPAN
    near = max(low, -SPAN // 2)
    return draw(st.sampled_from([low, near, high]) | st.integers(low, high))


@st.composite
def edge_lists(draw, dtypes=None):
    """Two arrays of ids, with self-loops and duplicates as they come."""
    dtypes = dtypes or draw(st.sampled_from(DTYPES))
    low = draw(id_ranges(dtypes))
    span = draw(st.integers(1, SPAN))
    pairs = draw(st.lists(st.tuples(*[st.integers(low, low + span - 1)] * 2), max_size=50))
    columns = zip(*pairs, strict=True) if pairs else ([], [])
    return tuple(np.array(column, dtype) for column, dtype in zip(columns, dtypes, strict=True))


def components_of(src, dst, vertices=()):
    """Each vertex's component by NetworkX, in the order of the vertices."""
    graph = nx.Graph()
    graph.add_nodes_from(vertices)
    graph.add_edges_from(zip(src, dst, strict=True))
    parts = {v: part for part in nx.connected_components(graph) for v in part}
    return dict(sorted(parts.items()))


def check(found, parts):
    """All that a Components says agrees with what NetworkX finds."""
    vertex, least = columns(found.labels("min"))
    assert vertex == list(parts)
    assert least == [min(part) for part in parts.values()]
    names = sorted(set(least))
    assert len(found) == len(names)
    sizes = Counter(least)
    by_size = sorted(names, key=lambda name: (-sizes[name], name))
    assert columns(found.labels("dense")) == [vertex, [names.index(name) for name in least]]
    assert columns(found.labels("size")) == [vertex, [by_size.index(name) for name in least]]
    assert columns(found.sizes()) == [by_size, [sizes[name] for name in by_size]]
    largest = sorted(parts[by_size[0]]) if parts else []
    assert columns(found.largest()) == [largest, [by_size[0]] * len(largest) if parts else []]
    facts = found.summary()
    assert (facts["vertices"], facts["components"]) == (len(parts), len(names))
    assert facts["largest"] == len(largest)


@st.composite
def far_lists(draw):
    """Edges among a few ids from anywhere in 64 bits, with all their bits set or none."""
    unsigned = draw(st.booleans())
    some, low, high = (UNSIGNED, 0, 2**64 - 1) if unsigned else (ENDS, -(2**63), 2**63 - 1)
    known = st.sampled_from(some) | st.integers(low, high)
    ids = draw(st.lists(known, min_size=1, max_size=12))
    pairs = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=40))
    dtype = np.uint64 if unsigned else np.int64
    src, dst = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(src, dtype), np.array(dst, dtype)
