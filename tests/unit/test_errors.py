"""Errors: of which class each is, and what it says of the argument that is wrong."""

import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import simulation
from support.refusals import refused

import cc_rapids
from cc_rapids import backends, components, errors

BUILT_IN = {
    "InputError": ValueError,
    "ArgumentTypeError": TypeError,
    "GraphStateError": ValueError,
    "ColumnTypeError": TypeError,
    "MissingColumnError": KeyError,
    "UnknownVertexError": KeyError,
    "NullsError": ValueError,
    "FormatError": ValueError,
    "ChangedFileError": ValueError,
    "CheckpointError": ValueError,
    "OutputError": OSError,
    "DesignError": ValueError,
    "ImageError": (ValueError, RuntimeError, AssertionError, OverflowError),
    "EngineError": RuntimeError,
    "CapacityError": MemoryError,
    "LedgerError": RuntimeError,
    "MissingExtraError": ImportError,
    "VerificationError": AssertionError,
}
ONE = np.array([1])
FRAME = pd.DataFrame({"src": [1], "dst": [2], "weight": [0.5]})


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_error_is_ours_and_the_built_in_one_that_callers_expect(name):
    error = getattr(cc_rapids, name)
    expected = BUILT_IN[name]
    for kind in expected if isinstance(expected, tuple) else (expected,):
        assert issubclass(error, kind)
    assert issubclass(error, cc_rapids.CcRapidsError)
    assert str(error("column 'a'")) == "column 'a'"


WARNINGS = ("CapacityWarning", "UnmatchedWarning")


def _is_error(thing):
    public = isinstance(thing, type) and not thing.__name__.startswith("_")
    return public and issubclass(thing, Exception)


def test_every_error_and_warning_is_public():
    ours = {name: thing for name, thing in vars(errors).items() if _is_error(thing)}
    assert ours.keys() == {"CcRapidsError", *BUILT_IN, "CcRapidsWarning", *WARNINGS}
    assert ours.keys() <= set(cc_rapids.__all__)
    assert issubclass(cc_rapids.CcRapidsWarning, UserWarning)
    assert all(issubclass(ours[name], cc_rapids.CcRapidsWarning) for name in WARNINGS)


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy": pl.LazyFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_missing_column_names_those_there_are(make):
    edges = make({"id": [7], "payer": [1], "payee": [2]})
    asks = "3 columns and no known pair", "which two columns are the ids?", "destination="
    assert refused(errors.MissingColumnError, edges, *asks).endswith("it has id, payer, payee")
    near = "unknown column 'paye': did you mean 'payer' or 'payee'?"
    refused(errors.MissingColumnError, edges, near, source="payer", destination="paye")


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_the_two_ends_cannot_be_one_column(make):
    edges = make({"src": [1], "dst": [2]})
    says = "source and destination are both 'src'", "src, dst"
    refused(errors.InputError, edges, *says, source="src", destination="src")


def test_a_name_that_two_columns_have_is_refused():
    edges = pd.DataFrame([[1, 2, 3]], columns=["src", "src", "dst"])
    refused(errors.InputError, edges, "'src'", "2 ")


@pytest.mark.parametrize("make", [np.array, pd.Series, pl.Series, list])
def test_unequal_lengths_are_counted(make):
    pair = make([1, 2, 3]), make([1] * 1000)
    refused(errors.InputError, pair, "'a' has 3 ids and 'b' has 1,000", source="a", destination="b")


@pytest.mark.parametrize("sides", [(), (ONE,), (ONE, ONE, ONE)], ids=len)
def test_a_tuple_is_a_pair(sides):
    refused(
        errors.InputError, sides, "edges given as a tuple", "two arrays", f"has {len(sides)} item"
    )


@pytest.mark.parametrize("array", [np.ones((2, 3), int), np.array(1), [[1, 2], [3, 4]]])
def test_ids_are_one_dimensional(array):
    shape = str(np.shape(array))
    several = np.ndim(array) == 2 and isinstance(array, np.ndarray)
    words = (
        ["ids of dst", "an id has 3 columns"] if several else ["'src'", shape, "one-dimensional"]
    )
    refused(errors.InputError, (array, ONE), *words)
    refused(errors.InputError, (ONE, ONE), "'vertices'", shape, vertices=array)


@pytest.mark.parametrize(
    ("edges", "named"),
    [
        (5, "int"),
        (None, "NoneType"),
        ({1, 2}, "set"),
    ],
    ids=["number", "None", "set"],
)
def test_other_things_are_no_edges(edges, named):
    ways = ("frame of cuDF, pandas, Polars or PyArrow", "pair of arrays", "matrix", "file")
    refused(errors.InputError, edges, named, *ways)


