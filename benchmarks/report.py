"""Make the README's tables and its figure from the records; nothing in them is typed by hand."""

import argparse
import pathlib
import sys

import records
import spanning_forests

ROOT = pathlib.Path(__file__).parent.parent
DOCS = ROOT / "docs"
README, FIGURE = ROOT / "README.md", DOCS / "figures" / "main-job.svg"
TITLE = "Times of cc_rapids and cuGraph on five edge lists"
MOST = 5  # lines, or bars of a group, of one figure: more cannot be told apart
END = "<!-- end -->"
KINDS = {
    "hashed": "100 M edges of 64-bit hashes",
    "strings": "10 M edges of strings",
    "karate": "Zachary's karate club",
}


def main():
    """Write the README's tables, and draw its figure."""
    fill(README, TABLES)
    draw(measured()[0], FIGURE)
    darken(FIGURE)
    newest = [("main_job", measured()[1]), ("ids", records.load("ids")[-1])]
    for what, last in newest + [("lists", row) for row in user_lists()[-1:]]:
        count = records.since(last["commit"])
        print(f"{what}: measured at {last['commit']}, {count} commits of the package ago")


def darken(figure):
    """Write the version of a figure for dark pages into the folder ``dark`` beside it.

    Only of figures of the README: pages of the documentation make theirs when they are built.
    """
    sys.path.append(str(DOCS))
    from darken import darkened

    dark = figure.parent / "dark" / figure.name
    dark.parent.mkdir(exist_ok=True)
    dark.write_text(darkened(figure.read_text(encoding="utf-8")), encoding="utf-8")


def titled(figure, words):
    """Give a figure its title; return None if there is no figure, and refuse one of many lines."""
    if figure is None:
        return None
    axes = figure.axes[0]
    legend = axes.get_legend()
    lines = [text.get_text() for text in legend.get_texts()] if legend else []
    if len(lines) > MOST:
        raise ValueError(f"{words}: {len(lines)} lines, of which {MOST} can be told apart: {lines}")
    axes.set_title(words, loc="left", fontsize=10)
    return figure


def foremost(series, value, least=False):
    """Return the five series of the greatest values, or of the least, in their own order."""
    kept = sorted(series, key=lambda name: value(series[name]), reverse=not least)[:MOST]
    return {name: those for name, those in series.items() if name in kept}


def page_arguments(text, page):
    """Return the command line of a script that makes a page, and the folder of its figures."""
    args = argparse.ArgumentParser(description=text)
    args.add_argument("--records", type=pathlib.Path, default=records.HERE)
    args.add_argument("--page", type=pathlib.Path, default=page)
    args = args.parse_args()
    folder = args.page.parent / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    return args, folder


def fill(page, tables):
    """Replace what stands between the marks of each table in a page."""
    text = page.read_text()
    for name, make in tables.items():
        start = f"<!-- table: {name} -->"
        before, rest = text.split(start)
        after = rest.split(END, 1)[1]
        text = f"{before}{start}\n{make()}\n{END}{after}"
    page.write_text(text)


def measured(folder=records.HERE):
    """Return the newest records of each graph and width of ids, and the last of all.

    They are those of ``run.py`` if it ran beside cuGraph, or else of ``main_job.py``.
    """
    rows = [of_bench(row) for row in records.load("bench", folder) if beside_cugraph(row)]
    if not rows:
        rows = [row for row in records.load("main_job", folder) if not row["rmm_pool"]]
    if not rows:
        raise SystemExit("no records of main_job yet")
    last = rows[-1]
    return [row for row in rows if row["commit"] == last["commit"]], last


def beside_cugraph(row):
    """Return whether a record of ``run.py`` is of the main job, and was compared with cuGraph."""
    peer = row.get("peer", {})
    main_job = (row["form"], row["design"], row["scale"]) == ("coo", "auto", None)
    right = row.get("checked") and peer.get("same_partition")
    return main_job and right and peer["name"] == "cugraph"


