"""Rows by the backend of GPUs itself, whose driver runs kernels as Python on the host."""

import numpy as np
import pytest
from support import fake_gpu, lies
from support.fake_gpu import Driver

import cc_rapids
from cc_rapids import Csr, InputError, oracle
from cc_rapids.kernels import id_range

WAITS = ("wait", "wait for all")


@pytest.fixture(autouse=True)
def gpu():
    """The backend of GPUs over the stand-ins."""
    with fake_gpu.installed() as backend:
        yield backend


def given(offsets, indices, symmetric=True):
    """Rows in the memory of the stand-in."""
    return Csr(fake_gpu.CUPY.asarray(offsets), fake_gpu.CUPY.asarray(indices), symmetric)


def launches_of(work):
    """What the driver was asked for, without memory."""
    Driver.calls.clear()
    work()
    return [call for call in Driver.calls if call not in ("memset", "copy")]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("symmetric", [True, False])
def test_ids_are_read_while_the_host_prepares_the_run(dtype, symmetric):
    """The host waits for the offsets, and then for the number of vertices alone."""
    offsets, indices = lies.rows(dtype=dtype)
    rows, found = given(offsets, indices, symmetric), []
    calls = launches_of(lambda: found.append(cc_rapids.components(rows, engine="cuda")))
    calls = calls[calls.index("first_wrong_offset") :]  # the rows are brought there before
    assert calls.index("note_outside") < calls.index("wait") < calls.index("init_singletons")
    assert sum(call in WAITS for call in calls) == 2
    assert not {"find_bounds", "sampled_scan"} & set(calls)
    src = np.repeat(np.arange(lies.N), np.diff(offsets))
    labels = np.asarray(found[0].labels().labels)
    np.testing.assert_array_equal(labels, oracle.union_find(src, indices, lies.N))


@pytest.mark.parametrize("value", [-1, lies.N, 2**31 - 1, -(2**31), 2**40, 2**63 - 1])
@pytest.mark.parametrize("place", [0, 17, -1])
def test_an_entry_that_is_no_vertex_is_named(value, place):
    dtype = np.int32 if abs(value) <= 2**31 and value != 2**31 else np.int64
    offsets, indices = lies.rows(dtype=dtype)
    indices[place] = value
    for symmetric in (True, False):
        with pytest.raises(InputError, match=f"'indices' holds {value:,}, but an adjacency list"):
            cc_rapids.components(given(offsets, indices, symmetric), engine="cuda")


def test_an_entry_of_rows_that_no_sample_reads_is_named():
    """All others lead to one vertex, so that a run with a sample leaves out the rest of a row."""
    n = 400
    offsets = np.arange(n + 1) * 5
    indices = np.zeros(5 * n, np.int32)
    indices[5 * 123 + 4] = n
    with pytest.raises(InputError, match=f"'indices' holds {n}"):
        cc_rapids.components(given(offsets, indices), engine="cuda")


def test_offsets_are_wrong_before_entries_are():
    offsets, indices = lies.rows()
    indices[3] = lies.N
    offsets[5] = -4
    with pytest.raises(InputError, match=r"offsets\[5\] is -4"):
        cc_rapids.components(given(offsets, indices), engine="cuda")
    narrow = np.array([-3, 1], np.int8)  # does not hold the number of each row: read before a run
    falling = np.r_[0, np.full(199, 9), 2]
    for wrong, said in ((falling, r"offsets\[1\] is 9"), ([0], "has no row"), ([], "is empty")):
        with pytest.raises(InputError, match=said):
            cc_rapids.components(given(np.array(wrong, np.int64), narrow), engine="cuda")


@pytest.mark.parametrize("n", [2**31, 2**32 - 1, 2**32, 2**32 + 1])
def test_as_many_vertices_as_32_bits_number(gpu, n):
    """Each index of 32 bits is one of them from 2^32 on."""
    for dtype, greatest in ((np.int32, 2**31 - 1), (np.uint32, 2**32 - 1)):
        outside = np.zeros(1, np.int64)
        wide = np.promote_types(np.uint32 if n < 1 << 32 else np.uint64, np.uint32).type
        note = gpu.kernel(id_range.note_outside, wide)
        note(
            2,
            np.array([3, greatest], dtype).view(fake_gpu.Array),
            0,
            n,
            outside.view(fake_gpu.Array),
        )
        assert bool(outside[0]) == (greatest >= n)