@pytest.mark.parametrize("shape", [(2, 3), (0, 4)])
def test_a_matrix_is_square_and_brings_its_own_vertices(shape):
    refused(errors.InputError, sp.csr_array(shape), f"shape (n, n), not {shape}")
    square = sp.csr_array((5, 5))
    for options in ({"vertices": [7]}, {"num_vertices": 9}):
        refused(errors.InputError, square, "its own 5 vertices", "vertices", **options)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        (
            {"labels": "mim"},
            ["unknown labels 'mim': did you mean 'min'?", "dense, fingerprint, max, min, size"],
        ),
        ({"labels": "zzz"}, ["unknown labels 'zzz': one of dense, fingerprint, max, min, size"]),
        ({"nulls": "dorp"}, ["unknown nulls policy 'dorp': did you mean 'drop'?", "drop, raise"]),
    ],
)
def test_unknown_words_come_with_the_nearest_ones(word, parts):
    refused(errors.InputError, FRAME, *parts, **word)


def test_an_answer_knows_its_kinds_of_labels_too():
    with pytest.raises(errors.InputError, match="unknown labels 'sise': did you mean 'size'"):
        components(FRAME).labels("sise")


@pytest.mark.parametrize(
    ("design", "parts"),
    [
        ("none+asynk+halve", ["unknown link 'asynk': did you mean 'async'?"]),
        ("none+async+halv", ["unknown compress 'halv': did you mean 'halve' or 'halve-one'?"]),
        ("kuot+async+halve", ["unknown sample 'kuot': did you mean 'kout'?"]),
        ("kuot+bfs-cc", ["unknown sample 'kuot': did you mean 'kout'?"]),
        ("kout+asynk", ["unknown link 'asynk': did you mean 'async'?"]),
        ("asynk", ["unknown design 'asynk': did you mean 'async'?"]),
        ("halve", ["unknown design 'halve': it is a choice of compress", "none+async+halve"]),
        ("autp", ["unknown design 'autp': did you mean 'auto'", "none+async+halve"]),
        ("a+b+c+d", ["unknown design 'a+b+c+d'", "none+async+halve"]),
        (5, ["a design is a name such as 'none+async+halve', not 5"]),
    ],
)
def test_an_unknown_design_comes_with_the_nearest_ones(design, parts):
    refused(errors.DesignError, FRAME, *parts, design=design)


@pytest.mark.parametrize(
    "design",
    [
        *["x", "none+x+halve", "halve-on", "rem-cas+splt", "liu-tarjan(PR)", "", "kuot+rem-cas+x"],
        *["+", "x" * 5000, "+".join("x" * 3000), "none+async+" + "halve" * 900],
        *["kout(k=" + "9" * 5000, f"kout(k={'9' * 5000})+async+halve"],
    ],
    ids=lambda name: name[:16],
)
def test_an_unknown_design_has_five_near_words_at_most(design):
    with pytest.raises(errors.DesignError) as raised:
        components(FRAME, design=design)
    message = str(raised.value)
    assert len(message) <= 350
    assert message.count("' or '") + message.count("', '") < 5
    if "unknown" in message and "rule of" not in message:
        assert "designs()" in message or "a design is a name such as" in message


def test_an_unknown_engine_comes_with_the_nearest_ones():
    says = (
        "unknown engine 'cudaa': did you mean 'cuda' or 'cpu'? one of auto, cpu, cuda, gpu, threads"
    )
    refused(errors.EngineError, FRAME, says, engine="cudaa")


@pytest.mark.parametrize(("engine", "shown"), [(3, "3"), (["cuda"], "a list of 1")])
def test_an_engine_that_is_no_word_is_shown_as_what_it_is(engine, shown):
    says = f"unknown engine {shown}: one of auto, cpu, cuda, gpu, threads"
    refused(errors.EngineError, FRAME, says, engine=engine)


@pytest.fixture
def _anew(monkeypatch):
    """Engines are opened anew, and none is simulated."""
    monkeypatch.setattr("cc_rapids.backends.cuda.open_backend", simulation.open_gpu)
    monkeypatch.setattr(backends, "opened", backends.opened.__wrapped__)


@pytest.mark.usefixtures("_anew")
def test_the_gpu_engine_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    says = "engine 'cuda'", "pip install '.[cu13]'", "WHEEL[cu13]", "cu12", "cc-rapids doctor"
    refused(errors.EngineError, FRAME, *says, engine="cuda")


@pytest.mark.usefixtures("_anew")
def test_the_gpu_engine_says_that_there_is_no_gpu(monkeypatch):
    def no_device():
        raise RuntimeError("cudaErrorNoDevice")

    runtime = SimpleNamespace(getDeviceCount=no_device, CUDARuntimeError=RuntimeError)
    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "numba_cuda", SimpleNamespace())
    says = "finds no NVIDIA GPU (cudaErrorNoDevice)", "engine='threads' runs on the CPU"
    refused(errors.EngineError, FRAME, *says, engine="cuda")


def test_vertices_and_num_vertices_exclude_each_other():
    refused(errors.InputError, FRAME, "vertices or num_vertices", vertices=[1], num_vertices=3)


