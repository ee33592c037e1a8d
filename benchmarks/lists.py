"""Edge lists from frame to labels, compared with cuGraph on a GPU and SciPy on threads in one run.

graphs: the reference graphs as lists and as rows, by ``cc_rapids.tools.bench``. lists: those that
users hold, near-duplicate pairs, pairs of many bands and records with their keys, with ids of three
kinds. main_job: the reference graphs as frames. ids: 64-bit hashes, strings, the karate club, and
components of a ``cugraph.Graph`` that is built already. short_lists: 1,000 to 10 M edges with ids
of each kind. threads: 20 M uniform edges beside SciPy on columns. clustered: ids in clusters that
lie far apart, as those of OpenStreetMap do, encoded by bits of pages and by a hash table.

On threads, lists are smaller unless ``--scale`` is given. The labels are compared after the timing.
"""

import contextlib
import time
from unittest import mock

import harness
import numpy as np

import cc_rapids
from cc_rapids import backends, generators, oracle
from cc_rapids.backends.choice import has_gpu
from cc_rapids.ids import encode
from cc_rapids.tools import bench

LISTS = ("pairs60M", "bands10M", "records50M", "pairs1M")
LENGTHS = ("1000", "100000", "1000000", "10000000")
THREADS_SCALE = 20  # log2 of the vertices where SciPy is timed too
SMALL = 10_000  # edges, below which runs are repeated for a few seconds
CLUSTERED = [
    f"{m} edges, span {span}, {size} a cluster"
    for m in (100_000, 762_000, 2_070_000)
    for span in (300_000_000, 9_200_000_000, 200_000_000_000)
    for size in (1, 4, 24, 200)
]
FILLED = 0.8  # share of the ids of a cluster that occur
KARATE = """1-2 1-3 2-3 1-4 2-4 3-4 1-5 1-6 1-7 5-7 6-7 1-8 2-8 3-8 4-8 1-9 3-9 3-10 1-11 5-11 6-11
1-12 1-13 4-13 1-14 2-14 3-14 4-14 6-17 7-17 1-18 2-18 1-20 2-20 1-22 2-22 24-26 25-26 3-28 24-28
25-28 3-29 24-30 27-30 2-31 9-31 1-32 25-32 26-32 29-32 3-33 9-33 15-33 16-33 19-33 21-33 23-33
24-33 30-33 31-33 32-33 9-34 10-34 14-34 15-34 16-34 19-34 20-34 21-34 23-34 24-34 27-34 28-34
29-34 30-34 31-34 32-34 33-34"""
#: The functions that make the ids of each kind from vertices.
IDS = {
    "int32": lambda ids: ids.astype(np.int32),
    "int64": lambda ids: ids.astype(np.int64),
    "hashed": lambda ids: (ids.astype(np.uint64) * harness.SPREADING).view(np.int64),
    "bunched": lambda ids: ids.astype(np.int64) // 4 + (ids.astype(np.int64) % 4 << 50),
    "100 apart": lambda ids: 100 * ids.astype(np.int64),
    "10,000 apart": lambda ids: 10_000 * ids.astype(np.int64),
    "strings": lambda ids: ids.astype(np.int64),
}
DENSE = ("int32", "int64")  # whose range bounds the memory


def main():
    """Measure, and keep each record as it is made."""
    parser = harness.arguments(__doc__, "cuda" if has_gpu() else "threads")
    parser.add_argument("--jobs", nargs="*", choices=JOBS, default=["lists"])
    parser.add_argument("--lists", nargs="*", help="these alone, by name")
    parser.add_argument("--ids", nargs="*", choices=IDS, help="of these kinds alone")
    parser.add_argument("--peer-runs", type=int, default=2, help="after one to warm up")
    parser.add_argument("--designs", nargs="*", default=["auto"], help="of graphs")
    parser.add_argument("--forms", nargs="*", choices=bench.FORMS, default=bench.FORMS)
    parser.add_argument("--no-peers", action="store_true", help="of graphs")
    parser.add_argument("--patience", type=float, default=20, help="seconds of a peer on graphs")
    args = parser.parse_args()
    backend, base = harness.begin(args)

    def measure(job, name, ids):
        for record in JOBS[job][1](name, ids, backend, args):
            named = {"scale": scale_of(backend, args), "graph": name, "dtype": ids}
            harness.keep(args.out, RECORDS.get(job, job), base | named | record)
        harness.empty_pool(backend)

    harness.measure_each(cases(args), measure)


