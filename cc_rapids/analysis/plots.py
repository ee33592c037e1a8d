"""Plots of answers and streams."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..data.arguments import check_count, check_word
from ..data.frame_access import answer_column, collected, column_of, numbers_of, on_host, values_of
from ..data.within import AS_FOUND, read_for_answer
from ..errors import InputError, MissingExtraError, counted, install_advice
from ..keywords import suggest_keywords
from ..results.answer import Answer, HasAnswer
from ..results.lookup import rows_of_ids
from .agreement import LEAST_IS_BEST, METRICS
from .selection import size_histogram
from .selection import sizes as sizes_of

HATCH = "///"
LINES = (("o", "-"), ("s", "--"), ("^", ":"), ("D", "-."))  # markers and line styles
PLAIN_TEXT: dict[str, Any] = {"parse_math": False}  # an id with a $ is not a formula


def new_axes(axes: Any) -> Any:
    """Return the given axes, or axes of a new figure.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise missing_extra(error) from None
    if axes is None:
        _, axes = plt.subplots(figsize=(7, 4), layout="constrained")
        axes.spines[["top", "right"]].set_visible(False)
    return axes


def missing_extra(error: ImportError) -> MissingExtraError:
    """Return the error for a missing plotting library."""
    return MissingExtraError(
        f"plots need the libraries of an extra ({error}): {install_advice('plot')}"
    )


def numbers(column: Any) -> Any:
    """Return a column of numbers as a NumPy array."""
    return on_host(numbers_of(column)[0])


