"""Workers that are lost in the middle: the same answer, and no more work than they had."""

import os
import signal
import time
import uuid
from collections import Counter

import dask.dataframe as dd
import pandas as pd
import pytest
from dask_graphs import check, random_frame

import cc_rapids.dask

PARTS, ROWS = 12, 100


def piece(number, folder):
    """One partition, which leaves a mark for each time that it is read."""
    with open(f"{folder}/{number}.{os.getpid()}.{uuid.uuid4().hex}", "w"):
        pass
    time.sleep(0.05)
    frame = random_frame(n=1000, m=PARTS * ROWS)
    return frame[number * ROWS : (number + 1) * ROWS]


def processes(client):
    """The process of each worker."""
    return client.run(os.getpid)


class Killer:
    """Kills the worker that has read most, at some calls of progress, and notes what it had.

    The call is made by the client while it waits, so that the run is in its middle. It goes on once
    there are ``workers`` again, if it is to be that many.
    """

    def __init__(self, client, folder, moments, workers=0):
        self.client, self.folder, self.moments = client, folder, list(moments)
        self.workers, self.lost, self.killed = workers, [], []

    def read(self):
        """The process that read each partition, for each time that it was read."""
        return [tuple(map(int, name.split(".")[:2])) for name in os.listdir(self.folder)]

    def __call__(self, progress):
        if not self.moments or not self.moments[0](progress):
            return
        self.moments.pop(0)
        alive = set(processes(self.client).values())
        victim = Counter(pid for _, pid in self.read() if pid in alive).most_common(1)
        pid = victim[0][0] if victim else alive.pop()
        self.killed.append(pid)
        os.kill(pid, signal.SIGKILL)
        _wait_until_gone(self.client, pid)
        if progress.stage.startswith("merges"):  # a forest of any partitions, whoever read them
            self.lost += range(PARTS)
        else:  # all it ever will read
            self.lost += [number for number, reader in self.read() if reader == pid]
        if self.workers:
            self.client.wait_for_workers(self.workers, timeout=600)


def _wait_until_gone(client, pid):
    """Until the scheduler has noticed, or what follows would be sent to nobody."""
    while True:
        try:
            if pid not in processes(client).values():
                return
        except OSError:  # the connection broke while the process died
            pass
        time.sleep(0.02)


def at(stage, done):
    return lambda progress: progress.stage.startswith(stage) and progress.done == done


def test_two_lost_workers_cost_their_own_partitions(client, tmp_path):
    moments = [at("forests", 3), at("merges", 1)]
    frame = dd.from_map(piece, range(PARTS), folder=str(tmp_path))
    killer = Killer(client, tmp_path, moments)
    found = cc_rapids.dask.components(frame, progress=killer)
    check(found, random_frame(n=1000, m=PARTS * ROWS))
    assert len(killer.killed) == len(moments)
    again = Counter(number for number, _ in killer.read())
    assert set(again) == set(range(PARTS))
    # a partition that was being read when its worker died is read again too
    assert sum(again.values()) - PARTS <= len(killer.lost) + len(killer.killed)


@pytest.mark.extended
def test_distributed_vertices_outlive_three_workers(client, tmp_path):
    frame = dd.from_map(piece, range(PARTS), folder=str(tmp_path))
    moments = [at("forests", PARTS), at("borders", 2), lambda told: told.stage == "edges, round 1"]
    # there are as many parts as workers when the forests are made, and no borders within one
    killer = Killer(client, tmp_path, moments, workers=2)
    found = cc_rapids.dask.components(frame, partition="vertices", room=0, progress=killer)
    check(found, random_frame(n=1000, m=PARTS * ROWS))
    assert len(killer.killed) == 3


@pytest.mark.extended
def test_an_answer_outlives_its_worker(client):
    frame = random_frame()
    found = cc_rapids.dask.components(dd.from_pandas(frame, npartitions=4))
    os.kill(next(iter(processes(client).values())), signal.SIGKILL)
    check(found, frame)
    assert isinstance(found.labels().compute(), pd.DataFrame)


def test_a_moment_without_workers_is_waited_for(client, monkeypatch):
    """A worker that is too busy to say that it is there counts as gone for a while."""
    info, asked = type(client).scheduler_info, []

    def absent_at_first(own, **options):
        asked.append(options)
        return {"workers": {}} if len(asked) == 1 else info(own, **options)

    frame = random_frame(n=300, m=400)
    monkeypatch.setattr(type(client), "scheduler_info", absent_at_first)
    found = cc_rapids.dask.components(dd.from_pandas(frame, npartitions=3))
    check(found, frame)
    assert len(asked) > 1