def cases(args):
    """Yield the job, the name and the kind of ids of each measurement."""
    for job in args.jobs:
        for name, kinds in JOBS[job][0].items():
            if args.lists is None or name in args.lists:
                chosen = [ids for ids in kinds if args.ids is None or ids in args.ids]
                yield from ((job, name, ids) for ids in chosen)


def scale_of(backend, args):
    """Return the given scale, or the default scale of lists on threads."""
    return args.scale if args.scale or backend.on_device else THREADS_SCALE


def graphs(name, ids, backend, args):
    """Yield the records of a reference graph in all forms, beside the peer."""
    graph = generators.reference(name, scale_of(backend, args), engine=backend.name)
    options = bench.Options(args.runs, True, not args.no_peers, args.patience)
    how = args.designs, tuple(args.forms), (ids,), options
    for record in bench.measure(graph, backend, *how):
        yield record | {"graph": name}


def whole(name, ids, backend, args):
    """Yield the record of a list from frame to labels."""
    frame, n = made(name, ids, backend, scale_of(backend, args))
    yield solved(frame, n if ids in DENSE else None, backend, args)


def built(name, ids, backend, args):
    """Yield the record of other ids, with the components of a graph built by cuGraph."""
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
    peer = harness.peer_of(backend)

    def ours():
        return cc_rapids.connected_components(frame, engine=backend.name)

    job = repeated(ours, len(frame), backend, args.runs)
    alone = repeated(
        lambda: cc_rapids.components(frame, engine=backend.name), len(frame), backend, args.runs
    )
    found, summary = alone.answer, alone.answer.summary()
    facts = {
        "n": n,
        "m": len(frame),
        "vertices": summary["vertices"],
        "components": len(found),
        "ids": summary["ids"],
        "design": summary["design"],
        "wall_ms": bench.spread(job.wall),
        **({"device_ms": bench.spread(job.device)} if job.device else {}),
        **alone.facts("solve"),
        **harness.kernel_times(backend, ours),
    }
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
    return facts | {
        "peak_bytes": peak,
        f"{peer.name}_peak_bytes": peer_peak,
        f"equal_to_{peer.name}": True,
    }


def repeated(work, edges, backend, runs):
    """Return the times of runs; small lists on a GPU run 800 times as often after a second.

    A processor needs a second to reach its full speed.
    """
    began, small = time.perf_counter(), backend.on_device and edges < SMALL
    while small and time.perf_counter() < began + 1:
        work()
    many = 800 * runs if small else runs
    return bench.timed(backend, lambda _: work(), [None], many)