def of_bench(row):
    """Return a record of ``run.py`` under the names of ``main_job.py``."""
    peer = row["peer"]
    return row | {
        "dtype": row["ids"],
        "wall_ms": row["job_wall_ms"],
        "cugraph_ms": peer["job_wall_ms"],
        "times_faster": peer["job_wall_ms"]["median"] / row["job_wall_ms"]["median"],
        "cugraph_peak_bytes": peer["peak_bytes"],
    }


def table(folder=records.HERE):
    """Return a row for each list and kind of ids, then for each graph and width of ids."""
    first, (rows, last) = user_lists(folder), measured(folder)
    bounded = [row for row in first if "bound_bytes" in row] + rows
    hashed = "; hashed ids have no such range" * (len(bounded) < len(first) + len(rows))
    lines = [
        "| edge list | edges | cc_rapids | cuGraph | faster | memory | cuGraph's |",
        "| --- | --: | --: | --: | --: | --: | --: |",
        *map(line, first + rows),
        "",
        f"Median wall time, warm, from a cuDF frame to the cuDF answer, on one {last['device']};"
        f" cuDF {last['versions']['cudf-cu13']}, cuGraph {last['versions']['cugraph-cu13']} (making"
        " the graph and finding its components), RMM's default allocator; every answer was compared"
        " with cuGraph's. Memory is the peak on the GPU beyond the edges, with the answer:"
        f" {within(bounded)}{hashed}. Measured {last['date']}{measured_apart(first, last)}."
        f" {threads()}",
    ]
    return "\n".join(lines)


def user_lists(folder=records.HERE):
    """Return the newest record of each list that users hold, beside cuGraph, of the last commit."""
    rows = [row for row in records.load("lists", folder) if of_full_lists(row)]
    kept = {
        (row["graph"], row["dtype"]): row for row in rows if row["commit"] == rows[-1]["commit"]
    }
    return list(kept.values())


def of_full_lists(row):
    """Return whether a record of ``lists.py`` is of a GPU, and of a whole list."""
    return row["engine"] == "cuda" and row["scale"] is None and row.get("equal_to_cugraph", False)


def measured_apart(first, last):
    """Return when the first rows of the table were measured, and where, if not as the last."""
    words = "".join(
        f" {how} {first[-1][what]}"
        for how, what in (("on", "date"), ("on one", "device"))
        if first and first[-1][what] != last[what]
    )
    return words and f", the first {len(first)} rows{words}"


def within(rows):
    """Return whether the memory of all rows is within the bound that is promised now."""
    above = len(records.beyond_bound(rows))
    bound = (
        "`memory_bound`, 4 n + n / 8 + answer + 8 MiB for n integers from the least id to the"
        " greatest"
    )
    if not above:
        return f"within {bound}"
    return f"of {above} of {len(rows)} rows above {bound}, which is held since"


def ids():
    """Return a paragraph on ids of other kinds, from the newest commit measured, without a pool."""
    rows = {row["graph"]: row for row in other_ids()}
    each = [
        f"{words} {rows[graph]['wall_ms']['median']:.2g} ms (cuGraph {theirs(rows[graph]):.0f})"
        for graph, words in KINDS.items()
    ]
    built = [row["built_graph_times_faster"] for row in built_graphs()]
    return (
        f"Other ids: {', '.join(each)}. If the `cugraph.Graph` exists already, cc_rapids finds its"
        f" components {min(built):.0f} to {max(built):.0f} times faster than cuGraph on the lists"
        f" above. Same device and versions. {streamed()}"
    )


def other_ids(folder=records.HERE):
    """Return the newest record of each kind of ids, of the commit measured last, without a pool."""
    return [row for row in newest_ids(folder) if row["graph"] in KINDS]


def built_graphs(folder=records.HERE):
    """Return the same of the reference graphs, whose graph of cuGraph is there already."""
    return [row for row in newest_ids(folder) if row["graph"] not in KINDS]


def newest_ids(folder):
    """Return the newest records of the commit measured last, without a pool, one a graph."""
    rows = [row for row in records.load("ids", folder) if not row["rmm_pool"]]
    kept = {row["graph"]: row for row in rows if row["commit"] == rows[-1]["commit"]}
    return list(kept.values())


