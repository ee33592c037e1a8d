"""The stage of NeMo Curator on a GPU: the same files as on threads, and cuDF reads them."""

import numpy as np
import pytest
from support.curator_tasks import DOCUMENT, GROUP, executed, read, tasks_of

from cc_rapids import errors
from cc_rapids.curator import ConnectedComponentsStage

pytestmark = pytest.mark.gpu
EDGES = np.random.default_rng(5).integers(0, 400_000, (300_000, 2)) * 10**12


@pytest.fixture
def tasks(tmp_path):
    return tasks_of(tmp_path / "edges", EDGES, files=7)


@pytest.mark.parametrize("options", [{}, {"memory_limit": "128MiB", "rows_per_file": 50_000}])
def test_answers_are_those_of_threads(cudf, tasks, tmp_path, options):
    made = {}
    for engine in ("gpu", "threads"):
        stage = ConnectedComponentsStage(str(tmp_path / engine), engine=engine, **options)
        assert stage.resources.gpus == (engine == "gpu")
        made[engine] = executed(stage, tasks)
    ours, theirs = (read(done) for done in made.values())
    assert ours.equals(theirs)
    assert len(made["gpu"]) == len(made["threads"])
    frame = cudf.read_parquet([path for task in made["gpu"] for path in task.data])
    assert list(frame.columns) == [DOCUMENT, GROUP]
    assert int(frame[GROUP].duplicated(keep="first").sum()) == len(frame) - frame[GROUP].nunique()


def test_an_interrupted_stage_goes_on(cudf, tasks, tmp_path, monkeypatch):
    from cc_rapids.incremental import stream

    link, linked = stream.Run._link, []

    def counting(run, state, chunk, file):
        linked.append(chunk.path)
        if len(linked) == 3:
            raise KeyboardInterrupt
        return link(run, state, chunk, file)

    monkeypatch.setattr(stream.Run, "_link", counting)
    options = {"engine": "gpu", "checkpoint": tmp_path / "state", "checkpoint_every": 0}
    with pytest.raises(KeyboardInterrupt):
        executed(ConnectedComponentsStage(str(tmp_path / "out"), **options), tasks)
    done = executed(ConnectedComponentsStage(str(tmp_path / "out"), **options), tasks)
    assert len(linked) < 2 * len({path for task in tasks for path in task.data})
    whole = executed(ConnectedComponentsStage(str(tmp_path / "whole"), engine="threads"), tasks)
    assert read(done).equals(read(whole))


def test_documents_that_do_not_fit_leave_no_file(cudf, tasks, tmp_path):
    stage = ConnectedComponentsStage(str(tmp_path), engine="gpu", memory_limit="1MiB")
    with pytest.raises(errors.CapacityError, match="memory_limit"):
        executed(stage, tasks)
    assert not list((tmp_path / "ConnectedComponentsStage").iterdir())
