"""Strings of real cuDF columns on the device: against cuDF's own order, and against threads."""

import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support import string_lists
from support.as_lists import columns

import cc_rapids
from cc_rapids import backends, oracle
from cc_rapids.data.cudf_columns import borrow_strings
from cc_rapids.ids import strings
from cc_rapids.ids import strings as texts

pytestmark = pytest.mark.gpu

COUNT = 40_000


def plain(words, every):
    return words


def random_words(kind, seed=4):
    """Many strings of a kind, about half of them more than once."""
    numbers = np.random.default_rng(seed).integers(0, COUNT, COUNT).tolist()
    make = {
        "short": lambda k: f"{k:x}"[-2:],
        "numbered": lambda k: f"vertex {k}",
        "long": lambda k: string_lists.LONG + str(k % 3000),
        "spread": lambda k: f"{k * 0x9E3779B97F4A7C15 % 2**64:016x}",
        "unicode": lambda k: chr(0xC0 + k % 500) * (k % 5) + "é\U0001f600z"[k % 4 :] + str(k % 700),
        "zeros": lambda k: "\0" * (k % 23) + "a" * (k % 7) + "\0" * (k % 11),
    }[kind]
    return [make(k) for k in numbers]


def check(cudf, series):
    """Codes and strings are those of cuDF's own factorisation."""
    (codes,), words = strings.factorise([series], plain, backends.get("cuda"))
    expected, different = series.factorize(sort=True)
    np.testing.assert_array_equal(codes.get(), expected.get())
    every = words.decode(backends.get("cuda").xp.arange(words.size), backends.get("cuda"))
    assert every.to_arrow().equals(cudf.Series(different).to_arrow())
    assert every.to_arrow().equals(series.drop_duplicates().sort_values().to_arrow())


@pytest.mark.parametrize("kind", ["short", "numbered", "long", "spread", "unicode", "zeros"])
def test_the_order_is_that_of_cudf(cudf, kind, caplog):
    with caplog.at_level(logging.INFO, "cc_rapids.ids.strings"):
        check(cudf, cudf.Series(random_words(kind)))
    assert not caplog.records


@pytest.mark.parametrize("words", string_lists.LISTS.values(), ids=string_lists.LISTS)
def test_short_lists(cudf, words):
    check(cudf, cudf.Series(words))


@pytest.mark.parametrize("start", [0, 1, 7, 8, 1000])
def test_slices(cudf, start):
    whole = {"src": random_words("numbered", 1), "dst": random_words("unicode", 2)}
    part = cudf.DataFrame(whole).iloc[start : COUNT - 13]
    for side in whole:
        check(cudf, part[side])
    found = cc_rapids.components(part).labels()
    expected = cc_rapids.components(part.to_pandas()).labels()
    assert columns(found.to_pandas()) == columns(expected)


def test_offsets_of_64_bits(cudf, monkeypatch):
    monkeypatch.setenv("LIBCUDF_LARGE_STRINGS_THRESHOLD", "1")
    sides = [cudf.Series(random_words("unicode", seed)) for seed in (1, 2)]
    joined = cudf.concat(sides, ignore_index=True)
    assert borrow_strings(joined)[1].dtype == np.int64
    check(cudf, joined)
    check(cudf, joined.iloc[5:])


@pytest.mark.parametrize("words", [[], [""], ["", ""], ["\0"]])
def test_next_to_nothing(cudf, words):
    frame = cudf.DataFrame({"src": cudf.Series(words, dtype="str"), "dst": [""] * len(words)})
    labels = cc_rapids.connected_components(frame.astype("str"))
    assert labels["vertex"].to_arrow().to_pylist() == sorted({*words, *[""][: len(words)]})


@pytest.mark.parametrize("engine", ["cuda", "threads"])
@pytest.mark.parametrize("kind", ["numbered", "long", "unicode", "zeros"])
def test_answers_are_those_of_threads(cudf, engine, kind):
    edges = pd.DataFrame({"src": random_words(kind, 1), "dst": random_words(kind, 2)})[:15_000]
    more = ["", "no such word", edges["src"][0]]
    expected = cc_rapids.components(edges, vertices=pa.array(more), engine="threads")
    frame = cudf.from_pandas(edges)
    found = cc_rapids.components(frame, vertices=cudf.Series(more), engine=engine)
    for ask in ("labels", "sizes", "representatives", "largest"):
        ours, theirs = getattr(found, ask)(), getattr(expected, ask)()
        pd.testing.assert_frame_equal(ours.to_pandas(), theirs, check_dtype=False)
    word = next(word for word in edges["dst"] if "\0" not in word)
    assert found.component_of(word) == expected.component_of(word)


def test_strings_of_the_host_on_the_device(cudf):
    edges = pa.table({"src": random_words("spread", 1), "dst": random_words("spread", 2)})
    found = cc_rapids.components(edges, engine="cuda")
    assert found.labels().equals(cc_rapids.components(edges, engine="threads").labels())


def test_batches(cudf):
    sides = [random_words("numbered", seed)[:6000] for seed in (1, 2)]
    edges = cudf.DataFrame({"src": sides[0], "dst": sides[1]})
    seen = cc_rapids.Connectivity(engine="cuda")
    for first, last in ((0, 0), (0, 10), (10, 3000), (3000, 6000)):
        seen.insert(edges.iloc[first:last])
    assert (
        seen.components()
        .labels()
        .to_arrow()
        .equals(cc_rapids.components(edges).labels().to_arrow())
    )
    oracle.against_cugraph(edges, seen.components().labels())


