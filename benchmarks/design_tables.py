"""Tables of the design space, from its records."""

import collections

import records

GROUPS = {
    ("none", "list"): "No sample, edge list",
    ("strided", "list"): "Every fifth block (`strided`), edge list",
    ("none", "rows"): "No sample, rows",
    ("kout", "rows"): "First two neighbours (`kout`), rows",
    ("kout(pick=random)", "rows"): "Two neighbours, one by chance (`kout(pick=random)`), rows",
    ("hook", "rows"): "Hooks first (`hook`), rows",
    ("bfs", "rows"): "A search first (`bfs`), rows",
}
UNIONS = ("early", "hooks", "async", "rem-cas", "rem-lock", "jtb", "ecl", "afforest")
ROUNDS = ("liu-tarjan", "shiloach-vishkin", "stergiou", "label-propagation")
RULES = (*UNIONS, *ROUNDS, "bfs-cc")
STEPS = {
    "none": "none of the three",
    "coalesce": "neighbouring threads share a row",
    "reorganise": "and swap its entries",
    "gather": "and rows outside are listed",
}


class Space:
    """The newest measurements, all of one device and commit."""

    def __init__(self, folder=records.HERE):
        self.runs = newest(folder, "design_space", "graph", "form", "design")
        self.samples = newest(folder, "design_sampling", "graph", "sample")
        self.steps = newest(folder, "design_ablation", "graph", "step")
        self.batches = newest(
            folder, "design_stream", "design", "batch", "at_once", "inserts_a_query"
        )

    @property
    def graphs(self):
        """The graphs, by edges a vertex."""
        sizes = {row["graph"]: row["m"] / row["n"] for row in (*self.runs, *self.samples)}
        return sorted(sizes, key=sizes.get)

    def best(self, graph, group, rules=RULES):
        """Return the fastest right run of some rules in a group, or None."""
        runs = [
            row
            for row in self.runs
            if row["graph"] == graph
            and (row["sample"], row["form"]) == group
            and row["link"] in rules
            and row.get("right")
        ]
        return min(runs, key=milliseconds, default=None)

    def groups(self):
        """Return the groups of which there are records."""
        there = {(row["sample"], row["form"]) for row in self.runs}
        return [group for group in GROUPS if group in there]


def newest(folder, name, *key):
    """Return the last record of each key, of the device and commit measured last."""
    rows = records.load(name, folder)
    last = rows[-1] if rows else None
    kept = [row for row in rows if all(row[k] == last[k] for k in ("device", "commit"))]
    return list({tuple(row.get(k) for k in key): row for row in kept}.values())


def milliseconds(row):
    """Return the median of a run."""
    return row["ms"]["median"]


def table(head, lines, words=1):
    """Return a Markdown table; the columns after the first ``words`` are numbers."""
    rule = ["---"] * words + ["--:"] * (len(head) - words)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *lines))


def times(space):
    """Table 2 of the paper: for each sample and rule the fastest find or letters, on each graph."""
    if not space.runs:
        return ""
    fastest = {
        graph: min(filter(None, (space.best(graph, g) for g in GROUPS)), key=milliseconds)
        for graph in space.graphs
    }
    lines = []
    for group in space.groups():
        lines.append([f"**{GROUPS[group]}**", *[""] * len(space.graphs)])
        bests = {graph: space.best(graph, group) for graph in space.graphs}
        links = {row["link"] for row in space.runs if (row["sample"], row["form"]) == group}
        for rule in filter(links.__contains__, RULES):
            cells = [cell(space.best(graph, group, (rule,)), bests[graph], fastest[graph])
                     for graph in space.graphs]  # fmt: skip
            lines.append([rule, *cells])
    return "\n".join([table(["milliseconds", *space.graphs], lines), "", footing(space)])


def cell(run, best, fastest):
    """Return a time, bold if it is the best of its group, and starred if of all."""
    if run is None:
        return "-"
    text = f"{milliseconds(run):.3g}"
    return f"**{text}**" + " ★" * (run is fastest) if run is best else text


