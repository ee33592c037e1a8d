"""States of incremental connectivity: saved and loaded, and after a batch that was interrupted."""

import numpy as np
import pytest
from batch_rows import EXAMPLES, KINDS, column

from cc_rapids import Connectivity
from cc_rapids.errors import FormatError


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
    path = tmp_path / "seen.npz"
    with pytest.raises(FormatError, match="no file"):
        Connectivity.load(path)
    seen = Connectivity().insert(([5, 7], [2, 9]))
    seen.save(path)
    whole = path.read_bytes()
    parts = dict(np.load(path))
    for content in (b"", b"src,dst\n1,2\n", whole[: len(whole) // 2], whole.replace(b"\5", b"\6")):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"seen.npz"):
            Connectivity.load(path)
    np.save(path.with_suffix(".npy"), np.arange(3))
    with pytest.raises(FormatError):
        Connectivity.load(path.with_suffix(".npy"))
    wrong = {
        "format": np.array("cc_rapids connectivity 9"),
        "design": np.array("kout"),
        "kind": np.array("hashes"),
        "parent": np.array([1, 1, 2, 3], np.uint32),
        "ids": np.array([2, 2, 5, 7]),
        "counts": np.array([2]),
    }
    for name, value in wrong.items():
        np.savez(path, **parts | {name: value})
        with pytest.raises(FormatError):
            Connectivity.load(path)
    np.savez(path, **parts)
    same(seen, Connectivity.load(path))


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "seen.npz"
    seen = Connectivity().insert(([5], [2]))
    seen.save(path)
    monkeypatch.setattr(np, "savez", lambda file, **parts: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        seen.insert(([5], [1])).save(path)
    monkeypatch.undo()
    assert [file.name for file in tmp_path.iterdir()] == ["seen.npz"]
    assert Connectivity.load(path).num_vertices == 2


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
