"""Files whose numbers lie: offsets, ids and counts that leave what they point into."""

import gzip
from contextlib import suppress

import numpy as np
import pytest
from scipy import sparse
from support.edge_files import read_edges
from support.lies import FAR, LIES, N, edges, no_hang, rows, same_kind

import cc_rapids
from cc_rapids import CapacityError, CcRapidsError, Connectivity, FormatError, host_memory
from cc_rapids.data.files import archive

CODES = ("csr", "csc", "bsr")
ENDS = [0, 1, 5, N - 1, N, N + 1, 2**31 - 1, *FAR]


def saved(path, offsets, indices, kind="csr", **others):
    """What scipy.sparse.save_npz writes, of arrays that it would refuse."""
    size = np.shape(indices)[0]
    data = np.ones((size, 1, 1) if kind == "bsr" else size)
    parts = {"format": np.array(kind.encode()), "shape": np.array([N, N]), "data": data}
    np.savez(path, **parts | {"indices": indices, "indptr": offsets} | others)
    return path


def said_of(path, error=FormatError):
    with pytest.raises(error) as raised, no_hang():
        cc_rapids.components(path)
    assert str(path) in str(raised.value)
    assert len(str(raised.value)) < 600
    return str(raised.value)


@pytest.mark.parametrize("kind", CODES)
def test_matrices(tmp_path, kind):
    path, (offsets, indices) = tmp_path / "e.npz", rows()
    assert len(cc_rapids.components(saved(path, offsets, indices, kind))) == len(
        cc_rapids.components(edges(), num_vertices=N)
    )
    for name, lie in LIES.items():
        said_of(saved(path, lie(offsets), indices, kind))
        if name in ("far", "negative", "falls once"):
            assert f"{path}: indptr[150] is " in said_of(saved(path, lie(offsets), indices, kind))
    for end in (-1, N, 2**31 - 1, -(2**31)):
        bent = indices.copy()
        bent[7] = end
        said_of(saved(path, offsets, bent, kind))
    said_of(saved(path, offsets[:-1], indices, kind))
    said_of(saved(path, offsets, indices, kind, indptr=np.array([None] * (N + 1))))
    said_of(saved(path, offsets.reshape(7, 43), indices, kind))
    shape = np.array([2**40, 2**40])
    said_of(saved(path, offsets, indices, kind, shape=shape), CapacityError)
    said_of(saved(path, offsets, indices, "lil"))


def test_matrices_of_pairs(tmp_path):
    path, (src, dst) = tmp_path / "e.npz", edges()
    for end in (-1, N, 2**40, -(2**62)):
        bent = src.copy()
        bent[7] = end
        parts = {"row": bent, "col": dst, "data": np.ones(src.size), "shape": np.array([N, N])}
        np.savez(path, format=np.array(b"coo"), **parts)
        said_of(path)
        np.savez(path, src=bent, dst=dst, num_vertices=N)
        assert f"edge 7 has src {end}, but the vertices are 0 to {N - 1}" in said_of(path)


def test_a_matrix_may_have_room_behind_its_entries(tmp_path):
    offsets, indices = rows()
    more = np.concatenate([indices, np.full(9, 10**6)])
    found = cc_rapids.components(saved(tmp_path / "e.npz", offsets, more))
    assert len(found) == len(cc_rapids.components(edges(), num_vertices=N))
    made = sparse.csr_array((np.ones(indices.size), indices, offsets), (N, N))
    made.indices, made.data = more, np.ones(more.size)
    assert len(cc_rapids.components(made)) == len(found)


