"""Deduplicate a million documents on CPU threads, against pandas' sort_values + drop_duplicates.

There are 60 pairs for each hundred documents, so that 30 of these are in no pair. Ours takes the
documents as they are; pandas those with labels, which are attached before and not timed. Both keep
the same rows, of which the order is compared, too. They take turns, so that others' work on the
machine meets both, and their least times are compared. ``representatives_ms`` is for the vertex of
each component with the greatest length, and ``attach_ms`` for the labels that pandas starts from.
"""

import numpy as np
import pandas as pd
import records

import cc_rapids
from cc_rapids import backends

DOCUMENTS, PAIRS = 1_000_000, 600_000
MIX = np.uint64(0x9E3779B97F4A7C15)
#: Ids of each kind, made of 0 .. n - 1.
KINDS = {
    "int64": lambda ids: pd.Series(ids),
    "hashes": lambda ids: pd.Series((ids.astype(np.uint64) * MIX).view(np.int64)),
    "strings": lambda ids: "doc-" + pd.Series(ids).astype(str),
}


def documents(make, n, m):
    """Return documents in no order, and pairs of them."""
    rng = np.random.default_rng(1)
    docs = pd.DataFrame(
        {
            "doc_id": make(rng.permutation(n)),
            "length": rng.integers(0, 10_000, n),
            "corpus": rng.integers(0, 4, n),
        }
    )
    ends = {side: make(rng.integers(0, n, m)) for side in ("src", "dst")}
    return docs, pd.DataFrame(ends)


def of_pandas(labelled, per):
    """Return the rows that are kept, by the labels: the largest of each, the first of equals."""
    best = labelled.sort_values("length", ascending=False, kind="stable")
    return best.drop_duplicates(["labels", *per]).sort_index()


def measured(kind, n, m, runs):
    """Return the times for ids of one kind, after both were found to keep the same rows."""
    docs, pairs = documents(KINDS[kind], n, m)
    found = cc_rapids.components(pairs)

    def attach():
        return found.attach(docs, on="doc_id", missing="self")

    def ours(**options):
        return found.deduplicate(docs, on="doc_id", by="length", **options)

    def represent():
        return found.representatives(by=(docs["doc_id"], docs["length"]))

    labelled = attach()
    for per in ([], ["corpus"]):
        expected = of_pandas(labelled, per)[docs.columns]
        if not ours(per=per or None).equals(expected):
            raise SystemExit(f"pandas keeps other rows of {kind}")
    works = (
        ours,
        lambda: labelled.sort_values("length", ascending=False).drop_duplicates("labels"),
        lambda: ours(per="corpus"),
        represent,
        attach,
    )
    names = "wall_ms", "pandas_ms", "per_corpus_ms", "representatives_ms", "attach_ms"
    times = dict(zip(names, records.turns(works, runs), strict=True))
    return {
        "ids": kind,
        "vertices": len(found.labels()),
        "components": len(found),
        "kept": len(ours()),
        **{name: records.spread(own) for name, own in times.items()},
        "times_faster": round(min(times["pandas_ms"]) / min(times["wall_ms"]), 1),
    }


def main():
    """Measure ids of each kind and keep the record."""
    args = records.arguments(__doc__).parse_args()
    n, m = (DOCUMENTS, PAIRS) if args.scale is None else (int(2**args.scale),) * 2
    rows = [measured(kind, n, m, args.runs) for kind in KINDS]
    base = records.environment(backends.get("threads").device_name, args.commit)
    record = {
        "documents": n,
        "pairs": m,
        "pandas": pd.__version__,
        "compared": "least with least, in turns",
        "same_rows_as_pandas": True,
        "rows": rows,
    }
    records.keep(args.out, "dedup", base | record)


if __name__ == "__main__":
    main()
