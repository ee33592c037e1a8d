"""Time 26 calls of a Splink user's first hour, in one process that first_use.py starts.

Predictions are pairs of records, each with a dataset and a unique id, and a match probability. The
records have names, emails and phone numbers. Each call prints one line of JSON: its seconds, and
the kernels that it compiled itself.
"""

import json
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


def calls(pairs, records, numbered, got):
    """Return the function of each call by its name; later calls use the results of earlier ones."""
    import cc_rapids

    key, levels = ["source_dataset", "unique_id"], {"thresholds": [0.5, 0.8, 0.9, 0.95]}
    by_name = {"source": "unique_id_l", "destination": "unique_id_r"}
    strong, score = pairs[pairs.match_probability >= 0.8], {"weight": "match_probability"}
    ends, best = numbered[["src", "dst"]], {"weight": "score", "forest": "max"}
    first = np.array([numbered.src[0]]), np.array([numbered.dst[0]])
    kinds = (f"components, {kind}" for kind in ("keys", "strings", "integers"))
    keys, names, ints, linked, forest = (
        lambda name=name: got[name] for name in (*kinds, "link_records", "forest")
    )
    return {
        "components, keys": lambda: cc_rapids.components(strong),
        "len": lambda: len(keys()),
        "labels": lambda: keys().labels(),
        "sizes": lambda: keys().sizes(),
        "attach": lambda: keys().attach(records, on=key, name="person", missing="self"),
        "components, at_least": lambda: cc_rapids.components(pairs, **score, at_least=0.9),
        "components, strings": lambda: cc_rapids.components(pairs, **by_name),
        "largest": lambda: names().largest(3),
        "members": lambda: names().members(),
        "component_of": lambda: names().component_of(records.unique_id[:1].tolist()),
        "components_at, strings": lambda: cc_rapids.components_at(
            pairs, **by_name, **score, **levels
        ),
        "components_at, keys": lambda: cc_rapids.components_at(pairs, **score, **levels),
        "components, integers": lambda: cc_rapids.components(ends),
        "size_histogram": lambda: ints().size_histogram(),
        "representatives": lambda: ints().representatives(),
        "connected": lambda: ints().connected(first),
        "deduplicate": lambda: ints().deduplicate(records, on="number", by="changed"),
        "link_records": lambda: cc_rapids.link_records(records, ["email", "phone"], id="number"),
        "linked, attach": lambda: linked().attach(records, name="person"),
        "linked, deduplicate": lambda: linked().deduplicate(records, by="changed"),
        "forest": lambda: cc_rapids.components(numbered, "src", "dst", **best),
        "path": lambda: forest().paths(first),
        "dendrogram": lambda: forest().dendrogram().at(0.9),
        "report": lambda: forest().report(numbered, "src", "dst"),
        "edges": lambda: ints().edges(ints().sizes(1).labels[0], numbered, "src", "dst"),
        "audit": lambda: ints().audit(numbered, "src", "dst"),
    }


def main():
    """Print the seconds of each call; the first one imports what it needs."""
    data, got = predictions(np.random.default_rng(1)), {}
    from cc_rapids.backends import kernel_times

    for name, call in calls(*data, got).items():
        with kernel_times.watched() as times:
            started = time.perf_counter()
            got[name] = call()
            seconds = time.perf_counter() - started
        told = {"call": name, "seconds": round(seconds, 4), "compiled": times.compiled}
        print(json.dumps(told | {"kernels_s": round(times.seconds, 3)}), flush=True)


if __name__ == "__main__":
    main()
