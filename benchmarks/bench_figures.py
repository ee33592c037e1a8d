"""Fill the page on the reference graphs, and draw its figures, from the records."""

import pathlib

import design_tables
import files
import numbers_and_sides
import records
import report
import spanning_forests
from paper_tables import number

from cc_rapids.tools import charts

ROOT = pathlib.Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
KEY = "engine", "graph", "form", "ids", "design"
PLACES = {"cuda": "gpu", "threads": "threads"}


def main():
    """Make the figures, then the page that shows those there are."""
    args, folder = report.page_arguments(__doc__, PAGE)
    for engine, place in PLACES.items():
        for name, draw in FIGURES.items():
            rows = newest(args.records, engine, name in LIMITED)
            figure = report.titled(draw(rows), WORDS[name]) if rows else None
            if figure:
                charts.save(figure, folder / f"bench-{name}-{place}.svg")
    report.fill(args.page, contents(args.records, folder))


def newest(folder, engine, limited=False):
    """Return the last record of each case, of the device, the commit and the size measured last.

    If ``limited``, of a device whose limits are known.
    """
    rows = [row for row in records.load("bench", folder) if row["engine"] == engine]
    rows = [row for row in rows if not limited or "of_limit" in row["paper"]]
    same = "device", "commit", "scale"
    kept = [row for row in rows if all(row[key] == rows[-1][key] for key in same)]
    return list({tuple(row[key] for key in KEY): row for row in kept}.values())


def contents(folder, figures):
    """Return what stands between the marks of the page."""
    sections = {
        place: lambda engine=engine: section(folder, engine, figures)
        for engine, place in PLACES.items()
    }
    tables = {
        "files": files,
        "numbers_and_sides": numbers_and_sides,
        "spanning_forests": spanning_forests,
    }
    others = {name: lambda module=module: module.table(folder) for name, module in tables.items()}
    return sections | others


def section(folder, engine, figures):
    """Return the tables of one engine, its figures, and what they stand on."""
    rows, place = newest(folder, engine), PLACES[engine]
    if not rows:
        return "Not measured yet on this version: `python benchmarks/run.py`."
    parts = [
        design_tables.table(TIMES, list(map(times, rows))),
        design_tables.table(WORK, list(map(work, rows)), 2),
    ]
    for name in FIGURES:
        if (figures / f"bench-{name}-{place}.svg").exists():
            parts.append(f"![{WORDS[name]}](figures/bench-{name}-{place}.svg)")
            drawn = newest(folder, engine, name in LIMITED)
            if drawn and drawn[-1]["device"] != rows[-1]["device"]:
                made = f"{drawn[-1]['device']}, {records.dated(drawn[-1])}"
                parts.append(f"On {made}: limits of the device below are not known.")
    return "\n\n".join([*parts, footing(rows)])


TIMES = "edge list", "edges", "to labels, ms", "min-max", "peer, ms", "faster"
WORK = "edge list", "design", "alone, ms", "random reads an edge", "of the limit"


def times(row):
    """Return a row of the table of times: ours, from the input to the labels, and the peer's."""
    job, theirs = row["job_wall_ms"], row.get("peer", {}).get("job_wall_ms")
    return [
        case(row),
        f"{row['m'] / 1e6:.1f} M",
        number(job["median"]),
        f"{number(job['least'])}-{number(job['greatest'])}",
        number(theirs and theirs["median"]),
        number(faster(row), " x"),
    ]


def work(row):
    """Return a row of the table of work: what ran, and how near it is to the card's limit."""
    limit = row["paper"].get("of_limit")
    return [
        case(row),
        f"`{row['ran']}`",
        number(alone(row)),
        number(row["paper"]["random_reads_an_edge"]),
        "-" if limit is None else f"{limit:.0%}",
    ]


def case(row):
    """Return the name of an input: its graph, form and type."""
    return f"{row['graph']}, {row['form']}, {row['ids']}"


def alone(row):
    """Return the milliseconds of the design on edges in place: of the device, if there is one."""
    return row["solve_device_ms" if "solve_device_ms" in row else "solve_wall_ms"]["median"]


def faster(row):
    """Return how many times longer the peer takes, or None."""
    theirs = row.get("peer", {}).get("job_wall_ms")
    return theirs["median"] / row["job_wall_ms"]["median"] if theirs else None


def footing(rows):
    """Return what the times stand on, in words."""
    last = rows[-1]
    peers = sorted({row["peer"]["name"] for row in rows if "job_wall_ms" in row.get("peer", {})})
    failed = sum("not_run" in row.get("peer", {}) for row in rows)
    size = "" if last["scale"] is None else f" Graphs of about 2^{last['scale']:g} vertices."
    versions = ", ".join(f"{name} {version}" for name, version in last["versions"].items())
    checked = all(row.get("checked") for row in rows)
    return (
        f"On {last['device']}, {records.dated(last)}; {versions}.{size} Medians of"
        f" {min(row['job_wall_ms']['runs'] for row in rows)} runs or more; the inputs of a case are"
        f" {min(row['inputs'] for row in rows)} copies or more, used in turn."
        f" Peer: {', '.join(peers) or 'none'}."
        + (f" It did not run on {failed} of {len(rows)}." if failed else "")
        + (" All answers equal those of sequential union-find." if checked else " Not checked.")
    )


def by_case(rows, value):
    """Bars of a value: graphs, and in each the forms, widths and designs."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    series = {}
    for row in rows:
        name = f"{row['form']}, {row['ids']}"
        if row["design"] != "auto":
            name += f", {row['design']}"
        series.setdefault(name, [None] * len(graphs))[graphs.index(row["graph"])] = value(row)
    there = any(bar is not None for bars in series.values() for bar in bars)
    return (graphs, series) if there else None


def gains(rows):
    """Return how many times faster than the peer."""
    found = by_case(rows, faster)
    return charts.bars(*found, "times faster than the peer", log=True, line=1) if found else None


def limits(rows):
    """Draw how near each run is to the limit of the card."""
    found = by_case(rows, lambda row: row["paper"].get("of_limit"))
    return charts.bars(*found, "time of the limit / time", line=1) if found else None


FIGURES = {"faster": gains, "limit": limits}
LIMITED = {"limit"}  # those that need the limits of the device
WORDS = {
    "faster": "Times faster than the peer, from the input to the labels",
    "limit": "The time that the card's limits allow over the time of the design alone",
}

if __name__ == "__main__":
    main()
