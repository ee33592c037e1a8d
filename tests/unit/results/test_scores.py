"""Scores: what representatives are chosen by, of every type that has an order."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.as_lists import columns

from cc_rapids import components, errors

EDGES = pd.DataFrame({"src": [1, 2], "dst": [2, 3]})
IDS = [1, 2, 3]
SIZES = ["small", "middle", "large"]  # not in the order of their letters
RANKED = pd.CategoricalDtype(SIZES, ordered=True)


@pytest.fixture(params=["arrays", "pandas"])
def found(request, engine):
    edges = EDGES if request.param == "pandas" else (EDGES["src"].array, EDGES["dst"].array)
    return components(edges, engine=engine)


def best(found, *by, **options):
    """The only representative."""
    [vertex], _ = columns(found.representatives(by=by if len(by) == 2 else by[0], **options))
    return vertex


@pytest.mark.parametrize("scores", [[9, 0, 5], [0, 9, 5]])
def test_the_best_score_of_a_vertex_counts_whatever_their_order(found, scores):
    assert best(found, [2, 2, 1], scores) == 2
    assert best(found, [2, 2, 1], [-score for score in scores], ascending=True) == 2


@pytest.mark.parametrize("ascending", [False, True])
def test_the_best_of_many_scores_by_definition(engine, ascending):
    rng = np.random.default_rng(4)
    found = components((np.arange(0, 60, 2), np.arange(1, 60, 2)), engine=engine)
    ids, scores = rng.integers(0, 60, 90), rng.integers(0, 9, 90)
    sign = 1 if ascending else -1
    own = {
        v: min((sign * s for w, s in zip(ids, scores, strict=True) if w == v), default=99)
        for v in range(60)
    }
    expected = [min((v, v + 1), key=lambda w: (own[w], w)) for v in range(0, 60, 2)]
    assert columns(found.representatives((ids, scores), ascending))[0] == expected


# The second is the greatest, the third the least
DAYS = [date(2020, 1, 2), date(2021, 1, 1), date(2019, 12, 31)]
TIMES = [datetime(2020, 1, 2), datetime(2020, 1, 2, 3), datetime(2020, 1, 1)]
WORDS = ["b", "c", "a"]
CLASSES = ["middle", "large", "small"]
THREE = {
    "list": [2, 3, 1],
    "tuple": (2, 3, 1),
    "range of NumPy": np.array([2.5, 3.5, -1]),
    "wide floats": np.array([2.5, 3.5, -1], np.longdouble),
    "unsigned": np.array([2, 2**64 - 1, 1], np.uint64),
    "words in a list": WORDS,
    "dates in a list": DAYS,
    "words of NumPy": np.array(WORDS),
    "strings of NumPy": np.array(WORDS, np.dtypes.StringDType()),
    "objects of NumPy": np.array(WORDS, object),
    "times of NumPy": np.array(TIMES, "datetime64[s]"),
    "spans of NumPy": np.array([2, 3, 1], "timedelta64[ms]"),
    "pandas integers": pd.Series([2, 3, 1], dtype="Int64"),
    "pandas words": pd.Series(WORDS),
    "pandas objects": pd.Series(WORDS, dtype=object),
    "pandas times": pd.Series(TIMES),
    "pandas times of a zone": pd.Series(TIMES).dt.tz_localize("UTC"),
    "pandas ordered": pd.Series(CLASSES, dtype=RANKED),
    "pandas categories": pd.Series(WORDS, dtype=pd.CategoricalDtype(["c", "b", "a"])),
    "pandas index": pd.Index([2, 3, 1]),
    "pandas Categorical": pd.Categorical(CLASSES, dtype=RANKED),
    "polars Datetime": pl.Series(TIMES),
    "polars Date": pl.Series(DAYS),
    "polars Duration": pl.Series([timedelta(days) for days in (2, 3, 1)]),
    "polars String": pl.Series(WORDS),
    "polars Categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "polars Enum": pl.Series(CLASSES, dtype=pl.Enum(SIZES)),
    "polars Decimal": pl.Series([Decimal("2.5"), Decimal("11.5"), Decimal("-3.5")]),
    "pyarrow array": pa.array([2, 3, 1]),
    "pyarrow string": pa.chunked_array([WORDS[:2], WORDS[2:]]),
    "pyarrow string_view": pa.chunked_array([WORDS], pa.string_view()),
    "pyarrow dictionary": pa.chunked_array(
        [pa.array(WORDS[:1]).dictionary_encode(), pa.array(WORDS[1:]).dictionary_encode()]
    ),
}


@pytest.mark.parametrize("scores", THREE.values(), ids=THREE)
def test_whatever_has_an_order_is_a_score(found, scores):
    assert best(found, IDS, scores) == 2
    assert best(found, IDS, scores, ascending=True) == 3


# The greatest is not there
ABSENT = {
    "masked": np.ma.array([1, 99, 3], mask=[0, 1, 0]),
    "masked words": np.ma.array(["a", "z", "c"], mask=[0, 1, 0]),
    "list": [1, None, 3],
    "words in a list": ["a", None, "c"],
    "nan in a list": [1.0, float("nan"), 3.0],
    "NaT of NumPy": np.array(["2020", "NaT", "2021"], "datetime64[D]"),
    "pandas Int64": pd.Series([1, None, 3], dtype="Int64"),
    "pandas words": pd.Series(["a", None, "c"]),
    "pandas ordered": pd.Series(["small", None, "large"], dtype=RANKED),
    "pandas array": pd.array([1, None, 3]),
    "polars Boolean": pl.Series([False, None, True]),
    "polars Date": pl.Series([DAYS[0], None, DAYS[1]]),
    "polars Enum": pl.Series(["small", None, "large"], dtype=pl.Enum(SIZES)),
    "pyarrow booleans": pa.chunked_array([[False, None, True]]),
    "pyarrow strings": pa.chunked_array([["a", None, "c"]]),
    "pyarrow integers": pa.chunked_array([[1, None, 3]]),
    "nan of a dictionary": pa.chunked_array([pa.array([1, float("nan"), 3]).dictionary_encode()]),
}


@pytest.mark.parametrize("scores", ABSENT.values(), ids=ABSENT)
def test_scores_that_are_not_there_never_win(found, scores):
    assert best(found, IDS, scores) == 3
    assert best(found, IDS, scores, ascending=True) == 1


@pytest.mark.filterwarnings("ignore:by= contains no score")
@pytest.mark.parametrize(
    "scores", [[None] * 3, pa.chunked_array([pa.nulls(3)]), pl.Series([None] * 3), [np.nan] * 3]
)
def test_no_scores_leave_the_least_id(found, scores):
    assert best(found, IDS, scores) == 1


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_frames_of_scores(found, make):
    assert best(found, make({"score": [1, 5, 2], "vertex": IDS})) == 2


@pytest.mark.parametrize(
    "by",
    [
        pd.DataFrame({"0_vertex": [1, 2], "1_vertex": ["x", "y"], "score": [1, 2]}),
        pa.table({"score": [1, 2], "0_vertex": [1, 2], "1_vertex": ["x", "y"]}),
        ([(1, "x"), (2, "y")], [1, 2]),
        ([[1, 2], ["x", "y"]], [1, 2]),
    ],
)
def test_scores_of_ids_of_several_columns(engine, by):
    edges = pd.DataFrame({"a": [1], "b": ["x"], "c": [2], "d": ["y"]})
    found = components(edges, ["a", "b"], ["c", "d"], engine=engine)
    assert columns(found.representatives(by=by))[:2] == [[2], ["y"]]
    with pytest.raises(errors.InputError, match="composite ids need the columns a, b"):
        found.representatives(pd.DataFrame({"vertex": [1], "score": [1]}))


@pytest.mark.parametrize(
    ("by", "says"),
    [
        (pd.Series([1]), r"or a pair \(vertices, scores\), not a Series"),
        ("score", r"not a str: .* use deduplicate\(frame, on=..., by='score'\)"),
        (pd.DataFrame({"vertexid": [1], "score": [2]}), "vertexid, score: did you mean 'vertexid'"),
        ([IDS, IDS], "not a list of 2 items"),
        ((IDS,), "not a tuple of 1 items"),
        (5, "not a int"),
        (pd.DataFrame({0: [1], 1: [2]}), "this frame has 0, 1"),
        (pd.DataFrame([[1, 2, 3]], columns=["vertex", "vertex", "a"]), "has vertex, vertex, a"),
        ((IDS, np.ones((3, 1))), r"shape \(3, 1\): by= must be one column"),
        ((IDS, [[1], [2], [3]]), r"a list of shape \(3, 1\)"),
        ((IDS, [[1], [2, 3], 4]), "several lengths"),
        ((IDS, [1, "b", 2]), "by= must be one column of numbers, booleans, dates"),
        ((IDS, [1j, 2, 3]), "scores are complex128"),
        ((IDS, "abc"), r"a str of shape \(\)"),
        ((IDS, pl.Series([[1], [2], [3]])), "scores are List"),
        ((IDS, pl.Series([1, "b", 2], dtype=pl.Object)), "scores are Object"),
        ((IDS, pd.DataFrame({"a": IDS})), r"shape \(3, 1\)"),
        ((IDS, pd.Series([1, "b", 2], dtype=object)), "scores are Object"),
        ((IDS, [1, 2]), "by= has 3 vertices and 2 scores"),
    ],
)
def test_what_is_no_score_is_refused(found, by, says):
    with pytest.raises(errors.InputError, match=says):
        found.representatives(by=by)


def test_ids_and_scores_that_choose_nothing_are_warned_of(found):
    with pytest.warns(errors.UnmatchedWarning, match=r"1 id \(7\), but the vertices are 1, 2, 3"):
        assert best(found, [7], [1.0]) == 1
    with pytest.warns(
        errors.CcRapidsWarning, match="by= contains no score: .* the least id of each"
    ):
        assert best(found, IDS, [None, float("nan"), None]) == 1
    frame = pd.DataFrame({"vertex": [3, 2], "score": [float("nan")] * 2})
    with pytest.warns(
        errors.CcRapidsWarning, match="column 'score' contains no score: .* the first"
    ):
        assert found.deduplicate(frame, by="score")["vertex"].tolist() == [3]
