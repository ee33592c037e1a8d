"""Make all tables and figures of the README and the documentation from the records.

Nothing in them is typed by hand. ``--records`` and ``--root`` name other folders of records, and of
pages with the same marks.
"""

import argparse
import csv
import io
import pathlib
import sys

import cluster_pages
import design_pages
import harness
import pages
import paper_pages
from harness import like_last, load, newest
from pages import number, table

from cc_rapids import memory_bound
from cc_rapids.tools import charts

sys.path.append(str(pages.ROOT / "tests"))

TITLE = "Times of cc_rapids and cuGraph on five edge lists"
OTHER_IDS = {
    "hashed": "100 M edges of 64-bit hashes",
    "strings": "10 M edges of strings",
    "karate": "Zachary's karate club",
}
PEERS = {"cuda": "cuGraph", "threads": "SciPy"}
PLACES = {"cuda": "gpu", "threads": "threads"}


def main():
    """Make the figures, then the pages that show them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=pathlib.Path, default=harness.HERE)
    parser.add_argument("--root", type=pathlib.Path, default=pages.ROOT)
    args = parser.parse_args()
    for draw in (draw_readme, draw_benchmarks, design_pages.draw, paper_pages.draw):
        draw(args.records, args.root / "docs" / "figures")
    for page, contents in PAGES.items():
        pages.fill(args.root / page, contents(args.records))
    for name, make in SETS.items():
        path = args.root / "cc_rapids" / "datasets" / f"measured_{name}.csv"
        path.write_text(as_csv(make(args.records)), encoding="ascii")


def in_ms(time):
    """Return milliseconds with a decimal, or with two if they are less than one."""
    return f"{time:.1f}" if time >= 1 else f"{time:.2f}"


def median(row, *names):
    """Return the sum of the medians of those fields that a record has."""
    return float(sum(row[name]["median"] for name in names if name in row))


def theirs(row):
    """Return the milliseconds of cuGraph, graph and components."""
    return median(row, "cugraph_ms", "cugraph_build_ms", "cugraph_wcc_ms")


# README


def main_table(folder):
    """Return a row for each list and kind of ids, then for each graph and width of ids."""
    first, rows = user_lists(folder), main_job(folder)
    last = rows[-1]
    bounded = [row for row in first if "bound_bytes" in row] + rows
    hashed = ", except for hashed ids" * (len(bounded) < len(first) + len(rows))
    head = "edge list", "edges", "cc_rapids", "cuGraph", "faster", "memory", "cuGraph's"
    lines = [
        [
            f"{row['graph']}, {row['dtype']}",
            f"{row['m'] / 1e6:.1f} M",
            f"{in_ms(row['wall_ms']['median'])} ms",
            f"{theirs(row):.0f} ms",
            f"{row['times_faster']:.0f} x",
            f"{row['peak_bytes'] / 1e6:,.0f} MB",
            f"{row['cugraph_peak_bytes'] / 1e6:,.0f} MB",
        ]
        for row in first + rows
    ]
    apart = "".join(
        f" {how} {first[-1][what]}"
        for how, what in (("on", "date"), ("on one", "device"))
        if first and first[-1][what] != last[what]
    )
    apart = apart and f", the first {len(first)} rows{apart}"
    return (
        f"{table(head, lines)}\n\nMedian wall time of warm runs, from a cuDF frame to the cuDF"
        f" answer, on one {last['device']} with cuDF {last['versions']['cudf-cu13']}, cuGraph"
        f" {last['versions']['cugraph-cu13']} and RMM's default allocator. cuGraph's time includes"
        " making the graph. Every answer was compared with cuGraph's. Memory is the peak on the GPU"
        f" beyond the edges, including the answer. It is {within(bounded)}{hashed}. Measured"
        f" {last['date']}{apart}.{on_threads(folder)}"
    )


def main_job(folder):
    """Return the newest records of the reference graphs as edge lists, with cuGraph's times."""
    rows = []
    for row in load("bench", folder):
        peer = row.get("peer", {})
        whole = (row["form"], row["design"], row["scale"]) == ("coo", "auto", None)
        if (
            whole
            and row.get("checked")
            and peer.get("same_partition")
            and peer["name"] == "cugraph"
        ):
            ours, other = row["job_wall_ms"], peer["job_wall_ms"]
            facts = {"dtype": row["ids"], "wall_ms": ours, "cugraph_ms": other}
            facts["times_faster"] = other["median"] / ours["median"]
            rows.append(row | facts | {"cugraph_peak_bytes": peer["peak_bytes"]})
    return like_last(rows, "commit")


