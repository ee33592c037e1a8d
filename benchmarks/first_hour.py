"""The first hour of a Splink user: 26 calls in one process, each timed; first_use.py starts it.

Predictions are pairs of records, each with a dataset and a unique id, and a match probability. The
records have names, emails and phone numbers. Each call prints one line of JSON: its seconds, and
the kernels that it compiled itself.
"""

import json
import sys
import time

import numpy as np
import pandas as pd

PAIRS, RECORDS = 200_000, 150_000


def predictions(rng):
    """Return scored pairs of records as Splink names them, and the records."""
    names = np.array([f"rec-{k:06d}" for k in range(RECORDS)], object)
    datasets = np.array(["crm", "web"], object)[rng.integers(0, 2, RECORDS)]
    first = rng.integers(0, RECORDS, PAIRS)
    near = np.minimum(first + rng.integers(1, 6, PAIRS), RECORDS - 1)
    pairs = pd.DataFrame(
        {
            "match_probability": np.round(rng.random(PAIRS), 6),
            "source_dataset_l": datasets[first],
            "unique_id_l": names[first],
            "source_dataset_r": datasets[near],
            "unique_id_r": names[near],
        }
    )
    people = rng.integers(0, RECORDS // 2, RECORDS)
    records = pd.DataFrame(
        {
            "source_dataset": datasets,
            "unique_id": names,
            "number": np.arange(RECORDS),
            "email": [f"p{k}@example.org" if k % 3 else "" for k in people],
            "phone": 10**9 + people // 2,
            "changed": rng.random(RECORDS),
        }
    )
    numbered = pd.DataFrame({"src": first, "dst": near, "score": pairs.match_probability})
    return pairs, records, numbered


def calls(pairs, records, numbered):
    """Yield the name and the function of each call; later calls use the results of earlier ones."""
    import cc_rapids

    key = ["source_dataset", "unique_id"]
    by_name = {"source": "unique_id_l", "destination": "unique_id_r"}
    strong = pairs[pairs.match_probability >= 0.8]
    score = {"weight": "match_probability"}
    got = {}

    def keep(name, value):
        got[name] = value
        return value

    yield "components, keys", lambda: keep("keys", cc_rapids.components(strong))
    yield "len", lambda: len(got["keys"])
    yield "labels", lambda: got["keys"].labels()
    yield "sizes", lambda: got["keys"].sizes()
    yield "attach", lambda: got["keys"].attach(records, on=key, name="person", missing="self")
    yield "components, at_least", lambda: cc_rapids.components(pairs, **score, at_least=0.9)
    yield "components, strings", lambda: keep("names", cc_rapids.components(pairs, **by_name))
    yield "largest", lambda: got["names"].largest(3)
    yield "members", lambda: got["names"].members()
    yield "component_of", lambda: got["names"].component_of(records.unique_id[:5].tolist()[:1])
    yield (
        "components_at, strings",
        lambda: cc_rapids.components_at(
            pairs, **by_name, **score, thresholds=[0.5, 0.8, 0.9, 0.95]
        ),
    )
    yield (
        "components_at, keys",
        lambda: cc_rapids.components_at(pairs, **score, thresholds=[0.5, 0.8, 0.9, 0.95]),
    )
    yield (
        "components, integers",
        lambda: keep("ints", cc_rapids.components(numbered[["src", "dst"]])),
    )
    yield "size_histogram", lambda: got["ints"].size_histogram()
    yield "representatives", lambda: got["ints"].representatives()
    yield "connected", lambda: got["ints"].connected(([numbered.src[0]], [numbered.dst[0]]))
    yield "deduplicate", lambda: got["ints"].deduplicate(records, on="number", by="changed")
    yield (
        "link_records",
        lambda: keep("linked", cc_rapids.link_records(records, ["email", "phone"], id="number")),
    )
    yield "linked, attach", lambda: got["linked"].attach(records, name="person")
    yield "linked, deduplicate", lambda: got["linked"].deduplicate(records, by="changed")
    yield (
        "forest",
        lambda: keep(
            "forest", cc_rapids.components(numbered, "src", "dst", weight="score", forest="max")
        ),
    )
    yield (
        "path",
        lambda: got["forest"].paths((np.array([numbered.src[0]]), np.array([numbered.dst[0]]))),
    )
    yield "dendrogram", lambda: got["forest"].dendrogram().at(0.9)
    yield "report", lambda: got["forest"].report(numbered, "src", "dst")
    yield "edges", lambda: got["ints"].edges(got["ints"].sizes(1).labels[0], numbered, "src", "dst")
    yield "audit", lambda: got["ints"].audit(numbered, "src", "dst")


def main():
    """Print the seconds of each call; the first one imports what it needs."""
    data = predictions(np.random.default_rng(1))
    from cc_rapids.backends import kernel_times

    for name, call in calls(*data):
        with kernel_times.watched() as times:
            started = time.perf_counter()
            call()
            seconds = time.perf_counter() - started
        told = {"call": name, "seconds": round(seconds, 4), "compiled": times.compiled}
        print(json.dumps(told | {"kernels_s": round(times.seconds, 3)}))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
