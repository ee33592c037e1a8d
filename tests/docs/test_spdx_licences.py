"""The licences that ship with the examples, and what the notebook says of them."""

import csv
from pathlib import Path

import pandas as pd

import cc_rapids

PATH = Path(__file__).parents[2] / "cc_rapids" / "datasets" / "spdx_licences.csv"


def test_each_page_of_a_licence_is_a_row():
    with PATH.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["licence", "name", "deprecated", "url"]
    assert len({(licence, url) for licence, _, _, url in rows}) == len(rows) == 933
    assert len({tuple(row[:3]) for row in rows}) == len({row[0] for row in rows}) == 699
    assert {row[2] for row in rows} == {"True", "False"}


def test_deprecated_identifiers_are_linked_to_those_that_replace_them():
    rows = cc_rapids.datasets.licences("pandas")
    found = cc_rapids.link_records(rows, keys=["url", "name"], id="licence")
    assert found.component_of("GPL-2.0-only") == found.component_of("GPL-2.0")
    assert found.component_of("GPL-3.0-only") != found.component_of("GPL-2.0")
    joined = rows.merge(rows, on="url")
    pairs = joined[joined["url"] != ""][["licence_x", "licence_y"]]
    named = rows.merge(rows, on="name")[["licence_x", "licence_y"]]
    every = pd.concat([pairs, named])
    assert found == cc_rapids.components(every, "licence_x", "licence_y")