def test_a_graph_of_ecl(tmp_path):
    path, chance = tmp_path / "e.egr", np.random.default_rng(0)
    offsets, indices = rows()
    whole = np.concatenate([[N, indices.size], offsets, indices]).astype("<i4")
    path.write_bytes(whole.tobytes())
    assert len(cc_rapids.components(path)) == len(cc_rapids.components(edges(), num_vertices=N))
    for at in chance.integers(2, whole.size, 200):
        bent = whole.copy()
        bent[at] = same_kind(chance.choice(ENDS), np.int32)
        path.write_bytes(bent.tobytes())
        with suppress(FormatError):
            cc_rapids.components(path).labels()
    bent = whole.copy()  # from the one to the other is more than 32 bits tell
    bent[52:54] = 2**31 - 1, -(2**31)
    path.write_bytes(bent.tobytes())
    assert "nindex[50] is 2,147,483,647, where row 49 ends" in said_of(path)


@pytest.mark.parametrize("neighbour", ["0", "-1", "5", "4294967297", "99999999999999999999"])
@pytest.mark.parametrize("kind", ["metis", "he", "gr", "mtx"])
def test_text_with_counts_at_its_head(tmp_path, kind, neighbour):
    """Ids that are none of 4 vertices, and heads that promise what is not there."""
    lines = {
        "metis": ("4 3\n2\n1 {0}\n4\n3\n", "9999999999 3\n2\n1 3\n2 4\n3\n"),
        "he": ("H 4 2 1\nE 0 1 1\nE 2 {0} 1\n", "H 4 9999999999 1\nE 0 1 1\n"),
        "gr": ("p sp 4 2\na 1 2 1\na 3 {0} 1\n", "p sp 4 9999999999\na 1 2 1\n"),
        "mtx": (
            "%%MatrixMarket matrix coordinate pattern general\n4 4 2\n1 2\n3 {0}\n",
            "%%MatrixMarket matrix coordinate pattern general\n4 4 9999999999\n1 2\n",
        ),
    }[kind]
    path = tmp_path / f"e.{ {'metis': 'graph'}.get(kind, kind) }"
    if (kind, neighbour) != ("he", "0"):
        path.write_text(lines[0].format(neighbour))
        assert "line " in said_of(path)
    path.write_text(lines[1])
    assert "9999999999 " in said_of(path)


@pytest.fixture
def state(tmp_path):
    """A saved state: its path, its words and arrays, and what writes them again."""

    def of(seen):
        path = tmp_path / "seen"
        seen.save(path)
        words, arrays = archive.read(path)

        def again(said=None, **others):
            archive.write(path, words | (said or {}), arrays | others)
            return path

        return path, words, arrays, again

    return of


STATES = {
    "range": lambda: Connectivity(30),
    "ids": lambda: Connectivity(vertices=range(30)),
    "strings": lambda: Connectivity(vertices=[f"v{k:02}" for k in range(30)]),
}


@pytest.mark.parametrize("make", STATES.values(), ids=STATES)
def test_trees_of_a_saved_state(make, state):
    """Parents outside, above their vertex, in a circle, or of no root: a climb would not end."""
    path, words, arrays, again = state(make())
    own = arrays["parent"]
    assert Connectivity.load(path).num_components == 30
    for at, value, said in (
        (7, 30, "vertex 7 is 30"),
        (29, 2**32 - 1, "vertex 29 is 4,294,967,295"),
        (3, 4, "vertex 3 is 4"),
        ([5, 6], [4, 5], "vertex 6 is 5"),
    ):
        bent = own.copy()
        bent[at] = value
        bent[4] = 3 if said.endswith("is 5") else bent[4]
        with pytest.raises(FormatError) as raised, no_hang():
            Connectivity.load(again(parent=bent))
        assert str(path) in str(raised.value)
    for bent in (own.astype(np.int64), own.astype(np.uint64)):
        with pytest.raises(FormatError):
            Connectivity.load(again(parent=bent))
    with pytest.raises(FormatError):
        Connectivity.load(again({"edges": -1}))
    if "dtype" in words:
        for dtype in ("float64", "object", "U5", "bool"):
            with pytest.raises(FormatError):
                Connectivity.load(again({"dtype": dtype}))


