"""Streams that stop, however they do, and go on from their checkpoint."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from stream_inputs import SMALL, parts, same, table, words

import cc_rapids
import cc_rapids.streams.progress

ROOT = Path(__file__).parent.parent

CHILD = """
import os, sys, time
import pyarrow.parquet as pq
import cc_rapids
folder, log = sys.argv[1:]
read = pq.ParquetFile.iter_batches
def noted(self, size, row_groups, columns):
    with open(log, "a") as file:
        file.write(f"{os.getpid()} {self.metadata.num_rows} {row_groups[0]}\\n")
    time.sleep(0.02)
    return read(self, size, row_groups=row_groups, columns=columns)
pq.ParquetFile.iter_batches = noted
found = cc_rapids.components(
    folder + "/*.parquet", checkpoint=folder + "/far.ckpt", checkpoint_every=0
)
print(len(found), found.summary()["edges"], found.labels()["labels"].to_numpy().sum())
"""


def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path):
    edges = table(edges=12_006, ids=9000)
    for i, (begin, end) in enumerate([(0, 4000), (4000, 8001), (8001, 12_006)]):
        part = edges.slice(begin, end - begin)  # the number of rows tells the files apart
        pq.write_table(part, tmp_path / f"{i}.parquet", row_group_size=250)
    log = tmp_path / "read.log"
    log.write_text("")
    command = [sys.executable, "-W", "error", "-c", CHILD, str(tmp_path), str(log)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    kills = 0
    for wanted in (8, 22, 37):  # reads, after which the child is killed
        child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while len(log.read_text().splitlines()) < wanted and time.monotonic() < deadline:
            assert child.poll() is None
            time.sleep(0.002)
        child.kill()
        child.communicate()
        assert child.returncode == -9
        kills += 1
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    reads = [line.split() for line in log.read_text().splitlines()]
    groups = [(rows, group) for _, rows, group in reads]
    assert len(set(groups)) == 16 + 17 + 17
    again = len(groups) - len(set(groups))
    assert again <= 3 * kills  # in each: one linked, one waiting, one being read
    assert len({pid for pid, *_ in reads}) == 4
    want = cc_rapids.components(edges)
    sums = want.labels()["labels"].to_numpy().sum()
    assert ran.stdout.split() == [str(len(want)), "12006", str(sums)]
    before = log.read_text()
    once_more = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert once_more.stdout == ran.stdout
    assert log.read_text() == before  # all was done
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("kind", ["pairs", "frames", "words"])
def test_a_run_that_fails_goes_on_where_it_was(kind, tmp_path):
    edges = words(table()) if kind == "words" else table()
    items = [edges.slice(a, 900) for a in range(0, 9000, 900)]
    if kind == "pairs":
        items = [(i["src"].to_numpy(), i["dst"].to_numpy()) for i in items]
    path = tmp_path / "far.ckpt"
    options = {"checkpoint": path, "checkpoint_every": 0}
    broken = True

    def stream():
        for i, item in enumerate(items):
            if i == 6 and broken:
                raise OSError("disk")
            yield item

    with pytest.raises(OSError, match="disk"):
        cc_rapids.components(stream(), **options)
    broken = False
    found = cc_rapids.components(stream(), **options)
    assert found.summary()["edges"] == 9000
    if kind == "pairs":
        labels, want = found.labels(), cc_rapids.components(edges).labels()
        assert (labels.vertex == want["vertex"].to_numpy()).all()
        assert (labels.labels == want["labels"].to_numpy()).all()
    else:
        same(found, edges)


@pytest.mark.parametrize(
    ("write", "limit"),
    [(pq.write_table, SMALL), (pyarrow.csv.write_csv, "97MiB")],
    ids=["parquet", "csv"],
)
def test_a_large_piece_is_taken_up_in_its_middle(write, limit, tmp_path, monkeypatch):
    edges = table()
    (path,) = parts(edges, tmp_path, count=1, group=9000, write=write)
    options = {"checkpoint": tmp_path / "far.ckpt", "checkpoint_every": 0, "memory_limit": limit}
    monkeypatch.setattr(cc_rapids.streams.progress, "CALL_SECONDS", 0.0)
    seen = []

    def stop(facts):
        seen.append(facts.edges)
        raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            cc_rapids.components(path, progress=stop, **options)
    assert 0 < seen[0] < seen[1] < seen[2] < 9000
    same(cc_rapids.components(path, **options), edges)


def test_a_checkpoint_of_other_inputs_is_refused(tmp_path):
    paths = parts(table(), tmp_path)
    options = {"checkpoint": tmp_path / "far.ckpt"}
    cc_rapids.components(paths, **options)
    with pytest.raises(cc_rapids.InputError, match=r"of other inputs \(edges: .* delete it"):
        cc_rapids.components(paths[:2], **options)
    with pytest.raises(cc_rapids.InputError, match=r"of other inputs \(columns"):
        cc_rapids.components(paths, "dst", "src", **options)
    with pytest.raises(cc_rapids.InputError, match=r"of other inputs \(num_vertices"):
        cc_rapids.components(paths, num_vertices=5000, **options)
    pq.write_table(table(seed=2), paths[0])
    with pytest.raises(cc_rapids.InputError, match="of other inputs"):
        cc_rapids.components(paths, **options)
    cc_rapids.Connectivity().save(tmp_path / "other.npz")
    with pytest.raises(cc_rapids.FormatError, match="no checkpoint of a stream"):
        cc_rapids.components(paths, checkpoint=tmp_path / "other.npz")
    (tmp_path / "broken").write_text("?")
    with pytest.raises(cc_rapids.FormatError, match="broken"):
        cc_rapids.components(paths, checkpoint=tmp_path / "broken")


def test_a_checkpoint_is_a_connectivity_too(tmp_path):
    edges = table()
    cc_rapids.components(iter([edges]), checkpoint=tmp_path / "far.npz")
    seen = cc_rapids.Connectivity.load(tmp_path / "far.npz")
    assert len(seen) == len(cc_rapids.components(edges))