def user_lists(folder):
    """Return the last commit's record of each list of users, with cuGraph's times."""
    rows = [
        row
        for row in load("lists", folder)
        if row["engine"] == "cuda" and row["scale"] is None and row.get("equal_to_cugraph")
    ]
    return newest(like_last(rows, "commit"), "graph", "dtype")


def within(rows):
    """Return whether the memory of all rows is within the bound that is promised now."""
    above = sum(row["peak_bytes"] > bound_of(row) for row in rows)
    bound = "`memory_bound` (4 n + n / 8 + answer + 8 MiB, for ids from a range of n integers)"
    return f"above {bound} in {above} of {len(rows)} rows" if above else f"within {bound}"


def bound_of(row):
    """Return the memory bound of a record, whose answer is two columns of the type of the ids."""
    answer = 2 * row["vertices"] * (4 if row["dtype"] == "int32" else 8)
    return memory_bound(row["n"], answer, row["m"])


def on_threads(folder):
    """Return a sentence on CPU threads, if they were measured."""
    return "".join(
        f" On {row['device']}, {row['m'] / 1e6:.0f} M edges take"
        f" {row['wall_ms']['least'] / 1e3:.2f} s, and SciPy takes"
        f" {row['scipy_ms']['least'] / 1e3:.1f} s ({row['times_faster']:.0f} x, fastest of"
        f" {row['wall_ms']['runs']} runs)."
        for row in load("threads", folder)[-1:]
    )


def frame_access(folder):
    """Return a sentence on what public access to cuDF adds to a short run, if it was measured."""
    sentences = []
    for row in load("frame_access", folder)[-1:]:
        newest_jobs, base_jobs = (
            next(turn["jobs"] for turn in reversed(row["turns"]) if turn["commit"] == commit)
            for commit in (row["commit"], row["base"])
        )
        after, before = (jobs["frame of 30 edges"]["median"] for jobs in (newest_jobs, base_jobs))
        sentences.append(
            f" Later commits read cuDF frames through public interfaces only, which adds"
            f" {(after - before) / 1e3:.1f} ms to a short run ({row['date']})."
        )
    return "".join(sentences)


def other_ids(folder):
    """Return a paragraph on ids of other kinds, built graphs and streams, without a pool."""
    rows = [row for row in load("ids", folder) if not row["rmm_pool"]]
    rows = {row["graph"]: row for row in like_last(rows, "commit")}
    each = [
        f"{words} {rows[graph]['wall_ms']['median']:.2g} ms (cuGraph {theirs(rows[graph]):.0f})"
        for graph, words in OTHER_IDS.items()
    ]
    built = [row["built_graph_times_faster"] for g, row in rows.items() if g not in OTHER_IDS]
    many = newest([row for row in load("streams", folder) if row["files"] > 1], "graph")
    rates = sorted(row["of_reading_speed"] for row in many)
    return (
        f"Other ids: {', '.join(each)}. If the `cugraph.Graph` exists already, cc_rapids finds its"
        f" components {min(built):.0f} to {max(built):.0f} times faster than cuGraph on the lists"
        " above. The device and versions are the same. `stream_components` with"
        f" {min(row['edges'] for row in many) / 1e9:.1f} G edges in Parquet files and"
        f' `memory_limit="{max(row["memory_limit"] for row in many) >> 30} GiB"` is'
        f" {rates[0]:.2g} to {rates[-1]:.2g} times as fast as reading the files with cuDF."
        f"{frame_access(folder)}"
    )


def forests(folder):
    """Return the newest record of each graph with a peer, on one device; GPUs come first."""
    rows = [row for row in load("spanning_forests", folder) if "times_faster" in row]
    rows.sort(key=lambda row: row["engine"] == "cuda")
    return newest(like_last(rows, "engine", "device", "commit"), "graph")


