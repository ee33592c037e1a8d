"""Several GPUs, or several processes: strong and weak scaling, bytes sent, and cuGraph beside it.

    python benchmarks/several_gpus.py --gpus 1 2     # one machine, on 1 and on 2 of its GPUs
    python benchmarks/several_gpus.py --processes 1 2 --edges 2000000 --side 500

For each number of workers: random edges (strong: as many in all; weak: as many a worker) by the
tree and, on GPUs, by the all-gather, with edges and with vertices distributed; and a lattice in one
tile a worker with vertices distributed. Every answer is compared with that of one process.
"""

import importlib.util
import resource
import sys

import dask.dataframe as dd
import numpy as np
import records
from distributed import Client, LocalCluster, wait

import cc_rapids
import cc_rapids.dask
from cc_rapids import backends

PARTS = 4  # partitions a worker


def main():
    """Measure on each number of workers, and keep the records."""
    args = records.arguments(__doc__)
    args.add_argument("--gpus", type=int, nargs="*", help="how many GPUs, each in turn")
    args.add_argument(
        "--processes", type=int, nargs="*", default=[], help="the same, CPU processes"
    )
    args.add_argument(
        "--edges", type=int, default=400_000_000, help="random edges, on a quarter as many vertices"
    )
    args.add_argument("--side", type=int, default=5000, help="of a tile, in points")
    args = args.parse_args()
    engine = "cuda" if args.gpus else "threads"
    base = records.environment(backends.get(engine).device_name, args.commit)
    for count in args.gpus or args.processes:
        with cluster_of(count, bool(args.gpus)) as cluster, Client(cluster) as client:
            client.wait_for_workers(count)
            where = {"cluster": type(cluster).__name__, "engine": engine, "workers": count}
            for record in measured(client, count, args):
                records.keep(args.out, "several", base | where | record)


def cluster_of(count, gpus):
    """Return so many GPUs of this machine, or processes of one thread each."""
    if gpus:
        return cc_rapids.dask.local_gpus(count)
    options = {"threads_per_worker": 1, "memory_limit": 0, "dashboard_address": ":0"}
    return LocalCluster(n_workers=count, env={"CC_RAPIDS_THREADS": "1"}, **options)


