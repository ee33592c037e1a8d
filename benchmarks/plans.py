"""Compare the plans of streams with their runs: vertices, bytes of an id, and seconds.

Five lists in files: words, a power law, a grid, UUIDs and near-duplicate pairs as text. A plan is
made, and then the stream is run once to compile and ``--runs`` times. Each run's wall time and CPU
time (user and system, of all threads) are kept, as others' work makes a wall time longer.
"""

import os
import pathlib
import tempfile
import time
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import records

import cc_rapids
from cc_rapids import backends, datasets

GROUP = 100_000  # rows


def words(scale):
    """Return the pairs of words, repeated."""
    pairs = datasets.word_ladders("pyarrow")
    return pa.concat_tables([pairs] * max(1, int(60 * scale)))


def power_law(scale):
    """Return random pairs of 64-bit ids, by a power law on both sides."""
    random = np.random.default_rng(1)
    size = int(8_000_000 * scale)
    ends = (random.power(3, (2, size)) * size / 2).astype(np.int64)
    return pa.table({"src": ends[0] * 1_000_003, "dst": ends[1] * 1_000_003})


def grid(scale):
    """Return the edges of a grid, row by row."""
    side = int(3000 * scale**0.5)
    ids = np.arange(side * side).reshape(side, side)
    src = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    dst = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    return pa.table({"src": src, "dst": dst})


def uuids(scale):
    """Return random pairs of UUIDs of 36 characters."""
    random = np.random.default_rng(2)
    size = int(2_000_000 * scale)
    ids = pa.array([str(uuid.UUID(bytes=random.bytes(16))) for _ in range(size // 2)])
    src, dst = (ids.take(pa.array(random.integers(0, len(ids), size))) for _ in range(2))
    return pa.table({"src": src, "dst": dst})


def documents(scale):
    """Return pairs of near-duplicate documents."""
    random = np.random.default_rng(3)
    size = int(6_000_000 * scale)
    cluster = random.integers(0, size // 8, size) * 10
    ends = [cluster + random.integers(0, 10, size) for _ in range(2)]
    return pa.table({"src": ends[0], "dst": ends[1]})


#: By name: what makes the edges, the ending of the file, and the options of the run.
LISTS = {
    "words": (words, "parquet", {}),
    "power law": (power_law, "parquet", {"memory_limit": "1GB"}),
    "grid": (grid, "parquet", {"memory_limit": "1GB"}),
    "uuids": (uuids, "parquet", {"memory_limit": "1GB"}),
    "documents": (documents, "csv", {"memory_limit": "1GB"}),
}


def measured(name, folder, scale, runs):
    """Return the plan of a list beside its runs."""
    make, ending, options = LISTS[name]
    folder = pathlib.Path(folder) / name  # as one file without a limit is not streamed
    folder.mkdir()
    path, table = folder / f"edges.{ending}", make(scale)
    if ending == "csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pq.write_table(table, path, row_group_size=GROUP)
    if name == "grid":
        options = options | {
            "num_vertices": int(table["dst"].combine_chunks().to_numpy().max()) + 1
        }
    del table
    path = folder
    started = time.perf_counter()
    plan = cc_rapids.components(path, explain=True, **options)
    planned = time.perf_counter() - started
    walls, cpus = [], []
    for _ in range(runs + 1):
        before, started = sum(os.times()[:2]), time.perf_counter()
        found = cc_rapids.components(path, **options)
        walls.append(time.perf_counter() - started)
        cpus.append(sum(os.times()[:2]) - before)
    return {
        "list": name,
        "format": ending,
        "memory_limit": options.get("memory_limit"),
        "ids": plan.ids,
        "edges": found.summary()["edges"],
        "edges_planned": plan.edges,
        "vertices": found.summary()["vertices"],
        "vertices_planned": [plan.vertices_least, plan.vertices],
        "id_bytes": plan.id_bytes,
        "plan_seconds": round(planned, 3),
        "seconds_planned": round(plan.seconds, 3),
        "seconds": round(min(walls[1:]), 3),
        "cpu_seconds": round(min(cpus[1:]), 3),
        "cpu_ratio": round(plan.seconds / min(cpus[1:]), 2),
        "ratio": round(plan.seconds / min(walls[1:]), 2),
    }


def main():
    """Measure all lists and keep the record."""
    args = records.arguments(__doc__).parse_args()
    scale = 1.0 if args.scale is None else 2.0**args.scale
    base = records.environment(backends.get("threads").device_name, args.commit)
    with tempfile.TemporaryDirectory() as folder:
        rows = [measured(name, folder, scale, args.runs) for name in LISTS]
    records.keep(args.out, "plans", base | {"rows": rows})


if __name__ == "__main__":
    main()
