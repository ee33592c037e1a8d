"""Rows that our own code loses, repeats or cuts: at every door the run refuses to answer."""

import io
import os
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

import cc_rapids
from cc_rapids import LedgerError
from cc_rapids.data import adapters, relations, streams
from cc_rapids.data.edge_input import Lending
from cc_rapids.data.files import delimited, read, text_head
from cc_rapids.data.files.formats import FORMATS
from cc_rapids.graph.edges import BorrowedEdges
from cc_rapids.incremental import insertions, stream
from cc_rapids.solver import choose

ROWS = 400
RANDOM = np.random.default_rng(5)
EDGES = pd.DataFrame(
    {
        "src": RANDOM.integers(0, 300, ROWS),
        "dst": RANDOM.integers(0, 300, ROWS),
        "w": np.arange(ROWS) / ROWS,
    }
)
TABLE = pa.Table.from_pandas(EDGES)
BOUND = {"weight": "w", "at_least": 0.4}
PAIR = EDGES.src.to_numpy(), EDGES.dst.to_numpy()


@pytest.fixture
def folder(tmp_path):
    """Edges in files of every kind, of which a stream reads several pieces."""
    kept = tmp_path / "several"
    kept.mkdir()
    pq.write_table(TABLE[:150], kept / "1.parquet", row_group_size=40)
    pq.write_table(TABLE[150:], kept / "2.parquet", row_group_size=30)
    pq.write_table(TABLE, tmp_path / "edges.parquet", row_group_size=50)
    pa.csv.write_csv(TABLE.drop_columns("w"), tmp_path / "edges.csv")
    lines = (f"{a} {b}\n" for a, b in zip(*PAIR, strict=True))
    (tmp_path / "edges.txt").write_text("# a comment\n" + "".join(lines))
    pa.feather.write_feather(TABLE, tmp_path / "edges.arrow", chunksize=50)
    np.savez(tmp_path / "edges.npz", src=PAIR[0], dst=PAIR[1])
    return tmp_path


def components(edges, **options):
    return cc_rapids.components(edges, **options).ledger


def in_chunks(edges, **options):
    return cc_rapids.stream_components(edges, memory_limit="300MB", **options).ledger


def batch(edges, **options):
    return cc_rapids.Connectivity(**options).insert(edges).ledger


def matrix():
    size = 300
    return sp.coo_array((np.ones(ROWS), PAIR), (size, size))


def items():
    return (EDGES[k : k + 70] for k in range(0, ROWS, 70))


FRAMES = {  # doors through which columns are lent at once
    "pandas": lambda at: components(EDGES),
    "polars": lambda at: components(pl.from_pandas(EDGES), **BOUND),
    "lazy": lambda at: components(pl.from_pandas(EDGES).lazy()),
    "pyarrow": lambda at: components(TABLE, **BOUND),
    "relation": lambda at: components(duckdb.from_arrow(TABLE)),
    "pair": lambda at: components(PAIR),
    "pair with weights": lambda at: components(PAIR, weight=EDGES.w.to_numpy(), at_most=0.5),
    "array": lambda at: components(EDGES[["src", "dst"]].to_numpy()),
    "list of pairs": lambda at: components(list(zip(*map(list, PAIR), strict=True))),
    "mapping": lambda at: components({"src": PAIR[0], "dst": PAIR[1]}),
    "words": lambda at: components(EDGES[["src", "dst"]].astype(str)),
    "coo": lambda at: components(matrix()),
    "forest": lambda at: components(EDGES, forest=True),
    "forest by weight": lambda at: components(EDGES, weight="w", forest="min"),
    "csv": lambda at: components(at / "edges.csv"),
    "npz": lambda at: components(at / "edges.npz"),
    "arrow": lambda at: components(at / "edges.arrow"),
    "bytes": lambda at: components(io.BytesIO((at / "edges.txt").read_bytes())),
    "folder": lambda at: components(at / "several", **BOUND),
}
BATCHES = {
    "batch": lambda at: batch(EDGES),
    "batch of a range": lambda at: batch(EDGES, num_vertices=300),
    "batch with a forest": lambda at: batch(EDGES, keep_forest=True),
    "batch of a file": lambda at: batch(at / "edges.csv"),
    "batches": lambda at: batch(items()),
    "batches of files": lambda at: batch(at / "several"),
    "frame in chunks": lambda at: in_chunks(EDGES),
    "file in chunks": lambda at: in_chunks(at / "edges.parquet"),
    "bounded files": lambda at: in_chunks(at / "several", **BOUND),
    "dataset": lambda at: in_chunks(ds.dataset(at / "several")),
    "iterator": lambda at: in_chunks(items()),
}
EVERY = FRAMES | BATCHES


