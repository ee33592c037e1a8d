# ruff: noqa: SIM115
"""Open files, streams and archives are read as the paths of their files are."""

import bz2
import codecs
import errno
import gzip
import io
import logging
import lzma
import mmap
import os
import tarfile
import tempfile
import threading
import zipfile
from contextlib import closing, nullcontext
from pathlib import Path

import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import scipy.sparse

import cc_rapids
from cc_rapids import components, errors
from cc_rapids.data.files import delimited, handle

TABLE = pa.table({"src": [1, 2], "dst": [2, 5]})
TEXTS = {
    "snap.txt": "# Directed graph\n# FromNodeId\tToNodeId\n30\t1412\n5\t6\n",
    "edges.csv": "src,dst\n1,2\n3,4\n",
    "bom.csv": "\ufeffsrc,dst\n1,2\n",
    "edges.tsv": "src\tdst\n1\t2\n",
    "out.moreno": "% sym unweighted\n1 2\n3 4\n",
    "matrix.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n",
    "part-00000": "1,2\n3,4\n",
}


def parquet(path):
    pq.write_table(TABLE, path)


def feather(path):
    pyarrow.feather.write_feather(TABLE, path)


def npz(path):
    with open(path, "wb") as file:
        scipy.sparse.save_npz(file, scipy.sparse.csr_matrix(np.eye(3)))


BINARY = {"edges.parquet": parquet, "part-00001": parquet, "edges.arrow": feather, "m.npz": npz}


class Unseekable(io.RawIOBase):
    """A stream as of a connection: a few bytes at a time, and no way back."""

    def __init__(self, content):
        self.content = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, room):
        piece = self.content.read(min(7, len(room)))
        room[: len(piece)] = piece
        return len(piece)


def zipped(path, content, packed=""):
    with zipfile.ZipFile(f"{path}{packed}.zip", "w") as archive:
        archive.writestr("README.txt", "not edges")
        archive.writestr(f"{path}{packed}", gzip.compress(content) if packed else content)
    return f"{path}{packed}.zip"


def tarred(path, content, mode):
    with tarfile.open(f"{path}.tar", f"w:{mode}") as archive:
        archive.add(path, f"graph/{path}")
    return f"{path}.tar"


