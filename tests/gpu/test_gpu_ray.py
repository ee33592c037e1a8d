"""Ray datasets on a GPU that Ray lends to each task."""

import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.ray_apart import ray_apart

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore")]  # Ray's modules warn


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    options = {"include_dashboard": False, "logging_level": logging.CRITICAL}
    with ray_apart():
        ray.init(address="local", num_cpus=4, num_gpus=1, log_to_driver=False, **options)
        ray.data.DataContext.get_current().enable_progress_bars = False
        yield ray
        ray.shutdown()


@pytest.mark.parametrize("partition", ["edges", "vertices"])
@pytest.mark.parametrize("kind", [lambda ids: ids, lambda ids: np.char.add("v", ids.astype(str))])
def test_tasks_use_the_gpu(cluster, partition, kind):
    import cc_rapids.ray

    ends = np.random.default_rng(0).integers(-20_000, 20_000, (2, 15_000))
    frame = pd.DataFrame({"src": kind(ends[0]), "dst": kind(ends[1])})
    pieces = [frame[first : first + 3000] for first in range(0, len(frame), 3000)]
    edges = cluster.data.from_arrow([pa.Table.from_pandas(one) for one in pieces])
    how = {"engine": "cuda", "num_gpus": 1, "partition": partition}
    found = cc_rapids.ray.components(edges, **how)
    labels = found.labels().to_pandas().sort_values("vertex", ignore_index=True)
    wanted = cc_rapids.components(frame, engine="threads").labels()
    for name in ("vertex", "labels"):
        assert labels[name].tolist() == wanted[name].tolist()
    assert found.facts.get("engine", "cuda") == "cuda"


def test_several_tasks_share_the_gpu(cluster):
    import cc_rapids.ray

    frames = [pd.DataFrame({"src": [k], "dst": [k + 1]}) for k in range(0, 12, 2)]
    edges = cluster.data.from_pandas(frames)
    found = cc_rapids.ray.components(edges, engine="gpu", num_gpus=0.25)
    assert (len(found), found.facts["engine"]) == (6, "cuda")


def test_an_engine_on_a_gpu_needs_a_gpu(cluster):
    import cc_rapids.ray

    edges = cluster.data.from_pandas([pd.DataFrame({"src": [1], "dst": [2]})])
    with pytest.raises(cc_rapids.EngineError, match="pass num_gpus=1"):
        cc_rapids.ray.components(edges, engine="cuda")
