"""The free memory of a GPU, with and without RMM: a full one is seen."""

import sys
from types import SimpleNamespace

import pytest

from cc_rapids.backends.cuda import Cuda

GIB = 1 << 30
FREE, TOTAL = 2 * GIB, 80 * GIB


def resource(kind, **own):
    return type(kind, (), own)()


CUDA = resource("CudaMemoryResource")
POOL = resource("PoolMemoryResource", upstream_mr=CUDA, pool_size=lambda self: 70 * GIB)
ASYNC = resource("CudaAsyncMemoryResource", pool_handle=lambda self: 7)
COUNTED = resource(
    "StatisticsResourceAdaptor",
    upstream_mr=POOL,
    allocation_counts=SimpleNamespace(current_bytes=69 * GIB),
)
RESOURCES = {
    "no pool": (CUDA, FREE),
    "a log": (resource("LoggingResourceAdaptor", upstream_mr=CUDA), FREE),
    "a full pool that is counted": (COUNTED, FREE + GIB),
    "a pool that is not counted": (POOL, FREE + 70 * GIB),
    "a pool of the driver": (ASYNC, FREE + 4 * GIB),
    "memory of the host, too": (resource("ManagedMemoryResource"), TOTAL),
}


@pytest.fixture
def cuda():
    attributes = {(7, 5): 9 * GIB, (7, 7): 5 * GIB}
    runtime = SimpleNamespace(
        memGetInfo=lambda: (FREE, TOTAL),
        memPoolGetAttribute=lambda pool, which: attributes[pool, which],
    )
    own = Cuda.__new__(Cuda)
    own.xp = SimpleNamespace(
        cuda=SimpleNamespace(runtime=runtime),
        get_default_memory_pool=lambda: SimpleNamespace(free_bytes=lambda: 5),
    )
    return own


@pytest.mark.parametrize("name", RESOURCES)
def test_with_rmm(cuda, monkeypatch, name):
    found, wanted = RESOURCES[name]
    mr = SimpleNamespace(get_current_device_resource=lambda: found)
    monkeypatch.setitem(sys.modules, "rmm", SimpleNamespace(mr=mr))
    assert cuda.free_bytes() == min(wanted + 5, TOTAL)


def test_without_rmm(cuda, monkeypatch):
    monkeypatch.delitem(sys.modules, "rmm", raising=False)
    assert cuda.free_bytes() == FREE + 5
