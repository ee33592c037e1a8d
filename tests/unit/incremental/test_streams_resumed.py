"""Streams that stop, however they do, and go on from their checkpoint."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from support import edge_kinds
from support.edge_kinds import EDGES
from support.stream_inputs import SMALL, parts, same, table, words

import cc_rapids
import cc_rapids.incremental.progress
from cc_rapids import CheckpointError
from cc_rapids.incremental import stream

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]

CHILD = """
import os, signal, sys
import pyarrow.parquet as pq
import cc_rapids
folder, log, last = sys.argv[1:]
read = pq.ParquetFile.iter_batches
def noted(self, size, row_groups, columns):
    with open(log, "a") as file:
        file.write(f"{os.getpid()} {self.metadata.num_rows} {row_groups[0]}\\n")
    with open(log) as file:
        if len(file.readlines()) == int(last):
            os.kill(os.getpid(), signal.SIGKILL)
    return read(self, size, row_groups=row_groups, columns=columns)
pq.ParquetFile.iter_batches = noted
found = cc_rapids.components(
    folder + "/*.parquet", checkpoint=folder + "/far.ckpt", checkpoint_every=0
)
print(len(found), found.summary()["edges"], found.labels()["labels"].to_numpy().sum())
"""


def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path):
    edges = table(edges=3006, ids=2500)
    for i, (begin, end) in enumerate([(0, 1000), (1000, 2001), (2001, 3006)]):
        part = edges.slice(begin, end - begin)  # the number of rows tells the files apart
        pq.write_table(part, tmp_path / f"{i}.parquet", row_group_size=250)
    log = tmp_path / "read.log"
    log.write_text("")
    command = [sys.executable, "-W", "error", "-c", CHILD, str(tmp_path), str(log)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    kills = 3, 11  # the child kills itself after so many reads
    for last in kills:
        child = subprocess.run([*command, str(last)], env=environment, stdout=subprocess.PIPE)
        assert child.returncode == -signal.SIGKILL
    command.append("0")
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    reads = [line.split() for line in log.read_text().splitlines()]
    groups = [(rows, group) for _, rows, group in reads]
    assert len(set(groups)) == 4 + 5 + 5
    again = len(groups) - len(set(groups))
    assert again <= 3 * len(kills)  # in each: one linked, one waiting, one being read
    assert len({pid for pid, *_ in reads}) == len(kills) + 1
    want = cc_rapids.components(edges)
    sums = want.labels()["labels"].to_numpy().sum()
    assert ran.stdout.split() == [str(len(want)), "3006", str(sums)]
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
    [(pq.write_table, SMALL), (pyarrow.csv.write_csv, "49MiB")],
    ids=["parquet", "csv"],
)
def test_a_large_piece_is_taken_up_in_its_middle(write, limit, tmp_path, tuned):
    edges = table()
    (path,) = parts(edges, tmp_path, count=1, group=9000, write=write)
    options = {"checkpoint": tmp_path / "far.ckpt", "checkpoint_every": 0, "memory_limit": limit}
    tuned(progress_call_seconds=0.0)
    seen = []

    def stop(facts):
        seen.append(facts.edges)
        raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            cc_rapids.components(path, progress=stop, **options)
    assert 0 < seen[0] < seen[1] < seen[2] < 9000
    same(cc_rapids.components(path, **options), edges)


def frames_of(kind, *lengths, first=0):
    """Frames of a library, or pairs of arrays, of a path through so many vertices each."""
    made = []
    for length in lengths:
        ids = np.arange(first, first + length + 1)
        first += length
        pair = ids[:-1], ids[1:]
        if "words" in kind:
            pair = tuple([f"v{k:04}" for k in side] for side in pair)
        make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}.get(
            kind.partition(" ")[0]
        )
        made.append(make({"src": pair[0], "dst": pair[1]}) if make else pair)
    return made


def stopped(*arguments, after, **options):
    """A run that is stopped once so many edges are linked."""

    def progress(facts):
        if facts.edges >= after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cc_rapids.components(*arguments, progress=progress, **options)


@pytest.fixture
def often(tuned):
    tuned(progress_call_seconds=0.0)


def test_a_checkpoint_of_other_files_is_refused(tmp_path):
    paths = parts(table(), tmp_path)
    options = {"checkpoint": tmp_path / "far.ckpt"}
    cc_rapids.components(paths, **options)
    with pytest.raises(CheckpointError, match=r"other inputs \(edges: .*2\.parquet .* delete it"):
        cc_rapids.components(paths[:2], **options)
    with pytest.raises(CheckpointError, match=r"to other inputs \(columns"):
        cc_rapids.components(paths, "dst", "src", **options)
    with pytest.raises(CheckpointError, match=r"to other inputs \(num_vertices"):
        cc_rapids.components(paths, num_vertices=5000, **options)
    with pytest.raises(CheckpointError, match=r"to other inputs \(nulls"):
        cc_rapids.components(paths, nulls="drop", **options)
    with pytest.raises(CheckpointError, match=r"\(edges: kind files then, dataset now\)"):
        cc_rapids.components(pyarrow.dataset.dataset(tmp_path / "0.parquet"), **options)
    with pytest.raises(CheckpointError, match=r"\(edges: kind files then, iterable now\)"):
        cc_rapids.components([table().to_pandas()], **options)
    pq.write_table(table(seed=2), paths[0])
    with pytest.raises(CheckpointError, match=r"0\.parquet had .* bytes .* then, but has .* now"):
        cc_rapids.components(paths, **options)
    cc_rapids.Connectivity().save(tmp_path / "other.npz")
    with pytest.raises(cc_rapids.FormatError, match="not a checkpoint of a stream"):
        cc_rapids.components(paths, checkpoint=tmp_path / "other.npz")
    (tmp_path / "broken").write_text("?")
    with pytest.raises(cc_rapids.FormatError, match="broken"):
        cc_rapids.components(paths, checkpoint=tmp_path / "broken")


@pytest.mark.parametrize("kind", ["files", "dataset"])
def test_files_that_are_added_are_read_too(kind, tmp_path, caplog):
    """Wherever their names stand, and in whatever order they are listed."""
    edges = table(edges=12_000)
    for name, first in (("b", 0), ("d", 3000)):
        pq.write_table(edges.slice(first, 3000), tmp_path / f"{name}.parquet")

    def run():
        here = pyarrow.dataset.dataset(tmp_path) if kind == "dataset" else f"{tmp_path}/*.parquet"
        return cc_rapids.components(here, checkpoint=tmp_path.parent / f"{kind}.far")

    with caplog.at_level("INFO", logger="cc_rapids"):
        assert "resumed" not in run().summary()
        for name, first in (("a", 6000), ("c", 9000)):
            pq.write_table(edges.slice(first, 3000), tmp_path / f"{name}.parquet")
        found = run()
    same(found, edges)
    said = "6,000 edges were linked by earlier runs, all of the input then; 2 files more since"
    assert found.summary()["resumed"] == said
    assert said in caplog.text
    again = run()
    same(again, edges)
    assert again.summary()["resumed"].endswith("all of the input then; no more since")
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(CheckpointError, match=r"a\.parquet had .*, but is not among the files now"):
        run()


def test_files_that_are_added_in_the_middle_of_a_run(tmp_path, often):
    edges = table()
    paths = parts(edges, tmp_path)
    options = {"checkpoint": tmp_path / "far", "checkpoint_every": 0, "memory_limit": SMALL}
    stopped(paths[1:], after=2000, **options)
    seen = []
    found = cc_rapids.components(paths, progress=seen.append, **options)
    same(found, edges)
    assert 0 < seen[0].resumed < 6000
    assert f"({seen[0].resumed:,} by earlier runs)" in str(seen[0])


def test_the_folder_that_a_path_begins_in_counts(tmp_path, monkeypatch):
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        pq.write_table(table(), tmp_path / folder / "a.parquet")
    shutil.copystat(tmp_path / "here" / "a.parquet", tmp_path / "there" / "a.parquet")
    monkeypatch.chdir(tmp_path / "here")
    cc_rapids.components(["a.parquet"], checkpoint=tmp_path / "far")
    cc_rapids.components([tmp_path / "here" / "a.parquet"], checkpoint=tmp_path / "far")
    monkeypatch.chdir(tmp_path / "there")
    with pytest.raises(CheckpointError, match=r"here/a\.parquet"):
        cc_rapids.components(["a.parquet"], checkpoint=tmp_path / "far")


def test_a_dataset_whose_file_has_changed_is_refused(tmp_path):
    paths, far = parts(table(), tmp_path), tmp_path.parent / "dataset.ckpt"
    dataset = pyarrow.dataset.dataset(tmp_path)
    cc_rapids.components(dataset, checkpoint=far)
    with pytest.raises(CheckpointError, match=r"filter none then, .*src > 5.* now"):
        cc_rapids.components(dataset.filter(pyarrow.dataset.field("src") > 5), checkpoint=far)
    kinds = pa.schema([("src", pa.int64()), ("dst", pa.int32())])
    other = pyarrow.dataset.dataset(tmp_path, schema=kinds)
    with pytest.raises(CheckpointError, match=r"schema src: int64.* then, .* int32 now"):
        cc_rapids.components(other, checkpoint=far)
    pq.write_table(table(seed=2, edges=3000), paths[1])
    with pytest.raises(CheckpointError, match=r"1\.parquet had"):
        cc_rapids.components(pyarrow.dataset.dataset(tmp_path), checkpoint=far)


def test_a_dataset_in_memory_is_known_by_what_it_holds(tmp_path):
    def run(*tables, **options):
        chosen = pyarrow.dataset.dataset([pyarrow.dataset.dataset(one) for one in tables])
        return cc_rapids.components(chosen, checkpoint=tmp_path / "far", **options)

    first, second = frames_of("arrow", 30, 20)
    run(first)
    assert run(first).summary()["edges"] == 30
    same(run(first, second), pa.concat_tables([first, second]))
    with pytest.raises(CheckpointError, match=r"20 rows in memory then, but other rows now\)"):
        run(first, second[::-1])
    with pytest.raises(CheckpointError, match=r"20 rows in memory then, but fewer now\)"):
        run(first, second[:19])


@pytest.mark.parametrize("listed", [lambda path: [path], pyarrow.dataset.dataset])
def test_a_file_of_the_same_size_and_time_is_told_by_its_bytes(listed, tmp_path):
    path, far = tmp_path / "a.parquet", tmp_path / "far"
    pq.write_table(table(), path)
    found, content = path.stat(), path.read_bytes()
    cc_rapids.components(listed(path), checkpoint=far)
    path.chmod(0o600)
    cc_rapids.components(listed(path), checkpoint=far)
    path.write_bytes(content[:8] + content[8:9] * 8 + content[16:])
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    with pytest.raises(CheckpointError, match=r"then, but has other bytes now"):
        cc_rapids.components(listed(path), checkpoint=far)


def test_a_file_that_changes_within_a_second_is_told_by_its_time(tmp_path):
    path, far = tmp_path / "a.parquet", tmp_path / "far"
    pq.write_table(table(), path)
    os.utime(path, ns=(0, 1_500_000_000_250_000_000))
    cc_rapids.components([path], checkpoint=far)
    os.utime(path, ns=(0, 1_500_000_000_750_000_000))
    with pytest.raises(CheckpointError, match=r":\d\d\.250000 then, .*:\d\d\.750000 now"):
        cc_rapids.components([path], checkpoint=far)
    holes = pa.table({"src": [1, None], "dst": [2, 3]})
    chosen = pyarrow.dataset.dataset(holes)
    options = {"checkpoint": tmp_path / "holes", "nulls": "drop"}
    assert cc_rapids.components(chosen, **options).summary()["dropped"] == 1
    assert cc_rapids.components(chosen, **options).summary()["dropped"] == 1


KINDS = ["pandas", "polars", "arrow", "arrays", "pandas words", "polars words", "arrow words"]
KINDS += ["arrays words"]


@pytest.mark.parametrize("kind", KINDS)
def test_items_are_known_by_what_they_hold(kind, tmp_path, often):
    far = {"checkpoint": tmp_path / "far", "checkpoint_every": 0}
    items = frames_of(kind, 10, 20, 30)
    stopped(iter(items), after=30, **far)
    for others, difference in {
        "item 0 had 10 rows then, but has 11 now": frames_of(kind, 11, 20, 30),
        "item 1 had 20 rows then, but has 19 now": frames_of(kind, 10, 19, 30),
        "item 1, of 20 rows, now holds other ids": [*items[:1], *frames_of(kind, 20), items[2]],
        "item 0, of 10 rows, now holds other ids": frames_of(kind, 10, 20, 30, first=1),
        "2 items then, but 1 now": items[:1],
        "2 items then, but 0 now": [],
    }.items():
        with pytest.raises(CheckpointError, match=re.escape(f"(edges: {others})")):
            cc_rapids.components(iter(difference), **far)
    found = cc_rapids.components(iter(items), **far)
    assert found.summary()["edges"] == 60
    assert type(found.labels()) is type(cc_rapids.components(items[0]).labels())
    assert found.summary()["resumed"] == "30 edges were linked by earlier runs"
    assert cc_rapids.components(iter(items), **far).summary()["edges"] == 60
    more = cc_rapids.components(iter(items + frames_of(kind, 5, first=60)), **far)
    assert more.summary()["resumed"] == (
        "60 edges were linked by earlier runs, all of the input then; 5 edges more since"
    )
    assert (len(more), more.summary()["vertices"]) == (1, 66)
    with pytest.raises(CheckpointError, match="4 items then, but 3 now"):
        cc_rapids.components(iter(items), **far)


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_that_has_grown_is_gone_on_with(kind, tmp_path):
    """Slices of a large item may be others than those of the run before."""
    whole, long = frames_of(kind, 3000)[0], frames_of(kind, 5000)[0]
    other = frames_of(kind, 5000, first=1)[0]
    far = {"checkpoint": tmp_path / "far", "memory_limit": "34MiB"}
    cc_rapids.components(whole, **far)
    if isinstance(whole, tuple):
        whole, long, other = [whole], [long], [other]  # lists are pairs as well
    found = cc_rapids.components(long[0] if isinstance(long, list) else long, **far)
    assert (found.summary()["edges"], found.summary()["vertices"], len(found)) == (5000, 5001, 1)
    assert "3,000 edges were linked by earlier runs" in found.summary()["resumed"]
    with pytest.raises(CheckpointError, match="item 0, of 5,000 rows, now holds other ids"):
        cc_rapids.components(other[0] if isinstance(other, list) else other, **far)


def test_types_and_nulls_of_items_count(tmp_path):
    def run(frame, name, **options):
        return cc_rapids.components([frame], checkpoint=tmp_path / name, **options)

    frame = pd.DataFrame({"src": [1, 2], "dst": [2, 3]})
    run(frame, "a")
    with pytest.raises(
        CheckpointError, match="item 0 held int64 int64 then, but holds int32 int32 now"
    ):
        run(frame.astype(np.int32), "a")
    holes = pd.DataFrame({"src": pd.array([1, None, 3], "Int64"), "dst": [2, 2, 4]})
    assert run(holes, "b", nulls="drop").summary()["dropped"] == 1
    assert run(holes, "b", nulls="drop").summary()["dropped"] == 1
    with pytest.raises(CheckpointError, match="item 0 had 3 rows then, but has 2 now"):
        run(holes.dropna(), "b", nulls="drop")
    numbers = pd.DataFrame({"src": [1, 2], "dst": [2, 3]}).astype(str)
    with pytest.raises(
        CheckpointError, match="item 0 held int64 int64 then, but holds str str now"
    ):
        run(numbers, "a")
    empty = [frame[:0], frame, frame[:0], frame]
    for _ in range(2):
        found = cc_rapids.components(iter(empty), checkpoint=tmp_path / "c", checkpoint_every=0)
        assert found.summary()["edges"] == 4


def test_more_items_than_are_told_apart(tmp_path, tuned, often):
    tuned(checkpoint_items=4)
    far = {"checkpoint": tmp_path / "far", "checkpoint_every": 0}
    items = frames_of("arrays", *range(1, 13))
    stopped(iter(items), after=sum(range(1, 10)), **far)
    for number in (2, 5, 8):
        others = items[:number] + frames_of("arrays", number + 1, first=7) + items[number + 1 :]
        what = {2: "item 2,", 5: "one of the items 4 to 7 has changed", 8: "item 8,"}[number]
        with pytest.raises(CheckpointError, match=what):
            cc_rapids.components(iter(others), **far)
    assert cc_rapids.components(iter(items), **far).summary()["edges"] == 78


def test_a_reader_is_known_by_what_it_holds(tmp_path):
    edges, far = table(), {"checkpoint": tmp_path / "far"}
    same(cc_rapids.components(edges.to_reader(700), **far), edges)
    same(cc_rapids.components(edges.to_reader(700), **far), edges)
    with pytest.raises(CheckpointError, match="item 0 had 700 rows then, but has 900 now"):
        cc_rapids.components(edges.to_reader(900), **far)


def test_vertices_are_known_by_what_they_are(tmp_path):
    """Also in the middle of a long list, whose text would be abbreviated."""
    many, far = np.arange(100_000), {"checkpoint": tmp_path / "far"}
    other = many.copy()
    other[50_000] = 7
    for vertices, others in (
        (many, other),
        (list(map(str, many)), list(map(str, other))),
        (range(5), range(6)),
        (range(5), None),
    ):
        edges = [(["1"], ["2"])] if isinstance(vertices, list) else [([1], [2])]
        for _ in range(2):
            found = cc_rapids.components(iter(edges), vertices=vertices, **far)
            assert found.summary()["vertices"] == len(vertices)
        with pytest.raises(CheckpointError, match=r"\(vertices: .* then, .* now\)"):
            cc_rapids.components(iter(edges), vertices=others, **far)
        (tmp_path / "far").unlink()


@pytest.mark.filterwarnings("ignore:.* no edges")
@pytest.mark.parametrize("kind", [kind for kind in EDGES if kind not in ("matrix", "polars enum")])
def test_answers_of_a_checkpoint_come_as_the_items_do(kind, tmp_path):
    """Also as long as the iterable gives nothing new, and when it is loaded."""
    edges, far = EDGES[kind](), tmp_path / "far"
    want = cc_rapids.components(edges).labels()
    for _ in range(2):
        edge_kinds.same(cc_rapids.components(iter([edges]), checkpoint=far).labels(), want)
    edge_kinds.same(cc_rapids.Connectivity.load(far).components().labels(), want)


def test_a_draft_that_nobody_writes_is_removed_and_no_other(tmp_path):
    edges, far = frames_of("pandas", 5), tmp_path / "far"
    words = [letter * 16 for letter in "012"]
    left, locked, new = (tmp_path / f".far.{word}.part" for word in words)
    named = tmp_path / ".far.chapter one.part"  # of somebody else
    for draft in (left, locked, new, named):
        draft.write_text("half")
        os.utime(draft, (1, 1) if draft != new else None)
    fifo = tmp_path / f".far.{'3' * 16}.part"
    os.mkfifo(fifo)
    os.utime(fifo, (1, 1))
    with open(locked) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        cc_rapids.components(edges, checkpoint=far)
    assert set(tmp_path.iterdir()) == {far, locked, new, named, fifo}


def test_a_checkpoint_is_a_connectivity_too(tmp_path):
    edges = table()
    cc_rapids.components(iter([edges]), checkpoint=tmp_path / "far.npz")
    seen = cc_rapids.Connectivity.load(tmp_path / "far.npz")
    assert len(seen) == len(cc_rapids.components(edges))


def ends(*_):
    sys.exit(143)


INTERRUPTS = {"SIGINT": KeyboardInterrupt, "SIGTERM": SystemExit}


@pytest.mark.parametrize("name", INTERRUPTS)
@pytest.mark.parametrize("where", ["reading", "linking"])
@pytest.mark.parametrize("form", ["files", "iterable"])
def test_an_interrupted_run_leaves_a_checkpoint(form, where, name, tmp_path, monkeypatch, often):
    linked, came = [], []
    insert = stream.insert_given

    def stop(at):
        if where == at and len(linked) == 2 and not came:
            came.append(at)
            os.kill(os.getpid(), getattr(signal, name))

    def link(*arguments, **options):
        linked.append(arguments)
        found = insert(*arguments, **options)
        stop("linking")
        return found

    monkeypatch.setattr(stream, "insert_given", link)
    edges = table()
    paths = parts(edges, tmp_path, count=3, group=9000)

    def given():
        for path in paths:
            stop("reading")
            yield pq.read_table(path)

    options = {"checkpoint": tmp_path / "far.ckpt"}
    # A process that is started in the background may ignore Ctrl-C.
    interrupts = signal.default_int_handler
    before = signal.signal(signal.SIGINT, interrupts), signal.signal(signal.SIGTERM, ends)
    try:
        files = form == "files"
        tell = {"progress": lambda _: stop("reading")} if files else {}
        with pytest.raises(INTERRUPTS[name]):
            cc_rapids.components(paths if files else given(), **options, **tell)
        assert signal.getsignal(signal.SIGINT) is interrupts
        assert signal.getsignal(signal.SIGTERM) is ends
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])
    assert len(linked) == 2
    found = cc_rapids.components(paths if files else given(), **options)
    assert len(linked) == 3
    assert found.summary()["resumed"].startswith("6,000 edges were linked by earlier runs")
    same(found, edges)


def test_an_error_within_a_chunk_leaves_no_checkpoint(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(stream, "insert_given", fail)
    with pytest.raises(KeyboardInterrupt):
        cc_rapids.components(parts(table(), tmp_path), checkpoint=tmp_path / "far.ckpt")
    assert not (tmp_path / "far.ckpt").exists()


def test_json_lines_are_counted_once_if_a_stream_is_resumed(tmp_path):
    paths = [tmp_path / name for name in ("a.jsonl", "b.jsonl")]
    for path in paths:
        path.write_text('{"src": 1, "dst": 2}\n{"src": 2, "dst": 5}\n')

    def interrupt(facts):
        if facts.edges == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cc_rapids.stream_components(paths, checkpoint=tmp_path / "c", progress=interrupt)
    assert cc_rapids.stream_components(paths, checkpoint=tmp_path / "c").ledger["given"] == 4
