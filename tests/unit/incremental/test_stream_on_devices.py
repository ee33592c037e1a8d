"""Streams of files that several devices read, for which the engine of threads stands."""

import itertools
import os
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cc_rapids.incremental.stream
from cc_rapids.backends.threads import Threads
from cc_rapids.errors import CapacityError, ColumnTypeError, InputError

DEVICES = 3


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """Threads pass for as many devices."""
    monkeypatch.setattr(Threads, "device_count", DEVICES)


KINDS = {
    "integers": lambda ids: ids * 1000 - 5,
    "far": lambda ids: ids * (1 << 40),
    "strings": lambda ids: np.array([f"v{k:05d}" for k in ids.tolist()], object),
}


@pytest.fixture
def folder(tmp_path):
    """Makes seven Parquet files of a few row groups each, of ids of a kind."""

    def made(kind="integers", files=7, rows=900, n=4000):
        rng = np.random.default_rng(1)
        for number in range(files):
            ends = (KINDS.get(kind, lambda ids: ids)(rng.integers(0, n, rows)) for _ in range(2))
            table = pa.table(dict(zip(("src", "dst"), ends, strict=True)))
            pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=250)
        return str(tmp_path)

    return made


def stream(edges, **options):
    return cc_rapids.stream_components(edges, devices="all", engine="threads", **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", ["min", "size"])
def test_the_answer_is_that_of_one_device(folder, kind, labels):
    path = folder(kind)
    found = stream(path, labels=labels)
    expected = cc_rapids.stream_components(path, engine="threads", labels=labels)
    assert found == expected
    assert found.labels().equals(expected.labels())
    assert found.summary()["edges"] == expected.summary()["edges"] == 7 * 900


def test_counted_vertices_are_merged_on_the_devices(folder):
    path = folder("places", n=5000)
    found = stream(path, num_vertices=5000)
    assert found == cc_rapids.stream_components(path, engine="threads", num_vertices=5000)
    assert found.labels().num_rows == 5000


def test_ids_of_several_columns_are_merged(tmp_path):
    rng = np.random.default_rng(2)
    names = "a", "b", "c", "d"
    for number in range(4):
        columns = [rng.integers(0, 9, 60) for _ in range(3)]
        columns.append(np.array([f"x{k}" for k in rng.integers(0, 9, 60)], object))
        columns[1], columns[2] = columns[3], columns[1]
        columns[3] = np.array([f"x{k}" for k in rng.integers(0, 9, 60)], object)
        pq.write_table(
            pa.table(dict(zip(names, columns, strict=True))), tmp_path / f"{number}.parquet"
        )
    sides = {"source": ["a", "b"], "destination": ["c", "d"]}
    found = stream(str(tmp_path), **sides)
    expected = cc_rapids.stream_components(str(tmp_path), engine="threads", **sides)
    assert found == expected
    assert found.labels().equals(expected.labels())


def test_named_vertices_and_nulls_count_once(tmp_path):
    for number in range(5):
        frame = pd.DataFrame({"src": [number, None], "dst": [number + 1, 7]}).convert_dtypes()
        frame.to_parquet(tmp_path / f"{number}.parquet")
    found = stream(str(tmp_path), vertices=[100, 3], nulls="drop")
    assert found.labels()["vertex"].to_pylist() == [0, 1, 2, 3, 4, 5, 100]
    assert found.summary()["dropped"] == 5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("counted", [True, False])
def test_the_first_device_may_get_nothing(folder, monkeypatch, kind, counted):
    """All chunks go to the others, and the answer is still of the files' kind."""
    hands = cc_rapids.incremental.stream._DeviceReader
    own = hands.read

    def read(self, *arguments):
        return own(self, *arguments) if self.number else (chunk for chunk in ())

    monkeypatch.setattr(hands, "read", read)
    if counted:
        path, options = folder("places", n=3000), {"num_vertices": 3000}
    else:
        path, options = folder(kind), {}
    found = stream(path, **options)
    expected = cc_rapids.stream_components(path, engine="threads", **options)
    assert found.labels().equals(expected.labels())


@pytest.mark.filterwarnings("ignore:.* no edges")
def test_files_without_rows_have_answers_of_their_kind(tmp_path):
    columns = {name: pa.array([], pa.int64()) for name in ("src", "dst")}
    pq.write_table(pa.table(columns), tmp_path / "0.parquet")
    for _ in range(5):
        found = stream(str(tmp_path))
        assert found.labels().equals(cc_rapids.stream_components(str(tmp_path)).labels())


TYPES = {
    "few": [pa.int16()],
    "signs": [pa.uint16(), pa.int16(), pa.int16(), pa.uint16()],
    "widths": [pa.uint64(), pa.int64(), pa.int8()],
    "texts": [pa.dictionary(pa.int32(), pa.string()), pa.large_string()],
    "no rows": [pa.int32(), None],
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("first", [True, False])
def test_answers_have_the_type_of_the_last_rows(tmp_path, monkeypatch, kind, first):
    for number, own in enumerate(TYPES[kind]):
        ids = [] if own is None else [number, number + 1]
        if own is not None and not pa.types.is_integer(own):
            ids = list(map(str, ids))
        column = pa.array(ids, pa.int64() if own is None else own)
        pq.write_table(pa.table({"src": column, "dst": column}), tmp_path / f"{number}.parquet")
    options = {} if kind == "texts" else {"num_vertices": 9}
    expected = cc_rapids.stream_components(str(tmp_path), engine="threads", **options).labels()
    if not first:  # the first device gets no more than the first chunk
        hands = cc_rapids.incremental.stream._DeviceReader
        own_read = hands.read

        def read(self, *arguments):
            chunks = own_read(self, *arguments)
            return chunks if self.number else itertools.islice(chunks, 1)

        monkeypatch.setattr(hands, "read", lambda *own: (chunk for chunk in read(*own)))
    for _ in range(5):
        assert stream(str(tmp_path), **options).labels().equals(expected)


def test_integers_and_strings_are_refused_in_the_words_of_the_caller(tmp_path):
    for number in range(6):
        ids = [number] if number % 2 else [str(number)]
        pq.write_table(pa.table({"src": ids, "dst": ids}), tmp_path / f"{number}.parquet")
    for _ in range(5):
        with pytest.raises(ColumnTypeError, match="string") as raised:
            stream(str(tmp_path))
        assert "'vertex'" not in str(raised.value)


def test_the_vertices_of_all_are_within_the_memory_limit(tmp_path, monkeypatch):
    """Each device holds a third of the vertices, but the first one all of them in the end."""
    insert, sizes = cc_rapids.incremental.stream.insert_given, []

    def sized(state, given, *arguments, **options):
        sizes.append(given.src.size)
        return insert(state, given, *arguments, **options)

    count = 120_000
    for number in range(6):
        ids = (np.arange(count // 6) * 6 + number) * 1000
        table = pa.table({"src": ids, "dst": ids})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=5000)
    with pytest.raises(CapacityError, match=r"on GPU \d: .*[\d,]+ vertices take"):
        stream(str(tmp_path), memory_limit="36MB")
    monkeypatch.setattr("cc_rapids.incremental.stream.insert_given", sized)
    assert len(stream(str(tmp_path), memory_limit="41MB")) == count
    assert max(sizes) < 25_000  # edges that fit beside a third of the vertices


def test_texts_are_parsed_by_whoever_asks(tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.csv").write_text(f"src,dst\n{number},{number + 1}\n")
    assert len(stream(str(tmp_path))) == 1


def test_weights_bound_the_edges_of_all(tmp_path):
    for number in range(4):
        table = pa.table({"src": [number], "dst": [number + 1], "w": [number / 4]})
        pq.write_table(table, tmp_path / f"{number}.parquet")
    assert stream(str(tmp_path), weight="w", at_least=0.5).labels().num_rows == 3


def test_progress_counts_the_edges_of_all(folder):
    told = []
    stream(folder(), progress=told.append)
    assert told[-1].edges == told[-1].total == 7 * 900


def test_the_error_of_a_device_ends_all(folder, monkeypatch):
    path, link, passed = folder(files=40), cc_rapids.incremental.stream.insert_given, []

    def fail(*arguments, **options):
        name = threading.current_thread().name
        if name.startswith("cc_rapids-device-1"):
            raise CapacityError("of the test")
        passed.append(name)
        return link(*arguments, **options)

    monkeypatch.setattr("cc_rapids.incremental.stream.insert_given", fail)
    with pytest.raises(CapacityError, match="on GPU 1: of the test; or give devices= without"):
        stream(path, memory_limit="200MiB")
    monkeypatch.undo()
    monkeypatch.setattr(Threads, "device_count", DEVICES)
    assert len(stream(path))


def test_the_error_of_a_file_names_it(folder, tmp_path):
    path = folder()
    (tmp_path / "3.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(cc_rapids.errors.FormatError, match=r"3\.parquet"):
        stream(path)


def test_a_plan_says_how_many_gpus_read(folder):
    assert "files are read by 3 GPUs" in str(stream(folder(), explain=True))


@pytest.mark.parametrize(
    ("edges", "options", "words"),
    [
        (iter([]), {}, "devices= of streams is for files"),
        ("a.csv", {"checkpoint": "x"}, "checkpoint= is for streams on one GPU"),
    ],
)
def test_what_is_no_file_is_refused(edges, options, words):
    with pytest.raises(cc_rapids.InputError, match=words):
        stream(edges, **options)


def test_each_chunk_is_loaded_where_it_is_linked(folder, monkeypatch):
    """Chunks with rows to load are loaded while their device is the current one."""
    current, where = threading.local(), []

    class Using:
        def __init__(self, number):
            self.number, self.before = number, []

        def __enter__(self):
            self.before.append(getattr(current, "number", None))
            current.number = self.number

        def __exit__(self, *error):
            current.number = self.before.pop()

    def read(path, columns, groups):
        where.append(getattr(current, "number", None))
        return pq.ParquetFile(path).read_row_groups(groups, columns=columns).to_pandas()

    monkeypatch.setattr(Threads, "using_device", lambda self, number: Using(number))
    monkeypatch.setattr("cc_rapids.incremental.stream.row_group_reader", lambda *_, **__: read)
    path = folder()
    found = stream(path)
    assert where
    assert set(where) <= set(range(DEVICES))
    assert found == cc_rapids.stream_components(path, engine="threads")


@pytest.mark.parametrize("function", [cc_rapids.components, cc_rapids.stream_components])
def test_a_plan_does_not_use_up_a_pipe(tmp_path, function):
    """The rows would be missing from the run that follows."""
    pipe, content = tmp_path / "edges.csv", b"src,dst\n1,2\n"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    try:
        with pytest.raises(InputError, match="can be read only once"):
            function(str(pipe), devices="all", engine="threads", explain=True)
        assert pipe.read_bytes() == content
    finally:
        writer.join(10)
