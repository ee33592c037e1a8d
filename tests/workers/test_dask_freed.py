"""A run that ends in an error leaves nothing on the workers, wherever it had come to."""

import time

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_graphs import parts, random_frame
from support.choices import some

import cc_rapids.dask
from cc_rapids import errors


def held(client):
    """Tasks of the scheduler, results on the workers, and futures of the client."""
    tasks = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks))
    results = client.run(lambda dask_worker: [*dask_worker.data, *dask_worker.state.tasks])
    return [*tasks, *(key for keys in results.values() for key in keys), *client.futures]


def nothing_is_left(client):
    deadline = time.monotonic() + 600
    while (left := held(client)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not left


def with_a_null(frame):
    return frame.astype({"src": "Int64"}).assign(src=lambda f: f["src"].mask(f.index == 450))


def with_text(frame):
    """Numbers in the first half, and text in the other, of frames in as many partitions."""
    meta = frame[:0].drop(columns="weight")
    halves = [frame[:250], frame[:250].astype({"src": str, "dst": str})] * 2
    pieces = [half.drop(columns="weight") for half in halves]
    return dd.from_map(lambda k: pieces[k], range(4), meta=meta, enforce_metadata=False)


def broken(ids):
    raise LookupError("no such tile")


REFUSED = {
    "leaves": ({}, lambda frame: parts(with_a_null(frame), 5), errors.NullsError),
    "merges": ({}, with_text, errors.ColumnTypeError),
    "labels": ({"num_vertices": 7}, lambda frame: parts(frame, 5), errors.InputError),
    "gather": ({"combine": "gather"}, lambda frame: parts(frame, 5), errors.EngineError),
    "vertices": ({"vertices": ["a"]}, lambda frame: parts(frame, 5), errors.ColumnTypeError),
    "owners": ({"owners": broken}, lambda frame: parts(frame, 5), errors.InputError),
    "kinds": ({"owners": "hash"}, with_text, errors.ColumnTypeError),
    "range": (
        {"owners": "range", "num_vertices": 7},
        lambda frame: parts(frame, 5),
        errors.InputError,
    ),
}


@some("stage", REFUSED, usual=list(REFUSED)[::2])
def test_a_refused_run_frees_what_it_had(client, stage):
    options, spread, error = REFUSED[stage]
    partition = {"partition": "vertices"} if "owners" in options else {}
    with pytest.raises(error) as raised:
        cc_rapids.dask.components(spread(random_frame()), **options, **partition)
    assert nothing_is_left(client)
    assert raised.value.__traceback__ is not None  # which still holds the frames of the run


STAGES = ["forests", "merges", "to owners", "borders", "hooks", "edges, round 1", "back"]


@some("stage", STAGES, usual=STAGES[1::2])
def test_a_run_that_is_interrupted_frees_what_it_had(client, stage):
    reached = []

    def stop(told):
        reached.append(told.stage)
        if told.stage.startswith(stage) and (told.done > 1 or stage != "forests"):
            raise KeyboardInterrupt

    spread = {} if stage in STAGES[:2] else {"partition": "vertices", "owners": "hash", "room": 0}
    with pytest.raises(KeyboardInterrupt) as raised:
        cc_rapids.dask.components(parts(random_frame(), 5), progress=stop, **spread)
    assert reached[-1].startswith(stage)
    assert nothing_is_left(client)
    assert raised.value.__traceback__ is not None


def test_an_answer_that_is_let_go_frees_what_it_had(client):
    for options in ({}, {"partition": "vertices"}):
        found = cc_rapids.dask.components(parts(random_frame(), 5), **options)
        assert len(found.labels().compute())
        del found
        assert nothing_is_left(client)


def test_a_persisted_frame_and_other_results_stay(client):
    frame = parts(random_frame(), 5).persist()
    found = cc_rapids.dask.components(frame)
    with pytest.raises(errors.InputError, match="holds the id"):
        cc_rapids.dask.components(frame, num_vertices=7)
    assert len(frame) == 500
    assert len(found.labels().compute()) == found.facts["vertices"]
    assert len(found.forest().compute()) == found.facts["vertices"] - len(found)


def test_the_client_goes_on_after_a_refusal(client):
    frame = pd.DataFrame({"src": np.arange(50), "dst": np.arange(50) + 1})
    for _ in range(3):
        with pytest.raises(errors.InputError, match="owners failed for"):
            cc_rapids.dask.components(parts(frame, 4), partition="vertices", owners=broken)
    assert len(cc_rapids.dask.components(parts(frame, 4))) == 1
