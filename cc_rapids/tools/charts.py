"""Draw charts of measured times and of the limits of a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.plots import LINES, PLAIN_TEXT, missing_extra, new_axes
from ..data.files.write import replacing
from ..errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo", "---", "+++")
GREYS = ("0.15", "0.85", "1.0", "0.7", "0.5", "0.92", "0.6", "0.78")
MARKERS = "os^Dv*Px"
STYLES = ("-", "--", ":", "-.")
FILLS = ("white", "0.6")
# A logarithmic axis whose ends have a smaller ratio also has ticks at 2 and 5
SHORT_AXIS_RATIO = 100.0
RC: dict[Any, Any] = {"svg.hashsalt": "cc_rapids", "font.size": 9, "hatch.linewidth": 0.6}
WIDTH, HEIGHT = 7.2, 2.8  # inches


def bars(
    names: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    label: str,
    log: bool = False,
    line: float | None = None,
) -> Figure:
    """Draw groups of bars, distinguished by hatches.

    ``names`` has a name for each group. ``series`` has the height of the bar of each series in each
    group; None for no bar. ``label`` names the y axis, which is logarithmic with ``log``. ``line``
    is the height of a dashed line.
    """
    with styled() as new_figure:
        figure, axes = new_figure(max(WIDTH, 0.9 * len(names)), HEIGHT)
        width = 0.8 / max(len(series), 1)
        for k, (name, values) in enumerate(series.items()):
            # The bars of a group stand side by side, centred at its tick
            positions = [i + (k - (len(series) - 1) / 2) * width for i in range(len(names))]
            heights = [float("nan") if value is None else value for value in values]
            style: dict[str, Any] = {"hatch": HATCHES[k % 8], "facecolor": GREYS[k % 8]}
            axes.bar(
                positions, heights, width, label=name, linewidth=0.6, edgecolor="black", **style
            )
        if log:
            axes.set_yscale("log")
        if line is not None:
            axes.axhline(line, color="black", linewidth=0.8, linestyle="--")
        has_long_names = max(map(len, names), default=0) > 12
        slanted: dict[str, Any] = {"rotation": 30, "ha": "right"} if has_long_names else {}
        axes.set_xticks(range(len(names)), names, **slanted, **PLAIN_TEXT)
        axes.set_ylabel(label)
        place_legend(axes)
        return figure


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]],
    across: str,
    label: str,
    log: str = "",
    line: float | None = None,
) -> Figure:
    """Draw lines through points (x, y), distinguished by markers and styles.

    ``across`` and ``label`` are the labels of the x and y axes. ``log`` names the logarithmic axes:
    "x", "y", "xy" or "". Points at x = 0 are drawn left of the others. ``line`` is the height of a
    dashed line.
    """
    with styled() as new_figure:
        figure, axes = new_figure(5.4, 3.2)
        for k, (name, points) in enumerate(series.items()):
            # The markers repeat after 8 lines; k // 8 gives repeated markers other styles and fills
            marker, dashes = MARKERS[k % 8], STYLES[(k + k // 8) % 4]
            style: dict[str, Any] = {"marker": marker, "linestyle": dashes, "linewidth": 1.0}
            style["markerfacecolor"] = FILLS[(k + k // 8) % 2]
            xs, ys = zip(*sorted(points), strict=True) if points else ((), ())
            axes.plot(xs, ys, label=name, color="black", **style)
        _scale(axes, log)
        if line is not None:
            axes.axhline(line, color="black", linewidth=0.8, linestyle="--")
        axes.set(xlabel=across, ylabel=label)
        place_legend(axes)
        return figure


def _scale(axes: Axes, log: str) -> None:
    """Set the scales and the ticks of axes that have lines.

    ``log`` names the logarithmic axes. On a logarithmic x axis, x = 0 is left of other values.
    """
    from matplotlib.ticker import LogLocator, MaxNLocator

    if "y" in log:
        axes.set_yscale("log")
    no_lines = [np.ones(1)]  # NumPy cannot concatenate an empty list
    x = np.concatenate([line.get_xdata() for line in axes.get_lines()] or no_lines)
    if "x" not in log and np.all(x % 1 == 0):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if "x" in log:
        positive = x[x > 0]
        if positive.size == x.size:
            axes.set_xscale("log")
        elif positive.size:  # linear from 0 to the least positive value, then logarithmic
            axes.set_xscale("symlog", linthresh=float(positive.min()))
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if axis.get_scale() == "log" and high / low < SHORT_AXIS_RATIO:
            axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("{x:g}")


def place_legend(axes: Axes) -> None:
    """Place the legend to the right of the plot."""
    legend = axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    for text in legend.get_texts():
        text.set(**PLAIN_TEXT)


def save(figure: Figure, path: Path) -> None:
    """Write a figure atomically and reproducibly, in the format of the suffix."""
    buffer, kind = BytesIO(), path.suffix.removeprefix(".")
    # Without a date and the version of matplotlib, equal figures are equal files
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with styled():  # its hash salt makes the ids in SVG files reproducible
        figure.savefig(buffer, format=kind, metadata=metadata, bbox_inches="tight", dpi=150)
    with replacing(path) as stream:
        stream.write(buffer.getvalue())


def available() -> bool:
    """Return whether matplotlib is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


