"""No input makes a kernel read or write outside its arrays: with every access checked.

Engines that check run the designs on rows that lie, on columns that are overwritten between any two
launches, and on columns that hold something else each time they are read (see lies.py). They are
one of each sampling and each union rule, whose kernels are interpreted, on every other input;
``pytest --designs all`` takes all for ``guarded``, compiles them, and takes all inputs.
"""

import threading
from contextlib import suppress
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from support import lies
from support.choices import some
from support.lies import FAR, LIES, M, N, any_answer, edges, engine_of, no_hang, rows, running_on
from support.refusals import refused

import cc_rapids
from cc_rapids import CcRapidsError, Connectivity, Csr, InputError
from cc_rapids.ids import strings

TURNS = (  # of three of these tests, each takes other designs, and all take all of them
    "test_rows_that_lie",
    "test_rows_with_entries_that_are_no_vertices",
    "test_rows_that_change",
    "test_columns_that_flicker",
    "test_rows_of_one_direction_that_lie",
    "test_lists_that_change",
    "test_columns_that_flicker_under_warps",
)
SINCE = (1, 2, 3, 5, 8)  # launches before columns change; the first one reads them


def pytest_generate_tests(metafunc):
    which = {"guarded": metafunc.config.getoption("--designs"), "one_of_each": "each"}
    for name in which.keys() & set(metafunc.fixturenames):
        designs = lies.chosen(which[name])
        if which[name] == "each":
            designs = designs[TURNS.index(metafunc.function.__name__) % 3 :: 3]
        metafunc.parametrize(name, designs, ids=str)


@pytest.fixture
def portion(request, pytestconfig):
    """Of several inputs all, or every other one: its neighbours go to the next design."""
    if kind_of(pytestconfig) == "checked":
        return list
    places = request.node.callspec.indices
    first = places.get("guarded", places.get("one_of_each"))
    return lambda inputs: list(inputs)[first % 2 :: 2]


def near(n):
    return [0, 1, n - 1, n, n + 1]


