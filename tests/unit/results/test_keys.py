"""Keys of two columns give the answers of the same keys as one string, in every public method."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.as_lists import columns

import cc_rapids
from cc_rapids import Components, Connectivity, InputError, components

LEFT, RIGHT = ["kind_l", "id_l"], ["kind_r", "id_r"]
SOURCES = [("u", 1), ("u", 2), ("v", 1), ("w", 5)]
DESTINATIONS = [("v", 1), ("v", 7), ("w", 5), ("w", 5)]
WEIGHTS = [0.9, 0.5, 0.8, 0.7]
A, Z, OTHER = ("u", 1), ("w", 5), ("u", 2)
PAIRS = [A, A, Z], [Z, OTHER, Z]
MEMBERS = [[("u", 1), ("v", 1), ("w", 5)], [("u", 2), ("v", 7)]]


def frame(keys, names=("kind", "id")):
    return pd.DataFrame(keys, columns=list(names))


def edge_frame():
    both = pd.concat([frame(SOURCES, LEFT), frame(DESTINATIONS, RIGHT)], axis=1)
    return both.assign(score=WEIGHTS)


@pytest.fixture
def found(engine):
    options = {"weight": "score", "forest": "max", "engine": engine}
    return components(edge_frame(), LEFT, RIGHT, **options)


SHAPES = {
    "lists of tuples": PAIRS,
    "a list of pairs": list(zip(*PAIRS, strict=True)),
    "pandas": tuple(map(frame, PAIRS)),
    "polars": tuple(pl.from_pandas(frame(side)) for side in PAIRS),
    "pyarrow": tuple(pa.Table.from_pandas(frame(side)) for side in PAIRS),
}


@pytest.mark.parametrize("pairs", SHAPES.values(), ids=SHAPES)
def test_pairs_of_keys_in_every_shape(found, pairs):
    assert np.asarray(found.connected(pairs)).tolist() == [True, False, True]
    lengths = found.paths(pairs)
    assert lengths["length"].tolist() == [2, -1, 0]
    assert lengths["weakest_row"].tolist() == [2, -1, -1]
    assert found.paths(pairs, rows=True)["row"].tolist() == [0, 2]
    audit = found.audit_paths(lengths, pairs, edge_frame(), LEFT, RIGHT, weight="score")
    assert audit.pairs == 3


def test_answers_about_keys(found):
    assert list(found.labels()["labels"]) == [0, 1, 0, 1, 0]
    assert found.component_of(Z) == 0
    assert list(found.component_of([Z, OTHER])) == [0, 1]
    assert list(found.component_of(frame([Z, OTHER]))) == [0, 1]
    assert found.same_component(A, Z)
    assert not found.same_component(A, OTHER)
    assert A in found
    assert ("u", 9) not in found
    assert found.path(A, Z)["row"].tolist() == [0, 2]
    assert found.path(A, Z, edge_frame(), LEFT, RIGHT, shortest=True)["row"].tolist() == [0, 2]
    assert [list(zip(*columns(part), strict=True)) for _, part in found] == MEMBERS
    assert columns(found.members())[0] == [0, 0, 0, 1, 1]
    assert columns(found.subset(1)) == [["u", "v"], [2, 7]]
    assert columns(found.sizes()) == [[0, 1], [3, 2]]
    assert columns(found.filter(min_size=3))[2] == [0, 0, 0]
    assert columns(found.largest())[1] == [1, 1, 5]
    assert found.edges(1, edge_frame(), LEFT, RIGHT).index.tolist() == [1]
    assert columns(found.dendrogram().labels(0.85))[2] == [0, 1, 0, 2, 3]
    assert columns(found.stable_ids().labels())[2] == [0, 1, 0, 1, 0]


def test_records_with_keys(found):
    records = frame([Z, ("u", 9), A, OTHER]).assign(seen=[1, 2, 3, 4])
    assert found.attach(records, missing="self", name="person")["person"].tolist() == [0, 2, 0, 1]
    assert found.deduplicate(records, by="seen").index.tolist() == [1, 2, 3]
    assert found.deduplicate(records, ["kind", "id"], missing="drop").index.tolist() == [0, 3]
    assert columns(found.representatives(by=records))[1] == [1, 2]
    linked = cc_rapids.link_records(records.assign(mail=list("xyxz")), ["mail"], id=["kind", "id"])
    assert linked.attach(records)["labels"].tolist() == [0, 2, 0, 1]


@pytest.mark.parametrize("shape", ["tuples", "pairs", "frames"])
def test_edges_between_keys(shape, engine):
    edges = {
        "tuples": (SOURCES, DESTINATIONS),
        "pairs": list(zip(SOURCES, DESTINATIONS, strict=True)),
        "frames": (frame(SOURCES), frame(DESTINATIONS)),
    }[shape]
    found = components(edges, engine=engine, forest=True)
    assert found == components(edge_frame(), LEFT, RIGHT)
    assert columns(found.labels())[2] == [0, 1, 0, 1, 0]
    if shape == "frames":
        assert list(found.labels()) == ["kind", "id", "labels"]
    assert columns(found.report(edges).components())[:3] == [[0, 1], [3, 2], [3, 1]]
    assert found.audit(edges).components == 2
    near = components(edges, weight=np.array(WEIGHTS), at_least=0.75, engine=engine)
    assert len(near) == 1
    cuts = cc_rapids.components_at(edges, weight=np.array(WEIGHTS), thresholds=[0.75])
    assert columns(cuts.labels(0.75))[-1] == [0, 1, 0, 2, 0]
    assert columns(cc_rapids.bridges(edges))[0] == [0, 1, 2]


def test_states_of_keys(tmp_path, engine):
    state = Connectivity(engine=engine).insert((SOURCES[:2], DESTINATIONS[:2]))
    state.insert(list(zip(SOURCES[2:], DESTINATIONS[2:], strict=True)))
    assert list(state.connected(PAIRS)) == [True, False, True]
    assert columns(state.components().labels())[2] == [0, 1, 0, 1, 0]
    state.components().save(tmp_path / "found")
    assert columns(Components.load(tmp_path / "found").labels())[2] == [0, 1, 0, 1, 0]


def test_keys_of_other_widths_are_refused(found):
    with pytest.raises(InputError, match="1 of 1 ids of dst is not a tuple of 2 items"):
        found.paths(([A], [("w", 5, 3)]))
    with pytest.raises(InputError, match="leave out source= and destination="):
        components((SOURCES, DESTINATIONS), ["a", "b"], ["c", "d"])
    with pytest.raises(cc_rapids.UnknownVertexError, match=r"\('u', 9\)"):
        found.paths(([A], [("u", 9)]))
    assert list(found.connected(([], []))) == []
