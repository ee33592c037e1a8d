"""Suffixes, missing files, gzip, pipes and progress."""

import gzip
import os
import random
import threading

import pytest
from support.edge_files import read_edges

import cc_rapids
from cc_rapids.errors import FormatError


class TestFiles:
    @pytest.mark.parametrize(
        ("name", "options", "hint"),
        [
            ("a.cvs", {}, "did you mean '.csv'"),
            ("a", {}, "one of csv, tsv"),
            ("a.csv.7z", {}, "first bytes b'\\x00\\x01'"),
        ],
    )
    def test_unknown_suffix(self, refusal, name, options, hint):
        assert hint in refusal(name, b"\0\1", **options)

    def test_unknown_format(self, tmp_path):
        with pytest.raises(FormatError, match="'cvs': did you mean 'csv'"):
            read_edges(tmp_path / "a.csv", format="cvs")

    def test_format_beats_suffix(self, read):
        assert read("a.dat", "1,2\n", format="csv")[0] == [(1, 2)]

    def test_missing_file(self, tmp_path):
        with pytest.raises(FormatError, match=r"a\.csv does not exist"):
            read_edges(tmp_path / "a.csv")

    def test_directory(self, tmp_path):
        with pytest.raises(FormatError, match="is a directory"):
            read_edges(tmp_path, format="csv")

    def test_unreadable_file(self, tmp_path, monkeypatch):
        path = tmp_path / "a.csv"
        path.write_text("1,2\n")

        def closed(*args, **kwargs):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("builtins.open", closed)
        with pytest.raises(FormatError, match="cannot be read: Permission denied"):
            read_edges(path)

    @pytest.mark.parametrize("name", ["a.csv.gz", "a.txt.gz"])
    def test_gzip(self, read, name):
        content = "1,2\n3,4\n" if "csv" in name else "# c\n1 2\n3 4\n"
        assert read(name, gzip.compress(content.encode()))[0] == [(1, 2), (3, 4)]

    def test_damaged_gzip(self, refusal):
        packed = gzip.compress(os.urandom(5000))
        said = refusal("a.csv.gz", packed[: len(packed) // 2])
        assert "cannot be read to its end" in said

    def test_pipe(self, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=("1 2\n",))
        writer.start()
        seen = []
        file = read_edges(pipe, format="snap", on_progress=lambda *a: seen.append(a))
        writer.join()
        assert file.table.to_pydict() == {"src": [1], "dst": [2]}
        assert seen == []  # there is no telling how far one is

    @pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.csv.gz"])
    def test_progress_grows_to_the_size_of_the_file(self, read, tmp_path, tuned, name):
        tuned(text_block_bytes=1000)
        lines = "".join(
            f"{random.Random(i).getrandbits(60)},{i}\n".replace(",", " ") for i in range(999)
        )
        content = lines.replace(" ", ",") if "csv" in name else lines
        seen = []
        packed = gzip.compress(content.encode()) if name.endswith(".gz") else content
        read(name, packed, header=False, on_progress=lambda *args: seen.append(args))
        size = (tmp_path / name).stat().st_size
        assert len(seen) > 10
        assert seen == sorted(seen)
        assert seen[-1] == (size, size)


def test_folders_that_a_pattern_matches_are_read(tmp_path):
    for name in ("day=1", "day=2", "_log"):
        tmp_path.joinpath(name).mkdir()
        tmp_path.joinpath(name, "edges.csv").write_text("src,dst\n1,7\n")
    tmp_path.joinpath("late.csv").write_text("src,dst\n8,9\n")
    for pattern, rows in {"*": 3, "day=[12]": 2, "**/edges.csv": 3, "day=2": 1}.items():
        found = cc_rapids.stream_components(str(tmp_path / pattern))
        assert found.ledger["given"] == rows
