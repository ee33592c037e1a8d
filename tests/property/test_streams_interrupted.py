"""Streams under limits that are too small or ample, interrupted and resumed: right, or an error."""

import signal
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from support.trials import TRIALS

import cc_rapids
from cc_rapids import CapacityError
from cc_rapids.data import memory_budget


class StoppedError(Exception):
    """What a caller's own code raises."""


def raises(_):
    raise StoppedError


def by_signal(_):
    signal.raise_signal(signal.SIGINT)


def exits(_):
    sys.exit(3)


STOPS = {raises: StoppedError, by_signal: KeyboardInterrupt, exits: SystemExit}


def columns_of(random, kind, numbers):
    """Ids of a kind for numbers of vertices, as columns of a table, without their side."""
    if kind == "integers":
        return {"": pa.array(numbers * 7919 - 10**9)}
    if kind == "near":
        return {"": pa.array(numbers.astype(np.int32))}
    if kind == "words":
        return {"": pa.array([f"{n * 0x9E3779B97F4A7C15 % 2**64:036x}" for n in numbers.tolist()])}
    return {"_kind": pa.array((numbers % 3).astype(np.int8)), "_id": pa.array(numbers // 3)}


class Edges:
    """A random list in files of random row groups, and what SciPy says of it."""

    def __init__(self, random, folder):
        self.kind = random.choice(["integers", "near", "words", "two columns"])
        n, m = int(random.integers(2, 3000)), int(random.integers(1, 12_000))
        src, dst = random.integers(0, n, (2, m))
        weight = random.random(m)
        weight[random.random(m) < 0.1] = np.nan
        if random.random() < 0.3:
            order = np.argsort(weight)
            src, dst, weight = src[order], dst[order], weight[order]
        sides = [
            {f"{side}{name}": column for name, column in columns_of(random, self.kind, end).items()}
            for side, end in (("src", src), ("dst", dst))
        ]
        self.names = [list(side) for side in sides] if self.kind == "two columns" else []
        table = pa.table(sides[0] | sides[1] | {"w": pa.array(weight, from_pandas=True)})
        folder.mkdir()
        cuts = np.sort(random.integers(0, m + 1, int(random.integers(0, 5))))
        self.suffix = random.choice(["parquet", "parquet", "parquet", "csv"])
        for number, (a, b) in enumerate(zip([0, *cuts], [*cuts, m], strict=True)):
            path = folder / f"{number}.{self.suffix}"
            if self.suffix == "csv":
                pa.csv.write_csv(table[a:b], path)
            else:
                pq.write_table(table[a:b], path, row_group_size=int(random.integers(1, 4000)))
        self.options = {}
        keep = np.ones(m, bool)
        if random.random() < 0.7:
            low = float(random.choice([0.0, 0.2, 0.6, 0.99, 2.0]))
            self.options, keep = {"weight": "w", "at_least": low}, weight >= low
        self.rows, self.kept = m, int(keep.sum())
        matrix = coo_array((np.ones(self.kept), (src[keep], dst[keep])), (n, n))
        labels = connected_components(matrix, False)[1]
        self.vertices = np.unique(np.concatenate([src[keep], dst[keep]]))
        self.components = np.unique(labels[self.vertices]).size
        self.folder = folder

    def given(self, random):
        whole = self.suffix == "csv" or random.random() < 0.6
        return str(self.folder) if whole else ds.dataset(self.folder)

    def check(self, found):
        ledger = found.ledger
        others = sum(n for name, n in ledger.items() if name not in ("given", "linked"))
        assert (ledger["given"], ledger["linked"], others) == (
            self.rows,
            self.kept,
            self.rows - self.kept,
        )
        assert len(found) == self.components
        assert found.summary()["vertices"] == self.vertices.size


@pytest.mark.parametrize("seed", range(TRIALS["interruptions"].times))
def test_an_interrupted_stream_gives_the_right_answer_or_an_error(
    seed, tmp_path, monkeypatch, tuned
):
    tuned(progress_call_seconds=0.0)
    random = np.random.default_rng(seed)
    monkeypatch.setattr(memory_budget, "LEAST_ROWS", int(random.choice([16, 200, 1024])))
    edges, folder = Edges(random, tmp_path / "edges"), tmp_path
    given, failed = edges.given(random), 0
    text = 110 if edges.suffix == "csv" else 0
    if random.random() < 0.5:
        edges.options["checkpoint"] = folder / "state"
        edges.options["checkpoint_every"] = float(random.choice([0.0, 60.0]))
    while True:
        # growing from too small to ample, so that it ends
        limit = int((text + 2 + failed + 3 * random.random()) * 2**20)
        options = dict(edges.options, memory_limit=limit)
        calls = int(random.integers(0, 12)) if "checkpoint" in options and failed < 12 else 0
        stop = list(STOPS)[int(random.integers(0, len(STOPS)))]
        if calls:
            options["progress"] = _after(calls, stop)
        try:
            found = cc_rapids.stream_components(given, *edges.names, **options)
        except (CapacityError, *STOPS.values()):
            failed += 1
            assert failed < 60
            continue
        break
    edges.check(found)


def _after(calls, stop):
    left = [calls]

    def progress(state):
        left[0] -= 1
        if not left[0]:
            stop(state)

    return progress