def test_no_word_of_no_answer(cudf):
    none = cudf.DataFrame({name: cudf.Series([], dtype="str") for name in ("src", "dst")})
    found = cc_rapids.components(none)
    with pytest.raises(cc_rapids.UnknownVertexError):
        found.component_of(["a", "b"])
    words = cudf.DataFrame({"vertex": ["a", "b"]})
    assert found.attach(words, missing="null")["labels"].isnull().all()


def test_hashes_that_fail(cudf, monkeypatch, caplog):
    string_lists.weakly(monkeypatch, 1)
    check(cudf, cudf.Series(random_words("numbered")))
    string_lists.weakly(monkeypatch, 100)
    with caplog.at_level(logging.INFO, "cc_rapids.ids.strings"):
        check(cudf, cudf.Series(random_words("numbered")))
    assert [record.name for record in caplog.records] == ["cc_rapids.ids.strings"]


def test_prefixes_that_never_end(cudf, caplog):
    with caplog.at_level(logging.INFO, "cc_rapids.ids.strings"):
        check(cudf, cudf.Series(string_lists.CHAIN))
    assert "the library sorts them" in caplog.text


def test_an_answer_may_be_changed(cudf):
    found = cc_rapids.components(cudf.DataFrame({"src": ["b", "c"], "dst": ["a", "b"]}))
    first = found.labels()
    vertices = first["vertex"]
    vertices.iloc[0] = "changed"
    first["vertex"] = first["vertex"].str.upper()
    assert columns(found.labels().to_pandas()) == [["a", "b", "c"], ["a", "a", "a"]]


@pytest.mark.parametrize("kind", ["numbered", "long", "spread", "short"])
def test_explain_states_enough(cudf, kind):
    import rmm.statistics

    edges = cudf.DataFrame({"src": random_words(kind, 1), "dst": random_words(kind, 2)})
    plan = cc_rapids.components(edges, explain=True)
    cc_rapids.connected_components(edges)
    with rmm.statistics.statistics():
        cc_rapids.connected_components(edges)
        assert rmm.statistics.get_statistics().peak_bytes <= plan.bytes + (1 << 20)


def test_bytes_are_lent_and_not_copied(cudf):
    series = cudf.Series(random_words("numbered"))
    chars, offsets = borrow_strings(series)
    text = texts.Text.of(chars, offsets, backends.get("cuda"))
    assert text.chars.data.ptr == text.words.data.ptr == series.to_pylibcudf()[0].data().ptr
    assert int(text.offsets[-1]) == chars.size


def test_columns_of_one_answer_have_the_same_categories(cudf):
    sides = {"src": ["b", "c"], "dst": ["a", "d"]}
    edges = cudf.DataFrame({name: cudf.Series(s, dtype="category") for name, s in sides.items()})
    found = cc_rapids.components(edges)
    labels = found.labels()
    own = labels[labels["vertex"] == labels["labels"]]
    assert own["vertex"].to_arrow().to_pylist() == ["a", "c"]
    assert labels["vertex"].dtype == labels["labels"].dtype == found.sizes()["labels"].dtype
    assert labels.to_arrow()["labels"].to_pylist() == ["a", "a", "c", "c"]


def test_categories_that_hold_all_ids_stay_what_they_are(cudf):
    kind = cudf.CategoricalDtype(["z", "b", "a", "unused"], ordered=True)
    edges = cudf.DataFrame({"src": ["b"], "dst": ["z"]}).astype(kind)
    batch = cc_rapids.Connectivity().insert(edges).components()
    for found in (cc_rapids.components(edges), batch):
        labels = found.labels()
        assert (labels["vertex"].dtype, labels["labels"].dtype) == (kind, kind)
        assert labels.to_arrow()["vertex"].to_pylist() == ["b", "z"]
    tree = cc_rapids.spanning_forest(edges)
    assert tree["source"].dtype == kind


@pytest.mark.parametrize("kind", ["short", "numbered", "spread"])
def test_strings_that_are_numbers(cudf, kind):
    """The strings of an answer are spelt on the device, as columns of cuDF's that it can use."""
    sides = {"src": random_words(kind, 1), "dst": random_words(kind, 2)}
    for count in (1, 1000, COUNT):
        edges = pd.DataFrame(sides)[:count]
        found = cc_rapids.components(cudf.from_pandas(edges))
        assert "factorised" not in found.summary()["ids"]
        expected = cc_rapids.components(edges, engine="threads").labels()
        labels = found.labels()
        assert columns(labels.to_pandas()) == columns(expected)
        assert labels["vertex"].dtype == cudf.from_pandas(edges)["src"].dtype
        joined = labels.merge(labels, on="vertex").sort_values("vertex")
        assert len(joined) == len(expected)
        lengths = labels["labels"].str.len().to_arrow().to_pylist()
        assert lengths == list(map(len, expected["labels"]))


def test_an_empty_string_alone(cudf):
    frame = cudf.DataFrame({"src": cudf.Series(["", ""]), "dst": cudf.Series(["", ""])})
    assert cc_rapids.connected_components(frame).to_arrow().to_pydict() == {
        "vertex": [""],
        "labels": [""],
    }
