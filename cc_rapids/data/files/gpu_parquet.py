"""Read row groups of Parquet files to GPU memory with cuDF.

Every thread reads on its own CUDA stream, concurrently with other threads and with kernels on the
caller's stream. ``cudf.read_parquet`` would put all reads on one stream.
"""

from __future__ import annotations

import threading
from typing import Any

from .pieces import RowGroups

_thread = threading.local()


def row_group_reader(device: int | None, current: bool = False) -> RowGroups | None:
    """Return a function that reads row groups to a GPU; None without a GPU or cuDF.

    The function takes a path, columns and row groups, and returns a frame. Any thread may call it.
    If ``current``, the frame is on the current GPU of the calling thread, otherwise on the GPU
    ``device``.
    """
    if device is None:
        return None
    try:
        import cudf
        import cupy
        import pylibcudf
        from rmm.pylibrmm.stream import Stream
    except ImportError:
        return None

    def read(path: str, columns: list[str], groups: list[int]) -> Any:
        """Return a new frame of the columns, in their order, when its data are complete."""
        device_id = cupy.cuda.runtime.getDevice() if current else device
        with cupy.cuda.Device(device_id):
            streams = _thread.__dict__.setdefault("streams", {})
            stream = streams.get(device_id) or streams.setdefault(device_id, Stream())
            source = pylibcudf.io.SourceInfo([path])
            options = pylibcudf.io.parquet.ParquetReaderOptions.builder(source)
            reader = options.use_pandas_metadata(False).build()
            reader.set_column_names(columns)
            reader.set_row_groups([groups])
            table = pylibcudf.io.parquet.read_parquet(reader, stream=stream)
            stream.synchronize()
            frame = cudf.DataFrame.from_pylibcudf(table)
            # selecting columns of a frame takes as long as making it
            return frame if table.column_names() == columns else frame[columns]

    return read
