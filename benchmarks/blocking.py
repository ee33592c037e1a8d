"""Lists whose labels no cache holds, linked in the order of blocks of vertices and as listed.

The design of "auto" and the same in the order of the list, from a cuDF frame to the label frame
(wall), and the design alone on edges in place (device time); both ways take turns. The answers are
compared. Random lists and R-MAT of up to 2 G edges are among them, with four edges a vertex, and
with 2^24 and 2^26 vertices.
"""

import gc
import traceback

import measured_code
import numpy as np
import records
from design_tables import table as lines

import cc_rapids
from cc_rapids import Design, backends, generators
from cc_rapids.algorithms.compiled import build
from cc_rapids.algorithms.design import as_listed
from cc_rapids.algorithms.run import arranged, prepare, run
from cc_rapids.graph.edges import Edges
from cc_rapids.graph.forest import Forest

MILLION = 1_000_000


def uniform(millions):
    """Return random pairs, four for each vertex."""
    return generators.uniform(millions * MILLION // 4, millions * MILLION, engine="cuda")


def rmat(scale):
    """Return the R-MAT list of Cong and Muzio with 1 G edges."""
    return generators.rmat(scale, 1000 * MILLION, 0.45, 0.15, 0.15, engine="cuda")


def reference(name):
    """Return one of the reference lists."""
    return generators.reference(name, engine="cuda")


LISTS = {
    "pairs60M": lambda: reference("pairs60M"),
    "records50M": lambda: reference("records50M"),
    "uniform25M": lambda: reference("uniform25M"),
    "rmat24": lambda: reference("rmat24"),
    "uniform, 400 M edges": lambda: uniform(400),
    "uniform, 1 G edges": lambda: uniform(1000),
    "uniform, 2 G edges": lambda: uniform(2000),
    "rmat24, 1 G edges": lambda: rmat(24),
    "rmat26, 1 G edges": lambda: rmat(26),
}


def main():
    """Measure, and keep each record as it is made; what fails costs its own row alone."""
    args = records.arguments(__doc__)
    args.add_argument("--lists", nargs="*", choices=LISTS, default=tuple(LISTS))
    args = args.parse_args()
    backend = backends.get("cuda")
    base = records.environment(backend.device_name, args.commit)
    failed = []
    for name in args.lists:
        try:
            records.keep(args.out, "blocking", base | {"list": name} | measure(name, backend, args))
        except Exception:
            traceback.print_exc()
            failed.append(name)
        gc.collect()
        backend.xp.get_default_memory_pool().free_all_blocks()
    if failed:
        raise SystemExit(f"not measured: {'; '.join(failed)}")


def measure(name, backend, args):
    """Return all figures of one list."""
    import cudf

    graph = LISTS[name]()
    src, dst = (end.view(np.int32) for end in graph.edges)
    n, frame = graph.num_vertices, cudf.DataFrame({"src": src, "dst": dst}, copy=False)
    blocked = Design.parse(cc_rapids.components(frame).summary()["design"])
    designs = {"blocked": blocked, "listed": as_listed(blocked)}

    def job(design):
        return lambda: cc_rapids.connected_components(frame, design=design)

    wall = records.turns([job(d) for d in designs.values()], args.runs, backend.synchronize)
    first, second = (job(design)() for design in designs.values())
    assert bool((first["labels"] == second["labels"]).all())
    del first, second
    found = {"n": n, "m": len(frame), "design": str(blocked)}
    for way, times in zip(designs, wall, strict=True):
        found[f"{way}_wall_ms"] = records.spread(times)
    for way, design in designs.items():
        found[f"{way}_device_ms"] = records.spread(
            alone(design, Edges(src, dst, 0), n, backend, args.runs)
        )
    return found | {"code": measured_code.of_run(job(blocked))}


def alone(design, edges, n, backend, runs):
    """Return the device milliseconds of the design on edges in place."""
    forest = Forest(backend, n, all_present=True)
    edges, rows = arranged(design, edges, None, forest)
    compiled = build(design, backend, forest.vertex, edges.wide, rows is not None, False)
    state, times = prepare(compiled, edges, forest, rows), []
    for _ in range(runs + 1):
        state.reset()
        first = backend.mark()
        run(compiled, state)
        last = backend.mark()
        backend.synchronize()
        times.append(backend.elapsed(first, last))
    return times[1:]


def newest(folder=records.HERE):
    """Return the newest record of each list."""
    return list({row["list"]: row for row in records.load("blocking", folder)}.values())


def table(folder=records.HERE):
    """Return the table of docs/benchmarks.md, and what it stands on."""
    rows = newest(folder)
    if not rows:
        return "Not measured yet on this version: `python benchmarks/blocking.py`."
    head = (
        "edge list",
        "edges",
        "listed: wall, ms",
        "alone",
        "in blocks: wall, ms",
        "alone",
        "G edges/s",
    )
    cells = [
        [
            row["list"],
            f"{row['m'] / 1e6:,.0f} M",
            *(
                f"{row[f'{way}_{time}_ms']['median']:.1f}"
                for way in ("listed", "blocked")
                for time in ("wall", "device")
            ),
            f"{row['m'] / row['blocked_wall_ms']['median'] / 1e6:.1f}",
        ]
        for row in rows
    ]
    last = rows[-1]
    versions = ", ".join(f"{k} {v}" for k, v in last["versions"].items())
    return (
        f"{lines(head, cells)}\n\nMedians of {last['listed_wall_ms']['runs']} runs of each way in"
        f" turns, int32, from the cuDF frame to the label frame, and the design alone on edges in"
        f" place. On {last['device']}, {records.dated('blocking', last)}; {versions}. All labels"
        " are equal."
    )


if __name__ == "__main__":
    main()
