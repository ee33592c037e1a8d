"""Measured times drawn against the number of edges, and what the card could do at best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from .canvas import LINES, new_axes

IN_L2 = 1 << 24  # bytes of a table that the last cache of a card holds
TIMES = {  # what records call the times of each library, in milliseconds
    "cc_rapids": ("wall_ms",),
    "cuGraph: graph and components": ("cugraph_build_ms", "cugraph_wcc_ms"),
    "SciPy": ("scipy_ms",),
    "NetworkX": ("networkx_ms",),
}


@dataclass(frozen=True)
class Card:
    """What the memory of a GPU can do, as measured on one.

    Attributes
    ----------
    copy : float
        Bytes a second, those read and those written, of a copy.
    reads : tuple of (int, float)
        Random 4-byte reads a second by the bytes of the table that is read, ascending.
    """

    copy: float
    reads: tuple[tuple[int, float], ...]

    def stream_ms(self, edges: float, edge_bytes: int = 8) -> float:
        """Milliseconds to read an edge list once."""
        return 1e3 * edges * edge_bytes / self.copy

    def labels_ms(self, edges: float, table: int) -> float:
        """Milliseconds to read the labels of both ends of each edge, from a table of some bytes."""
        return self.reads_ms(2 * edges, table)

    def reads_ms(self, count: float, table: int) -> float:
        """Milliseconds of random 4-byte reads of a table of some bytes."""
        sizes, rates = zip(*self.reads, strict=True)
        rate = float(np.interp(np.log2(max(table, 1)), np.log2(sizes), rates))
        return 1e3 * count / rate


#: What is known of cards, by the device's name in the records.
CARDS = {
    "NVIDIA H100 80GB HBM3": Card(
        copy=3.0e12,
        reads=(
            (1 << 18, 205e9),
            (1 << 20, 127e9),
            (IN_L2, 127e9),
            (1 << 25, 90e9),
            (1 << 26, 49e9),
            (1 << 27, 37e9),
            (1 << 30, 31e9),
        ),
    ),
}


def times(records: Iterable[Mapping[str, Any]], *, axes: Any = None) -> Any:
    """Measured times against the number of edges, with the limits of the card as lines.

    The limits are those of :data:`CARDS`: the time to read the edges once, and that to read the
    labels of both their ends, all in the L2 cache and all beyond it. Below the upper two only
    those can be who do not look at both ends of every edge.

    Parameters
    ----------
    records : iterable of dict
        As the lines of ``benchmarks/records/main_job.jsonl``: ``m`` edges, ``wall_ms`` and the
        times of other libraries in milliseconds (numbers, or dicts with a ``median``), and if they
        are known ``device``, ``graph`` and ``dtype``.
    axes : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        On logarithmic axes; the times of one graph are joined.

    Raises
    ------
    InputError
        There are no records, or times of several devices.
    MissingExtraError
        Matplotlib is not installed.
    """
    rows = sorted(records, key=lambda row: row["m"])
    devices = {row.get("device", "") for row in rows}
    if len(devices) != 1:
        known = ", ".join(sorted(devices)) or "no records"
        raise InputError(f"times are drawn of one device, not of {known}")
    axes = new_axes(axes)
    joined = len({row.get("graph") for row in rows}) == 1
    for (marker, line), (name, parts) in zip(LINES, TIMES.items(), strict=True):
        there = [row for row in rows if all(part in row for part in parts)]
        if there:
            style = {"marker": marker, "linestyle": line if joined else "none", "color": "black"}
            points = [sum(_median(row[part]) for part in parts) for row in there]
            many = [row["m"] for row in there]
            axes.plot(many, points, label=name, markersize=5, markerfacecolor="white", **style)
    _draw_limits(axes, CARDS.get(devices.pop()), rows)
    axes.set(xscale="log", yscale="log", xlabel="edges", ylabel="milliseconds")
    for axis in (axes.xaxis, axes.yaxis):
        _plain_powers(axis)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return axes


def _median(value: Any) -> float:
    return float(value["median"] if isinstance(value, Mapping) else value)


def _plain_powers(axis: Any) -> None:
    """Ticks such as 0.1, 20 and 30 M instead of powers of ten."""
    from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
    axis.set_major_formatter(EngFormatter() if axis.axis_name == "x" else "{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _draw_limits(axes: Any, card: Card | None, rows: list[Mapping[str, Any]]) -> None:
    """The card's limits, from a little fewer edges than there are to a few more."""
    if card is None:
        return
    ends = [rows[0]["m"] / 1.5, rows[-1]["m"] * 1.5]
    width = min(16 if row.get("dtype") == "int64" else 8 for row in rows)
    most, _ = card.reads[-1]
    limits = {
        "limit: two labels an edge, beyond L2": [card.labels_ms(m, most) for m in ends],
        "limit: two labels an edge, in L2": [card.labels_ms(m, IN_L2) for m in ends],
        "limit: the edges read once": [card.stream_ms(m, width) for m in ends],
    }
    for (_, line), (name, points) in zip(LINES, limits.items(), strict=False):
        axes.plot(ends, points, line, color="0.4", linewidth=1, label=name)
