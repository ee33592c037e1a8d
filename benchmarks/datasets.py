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
    """Yield the times of the whole job beside cuGraph's."""
    for row in main_jobs(folder):
        times = {
            name: round(row[name]["median"], 4)
            for name in ("wall_ms", "cugraph_build_ms", "cugraph_wcc_ms")
        }
        same = {name: row[name] for name in ("device", "date", "graph", "dtype", "m")}
        yield same | times


def main_jobs(folder):
    """Return the records of the whole job, of the newest commit, without a pool."""
    rows = [row for row in records.load("main_job", folder) if not row["rmm_pool"]]
    return of_newest_commit(rows)


def of_newest_commit(rows):
    """Return those of some records whose commit is that of the last."""
    return [row for row in rows if row["commit"] == rows[-1]["commit"]]


def networkx(folder=records.HERE):
    """Yield how many times faster than NetworkX the backend is, with converting the graph."""
    for row in gains(folder):
        same = {name: row[name] for name in ("device", "date", "graph", "n")}
        yield same | {"times_faster": round(row["times_faster_converting"], 3)}


def gains(folder):
    """Return the records beside NetworkX, of the newest commit."""
    return of_newest_commit(records.load("networkx_gain", folder))


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
