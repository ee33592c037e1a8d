"""Offsets that lie are refused where they are read first, whichever door they come through."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from support import lies
from support.choices import each
from support.lies import LIES, N, rows
from support.refusals import refused

import cc_rapids
from cc_rapids import Connectivity, Csr, InputError
from cc_rapids.data.column import validated_copy
from cc_rapids.integrations import pylibcugraph
from cc_rapids.scipy import connected_components


def bent(kind, offsets, indices, n=N):
    """A matrix whose offsets are others than when it was made."""
    made = getattr(sparse, f"{kind}_array")((np.ones(indices.size), indices, rows()[0]), (n, n))
    made.indptr = offsets
    return made


# The door, and what it calls the offsets
DOORS = {
    "Csr": ("offsets", lambda o, i, engine: cc_rapids.components(Csr(o, i), engine=engine)),
    "both ways": ("offsets", lambda o, i, engine: cc_rapids.components(Csr(o, i, True))),
    "csr": ("indptr", lambda o, i, engine: cc_rapids.components(bent("csr", o, i), engine=engine)),
    "csc": ("indptr", lambda o, i, engine: cc_rapids.components(bent("csc", o, i), engine=engine)),
    "scipy": ("indptr", lambda o, i, engine: connected_components(bent("csr", o, i))),
    "pylibcugraph": (
        "offsets",
        lambda o, i, _: pylibcugraph.weakly_connected_components(None, None, o, i, None, None, 0),
    ),
    "explain": ("offsets", lambda o, i, engine: cc_rapids.components(Csr(o, i), explain=True)),
    "forest": ("offsets", lambda o, i, engine: cc_rapids.spanning_forest(Csr(o, i))),
    "batch": ("offsets", lambda o, i, engine: Connectivity(N).insert(Csr(o, i))),
    "query": ("offsets", lambda o, i, engine: Connectivity(N).connected(Csr(o, i))),
    "audit": (
        "offsets",
        lambda o, i, engine: cc_rapids.components(Csr(*rows())).audit(Csr(o, i)),
    ),
}


@pytest.mark.parametrize(("name", "door"), DOORS.values(), ids=DOORS)
def test_offsets_are_looked_at_behind_every_door(engine, name, door):
    offsets, indices = rows()
    m = indices.size
    for lie, (at, value) in {
        "far": (150, f"{10**12:,}, where row 149 ends, and there are {m:,} indices"),
        "negative": (150, f"-7, where row 149 ends, and there are {m:,} indices"),
        "all far": (1, f"{2**40:,}, where row 0 ends"),
        "unsigned": (1, f"{2**63 + 5:,}, where row 0 ends"),
        "falls once": (150, f"0, where row 149 ends, and begins at {offsets[149]:,}"),
        "begins late": (0, "3, but must be 0, because row 0 begins"),
    }.items():
        with pytest.raises(InputError) as raised:
            door(LIES[lie](offsets), indices, engine)
        assert str(raised.value).startswith(f"{name}[{at}] is {value}"), lie
        assert "begin at 0, never decrease, and end at the number of indices" in str(raised.value)


@each(compiled={"dtype": [np.int32, np.int64]}, dtype=[np.int32, np.uint32, np.int64, np.uint64])
def test_the_end_of_the_offsets(engine, dtype):
    kind = {"engine": engine}
    right = np.array([0, 1, 2], dtype)
    assert len(cc_rapids.components(Csr(right, np.array([1, 0])), **kind)) == 1
    assert len(cc_rapids.components(Csr(np.array([], dtype), np.array([], dtype)), **kind)) == 0
    assert len(cc_rapids.components(Csr(np.array([0], dtype), np.array([], dtype)), **kind)) == 0
    refused(InputError, Csr(right, np.array([1])), "offsets[2] is 2, where", "are 1 ind", **kind)
    refused(InputError, Csr(right, np.array([1, 0, 0])), "the last one, and there are 3", **kind)
    refused(InputError, Csr(np.array([], dtype), np.array([1])), "offsets is empty", **kind)
    refused(InputError, Csr(np.array([2], dtype), np.array([0, 0])), "offsets[0] is 2", **kind)
    refused(InputError, Csr(np.array([0], dtype), np.array([5])), "offsets has no row", **kind)


@each(compiled={"dtype": [np.uint8]}, dtype=[np.int8, np.uint8, np.int64])
def test_indices_too_narrow_for_the_number_of_each_row(engine, dtype):
    n = 300
    offsets, indices = np.arange(n + 1), np.full(n, 3, dtype)
    for design in ("auto", "strided+async+halve", "kout+async+halve"):
        found = cc_rapids.components(Csr(offsets, indices, False), design=design, engine=engine)
        assert len(found) == 1
    found = cc_rapids.components(
        Csr(offsets, indices, False), weight=np.arange(n), forest="min", engine=engine
    )
    assert len(found.forest()[0]) == n - 1


@pytest.mark.parametrize("index", [-1, N, 2**32 + 5, 2**62, -(2**63)])
def test_indices_are_vertices(engine, index):
    offsets, indices = rows()
    indices[-1] = index
    said = refused(InputError, Csr(offsets, indices), f"'indices' holds {index:,}", engine=engine)
    assert f"an adjacency list of {N} rows has the vertices 0..{N - 1}" in said


def test_a_matrix_has_an_offset_for_each_row():
    offsets, indices = rows()
    for few in (offsets[:-1], offsets[:1], np.concatenate([offsets, offsets[-1:]])):
        for kind in ("csr", "csc"):
            refused(InputError, bent(kind, few, indices), f"'indptr' of the {kind} matrix has")


def test_matrices_of_other_formats():
    made = sparse.bsr_array(np.kron(np.eye(50), np.ones((2, 2))), blocksize=(2, 2))
    assert len(cc_rapids.components(made)) == 50
    for lie in (lies.set_to(10**12, at=slice(20, 21)), lies.set_to(-5, at=slice(20, 21))):
        bent_blocks = made.copy()
        bent_blocks.indptr = lie(made.indptr)
        refused(InputError, bent_blocks, "indptr[20] is")
    bent_blocks = made.copy()
    bent_blocks.indices = np.full_like(made.indices, 10**6)
    refused(InputError, bent_blocks, "the bsr matrix cannot be read")
    listed = sparse.lil_array((4, 4))
    listed[0, 1] = 1
    listed.data[0] = [1.0] * 10_000
    refused(InputError, listed, "the lil matrix has rows and data of different lengths")
    pairs = sparse.coo_array(([1.0], ([0], [1])), (4, 4))
    pairs.coords = np.array([10**9]), np.array([1])
    refused(InputError, pairs, "'row'", f"{10**9}")


def test_strings_that_leave_their_bytes():
    def words(*ends):
        buffers = [None, pa.py_buffer(np.array(ends, np.int32)), pa.py_buffer(b"abcdefgh" * 4)]
        return pa.Array.from_buffers(pa.string(), len(ends) - 1, buffers)

    for ends in ((0, 2**30, 4), (0, -8, 4), (8, 4, 12), (0, 31, 3)):
        column = words(*ends)
        given = pa.table({"src": column, "dst": column})
        refused(InputError, given, "column 'src' is string whose buffers do not form a column")
    codes = pa.array(np.array([0, 2**20], np.int32))
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)
    given = pa.table({"src": column, "dst": column})
    refused(InputError, given, "column 'src' is dictionary", "whose buffers do not form a column")


def bent_words(kind, lie):
    """A column of strings, one of them null, whose offsets are others than when it was made."""
    made = pa.array([None, *(f"a long word {k}" for k in range(20))], kind)
    _, starts, octets = made.buffers()
    offsets = np.frombuffer(starts, np.int32 if kind == pa.string() else np.int64).copy()
    offsets[10] = lie
    buffers = [made.buffers()[0], pa.py_buffer(offsets), octets]
    return pa.chunked_array([pa.Array.from_buffers(kind, len(made), buffers)])


@pytest.mark.parametrize("lie", [2**30, -5])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_strings_that_leave_their_bytes_are_not_filtered(kind, lie):
    column = bent_words(kind, lie)
    series = pd.Series(pd.arrays.ArrowExtensionArray(column))
    for own in (column, series):  # PyArrow and pandas filter without a look
        for ask in (
            lambda own=own: cc_rapids.components((own, own), nulls="drop"),
            lambda own=own: Connectivity().insert((own, own), nulls="drop"),
        ):
            with pytest.raises(InputError, match="string whose buffers do not form a column"):
                ask()
    for frame in (
        pa.table({"src": column, "dst": column}),
        pd.DataFrame({"src": series, "dst": series}),
    ):
        with pytest.raises(InputError, match="string whose buffers do not form a column"):
            cc_rapids.components(frame, nulls="drop")


def test_strings_that_change_after_they_were_looked_at():
    made = pa.array([f"word {k}" for k in range(20)], pa.large_string())
    offsets = np.frombuffer(made.buffers()[1], np.int64).copy()
    buffers = [None, pa.py_buffer(offsets), made.buffers()[2]]
    bent = pa.chunked_array([pa.Array.from_buffers(made.type, len(made), buffers)])
    copy = validated_copy("src", bent)
    offsets[:] = 2**60
    assert copy.to_pylist() == made.to_pylist()
    copy.validate(full=True)


@pytest.mark.parametrize("rows", [2**16 - 1, 2**16, 2**16 + 1, 3 * 2**16 + 5])
def test_rows_that_threads_look_at_in_shares(rows):
    """The end of a share is not the end of the offsets."""
    path = sparse.csr_array(
        (np.ones(rows - 1), (np.arange(rows - 1), np.arange(1, rows))), (rows, rows)
    )
    assert len(cc_rapids.components(path, engine="threads")) == 1
    assert connected_components(path)[0] == 1
    path.indptr[-2] = path.indptr[-1] + 1
    with pytest.raises(InputError, match=f"row {rows - 2:,} ends"):
        cc_rapids.components(path, engine="threads")
