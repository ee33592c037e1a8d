"""Time edges in Parquet files, in memory and as streams.

ways: twenty million edges of five million ids in ten files, on CPU threads; the ids are close
together, or spread over 64 bits. Every function that reads files is compared with Polars and SciPy.
streams: one file, listed repeatedly until there are ``--many`` edges, is streamed through a GPU
within ``--limit`` bytes; compared with ``cudf.read_parquet`` of the same files. The methods are
timed in turn, and labels are compared after the timing. The files are in the cache of the system.
"""

import harness
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import cc_rapids
from cc_rapids import backends, generators
from cc_rapids.tools.bench import with_peak

FILES, SHARE = 10, 4  # edges an id
KINDS = {"close": np.int64(1), "hashed": harness.SPREADING.view(np.int64)}
VERTEX_BYTES, CHUNK_BYTES = 60, 96 << 20  # of the limit that makes a stream: less than the edges
STREAMED = ("uniform25M", "kron21")
GROUP = 8_000_000  # rows of a row group


@harness.job("files")
@harness.each_of(*KINDS)
def ways(kind, folder, args, backend):
    """Yield the times of all methods for one kind of ids; their labels are compared."""
    rng, threads = np.random.default_rng(1), backends.get("threads")
    paths = [folder / f"{k}.parquet" for k in range(FILES)]
    for path in paths:
        src, dst = rng.integers(0, args.edges // SHARE, (2, args.edges // FILES)) * KINDS[kind]
        pq.write_table(pa.table({"src": src, "dst": dst}), path)
    pattern, limit = f"{folder}/*.parquet", args.edges // SHARE * VERTEX_BYTES + CHUNK_BYTES

    def insert():
        seen = cc_rapids.Connectivity(engine="cpu")
        for path in paths:
            seen.insert(pq.read_table(path))
        return seen.components().labels()

    def stream():
        return cc_rapids.stream_components(pattern, engine="cpu", memory_limit=limit).labels()

    own = {
        "read": lambda: pq.read_table(folder),
        "solve": lambda: cc_rapids.components(pq.read_table(folder), engine="cpu").labels(),
        "pattern": lambda: cc_rapids.components(pattern, engine="cpu").labels(),
        "stream": stream,
        "insert": insert,
    }
    peer = {"polars": lambda: by_hand(pattern)}
    times = harness.timed(own, threads, args.runs) | harness.timed(peer, threads, min(args.runs, 3))
    ids, labels = (column.to_numpy() for column in own["solve"]().columns)
    for name in ("pattern", "stream", "insert"):
        other = own[name]()
        assert np.array_equal(other["vertex"].to_numpy(), ids), name
        assert np.array_equal(other["labels"].to_numpy(), labels), name
    vertices, numbers = by_hand(pattern)
    assert np.array_equal(vertices, ids)
    assert np.array_equal(ids[np.unique(numbers, return_index=True)[1]][numbers], labels)
    of_solve = {
        name: round(times[f"{name}_ms"]["median"] / times["solve_ms"]["median"], 2)
        for name in (*own, *peer)
    }
    facts = {"kind": kind, "files": FILES, "edges": args.edges, "vertices": ids.size}
    facts |= {"components": len(np.unique(labels)), "memory_limit": limit}
    yield facts | times | {"of_solve": of_solve}


def by_hand(pattern):
    """Return the sorted ids, and the number of the component of each, by Polars and SciPy."""
    import polars as pl

    edges = pl.read_parquet(pattern)
    ids = pl.concat([edges["src"], edges["dst"]]).unique().sort()
    for side in ("src", "dst"):
        numbered = pl.DataFrame({side: ids}).with_row_index(f"{side}_code")
        edges = edges.join(numbered, on=side)
    ends = edges["src_code"].to_numpy(), edges["dst_code"].to_numpy()
    return ids.to_numpy(), harness.scipy_labels(*ends, len(ids))


@harness.job("streams")
@harness.each_of(*STREAMED)
def streams(name, folder, args, backend):
    """Yield the times of a stream of one file and of many, and of reading the files alone."""
    path, graph = folder / "edges.parquet", generators.reference(name, args.scale, engine="threads")
    n, m = graph.num_vertices, graph.num_edges
    table = pa.table({"src": graph.src.astype(np.int32), "dst": graph.dst.astype(np.int32)})
    pq.write_table(table, path, row_group_size=GROUP)
    del graph, table
    expected = cc_rapids.components(pq.read_table(path), num_vertices=n, engine="threads").labels()
    for repeats in dict.fromkeys((1, -(-args.many // m))):
        paths = [str(path)] * repeats

        def read(paths=paths):
            for one in paths:
                read_alone(one, backend)

        def stream(paths=paths):
            options = {"engine": backend.name, "num_vertices": n, "memory_limit": args.limit}
            return cc_rapids.stream_components(paths, **options)

        runs = args.runs if repeats == 1 else min(args.runs, 3)
        times = harness.timed({"read_parquet": read, "stream": stream}, backend, runs)
        found, peak = with_peak(backend, stream)
        labels = harness.on_host(found.labels()["labels"])
        facts = {"graph": name, "n": n, "edges": repeats * m, "files": repeats}
        facts |= {"memory_limit": args.limit, "peak_bytes": peak}
        facts |= {"within_limit": peak is None or peak <= args.limit}
        facts |= times
        rate = round(times["read_parquet_ms"]["median"] / times["stream_ms"]["median"], 3)
        right = bool((labels == harness.on_host(expected["labels"])).all())
        yield facts | {"of_reading_speed": rate, "right": right}


def read_alone(path, backend):
    """Read a file by cuDF on a GPU, and by PyArrow on threads."""
    if not backend.on_device:
        return pq.read_table(path)
    import cudf

    return cudf.read_parquet(path)


if __name__ == "__main__":
    parser = harness.arguments(__doc__, runs=5, edges=20_000_000, many=1 << 31, limit=6 << 30)
    harness.run(parser, "polars", "pyarrow", default=["ways"])
