"""Threads that call at once, and processes that are forked or spawned meanwhile."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from support.choices import some
from support.machine import with_package
from support.trials import TRIALS

import cc_rapids
from cc_rapids import Connectivity, backends, components, oracle

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture
def several(monkeypatch, tuned):
    """More than one worker, whatever the machine has, and work in small portions for them."""
    monkeypatch.setattr(backends.get("threads"), "workers", 4)
    tuned(thread_chunk=512)


def call(seed):
    """One of the public ways to an answer, compared with sequential union-find."""
    n = 2000
    src, dst = np.random.default_rng(seed).integers(0, n, (2, 3000))
    wanted = oracle.union_find(src, dst, n)
    if seed % 4 == 0:
        found = components((src, dst), num_vertices=n)
    elif seed % 4 == 1:
        found = components((src, dst), num_vertices=n, design="kout+async+halve")
    elif seed % 4 == 2:
        halves = iter([(src[:1000], dst[:1000]), (src[1000:], dst[1000:])])
        found = components(halves, num_vertices=n)
    else:
        found = Connectivity(n).insert((src, dst)).components()
    found.audit((src, dst), num_vertices=n)
    return bool((found.labels().labels == wanted).all())


@pytest.mark.usefixtures("several")
def test_threads_that_call_at_once_get_their_own_answers():
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(TRIALS["callers"].times)))


@pytest.mark.usefixtures("several")
def test_one_answer_may_be_asked_by_many_threads():
    src, dst = np.random.default_rng(5).integers(0, 3000, (2, 2500))
    found, alone = components((src, dst)), components((src, dst))
    wanted = alone.labels(), alone.sizes(), alone.largest()

    def ask(_):
        return found.labels(), found.sizes(), found.largest()

    with ThreadPoolExecutor(8) as pool:
        for answers in pool.map(ask, range(TRIALS["callers"].times)):
            for frame, right in zip(answers, wanted, strict=True):
                for column, own in zip(frame, right, strict=True):
                    np.testing.assert_array_equal(column, own)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@some("method", ["fork", "forkserver", "spawn"], usual=["fork"])
def test_processes_started_while_others_compute(method):
    count = TRIALS["forks"].times if method == "fork" else 2
    # Python from 3.12 on warns of any fork beside threads: that they do no harm is what is tried
    command = [sys.executable, "-W", "ignore", SUPPORT / "process_work.py", method, str(count)]
    environment = with_package(os.environ) | {"CC_RAPIDS_THREADS": "3"}
    done = subprocess.run([*command, "threads"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True"] * count


def test_a_gpu_is_refused_after_a_fork(monkeypatch):
    from cc_rapids.backends.cuda import Cuda

    backend = Cuda.__new__(Cuda)
    backend._process = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: backend._process + 1)
    with pytest.raises(cc_rapids.EngineError, match=r"forked .*get_context\('spawn'\)"):
        backend.scope().__enter__()


def test_a_run_loads_nothing_of_audits_streams_and_files():
    arrays = "(numpy.array([1]), numpy.array([2]))"
    code = f"import sys, numpy, cc_rapids; cc_rapids.components({arrays}).labels()"
    command = [sys.executable, "-c", f"{code}; print(*sys.modules)"]
    done = subprocess.run(
        command, env=with_package(os.environ), capture_output=True, text=True, check=True
    )
    modules = "audit.run", "formats", "oracle", "sources", "streams"
    assert not {f"cc_rapids.{module}" for module in modules} & set(done.stdout.split())