def written(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def in_memory(path, content):
    with fsspec.open(f"memory://{path}", "wb") as file:
        file.write(content)
    return f"memory://{path}"


def temporary(path, content, make=tempfile.TemporaryFile, **options):
    file = make(**options)
    file.write(content)
    file.seek(0)
    return file


def behind(path, content):
    file = io.BytesIO(b"12345" + content)
    file.read(5)
    return file


DOORS = {
    "open": lambda path, content: open(path, "rb"),
    "unbuffered": lambda path, content: open(path, "rb", buffering=0),
    "a packed file, open": lambda path, content: open(
        written(f"{path}.gz", gzip.compress(content)), "rb"
    ),
    "gzip.open": lambda path, content: gzip.open(written(f"{path}.gz", gzip.compress(content))),
    "bz2.open": lambda path, content: bz2.open(written(f"{path}.bz2", bz2.compress(content))),
    "lzma.open": lambda path, content: lzma.open(written(f"{path}.xz", lzma.compress(content))),
    "bz2": lambda path, content: written(f"{path}.bz2", bz2.compress(content)),
    "xz": lambda path, content: written(f"{path}.xz", lzma.compress(content)),
    "a packed file without its suffix": lambda path, content: io.BytesIO(gzip.compress(content)),
    "BytesIO": lambda path, content: io.BytesIO(content),
    "a place in a file": behind,
    "an unseekable stream": lambda path, content: Unseekable(content),
    "a packed unseekable stream": lambda path, content: Unseekable(gzip.compress(content)),
    "zip": zipped,
    "zip of gzip": lambda path, content: zipped(path, content, ".gz"),
    "zip, open": lambda path, content: open(zipped(path, content), "rb"),
    "zip member": lambda path, content: zipfile.ZipFile(zipped(path, content)).open(path),
    "zip, unseekable": lambda path, content: Unseekable(Path(zipped(path, content)).read_bytes()),
    "tar": lambda path, content: tarred(path, content, ""),
    "tar.gz": lambda path, content: tarred(path, content, "gz"),
    "tar.bz2, open": lambda path, content: open(tarred(path, content, "bz2"), "rb"),
    "fsspec": lambda path, content: fsspec.open(in_memory(path, content)).open(),
    "address": in_memory,
    "TemporaryFile": temporary,
    "SpooledTemporaryFile": lambda *given: temporary(*given, tempfile.SpooledTemporaryFile),
    "pyarrow": lambda path, content: pa.OSFile(path),
}
TEXT_DOORS = {
    "text": lambda path: open(path, encoding="utf-8"),
    "gzip text": lambda path: gzip.open(
        written(f"{path}.gz", gzip.compress(Path(path).read_bytes())), "rt", encoding="utf-8"
    ),
    "StringIO": lambda path: io.StringIO(Path(path).read_text()),
    "codecs": lambda path: codecs.open(path, encoding="utf-8"),
    "temporary text": lambda path: temporary(
        path, Path(path).read_text(), tempfile.NamedTemporaryFile, mode="w+"
    ),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def groups(edges, **options):
    """Return the ids of each component, and close the edges."""
    with closing(edges) if hasattr(edges, "close") else nullcontext():
        return sorted(sorted(map(str, np.asarray(ids))) for _, ids in components(edges, **options))


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_open_files_are_read_as_their_paths(door):
    for path, content in TEXTS.items():
        written(path, content.encode())
    for path, write in BINARY.items():
        write(path)
    for path in [*TEXTS, *BINARY]:
        assert groups(door(path, Path(path).read_bytes())) == groups(path) != [], path


@pytest.mark.parametrize("door", TEXT_DOORS.values(), ids=TEXT_DOORS)
@pytest.mark.filterwarnings("ignore:codecs.open:DeprecationWarning")
def test_text_streams_are_read_as_their_paths(door):
    for path, content in TEXTS.items():
        written(path, content.encode())
        assert groups(door(path)) == groups(path) != [], path


def test_text_of_another_encoding_is_read_as_it_says():
    written("edges.csv", "src,dst\näb,ö\n".encode("latin-1"))
    assert groups(open("edges.csv", encoding="latin-1")) == [["äb", "ö"]]


def test_open_files_in_chunks():
    for path, content in TEXTS.items():
        written(path, content.encode())
    for path, write in BINARY.items():
        write(path)
    for path in [*TEXTS, *BINARY]:
        wanted = groups(path)
        for options in ({}, {"memory_limit": "200MB"}, {"progress": lambda done: None}):
            with open(path, "rb") as file:
                answer = cc_rapids.stream_components(file, **options)
            assert sorted(sorted(map(str, np.asarray(ids))) for _, ids in answer) == wanted
            assert answer.ledger == components(path).ledger
    scored = io.StringIO("src,dst,w\n1,2,0.9\n2,3,0.1\n")
    answer = cc_rapids.stream_components(scored, weight="w", at_least=0.5)
    assert answer.ledger == {"given": 2, "linked": 1, "out_of_bounds": 1}
    with open("edges.csv", "rb") as file, pytest.raises(errors.InputError, match="pass its path"):
        cc_rapids.stream_components(file, checkpoint="state")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le", "utf-8"])
def test_the_encoding_of_a_text_stream_is_that_of_its_text(encoding):
    text = io.StringIO("src,dst\né,b\nb,ü\n")
    assert groups(text, encoding=encoding) == [["b", "é", "ü"]]


def test_wide_text_is_recognized_though_its_first_bytes_end_within_a_character():
    content = ("# \nsrc,dst\n" + "\U0001f600,b\n" * 500).encode("utf-16")
    with pytest.raises(UnicodeDecodeError):
        content[: handle.HEAD].decode("utf-16")
    assert groups(io.BytesIO(content)) == [["b", "\U0001f600"]]


def test_a_delimiter_makes_an_open_file_text():
    content = "src\x01dst\né\x01b\n".encode("utf-16")
    assert groups(io.BytesIO(content), delimiter="\x01") == [["b", "é"]]


def test_a_bound_on_a_file_without_weights_is_refused():
    written("matrix.mtx", TEXTS["matrix.mtx"].encode())
    for edges in ("matrix.mtx", ["matrix.mtx"]):
        for name in ("weight", "w"):
            with pytest.raises(errors.MissingColumnError, match=f"no column '{name}'"):
                components(edges, weight=name, at_least=0.5)


def test_a_binary_file_open_as_text_is_refused():
    for path, write in BINARY.items():
        write(path)
        with (
            open(path, encoding="utf-8") as file,
            pytest.raises(errors.FormatError, match="mode 'rb'"),
        ):
            components(file)


def test_a_closed_file_and_one_for_writing_are_refused_and_others_stay_open():
    written("edges.csv", b"src,dst\n1,2\n")
    with open("edges.csv", "rb") as file:
        components(file)
        assert not file.closed
    for given in (file, open("new.csv", "wb")):
        with pytest.raises(errors.FormatError, match="cannot be read"):
            components(given)
        given.close()


def test_a_map_of_memory_is_an_open_file():
    written("edges.txt", TEXTS["edges.tsv"].encode())
    with open("edges.txt", "rb") as file:
        assert groups(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)) == [["1", "2"]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Path("edges.csv").read_bytes(), "io.BytesIO(edges)"),
        (lambda: bytearray(b"src,dst"), "io.BytesIO(edges)"),
        (lambda: fsspec.open("edges.csv"), "edges.open('rb')"),
        (lambda: zipfile.Path("one.zip", "edges.csv"), "edges.open('rb')"),
        (lambda: Path(".").glob("edges.csv"), "list(edges)"),
        (lambda: iter(["edges.csv"]), "list(edges)"),
        (lambda: iter([io.BytesIO(b"src,dst\n1,2\n")]), "one open file alone"),
    ],
)
def test_what_stands_for_a_file_is_refused_with_the_way_to_it(make, words):
    written("edges.csv", b"src,dst\n1,2\n")
    with zipfile.ZipFile("one.zip", "w") as archive:
        archive.writestr("edges.csv", "src,dst\n1,2\n")
    for door in (components, cc_rapids.stream_components):
        if "open" in words or "BytesIO" in words:
            door = components
        with pytest.raises(errors.InputError) as caught:
            door(make())
        assert words in str(caught.value)