@pytest.mark.parametrize("number", [-1, 2.0, True, "3"], ids=repr)
def test_num_vertices_is_a_count(number):
    refused(
        errors.InputError, FRAME, "num_vertices must be a count", repr(number), num_vertices=number
    )


@pytest.mark.parametrize(("column", "wrong"), [("src", 5), ("dst", 5), ("src", -1), ("dst", 3)])
def test_ids_outside_num_vertices_are_named(engine, column, wrong):
    edges = pd.DataFrame({"src": [0, 1], "dst": [2, 1]})
    edges.loc[1, column] = wrong
    says = f"column '{column}' holds the id {wrong}, outside 0..2", "num_vertices=3", "vertices="
    refused(errors.InputError, edges, *says, num_vertices=3, engine=engine)


@pytest.mark.parametrize(("low", "high"), [(0, 2**62), (-(2**63), 2**63 - 1), (2**63, 2**64 - 1)])
def test_ids_that_fit_in_no_way_say_what_each_way_would_take(on, monkeypatch, tuned, low, high):
    tuned(hashed_at_once=0)
    monkeypatch.setattr(type(on), "free_bytes", lambda self: 100)
    sides = [np.array([end] * 3, np.uint64 if high >= 2**63 else np.int64) for end in (low, high)]
    words = 8 * (high - low + 1) / 2**30
    says = f"span {high - low + 1:,} values, from {low:,} to {high:,}", "GiB are free", "threads"
    message = refused(errors.CapacityError, tuple(sides), *says, engine=on.name)
    assert float(message.split(" GiB")[0].split(" ")[-1].replace(",", "")) >= words
    assert "with a bit for each" in message
    assert "in a hash table of the 6 that may occur" in message


def test_ids_that_no_type_of_integers_holds_are_refused(engine):
    edges = np.array([-5]), np.array([2**63], np.uint64)
    says = f"from -5 to {2**63}", "no integer type holds both", "cast"
    refused(errors.ColumnTypeError, edges, *says, engine=engine)


def test_no_vertices_and_an_edge_do_not_go_together():
    refused(errors.InputError, ([4], [5]), "'src' holds the id 4", "num_vertices=0", num_vertices=0)


def test_a_file_that_lists_its_vertices_takes_no_others(tmp_path):
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n4 4 1\n1 2\n")
    refused(errors.InputError, path, "itself lists 4 vertices", vertices=[99])
    assert len(components(path)) == 3


def test_an_empty_list_is_an_empty_answer():
    assert len(components([])) == 0


FORGED = "\x1b[2J\r\nERROR \u202e\u2028\x9b\x07"
ESCAPED = r"\x1b[2J\r\nERROR \u202e\u2028\x9b\x07"


def quoting(tmp_path):
    """Yield calls whose errors or warnings quote an id, a name or a path of the caller's."""
    found = components(([FORGED, "b"], ["b", "c"]))
    batches = cc_rapids.Connectivity().insert((["a"], ["b"]))
    two = pd.DataFrame({FORGED: [1], "b": [2]})
    yield "unknown id", lambda: found.component_of(FORGED + "x")
    yield "unknown ids", lambda: batches.connected([(FORGED, "a")])
    yield "unknown label", lambda: found.subset(FORGED + "x")
    yield "no pair", lambda: components([(1, 2), FORGED])
    yield "two kinds", lambda: components([(1, FORGED)])
    yield "no column", lambda: components(two, "b", "c")
    yield "named column", lambda: components(two, FORGED + "x", "b")
    yield (
        "nulls",
        lambda: components(pd.DataFrame({FORGED: [None, "a"], "b": ["a", "b"]}), FORGED, "b"),
    )
    yield "missing file", lambda: components(str(tmp_path / f"{FORGED}.csv"))
    yield "no match", lambda: components(str(tmp_path / f"{FORGED}*.csv"))
    yield "no format", lambda: components(str(tmp_path / f"a.{FORGED}"))
    yield "address", lambda: components(f"memory://{FORGED}.csv")
    yield "word", lambda: components(([1], [2]), labels=FORGED)
    yield "output", lambda: found.to_parquet(tmp_path / FORGED / "x" / FORGED)
    yield "state", lambda: cc_rapids.Connectivity.load(tmp_path / FORGED)
    yield "warning", lambda: found.attach(pd.DataFrame({"vertex": [f"{FORGED}x"]}), missing="null")
    yield (
        "audit",
        lambda: cc_rapids.oracle.against_networkx(
            (["a"], ["b"]), components(([FORGED], ["b"])).labels()
        ),
    )


def test_messages_hold_nothing_that_a_terminal_acts_upon(tmp_path):
    for name, call in quoting(tmp_path):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                call()
                said = "".join(str(one.message) for one in warned)
            except errors.CcRapidsError as error:
                said = str(error)
        assert ESCAPED in said.replace("\\\\", "\\"), name
        assert said.isprintable(), name
