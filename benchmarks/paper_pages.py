"""The tables and figures of docs/papers.md; figures are those of ``cc-rapids evaluate``."""

import math
from functools import partial

import harness
import pages
from design_pages import Space
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
COVERED = {  # Hong et al. 2020, Table 3: per cent of vertices covered, and of edges between trees
    "kron21": {"bfs": (73.6, 0.0), "kout": (73.6, 0.0), "hook": (73.5, 0.0)},
    "social22": {"bfs": (99.9, 0.0), "kout": (99.9, 0.0), "hook": (99.5, 1.1)},
    "road": {"bfs": (100.0, 0.0), "kout": (95.9, 3.6), "hook": (0.0, 100.0)},
}
QUIET = 0.3  # the load of a machine on which nothing else runs
OURS = "strided+rem-cas+splice"
OWNER, LISTS = "owner", "owner(output=lists)"
ALL = (OWNER, LISTS, "dense", "matrix-fixpoint", "auto")


def workers_of(row):
    """Return the threads, processes and reduction of a record, as ``cc-rapids evaluate`` does."""
    if not row.get("processes"):
        return {"threads": row.get("threads"), "processes": None, "reduction": None}
    how = {"threads": row.get("threads_each", 1), "reduction": row.get("reduction", "pairs")}
    return how | {"processes": row["threads"]}


class Runs:
    """The newest records of an experiment: of one device and commit, and of one engine if given."""

    def __init__(self, folder, experiment, engine=None):
        rows = [r for r in harness.load("papers", folder) if r.get("experiment") == experiment]
        rows = [r for r in rows if engine in (None, r["engine"])]
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
            | workers_of(row)
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
        """Return the device, commit and date of the runs, and the runs that were left out."""
        last, wrong = self.rows[-1], sum(row.get("right") is False for row in self.rows)
        text = f"Times are medians on {pages.dated(last)}."
        if any("right" in row for row in self.rows):
            text += " All labels were compared after the timing"
            text += f". {wrong} runs returned wrong labels and are left out." * bool(wrong)
            text += ", and all were right." * (not wrong)
        if last["load"] > QUIET and last["engine"] == "threads":
            text += (
                f" Other processes had a load of {last['load']:.1f} on the {last['cpus']} cores."
            )
        missing = [row["not_run"].partition(":")[0] for row in self.rows if "not_run" in row]
        reasons = "; ".join(sorted(set(missing)))
        left_out = f" {len(missing)} runs were left out ({reasons})."
        return text + left_out * bool(missing)


def contents(folder):
    """Return the text of each section: an experiment's table and figures, and their footing."""

    def section(name):
        parts = []
        for engine in ("cuda", "threads") if name in OF_EACH_ENGINE else (None,):
            runs = Runs(folder, name, engine)
            if runs.rows:
                parts += SECTIONS[name](runs)
                for figure, (_, words) in FIGURES.get(name, {}).items():
                    parts.append(pages.picture(pages.DOCS / "figures" / f"{figure}.svg", words))
                parts.append(runs.footing())
        return "\n\n".join(filter(None, parts))

    made = {name: lambda name=name: section(name) for name in SECTIONS}
    return made | {name: partial(make, folder) for name, make in OVER_RECORDS.items()}


def draw(folder, figures):
    """Draw the figures of the page."""
    for name, made in FIGURES.items():
        runs = Runs(folder, name)
        for figure, (make, words) in made.items():
            pages.save(make(runs), figures / f"{figure}.svg", words)


def span(values):
    """Return the text "least to greatest" for the values that are not None."""
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
    groups = evaluated.grouped_by(sorted(plain, key=lambda row: row["n"]), "n", "engine", "design")
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
    for (graph, design), rows in evaluated.grouped_by(map(way, timed), "graph", "way").items():
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
    """Return the last two columns of Table 4 of Hong et al. as a table, with their values."""
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


