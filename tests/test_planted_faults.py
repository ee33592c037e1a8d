"""A fault in any function that runs use spoils an answer, and no audit proves that."""

import planted
import pytest

from cc_rapids import VerificationError


@pytest.mark.parametrize("job", planted.JOBS)
def test_the_answers_of_all_jobs_are_right_as_they_are(engine, job, monkeypatch):
    found, edges, named = planted.solved(job, engine, monkeypatch)
    assert planted.is_right(found, job)
    found.audit(edges, **named)


@pytest.mark.parametrize("name", planted.PLANTS)
def test_planted_faults_are_refused(engine, name, monkeypatch, tmp_path):
    plant = planted.PLANTS[name]
    if plant.gpu:
        pytest.skip("it takes the lanes of a GPU: tests/gpu/test_gpu_planted.py")
    with planted.planted(plant, tmp_path):
        found, edges, named = planted.solved(plant.job, engine, monkeypatch)
        assert not planted.is_right(found, plant.job), "it spoils nothing"
        with pytest.raises(VerificationError):
            found.audit(edges, **named)
