"""Time several GPUs, with and without a cluster, and several processes.

    python benchmarks/clusters.py --jobs cluster --workers 1 2       # on 1 and on 2 GPUs
    python benchmarks/clusters.py --jobs cluster --engine threads --edges 2000000 --side 500
    python benchmarks/clusters.py --jobs devices                     # all GPUs, without a cluster

cluster: random edges, by the tree, by distributed vertices and, on GPUs, by the all-gather; and a
lattice with one tile per worker, by distributed vertices. In strong scaling, the total number of
edges is fixed; in weak scaling, the number per worker. devices: random and R-MAT edges by
``devices=``, and on one GPU; a GPU that cannot hold them streams them. streams: Parquet files in
memory by ``devices=``. cugraph: cuGraph on a Dask cluster, for comparison with devices. Every
answer is compared with that of one worker.
"""

import contextlib
import functools
import itertools
import pathlib
import resource
import sys
import tempfile
from functools import partial

import harness
import numpy as np
from harness import frame

import cc_rapids
import cc_rapids.dask
from cc_rapids import backends
from cc_rapids.tools.bench import clocked
from cc_rapids.tools.generators import pieces

PARTS, FILES = 4, 16  # partitions per worker, and files
PIECE_EDGES = 200_000_000  # edges in a piece of a stream that proves a list too long for one GPU
MEMORY = "/dev/shm"  # a folder of files in memory, on Linux
FOLDER = MEMORY if pathlib.Path(MEMORY).is_dir() else tempfile.gettempdir()
SKEW = 0.57, 0.19, 0.19  # of R-MAT
NOTED = ("rounds", "batches", "bytes", "border", "room", "rest", "most_in_a_part", "components")


def each_count(work):
    """Decorate a job over all numbers of workers."""

    @functools.wraps(work)
    def records(args, backend):
        gpus = backend.xp.cuda.runtime.getDeviceCount() if backend.on_device else 0
        for count in args.workers or [k for k in (2, 4, 8) if k <= gpus] or [1, 2]:
            yield from work(count, args, backend)

    return records


