"""Two Ray nodes on this machine, of which one is killed while the other one's forests are made."""

import logging
import os
import sys
import tempfile
import time
import uuid
from pathlib import Path

import numpy as np
import pyarrow as pa
import ray
import ray.data
from ray.cluster_utils import Cluster

import cc_rapids.ray

sys.path.insert(0, str(Path(__file__).parents[1] / "workers"))
from dask_graphs import expected, random_frame

PARTS, ROWS = 8, 40_000  # forests that are too large to go along with calls
# A dead node, which refuses connections, is noticed soon, and a slow one has a minute to answer
CHECKS = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 300,
    "health_check_timeout_ms": 60_000,
    "health_check_failure_threshold": 2,
}


def main():
    own = {"num_cpus": 1, "object_store_memory": 150 << 20}
    head = own | {"include_dashboard": False, "_system_config": CHECKS}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    node = cluster.add_node(**own)
    ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.CRITICAL)
    ray.data.DataContext.get_current().enable_progress_bars = False
    frame = random_frame(n=1_000_000, m=PARTS * ROWS)[["src", "dst"]]
    killed = []

    def kill(progress):
        if progress.stage == "forests" and progress.done >= PARTS // 2 and not killed:
            killed.append(progress.done)
            cluster.remove_node(node, allow_graceful=False)

    with tempfile.TemporaryDirectory() as folder:

        def nodes():
            return {name.split(".")[1] for name in os.listdir(folder)}

        def read(batch):
            [number] = batch["id"]
            own = ray.get_runtime_context().get_node_id()
            open(f"{folder}/{number}.{own}.{uuid.uuid4().hex}", "w").close()
            while len(nodes()) < 2:  # until each node reads, so that each has something to lose
                time.sleep(0.01)
            return pa.Table.from_pandas(frame[number * ROWS : (number + 1) * ROWS])

        edges = ray.data.range(PARTS, override_num_blocks=PARTS).map_batches(read, batch_size=None)
        found = cc_rapids.ray.components(edges, progress=kill)
        vertex, least = expected(frame)
        labels = found.labels().to_pandas().sort_values("vertex")
        np.testing.assert_array_equal(labels["vertex"].to_numpy(), vertex)
        np.testing.assert_array_equal(labels["labels"].to_numpy(), least)
        assert killed
        assert {int(name.split(".")[0]) for name in os.listdir(folder)} == set(range(PARTS))
        print(f"{len(os.listdir(folder))} reads of {PARTS} blocks; the answer is right")
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
