"""Several GPUs of one machine without a cluster: ``devices=``, beside one GPU in the same run.

    python benchmarks/devices.py                     # all GPUs; 1 G edges, and 500 M a GPU
    python benchmarks/devices.py --edges 100000000   # a smaller list

Strong scaling: the same random edges on one GPU, and in equal parts on more. Weak scaling: as many
edges a GPU. The edges are made on the GPUs, and every answer is compared with that of one GPU.
"""

import itertools
import pathlib
import tempfile
import time
from functools import partial

import cupy
import numpy as np
import records

import cc_rapids
from cc_rapids import backends
from cc_rapids.tools.generators import pieces
from cc_rapids.tuning import tuning

MEMORY = pathlib.Path("/dev/shm")  # a folder of files in memory, on Linux
SKEW = 0.57, 0.19, 0.19  # of R-MAT


def main():
    """Measure on one GPU and on several, and keep the records."""
    args = records.arguments(__doc__)
    args.add_argument("--gpus", type=int, nargs="*", help="how many GPUs, each in turn; 2 to all")
    args.add_argument("--edges", type=int, default=1_000_000_000, help="of strong scaling")
    args.add_argument("--each", type=int, default=500_000_000, help="edges a GPU of weak scaling")
    args.add_argument("--design", nargs="*", default=["auto"], help="designs on several GPUs")
    args.add_argument("--neighbours", type=float, nargs="*", help="of lists linked in stages")
    args.add_argument("--graphs", nargs="*", default=["uniform", "rmat"])
    args.add_argument("--scaling", nargs="*", default=["strong", "weak"])
    args.add_argument("--stream", type=int, default=0, help="edges of a stream from Parquet")
    args.add_argument("--cugraph", type=int, default=0, help="edges for cuGraph on Dask")
    args.add_argument("--folder", type=pathlib.Path, help="where its files go; by default memory")
    args = args.parse_args()
    most = cupy.cuda.runtime.getDeviceCount()
    counts = args.gpus or [k for k in (2, 4, 8) if k <= most]
    base = records.environment(backends.get("cuda").device_name, args.commit)
    for graph in args.graphs:
        for scaling in args.scaling:
            for count in counts:
                m = args.edges if scaling == "strong" else args.each * count
                about = {"graph": graph, "scaling": scaling, "gpus": count}
                if scaling == "weak":
                    one = base | about | {"gpus": 1} | on_one(made(graph, args.each), args)
                    records.keep(args.out, "devices", one)
                for record in measured(made(graph, m), count, args):
                    records.keep(args.out, "devices", base | about | record)
    if args.stream:
        for record in streamed(args.stream, counts, args):
            records.keep(args.out, "devices", base | record)
    for count in counts if args.cugraph else ():
        about = {"graph": "uniform", "scaling": "strong", "gpus": count}
        records.keep(args.out, "devices", base | about | with_cugraph(args.cugraph, count, args))


