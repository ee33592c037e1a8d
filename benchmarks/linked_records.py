"""Entities of a million records with three keys, against pandas.factorize with SciPy by hand.

By hand in two ways: as a graph of records and values, and as consecutive rows of the same value;
each factorises every key and finds components with csgraph. All take turns, so that others' work on
the machine meets all, and least times are compared, with the faster way by hand; the answers are
compared after the timing. The keys are object strings, strings of PyArrow, and integers; a value is
shared by two or three records. With ``--engine cuda`` the frame is cuDF's, and the ways by hand get
the same frame in pandas.
"""

import numpy as np
import pandas as pd
import records
import scipy.sparse

import cc_rapids
from cc_rapids import backends

RECORDS = 1_000_000
KEYS = ["email", "phone", "name"]
KINDS = {"object strings": object, "pyarrow strings": "string[pyarrow]", "integers": None}


def main():
    """Measure each kind of keys, and keep a record of it."""
    parser = records.arguments(__doc__)
    parser.add_argument("--engine", choices=("threads", "cuda"), default="threads")
    parser.add_argument("--records", type=int, default=RECORDS)
    args = parser.parse_args()
    backend = backends.get(args.engine)
    base = records.environment(backend.device_name, args.commit) | {"engine": args.engine}
    for kind in KINDS:
        frame = people(args.records, kind)
        found = measure(frame, backend, args.runs)
        record = base | {"records": args.records, "keys": len(KEYS), "kind": kind} | found
        records.keep(args.out, "linked_records", record)


def people(size, kind):
    """Return records whose values are drawn from somewhat fewer than there are records."""
    rng = np.random.default_rng(0)
    shares = {"email": 0.7, "phone": 0.9, "name": 0.8}
    numbers = {key: rng.integers(0, int(share * size), size) for key, share in shares.items()}
    if KINDS[kind] is None:
        return pd.DataFrame({key: own * 104_729 for key, own in numbers.items()})
    words = {"email": "user{}@example.org", "phone": "+49{:09}", "name": "name {}"}
    texts = {key: [words[key].format(k) for k in own.tolist()] for key, own in numbers.items()}
    return pd.DataFrame(texts, dtype=object).astype(KINDS[kind])


def measure(frame, backend, runs):
    """Return the times of all ways, after comparing their answers."""
    given = frame
    if backend.on_device:
        import cudf

        given = cudf.from_pandas(frame)

    def ours():
        return cc_rapids.link_records(given, KEYS).attach(given, name="entity")

    ways = {"ours": ours, "values": lambda: by_values(frame), "rows": lambda: by_rows(frame)}
    times = records.turns(list(ways.values()), runs, backend.synchronize)
    wall = dict(zip(ways, map(records.spread, times), strict=True))
    found = np.asarray(backend.to_host(backend.asarray(ours()["entity"].values)))
    entities = len(np.unique(found))
    for way in (by_values, by_rows):
        other = way(frame)
        assert len(np.unique(other)) == entities
        assert len(np.unique(np.stack([found, other]), axis=1).T) == entities
    by_hand = min(wall["values"]["least"], wall["rows"]["least"])
    return {
        "entities": entities,
        "wall_ms": wall["ours"],
        "values_ms": wall["values"],
        "rows_ms": wall["rows"],
        "times_faster": round(by_hand / wall["ours"]["least"], 2),
    }


def by_values(frame):
    """Return the entity of each record, by a graph of records and values."""
    size = len(frame)
    rows, columns, n = [], [], size
    for key in KEYS:
        codes, values = pd.factorize(frame[key])
        rows.append(np.flatnonzero(codes >= 0))
        columns.append(codes[codes >= 0] + n)
        n += len(values)
    return components(np.concatenate(rows), np.concatenate(columns), n)[:size]


def by_rows(frame):
    """Return the same by linking each row to the next one with the same value."""
    left, right = [], []
    for key in KEYS:
        codes, _ = pd.factorize(frame[key])
        order = np.argsort(codes, kind="stable")
        codes = codes[order]
        same = (codes[1:] == codes[:-1]) & (codes[1:] >= 0)
        left.append(order[:-1][same])
        right.append(order[1:][same])
    return components(np.concatenate(left), np.concatenate(right), len(frame))


def components(src, dst, n):
    """Return the labels that SciPy gives."""
    matrix = scipy.sparse.coo_matrix((np.ones(src.size, bool), (src, dst)), shape=(n, n))
    return scipy.sparse.csgraph.connected_components(matrix, directed=False)[1]


if __name__ == "__main__":
    main()
