"""Both compilers make of one kernel what its words say: nothing without a sign gets one.

Some kernels run, too, in an emulator of the instructions that a compiler has made.
"""

import itertools
import os
import re
import threading
from importlib.util import find_spec

import numpy as np
import pytest
from support import ptx

import cc_rapids
from cc_rapids.backends import compile as compiler
from cc_rapids.backends import mlir
from cc_rapids.backends.dry_run import Rehearsal, rehearsed
from cc_rapids.backends.memory.packing import PackedArgs
from cc_rapids.ids.range import decoded, order_of_type
from cc_rapids.kernels import edges, id_range
from cc_rapids.tuning import tuning

CAPABILITY = (8, 0)
INSTALLED = {"numba-cuda": "numba_cuda", "numba-cuda-mlir": "numba_cuda_mlir"}
HIGHEST, ONE, TWO = map(np.uint64, (1 << 63, 1, 2))

pytestmark = pytest.mark.skipif(
    os.environ.get("CC_RAPIDS_SIMULATOR", "0") not in ("", "0"),
    reason="the simulator compiles nothing",
)


@pytest.fixture(params=compiler.COMPILERS)
def name(request):
    """The name of each compiler that is installed."""
    if not find_spec(INSTALLED[request.param]):
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture
def made(name):
    """The instructions of a kernel by each compiler: ``made(make, *types of arguments)``."""

    def made(make, *signature):
        with rehearsed() as on:
            kernel = make(on)
        return compiler.to_ptx(kernel, signature, CAPABILITY, name)

    return made


@pytest.fixture
def ran(name, made):
    """Run a kernel by each compiler, in two blocks: ``ran(make, n, *arguments)``."""

    def ran(make, n, *arguments, **how):
        found = made(make, *compiler.signature_of(arguments))
        ptx.launch(name, found, n, arguments, threads=64, blocks=2, **how)

    return ran


def test_compilers_are_those_of_the_test():
    assert compiler.COMPILERS.keys() == INSTALLED.keys()


@pytest.mark.parametrize(("dtype", "kind"), [("uint32", "u32"), ("int64", "s64")])
@pytest.mark.parametrize("word", ["min", "max"])
def test_atomic_extremes_compare_as_the_array_does(made, word, dtype, kind):
    def extreme(on):
        operation = getattr(on, f"atomic_{word}")

        @on.elementwise
        def extreme(i, array, values):
            operation(array, i, values[i])

        return extreme

    found = made(extreme, f"{dtype}[::1]", f"{dtype}[::1]")
    assert re.findall(r"(?:atom|red)\S*\.(?:min|max)\.\w+", found)[0].endswith(f"{word}.{kind}")


@pytest.mark.parametrize(("dtype", "kind"), [("uint32", "u"), ("int32", "s")])
@pytest.mark.parametrize("numbers", [2, 3])
def test_extremes_compare_as_their_numbers_do(made, dtype, kind, numbers):
    two = numbers == 2

    def least(on):
        @on.elementwise
        def least(i, a, b):
            a[i] = min(a[i], b[i]) if two else min(a[i], b[i], b[i])

        return least

    found = made(least, f"{dtype}[::1]", f"{dtype}[::1]")
    others = {"u": "s", "s": "u"}[kind]
    assert re.search(rf"(?:min|setp\.\w+)\.{kind}\d\d", found)
    assert not re.search(rf"min\.{others}\d\d", found)


def test_an_index_without_a_sign_is_widened_by_zeros(made):
    def taken(on):
        @on.elementwise
        def taken(i, array, places):
            array[i] = array[places[i]]

        return taken

    found = made(taken, "uint64[::1]", "uint32[::1]")
    [[name, loaded]] = re.findall(r"ld\.global\.(?:nc\.)?u32\s+(%r(d?)\d+)", found)
    widened = re.findall(rf"(?:cvt|mul\.wide)\S*(?=\s+%rd\d+, {name}\b)", found)
    assert loaded == "d" or widened in (
        ["mul.wide.u32"],
        ["cvt.u64.u32"],
    )  # as it is loaded, or later


def test_swaps_and_fences_are_instructions(made):
    def swap(on):
        cas, fence = on.atomic_cas, on.memory_fence

        @on.elementwise
        def swap(i, array):
            if cas(array, i, np.uint32(1), np.uint32(2)) == np.uint32(1):
                fence()
                array[i] = np.uint32(3)

        return swap

    found = made(swap, "uint32[::1]")
    [at] = re.finditer(r"atom\S*\.cas\.b32", found)
    fence = re.search(r"membar\.gl|fence\.\w+\.gpu", found)
    assert at.start() < fence.start() < found.index("st.global", fence.start())


