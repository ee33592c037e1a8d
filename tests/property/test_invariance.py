"""One answer for every order, direction, duplication and chunking, for each kind of id."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.as_lists import columns
from support.edge_lists import quick

from cc_rapids import components

FAR = [0, -1, 1, 2**63 - 1, -(2**63), 2**40, 12345678901234567, 5]
WORDS = ["a", "b", "", "ä", "aa", "Z", "z" * 40, "0"]
KINDS = {
    "small integers": lambda i: i - 3,
    "far integers": lambda i: FAR[i],
    "strings": lambda i: WORDS[i],
    "categories": lambda i: WORDS[i],
    "rows": lambda i: (WORDS[i // 3], FAR[i % 3]),
}


def frame(kind, pairs):
    """An Arrow table of the edges, and the names of the columns of their ends."""
    ids = [tuple(KINDS[kind](i) for i in pair) for pair in pairs]
    if kind == "rows":
        flat = [(*u, *v) for u, v in ids]
        table = {name: [row[k] for row in flat] for k, name in enumerate("abcd")}
        return pa.table(
            table, pa.schema(zip("abcd", [pa.string(), pa.int64()] * 2, strict=True))
        ), (
            ["a", "b"],
            ["c", "d"],
        )
    sides = [[pair[k] for pair in ids] for k in (0, 1)]
    word = kind in ("strings", "categories")
    arrays = [pa.array(side, pa.string() if word else pa.int64()) for side in sides]
    if kind == "categories":
        arrays = [array.dictionary_encode() for array in arrays]
    return pa.table(arrays, ["src", "dst"]), ("src", "dst")


def answer(table, names, **options):
    """Labels of each kind and sizes, as plain lists."""
    found = components(table, *names, **options)
    asked = (found.labels(), found.labels("dense"), found.labels("size"), found.sizes())
    return [columns(each) for each in asked]


@pytest.mark.parametrize("kind", KINDS)
@quick
@given(data=st.data())
def test_one_answer(kind, data):
    pairs = data.draw(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14))
    expected = answer(*frame(kind, pairs))
    turned = [(v, u) if data.draw(st.booleans()) else (u, v) for u, v in pairs]
    again = [pair for pair in turned for _ in range(data.draw(st.integers(1, 3)))]
    shuffled = data.draw(st.permutations(again))
    table, names = frame(kind, shuffled)
    assert answer(table, names) == expected
    cut = data.draw(st.integers(0, len(shuffled)))
    chunks = pa.concat_tables([table.slice(0, cut), table.slice(cut)])
    assert answer(chunks, names) == expected
    assert answer(pl.from_arrow(chunks), names) == expected
    if kind != "categories":
        assert answer(chunks.to_pandas(), names) == expected
    for design in ("strided+async+halve", "none+async+naive"):
        assert answer(table, names, design=design) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_one_answer_on_every_engine(kind, engine):
    random = np.random.default_rng(len(kind))
    for _ in range(5):
        pairs = random.integers(0, 8, (10, 2)).tolist()
        assert answer(*frame(kind, pairs), engine=engine) == answer(*frame(kind, pairs))


@pytest.mark.parametrize("engine", ["threads"])
@pytest.mark.parametrize("spread", [1, 2**44])
def test_one_answer_of_large_lists(engine, spread):
    random = np.random.default_rng(7)
    src, dst = (spread * random.integers(0, 60_000, 200_000) for _ in range(2))
    expected = components((src, dst)).labels()
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(src.size)
        turn = np.random.default_rng(seed).integers(0, 2, src.size, dtype=bool)
        sides = np.where(turn, src, dst)[order], np.where(turn, dst, src)[order]
        for design in ("auto", "strided+async+halve"):
            again = components(sides, design=design, engine=engine).labels()
            np.testing.assert_array_equal(again.vertex, expected.vertex)
            np.testing.assert_array_equal(again.labels, expected.labels)
    assert pd.Series(expected.vertex).is_monotonic_increasing
