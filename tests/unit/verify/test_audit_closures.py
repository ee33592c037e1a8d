"""An audit shares nothing with the run: no function that runs use is reached from its kernels."""

import numpy as np
import pytest
from simulation import simulator
from support import launches

import cc_rapids
from cc_rapids import backends
from cc_rapids.backends import threads
from cc_rapids.backends.device_function import Part
from cc_rapids.backends.dry_run import recorded_launches
from cc_rapids.kernels import audit_paths
from cc_rapids.verify.audit import audit_labels

pytestmark = pytest.mark.slow

NAMES = "audit", "audit_forest", "audit_paths"
OWN = tuple(f"cc_rapids.kernels.{name}" for name in NAMES)


def functions(part):
    """All functions that are compiled for a kernel."""
    yield part.function
    for value in part.closure.values():
        if isinstance(value, Part):
            yield from functions(value)


def strangers(parts):
    """What is compiled for them and stands in no module of the audit's."""
    found = {
        f"{function.__module__}.{function.__name__}"
        for part in parts
        for function in functions(part)
    }
    return sorted(name for name in found if name.rpartition(".")[0] not in OWN)


def audits(engine):
    """Audits of frames that were made before, so that no run launches anything meanwhile."""
    for ids in (np.arange(40), np.arange(40) * 2**40, np.array([f"v{k:02d}" for k in range(40)])):
        edges, frame = (ids[:-1], ids[1:]), (ids, np.full_like(ids, ids[0]))
        audit_labels(frame, edges, engine=engine)
        audit_labels(frame, edges, engine=engine, vertices=ids[:3])
        with pytest.raises(cc_rapids.VerificationError):
            audit_labels((ids, ids), edges, engine=engine)
        with pytest.raises(cc_rapids.VerificationError):
            audit_labels(frame, (ids[:-2], ids[1:-1]), engine=engine)
        numbers = np.zeros(40, int)
        audit_labels((ids, numbers), edges, engine=engine, labels="dense")
    rows = cc_rapids.Csr(np.array([0, 1, 2, 2]), np.array([1, 2]))
    audit_labels((np.arange(3), np.zeros(3, int)), rows, engine=engine)


def test_kernels_of_audits_reach_no_function_of_runs(engine, monkeypatch):
    launched = []
    for kind in (threads.Threads, simulator.Simulator):
        launch = kind.launch

        def noted(self, kernel, n, arguments, launch=launch):
            launched.append(kernel)
            launch(self, kernel, n, arguments)

        monkeypatch.setattr(kind, "launch", noted)
    audits(engine)
    assert launched
    assert strangers({id(kernel): kernel.part for kernel in launched}.values()) == []


def test_all_kernels_of_audits_for_a_gpu_reach_no_function_of_runs():
    """Of each variant that the rehearsal launches, those that need the lanes of a GPU too."""
    with recorded_launches() as backend:
        launches.audits()
        launches.forests_audited()
        launches.rooted_forests()
    own = [k.part for k in backend.launched.values() if k.part.function.__module__ in OWN]
    assert strangers(own) == []
    assert len(own) > 20
    assert {part.function.__module__ for part in own} == set(OWN) - {audit_paths.__name__}


def test_kernels_that_root_trees_for_audits_reach_no_function_of_runs():
    host = backends.get("threads")
    made = [host.kernel(getattr(audit_paths, name)) for name in ("root_trees", "measure_paths")]
    assert strangers([kernel.part for kernel in made]) == []


def test_a_stranger_among_the_functions_would_be_found():
    from cc_rapids.kernels import primitives

    on = backends.get("threads")
    test = primitives.has(on)

    @on.device
    def probe(words, v):
        return test(words, v)

    assert strangers([probe]) == ["cc_rapids.kernels.primitives.has", f"{__name__}.probe"]
