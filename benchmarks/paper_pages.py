"""The tables and figures of docs/papers.md; figures are those of ``cc-rapids evaluate``."""

from functools import partial

import harness
import pages
from harness import like_last
from pages import number, table

from cc_rapids import Design
from cc_rapids.tools import charts
from cc_rapids.tools.evaluate import figures as evaluated

RANKED = {
    "graft-shortcut": "CC",
    "graft-shortcut-update": "CC-updt",
    "stages+graft-shortcut": "Stages",
    "rem-parallel": "Rem",
}
CALLED = {
    "graft-shortcut": "CC",
    "graft-shortcut-update": "CC-updt",
    "sv-1982": "SV",
    "sv-1982-update": "SV-updt",
}
STEPS = {
    "soman": "Soman",
    "multi-jump": "+ Multi-Jump",
    "multi-jump-atomic-hook": "+ Atomic-Hook",
    "adaptive": "+ 2m/n segments",
}
WITHOUT = {
    "multi-jump(order=descending)": "bottom first",
    "multi-jump(writes=last)": "one write",
    "multi-jump(order=descending, writes=last)": "bottom first, one write",
}
STREAMS = {  # Hong et al. 2020, Table 4: billions of edges per second, RMAT and BA, on a V100
    "early": (3.67, 0.75),
    "hooks": (9.95, 4.81),
    "async": (11.7, 5.03),
    "rem-cas": (5.6, 0.961),
    "rem-lock": (11.1, 4.17),
    "jtb": (8.14, 5.7),
    "liu-tarjan": (3.05, 2.28),
    "shiloach-vishkin": (2.5, 2.36),
}
QUIET = 0.3  # the load of a machine on which nothing else runs
OURS = "strided+rem-cas+splice"
OWNER, LISTS = "owner", "owner(output=lists)"
ALL = (OWNER, LISTS, "dense", "matrix-fixpoint", "auto")


class Runs:
    """The newest records of one experiment, all of one device and commit."""

    def __init__(self, folder, experiment):
        rows = [r for r in harness.load("papers", folder) if r.get("experiment") == experiment]
        self.rows = like_last(rows, "device", "commit")
        self.times = {
            (row["graph"], row["design"]): row["ms"]["median"]
            for row in self.rows
            if "ms" in row and row["right"]
        }

    @property
    def graphs(self):
        """The graphs that were run, in their order."""
        return list(dict.fromkeys(graph for graph, _ in self.times))

    @property
    def runs(self):
        """The right runs, as rows of ``cc-rapids evaluate``."""
        return [
            row
            | {"file": row["graph"], "ran": row["design"], "vertices": row["n"]}
            | {name: row.get(name) for name in ("density", "memory")}
            | {"threads": None, "processes": None}
            | {"processes" if row.get("processes") else "threads": row.get("threads")}
            | {"wall_ms": row.get("ms") or row["wall_ms"]}
            for row in self.rows
            if ("ms" in row or "wall_ms" in row) and row["right"]
        ]

    def ratio(self, graph, slow, fast):
        """Return how many times faster one design is than another on a graph, or None."""
        both = self.times.get((graph, slow)), self.times.get((graph, fast))
        return both[0] / both[1] if all(both) else None

    def sweep(self, graph):
        """Return milliseconds by the number of segments."""
        head = "adaptive(segments="
        swept = {d: ms for (g, d), ms in self.times.items() if g == graph and d.startswith(head)}
        return {int(name.removeprefix(head).rstrip(")")): ms for name, ms in swept.items()}

    def size(self, graph):
        """Return a row of the graph, for its n and m."""
        return next(row for row in self.rows if row.get("graph") == graph and "n" in row)

    def footing(self):
        """Return where and when it was measured, and what was left out."""
        last, wrong = self.rows[-1], sum(row.get("right") is False for row in self.rows)
        text = f"Times are medians on {pages.dated(last)}. All labels were"
        text += " compared after the timing"
        text += f". {wrong} runs returned wrong labels and are left out." * bool(wrong)
        text += ", and all were right." * (not wrong)
        if last["load"] > QUIET and last["engine"] == "threads":
            text += (
                f" Other processes had a load of {last['load']:.1f} on the {last['cpus']} cores."
            )
        missing = [row["not_run"].partition(":")[0] for row in self.rows if "not_run" in row]
        reasons = "; ".join(sorted(set(missing)))
        return text + (f" Not run: {len(missing)} ({reasons})." if missing else "")


def contents(folder):
    """Return the section of each experiment: its table, its figures, and what both stand on."""

    def section(name):
        runs = Runs(folder, name)
        if not runs.rows:
            return "Not measured yet on this version: `python benchmarks/papers.py`."
        parts = SECTIONS[name](runs)
        for figure, (_, words) in FIGURES[name].items():
            parts.append(pages.picture(pages.DOCS / "figures" / f"{figure}.svg", words))
        return "\n\n".join([*filter(None, parts), runs.footing()])

    return {name: lambda name=name: section(name) for name in SECTIONS}


