"""What NeMo Curator's executors do with a stage, and its tasks, where Curator is not installed."""

import pickle
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

X, Y = "_curator_dedup_id_x", "_curator_dedup_id_y"
DOCUMENT, GROUP = "_curator_dedup_id", "_duplicate_group_id"


@dataclass
class FileGroupTask:
    """Some files; the executor numbers tasks after a stage has made them."""

    dataset_name: str
    data: list
    _stage_perf: list = field(default_factory=list)
    _metadata: dict = field(default_factory=dict)
    task_id: str = field(init=False, default="")


def tasks_of(folder, edges, files=4, per_task=2):
    """Tasks with the edges of an (m, 2) array in so many files, and with the ids of an executor."""
    folder.mkdir(exist_ok=True)
    paths = []
    for k, part in enumerate(np.array_split(np.asarray(edges).reshape(-1, 2), files)):
        paths.append(str(folder / f"{k}.parquet"))
        columns = [part[:, 0], part[:, 1]] if len(part) else [pa.nulls(0), pa.nulls(0)]
        pq.write_table(pa.table(dict(zip((X, Y), columns, strict=True))), paths[-1])
    tasks = [FileGroupTask("web_edges", paths[k : k + per_task]) for k in range(0, files, per_task)]
    for k, task in enumerate(tasks):
        task.task_id = f"0_{k}_0"
    return tasks


def executed(stage, tasks):
    """The tasks that a stage makes of others in a worker of its own, as a pool of actors has it."""
    sent = pickle.loads(pickle.dumps(stage))
    size, workers = stage.batch_size, stage.num_workers()
    assert workers == 1
    made = []
    for first in range(0, len(tasks), size):
        made += sent.process_batch(tasks[first : first + size])
    return made


def read(tasks):
    """The rows of all files of tasks."""
    return pa.concat_tables(pq.read_table(path) for task in tasks for path in task.data)


def to_remove(table):
    """The documents that the stage after removes: all but the first of each group."""
    frame = table.to_pandas()
    return sorted(frame[DOCUMENT][frame[GROUP].duplicated()])
