"""Graphs for tests on a cluster, and the answer that they should have."""

import dask.dataframe as dd
import numpy as np
import pandas as pd

from cc_rapids import oracle


def random_frame(n=600, m=500, seed=0, low=-300):
    rng = np.random.default_rng(seed)
    ends = rng.integers(low, low + n, (2, m))
    return pd.DataFrame({"src": ends[0], "dst": ends[1], "weight": rng.random(m)})


def expected(frame, source="src", destination="dst", vertices=()):
    """Vertex and least vertex of its component, by sequential union-find."""
    ends = [frame[source].to_numpy(), frame[destination].to_numpy()]
    ids = np.unique(np.concatenate([*ends, np.asarray(vertices, ends[0].dtype)]))
    places = [np.searchsorted(ids, end) for end in ends]
    return ids, ids[oracle.union_find(*places, len(ids))]


def check(found, frame, **names):
    """The labels and counts of a run are those of union-find, and its forest is one."""
    vertex, least = expected(frame, **names)
    labels = found.labels().compute().sort_values("vertex")
    np.testing.assert_array_equal(labels["vertex"].to_numpy(), vertex)
    np.testing.assert_array_equal(labels["labels"].to_numpy(), least)
    assert len(found) == len(np.unique(least))
    assert found.facts["vertices"] == len(vertex)
    if found.forest() is not None:
        check_forest(found.forest().compute(), frame, vertex, least)


def check_forest(forest, frame, vertex, least):
    """Edges that were given, as few as can join what they join."""
    assert len(forest) == len(vertex) - len(np.unique(least))
    given = set(zip(*(frame[name] for name in frame.columns[:2]), strict=True))
    assert given.issuperset(zip(forest["source"], forest["destination"], strict=True))
    joined = expected(forest, "source", "destination", vertex)
    np.testing.assert_array_equal(joined[1], least)


def parts(frame, count):
    return dd.from_pandas(frame, npartitions=count, sort=False)


def as_text(frame):
    return frame.assign(src="v" + frame["src"].astype(str), dst="v" + frame["dst"].astype(str))


def as_hashes(frame):
    mixed = frame[["src", "dst"]] * np.int64(0x1E3779B97F4A7C15)
    return frame.assign(src=mixed["src"], dst=mixed["dst"])


def as_categories(frame):
    return as_text(frame).astype({"src": "category", "dst": "category"})


def as_unlike(frame):
    return frame.astype({"src": "int16", "dst": "int64"})


def as_unsigned(frame):
    return (frame.assign(src=frame["src"] + 400, dst=frame["dst"] + 400)).astype(
        {"src": "uint64", "dst": "uint64"}
    )
