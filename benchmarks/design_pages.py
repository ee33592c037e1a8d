"""The tables and figures of docs/design-space.md."""

import collections
import math
from functools import partial

import harness
import pages
from harness import like_last, newest
from pages import table

from cc_rapids import designs
from cc_rapids.algorithms import design as listing
from cc_rapids.tools import charts

GROUPS = {
    ("none", "list"): "No sample, edge list",
    ("strided", "list"): "Every fifth block of edges (`strided`), edge list",
    ("none", "rows"): "No sample, rows",
    ("kout", "rows"): "First two neighbours (`kout`), rows",
    ("kout(pick=random)", "rows"): "Two neighbours, one at random (`kout(pick=random)`), rows",
    ("hook", "rows"): "Hooks first (`hook`), rows",
    ("bfs", "rows"): "A search first (`bfs`), rows",
}
COUNTED = {
    "exactly": "exact for {}",
    "at most": "an upper bound for {}, because the sample skips the row of a root that"
    " another thread has hooked",
    "on paper": "an estimate for {}: a top-down search reads every entry of the vertices that it"
    " reaches, and a bottom-up search stops earlier",
}
UNIONS = ("early", "hooks", "async", "rem-cas", "rem-lock", "jtb", "ecl", "afforest")
ROUNDS = ("liu-tarjan", "shiloach-vishkin", "stergiou", "label-propagation")
RULES = (*UNIONS, *ROUNDS, "bfs-cc")
STEPS = {
    "none": "no optimisation",
    "coalesce": "+ coalesce",
    "reorganise": "+ reorganise",
    "gather": "+ gather",
}


class Space:
    """The newest measurements of an engine: of one device and one commit."""

    def __init__(self, folder, engine="cuda"):
        def of(name, *key):
            rows = [row for row in harness.load(name, folder) if row["engine"] == engine]
            return newest(like_last(rows, "device", "commit"), *key)

        self.runs = of("design_space", "graph", "form", "design")
        self.samples = of("design_sampling", "graph", "sample")
        steps = of("design_ablation", "graph", "step")
        self.timed = {(row["graph"], row["step"]): row for row in steps if "ms" in row}
        there = {(row["sample"], row["form"]) for row in self.runs}
        self.groups = [group for group in GROUPS if group in there]
        self.batches = of("design_stream", "design", "batch", "at_once", "inserts_a_query")

    @property
    def graphs(self):
        """The graphs, sorted by edges per vertex."""
        sizes = {row["graph"]: row["m"] / row["n"] for row in (*self.runs, *self.samples)}
        return sorted(sizes, key=sizes.get)

    def best(self, graph, group, rules=RULES):
        """Return the fastest run of ``rules`` in a group whose labels are right, or None."""
        runs = [
            row
            for row in self.runs
            if row["graph"] == graph
            and (row["sample"], row["form"]) == group
            and row["link"] in rules
            and row.get("right")
        ]
        return min(runs, key=milliseconds, default=None)


def contents(folder):
    """Return the tables of the page."""
    space = Space(folder)
    tables = times, winners, left_out, sampling, counting, ablation, batches
    made = {make.__name__: partial(make, space) for make in tables}
    made |= {"count": count, "designs": lambda: listing.markdown(listing.rows())}
    for name, (_, words) in FIGURES.items():
        path = pages.DOCS / "figures" / f"{name}.svg"
        made[f"figure {name}"] = partial(pages.picture, path, words)
    return made


def draw(folder, figures):
    """Draw the figures of the page."""
    space = Space(folder)
    for name, (make, words) in FIGURES.items():
        with charts.styled():
            pages.save(make(space), figures / f"{name}.svg", words)


def milliseconds(row):
    """Return the median of a run."""
    return row["ms"]["median"]


def times(space):
    """Return Table 2 of the paper: the fastest design of each sample and rule on each graph."""
    graphs, lines = space.graphs, []
    fastest = {
        graph: min(filter(None, (space.best(graph, g) for g in GROUPS)), key=milliseconds)
        for graph in graphs
    }
    for group in space.groups:
        lines.append([f"**{GROUPS[group]}**", *[""] * len(graphs)])
        bests = {graph: space.best(graph, group) for graph in graphs}
        links = {row["link"] for row in space.runs if (row["sample"], row["form"]) == group}
        lines += [
            [rule, *(cell(space.best(g, group, (rule,)), bests[g], fastest[g]) for g in graphs)]
            for rule in filter(links.__contains__, RULES)
        ]
    return f"{table(['milliseconds', *graphs], lines)}\n\n{footing(space)}"


def cell(run, best, fastest):
    """Return the cell of a time: bold if the best of its group, with a star if the best of all."""
    if run is None:
        return "-"
    text = f"{milliseconds(run):.3g}"
    return f"**{text}**" + " ★" * (run is fastest) if run is best else text


