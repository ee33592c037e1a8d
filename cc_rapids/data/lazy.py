"""Libraries that are imported when they are first used, because importing them takes long."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import cudf
    import cupy
    import duckdb
    import narwhals as nw
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as pads
    import pyarrow.parquet as pq
    from pyarrow import csv
else:

    class Library:
        """A module that is imported when one of its attributes is read.

        Attributes are not kept, so that a module may change later. Names such as ``__wrapped__``,
        which tools look for in any object, do not import the module.
        """

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            __import__(self._name)  # waits for other threads; its result is the top-level package
            return getattr(sys.modules[self._name], attribute)

    cudf, cupy, duckdb, np = map(Library, ("cudf", "cupy", "duckdb", "numpy"))
    nw, pa, pd, pl = map(Library, ("narwhals", "pyarrow", "pandas", "polars"))
    pc, pads = map(Library, ("pyarrow.compute", "pyarrow.dataset"))
    pq, csv = map(Library, ("pyarrow.parquet", "pyarrow.csv"))

__all__ = ["csv", "cudf", "cupy", "duckdb", "np", "nw", "pa", "pads", "pc", "pd", "pl", "pq"]
