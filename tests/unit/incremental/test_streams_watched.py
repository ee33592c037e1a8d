"""The memory that streams take, what they say of it before, and of themselves on the way."""

import re
import threading
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from support.stream_inputs import parts, table

import cc_rapids
import cc_rapids.incremental.progress
from cc_rapids import stream_components
from cc_rapids.data.memory_budget import EDGE, FILE_BYTES, PAIR, VERTEX, bytes_of, in_words
from cc_rapids.data.streams import Chunk, Cursor, read_ahead

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("limit", "size"),
    [
        (5, 5),
        ("2GiB", 2 << 30),
        ("1.5 MB", 1_500_000),
        ("7B", 7),
        ("7 b", 7),
        ("2k", 2000),
        ("2000000", 2_000_000),
    ],
)
def test_limits_in_words(limit, size):
    assert bytes_of(limit) == size


@pytest.mark.parametrize("limit", ["512", " 2.5 "])
def test_texts_without_a_unit_are_refused_by_plans_and_runs(limit):
    number = limit.strip()
    for options in ({}, {"explain": True}):
        with pytest.raises(cc_rapids.InputError, match=f"has none: did you mean '{number}MiB'"):
            cc_rapids.components(iter([]), memory_limit=limit, **options)


@pytest.mark.parametrize("limit", [0, -1, "much", True, 1.5, "GiB", "5i"])
def test_limits_that_are_none(limit):
    with pytest.raises(cc_rapids.InputError, match="memory_limit must be"):
        bytes_of(limit)


def spread(n, rows, step=1, late=()):
    """Ids of n vertices in as many rows as two columns have, each vertex once, then any."""
    random = np.random.default_rng(2)
    ids = random.permutation(n) * step
    ids = np.concatenate([ids, random.choice(ids, 2 * rows - n - len(late)), late])
    return ids.astype(np.int64).reshape(rows, 2)


N, ROWS = 100_000, 400_000
KINDS = {
    "close": lambda: spread(N, ROWS),
    "three places each": lambda: spread(N, ROWS, 3),
    "hashed": lambda: spread(N, ROWS, 10**12),
    "upwards": lambda: np.sort(spread(N, ROWS), axis=None).reshape(ROWS, 2),
    "upwards and far": lambda: np.sort(spread(N, ROWS, 10**12), axis=None).reshape(ROWS, 2),
    "three places each, and late one far away": lambda: spread(N, ROWS, 3, [10**15]),
}
OPTIONS = [({"num_vertices": N}, "close")] + [({}, kind) for kind in KINDS]


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [2000, 60_000])
@pytest.mark.parametrize(("options", "kind"), OPTIONS, ids=["range", *KINDS])
def test_memory_stays_within_the_limit(options, kind, chunk, tmp_path):
    ends = KINDS[kind]()
    edges = pa.table({"src": ends[:, 0], "dst": ends[:, 1]})
    row = "range" if options else "integers"
    limit = FILE_BYTES + N * VERTEX[row] + chunk * EDGE[row]
    stays_within(limit, tmp_path, edges, **options)