@pytest.fixture
def size(pytestconfig):
    """Numbers of vertices and edges: few for an interpreter."""
    return (N, M) if kind_of(pytestconfig) == "checked" else (N // 5, M // 5)


@pytest.fixture
def engine(pytestconfig):
    """What checks every access."""
    return engine_of(kind_of(pytestconfig))


def kind_of(config):
    return "checked" if config.getoption("--designs") == "all" else "interpreted"


def unseen():
    """No look at the offsets before they are used."""
    return mock.patch("cc_rapids.solver.run.check_offsets_async", return_value=lambda: None)


def test_rows_that_lie(guarded, engine, size, portion):
    offsets, indices = rows(*size)
    with running_on(engine), unseen():
        for lie in portion(LIES.values()):
            given = Csr(lie(offsets), indices, True)
            assert any_answer(given, design=guarded, forest=guarded.makes_forests)


def test_rows_of_one_direction_that_lie(one_of_each, engine, size, portion):
    offsets, indices = rows(*size)
    with running_on(engine), unseen():
        for lie in portion(LIES.values()):
            any_answer(Csr(lie(offsets), lie(indices), False), design=one_of_each)


def test_rows_with_entries_that_are_no_vertices(guarded, engine, size, portion):
    """A backend that goes on links them before the host knows: there is no answer nevertheless."""
    offsets, indices = rows(*size)
    with running_on(engine), mock.patch.object(type(engine), "goes_on", True):
        for value in portion([*FAR, size[0]]):
            wrong = indices.copy()
            wrong[len(wrong) // 2 :: 40] = value
            for symmetric in (True, False):
                assert not any_answer(Csr(offsets, wrong, symmetric), design=guarded)


def test_rows_that_change(guarded, engine, size):
    """Between two launches: the last of them reads ends that no pass before has seen."""
    answers = 0
    for since in SINCE:
        given = rows(*size)
        with running_on(engine, given, since, FAR + near(size[0])):
            answers += any_answer(Csr(*given, True), design=guarded, forest=guarded.makes_forests)
    assert answers < len(SINCE)


def test_lists_that_change(one_of_each, engine, size, portion):
    """Designs that make rows of them, or copies, may well be done with them in time."""
    for since in portion(SINCE):
        given = edges(*size)
        with running_on(engine, given, since, FAR + near(size[0])):
            any_answer(given, num_vertices=size[0], design=one_of_each)


def test_wrong_ids_beside_the_only_vertex(engine):
    """Rounds run over a copy of the edges, in which wrong ids are replaced."""
    with running_on(engine), mock.patch.object(type(engine), "goes_on", True):
        given = np.array([0, 7, 0]), np.array([7, 0, 0])
        assert not any_answer(given, num_vertices=1, design="none+shiloach-vishkin")


def test_columns_that_flicker(guarded):
    """Between any two reads of one word: none may be read again after it was compared."""
    flicker(guarded, "one by one")


def test_columns_that_flicker_under_warps(one_of_each):
    flicker(one_of_each, "by warps")


def flicker(design, kind):
    n, m = (40, 300) if "strided" in str(design) else (40, 60)
    given = rows(n, m)
    with running_on(engine_of(kind), given, values=[*FAR, 0, n - 1, n]), unseen():
        any_answer(Csr(*given, True), design=design, forest=design.makes_forests)
        any_answer(Csr(*given, False), design=design)
    given = edges(n, m)
    with running_on(engine_of(kind), given, values=[*FAR, 0, n - 1, n]):
        any_answer(given, num_vertices=n, design=design)


def encodings():
    """Columns whose ids become vertices in each way: the arrays that change, edges and options."""
    src, dst = edges()
    for name, (a, b) in {
        "as they are": (src, dst),
        "offset": (src + 1000, dst + 1000),
        "short": (src.astype(np.uint16), dst.astype(np.uint16)),
        "unsigned": (src.astype(np.uint64) + np.uint64(2**63), dst.astype(np.uint64)),
        "bit map": (src * 20, dst * 20),
        "hash slots": (src * 10**9, dst * 10**9),
        "mixed": (src.astype(np.int32), dst * 3),
    }.items():
        yield name, (a, b), (a, b), {}
        named = np.unique(np.concatenate([a, b]).astype(b.dtype)).astype(b.dtype)
        yield f"{name}, named", (a, b, named), (a, b), {"vertices": named}
    offsets = np.arange(M + 1, dtype=np.int32) * 4
    chars = np.frombuffer(b"".join(b"%04d" % v for v in src), np.uint8).copy()
    words = pa.Array.from_buffers(
        pa.string(), M, [None, pa.py_buffer(offsets), pa.py_buffer(chars)]
    )
    yield "strings", (offsets, chars), pa.table({"src": words, "dst": words[::-1]}), {}
    two = {"a": src, "b": dst, "c": dst.copy(), "d": src.copy()}
    names = {"source": ["a", "b"], "destination": ["c", "d"]}
    yield "rows", tuple(two.values()), pa.table(two), names


ENCODINGS = [name for name, *_ in encodings()]


@pytest.fixture
def small(tuned):
    """Every way of numbering, and every estimate, is taken for a few ids."""
    tuned(small_id_range=2 * N, estimated_ids=10, sampled_scan_edges=200)


# Short and mixed columns take kernels of their own; below they are read by the interpreter
WIDE = [name for name in ENCODINGS[1:-2:2] if not name.startswith(("short", "mixed"))]


@some("name", ENCODINGS, usual=[*WIDE, *ENCODINGS[-2:]])
def test_ids_that_change(name, small):
    kind = "checked"
    with running_on(engine_of(kind)):
        _, given, options = next(rest for found, *rest in encodings() if found == name)
        assert any_answer(given, **options)
    for since in range(12):
        for values in (FAR, near(N) + FAR, [0, 2**63 - 1]):
            columns, given, options = next(rest for found, *rest in encodings() if found == name)
            with running_on(engine_of(kind), columns, since, values):
                any_answer(given, **options)


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name not in ("strings", "rows")])
def test_ids_that_flicker(name, small):
    columns, given, options = next(rest for found, *rest in encodings() if found == name)
    for kind in ("one by one", "by warps"):
        with running_on(engine_of(kind), columns):
            any_answer(given, **options)


