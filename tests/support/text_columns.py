"""Columns of text of every library, and the types that answers about them have."""

import pandas as pd
import polars as pl
import pyarrow as pa

from .releases import before

TEXT = {
    "pandas object": lambda words: pd.Series(words, dtype=object),
    "pandas str": lambda words: pd.Series(words, dtype="str"),
    "pandas string": lambda words: pd.Series(words, dtype="string"),
    "pandas string of Python": lambda words: pd.Series(words, dtype="string[python]"),
    "pandas string of PyArrow": lambda words: pd.Series(words, dtype=pd.ArrowDtype(pa.string())),
    "polars String": lambda words: pl.Series(words, dtype=pl.String),
    "pyarrow string": lambda words: pa.chunked_array([words], pa.string()),
    "pyarrow large_string": lambda words: pa.chunked_array([words], pa.large_string()),
    "pyarrow string_view": lambda words: pa.chunked_array([words], pa.string_view()),
}
if before("pyarrow", "26"):
    del TEXT["pyarrow string_view"]  # older releases hand Polars views that end the process


def types(answer):
    """The types of the columns of a frame of any kind."""
    if isinstance(answer, pa.Table):
        return answer.schema.types
    if isinstance(answer, tuple):
        return [column.dtype for column in answer]
    return list(answer.dtypes)
