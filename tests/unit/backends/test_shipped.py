"""PTX that wheels bring: linked where it fits, and compiled again where it does not."""

import lzma
import os
import re

import numpy as np
import pytest
from support.choices import some
from support.common_jobs import NAMES, few_kernels

from cc_rapids.backends import compile as compiler
from cc_rapids.backends import kernel_times, shipped

pytest.importorskip("numba_cuda", reason="the compiler for GPUs is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("CC_RAPIDS_SIMULATOR", "0") not in ("", "0"),
        reason="the simulator compiles nothing",
    ),
]
TURING = (7, 5)


@pytest.fixture(scope="module")
def kernels():
    """Two short kernels with their signatures, and another one."""
    names = *NAMES, "mark_roots"
    few = few_kernels("cuda", names)
    named = {k.part.function.__name__: (k, key[2]) for key, k in few.items()}
    return [named[name] for name in names]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, own_store):
    """A folder for PTX, and an empty kernel cache."""
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "ptx")
    forget()
    yield tmp_path / "ptx"
    forget()


def forget():
    """Read the file again, as a new process does."""
    shipped._ptx_texts.cache_clear()
    compiler._recipe.cache_clear()


def ship(kernels, capability=TURING):
    made = {which: compiler.to_ptx(*which, capability) for which in kernels}
    shipped.write(made, capability)
    forget()
    return made


def stored(which, capability=TURING):
    """The kernel, and how many were compiled for it."""
    with kernel_times.watched() as times:
        found = compiler.stored(*which, capability)
    return found, times.compiled


@pytest.mark.extended
def test_kernels_of_a_wheel_are_linked(kernels, folder):
    compiled = [compiler.compile_kernel(*which, TURING) for which in kernels[:2]]
    ship(kernels[:2])
    assert [path.name for path in folder.iterdir()] == ["sm_75.xz"]
    for which, own in zip(kernels, compiled, strict=False):
        found, count = stored(which)
        assert count == 0
        assert (found.registers, found.spills, len(found.cubin)) == (
            *(own.registers, own.spills, len(own.cubin)),
        )
    assert stored(kernels[2])[1] == 1


@pytest.mark.extended
def test_a_wheel_of_other_source_is_not_taken(kernels, monkeypatch):
    ship(kernels[:1])
    monkeypatch.setattr("cc_rapids.backends.kernel_cache.source_of", lambda *files: "changed")
    forget()
    assert stored(kernels[0])[1] == 1


def test_cached_code_is_not_that_of_another_wheel(kernels):
    assert stored(kernels[0])[1] == 1
    assert stored(kernels[0])[1] == 0
    ship(kernels[1:2])
    assert stored(kernels[0])[1] == 1


@pytest.mark.parametrize("damage", [lambda content: content[:-40], lambda content: b"no xz"])
def test_a_damaged_file_is_told_and_not_taken(kernels, folder, caplog, damage):
    ship(kernels[:1])
    path = folder / "sm_75.xz"
    path.write_bytes(damage(path.read_bytes()))
    forget()
    assert stored(kernels[0])[1] == 1
    assert "cannot be read" in caplog.text


def test_a_changed_bit_is_noticed(kernels, folder):
    ship(kernels[:1])
    path = folder / "sm_75.xz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(lzma.LZMAError):
        lzma.decompress(path.read_bytes())


def test_what_does_not_link_is_compiled(kernels, caplog):
    made = ship(kernels[:1])
    broken = {which: ptx.replace("ret;", "nothing;") for which, ptx in made.items()}
    shipped.write(broken, TURING)
    forget()
    with caplog.at_level("INFO", compiler.__name__):
        found, count = stored(kernels[0])
    assert (count, found.cubin[:4]) == (1, b"\x7fELF")
    assert "compiled again" in caplog.text


@pytest.mark.parametrize(
    ("capability", "file"),
    [
        ((7, 5), "sm_75"),
        ((8, 6), "sm_80"),
        ((8, 9), "sm_80"),
        ((9, 0), "sm_90"),
        ((12, 1), "sm_120"),
    ],
)
def test_a_generation_shares_a_file(kernels, folder, capability, file):
    folder.mkdir()
    (folder / f"{file}.xz").write_bytes(lzma.compress(b'{"a": "b"}'))
    forget()
    assert shipped._ptx_texts(capability) == {"a": "b"}
    assert shipped.digest(capability) != "none"


@pytest.mark.parametrize("capability", [(7, 0), (9, 0), (13, 0)])
def test_of_other_generations_there_is_none(capability):
    assert shipped._ptx_texts(capability) == {}
    assert shipped.digest(capability) == "none"


@some("capability", shipped.OLDEST, usual=list(shipped.OLDEST)[:1], ids=str)
def test_the_oldest_version_of_ptx_links_to_the_same_code(kernels, capability):
    for which in kernels:
        ptx = compiler.to_ptx(*which, capability)
        old = shipped._with_oldest_version(ptx, capability)
        assert re.findall(r"^\.version (.*)$", old, re.M) == [shipped.OLDEST[capability]]
        assert compiler.link(old, capability).cubin == compiler.link(ptx, capability).cubin


@pytest.mark.extended
def test_keys_tell_types_apart(kernels):
    kernel, signature = kernels[0]
    other = tuple(word.replace("32", "64") for word in signature)
    assert shipped._key(kernel, signature) != shipped._key(kernel, other)
    assert np.unique([shipped._key(*which) for which in kernels]).size == len(kernels)
