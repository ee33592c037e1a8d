"""Edges streamed from Parquet through a GPU, beside cudf.read_parquet of the same files alone.

The file is listed as often as it takes to pass 2^31 edges, many times the memory limit; the answer
is compared with that of one frame, which the limit does not hold.
"""

import pathlib
import tempfile
import time

import cudf
import cupy
import records
import rmm
import rmm.statistics

import cc_rapids
from cc_rapids import backends, generators

GRAPHS = ("uniform25M", "kron21")
LIMIT, MANY, GROUP = 6 << 30, 1 << 31, 8_000_000  # bytes, edges, rows of a group


def main():
    """Write a record for each graph, and for few edges and many."""
    args = records.arguments(__doc__).parse_args()
    rmm.reinitialize(pool_allocator=True, initial_pool_size=1 << 34)
    base = records.environment(backends.get("cuda").device_name, args.commit)
    for name in GRAPHS:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "edges.parquet"
            n, m = write(name, args.scale, path)
            for times in (1, -(-MANY // m)):
                facts = {"graph": name, "n": n, "edges": times * m, "files": times}
                record = measure([str(path)] * times, n, args.runs if times == 1 else 3)
                records.keep(args.out, "streams", base | facts | record)


def write(name, scale, path):
    """Return the graph as a Parquet file; gives its vertices and edges."""
    graph = generators.reference(name, scale, engine="cuda")
    frame = cudf.DataFrame({"src": graph.src.astype("int32"), "dst": graph.dst.astype("int32")})
    frame.to_parquet(path, row_group_size_rows=GROUP)
    return graph.num_vertices, len(frame)


def measure(paths, n, runs):
    """Seconds of reading alone and of the stream, in turns, and the most memory of it."""
    reading, streaming = [], []
    for _ in range(runs + 1):
        reading.append(clock(lambda: read(paths)))
        streaming.append(clock(lambda: stream(paths, n)))
    with rmm.statistics.statistics():
        found = stream(paths, n)
        peak = rmm.statistics.get_statistics().peak_bytes
    expected = cc_rapids.components(cudf.read_parquet(paths[0]), num_vertices=n).labels()
    given = cupy.asarray(found.labels()["labels"].to_numpy())
    alone, streamed = records.spread(reading[1:]), records.spread(streaming[1:])
    return {
        "memory_limit": LIMIT,
        "peak_bytes": int(peak),
        "within_limit": peak <= LIMIT,
        "read_parquet_ms": alone,
        "stream_ms": streamed,
        "of_reading_speed": round(alone["median"] / streamed["median"], 3),
        "right": bool((given == expected["labels"].to_cupy()).all()),
    }


def read(paths):
    """Read all files, one after the other."""
    for path in paths:
        cudf.read_parquet(path)


def stream(paths, n):
    """Return the components of all files."""
    return cc_rapids.stream_components(paths, engine="cuda", num_vertices=n, memory_limit=LIMIT)


def clock(work):
    """Milliseconds until the device is done."""
    cupy.cuda.Device().synchronize()
    started = time.perf_counter()
    work()
    cupy.cuda.Device().synchronize()
    return 1e3 * (time.perf_counter() - started)


if __name__ == "__main__":
    main()
