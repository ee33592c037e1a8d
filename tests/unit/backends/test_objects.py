"""Machine code that wheels bring for threads: loaded where it fits, and compiled elsewhere."""

import zipfile

import numpy as np
import pytest
from support.common_jobs import few_kernels

from cc_rapids.backends import kernel_cache, kernel_times, objects, readiness, threads

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch, own_store):
    """A file of kernels, which this process is able to run, and an empty kernel cache."""
    monkeypatch.setattr(objects, "FILE", tmp_path / "objects" / "made.zip")
    monkeypatch.setattr(objects, "processor", lambda: ("", objects.FLAGS | {"sse2"}))
    monkeypatch.setattr(objects.platform, "machine", lambda: "x86_64")
    objects._archive.cache_clear()
    yield objects.FILE
    objects._archive.cache_clear()


@pytest.fixture(scope="module")
def made():
    """A few kernels, and their code for this machine."""
    kernels = few_kernels("threads")
    return {which: threads.to_object(kernel, which[2]) for which, kernel in kernels.items()}


def ship(made):
    objects.write(dict(made.values()))
    objects._archive.cache_clear()


def compiled_kernels(made):
    """Return how many of the kernels are compiled, as in a new process."""
    with kernel_times.watched() as times:
        for (_, _, signature), kernel in few_kernels("threads").items():
            threads.compile_kernel(kernel, signature)
    return times.compiled


def test_kernels_of_a_wheel_are_loaded(made):
    ship(made)
    assert objects.are_usable()
    assert compiled_kernels(made) == 0
    assert kernel_cache.survey().files == 0


def test_loaded_kernels_do_what_they_did(made):
    ship(made)
    (shape, _, signature), *_ = [key for key in made if key[0] == "grid_stride"]
    kernel = next(k for k in few_kernels("threads").values() if k.shape == shape)
    run = threads.compile_kernel(kernel, signature)
    parent = np.empty(9, np.uint32)
    run(0, 9, parent)
    assert parent.tolist() == list(range(9))


def test_with_a_wheel_no_call_waits(made, monkeypatch):
    monkeypatch.delenv(readiness.WAIT)
    assert not readiness.Readiness().is_ready()
    ship(made)
    assert readiness.Readiness().is_ready()


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(objects, "version", lambda name: "0.1"),
        lambda patch: patch.setattr(kernel_cache, "source_of", lambda *files: "changed"),
        lambda patch: patch.setattr(
            objects.sysconfig, "get_config_var", lambda name: "cpython-399t"
        ),
        lambda patch: patch.setattr(objects, "processor", lambda: ("", objects.FLAGS - {"avx2"})),
        lambda patch: patch.setattr(objects.platform, "machine", lambda: "aarch64"),
        lambda patch: patch.setattr(objects.sys, "platform", "darwin"),
    ],
    ids=["versions", "compiler code", "Python", "processor", "machine", "system"],
)
def test_code_of_another_recipe_is_not_loaded(made, change, monkeypatch):
    ship(made)
    change(monkeypatch)
    assert not objects.are_usable()
    assert objects.recall(*next(iter(made.values()))[0]) is None


def test_a_changed_kernel_is_compiled(made):
    (kernel, signature), _ = next(iter(made.values()))
    ship(made)
    assert objects.recall(kernel, signature) is not None
    assert objects.recall(kernel, f"{signature} changed") is None
    assert objects.recall(f"{kernel} changed", signature) is None


def test_a_broken_file_is_reported(made, file, caplog):
    ship(made)
    content = bytearray(file.read_bytes())
    content[80:120] = bytes(40)
    file.write_bytes(content)
    objects._archive.cache_clear()
    assert compiled_kernels(made) >= 1
    assert "cannot be read" in caplog.text
    file.write_bytes(b"no archive")
    objects._archive.cache_clear()
    assert not objects.are_usable()


def test_the_file_depends_on_the_kernels_only(made, file):
    ship(made)
    first = file.read_bytes()
    objects.write(dict(reversed(made.values())))
    assert file.read_bytes() == first
    assert {info.date_time for info in zipfile.ZipFile(file).infolist()} == {objects.DATE}
    assert b"/cc_rapids/" not in b"".join(content for _, content in made.values())
