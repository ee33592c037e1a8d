"""Canvas: axes to draw on, and the columns of any library as numbers and names on the host."""

from __future__ import annotations

from typing import Any

from ..data.column import is_cudf
from ..data.frame_access import column_of, columns_of, numbers_of
from ..errors import MissingExtraError

HATCH = "///"
LINES = (("o", "-"), ("s", "--"), ("^", ":"), ("D", "-."))  # markers and lines, by their order

AS_IT_IS: dict[str, Any] = {"parse_math": False}  # of texts that hold ids: a $ begins no formula


def new_axes(axes: Any) -> Any:
    """The axes themselves, or those of a new figure.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise missing(error) from None
    if axes is None:
        _, axes = plt.subplots(figsize=(7, 4), layout="constrained")
        axes.spines[["top", "right"]].set_visible(False)
    return axes


def missing(error: ImportError) -> MissingExtraError:
    """What to say where a library of the extra is not there."""
    return MissingExtraError(
        f"plots are drawn by libraries of an extra ({error}): pip install 'cc_rapids[plot]'"
    )


def numbers(column: Any) -> Any:
    """A column of numbers as an array on the host."""
    values = numbers_of(column)[0]
    return values.get() if hasattr(values, "__cuda_array_interface__") else values


def listed(column: Any) -> list[Any]:
    """A column or array as a list of Python's own values; of a frame a list of tuples."""
    if hasattr(column, "columns"):
        parts = [listed(column_of(column, name)) for name in columns_of(column)]
        return list(zip(*parts, strict=True))
    if is_cudf(column):
        return list(column.to_arrow().to_pylist())
    if hasattr(column, "tolist"):
        return list(column.tolist())
    return list(column.to_list() if hasattr(column, "to_list") else column.to_pylist())


def name_of(value: Any) -> str:
    """An id as a plot shows it."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def whole_numbers(axes: Any) -> None:
    """Ticks at round numbers, with separators of thousands."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, integer=True))
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
