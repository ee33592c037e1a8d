"""The main job on a GPU: cuDF edge list in, cuDF labels out, against cuGraph in the same run.

For each reference graph and width of ids: wall time of cc_rapids (frame to frame) and of cuGraph
(graph and weakly_connected_components), device time of every kernel, peak memory of both, and the
answer checked against cuGraph's after the timing.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time

import cudf
import cugraph
import cupy
import numpy as np
import records
import rmm

import cc_rapids
from cc_rapids import backends, generators, kernels
from cc_rapids.tools import bench

GRAPHS = ("kron21", "social22", "road", "uniform25M", "rmat24")
DEVICE = cupy.cuda.Device()
ENGINE = backends.get("cuda")

FIRST_CALL = """
import time, numpy as np, cudf, cupy
frame = cudf.DataFrame({"src": np.array([1, 2, 9], np.int32), "dst": np.array([2, 3, 5], np.int32)})
cupy.cuda.Device().synchronize()
started = time.perf_counter()
import cc_rapids
imported = time.perf_counter()
labels = cc_rapids.connected_components(frame)
cupy.cuda.Device().synchronize()
print(imported - started, time.perf_counter() - imported)
"""


def main():
    """Measure everything and keep the records."""
    args = records.arguments(__doc__)
    args.add_argument("--graphs", nargs="*", default=GRAPHS)
    args = args.parse_args()
    base = records.environment(ENGINE.device_name, args.commit)
    records.keep(args.out, "first_call", base | first_call())
    records.keep(args.out, "launch", base | launch_cost())
    for pool in (False, True):
        if pool:
            rmm.reinitialize(pool_allocator=True, initial_pool_size=1 << 34)
        for graph in args.graphs:
            for dtype in (np.int32, np.int64):
                record = measure(graph, dtype, args)
                records.keep(args.out, "main_job", base | {"rmm_pool": pool} | record)


def measure(name, dtype, args):
    """Return all figures of one graph."""
    graph = generators.reference(name, args.scale, engine="cuda")
    n, m = graph.num_vertices, graph.src.size
    frame = cudf.DataFrame({"src": graph.src.astype(dtype), "dst": graph.dst.astype(dtype)})
    del graph
    cupy.get_default_memory_pool().free_all_blocks()
    ours = records.wall(
        lambda: cc_rapids.connected_components(frame), args.runs, DEVICE.synchronize
    )
    theirs = [with_cugraph(frame)[1:] for _ in range(4)][1:]
    labels, peak = bench.with_peak(ENGINE, lambda: cc_rapids.connected_components(frame))
    found = cc_rapids.components(frame)
    (answer, _, _), cugraph_peak = bench.with_peak(ENGINE, lambda: with_cugraph(frame))
    check(labels, answer)
    answer_bytes = 2 * len(labels) * np.dtype(dtype).itemsize
    bound = cc_rapids.memory_bound(n, answer_bytes, m)
    build, wcc = (records.spread(times) for times in zip(*theirs, strict=True))
    median = records.spread(ours)["median"]
    return {
        "graph": name,
        "scale": args.scale,
        "dtype": np.dtype(dtype).name,
        "n": n,
        "m": m,
        "vertices": found.summary()["vertices"],
        "components": len(found),
        "design": found.summary()["design"],
        "wall_ms": records.spread(ours),
        "cugraph_build_ms": build,
        "cugraph_wcc_ms": wcc,
        "times_faster": round((build["median"] + wcc["median"]) / median, 1),
        "kernels_ms": kernel_times(frame),
        "peak_bytes": peak,
        "bound_bytes": bound,
        "within_bound": peak <= bound,
        "cugraph_peak_bytes": cugraph_peak,
        "equal_to_cugraph": True,
    }


def with_cugraph(frame):
    """Return the answer, and the milliseconds of making the graph and of its components."""
    DEVICE.synchronize()
    started = time.perf_counter()
    graph = cugraph.Graph()
    graph.from_cudf_edgelist(frame, source="src", destination="dst", renumber=True)
    DEVICE.synchronize()
    built = time.perf_counter()
    answer = cugraph.weakly_connected_components(graph)
    DEVICE.synchronize()
    return answer, 1e3 * (built - started), 1e3 * (time.perf_counter() - built)


def check(ours, theirs):
    """Raise an error unless vertices are the same, and each has the least of its component."""
    least = theirs.groupby("labels").agg({"vertex": "min"}).rename(columns={"vertex": "least"})
    expected = theirs.merge(least, left_on="labels", right_index=True).sort_values("vertex")
    for column, name in (("vertex", "vertex"), ("labels", "least")):
        same = cupy.array_equal(ours[column].to_cupy(), expected[name].to_cupy())
        if not bool(same):
            raise SystemExit(f"column {column} differs from cuGraph's answer")


@contextlib.contextmanager
def traced(rows):
    """Note the name, the count and the events around every launch."""
    kind = type(ENGINE)
    launch = kind.launch

    def timed(self, kernel, n, arguments):
        first, last = cupy.cuda.Event(), cupy.cuda.Event()
        first.record()
        launch(self, kernel, n, arguments)
        last.record()
        rows.append((kernel.part.function.__name__, first, last))

    kind.launch = timed
    try:
        yield
    finally:
        kind.launch = launch
        DEVICE.synchronize()


def kernel_times(frame, run=None):
    """Device milliseconds of each kernel in one run, by CUDA events; of components by default."""
    rows, total = [], {}
    with traced(rows):
        run() if run else cc_rapids.connected_components(frame)
    for name, first, last in rows:
        spent = cupy.cuda.get_elapsed_time(first, last)
        total[name] = round(total.get(name, 0) + spent, 4)
    return total


def launch_cost(count=20_000):
    """Microseconds a launch of an empty kernel, on the host and until the device is done."""
    start = ENGINE.kernel(kernels.forest.init_singletons, np.uint32)
    parent = ENGINE.empty(1, np.uint32)
    start(1, parent)
    DEVICE.synchronize()
    started = time.perf_counter()
    for _ in range(count):
        start(1, parent)
    launched = time.perf_counter()
    DEVICE.synchronize()
    return {
        "launch_us": round(1e6 * (launched - started) / count, 3),
        "launched_and_run_us": round(1e6 * (time.perf_counter() - started) / count, 3),
        "launches": count,
    }


def first_call():
    """Seconds of the first call in a process, beyond importing cuDF: store empty, then filled.

    A process that does not count comes first, so that there is bytecode, as installers leave it.
    """
    command = [sys.executable, "-c", FIRST_CALL]
    writes = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def times(store):
        said = subprocess.check_output(command, env=writes | {"CC_RAPIDS_CACHE": store})
        return [round(float(word), 4) for word in said.split()]

    with tempfile.TemporaryDirectory() as other, tempfile.TemporaryDirectory() as store:
        times(other)
        first, *later = [times(store) for _ in range(4)]
    return {"first_process_s": first, "later_processes_s": later, "order": "import, call"}


if __name__ == "__main__":
    main()
