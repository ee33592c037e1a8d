"""Answers, states and errors that are copied and pickled, as joblib, Dask and processes do."""

import copy
import multiprocessing
import pickle

import cloudpickle
import numpy as np
import pandas as pd
import pytest
import tblib.pickling_support
from support.edge_kinds import EDGES, INTEGERS, WORDS, same

import cc_rapids
from cc_rapids import Connectivity, components, components_at, errors

WAYS = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "oldest": lambda thing: pickle.loads(pickle.dumps(thing, protocol=2)),
    "cloudpickle": lambda thing: pickle.loads(cloudpickle.dumps(thing)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}

ERRORS = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)]
TIMES = "peak_bytes", "seconds"


def check_same(found, other):
    for kind in ("min", "max", "dense", "size"):
        same(found.labels(kind), other.labels(kind))
    same(found.sizes(), other.sizes())
    same(found.largest(), other.largest())
    same(found.members(), other.members())
    facts, copied = found.summary(), other.summary()
    assert {k: facts[k] for k in copied if k not in TIMES} == {
        k: copied[k] for k in facts if k not in TIMES
    }
    assert repr(found) == repr(other)
    assert other._repr_html_()


@pytest.mark.slow
@pytest.mark.parametrize("kind", EDGES)
def test_an_answer_is_copied_whole(kind, engine):
    edges = EDGES[kind]()
    found = components(edges, engine=engine)
    for way in WAYS.values():  # the first time before anything was asked
        other = way(found)
        check_same(found, other)
        assert str(other.audit(edges)) == str(found.audit(edges))
    vertex = (
        found.labels().vertex if isinstance(found.labels(), tuple) else found.labels()["vertex"]
    )
    if len(vertex):
        assert list(other.component_of(vertex)) == list(found.component_of(vertex))


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_of_several_columns_is_copied_whole(way):
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": ["y", "z"], "d": [2, 3]})
    sides = ["a", "b"], ["c", "d"]
    found = components(frame, *sides, vertices=frame[["c", "d"]])
    other = WAYS[way](found)
    check_same(found, other)
    assert str(other.audit(frame, *sides)) == str(found.audit(frame, *sides))
    assert other.component_of(("x", 1)) == found.component_of(("x", 1))
    same(other.attach(frame, on=["a", "b"]), found.attach(frame, on=["a", "b"]))


@pytest.mark.parametrize("kind", EDGES)
def test_a_forest_goes_with_its_answer(kind):
    found = components(EDGES[kind](), forest=True)
    for way in WAYS.values():
        other = way(found)
        for _ in range(2):
            same(found.forest(), other.forest())
        same(way(other).forest(), found.forest())


def test_a_copy_takes_no_edges_with_it():
    ids = np.arange(100_000)
    found = components((ids % 10, ids % 7))
    assert len(pickle.dumps(found)) < 10_000


def test_nulls_stay_counted_and_rows_of_forests_those_of_the_frame():
    frame = pd.DataFrame({"src": pd.array([1, None, 3], "Int64"), "dst": [2, 2, 4]})
    found = components(frame, nulls="drop", forest=True)
    other = WAYS["pickle"](found)
    assert other.summary()["dropped"] == 1
    assert other.forest()["row"].tolist() == [0, 2]


@pytest.mark.parametrize("way", WAYS)
def test_cuts_are_copied_whole(way):
    edges = pd.DataFrame(
        {"src": ["a", "b", "c"], "dst": ["b", "c", "d"], "weight": [0.9, 0.7, 0.8]}
    )
    cuts = components_at(edges, thresholds=[0.9, 0.8, 0.7])
    other = WAYS[way](cuts)
    assert (other.thresholds, repr(other)) == (cuts.thresholds, repr(cuts))
    same(cuts.merges(), other.merges())
    for level in cuts.thresholds:
        check_same(cuts.at(level), other.at(level))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in EDGES if kind not in ("matrix", "nothing")])
def test_a_connectivity_is_copied_whole(kind, engine):
    seen = Connectivity(engine=engine).insert(EDGES[kind]())
    then = repr(seen)
    for way in WAYS.values():
        other = way(seen)
        check_same(seen.components(), other.components())
        assert repr(other) == then
        other.insert(([1], [3]) if kind in INTEGERS else (["x"], ["y"]))  # on its own
        assert repr(seen) == then
        assert other.num_vertices == seen.num_vertices + 2


def test_an_empty_connectivity_is_copied():
    for seen in (Connectivity(), Connectivity(3), Connectivity(vertices=["a"])):
        for way in WAYS.values():
            assert repr(way(seen)) == repr(seen)


def test_plans_proofs_designs_and_engines_are_copied():
    edges = np.array([5, 2]), np.array([2, 7])
    found = components(edges)
    things = [
        components(edges, explain=True),
        components([pd.DataFrame({"src": [1], "dst": [2]})], explain=True),
        found.audit(edges),
        *cc_rapids.designs()[::100],
        found.labels(),
        found.sizes(),
    ]
    for way in WAYS.values():
        for thing in things:
            assert str(way(thing)) == str(thing)
        assert way(found.answer.backend) is found.answer.backend
        assert way(things[3:-2]) == things[3:-2]


@pytest.mark.parametrize(
    "error",
    [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)],
    ids=str,
)
def test_errors_are_copied(error):
    tblib.pickling_support.install()  # as Dask's workers do
    for way in WAYS.values():
        other = way(error("the column 'src' is float64"))
        assert type(other) is error
        assert str(other) == "the column 'src' is float64"


def test_errors_as_they_are_raised_are_copied(tmp_path):
    calls = [
        lambda: components(([0.5], [1])),
        lambda: components(pd.DataFrame({"a": [1], "b": [2], "c": [3]})),
        lambda: components(tmp_path / "a.csv"),
        lambda: components(([1], [2]), design="kout+asink"),
        lambda: components(([1], [2])).component_of(5),
        lambda: components(([1], [2])).audit(([1, 3], [2, 4])),
        lambda: Connectivity().save(tmp_path / "no" / "folder"),
        lambda: Connectivity.load(tmp_path / "none"),
    ]
    for call in calls:
        with pytest.raises(errors.CcRapidsError) as raised:
            call()
        for way in WAYS.values():
            other = way(raised.value)
            assert (type(other), str(other)) == (raised.type, str(raised.value))
            assert getattr(other, "errno", None) == getattr(raised.value, "errno", None)


def work(found):
    """What a process does with answers: something of its own, and back."""
    return len(found), found


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn"])
def test_processes_send_answers_to_each_other(method):
    found = components(pd.DataFrame(WORDS), forest=True)
    seen = Connectivity().insert((["b"], ["a"]))
    with multiprocessing.get_context(method).Pool(1) as pool:
        (count, other), (_, other_seen) = pool.map(work, [found, seen])
    assert count == 2
    check_same(found, other)
    same(found.forest(), other.forest())
    assert repr(other_seen) == repr(seen)