def short_forests(folder):
    """Return the README's table of spanning forests."""
    rows = forests(folder)
    last, peer = rows[-1], PEERS[rows[-1]["engine"]]
    lines = [
        [
            row["graph"],
            f"{row['edges'] / 1e6:.1f} M",
            f"{row['forest_ms']['median']:.1f} ms",
            f"{row['peer_graph_ms']['median']:.0f} + {row['peer_tree_ms']['median']:.0f} ms",
            f"{row['times_faster']:.0f} x",
        ]
        for row in rows
    ]
    head = "spanning forest of", "edges", "cc_rapids", f"{peer}: graph + forest", "faster"
    version = last["versions"].get("cugraph-cu13") or last["versions"]["scipy"]
    return (
        f"{table(head, lines)}\n\nMedian wall time of warm runs, from a frame with random float32"
        f" weights to the frame of the minimum spanning forest, on one {last['device']}, in the"
        f" same run as {peer} {version}. Measured {last['date']}."
    )


def readme(folder):
    """Return the tables of the README."""
    return {
        "main_job": lambda: main_table(folder),
        "ids": lambda: other_ids(folder),
        "forests": lambda: short_forests(folder),
    }


def draw_readme(folder, figures):
    """Draw the times of each graph, int32 ids, between the card's limits and cuGraph's times."""
    rows = [row for row in main_job(folder) if row["dtype"] == "int32"]
    if not rows:
        return
    card = charts.CARDS.get(rows[0]["device"])
    with charts.styled() as empty:
        figure, axes = empty(7.2, 2.4)
        style = {"linestyle": "none", "color": "black", "markersize": 5}
        y = range(len(rows))
        axes.plot([row["wall_ms"]["median"] for row in rows], y, "o", label="cc_rapids", **style)
        axes.plot(
            list(map(theirs, rows)), y, "s", label="cuGraph", markerfacecolor="white", **style
        )
        limits = (
            ("edges read once", ":", lambda row: card.stream_ms(row["m"])),
            ("two labels read an edge", "-", lambda row: card.labels_ms(row["m"], 4 * row["n"])),
        )
        for words, line, limit in limits if card else ():
            low, high = [k - 0.35 for k in y], [k + 0.35 for k in y]
            axes.vlines(list(map(limit, rows)), low, high, "0.4", line, label=f"limit: {words}")
        label = "milliseconds, cuDF frame in, cuDF frame out"
        axes.set(xscale="log", xlim=(0.05, 2000), xlabel=label)
        axes.set_yticks(y, [row["graph"] for row in rows])
        axes.invert_yaxis()
        axes.xaxis.set_major_formatter("{x:g}")
        axes.spines[["top", "right"]].set_visible(False)
        charts.beside(axes)
        pages.save(figure, figures / "main-job.svg", TITLE)
    pages.darken(figures / "main-job.svg")


# docs/benchmarks.md


def benchmarks(folder):
    """Return the tables of the page on the reference graphs."""
    return {
        "gpu": lambda: engine_section(folder, "cuda"),
        "threads": lambda: engine_section(folder, "threads"),
        "files": lambda: files(folder),
        "numbers_and_sides": lambda: numbers_and_sides(folder),
        "spanning_forests": lambda: long_forests(folder),
    }


def engine_rows(folder, engine, limited=False):
    """Return the last record of each case, of one device, commit and size.

    If ``limited``, of a device whose limits are known.
    """
    rows = [row for row in load("bench", folder) if row["engine"] == engine]
    rows = [row for row in rows if not limited or "of_limit" in row["paper"]]
    rows = like_last(rows, "device", "commit", "scale")
    return newest(rows, "engine", "graph", "form", "ids", "design")


def engine_section(folder, engine):
    """Return the tables and figures of one engine, and a description of their records."""
    rows = engine_rows(folder, engine)
    if not rows:
        return "Not measured yet on this version: `python benchmarks/lists.py --jobs graphs`."
    times = "edge list", "edges", "to labels, ms", "min-max", "peer, ms", "faster"
    work = "edge list", "design", "design alone, ms", "random reads per edge", "share of limit"
    parts = [table(times, list(map(time_cells, rows))), table(work, list(map(work_cells, rows)), 2)]
    for name, (_, words, limited) in FIGURES.items():
        drawn = engine_rows(folder, engine, limited)
        if drawn:
            parts.append(f"![{words}](figures/bench-{name}-{PLACES[engine]}.svg)")
            if drawn[-1]["device"] != rows[-1]["device"]:
                parts.append(
                    f"{pages.dated(drawn[-1])}: the limits of the device below are unknown."
                )
    return "\n\n".join([*parts, footing(rows)])


