"""What type checkers know of answers: this file is checked by mypy, and runs as well."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa

from cc_rapids import Components, Plan, components
from cc_rapids.data.edge_input import Histogram, Labels, Members, Sizes, SpanningForest

ids = {"src": [5, 2, 9], "dst": [2, 7, 9]}
src: npt.NDArray[np.int64] = np.array(ids["src"])
dst: npt.NDArray[np.int64] = np.array(ids["dst"])

pdf = pd.DataFrame(ids)
assert_type(components(pdf).labels(), pd.DataFrame)
assert_type(components(pdf, "src", "dst", labels="size").labels(), pd.DataFrame)
assert_type(components(pdf, ["src"], ["dst"]).sizes(), pd.DataFrame)
assert_type(components(pdf).members(), pd.DataFrame)
assert_type(components(pdf).filter(min_size=2), pd.DataFrame)
assert_type(components(pdf).largest(), pd.DataFrame)
assert_type(components(pdf).representatives(), pd.DataFrame)
assert_type(components(pdf).size_histogram(), pd.DataFrame)
assert_type(components(pdf, forest=True).forest(), pd.DataFrame)
assert_type(components((pd.Series([5, 2]), pd.Series([2, 7]))).labels(), pd.DataFrame)

polars = pl.DataFrame(ids)
assert_type(components(polars).labels(), pl.DataFrame)
assert_type(components(polars).sizes(), pl.DataFrame)
assert_type(components(polars.lazy()).labels(), pl.DataFrame)
assert_type(components((polars["src"], polars["dst"])).labels(), pl.DataFrame)

table = pa.table(ids)
assert_type(components(table).labels(), pa.Table)
assert_type(components(table, nulls="drop").sizes(), pa.Table)

assert_type(components((src, dst)).labels(), Labels)
assert_type(components(np.stack([src, dst])).labels(), Labels)
assert_type(components((ids["src"], ids["dst"])).labels(), Labels)
assert_type(components((src, dst)).sizes(), Sizes)
assert_type(components((src, dst)).members(), Members)
assert_type(components((src, dst)).size_histogram(), Histogram)
assert_type(components((src, dst), forest=True).forest(), SpanningForest)

assert_type(components(pdf, explain=True), Plan)
assert_type(components((src, dst), explain=True), Plan)
assert_type(len(components(pdf)), int)
assert_type(components((src, dst)).num_components, int)
assert_type(components((src, dst)).same_component(5, 7), bool)
assert_type(5 in components(pdf), bool)


def of_anything(edges: Any) -> Components:
    """An annotation without a kind of frame stands for any."""
    found: Components = components(edges)
    return found


of_anything(pdf).labels()
