"""Plots: what is drawn is what was found, and what cannot be drawn says so."""

import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.cluster import hierarchy
from support.choices import some

import cc_rapids
from cc_rapids import Connectivity, components, components_at, plots
from cc_rapids.tools.charts import CARDS

ROOT = Path(__file__).parents[3]
TABLE = {"src": [5, 2, 9, 11, 12, 20], "dst": [2, 7, 9, 12, 11, 21]}  # 3, 2, 2 and 1 vertices
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "arrays": lambda table: tuple(map(np.array, table.values())),
}


@pytest.fixture(autouse=True)
def closed():
    """No figure stays, and none needs a display."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def points(line):
    """What a line runs through."""
    return list(zip(*(data.tolist() for data in line.get_data()), strict=True))


def styles(axes):
    """What tells the lines apart where there is no colour."""
    return [(line.get_marker(), line.get_linestyle()) for line in axes.lines]


@pytest.mark.parametrize("kind", FRAMES)
def test_sizes_are_counted_on_logarithmic_axes(kind, engine):
    found = components(FRAMES[kind](TABLE), engine=engine)
    axes = found.plot()
    assert points(axes.lines[0]) == [(1, 1), (2, 2), (3, 1)]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_title() == "4 components of 8 vertices"


@pytest.mark.parametrize("kind", FRAMES)
def test_the_largest_components_are_bars_with_their_labels(kind, engine):
    axes = components(FRAMES[kind](TABLE), engine=engine).plot("largest", 3)
    assert [bar.get_width() for bar in axes.patches] == [3, 2, 2]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["2", "11", "20"]
    assert all(bar.get_hatch() for bar in axes.patches)
    assert axes.yaxis_inverted()


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize(("label", "names", "edges"), [(None, "2 5 7", 2), (11, "11 12", 1)])
def test_a_component_is_drawn_with_its_edges_and_ids(kind, engine, label, names, edges):
    frame = FRAMES[kind](TABLE)
    axes = components(frame, engine=engine).plot("component", frame, label)
    assert sorted(text.get_text() for text in axes.texts) == sorted(names.split())
    places = {tuple(text.xy): text.get_text() for text in axes.texts}
    drawn = [line for line in axes.lines if line.get_linestyle() == "-"]
    joined = {frozenset(places[end] for end in points(line)) for line in drawn}
    assert len(drawn) == len(joined) == edges
    assert joined < {frozenset(map(str, pair)) for pair in zip(*TABLE.values(), strict=True)}
    square = next(line for line in axes.lines if line.get_marker() == "s")
    assert [places[at] for at in points(square)] == [names.split()[0]]


def test_edges_with_a_null_end_or_weight_are_not_drawn():
    frame = pd.DataFrame({"src": ["a", "b", "c", "c"], "dst": ["b", "c", None, "d"]})
    frame["w"] = [1.0, 1.0, 1.0, None]
    bound = {"weight": "w", "at_least": 0.5, "nulls": "drop"}
    axes = components(frame, **bound).plot("component", frame)
    assert axes.get_title() == "component a: 3 vertices, 2 edges"


def test_ids_of_strings_and_of_several_columns_are_drawn():
    kinds = pd.DataFrame({"a": ["x", "x"], "b": [1, 2], "c": ["y", "y"], "d": [1, 1]})
    ends = {"source": ["a", "b"], "destination": ["c", "d"]}
    found = components(kinds, **ends, labels="min")
    axes = found.plot("component", kinds, **ends)
    assert {text.get_text() for text in axes.texts} == {"x, 1", "x, 2", "y, 1"}
    assert axes.get_title() == "component x, 1: 3 vertices, 2 edges"
    labels = found.plot("largest").get_yticklabels()
    assert [label.get_text() for label in labels] == ["x, 1"]


@pytest.mark.extended
def test_ids_never_overlap_and_the_title_counts_those_without_room():
    ids = np.array([f"account {k:020d}" for k in range(60)])
    path = ids[:-1], ids[1:]
    axes = components(path).plot("component", path)
    axes.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(box.count_overlaps(boxes[:k]) for k, box in enumerate(boxes))
    hidden = 60 - len(boxes)
    assert 0 < hidden < 60
    assert axes.get_title().endswith(f"60 vertices, 59 edges; {hidden} of 60 ids have no room")


@pytest.mark.slow
def test_many_vertices_are_drawn_and_too_many_not_at_all():
    path = np.arange(59), np.arange(1, 60)
    axes = components(path).plot("component", path)
    assert sum(line.get_xdata().size for line in axes.lines if line.get_linestyle() != "-") == 60
    path = np.arange(999), np.arange(1, 1000)
    with pytest.raises(cc_rapids.InputError, match="1,000 vertices, but at most 100 can be drawn"):
        components(path).plot("component", path)
    assert len(mpl.pyplot.get_fignums()) == 1


def test_growth_has_a_line_for_each_of_what_all_steps_know():
    seen = Connectivity(num_vertices=4)
    steps = [seen.components(), *(seen.insert(([u], [3])).components() for u in (0, 1))]
    axes = plots.growth(steps)
    assert [line.get_label() for line in axes.lines] == [
        "vertices",
        "components",
        "largest component",
    ]
    ys = [line.get_ydata().tolist() for line in axes.lines]
    assert ys == [[4, 4, 4], [4, 3, 2], [1, 2, 3]]
    assert axes.lines[0].get_xdata().tolist() == [0, 1, 2]
    assert len(set(styles(axes))) == 3


def test_growth_is_drawn_of_what_a_stream_reports():
    reports, chunks = [], (([k], [k + 1]) for k in range(3))
    cc_rapids.stream_components(chunks, progress=reports.append)
    axes = plots.growth(reports)
    assert [line.get_label() for line in axes.lines] == ["vertices", "components"]
    assert [points(line)[-1] for line in axes.lines] == [(3, 4), (3, 1)]


@pytest.mark.parametrize(
    ("device", "copy"), [("NVIDIA H100 80GB HBM3", 3.0e12), ("NVIDIA H200", 4.1e12)]
)
def test_times_stand_above_the_limits_of_the_card(device, copy):
    text = (ROOT / "benchmarks" / "records" / "main_job.jsonl").read_text()
    rows = [row for row in map(json.loads, text.splitlines()) if row["device"] == device]
    axes = plots.times(rows)
    lines = {line.get_label(): line for line in axes.lines}
    ours, limit = lines["cc_rapids"], lines["limit: the edges read once"]
    expected = sorted((row["m"], row["wall_ms"]["median"]) for row in rows)
    assert sorted(points(ours)) == expected
    assert len(points(lines["cuGraph: graph and components"])) == len(rows)
    per_edge = 1e3 * 8 / copy
    assert points(limit) == [(m, pytest.approx(m * per_edge)) for m in limit.get_xdata()]
    assert all(ms > m * per_edge for m, ms in points(ours))
    assert len(set(styles(axes))) == len(axes.lines)


def test_times_of_one_graph_are_joined_and_other_devices_have_no_limits():
    rows = [{"m": m, "wall_ms": m / 10, "scipy_ms": m} for m in (30, 10, 20)]
    axes = plots.times(rows)
    assert [line.get_label() for line in axes.lines] == ["cc_rapids", "SciPy"]
    assert points(axes.lines[0]) == [(10, 1), (20, 2), (30, 3)]
    assert "None" not in {line.get_linestyle() for line in axes.lines}


def test_a_card_reads_faster_from_a_table_that_fits_into_its_cache():
    card = CARDS["NVIDIA H100 80GB HBM3"]
    assert card.labels_ms(127_000_000, 1 << 20) == pytest.approx(2)
    assert card.labels_ms(127_000_000, 1 << 26) == pytest.approx(2 * 127 / 49)
    assert card.stream_ms(3_000_000_000) == pytest.approx(8)


def test_a_plot_goes_to_axes_that_are_given():
    _, (left, right) = mpl.pyplot.subplots(1, 2)
    found = components(FRAMES["arrays"](TABLE))
    assert found.plot(axes=left) is left
    assert plots.largest(found, axes=right) is right


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda found: found.plot("size"), "unknown plot 'size': did you mean 'sizes'"),
        (lambda found: found.plot("largest", 0), "maximum number of components to draw, not 0"),
        (lambda found: found.plot("component", TABLE, 3), "3 is not a label"),
        (lambda found: plots.component(components(([], [])), ([], [])), "no component to draw"),
        (lambda found: plots.growth([]), "at least one snapshot"),
        (lambda found: plots.times([]), "there are no records"),
        (lambda found: plots.times([{"m": 1, "device": d} for d in "ab"]), "but they are of a, b"),
    ],
)
def test_what_cannot_be_drawn_says_so_and_leaves_no_figure(draw, words):
    with pytest.raises(cc_rapids.InputError, match=words):
        draw(components(FRAMES["arrays"](TABLE)))
    assert mpl.pyplot.get_fignums() == []


@pytest.mark.slow
@some(
    ("library", "call"),
    [("matplotlib", "plot()"), ("networkx", "plot('component', edges)")],
    usual=[("matplotlib", "plot()")],
)
def test_without_the_library_the_error_names_the_extra(library, call):
    code = (
        f"import sys; sys.modules[{library!r}] = None; import cc_rapids; edges = ([1], [2])\n"
        f"try: cc_rapids.components(edges).{call}\n"
        "except cc_rapids.MissingExtraError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install '.[plot]'" in ran.stdout
    assert library in ran.stdout


def test_answers_at_thresholds_are_drawn_as_others():
    weighted = pd.DataFrame(TABLE).assign(weight=[9, 9, 9, 8, 8, 8])
    cuts = components_at(weighted, thresholds=[9, 8])
    assert points(cuts.at(9).plot().lines[0]) == [(1, 5), (3, 1)]


STRANGE = ["<script>alert('1')</script>", '"a" & <b>', "$\\frac$", "$5 and $6", "_hidden", "a--b"]


def texts_of(axes):
    """What is written in a picture in SVG, which has to be well-formed and to hold no script."""
    drawn = BytesIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        axes.figure.savefig(drawn, format="svg")
    root = ElementTree.fromstring(drawn.getvalue())
    assert not [node for node in root.iter() if str(node.tag).endswith("script")]
    assert b"<script" not in drawn.getvalue()
    return ["".join(node.itertext()) for node in root.iter() if str(node.tag).endswith("text")]


@pytest.mark.parametrize("kind", ["component", "largest"])
def test_ids_are_drawn_as_they_are(kind):
    """Neither markup nor formulas: a $ in an id used to end in an error, or in italics."""
    frame = pd.DataFrame({"src": STRANGE[:-1], "dst": STRANGE[1:]})
    found = components(frame, labels="max" if kind == "largest" else "min")
    given = (frame,) if kind == "component" else ()
    written = texts_of(found.plot(kind, *given))
    named = STRANGE if kind == "component" else [max(STRANGE)]
    assert set(named) <= set(written)


def test_names_in_charts_are_drawn_as_they_are():
    from cc_rapids.tools import charts

    figure = charts.bars(STRANGE, {"$x$": [1] * 6, "<b>": [2] * 6}, "ms")
    assert {*STRANGE, "$x$", "<b>"} <= set(texts_of(figure.axes[0]))
    figure = charts.lines({"$x$": [(1, 2)], "<b>": [(2, 1)]}, "edges", "ms")
    assert {"$x$", "<b>"} <= set(texts_of(figure.axes[0]))


WEIGHED = {"src": [1, 2, 3, 8, 20], "dst": [2, 3, 4, 9, 20], "w": [0.5, 0.25, 0.75, 0.5, 1]}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_dendrogram_has_a_line_for_each_merge(kind, engine):
    options = {"weight": "w", "engine": engine}
    axes = components(kind(WEIGHED), forest="max", **options).dendrogram().plot()
    one, other = ([line.tolist() for line in lines.get_segments()] for lines in axes.collections)
    base = 0.75 + 0.5 / 20
    assert one == [
        [[0, base], [0, 0.75], [1, 0.75], [1, base]],
        [[2, base], [2, 0.5], [3, 0.5], [3, base]],
        [[0.5, 0.75], [0.5, 0.25], [2.5, 0.25], [2.5, 0.5]],
    ]
    assert other == [[[5, base], [5, 0.5], [6, 0.5], [6, base]]]
    names = [label.get_text() for label in axes.get_xticklabels()]
    assert names == ["3", "4", "1", "2", "8", "9"]
    assert axes.yaxis_inverted()
    words = [text.get_text() for text in axes.texts]
    assert words == ["1: 4 vertices", "8: 2 vertices"]
    axes = components(kind(WEIGHED), forest="min", **options).dendrogram().plot(count=1)
    assert len(axes.collections) == 1
    assert axes.get_ylim()[0] == 0
    assert not axes.yaxis_inverted()


def test_a_truncated_dendrogram_is_that_of_scipy():
    random, n = np.random.default_rng(3), 60
    ends = np.arange(1, n), random.integers(0, np.arange(1, n))
    tree = components(ends, weight=random.permutation(n - 1) + 1, forest="min").dendrogram()
    axes = tree.plot(leaves=7)
    right = hierarchy.dendrogram(tree.linkage(), p=7, truncate_mode="lastp", no_plot=True)
    own = [line.tolist() for line in axes.collections[0].get_segments()]
    theirs = [
        [[(x - 5) / 10, y] for x, y in zip(*line, strict=True)]
        for line in zip(right["icoord"], right["dcoord"], strict=True)
    ]
    assert sorted(own) == sorted(theirs)
    assert [label.get_text() for label in axes.get_xticklabels()] == right["ivl"]


def test_ids_of_strings_and_of_several_columns_are_leaves():
    kinds = pd.DataFrame({"a": ["x", "x"], "b": [1, 2], "c": ["y", "y"], "d": [1, 1], "w": [3, 4]})
    found = components(kinds, ["a", "b"], ["c", "d"], weight="w", forest="max")
    axes = found.dendrogram().plot()
    names = {label.get_text() for label in axes.get_xticklabels()}
    assert names == {"x, 1", "x, 2", "y, 1"}
    assert axes.texts[0].get_text() == "0: 3 vertices"


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_curve_has_three_lines(kind, engine):
    tree = components(kind(WEIGHED), weight="w", forest="max", engine=engine).dendrogram()
    axes = tree.plot("curve")
    assert [points(line) for line in axes.lines] == [
        [(0.75, 1), (0.5, 4 / 6), (0.25, 3 / 6)],
        [(0.75, 2 / 4), (0.5, 2 / 4), (0.25, 1)],
        [(0.75, 5 / 9), (0.5, 1), (0.25, 5 / 9)],
    ]
    assert axes.xaxis_inverted()
    assert len(set(styles(axes))) == 3


def test_a_curve_of_many_thresholds_is_drawn_with_its_peak():
    random, n = np.random.default_rng(3), 9000
    ends = tuple(random.integers(0, n, (2, n)))
    tree = components(ends, weight=random.permutation(n), forest="min").dendrogram()
    axes = tree.plot("curve")
    assert all(line.get_xdata().size <= 2001 for line in axes.lines)
    assert axes.lines[2].get_ydata().max() == 1
    assert f"of {tree.curve().susceptibility.max():.3g}" in axes.lines[2].get_label()


@pytest.mark.parametrize(
    ("weight", "arguments", "words"),
    [
        ([1, 2], {"kind": "lines"}, "unknown plot 'lines': one of"),
        ([1, 2], {"count": 0}, "count= must be a count of at least 1, not 0"),
        ([1, 2], {"leaves": 1.5}, "leaves= must be a count of at least 2, not 1.5"),
        ([1, np.inf], {}, "merged at an infinite weight"),
    ],
)
def test_dendrograms_that_cannot_be_drawn(weight, arguments, words):
    edges = ([1, 2], [2, 3])
    tree = components(edges, weight=np.array(weight), forest="min").dendrogram()
    with pytest.raises(cc_rapids.CcRapidsError, match=words):
        tree.plot(**arguments)


@pytest.mark.parametrize("kind", ["dendrogram", "curve"])
def test_single_vertices_have_no_dendrogram(kind):
    tree = components(([7], [7]), weight=np.array([1]), forest="min").dendrogram()
    with pytest.raises(cc_rapids.InputError, match="to draw: all components are single vertices"):
        tree.plot(kind)
