"""Fill the page on the papers' experiments, and draw its figures, from the records."""

import pathlib

import paper_tables as tables
import report

from cc_rapids.tools import charts

ROOT = pathlib.Path(__file__).parent.parent
PAGE = ROOT / "docs" / "papers.md"


def main():
    """Make the figures, then the page that shows those there are."""
    args, folder = report.page_arguments(__doc__, PAGE)
    for experiment in tables.SECTIONS:
        runs = tables.Runs(args.records, experiment)
        for name, (draw, words) in FIGURES[experiment].items() if runs else ():
            figure = report.titled(draw(runs), words)
            if figure:
                charts.save(figure, folder / f"{name}.svg")
    report.fill(args.page, contents(args.records, folder))


def contents(folder, figures):
    """Return what stands between the marks of the page.

    Of an experiment without records there is nothing.
    """
    return {name: section(name, folder, figures) for name in tables.SECTIONS}


def section(name, folder, figures):
    """Return the table of an experiment, its figures, and what both stand on."""

    def make():
        runs = tables.Runs(folder, name)
        if not runs:
            return "Not measured yet on this version: `python benchmarks/papers.py`."
        parts = tables.SECTIONS[name](runs)
        for figure, (_, words) in FIGURES[name].items():
            if (figures / f"{figure}.svg").exists():
                parts.append(f"![{words}](figures/{figure}.svg)")
        return "\n\n".join([*parts, runs.footing()])

    return make


def steps(runs):
    """Sutton's Figure 5."""
    series = {
        words: [runs.ratio(graph, "soman", name) for graph in runs.graphs]
        for name, words in tables.STEPS.items()
        if name != "soman"
    }
    return (
        charts.bars(runs.graphs, series, "times faster than Soman", line=1) if runs.times else None
    )


def segments(runs):
    """Sutton's Figure 6."""
    series = {}
    for graph in runs.graphs:
        swept = runs.sweep(graph)
        if len(swept) > 1:
            degree = 2 * runs.size(graph)["m"] / runs.size(graph)["n"]
            points = [(count, swept[1] / spent) for count, spent in swept.items()]
            series[f"{graph}, 2m/n = {degree:.0f}"] = points
    label = "times faster than one segment"
    return charts.lines(series, "segments", label, log="x", line=1) if series else None


def ranking(runs):
    """Figures 5, 6 and part of 7 of Cong and Muzio."""
    series = {
        words: [runs.times.get((graph, name)) for graph in runs.graphs]
        for name, words in {**tables.RANKED, tables.OURS: tables.OURS}.items()
    }
    return charts.bars(runs.graphs, series, "milliseconds") if runs.times else None


def by_stages(runs):
    """Figures 3 and 4 of Cong and Muzio."""
    series = {
        words: [runs.ratio(graph, name, f"stages+{name}") for graph in runs.graphs]
        for name, words in tables.CALLED.items()
    }
    return (
        charts.bars(runs.graphs, series, "times faster by Stages", line=1) if runs.times else None
    )


def over_density(designs, engines=("cuda", "threads"), kinds=("device",), largest=False):
    """Return a figure of times over density, a line for each design, engine, memory and size."""

    def draw(runs):
        found = [row for row in runs.rows if "wall_ms" in row and row["right"]]
        there = {row["engine"] for row in found}
        shown = there.intersection(engines) or there
        most = max((row["n"] for row in found), default=0)
        several = len({row["n"] for row in found}) > 1 and not largest
        series = {}
        for row in found:
            wanted = row["design"] in designs and row["engine"] in shown
            if wanted and row["memory"] in kinds and (row["n"] == most or not largest):
                words = [row["design"], row["engine"] if len(kinds) == 1 else row["memory"]]
                words += [f"{row['n']:,}"] if several else []
                point = row["density"], row["wall_ms"]["median"]
                series.setdefault(", ".join(words), []).append(point)
        return charts.lines(series, "density", "milliseconds", log="xy") if series else None

    return draw


def over_device(runs):
    """Figures 2 and 3 of Lehr et al.: other kinds of memory over the device's."""
    found = [row for row in runs.rows if "wall_ms" in row and row["right"]]
    times = {
        (row["design"], row["n"], row["density"], row["memory"]): row["wall_ms"]["median"]
        for row in found
        if row["engine"] == "cuda"
    }
    most = max((n for _, n, _, _ in times), default=0)
    series = {}
    for (design, n, density, kind), spent in times.items():
        usual = times.get((design, n, density, "device"))
        if kind != "device" and usual and n == most:
            series.setdefault(f"{design}, {kind}", []).append((density, usual / spent))
    label = "times faster than device memory"
    return charts.lines(series, "density", label, log="x", line=1) if series else None


def by_threads(graph):
    """Return a panel of Balduzzi's Figure 1."""

    def draw(runs):
        series = {}
        for row in runs.rows:
            if row.get("graph") == graph and "ms" in row:
                point = row["threads"], row["ms"]["median"]
                series.setdefault(tables.way(row), []).append(point)
        across = f"threads or processes, {graph}"
        return charts.lines(series, across, "milliseconds", log="y") if series else None

    return draw


OWNER, LISTS = "owner", "owner(output=lists)"
KINDS = "device", "pinned", "zero-copy"
ALL = (OWNER, LISTS, "dense", "matrix-fixpoint", "auto")
FIGURES = {
    "sutton": {
        "sutton-steps": (steps, "Speed-up over Soman by each step"),
        "sutton-segments": (segments, "Speed-up over one segment by the number of segments"),
    },
    "cong": {
        "cong-ranking": (ranking, "Times of CC, CC-updt, Stages and Rem"),
        "cong-stages": (by_stages, "Speed-up by Stages over what it calls"),
    },
    "lehr": {
        "lehr-owner": (
            over_density((OWNER, LISTS), largest=True),
            "Owners: time over density, most vertices",
        ),
        "lehr-memory": (
            over_device,
            "Speed with pinned and zero-copy memory over the device's",
        ),
        "lehr-dense": (over_density(("dense",)), "Dense matrix: time over density"),
        "lehr-dense-memory": (
            over_density(("dense",), ("cuda",), KINDS, True),
            "Dense matrix: kinds of memory",
        ),
        "lehr-fixpoint": (over_density(("matrix-fixpoint",)), "Fixed point: time over density"),
        "lehr-all": (
            over_density(ALL, ("cuda",), largest=True),
            "All of them on a GPU: time over density, most vertices",
        ),
    },
    "balduzzi": {
        f"balduzzi-{graph}": (by_threads(graph), f"Time by threads, {graph} graph")
        for graph in ("dense", "medium", "sparse")
    },
}

if __name__ == "__main__":
    main()
