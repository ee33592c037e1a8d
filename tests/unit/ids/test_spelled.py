"""Strings as numbers: in their order, back again, and answers like those of other strings."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import counted, fake_cudf
from support.as_lists import columns
from support.string_lists import LISTS

import cc_rapids
from cc_rapids import InputError, UnknownVertexError, backends
from cc_rapids.data import cudf_columns
from cc_rapids.ids import spelled as spelt
from cc_rapids.ids import strings
from cc_rapids.ids.strings import Text, lent_texts
from cc_rapids.kernels import spelling as kernels
from cc_rapids.solver import run

SPELT = {name: words for name, words in LISTS.items() if "prefix" not in name}


@pytest.fixture(autouse=True)
def by_kernels(monkeypatch):
    """Few strings, which a library numbers on threads, are numbered by kernels."""
    monkeypatch.setattr(strings, "LIBRARY_STRINGS", 0)


def spelling_of(words, on):
    """The spelling of some words, and their numbers."""
    with lent_texts([pa.array(words, pa.string())], on) as (text,):
        found = spelt._spelling_of([text], on)
        strange = on.fill(on.empty(1, np.uint64), 0)
        numbers = found.codes(text, on, strange) if found else None
        assert not on.to_host(strange)[0]
    return found, numbers


def strings_of(chars, offsets):
    offsets = offsets.tolist()
    return [bytes(chars[i:j]) for i, j in pairwise(offsets)]


def check(words, on):
    found, numbers = spelling_of(words, on)
    order = sorted({word.encode() for word in words})
    listed = on.to_host(numbers).tolist()
    assert [order.index(word.encode()) for word in words] == [
        sorted(set(listed)).index(number) for number in listed
    ]
    assert max(listed) < found.size
    spelled = map(on.to_host, found.spell(numbers, on))
    assert strings_of(*spelled) == [word.encode() for word in words]


@pytest.mark.parametrize("words", SPELT.values(), ids=SPELT)
def test_numbers_are_in_the_order_of_strings_and_spell_them(on, words):
    check(words, on)


@settings(max_examples=150, deadline=None, derandomize=True)  # the first example compiles
@given(st.lists(st.text("ab\0é", max_size=9), min_size=1, max_size=30))
def test_any_strings(words):
    check(words, backends.get("threads"))


@pytest.mark.parametrize(
    ("words", "size"),
    [
        (["", ""], 1),
        (["vertex 1"] * 2, 1),
        ([f"vertex {k}" for k in range(10)], 10),
        ([f"vertex {k}" for k in range(1, 100)], 9 + 90),
        ([bytes([b] * 9).decode() for b in range(126)], 126**9),
        ([bytes([b] * 9).decode() for b in range(128)], 128**9),
        (["a" * 64, "b" * 64], 2**64),
        (["a" * 63, "b" * 63], 2**63),
        ([f"{k:x}" * 16 for k in range(16)], 2**64),
        ([f"{k:x}" * 16 for k in range(16)] + ["f" * 15 + "g"], None),
        (["a" * 65, "b" * 65], None),
        (["a", "b" * 63, "a" * 64], None),
    ],
)
def test_numbers_of_more_than_64_bits_are_none(on, words, size):
    found, numbers = spelling_of(words, on)
    if size is None:
        assert found is None
    else:
        assert found.size == size
        assert numbers.dtype == (np.uint32 if size <= 2**32 else np.uint64)


def other_way(monkeypatch):
    """Number strings by hashes alone."""
    monkeypatch.setattr(run, "spelled", lambda *given: None)


def lists():
    random = np.random.default_rng(5)
    near = random.integers(0, 3000, (2, 4000))
    yield "near", [[f"vertex {k}" for k in side] for side in near.tolist()]
    yield "padded", [[f"{k:09d}" for k in side] for side in (near * 999).tolist()]
    yield "far", [[f"{k * 0x9E3779B97F4A7C15 % 2**60:x}" for k in side] for side in near.tolist()]
    yield "words", [[f"{k:b}".replace("1", "é") for k in side] for side in near.tolist()]


@pytest.mark.parametrize("sides", dict(lists()).values(), ids=dict(lists()))
def test_answers_are_those_of_hashed_strings(monkeypatch, engine, sides):
    sides = [side[:100] if engine == "cuda" else side for side in sides]
    edges, alone = pa.table(dict(zip(("src", "dst"), sides, strict=True))), pa.array(["", "alone"])
    found = cc_rapids.components(edges, vertices=alone, engine=engine)
    assert found.summary()["ids"].startswith("strings, ")
    with monkeypatch.context() as patch:
        other_way(patch)
        expected = cc_rapids.components(edges, vertices=alone, engine="threads")
    assert expected.summary()["ids"] == "strings, factorised"
    for ask in ("labels", "sizes", "representatives", "largest"):
        assert getattr(found, ask)().equals(getattr(expected, ask)()), ask
    for kind in ("max", "dense", "size", "fingerprint"):
        assert found.labels(kind).equals(expected.labels(kind)), kind
    some = pa.array(["alone", sides[0][7], sides[1][3]])
    assert columns(found.component_of(some)) == columns(expected.component_of(some))
    found.audit(edges, vertices=alone)


def test_what_is_spelt_otherwise_is_no_vertex():
    found = cc_rapids.components((["ab1", "ab22"], ["ab22", "ab3"]))
    for word in ("", "a", "ab", "ab4", "ab2", "ab222", "abx", "xb1", "ab1\0", "ab12", "x" * 70):
        with pytest.raises(UnknownVertexError, match="1 of 1"):
            found.component_of(word)
    assert found.component_of("ab3") == "ab1"


def test_a_spanning_forest_of_strings():
    edges = pd.DataFrame({"src": ["a", "b", "c", "d"], "dst": ["b", "c", "a", "d"]})
    found = cc_rapids.spanning_forest(edges)
    assert len(found) == 2
    assert set(found["source"]) | set(found["destination"]) <= set("abc")


@pytest.mark.parametrize("make", [list, pa.array, lambda w: pd.Series(w, dtype="category")])
def test_no_rows_on_one_side_of_the_vertices(make):
    found = cc_rapids.components(([], []), vertices=make(["b", "a"]))
    assert columns(found.labels()) == [["a", "b"], ["a", "b"]]


def changing(monkeypatch, change):
    """Let another thread write to the strings between the two readings."""
    proper = spelt._spelling_of

    def changed(texts, backend):
        found = proper(texts, backend)
        change(texts[0])
        return found

    monkeypatch.setattr(spelt, "_spelling_of", changed)


@pytest.mark.parametrize("change", [lambda t: t.chars.fill(7), lambda t: t.offsets.fill(0)])
def test_strings_that_change_meanwhile_are_refused(monkeypatch, change):
    words = pa.array([f"vertex {k}" for k in range(20)], pa.large_string())
    lend = spelt.lent_texts

    def lent_copies(columns, backend):
        return lend([pa.concat_arrays([column]) for column in columns], backend)

    monkeypatch.setattr(spelt, "lent_texts", lent_copies)
    monkeypatch.setattr(Text, "of", of_copies(Text.of))
    changing(monkeypatch, change)
    with pytest.raises(InputError, match="changed while they were read"):
        cc_rapids.components((words, words))


def of_copies(proper):
    def of(chars, offsets, backend):
        return proper(chars.copy(), offsets.copy(), backend)

    return of


@pytest.mark.parametrize("offsets", [[0, 2, 1], [0, 1, 9], [3, 1, 2]])
def test_offsets_are_checked(on, offsets):
    text = Text.of(np.frombuffer(b"abc", np.uint8), np.array(offsets), on)
    with pytest.raises(InputError, match="before they begin"):
        spelt._spelling_of([text], on)


def test_long_lists_are_sampled_first(monkeypatch):
    noted = []
    proper = spelt._spelling_of_rows
    monkeypatch.setattr(spelt, "LONG", 10)
    monkeypatch.setattr(spelt, "SAMPLED", 3)
    monkeypatch.setattr(
        spelt,
        "_spelling_of_rows",
        lambda texts, max_rows, *more: noted.append(max_rows) or proper(texts, max_rows, *more),
    )
    words = pa.array([f"{'long' * 20} {k}" for k in range(20)])
    assert cc_rapids.components((words, words)).summary()["ids"] == "strings, factorised"
    short = pa.array([f"short {k}" for k in range(20)])
    assert len(cc_rapids.components((short, short))) == 20
    assert noted == [3, 3, 40]


def test_a_short_list_goes_to_the_host_and_back_few_times():
    edges = pa.table({"src": ["vertex 7", "vertex 10"], "dst": ["vertex 9", "vertex 7"]})
    with counted.counted() as backend:
        cc_rapids.components(edges, engine="cuda")
        down = [size for way, size in backend.copies if way == counted.TO_HOST]
    # what occurs, whether all are spelt so, and what the launch that solves has found
    assert down[0] == kernels.SEEN
    assert len(down) <= 3


def test_the_plan_is_what_runs():
    edges = (["vertex 7", "vertex 10"], ["vertex 9", "vertex 7"])
    plan = cc_rapids.components(edges, explain=True)
    assert plan.ids == cc_rapids.components(edges).summary()["ids"] == "strings, offset"
    assert "strings of 8 to 9 bytes are numbers below 6, in lexicographic order" in plan.ids_why


def test_a_column_of_cudf_is_made_of_bytes():
    with fake_cudf.installed():
        chars = np.frombuffer("abécd".encode(), np.uint8)
        made = cudf_columns.make_strings(np.dtype(object), chars, np.array([0, 1, 4, 4, 6]))
        octets, offsets = cudf_columns.borrow_strings(made)
        assert strings_of(octets, offsets) == [b"a", "bé".encode(), b"", b"cd"]
        assert offsets.dtype == np.int32
