"""Few strings on threads: numbered by PyArrow, as kernels for them would have to be compiled."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import sizes
from support.as_lists import columns

import cc_rapids
from cc_rapids import InputError, datasets
from cc_rapids.backends.base import Kernel
from cc_rapids.ids import strings

words = st.text(max_size=12) | st.text("a\0é", max_size=20)
LADDERS = 51_604  # edges of the list of `make demo`
KERNELS = ["init_singletons", "every_edge", "flatten"]


@pytest.fixture
def launched(monkeypatch):
    """The names of the kernels that run, each once."""
    names, call = {}, Kernel.__call__

    def noted(kernel, n, *arguments):
        names[kernel.part.function.__name__] = None
        call(kernel, n, *arguments)

    monkeypatch.setattr(Kernel, "__call__", noted)
    return names


def answer(edges, most):
    """The labels and the name of the encoding, with so many strings left to the library."""
    with sizes.override(library_strings=most):
        found = cc_rapids.components(edges, engine="threads")
        return columns(found.labels()), found.summary()["ids"]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(words, words), min_size=1, max_size=30))
def test_the_library_gives_the_same_answer(pairs):
    edges = pa.table(dict(zip(("src", "dst"), map(list, zip(*pairs, strict=True)), strict=True)))
    ours, _ = answer(edges, 0)
    theirs, by = answer(edges, 60)
    assert theirs == ours
    assert by == "strings, factorised"


def test_what_the_demo_computes_takes_few_kernels(launched):
    found = cc_rapids.components(
        datasets.word_ladders("pyarrow"), "word", "neighbour", engine="threads"
    )
    summary = found.summary()
    assert (summary["edges"], summary["components"]) == (LADDERS, 6_019)
    assert sorted(launched) == sorted(KERNELS)


@pytest.mark.parametrize(("rows", "by_library"), [(2, True), (3, False)])
def test_all_columns_count(launched, rows, by_library):
    edges = pd.DataFrame({"src": ["a"] * rows, "dst": ["b"] * rows})
    with sizes.override(library_strings=5):
        cc_rapids.components(edges, vertices=["a"], engine="threads")
    assert ("note_letters" not in launched) == by_library


@pytest.mark.parametrize("known", [100, 4000])
def test_the_library_indexes_no_words_that_are_many(known, monkeypatch):
    """Which would take its tables of all words, for a few that are looked up among them."""
    indexed, find = [], strings._Arrow.find

    def noted(library, words, wanted):
        indexed.append(len(words))
        return find(library, words, wanted)

    monkeypatch.setattr(strings._Arrow, "find", noted)
    names = np.array([f"v{k:05}" for k in range(known)])
    with sizes.override(library_strings=1000):
        found = cc_rapids.components((names[:-1], names[1:]), engine="threads")
        assert found.component_of("v00007") == "v00000"
        seen = cc_rapids.Connectivity(engine="threads").insert((names[:-1], names[1:]))
        assert len(seen.insert((["v00001"], ["w"]))) == 1
    assert max(indexed, default=0) <= 1000


@pytest.mark.parametrize(("offsets", "octets"), [([0, 2, 1], b"abc"), ([0, 1, 2], b"\xff\xfe")])
def test_no_column_without_valid_strings_reaches_the_library(offsets, octets):
    buffers = pa.py_buffer(np.array(offsets, np.int64)), pa.py_buffer(octets)
    wrong = pa.LargeStringArray.from_buffers(2, *buffers)
    with pytest.raises(InputError, match="whose buffers do not form a column"):
        cc_rapids.components((wrong, wrong), engine="threads")


def test_other_backends_number_strings_by_kernels():
    from simulation.simulator import Simulator

    from cc_rapids.backends.cuda import Cuda
    from cc_rapids.backends.threads import Threads

    kinds = Threads, Cuda, Simulator
    assert [kind.few_by_library for kind in kinds] == [True, False, False]