def footing(space):
    """Describe the device, date and versions of the times."""
    last, wrong = space.runs[-1], [row for row in space.runs if row.get("right") is False]
    measured = [row for row in space.runs if "ms" in row]
    verdict = (
        "After the timing, the labels of each run were compared with the first design's, and all"
        " were equal."
        if not wrong
        else f"{len(wrong)} runs returned other labels and are left out:"
        f" {', '.join(sorted({row['design'] for row in wrong}))}."
    )
    kind = "Device time, measured by events" if last["engine"] == "cuda" else "Wall time"
    return (
        f"{kind} on prepared arrays, without the time to make rows. Times are medians of up to"
        f" {max(row['ms']['runs'] for row in measured)} runs on one {pages.dated(last)}. Bold"
        " marks the fastest design of a group, and ★ the fastest of all. A design marked - was"
        " not run (see below)."
        f" {len(measured):,} runs of {len({row['design'] for row in measured})} designs were timed."
        f" {verdict}"
    )


def winners(space):
    """Return the fastest design of each group on each graph, by name."""
    cells = {"fastest after the sample": GROUPS.get}
    for graph in space.graphs:
        cells[graph] = lambda group, graph=graph: (
            f"`{run['finish']}`" if (run := space.best(graph, group)) else "-"
        )
    return pages.columns(space.groups, cells, len(cells))


def left_out(space):
    """Return a table of the designs that were not run, with the reasons."""
    counts = collections.Counter(
        (row["graph"], reason_of(row)) for row in space.runs if "not_run" in row
    )
    lines = [[f"{graph}: {reason}", str(many)] for (graph, reason), many in counts.items()]
    return table(["not run, because", "designs"], lines)


def reason_of(row):
    """Return why a design was not run; records word the reason for ``bfs-cc`` in several ways."""
    searches = f"one search for each of {row['components']:,} components"
    return searches if row["link"] == "bfs-cc" else row["not_run"]


def sampling(space):
    """Return Table 3 of the paper: the time, coverage and remaining edges of each sample."""
    rows = [row for g in space.graphs for row in space.samples if row["graph"] == g and "ms" in row]
    lines = [
        [
            row["graph"],
            f"`{row['sample']}`",
            f"{row['sample_ms']:.3g}",
            percent(row["sample_ms"] / max(milliseconds(row), row["sample_ms"])),
            *map(percent, (row["coverage"], row["outside_giant"], row["between_trees"])),
            percent((row["sample_entries"] + row["finish_entries"]) / row["entries"]),
        ]
        for row in rows
    ]
    head = ["graph", "sample", "ms", "share of the run", "vertices in the giant"]
    head += ["edges not in the giant", "edges between trees", "entries read"]
    return table(head, lines, words=2)


def percent(share):
    """Return a share in per cent."""
    return f"{100 * share:.1f} %"


def counting(space):
    """Describe how the entries that a sample reads were counted."""
    samples = {}
    for row in space.samples:
        if "counted" in row:
            kind = COUNTED[row["counted"].partition(":")[0]]
            samples.setdefault(kind, {})[f"`{row['sample']}`"] = None
    each = ". It is ".join(kind.format(", ".join(names)) for kind, names in samples.items())
    return (
        f"The number of entries read is {each}. Measured on one {pages.dated(space.samples[-1])}."
    )


def ablation(space):
    """Return the table of the times of k-out as its options are added one by one."""
    times_of = space.timed
    lines = [
        [words, *(f"{milliseconds(times_of[graph, step]):.3g}" for graph in space.graphs)]
        for step, words in STEPS.items()
        if all((graph, step) in times_of for graph in space.graphs)
    ]
    head = ["milliseconds, `kout+async+halve`", *space.graphs]
    return f"{table(head, lines)}\n\nMeasured on one {pages.dated(list(space.timed.values())[-1])}."


def batches(space):
    """Return the table of millions of edges per second by batch size."""
    rows = [row for row in space.batches if "rows_per_s" in row and "inserts_a_query" not in row]
    counts = sorted({row["batch"] for row in rows})
    found = {(called(row), row["batch"]): f"{row['rows_per_s'] / 1e6:,.0f}" for row in rows}
    names = dict.fromkeys(called(row) for row in rows)
    lines = [[name, *(found.get((name, count), "-") for count in counts)] for name in names]
    sizes = (f"{n / 1e6:.3g} M" if n >= 1e6 else f"{n / 1e3:.3g} k" for n in counts)
    head = ["millions of edges per second, by batch size", *sizes]
    return f"{table(head, lines)}\n\nMeasured on one {pages.dated(rows[-1])}."


def called(row):
    """Return the name of a design of batches, marked if one call inserted all batches."""
    return f"`{row['design']}`" + (", all at once" if row.get("at_once") else "")