def made(name, ids, backend, scale):
    """Return a list as a frame with ids of a kind, and its number of vertices."""
    if name == "karate":
        pairs = np.array([edge.split("-") for edge in KARATE.split()], np.int32)
        return harness.frame(backend, src=pairs[:, 0], dst=pairs[:, 1]), 34
    if name.isdigit():
        graph = generators.uniform(int(name) // 4, int(name), seed=1, engine=backend.name)
    elif name == "strings":
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
    """Yield the record of columns of uniform edges on CPU threads, beside SciPy on the same."""
    backend = backends.get("threads")
    n = int(2**args.scale) if args.scale else 5_000_000
    graph = generators.uniform(n, 4 * n, seed=1, dtype=np.int32)
    ways = {
        "wall": lambda: cc_rapids.components(graph.edges, num_vertices=n).labels("dense"),
        "scipy": lambda: harness.scipy_labels(*graph.edges, n),
    }
    times = harness.timed(ways, backend, args.runs)
    labels = ways["scipy"]()
    if not np.array_equal(ways["wall"]().labels, labels):
        raise SystemExit("the labels differ from SciPy's")
    facts = {"n": n, "m": 4 * n, "components": int(labels.max()) + 1, "equal_to_scipy": True}
    yield facts | times | {"times_faster": harness.faster(times, "wall", "scipy")}


def clustered(name, ids, backend, args):
    """Yield the record of ids in clusters, with the times of both encodings.

    ``thread_ms`` is the processor time of the calling thread, which does all the serial work and
    its part of the parallel work. On a busy machine it is closer to the wall time of an idle one.
    """
    m, span, size = (int(word) for word in name.replace(",", "").split() if word.isdigit())
    src, dst = edges_in_clusters(m, span, size)
    frame = harness.frame(backend, src=src, dst=dst)

    def ours():
        return cc_rapids.components(frame, engine=backend.name).labels()

    with only(encode.HASHED):
        facts = cc_rapids.components(frame, engine=backend.name, explain=True).facts.ids
    record = {"m": m, "span": span, "cluster": size, "pages": facts.pages}
    record |= {"page_shift": facts.page_shift, "low": facts.id_range.low, "ways": {}}
    record |= {"high": facts.id_range.high}
    answers = []
    for encoding in (encode.PAGED, encode.HASHED) if facts.page_shift else (encode.HASHED,):
        with only(encoding):
            answers.append(ours())
            spent = [by_thread(ours) for _ in range(args.runs)]
            times = bench.timed(backend, lambda _: ours(), [None], args.runs)
        way = {"wall_ms": bench.spread(times.wall), "thread_ms": bench.spread(spent)}
        way |= {"device_ms": bench.spread(times.device)} if times.device else {}
        record["ways"][encoding.name(facts)] = way
    oracle.same_partition(answers[0], answers[-1])
    yield record


def edges_in_clusters(m, span, size, seed=1):
    """Return paths along clusters of ids, in which a tenth of the edges lead anywhere."""
    rng = np.random.default_rng(seed)
    clusters, room = max(1, m // size), 2 * int(size / FILLED) + 8
    starts = np.unique(rng.integers(0, span // room, clusters)) * room
    ids = (starts[:, None] + (np.arange(size) / FILLED).astype(np.int64)).ravel()
    along = np.flatnonzero(rng.random(ids.size - 1) < 0.9)[:m]
    others = rng.integers(0, ids.size, (2, m - along.size))
    return (np.concatenate([ids[along + k], ids[others[k]]]) for k in range(2))


@contextlib.contextmanager
def only(encoding):
    """Take an encoding of integers, whatever would be chosen."""
    kept, kind = encode.ENCODINGS, type(encoding)
    encode.ENCODINGS, preferred = (encoding,), kind.is_preferred
    kind.is_preferred = lambda self, facts: True
    try:
        with mock.patch("cc_rapids.backends.base.UNCOMPILED_ROWS", 0):
            yield
    finally:
        encode.ENCODINGS, kind.is_preferred = kept, preferred


def by_thread(work):
    """Return the milliseconds of processor time that the calling thread takes."""
    began = time.thread_time()
    work()
    return 1e3 * (time.thread_time() - began)


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
    "short_lists": (dict.fromkeys(LENGTHS, tuple(IDS)[1:]), whole),
    "threads": ({"uniform": ("int32",)}, threads),
    "clustered": (dict.fromkeys(CLUSTERED, ("int64",)), clustered),
}
RECORDS = {"graphs": "bench", "clustered": "clustered_ids"}

if __name__ == "__main__":
    main()