def time_cells(row):
    """Return a row of the table of times from input to labels: of cc_rapids, and of the peer."""
    job, other = row["job_wall_ms"], row.get("peer", {}).get("job_wall_ms")
    return [
        case(row),
        f"{row['m'] / 1e6:.1f} M",
        number(job["median"]),
        f"{number(job['least'])}-{number(job['greatest'])}",
        number(other and other["median"]),
        number(faster(row), " x"),
    ]


def work_cells(row):
    """Return a row of the table of work: the design, and the ratio to the card's limit."""
    limit = row["paper"].get("of_limit")
    alone = row["solve_device_ms" if "solve_device_ms" in row else "solve_wall_ms"]["median"]
    reads = number(row["paper"]["random_reads_an_edge"])
    return [case(row), f"`{row['ran']}`", number(alone), reads, f"{limit:.0%}" if limit else "-"]


def case(row):
    """Return the name of an input: its graph, form and type."""
    return f"{row['graph']}, {row['form']}, {row['ids']}"


def faster(row):
    """Return how many times longer the peer takes, or None."""
    other = row.get("peer", {}).get("job_wall_ms")
    return other["median"] / row["job_wall_ms"]["median"] if other else None


def footing(rows):
    """Describe the device, date and versions of the times."""
    last = rows[-1]
    peers = sorted({row["peer"]["name"] for row in rows if "job_wall_ms" in row.get("peer", {})})
    failed = sum("not_run" in row.get("peer", {}) for row in rows)
    scale = "" if last["scale"] is None else f" Graphs of about 2^{last['scale']:g} vertices."
    checked = all(row.get("checked") for row in rows)
    return (
        f"{pages.dated(last)}. Versions: {pages.versions(last)}.{scale} Times are medians of at"
        f" least {min(row['job_wall_ms']['runs'] for row in rows)} runs, which take turns on at"
        f" least {min(row['inputs'] for row in rows)} copies of the input."
        f" Peer: {', '.join(peers) or 'none'}."
        + (f" The peer failed on {failed} of {len(rows)} inputs." if failed else "")
        + (" All answers equal those of sequential union-find." if checked else " Not checked.")
    )