def test_an_empty_archive_holds_no_file():
    with zipfile.ZipFile("none.zip", "w"):
        pass
    with pytest.raises(errors.FormatError, match="holds 0 files"):
        components("none.zip")


def test_archives_of_several_files_name_them():
    with zipfile.ZipFile("two.zip", "w") as archive:
        archive.writestr("a.csv", "src,dst\n1,2\n")
        archive.writestr("b.csv", "src,dst\n2,3\n")
    with pytest.raises(errors.FormatError, match=r"a\.csv, b\.csv; .*zip://a\.csv::two\.zip"):
        components("two.zip")
    assert components("zip://a.csv::two.zip").num_vertices == 2
    assert components("zip://*.csv::two.zip").num_vertices == 3


def test_the_matrix_of_the_suitesparse_collection_is_the_one_of_its_folder():
    os.mkdir("west")
    written("west/west.mtx", TEXTS["matrix.mtx"].encode())
    written("west/west_b.mtx", b"%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n")
    with tarfile.open("west.tar.gz", "w:gz") as archive:
        archive.add("west")
    assert groups("west.tar.gz") == groups("west/west.mtx")
    with pytest.raises(errors.FormatError, match=r"west\.tar\.gz cannot be read"):
        components(written("west.tar.gz", Path("west.tar.gz").read_bytes()[:150]))


def test_a_pipe_without_a_suffix_is_told_by_its_first_bytes():
    os.mkfifo("pipe")
    parquet("edges.parquet")
    content = Path("edges.parquet").read_bytes()
    writer = threading.Thread(target=written, args=("pipe", content))
    writer.start()
    assert components("pipe").num_vertices == 3
    writer.join()


