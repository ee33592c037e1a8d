"""Streams of files that several devices read, for which the engine of threads stands."""

import itertools
import os
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import fake_gpu

import cc_rapids.incremental.stream
from cc_rapids import oracle
from cc_rapids.backends.threads import Threads
from cc_rapids.errors import CapacityError, ColumnTypeError, InputError
from cc_rapids.solver.spreading import Spreading, seconds_of_stream, spreading_of_stream

DEVICES = 3


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """Threads pass for as many devices, and all of them run."""
    monkeypatch.setattr(Threads, "device_count", DEVICES)
    chosen = Spreading(DEVICES, "as a test says so")
    monkeypatch.setattr("cc_rapids.incremental.stream._spreading", lambda *_: chosen)


KINDS = {
    "integers": lambda ids: ids * 1000 - 5,
    "far": lambda ids: ids * (1 << 40),
    "strings": lambda ids: np.array([f"v{k:05d}" for k in ids.tolist()], object),
}


@pytest.fixture
def folder(tmp_path):
    """Makes seven Parquet files of a few row groups each, of ids of a kind."""

    def made(kind="integers", files=7, rows=900, n=4000, group=250):
        rng = np.random.default_rng(1)
        for number in range(files):
            ends = (KINDS.get(kind, lambda ids: ids)(rng.integers(0, n, rows)) for _ in range(2))
            table = pa.table(dict(zip(("src", "dst"), ends, strict=True)))
            pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=group)
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


IDS = {
    "around zero": lambda rng: rng.permutation(3000) - 1500,
    "signed": lambda rng: np.r_[rng.integers(-(2**63), 2**63 - 1, 3000), -(2**63), 2**63 - 1],
    "unsigned": lambda rng: rng.integers(0, 2**64 - 1, 3000, np.uint64, endpoint=True),
    "bytes": lambda rng: rng.permutation(256).astype(np.uint8),
    "strings": lambda rng: np.array(["", *("é" * (k % 40) + str(k) for k in range(2000))], object),
}


@pytest.fixture
def dealt(monkeypatch):
    """Device k reads the chunks k, k + devices, ...; a function sets the number of devices."""

    def made(devices):
        monkeypatch.setattr(Threads, "device_count", devices)
        chosen = Spreading(devices, "as a test says so")
        monkeypatch.setattr("cc_rapids.incremental.stream._spreading", lambda *_: chosen)

        def read(self, *arguments):
            with self.queue.lock:
                chunks = vars(self.queue).setdefault("all", list(self.queue.chunks))
            for number in range(self.number, len(chunks), devices):
                self.waiting.append(number + 1)
                yield chunks[number]._replace(given=None)

        monkeypatch.setattr(cc_rapids.incremental.stream._DeviceReader, "read", read)

    return made


def write(folder, files, *columns):
    """Rows of columns a, b, ..., in files of a few row groups each."""
    for number in range(files):
        table = pa.table({"abcd"[k]: column[number::files] for k, column in enumerate(columns)})
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=200)
    return str(folder)


