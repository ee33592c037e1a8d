"""The accessor of pandas frames; cuDF's is tested on a GPU."""

import subprocess
import sys

import pandas as pd
import pytest
from support.as_lists import columns

import cc_rapids
import cc_rapids.accessor
from cc_rapids.solver.plan import Plan

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
    with pytest.raises(cc_rapids.MissingColumnError, match="unknown column 'src'"):
        other.cc.labels()


@pytest.mark.parametrize("ask", ["components", "labels", "sizes"])
def test_each_says_what_it_would_take(ask):
    assert isinstance(getattr(EDGES.cc, ask)(explain=True), Plan)


def test_an_unfit_frame_has_none():
    frame = EDGES[["src"]]
    with pytest.raises(AttributeError, match="two columns of ids, but this frame has 1"):
        frame.cc.labels()
    assert not hasattr(frame, "cc")


def test_registering_twice_says_nothing():
    assert cc_rapids.accessor.register()[0] == "pandas"


def test_it_is_there_after_one_import_and_not_before():
    code = (
        "import pandas as pd, cc_rapids; print(hasattr(pd.DataFrame, 'cc'));"
        "import cc_rapids.accessor; print(hasattr(pd.DataFrame, 'cc'))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
