"""Spanning trees under cuGraph's contract: graphs of every kind in, a graph of the forest out."""

import numpy as np
import pandas as pd
import peers
import pytest
from support.choices import each

from cc_rapids import errors, oracle
from cc_rapids.integrations import cugraph as ours

FUNCTIONS = {False: ours.minimum_spanning_tree, True: ours.maximum_spanning_tree}


def edges_of(tree):
    """The edges of a graph with their weights, as sets of ends."""
    frame = tree.input_df
    sides = ([name for name in frame.columns if name.endswith(side)] for side in ("src", "dst"))
    ends = (frame[names].itertuples(index=False, name=None) for names in sides)
    return {(frozenset(pair), weight) for *pair, weight in zip(*ends, frame["weight"], strict=True)}


def expected(frame, greatest, source=("src",), destination=("dst",)):
    """The edges of Kruskal's forest of a frame."""
    sides = [
        list(frame[list(side)].itertuples(index=False, name=None)) for side in (source, destination)
    ]
    places = {name: place for place, name in enumerate(dict.fromkeys([*sides[0], *sides[1]]))}
    src, dst = (np.array([places[name] for name in side]) for side in sides)
    rows = oracle.kruskal(src, dst, len(places), frame["weight"].to_numpy(), greatest)
    return {(frozenset([sides[0][e], sides[1][e]]), frame["weight"][e]) for e in rows}


def random_frame(spell, ties):
    random = np.random.default_rng(5)
    ends = random.integers(0, 60, (2, 300))
    weight = random.integers(0, 4, 300) if ties else random.permutation(300)
    return pd.DataFrame({"src": spell(ends[0]), "dst": spell(ends[1]), "weight": weight / 8})


@each(
    spell=[
        lambda ids: ids,
        lambda ids: ids.astype(np.int32),
        lambda ids: ids.astype(np.uint32),
        lambda ids: [f"v{id_}" for id_ in ids],
    ],
    ties=[False, True],
    greatest=[False, True],
)
def test_edges_are_those_of_kruskal(graph, spell, ties, greatest):
    frame = random_frame(spell, ties)
    tree = FUNCTIONS[greatest](graph(frame, edge_attr="weight"))
    assert type(tree) is peers.Graph
    assert edges_of(tree) == expected(frame, greatest)
    assert tree.edgelist.edgelist_df["weights"].dtype == frame["weight"].dtype


@pytest.mark.parametrize("greatest", [False, True])
def test_several_columns(graph, greatest):
    frame = random_frame(lambda ids: ids, False)
    frame["kind_src"] = np.where(frame["src"] % 2, "a", "b")
    frame["kind_dst"] = np.where(frame["dst"] % 2, "a", "b")
    sides = ["kind_src", "src"], ["kind_dst", "dst"]
    tree = FUNCTIONS[greatest](graph(frame, *sides, edge_attr="weight"))
    assert edges_of(tree) == expected(frame, greatest, *sides)


def test_weights_that_are_nan(graph):
    frame = pd.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 1], "weight": [0.5, np.nan, 2.0]})
    for function in FUNCTIONS.values():
        with pytest.raises(errors.NullsError, match="1 of 3 weights 'weights' is null or nan"):
            function(graph(frame, edge_attr="weight"))
        tree = function(graph(frame, edge_attr="weight"), ignore_nan=True)
        assert edges_of(tree) == {
            (frozenset([(1,), (2,)]), 0.5),
            (frozenset([(3,), (1,)]), 2.0),
        }
        with pytest.raises(TypeError, match="ignore_nan"):
            function(graph(frame, edge_attr="weight"), ignore_nan="yes")


@pytest.mark.slow
def test_what_cannot_be_read_says_why(graph, monkeypatch):
    frame = random_frame(lambda ids: ids, True)
    deleted, spread = graph(frame, edge_attr="weight"), graph(frame, edge_attr="weight")
    deleted.delete_edge_list()
    monkeypatch.setattr(spread, "is_multi_gpu", lambda: True)
    for function in FUNCTIONS.values():
        for held, words in (
            (peers.Graph(), "has no edges yet"),
            (deleted, "has no edge list"),
            (spread, "distributed over several GPUs"),
            (graph(frame), "have no weights"),
        ):
            with pytest.raises(errors.GraphStateError, match=words):
                function(held)
        with pytest.raises(ValueError, match=r"^input graph must be undirected$"):
            function(graph(frame, directed=True))
        with pytest.raises(TypeError, match="is not supported"):
            function(frame)
