"""Write the measurements that come with the package, which its notebooks draw, from the records."""

import csv
import io
import pathlib

import design_tables
import records

FOLDER = pathlib.Path(__file__).parent.parent / "cc_rapids" / "datasets"


def designs(folder=records.HERE):
    """Yield the time of each design on each graph, in each form of its edges."""
    for row in design_tables.Space(folder).runs:
        if row.get("right"):
            yield {
                "device": row["device"],
                "date": row["date"],
                "graph": row["graph"],
                "form": row["form"],
                "design": row["design"],
                "ms": round(row["ms"]["median"], 4),
            }


def main_job(folder=records.HERE):
    """Yield the times of the whole job beside cuGraph's, of the newest commit, without a pool."""
    rows = [row for row in records.load("main_job", folder) if not row["rmm_pool"]]
    for row in rows:
        if row["commit"] == rows[-1]["commit"]:
            times = {
                name: round(row[name]["median"], 4)
                for name in ("wall_ms", "cugraph_build_ms", "cugraph_wcc_ms")
            }
            same = {name: row[name] for name in ("device", "date", "graph", "dtype", "m")}
            yield same | times


def networkx(folder=records.HERE):
    """Yield how many times faster than NetworkX the backend is, with converting the graph."""
    rows = records.load("networkx_gain", folder)
    for row in rows:
        if row["commit"] == rows[-1]["commit"]:
            same = {name: row[name] for name in ("device", "date", "graph", "n")}
            yield same | {"times_faster": round(row["times_faster_converting"], 3)}


SETS = {"designs": designs, "main_job": main_job, "networkx": networkx}


def text(rows):
    """Return rows as csv."""
    rows, out = list(rows), io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def main():
    """Write all files."""
    for name, make in SETS.items():
        (FOLDER / f"measured_{name}.csv").write_text(text(make()), encoding="ascii")


if __name__ == "__main__":
    main()
