"""Shared parts of the benchmarks: command lines, jobs, frames, alternating timing, peers, records.

A record is a line with one JSON object, which is never edited: the commit, the date, the device,
the versions, the load, the engine, and the results of one measurement. A script registers functions
that yield records as jobs, and ``run`` measures the jobs that ``--jobs`` names.
"""

import argparse
import functools
import json
import pathlib
import subprocess
import tempfile
import traceback
from importlib.metadata import version

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse import csgraph

from cc_rapids import backends
from cc_rapids.tools.bench import clocked, environment, spread

HERE = pathlib.Path(__file__).parent / "records"
GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")
SPREADING = np.uint64(0x9E3779B97F4A7C15)  # odd, so that products are as different as the ids
JOBS = {}  # the name of the records of each job, and the function that yields them


def arguments(text, engine="threads", runs=9, **sizes):
    """Return the command line that every benchmark has, with an option for each size or list."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE, help="folder of the records")
    parser.add_argument("--commit", default=_commit(), help="what is measured")
    parser.add_argument("--engine", choices=backends.ENGINES, default=engine)
    parser.add_argument("--runs", type=int, default=runs, help="of each, after one to warm up")
    parser.add_argument("--scale", type=float, help="log2 of the vertices; full scale by default")
    parser.add_argument("--pool", action="store_true", help="take memory from a pool of RMM")
    for name, size in sizes.items():
        several = isinstance(size, tuple)
        more = {"nargs": "*", "type": type(size[0])} if several else {"type": type(size)}
        parser.add_argument(f"--{name}", default=size, **more)
    return parser


def _commit():
    """Return the commit, with a mark if other files than records have uncommitted changes."""
    git = ["git", "-C", str(HERE.parents[1])]
    described = subprocess.run(
        [*git, "describe", "--always"], capture_output=True, text=True, check=False
    )
    same = [*git, "diff", "--quiet", "HEAD", "--", ".", f":!benchmarks/{HERE.name}"]
    dirty = subprocess.run(same, check=False).returncode == 1
    return described.stdout.strip() + "-dirty" * dirty


def begin(args, *packages):
    """Return the backend, and the first fields of a record with versions of more packages."""
    backend = backends.get(args.engine)
    base = environment(backend.device_name, args.commit) | {"engine": backend.name}
    base["versions"] |= {name: version(name) for name in packages}
    if backend.on_device:
        base["rmm_pool"] = args.pool
        if args.pool:
            import rmm

            rmm.reinitialize(pool_allocator=True, initial_pool_size=1 << 34)
    return backend, base


def job(records):
    """Register a function that yields records from the arguments and the backend as a job."""

    def register(work):
        JOBS[work.__name__] = records, work
        return work

    return register


def each_of(*names):
    """Return a decorator: the job is run for each name or number, with a temporary folder."""

    def decorate(work):
        @functools.wraps(work)
        def records(args, backend):
            for name in names:
                with tempfile.TemporaryDirectory() as folder:
                    yield from work(name, pathlib.Path(folder), args, backend)

        return records

    return decorate


def run(parser, *packages, default=None):
    """Measure the jobs that ``--jobs`` names, all by default, and keep their records."""
    parser.add_argument("--jobs", nargs="*", choices=JOBS, default=default or list(JOBS))
    args = parser.parse_args()
    backend, base = begin(args, *packages)

    def measure(job):
        name, work = JOBS[job]
        for record in work(args, backend):
            keep(args.out, name, base | {"job": job} | record)

    measure_each([[job] for job in args.jobs], measure)


def measure_each(cases, measure):
    """Call a function with each case; report failed cases at the end."""
    failed = []
    for case in cases:
        try:
            measure(*case)
        except Exception:
            traceback.print_exc()
            failed.append(", ".join(map(str, case)))
    if failed:
        raise SystemExit(f"not measured: {'; '.join(failed)}")


def keep(out, name, record):
    """Append a record to the file of its benchmark, and print it."""
    out.mkdir(parents=True, exist_ok=True)
    line = json.dumps(record)
    with open(out / f"{name}.jsonl", "a") as file:
        file.write(line + "\n")
    print(line, flush=True)


def load(name, folder=HERE):
    """Return all records of a benchmark, oldest first."""
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def like_last(rows, *fields):
    """Return the rows that equal the last row in the given fields."""
    return [row for row in rows if all(row[name] == rows[-1][name] for name in fields)]


def newest(rows, *key):
    """Return the last row of each key."""
    return list({tuple(row.get(name) for name in key): row for row in rows}.values())


def timed(ways, backend, runs, before=1, device=False):
    """Return the spreads of the wall times of named functions, as ``NAME_ms``.

    The functions run in turn, so other load on the machine slows all of them equally. The first
    ``before`` turns do not count. With ``device``, the spreads of device times on a GPU follow, as
    ``NAME_device_ms``.
    """
    wall, by_device = ({name: [] for name in ways} for _ in range(2))
    for _ in range(runs + before):
        for name, work in ways.items():
            spent, on_device, answer = clocked(backend, work)
            wall[name].append(spent)
            by_device[name].append(on_device)
            del answer
    clocks = {"": wall} | ({"_device": by_device} if device and backend.on_device else {})
    return {
        f"{name}{clock}_ms": spread(values[before:])
        for clock, times in clocks.items()
        for name, values in times.items()
    }


def faster(times, ours, *theirs):
    """Return the minimum time of the fastest other method, divided by our minimum time."""
    least = min(times[f"{name}_ms"]["least"] for name in theirs)
    return round(least / times[f"{ours}_ms"]["least"], 2)


def frame(backend, **columns):
    """Return columns as a frame of cuDF on a GPU, or of pandas on threads."""
    if not backend.on_device:
        return pd.DataFrame(columns, copy=False)
    import cudf

    return cudf.DataFrame(columns)


def to_pandas(given):
    """Return a frame or series of cuDF or pandas as one of pandas."""
    return given.to_pandas() if hasattr(given, "to_pandas") else given


def on_host(column):
    """Return a column of a frame, or an array, on the host."""
    column = to_pandas(column)
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def scipy_labels(src, dst, n):
    """Return the component number of each of n vertices by SciPy, including the matrix."""
    matrix = sparse.coo_array((np.ones(len(src), bool), (src, dst)), shape=(n, n))
    return csgraph.connected_components(matrix, directed=False)[1]


class SciPy:
    """SciPy's components of a frame of pandas, whose ids are numbered by pandas first."""

    name = "scipy"

    def build(self, edges):
        """Return the distinct ids, and the numbers of both ends of each edge."""
        number, vertex = pd.factorize(np.concatenate([edges["src"], edges["dst"]]))
        return vertex, number.reshape(2, -1)

    def solve(self, built):
        """Return the label frame of the built graph."""
        vertex, ends = built
        return pd.DataFrame({"vertex": vertex, "labels": scipy_labels(*ends, len(vertex))})


class CuGraph:
    """The weakly connected components that cuGraph finds in a frame of cuDF."""

    name = "cugraph"

    def build(self, edges):
        """Return the graph."""
        import cugraph

        graph = cugraph.Graph()
        graph.from_cudf_edgelist(edges, source="src", destination="dst", renumber=True)
        return graph

    def solve(self, graph):
        """Return the frame of labels."""
        import cugraph

        return cugraph.weakly_connected_components(graph)


def peer_times(peer, edges, backend, runs):
    """Return the spreads of a peer's times to build and to solve, after one run of both."""
    building, solving = [], []
    for _ in range(runs + 1):
        spent, _, built = clocked(backend, lambda: peer.build(edges))
        building.append(spent)
        spent, _, answer = clocked(backend, lambda built=built: peer.solve(built))
        solving.append(spent)
        del built, answer
    times = {"build": building, "wcc": solving}
    return {f"{peer.name}_{name}_ms": spread(values[1:]) for name, values in times.items()}


def empty_pool(backend):
    """Release the memory of deleted arrays that CuPy's pool keeps."""
    if backend.on_device:
        backend.xp.get_default_memory_pool().free_all_blocks()
