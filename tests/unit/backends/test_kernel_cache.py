"""The store of compiled kernels reads what this user alone may write, and stays within a bound."""

import logging
import os
import stat
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from support.machine import with_package

from cc_rapids.backends import kernel_cache

ROOT_ALONE = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
OTHER = 12345  # a user id


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder that is not there yet, in a process that has told nothing so far."""
    monkeypatch.setenv("CC_RAPIDS_CACHE", str(tmp_path / "above" / "cache"))
    monkeypatch.delenv("CC_RAPIDS_CACHE_SIZE", raising=False)
    monkeypatch.setattr(kernel_cache, "_logged", set())
    monkeypatch.setattr(kernel_cache, "_bytes_left", {})
    return tmp_path / "above" / "cache"


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def kept(cache):
    """The file of the only key."""
    kernel_cache.keep("key", ".bin", b"content")
    assert kernel_cache.recall("key", ".bin") == b"content"
    (file,) = cache.rglob("*.bin")
    return file


def size(cache):
    return sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077], ids=oct)
def test_folder_and_files_are_for_this_user_alone(cache, umask):
    before = os.umask(umask)
    try:
        file = kept(cache)
    finally:
        os.umask(before)
    assert (mode(cache), mode(file)) == (0o700, 0o600)


def writable(path):
    path.chmod(0o702)


def of_a_group(path):
    path.chmod(0o720)


def given_away(path):
    os.chown(path, OTHER, -1)


CHANGES = [writable, of_a_group, pytest.param(given_away, marks=ROOT_ALONE)]


@pytest.mark.parametrize("change", CHANGES)
def test_what_others_may_write_is_not_read_and_one_log_line_says_why(cache, caplog, change):
    kept(cache)
    change(cache)
    for _ in range(3):
        assert kernel_cache.recall("key", ".bin") is None
    assert kernel_cache.recall("other", ".bin") is None
    (line,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    words = line.getMessage()
    assert str(cache) in words
    assert "set CC_RAPIDS_CACHE" in words
    assert (f"user {OTHER}" if change is given_away else "chmod go-w") in words


def test_a_folder_that_others_may_write_is_not_written_either(cache, caplog):
    file = kept(cache)
    cache.chmod(0o777)
    kernel_cache.keep("new", ".bin", b"content")
    assert list(cache.rglob("*.bin")) == [file]
    assert len(caplog.records) == 1
    cache.chmod(0o700)
    assert kernel_cache.recall("key", ".bin") == b"content"


def test_a_file_under_the_name_of_another_is_broken(cache, caplog):
    file = kept(cache)
    kernel_cache.keep("other", ".bin", b"another")
    (other,) = set(cache.rglob("*.bin")) - {file}
    other.rename(file)
    assert kernel_cache.recall("key", ".bin") is None
    assert "damaged" in caplog.text


SMALL = """
import numpy as np, cc_rapids
found = cc_rapids.components((np.array([1, 2]), np.array([2, 3])))
assert found.labels().labels.tolist() == [1, 1, 1]
"""


def fill(count, first=0, length=1000):
    for k in range(first, first + count):
        kernel_cache.keep(str(k), ".bin", bytes(length))


def test_the_store_stays_within_its_bound_and_the_oldest_files_go(cache, monkeypatch):
    monkeypatch.setenv("CC_RAPIDS_CACHE_SIZE", "10000B")
    for k in range(9):
        kernel_cache.keep(str(k), ".bin", bytes(1000))
        os.utime(kernel_cache._path(str(k), ".bin"), (1000 + k, 1000 + k))
    assert kernel_cache.recall("2", ".bin") == bytes(1000)  # used again: it is the newest now
    fill(1, first=9)
    assert size(cache) <= 10_000
    there = [k for k in range(10) if kernel_cache.recall(str(k), ".bin") is not None]
    assert there == [2, 4, 5, 6, 7, 8, 9]
    fill(50, first=100)
    assert size(cache) <= 10_000


@pytest.mark.parametrize(
    ("said", "bytes_"),
    [
        ("", 1 << 30),
        ("5000", 5000),
        ("1.5 KiB", 1536),
        ("2gib", 2 << 30),
        ("0", 0),
        ("1MiB", 1 << 20),
    ],
)
def test_the_bound_is_a_size(cache, monkeypatch, said, bytes_):
    monkeypatch.setenv("CC_RAPIDS_CACHE_SIZE", said)
    assert kernel_cache.bound() == bytes_


@pytest.mark.parametrize("said", ["much", "-1", "1 parsec", "nan", "1e9", "9" * 400])
def test_a_bound_that_is_no_size_is_told_once(cache, monkeypatch, caplog, said):
    monkeypatch.setenv("CC_RAPIDS_CACHE_SIZE", said)
    assert kernel_cache.bound() == kernel_cache.bound() == 1 << 30
    assert len(caplog.records) == 1
    assert "is not a size such as 512MiB" in caplog.text


def test_what_is_larger_than_the_bound_is_not_kept_and_a_lower_bound_holds(cache, monkeypatch):
    fill(5)
    monkeypatch.setenv("CC_RAPIDS_CACHE_SIZE", "2500")
    monkeypatch.setattr(kernel_cache, "_bytes_left", {})
    kernel_cache.keep("large", ".bin", bytes(5000))
    assert kernel_cache.recall("large", ".bin") is None
    assert size(cache) <= 2500
    monkeypatch.setenv("CC_RAPIDS_CACHE", str(cache / "other"))
    monkeypatch.setenv("CC_RAPIDS_CACHE_SIZE", "0")
    kernel_cache.keep("key", ".bin", b"content")
    assert not (cache / "other").exists()


def test_other_files_are_neither_counted_nor_removed(cache, monkeypatch):
    cache.mkdir(parents=True, mode=0o700)
    others = [cache / "notes.txt", cache / "more" / "notes.txt"]
    for path in others:
        path.parent.mkdir(exist_ok=True, mode=0o700)
        path.write_bytes(bytes(9000))
    monkeypatch.setenv("CC_RAPIDS_CACHE_SIZE", "3000")
    fill(6)
    assert kernel_cache.survey().bytes <= 3000
    assert kernel_cache.clear()[0] >= 1
    assert all(path.exists() for path in others)
    assert kernel_cache.survey().files == 0


def test_files_on_their_way_are_left_and_leftovers_are_not(cache, monkeypatch):
    monkeypatch.setenv("CC_RAPIDS_CACHE_SIZE", "3000")
    file = kept(cache)
    fresh, old = (file.with_name(f"new-{k * 16}") for k in "ab")
    for path in (fresh, old):
        path.write_bytes(bytes(2000))
    os.utime(old, (1000, 1000))
    monkeypatch.setattr(kernel_cache, "_bytes_left", {})
    fill(1)
    assert fresh.exists()
    assert not old.exists()


def work(first):
    fill(40, first)
    return [
        k
        for k in range(first, first + 40)
        if kernel_cache.recall(str(k), ".bin") not in (None, bytes(1000))
    ]


def test_processes_do_not_disturb_each_other(cache, monkeypatch):
    """Some clear the store while others write; none reads anything but what was kept."""
    monkeypatch.setenv("CC_RAPIDS_CACHE_SIZE", "20000")
    with ProcessPoolExecutor(3, mp_context=get_context("fork")) as pool:
        found = [pool.submit(work, first) for first in (0, 20, 40)]
        for _ in range(5):
            kernel_cache.clear()
        assert [future.result() for future in found] == [[], [], []]
    assert size(cache) <= 20_000
    assert not list(cache.rglob("new-*"))


def test_a_survey_says_what_there_is(cache):
    assert kernel_cache.survey() == kernel_cache.Cache(
        str(cache), 0, 0, 1 << 30, None, None, True, None
    )
    fill(3)
    found = kernel_cache.survey()
    assert (found.files, found.bytes) == (3, size(cache))
    assert (found.owner, found.mode, found.used) == (os.geteuid(), "0700", True)
    cache.chmod(0o770)
    found = kernel_cache.survey()
    assert (found.mode, found.used) == ("0770", False)
    assert "may be written by others (mode 0770)" in found.why
    with pytest.raises(PermissionError, match="nothing was removed"):
        kernel_cache.clear()
    cache.chmod(0o700)
    assert kernel_cache.clear() == (3, 3 * 1032)
    assert list(cache.iterdir()) == []


@pytest.mark.extended
@pytest.mark.slow
def test_a_run_goes_on_by_compiling(cache, caplog):
    cache.mkdir(parents=True)
    cache.chmod(0o777)
    environment = with_package(os.environ) | {"CC_RAPIDS_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", SMALL], env=environment, check=True, capture_output=True, text=True
    )
    assert done.stderr.count("\n") == 1
    assert f"{cache} may be written by others (mode 0777): chmod go-w {cache}" in done.stderr
    assert list(Path(cache).iterdir()) == []
