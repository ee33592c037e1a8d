"""Fill the page on the design space with tables, and draw its figures, from the records."""

import math
import pathlib

import design_tables as tables
import report

from cc_rapids import designs
from cc_rapids.algorithms import design as listing
from cc_rapids.tools import charts
from cc_rapids.tools.charts import bars, beside

ROOT = pathlib.Path(__file__).parent.parent
PAGE = ROOT / "docs" / "design-space.md"
PLAIN = {"list": ("none", "list"), "rows": ("none", "rows")}


def main():
    """Make the figures, then the page that shows those there are."""
    args, folder = report.page_arguments(__doc__, PAGE)
    space = tables.Space(args.records)
    for name, (draw, words) in FIGURES.items():
        with charts.styled():
            figure = report.titled(draw(space), words)
        if figure:
            charts.save(figure, folder / f"{name}.svg")
    report.fill(args.page, contents(space, folder))


def contents(space, folder):
    """Return what stands between the marks of the page."""
    made = {
        "times": lambda: tables.times(space),
        "winners": lambda: tables.winners(space),
        "left_out": lambda: tables.left_out(space),
        "sampling": lambda: tables.sampling(space),
        "counting": lambda: tables.counting(space),
        "ablation": lambda: tables.ablation(space),
        "batches": lambda: tables.batches(space),
        "count": count,
        "designs": listing.markdown,
    }
    return made | {f"figure {name}": picture(name, folder) for name in FIGURES}


def picture(name, folder):
    """Show a figure if it is there."""

    def make():
        there = (folder / f"{name}.svg").exists()
        return f"![{FIGURES[name][1]}](figures/{name}.svg)" if there else ""

    return make


def count():
    """Return how many designs there are, by their parts."""
    known = designs()
    staged = [design for design in known if design.words[0].spec.meta]
    samples = {design.sample for design in known if design not in staged}
    after = {(d.link, d.compress) for d in known if d.sample != "none" and d not in staged}
    alone = [f"`{d.link}`" for d in known if d.sample == "none" and d.words[1].spec.standalone]
    return (
        f"There are {len(known)} designs with default options: {len(samples)} samples (none among"
        f" them) times {len(after)} rules for what they leave, {len(alone)} that take no sample"
        f" ({', '.join(alone)}), and {len(staged)} that `stages` calls."
    )


def ratio(run, other):
    """Return how many times longer one run takes than another, or None."""
    if run is None or other is None:
        return None
    return tables.milliseconds(run) / tables.milliseconds(other)


def steps(space):
    """Figure 2 of the paper."""
    times = {(row["graph"], row["step"]): row for row in space.steps if "ms" in row}
    series = {
        words: [ratio(times.get((g, step)), times.get((g, "none"))) for g in space.graphs]
        for step, words in tables.STEPS.items()
    }
    return bars(space.graphs, series, "time, none of the three = 1", line=1) if times else None


def slowdowns(rules, log):
    """Return a figure of the slowdown of rules over the fastest union rule, without a sample."""

    def draw(space):
        group = PLAIN["list"]
        series = {}
        for rule in rules:
            runs = [space.best(graph, group, (rule,)) for graph in space.graphs]
            fastest = [space.best(graph, group, tables.UNIONS) for graph in space.graphs]
            if any(runs):
                series[rule] = [ratio(*pair) for pair in zip(runs, fastest, strict=True)]
        series = report.foremost(series, slowness, least=True)
        return bars(space.graphs, series, "times the fastest", log, 1) if series else None

    return draw


def slowness(ratios):
    """Return how slow a rule is on all graphs together: as the mean of logarithms."""
    known = [math.log(ratio) for ratio in ratios if ratio is not None]
    return sum(known) / len(known) if known else math.inf


def gains(space):
    """Figure 5 of the paper."""
    series = {}
    for group in space.groups():
        sample, form = group
        if sample != "none":
            pairs = [(space.best(g, PLAIN[form]), space.best(g, group)) for g in space.graphs]
            series[f"{sample}, {form}"] = [ratio(*pair) for pair in pairs]
    return bars(space.graphs, series, "times faster than without", True, 1) if series else None


def inspected(space):
    """Figure 6 of the paper: the sample's entries below, those of the rest on top."""
    rows = {
        (row["graph"], row["sample"]): row
        for row in space.samples
        if "entries" in row and "(" not in row["sample"]  # options read as much as the defaults
    }
    samples = list(dict.fromkeys(sample for _, sample in rows))
    if not rows:
        return None
    first = {s: [share(rows.get((g, s)), "sample_entries") for g in space.graphs] for s in samples}
    figure = bars(space.graphs, first, "entries read / all")
    axes, width = figure.axes[0], 0.8 / len(samples)
    for k, sample in enumerate(samples):
        places = [i + (k - (len(samples) - 1) / 2) * width for i in range(len(space.graphs))]
        rest = [share(rows.get((g, sample)), "finish_entries") for g in space.graphs]
        label = "after the sample" if k == len(samples) - 1 else None
        axes.bar(places, rest, width, first[sample], label=label, facecolor="white",
                 edgecolor="black", linewidth=0.6)  # fmt: skip
    beside(axes)
    return figure


def share(row, part):
    """Return a part of the entries, or none of them."""
    return row[part] / row["entries"] if row else 0.0


def rates(along, label):
    """Return a figure of the rows a second of each design, along one of the measured facts."""

    def draw(space):
        mixed = along == "inserts_a_query"
        rows = [row for row in space.batches if ("inserts_a_query" in row) == mixed]
        rows = [row for row in rows if "rows_per_s" in row]
        if not rows:
            return None
        series = {}
        for row in rows:
            name = tables.called(row).replace("`", "")
            series.setdefault(name, []).append((row[along], row["rows_per_s"]))
        series = report.foremost(series, lambda points: max(rate for _, rate in points))
        return charts.lines(series, label, "rows a second", log="xy")

    return draw


FIGURES = {
    "options-of-k-out": (steps, "Time of k-out with its options on one after the other"),
    "union-rules": (
        slowdowns(tables.UNIONS, False),
        "Slowdown of the five fastest union rules over the fastest on each graph",
    ),
    "rounds": (slowdowns(tables.ROUNDS, True), "Slowdown of rounds over the fastest union rule"),
    "samples": (gains, "Speed with each sample over that without, best designs of both"),
    "entries": (
        inspected,
        "Share of the entries that each sample reads, and of those read after it",
    ),
    "batches": (
        rates("batch", "edges a batch"),
        "Edges inserted a second by size of batches, the five fastest designs",
    ),
    "queries": (
        rates("inserts_a_query", "inserts a query"),
        "Rows a second by share of queries, the five fastest designs",
    ),
}

if __name__ == "__main__":
    main()
