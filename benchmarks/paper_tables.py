"""Sections of the page on the papers' experiments, from their records; none without records."""

import design_tables
import records

PLAIN = "graft-shortcut", "sv-1982"
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
QUIET = 0.3  # the load of a machine on which nothing else runs
OURS = "strided+rem-cas+splice"


class Runs:
    """The newest records of one experiment, all of one device and commit."""

    def __init__(self, folder, experiment):
        rows = [
            row for row in records.load("papers", folder) if row.get("experiment") == experiment
        ]
        last = rows[-1] if rows else {}
        keys = "device", "commit"
        self.rows = [row for row in rows if all(row[key] == last[key] for key in keys)]
        self.last, self.experiment = last, experiment
        self.times = {
            (row["graph"], row["design"]): row["ms"]["median"]
            for row in self.rows
            if "ms" in row and row["right"]
        }

    def __bool__(self):
        return bool(self.rows)

    @property
    def graphs(self):
        """The graphs that were run, in their order."""
        return list(dict.fromkeys(graph for graph, _ in self.times))

    def ratio(self, graph, slow, fast):
        """Return how many times faster one design is than another on a graph, or None."""
        both = self.times.get((graph, slow)), self.times.get((graph, fast))
        return both[0] / both[1] if all(both) else None

    def sweep(self, graph):
        """Milliseconds by the number of segments."""
        head = "adaptive(segments="
        swept = {d: ms for (g, d), ms in self.times.items() if g == graph and d.startswith(head)}
        return {int(name.removeprefix(head).rstrip(")")): ms for name, ms in swept.items()}

    def size(self, graph):
        """Return a row of the graph, for its n and m."""
        return next(row for row in self.rows if row.get("graph") == graph and "n" in row)

    def footing(self):
        """Return where and when it was measured, and what was left out."""
        last = self.last
        wrong = sum(row.get("right") is False for row in self.rows)
        missing = [row for row in self.rows if "not_run" in row]
        text = f"On {last['device']}, {records.dated(last)}; medians."
        text += " All labels were compared after the timing" + (
            f": {wrong} runs gave wrong ones and are left out."
            if wrong
            else ", and all were right."
        )
        if last["engine"] == "threads" and last["load"] > QUIET:
            text += f" Other work had a load of {last['load']:.1f} on its {last['cpus']} cores."
        reasons = sorted({row["not_run"] for row in missing})
        return text + (f" Not run: {len(missing)} ({'; '.join(reasons)})." if missing else "")


def number(value, unit=""):
    """Three digits, or all before the point; a dash for none."""
    if value is None:
        return "-"
    return f"{value:,.0f}{unit}" if value >= 1000 else f"{value:.3g}{unit}"


def span(values, unit=" times"):
    """Return the range from the least to the greatest of those there are, in words."""
    found = sorted(value for value in values if value is not None)
    if not found:
        return "-"
    low, high = (f"{value:.2f}" for value in (found[0], found[-1]))
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def sutton(runs):
    """Figures 5 and 6 of Sutton et al."""
    head = ["graph", "2m/n", *STEPS.values(), "best segments", "faster than one"]
    lines, most = [], []
    for graph in runs.graphs:
        size, swept = runs.size(graph), runs.sweep(graph)
        best = min(swept, key=swept.get, default=None)
        gain = swept[1] / swept[best] if swept else None
        most.append(runs.ratio(graph, "soman", "adaptive"))
        first = number(runs.times.get((graph, "soman")), " ms")
        steps = [number(runs.ratio(graph, "soman", name), " x") for name in list(STEPS)[1:]]
        degree = f"{2 * size['m'] / size['n']:.1f}"
        lines.append([graph, degree, first, *steps, number(best), number(gain, " x")])
    measured = (
        f"Measured here: all steps together are {span(most)} faster than Soman's. The time of the"
        " baseline, and how many times faster each step makes it:"
    )
    return [measured, design_tables.table(head, lines)]


def cong(runs):
    """Figures 1 to 7 of Cong and Muzio."""
    designs = [*RANKED, "sv-1982", "sv-1982-update", OURS]
    head = ["milliseconds", *(f"{RANKED.get(d, CALLED.get(d, d))}" for d in designs)]
    lines = [[g, *(number(runs.times.get((g, d))) for d in designs)] for g in runs.graphs]
    plain, updated = "graft-shortcut", "graft-shortcut-update"
    gains = {
        "CC-updt over CC": [runs.ratio(g, plain, updated) for g in runs.graphs],
        "Stages over CC": [runs.ratio(g, plain, f"stages+{plain}") for g in runs.graphs],
        "Stages over any of the four that it calls": [
            runs.ratio(g, d, f"stages+{d}") for g in runs.graphs for d in CALLED
        ],
        f"`{OURS}` over the fastest of theirs": [
            min((t for (h, d), t in runs.times.items() if h == g and d != OURS), default=None)
            / runs.times[g, OURS]
            for g in runs.graphs
            if (g, OURS) in runs.times
        ],
    }
    words = [f"{words}: {span(values)}." for words, values in gains.items()]
    return ["Measured here, times faster: " + " ".join(words), design_tables.table(head, lines)]


def lehr(runs):
    """Figures 1 to 8 of Lehr et al."""
    found = [row for row in runs.rows if "wall_ms" in row and row["right"]]
    plain = [row for row in found if row["memory"] == "device"]
    lines = []
    for n in sorted({row["n"] for row in plain}):
        for engine, design in dict.fromkeys((row["engine"], row["design"]) for row in plain):
            same = [r for r in plain if (r["n"], r["engine"], r["design"]) == (n, engine, design)]
            if same:
                ends = [min(same, key=by_density), max(same, key=by_density)]
                times = [number(row["wall_ms"]["median"], " ms") for row in ends]
                reach = number(ends[1]["density"])
                lines.append([design, engine, f"{n:,}", *times, reach])
    head = ["design", "engine", "vertices", "least dense", "most dense", "density there"]
    text = "Measured here: wall time from edges on the host to labels on the engine."
    return [text, design_tables.table(head, lines, 2)]


def by_density(row):
    """Return the order of runs along the figures."""
    return row["density"]


def balduzzi(runs):
    """Figures 1 and 4 of Balduzzi et al."""
    timed = [row for row in runs.rows if "ms" in row]
    counts = sorted({row["threads"] for row in timed})
    lines = []
    for graph, design in dict.fromkeys((row["graph"], way(row)) for row in timed):
        same = {
            row["threads"]: row["ms"]["median"]
            for row in timed
            if (row["graph"], way(row)) == (graph, design)
        }
        cells = [number(same.get(count), " ms") for count in counts]
        gain = same.get(1) and same[1] / min(same.values())
        lines.append([f"{graph}, {runs.size(graph)['n']:,}", design, *cells, number(gain, " x")])
    threads = ["alone", *(f"by {count}" for count in counts[1:])]
    head = ["graph, vertices", "design", *threads, "best over alone"]
    m = timed[-1]["m"] if timed else 0
    text = f"Measured here: {m / 1e6:,.3g} M edges, of the same three degrees as the paper's."
    return [text, design_tables.table(head, lines, 2)]


def way(row):
    """Return a design, and whether processes ran it."""
    return row["design"] + (", processes" if row.get("processes") else "")


SECTIONS = {"sutton": sutton, "cong": cong, "lehr": lehr, "balduzzi": balduzzi}
