"""Strings by their bytes: against Python's order of the encoded strings."""

import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.as_lists import columns
from support.string_lists import CHAIN, LISTS, LONG, weakly

import cc_rapids
from cc_rapids import backends, oracle
from cc_rapids.ids import strings
from cc_rapids.ids import strings as texts

texts_of_any_kind = st.lists(
    st.text(max_size=12)
    | st.text("a\0é", max_size=20)
    | st.text("ab", max_size=3).map(lambda end: LONG[:23] + end),
    min_size=1,
    max_size=40,
)


@pytest.fixture(autouse=True)
def by_kernels(monkeypatch):
    """Few strings, which a library numbers on threads, are numbered by kernels."""
    monkeypatch.setattr(strings, "LIBRARY_STRINGS", 0)


def encoded(words):
    return [word.encode() for word in words]


def text(words, on, dtype=np.int64):
    """Strings as an engine's buffers."""
    offsets = np.cumsum([0, *map(len, encoded(words))]).astype(dtype)
    return texts.Text.of(np.frombuffer(b"".join(encoded(words)), np.uint8), offsets, on)


def check(found, words):
    """Codes and rows are those of the different strings in the order of their bytes."""
    codes, rows = (array.tolist() for array in found)
    order = sorted(set(encoded(words)))
    assert [order[code] for code in codes] == encoded(words)
    assert rows == [encoded(words).index(word) for word in order]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("words", LISTS.values(), ids=LISTS)
def test_codes_are_in_the_order_of_bytes(on, words, dtype):
    check([on.to_host(array) for array in texts.factorise_text(text(words, on, dtype))], words)


@settings(max_examples=150, deadline=None, derandomize=True)  # the first example compiles
@given(texts_of_any_kind)
def test_any_strings(words):
    check(texts.factorise_text(text(words, backends.get("threads"))), words)


def test_many_strings():
    random = np.random.default_rng(3)
    words = [f"{k:x}"[:9] for k in random.integers(0, 2**40, 30_000).tolist()] * 2
    check_large(words)
    check_large([f"user {k}" for k in random.integers(0, 9000, 70_000).tolist()])


def check_large(words):
    codes, rows = texts.factorise_text(text(words, backends.get("threads")))
    order, expected = np.unique(np.array(encoded(words)), return_inverse=True)
    np.testing.assert_array_equal(codes, expected)
    assert [words[row].encode() for row in rows.tolist()] == order.tolist()


@pytest.mark.parametrize("start", range(9))
def test_bytes_may_lie_anywhere(on, start):
    words = LISTS["numbers"]
    plain = b"".join(encoded(words))
    chars = np.frombuffer(b"-" * start + plain, np.uint8)
    offsets = np.cumsum([0, *map(len, words)])
    shifted = texts.Text.of(on.asarray(chars)[start:], offsets, on)
    beyond = texts.Text.of(chars, offsets + start, on)
    for one in (shifted, beyond):
        check([on.to_host(array) for array in texts.factorise_text(one)], words)


@pytest.mark.parametrize("tries", [1, 2])
def test_strings_that_share_a_hash_are_hashed_again(on, monkeypatch, tries):
    seeds = weakly(monkeypatch, tries)
    words = LISTS["numbers"]
    check([on.to_host(array) for array in texts.factorise_text(text(words, on))], words)
    assert seeds == list(texts.SEEDS[: tries + 1])


def test_other_seeds_give_other_hashes(on):
    one = text(["", "a", "b", "abcdefgh", "abcdefghi", "\0", "\0\0"], on)
    found = [on.to_host(texts.hashes(one, seed)).tolist() for seed in texts.SEEDS]
    assert len({h for hashes in found for h in hashes}) == 7 * len(texts.SEEDS)


def answer(words):
    """The labels of a path through some strings, each beside the least of all."""
    column = pa.array(words, pa.string())
    found = cc_rapids.components((column[:-1], column[1:]))
    vertices, labels = columns(found.labels())
    assert encoded(vertices) == sorted(set(encoded(words)))
    assert set(labels) == {vertices[0]}


def test_a_hash_is_that_of_the_bytes_wherever_they_lie(on):
    words = ["", "a", "b", "é", "no-longer-than-two-words"]
    whole = strings.hashes_of(pa.array(words), on)
    assert len({*whole.tolist()}) == len(words)
    layouts = {
        "a slice": pa.array(["before", *words, "after"]).slice(1, len(words)),
        "chunks": pa.chunked_array([words[:2], words[2:]]),
        "wide offsets": pa.array(words, pa.large_string()),
        "a dictionary": pa.array(words[::-1] + words).dictionary_encode().slice(len(words)),
    }
    for layout, column in layouts.items():
        assert strings.hashes_of(column, on).tolist() == whole.tolist(), layout
    assert strings.hashes_of(pa.array([], pa.string()), on).size == 0


def test_the_library_takes_over_where_hashes_fail(monkeypatch, caplog):
    seeds = weakly(monkeypatch, 100)
    with caplog.at_level(logging.INFO, "cc_rapids.ids.strings"):
        answer([LONG + word for word in LISTS["numbers"]])
    assert seeds == list(texts.SEEDS)
    assert [record.message for record in caplog.records] == [
        "two strings share a hash with every seed: the library numbers the strings"
    ]


