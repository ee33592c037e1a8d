"""Time edge lists from frame to labels; the same run times cuGraph on a GPU, SciPy on threads.

graphs: the reference graphs as lists and as rows, by ``cc_rapids.tools.bench``. lists: lists of
applications, which are near-duplicate pairs, pairs of many bands, and records with keys, with three
kinds of ids. main_job: the reference graphs as frames. ids: 64-bit hashes, strings, the karate
club, and the components of a ``cugraph.Graph`` that exists already. threads: 20 M uniform edges in
columns, compared with SciPy. audit: runs of the reference graphs, and their audits, in turn.

On threads, lists are smaller unless ``--scale`` is given. Labels are compared after the timing.
"""

import time

import harness
import networkx as nx
import numpy as np

import cc_rapids
from cc_rapids import backends, generators, oracle
from cc_rapids.backends.choice import has_gpu
from cc_rapids.tools import bench

LISTS = ("pairs60M", "bands10M", "records50M", "pairs1M")
THREADS_SCALE = 20  # log2 of the vertices where SciPy is timed too
SMALL = 10_000  # edges, below which runs are repeated for a few seconds
AUDIT_BOUND = 3.0  # of the time of a run
#: The functions that make the ids of each kind from vertices.
IDS = {
    "int32": lambda ids: ids.astype(np.int32),
    "int64": lambda ids: ids.astype(np.int64),
    "hashed": lambda ids: (ids.astype(np.uint64) * harness.SPREADING).view(np.int64),
    "strings": lambda ids: ids.astype(np.int64),
}
DENSE = ("int32", "int64")  # whose range bounds the memory


def main():
    """Measure, and keep each record as it is made."""
    parser = harness.arguments(__doc__, "cuda" if has_gpu() else "threads")
    parser.add_argument("--jobs", nargs="*", choices=JOBS, default=["lists"])
    parser.add_argument("--lists", nargs="*", help="these alone, by name")
    parser.add_argument("--peer-runs", type=int, default=2, help="after one to warm up")
    args = parser.parse_args()
    backend, base = harness.begin(args)

    def measure(job, name, ids):
        for record in JOBS[job][1](name, ids, backend, args):
            named = {"scale": scale_of(backend, args), "graph": name, "dtype": ids}
            harness.keep(args.out, RECORDS.get(job, job), base | named | record)
        harness.empty_pool(backend)

    cases = [
        (job, name, ids)
        for job in args.jobs
        for name, kinds in JOBS[job][0].items()
        for ids in kinds
        if name in (args.lists or [name])
    ]
    harness.measure_each(cases, measure)


def scale_of(backend, args):
    """Return ``--scale``; its default is full scale on a GPU and ``THREADS_SCALE`` on threads."""
    return args.scale if args.scale or backend.on_device else THREADS_SCALE


def graphs(name, ids, backend, args):
    """Yield the records of a reference graph in all forms, with the peer's times."""
    graph = generators.reference(name, scale_of(backend, args), engine=backend.name)
    options = bench.Options(args.runs, patience=20)
    for record in bench.measure(graph, backend, ["auto"], bench.FORMS, (ids,), options):
        yield record | {"graph": name}


def whole(name, ids, backend, args):
    """Yield the record of a list from frame to labels."""
    frame, n = made(name, ids, backend, scale_of(backend, args))
    yield solved(frame, n if ids in DENSE else None, backend, args)


def built(name, ids, backend, args):
    """Yield the record of a list with other ids, and of a graph of it that cuGraph has built."""
    frame, _ = made(name, ids, backend, scale_of(backend, args))
    record = solved(frame, None, backend, args)
    if backend.on_device:
        graph = harness.CuGraph().build(frame)

        def ours():
            return cc_rapids.weakly_connected_components(graph)

        oracle.same_partition(ours(), cc_rapids.connected_components(frame))
        spent = repeated(ours, len(frame), backend, args.runs).wall
        least = record["cugraph_wcc_ms"]["median"] / bench.spread(spent)["median"]
        record |= {"built_graph_ms": bench.spread(spent)}
        record |= {"built_graph_times_faster": round(least, 1)}
        record |= {"built_graph_peak_bytes": bench.with_peak(backend, ours)[1]}
    yield record