def test_the_highest_bit_may_be_a_constant(made):
    def flip(on):
        @on.elementwise
        def flip(i, array):
            array[i] ^= HIGHEST

        return flip

    found = made(flip, "uint64[::1]")
    assert re.search(
        r"xor\.b64\s+%rd\d+, %rd\d+, (?:-9223372036854775808|0x8000000000000000)", found
    )


def test_functions_share_memory_and_pass_arguments_on(made):
    def total(on):
        add = on.block_reduce_add

        @on.grid_stride
        def total(first, n, step, *arrays):
            add(arrays[0], np.uint64(0), np.uint64(first))
            add(arrays[1], np.uint64(0), np.uint64(n))

        return total

    found = made(total, "uint64[::1]", "uint64[::1]")
    assert re.search(r"\.shared .*\[256\];", found)
    assert len(re.findall(r"(?:atom|red)\S*\.add\.u64", found)) == 2
    binary = compiler.link(found, CAPABILITY)
    assert binary.stack == binary.spills == binary.local == 0


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_the_range_of_ids_is_that_of_all_threads(ran, dtype):
    """Each thread's bounds have high bits, whatever the ids: all 64 are to reach other lanes."""
    ids = np.random.default_rng(5).integers(1000, np.iinfo(dtype).max, (2, 150), dtype)
    src, dst = ids.copy()
    bounds, counts = np.full(2, 2**64 - 1, np.uint64), np.zeros(2, np.uint64)

    def scan(on):
        return on.kernel(id_range.sampled_scan, *order_of_type(ids), on.kernel(edges.every))

    ran(scan, 150, 30, 150, 5, src, dst, bounds, counts)
    assert decoded(ids, *bounds.tolist()) == (ids.min(), ids.max())
    falling = src[::5] > src[np.minimum(np.arange(0, 150, 5) + 75, 149)]
    assert counts.tolist() == [0, falling.sum()]


def test_neighbouring_lanes_swap_whole_numbers(ran):
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
def test_atomic_operations_reach_the_memory_of_a_block(ran, word):
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


class Noted(Rehearsal):
    """Kernels and their first launch: for how many, and copies of the arguments."""

    def __init__(self):
        super().__init__()
        self.first = {}

    def launch(self, kernel, n, arguments):
        placed = [a.arrays() if isinstance(a, PackedArgs) else (a,) for a in arguments]
        given = [a if isinstance(a, int) else a.copy() for a in itertools.chain(*placed)]
        if n:
            self.first.setdefault(kernel.part.function.__name__, (kernel, n, given))
        super().launch(kernel, n, arguments)


def test_the_kernels_of_a_run_do_the_same_by_each_compiler():
    names = [name for name in compiler.COMPILERS if find_spec(INSTALLED[name])]
    ends = np.random.default_rng(7).integers(0, 500, (2, 300)).astype(np.int32)
    with rehearsed(Noted) as on, tuning.override(frequent_root_vertices=0, sampled_scan_edges=1):
        cc_rapids.components((ends[0].copy(), ends[1].copy()), engine="cuda").labels()
    for word in ("every_edge", "flatten", "gather"):  # the others would take as long to compile
        kernel, n, given = on.first[word]
        outcomes = []
        for name in names:
            arguments = [a if isinstance(a, int) else a.copy() for a in given]
            found = compiler.to_ptx(kernel, compiler.signature_of(given), CAPABILITY, name)
            ptx.launch(name, found, n, arguments, threads=64, blocks=-(-n // 64))
            outcomes.append([a if isinstance(a, int) else a.tolist() for a in arguments])
        assert all(outcome == outcomes[0] for outcome in outcomes), word


def test_the_launch_says_how_much_memory_a_block_shares(made):
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


def test_arithmetic_without_signs_has_none(made):
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


def test_steps_of_contiguous_arrays_are_known():
    """Of arrays at the places 1 to 5 and 7 to 11, around an integer; the second is strided."""
    loads = [f"ld.param.u64 \t%rd{place}, [kernel_param_{place}];" for place in range(12)]
    found = mlir._with_steps("\n".join(loads), ("uint32[::1]", "i8", "int64[:]")).split("\n")
    changed = {place: line for place, line in enumerate(found) if line != loads[place]}
    assert changed == {3: "mov.u64 \t%rd3, 0;", 5: "mov.u64 \t%rd5, 1;"}


def test_functions_that_are_nowhere_called_are_cut_out():
    mark = "\t// .globl\t"
    head = "// head\n" + mark + "kernel\n.visible .entry kernel() { call used; }\n"
    used, unused = (f"{mark}{name}\n.visible .func {name}() {{}}\n" for name in ("used", "unused"))
    assert mlir._without_unused(head + unused + used) == head + used


def test_other_threads_ask_for_the_real_device(monkeypatch):
    dispatcher = pytest.importorskip("numba.cuda.dispatcher")
    real = object()
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: real)
    monkeypatch.setattr(compiler, "_devices", compiler._devices.__wrapped__)
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
