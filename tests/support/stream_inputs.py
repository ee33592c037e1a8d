"""Edges for streams, in files, and what the answer should be."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import cc_rapids

SMALL = "33MiB"  # 32 MiB to read by, and chunks of some 1,300 to 2,600 edges


def table(seed=1, edges=9000, ids=5000, low=0):
    random = np.random.default_rng(seed)
    ends = random.integers(low, low + ids, (2, edges))
    return pa.table({"src": ends[0], "dst": ends[1]})


def words(edges):
    return pa.table(
        {
            name: pa.compute.binary_join_element_wise("v", edges[name].cast(pa.string()), "")
            for name in edges.column_names
        }
    )


def parts(edges, folder, count=3, group=1000, write=pq.write_table):
    rows = len(edges) // count
    for i in range(count):
        end = len(edges) if i == count - 1 else rows * (i + 1)
        part = edges.slice(rows * i, end - rows * i)
        if write is pq.write_table:
            write(part, folder / f"{i}.parquet", row_group_size=group)
        else:
            write(part, folder / f"{i}.csv")
    return sorted(map(str, folder.glob("*.*")))


def same(found, edges, **options):
    want = cc_rapids.components(edges, **options)
    left, right = found.labels(), want.labels()
    assert left["vertex"].to_pylist() == right["vertex"].to_pylist()
    assert left["labels"].to_pylist() == right["labels"].to_pylist()
    assert found.sizes()["size"].to_pylist() == want.sizes()["size"].to_pylist()
    assert found.summary()["edges"] == len(edges)
