"""States of incremental connectivity: saved and loaded, and after a batch that was interrupted."""

import errno
import resource
import sys
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support import edge_kinds
from support.batch_rows import EXAMPLES, KINDS, column
from support.edge_kinds import EDGES

from cc_rapids import Connectivity
from cc_rapids.data.files import archive
from cc_rapids.data.frame_kind import input_from_description
from cc_rapids.errors import FormatError, OutputError


def same(seen, other):
    """Two that say the same of their batches."""
    for one, two in zip(seen.components().labels(), other.components().labels(), strict=True):
        assert np.asarray(one).tolist() == np.asarray(two).tolist()
        assert np.asarray(one).dtype.kind == np.asarray(two).dtype.kind
    assert repr(seen).partition(" on ")[0] == repr(other).partition(" on ")[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", EXAMPLES)
def test_save_and_load(kind, algorithm, engine, tmp_path):
    name, path = KINDS[kind], tmp_path / "seen.any"
    seen = Connectivity(design=algorithm)
    for first in (0, 3):
        ends = ([name(v) for v in range(first, first + 5)], [name(v) for v in (1, 1, 9, 3, 6)])
        seen.insert(tuple(map(column, ends)))
        seen.save(path)
    loaded = Connectivity.load(path, engine=engine)
    assert [file.name for file in tmp_path.iterdir()] == ["seen.any"]
    same(seen, loaded)
    more = column([name(v) for v in (30, 2)]), column([name(v) for v in (9, 17)])
    assert loaded.insert(more).connected(more).tolist() == [True, True]
    assert f"on {engine}>" in repr(loaded)
    same(seen.insert(more), loaded)


@pytest.mark.parametrize("seen", [Connectivity(), Connectivity(4), Connectivity(0)], ids=repr)
def test_save_and_load_of_little(seen, tmp_path):
    seen.save(tmp_path / "seen.npz")
    same(seen, Connectivity.load(tmp_path / "seen.npz"))


def test_a_file_that_is_none_of_ours_is_refused(tmp_path):
    path = tmp_path / "seen.any"
    with pytest.raises(FormatError, match="no file"):
        Connectivity.load(path)
    with pytest.raises(FormatError, match="cannot be read"):
        Connectivity.load(tmp_path)
    for content in (b"", b"c", b"src,dst\n1,2\n"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"seen\.any is not a file"):
            Connectivity.load(path)
    np.savez(path.with_suffix(".npz"), format=np.array("cc_rapids connectivity 1"))
    with pytest.raises(FormatError, match="is not a file saved by cc_rapids"):
        Connectivity.load(path.with_suffix(".npz"))


def test_a_file_that_lies_is_refused(tmp_path):
    """The checksums are right, and what they are of is not."""
    path = tmp_path / "seen.any"
    Connectivity().insert(([5, 7], [2, 9])).save(path)
    words, arrays = archive.read(path)
    for wrong in (
        {"format": "cc_rapids connectivity 9"},
        {"design": "kout"},
        {"design": 7},
        {"ids": "hashes"},
        {"ids": "strings"},
        {"dtype": "float64"},
        {"dtype": "int8'"},
        {"edges": -1},
        {"edges": "many"},
        {"batches": None},
        {"answers": 7},
        {"parent": np.array([1, 1, 2, 3], np.uint32)},
        {"parent": np.array([0, 0, 1, 3], np.uint32)},
        {"parent": np.array([0, 0, 2, 2**32 - 1], np.uint32)},
        {"parent": arrays["parent"][:2]},
        {"parent": arrays["parent"].astype(np.int64)},
        {"ids": "integers", "dtype": "uint8"},
    ):
        own = {name: value for name, value in wrong.items() if isinstance(value, np.ndarray)}
        said = {name: value for name, value in wrong.items() if name not in own}
        if "uint8" in said.values():
            own = {"ids": arrays["ids"] + 2**40}
        archive.write(path, words | said, arrays | own)
        with pytest.raises(FormatError, match=r"seen\.any"):
            Connectivity.load(path)
    for ids in ([2, 2, 5, 7], [2, 5, 7], [9, 5, 7, 2]):
        archive.write(path, words, arrays | {"ids": np.array(ids)})
        with pytest.raises(FormatError, match="distinct integers in ascending order"):
            Connectivity.load(path)
    for name in (*words, *arrays):
        if name in ("notes", "answers", "formats"):
            continue
        archive.write(
            path,
            {key: value for key, value in words.items() if key != name},
            {key: value for key, value in arrays.items() if key != name},
        )
        if name != "ids":  # of which there is a word and an array
            with pytest.raises(FormatError, match=r"seen\.any"):
                Connectivity.load(path)
    archive.write(path, words, arrays)
    assert Connectivity.load(path).num_vertices == 4


def test_texts_that_lie_are_refused(tmp_path):
    path = tmp_path / "seen.any"
    Connectivity().insert((["a", "c"], ["bé", "c"])).save(path)
    words, arrays = archive.read(path)
    assert arrays["offsets"].tolist() == [0, 1, 4, 5]
    for offsets in ([0, 1, 4], [0, 4, 1, 5], [1, 2, 4, 5], [0, 1, 4, 2**62], [0, 1, 3, 5], [0] * 4):
        archive.write(path, words, arrays | {"offsets": np.array(offsets)})
        with pytest.raises(FormatError, match=r"seen\.any"):
            Connectivity.load(path)
    for octets in (b"abbbb", b"a\xff\xffbc", b"ab", b"cbbbd"[::-1]):
        archive.write(path, words, arrays | {"octets": np.frombuffer(octets, np.uint8)})
        if octets != b"abbbb":
            with pytest.raises(FormatError, match=r"seen\.any"):
                Connectivity.load(path)


SAVED = {
    "range": lambda: Connectivity(5).insert(([1], [2])),
    "integers": lambda: Connectivity().insert(pl.DataFrame({"src": [5, 9], "dst": [2, 9]})),
    "strings": lambda: Connectivity().insert((["b", "d"], ["a\0", "é"])),
    "columns": lambda: Connectivity().insert(
        pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [2, 1], "d": ["y", "z"]}),
        ["a", "b"],
        ["c", "d"],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAVED)
