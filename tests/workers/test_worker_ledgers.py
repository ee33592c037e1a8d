"""Rows on workers: given = linked + left out, and an error where a fault of ours loses some."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.choices import each

import cc_rapids
import cc_rapids.dask
from cc_rapids import errors
from cc_rapids.integrations import pool
from cc_rapids.integrations.dask import api as dask_api
from cc_rapids.integrations.distributed import forests, vertices
from cc_rapids.integrations.distributed import run as runs

RANDOM = np.random.default_rng(5)
PARTS = 5
BY_VERTICES = {"partition": "vertices", "room": 0}


@pytest.fixture(scope="module")
def client():
    """Two workers in this process, whose functions a test may replace."""
    from distributed import Client

    options = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
    with Client(dashboard_address=":0", silence_logs=50, **options) as connected:
        yield connected


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(2) as executor:
        yield executor


def frame_of(rows=300, nulls=0.0, loops=0):
    """A frame of edges, of which some have a null end, and the first ones are loops."""
    ends = RANDOM.integers(0, 400, (2, rows))
    ends[1, :loops] = ends[0, :loops]
    frame = pd.DataFrame({"src": ends[0], "dst": ends[1]}).astype("Int64")
    for name in frame.columns:
        frame.loc[RANDOM.random(rows) < nulls, name] = pd.NA
    return frame


def pieces(frame):
    bounds = [k * len(frame) // PARTS for k in range(PARTS + 1)]
    return [frame[low:high] for low, high in pairwise(bounds)]


def on_dask(frame, client, **options):
    edges = dd.from_pandas(frame, npartitions=PARTS, sort=False)
    return cc_rapids.dask.components(edges, nulls="drop", **options)


@each(nulls=[0.0, 0.2, 1.0], options=[{}, BY_VERTICES, BY_VERTICES | {"owners": "hash"}])
def test_rows_add_up_on_dask(client, options, nulls):
    frame = frame_of(nulls=nulls, loops=20)
    found, alone = on_dask(frame, client, **options), cc_rapids.components(frame, nulls="drop")
    assert found.ledger == alone.ledger
    assert found.ledger["given"] == len(frame)
    assert found.summary()["ledger"] == alone.summary()["ledger"]
    assert found.facts["dropped"] == len(frame) - found.ledger["linked"]


@pytest.mark.parametrize("nulls", [0.0, 0.2, 1.0])
@pytest.mark.parametrize(
    "made",
    [
        lambda one: one,
        lambda one: pa.Table.from_pandas(one, preserve_index=False),
        lambda one: partial(pd.DataFrame.copy, one),
    ],
    ids=["frames", "tables", "functions"],
)
def test_rows_add_up_on_a_pool(threads, made, nulls):
    frame = frame_of(nulls=nulls, loops=20)
    alone = cc_rapids.components(frame, nulls="drop")
    parts = list(map(made, pieces(frame)))
    found = pool.components(parts, executor=threads, nulls="drop")
    assert found.ledger == alone.ledger
    assert found.summary()["dropped"] == alone.summary()["dropped"]
    once = pool.components(iter(parts), executor=threads, nulls="drop")
    assert once.ledger == alone.ledger | {"unchecked": True}


def test_rows_of_several_columns_add_up(client):
    frame = frame_of(nulls=0.2).assign(kind=1)
    sides = ["kind", "src"], ["kind", "dst"]
    edges = dd.from_pandas(frame, npartitions=PARTS, sort=False)
    found = cc_rapids.dask.components(edges, *sides, nulls="drop")
    assert found.ledger == cc_rapids.components(frame, *sides, nulls="drop").ledger


def test_vertices_without_edges_are_no_rows(client):
    frame = frame_of()
    named = dd.from_pandas(pd.Series(range(900, 990)), npartitions=2)
    assert on_dask(frame, client, vertices=named).ledger == {"given": 300, "linked": 300}


def test_a_partition_that_is_solved_twice_counts_once(client, monkeypatch):
    solve, frame = forests.components, frame_of()

    def twice(*arguments, **options):
        solve(*arguments, **options)
        return solve(*arguments, **options)

    monkeypatch.setattr(forests, "components", twice)
    assert on_dask(frame, client).ledger == {"given": 300, "linked": 300}


# what may happen to a list of results, or to a frame
LIST_FAULTS = {
    "lost": lambda parts: parts[:-1],
    "repeated": lambda parts: [*parts, parts[0]],
}
ROW_FAULTS = {
    "lost": lambda frame: frame.iloc[:0],
    "repeated": lambda frame: pd.concat([frame, frame], ignore_index=True),
    "cut": lambda frame: frame.iloc[:-1],
}
faults = partial(pytest.mark.parametrize, "fault")


def refused(run):
    with pytest.raises(errors.LedgerError, match=r"[\d,]+ rows were given, but [\d,]+ are"):
        run()


@pytest.fixture(params=["dask", "dask by vertices", "pool", "pool of functions"])
def run(request, client, threads):
    """A run with a fault in one of its steps."""
    frame = frame_of(loops=20)
    options = {"partition": "vertices"} if "vertices" in request.param else {}
    if "dask" in request.param:
        return partial(on_dask, frame, client, **options)
    parts = pieces(frame)
    if "functions" in request.param:
        parts = [partial(pd.DataFrame.copy, one) for one in parts]
    return partial(pool.components, parts, executor=threads)


@faults(LIST_FAULTS.values(), ids=list(LIST_FAULTS))
def test_forests_of_partitions_are_lost_on_the_way_to_merges(run, monkeypatch, fault):
    fold = runs.Run.fold

    def faulty(self, leaves, total):
        return fold(self, iter(fault(list(leaves))), total)

    monkeypatch.setattr(runs.Run, "fold", faulty)
    refused(run)


@faults(ROW_FAULTS.values(), ids=list(ROW_FAULTS))
def test_rows_of_a_partition_are_lost_before_they_are_solved(run, monkeypatch, fault):
    solve = forests.components

    def faulty(edges, *arguments, **options):
        edges = fault(edges) if isinstance(edges, pd.DataFrame) else edges
        return solve(edges, *arguments, **options)

    monkeypatch.setattr(forests, "components", faulty)
    refused(run)


@faults(ROW_FAULTS.values(), ids=list(ROW_FAULTS))
def test_edges_of_a_forest_are_lost_before_a_merge(run, monkeypatch, fault):
    def faulty(id_names, options, first, *others):
        first = first._replace(edges=fault(first.edges))
        return forests.merged(id_names, options, first, *others)

    monkeypatch.setattr(runs, "merged", faulty)
    refused(run)


MERGE_FAULTS = {
    "lost": lambda first, second: [first],
    "repeated": lambda first, second: [first, second, second],
}


@faults(MERGE_FAULTS.values(), ids=list(MERGE_FAULTS))
def test_a_forest_is_lost_by_a_merge(run, monkeypatch, fault):
    def faulty(id_names, options, *both):
        return forests.merged(id_names, options, *fault(*both))

    monkeypatch.setattr(runs, "merged", faulty)
    refused(run)


@faults(ROW_FAULTS.values(), ids=list(ROW_FAULTS))
def test_edges_are_lost_by_the_frame_of_a_forest(run, monkeypatch, fault):
    unite = forests.united
    monkeypatch.setattr(forests, "united", lambda *arguments: fault(unite(*arguments)))
    refused(run)


@faults(ROW_FAULTS.values(), ids=list(ROW_FAULTS))
@pytest.mark.parametrize("step", ["edges_by_owner", "crossing"])
def test_edges_are_lost_on_the_way_to_other_parts(client, monkeypatch, step, fault):
    make = getattr(vertices, step)

    def faulty(*arguments):
        fullest, *others = sorted(make(*arguments), key=len, reverse=True)
        return [fault(fullest), *others]

    if step == "crossing":  # after the sizes were sent
        keep = vertices.received_rows

        def faulty_arrival(*arguments):
            *front, last = arguments
            return keep(*front, fault(last) if len(last) else last)

        monkeypatch.setattr(vertices, "received_rows", faulty_arrival)
    else:
        monkeypatch.setattr(vertices, step, faulty)
    refused(partial(on_dask, frame_of(), client, **BY_VERTICES))


@faults(ROW_FAULTS.values(), ids=list(ROW_FAULTS))
def test_edges_are_lost_in_a_part(client, monkeypatch, fault):
    solve = vertices.components
    faulty = lambda edges, *sides, **options: solve(fault(edges), *sides, **options)  # noqa: E731
    monkeypatch.setattr(vertices, "components", faulty)
    refused(partial(on_dask, frame_of(), client, **BY_VERTICES))


def test_a_list_of_partitions_that_loses_one_meanwhile(threads):
    class Shrinking(list):
        def __iter__(self):
            return iter(self[:-1])

    with pytest.raises(errors.LedgerError, match="5 partitions were given, but 4 were read"):
        pool.components(Shrinking(pieces(frame_of())), executor=threads)


def test_partitions_are_counted_by_tasks_of_their_own(client, monkeypatch):
    later = dask_api.DaskRun._delayed

    def one_more(run, function, *arguments):
        counts = function is len
        return later(run, (lambda part: len(part) + 1) if counts else function, *arguments)

    monkeypatch.setattr(dask_api.DaskRun, "_delayed", one_more)
    refused(partial(on_dask, frame_of(), client))
