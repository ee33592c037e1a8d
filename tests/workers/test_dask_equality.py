"""Answers of a cluster are equal if they have the same vertices in the same components."""

import numpy as np
import pandas as pd
import pytest
from dask_graphs import as_categories, as_text, parts, random_frame
from support.choices import some

import cc_rapids
from cc_rapids.dask import components

FRAME = random_frame()[["src", "dst"]]
HUGE = 2**63 + 1


def answer(edges, *sides, count=3, **options):
    return components(parts(edges, count), *sides, **options)


def partition(edges, *sides):
    return cc_rapids.components(edges, *sides)


def test_however_a_run_is_spread(client):
    want = answer(FRAME)
    for options in ({"labels": "dense"}, {"labels": "size"}, {"partition": "vertices"}):
        found = answer(FRAME.iloc[::-1], "dst", "src", count=2, **options)
        assert found == want == found
        assert found.equals(want)
    assert want == want


@pytest.mark.extended
def test_more_edges_or_vertices_are_another_answer(client):
    want = answer(FRAME)
    vertices = partition(FRAME).labels()
    roots = vertices[vertices["vertex"] == vertices["labels"]]["vertex"].tolist()
    joined = pd.concat([FRAME, pd.DataFrame({"src": roots[:1], "dst": roots[1:2]})])
    assert answer(joined) != want
    assert answer(joined, partition="vertices") != want
    assert answer(FRAME, vertices=[5000]) != want
    assert answer(FRAME + 1) != want


@pytest.mark.extended
def test_as_many_of_all_in_other_places(client):
    one = pd.DataFrame({"src": [1, 3], "dst": [2, 4]})
    other = pd.DataFrame({"src": [1, 2], "dst": [3, 4]})
    chain = pd.DataFrame({"src": [1, 2, 4], "dst": [2, 3, 4]})
    want, *others = (answer(edges, count=1) for edges in (one, other, chain, one.replace(4, 5)))
    for different in others:
        assert want != different
        assert different != want
    assert answer(one, partition="vertices") != others[0]


TYPES = ["int8", "uint64", "Int64", "int32[pyarrow]", "category"]


@some("dtype", TYPES, usual=["uint64"])
def test_types_of_integers(client, dtype):
    edges = pd.DataFrame({"src": [1, 2, 9], "dst": [2, 3, 9]})
    want = answer(edges)
    found = answer(edges.astype(dtype), count=1)
    assert found == want == found
    assert answer(edges.replace(9, 8).astype(dtype), count=1) != want


@pytest.mark.extended
def test_signs_and_integers_beyond_them(client):
    far = [pd.DataFrame({"src": [HUGE + k], "dst": [1]}, dtype="uint64") for k in (0, 1)]
    low = pd.DataFrame({"src": [np.int64(HUGE - 2**64)], "dst": [1]})
    one, other, negative = (answer(frame, count=1) for frame in (*far, low))
    assert one == answer(far[0], count=1)
    for different in (other, negative, answer(FRAME)):
        assert one != different
        assert different != one


def test_strings_of_any_kind(client):
    want = answer(as_text(FRAME))
    for make in (as_categories, lambda frame: as_text(frame).astype("object")):
        assert answer(make(FRAME)) == want
    assert want == answer(as_categories(FRAME), partition="vertices")
    assert want != answer(FRAME)
    assert want != answer(as_text(FRAME).replace("v1", "w1"))


@pytest.mark.extended
def test_several_columns(client):
    edges = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": ["y", "z"], "d": [2, 3]})
    ends = ["a", "b"], ["c", "d"]
    want = answer(edges, *ends)
    assert want == answer(edges.astype({"b": "uint8"}), *ends[::-1], labels="dense", count=1)
    assert want != answer(edges.assign(b=2), *ends)
    assert want != answer(edges, "a", "c")
    assert want != answer(edges, ["b", "a"], ["d", "c"])


def test_no_vertices_are_equal_of_any_kind(client):
    none = answer(FRAME[:0], count=1)
    assert none == answer(as_text(FRAME)[:0], count=1)
    assert none != answer(FRAME)


def test_others_are_never_equal(client):
    found = answer(FRAME)
    for other in (None, 1, "a", FRAME, found.labels(), partition(FRAME), object()):
        assert found.__eq__(other) is NotImplemented
        assert not found.equals(other)
    assert found != 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(found)
