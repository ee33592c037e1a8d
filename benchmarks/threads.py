"""The main job on CPU threads against SciPy: 20 M uniform edges over 5 M vertices.

SciPy's time is that of making the sparse matrix and of csgraph.connected_components. Both take
turns, so that others' work on the machine meets both, and their least times are compared; the
labels are compared after the timing. The first call in a process whose code is in the store is
timed for lists of two lengths, apart from importing NumPy and Numba. ``--gapbs`` names a program of
the GAP Benchmark Suite, such as its Afforest, that is given the same edges: its own times leave out
making its adjacency list, and stand beside those of our rows as well as of our list.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import records
import scipy.sparse

import cc_rapids
from cc_rapids import backends, generators

FIRST = """
import json, sys, time
start = time.perf_counter()
import numpy, numba
imported = time.perf_counter()
import cc_rapids
m = int(sys.argv[1])
edges = numpy.random.default_rng(1).integers(0, m, (2, m))
began = time.perf_counter()
cc_rapids.components(tuple(edges)).labels()
print(json.dumps([round(t, 4) for t in (imported - start, time.perf_counter() - began)]))
"""
LENGTHS = (3, 1_000_000)


def in_turns(runs, *peers):
    """Milliseconds of each of some runs of each peer, after one to warm up."""
    rounds = []
    for _ in range(runs + 1):
        marks = [time.perf_counter()]
        for peer in peers:
            peer()
            marks.append(time.perf_counter())
        rounds.append([1e3 * (last - first) for first, last in itertools.pairwise(marks)])
    return list(zip(*rounds[1:], strict=True))


def first_calls(m, processes=3):
    """Seconds of importing NumPy and Numba, and of the first call on m edges, in new processes."""
    command = [sys.executable, "-c", FIRST, str(m)]
    said = [subprocess.check_output(command, text=True) for _ in range(processes + 1)]
    return [json.loads(line) for line in itertools.islice(said, 1, None)]  # the first compiles


def gapbs(program, src, dst, runs):
    """Milliseconds of each of some trials of a program of the suite, after one to warm up."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph.el"
        bare = pa.csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
        pa.csv.write_csv(pa.table({"src": src, "dst": dst}), file, bare)
        said = subprocess.check_output([program, "-s", "-f", file, "-n", str(runs + 1)], text=True)
    trials = [line.split()[-1] for line in said.splitlines() if line.startswith("Trial Time")]
    return [1e3 * float(seconds) for seconds in trials[1:]]


def beside_gapbs(args, src, dst, n, ours):
    """Return the times of the suite, and ours of the list and of its rows."""
    m = src.size
    matrix = scipy.sparse.coo_array((np.ones(m, np.int8), (src, dst)), shape=(n, n))
    matrix = (matrix + matrix.T).tocsr()
    rows = cc_rapids.Csr(matrix.indptr, matrix.indices, symmetric=True)

    def of_rows():
        return cc_rapids.components(rows).labels("dense")

    first = in_turns(args.runs, ours, of_rows)
    theirs = gapbs(args.gapbs, src, dst, args.runs)
    lists, rows_ms = (a + b for a, b in zip(first, in_turns(args.runs, ours, of_rows), strict=True))
    return {
        "gapbs_ms": records.spread(theirs),
        "list_ms": records.spread(lists),
        "rows_ms": records.spread(rows_ms),
        "of_gapbs_speed": round(min(theirs) / min(lists), 2),
        "of_gapbs_speed_by_rows": round(min(theirs) / min(rows_ms), 2),
    }


def main():
    """Measure both and keep the record."""
    args = records.arguments(__doc__)
    args.add_argument("--gapbs", help="a program of the suite")
    args = args.parse_args()
    n, m = 5_000_000, 20_000_000
    graph = generators.uniform(n, m, seed=1, dtype=np.int32)
    src, dst = graph.edges

    def ours():
        return cc_rapids.components((src, dst), num_vertices=n).labels("dense")

    def scipys():
        matrix = scipy.sparse.coo_array((np.ones(m, np.int8), (src, dst)), shape=(n, n))
        return scipy.sparse.csgraph.connected_components(matrix, directed=False)

    mine, theirs = in_turns(args.runs, ours, scipys)
    count, expected = scipys()
    if not np.array_equal(ours().labels, expected):
        raise SystemExit("the labels differ from SciPy's")
    record = {
        "graph": "uniform",
        "n": n,
        "m": m,
        "components": int(count),
        "wall_ms": records.spread(mine),
        "scipy_ms": records.spread(theirs),
        "times_faster": round(min(theirs) / min(mine), 1),
        "compared": "least with least, in turns",
        "equal_to_scipy": True,
        "first_call_s": {str(length): first_calls(length) for length in LENGTHS},
    }
    if args.gapbs:
        record["gapbs"] = beside_gapbs(args, src, dst, n, ours)
    base = records.environment(backends.get("threads").device_name, args.commit)
    records.keep(args.out, "threads", base | record)


if __name__ == "__main__":
    main()
