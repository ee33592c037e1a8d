"""Find components of more edges than fit into memory, and resume after an interruption.

Union-find needs the vertices in memory, but not the edges. cc_rapids reads a folder of Parquet
files in chunks that fit into a memory limit, and a checkpoint records which row groups are done.
The files and the limit in this example are small, but they may have any size.
"""

import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import cc_rapids

N, FILES = 200_000, 4  # edges join v and v + 7, so there are seven components
random = np.random.default_rng(0)

with tempfile.TemporaryDirectory() as folder:
    for number, part in enumerate(np.array_split(random.permutation(N - 7), FILES)):
        table = pa.table({"src": part, "dst": part + 7})
        pq.write_table(table, Path(folder) / f"{number}.parquet", row_group_size=20_000)
    pattern, options = f"{folder}/*.parquet", {"num_vertices": N, "memory_limit": "48MiB"}
    print(cc_rapids.components(pattern, explain=True, **options))

    before, after = [], []  # the number of edges that each run reports after each chunk

    def pull_the_plug(progress):
        """Stop the run in the middle, like a power failure."""
        before.append(progress.edges)
        print("stopped after:", progress)
        raise RuntimeError

    options |= {"checkpoint": Path(folder) / "far.npz", "checkpoint_every": 0}
    with suppress(RuntimeError):
        cc_rapids.components(pattern, progress=pull_the_plug, **options)
    options["progress"] = lambda progress: after.append(progress.edges)
    found = cc_rapids.components(pattern, **options)

print("resumed:", found)
assert len(before) == 1  # the first run was stopped
assert 0 < before[0] < N - 7  # in the middle
assert after[0] > before[0]  # the second run continued instead of starting again
assert len(found) == 7
assert found.summary()["edges"] == after[-1] == N - 7