def count():
    """Return a sentence with the number of designs, by samples, rules and algorithms."""
    known = designs()
    staged = [design for design in known if design.words[0].spec.meta]
    samples = {design.sample for design in known if design not in staged}
    after = {(d.link, d.compress) for d in known if d.sample != "none" and d not in staged}
    alone = [f"`{d.link}`" for d in known if d.sample == "none" and d.words[1].spec.standalone]
    return (
        f"There are {len(known)} designs with default options. {len(samples)} samples (one of them"
        f" is none) times {len(after)} rules make {len(samples) * len(after)}. {len(alone)}"
        f" algorithms have no sample: {', '.join(alone)}. `stages`, which runs another algorithm"
        f" on groups of the edges in random order, adds {len(staged)}."
    )


def ratio(run, other):
    """Return the ratio of the times of two runs, or None."""
    if run is None or other is None:
        return None
    return milliseconds(run) / milliseconds(other)


def steps(space):
    """Draw Figure 2 of the paper."""
    runs = space.timed
    series = {
        words: [ratio(runs.get((g, step)), runs.get((g, "none"))) for g in space.graphs]
        for step, words in STEPS.items()
    }
    label = "time, no optimisation = 1"
    return charts.bars(space.graphs, series, label, line=1)


def slowdowns(rules, log, space):
    """Draw the slowdown of rules over the fastest, without sampling."""
    group, series = ("none", "list"), {}
    fastest = [space.best(graph, group, UNIONS) for graph in space.graphs]
    for rule in rules:
        runs = [space.best(graph, group, (rule,)) for graph in space.graphs]
        if any(runs):
            series[rule] = list(map(ratio, runs, fastest))
    series = pages.foremost(series, slowness, least=True)
    return charts.bars(space.graphs, series, "times the fastest", log, 1)


def slowness(ratios):
    """Return the mean logarithm of the slowdowns of a rule over all graphs."""
    known = [math.log(ratio) for ratio in ratios if ratio is not None]
    return sum(known) / len(known) if known else math.inf


def gains(space):
    """Draw Figure 5 of the paper."""
    series = {}
    for group in space.groups:
        sample, form = group
        if sample != "none":
            pairs = [(space.best(g, ("none", form)), space.best(g, group)) for g in space.graphs]
            series[f"{sample}, {form}"] = [ratio(*pair) for pair in pairs]
    label = "times faster than without a sample"
    return charts.bars(space.graphs, series, label, True, 1)


def inspected(space):
    """Draw Figure 6 of the paper: bars of sampled entries, with the remaining entries on top."""
    rows = {
        (row["graph"], row["sample"]): row
        for row in space.samples
        if "entries" in row and "(" not in row["sample"]  # options read as much as the defaults
    }
    samples = list(dict.fromkeys(sample for _, sample in rows))

    def shares(sample, part):
        found = [rows.get((graph, sample)) for graph in space.graphs]
        return [row[part] / row["entries"] if row else 0.0 for row in found]

    first = {sample: shares(sample, "sample_entries") for sample in samples}
    figure = charts.bars(space.graphs, first, "entries read / all")
    axes, width = figure.axes[0], 0.8 / len(samples)
    style = {"facecolor": "white", "edgecolor": "black", "linewidth": 0.6}
    for k, sample in enumerate(samples):
        places = [i + (k - (len(samples) - 1) / 2) * width for i in range(len(space.graphs))]
        rest = shares(sample, "finish_entries")
        label = "after the sample" if k == len(samples) - 1 else None
        axes.bar(places, rest, width, first[sample], label=label, **style)
    charts.place_legend(axes)
    return figure


def rates(along, label, space):
    """Draw the rows per second of each design over a measured quantity."""
    mixed, series = along == "inserts_a_query", {}
    for row in space.batches:
        if "rows_per_s" in row and ("inserts_a_query" in row) == mixed:
            point = row[along], row["rows_per_s"]
            series.setdefault(called(row).replace("`", ""), []).append(point)
    series = pages.foremost(series, lambda points: max(rate for _, rate in points))
    return charts.lines(series, label, "rows per second", log="xy")


FIGURES = {
    "options-of-k-out": (steps, "Time of k-out as its options are added"),
    "union-rules": (
        partial(slowdowns, UNIONS, False),
        "Slowdown of the five fastest union rules over the fastest on each graph",
    ),
    "rounds": (partial(slowdowns, ROUNDS, True), "Slowdown of rounds over the fastest union rule"),
    "samples": (gains, "Speed-up by each sample, fastest designs with and without it"),
    "entries": (inspected, "Share of the entries read by each sample and after it"),
    "batches": (
        partial(rates, "batch", "edges per batch"),
        "Edges inserted per second by batch size, five fastest designs",
    ),
    "queries": (
        partial(rates, "inserts_a_query", "insertions per query"),
        "Rows per second by share of queries, five fastest designs",
    ),
}
