"""Streams of hostile and of large files grow a process by no more than their memory limit."""

import gzip
import re
import zipfile
from io import BytesIO
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from support.choices import some

import cc_rapids
from cc_rapids import CapacityError, FormatError, stream_components
from cc_rapids.data import streams
from cc_rapids.data.memory_budget import Budget
from cc_rapids.data.read import source_of
from tests.support.memory_growth import growth

LIMIT = 100_000_000
MIB = 1 << 20
SMALL = [(k, k + 1) for k in range(1000)]


def packed(path, *parts):
    with gzip.open(path, "wb", 1) as file:
        for part in parts:
            file.write(part)
    return path


def text(path, separator=","):
    lines = "\n".join(f"{a}{separator}{b}" for a, b in SMALL)
    return packed(
        path, (f"src{separator}dst\n" if separator == "," else "").encode(), lines.encode()
    )


def npz(path, size):
    np.savez_compressed(path, src=np.zeros(size, np.int64), dst=np.zeros(size, np.int64))
    return path


HEAD = b"src,dst\n1,2\n"
BOMBS = {  # of 40 to 200 MB of text
    "a line": (".csv.gz", [HEAD, *[b"7" * MIB] * 200], r"line 3: no end within [0-9,]+ bytes; mem"),
    "a quote": (".csv.gz", [HEAD, b'"', *[b"ab\n," * (MIB // 4)] * 200], "line 3: a quot.* closed"),
    "blank lines": (".csv.gz", [HEAD[:8], *[b"\n" * MIB] * 40, b"1,2\n"], 1),
    "blank lines above": (".csv.gz", [*[b"\n" * MIB] * 40, HEAD], 1),
    "comments": (".txt.gz", [*[b"#" * 1023 + b"\n"] * 200_000, b"1 2\n"], 1),
    "a comment": (".txt.gz", [b"#", *[b"7" * MIB] * 200, b"\n1 2\n"], "line 1: no end within"),
    "columns": (".csv.gz", [b"a," * MIB, b"b\n", b"1," * MIB, b"2\n"], "1,048,577 fields need"),
}


@pytest.mark.slow
@pytest.mark.extended
@pytest.mark.parametrize("bomb", BOMBS)
def test_texts_that_are_far_larger_than_their_files(bomb, tmp_path):
    suffix, parts, expected = BOMBS[bomb]
    small = text(tmp_path / f"small{suffix}", "," if suffix == ".csv.gz" else " ")
    large = packed(tmp_path / f"large{suffix}", *parts)
    found = growth(small, large, options={"memory_limit": LIMIT})
    assert found.bytes <= 1.2 * LIMIT
    if isinstance(expected, int):
        assert found.answer == expected
    else:
        assert str(large) in found.answer
        with pytest.raises(CapacityError, match=expected):
            stream_components(large, memory_limit=LIMIT)


def rows(path, count):
    random = np.random.default_rng(1)
    words = pa.array([f"vertex {k} {'x' * 180}" for k in range(1000)])
    edges = {name: words.take(pa.array(random.integers(0, 1000, count))) for name in ("src", "dst")}
    if path.suffix == ".parquet":
        pq.write_table(pa.table(edges), path, row_group_size=count)
    else:
        pa.csv.write_csv(pa.table(edges), path)
    return path


@pytest.mark.slow
@some(("suffix", "count"), [(".csv", 200_000), (".parquet", 400_000)], [(".csv", 200_000)])
def test_edges_that_are_larger_than_the_limit(suffix, count, tmp_path):
    files = [rows(tmp_path / f"{n}{suffix}", n) for n in (1000, count)]
    found = growth(*files, options={"memory_limit": LIMIT})
    assert found.answer == 1
    assert found.bytes <= 1.2 * LIMIT


@pytest.mark.slow
@pytest.mark.extended
@pytest.mark.parametrize("words", [{}, {"filter": "src"}])
def test_a_dataset_of_one_row_group(words, tmp_path):
    files = [tmp_path / f"{size}.parquet" for size in (1000, 8_000_000)]
    random = np.random.default_rng(1)
    for path, size in zip(files, (1000, 8_000_000), strict=True):
        ends = {name: random.integers(0, 1000, size) for name in ("src", "dst")}
        pq.write_table(pa.table(ends), path, row_group_size=size)
    found = growth(*files, dataset=True, **words, options={"memory_limit": LIMIT})
    assert found.answer == 1
    assert found.bytes <= 1.2 * LIMIT


@pytest.mark.slow
@some(("dataset", "longest"), product([False, True], [1_000, 20_000]), usual=[(False, 20_000)])
def test_text_that_is_short_in_the_first_pages(longest, dataset, tmp_path):
    files = [tmp_path / f"{size}.parquet" for size in (1000, 100_000)]
    for path, size in zip(files, (1000, 100_000), strict=True):
        long = 0 if size == 1000 else 60_000_000 // longest
        words = pa.array([f"a{k % 100}" for k in range(size)] + [f"{7:0{longest}}"] * long)
        edges = pa.table({"src": words, "dst": words})
        pq.write_table(edges, path, use_dictionary=False, compression="zstd")
    found = growth(*files, dataset=dataset, options={"memory_limit": 2 * LIMIT})
    assert found.answer == 101
    assert found.bytes <= 1.2 * 2 * LIMIT


def test_a_page_that_does_not_fit_and_is_not_the_first(tmp_path):
    words = pa.array(["a"] * 100_000 + [f"{7:050000}"] * 1024)
    path = tmp_path / "a.parquet"
    edges = pa.table({"src": words, "dst": words})
    pq.write_table(edges, path, use_dictionary=False, compression="zstd")
    for given in (path, pyarrow.dataset.dataset(path)):
        with pytest.raises(CapacityError, match="has pages that are read as a whole"):
            stream_components(given, memory_limit=LIMIT)


def arrow(path, size):
    edges = pa.table({"src": np.zeros(size, np.int64), "dst": np.zeros(size, np.int64)})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(str(path), edges.schema, options=options) as writer:
        writer.write_table(edges, max_chunksize=size)
    return path


def page(path, size):
    edges = pa.table({"src": np.full(size, 7), "dst": np.full(size, 8)})
    pages = {"data_page_size": 1 << 30, "max_rows_per_page": size, "row_group_size": size}
    pq.write_table(edges, path, use_dictionary=False, compression="zstd", **pages)
    return path


def matrix(path, size):
    scipy.sparse.save_npz(path, scipy.sparse.csr_array((size, size), dtype=np.int8))
    return path


@pytest.mark.slow
@some("text", [False, True], usual=[True])
def test_lazy_frames_are_refused_by_their_size_when_collected(text, tmp_path):
    """Polars collects them as a whole; of what they hold only the columns of ids count."""
    size = 1_000_000 if text else 8_000_000
    ends = pa.array([f"{k % 7:050d}" for k in range(size)]) if text else np.zeros(size, np.int64)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"src": ends, "dst": ends}), path)
    lazy = pl.scan_parquet(path)
    for edges in (lazy, iter([lazy])):
        with pytest.raises(CapacityError, match=f"LazyFrame of {size:,} rows is collected as a"):
            stream_components(edges, memory_limit=2 * LIMIT)
    wide = lazy.head(100_000).with_columns([pl.lit(k).alias(f"w{k}") for k in range(2000)])
    assert len(stream_components(wide, memory_limit=2 * LIMIT)) == (7 if text else 1)


def lines(path, size):
    return packed(path, f"{size} 0\n".encode(), b"\n" * size)


WHOLE = {npz: ".npz", arrow: ".arrow", page: ".parquet", matrix: ".npz", lines: ".metis.gz"}


@pytest.mark.slow
@some("write", WHOLE, usual=[matrix])
def test_what_is_read_as_a_whole_is_refused_by_its_size_when_decompressed(write, tmp_path):
    suffix = WHOLE[write]
    small, large = (write(tmp_path / f"{n}{suffix}", n) for n in (1000, 16_000_000))
    found = growth(small, large, options={"memory_limit": LIMIT})
    assert found.bytes <= 1.2 * LIMIT
    assert found.answer.startswith(f"CapacityError: {large} of ")
    assert re.search("when decompressed.* memory_limit is 100.0 MB: raise it, or ", found.answer)


def headed(path, **arrays):
    np.savez(path, src=np.array([0]), dst=np.array([1]), **arrays)
    return path


@pytest.mark.parametrize("count", [np.inf, 2.7, -1, [1, 2], "x"])
def test_numbers_of_vertices_that_are_none(count, tmp_path):
    path = headed(tmp_path / "a.npz", num_vertices=np.asarray(count))
    for call in (cc_rapids.components, stream_components):
        with pytest.raises(FormatError, match=r"a\.npz: num_vertices is .* expected one integer"):
            call(path)


@pytest.mark.parametrize("count", [10**12, 1 << 62, (1 << 63) - 1])
def test_headers_that_declare_more_vertices_than_fit(count, tmp_path):
    header = f"%%MatrixMarket matrix coordinate pattern general\n{count} {count} 1\n1 2\n"
    (tmp_path / "a.mtx").write_text(header)
    headed(tmp_path / "b.npz", num_vertices=count)
    ends = {"row": np.array([0]), "col": np.array([1]), "data": np.ones(1)}
    np.savez(tmp_path / "c.npz", format=np.array(b"coo"), shape=np.array([count] * 2), **ends)
    for name in ("a.mtx", "b.npz", "c.npz"):
        with pytest.raises(CapacityError, match=rf"{name} declares {count:,} vertices, which take"):
            stream_components(tmp_path / name)


def test_arrays_that_declare_more_than_they_have(tmp_path):
    words = {"descr": "<i8", "fortran_order": False, "shape": (10**12,)}
    header = BytesIO()
    np.lib.format.write_array_header_1_0(header, words)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for name in ("src.npy", "dst.npy"):
            archive.writestr(name, header.getvalue() + bytes(80))
    for call in (cc_rapids.components, stream_components):
        with pytest.raises(FormatError, match=r"src declares int64 of shape \(1000000000000,\)"):
            call(tmp_path / "a.npz")
    parts = {"data": np.ones((1, 3)), "offsets": np.array([0])}
    np.savez(tmp_path / "d.npz", format=np.array(b"dia"), shape=np.array([1 << 40] * 2), **parts)
    for call in (cc_rapids.components, stream_components):
        with pytest.raises(CapacityError, match=r"d\.npz"):
            call(tmp_path / "d.npz")


@pytest.mark.parametrize(("suffix", "need"), [(".parquet", 32), (".csv", 48), (".npz", 32)])
def test_limits_below_what_is_always_needed(suffix, need, tmp_path):
    write = headed if suffix == ".npz" else lambda path: rows(path, 10)
    path = write(tmp_path / f"a{suffix}")
    with pytest.raises(CapacityError, match=rf"reading takes {need}\.0 MiB: .* is 1\.0 MiB: raise"):
        stream_components(path, memory_limit="1MiB")


ITEMS = {
    "arrow": lambda edges: edges,
    "pandas": pa.Table.to_pandas,
    "arrow in pandas": lambda edges: edges.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "lists": pa.Table.to_pydict,
    "arrays": lambda edges: tuple(np.array(column.to_pylist()) for column in edges.columns),
}


@pytest.mark.parametrize("kind", ITEMS)
def test_items_of_long_text_are_taken_in_fewer_rows(kind):
    words = pa.array([f"{k % 7:020000}" for k in range(250)])
    item = ITEMS[kind](pa.table({"src": words, "dst": words}))
    source = source_of(iter([item]), "src", "dst")
    budget = Budget(LIMIT, source.fixed)
    chunks = [streams.length(chunk.frame) for chunk in source.read(streams.Cursor(), budget, None)]
    assert sum(chunks) == 250
    assert max(chunks) * 40_000 * 16 <= LIMIT


@pytest.mark.slow
@some(("length", "limit"), [(36, 50), (36, 100), (200, 60), (2000, 50)], [(2000, 50)])
def test_strings_that_are_all_new(length, limit, tmp_path):
    files = [tmp_path / f"{size}.parquet" for size in (1000, 30_000_000 // length)]
    for path, size in zip(files, (1000, 30_000_000 // length), strict=True):
        ends = (pa.array([f"{k}{side:0{length - 8}}" for k in range(size)]) for side in (1, 2))
        edges = pa.table(dict(zip(("src", "dst"), ends, strict=True)))
        pq.write_table(edges, path, use_dictionary=False, compression="zstd")
    found = growth(*files, options={"memory_limit": limit * 1_000_000})
    assert found.answer.startswith("CapacityError: after ")
    assert found.bytes <= 1.2 * limit * 1_000_000
