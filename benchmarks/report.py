"""Write the README's measured table from the records; nothing in it is typed by hand."""

import pathlib

import records

README = pathlib.Path(__file__).parent.parent / "README.md"
START, END = "<!-- table: main_job -->", "<!-- end -->"


def main():
    """Replace what stands between the two marks."""
    text = README.read_text()
    before, rest = text.split(START)
    after = rest.split(END)[1]
    README.write_text(f"{before}{START}\n{table()}\n{END}{after}")


def table():
    """The newest record of each graph and width of ids, from the newest commit measured."""
    rows = records.load("main_job")
    if not rows:
        raise SystemExit("no records of main_job yet")
    last = rows[-1]
    rows = [row for row in rows if row["commit"] == last["commit"] and not row["rmm_pool"]]
    lines = [
        "| edge list (cuDF) | ids | edges | cc_rapids | cuGraph: graph + components | faster"
        " | GPU memory: cc_rapids | cuGraph |",
        "| --- | --- | --: | --: | --: | --: | --: | --: |",
        *map(line, rows),
        "",
        f"Wall time from a cuDF frame to the cuDF answer, warm, medians, on one {last['device']};"
        f" cuDF {last['versions']['cudf-cu13']}, cuGraph {last['versions']['cugraph-cu13']},"
        f" RMM's default allocator. Every answer was compared with cuGraph's after the timing."
        f" Memory is the most allocated at once beyond the edges, the answer included."
        f" Measured {last['date']} at {last['commit']}. {threads()} Made by `make figures` from"
        " [benchmarks/records](benchmarks/records).",
    ]
    return "\n".join(lines)


def line(row):
    """One row of the table."""
    theirs = row["cugraph_build_ms"]["median"] + row["cugraph_wcc_ms"]["median"]
    return (
        f"| {row['graph']} | {row['dtype']} | {row['m'] / 1e6:.1f} M"
        f" | {row['wall_ms']['median']:.1f} ms | {theirs:.0f} ms | {row['times_faster']:.0f} x"
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


if __name__ == "__main__":
    main()
