"""Files of Polars, whose strings are views that many functions of PyArrow do not support."""

import json

import polars as pl
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from cc_rapids.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ends = pl.DataFrame({"src": ["a", "b"], "dst": ["b", "c"]})
    ends.write_ipc("pairs.arrow")
    ends.cast(pl.Categorical).write_ipc("categories.arrow")
    docs = pl.DataFrame({"id": ["a", "b", "c", "d"], "tags": [["x"], [], None, ["y", "z"]]})
    docs.with_columns(kind=pl.col("id").cast(pl.Categorical)).write_ipc("docs.arrow")


def run(*words):
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_documents_keep_their_columns():
    words = ("docs.arrow", "pairs.arrow", "--on", "id", "--by", "id")
    run("deduplicate", *words, "--output", "kept.parquet", "--dropped", "dropped.parquet")
    kept = {"id": ["c", "d"], "tags": [None, ["y", "z"]], "kind": ["c", "d"]}
    assert pq.read_table("kept.parquet").to_pydict() == kept
    assert pq.read_table("dropped.parquet")["kept_id"].to_pylist() == ["c", "c"]


def test_text_files_hold_no_lists():
    words = ("docs.arrow", "pairs.arrow", "--on", "id", "--output", "kept.csv")
    done = CliRunner().invoke(main, ["deduplicate", *words])
    assert done.exit_code == 2
    assert "column 'tags' is large_list<item: large_string>, which text cannot hold" in done.stderr


def test_the_largest_components():
    (largest,) = json.loads(run("calculate", "pairs.arrow", "--top", "1", "--json"))["top"]
    assert largest["members"] == ["a", "b", "c"]


def test_categories_are_converted():
    run("convert", "categories.arrow", "out.csv")
    assert pl.read_csv("out.csv").rows() == [("a", "b"), ("b", "c")]
