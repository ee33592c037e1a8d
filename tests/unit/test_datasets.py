"""Data sets of the package: what they hold, as frames of each library, made from the records."""

import importlib
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support import fake_cudf

import cc_rapids
from cc_rapids import InputError, MissingExtraError, datasets

ROOT = Path(__file__).parents[2]
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


@pytest.mark.parametrize("frames", KINDS)
def test_words_are_strings_in_a_frame_of_each_library(frames):
    words = datasets.word_ladders(frames)
    assert type(words) is KINDS[frames]
    assert words.shape == (51_604, 2)
    found = cc_rapids.components(words, "word", "neighbour")
    assert found.component_of("cold") == found.component_of("warm")
    assert found.component_of("null") == found.component_of("pull")  # a word, and no null


def test_each_frame_is_new():
    first = datasets.word_ladders("pandas")
    first.loc[0, "word"] = "changed"
    assert datasets.word_ladders("pandas").loc[0, "word"] != "changed"


def test_the_library_is_that_of_frame_library(monkeypatch):
    frames = importlib.import_module("cc_rapids.tools.frame_library")
    assert isinstance(datasets.word_ladders(), pd.DataFrame)
    monkeypatch.setattr(frames, "frame_library", lambda: pl)
    assert isinstance(datasets.word_ladders(), pl.DataFrame)


@pytest.mark.parametrize(
    "call", [datasets.word_ladders, lambda f: datasets.measurements("designs", f)]
)
def test_an_unknown_library_is_named_with_those_there_are(call):
    with pytest.raises(InputError, match="unknown frames 'panda': did you mean 'pandas'"):
        call("panda")
    with pytest.raises(InputError, match="one of cudf, pandas, polars, pyarrow"):
        call(3)


def test_unknown_measurements_are_named_with_those_there_are():
    with pytest.raises(InputError, match="unknown measurements 'design': did you mean 'designs'"):
        datasets.measurements("design")
    with pytest.raises(InputError, match="one of designs, main_job, networkx"):
        datasets.measurements(None)
    with pytest.raises(InputError, match="one of designs, main_job, networkx"):
        datasets.measurements(["designs"])


def test_a_library_that_is_missing_is_named_with_a_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"frames='polars' needs polars.*frames='pyarrow'"):
        datasets.word_ladders("polars")


@pytest.mark.parametrize("name", datasets.MEASURED)
def test_measurements_have_no_gaps(name):
    table = datasets.measurements(name, "pyarrow")
    assert table.num_rows > 0
    assert sum(column.null_count for column in table.columns) == 0


def test_measurements_can_be_drawn():
    rows = datasets.measurements("main_job", "pyarrow").to_pylist()
    axes = cc_rapids.plots.times(row for row in rows if row["dtype"] == "int32")
    limits = 3 if rows[0]["device"] in cc_rapids.plots.CARDS else 0
    assert len(axes.lines) == 2 + limits  # ours and cuGraph's


def test_files_are_small():
    sizes = [
        path.stat().st_size
        for path in (ROOT / "cc_rapids" / "datasets").iterdir()
        if path.is_file()
    ]
    assert sum(sizes) < 1_000_000


def test_a_cudf_frame_is_made_by_its_own_method(monkeypatch):
    seen = []

    class DataFrame:
        @staticmethod
        def from_arrow(table):
            seen.append(table)
            return "a frame"

    monkeypatch.setitem(sys.modules, "cudf", type(fake_cudf)("cudf"))
    monkeypatch.setattr(sys.modules["cudf"], "DataFrame", DataFrame, raising=False)
    assert datasets.word_ladders("cudf") == "a frame"
    assert seen[0].num_rows == 51_604