def with_cugraph(m, count, args):
    """Return the record of cuGraph on a Dask cluster of so many GPUs, for random edges."""
    import dask.dataframe as dd
    import several_gpus
    from distributed import Client

    n, parts = m // 4, several_gpus.PARTS * count
    given = {"num_vertices": n, "size": m // parts, "on_gpu": True}
    with several_gpus.cluster_of(count, True) as cluster, Client(cluster) as client:
        client.wait_for_workers(count)
        frame = dd.from_map(several_gpus.random_edges, range(parts), **given)
        frame = several_gpus.held(client, frame)
        components = len(several_gpus.cc_rapids.dask.components(frame))
        args.gpus = [count]
        found = several_gpus.with_cugraph(client, frame, components, args)
    return {"way": "cugraph", "n": n, "m": parts * given["size"], "on": count} | found


def streamed(m, counts, args):
    """Yield the records of a stream from Parquet files, on one GPU and on more."""
    folder = args.folder or (MEMORY if MEMORY.is_dir() else None)
    graph, files = made("uniform", m), 16
    with tempfile.TemporaryDirectory(dir=folder) as path:
        started = time.perf_counter()
        for number in range(files):
            write(graph, [m * k // files for k in (number, number + 1)], f"{path}/{number}.parquet")
        size = sum(file.stat().st_size for file in pathlib.Path(path).iterdir())
        about = {"graph": "uniform", "scaling": "stream", "n": graph.num_vertices, "m": m}
        about |= {"file_bytes": size, "write_s": round(time.perf_counter() - started, 1)}
        for counted in (True, False):
            options = {"engine": "cuda", "num_vertices": graph.num_vertices if counted else None}
            components = None
            for count in (1, *counts):
                given = options | ({"devices": list(range(count))} if count > 1 else {})
                solve = partial(cc_rapids.stream_components, path, **given)
                found = len(solve())
                if found != (components or found):
                    raise SystemExit(f"{found} components on {count} GPUs, {components} on one")
                components = found
                times = timed(solve, min(args.runs, 3), 0)
                own = {"on": count, "counted": counted, "wall_ms": records.spread(times)}
                cc_rapids.release_memory()
                yield about | own


def write(graph, cut, path):
    """Write some edges of a graph to a Parquet file, in row groups of four million."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    src, dst = part_of(graph, *cut)
    table = pa.table({"src": cupy.asnumpy(src), "dst": cupy.asnumpy(dst)})
    pq.write_table(table, path, row_group_size=4 << 20, compression="snappy", use_dictionary=False)


def made(graph, m):
    """Return the pieces of a graph with four edges a vertex, or 16 for R-MAT."""
    if graph == "uniform":
        return pieces.uniform(m // 4, m)
    scale = max(m // 16, 2).bit_length() - 1
    return pieces.rmat(scale, m, *SKEW)


def on_one(graph, args):
    """Return the record of the edges that each GPU has in weak scaling, alone on one."""
    with cupy.cuda.Device(0):
        solve = partial(cc_rapids.components, part_of(graph, 0, graph.num_edges))
        own = {"n": graph.num_vertices, "m": graph.num_edges, "on": 1}
        own |= {"design": solve().summary()["design"]}
        own |= {"wall_ms": records.spread(timed(solve, args.runs)), "peak_bytes": peak_bytes(solve)}
        return own


def part_of(graph, first, last):
    """Return some edges of a graph as CuPy arrays on the current GPU."""
    return graph.part("cuda", np.int32, first, last - first)


def measured(graph, count, args):
    """Yield the records of one list: on one GPU, and on several with each design."""
    m, runs = graph.num_edges, args.runs
    cuts = [m * k // count for k in range(count + 1)]
    parts = []
    for k in range(count):
        with cupy.cuda.Device(k):
            parts.append(part_of(graph, *cuts[k : k + 2]))
    about = {"n": graph.num_vertices, "m": m}
    labels = alone = None
    if held(m) < 0.6 * memory():
        with cupy.cuda.Device(0):
            edges = part_of(graph, 0, m)
            alone = cc_rapids.components(edges)
            labels = alone.labels().labels
            alone = len(alone)
            times = timed(lambda: cc_rapids.components(edges), runs)
            with_labels = timed(lambda: cc_rapids.components(edges).labels(), runs)
            design = cc_rapids.components(edges).summary()["design"]
            own = {"wall_ms": records.spread(times), "labels_ms": records.spread(with_labels)}
            own["peak_bytes"] = peak_bytes(partial(cc_rapids.components, edges))
            yield about | {"on": 1, "design": design} | own
            for name in args.design:
                if name != "auto":  # on as many edges as a GPU has of the list
                    half = part_of(graph, 0, cuts[1])
                    solve = partial(cc_rapids.components, half, design=name)
                    own = {"wall_ms": records.spread(timed(solve, runs)), "m": cuts[1]}
                    yield about | {"on": 1, "design": name} | own
                    del half, solve
            del edges
            cupy.get_default_memory_pool().free_all_blocks()
    numbers = list(range(count))
    for name, neighbours in itertools.product(args.design, args.neighbours or [None]):
        if neighbours is not None:
            tuning.staged_neighbours = neighbours
        steps = []

        def work(name=name, steps=steps):
            found = cc_rapids.components(parts, devices=numbers, design=name)
            steps.append(found.summary()["seconds"])
            return found

        found = work()
        equal = same(found, alone, labels)
        del steps[:]
        found = work()
        design = found.summary()["design"]
        del found
        times = timed(work, runs)
        with_labels = timed(lambda: work().labels(), runs)
        own = {"wall_ms": records.spread(times), "labels_ms": records.spread(with_labels)}
        own |= {"neighbours": tuning.staged_neighbours, "peak_bytes": peak_bytes(work)}
        each = {key: float(np.median([one[key] for one in steps])) for key in steps[0]}
        yield about | {"on": count, "design": design, "equal": equal, "seconds": each} | own


def peak_bytes(work):
    """Return the most bytes that a run takes on any GPU beyond those in use, by CuPy's pools."""
    pool, used = cupy.get_default_memory_pool(), []
    numbers = range(cupy.cuda.runtime.getDeviceCount())
    for number in numbers:
        with cupy.cuda.Device(number):
            pool.free_all_blocks()
            used.append(pool.total_bytes())
    work()
    most = 0
    for number in numbers:
        with cupy.cuda.Device(number):
            most = max(most, pool.total_bytes() - used[number])
    return int(most)


def held(m):
    """Return the bytes of m edges of int32."""
    return 8 * m


def memory():
    """Return the bytes of a GPU."""
    return cupy.cuda.runtime.memGetInfo()[1]


def timed(work, runs, before=2):
    """Return milliseconds of calls, after so many."""
    times = []
    for _ in range(runs + before):
        started = time.perf_counter()
        found = work()
        for k in range(cupy.cuda.runtime.getDeviceCount()):
            cupy.cuda.Device(k).synchronize()
        times.append(1e3 * (time.perf_counter() - started))
        del found
    return times[before:]


def same(found, components, labels):
    """Return whether all label frames are those of one GPU; None if one could not hold it."""
    if labels is None:
        return None
    first = 0
    for frame in found.labels():
        size = frame.labels.size
        with cupy.cuda.Device(0):
            own = cupy.asarray(frame.labels)
            if not bool((own == labels[first : first + size]).all()):
                raise SystemExit("labels differ from those of one GPU")
        first += size
    if first != labels.size or len(found) != components:
        raise SystemExit("vertices differ from those of one GPU")
    return True


if __name__ == "__main__":
    main()