def draw(folder, figures):
    """Draw the figures of the page."""
    for name, made in FIGURES.items():
        runs = Runs(folder, name)
        for figure, (make, words) in made.items() if runs.rows else ():
            pages.save(make(runs), figures / f"{figure}.svg", words)


def span(values):
    """Return the range from the least to the greatest of those there are, in words."""
    found = sorted(value for value in values if value is not None)
    if not found:
        return "-"
    low, high = (f"{value:.2f}" for value in (found[0], found[-1]))
    return f"{low} times" if low == high else f"{low} to {high} times"


def sutton(runs):
    """Return Figures 5 and 6 of Sutton et al. as a table."""
    head = ["graph", "2m/n", *STEPS.values(), "best number", "faster than one segment"]
    lines, most = [], []
    for graph in runs.graphs:
        size, swept = runs.size(graph), runs.sweep(graph)
        best = min(swept, key=swept.get, default=None)
        gain = swept[1] / swept[best] if swept else None
        most.append(runs.ratio(graph, "soman", "adaptive"))
        first = number(runs.times.get((graph, "soman")), " ms")
        each = [number(runs.ratio(graph, "soman", name), " x") for name in list(STEPS)[1:]]
        degree = f"{2 * size['m'] / size['n']:.1f}"
        lines.append([graph, degree, first, *each, number(best), number(gain, " x")])
    text = (
        f"All steps together are {span(most)} faster than Soman's algorithm. The table shows the"
        " time of this baseline and how many times faster it gets with each further step:"
    )
    return [text, table(head, lines), without(runs)]


def without(runs):
    """Return the times of Multi-Jump without its optimisations as a table, if they were run."""
    if not any(design in WITHOUT for _, design in runs.times):
        return ""
    designs = ["multi-jump", *WITHOUT]
    lines = [[g, *(number(runs.times.get((g, d))) for d in designs)] for g in runs.graphs]
    return table(["milliseconds", "Multi-Jump", *WITHOUT.values()], lines)


def cong(runs):
    """Return Figures 1 to 7 of Cong and Muzio as a table."""
    designs = [*RANKED, "sv-1982", "sv-1982-update", OURS]
    head = ["milliseconds", *(RANKED.get(d, CALLED.get(d, d)) for d in designs)]
    lines = [[g, *(number(runs.times.get((g, d))) for d in designs)] for g in runs.graphs]
    plain, updated = "graft-shortcut", "graft-shortcut-update"
    gains = {
        ("CC-updt", "CC"): [runs.ratio(g, plain, updated) for g in runs.graphs],
        ("Stages", "CC"): [runs.ratio(g, plain, f"stages+{plain}") for g in runs.graphs],
        ("Stages", "the algorithm that it calls"): [
            runs.ratio(g, d, f"stages+{d}") for g in runs.graphs for d in CALLED
        ],
        (f"`{OURS}`", "the fastest algorithm of the paper"): [
            min((t for (h, d), t in runs.times.items() if h == g and d != OURS), default=None)
            / runs.times[g, OURS]
            for g in runs.graphs
            if (g, OURS) in runs.times
        ],
    }
    words = [f"- {new}: {span(values)} as fast as {old}" for (new, old), values in gains.items()]
    return ["Measured here:", "\n".join(words), table(head, lines)]


def lehr(runs):
    """Return Figures 1 to 8 of Lehr et al. as a table."""
    plain = [row for row in runs.runs if row["memory"] == "device"]
    lines = []
    groups = evaluated.by(sorted(plain, key=lambda row: row["n"]), "n", "engine", "design")
    for (n, engine, design), rows in groups.items():
        ends = [edge(rows, key=lambda row: row["density"]) for edge in (min, max)]
        times = [number(row["wall_ms"]["median"], " ms") for row in ends]
        lines.append([design, engine, f"{n:,}", *times, number(ends[1]["density"])])
    head = ["design", "engine", "vertices", "least dense", "most dense", "greatest density"]
    text = (
        "Wall time from edges on the host to labels on the device, for the least dense and the most"
        " dense graph that was run:"
    )
    return [text, table(head, lines, 2)]


def balduzzi(runs):
    """Return Figures 1 and 4 of Balduzzi et al. as a table."""
    timed = [row for row in runs.rows if "ms" in row]
    counts = sorted({row["threads"] for row in timed})
    lines = []
    for (graph, design), rows in evaluated.by(map(way, timed), "graph", "way").items():
        times = {row["threads"]: row["ms"]["median"] for row in rows}
        cells = [number(times.get(count), " ms") for count in counts]
        gain = times.get(1) and times[1] / min(times.values())
        lines.append([f"{graph}, {rows[0]['n']:,}", design, *cells, number(gain, " x")])
    workers = ["1 worker", *(f"{count} workers" for count in counts[1:])]
    head = ["graph, vertices", "design", *workers, "best speed-up"]
    m = timed[-1]["m"] if timed else 0
    text = f"Graphs of {m / 1e6:,.3g} M edges with the three degrees of the paper's graphs:"
    return [text, table(head, lines, 2)]


