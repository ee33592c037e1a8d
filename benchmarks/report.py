"""Write the README's measured table from the records; nothing in it is typed by hand."""

import pathlib

import records

README = pathlib.Path(__file__).parent.parent / "README.md"
END = "<!-- end -->"
KINDS = {
    "hashed": "100 M edges of 64-bit hashes",
    "strings": "10 M edges of strings",
    "karate": "Zachary's karate club",
}


def main():
    """Write the README's tables."""
    fill(README, TABLES)


def fill(page, tables):
    """Replace what stands between the marks of each table in a page."""
    text = page.read_text()
    for name, make in tables.items():
        start = f"<!-- table: {name} -->"
        before, rest = text.split(start)
        after = rest.split(END, 1)[1]
        text = f"{before}{start}\n{make()}\n{END}{after}"
    page.write_text(text)


def main_rows(folder=records.HERE):
    """The newest rows of the main job: by ``run.py`` with cuGraph, or else by ``main_job.py``."""
    found = [
        row
        for row in records.load("bench", folder)
        if (row["form"], row["design"], row["scale"]) == ("coo", "auto", None)
        and row.get("checked")
        and row.get("peer", {}).get("name") == "cugraph"
        and row["peer"].get("same_partition")
    ]
    rows = [of_bench(row) for row in found]
    if not rows:
        rows = [row for row in records.load("main_job", folder) if not row["rmm_pool"]]
        rows = [row | {"theirs": theirs(row), "judge": "cuGraph's"} for row in rows]
    if not rows:
        raise SystemExit("no records of main_job yet")
    return [row for row in rows if row["commit"] == rows[-1]["commit"]]


def of_bench(row):
    """A row of ``run.py`` under the names of ``main_job.py``."""
    peer = row["peer"]
    theirs = peer["job_wall_ms"]["median"]
    return row | {
        "dtype": row["ids"],
        "wall_ms": row["job_wall_ms"],
        "theirs": theirs,
        "times_faster": theirs / row["job_wall_ms"]["median"],
        "cugraph_peak_bytes": peer["peak_bytes"],
        "judge": "those of cuGraph and of sequential union-find",
    }


def table(folder=records.HERE):
    """The main job on each graph and width of ids."""
    rows = main_rows(folder)
    last = rows[-1]
    lines = [
        "| edge list (cuDF) | ids | edges | cc_rapids | cuGraph: graph + components | faster"
        " | GPU memory: cc_rapids | cuGraph |",
        "| --- | --- | --: | --: | --: | --: | --: | --: |",
        *map(line, rows),
        "",
        f"Wall time from a cuDF frame to the cuDF answer, warm, medians, on one {last['device']};"
        f" cuDF {last['versions']['cudf-cu13']}, cuGraph {last['versions']['cugraph-cu13']},"
        " RMM's default allocator. Every answer was compared with"
        f" {last['judge']} after the timing."
        f" Memory is the most allocated at once beyond the edges, the answer included."
        f" Measured {last['date']} at {last['commit']}. {threads()} Made by `make figures` from"
        " [benchmarks/records](benchmarks/records).",
    ]
    return "\n".join(lines)


def ids():
    """A paragraph on ids of other kinds, from the newest commit measured, without a pool."""
    rows = [row for row in records.load("ids") if not row["rmm_pool"]]
    last = rows[-1]
    rows = {row["graph"]: row for row in rows if row["commit"] == last["commit"]}
    each = [
        f"{words} {rows[graph]['wall_ms']['median']:.2g} ms (cuGraph {theirs(rows[graph]):.0f})"
        for graph, words in KINDS.items()
    ]
    built = [rows[graph]["built_graph_times_faster"] for graph in rows if graph not in KINDS]
    return (
        f"Ids of other kinds: {', '.join(each)}. The components of a `cugraph.Graph` that is built"
        f" already take {min(built):.0f} to {max(built):.0f} times less time than cuGraph's on the"
        f" lists above. Same device and versions, at {last['commit']}."
    )


def theirs(row):
    """The milliseconds of cuGraph, graph and components."""
    return float(row["cugraph_build_ms"]["median"] + row["cugraph_wcc_ms"]["median"])


def line(row):
    """One row of the table."""
    return (
        f"| {row['graph']} | {row['dtype']} | {row['m'] / 1e6:.1f} M"
        f" | {row['wall_ms']['median']:.1f} ms | {row['theirs']:.0f} ms"
        f" | {row['times_faster']:.0f} x"
        f" | {row['peak_bytes'] / 1e6:,.0f} MB | {row['cugraph_peak_bytes'] / 1e6:,.0f} MB |"
    )


def threads():
    """A sentence on the CPU, if it was measured."""
    rows = records.load("threads")
    if not rows:
        return ""
    row = rows[-1]
    return (
        f"On {row['device']}, {row['m'] / 1e6:.0f} M edges take"
        f" {row['wall_ms']['median'] / 1e3:.2f} s, where SciPy takes"
        f" {row['scipy_ms']['median'] / 1e3:.1f} s ({row['times_faster']:.0f} x;"
        f" at {row['commit']})."
    )


TABLES = {"main_job": table, "ids": ids}

if __name__ == "__main__":
    main()