@pytest.mark.parametrize("door", EVERY)
def test_rows_balance_at_every_door(door, folder):
    ledger = EVERY[door](folder)
    others = {name: n for name, n in ledger.items() if name not in ("given", "linked", "unchecked")}
    assert ledger["given"] == ledger["linked"] + sum(others.values())
    assert ledger["given"] == ROWS + others.get("comment", 0)
    assert ledger.get("unchecked", False) == (door in ("batches", "iterator"))


def changed(columns, how):
    """Both ends of some edges with a row less, or one more."""

    def one(column):
        if isinstance(column, list):
            return [one(part) for part in column]
        if how == "cut":
            return column[:-1]
        if isinstance(column, np.ndarray):
            return np.concatenate([column, column[-1:]])
        return pa.concat_arrays([part for whole in (column, column[-1:]) for part in parts(whole)])

    return [one(column) for column in columns[:2]] + list(columns[2:])


def parts(column):
    return column.chunks if isinstance(column, pa.ChunkedArray) else [column]


@pytest.mark.parametrize("how", ["cut", "repeated"])
@pytest.mark.parametrize("door", FRAMES)
def test_columns_that_are_lent_otherwise_than_they_were_given(door, how, folder, monkeypatch):
    lend = Lending.__enter__

    def lent(self):
        columns, offsets = lend(self)
        return (changed(columns, how) if len(columns[0]) > 1 else columns), offsets

    monkeypatch.setattr(Lending, "__enter__", lent)
    with pytest.raises(LedgerError, match="rows were given"):
        EVERY[door](folder)


@pytest.mark.parametrize("how", ["cut", "repeated"])
@pytest.mark.parametrize("door", BATCHES)
def test_columns_of_batches_that_are_lent_otherwise(door, how, folder, monkeypatch):
    lend = BorrowedEdges.__enter__

    def lent(self):
        columns = lend(self)
        return changed(columns, how) if len(columns[0]) > 1 else columns

    monkeypatch.setattr(BorrowedEdges, "__enter__", lent)
    with pytest.raises(LedgerError, match="rows were given"):
        EVERY[door](folder)


def less(chunks, how, length, cut):
    """Chunks of which one with rows is lost, repeated or cut."""
    planted = False
    for chunk in chunks:
        if planted or length(chunk) < 2:
            yield chunk
            continue
        planted = True
        if how == "repeated":
            yield from (chunk, chunk)
        elif how == "cut":
            yield cut(chunk)
    assert planted


def plant(monkeypatch, owner, name, how, length, cut):
    """Replace a function that returns chunks by one that returns fewer, more or shorter ones."""
    made = getattr(owner, name)

    def planted(*arguments, **options):
        return less(made(*arguments, **options), how, length, cut)

    monkeypatch.setattr(owner, name, planted)


def cut_chunk(chunk):
    return chunk._replace(frame=streams.sliced(chunk.frame, 0, streams.length(chunk.frame) - 1))


def cut_piece(piece):
    return replace(piece, table=piece.table.slice(0, len(piece.table) - 1))


def rows_of_chunk(chunk):
    return streams.length(chunk.frame)


def rows_of_piece(piece):
    return len(piece.table)


STREAMED = ["frame in chunks", "file in chunks", "bounded files", "dataset", "iterator"]


@pytest.mark.parametrize("how", ["lost", "repeated", "cut"])
@pytest.mark.parametrize("door", STREAMED)
def test_a_chunk_on_its_way_from_the_source(door, how, folder, monkeypatch):
    for owner in (streams.Files, streams.Fragments, streams.Items):
        read_chunks = owner.read

        def planted(self, *arguments, made=read_chunks):
            return less(made(self, *arguments), how, rows_of_chunk, cut_chunk)

        monkeypatch.setattr(owner, "read", planted)
    with pytest.raises(LedgerError):
        EVERY[door](folder)


@pytest.mark.parametrize("how", ["lost", "repeated", "cut"])
@pytest.mark.parametrize(
    ("name", "file"),
    [("parquet", "edges.parquet"), ("arrow", "edges.arrow"), ("sliced", "edges.npz")],
)
@pytest.mark.parametrize("door", [components, in_chunks, batch])
def test_a_piece_of_a_file(door, name, file, how, folder, monkeypatch):
    if name == "sliced" and door is not in_chunks:
        pytest.skip("such a file is read in one piece there")
    if name == "sliced":
        plant(monkeypatch, read, name, how, rows_of_piece, cut_piece)
    else:
        one = FORMATS[name]

        def planted(*arguments):
            return less(one.pieces(*arguments), how, rows_of_piece, cut_piece)

        monkeypatch.setitem(FORMATS, name, replace(one, pieces=planted))
    with pytest.raises(LedgerError):
        door(folder / file)