def measured(client, count, args):
    """Yield the records of one cluster."""
    for scaling, edges in (("strong", args.edges), ("weak", count * args.edges)):
        vertices, parts = edges // 4, PARTS * count
        given = {"num_vertices": vertices, "size": edges // parts, "on_gpu": bool(args.gpus)}
        frame = held(client, dd.from_map(random_edges, range(parts), **given))
        about = {"graph": "random", "scaling": scaling, "n": vertices, "m": parts * given["size"]}
        ways = [{"combine": "tree"}, {"partition": "vertices", "owners": "range"}]
        ways += [{"combine": "gather"}] if args.gpus and count > 1 else []
        whole = cc_rapids.components(frame.compute())
        for way in ways:
            yield about | way | run(client, frame, way, whole, args.runs)
        yield about | {"way": "cugraph"} | with_cugraph(client, frame, len(whole), args)
        del frame, whole
    side = args.side
    given = {"side": side, "count": count, "on_gpu": bool(args.gpus)}
    homes = sorted(client.scheduler_info(n_workers=-1)["workers"])
    tiles = [client.submit(tile, k, **given, workers=[home]) for k, home in enumerate(homes)]
    frame = dd.from_delayed(tiles)
    about = {"graph": "tiles", "scaling": "weak", "n": count * side**2, "m": len(frame)}
    about |= {"crossing": crossing(frame, side)}
    whole = cc_rapids.components(frame.compute())
    for way in ({"combine": "tree"}, {"partition": "vertices", "owners": TileOf(side)}):
        told = way | ({"owners": "tiles"} if "owners" in way else {})
        yield about | told | run(client, frame, way, whole, args.runs)


def held(client, frame):
    """Return the frame, made on the workers and spread over them."""
    frame = frame.persist()
    wait(frame)
    client.rebalance(frame)
    return frame


def library(on_gpu):
    """Return the frames and arrays of a worker."""
    if on_gpu:
        import cudf
        import cupy

        return cudf, cupy
    import pandas

    return pandas, np


def random_edges(part, num_vertices, size, on_gpu):
    """Return edges anywhere."""
    frames, xp = library(on_gpu)
    rng = xp.random.default_rng(part)
    ends = [rng.integers(0, num_vertices, size) for _ in range(2)]
    return frames.DataFrame({"src": ends[0], "dst": ends[1]})


def tile(number, side, count, on_gpu):
    """Return a square of points with random links between neighbours, and links to the next."""
    frames, xp = library(on_gpu)
    point = xp.arange(side * side).reshape(side, side) + number * side * side
    src, dst = [point[:, :-1], point[:-1]], [point[:, 1:], point[1:]]
    if number < count - 1:
        src.append(point[:, -1])
        dst.append(point[:, 0] + side * side)
    src, dst = (xp.concatenate([part.ravel() for part in ends]) for ends in (src, dst))
    kept = xp.random.default_rng(number).random(src.size) < 0.6
    return frames.DataFrame({"src": src[kept], "dst": dst[kept]})


class TileOf:
    """The tile of each point."""

    def __init__(self, side):
        self.side = side

    def __call__(self, ids):
        return ids // (self.side * self.side)


def crossing(frame, side):
    """Return the edges between two tiles."""
    area = side * side
    return int((frame["src"] // area != frame["dst"] // area).sum().compute())


def run(client, frame, way, whole, runs):
    """Times, bytes by Dask's own count of what workers send, and the facts of the last run."""
    facts = {}

    def work():
        found = cc_rapids.dask.components(frame, **way)
        facts.update(found.facts, labels=wait(found.labels().persist()) and found)

    work()
    before = sent(client)
    client.run(count_memory)
    work()
    peak = max(client.run(most_memory).values())
    moved = sent(client) - before
    times = records.wall(work, runs)
    check(facts.pop("labels"), whole)
    told = ("rounds", "batches", "bytes", "border", "room", "rest", "most_in_a_part", "components")
    kept = {name: facts[name] for name in told if name in facts}
    measured = {"wall_ms": records.spread(times), "moved_bytes": moved, "peak_bytes": int(peak)}
    return measured | kept | {"equal": True}


def count_memory():
    """On a worker with a GPU: count what is allocated there from now on."""
    if "rmm" in sys.modules:
        from rmm import statistics

        statistics.enable_statistics()
        statistics.push_statistics()


def most_memory():
    """Return the most bytes of a worker at once: of its GPU since it began to count.

    Else of the process, with all that it has imported.
    """
    if "rmm" in sys.modules:
        from rmm import statistics

        return statistics.pop_statistics().peak_bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def sent(client):
    """Return the bytes that workers have sent each other so far."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def check(found, whole):
    """Raise an error unless the labels are those of one process."""
    ours = found.labels().compute().sort_values("vertex", ignore_index=True)
    theirs = whole.labels()
    for name in ("vertex", "labels"):
        if not bool((ours[name].values == theirs[name].values).all()):
            raise SystemExit(f"{name} differ from those of one process")


def with_cugraph(client, frame, components, args):
    """CuGraph's own multi-GPU components of the same frame, or why there are none."""
    if not args.gpus:
        return {"why_not": "cuGraph runs on GPUs"}
    if importlib.util.find_spec("cugraph") is None or not importlib.util.find_spec("raft_dask"):
        return {"why_not": "cuGraph or raft-dask is not installed"}
    try:
        import cugraph
        import cugraph.dask
        from cugraph.dask.comms import comms

        comms.initialize(p2p=True)
        try:
            client.run(count_memory)
            graph = graph_of(cugraph, frame)
            found = int(wcc(cugraph, graph)["labels"].nunique().compute())
            peak = max(client.run(most_memory).values())
            solve = records.wall(lambda: wcc(cugraph, graph), args.runs)
            build = records.wall(lambda: graph_of(cugraph, frame), args.runs)
        finally:
            comms.destroy()
    except Exception as error:  # whatever keeps it from running is the record
        return {"why_not": f"{type(error).__name__}: {str(error)[:300]}"}
    if found != components:
        return {"why_not": f"it has found {found} components, not {components}"}
    times = {"build_ms": records.spread(build), "wall_ms": records.spread(solve)}
    return times | {"peak_bytes": int(peak)}


def graph_of(cugraph, frame):
    """CuGraph's graph of the edges."""
    graph = cugraph.Graph(directed=False)
    graph.from_dask_cudf_edgelist(frame, source="src", destination="dst")
    return graph


def wcc(cugraph, graph):
    """Find its components, and wait for them."""
    labels = cugraph.dask.weakly_connected_components(graph)
    wait(labels)
    return labels


if __name__ == "__main__":
    main()
