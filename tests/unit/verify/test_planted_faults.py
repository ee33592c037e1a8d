"""A fault in any function that runs use spoils an answer, and no audit proves that."""

import numpy as np
import pytest
from support import planted
from support.choices import on_simulator

from cc_rapids import VerificationError, components
from cc_rapids.kernels import audit
from cc_rapids.kernels import edges as reading

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("job", planted.JOBS)
def test_the_answers_of_all_jobs_are_right_as_they_are(engine, job, monkeypatch, tuned):
    found, edges, named = planted.solved(job, engine, tuned)
    assert planted.is_right(found, job)
    found.audit(edges, **named)


@on_simulator
@pytest.mark.parametrize("name", planted.PLANTS)
def test_planted_faults_are_refused(engine, name, monkeypatch, tuned, tmp_path):
    plant = planted.PLANTS[name]
    if plant.gpu and engine == "threads":
        pytest.skip("it takes the lanes of a GPU: tests/gpu/test_gpu_planted.py")
    if not planted.runs(plant, engine):
        pytest.skip("NumPy counts and gathers for CPU threads alone")
    with planted.planted(plant, tmp_path):
        found, edges, named = planted.solved(plant.job, engine, tuned)
        assert not planted.is_right(found, plant.job), "it spoils nothing"
        with pytest.raises(VerificationError):
            found.audit(edges, **named)


def test_the_last_edge_read_as_the_one_before(engine, monkeypatch, tmp_path):
    """The run then loses it, and an audit that shared its rows lost it too."""
    ends = np.concatenate([np.arange(199), np.arange(200, 399), [400]])
    edges = ends, ends + 1
    last = f"np.uint64(i == np.uint64({ends.size - 256 - 1}))"
    plant = planted.Plant(reading.unsampled, "* block", f"* block - {last}", "")
    with planted.planted(plant, tmp_path):
        found = components(edges, num_vertices=402, design="strided+async+halve", engine=engine)
        assert len(found) == 4
        says = "edge 398 joins 400 and 401, which have the labels 400 and 401"
        with pytest.raises(VerificationError, match=says):
            found.audit(edges, num_vertices=402)


ROWS = {  # faults of the audit itself
    "skipped": (audit.examine_rows, "i += step", "i += step + np.uint64(i == ONE)", {}),
    "the one before": (audit.examine_rows, "(i, x", "(i - np.uint64(i == EIGHT), x", {}),
    "looked up": (audit.find, "rows + ONE", "rows + ONE + np.uint64(i == ONE)", "far"),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_an_audit_that_does_not_see_each_row_once_says_so(engine, rows, tmp_path):
    """Nothing is wrong with the answer, which nothing proves then."""
    *plant, way = rows
    src, dst = planted.SRC, planted.DST
    if way == "far":
        src, dst = src * 2**40, dst * 2**40
    found = components((src, dst), engine=engine)
    found.audit((src, dst))
    with planted.planted(planted.Plant(*plant, ""), tmp_path):
        audit.kernel.cache_clear()
        with pytest.raises(VerificationError, match="the audit itself has failed: it has read"):
            found.audit((src, dst))
    audit.kernel.cache_clear()
    found.audit((src, dst))
