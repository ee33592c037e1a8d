"""Neighbours by the backend of GPUs itself, whose driver runs kernels as Python on the host."""

import numpy as np
import pytest
from support import fake_gpu

from cc_rapids import components_of_neighbors

RULES = (
    {},
    {"at_most": 0.6, "mutual": True},
    {"at_most": 0.6, "min_samples": 3, "border": "nearest"},
)


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
def test_answers_are_those_of_threads(rules, order):
    rng = np.random.default_rng(0)
    indices, distances = rng.integers(-1, 40, (40, 3), np.int32), rng.random((40, 3), np.float32)
    given = (indices, distances) if "at_most" in rules else (indices,)
    expected = components_of_neighbors(*given, **rules)
    labels = expected.labels().labels.tolist()
    with fake_gpu.installed():
        on_device = [fake_gpu.CUPY.asarray(np.asarray(array, order=order)) for array in given]
        found = components_of_neighbors(*on_device, **rules)
        assert found.labels().labels.tolist() == labels
        assert found.ledger == expected.ledger
        assert "on cuda" in repr(found)