def hong(runs):
    """Return the last two columns of Table 4 of Hong et al. as a table, beside theirs."""
    rates = {(r["graph"], r["design"]): r["rows_per_s"] for r in runs.rows if r.get("right")}
    lines = []
    for design in dict.fromkeys(row["design"] for row in runs.rows):
        link = "auto" if design == "auto" else Design.parse(design).words[1].spec.name
        theirs = STREAMS.get(link, (None, None))
        ours = (rates.get((graph, design)) for graph in ("RMAT", "BA"))
        cells = [(number(a), number(b and b / 1e9)) for a, b in zip(theirs, ours, strict=True)]
        lines.append([f"`{design}`", *cells[0], *cells[1]])
    n, m = runs.rows[-1]["n"], runs.rows[-1]["m"]
    text = f"Billions of edges per second, for n = {n:,} and m = {m:,}, in one batch:"
    head = ["design", "RMAT, V100 (paper)", "RMAT, here", "BA, V100 (paper)", "BA, here"]
    return [text, table(head, lines)]


def way(row):
    """Return a row with its design, and whether processes ran it."""
    return row | {"way": row["design"] + (", processes" if row.get("processes") else "")}


SECTIONS = {"sutton": sutton, "cong": cong, "lehr": lehr, "hong": hong, "balduzzi": balduzzi}


def first(figures, rows, baseline=""):
    """Return the first figure that rows give, or None."""
    return next((figure for _, figure in figures(rows, baseline)), None)


def steps(runs):
    """Draw Sutton's Figure 5."""
    rows = [row | {"design": STEPS[row["design"]]} for row in runs.runs if row["design"] in STEPS]
    return first(evaluated.speed_up, rows, STEPS["soman"])


def ranking(runs):
    """Draw Figures 5, 6 and part of 7 of Cong and Muzio."""
    series = {
        words: [runs.times.get((graph, name)) for graph in runs.graphs]
        for name, words in {**RANKED, OURS: OURS}.items()
    }
    return charts.bars(runs.graphs, series, "milliseconds") if runs.times else None


def over_density(designs, engines, memory, runs):
    """Draw times over density on the largest graphs: by design, engine and kind of memory."""
    found = runs.runs
    shown = {row["engine"] for row in found}
    shown = shown.intersection(engines) or shown
    most = max((row["n"] for row in found), default=0)
    rows = [
        row | {"design": f"{row['design']}, {row['engine']}"}
        for row in found
        if row["design"] in designs
        and row["engine"] in shown
        and row["memory"] in memory
        and row["n"] == most
    ]
    return first(evaluated.over_density, rows)


def by_threads(graph, runs):
    """Draw a panel of Balduzzi's Figure 1."""
    return first(evaluated.threads, [row for row in runs.runs if row["graph"] == graph])


ENGINES, DEVICE, KINDS = ("cuda", "threads"), ("device",), ("device", "pinned", "zero-copy")
#: By name: the designs, engines and kinds of memory, of the largest graphs, and the title.
DENSITIES = {
    "owner": ((OWNER, LISTS), ENGINES, DEVICE, "Owners: time by density, largest graphs"),
    "memory": ((OWNER,), ("cuda",), KINDS, "Owners: kinds of memory"),
    "dense": (("dense",), ENGINES, DEVICE, "Dense matrix: time by density"),
    "dense-memory": (("dense",), ("cuda",), KINDS, "Dense matrix: kinds of memory"),
    "fixpoint": (("matrix-fixpoint",), ENGINES, DEVICE, "Fixed point: time by density"),
    "all": (ALL, ("cuda",), DEVICE, "All algorithms on a GPU: time by density, largest graphs"),
}
FIGURES = {
    "sutton": {
        "sutton-steps": (steps, "Speed-up over Soman by each step"),
        "sutton-segments": (
            lambda runs: first(evaluated.segments, runs.runs),
            "Speed-up over one segment by the number of segments",
        ),
    },
    "cong": {
        "cong-ranking": (ranking, "Times of CC, CC-updt, Stages and Rem"),
        "cong-stages": (
            lambda runs: first(evaluated.stages, runs.runs),
            "Speed-up by Stages over the algorithm that it calls",
        ),
    },
    "lehr": {
        f"lehr-{name}": (partial(over_density, *shown), words)
        for name, (*shown, words) in DENSITIES.items()
    },
    "hong": {},
    "balduzzi": {
        f"balduzzi-{graph}": (partial(by_threads, graph), f"Time by threads, {graph} graph")
        for graph in ("dense", "medium", "sparse")
    },
}
