"""The place to which a command writes labels: a file, standard output, or a folder of files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...data.files.write import check_new_folder, check_output, write_table
from .options import STANDARD, check_apart, written_to
from .paths import paths_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ...results.components import Components

ROWS_FLAG = "--rows-per-file"


@dataclass(frozen=True)
class LabelOutput:
    """A place for labels, and their format there; a folder if there are rows for each file.

    ``rows_per_file`` is 0 for a folder whose files have as many rows as the library gives them.
    """

    path: Path
    format: str | None
    rows_per_file: int | None

    @classmethod
    def checked(
        cls, given: str, format: str | None, rows_per_file: int | None, inputs: Iterable[str]
    ) -> LabelOutput:
        """Return the output of these options, which could be written and is no input.

        Raises
        ------
        UsageError, FormatError, OutputError
            A folder is to have another format than Parquet; the suffix is of no known format; the
            place cannot be written to.
        """
        folder = rows_per_file is not None or given.endswith(os.sep) or os.path.isdir(given)
        if not folder:
            path, format = written_to(Path(given), format)
            check_output(path, format)
            for file in (path for one in inputs for path in paths_of(one) if path != STANDARD):
                check_apart(path, Path(file))
            return cls(path, format, None)
        if given == STANDARD:
            raise click.UsageError(f"{ROWS_FLAG} goes with a folder, not standard output.")
        if format not in (None, "parquet"):
            raise click.UsageError(
                f"A folder has Parquet files: leave out --output-format {format}."
            )
        check_new_folder(Path(given))
        return cls(Path(given), "parquet", rows_per_file or 0)

    def write(self, found: Components[pa.Table]) -> int:
        """Write the labels, and return the number of files."""
        if self.rows_per_file is None:
            write_table(found.labels(), self.path, self.format)
            return 1
        from ...results.written import ROWS_PER_FILE

        size = self.rows_per_file or ROWS_PER_FILE
        return len(found.to_parquet(self.path, rows_per_file=size))
