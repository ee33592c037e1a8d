"""The accessor of pandas and Polars frames; cuDF's is tested on a GPU."""

import subprocess
import sys

import pandas as pd
import polars as pl
import pytest
from support.as_lists import columns

import cc_rapids
import cc_rapids.accessor
from cc_rapids.solver.choose import Plan

EDGES = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9], "w": [0.5, 1, 2]})


def test_what_it_finds():
    found = EDGES.cc.components()
    assert isinstance(found, cc_rapids.Components)
    assert columns(EDGES.cc.labels()) == [[2, 5, 7, 9], [2, 2, 2, 9]]
    assert columns(EDGES.cc.sizes()) == [[2, 9], [3, 1]]


def test_columns_and_options_are_passed_on():
    other = EDGES.rename(columns={"src": "a", "dst": "b"})
    assert columns(other.cc.labels("a", "b", labels="dense"))[1] == [0, 0, 0, 1]
    assert len(other.cc.components("a", "b", num_vertices=12)) == 10
    assert columns(other[["a", "b"]].cc.attach())[-1] == [2, 2, 9]
    with pytest.raises(cc_rapids.MissingColumnError, match="3 columns and no known pair of names"):
        other.cc.labels()


@pytest.mark.parametrize("ask", ["components", "labels", "sizes", "attach", "filter", "members"])
def test_each_says_what_it_would_take(ask):
    assert isinstance(getattr(EDGES.cc, ask)(explain=True), Plan)


DOCS = pd.DataFrame({"doc_id": [5, 7, 4, 9], "length": [1, 3, 2, 5], "corpus": list("abab")})


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas])
def test_frames_are_labelled_and_deduplicated(make):
    edges, docs = make(EDGES), make(DOCS)
    assert columns(edges.cc.attach(name="group"))[-1] == [2, 2, 9]
    assert columns(edges.cc.attach(on="dst", labels="max"))[-1] == [7, 7, 9]
    attached = edges.cc.attach(docs, on="doc_id", missing="self")
    assert type(attached) is type(docs)
    assert columns(attached)[-1] == [2, 2, 4, 9]
    with pytest.raises(cc_rapids.MissingColumnError, match="no column 'vertex'"):
        edges.cc.attach(docs)
    best = edges.cc.deduplicate(docs, on="doc_id", by="length")
    assert type(best) is type(docs)
    assert columns(best)[0] == [7, 4, 9]
    chosen = {"by": "length", "ascending": True, "per": "corpus", "missing": "drop"}
    assert columns(edges.cc.deduplicate(docs, "src", "dst", on="doc_id", **chosen))[0] == [5, 7, 9]
    assert isinstance(edges.cc.deduplicate(docs, explain=True), Plan)


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas])
def test_methods_of_an_answer_are_methods_of_the_frame(make):
    edges, docs = make(EDGES), make(DOCS)
    assert columns(edges.cc.filter("src", "dst", min_size=2)) == [[2, 5, 7], [2, 2, 2]]
    assert columns(edges.cc.largest(count=1, labels="dense"))[1] == [0, 0, 0]
    assert columns(edges.cc.members())[0] == [2, 2, 2, 9]
    assert columns(edges.cc.size_histogram()) == [[1, 3], [1, 1]]
    lost = edges.cc.duplicates(docs, on="doc_id", by="length", name="group")
    assert columns(lost) == [[5], [7], [2], [1], [3]]
    with pytest.raises(cc_rapids.errors.ArgumentTypeError, match="unknown argument 'min'"):
        edges.cc.filter(min=2)


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas, pl.LazyFrame])
def test_pairs_are_explained_with_and_without_a_forest(make):
    edges = make(EDGES[["src", "w", "dst"]])
    people = pd.DataFrame({"id": [2, 5, 7], "name": ["Al", "Ann", "A. L."]})
    for options in ({}, {"weight": "w", "forest": "max"}):
        evidence = edges.cc.explain_pair(7, 5, records=people, on="id", **options)
        assert evidence.frame["to_name"].tolist() == ["Al", "Ann"]
        assert ("weight" in evidence.frame) == bool(options)
    assert isinstance(edges.cc.explain_pair(7, 5, explain=True), Plan)


def test_polars_frames_have_it_too():
    edges = pl.from_pandas(EDGES)
    assert edges.cc.labels()["labels"].to_list() == [2, 2, 2, 9]
    assert isinstance(edges.cc.sizes(), pl.DataFrame)
    assert not hasattr(edges.select("src"), "cc")


def test_an_unfit_frame_has_none():
    frame = EDGES[["src"]]
    with pytest.raises(AttributeError, match="two columns of ids, but this frame has 1"):
        frame.cc.labels()
    assert not hasattr(frame, "cc")


def test_registering_twice_says_nothing():
    found = cc_rapids.accessor.register()
    assert (found[0], found[-1]) == ("pandas", "polars")


@pytest.mark.slow
def test_it_is_there_after_one_import_and_not_before():
    code = (
        "import pandas as pd, polars as pl, cc_rapids;"
        "print(hasattr(pd.DataFrame, 'cc'), hasattr(pl.DataFrame, 'cc'));"
        "import cc_rapids.accessor;"
        "print(hasattr(pd.DataFrame, 'cc'), hasattr(pl.DataFrame, 'cc'))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False", "True", "True"]
