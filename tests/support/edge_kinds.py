"""Edges as callers give them, and whether two answers are of one kind and the same."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse

WORDS = {"src": ["b", "b", "d"], "dst": ["a", "c\0", "d"]}
FAR = {"src": [5, 2**62, -(2**62)], "dst": [2, 5, -(2**62)]}
EDGES = {
    "arrays": lambda: (np.array([5, 2, 9]), np.array([2, 7, 9])),
    "unsigned": lambda: (np.array([2**63 + 5, 2], np.uint64), np.array([2, 7], np.uint64)),
    "far": lambda: tuple(map(np.array, FAR.values())),
    "strings": lambda: tuple(map(list, WORDS.values())),
    "objects": lambda: tuple(np.array(ids, object) for ids in WORDS.values()),
    "pandas": lambda: pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]}),
    "pandas strings": lambda: pd.DataFrame(WORDS),
    "pandas of python": lambda: pd.DataFrame(WORDS, dtype="string[python]"),
    "pandas of arrow": lambda: pd.DataFrame(WORDS).astype(pd.ArrowDtype(pa.large_string())),
    "pandas categories": lambda: pd.DataFrame(WORDS).astype("category"),
    "polars": lambda: pl.DataFrame(FAR),
    "polars strings": lambda: pl.DataFrame(WORDS),
    "polars categories": lambda: pl.DataFrame(WORDS).cast(pl.Categorical),
    "polars enum": lambda: pl.DataFrame(WORDS).cast(pl.Enum(["a", "b", "c\0", "d"])),
    "arrow": lambda: pa.table(FAR),
    "arrow strings": lambda: pa.table(WORDS),
    "arrow dictionary": lambda: pa.table(
        {k: pa.array(v).dictionary_encode() for k, v in WORDS.items()}
    ),
    "matrix": lambda: scipy.sparse.csr_array(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 1]])),
    "nothing": lambda: ([], []),
}

INTEGERS = "arrays", "unsigned", "far", "pandas", "polars", "arrow"


def same(one, two):
    """Two frames, or tuples of arrays, of one kind that hold the same."""
    assert type(one) is type(two)
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, two)
    elif isinstance(one, tuple):
        for left, right in zip(one, two, strict=True):
            assert (left.dtype, left.tolist()) == (right.dtype, right.tolist())
    else:
        assert one.equals(two)
        assert (one.schema if isinstance(one, pa.Table) else one.dtypes) == (
            two.schema if isinstance(two, pa.Table) else two.dtypes
        )
