"""Put cc_rapids in the place of one stage of NeMo Curator's fuzzy deduplication.

In a pipeline of your own the import below is the line to change. In Curator's ready-made workflow
it is ``fuzzy.workflow.ConnectedComponentsStage = ConnectedComponentsStage``, before ``run()``. Here
what Curator does before and after the stage is a few lines each, so that neither Ray nor a GPU is
needed; the stage is the same.
"""

import tempfile
from itertools import pairwise
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq

from cc_rapids.curator import ConnectedComponentsStage  # not nemo_curator's

BUCKETS = [[[100, 104], [101, 103, 107], [108, 109]], [[104, 105], [103, 110]]]  # of equal hashes


def edges(buckets, folder, number):
    """Return a task with the neighbours of each bucket, as the stage before does."""
    pairs = [pair for bucket in buckets for pair in pairwise(bucket)]
    columns = {
        f"_curator_dedup_id_{end}": [pair[k] for pair in pairs] for k, end in enumerate("xy")
    }
    pq.write_table(pa.table(columns), f"{folder}/{number}.parquet")
    data = [f"{folder}/{number}.parquet"]
    return SimpleNamespace(dataset_name="web", task_id=f"0_{number}", data=data)


def to_remove(task):
    """Return all documents but one of each group, as the stage after does."""
    groups = pq.read_table(task.data).to_pandas()
    return groups["_curator_dedup_id"][groups["_duplicate_group_id"].duplicated()].tolist()


with tempfile.TemporaryDirectory() as cache:
    tasks = [edges(buckets, cache, number) for number, buckets in enumerate(BUCKETS)]
    stage = ConnectedComponentsStage(
        cache,
        memory_limit="1GiB",  # for the documents that are in an edge, and a chunk of edges
        checkpoint=f"{cache}/components.state",  # to go on from after an interruption
    )
    [done] = stage.process_batch(tasks)
    print(done.data[0].removeprefix(cache), "removes", to_remove(done))
    assert done._metadata["num_vertices"] == 9
    assert to_remove(done) == [103, 104, 105, 107, 109, 110]
