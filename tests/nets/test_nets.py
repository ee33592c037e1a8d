"""What a commit that only moves or renames leaves as it is; see tests/nets."""

import json

import numpy as np
import pytest
from support.machine import SIMULATED

from cc_rapids.backends.device_function import Part
from nets import jobs, public
from nets.normal_form import normal_form
from nets.snapshots import differences, kept

pytestmark = pytest.mark.skipif(SIMULATED, reason="kernels are of another engine there")
CHANGED = "`make nets` writes the snapshot anew, for a commit that means to change it"


def test_public_names_signatures_fields_and_designs_are_what_they_were():
    new = json.loads(json.dumps(public.public()))
    assert list(differences(kept("public"), new)) == [], CHANGED


def test_jobs_launch_the_kernels_that_they_did():
    new = json.loads(json.dumps(jobs.traces()))
    assert len(new) >= 50
    assert list(differences(kept("launches"), new)) == [], CHANGED


ONE, FIRST, WIDE = np.uint32(1), np.uint32(1), np.uint64(1)


def plus(i, out):
    """One more."""
    out[i] = i + ONE


def renamed(k, array):
    array[k] = k + FIRST  # the same, in other words


def widened(i, out):
    out[i] = i + WIDE


def test_a_normal_form_knows_no_names_but_values_and_types():
    forms = [normal_form(Part(function)) for function in (plus, renamed, widened)]
    assert forms[0] == forms[1] != forms[2]
    assert forms[0] == "def kernel(v0, v1):\n    v1[v0] = v0 + uint32(1)"


def test_differences_are_named():
    old, new = {"a": [1, 2], "b": {"c": 1}, "d": 0}, {"a": [2, 1], "b": {"c": 2}, "e": 0}
    assert list(differences(old, new)) == [
        "/a: another order",
        "/b/c: 1 is now 2",
        "/d is gone",
        "/e is new",
    ]
