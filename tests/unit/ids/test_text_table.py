"""Strings of batches: different bytes have different numbers, and numbers never change."""

import itertools
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cc_rapids
from cc_rapids import backends
from cc_rapids.data.read import NOTHING
from cc_rapids.errors import InputError
from cc_rapids.ids import growing, strings, text_table
from cc_rapids.ids.growing import Texts
from cc_rapids.ids.strings import Text, hashes
from cc_rapids.kernels.strings import copy_rows

WORDS = ["", "a", "b", "a\0", "\0", "\0\0", "é", "twelve bytes", "twelve byteS", "x" * 100]
LAYOUTS = {
    "string": lambda words: pa.array(words, pa.string()),
    "large_string": lambda words: pa.array(words, pa.large_string()),
    "string_view": lambda words: pa.array(words, pa.string_view()),
    "dictionary": lambda words: pa.array(["unused", *words]).dictionary_encode()[1:],
    "slice": lambda words: pa.array(["before", *words, "after"]).slice(1, len(words)),
    "chunks": lambda words: pa.chunked_array([words[:1], words[1:]], pa.string()),
}


@pytest.fixture(autouse=True)
def by_kernels(monkeypatch):
    monkeypatch.setattr(strings, "LIBRARY_STRINGS", 0)


def insert(index, words, on):
    index, (numbers,) = index.extend(NOTHING, [pa.array(words, pa.string())], on)
    return index, on.to_host(numbers).tolist()


def strings_of(index, on):
    octets, offsets = map(on.to_host, index.sorted_buffers())
    return [bytes(octets[i:j]) for i, j in itertools.pairwise(offsets)]


def check(index, expected, on):
    """The index has these strings, each with the number by which it was first found."""
    assert index.n == len(expected)
    assert strings_of(index, on) == sorted(word.encode() for word in expected)
    if expected:
        numbers, known = index.lookup(pa.array(list(expected), pa.string()), on)
        assert on.to_host(known).all()
        assert on.to_host(numbers).tolist() == list(expected.values())


@pytest.mark.slow
@given(st.lists(st.lists(st.sampled_from(WORDS) | st.text("ab\0", max_size=9), max_size=12)))
@settings(deadline=None, max_examples=20)
@pytest.mark.parametrize("bits", [0, 1, 64])
def test_strings_keep_their_numbers_whatever_their_hashes(bits, batches):
    on, proper = backends.get("threads"), hashes

    def weak(text, seed):
        return proper(text, seed) & np.uint64((1 << bits) - 1)

    index, expected = Texts.empty(on), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_table, "hashes", weak)
        for batch in batches:
            index, numbers = insert(index, batch, on)
            for word, number in zip(batch, numbers, strict=True):
                assert expected.setdefault(word, number) == number
            assert sorted(expected.values()) == list(range(index.n))
        check(index, expected, on)
        unknown = [word for word in ["no", "x" * 99, "\0\0\0"] if word not in expected]
        assert not index.lookup(pa.array(unknown, pa.string()), on)[1].any()


def test_strings_whose_hashes_are_equal_are_different_vertices(on, monkeypatch):
    monkeypatch.setattr(text_table, "hashes", lambda text, seed: hashes(text, seed) & np.uint64(0))
    index, numbers = insert(Texts.empty(on), WORDS + WORDS[::-1], on)
    assert numbers[: len(WORDS)] == numbers[: len(WORDS) - 1 : -1]
    check(index, dict(zip(WORDS, numbers, strict=False)), on)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_columns_of_any_layout(layout):
    words = WORDS * 3
    connected = cc_rapids.Connectivity()
    for _ in range(2):
        connected.insert((LAYOUTS[layout](words[:-1]), LAYOUTS[layout](words[1:])))
    frame = connected.components().labels()
    vertices = [word.encode() for word in frame["vertex"].to_pylist()]
    assert vertices == sorted({word.encode() for word in words})
    assert set(frame["labels"].to_pylist()) == {""}


def test_an_older_index_copies_its_own_strings(on):
    old, numbers = insert(Texts.empty(on), ["b", "a"], on)
    one, _ = insert(old, ["c", "longer than the other"], on)
    other, _ = insert(old, ["d"], on)
    assert one.table is old.table is not other.table
    assert strings_of(old, on) == [b"a", b"b"]
    assert strings_of(one, on) == [b"a", b"b", b"c", b"longer than the other"]
    assert strings_of(other, on) == [b"a", b"b", b"d"]
    queries = pa.array(["b", "a", "c", "d"])
    for index, known in ((old, "ba"), (one, "bac"), (other, "bad")):
        found, valid = (on.to_host(array) for array in index.lookup(queries, on))
        assert [q for q, v in zip("bacd", valid, strict=True) if v] == list(known)
        assert found[:2].tolist() == numbers


def test_an_index_goes_on_after_a_batch_that_failed(on, monkeypatch):
    old, numbers = insert(Texts.empty(on), ["b", "a"], on)
    with monkeypatch.context() as patch:
        patch.setattr(text_table.TextTable, "_differing", interrupt)
        with pytest.raises(KeyboardInterrupt):
            insert(old, ["c", "d"], on)
    again, (first, *_) = insert(old, ["a", "e"], on)
    assert first == numbers[1]
    assert strings_of(again, on) == [b"a", b"b", b"e"]


def interrupt(*_):
    raise KeyboardInterrupt


def test_strings_that_change_while_they_are_read_are_an_error(monkeypatch):
    on = backends.get("threads")
    chars = np.frombuffer(b"onetwo", np.uint8).copy()
    text = Text.of(chars, np.array([0, 3, 6]), on)
    run = Text.run

    def changing(self, make, n, *arguments):
        run(self, make, n, *arguments)
        if make is copy_rows:
            chars[0] += 1

    monkeypatch.setattr(Text, "run", changing)
    with pytest.raises(InputError, match="strings changed"):
        text_table.TextTable(on).enter([text])


def test_reserved_memory_that_is_used_up_is_copied(monkeypatch):
    on = backends.get("threads")
    monkeypatch.setattr(type(on), "reserve", lambda self, n, dtype: np.empty(n, dtype))
    index, expected = Texts.empty(on), {}
    for batch in (WORDS[:3], WORDS[3:], WORDS, ["more"]):
        index, numbers = insert(index, batch, on)
        expected |= dict(zip(batch, numbers, strict=True))
    check(index, expected, on)


def test_a_copy_has_the_strings_alone(on):
    index, _ = insert(Texts.empty(on), ["b", "a"], on)
    insert(index, ["c"], on)
    check(pickle.loads(pickle.dumps(Texts.of(index.text()))), {"a": 0, "b": 1}, on)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_strings_are_looked_up_in_parts(monkeypatch, layout, engine):
    on = backends.get(engine)
    index, numbers = insert(Texts.empty(on), WORDS, on)
    monkeypatch.setattr(growing, "LOOKED_UP", 3)
    asked = ["b", "none", *WORDS[3:], "nobody", "b"]
    found, known = map(on.to_host, index.lookup(LAYOUTS[layout](asked), on))
    assert known.tolist() == [word in WORDS for word in asked]
    want = [numbers[WORDS.index(word)] for word in asked if word in WORDS]
    assert found[known].tolist() == want