def mixes(runs):
    """Return the tables of mixes of processes and threads, the rule, and the table of schedules."""
    timed = [row for row in runs.rows if "ms" in row and row["right"]]
    apart = evaluated.grouped_by([row for row in timed if row.get("processes")], "graph", "n", "m")
    lines, best = [], {}
    for (graph, n, m), rows in apart.items():
        for (count, each), pair in evaluated.grouped_by(rows, "threads", "threads_each").items():
            times = {row["reduction"]: row["ms"]["median"] for row in pair}
            cells = [number(times.get(how), " ms") for how in ("pairs", "samples")]
            lines.append([f"{graph}, {n:,}", f"{count} x {each}", *cells])
        fastest = min(rows, key=lambda row: row["ms"]["median"])
        best[m / n] = tuple(fastest[key] for key in ("threads", "threads_each", "reduction"))
    head = ["graph, vertices", "processes x threads", "merged in pairs", "by samples"]
    schedules = evaluated.grouped_by([row for row in timed if "schedule" in row], "graph")
    names = list(dict.fromkeys(row["schedule"] for rows in schedules.values() for row in rows))
    taken = [
        [graph, *(number(row["ms"]["median"], " ms") for row in rows)]
        for graph, rows in schedules.items()
    ]
    text = "`single-pass` on all threads, by the schedule of its loop over the edges:"
    parts = ["`none+async+halve`:", table(head, lines, 2), mix_rule(best)]
    return [*parts, text, table(["graph", *names], taken)]


def mix_rule(best):
    """Return the fastest mix by edges per vertex, as a rule in words."""
    steps, last = [], None
    for degree, mix in sorted(best.items()):
        if last is None or mix != last[1]:
            start = f" from {math.sqrt(degree * last[0]):,.0f} edges per vertex on" if last else ""
            steps.append(f"{mix[0]} x {mix[1]} by {mix[2]}{start}")
        last = degree, mix
    return f"The fastest mixes give this rule for this machine: {', '.join(steps)}."


def sweep(runs):
    """Return the times by threads or multiprocessors as a table."""
    timed = [row for row in runs.rows if "ms" in row and row["right"]]
    counts = sorted({row["workers"] for row in timed})
    lines = []
    for (graph, design), rows in evaluated.grouped_by(timed, "graph", "design").items():
        times = {row["workers"]: row["ms"]["median"] for row in rows}
        called = RANKED.get(design, "Rem, prefetching")
        size = f"{rows[0]['n'] / 1e6:.3g} M, {rows[0]['m'] / 1e6:.3g} M"
        lines.append([graph, size, called, *(number(times.get(count)) for count in counts)])
    what = "multiprocessor" if timed and timed[0]["engine"] == "cuda" else "thread"
    head = ["graph", "vertices, edges", f"ms by {what}s", *map(str, counts)]
    return [table(head, lines, 3)]


def sort(runs):
    """Return the terms of Theorem 1 of Cong and Muzio as a table."""
    lines = []
    for row in (row for row in runs.rows if "sorted_ms" in row):
        sequential, random, by_sorting = (
            row[f"{way}_ms"]["median"] for way in ("sequential", "random", "sorted")
        )
        bound = 8 * (math.log2(row["n"]) / math.log2(row["width"]) - 1)
        sizes = f"{row['n'] / 1e6:.3g} M", f"{row['m'] / 1e6:.3g} M"
        ratios = random / sequential, bound, by_sorting / random
        lines.append([row["graph"], *sizes, *map(number, ratios)])
    head = ["graph", "vertices", "edges", "R / S", "least R / S by the proof", "T_sort / T_orig"]
    return [table(head, lines)]


