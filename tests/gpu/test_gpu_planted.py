"""A fault in any function that runs use spoils an answer on the GPU, and no audit proves that."""

import pytest
from support import planted

from cc_rapids import VerificationError, backends

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("job", planted.JOBS)
def test_the_answers_of_all_jobs_are_right_as_they_are(job, tuned):
    found, edges, named = planted.solved(job, "cuda", tuned)
    assert planted.is_right(found, job)
    found.audit(edges, **named)


@pytest.mark.parametrize("name", list(filter(planted.runs_on_gpus, planted.PLANTS)))
def test_planted_faults_are_refused(name, tuned, tmp_path):
    plant = planted.PLANTS[name]
    with planted.planted(plant, tmp_path):
        for _ in range(10):  # the trees that threads make differ from run to run
            found, edges, named = planted.solved(plant.job, "cuda", tuned)
            if not planted.is_right(found, plant.job):
                break
        else:
            pytest.fail("it spoils nothing")
        with pytest.raises(VerificationError):
            found.audit(edges, **named)
    backends.get("cuda").synchronize()  # an access outside of the arrays would be told here
