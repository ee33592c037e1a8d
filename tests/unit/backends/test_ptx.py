"""The instructions that numba-cuda makes of kernels, read and run in an emulator without a GPU."""

import os
import re
import threading

import numpy as np
import pytest
from support import ptx
from support.choices import some

from cc_rapids.backends import compile as compiler
from cc_rapids.backends.dry_run import recorded_launches
from cc_rapids.ids.range import ORDER_OF_TYPE
from cc_rapids.kernels import edges, id_range

CAPABILITY = (8, 0)
ONE, TWO = map(np.uint64, (1, 2))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("CC_RAPIDS_SIMULATOR", "0") not in ("", "0"),
        reason="the simulator compiles nothing",
    ),
]


def made(make, *signature):
    """Return the instructions of a kernel for the types of its arguments."""
    with recorded_launches() as on:
        kernel = make(on)
    return compiler.to_ptx(kernel, signature, CAPABILITY)


def ran(make, n, *arguments, **how):
    """Run a kernel in two blocks."""
    found = made(make, *compiler.signature_of(arguments))
    ptx.launch(found, n, arguments, threads=64, blocks=2, **how)


@some("dtype", ["int32", "int64", "uint32", "uint64"], usual=["int64"])
def test_the_range_of_ids_is_that_of_all_threads(dtype):
    """Each thread's bounds have high bits, whatever the ids: all 64 are to reach other lanes."""
    ids = np.random.default_rng(5).integers(1000, np.iinfo(dtype).max, (2, 150), dtype)
    src, dst = ids.copy()
    bounds, counts = np.full(2, 2**64 - 1, np.uint64), np.zeros(2, np.uint64)

    def scan(on):
        return on.kernel(id_range.sampled_scan, *ORDER_OF_TYPE[ids.dtype], on.kernel(edges.every))

    ran(scan, 150, 30, 150, 5, src, dst, bounds, counts)
    low, high = bounds.tolist()
    _, sign = ORDER_OF_TYPE[ids.dtype]
    assert (low - sign, 2**64 - 1 - high - sign) == (ids.min(), ids.max())
    falling = src[::5] > src[np.minimum(np.arange(0, 150, 5) + 75, 149)]
    assert counts.tolist() == [0, falling.sum()]


def test_neighbouring_lanes_swap_whole_numbers():
    def swap(on):
        other = on.warp_shuffle_xor

        @on.elementwise
        def swap(i, array):
            array[i] = other(array[i])

        return swap

    given = np.arange(128) * 0x123456789 - (1 << 38)
    swapped = given.copy()
    ran(swap, 128, swapped)
    assert (swapped.reshape(-1, 2) == given.reshape(-1, 2)[:, ::-1]).all()


@pytest.mark.parametrize("word", ["add", "or", "max", "cas"])
def test_atomic_operations_reach_the_memory_of_a_block(word):
    """Each block combines its threads' numbers there, and writes the result."""

    def combine(on):
        operation, wait = getattr(on, f"atomic_{word}"), on.block_sync
        if word == "cas":
            swap = operation

            @on.device
            def operation(array, i, value):
                swap(array, i, np.uint32(0), value)

        @on.block_kernel(4)
        def combine(k, t, step, shared, values, found):
            if t == np.uint64(0):
                shared[np.uint64(3)] = np.uint32(0)
            wait()
            operation(shared, np.uint64(3), values[k * step + t])
            wait()
            if t == np.uint64(0):
                found[k] = shared[np.uint64(3)]

        return combine

    values = np.random.default_rng(6).integers(1, 2**25, (2, 64), np.uint32)
    right = {
        "add": values.sum(1, np.uint32),
        "or": np.bitwise_or.reduce(values, 1),
        "max": values.max(1),
        "cas": values[:, 0],
    }
    found = np.zeros(2, np.uint32)
    ran(combine, 2, values.ravel(), found, shared_bytes=16)
    assert (found == right[word]).all()


def test_the_launch_says_how_much_memory_a_block_shares():
    def turn(on):
        wait = on.block_sync

        @on.block_kernel(64)
        def turn(k, t, step, shared, array):
            shared[t] = array[t]
            wait()
            array[t] = shared[step - t]

        return turn

    found = made(turn, "uint32[::1]")
    [name] = re.findall(r"^\.extern \.shared .* (\S+)\[\];", found, re.M)
    assert found.count(name) > 1
    assert not re.search(r"^\s*\.shared", found, re.M)
    compiler.link(found, CAPABILITY)


def test_arithmetic_without_signs_has_none():
    """All but one comparison here is of numbers without a sign, some of them with literals."""

    def mixed(on):
        @on.elementwise
        def mixed(i, a, b, s, t):
            a[i] = (a[i] >> 3) // a[i + ONE] % a[i + TWO]
            b[i] = (b[i] >> np.uint32(3)) // b[i + ONE]
            a[i + ONE] = a[i] if b[i] < 5 else np.uint64(t[i])
            a[i + TWO] = a[i] if b[i] < a[i + ONE] else a[i] * b[i]
            s[i] = s[i] if s[i] < s[i + ONE] else b[i]

        return mixed

    found = made(mixed, "uint64[::1]", "uint32[::1]", "int64[::1]", "int32[::1]")
    assert set(re.findall(r"(?:shr|div|rem|setp\.(?:lt|le|gt|ge))\.s\d+", found)) == {"setp.lt.s64"}
    assert {"shr.u64", "shr.u32", "div.u64", "div.u32", "rem.u64"} <= set(
        re.findall(r"(?:shr|div|rem)\.u\d+", found)
    )
    assert "ld.global.s32" in found  # what has a sign is widened by it


def test_other_threads_ask_for_the_real_device(monkeypatch):
    dispatcher = pytest.importorskip("numba.cuda.dispatcher")
    real = object()
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: real)
    monkeypatch.setattr(compiler, "_pretended_device", compiler._pretended_device.__wrapped__)
    inside, other = threading.Barrier(2), []

    def another():
        with compiler._pretend((7, 5)):
            inside.wait()
            other.append(dispatcher.get_current_device().compute_capability)
            inside.wait()
        other.append(dispatcher.get_current_device())

    thread = threading.Thread(target=another)
    thread.start()
    inside.wait()
    assert dispatcher.get_current_device() is real
    with compiler._pretend((9, 0)):
        assert dispatcher.get_current_device().compute_capability == (9, 0)
        inside.wait()
        thread.join()
        assert dispatcher.get_current_device().compute_capability == (9, 0)
    assert dispatcher.get_current_device() is real
    assert other == [(7, 5), real]
