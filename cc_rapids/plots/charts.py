"""Charts of measurements, to be read in black and white: hatches, markers and line styles alone.

Figures are made without a window, and written whole or not at all, the same ones each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.files.write import replacing
from .canvas import AS_IT_IS, missing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo", "---", "+++")
GREYS = ("0.15", "0.85", "1.0", "0.7", "0.5", "0.92", "0.6", "0.78")
MARKERS = "os^Dv*Px"
STYLES = ("-", "--", ":", "-.")
FILLS = ("white", "0.6")
FEW = 100.0  # times the least: a logarithmic axis that ends there has ticks at 2 and 5 too
RC: dict[Any, Any] = {"svg.hashsalt": "cc_rapids", "font.size": 9, "hatch.linewidth": 0.6}
WIDTH, HEIGHT = 7.2, 2.8  # inches


def bars(
    names: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    label: str,
    log: bool = False,
    line: float | None = None,
) -> Figure:
    """Groups of bars, told apart by hatches.

    Parameters
    ----------
    names : sequence of str
        The groups.
    series : mapping of str to sequence of float or None
        The height of each bar in each group; None stands for no bar.
    label : str
        Of the axis of heights.
    log : bool
        Whether that is logarithmic.
    line : float, optional
        A dashed line at this height.
    """
    with styled() as empty:
        figure, axes = empty(max(WIDTH, 0.9 * len(names)), HEIGHT)
        width = 0.8 / max(len(series), 1)
        for k, (name, values) in enumerate(series.items()):
            places = [i + (k - (len(series) - 1) / 2) * width for i in range(len(names))]
            heights = [float("nan") if value is None else value for value in values]
            style: dict[str, Any] = {"hatch": HATCHES[k % 8], "facecolor": GREYS[k % 8]}
            axes.bar(places, heights, width, label=name, linewidth=0.6, edgecolor="black", **style)
        if log:
            axes.set_yscale("log")
        if line is not None:
            axes.axhline(line, color="black", linewidth=0.8, linestyle="--")
        long = max(map(len, names), default=0) > 12
        slanted: dict[str, Any] = {"rotation": 30, "ha": "right"} if long else {}
        axes.set_xticks(range(len(names)), names, **slanted, **AS_IT_IS)
        axes.set_ylabel(label)
        beside(axes)
        return figure


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]],
    across: str,
    label: str,
    log: str = "",
    line: float | None = None,
) -> Figure:
    """Lines through points, told apart by markers and styles.

    Parameters
    ----------
    series : mapping of str to sequence of (x, y)
    across, label : str
        Of the two axes.
    log : str
        The logarithmic axes: "x", "y", "xy" or none. Zeros on the first are shown left of it.
    line : float, optional
        A dashed line at this height.
    """
    with styled() as empty:
        figure, axes = empty(5.4, 3.2)
        for k, (name, points) in enumerate(series.items()):
            marker, dashes = MARKERS[k % 8], STYLES[(k + k // 8) % 4]
            style: dict[str, Any] = {"marker": marker, "linestyle": dashes, "linewidth": 1.0}
            style["markerfacecolor"] = FILLS[(k + k // 8) % 2]
            xs, ys = zip(*sorted(points), strict=True) if points else ((), ())
            axes.plot(xs, ys, label=name, color="black", **style)
        _scale(axes, log)
        if line is not None:
            axes.axhline(line, color="black", linewidth=0.8, linestyle="--")
        axes.set(xlabel=across, ylabel=label)
        beside(axes)
        return figure


def _scale(axes: Axes, log: str) -> None:
    """Logarithmic axes, short ones with plain numbers; zeros stand left of the first."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    if "y" in log:
        axes.set_yscale("log")
    values = np.concatenate([line.get_xdata() for line in axes.get_lines()] or [np.ones(1)])
    if "x" not in log and np.all(values % 1 == 0):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if "x" in log:
        positive = values[values > 0]
        if positive.size == values.size:
            axes.set_xscale("log")
        elif positive.size:
            axes.set_xscale("symlog", linthresh=float(positive.min()))
    for axis, (least, most) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if axis.get_scale() == "log" and most / least < FEW:
            axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("{x:g}")


def beside(axes: Axes) -> None:
    """The legend to the right of the plot."""
    legend = axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    for text in legend.get_texts():
        text.set(**AS_IT_IS)


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the suffix, whole or not at all; the same one each time."""
    drawn, kind = BytesIO(), path.suffix.removeprefix(".")
    plain = {"Date": None} if kind == "svg" else {"Software": None}
    with styled():
        figure.savefig(drawn, format=kind, metadata=plain, bbox_inches="tight", dpi=150)
    with replacing(path) as stream:
        stream.write(drawn.getvalue())


def available() -> bool:
    """Whether matplotlib is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


@contextmanager
def styled() -> Iterator[Callable[[float, float], tuple[Figure, Axes]]]:
    """A context in which figures have the package's style; gives what makes one of some inches."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise missing(error) from None

    def empty(width: float, height: float) -> tuple[Figure, Axes]:
        figure = Figure(figsize=(width, height))
        return figure, figure.add_subplot()

    with matplotlib.rc_context(RC):
        yield empty
