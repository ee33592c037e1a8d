"""The labels of an answer written to files, some rows at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..backends import Array
from ..data.arguments import check_path
from ..data.frame_access import collected
from ..errors import InputError, shown
from ..kernels.primitives import WORD
from .lookup import Lookup

if TYPE_CHECKING:
    import pyarrow as pa

    from .labels import LabelKind

ROWS_PER_FILE = 10_000_000


def check_rows_per_file(rows: Any) -> int:
    """Return a number of rows of a file; raise an InputError unless it is a positive integer."""
    if isinstance(rows, bool) or not isinstance(rows, int):
        raise InputError(f"rows_per_file must be a number of rows, not {shown(rows)}")
    if rows < 1:
        raise InputError(f"rows_per_file must be at least 1, not {rows}")
    return rows


class Written(Lookup):
    """An answer whose labels can be written without holding the frame of all."""

    _kind: LabelKind
    _held_frame: Callable[[dict[str, Any]], Any]
    _held_labels: Callable[..., Any]

    def to_parquet(
        self,
        folder: str | os.PathLike[str],
        *,
        rows_per_file: int = ROWS_PER_FILE,
        kind: str | None = None,
    ) -> list[str]:
        """Write the component of each vertex to Parquet files in a new folder.

        The rows are those of :meth:`Components.labels`, in its order. Labels that are least ids are
        made for one file at a time, so that the frame of all rows is never held; other kinds take
        the memory of that frame. The files are written to a folder beside, which takes the name
        when it is complete: on any error, or when interrupted, nothing remains.

        Parameters
        ----------
        folder : path
            Of the files ``part-00000.parquet`` and so on; it must not exist, or be empty.
        rows_per_file : int
            The most rows of a file.
        kind : str, optional
            The kind of labels, as in :meth:`Components.labels`.

        Returns
        -------
        list of str
            The paths of the files, of which there is one at least.

        Raises
        ------
        InputError
            The number of rows is not positive, or there are no such labels.
        OutputError
            The folder cannot be written, or has files in it; says why.

        See Also
        --------
        Components.labels : Return the same rows as a frame.

        Examples
        --------
        >>> import tempfile, cc_rapids, pyarrow.parquet as pq
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> with tempfile.TemporaryDirectory() as place:
        ...     files = found.to_parquet(f"{place}/labels", rows_per_file=3)
        ...     len(files), pq.read_table(f"{place}/labels")["labels"].to_pylist()
        (2, [2, 2, 2, 9])
        """
        from ..data.files.write import check_new_folder, write_folder  # most answers write no files
        from .labels import check_labels

        check_rows_per_file(rows_per_file)
        if kind is not None:
            check_labels(kind)
        target = Path(check_path("folder", folder))
        check_new_folder(target)
        names = (f"part-{k:05d}.parquet" for k in count())
        return write_folder(target, zip(names, self._tables(rows_per_file, kind), strict=False))

    def _tables(self, rows: int, kind: str | None) -> Iterator[pa.Table]:
        """Yield the rows as tables of so many rows; at least one."""
        is_root = self._kind.is_root if kind is None else kind == "min"
        if not is_root:
            table = arrow_of(self._held_labels(kind))
            for begin in range(0, max(table.num_rows, 1), rows):
                yield table.slice(begin, rows)
            return
        for vertices in self._vertices(rows):
            with self._backend.scope():
                roots = self._forest.parent[vertices]
                named = {"vertex": vertices, "labels": roots}
                columns = [self._named(name, held) for name, held in named.items()]
                yield arrow_of(self._held_frame(columns[0] | columns[1]))

    def _named(self, name: str, vertices: Array) -> dict[str, Any]:
        """Return the columns of the ids of some vertices."""
        low, dtype = self._decoder.id_base, self._decoder.dtype
        wide = vertices.astype("uint64") + self._backend.xp.asarray(low & (1 << 64) - 1, "uint64")
        return self._columns(name, wide.astype(dtype, copy=False))

    def _vertices(self, rows: int) -> Iterator[Array]:
        """Yield the vertices that occur, so many at a time; one time at least."""
        xp, forest = self._backend.xp, self._forest
        held, size, first = [xp.arange(0)], 0, True
        step = max(rows // WORD, 1) * WORD
        for begin in range(0, forest.n, step):
            with self._backend.scope():
                found = xp.arange(begin, min(begin + step, forest.n))
                if forest.vertices != forest.n:
                    words = forest.present[begin // WORD : -(-(begin + step) // WORD)]
                    bits = (words[:, None] >> xp.arange(WORD, dtype=words.dtype)) & 1
                    found = found[bits.reshape(-1)[: found.size].astype(bool)]
                held, size = [*held, found], size + int(found.size)
            while size >= rows:
                every = xp.concatenate(held)
                yield every[:rows]
                held, size, first = [every[rows:]], size - rows, False
        if size or first:
            yield xp.concatenate(held)


def arrow_of(frame: Any) -> pa.Table:
    """Return a frame, or a tuple or dictionary of columns, as a table on the host."""
    import pyarrow as pa

    frame = collected(frame)
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, dict) or hasattr(frame, "_asdict"):
        columns = frame if isinstance(frame, dict) else frame._asdict()
        return pa.table(
            {name: own.get() if hasattr(own, "get") else own for name, own in columns.items()}
        )
    if type(frame).__module__.startswith("cudf"):
        return frame.to_arrow(preserve_index=False)
    import narwhals as nw

    return nw.from_native(frame).to_arrow()
