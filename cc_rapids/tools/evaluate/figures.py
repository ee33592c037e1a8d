"""Draw the figures of papers from the runs of an evaluation.

The figures are those of Sutton et al. 2016 (Figures 5 and 6), Cong and Muzio 2014 (Figure 4), Lehr
et al. 2022 (Figures 1 to 8), and Balduzzi et al. 2018 (Figures 1 and 4).

All functions in ``FIGURES`` take the rows and the name of the design that is the baseline, though
only :func:`speed_up` needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import charts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = dict[str, Any]  # a run, as evaluate() yields it
SEGMENTS = re.compile(r"adaptive\(segments=(\d+)\)")
STAGES = re.compile(r"stages(?:\(q=\d+\))?\+(.+)")  # a design in which ``stages`` calls another
SINGLE_DENSITIES = "files of one size each"


def milliseconds(row: Row) -> float:
    """Return the median time of a run: device time on a GPU, otherwise wall time."""
    return float(row["device_ms" if "device_ms" in row else "wall_ms"]["median"])


def series_name(row: Row, rows: Sequence[Row]) -> str:
    """Return the name of the series of a run: its design, and the fields in which rows differ."""
    parts = [row["design"]]
    if len({other["memory"] for other in rows}) > 1:
        parts.append(str(row["memory"]))
    for field in ("threads", "processes", "reduction"):
        if row[field] and len({other[field] for other in rows}) > 1:
            parts.append(f"{field}={row[field]}")
    return ", ".join(parts)


def workers_of(row: Row) -> str:
    """Describe the workers of a run, such as "threads" or "processes of 2 threads"."""
    if not row["processes"]:
        return "threads"
    text = f"processes of {row['threads']} threads" if row["threads"] > 1 else "processes"
    return f"{text}, {row['reduction']}" if row["reduction"] != "pairs" else text


def baseline_key(row: Row) -> tuple[Any, ...]:
    """Return the fields by which a run and its baseline are matched."""
    return row["file"], row["memory"], row["threads"], row["processes"], row["reduction"]


def grouped_by(rows: Iterable[Row], *keys: str) -> dict[Any, list[Row]]:
    """Return the rows of each group of equal values of ``keys``, in order of first occurrence.

    A group is named by the tuple of these values, or by the value itself if there is one key.
    """
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        value = tuple(row[key] for key in keys)
        groups.setdefault(value[0] if len(keys) == 1 else value, []).append(row)
    return groups


def over_density(rows: Sequence[Row], baseline: str) -> Iterator[tuple[str, Figure]]:
    """Yield figures of the time by density, one for each number of vertices."""
    # A line needs several densities: numbers of vertices with only one density share a figure
    rows_by_figure: dict[str, list[Row]] = {}
    for n, runs in grouped_by(rows, "vertices").items():
        is_line = len({row["density"] for row in runs}) > 1
        name = f"{n} vertices" if is_line else SINGLE_DENSITIES
        rows_by_figure.setdefault(name, []).extend(runs)
    for name, runs in rows_by_figure.items():
        if len({row["density"] for row in runs}) < 2:
            continue
        series: dict[str, list[tuple[float, float]]] = {}
        for row in runs:
            points = series.setdefault(series_name(row, rows), [])
            points.append((row["density"], milliseconds(row)))
        figure = charts.lines(series, f"density, {name}", "milliseconds", log="xy")
        yield f"density-{name.replace(' ', '-')}", figure


def speed_up(rows: Sequence[Row], baseline: str) -> Iterator[tuple[str, Figure]]:
    """Yield a figure of the speed-up of each design over the baseline on each file."""
    files = grouped_by(rows, "file")
    base = {baseline_key(row): milliseconds(row) for row in rows if row["design"] == baseline}
    series: dict[str, dict[str, float]] = {}
    for row in rows:
        baseline_ms = base.get(baseline_key(row))
        if baseline_ms is not None and row["design"] != baseline:
            ratio = baseline_ms / milliseconds(row)
            series.setdefault(series_name(row, rows), {})[row["file"]] = ratio
    if series:
        yield "speed-up", _ratios(files, series, f"times faster than {baseline}")


def _ratios(files: Iterable[str], series: dict[str, dict[str, float]], label: str) -> Figure:
    """Return bars of the ratios of each series by file; a file without a ratio has no bar."""
    files = list(files)
    heights = {name: [ratios.get(file) for file in files] for name, ratios in series.items()}
    return charts.bars(files, heights, label, line=1.0)


def segments(rows: Sequence[Row], baseline: str) -> Iterator[tuple[str, Figure]]:
    """Yield a figure of the speed-up by number of segments, with a line for each file.

    The speed-up is the time with the fewest segments divided by the time.
    """
    series: dict[str, list[tuple[float, float]]] = {}
    for file, runs in grouped_by(rows, "file").items():
        ms_of = {
            int(match[1]): milliseconds(row)
            for row in runs
            if (match := SEGMENTS.fullmatch(row["design"]))
        }
        if len(ms_of) > 1:
            fewest_ms = ms_of[min(ms_of)]
            series[file] = [(count, fewest_ms / ms) for count, ms in ms_of.items()]
    if series:
        label = "times faster than with the fewest"
        yield "segments", charts.lines(series, "segments", label, log="x", line=1.0)


def stages(rows: Sequence[Row], baseline: str) -> Iterator[tuple[str, Figure]]:
    """Yield a figure of how much faster each algorithm is if ``stages`` calls it."""
    files = grouped_by(rows, "file")
    series: dict[str, dict[str, float]] = {}
    ms_of = {(baseline_key(row), row["ran"]): milliseconds(row) for row in rows}
    for row in rows:
        match = STAGES.fullmatch(row["ran"])
        if not match:
            continue
        name, key = match[1], baseline_key(row)
        # Alone, the algorithm may have run as "none+name", which means without a sample
        alone_ms = ms_of.get((key, name)) or ms_of.get((key, f"none+{name}"))
        if alone_ms:
            series.setdefault(name, {})[row["file"]] = alone_ms / milliseconds(row)
    if series:
        yield "stages", _ratios(files, series, "times faster by stages")


def memory(rows: Sequence[Row], baseline: str) -> Iterator[tuple[str, Figure]]:
    """Yield a figure of the time of each design on each file, for each kind of memory."""
    kinds = grouped_by((row for row in rows if row["memory"]), "memory")
    if len(kinds) < 2:
        return
    groups = list(grouped_by(rows, "design", "file"))
    series = {}
    for kind, runs in kinds.items():
        # In reverse, so that the first of several numbers of threads overwrites the others
        ms_of = {(row["design"], row["file"]): milliseconds(row) for row in reversed(runs)}
        series[kind] = [ms_of.get(group) for group in groups]
    names = [f"{design}, {file}" for design, file in groups]
    yield "memory", charts.bars(names, series, "milliseconds", log=True)


def threads(rows: Sequence[Row], baseline: str) -> Iterator[tuple[str, Figure]]:
    """Yield figures of the time of each design by number of threads or processes, one per file."""
    for file, runs in grouped_by(rows, "file").items():
        series: dict[str, list[tuple[float, float]]] = {}
        for row in runs:
            if workers := row["processes"] or row["threads"]:
                points = series.setdefault(f"{row['design']}, {workers_of(row)}", [])
                points.append((workers, milliseconds(row)))
        if any(len(points) > 1 for points in series.values()):  # a line needs two points
            across = f"threads or processes, {file}"
            yield f"threads-{file}", charts.lines(series, across, "milliseconds", log="y")


FIGURES = (over_density, speed_up, segments, stages, memory, threads)


def drawn(rows: Sequence[Row], baseline: str) -> Iterator[tuple[str, Figure]]:
    """Yield the names and figures that the functions in ``FIGURES`` draw from the timed runs."""
    timed = [row for row in rows if "wall_ms" in row]
    for draw in FIGURES:
        yield from draw(timed, baseline)