@pytest.mark.parametrize("how", ["lost", "repeated"])
@pytest.mark.parametrize("file", ["edges.csv", "edges.txt"])
@pytest.mark.parametrize("door", [components, in_chunks, batch])
def test_a_block_of_text(door, file, how, folder, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", 512)
    blocks = delimited.blocks

    def planted(*arguments):
        made = blocks(*arguments)
        yield next(made)  # with the header
        yield from less(made, how, lambda block: len(block.data), None)

    monkeypatch.setattr(text_head, "blocks", planted)
    with pytest.raises(LedgerError, match="lines"):
        door(folder / file)


@pytest.mark.parametrize("how", ["lost", "repeated", "cut"])
def test_rows_of_a_row_group_of_a_dataset(how, folder, monkeypatch):
    plant(
        monkeypatch,
        *(streams.Fragments, "_tables", how),
        length=len,
        cut=lambda table: table[:-1],
    )
    with pytest.raises(LedgerError):
        in_chunks(ds.dataset(folder / "several"), **BOUND)


def test_a_file_or_fragment_that_is_never_read(folder, monkeypatch):
    read_part = streams.Parts._read_part

    def planted(self, number, *arguments):
        if number == 1 and isinstance(self, streams.Files):
            return iter(())
        chunks = list(read_part(self, number, *arguments))
        if number == 1:
            self.counts.pop(number)
        return iter(chunks)

    monkeypatch.setattr(streams.Parts, "_read_part", planted)
    for edges in (folder / "several", ds.dataset(folder / "several")):
        with pytest.raises(LedgerError, match=r"not read to the end|rows were given"):
            in_chunks(edges)


def test_a_bound_that_keeps_too_few_rows(folder, monkeypatch):
    within = adapters.Rows.bounded

    def planted(self, edges, request, bound):
        found = within(self, edges, request, bound)
        return found._replace(edges=streams.sliced(found.edges, 0, len(found.edges) - 1))

    monkeypatch.setattr(adapters.Rows, "bounded", planted)
    for edges in (EDGES, folder / "several"):
        with pytest.raises(LedgerError):
            in_chunks(edges, **BOUND)


def test_batches_of_a_relation(monkeypatch):
    made = relations.batches_of

    def planted(*arguments):
        return less(made(*arguments), "cut", len, lambda table: table[:-1])

    monkeypatch.setattr(relations, "batches_of", planted)
    relation = duckdb.from_arrow(TABLE)
    for door in (components, in_chunks, batch):
        with pytest.raises(LedgerError):
            door(relation)


@pytest.mark.parametrize("how", ["lost", "repeated"])
def test_a_window_of_batches(how, folder, monkeypatch):
    plant(monkeypatch, insertions, "_windows", how, lambda window: 2, None)
    monkeypatch.setattr(choose, "BATCH_WINDOW_EDGES", 100)
    seen = cc_rapids.Connectivity().insert(EDGES)
    before = seen.ledger
    files = [str(folder / "several" / name) for name in ("1.parquet", "2.parquet")] * 3
    for edges in (files, [EDGES[:150], EDGES[150:]], ds.dataset(folder / "several")):
        with pytest.raises(LedgerError):
            seen.insert(edges)
    assert seen.ledger == before  # all or none


def test_remaining_edges_that_are_cut(monkeypatch):
    seen = cc_rapids.Connectivity().insert(EDGES)
    lend = BorrowedEdges.__enter__

    def lent(self):
        columns = lend(self)
        return changed(columns, "cut") if len(columns[0]) == ROWS else columns

    monkeypatch.setattr(BorrowedEdges, "__enter__", lent)
    with pytest.raises(LedgerError, match="remaining="):
        seen.remove(EDGES[:3], remaining=EDGES)


def test_a_run_that_does_not_balance_writes_no_checkpoint(folder, monkeypatch):
    path = folder / "state"
    options = {"checkpoint": path, "checkpoint_every": 0}
    link, calls = stream.Run._link, []

    def planted(self, state, chunk, file):
        calls.append(chunk)
        lost = len(calls) == 3
        return state if lost else link(self, state, chunk, file)

    monkeypatch.setattr(stream.Run, "_link", planted)
    with pytest.raises(LedgerError):
        in_chunks(folder / "several", **options)
    monkeypatch.undo()
    assert os.path.exists(path)  # the last one that balanced
    assert in_chunks(folder / "several", **options) == {"given": ROWS, "linked": ROWS}