def by_case(rows, value, label, **how):
    """Return bars of a value: graphs, and in each the forms, widths and designs."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    series = {}
    for row in rows:
        name = f"{row['form']}, {row['ids']}"
        if row["design"] != "auto":
            name += f", {row['design']}"
        series.setdefault(name, [None] * len(graphs))[graphs.index(row["graph"])] = value(row)
    there = any(bar is not None for bars in series.values() for bar in bars)
    return charts.bars(graphs, series, label, line=1, **how) if there else None


def gains(rows):
    """Draw how many times faster than the peer each case is."""
    return by_case(rows, faster, "times faster than the peer", log=True)


def limits(rows):
    """Draw how near each run is to the limit of the card."""
    return by_case(rows, lambda row: row["paper"].get("of_limit"), "time of the limit / time")


#: By name: what draws it, its title, and whether it needs the limits of the device.
FIGURES = {
    "faster": (gains, "Times faster than the peer, from the input to the labels", False),
    "limit": (
        limits,
        "Least time by the card's limits, divided by the time of the design alone",
        True,
    ),
}


def draw_benchmarks(folder, figures):
    """Draw the figures of the page on the reference graphs."""
    for engine, place in PLACES.items():
        for name, (draw, words, limited) in FIGURES.items():
            rows = engine_rows(folder, engine, limited)
            if rows:
                pages.save(draw(rows), figures / f"bench-{name}-{place}.svg", words)


FILE_WAYS = {
    "read": "reading alone",
    "solve": "read, then `components(frame)`",
    "pattern": '`components("edges/*.parquet")`',
    "stream": "`stream_components`, in chunks",
    "insert": "`Connectivity.insert` of each file",
    "polars": "Polars with SciPy",
}


def files(folder):
    """Return the table of files: the newest record of each kind of ids."""
    rows = newest(load("files", folder), "kind")
    if len(rows) < 2:
        return "Not measured yet: `python benchmarks/files.py`."
    lines = [
        [words]
        + [
            f"{row[f'{name}_ms']['median'] / 1e3:.2f} s ({row['of_solve'][name]:.2f})"
            for row in rows
        ]
        for name, words in FILE_WAYS.items()
    ]
    row = rows[-1]
    return (
        f"{table(['', *(row['kind'] + ' ids' for row in rows)], lines)}\n\nTimes are medians for"
        f" {row['edges'] / 1e6:.0f} M edges of {row['vertices'] / 1e6:.1f} M ids in"
        f" {row['files']} files. In parentheses: the ratio to the second row. Hashed ids are spread"
        " over 64 bits. The memory limit of the stream is"
        f" {row['memory_limit'] / 2**20:.0f} MiB. {pages.dated(row)}, with a load of {row['load']}."
        f" Versions: {pages.versions(row)}. The methods took turns, with {row['read_ms']['runs']}"
        f" runs each, and {row['polars_ms']['runs']} of Polars with SciPy. All labels are equal."
    )


JOB_WAYS = {
    "numbers": {
        "solve": "components alone",
        "ours": "components, `stable_ids` and `changes`",
        "frames": "components, then merges and groups of {frames}",
    },
    "sides": {
        "solve": "components alone",
        "ours": "`bipartition(frame).colors()`",
        "odd": "`odd_cycles()`, with one more edge",
        "cover": "SciPy: components of the double cover",
        "search": "SciPy: a breadth-first search",
        "networkx": "NetworkX, on {fewer} times fewer edges",
    },
}


def numbers_and_sides(folder):
    """Return the tables of stable ids and of two sides."""
    rows = newest(load("numbers_and_sides", folder), "engine", "job")
    if not rows:
        return "Not measured yet: `python benchmarks/entities.py --jobs numbers sides`."
    return "\n\n".join(map(one_job, rows))


def one_job(row):
    """Return the table of one job, and a description of its records."""
    names = {"frames": "cuDF" if row["engine"] == "cuda" else "pandas", "fewer": row.get("fewer")}
    ours = row["ours_ms"]["median"]
    lines = [
        [
            words.format(**names),
            f"{row[f'{way}_ms']['median']:,.0f}",
            f"{row[f'{way}_ms']['median'] / ours:.2f}",
        ]
        for way, words in JOB_WAYS[row["job"]].items()
    ]
    if row["job"] == "numbers":
        peer = ""
        what = f"{row['m']:,} pairs of {row['vertices']:,} vertices a day. From one day to the next"
        what += f" there are {row['births']:,} births and {row['deaths']:,} deaths"
    else:
        peer = f" ({row['networkx_ms']['runs']} of NetworkX)"
        what = f"{row['m']:,} random edges between two sides of {row['vertices']:,} vertices in all"
    return (
        f"{table((row['job'], 'ms', 'ratio'), lines)}\n\nTimes are medians of"
        f" {row['ours_ms']['runs']} runs{peer}, which take turns. The input has {what}."
        f" {pages.dated(row)}, with a load of {row['load']}. Versions: {pages.versions(row)}."
        " All answers are equal."
    )


def long_forests(folder):
    """Return the table of spanning forests, and a description of its records."""
    rows = forests(folder)
    if not rows:
        return "Not measured yet: `python benchmarks/forests.py --jobs spanning`."
    last, peer = rows[-1], PEERS[rows[-1]["engine"]]
    head = (
        *("edge list", "edges", "forest, ms", "edges/s", "labels alone, ms"),
        *(f"{peer}: graph + forest, ms", "faster", "memory"),
    )
    lines = [
        [
            row["graph"],
            f"{row['edges'] / 1e6:.1f} M",
            f"{row['forest_ms']['median']:.1f}",
            f"{row['edges'] / row['forest_ms']['median'] / 1e6:.1f} G",
            f"{row['labels_ms']['median']:.1f}",
            f"{row['peer_graph_ms']['median']:.0f} + {row['peer_tree_ms']['median']:.0f}",
            f"{row['times_faster']:.1f} x",
            f"{row['plan_bytes'] / 1e6:,.0f} MB",
        ]
        for row in rows
    ]
    apart = max(abs(row["total"] / row["peer_total"] - 1) for row in rows)
    return (
        f"{table(head, lines)}\n\nTimes are medians of the wall times of"
        f" {last['forest_ms']['runs']} runs, which take turns, from a frame with random float32"
        " weights to the frame of the forest. Memory is the memory beyond the list in the plan of"
        f" `explain=True`. {pages.dated(last)}. Versions: {pages.versions(last)}. The total weights"
        f" differ from {peer}'s by at most {apart:.2%}, because {peer} keeps one of the weights of"
        " duplicate edges."
    )


# docs/trust.md, docs/guides/start.md


def trust(folder):
    """Return the tables of trials, and of the cost of audits."""
    from support.trials import TRIALS

    def trials():
        lines = [
            [t.what, f"{t.times:,}", t.holds, f"[{t.where}](../{t.where})"] for t in TRIALS.values()
        ]
        return table(("trial", "times", "expected result", "test"), lines, (0, 2, 3))

    return {"trials": trials, "audits": lambda: audits(folder)}


def audits(folder):
    """Return a row for each run that was audited: the newest records of a GPU and of threads."""
    loaded = [record for record in load("audit", folder) if "rows" in record]
    last = {record["device"].startswith("NVIDIA"): record for record in loaded}
    lines = [
        [
            *(record["device"], row["graph"], row["named"], f"{row['m']:,}"),
            f"{row['run_ms']['median']:,.1f}",
            f"{row['audit_ms']['median']:,.1f}",
            f"{row['audit_of_run']:.2f}",
            record["commit"],
        ]
        for record in last.values()
        for row in record["rows"]
        if "why_not" not in row
    ]
    head = "device", "graph", "ids", "edges", "run, ms", "audit, ms", "audit / run", "commit"
    return table(head, lines, (0, 1, 2, 7))


def start(folder):
    """Return the table of first uses."""
    return {"first_use": lambda: first_use(folder)}


def first_use(folder):
    """Return a row for each job with its result."""
    rows = newest([row for row in load("first_use", folder) if "tree" not in row], "job")
    lines = []
    for row in rows:
        if row["job"] == "make demo":
            found = {
                "nothing compiled": (row["compiled"], row["compile_s"]),
                "`cc-rapids compile` before": (row["compiled_after_ahead"], row["load_s"]),
            }
        elif row["job"] == "first hour":
            ways = {
                "waiting": "nothing compiled, calls wait",
                "nothing": "nothing compiled",
                "wheel": "kernels from a wheel",
                "later": "compiled in the background before",
            }
            found = {words: (row[f"{k}_compiled"], row[f"{k}_s"]) for k, words in ways.items()}
        else:
            ways = {
                "nothing": "nothing compiled",
                "wheel": "PTX from a wheel",
                "ahead": "`cc-rapids compile` before",
            }
            found = {words: (row[f"{k}_compiled"], row[f"{k}_s"]) for k, words in ways.items()}
        lines += [
            [row["job"], row["device"], words, str(compiled), f"{spent['median']:.2f}"]
            for words, (compiled, spent) in found.items()
        ]
    return table(("job", "device", "finds", "compiles", "seconds"), lines, 3)


# cc_rapids/datasets


def designs_set(folder):
    """Yield the time of each design on each graph, in each form of its edges."""
    for row in design_pages.Space(folder).runs:
        if row.get("right"):
            names = "device", "date", "graph", "form", "design"
            yield {name: row[name] for name in names} | {"ms": round(row["ms"]["median"], 4)}


def main_job_set(folder):
    """Yield the newest times of cc_rapids and cuGraph on frames, without RMM's pool."""
    rows = [row for row in load("main_job", folder) if not row["rmm_pool"]]
    for row in like_last(rows, "commit"):
        times = ("wall_ms", "cugraph_build_ms", "cugraph_wcc_ms")
        same = {name: row[name] for name in ("device", "date", "graph", "dtype", "m")}
        yield same | {name: round(row[name]["median"], 4) for name in times}


def networkx_set(folder):
    """Yield how many times faster than NetworkX the backend is, with converting the graph."""
    for row in like_last(load("networkx_gain", folder), "commit"):
        same = {name: row[name] for name in ("device", "date", "graph", "n")}
        yield same | {"times_faster": round(row["times_faster_converting"], 3)}


SETS = {"designs": designs_set, "main_job": main_job_set, "networkx": networkx_set}


def as_csv(rows):
    """Return rows as csv."""
    rows, out = list(rows), io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


PAGES = {
    "README.md": readme,
    "docs/benchmarks.md": benchmarks,
    "docs/larger.md": cluster_pages.contents,
    "docs/trust.md": trust,
    "docs/guides/start.md": start,
    "docs/design-space.md": design_pages.contents,
    "docs/papers.md": paper_pages.contents,
}

if __name__ == "__main__":
    main()
