"""The all-gather of forests, with a stand-in for NCCL, and the GPUs of a machine as a cluster."""

import math
import os
import threading

import numpy as np
import pytest
from dask_graphs import as_text, as_unlike, check, parts, random_frame

import cc_rapids.dask
from cc_rapids import errors
from cc_rapids.integrations.dask import cluster as dask_cluster
from cc_rapids.integrations.dask import gather


class Stand:
    """A communicator between threads of one process."""

    size, made, fails = 2, 0, False
    barrier, slots = threading.Barrier(2), {}

    @staticmethod
    def free_bytes():
        return 1 << 40

    @classmethod
    def identity(cls):
        cls.made += 1
        cls.barrier = threading.Barrier(2)
        return (cls.made, 7)

    def __init__(self, uid, rank, size):
        assert (uid, size) == ((self.made, 7), 2)
        self.rank = rank
        self.barrier.wait()  # as NCCL does, so the caller must not hold a lock

    def all_gather(self, array):
        if self.fails and self.rank:
            raise RuntimeError("a rank has failed")
        self.slots[self.rank] = array
        self.barrier.wait()
        found = np.stack([self.slots[0], self.slots[1]])
        self.barrier.wait()
        return found

    def abort(self):
        self.barrier.abort()


@pytest.fixture(scope="module")
def local():
    """Two workers in threads of this process, which therefore share the stand-in."""
    from distributed import Client

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with Client(processes=False, memory_limit=0, **options) as connected:
        yield connected


class Guarded(dict):
    """Communicators that another thread may close while one is added."""

    def __setitem__(self, key, communicator):
        assert gather._lock.locked()
        super().__setitem__(key, communicator)


@pytest.fixture
def nccl(local, monkeypatch):
    monkeypatch.setattr(gather, "Nccl", Stand)
    monkeypatch.setattr(gather, "_open", Guarded())
    with local.as_current():
        yield Stand
    gather._uids.clear()


@pytest.mark.parametrize("kind", [lambda frame: frame, as_unlike], ids=["int64", "unlike"])
def test_all_forests_are_gathered_once(nccl, kind):
    frame = kind(random_frame())
    for _ in range(2):  # the second run takes the communicator of the first
        made = nccl.made
        found = cc_rapids.dask.components(parts(frame, 6))
        assert found.facts["combine"] == "gather"
        check(found, frame)
    assert nccl.made == made
    assert found.labels().map_partitions(len).compute().tolist() == pytest.approx(
        [found.facts["vertices"] / 2] * 2, abs=1
    )
    every = np.arange(-300, 300)
    more = cc_rapids.dask.components(parts(frame, 6), vertices=every, labels="min")
    check(more, frame, vertices=every)


def test_a_rank_that_fails_sends_forests_up_the_tree(nccl, monkeypatch, caplog):
    monkeypatch.setattr(nccl, "fails", True)
    frame = random_frame()
    found = cc_rapids.dask.components(parts(frame, 6))
    check(found, frame)
    assert found.facts["combine"] == "tree"
    assert "the all-gather failed" in caplog.text
    monkeypatch.setattr(nccl, "fails", False)
    again = cc_rapids.dask.components(parts(frame, 6), combine="gather")
    assert again.facts["combine"] == "gather"


@pytest.mark.parametrize("cost", [gather.gather_cost, gather.tree_cost])
def test_more_vertices_or_edges_cost_more(cost):
    machine = gather.Machine(1e9, 1e9, math.inf, 1e9, 1e10, 1e-3, 1e11)
    seconds = [
        cost(gather.Job(edges, vertices, 8), machine).seconds
        for edges, vertices in ((1e6, 1e9), (1e6, 2e9), (2e6, 2e9))
    ]
    assert seconds == sorted(set(seconds))


GATHER_FAULTS = {
    "lost": lambda found: found[:, :0],
    "cut": lambda found: found[:, :-1],
}


@pytest.mark.parametrize("fault", GATHER_FAULTS.values(), ids=list(GATHER_FAULTS))
def test_edges_that_the_gather_loses(nccl, monkeypatch, fault):
    frame, keep = random_frame(), nccl.all_gather
    assert cc_rapids.dask.components(parts(frame, 6)).ledger == {"given": 500, "linked": 500}
    monkeypatch.setattr(nccl, "all_gather", lambda self, array: fault(keep(self, array)))
    with pytest.raises(errors.LedgerError, match="the edges of forests"):
        cc_rapids.dask.components(parts(frame, 6))


def test_size_decides(nccl, monkeypatch):
    monkeypatch.setattr(nccl, "free_bytes", staticmethod(lambda: 4096))
    assert cc_rapids.dask.components(parts(random_frame(), 6)).facts["combine"] == "tree"


def test_why_there_is_no_gather(nccl, monkeypatch):
    with pytest.raises(errors.EngineError, match="not integers of one column; use combine='tree'"):
        cc_rapids.dask.components(parts(as_text(random_frame()), 6), combine="gather")
    with pytest.raises(errors.EngineError, match="one worker holds all"):
        cc_rapids.dask.components(parts(random_frame(), 1), combine="gather")
    monkeypatch.setattr(nccl, "free_bytes", staticmethod(lambda: 0))
    with pytest.raises(errors.EngineError, match="not every worker has a GPU and CuPy with NCCL"):
        cc_rapids.dask.components(parts(random_frame(), 6), combine="gather")
    with pytest.raises(errors.InputError, match="unknown way to combine forests 'ring'"):
        cc_rapids.dask.components(parts(random_frame(), 6), combine="ring")


def test_without_a_gpu_there_is_no_room():
    assert gather.Nccl.free_bytes() == 0


@pytest.mark.extended
def test_one_plain_process_sees_one_gpu():
    from distributed import Client

    frame = random_frame()
    with dask_cluster.plain_cluster([3, 5]) as cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        seen = client.run(lambda: os.environ["CUDA_VISIBLE_DEVICES"])
        assert sorted(seen.values()) == ["3", "5"]
        check(cc_rapids.dask.components(parts(frame, 3)), frame)


def test_gpus_that_there_are(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,GPU-7")
    assert dask_cluster.visible_gpus() == ["2", "GPU-7"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(errors.EngineError, match="no NVIDIA GPU was found"):
        cc_rapids.dask.local_gpus()
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert dask_cluster.visible_gpus() == []
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'GPU 0: NVIDIA H200'\necho 'GPU 1: NVIDIA H200'\n")
    tool.chmod(0o755)
    assert dask_cluster.visible_gpus() == [0, 1]