def test_no_damage_is_taken_for_a_state(kind, tmp_path, monkeypatch):
    """Each byte changed, the file cut at each length, and bytes behind it."""
    path = tmp_path / "seen.any"
    SAVED[kind]().save(path)
    whole = path.read_bytes()
    empty = np.empty

    def within_the_file(count, dtype):
        assert np.dtype(dtype).itemsize * count <= len(whole)
        return empty(count, dtype)

    monkeypatch.setattr(archive.np, "empty", within_the_file)
    damaged = [whole[:k] for k in range(len(whole))] + [whole + b"\0"]
    for k, octet in enumerate(whole):
        damaged.append(whole[:k] + bytes([octet ^ 1 << k % 8]) + whole[k + 1 :])
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"seen\.any") as raised:
            archive.read(path)
        assert "pickle" not in str(raised.value)
    for content in damaged[:: len(damaged) // 20]:
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"seen\.any"):
            Connectivity.load(path)


def test_ids_come_back_whole(tmp_path):
    ids = ["a", "a\0", "a\0\0", "", "\0", "é\n", "\U0001f600"]
    seen = Connectivity().insert((ids, ids[1:] + ids[:1]))
    seen.save(tmp_path / "seen")
    loaded = Connectivity.load(tmp_path / "seen")
    assert loaded.components().labels().vertex.tolist() == sorted(ids)
    assert loaded.connected((ids, ids)).all()
    same(seen, loaded)


def test_one_long_id_costs_its_own_length(tmp_path):
    ids = [str(k) for k in range(20_001)] + ["x" * 1_000_000]
    seen = Connectivity().insert(pa.table({"src": ids, "dst": ids[1:] + ids[:1]}))
    seen.save(tmp_path / "seen")
    assert (tmp_path / "seen").stat().st_size < 2_000_000
    tracemalloc.start()
    try:
        loaded = Connectivity.load(tmp_path / "seen")
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()
    assert loaded.components().labels()["vertex"].to_pylist() == sorted(ids)


@pytest.mark.parametrize("kind", [kind for kind in EDGES if kind != "matrix"])
def test_answers_come_as_they_did_before(kind, tmp_path):
    seen = Connectivity().insert(EDGES[kind]())
    seen.save(tmp_path / "seen")
    loaded = Connectivity.load(tmp_path / "seen")
    left, right = loaded.components().labels(), seen.components().labels()
    if kind == "polars enum":  # whose words are the caller's
        left, right = (frame.cast(pl.Categorical) for frame in (left, right))
    edge_kinds.same(left, right)


