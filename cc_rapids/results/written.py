"""Write the labels of an answer to files, in blocks of rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..backends import Array
from ..data.arguments import check_path
from ..data.frame_access import collected
from ..data.lazy import nw, pa, pq
from ..errors import InputError, shown
from ..kernels.primitives import WORD

if TYPE_CHECKING:
    from .answer import Answer, LabelKind

ROWS_PER_FILE = 10_000_000


def check_rows_per_file(rows: Any) -> int:
    """Return the number of rows per file; raise an InputError unless it is a positive integer."""
    if isinstance(rows, bool) or not isinstance(rows, int):
        raise InputError(f"rows_per_file must be a number of rows, not {shown(rows)}")
    if rows < 1:
        raise InputError(f"rows_per_file must be at least 1, not {rows}")
    return rows


def write_parquet(
    answer: Answer, path: str | os.PathLike[str], rows_per_file: int, kind: LabelKind
) -> list[str]:
    """Write the labels to a file *.parquet, or to files in a new folder, and return the paths."""
    from ..data.files.write import check_new_folder, replacing, replacing_folder

    check_rows_per_file(rows_per_file)
    target = Path(check_path("path", path))
    if target.suffix.lower() == ".parquet":
        with replacing(target) as file:
            tables = label_tables(answer, rows_per_file, kind)
            first = next(tables)
            with pq.ParquetWriter(file, first.schema) as writer:
                for table in chain([first], tables):
                    writer.write_table(table)
        return [str(target)]
    check_new_folder(target)
    names = []
    with replacing_folder(target) as partial:
        for k, table in enumerate(label_tables(answer, rows_per_file, kind)):
            names.append(f"part-{k:05d}.parquet")
            pq.write_table(table, partial / names[-1])
    return [str(target / name) for name in names]


def label_tables(answer: Answer, rows: int, kind: LabelKind) -> Iterator[pa.Table]:
    """Yield the label frame as one or more tables of at most ``rows`` rows."""
    if not kind.is_root:
        table = arrow_of(answer.in_memory().label_frame(kind))
        for begin in range(0, max(table.num_rows, 1), rows):
            yield table.slice(begin, rows)
        return
    for vertices in _vertices(answer, rows):  # roots are read without building the whole frame
        with answer.backend.scope():
            roots = answer.forest.parent[vertices]
            columns = _id_columns(answer, "vertex", vertices) | _id_columns(answer, "labels", roots)
            yield arrow_of(answer.in_memory_frame(columns))


def _id_columns(answer: Answer, name: str, vertices: Array) -> dict[str, Any]:
    """Return the ids of vertices, each vertex + ``id_base`` decoded, as columns of a frame."""
    base = answer.backend.xp.asarray(answer.decoder.id_base & (1 << 64) - 1, "uint64")
    sums = vertices.astype("uint64") + base  # modulo 2^64, so a negative base is subtracted
    return answer.columns(name, sums.astype(answer.decoder.dtype, copy=False))


def _vertices(answer: Answer, rows: int) -> Iterator[Array]:
    """Yield the vertices of the answer in arrays of ``rows`` vertices; the last may have fewer.

    An answer without vertices has one empty array.
    """
    xp, forest = answer.backend.xp, answer.forest
    # ``pending`` has the ``size`` vertices that are not yielded yet, in several arrays
    pending, size, is_first = [xp.arange(0)], 0, True
    step = max(rows // WORD, 1) * WORD  # whole words of the bit set of present vertices
    for begin in range(0, forest.n, step):
        with answer.backend.scope():
            vertices = xp.arange(begin, min(begin + step, forest.n))
            if forest.vertices != forest.n:
                words = forest.present[begin // WORD : (begin + step) // WORD]
                bits = (words[:, None] >> xp.arange(WORD, dtype=words.dtype)) & 1
                vertices = vertices[bits.reshape(-1)[: vertices.size].astype(bool)]
            pending, size = [*pending, vertices], size + int(vertices.size)
        while size >= rows:
            joined = xp.concatenate(pending)
            yield joined[:rows]
            pending, size, is_first = [joined[rows:]], size - rows, False
    if size or is_first:
        yield xp.concatenate(pending)


def arrow_of(frame: Any) -> pa.Table:
    """Return a frame, named tuple or dictionary of columns as a table on the host."""
    frame = collected(frame)
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, dict) or hasattr(frame, "_asdict"):
        columns = frame if isinstance(frame, dict) else frame._asdict()
        on_host = {
            name: column.get() if hasattr(column, "get") else column  # get() copies from a GPU
            for name, column in columns.items()
        }
        return pa.table(on_host)
    if type(frame).__module__.startswith("cudf"):
        return frame.to_arrow(preserve_index=False)
    return nw.from_native(frame).to_arrow()
