"""The rate of insertions: by the size of the batches, and with queries among them."""

import contextlib
import time

import records

import cc_rapids
from cc_rapids import backends, generators
from cc_rapids.errors import CcRapidsError

GRAPH = "kron21"
DESIGNS = (
    "auto",
    "none+async+halve",
    "none+rem-cas+split-one",
    "none+early+halve",
    "none+hooks+halve",
    "none+jtb+two-try-split",
    "liu-tarjan(PRS)",
    "shiloach-vishkin",
)
SIZES = tuple(10**k for k in range(3, 9))
BATCHES = 91  # at most so many of one size: all of a list in batches of a million
SOME = 20  # batches with queries among them
MIXED, RATIOS = 10**6, (10.0, 3.0, 1.0, 0.3, 0.1)  # rows a batch; inserts a query
RUNS = 3


def figures(graph, backend, left):
    """Yield a record for each design and size of batches, then for each ratio, in time."""
    for design in DESIGNS:
        for size in dict.fromkeys(min(size, graph.num_edges) for size in SIZES):
            if left() <= 0:
                return
            yield guarded(inserted, design, {"batch": size}, graph, backend)
    for size in dict.fromkeys(min(size, graph.num_edges) for size in SIZES):
        yield guarded(inserted_at_once, "auto", {"batch": size, "at_once": True}, graph, backend)
    for design in DESIGNS:
        for ratio in RATIOS:
            if left() <= 0:
                return
            facts = {"batch": min(MIXED, graph.num_edges), "inserts_a_query": ratio}
            yield guarded(mixed, design, facts, graph, backend)


def guarded(measure, design, facts, graph, backend):
    """Return the record of a measurement, or why a design takes no batches."""
    facts = {"design": design} | facts
    try:
        return facts | measure(design, facts, graph, backend)
    except CcRapidsError as error:
        return facts | {"not_run": str(error)}


def touch(graph, backend):
    """Insert a few rows, and process a few, by each design: for the sake of the kernels."""
    src, dst = graph.src[:16], graph.dst[:16]
    for design in DESIGNS:
        with contextlib.suppress(CcRapidsError):
            rate([(src, dst)], design, graph, backend, insert)
            rate([(src, dst, src < dst)], design, graph, backend, process)


def inserted(design, facts, graph, backend):
    """Return the rate of batches of one size."""
    return rate(batches(graph.src, graph.dst, facts["batch"]), design, graph, backend, insert)


def inserted_at_once(design, facts, graph, backend):
    """Return the rate of as many batches, given to one insertion."""
    given = batches(graph.src, graph.dst, facts["batch"])
    rows = sum(columns[0].size for columns in given)

    def insert_all(found, columns):
        found.insert(iter(columns))

    return rate([[given]], design, graph, backend, insert_all, rows)


def mixed(design, facts, graph, backend):
    """Return the rate of batches in which some rows are queries of random pairs."""
    xp, size = backend.xp, facts["batch"]
    count, n = min(graph.num_edges, SOME * size), graph.num_vertices
    draws = xp.random.RandomState(0)
    query = draws.random_sample(count) >= facts["inserts_a_query"] / (1 + facts["inserts_a_query"])
    ends = (
        xp.where(query, draws.randint(0, n, count), column[:count]).astype(column.dtype)
        for column in (graph.src, graph.dst)
    )
    return rate(batches(*ends, size, query), design, graph, backend, process)


def batches(src, dst, size, *masks):
    """Slices of the columns, whole ones, and at most so many."""
    firsts = range(0, src.size - size + 1, size)[:BATCHES]
    return [tuple(column[k : k + size] for column in (src, dst, *masks)) for k in firsts]


def insert(found, src, dst):
    """Insert a batch."""
    found.insert((src, dst))


def process(found, src, dst, query):
    """Insert some rows of a batch, and answer the others."""
    found.process((src, dst), query=query)


def rate(given, design, graph, backend, take, rows=None):
    """Return rows a second, wall time until the device is done; the first run warms up."""
    times, rows = [], rows or sum(columns[0].size for columns in given)
    for _ in range(RUNS + 1):
        n, where = graph.num_vertices, backend.name
        found = cc_rapids.Connectivity(num_vertices=n, design=design, engine=where)
        backend.synchronize()
        started = time.perf_counter()
        for columns in given:
            take(found, *columns)
        backend.synchronize()
        times.append(1e3 * (time.perf_counter() - started))
    spent = records.spread(times[1:])
    return {"rows": rows, "wall_ms": spent, "rows_per_s": round(1e3 * rows / spent["median"])}


def main():
    """Measure batches alone, and keep the records."""
    args = records.arguments(__doc__)
    args.add_argument("--engine", choices=backends.ENGINES, default="threads")
    args = args.parse_args()
    backend = backends.get(args.engine)
    graph = generators.reference(GRAPH, args.scale, engine=args.engine)
    facts = records.environment(backend.device_name, args.commit)
    facts |= {"engine": args.engine, "graph": GRAPH, "scale": args.scale}
    facts |= {"n": graph.num_vertices, "m": graph.num_edges}
    for row in figures(graph, backend, lambda: 1):
        records.keep(args.out, "design_stream", facts | row)


if __name__ == "__main__":
    main()
