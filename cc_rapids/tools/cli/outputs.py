"""The outputs of commands that write tables: a file, standard output, or a folder of files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.formats import TABLES
from ...data.files.write import check_new_folder, check_output, write_table
from .group import Decorator, option_of_output
from .options import STANDARD, FilePath, check_apart, written_to
from .paths import paths_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ...results.components import Components

ROWS_FLAG = "--rows-per-file"
output_format_option: Decorator = option_of_output(
    "--output-format",
    metavar="FORMAT",
    type=click.Choice(list(TABLES)),
    help=f"Format of PATH: {', '.join(TABLES)}.",
)


def output_option(help: str) -> Decorator:
    """Return the option ``-o``, ``--output`` of commands that write a table."""
    path = FilePath(allow_dash=True)
    return option_of_output("-o", "--output", metavar="PATH", type=path, help=help)


def check_with_output(output: str | None, **options: Any) -> None:
    """Raise a UsageError if options for the output are given without ``--output``."""
    for name, value in options.items():
        if output is None and value is not None:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --output.")


def checked_output(
    path_text: str, format: str | None, inputs: Iterable[str]
) -> tuple[Path, str | None]:
    """Return the path and format of an output table, after checking that it can be written.

    Raise an error if the suffix is unknown, if the file cannot be written, or if it is an input.
    """
    path, format = written_to(Path(path_text), format)
    check_output(path, format)
    for file in (file for pattern in inputs for file in paths_of(pattern) if file != STANDARD):
        check_apart(path, Path(file))
    return path, format


@dataclass(frozen=True)
class LabelOutput:
    """A file for labels, or a folder of Parquet files for them.

    If ``rows_per_file`` is None, the files of a folder have the library's default number of rows.
    """

    path: Path
    format: str | None
    is_folder: bool = False
    rows_per_file: int | None = None

    @classmethod
    def checked(
        cls, path_text: str, format: str | None, rows_per_file: int | None, inputs: Iterable[str]
    ) -> LabelOutput:
        """Return the output for these options, after checking that it can be written.

        Raise an error as :func:`checked_output` does, or if the format of a folder is not Parquet.
        """
        is_folder = path_text.endswith(os.sep) or os.path.isdir(path_text)
        if rows_per_file is None and not is_folder:
            return cls(*checked_output(path_text, format, inputs))
        if path_text == STANDARD:
            raise click.UsageError(f"{ROWS_FLAG} needs a folder, not standard output.")
        if format not in (None, "parquet"):
            raise click.UsageError(
                f"A folder contains Parquet files: leave out --output-format {format}."
            )
        check_new_folder(Path(path_text))
        return cls(Path(path_text), "parquet", is_folder=True, rows_per_file=rows_per_file)

    def write(self, components: Components[pa.Table]) -> int:
        """Write the labels, and return the number of files."""
        if not self.is_folder:
            write_table(components.labels(), self.path, self.format)
            return 1
        from ...results.written import ROWS_PER_FILE

        size = self.rows_per_file or ROWS_PER_FILE
        return len(components.to_parquet(self.path, rows_per_file=size))
