"""Parquet files: reading them, solving them in each way that there is, and Polars with SciPy.

Twenty million edges of five million ids lie in ten files: close ids, 0 to n - 1, and the same ones
times an odd constant, which spreads them over 64 bits. All ways take turns, so that others' work on
the machine meets all; the peer, which is slow, has three runs behind them. Labels are compared
after the timing. What is read is in the cache of the system. The whole takes a few minutes.
"""

import pathlib
import tempfile
from importlib.metadata import version

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import records
import scipy.sparse

import cc_rapids
from cc_rapids import backends

EDGES, FILES, SHARE = 20_000_000, 10, 4  # edges an id
PEER_RUNS = 3
SPREADING = np.int64(-7046029254386353131)  # 2^64 divided by the golden ratio
KINDS = {"close": np.int64(1), "hashed": SPREADING}
VERTEX_BYTES, CHUNK_BYTES = 60, 96 << 20  # of the limit that makes a stream: less than the edges
WAYS = {
    "read": "reading alone",
    "solve": "read, then `components(frame)`",
    "pattern": '`components("edges/*.parquet")`',
    "stream": "`stream_components`, in chunks",
    "insert": "`Connectivity.insert` of each file",
    "polars": "Polars with SciPy",
}


def main():
    """Measure each kind of ids, and keep a record of it."""
    parser = records.arguments(__doc__)
    parser.add_argument("--edges", type=int, default=EDGES)
    parser.set_defaults(runs=5)
    args = parser.parse_args()
    backend = backends.get("threads")
    base = records.environment(backend.device_name, args.commit)
    base["versions"] |= {name: version(name) for name in ("polars", "pyarrow")}
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            paths = write(pathlib.Path(folder), args.edges, kind)
            found = measure(folder, paths, args)
        records.keep(args.out, "files", base | {"kind": kind, "files": FILES} | found)


def write(folder, edges, kind):
    """Write the files, and return their paths."""
    rng = np.random.default_rng(1)
    paths = [folder / f"{k}.parquet" for k in range(FILES)]
    for path in paths:
        src, dst = rng.integers(0, edges // SHARE, (2, edges // FILES)) * KINDS[kind]
        pq.write_table(pa.table({"src": src, "dst": dst}), path)
    return paths


def measure(folder, paths, args):
    """Return the times of all ways, after comparing their labels."""
    pattern, limit = f"{folder}/*.parquet", args.edges // SHARE * VERTEX_BYTES + CHUNK_BYTES

    def insert():
        seen = cc_rapids.Connectivity(engine="cpu")
        for path in paths:
            seen.insert(pq.read_table(path))
        return seen.components().labels()

    def stream():
        found = cc_rapids.stream_components(pattern, engine="cpu", memory_limit=limit)
        return found.labels()

    ways = {
        "read": lambda: pq.read_table(folder),
        "solve": lambda: cc_rapids.components(pq.read_table(folder), engine="cpu").labels(),
        "pattern": lambda: cc_rapids.components(pattern, engine="cpu").labels(),
        "stream": stream,
        "insert": insert,
        "polars": lambda: by_hand(pattern),
    }
    *own, peer = ways.values()
    times = records.turns(own, args.runs) + records.turns([peer], min(args.runs, PEER_RUNS))
    wall = dict(zip(ways, map(records.spread, times), strict=True))
    ids, labels = (column.to_numpy() for column in ways["solve"]().columns)
    for name in ("pattern", "stream", "insert"):
        other = ways[name]()
        assert np.array_equal(other["vertex"].to_numpy(), ids), name
        assert np.array_equal(other["labels"].to_numpy(), labels), name
    known, numbers = by_hand(pattern)
    assert np.array_equal(known, ids)
    assert np.array_equal(ids[np.unique(numbers, return_index=True)[1]][numbers], labels)
    whole = wall["solve"]["median"]
    return {
        "edges": args.edges,
        "vertices": ids.size,
        "components": len(np.unique(labels)),
        "memory_limit": limit,
        **{f"{name}_ms": wall[name] for name in ways},
        "of_solve": {name: round(wall[name]["median"] / whole, 2) for name in ways},
    }


def by_hand(pattern):
    """Return the sorted ids, and the number of the component of each, by Polars and SciPy."""
    import polars as pl

    edges = pl.read_parquet(pattern)
    ids = pl.concat([edges["src"], edges["dst"]]).unique().sort()
    for side in ("src", "dst"):
        numbered = pl.DataFrame({side: ids}).with_row_index(f"{side}_code")
        edges = edges.join(numbered, on=side)
    ends = edges["src_code"].to_numpy(), edges["dst_code"].to_numpy()
    matrix = scipy.sparse.coo_matrix((np.ones(len(edges), bool), ends), shape=(len(ids),) * 2)
    return ids.to_numpy(), scipy.sparse.csgraph.connected_components(matrix, directed=False)[1]


def newest(folder):
    """Return the newest record of each kind of ids."""
    return list({row["kind"]: row for row in records.load("files", folder)}.values())


def table(folder=records.HERE):
    """Return the table of the newest record of each kind of ids, and what it stands on."""
    rows = {row["kind"]: row for row in newest(folder)}
    if set(rows) != set(KINDS):
        return "Not measured yet: `python benchmarks/files.py`."
    lines = [f"| | {' | '.join(f'{kind} ids' for kind in rows)} |", "| --- | --: | --: |"]
    for name, words in WAYS.items():
        cells = [
            f"{row[f'{name}_ms']['median'] / 1e3:.2f} s ({row['of_solve'][name]:.2f})"
            for row in rows.values()
        ]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    row = list(rows.values())[-1]
    versions = ", ".join(f"{name} {number}" for name, number in row["versions"].items())
    limit = f"{row['memory_limit'] / 2**20:.0f} MiB"
    return "\n".join(
        [
            *lines,
            "",
            f"Medians of {row['edges'] / 1e6:.0f} M edges of {row['vertices'] / 1e6:.1f} M ids in"
            f" {row['files']} files, and in parentheses how often that of the frame, read and"
            f" solved; hashed ids lie anywhere in 64 bits, and the stream has a memory limit of"
            f" {limit}."
            f" On {row['device']}, at {row['commit']} ({row['date']}), with a load of"
            f" {row['load']}; {versions}. {row['read_ms']['runs']} runs of each, in turns, and"
            f" {row['polars_ms']['runs']} of the peer; all labels are equal.",
        ]
    )


if __name__ == "__main__":
    main()
