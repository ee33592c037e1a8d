"""Make all tables and figures of the README and the documentation from the records.

No number in them is typed by hand. ``--records`` names another folder of records, and ``--root``
another folder of pages with the same marks.
"""

import argparse
import csv
import io
import pathlib
import sys
from functools import partial

import cluster_pages
import design_pages
import harness
import pages
import paper_pages
from harness import like_last, load, newest
from pages import columns, millions, number, table

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


def median(row, *names):
    """Return the sum of the medians of the given fields that a record has."""
    return float(sum(row[name]["median"] for name in names if name in row))


def ours(row):
    """Return the milliseconds of cc_rapids."""
    return row["wall_ms"]["median"]


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
    cells = {
        "edge list": lambda row: f"{row['graph']}, {row['dtype']}",
        "edges": millions,
        "cc_rapids": lambda row: f"{ours(row):.{1 if ours(row) >= 1 else 2}f} ms",
        "cuGraph": lambda row: f"{theirs(row):.0f} ms",
        "faster": lambda row: f"{row['times_faster']:.0f} x",
        "memory": lambda row: f"{row['peak_bytes'] / 1e6:,.0f} MB",
        "cuGraph's memory": lambda row: f"{row['cugraph_peak_bytes'] / 1e6:,.0f} MB",
    }
    apart = "".join(
        f" {how} {first[-1][what]}"
        for how, what in (("on", "date"), ("on one", "device"))
        if first and first[-1][what] != last[what]
    )
    apart = apart and f", the first {len(first)} rows{apart}"
    return (
        f"{columns(first + rows, cells)}\n\nMedian wall time of warm runs, from a cuDF frame to the"
        f" cuDF answer, on one {last['device']} with cuDF {last['versions']['cudf-cu13']}, cuGraph"
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
        proved = whole and row.get("checked") and peer.get("same_partition")
        if proved and peer["name"] == "cugraph":
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
    """Return whether the memory of all rows is within today's ``memory_bound``."""
    above = sum(row["peak_bytes"] > bound_of(row) for row in rows)
    bound = "`memory_bound` (4 n + n / 8 + answer + 8 MiB, for ids from a range of n integers)"
    return f"above {bound} in {above} of {len(rows)} rows" if above else f"within {bound}"


def bound_of(row):
    """Return the memory bound of a record, whose answer is two columns of the type of the ids."""
    answer = 2 * row["vertices"] * (4 if row["dtype"] == "int32" else 8)
    return memory_bound(row["n"], answer, row["m"])


def on_threads(folder):
    """Return a sentence on CPU threads."""
    row = load("threads", folder)[-1]
    return (
        f" On {row['device']}, cc_rapids takes {row['wall_ms']['least'] / 1e3:.2f} s for"
        f" {row['m'] / 1e6:.0f} M random edges, and SciPy takes"
        f" {row['scipy_ms']['least'] / 1e3:.1f} s ({row['times_faster']:.0f} x, fastest of"
        f" {row['wall_ms']['runs']} runs)."
    )


def frame_access(folder):
    """Return a sentence on what public access to cuDF adds to a short run."""
    row = load("frame_access", folder)[-1]
    times = {turn["commit"]: turn["jobs"]["frame of 30 edges"]["median"] for turn in row["turns"]}
    return (
        " Since these measurements, cc_rapids reads cuDF frames through public interfaces only,"
        f" which adds {(times[row['commit']] - times[row['base']]) / 1e3:.1f} ms to a short run"
        f" ({row['date']})."
    )


def other_ids(folder):
    """Return a paragraph on ids of other kinds, built graphs and streams, without a pool."""
    rows = [row for row in load("ids", folder) if not row["rmm_pool"]]
    rows = {row["graph"]: row for row in like_last(rows, "commit")}
    each = [
        f"{rows[graph]['wall_ms']['median']:.2g} ms for {words} (cuGraph:"
        f" {theirs(rows[graph]):.0f} ms)"
        for graph, words in OTHER_IDS.items()
    ]
    built = [row["built_graph_times_faster"] for g, row in rows.items() if g not in OTHER_IDS]
    many = newest([row for row in load("streams", folder) if row["files"] > 1], "graph")
    rates = sorted(row["of_reading_speed"] for row in many)
    return (
        f"On the same GPU, cc_rapids takes {', '.join(each)}. If the `cugraph.Graph` exists"
        f" already, cc_rapids finds its components {min(built):.0f} to {max(built):.0f} times"
        " faster than cuGraph on the lists above. `stream_components` with"
        f' `memory_limit="{max(row["memory_limit"] for row in many) >> 30} GiB"` finds the'
        f" components of {min(row['edges'] for row in many) / 1e9:.1f} G edges in Parquet files"
        f" {rates[0]:.2g} to {rates[-1]:.2g} times as fast as cuDF reads these files."
        f"{frame_access(folder)}"
    )


def forests(folder):
    """Return the newest record of each graph with a peer, on one device; GPUs come first."""
    rows = [row for row in load("spanning_forests", folder) if "times_faster" in row]
    rows.sort(key=lambda row: row["engine"] == "cuda")
    return newest(like_last(rows, "engine", "device", "commit"), "graph")


def peer_parts(row):
    """Return the milliseconds of the graph and the forest of a peer."""
    return f"{row['peer_graph_ms']['median']:.0f} + {row['peer_tree_ms']['median']:.0f}"


def short_forests(folder):
    """Return the README's table of spanning forests."""
    rows = forests(folder)
    last, peer = rows[-1], PEERS[rows[-1]["engine"]]
    cells = {
        "spanning forest of": lambda row: row["graph"],
        "edges": millions,
        "cc_rapids": lambda row: f"{row['forest_ms']['median']:.1f} ms",
        f"{peer}: graph + forest": lambda row: f"{peer_parts(row)} ms",
        "faster": lambda row: f"{row['times_faster']:.0f} x",
    }
    version = last["versions"].get("cugraph-cu13") or last["versions"]["scipy"]
    return (
        f"{columns(rows, cells)}\n\nMedian wall time of warm runs, from a frame with random float32"
        f" weights to the frame of the minimum spanning forest, on one {last['device']}, in the"
        f" same run as {peer} {version}. Measured {last['date']}."
    )


def draw_readme(folder, figures):
    """Draw the times of each graph, int32 ids, between the card's limits and cuGraph's times."""
    rows = [row for row in main_job(folder) if row["dtype"] == "int32"]
    card = charts.CARDS.get(rows[0]["device"])
    with charts.styled() as empty:
        figure, axes = empty(7.2, 2.4)
        style = {"linestyle": "none", "color": "black", "markersize": 5}
        y = range(len(rows))
        axes.plot(list(map(ours, rows)), y, "o", label="cc_rapids", **style)
        style["markerfacecolor"] = "white"
        axes.plot(list(map(theirs, rows)), y, "s", label="cuGraph", **style)
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
        charts.place_legend(axes)
        pages.save(figure, figures / "main-job.svg", TITLE)
    pages.darken(figures / "main-job.svg")


# docs/benchmarks.md


def engine_rows(folder, engine, limited=False):
    """Return the last record of each case, of one device, commit and size.

    If ``limited``, only a device whose limits are known counts.
    """
    rows = [row for row in load("bench", folder) if row["engine"] == engine]
    rows = [row for row in rows if not limited or "of_limit" in row["paper"]]
    rows = like_last(rows, "device", "commit", "scale")
    return newest(rows, "engine", "graph", "form", "ids", "design")


def engine_section(folder, engine):
    """Return the tables and figures of one engine, and a description of their records."""
    rows = engine_rows(folder, engine)
    times = {
        "edge list": case,
        "edges": millions,
        "to labels, ms": lambda row: number(row["job_wall_ms"]["median"]),
        "min-max": lambda row: "-".join(
            number(row["job_wall_ms"][end]) for end in ("least", "greatest")
        ),
        "peer, ms": lambda row: number(peer_ms(row)),
        "faster": lambda row: number(faster(row), " x"),
    }
    alone = "solve_device_ms" if "solve_device_ms" in rows[-1] else "solve_wall_ms"
    work = {
        "edge list": case,
        "design": lambda row: f"`{row['ran']}`",
        "design alone, ms": lambda row: number(row[alone]["median"]),
        "random reads per edge": lambda row: number(row["paper"]["random_reads_an_edge"]),
        "share of limit": lambda row: f"{limit:.0%}" if (limit := of_limit(row)) else "-",
    }
    parts = [columns(rows, times), columns(rows, work, 2)]
    for name, (_, words, limited) in FIGURES.items():
        drawn = engine_rows(folder, engine, limited)
        if drawn:
            parts.append(f"![{words}](figures/bench-{name}-{PLACES[engine]}.svg)")
            if drawn[-1]["device"] != rows[-1]["device"]:
                parts.append(
                    f"On {pages.dated(drawn[-1])}: the limits of the device below are unknown."
                )
    return "\n\n".join([*parts, footing(rows)])


def case(row):
    """Return the name of an input: its graph, form and type."""
    return f"{row['graph']}, {row['form']}, {row['ids']}"


def peer_ms(row):
    """Return the median of the peer, or None."""
    return row.get("peer", {}).get("job_wall_ms", {}).get("median")


def faster(row):
    """Return how many times longer the peer takes, or None."""
    other = peer_ms(row)
    return other and other / row["job_wall_ms"]["median"]


def of_limit(row):
    """Return the share of the card's limit that a run reaches, or None."""
    return row["paper"].get("of_limit")


def footing(rows):
    """Describe the device, date and versions of the times."""
    last = rows[-1]
    peers = sorted({row["peer"]["name"] for row in rows if "job_wall_ms" in row.get("peer", {})})
    failed = sum("not_run" in row.get("peer", {}) for row in rows)
    scale = "" if last["scale"] is None else f" Graphs of about 2^{last['scale']:g} vertices."
    checked = all(row.get("checked") for row in rows)
    return (
        f"On {pages.dated(last)}. Versions: {pages.versions(last)}.{scale} Times are medians of at"
        f" least {min(row['job_wall_ms']['runs'] for row in rows)} runs, which alternate"
        f" between at least {min(row['inputs'] for row in rows)} copies of the input."
        f" Peer: {', '.join(peers) or 'none'}."
        + (f" The peer failed on {failed} of {len(rows)} inputs." if failed else "")
        + (" All answers equal those of sequential union-find." if checked else " Not checked.")
    )


def by_case(rows, value, label, log):
    """Return bars of a value: graphs, and in each the forms, widths and designs."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    series = {}
    for row in rows:
        name = f"{row['form']}, {row['ids']}"
        if row["design"] != "auto":
            name += f", {row['design']}"
        series.setdefault(name, [None] * len(graphs))[graphs.index(row["graph"])] = value(row)
    there = any(bar is not None for bars in series.values() for bar in bars)
    return charts.bars(graphs, series, label, log, 1) if there else None


#: By name: its values and axis, its title, and whether it needs the limits of the device.
FIGURES = {
    "faster": (
        (faster, "times faster than the peer", True),
        "Times faster than the peer, from the input to the labels",
        False,
    ),
    "limit": (
        (of_limit, "time of the limit / time", False),
        "Least time by the card's limits, divided by the time of the design alone",
        True,
    ),
}


def draw_benchmarks(folder, figures):
    """Draw the figures of the page on the reference graphs."""
    for engine, place in PLACES.items():
        for name, (axis, words, limited) in FIGURES.items():
            rows = engine_rows(folder, engine, limited)
            if rows:
                pages.save(by_case(rows, *axis), figures / f"bench-{name}-{place}.svg", words)


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
    row, cells = rows[-1], {"": FILE_WAYS.get}
    for one in rows:
        cells[f"{one['kind']} ids"] = lambda way, one=one: (
            f"{median(one, f'{way}_ms') / 1e3:.2f} s ({one['of_solve'][way]:.2f})"
        )
    return (
        f"{columns(FILE_WAYS, cells)}\n\nTimes are medians for"
        f" {row['edges'] / 1e6:.0f} M edges of {row['vertices'] / 1e6:.1f} M ids in"
        f" {row['files']} files. In parentheses: the ratio to the second row. Hashed ids are spread"
        " over 64 bits. The memory limit of the stream is"
        f" {row['memory_limit'] / 2**20:.0f} MiB. On {pages.dated(row)}, with a load of"
        f" {row['load']}."
        f" Versions: {pages.versions(row)}. The runs of the methods alternated,"
        f" {row['read_ms']['runs']} times each (Polars with SciPy:"
        f" {row['polars_ms']['runs']} times). All labels are equal."
    )


JOB_WAYS = {
    "numbers": {
        "solve": "components alone",
        "ours": "components, `stable_ids` and `changes`",
        "frames": "components, then `merge` and `groupby` of {frames}",
    },
    "sides": {
        "solve": "components alone",
        "ours": "`bipartition(frame).colors()`",
        "odd": "`odd_cycles()`, with one more edge, inside a side",
        "cover": "SciPy: components of the double cover",
        "search": "SciPy: a breadth-first search",
        "networkx": "NetworkX, on {fewer} times fewer edges",
    },
}


def numbers_and_sides(folder):
    """Return the tables of stable ids and of two sides."""
    rows = newest(load("numbers_and_sides", folder), "engine", "job")
    return "\n\n".join(map(one_job, rows))


def one_job(row):
    """Return the table of one job, and a description of its records."""
    names = {"frames": "cuDF" if row["engine"] == "cuda" else "pandas", "fewer": row.get("fewer")}
    ours = row["ours_ms"]["median"]
    lines = [
        [words.format(**names), f"{spent:,.0f}", f"{spent / ours:.2f}"]
        for way, words in JOB_WAYS[row["job"]].items()
        for spent in [row[f"{way}_ms"]["median"]]
    ]
    if row["job"] == "numbers":
        peer = ""
        what = "The input of each of two days has"
        what += f" {row['m']:,} pairs of {row['vertices']:,} vertices. On the second day,"
        what += f" {row['births']:,} numbers are new and {row['deaths']:,} are retired"
    else:
        peer = f" (NetworkX: {row['networkx_ms']['runs']} times)"
        what = f"The input has {row['m']:,} random edges between two sides of"
        what += f" {row['vertices']:,} vertices in all"
    return (
        f"{table(('job', 'ms', 'ratio'), lines)}\n\nThe runs of the rows"
        f" alternated, {row['ours_ms']['runs']} times each{peer}; times are medians. {what}."
        f" On {pages.dated(row)}, with a load of {row['load']}. Versions: {pages.versions(row)}."
        " All answers are equal."
    )


def long_forests(folder):
    """Return the table of spanning forests, and a description of its records."""
    rows = forests(folder)
    last, peer = rows[-1], PEERS[rows[-1]["engine"]]
    cells = {
        "edge list": lambda row: row["graph"],
        "edges": millions,
        "forest, ms": lambda row: f"{row['forest_ms']['median']:.1f}",
        "edges/s": lambda row: f"{row['edges'] / row['forest_ms']['median'] / 1e6:.1f} G",
        "labels alone, ms": lambda row: f"{row['labels_ms']['median']:.1f}",
        f"{peer}: graph + forest, ms": peer_parts,
        "faster": lambda row: f"{row['times_faster']:.1f} x",
        "memory": lambda row: f"{row['plan_bytes'] / 1e6:,.0f} MB",
    }
    apart = max(abs(row["total"] / row["peer_total"] - 1) for row in rows)
    return (
        f"{columns(rows, cells)}\n\nTimes are medians of"
        f" {last['forest_ms']['runs']} wall times, from a frame with random float32 weights to the"
        " frame of the forest; the runs alternated. Memory is the number of bytes in the plan"
        f" (`explain=True`), without the list. On {pages.dated(last)}. Versions:"
        f" {pages.versions(last)}. The total weights differ from {peer}'s by at most"
        f" {apart:.2%}, because {peer} keeps one of several weights of a duplicate edge."
    )


# docs/trust.md, docs/guides/start.md


def trials(folder):
    """Return the table of trials, which are counted in the tests and not in records."""
    from support.trials import TRIALS

    lines = [
        [t.what, f"{t.times:,}", t.holds, f"[{t.where}](../{t.where})"] for t in TRIALS.values()
    ]
    return table(("trial", "times", "expected result", "test"), lines, (0, 2, 3))


def audits(folder):
    """Return a row for each run that was audited: the newest records of a GPU and of threads."""
    loaded = [record for record in load("audit", folder) if "rows" in record or "named" in record]
    rows = [
        {name: record[name] for name in ("device", "commit")} | row
        for record in loaded
        for row in record.get("rows", [record])
        if "why_not" not in row
    ]
    last = [
        row
        for on_gpu in (True, False)
        for row in like_last([r for r in rows if is_gpu(r) is on_gpu], "commit")
    ]
    cells = {
        "device": lambda row: row["device"],
        "graph": lambda row: row["graph"],
        "ids": lambda row: row["named"].replace("as they are", "not hashed"),
        "edges": lambda row: f"{row['m']:,}",
        "run, ms": lambda row: f"{row['run_ms']['median']:,.1f}",
        "audit, ms": lambda row: f"{row['audit_ms']['median']:,.1f}",
        "audit / run": lambda row: f"{row['audit_of_run']:.2f}",
        "commit": lambda row: row["commit"],
    }
    return columns(newest(last, "device", "graph", "named"), cells, (0, 1, 2, 7))


def is_gpu(row):
    """Return whether a record is of a GPU."""
    return row["device"].startswith("NVIDIA")


#: For each job: the kernels that exist before it, and the names of two fields, with the number of
#: kernels that the job compiles and with the seconds.
FIRST_USES = {
    "make demo": {
        "none": ("compiled", "compile_s"),
        "by `cc-rapids compile`": ("compiled_after_ahead", "load_s"),
    },
    "first hour": {
        "none; all calls wait": ("waiting_compiled", "waiting_s"),
        "none; short lists do not wait": ("nothing_compiled", "nothing_s"),
        "from a wheel": ("wheel_compiled", "wheel_s"),
        "compiled in the background": ("later_compiled", "later_s"),
    },
    "first call on a GPU": {
        "none": ("nothing_compiled", "nothing_s"),
        "PTX from a wheel": ("wheel_compiled", "wheel_s"),
        "by `cc-rapids compile`": ("ahead_compiled", "ahead_s"),
    },
}


def first_use(folder):
    """Return a row for each job with its result."""
    rows = newest([row for row in load("first_use", folder) if "tree" not in row], "job")
    lines = [
        [row["job"], row["device"], words, str(row[compiled]), f"{row[seconds]['median']:.2f}"]
        for row in rows
        for words, (compiled, seconds) in FIRST_USES[row["job"]].items()
    ]
    return table(
        ("job", "device", "kernels that exist before the job", "compiled in the job", "seconds"),
        lines,
        3,
    )


# cc_rapids/datasets


def designs_set(folder):
    """Yield the time of each design on each graph, in each form of its edges, on each engine."""
    for row in (row for engine in PEERS for row in design_pages.Space(folder, engine).runs):
        if row.get("right"):
            size = "" if row["scale"] is None else f" (2^{row['scale']:.0f} vertices)"
            about = {name: row[name] for name in ("device", "date", "graph", "form", "design")}
            yield about | {"graph": row["graph"] + size, "ms": round(row["ms"]["median"], 4)}


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


def page(**tables):
    """Return a function that returns the tables of a page, each a function of the folder."""
    return lambda folder: {name: partial(make, folder) for name, make in tables.items()}


PAGES = {
    "README.md": page(main_job=main_table, ids=other_ids, forests=short_forests),
    "docs/benchmarks.md": page(
        gpu=partial(engine_section, engine="cuda"),
        threads=partial(engine_section, engine="threads"),
        files=files,
        numbers_and_sides=numbers_and_sides,
        spanning_forests=long_forests,
    ),
    "docs/larger.md": cluster_pages.contents,
    "docs/trust.md": page(trials=trials, audits=audits),
    "docs/guides/start.md": page(first_use=first_use),
    "docs/design-space.md": design_pages.contents,
    "docs/papers.md": paper_pages.contents,
}

if __name__ == "__main__":
    main()
