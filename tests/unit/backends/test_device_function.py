"""Fingerprints of kernels, and the store that they are the keys of."""

import inspect
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cc_rapids import backends
from cc_rapids.backends import kernel_cache
from cc_rapids.backends.device_function import Part, _text

pytestmark = pytest.mark.slow

THREADS = backends.get("threads")


def constant_kernel(value):
    @THREADS.elementwise
    def store_value(i, out):
        out[i] = value

    return store_value


def nested_kernel(value):
    inner_value = value

    @THREADS.device
    def inner(x):
        return x + inner_value

    @THREADS.elementwise
    def outer(i, out):
        out[i] = inner(out[i])

    return outer


def test_a_fingerprint_is_the_same_for_the_same_text():
    assert constant_kernel(1).part.fingerprint == constant_kernel(1).part.fingerprint


@pytest.mark.parametrize("make", [constant_kernel, nested_kernel])
def test_a_fingerprint_sees_values_behind_closures(make):
    prints = {make(v).part.fingerprint for v in (1, 2, np.uint32(1), np.uint64(1), True)}
    assert len(prints) == 5


def test_a_fingerprint_sees_a_function_to_its_end():
    @THREADS.device
    def added(
        x,
        y,
    ):
        """Its lines are found as the standard library finds them."""
        return (
            x
            + y
        )  # fmt: skip

    assert _text(added.function) == inspect.getsource(added.function)


def test_a_function_without_a_source_is_refused():
    known = {}
    exec("def added(x, y):\n    return x + y", known)
    with pytest.raises(OSError, match="added has no source"):
        _ = Part(known["added"]).fingerprint


def test_a_kernel_closes_over_numbers_and_parts_only():
    with pytest.raises(TypeError, match=r"not over \[1, 2\]"):
        _ = constant_kernel([1, 2]).part.fingerprint


def test_nested_parts_run():
    out = np.zeros(3, np.int64)
    nested_kernel(5)(3, out)
    assert out.tolist() == [5, 5, 5]


def test_the_store_gives_back_what_it_kept(own_store):
    assert kernel_cache.recall("key", ".bin") is None
    kernel_cache.keep("key", ".bin", b"content")
    assert kernel_cache.recall("key", ".bin") == b"content"
    assert kernel_cache.recall("other", ".bin") is None
    assert kernel_cache.recall("key", ".other") is None


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 100])
def test_a_broken_file_is_noticed_and_made_again(own_store, damage, caplog):
    kernel_cache.keep("key", ".bin", b"content")
    (file,) = own_store.rglob("*.bin")
    file.write_bytes(damage)
    assert kernel_cache.recall("key", ".bin") is None
    assert "damaged" in caplog.text
    kernel_cache.keep("key", ".bin", b"content")
    assert kernel_cache.recall("key", ".bin") == b"content"


def test_writers_do_not_disturb_each_other(own_store):
    content = {k: bytes([k]) * 100_000 for k in range(4)}

    def work(_):
        for k, value in content.items():
            kernel_cache.keep(str(k), ".bin", value)
            assert kernel_cache.recall(str(k), ".bin") == value

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(32)))
    assert len(list(own_store.iterdir())) == 4


def test_a_folder_that_cannot_be_written_costs_a_log_line(tmp_path, monkeypatch, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("CC_RAPIDS_CACHE", str(blocked))
    kernel_cache.keep("key", ".bin", b"content")
    assert "not kept" in caplog.text
    assert kernel_cache.recall("key", ".bin") is None
    out = np.zeros(2, np.int64)
    constant_kernel(123)(2, out)
    assert out.tolist() == [123, 123]


SECOND = """
import numba, numpy as np
from cc_rapids import components
compiled = []
numba.core.event.register("numba:compile", type("L", (numba.core.event.Listener,), {
    "on_start": lambda self, event: compiled.append(event), "on_end": lambda self, event: None})())
found = components((np.array([1, 2]), np.array([2, 3])))
assert found.labels().labels.tolist() == [1, 1, 1]
print(len(compiled))
"""


def test_a_second_process_compiles_nothing(own_store):
    counts = [
        int(subprocess.run([sys.executable, "-c", SECOND], capture_output=True, text=True,
                           check=True).stdout)
        for _ in range(2)
    ]  # fmt: skip
    assert counts[0] > 0
    assert counts[1] == 0


ALIKE = """
import itertools, sys
import numpy as np
from numba.core import bytecode
from cc_rapids import backends

bytecode.FunctionIdentity._unique_ids = itertools.repeat(1)  # as if processes had counted alike
threads = backends.get("threads")

def kernel(value):
    @threads.device
    def climb(parent, v):
STEPS
        return v + value

    @threads.elementwise
    def run(i, parent, out):
        a = climb(parent, i)
        out[i] = climb(parent, a - a)

    return run

for value in map(int, sys.argv[1:]):
    out = np.zeros(1, np.uint64)
    kernel(np.uint64(value))(1, np.zeros(1, np.uint64), out)
    print(*out)
""".replace("STEPS", 99 * "        v = parent[parent[v]]\n")  # too long to be inlined


@pytest.mark.extended
def test_code_from_a_store_is_not_taken_for_other_code_of_the_same_name(own_store):
    script = own_store / "alike.py"
    script.write_text(ALIKE)
    for words in (["5"], ["7", "5"]):
        made = subprocess.run([sys.executable, script, *words], capture_output=True, check=True)
        assert made.stdout.decode().split() == words