@pytest.mark.parametrize("width", [2, 3])
def test_memory_of_several_columns_stays_within_the_limit(width, tmp_path):
    parts = [spread(N, N // 2, step) for step in (1, 10**12, 3)[:width]]
    names = [[f"{side}{k}" for k in range(width)] for side in ("src", "dst")]
    columns = {
        name: part[:, end]
        for end, own in enumerate(names)
        for name, part in zip(own, parts, strict=True)
    }
    limit = FILE_BYTES + N * (VERTEX["integers"] + PAIR) * width + 2000 * EDGE["integers"] * width
    stays_within(limit, tmp_path, pa.table(columns), source=names[0], destination=names[1])


def stays_within(limit, folder, edges, **options):
    """A stream takes no more than its limit; without what Arrow reads by, no more than the rest."""
    path = folder / "one.parquet"
    pq.write_table(edges, path)  # one row group
    stream_components(path, **options)  # compiles
    arrow = pa.proxy_memory_pool(default := pa.default_memory_pool())
    pa.set_memory_pool(arrow)
    tracemalloc.start()
    try:
        found = stream_components(path, memory_limit=limit, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(default)
    assert found.summary()["edges"] == len(edges)
    assert peak <= limit - FILE_BYTES
    assert peak + arrow.max_memory() <= limit


def test_vertices_that_do_not_fit_are_refused_with_the_figures(tmp_path):
    with pytest.raises(cc_rapids.CapacityError, match=r"1,000,000,000 vertices take 18.63 GiB"):
        cc_rapids.components(iter([]), num_vertices=10**9, memory_limit="2GiB")
    parts(table(edges=40_000, ids=10**5), tmp_path)
    says = r"after [0-9,]+ of [0-9,]+ edges, [0-9,]+ vertices take .* memory_limit is 34\.0 MiB"
    pattern = str(tmp_path / "*.parquet")
    with pytest.raises(cc_rapids.CapacityError, match=rf"{says}: raise it to about ") as raised:
        cc_rapids.components(pattern, memory_limit="34MiB")
    assert re.search(r"; or, if ids .* num_vertices=n .* is 99,[0-9]{3}$", str(raised.value))
    (enough,) = re.findall(
        r"about ([0-9.]+ MiB), if the other edges add vertices at the same rate", str(raised.value)
    )
    assert len(cc_rapids.components(pattern, memory_limit=enough))


def test_ids_far_apart_are_not_to_be_counted(tmp_path):
    ends = {name: np.arange(k, k + 40_000) * 10**8 for k, name in enumerate(("src", "dst"))}
    parts(pa.table(ends), tmp_path)
    says = r"raise it to about [0-9.]+ MiB, if the other edges add vertices at the same rate$"
    with pytest.raises(cc_rapids.CapacityError, match=says):
        cc_rapids.components(str(tmp_path / "*.parquet"), memory_limit="34MiB")
    with pytest.raises(cc_rapids.CapacityError, match=r"32\.0 MiB: raise it$"):
        cc_rapids.components(str(tmp_path / "*.parquet"), memory_limit="32MiB")


def test_figures_are_those_so_far_in_the_units_of_the_limit(tmp_path):
    parts(table(edges=40_000, ids=10**6), tmp_path)
    pattern = str(tmp_path / "*.parquet")
    with pytest.raises(cc_rapids.CapacityError, match=r"memory_limit is 36\.0 MB: raise") as raised:
        cc_rapids.components(pattern, memory_limit="36MB")
    assert "iB" not in str(raised.value)
    texts = ((a.astype(str), a.astype(str)) for a in np.arange(200_000).reshape(-1, 1000))
    with pytest.raises(cc_rapids.CapacityError, match=r"^after [0-9,]+ edges, .* raise it$"):
        cc_rapids.components(texts, memory_limit="40MiB")
    assert "memory_limit 36.0 MB" in str(
        cc_rapids.components(pattern, memory_limit="36MB", explain=True)
    )


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("512MB", "512.0 MB"),
        ("1.5GB", "1.50 GB"),
        ("1500kB", "1.5 MB"),
        ("500kB", "500,000 bytes"),
        ("512MiB", "512.0 MiB"),
        ("1000MiB", "1000.0 MiB"),
        ("2GiB", "2.00 GiB"),
        ("1024KiB", "1.0 MiB"),
        (64_000_000, "64.0 MB"),
        (1 << 26, "64.0 MiB"),
    ],
)
def test_limits_are_told_in_the_units_in_which_they_are_given(typed, shown):
    limit = bytes_of(typed)
    assert in_words(limit, limit).replace(",", "") == shown.replace(",", "")


def test_a_plan_reads_metadata_and_one_row_group_of_a_hundred(tmp_path, monkeypatch):
    parts(table(ids=5000), tmp_path)
    pattern = str(tmp_path / "*.parquet")
    read, iter_batches = [], pq.ParquetFile.iter_batches

    def reading(file, rows, row_groups, columns):
        read.append((row_groups, columns))
        return iter_batches(file, rows, row_groups=row_groups, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", reading)
    plan = cc_rapids.components(pattern, explain=True, memory_limit="1GiB")
    assert [columns for _, columns in read] == [["src", "dst"]]
    assert [len(groups) for groups, _ in read] == [1]
    assert (plan.edges, plan.pieces, plan.ids, plan.limit) == (9000, 9, "integers", 2**30)
    assert 4900 <= plan.vertices <= 5000
    assert plan.fits
    assert plan.bytes <= plan.limit
    assert plan.seconds == pytest.approx(plan.edges / plan.rate)
    assert "edges     9,000" in str(plan)
    exact = cc_rapids.components(pattern, explain=True, num_vertices=5000)
    assert exact.vertices == 5000
    assert not cc_rapids.components(pattern, explain=True, memory_limit="32MiB").fits
    bound = {"weight": "w", "at_least": 0.5, "explain": True}
    pq.write_table(
        pa.table({"src": [1, 2], "dst": [2, 3], "w": [0.1, 0.9]}), tmp_path / "w.parq.pq"
    )
    most = cc_rapids.components(tmp_path / "w.parq.pq", **bound)
    assert (most.edges, most.vertices, most.bounded, plan.bounded) == (2, 3, True, False)
    assert "edges     at most 2\n" in str(most)
    assert "time      at most " in str(most)
    unknown = str(cc_rapids.components(iter([]), explain=True))
    assert "edges     unknown before they are read" in unknown


def test_progress_is_told(tmp_path, caplog):
    parts(table(), tmp_path)
    told = []
    found = cc_rapids.components(str(tmp_path / "*.parquet"), progress=told.append)
    last = told[-1]
    assert (last.edges, last.total, last.components) == (9000, 9000, len(found))
    assert last.rate > 0
    assert last.left == 0
    assert "edges/s" in str(last)
    with caplog.at_level("INFO", "cc_rapids"):
        cc_rapids.components(str(tmp_path / "*.parquet"), progress=True)
    assert "9,000 of 9,000 edges" in caplog.text


def test_the_first_chunk_is_told_of_however_quick_the_rest_is(tuned):
    tuned(progress_call_seconds=1e9)
    told, chunks = [], (([k], [k + 1]) for k in range(5))
    stream_components(chunks, progress=told.append)
    assert [facts.edges for facts in told] == [1, 5]


def test_a_bar_where_there_is_a_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "150")
    parts(table(), tmp_path)
    cc_rapids.components(str(tmp_path / "*.parquet"), progress=True)
    assert "9,000 of 9,000 edges" in capsys.readouterr().err


def test_reading_is_one_ahead_and_ends_with_its_reader():
    made, second, third, closed = [], threading.Event(), threading.Event(), threading.Event()

    def items():
        try:
            for i in range(10):
                made.append(i)
                if i:
                    (second if i == 1 else third).set()
                yield Chunk(i, "src", "dst", Cursor(i))
        finally:
            closed.set()

    taken = read_ahead(items())
    assert next(taken).frame == 0
    second.wait()
    assert not third.wait(0.02)
    assert made == [0, 1]
    taken.close()
    assert closed.is_set()

    def broken():
        yield Chunk(1, "src", "dst", Cursor(1))
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        list(read_ahead(broken()))


def test_two_readers_load_at_once_and_chunks_keep_their_order():
    both, most = threading.Barrier(2), []

    def load(i):
        most.append(i)
        if i < 2:
            both.wait()  # the first two are loaded side by side, or this breaks
        if i == 6:
            raise OSError("disk")
        return i

    def chunks():
        for i in range(8):
            yield Chunk(None, "src", "dst", Cursor(i), load=partial(load, i))

    taken = read_ahead(chunks(), readers=2)
    for i in range(6):
        assert next(taken).frame == i
        assert len(most) <= i + 3
    with pytest.raises(OSError, match="disk"):
        next(taken)
