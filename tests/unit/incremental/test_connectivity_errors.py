"""What incremental connectivity refuses, in words, and without changing anything."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import cc_rapids
from cc_rapids import Connectivity
from cc_rapids.errors import (
    ColumnTypeError,
    DesignError,
    InputError,
    MissingColumnError,
    NullsError,
    UnknownVertexError,
)


def test_ids_that_cannot_be_used_change_nothing():
    seen, counted = Connectivity().insert(([5], [2])), Connectivity(4)
    wrong = [
        (ColumnTypeError, (np.array([0.5]), np.array([1])), "float64"),
        (NullsError, pd.DataFrame({"src": pd.array([1, None], "Int64"), "dst": [2, 3]}), "1 null"),
        (InputError, ([1, 2], [3]), "'src' has 2 ids and 'dst' has 1"),
        (ColumnTypeError, (["a"], ["b"]), "integers"),
        (MissingColumnError, pd.DataFrame({"a": [1], "b": [2], "c": [3]}), "which two columns"),
        (InputError, 5, "int"),
    ]
    for one in (seen, counted):
        said = repr(one)
        for error, edges, part in wrong:
            calls = (
                lambda one=one, edges=edges: one.insert(edges),
                lambda one=one, edges=edges: one.connected(edges),
                lambda one=one, edges=edges: one.process(edges, query=np.array([True])),
            )
            for call in calls:
                with pytest.raises(error, match=part):
                    call()
        assert repr(one) == said
    for strange in (4, -1):
        with pytest.raises(InputError, match=f"'dst' holds the id {strange}, outside 0..3"):
            counted.insert(([1], [strange]))
        with pytest.raises(
            UnknownVertexError, match=f"1 of 1 id in 'dst' is not a vertex .*{strange}"
        ):
            counted.connected(([1], [strange]))
        assert counted.connected(([1], [strange]), missing="false").tolist() == [False]
    frame = pd.DataFrame({"src": pd.array([1, None], "Int64"), "dst": [2, 3]})
    assert seen.insert(frame, nulls="drop").num_vertices == 3
    assert seen.components().summary()["dropped"] == 1


def test_unknown_ids_are_named():
    seen = Connectivity().insert((["ann"], ["bob"]))
    pairs = ["ann", "cy", "dan", "eve", "flo"], ["bob"] * 5
    with pytest.raises(UnknownVertexError, match=r"4 of 5 ids in 'src' .* cy, dan, eve, \.\.\.; "):
        seen.connected(pairs)
    assert seen.connected(pairs, missing="false").tolist() == [True, *[False] * 4]
    with pytest.raises(UnknownVertexError, match=r"1 of 1 id in 'dst' .*: cy;"):
        seen.process((["dan", "ann"], ["eve", "cy"]), query=[False, True])
    assert seen.num_vertices == 2
    with pytest.raises(InputError, match="missing"):
        seen.connected(pairs, missing="null")


def test_queries_that_cannot_be_told():
    seen, frame = Connectivity(), pd.DataFrame({"src": [1], "dst": [2], "q": [1]})
    with pytest.raises(MissingColumnError, match="unknown column 'query'"):
        seen.process(frame)
    with pytest.raises(MissingColumnError, match="query="):
        seen.process(([1], [2]))
    with pytest.raises(ColumnTypeError, match=r"'q' is .*nt64"):
        seen.process(frame, query="q")
    with pytest.raises(InputError, match="'query' has 2 values, but the batch has 1 rows"):
        seen.process(([1], [2]), query=[True, False])
    nulls = pl.DataFrame(
        {"src": [1], "dst": [2], "query": [None]}, schema_overrides={"query": bool}
    )
    with pytest.raises(NullsError, match="'query' has nulls"):
        seen.process(nulls)
    assert seen.num_vertices == 0


@pytest.mark.parametrize(
    ("algorithm", "part"),
    [
        ("kout+async+halve", "samples"),
        ("bfs-cc", "searches the whole graph"),
        ("stergiou", "moves single vertices"),
        ("liu-tarjan(PUS)", "hooks only roots"),
        ("none+asink+halve", "unknown link"),
    ],
)
def test_designs_that_cannot_take_batches(algorithm, part):
    with pytest.raises(DesignError, match=part):
        Connectivity(design=algorithm)


def test_arguments_that_do_not_go_together():
    with pytest.raises(InputError, match="not both"):
        Connectivity(3, vertices=[1])
    with pytest.raises(InputError, match="is a frame without columns"):
        Connectivity(vertices=pd.DataFrame())
    with pytest.raises(InputError, match="count"):
        Connectivity(-1)
    assert "none+async+halve" in repr(Connectivity(design="auto"))
    with pytest.raises(cc_rapids.EngineError):
        Connectivity(engine="gpu")


def test_a_renamed_column_of_a_file_is_no_end(tmp_path):
    def file(name, *columns):
        path = tmp_path / name
        pd.DataFrame(dict(zip(columns, ([1], [2]), strict=True))).to_parquet(path, index=False)
        return path

    first, renamed = file("1.parquet", "account", "device"), file("2.parquet", "account", "phone")
    seen = Connectivity().insert(first)
    seen.save(tmp_path / "seen")
    for own in (seen, Connectivity.load(tmp_path / "seen")):
        says = "'account', 'phone', but they were 'account', 'device' in the previous file: name"
        with pytest.raises(MissingColumnError, match=says):
            own.insert(renamed)
        with pytest.raises(MissingColumnError, match=says):
            own.insert([str(renamed)])
        assert own.insert(file("3.parquet", "device", "account")) is own
        own.insert(file("4.parquet", "src", "dst")).insert(([3], [4]))
        own.insert(pd.DataFrame({"src": [1], "dst": [5]}))
        own.insert(renamed, "account", "phone").insert(renamed)
    Connectivity().insert(pd.DataFrame({"src": [1], "dst": [2]})).insert(([2], [3])).insert(first)
