"""Ids that are no small integers, on a GPU, against cuGraph in the same run.

100 M edges of 64-bit hashed ids, 10 M edges of strings, and the karate club; and the components of
a cugraph.Graph that is built already. Wall time from a cuDF frame to the cuDF answer, warm, and the
peak of RMM's statistics; every answer is compared with cuGraph's after the timing.
"""

import time

import cudf
import cugraph
import main_job
import numpy as np
import records
import rmm
from lists import IDS

import cc_rapids
from cc_rapids import backends, generators, oracle
from cc_rapids.tools import bench

KARATE = """1-2 1-3 2-3 1-4 2-4 3-4 1-5 1-6 1-7 5-7 6-7 1-8 2-8 3-8 4-8 1-9 3-9 3-10 1-11 5-11 6-11
1-12 1-13 4-13 1-14 2-14 3-14 4-14 6-17 7-17 1-18 2-18 1-20 2-20 1-22 2-22 24-26 25-26 3-28 24-28
25-28 3-29 24-30 27-30 2-31 9-31 1-32 25-32 26-32 29-32 3-33 9-33 15-33 16-33 19-33 21-33 23-33
24-33 30-33 31-33 32-33 9-34 10-34 14-34 15-34 16-34 19-34 20-34 21-34 23-34 24-34 27-34 28-34
29-34 30-34 31-34 32-34 33-34"""


def main():
    """Measure each kind of ids, without a pool and with one."""
    args = records.arguments(__doc__).parse_args()
    base = records.environment(backends.get("cuda").device_name, args.commit)
    for pool in (False, True):
        if pool:
            rmm.reinitialize(pool_allocator=True, initial_pool_size=1 << 34)
        for name in (*MAKE, *main_job.GRAPHS):
            frame = MAKE[name]() if name in MAKE else reference(name)
            record = measure(frame, args.runs)
            records.keep(args.out, "ids", base | {"rmm_pool": pool, "graph": name} | record)


def hashed():
    """Return the list uniform25M with its ids spread over 64 bits."""
    graph = generators.reference("uniform25M", engine="cuda")
    return cudf.DataFrame({"src": IDS["hashed"](graph.src), "dst": IDS["hashed"](graph.dst)})


def strings():
    """10 M edges between 5 M strings of 10 to 16 letters."""
    graph = generators.uniform(5_000_000, 10_000_000, engine="cuda")
    sides = {"src": graph.src, "dst": graph.dst}
    return cudf.DataFrame(
        {
            k: "vertex " + cudf.Series(side.astype(np.int64)).astype("str")
            for k, side in sides.items()
        }
    )


def karate():
    """Zachary's karate club."""
    pairs = np.array([[int(end) for end in edge.split("-")] for edge in KARATE.split()], np.int32)
    return cudf.DataFrame({"src": pairs[:, 0], "dst": pairs[:, 1]})


def reference(name):
    """Return a reference graph with ids of 32 bits, for the graph that is built already."""
    graph = generators.reference(name, engine="cuda")
    return cudf.DataFrame({"src": graph.src.astype(np.int32), "dst": graph.dst.astype(np.int32)})


SMALL = 10_000  # edges
MAKE = {"hashed": hashed, "strings": strings, "karate": karate}


def measure(frame, runs):
    """Return all figures of one list.

    A small one is measured by runs that take some seconds, as those of cuGraph do: a processor
    needs one to reach its full speed, which do not count, and is slowed for a part of one now and
    then.
    """
    small = len(frame) < SMALL
    often, runs = (20, 800 * runs) if small else (1, runs)

    def warm(work):
        began = time.perf_counter()
        while small and time.perf_counter() < began + 1:
            work()

    def ours():
        return cc_rapids.connected_components(frame)

    warm(ours)
    wall = records.spread(records.wall(ours, runs, main_job.DEVICE.synchronize))
    warm(lambda: main_job.with_cugraph(frame))
    times = [main_job.with_cugraph(frame)[1:] for _ in range(4 * often)]
    build, wcc = map(records.spread, zip(*times, strict=True))
    answer, peak = bench.with_peak(main_job.ENGINE, ours)
    (theirs, _, _), cugraph_peak = bench.with_peak(
        main_job.ENGINE, lambda: main_job.with_cugraph(frame)
    )
    oracle.same_partition(answer, theirs)
    built = on_built_graph(frame, theirs, wcc, runs, warm)
    return {
        "m": len(frame),
        "vertices": len(answer),
        "components": int(answer["labels"].nunique()),
        "ids": cc_rapids.components(frame).summary()["ids"],
        "design": cc_rapids.components(frame).summary()["design"],
        "wall_ms": wall,
        "cugraph_build_ms": build,
        "cugraph_wcc_ms": wcc,
        "times_faster": round((build["median"] + wcc["median"]) / wall["median"], 1),
        **built,
        "kernels_ms": main_job.kernel_times(frame),
        "peak_bytes": peak,
        "cugraph_peak_bytes": cugraph_peak,
        "equal_to_cugraph": True,
    }


def on_built_graph(frame, theirs, wcc, runs, warm):
    """Return the components of a cugraph.Graph of the list, beside cuGraph's own time for them."""
    graph = cugraph.Graph()
    graph.from_cudf_edgelist(frame, source="src", destination="dst", renumber=True)

    def ours():
        return cc_rapids.weakly_connected_components(graph)

    warm(ours)
    built = records.spread(records.wall(ours, runs, main_job.DEVICE.synchronize))
    oracle.same_partition(ours(), theirs)
    return {
        "built_graph_ms": built,
        "built_graph_times_faster": round(wcc["median"] / built["median"], 1),
        "built_graph_peak_bytes": bench.with_peak(main_job.ENGINE, ours)[1],
    }


if __name__ == "__main__":
    main()
