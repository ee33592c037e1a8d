"""Files that are cut, rewritten or replaced while they are read: an error that names them."""

import io
import os
import shutil
import threading
import time
from contextlib import suppress

import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.local import LocalFileSystem
from support.edge_files import read_edges
from support.stream_inputs import SMALL, parts, same, table

import cc_rapids
import cc_rapids.incremental.progress
from cc_rapids import ChangedFileError, components, components_at, stream_components
from cc_rapids.data.files import delimited, input_file
from cc_rapids.data.files import write as write_module

EDGES = table()


def rewrite(path):
    """Other content of the same length, at the same place."""
    with open(path, "r+b") as file:
        content = file.read()
        file.seek(len(content) // 2)
        file.write(content[: len(content) - len(content) // 2])
    later(path)


def rewrite_and_set_time(path):
    """Other content of the same length and time, in the same file."""
    found = os.stat(path)
    rewrite(path)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def later(path):
    """A time of change that is another one, however coarse the clock is."""
    found = os.stat(path)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1))


def replace(path):
    """The same content, size and time, in another file."""
    shutil.copy2(path, f"{path}~")
    os.replace(f"{path}~", path)


def append(path):
    with open(path, "ab") as file:
        file.write(b"\n")


CHANGES = {
    "cut": lambda path: os.truncate(path, os.path.getsize(path) // 2),
    "emptied": lambda path: os.truncate(path, 0),
    "appended": append,
    "rewritten": rewrite,
    "rewritten, its time set": rewrite_and_set_time,
    "touched": later,
    "replaced": replace,
    "gone": os.unlink,
}


def write(path):
    kind = input_file.format_of(path)
    if kind == "parquet":
        pq.write_table(EDGES, path, row_group_size=1000)
    elif kind == "arrow":
        pa.feather.write_feather(EDGES, str(path), "uncompressed", chunksize=1000)
    else:
        edges = write_module.EdgeList([EDGES], len(EDGES), range(5000), EDGES.schema)
        write_module.write_edges(edges, path)
    return str(path)


@pytest.fixture
def change(tuned):
    """Change a file after the first chunk of it, or before its second one, has been linked."""
    tuned(progress_call_seconds=0.0)

    def made(how, path, after=0):
        left = [after]

        def progress(facts):
            if left[0] == 0:
                CHANGES[how](path)
            left[0] -= 1

        return {"progress": progress}

    return made


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.csv"])
def test_a_file_that_is_read_in_pieces(name, how, tmp_path, change):
    path = write(tmp_path / name)
    limit = "49MiB" if name == "a.csv" else SMALL
    with pytest.raises(ChangedFileError, match=rf"{path} (was changed while|was removed)"):
        components([path], memory_limit=limit, **change(how, path))


@pytest.mark.parametrize("how", ["cut", "replaced"])
def test_the_last_of_many_files(how, tmp_path, change):
    paths = parts(EDGES, tmp_path)
    with pytest.raises(ChangedFileError, match=r"2\.parquet was changed"):
        components(f"{tmp_path}/*.parquet", memory_limit=SMALL, **change(how, paths[-1], 2))


def test_a_file_that_waits_for_its_turn(tmp_path, change):
    paths = parts(EDGES, tmp_path)
    with pytest.raises(ChangedFileError, match=r"2\.parquet was changed"):
        components(paths, memory_limit=SMALL, **change("touched", paths[-1]))


@pytest.mark.parametrize("name", ["a.csv.gz", "a.npz", "a.he", "a.egr", "a.txt", "a.mtx", "a.gr"])
@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_file_that_is_read_whole(name, in_pieces, tmp_path, monkeypatch):
    path, read = write(tmp_path / name), input_file.File.__init__

    def changed(file, *rest, **words):
        read(file, *rest, **words)
        later(path)

    monkeypatch.setattr(input_file.File, "__init__", changed)
    with pytest.raises(ChangedFileError, match="was changed while it was read"):
        components([path] if in_pieces else path)


@pytest.mark.parametrize("how", ["cut", "gone"])
def test_what_cannot_be_read_any_more_is_told_as_a_change(how, tmp_path, monkeypatch):
    path, init = write(tmp_path / "a.npz"), input_file.File.__init__

    def changed(file, *rest, **words):
        init(file, *rest, **words)
        CHANGES[how](path)

    monkeypatch.setattr(input_file.File, "__init__", changed)
    with pytest.raises(ChangedFileError):
        read_edges(path)


def test_row_groups_that_other_threads_load(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet")

    def read_groups(path, columns, groups):
        frame = pq.ParquetFile(path).read_row_groups(groups, columns).to_pandas()
        if groups[-1] == 8:
            replace(path)
        return frame

    monkeypatch.setattr("cc_rapids.incremental.stream.row_group_reader", lambda device: read_groups)
    with pytest.raises(ChangedFileError, match=r"a\.parquet was changed"):
        components([path], memory_limit="34MiB", num_vertices=5000)


@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("which", [0, -1])
def test_datasets(how, which, filtered, tmp_path, change):
    paths = parts(EDGES, tmp_path)
    dataset = pa.dataset.dataset(tmp_path)
    if filtered:
        dataset = dataset.filter(pa.dataset.field("src") >= 0)
    wanted = "removed" if how == "gone" else r"changed|cannot be read"
    with pytest.raises(cc_rapids.FormatError, match=rf"{which % 3}\.parquet.*({wanted})"):
        components(dataset, memory_limit=SMALL, **change(how, paths[which]))


def test_addresses(change):
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    with system.open("/folder/a.parquet", "wb") as file:
        pq.write_table(EDGES, file, row_group_size=1000)
    with system.open("/folder/b.parquet", "wb") as file:
        pq.write_table(EDGES, file, row_group_size=1000)
    address = "memory:///folder/*.parquet"
    same(components(address, memory_limit=SMALL), pa.concat_tables([EDGES, EDGES]))

    def cut(facts):
        system.pipe_file("/folder/b.parquet", system.cat_file("/folder/b.parquet")[:-5])

    try:
        with pytest.raises(ChangedFileError, match=r"b\.parquet was changed"):
            components(address, memory_limit=SMALL, progress=cut)
    finally:
        system.rm("/folder", recursive=True)


@pytest.mark.parametrize("kind", ["files", "dataset"])
def test_edges_with_weights(kind, tmp_path):
    weighed = EDGES.append_column("weight", EDGES["src"])
    parts(weighed, tmp_path)
    stream = f"{tmp_path}/*.parquet" if kind == "files" else pa.dataset.dataset(tmp_path)
    names, cuts = [], components_at(stream, thresholds=[9, 0])
    assert len(cuts) == 2
    read = cc_rapids.incremental.thresholds._Reader._read

    def changed(self, edges):
        names.append(replace(tmp_path / "2.parquet"))
        return read(self, edges)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cc_rapids.incremental.thresholds._Reader, "_read", changed)
        if kind == "files":  # each is read whole, before its rows are used
            assert len(components_at(stream, thresholds=[9, 0])) == 2
        else:
            with pytest.raises(ChangedFileError, match=r"2\.parquet was changed"):
                components_at(stream, thresholds=[9, 0])


def test_what_does_not_change_is_read(tmp_path, change):
    paths = parts(EDGES, tmp_path)
    same(components(paths, memory_limit=SMALL, progress=lambda facts: os.stat(paths[0])), EDGES)
    os.chmod(paths[0], 0o600)
    os.link(paths[0], tmp_path / "other")
    same(components(paths, memory_limit=SMALL), EDGES)


def test_a_pipe_is_read_as_it_comes(tmp_path):
    path = tmp_path / "a.csv"
    os.mkfifo(path)

    def fill():
        with open(path, "wb") as file:
            file.write(b"src,dst\n1,2\n")
            file.flush()
            time.sleep(0.01)
            file.write(b"2,3\n")

    thread = threading.Thread(target=fill)
    thread.start()
    assert len(components(path)) == 1
    thread.join()


@pytest.fixture
def piped():
    """A function that writes bytes to a pipe in a thread, and returns the path to read it by."""
    opened, threads = [], []

    def pipe(content):
        reading, writing = os.pipe()
        opened.append(reading)
        threads.append(threading.Thread(target=fill, args=(writing, content)))
        threads[-1].start()
        return f"/dev/fd/{reading}"

    def fill(writing, content):
        with suppress(BrokenPipeError), open(writing, "wb") as file:
            file.write(content)

    yield pipe
    for reading in opened:
        os.close(reading)
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("find", [components, stream_components])
@pytest.mark.parametrize(("name", "options"), [("a.csv", {}), ("a", {}), ("a", {"format": "csv"})])
def test_a_pipe_is_opened_once(tmp_path, piped, find, name, options):
    content = b"src,dst\n" + b"".join(b"%d,%d\n" % (k, k + 1) for k in range(3000))
    (tmp_path / name).symlink_to(piped(content))
    assert find(tmp_path / name, **options).num_vertices == 3001


@pytest.mark.parametrize("options", [{"progress": lambda facts: None}, {"memory_limit": SMALL}])
def test_rows_of_a_pipe_are_not_counted_ahead(piped, options):
    content = io.BytesIO()
    pq.write_table(EDGES, content)
    path = piped(content.getvalue())
    same(stream_components(path, format="parquet", **options), EDGES)


def test_a_pipe_of_ids_that_become_text_is_refused(piped, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", 512)
    path = piped(b"src,dst\n" + b"1,2\n" * 3000 + b"ann,bob\n")
    with pytest.raises(cc_rapids.FormatError, match="all earlier ids were integers"):
        stream_components(path, format="csv")


def test_a_footer_that_a_dataset_keeps_is_compared(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(EDGES[:10], path)
    dataset = pa.dataset.dataset(path)
    assert components(dataset).ledger["given"] == 10
    pq.write_table(EDGES[:20], path, row_group_size=10)
    with pytest.raises(ChangedFileError, match="create the dataset again"):
        components(dataset)


def test_a_file_of_a_dataset_is_opened_once_beside_its_footer(tmp_path):
    opens = []

    class Counted(LocalFileSystem):
        def open(self, path, *mode, **options):
            opens.append(path)
            return super().open(path, *mode, **options)

    pq.write_table(EDGES, tmp_path / "a.parquet", row_group_size=len(EDGES) // 4)
    system = pa.fs.PyFileSystem(pa.fs.FSSpecHandler(Counted()))
    dataset = pa.dataset.dataset(str(tmp_path), format="parquet", filesystem=system)
    opens.clear()
    same(components(dataset), EDGES)
    assert len(opens) == 2


def test_a_pipe_has_no_checkpoint(tmp_path, piped):
    path = tmp_path / "a.csv"
    path.symlink_to(piped(b"src,dst\n1,2\n"))
    with pytest.raises(cc_rapids.InputError, match=r"a\.csv is a pipe: write it to a file"):
        stream_components(path, checkpoint=tmp_path / "far")
    assert not (tmp_path / "far").exists()


def test_a_checkpoint_of_what_has_changed_is_refused(tmp_path, change):
    path = write(tmp_path / "a.parquet")
    options = {"checkpoint": tmp_path / "far", "checkpoint_every": 0, "memory_limit": SMALL}
    with pytest.raises(ChangedFileError):
        components([path], **options, **change("touched", path))
    with pytest.raises(cc_rapids.CheckpointError, match=r"a\.parquet had .* then, but has .* now"):
        components([path], **options)