def test_folders_of_files_without_suffixes(caplog):
    os.mkdir("job")
    for name, content in {
        "part-00000": b"1,2\n",
        "part-00001": b"2,3\n",
        "_SUCCESS": b"",
        ".part-00000.crc": b"crc",
        "part-00000.crc": b"crc",
        "notes": b"not edges",
    }.items():
        written(f"job/{name}", content)
    with caplog.at_level(logging.WARNING):
        for edges in ("job", "job/part-0000?"):
            found = cc_rapids.stream_components(edges)
            assert (found.num_vertices, found.ledger["given"]) == (3, 2)
    assert "left out 1 file in job, of unknown suffixes: notes" in caplog.text


def test_a_pipe_in_a_folder_is_not_waited_for():
    os.mkdir("job")
    os.mkfifo("job/a.csv")
    written("job/b.csv", b"src,dst\n1,2\n")
    assert cc_rapids.stream_components("job").ledger["given"] == 1


def test_links_in_folders_are_followed_once():
    for name in ("job/in", "far"):
        os.makedirs(name)
    written("job/in/a.csv", b"src,dst\n1,2\n")
    written("far/b.csv", b"src,dst\n2,3\n")
    os.symlink("../far", "job/far")
    os.symlink("..", "job/in/circle")
    for edges in ("job", "job/**/*.csv", f"file://{os.getcwd()}/job"):
        assert cc_rapids.stream_components(edges).ledger["given"] == 2
    os.symlink("nowhere.csv", "job/c.csv")
    with pytest.raises(errors.FormatError, match=r"job/c\.csv does not exist"):
        components("job")


def test_a_folder_in_a_folder_that_cannot_be_read_is_refused(monkeypatch):
    os.makedirs("job/in")
    written("job/a.csv", b"src,dst\n1,2\n")
    scan = os.scandir

    def refuse(path):
        if os.path.basename(path) == "in":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(errors.FormatError, match="job/in cannot be read: Permission denied"):
        components("job")


METIS = "3 2\n2\n1 3\n2\n"


@pytest.mark.parametrize(
    "find",
    [
        components,
        cc_rapids.stream_components,
        lambda edges, **options: components(edges, memory_limit="300MB", **options),
        lambda edges, **options: cc_rapids.Connectivity().insert(edges, **options).components(),
    ],
)
@pytest.mark.parametrize(
    "edges", [lambda: "a.dat", lambda: ["a.dat"], lambda: io.StringIO(METIS), lambda: "a.mtx"]
)
def test_the_format_that_is_given_goes_before_the_name(find, edges):
    for path in ("a.dat", "a.mtx"):
        written(path, METIS.encode())
    found = find(edges(), format="metis")
    assert (found.num_vertices, found.num_components) == (3, 1)


def test_a_format_is_for_files_and_has_to_be_known():
    written("a.dat", b"\0\1\2")
    with pytest.raises(errors.FormatError, match=r"format= \(--format\), one of csv, tsv"):
        components("a.dat")
    with pytest.raises(errors.InputError, match="unknown format 'cvs': did you mean 'csv'"):
        components("a.dat", format="cvs")
    with pytest.raises(errors.InputError, match=r"format= \(--format\) applies only to files"):
        components(TABLE, format="csv")
    written("b.csv", b"src,dst,w\n1,2,3\n")
    assert len(cc_rapids.components_at("b.csv", weight="w", thresholds=[1], format="tsv")) == 1
    with pytest.raises(errors.ArgumentTypeError, match="unknown argument 'weight'"):
        cc_rapids.Connectivity().insert("b.csv", weight="w")


def test_one_column_a_side_may_be_named_in_lists_of_an_open_file(tmp_path):
    path = tmp_path / "edges.npz"
    np.savez(path, src=[1, 2], dst=[2, 5])
    with open(path, "rb") as file:
        found = components(file, source=["src"], destination=["dst"])
    assert found.labels().equals(components(path, source=["src"], destination=["dst"]).labels())