@contextlib.contextmanager
def client_of(count, gpus, threads=1):
    """Connect to a cluster of ``count`` GPUs, or of processes that share ``threads`` threads."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "memory_limit": 0, "dashboard_address": ":0"}
    options |= {"n_workers": count, "env": {"CC_RAPIDS_THREADS": str(threads)}}
    made = cc_rapids.dask.local_gpus(count) if gpus else LocalCluster(**options)
    with made, Client(made) as client:
        client.wait_for_workers(count)
        yield client


@harness.job("several")
@each_count
def cluster(count, args, backend):
    """Yield the records of a cluster of ``count`` workers."""
    import dask.dataframe as dd

    with client_of(count, backend.on_device, args.threads) as client:
        where = {"cluster": type(client.cluster).__name__, "workers": count}
        where |= {"threads": args.threads} if args.threads > 1 else {}
        for scaling, m in (("strong", args.edges), ("weak", count * args.edges)):
            edges, facts = random_on(client, m, count, backend)
            about = {"graph": "random", "scaling": scaling} | facts | where
            ways = [{"combine": "tree"}, {"partition": "vertices", "owners": "range"}]
            ways += [{"combine": "gather"}] if backend.on_device and count > 1 else []
            whole = cc_rapids.components(edges.compute())
            for way in ways:
                yield about | way | on_cluster(client, edges, way, whole, backend, args.runs)
            theirs = with_cugraph(client, edges, len(whole), backend, args.runs)
            yield about | {"way": "cugraph"} | theirs
            del edges, whole
        given = {"side": args.side, "count": count, "engine": backend.name}
        homes = sorted(client.scheduler_info(n_workers=-1)["workers"])
        tiles = [client.submit(tile, k, **given, workers=[home]) for k, home in enumerate(homes)]
        edges, area = dd.from_delayed(tiles), args.side**2
        about = {"graph": "tiles", "scaling": "weak", "n": count * area, "m": len(edges)} | where
        about["crossing"] = int((edges["src"] // area != edges["dst"] // area).sum().compute())
        whole = cc_rapids.components(edges.compute())
        for way in ({"combine": "tree"}, {"partition": "vertices", "owners": lambda p: p // area}):
            named = way | ({"owners": "tiles"} if "owners" in way else {})
            yield about | named | on_cluster(client, edges, way, whole, backend, args.runs)


def random_on(client, m, count, backend):
    """Return random edges in partitions made on the workers, and the facts about them."""
    import dask.dataframe as dd
    from distributed import wait

    parts, n = PARTS * count, m // 4
    given = {"num_vertices": n, "size": m // parts, "engine": backend.name}
    edges = dd.from_map(random_edges, range(parts), **given).persist()
    wait(edges)
    client.rebalance(edges)
    return edges, {"n": n, "m": parts * given["size"]}


def random_edges(part, num_vertices, size, engine):
    """Return edges between any vertices."""
    backend = backends.get(engine)
    rng = backend.xp.random.default_rng(part)
    src, dst = (rng.integers(0, num_vertices, size) for _ in range(2))
    return frame(backend, src=src, dst=dst)


def tile(number, side, count, engine):
    """Return tile ``number`` of a lattice: random edges of neighbours, and to the next tile."""
    backend = backends.get(engine)
    xp = backend.xp
    point = xp.arange(side * side).reshape(side, side) + number * side * side
    src, dst = [point[:, :-1], point[:-1]], [point[:, 1:], point[1:]]
    if number < count - 1:
        src.append(point[:, -1])
        dst.append(point[:, 0] + side * side)
    src, dst = (xp.concatenate([part.ravel() for part in ends]) for ends in (src, dst))
    kept = xp.random.default_rng(number).random(src.size) < 0.6
    return frame(backend, src=src[kept], dst=dst[kept])


def on_cluster(client, edges, way, whole, backend, runs):
    """Return the times, the bytes sent as counted by Dask, and the facts of the last run."""
    from distributed import wait

    facts = {}

    def work():
        found = cc_rapids.dask.components(edges, **way)
        facts.update(found.facts, labels=wait(found.labels().persist()) and found)

    work()
    before = sent(client)
    client.run(count_memory)
    work()
    peak = max(client.run(most_memory).values())
    moved = sent(client) - before
    times = harness.timed({"wall": work}, backend, runs)
    ours = facts.pop("labels").labels().compute().sort_values("vertex", ignore_index=True)
    theirs = whole.labels()
    for name in ("vertex", "labels"):
        if not bool((ours[name].values == theirs[name].values).all()):
            raise SystemExit(f"{name} differ from those of one process")
    noted = {name: facts[name] for name in NOTED if name in facts}
    return times | {"moved_bytes": moved, "peak_bytes": int(peak)} | noted | {"equal": True}


def count_memory():
    """Start to count allocated bytes on a worker with a GPU."""
    if rmm := sys.modules.get("rmm"):
        rmm.statistics.enable_statistics()
        rmm.statistics.push_statistics()


def most_memory():
    """Return the peak bytes on a worker's GPU since counting began, or of its process."""
    if rmm := sys.modules.get("rmm"):
        return rmm.statistics.pop_statistics().peak_bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def sent(client):
    """Return the bytes that workers have sent each other so far."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def with_cugraph(client, edges, components, backend, runs):
    """Return the times of cuGraph on the same cluster and edges, or the reason for none."""
    if not backend.on_device:
        return {"why_not": "cuGraph runs on GPUs"}
    try:
        import cugraph
        import cugraph.dask
        from cugraph.dask.comms import comms
        from distributed import wait

        def graph_of():
            graph = cugraph.Graph(directed=False)
            graph.from_dask_cudf_edgelist(edges, source="src", destination="dst")
            return graph

        def wcc(graph):
            labels = cugraph.dask.weakly_connected_components(graph)
            wait(labels)
            return labels

        comms.initialize(p2p=True)
        try:
            client.run(count_memory)
            graph = graph_of()
            found = int(wcc(graph)["labels"].nunique().compute())
            peak = max(client.run(most_memory).values())
            times = harness.timed({"wall": lambda: wcc(graph), "build": graph_of}, backend, runs)
        finally:
            comms.destroy()
    except Exception as error:  # the error is the record
        return {"why_not": f"{type(error).__name__}: {str(error)[:300]}"}
    if found != components:
        return {"why_not": f"it has found {found} components, not {components}"}
    return times | {"peak_bytes": int(peak)}


@harness.job("devices")
@each_count
def cugraph(count, args, backend):
    """Yield the record of cuGraph on a cluster, for comparison with lists without a cluster."""
    with client_of(count, backend.on_device) as client:
        edges, facts = random_on(client, args.edges, count, backend)
        components = len(cc_rapids.dask.components(edges))
        theirs = with_cugraph(client, edges, components, backend, args.runs)
    about = {"graph": "uniform", "scaling": "strong", "gpus": count, "way": "cugraph"}
    yield about | facts | {"on": count} | theirs


@harness.job("devices")
@each_count
def devices(count, args, backend):
    """Yield the records of lists on ``count`` GPUs without a cluster, and on one."""
    for graph, scaling in itertools.product(args.graphs, ("strong", "weak")):
        about = {"graph": graph, "scaling": scaling, "gpus": count}
        m = args.edges if scaling == "strong" else args.edges * count
        if scaling == "weak":
            edges = part_of(made(graph, args.edges), 0, args.edges, 0)
            yield about | {"gpus": 1} | alone(edges, args.edges, backend, args.runs)[1]
        for record in on_devices(made(graph, m), count, args, backend):
            yield about | record


def made(graph, m):
    """Return the pieces of a graph with four edges per vertex, or 16 for R-MAT."""
    if graph == "uniform":
        return pieces.uniform(m // 4, m)
    return pieces.rmat(max(m // 16, 2).bit_length() - 1, m, *SKEW)


def part_of(graph, first, last, number):
    """Return the edges ``first .. last - 1`` of a graph as CuPy arrays on GPU ``number``."""
    import cupy

    with cupy.cuda.Device(number):
        return graph.part("cuda", np.int32, first, last - first)


def alone(edges, m, backend, runs):
    """Return the components of edges on one GPU, and the record of it."""
    import cupy

    with cupy.cuda.Device(0):
        solve = partial(cc_rapids.components, edges)
        found = solve()
        ways = {"wall": solve, "labels": lambda: solve().labels()}
        times = harness.timed(ways, backend, runs, before=2)
        facts = {"n": found.num_vertices, "m": m, "on": 1, "design": found.summary()["design"]}
        return found, facts | times | {"peak_bytes": peak_bytes(solve)}


def on_devices(graph, count, args, backend):
    """Yield the records of one list: on one GPU that can hold it, and on several."""
    import cupy

    m = graph.num_edges
    cuts = [m * k // count for k in range(count + 1)]
    parts = [part_of(graph, *cuts[k : k + 2], k) for k in range(count)]
    about, single = {"n": graph.num_vertices, "m": m}, None
    if 8 * m < 0.6 * cupy.cuda.runtime.memGetInfo()[1]:
        single, record = alone(part_of(graph, 0, m, 0), m, backend, args.runs)
        yield record | about
        cupy.get_default_memory_pool().free_all_blocks()
    steps = []

    def work():
        found = cc_rapids.components(parts, devices=list(range(count)))
        steps.append(found.summary()["seconds"])
        return found

    found = work()
    if single is None:
        single = streamed(graph)
        with cupy.cuda.Device(0):
            if found.gather(0) != single:
                raise SystemExit("components differ from those of a stream on one GPU")
    else:
        same(found, single)
    facts = {"on": count, "design": found.summary()["design"], "equal": True}
    del found, single
    ways = {"wall": work, "labels": lambda: work().labels()}
    times = harness.timed(ways, backend, args.runs, before=2)
    each = {key: float(np.median([one[key] for one in steps])) for key in steps[0]}
    yield about | facts | {"peak_bytes": peak_bytes(work), "seconds": each} | times


def streamed(graph):
    """Return the components of a list that one GPU makes and links piece by piece."""
    import cupy

    m = graph.num_edges
    with cupy.cuda.Device(0):
        firsts = range(0, m, PIECE_EDGES)
        edges = (part_of(graph, first, min(first + PIECE_EDGES, m), 0) for first in firsts)
        return cc_rapids.stream_components(edges, num_vertices=graph.num_vertices, engine="cuda")


def peak_bytes(work):
    """Return the peak bytes of a run on any GPU by CuPy's pools, without those in use before."""
    import cupy

    pool, used = cupy.get_default_memory_pool(), []
    numbers = range(cupy.cuda.runtime.getDeviceCount())
    for number in numbers:
        with cupy.cuda.Device(number):
            pool.free_all_blocks()
            used.append(pool.total_bytes())
    work()
    most_bytes = 0
    for number in numbers:
        with cupy.cuda.Device(number):
            most_bytes = max(most_bytes, pool.total_bytes() - used[number])
    return int(most_bytes)


