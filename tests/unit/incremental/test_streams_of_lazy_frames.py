"""Streams of lazy frames of Polars, which have no length before they are collected."""

import polars as pl
import pytest

import cc_rapids

EDGES = pl.DataFrame({"a": [5, 2, 9, 1], "b": [2, 7, 9, 5], "w": [0.5, 1.0, 2.0, 0.25]}).lazy()
GIVEN = {
    "a frame": lambda: EDGES,
    "a list": lambda: [EDGES.head(3), EDGES.tail(1)],
    "an iterator": lambda: iter([EDGES.head(3), EDGES.tail(1)]),
}


@pytest.mark.parametrize("form", GIVEN)
def test_all_rows_are_linked_and_counted(form, tmp_path):
    def answer(**options):
        found = cc_rapids.stream_components(GIVEN[form](), "a", "b", **options)
        return found.summary()["edges"], len(found), dict(found.ledger)["given"]

    assert answer() == (4, 2, 4)
    assert answer(weight="w", at_least=0.5) == (3, 2, 4)
    for _ in range(2):  # the second one resumes
        assert answer(checkpoint=tmp_path / "state")[:2] == (4, 2)
    frame = GIVEN[form]()
    if form != "an iterator":
        assert cc_rapids.stream_components(frame, "a", "b", explain=True).edges == 4
    with pytest.raises(cc_rapids.MissingColumnError, match="'c'"):
        cc_rapids.stream_components(GIVEN[form](), "a", "c")