def coverage(folder):
    """Return Table 3 of Hong et al. with our values, and the entries read, as in its Figure 6."""
    rows = Space(folder).samples
    lines = []
    for row in rows:
        theirs = COVERED.get(row["graph"], {}).get(row["sample"])
        if theirs:
            ours = 100 * row["coverage"], 100 * row["between_trees"]
            entries = (row["sample_entries"] + row["finish_entries"]) / row["entries"]
            pairs = [f"{value:.1f} %" for pair in zip(theirs, ours, strict=True) for value in pair]
            lines.append([row["graph"], f"`{row['sample']}`", *pairs, f"{100 * entries:.1f} %"])
    head = ["graph", "sample", "vertices covered (paper)", "here", "edges between trees (paper)"]
    head += ["here", "entries read, here"]
    return f"{table(head, lines, 2)}\n\nMeasured on {pages.dated(rows[-1])}."


def fastest(folder):
    """Return the fastest right run of each graph on each device, from its last commit."""
    rows = [r for r in harness.load("papers", folder) if r.get("experiment") == "machines"]
    runs = [row for row in rows if row.get("right")]
    best = {}
    for device, several in evaluated.grouped_by(runs, "device").items():
        for graph, of_graph in evaluated.grouped_by(like_last(several, "commit"), "graph").items():
            best[device, graph] = min(of_graph, key=lambda row: row["ms"]["median"])
    return best


def machines(folder):
    """Return times on devices, and normalised by the bandwidth of their memories, as a table."""
    best = fastest(folder)
    devices, graphs = (list(dict.fromkeys(names)) for names in zip(*best, strict=True))
    head, lines = ["graph"], [[graph] for graph in graphs]
    for device in devices:
        head += [f"ms, {device}", "bytes per edge"]
        for graph, line in zip(graphs, lines, strict=True):
            row = best.get((device, graph))
            line += [number(row and row["ms"]["median"]), number(row and normal(row))]
    parts = [compared(devices[0], device, best, graphs) for device in devices[1:]]
    last = {device: row for (device, _), row in best.items()}.values()
    where = "; ".join(
        f"{rate(row) / 1e9:,.3g} GB/s on {pages.dated(row)}, with a load of {row['load']:.1f}"
        for row in last
    )
    parts.append(f"Bandwidth of a copy: {where}. All labels were right.")
    return "\n\n".join([table(head, lines), *filter(None, parts)])


def rate(row):
    """Return the bandwidth of a record."""
    return row["bytes_per_s"]


def normal(row):
    """Return the time of a record times the bandwidth, divided by the number of edges."""
    return row["ms"]["median"] / 1e3 * rate(row) / row["m"]


def compared(one, other, best, graphs):
    """Return a sentence with the ratios of bandwidth and of speed of two devices."""
    pairs = [(best[one, g], best[other, g]) for g in graphs if {(one, g), (other, g)} <= set(best)]
    pairs = [pair for pair in pairs if pair[0]["m"] == pair[1]["m"]]
    if not pairs:
        return ""
    gains = [a["ms"]["median"] / b["ms"]["median"] for a, b in pairs]
    wide = rate(pairs[0][1]) / rate(pairs[0][0])
    gain = f"{min(gains):,.0f} to {max(gains):,.0f} times"
    return f"{other} has {wide:.3g} times the bandwidth of {one}, and is {gain} as fast."


def way(row):
    """Return a row with its design, and whether processes ran it."""
    return row | {"way": row["design"] + (", processes" if row.get("processes") else "")}


SECTIONS = {
    make.__name__: make for make in (sutton, cong, sweep, sort, lehr, hong, balduzzi, mixes)
}
OF_EACH_ENGINE = ("sweep", "sort", "hong")  # whose newest records on a GPU and on threads are shown
OVER_RECORDS = {"coverage": coverage, "machines": machines}


def first(figures, rows, baseline=""):
    """Return the first figure that ``figures`` draws from the rows, or None."""
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
    return charts.bars(runs.graphs, series, "milliseconds")


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
    "balduzzi": {
        f"balduzzi-{graph}": (partial(by_threads, graph), f"Time by threads, {graph} graph")
        for graph in ("dense", "medium", "sparse")
    },
}
