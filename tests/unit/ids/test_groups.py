"""One row for each group of equal rows: of integers, strings, and several columns."""

import logging

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.edge_lists import quick

from cc_rapids import backends
from cc_rapids.ids import groups

WORDS = st.sampled_from(["", "a", "ab", "a\0", "é", "x" * 9, "x" * 17, "x" * 16 + "y"])
NUMBERS = st.sampled_from([0, -1, 5, 2**63 - 1, -(2**63)])


def check(columns, chosen):
    """Rows have the same number if they are equal in all columns, which is the number of one."""
    rows = list(zip(*columns, strict=True))
    assert [rows[k] for k in chosen] == rows
    assert len(set(chosen)) == len(set(rows))


@quick
@given(st.lists(st.tuples(WORDS, NUMBERS, WORDS), max_size=40))
def test_rows_are_equal_in_all_columns(rows):
    first, numbers, last = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    texts = [pa.array(words, pa.large_string()) for words in (first, last)]
    columns = [texts[0], np.array(numbers, np.int64), texts[1]]
    on = backends.get("threads")
    check([first, numbers, last], groups.chosen_rows(columns, on).tolist())
    check([first], groups.chosen_rows(columns[:1], on).tolist())


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64, np.uint64])
def test_integers_of_any_type(on, dtype):
    values = np.random.default_rng(1).integers(0, 50, 200).astype(dtype)
    values[:4] = np.iinfo(dtype).max, np.iinfo(dtype).min, np.iinfo(dtype).max, 3
    chosen = on.to_host(groups.chosen_rows([on.asarray(values)], on))
    assert chosen.dtype == np.uint32
    check([values.tolist()], chosen.tolist())


def test_many_rows_meet_at_few_slots(on):
    values = np.repeat(np.arange(3), 100)
    chosen = on.to_host(groups.chosen_rows([on.asarray(values)], on))
    check([values.tolist()], chosen.tolist())


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_strings_that_share_a_hash_are_told_apart(monkeypatch, caplog, wrong):
    """By another seed, or where all seeds fail by the library."""
    words = ["a", "b", "a", "c" * 20, "c" * 20, "b"]
    seeds, hashed = [], groups.hashes

    def colliding(text, seed):
        seeds.append(seed)
        found = hashed(text, seed)
        return np.zeros_like(found) if len(seeds) <= wrong else found

    monkeypatch.setattr(groups, "hashes", colliding)
    on = backends.get("threads")
    with caplog.at_level(logging.INFO):
        chosen = groups.chosen_rows([pa.array(words, pa.large_string())], on)
    check([words], chosen.tolist())
    assert len(seeds) == min(wrong + 1, 3)
    assert ("two strings share a hash" in caplog.text) == (wrong == 3)