def test_other_numbers_of_a_saved_state(state):
    """Each number of each array, one after the other: an error of ours, or a state that works."""
    chance = np.random.default_rng(0)
    for make in STATES.values():
        *_, parts, again = state(make().insert(([3], [2])) if make is STATES["range"] else make())
        for name, part in parts.items():
            for at in chance.integers(0, max(part.size, 1), 12 if part.size > 1 else 0):
                bent = part.copy()
                bent.flat[at] = same_kind(chance.choice(ENDS), part.dtype)
                with no_hang(), suppress(CcRapidsError):
                    Connectivity.load(again(**{name: bent})).components().labels()


@pytest.mark.parametrize("count", [10**12, 2**62, 2**63 - 1])
@pytest.mark.parametrize("packed", [False, True])
def test_more_vertices_than_the_machine_holds(tmp_path, count, packed):
    def parts(kind, **others):
        return {"format": np.array(kind.encode()), "shape": np.array([count] * 2)} | others

    texts = {
        "e.mtx": f"%%MatrixMarket matrix coordinate pattern general\n{count} {count} 1\n1 2\n",
        "e.gr": f"p sp {count} 1\na 1 2 1\n",
        "e.he": f"H {count} 1 1\nE 0 1 1\n",
    }
    one, data = np.array([1]), np.ones(1)
    arrays = {
        "coo.npz": parts("coo", row=one, col=one, data=data),
        "csr.npz": parts("csr", indices=one, indptr=np.array([0, 1]), data=data),
        "dia.npz": parts("dia", offsets=one, data=data.reshape(1, 1)),
        "count.npz": {"src": one, "dst": one, "num_vertices": np.array(count)},
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    for name, stored in arrays.items():
        np.savez(tmp_path / name, **stored)
    for name in [*texts, *arrays]:
        path = tmp_path / name
        if packed:
            path = path.with_name(f"{name}.gz")
            path.write_bytes(gzip.compress((tmp_path / name).read_bytes()))
        says = rf"declares {count:,} vertices, which take .* GiB.*: (raise it, or )?write"
        for options in ({}, {"memory_limit": "1GiB"}):
            with pytest.raises(CapacityError, match=says), no_hang():
                cc_rapids.components(path, **options)
        with open(path, "rb") as file, pytest.raises(CapacityError, match=says), no_hang():
            cc_rapids.components(file)


@pytest.mark.parametrize("name", ["e.gr", "e.he", "e.graph", "e.net"])
def test_counts_beyond_integers(tmp_path, name):
    texts = {
        "e.gr": ["p sp {n} {m}", "a 1 2 1"],
        "e.he": ["H {n} {m} 1", "E 0 1 1"],
        "e.graph": ["{n} {m}", "2", "1"],
        "e.net": ["*Vertices {n}", "*Edges", "1 2"],
    }
    path = tmp_path / name
    path.write_text("\n".join(texts[name]).format(n=2**64, m=1))
    lines = name == "e.graph"  # one for each vertex
    says = f"declares {2**64} vertices, but the file has" if lines else f"declares {2**64:,} vert"
    with pytest.raises(FormatError if lines else CapacityError, match=says):
        cc_rapids.components(path)
    for n, m in (("9" * 5000, 1), (2, "9" * 5000)):  # more digits than int() takes
        path.write_text("\n".join(texts[name]).format(n=n, m=m).replace("1 2", f"1 {m}"))
        with pytest.raises(FormatError, match=r"expected .*, found|found .*: expected"):
            cc_rapids.components(path)
    if name != "e.net":
        path.write_text("\n".join(texts[name]).format(n=2, m=2**64))
        with pytest.raises(FormatError, match=f"declares {2**64} edges"):
            cc_rapids.components(path)


def test_arrays_that_hold_more_than_the_machine(tmp_path, monkeypatch):
    path = tmp_path / "zeros.npz"
    np.savez_compressed(path, src=np.zeros(10**6, np.int64), dst=np.zeros(10**6, np.int64))
    monkeypatch.setattr(host_memory, "total_bytes", lambda: 1 << 22)
    with pytest.raises(CapacityError, match=r"16,000,000 bytes, which take .*, but this machine"):
        read_edges(path)
