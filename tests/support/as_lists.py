"""Frames of any library as lists, to be compared; runs where some of the libraries are missing."""

import numpy as np
import pandas as pd
import pyarrow as pa


def columns(frame):
    """The columns of a frame of any kind, or of a pair of arrays, as lists of Python's own ids."""
    if hasattr(frame, "to_arrow"):
        frame = frame.to_arrow()
    if isinstance(frame, pa.Table):
        return list(frame.to_pydict().values())
    if isinstance(frame, pd.DataFrame):
        return [frame[name].tolist() for name in frame.columns]
    return [np.asarray(column).tolist() for column in frame]
