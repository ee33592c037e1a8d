"""Two worker processes on this machine, for all tests of this folder."""

import pytest


@pytest.fixture(scope="package")
def cluster(tmp_path_factory):
    import dask
    from distributed import LocalCluster

    options = {"dashboard_address": ":0", "memory_limit": 0, "silence_logs": 50}
    # Some seconds after a worker was lost, its cluster looks once whether another of its name is
    # there, and gives the name up if not: also when the new one was killed a moment ago.
    patience = {"distributed.deploy.lost-worker-timeout": "1h"}
    # A thief of tasks moves their edges as well, whenever a worker looks busy
    patience |= {"distributed.scheduler.work-stealing": False}
    place = {"temporary-directory": str(tmp_path_factory.mktemp("dask"))}
    with (
        dask.config.set(patience | place),
        LocalCluster(n_workers=2, threads_per_worker=1, **options) as made,
    ):
        yield made


@pytest.fixture
def client(cluster):
    from distributed import Client

    with Client(cluster) as connected:
        cluster.scale(2)  # again, if the machine was too busy to start one that was lost
        connected.wait_for_workers(2, timeout=600)
        yield connected