def footing(space):
    """Return what the times stand on, in words."""
    last, wrong = space.runs[-1], [row for row in space.runs if row.get("right") is False]
    measured = [row for row in space.runs if "ms" in row]
    verdict = (
        "The labels of each were compared with the first design's after the timing: all were equal."
        if not wrong
        else f"{len(wrong)} runs gave other labels and are left out:"
        f" {', '.join(sorted({row['design'] for row in wrong}))}."
    )
    kind = "Device time, by events" if last["engine"] == "cuda" else "Wall time"
    return (
        f"{kind}, on prepared arrays, without making the rows; median of up to"
        f" {max(row['ms']['runs'] for row in measured)} runs, one {last['device']},"
        f" {records.dated(last)}. Bold: the best of its group; ★: the best of all;"
        f" -: not run, see below. {len(measured):,} runs of"
        f" {len({row['design'] for row in measured})} designs. {verdict}"
    )


def winners(space):
    """Return the fastest design of each group on each graph, by name."""
    if not space.runs:
        return ""
    lines = []
    for group in space.groups():
        bests = [space.best(graph, group) for graph in space.graphs]
        names = [f"`{run['finish']}`" if run else "-" for run in bests]
        lines.append([GROUPS[group], *names])
    head = ["fastest after the sample", *space.graphs]
    return table(head, lines, words=len(head))


def left_out(space):
    """Designs that were not run, and why."""
    counts = collections.Counter(
        (row["graph"], row["not_run"]) for row in space.runs if "not_run" in row
    )
    lines = [[f"{graph}: {reason}", str(count)] for (graph, reason), count in counts.items()]
    return table(["not run, because", "designs"], lines) if lines else ""


def sampling(space):
    """Table 3 of the paper: what each sample takes, covers and leaves."""
    lines = []
    for graph in space.graphs:
        for row in space.samples:
            if row["graph"] == graph and "ms" in row:
                lines.append([
                    graph,
                    f"`{row['sample']}`",
                    f"{row['sample_ms']:.3g}",
                    percent(row["sample_ms"] / max(milliseconds(row), row["sample_ms"])),
                    percent(row["coverage"]),
                    percent(row["outside_giant"]),
                    percent(row["between_trees"]),
                    percent((row["sample_entries"] + row["finish_entries"]) / row["entries"]),
                ])  # fmt: skip
    head = ["graph", "sample", "ms", "of the time", "vertices inside", "edges not inside",
            "edges between trees", "entries read"]  # fmt: skip
    return table(head, lines, words=2) if lines else ""


def percent(share):
    """Return a share in per cent."""
    return f"{100 * share:.1f} %"


def counting(space):
    """Return how the entries that a sample reads were counted, in words."""
    kinds = {row["sample"]: row["counted"] for row in space.samples if "counted" in row}
    each = [f"`{sample}`: {how}" for sample, how in kinds.items()]
    said = f"Entries read are counted. {'; '.join(each)}. " if each else ""
    return said + when(space.samples) if space.samples else ""


def when(rows):
    """Return where and when the last record of a part was made."""
    return f"Measured on one {rows[-1]['device']}, {records.dated(rows[-1])}."


def ablation(space):
    """Return the options of k-out, switched on one after the other."""
    times_of = {(row["graph"], row["step"]): row for row in space.steps if "ms" in row}
    lines = [
        [words, *(f"{milliseconds(times_of[graph, step]):.3g}" for graph in space.graphs)]
        for step, words in STEPS.items()
        if all((graph, step) in times_of for graph in space.graphs)
    ]
    if not lines:
        return ""
    head = ["milliseconds, `kout+async+halve`", *space.graphs]
    return "\n".join([table(head, lines), "", when(space.steps)])


def batches(space):
    """Millions of edges a second by the size of the batches."""
    rows = [row for row in space.batches if "rows_per_s" in row and "inserts_a_query" not in row]
    sizes = sorted({row["batch"] for row in rows})
    rates = {(called(row), row["batch"]): row["rows_per_s"] for row in rows}
    lines = [
        [name, *(f"{rates[name, size] / 1e6:,.0f}" if (name, size) in rates else "-"
                        for size in sizes)]
        for name in dict.fromkeys(called(row) for row in rows)
    ]  # fmt: skip
    if not lines:
        return ""
    head = ["millions of edges a second, by edges of a batch", *map(short, sizes)]
    return "\n".join([table(head, lines), "", when(rows)])


def short(count):
    """Return a count in thousands or millions."""
    return f"{count / 1e6:.3g} M" if count >= 1e6 else f"{count / 1e3:.3g} k"


def called(row):
    """Return the design of batches, and whether they were given to one insertion."""
    return f"`{row['design']}`" + (", all at once" if row.get("at_once") else "")
