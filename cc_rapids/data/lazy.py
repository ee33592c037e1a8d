"""Libraries that are imported when they are first used, because importing them takes long."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as pads
    import pyarrow.parquet as pq
    from pyarrow import csv
else:

    class Library:
        """A module that is imported when one of its attributes is read.

        Attributes are not kept, so that a module may change later.
        """

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            __import__(self._name)  # waits for another thread that imports it
            return getattr(sys.modules[self._name], attribute)

    np, nw, pa = map(Library, ("numpy", "narwhals", "pyarrow"))
    pc, pads = map(Library, ("pyarrow.compute", "pyarrow.dataset"))
    pq, csv = map(Library, ("pyarrow.parquet", "pyarrow.csv"))

__all__ = ["csv", "np", "nw", "pa", "pads", "pc", "pq"]
