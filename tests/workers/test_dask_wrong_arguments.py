"""Arguments of wrong types: an answer, or an error of ours, before anything is read."""

import inspect

import dask.dataframe as dd
import numpy as np
import pandas as pd
from support.choices import each

import cc_rapids.dask
from cc_rapids import CcRapidsError

EDGES = dd.from_pandas(pd.DataFrame({"src": [1, 2, 5], "dst": [2, 3, 5]}), npartitions=1)
WRONG = {
    "True": True,
    "bytes": b"x",
    "empty": "",
    "word": "x" * 1000,
    "surrogate": "\ud800",
    "nan": float("nan"),
    "huge": 2**70,
    "negative": -1,
    "array": np.zeros(2),
    "objects": np.array([None, 1], object),
    "empty list": [],
    "nested": [[1, 2], [3, [4]]],
    "tuple": (),
    "dict": {"a": 1},
    "object": object(),
    "NA": pd.NA,
    "series": pd.Series([1.5, 2]),
    "dask": EDGES,
}
ARGUMENTS = list(inspect.signature(cc_rapids.dask.components).parameters)


@each(argument=ARGUMENTS, partition=["edges", "vertices"])
def test_no_error_is_raw(client, argument, partition):
    told = {}
    for kind, value in WRONG.items():
        try:
            cc_rapids.dask.components(**{"edges": EDGES, "partition": partition, argument: value})
        except CcRapidsError as error:
            if len(str(error)) > 600:
                told[kind] = f"a message of {len(str(error))} characters"
        except Exception as error:
            told[kind] = f"{type(error).__name__}: {error}"[:200]
    assert not told
