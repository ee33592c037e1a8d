"""No message is longer than 600 characters, however long the names, ids and paths that it tells."""

import copy
import pickle
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cc_rapids
from cc_rapids import Connectivity, components, components_at, errors, stream_components

LONG = "x" * 100_000
QUOTED = 'it\'s "so" ' * 20_000
NAMES = [f"column {k} of a wide table" for k in range(5000)]
WIDE = pd.DataFrame(np.zeros((1, len(NAMES))), columns=NAMES)
PAIR = [1, 2], [2, 3]
WORDS = components(([LONG + "a"], [LONG + "b"]))
FLOATS = pd.DataFrame({LONG: [0.5], "b": [1], QUOTED: ["c"]})
CUTS = components_at(PAIR, weight=[0.5, 1], thresholds=np.arange(2000))

JOBS = {
    "no column": lambda: components(WIDE),
    "one column twice": lambda: components(WIDE, NAMES[0], NAMES[0]),
    "a column of polars": lambda: components(pl.DataFrame({LONG: [1]}), LONG, "b"),
    "a reader": lambda: stream_components(pa.table({LONG: [1.0]}).to_reader(), LONG, "b"),
    "kinds": lambda: components(FLOATS, "b", QUOTED),
    "several floats": lambda: components(WIDE, NAMES[:2000], NAMES[2000:4000]),
    "unknown ids": lambda: WORDS.component_of([QUOTED, LONG, LONG + "c"]),
    "integer label": lambda: WORDS.subset(10**10_000),
    "attached on": lambda: WORDS.attach(WIDE, on=LONG),
    "scores": lambda: components(PAIR).representatives(by=WIDE),
    "surrogates": lambda: components(([LONG + "\ud800"], ["a"]), LONG),
    "lists": lambda: components(([[1] * 5000], [[1, 2]]), LONG),
    "engine": lambda: components(PAIR, engine=LONG),
    "option": lambda: components(PAIR, design=f"kout({LONG}=3)+async+halve"),
    "many words": lambda: components(PAIR, design="+".join(NAMES)),
    "num_vertices": lambda: components(PAIR, num_vertices=10**10_000),
    "vertices": lambda: components(PAIR, vertices=range(10**10_000)),
    "pattern": lambda: components(f"/nowhere/{QUOTED}*.parquet"),
    "file with half a surrogate pair": lambda: components(f"/nowhere/\ud800{LONG}.csv"),
    "files": lambda: components([f"/nowhere/{name}.csv" for name in NAMES]),
    "limit": lambda: stream_components(iter([PAIR]), memory_limit=LONG),
    "state": lambda: Connectivity.load(f"/nowhere/{LONG}"),
    "asked": lambda: Connectivity().insert((["a"], ["b"])).connected(([LONG], [QUOTED])),
    "thresholds": lambda: components_at(PAIR, weight=[1, 2], thresholds=[LONG] * 100),
    "cut of a long name": lambda: CUTS.at(QUOTED),
}


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_whatever_is_told_is_short(job):
    with pytest.raises(errors.CcRapidsError) as raised:
        job()
    message = str(raised.value)
    assert 20 < len(message) <= errors.LONGEST
    message.encode()


@pytest.mark.slow
@pytest.mark.parametrize("name", cc_rapids.__all__)
def test_every_error_keeps_its_ends_and_survives_copies(name):
    kind = getattr(cc_rapids, name)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        return
    for text in (LONG, QUOTED, f"column {LONG!r} is float64: cast it", " ".join(NAMES)):
        error = kind(f"first {text} last")
        assert len(str(error)) <= errors.LONGEST
        assert str(error).startswith("first ")
        assert str(error).endswith(" last")
        for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
            assert type(again) is kind
            assert str(again) == str(error)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=40), st.integers(0, 200), st.text(max_size=40), st.text(max_size=40))
def test_short_messages_stay_and_long_ones_are_cut(first, times, middle, last):
    message = first + middle * times + last
    found = errors.brief(message)
    assert len(found) <= errors.LONGEST
    escaped = "".join(one if one.isprintable() else repr(one)[1:-1] for one in message)
    assert found.isprintable()
    if len(escaped) <= errors.LONGEST:
        assert found == escaped
    assert errors.brief(found) == found


def test_names_that_are_quoted_keep_both_ends():
    with pytest.raises(errors.ColumnTypeError) as raised:
        components(pd.DataFrame({"a" * 900 + "b": [0.5], "c": [1]}), "a" * 900 + "b", "c")
    assert "column 'aaa" in str(raised.value)
    assert "aab' is float64 (1 values)" in str(raised.value)
    assert str(raised.value).endswith(".astype('Int64') where values are missing")


def test_an_argument_is_shown_without_a_look_at_what_it_holds():
    class Odd:
        def __repr__(self):
            raise RuntimeError

    assert errors.shown(Odd()) == "a Odd"
    assert errors.shown([Odd()] * 3) == "a list of 3"
    with pytest.raises(errors.InputError, match="not a Odd"):
        components(PAIR, num_vertices=Odd())
    assert errors.shown(time) == "a module"