def test_answers_come_as_tables_where_the_library_is_missing(tmp_path, monkeypatch, caplog):
    seen = Connectivity().insert(pl.DataFrame({"src": ["b"], "dst": ["a"]}))
    seen.save(tmp_path / "seen")
    monkeypatch.setitem(sys.modules, "polars", None)
    labels = Connectivity.load(tmp_path / "seen").components().labels()
    assert isinstance(labels, pa.Table)
    assert labels["labels"].to_pylist() == ["a", "a"]
    assert (
        "answers are returned as PyArrow's tables, because polars is not available" in caplog.text
    )


def test_tables_of_an_unknown_library_are_said_to_be_of_another(caplog):
    input_from_description({"frame": "vaex"}, [False])
    assert "as PyArrow's tables, because vaex is not available (unknown)" in caplog.text


def test_nulls_that_were_dropped_stay_counted(tmp_path):
    frame = pd.DataFrame({"src": pd.array([1, None], "Int64"), "dst": [2, 3]})
    Connectivity().insert(frame, nulls="drop").save(tmp_path / "seen")
    assert Connectivity.load(tmp_path / "seen").components().summary()["dropped"] == 1


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "seen.any"
    seen = Connectivity().insert(([5], [2]))
    seen.save(path)
    with monkeypatch.context() as patch:
        patch.setattr("cc_rapids.data.files.archive.LENGTHS", None)
        with pytest.raises(AttributeError):
            seen.insert(([5], [1])).save(path)
    with pytest.raises(OutputError, match="no directory") as raised:
        seen.save(tmp_path / "no" / "folder")
    assert isinstance(raised.value, OSError)
    assert [file.name for file in tmp_path.iterdir()] == ["seen.any"]
    assert Connectivity.load(path).num_vertices == 2


def test_a_full_disk_is_an_error_of_ours(tmp_path, full_device):
    path = tmp_path / "seen.any"
    seen = Connectivity(100_000)
    seen.save(path)
    with pytest.raises(OutputError, match="No space left") as raised:
        seen.save(full_device)
    assert isinstance(raised.value, OSError)
    assert raised.value.errno == errno.ENOSPC
    assert full_device.is_char_device()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(OutputError, match="too large"):
            seen.insert(([1], [2])).save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [file.name for file in tmp_path.iterdir()] == ["seen.any"]
    assert len(Connectivity.load(path)) == 100_000


class Interrupted(BaseException):
    """As KeyboardInterrupt, which no one catches on the way either."""


@pytest.mark.parametrize("algorithm", EXAMPLES)
@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize("after", [False, True], ids=["before the launch", "after it"])
def test_an_interrupted_batch_leaves_nothing(algorithm, strings, after, on, monkeypatch):
    def ids(*values):
        return np.array(values).astype(str if strings else int)

    seen = Connectivity(design=algorithm, engine=on.name).insert((ids(1, 3, 8), ids(2, 4, 8)))
    batch, asks = (ids(2, 1, 9, 1), ids(3, 4, 8, 2)), np.array([False, True, False, True])
    then, said, launch = seen.components().labels(), repr(seen), type(on).launch
    for launches in range(100):
        left = iter(range(launches))

        def stop(*arguments, left=left):
            if next(left, None) is None:
                if after:
                    launch(*arguments)
                raise Interrupted
            launch(*arguments)

        monkeypatch.setattr(type(on), "launch", stop)
        try:
            answers = seen.process(batch, query=asks)
        except Interrupted:
            monkeypatch.undo()
            same_now = zip(seen.components().labels(), then, strict=True)
            assert all(now.tolist() == old.tolist() for now, old in same_now)
            assert repr(seen) == said
            assert seen.connected((ids(1, 1), ids(2, 4))).tolist() == [True, False]
            continue
        break
    monkeypatch.undo()
    assert launches > 0
    assert answers[1]
    assert seen.connected((ids(1, 9), ids(4, 8))).tolist() == [True, True]
    assert (len(seen), seen.num_vertices) == (2, 6)