def least_of(src, dst):
    """The ids and the least of each one's component, by the union-find of the oracle."""
    ids, ends = np.unique(np.concatenate([src, dst]), return_inverse=True)
    return ids, ids[oracle.union_find(*np.split(ends, 2), ids.size)]


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("devices", [2, 3, 5])
@pytest.mark.parametrize("files", [1, 11])
def test_labels_are_those_of_a_union_find(tmp_path, dealt, kind, devices, files):
    """With one file, only the first device has edges."""
    dealt(devices)
    rng = np.random.default_rng(devices)
    ids = IDS[kind](rng)
    src, dst = (ids[rng.integers(0, ids.size, 3 * ids.size // 5)] for _ in range(2))
    found = stream(write(tmp_path, files, src, dst)).labels()
    vertices, least = least_of(src, dst)
    assert found["vertex"].to_pylist() == vertices.tolist()
    assert found["labels"].to_pylist() == least.tolist()


@pytest.mark.parametrize("devices", [2, 3, 5])
@pytest.mark.parametrize(("firsts", "seconds"), [(80, 20), (1, 1600)])
def test_rows_of_several_columns_are_those_of_a_union_find(
    tmp_path, dealt, devices, firsts, seconds
):
    """Each device numbers the values, and the rows, in another order."""
    dealt(devices)
    rng = np.random.default_rng(devices)
    numbers = rng.integers(-firsts // 2, firsts // 2, (2, 1200)) << 50
    words = rng.integers(0, seconds, (2, 1200))
    texts = words.astype(str).astype(object)
    ends = [numbers[0], texts[0], numbers[1], texts[1]]
    path = write(tmp_path, 7, *ends)
    found = stream(path, source=["a", "b"], destination=["c", "d"]).labels("dense")
    codes, least = least_of(*((numbers >> 50) * seconds + words))
    _, dense = np.unique(least, return_inverse=True)
    number, text, labels = (column.to_pylist() for column in found.columns)
    ids = zip(number, text, strict=True)
    order = np.argsort([seconds * (one >> 50) + int(word) for one, word in ids])
    assert len(number) == codes.size
    pairs = set(zip(np.array(labels)[order].tolist(), dense.tolist(), strict=True))
    assert len(pairs) == len(set(labels)) == dense.max() + 1


@pytest.mark.filterwarnings("ignore:overflow encountered")  # of hashes, which wrap around
@pytest.mark.parametrize("step", [1, 1_000_000_007])
def test_no_gpu_reads_the_memory_of_another_but_by_copies(tmp_path, dealt, step):
    dealt(4)
    rng = np.random.default_rng(4)
    src, dst = rng.integers(-100, 300, (2, 400)) * step
    path = write(tmp_path, 7, src, dst)
    with fake_gpu.installed(devices=4):
        found = cc_rapids.stream_components(path, engine="cuda", devices="all").labels()
    vertices, least = least_of(src, dst)
    assert found["vertex"].to_pylist() == vertices.tolist()
    assert found["labels"].to_pylist() == least.tolist()


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


def test_the_vertices_of_all_are_within_the_memory_limit(tmp_path, monkeypatch, dealt):
    """Each device holds a third of the vertices, but the first one all of them in the end."""
    dealt(DEVICES)
    rows, transfer = [], cc_rapids.incremental.stream.Transfer

    def recorded(*arguments):
        rows.append(arguments[2])
        return transfer(*arguments)

    count = 120_000
    for number in range(6):
        ids = (np.arange(count // 6) * 6 + number) * 1000
        table = pa.table({"src": ids, "dst": ids})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=5000)
    words = r"on GPU 0: while the forests of the GPUs are merged, [\d,]+ vertices take"
    with pytest.raises(CapacityError, match=words):
        stream(str(tmp_path), memory_limit="38MB")
    monkeypatch.setattr("cc_rapids.incremental.stream.Transfer", recorded)
    assert len(stream(str(tmp_path), memory_limit="41MB")) == count
    assert max(rows) < 25_000  # ids that fit beside a third of the vertices


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
    words = "files are read by 3 GPUs: as a test says so"
    assert words in str(stream(folder(), explain=True))


def test_the_model_chooses_how_many_gpus_read(folder, monkeypatch):
    """Only those files that GPUs read, and at most one GPU for each row group."""
    monkeypatch.undo()
    monkeypatch.setattr(Threads, "device_count", DEVICES)
    path = folder(files=1, rows=600)
    assert "files are read by 1 GPU: the host reads the edges" in str(stream(path, explain=True))
    reader = lambda *_, **__: None  # noqa: E731
    monkeypatch.setattr("cc_rapids.incremental.stream.row_group_reader", lambda *_, **__: reader)
    assert "files are read by 1 GPU: about" in str(stream(path, explain=True))
    monkeypatch.setattr("cc_rapids.solver.spreading.START", 0)
    assert "files are read by 3 GPUs: about" in str(stream(path, explain=True))
    path = folder(files=1, rows=600, group=300)
    assert "files are read by 2 GPUs: about" in str(stream(path, explain=True))


@pytest.mark.parametrize("counted", [True, False])
def test_the_model_never_uses_more_gpus_than_pay(counted):
    for vertices in (10, 1_000_000, 100_000_000):
        for edges in (1000, 1_000_000, 1_000_000_000):
            times = [seconds_of_stream(edges, vertices, k, counted) for k in range(1, 9)]
            count = spreading_of_stream(edges, vertices, 8, counted).count
            assert times[count - 1] == min(times)
    assert spreading_of_stream(100_000, 1000, 8, counted).count == 1
    assert spreading_of_stream(100_000_000, 25_000_000, 2, counted).count == 2


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


@pytest.mark.parametrize("group", [250, 2500])
def test_each_chunk_is_loaded_where_it_is_linked(folder, monkeypatch, group):
    """Chunks with rows to load are loaded while their device is the current one.

    A chunk has a whole row group, even if that is more than the share of a device.
    """
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
    path = folder(rows=2500, group=group)
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