def same(found, single):
    """End the benchmark unless all label frames equal those of one GPU."""
    labels = np.concatenate([part.labels.get() for part in found.labels()])
    if not np.array_equal(labels, single.labels().labels.get()) or len(found) != len(single):
        raise SystemExit("labels differ from those of one GPU")


@harness.job("devices")
@each_count
def streams(count, args, backend):
    """Yield the records of a stream from Parquet files, on one GPU and on ``count``."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    m, graph = args.edges, made("uniform", args.edges)
    with tempfile.TemporaryDirectory(dir=args.folder) as path:
        for number in range(FILES):
            first, last = (m * k // FILES for k in (number, number + 1))
            columns = map(backend.to_host, graph.part(backend.name, np.int32, first, last - first))
            table = pa.table(dict(zip(("src", "dst"), columns, strict=True)))
            how = {"row_group_size": 4 << 20, "compression": "snappy", "use_dictionary": False}
            pq.write_table(table, f"{path}/{number}.parquet", **how)
        size = sum(file.stat().st_size for file in pathlib.Path(path).iterdir())
        about = {"graph": "uniform", "scaling": "stream", "n": graph.num_vertices, "m": m}
        for counted in (True, False):
            options = {"engine": backend.name}
            options["num_vertices"] = graph.num_vertices if counted else None
            components = set()
            for on in dict.fromkeys((1, count)):
                given = options | ({"devices": list(range(on))} if on > 1 else {})
                solve = partial(cc_rapids.stream_components, path, **given)
                components.add(len(clocked(backend, solve)[2]))
                if len(components) > 1:
                    raise SystemExit(f"{components} components on one GPU and on {on}")
                times = harness.timed({"wall": solve}, backend, min(args.runs, 3), before=0)
                cc_rapids.release_memory()
                facts = {"on": on, "counted": counted, "file_bytes": size}
                yield about | facts | times


if __name__ == "__main__":
    parser = harness.arguments(
        __doc__, "cuda", edges=400_000_000, side=5000, graphs=("uniform", "rmat"), folder=FOLDER
    )
    parser.add_argument("--workers", type=int, nargs="*", help="how many, each in turn")
    parser.add_argument("--threads", type=int, default=1, help="of each process of a cluster")
    harness.run(parser, default=["devices"])