@some("dtype", [np.int32, np.int64], usual=[np.int64])
def test_strings_that_leave_their_bytes(dtype):
    """What looks at their offsets first is passed by: kernels keep within the bytes, and end."""
    chars = np.frombuffer(b"some words and more." * 40, np.uint8)
    for at, lie in ((50, 10**9), (50, -1), (100, 2**31 - 1), (0, -(2**31)), (slice(1, 99), -9)):
        offsets = (np.arange(101) * 8).astype(dtype)
        offsets[at] = lie
        with running_on(engine_of("checked")) as backend, no_hang():
            text = strings.Text.of(chars, offsets, backend)
            with pytest.raises(InputError, match="some end before they begin, or beyond"):
                strings.check_offsets(text)
            strings.factorise_text(text)


RULES = (
    {},
    {"at_most": 1, "mutual": True},
    {"at_most": 1, "min_samples": 3, "border": "nearest"},
)


def neighbors():
    """Neighbours by rows and by columns, and rows of unequal length, with their memory."""
    chance = np.random.default_rng(0)
    shape = 20, 3
    memory = chance.integers(-1, 20, 60), chance.random(60) * 2
    yield tuple(array.reshape(shape) for array in memory), memory
    yield tuple(array.reshape(shape, order="F")[:, 1:] for array in memory), memory
    matrix = sp.random_array((20, 20), density=0.15, format="csr", rng=chance)
    yield (matrix,), (matrix.indices, matrix.data, matrix.indptr)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_neighbors_that_change_or_flicker(rules):
    """Between two launches, and between any two reads of one word."""
    for kind, since in [("checked", k) for k in range(6)] + [("one by one", 0), ("by warps", 0)]:
        for given, memory in neighbors():
            with running_on(engine_of(kind), memory, since), no_hang(), suppress(CcRapidsError):
                given = given if "at_most" in rules else given[:1]
                cc_rapids.components_of_neighbors(*given, **rules).labels()


CALLS = {
    "insert": lambda seen, given: seen.insert(given),
    "insert several": lambda seen, given: seen.insert([given, given]),
    "process": lambda seen, given: seen.process(given, query=given[0] % 2 == 0, missing="false"),
    "connected": lambda seen, given: seen.connected(given, missing="false"),
}


@pytest.mark.parametrize("own", [{"num_vertices": N}, {}], ids=["range", "ids"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_batches_that_change(call, own):
    for since in range(6):
        given = edges()
        with running_on(engine_of("checked"), given, since), no_hang():
            seen = Connectivity(**own)
            with suppress(CcRapidsError):
                call(seen, given)
            with suppress(CcRapidsError):
                call(seen.insert(given), given)
            seen.components().labels()


def test_another_thread_writes_all_the_time():
    given = edges(5000, 20_000)
    offsets, indices = rows(5000, 20_000)
    done = threading.Event()

    def write():
        chance = np.random.default_rng(0)
        while not done.is_set():
            for column in (*given, offsets, indices):
                column[chance.integers(0, column.size, 50)] = chance.choice([*FAR, 0, 1, 4999], 50)

    writer = threading.Thread(target=write)
    with running_on(engine_of("checked")), unseen():
        writer.start()
        try:
            for design in ("auto", "kout+rem-cas+splice", "strided+async+halve", "bfs+ecl") * 3:
                any_answer(given, num_vertices=5000, design=design)
                any_answer(Csr(offsets, indices, True), num_vertices=None, design=design)
        finally:
            done.set()
            writer.join()


@pytest.mark.parametrize("again", [0, 10**12])
def test_what_was_wrong_may_be_right_when_the_message_looks(again):
    """The id, or the offset, that a pass has found is no longer there when it is to be named."""
    backend = engine_of("checked")

    def late(kernel, n, arguments):
        super(lies.Changing, backend).launch(kernel, n, arguments)
        src[:] = again

    src, dst = edges()
    src[7] = N
    with running_on(backend), mock.patch.object(backend, "launch", late):
        words = "changed while it was read" if again == 0 else "holds the id 1000000000000"
        refused(InputError, (src, dst), words, num_vertices=N, design="dense")
    src, indices = rows()
    src[7] = 10**6
    with running_on(backend), mock.patch.object(backend, "launch", late):
        words = "changed while it was read" if again == 0 else "offsets[7] is 1,000,000,000,000"
        refused(InputError, Csr(src, indices), words)
