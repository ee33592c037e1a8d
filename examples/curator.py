"""Replace one stage of NeMo Curator's fuzzy deduplication by cc_rapids.

In your own pipeline, change the import below. In Curator's workflow, set
``fuzzy.workflow.ConnectedComponentsStage = ConnectedComponentsStage`` before ``run()``. This
example imitates the stages before and after in a few lines each, so it needs neither Ray nor a GPU.
The stage itself is the same.
"""

import tempfile
from itertools import pairwise
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq

from cc_rapids.curator import ConnectedComponentsStage  # not nemo_curator's

# Documents with equal hashes
BUCKETS = [[[100, 104], [101, 103, 107], [108, 109]], [[104, 105], [103, 110]]]


def edges(buckets, folder, number):
    """Return a task with pairs of neighbours in each bucket, like the previous stage."""
    pairs = [pair for bucket in buckets for pair in pairwise(bucket)]
    columns = {
        f"_curator_dedup_id_{end}": [pair[k] for pair in pairs] for k, end in enumerate("xy")
    }
    pq.write_table(pa.table(columns), f"{folder}/{number}.parquet")
    data = [f"{folder}/{number}.parquet"]
    return SimpleNamespace(dataset_name="web", task_id=f"0_{number}", data=data)


def to_remove(task):
    """Return all documents except one of each group, like the next stage."""
    groups = pq.read_table(task.data).to_pandas()
    return groups["_curator_dedup_id"][groups["_duplicate_group_id"].duplicated()].tolist()


with tempfile.TemporaryDirectory() as cache:
    tasks = [edges(buckets, cache, number) for number, buckets in enumerate(BUCKETS)]
    stage = ConnectedComponentsStage(
        cache,
        memory_limit="1GiB",  # covers the documents in edges and one chunk of edges
        checkpoint=f"{cache}/components.state",  # lets an interrupted run resume
    )
    [done] = stage.process_batch(tasks)
    print(done.data[0].removeprefix(cache), "removes", to_remove(done))
    assert done._metadata["num_vertices"] == 9
    assert to_remove(done) == [103, 104, 105, 107, 109, 110]
