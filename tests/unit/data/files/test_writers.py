"""Tables to files: read back as they were, and written whole or not at all."""

import gzip
import json
import os
from dataclasses import replace

import pyarrow as pa
import pytest
from support.edge_files import read_edges

from cc_rapids.data.files.formats import FORMATS, WRITTEN
from cc_rapids.data.files.write import check_output, write_table
from cc_rapids.errors import FormatError


@pytest.mark.parametrize(
    "suffix",
    [".csv", ".tsv", ".txt", ".arrow", ".parquet", ".csv.gz", ".txt.zst", ".parquet.zst", ".jsonl"],
)
@pytest.mark.parametrize(
    "columns",
    [
        {"vertex": [1, -5, 2**62], "labels": [0, 2**62, -(2**63)]},
        {"vertex": [1, 2**64 - 1], "labels": [0, 2**63]},
        {"vertex": ["a", "b", "Zürich"], "labels": ["007", "😀", "x#"]},
    ],
)
def test_what_is_written_is_read_back(tmp_path, suffix, columns):
    kind = pa.uint64() if max(map(str, columns["labels"]), key=len) == str(2**63) else None
    table = pa.table({name: pa.array(column, kind) for name, column in columns.items()})
    write_table(table, tmp_path / f"t{suffix}")
    file = read_edges(tmp_path / f"t{suffix}")
    assert file.table.equals(table.rename_columns(file.table.column_names))
    assert WRITTEN[file.source_format.format].suffixes.count("." + suffix.split(".")[1]) == 1


def test_json_lines_are_what_json_reads(tmp_path):
    rows = [
        {"vertex": 'a "b"', "n": 2**63, "x": 0.5, "when": "1999", "flag": True},
        {"vertex": "\\\n\x01é", "n": None, "x": None, "when": None, "flag": None},
    ]
    kinds = {"vertex": pa.string(), "n": pa.uint64(), "x": pa.float64(), "when": pa.string()}
    table = pa.Table.from_pylist(rows, pa.schema([*kinds.items(), ("flag", pa.bool_())]))
    write_table(table, tmp_path / "t.jsonl")
    written = (tmp_path / "t.jsonl").read_text().splitlines()
    assert [*map(json.loads, written)] == rows
    odd = pa.table(
        {"a": [float("nan"), float("inf")], "b": pa.array(["x", "y"]).dictionary_encode()}
    )
    write_table(odd, tmp_path / "t.ndjson.gz")
    lines = gzip.decompress((tmp_path / "t.ndjson.gz").read_bytes())
    assert lines == b'{"a":null,"b":"x"}\n{"a":null,"b":"y"}\n'
    with pytest.raises(FormatError, match=r"one object a line, to \.jsonl"):
        write_table(table, tmp_path / "t.json")


class TestOutput:
    """Written whole, or not at all."""

    table = pa.table({"vertex": [1, 2], "labels": [1, 1]})

    @pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
    @pytest.mark.parametrize("before", [None, "as it was"])
    def test_a_write_that_fails_leaves_nothing(self, tmp_path, monkeypatch, error, before):
        def half(edges, stream, path):
            stream.write(b"vertex,la")
            raise error

        monkeypatch.setitem(FORMATS, "csv", replace(FORMATS["csv"], write=half))
        path = tmp_path / "labels.csv"
        if before:
            path.write_text(before)
        with pytest.raises((KeyboardInterrupt, ValueError)):
            write_table(self.table, path)
        assert [p.read_text() for p in tmp_path.iterdir()] == ([before] if before else [])

    def test_a_file_is_replaced_and_keeps_its_mode(self, tmp_path):
        path = tmp_path / "labels.csv"
        path.write_text("old")
        path.chmod(0o640)
        link = tmp_path / "link.csv"
        link.symlink_to(path)
        write_table(self.table, link)
        assert link.is_symlink()
        assert path.read_text().count("\n") == 3
        assert path.stat().st_mode & 0o777 == 0o640

    def test_a_new_file_is_as_open_as_the_umask_says(self, tmp_path):
        mask = os.umask(0o027)
        try:
            write_table(self.table, tmp_path / "labels.csv")
        finally:
            os.umask(mask)
        assert (tmp_path / "labels.csv").stat().st_mode & 0o777 == 0o640

    @pytest.mark.parametrize("word", ["a b", "#a", "", None, "a\tb"])
    def test_blank_separated_text_refuses_what_it_cannot_hold(self, tmp_path, word):
        table = pa.table({"vertex": ["a", word], "labels": ["a", "a"]})
        with pytest.raises(ValueError, match="1 values of column 'vertex' do not fit"):
            write_table(table, tmp_path / "labels.txt")
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_closed_to_writing(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(ValueError, match="is not writable"):
            check_output(tmp_path / "labels.csv")

    def test_a_folder_is_no_file(self, tmp_path):
        (tmp_path / "labels.csv").mkdir()
        with pytest.raises(ValueError, match="is a directory"):
            check_output(tmp_path / "labels.csv")