def test_the_library_takes_over_where_prefixes_never_end(caplog):
    with caplog.at_level(logging.INFO, "cc_rapids.ids.strings"):
        answer(CHAIN[:-1])
        assert not caplog.records
        answer(CHAIN)
    assert "the library sorts them" in caplog.text


def frames(src, dst):
    """The same edges in columns of every layout."""
    sides = {"src": src, "dst": dst}
    whole = pa.array(["before", *src, *dst, "after"], pa.string())
    yield pa.table(sides)
    yield pa.table({"src": whole[1 : len(src) + 1], "dst": whole[len(src) + 1 : -1]})
    yield pa.table({name: pa.chunked_array([side[:2], side[2:]]) for name, side in sides.items()})
    yield pa.table({name: pa.array(side).dictionary_encode() for name, side in sides.items()})
    yield pd.DataFrame(sides)
    yield pd.DataFrame(sides, dtype="category")
    yield np.array(src, object), np.array(dst, object)


def test_columns_of_every_layout(engine):
    src, dst = ["é", "b", "a\0", "", "x"], ["z", "a", "b", "", "xx"]
    for edges in frames(src, dst):
        found = cc_rapids.components(edges, vertices=pa.array(["a\0\0", "b"]), engine=engine)
        vertices, labels = columns(found.labels())
        assert vertices == ["", "a", "a\0", "a\0\0", "b", "x", "xx", "z", "é"]
        assert labels == ["", "a", "a", "a\0\0", "a", "x", "x", "z", "z"]
        assert found.component_of("xx") == "x"
        assert columns(found.labels()) == [vertices, labels]


@pytest.mark.slow
def test_strings_come_in_batches(engine):
    random = np.random.default_rng(7)
    known = np.array(LISTS["numbers"] + LISTS["long prefix"][:4] + LISTS["ends of pieces"], object)
    seen, pairs = cc_rapids.Connectivity(engine=engine), []
    for size in (1, 5, 0, 20):
        pairs.append(known[random.integers(0, known.size, (2, size))])
        seen.insert((pairs[-1][0], pairs[-1][1]))
        src, dst = np.concatenate(pairs, axis=1)
        ours, once = seen.components(), cc_rapids.components((src, dst), engine=engine)
        assert columns(ours.labels()) == columns(once.labels())
        oracle.certify_components(ours, (src, dst))


def test_an_answer_may_be_changed():
    edges = pd.DataFrame({"src": ["b", "c"], "dst": ["a", "b"]})
    found = cc_rapids.components(edges)
    first = found.labels()
    first["vertex"] = first["vertex"].str.upper()
    first.iloc[0, 1] = "changed"
    assert columns(found.labels()) == [["a", "b", "c"], ["a", "a", "a"]]


def sides_of_hundred_letters():
    sides = {"src": pa.array(["a" * 100] * 50), "dst": pa.array(["b" * 100] * 50)}
    yield pa.table(sides)
    yield pa.table({name: pa.chunked_array([side[:7], side[7:]]) for name, side in sides.items()})
    yield pa.table({name: side.dictionary_encode() for name, side in sides.items()})
    yield pa.table({name: side.cast(pa.large_string()) for name, side in sides.items()})


def test_explain_counts_the_bytes_of_strings():
    each = 100 + 8  # and an offset
    for edges in sides_of_hundred_letters():
        assert strings.bytes_of([edges["src"], [edges["dst"]]]) >= 100 * each
        assert cc_rapids.components(edges, explain=True).bytes >= 3 * 100 * each
    assert strings.bytes_of(pa.array([], pa.dictionary(pa.int32(), pa.string()))) == 0


@pytest.mark.parametrize("vertices", [None, ["a", "z"]])
def test_columns_of_one_answer_have_the_same_categories(vertices):
    sides = {"src": pd.Categorical(["b", "c"]), "dst": pd.Categorical(["a", "d"])}
    found = cc_rapids.components(pd.DataFrame(sides), vertices=vertices)
    labels = found.labels()
    own = labels[labels["vertex"] == labels["labels"]]
    assert own["vertex"].tolist() == found.sizes().sort_values("labels")["labels"].tolist()
    assert labels["vertex"].dtype == labels["labels"].dtype == found.sizes()["labels"].dtype


def test_categories_that_hold_all_ids_stay_what_they_are():
    kind = pd.CategoricalDtype(["z", "b", "a", "unused"], ordered=True)
    edges = pd.DataFrame({"src": ["b"], "dst": ["z"]}).astype(kind)
    labels = cc_rapids.components(edges).labels()
    assert (labels.dtypes == kind).all()
    batch = cc_rapids.Connectivity().insert(edges).components().labels()
    assert (batch.dtypes == kind).all()


@pytest.mark.parametrize("ids_per_lookup", [0, 10**6])
def test_few_words_and_many_are_found_alike(engine, tuned, ids_per_lookup):
    tuned(ids_per_lookup=ids_per_lookup)
    words = ["", "a", "a\0", "ab", "é", "x" * 40, "x" * 41]
    found = cc_rapids.components((words, words), engine=engine)
    asked = ["x" * 41, "b", "", "é", "x" * 39, "a\0", "a"]
    frame = found.attach(pa.table({"vertex": asked}), missing="null", name="own")
    assert frame["own"].to_pylist() == [w if w in words else None for w in asked]