def solved(frame, n, backend, args):
    """Return the times of a list, of solving alone and of the peer, and the memory of both.

    With the number of vertices, the memory is compared with ``memory_bound``.
    """
    peer = harness.CuGraph() if backend.on_device else harness.SciPy()

    def ours():
        return cc_rapids.connected_components(frame, engine=backend.name)

    def solve():
        return cc_rapids.components(frame, engine=backend.name)

    job, alone = (repeated(work, len(frame), backend, args.runs) for work in (ours, solve))
    found, summary = alone.answer, alone.answer.summary()
    facts = {"n": n, "m": len(frame), "components": len(found)}
    facts |= {name: summary[name] for name in ("vertices", "ids", "design")}
    facts |= {"wall_ms": bench.spread(job.wall), **alone.facts("solve")}
    facts |= {"device_ms": bench.spread(job.device)} if job.device else {}
    del job, alone, found
    answer, peak = bench.with_peak(backend, ours)
    theirs, peer_peak = bench.with_peak(backend, lambda: peer.solve(peer.build(frame)))
    oracle.same_partition(answer, theirs)
    if n is not None and peak is not None:
        answer_bytes = sum(len(answer) * answer[name].dtype.itemsize for name in answer.columns)
        bound = cc_rapids.memory_bound(n, answer_bytes, len(frame))
        facts |= {"bound_bytes": bound, "within_bound": peak <= bound}
    del answer, theirs
    times = harness.peer_times(peer, frame, backend, args.peer_runs)
    theirs_ms = sum(spent["median"] for spent in times.values())
    facts |= times | {"times_faster": round(theirs_ms / facts["wall_ms"]["median"], 1)}
    facts |= {"peak_bytes": peak, f"{peer.name}_peak_bytes": peer_peak}
    return facts | {f"equal_to_{peer.name}": True}


def repeated(work, edges, backend, runs):
    """Return the times of runs.

    A small list on a GPU has 800 times the number of runs, after a second of warm-up, because a
    processor needs a second to reach its full speed.
    """
    began, small = time.perf_counter(), backend.on_device and edges < SMALL
    while small and time.perf_counter() < began + 1:
        work()
    many = 800 * runs if small else runs
    return bench.timed(backend, lambda _: work(), [None], many)


def made(name, ids, backend, scale):
    """Return a list as a frame with ids of a kind, and its number of vertices."""
    if name == "karate":
        pairs = np.array(nx.karate_club_graph().edges, np.int32)
        return harness.frame(backend, src=pairs[:, 0], dst=pairs[:, 1]), 34
    if name == "strings":
        n = 5_000_000 if scale is None else int(2**scale)
        graph = generators.uniform(n, 2 * n, engine=backend.name)
    else:
        name = "uniform25M" if name == "hashed" else name
        graph = generators.reference(name, scale, engine=backend.name)
    frame = harness.frame(backend, src=IDS[ids](graph.src), dst=IDS[ids](graph.dst))
    if ids == "strings":
        for end in ("src", "dst"):
            frame[end] = "vertex " + frame[end].astype("str")
    return frame, graph.num_vertices


def threads(name, ids, backend, args):
    """Yield the record of uniform edges in columns on CPU threads, with SciPy's times."""
    n = int(2**args.scale) if args.scale else 5_000_000
    graph = generators.uniform(n, 4 * n, seed=1, dtype=np.int32)
    ways = {
        "wall": lambda: cc_rapids.components(graph.edges, num_vertices=n).labels("dense"),
        "scipy": lambda: harness.scipy_labels(*graph.edges, n),
    }
    times = harness.timed(ways, backends.get("threads"), args.runs)
    labels = ways["scipy"]()
    if not np.array_equal(ways["wall"]().labels, labels):
        raise SystemExit("the labels differ from SciPy's")
    facts = {"n": n, "m": 4 * n, "components": int(labels.max()) + 1, "equal_to_scipy": True}
    yield facts | times | {"times_faster": harness.faster(times, "wall", "scipy")}


def audit(name, ids, backend, args):
    """Yield the record of a run and its audit, from edges in the memory of the engine."""
    edges, _ = made(name, ids, backend, scale_of(backend, args))
    found = cc_rapids.components(edges, engine=backend.name)
    proof, summary, ways = found.audit(edges), found.summary(), {}
    ways["run"] = lambda: cc_rapids.connected_components(edges, engine=backend.name)
    ways["audit"] = lambda: found.audit(edges)
    times = harness.timed(ways, backend, args.runs, 2, device=True)
    for clock in ("", "_device") if backend.on_device else ("",):
        run, proving = (times[f"{way}{clock}_ms"]["median"] for way in ways)
        ratio = round(proving / run, 3)
        times |= {f"audit_of_run{clock}": ratio, "within_bound": ratio <= AUDIT_BOUND}
    facts = {"m": proof.edges, "vertices": proof.vertices, "components": proof.components}
    named = "hashed" if ids == "hashed" else "as they are"
    yield facts | {"named": named, "design": summary["design"], "ids": summary["ids"]} | times


#: For each job: its lists with the kinds of their ids, and what measures one.
JOBS = {
    "graphs": (dict.fromkeys(harness.GRAPHS, DENSE), graphs),
    "lists": (dict.fromkeys(LISTS, ("int32", "int64", "hashed")), whole),
    "main_job": (dict.fromkeys(harness.GRAPHS, DENSE), whole),
    "ids": (
        {"hashed": ("hashed",), "strings": ("strings",), "karate": ("int32",)}
        | dict.fromkeys(harness.GRAPHS, ("int32",)),
        built,
    ),
    "threads": ({"uniform": ("int32",)}, threads),
    "audit": (dict.fromkeys(harness.GRAPHS, ("int32", "hashed")), audit),
}
RECORDS = {"graphs": "bench"}

if __name__ == "__main__":
    main()
