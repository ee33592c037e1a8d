"""Two worker processes on this machine, for all tests of this folder."""

import pytest


@pytest.fixture(scope="session")
def cluster():
    from distributed import LocalCluster

    options = {"dashboard_address": ":0", "memory_limit": 0, "silence_logs": 50}
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as made:
        yield made


@pytest.fixture
def client(cluster):
    from distributed import Client

    with Client(cluster) as connected:
        connected.wait_for_workers(2)
        yield connected
