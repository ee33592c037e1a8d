"""Pairs of strings on CPU threads, against factorising them by pandas or PyArrow and then SciPy.

Lists of PyArrow strings, and of pandas columns of Python objects: random pairs of numbered
documents, pairs within clusters of ten million of them, the same with ten random letters for a
document, and with addresses, which are too long to be numbers. From the frame to the frame of
labels; the peers' labels are numbers, where ours are the least strings. All take turns, so that
others' work on the machine meets all, and least times are compared. The conversion from objects to
PyArrow, which a library does for us, is timed alone, too.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import records
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import cc_rapids
from cc_rapids import backends

SPREAD = 0x9E3779B97F4A7C15  # an odd number that spreads documents over 64 bits


def main():
    """Measure each list, and keep a record of each."""
    args = records.arguments(__doc__).parse_args()
    base = records.environment(backends.get("threads").device_name, args.commit)
    for name, (sides, spell) in LISTS.items():
        edges = {end: spell(side) for end, side in zip(("src", "dst"), sides(), strict=True)}
        for library, make in (("pyarrow", pa.table), ("pandas objects", objects)):
            record = {"list": name, "frame": library, "edges": len(edges["src"])}
            record |= measure(make(edges), args.runs)
            records.keep(args.out, "string_lists", base | record)


def measure(frame, runs):
    """Return the times of all ways, after comparing how many components they find."""
    ways = {
        "wall_ms": lambda: cc_rapids.connected_components(frame),
        "conversion_ms": lambda: [strings(frame[end]) for end in ("src", "dst")],
        "pandas_ms": lambda: by_pandas(frame),
        "pyarrow_ms": lambda: by_pyarrow(frame),
    }
    found, (vertices, labels) = cc_rapids.components(frame), by_pandas(frame)
    assert len(found) == labels.max() + 1 == by_pyarrow(frame)[1].max() + 1
    assert found.summary()["vertices"] == len(vertices)
    times = map(records.spread, records.turns(list(ways.values()), runs))
    wall = dict(zip(ways, times, strict=True))
    least = {way: own["least"] for way, own in wall.items()}
    return wall | {
        "ids": found.summary()["ids"],
        "vertices": len(vertices),
        "components": len(found),
        "times_faster": round(min(least["pandas_ms"], least["pyarrow_ms"]) / least["wall_ms"], 2),
        "times_faster_than_pandas": round(least["pandas_ms"] / least["wall_ms"], 2),
    }


def by_pandas(frame):
    """Return the documents and their labels, numbered by pandas."""
    sides = [np.asarray(frame[end]) for end in ("src", "dst")]
    codes, vertices = pd.factorize(np.concatenate(sides))
    return vertices, labels_of(codes, len(vertices))


def by_pyarrow(frame):
    """Return the documents and their labels, numbered by PyArrow."""
    found = pa.concat_arrays([strings(frame[end]) for end in ("src", "dst")]).dictionary_encode()
    return found.dictionary, labels_of(found.indices.to_numpy(), len(found.dictionary))


def labels_of(codes, n):
    """Return SciPy's labels of the edges between the two halves of some codes."""
    m = len(codes) // 2
    matrix = coo_array((np.ones(m, np.int8), (codes[:m], codes[m:])), shape=(n, n))
    return connected_components(matrix, directed=False)[1]


def strings(column):
    """Return a column as one PyArrow array of large strings."""
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks().cast(pa.large_string())
    return pa.array(column, pa.large_string())


def objects(edges):
    """Return the list as a pandas frame of Python objects."""
    return pd.DataFrame(
        {end: pd.Series(side.to_pylist(), dtype=object) for end, side in edges.items()}
    )


def random_pairs():
    """Return 400,000 pairs of 100,000 documents."""
    return np.random.default_rng(0).integers(0, 100_000, (2, 400_000))


def clustered():
    """Return a million pairs within clusters of five million documents, numbered in no order."""
    rng = np.random.default_rng(0)
    sizes = np.minimum(1 + rng.zipf(1.9, 2_500_000), 5_000)
    starts = np.cumsum(sizes) - sizes
    chosen = rng.choice(len(sizes), 1_000_000, p=sizes / sizes.sum())
    first, size = starts[chosen], sizes[chosen]
    ends = np.stack([first + rng.integers(0, size), first + rng.integers(0, size)])
    return rng.permutation(int(sizes.sum()))[ends]


def numbered(side):
    """Return documents as text with their numbers."""
    return pa.array([f"doc{k}" for k in side.tolist()])


def lettered(side):
    """Return documents as ten random letters."""
    spread = side.astype(np.uint64) * np.uint64(SPREAD) >> np.uint64(17)
    steps = np.uint64(26) ** np.arange(10, dtype=np.uint64)
    letters = (spread[:, None] // steps % np.uint64(26) + np.uint64(97)).astype(np.uint8)
    return pa.array(letters.view("S10").ravel().astype(str).tolist())


def addressed(side):
    """Return documents as addresses of more than sixty letters."""
    where = "https://example.org/documents/by-their-hash"
    return pa.array([f"{where}/{k * SPREAD % 2**64:016x}.html" for k in side.tolist()])


LISTS = {
    "random, numbered": (random_pairs, numbered),
    "clustered, numbered": (clustered, numbered),
    "random, ten letters": (random_pairs, lettered),
    "clustered, ten letters": (clustered, lettered),
    "random, addresses": (random_pairs, addressed),
}

if __name__ == "__main__":
    main()