def line_style(marker: str, line: str, points: int) -> dict[str, Any]:
    """Return the style of a line with about 20 markers, given the number of its points."""
    return {
        "marker": marker,
        "linestyle": line,
        "color": "black",
        "markerfacecolor": "white",
        "markersize": 4,
        "markevery": max(1, points // 20),
    }


def name_of(value: Any) -> str:
    """Return an id as a plot shows it."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def whole_numbers(axes: Any) -> None:
    """Set ticks at integers, with thousands separators."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, integer=True))
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


MAX_DRAWN = 100  # maximum number of vertices of a drawn component
MAX_LARGE_NAMES = 40  # maximum number of ids in letters of normal size
MAX_STEPS = 2000  # maximum number of thresholds of a curve


@suggest_keywords
def sizes(found: HasAnswer, *, axes: Any = None) -> Any:
    """Draw the number of components of each size, on logarithmic axes.

    Parameters
    ----------
    found : Components
        The answer that is drawn.
    axes : matplotlib.axes.Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    See Also
    --------
    cc_rapids.plots.largest : The sizes of the largest components.
    cc_rapids.Components.size_histogram : The numbers as a frame.
    """
    axes = new_axes(axes)
    histogram = collected(size_histogram(found.answer))
    size, count = (numbers(column_of(histogram, name)) for name in ("size", "components"))
    axes.plot(size, count, "o", color="black", markerfacecolor="none", markersize=4)
    axes.set(xscale="log", yscale="log", xlabel="vertices in a component")
    axes.set(ylabel="components of that size", title=_title(found.answer))
    return axes


@suggest_keywords
def largest(found: HasAnswer, count: int = 10, *, axes: Any = None) -> Any:
    """Draw the sizes of the largest components, each with its label.

    Parameters
    ----------
    found : Components
        The answer that is drawn.
    count : int
        The maximum number of components to draw.
    axes : matplotlib.axes.Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one bar per component, the largest on top.

    Raises
    ------
    InputError
        ``count`` is not a positive integer.
    MissingExtraError
        Matplotlib is not installed.

    See Also
    --------
    cc_rapids.plots.sizes : The number of components of each size.
    cc_rapids.plots.component : One component as a graph.
    """
    count = check_count("count", count, 1, ", the maximum number of components to draw")
    axes = new_axes(axes)
    table = collected(sizes_of(found.answer))
    counts = numbers(column_of(table, "size"))[:count]
    names = values_of(on_host(answer_column(table, "labels")[:count]))
    style = {"facecolor": "0.85", "edgecolor": "black", "hatch": HATCH, "linewidth": 0.8}
    bars = axes.barh(range(counts.size), counts, height=0.7, **style)
    axes.bar_label(bars, [f"{size:,}" for size in counts], padding=3, fontsize=8)
    axes.set_yticks(range(counts.size), [name_of(name) for name in names], **PLAIN_TEXT)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set(xlabel="vertices", ylabel="component", title=_title(found.answer))
    return axes


@suggest_keywords
def component(
    found: HasAnswer,
    edges: Any,
    label: Any = None,
    *,
    source: str | list[str] = "src",
    destination: str | list[str] = "dst",
    weight: Any = AS_FOUND,
    axes: Any = None,
) -> Any:
    """Draw one small component as a graph; a square marks its least id, which is in the title.

    An entity of :func:`cc_rapids.link_records` is drawn with the values that its records share, as
    diamonds.

    Parameters
    ----------
    found : Components
        The answer that is drawn.
    edges : frame, or pair of arrays or series
        The edges that the answer was computed from; for :func:`cc_rapids.link_records`, the frame
        of records. The frame is not changed. Edges with a null end are left out; if the answer has
        weight bounds, edges with a null weight are left out too.
    source, destination : str, or lists of str of equal length, optional
        The columns with the two ends of each edge: see :func:`cc_rapids.components`.
    weight : str, (m,) array of numbers, or None
        The weights of the edges: see :meth:`Components.edges`.
    label : label, optional
        The label of the component, as in :meth:`Components.labels`; the largest by default.
    axes : matplotlib.axes.Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes. An id that would overlap another id is left out, and the title shows how many ids
        are left out. Pass larger axes to draw more ids.

    Raises
    ------
    InputError
        The component has more than 100 vertices, or does not exist.
    UnknownVertexError, MissingColumnError
        The edges are not those of the answer.
    MissingExtraError
        Matplotlib or NetworkX is not installed.

    See Also
    --------
    cc_rapids.plots.largest : The sizes of the largest components.
    cc_rapids.Components.subset : The vertices of a component.
    """
    try:
        import networkx as nx
    except ImportError as error:
        raise missing_extra(error) from None
    if not len(found.answer):
        raise InputError("there is no component to draw: the answer has no vertices")
    if found.answer.linked is None:  # not an answer of link_records()
        names, pairs = _component(found.answer, edges, label, source, destination, weight)
        values = list[str]()
    else:
        from .shared_values import graph_of_entity

        with found.answer.backend.scope():
            names, members = _members(found.answer, label)
            values, pairs = graph_of_entity(found.answer, members, edges)
    axes = new_axes(axes)
    graph = nx.Graph()
    count, names = len(names), names + values  # the least id is the first name
    graph.add_nodes_from(range(len(names)))
    graph.add_edges_from(pairs)
    positions = np.array(list(nx.kamada_kawai_layout(graph).values()))
    for pair in graph.edges:
        axes.plot(*positions[list(pair)].T, "-", color="0.55", linewidth=0.8, zorder=1)
    style = {"linestyle": "none", "color": "black", "zorder": 2}
    axes.plot(*positions[1:count].T, marker="o", markersize=4, markerfacecolor="white", **style)
    axes.plot(*positions[count:].T, marker="D", markersize=4, **style | {"color": "0.55"})
    axes.plot(*positions[:1].T, marker="s", markersize=6, **style)
    axes.set_axis_off()
    axes.margins(0.15)
    counts = f"{count:,} vertices, {counted(graph.number_of_edges(), 'edge')}"
    if found.answer.linked is not None:
        counts = f"{counted(count, 'record')}, {counted(len(values), 'shared value')}"
    title = f"component {name_of(names[0])}: {counts}"
    axes.set_title(title, **PLAIN_TEXT)
    if hidden := _write_names(axes, names, positions):
        axes.set_title(f"{title}; {hidden:,} of {len(names):,} ids have no room", **PLAIN_TEXT)
    return axes


def _write_names(axes: Any, names: list[Any], positions: Any) -> int:
    """Write ids beside their points without overlaps; return the number of ids left out."""
    style = {"textcoords": "offset points", "fontsize": 8, **PLAIN_TEXT}
    texts = [
        axes.annotate(name_of(name), at, (3, 3), **style)
        for name, at in zip(names, positions, strict=True)
    ]
    axes.figure.draw_without_rendering()
    shown = list[Any]()
    for text in texts:
        box = text.get_window_extent()
        if box.count_overlaps(shown):
            text.remove()
        else:
            shown.append(box)
    return len(texts) - len(shown)


@suggest_keywords
def growth(steps: Iterable[Any], *, axes: Any = None) -> Any:
    """Draw the growth of components, vertices and the largest component as edges are inserted.

    Parameters
    ----------
    steps : iterable of Components or StreamProgress
        Answers of :meth:`Connectivity.components` after successive batches, or the values that
        :func:`cc_rapids.stream_components` passed to ``progress``, in order.
    axes : matplotlib.axes.Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with the number of vertices, the number of components and, if known, the size of
        the largest component over the number of edges inserted.

    Raises
    ------
    InputError
        ``steps`` is empty.
    MissingExtraError
        Matplotlib is not installed.

    See Also
    --------
    cc_rapids.stream_components : Pass each step to ``progress``.
    cc_rapids.Connectivity : Edges that arrive in batches.
    """
    rows = [step.summary() if hasattr(step, "summary") else vars(step) for step in steps]
    if not rows:
        raise InputError("growth needs at least one snapshot, but there are none")
    axes = new_axes(axes)
    lines = {"vertices": "vertices", "components": "components", "largest": "largest component"}
    columns = [name for name in lines if all(name in row for row in rows)]
    for (marker, line), name in zip(LINES, columns, strict=False):
        style = line_style(marker, line, len(rows))
        edges = [row["edges"] for row in rows]
        axes.plot(edges, [row[name] for row in rows], label=lines[name], **style)
    axes.set(xlabel="edges inserted", ylabel="vertices, or components", ylim=(0, None))
    whole_numbers(axes)
    axes.legend(frameon=False)
    return axes


def scores(curve: Any, *metrics: str, axes: Any = None) -> Any:
    """Draw scores of clusters over the thresholds, and mark the best threshold of each.

    Parameters
    ----------
    curve : frame or Best
        The frame of :meth:`cc_rapids.Cuts.scores`, or the result of
        :meth:`cc_rapids.Dendrogram.best`.
    *metrics : str
        The scores to draw, such as ``"pairwise_f1"``, the default.
    axes : matplotlib.axes.Axes, optional
        Axes to draw on; new ones by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a line for each score over the threshold.

    Raises
    ------
    InputError
        A score is unknown.
    MissingExtraError
        Matplotlib is not installed.

    See Also
    --------
    cc_rapids.Cuts.scores : Score the components at several thresholds.
    """
    metrics = metrics or ("pairwise_f1",)
    for metric in metrics:
        check_word("metric", metric, METRICS)
    axes = new_axes(axes)
    if "curve" in getattr(curve, "_fields", ()):  # the result of best()
        curve = curve.curve
    levels = values_of(on_host(column_of(curve, "threshold")))
    labelled = list[Any]()  # the best thresholds so far
    for (marker, line), metric in zip(itertools.cycle(LINES), metrics, strict=False):
        values = values_of(on_host(column_of(curve, metric)))
        label = metric.replace("_", " ")
        axes.plot(levels, values, label=label, **line_style(marker, line, len(values)))
        choose = min if metric == LEAST_IS_BEST else max
        best = values.index(choose(values))
        axes.plot(levels[best], values[best], marker=marker, color="black", markersize=7)
        lines_up = labelled.count(levels[best]) + 0.5  # stack the labels of equal thresholds
        labelled.append(levels[best])
        axes.annotate(
            f"{values[best]:.3g} at {levels[best]:.3g}",
            (levels[best], values[best]),
            xytext=(0, 12 * lines_up),
            textcoords="offset points",
        )
    axes.set(xlabel="threshold", ylabel="score")
    axes.legend(frameon=False)
    return axes


class Top(NamedTuple):
    """The last h merges of one component, which join the h + 1 leaves of a drawing.

    A leaf is a cluster. Leaves that are single vertices come first.

    Attributes
    ----------
    named : frame of the caller's kind
        The label frame of the leaves that are single vertices, followed by one more vertex of the
        component.
    size : int
        The number of vertices of the component.
    merged : (2, h) array of int64
        The two clusters of each merge: leaves are 0 .. h, and the result of merge i is h + 1 + i.
    heights : (h,) array of numbers
        The weight of each merge.
    sizes : (h + 1,) array of int64
        The number of vertices of each leaf.
    """

    named: Any
    size: int
    merged: Any
    heights: Any
    sizes: Any


def dendrogram(answer: Answer, tops: list[Top], is_greatest: bool, axes: Any) -> Any:
    """Draw the last merges of components: see :meth:`Dendrogram.plot`.

    ``is_greatest`` is whether the forest is a maximum spanning forest.
    """
    axes = new_axes(axes)
    from matplotlib.collections import LineCollection

    heights = np.concatenate([top.heights for top in tops]).astype(np.float64)
    if not np.isfinite(heights).all():
        raise InputError("some components are merged at an infinite weight, which has no height")
    low, high = heights.min(), heights.max()
    margin = (high - low or abs(high) or 1) / 20
    below_low = low - margin if low < 0 else 0.0  # distances start at 0
    # the height of leaves, which is on the side of the strictest weights
    base, loosest = (high + margin, low) if is_greatest else (below_low, high)
    names, places, left = list[str](), list[int](), 0  # left: the place of the next leaf
    for top in tops:
        order, lines = _merge_lines(top, base)
        lines[:, :, 0] += left
        axes.add_collection(LineCollection(list(lines), colors="black", linewidths=0.8))
        ids, labels = (
            values_of(on_host(answer_column(top.named, name))) for name in ("vertex", "labels")
        )
        leaf_names, label = list(map(name_of, ids[:-1])), name_of(labels[-1])  # the last: no leaf
        leaf_names += [f"({size:,})" for size in top.sizes[len(leaf_names) :]]
        names += [leaf_names[leaf] for leaf in order]
        places += range(left, left + len(order))
        style = {"textcoords": "offset points", "fontsize": 8, **PLAIN_TEXT}
        above_last_merge = left, float(top.heights[-1])
        axes.annotate(f"{label}: {top.size:,} vertices", above_last_merge, (0, 3), **style)
        left += len(order) + 1
    size = 8 if len(names) <= MAX_LARGE_NAMES else 5
    axes.set_xticks(places, names, rotation=90, fontsize=size, **PLAIN_TEXT)
    axes.set(xlim=(-1, left - 1), ylim=(base, loosest + 2 * np.sign(loosest - base) * margin))
    axes.set(ylabel="weight of the merge", title=_title(answer))
    return axes


def curve(answer: Answer, frame: Any, is_greatest: bool, axes: Any) -> Any:
    """Draw the frame of :meth:`Dendrogram.curve`: see :meth:`Dendrogram.plot`."""
    axes, frame = new_axes(axes), collected(frame)
    names = "threshold", "components", "largest", "susceptibility"
    columns = [numbers(column_of(frame, name)) for name in names]
    rows = np.unique(np.linspace(0, columns[0].size - 1, MAX_STEPS).astype(np.int64))
    rows = np.union1d(rows, columns[-1].argmax())  # the peak of the susceptibility
    threshold, *lines = (column[rows] for column in columns)
    labels = (
        "components, of {:,}",
        "largest component, of {:,} vertices",
        "susceptibility, of {:.3g}",
    )
    for (marker, line), label, values in zip(LINES, labels, lines, strict=False):
        style = line_style(marker, line, rows.size) | {"drawstyle": "steps-post"}
        shares, name = values / (values.max() or 1), label.format(values.max())
        axes.plot(threshold, shares, label=name, **style)
    if is_greatest:
        axes.invert_xaxis()
    axes.set(xlabel="threshold", ylabel="share of the greatest value", ylim=(0, 1.05))
    axes.set_title(_title(answer))
    axes.legend(frameon=False)
    return axes


def _merge_lines(top: Top, base: float) -> tuple[list[int], Any]:
    """Return the leaves from left to right, and the four corners of the line of each merge.

    The corners are an (h, 4, 2) array of coordinates; leaves are at the height ``base``.
    """
    merges = top.merged.T.tolist()
    leaves = len(merges) + 1
    clusters = leaves + len(merges)
    order, pending = list[int](), [clusters - 1]  # a stack; the last cluster contains all leaves
    while pending:
        cluster = pending.pop()
        if cluster < leaves:
            order.append(cluster)
        else:
            pending += reversed(merges[cluster - leaves])
    x, y = np.zeros(clusters), np.full(clusters, float(base))
    x[order], y[leaves:] = range(leaves), top.heights
    lines = np.empty((len(merges), 4, 2))
    for k, pair in enumerate(merges):
        x[leaves + k] = x[pair].mean()
        lines[k, :, 0] = np.repeat(x[pair], 2)
        lines[k, :, 1] = y[pair[0]], y[leaves + k], y[leaves + k], y[pair[1]]
    return order, lines


def _component(
    answer: Answer, edges: Any, label: Any, source: Any, destination: Any, weight: Any
) -> tuple[list[Any], list[tuple[int, int]]]:
    """Return the ids of a component's vertices, and the edges as pairs of their positions."""
    answer.check_edges(edges)
    backend = answer.backend
    with backend.scope():
        names, members = _members(answer, label)
        is_member = answer.dense == answer.dense[members[0]]
        options = {"what": "a drawing", "nulls": "drop"}
        ends = read_for_answer(edges, source, destination, answer.given.bound, weight, **options)
        sides = [rows_of_ids(answer, column, "raise")[0] for column in (ends.src, ends.dst)]
        inside = is_member[sides[0]]  # both ends of an edge are in one component: test one
        positions = [backend.xp.searchsorted(members, side[inside]) for side in sides]
        positions = [backend.to_host(side).tolist() for side in positions]
    return names, list(zip(*positions, strict=True))


def _members(answer: Answer, label: Any) -> tuple[list[Any], Any]:
    """Return the ids of a component's vertices, and their rows in the answer.

    The default is the largest component. Raise an error if the component is too large to draw.
    """
    number = answer.component(label) if label is not None else int(answer.by_size[0])
    members = answer.backend.xp.flatnonzero(answer.dense == number)
    if members.size > MAX_DRAWN:
        raise InputError(
            f"the component has {members.size:,} vertices, but at most {MAX_DRAWN} can be drawn:"
            f" pass label= of a smaller component; sizes(max_size={MAX_DRAWN}) lists these"
        )
    ids = answer_column(on_host(answer.in_memory_frame(answer.vertex(members))), "vertex")
    return values_of(ids), members


def _title(answer: Answer) -> str:
    vertices = counted(answer.forest.vertices, "vertex", "vertices")
    return f"{counted(len(answer), 'component')} of {vertices}"
