"""Convert objects that only have Arrow's protocols to tables and columns."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from .lazy import pa


def arrow_of(thing: Any) -> Any:
    """Return an object that only has Arrow's protocols as a table or column.

    Raises
    ------
    InputError
        The object does not provide the data that its protocol promises, or it is on a device whose
        library is missing.
    """
    has_stream = hasattr(thing, "__arrow_c_stream__")
    try:
        column = pa.chunked_array(thing if has_stream else [pa.array(thing)])
    except Exception as error:  # raised by the object's library, or by PyArrow about the data
        if hasattr(thing, "__arrow_c_device_array__") and not has_stream:
            return _to_cudf(thing, error)
        raise _not_exported(thing, error) from error
    return pa.Table.from_struct_array(column) if pa.types.is_struct(column.type) else column


def _not_exported(thing: Any, error: Exception) -> InputError:
    """Return the error for an object whose protocol raised an error."""
    return InputError(
        f"a {type(thing).__name__} does not export its columns by Arrow's protocol ({error}): pass"
        " a frame of cuDF, pandas, Polars or PyArrow"
    )


class _Schema:
    """The schema of an exported device array, as an object that PyArrow can import."""

    def __init__(self, exported: Any) -> None:
        self.schema = exported[0]  # [1] is the array

    def __arrow_c_schema__(self) -> Any:
        return self.schema


def _to_cudf(thing: Any, arrow_error: Exception) -> Any:
    """Return an object on a device as a cuDF frame or series, after PyArrow could not read it."""
    try:
        import cudf
        from pylibcudf import Column, Table

        kind = pa.field(_Schema(thing.__arrow_c_device_array__())).type
        if not pa.types.is_struct(kind):
            return cudf.Series.from_pylibcudf(Column.from_arrow(thing))
        names = [kind.field(k).name for k in range(kind.num_fields)]
        table = Table.from_arrow(thing)
        return cudf.DataFrame.from_pylibcudf(table, metadata={"columns": names})
    except ImportError:
        raise InputError(
            f"a {type(thing).__name__} is on a device that PyArrow does not read ({arrow_error}),"
            " but cuDF is not installed: copy it to the host, or install cuDF"
        ) from arrow_error
    except Exception as cudf_error:  # raised by pylibcudf about the exported data
        raise _not_exported(thing, cudf_error) from cudf_error