def many_files(folder=records.HERE):
    """Return the newest record of each graph that was streamed from more than one file."""
    rows = records.load("streams", folder)
    return list({row["graph"]: row for row in rows if row["files"] > 1}.values())


def streamed():
    """Return a sentence on edges that are read from files, larger than the memory allowed."""
    rows = many_files()
    edges = min(row["edges"] for row in rows)
    limit = max(row["memory_limit"] for row in rows)
    rates = sorted(row["of_reading_speed"] for row in rows)
    return (
        f"Streaming {edges / 1e9:.1f} G edges from Parquet within {limit >> 30} GiB runs at"
        f" {rates[0]:.2g} to {rates[-1]:.2g} times the speed at which cuDF alone reads the files."
    )


def theirs(row):
    """Return the milliseconds of cuGraph, graph and components."""
    parts = ("cugraph_ms",) if "cugraph_ms" in row else ("cugraph_build_ms", "cugraph_wcc_ms")
    return float(sum(row[part]["median"] for part in parts))


def line(row):
    """Return one row of the table."""
    return (
        f"| {row['graph']}, {row['dtype']} | {row['m'] / 1e6:.1f} M"
        f" | {in_ms(row['wall_ms']['median'])} ms | {theirs(row):.0f} ms"
        f" | {row['times_faster']:.0f} x"
        f" | {row['peak_bytes'] / 1e6:,.0f} MB | {row['cugraph_peak_bytes'] / 1e6:,.0f} MB |"
    )


def in_ms(time):
    """Return milliseconds with a decimal, or with two if they are less than one."""
    return f"{time:.1f}" if time >= 1 else f"{time:.2f}"


def threads():
    """Return a sentence on the CPU, if it was measured."""
    rows = records.load("threads")
    if not rows:
        return ""
    row = rows[-1]
    return (
        f"On {row['device']}, {row['m'] / 1e6:.0f} M edges take"
        f" {row['wall_ms']['least'] / 1e3:.2f} s, where SciPy takes"
        f" {row['scipy_ms']['least'] / 1e3:.1f} s ({row['times_faster']:.0f} x, fastest of"
        f" {row['wall_ms']['runs']} runs)."
    )


def draw(rows, path):
    """Draw the times of each graph, int32 ids, between the card's limits and cuGraph's times."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    from cc_rapids.plots import CARDS

    card, graphs = CARDS.get(rows[0]["device"]), list(dict.fromkeys(row["graph"] for row in rows))
    plt.rcParams |= {"svg.hashsalt": "cc_rapids", "font.size": 9}
    figure, axes = plt.subplots(figsize=(7.2, 2.4), layout="constrained")
    style = {"linestyle": "none", "color": "black", "markersize": 5}
    rows = [row for row in rows if row["dtype"] == "int32"]
    y = range(len(rows))
    axes.plot([row["wall_ms"]["median"] for row in rows], y, "o", label="cc_rapids", **style)
    axes.plot(list(map(theirs, rows)), y, "s", label="cuGraph", markerfacecolor="white", **style)
    limits = (
        ("edges read once", ":", lambda row: card.stream_ms(row["m"])),
        ("two labels read an edge", "-", lambda row: card.labels_ms(row["m"], 4 * row["n"])),
    )
    for words, line, limit in limits if card else ():
        low, high = [k - 0.35 for k in y], [k + 0.35 for k in y]
        axes.vlines(list(map(limit, rows)), low, high, "0.4", line, label=f"limit: {words}")
    axes.set(xscale="log", xlim=(0.05, 2000), xlabel="milliseconds, cuDF frame in, cuDF frame out")
    axes.set_yticks(range(len(graphs)), graphs)
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter("{x:g}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=8)
    titled(figure, TITLE)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


TABLES = {"main_job": table, "ids": ids, "forests": spanning_forests.short}

if __name__ == "__main__":
    main()
