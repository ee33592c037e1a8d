"""Addresses of files elsewhere: what fsspec or a file system cannot open is an error of ours."""

import sys
import zipfile

import fsspec
import pytest
from click.testing import CliRunner

import cc_rapids
from cc_rapids import components, errors
from cc_rapids.backends import kernel_cache
from cc_rapids.cli import main

TEXT = "src,dst,w\n{},{},{}\n"
DOORS = {
    "components": components,
    "stream": cc_rapids.stream_components,
    "bound": lambda path: components(path, weight="w", at_least=0),
    "thresholds": lambda path: cc_rapids.components_at(path, weight="w", thresholds=[0]).at(0),
    "batches": lambda path: cc_rapids.Connectivity().insert(path),
    "audit": lambda path: components(([1], [2])).audit(path),
}


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for k in (1, 2):
            archive.writestr(f"{k}.csv", TEXT.format(k, k + 1, k))
    return path


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_missing_library_is_named(door, monkeypatch):
    def no_library(*arguments, **options):
        raise ImportError('HTTPFileSystem requires "requests"')

    monkeypatch.setattr("fsspec.core.url_to_fs", no_library)
    for path in ("http://example.com/a.csv", "s3://bucket/*.csv"):
        with pytest.raises(errors.MissingExtraError, match='requires "requests"') as raised:
            door(path)
        assert path in str(raised.value)
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(errors.MissingExtraError, match="fsspec"):
        door("s3://bucket/a.csv")


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize(
    "path",
    [
        "zip://x.csv::missing.zip",
        "zip://*.csv::missing.zip",
        "zip://x.csv::{archive}",
        "zip://x.csv::{text}",
        "unknown://x.csv",
        "reference://x.csv",
        "memory://nothing.csv",
    ],
)
def test_what_cannot_be_opened_is_named(path, door, archive, tmp_path):
    text = tmp_path / "text.csv"
    text.write_text(TEXT)
    path = path.format(archive=archive, text=text)
    with pytest.raises(errors.FormatError) as raised:
        door(path)
    assert path in str(raised.value)


def test_an_error_while_it_is_read_is_named(monkeypatch):
    system = fsspec.filesystem("memory")
    system.pipe_file("/broken.csv", TEXT.format(1, 2, 3).encode())

    class Broken(type(system.open("/broken.csv"))):
        def readinto(self, room):
            raise RuntimeError("the server went away")

        read = readinto

    monkeypatch.setattr(type(system), "_open", lambda *_, **__: Broken(system, "/broken.csv"))
    with pytest.raises(errors.FormatError, match=r"broken\.csv .*the server went away"):
        components("memory://broken.csv")


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_files_in_an_archive_are_read(door, archive):
    if door is DOORS["audit"]:
        components([(1, 2), (2, 3)]).audit(f"zip://*.csv::{archive}")
        return
    assert door(f"zip://1.csv::{archive}").num_vertices == 2
    assert door(f"zip://*.csv::{archive}").num_vertices == 3
    assert door(f"simplecache::zip://*.csv::file://{archive}").num_vertices == 3


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CC_RAPIDS_CACHE", str(kernel_cache.folder()))  # which has the kernels
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "edges").mkdir()
    (tmp_path / "edges" / "a.csv").write_text("src,dst\n1,2\n")
    for path in ("~/edges/a.csv", "~/edges/*.csv", "~/edges", ["~/edges/a.csv"]):
        answer = cc_rapids.stream_components(path, checkpoint="~/seen")
        assert components(path).num_vertices == answer.num_vertices == 2
        (tmp_path / "seen").unlink()
        answer.audit(path)
    answer.save("~/answer")
    assert cc_rapids.Components.load("~/answer").num_vertices == 2
    answer.to_parquet("~/labels")
    cc_rapids.Connectivity().insert("~/edges").save("~/state")
    assert cc_rapids.Connectivity.load("~/state").num_components == 1
    words = ["calculate", "~/edges/a.csv", "--output=~/labels.csv"]
    assert CliRunner().invoke(main, words).exit_code == 0
    names = ["answer", "edges", "labels", "labels.csv", "state"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@pytest.mark.parametrize("name", ["folder", "folder.parquet"])
def test_an_address_of_a_folder_is_all_of_its_files(name):
    system = fsspec.filesystem("memory")
    for path, content in {
        "part-00000": "1,2\n",
        "k=1/part-00001": "2,3\n",
        "_SUCCESS": "",
        ".part-00000.crc": "x",
    }.items():
        system.pipe_file(f"/{name}/{path}", content.encode())
    for address in (f"memory://{name}", f"memory://{name}/", [f"memory://{name}"]):
        for door in (components, cc_rapids.stream_components):
            assert door(address).ledger == {"given": 2, "linked": 2}
    with pytest.raises(errors.FormatError, match="is a directory; name a file or a pattern"):
        components(f"memory://{name}/*")
    system.pipe_file("/none/_SUCCESS", b"")
    with pytest.raises(errors.FormatError, match="memory://none holds no file of a known format"):
        components("memory://none")