@contextmanager
def styled() -> Iterator[Callable[[float, float], tuple[Figure, Axes]]]:
    """Apply the package's style in a context, and yield a function that makes a figure with axes.

    The function takes the width and the height of the figure in inches.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise missing_extra(error) from None

    def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
        figure = Figure(figsize=(width, height))
        return figure, figure.add_subplot()

    with matplotlib.rc_context(RC):
        yield new_figure


IN_L2 = 1 << 24  # size in bytes of a table that fits into the L2 cache
# For each library, the fields of records whose sum is its time in milliseconds
TIMES: dict[str, tuple[str, ...]] = {
    "cc_rapids": ("wall_ms",),
    "cuGraph: graph and components": ("cugraph_build_ms", "cugraph_wcc_ms"),
    "SciPy": ("scipy_ms",),
    "NetworkX": ("networkx_ms",),
}


@dataclass(frozen=True)
class Card:
    """The measured memory rates of a GPU.

    Attributes
    ----------
    copy : float
        Bytes per second of a copy, the sum of bytes read and written.
    reads : tuple of (int, float)
        For each table size in bytes, in ascending order, the random 4-byte reads per second.

    See Also
    --------
    cc_rapids.plots.times : Draw measured times with the limits of a card.
    """

    copy: float
    reads: tuple[tuple[int, float], ...]

    def stream_ms(self, edges: float, edge_bytes: int = 8) -> float:
        """Return the minimum time to read an edge list once.

        Parameters
        ----------
        edges : float
            The number of edges.
        edge_bytes : int
            The bytes of both ends of an edge.

        Returns
        -------
        float
            The time in milliseconds.

        See Also
        --------
        Card.labels_ms : The time to read the labels of both ends of each edge.
        """
        return 1e3 * edges * edge_bytes / self.copy

    def labels_ms(self, edges: float, table: int) -> float:
        """Return the minimum time to read the labels of both ends of each edge.

        Parameters
        ----------
        edges : float
            The number of edges.
        table : int
            The size of the table of labels in bytes.

        Returns
        -------
        float
            The time in milliseconds.

        See Also
        --------
        Card.stream_ms : The time to read the edges.
        Card.reads_ms : The time of any number of random reads.
        """
        return self.reads_ms(2 * edges, table)

    def reads_ms(self, count: float, table: int) -> float:
        """Return the minimum time of random 4-byte reads of a table.

        Parameters
        ----------
        count : float
            The number of reads.
        table : int
            The size of the table in bytes.

        Returns
        -------
        float
            The time in milliseconds.

        See Also
        --------
        Card.labels_ms : The time of the two reads of each edge.
        """
        # Between the measured sizes, rates are linear in the logarithm of the size
        sizes, rates = zip(*self.reads, strict=True)
        rate = float(np.interp(np.log2(max(table, 1)), np.log2(sizes), rates))
        return 1e3 * count / rate


_TABLE_SIZES = (1 << 18, 1 << 20, IN_L2, 1 << 25, 1 << 26, 1 << 27, 1 << 30)


def _card(copy: float, *rates: float) -> Card:
    """Return a card from its rate of copying, and its rates of reading tables of each size."""
    return Card(copy, tuple(zip(_TABLE_SIZES, rates, strict=True)))


#: The measured rates of GPUs, by the name of the device in records.
CARDS = {
    "NVIDIA H100 80GB HBM3": _card(3.0e12, 205e9, 127e9, 127e9, 90e9, 49e9, 37e9, 31e9),
    "NVIDIA H200": _card(4.1e12, 350e9, 170e9, 160e9, 140e9, 76e9, 52e9, 40e9),
}


def times(records: Iterable[Mapping[str, Any]], *, axes: Any = None) -> Any:
    """Draw measured times against the number of edges, with the limits of the GPU as lines.

    The limits follow from :data:`CARDS`: the time to read the edges once, and the times to read the
    labels of both ends of each edge from the L2 cache and from beyond it. Only algorithms that do
    not read both ends of every edge can be faster than the times to read the labels.

    Parameters
    ----------
    records : iterable of dict
        Records such as the lines of ``benchmarks/records/main_job.jsonl``: the number of edges
        ``m``, ``wall_ms`` and the times of other libraries in milliseconds (numbers, or dicts with
        a ``median``), and optionally ``device``, ``graph`` and ``dtype``.
    axes : matplotlib.axes.Axes, optional
        The axes to draw on; new ones by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, both logarithmic. If all records are of one graph, lines connect its times.

    Raises
    ------
    InputError
        There are no records, or records of several devices.
    MissingExtraError
        Matplotlib is not installed.

    See Also
    --------
    cc_rapids.plots.Card : The limits that are drawn.
    """
    rows = sorted(records, key=lambda row: row["m"])
    devices = {row.get("device", "") for row in rows}
    if not devices:
        raise InputError("there are no records to draw")
    if len(devices) > 1:
        names = ", ".join(sorted(devices))
        raise InputError(f"the records must be of one device, but they are of {names}")
    axes = new_axes(axes)
    _draw_times(axes, rows)
    _draw_limits(axes, CARDS.get(devices.pop()), rows)
    axes.set(xscale="log", yscale="log", xlabel="edges", ylabel="milliseconds")
    for axis in (axes.xaxis, axes.yaxis):
        _label_ticks(axis)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return axes


def _draw_times(axes: Any, rows: list[Mapping[str, Any]]) -> None:
    """Draw the times of each library against the number of edges."""
    is_one_graph = len({row.get("graph") for row in rows}) == 1
    for (marker, line), (library, fields) in zip(LINES, TIMES.items(), strict=True):
        timed = [row for row in rows if all(field in row for field in fields)]
        if timed:
            axes.plot(
                [row["m"] for row in timed],
                [sum(_median(row[field]) for field in fields) for row in timed],
                label=library,
                marker=marker,
                markersize=5,
                markerfacecolor="white",
                linestyle=line if is_one_graph else "none",
                color="black",
            )


def _median(value: Any) -> float:
    """Return a time that is a number, or the median of a time with a spread."""
    return float(value["median"] if isinstance(value, Mapping) else value)


def _label_ticks(axis: Any) -> None:
    """Label ticks with numbers such as 0.1, 20 and 30 M instead of powers of ten."""
    from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
    axis.set_major_formatter(EngFormatter() if axis.axis_name == "x" else "{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _draw_limits(axes: Any, card: Card | None, rows: list[Mapping[str, Any]]) -> None:
    """Draw the limits of the GPU as lines that are slightly longer than the range of edges."""
    if card is None:
        return
    span = [rows[0]["m"] / 1.5, rows[-1]["m"] * 1.5]  # the rows are sorted by their edges
    # The least size of an edge keeps the line below the times of all rows
    edge_bytes = min(16 if row.get("dtype") == "int64" else 8 for row in rows)
    largest_table, _ = card.reads[-1]
    limits = {
        "limit: two labels an edge, beyond L2": [card.labels_ms(m, largest_table) for m in span],
        "limit: two labels an edge, in L2": [card.labels_ms(m, IN_L2) for m in span],
        "limit: the edges read once": [card.stream_ms(m, edge_bytes) for m in span],
    }
    for (_, line), (name, limit_ms) in zip(LINES, limits.items(), strict=False):
        axes.plot(span, limit_ms, line, color="0.4", linewidth=1, label=name)