@pytest.mark.parametrize("opens", [lambda path: open(path, "rb"), open, gzip.open])
def test_an_open_file_that_can_seek_is_read_again_as_text(opens, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", 40)
    content = b"src,dst\n" + b"1,2\n" * 40 + b"a,b\n"
    written("edges.csv", gzip.compress(content) if opens is gzip.open else content)
    for find in (
        lambda file: cc_rapids.stream_components(file, memory_limit="300MB"),
        lambda file: cc_rapids.Connectivity().insert(file).components(),
    ):
        with opens("edges.csv") as file:
            assert find(file).ledger == {"given": 41, "linked": 41}
    with pytest.raises(errors.FormatError, match="without memory_limit="):
        cc_rapids.stream_components(Unseekable(content), memory_limit="300MB")


@pytest.mark.parametrize("encoding", ["utf-32", "utf-16", "utf-16-be", "cp037"])
def test_bytes_in_other_encodings_are_told_by_their_mark_or_by_the_option(encoding):
    content = "src,dst\nab,cd\n".encode(encoding)
    for options in [{"encoding": encoding}] + [{}] * (encoding in ("utf-32", "utf-16")):
        assert len(components(io.BytesIO(content), **options)) == 1


@pytest.mark.parametrize("call", [cc_rapids.components, cc_rapids.stream_components])
def test_frames_are_of_the_library_that_is_asked_for(call, tmp_path):
    (tmp_path / "a.csv").write_text("src,dst\n1,2\n")
    with open(tmp_path / "a.csv", "rb") as file:
        assert isinstance(call(file, frames="pandas").labels(), pd.DataFrame)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_frames_of_an_open_file_under_a_bound(kind, library):
    table = pa.table({"src": [1, 2, 5], "dst": [2, 3, 6], "w": [1.0, 0.2, 0.9]})
    out = io.BytesIO()
    (pq.write_table if kind == "parquet" else pyarrow.csv.write_csv)(table, out)
    options = {"weight": "w", "at_least": 0.5, "frames": library}
    labels = components(io.BytesIO(out.getvalue()), **options).labels()
    assert type(labels).__module__.startswith(library)
    assert list(np.asarray(labels["labels"])) == [1, 1, 5, 5]
    bridges = cc_rapids.bridges(io.BytesIO(out.getvalue()), **options)
    assert type(bridges).__module__.startswith(library)
    assert list(np.asarray(bridges["row"])) == [0, 2]


PLANS = {
    "components": components,
    "chunks": lambda edges, **options: components(edges, memory_limit="300MB", **options),
    "stream_components": cc_rapids.stream_components,
    "connected_components": cc_rapids.connected_components,
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_plan_takes_no_rows_of_an_open_file(plan, tmp_path):
    content = b"src,dst\n" + b"1,2\n" * 2000
    file = io.BytesIO(b"12345" + content)
    file.seek(5)
    plan(file, explain=True)
    assert file.tell() == 5
    assert components(file).ledger["given"] == 2000
    once = Unseekable(content)
    with pytest.raises(errors.InputError, match="the Unseekable can be read only once"):
        plan(once, explain=True)
    assert components(once).ledger["given"] == 2000
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    try:
        with pytest.raises(errors.InputError, match="pipe can be read only once"):
            plan(str(pipe), explain=True)
    finally:
        given = components(pipe).ledger["given"]
        writer.join()
    assert given == 2000


def test_a_plan_of_a_forest_by_weight_takes_no_batches():
    reader = TABLE.append_column("weight", pa.array([1.0, 2.0])).to_reader()
    with pytest.raises(errors.InputError, match="RecordBatchReader can be read only once"):
        cc_rapids.minimum_spanning_forest(reader, weight="weight", explain=True)
    assert components(reader).ledger["given"] == 2


def test_an_archive_in_an_archive_is_refused():
    with zipfile.ZipFile("inner.zip", "w") as archive:
        archive.writestr("a.csv", "src,dst\n1,2\n")
    with zipfile.ZipFile("outer.zip", "w") as archive:
        archive.write("inner.zip")
    with pytest.raises(errors.FormatError, match=r"inner\.zip::outer\.zip is an archive in"):
        components("outer.zip")


@pytest.mark.parametrize("pack", [zipped, lambda *member: tarred(*member, "gz")])
@pytest.mark.parametrize("format", [None, "npz"])
def test_an_npz_of_any_name_is_read_from_an_archive(pack, format):
    np.savez("held.npz", src=[1, 2], dst=[2, 5])
    Path("edges").write_bytes(Path("held.npz").read_bytes())
    found = components(pack("edges", Path("edges").read_bytes()), format=format)
    assert found.labels()["vertex"].to_pylist() == [1, 2, 5]
