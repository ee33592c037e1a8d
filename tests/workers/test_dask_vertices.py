"""Distributed vertices: the same answers, within the rounds that are said, and few bytes sent."""

from itertools import cycle

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_graphs import as_hashes, as_text, as_unlike, check, parts, random_frame
from support.choices import some

import cc_rapids.dask
from cc_rapids import errors
from cc_rapids.integrations.dask.tasks import Tasks
from cc_rapids.integrations.distributed.vertices import Ranges, even_ranges


def most_rounds(vertices, count, room):
    """The most rounds of hooks with so many vertices at the borders of so many parts."""
    rounds = 0
    while vertices > 1 and count * (vertices - 1) > room:
        vertices, rounds = vertices // 2, rounds + 1
    return rounds


def found_by(frame, **options):
    return cc_rapids.dask.components(frame, partition="vertices", **options)


KINDS = [(as_text, 0), (as_text, None), (as_hashes, 0), (as_unlike, None)]


@some(("kind", "room"), KINDS, usual=[KINDS[0], KINDS[3]])
def test_ids_of_every_kind(client, kind, room):
    frame = kind(random_frame())
    check(found_by(parts(frame, 3), room=room), frame)


def path(n=32):
    return pd.DataFrame({"src": np.arange(n - 1), "dst": np.arange(1, n)})


def star(n=32):
    return pd.DataFrame({"src": np.full(n, 2 * n), "dst": np.arange(n)})


def pairs_of_pairs(n=32):
    step = np.repeat(2 ** np.arange(5), n)
    each = np.tile(np.arange(n), 5)
    return pd.DataFrame({"src": each, "dst": each ^ step})


SHAPES = [path, star, pairs_of_pairs]


@some("make", SHAPES, usual=[path], ids=lambda make: make.__name__)
def test_rounds_stay_within_their_bound(client, make):
    frame = make()
    found = found_by(parts(frame, 2), owners="hash", room=0)
    check(found, frame)
    assert 1 <= found.facts["rounds"] <= most_rounds(found.facts["border"], 2, 0)
    assert found.facts["rest"] == 0
    some = found_by(parts(frame, 2), owners="hash", room=20)
    check(some, frame)
    assert some.facts["rest"] <= 20
    assert some.facts["rounds"] <= most_rounds(found.facts["border"], 2, 20)


def test_the_bound_itself():
    assert [most_rounds(b, 4, 0) for b in (0, 1, 2, 3, 4, 1024)] == [0, 0, 1, 1, 2, 10]
    assert most_rounds(1024, 4, 4 * 1023) == 0
    assert most_rounds(1024, 4, 4 * 127) == 3


def lattice(side):
    """Two square tiles side by side, each a partition, and of which links between them cross."""
    rng = np.random.default_rng(side)
    point = np.arange(2 * side * side).reshape(side, 2 * side)
    right = point[:, :-1].ravel(), point[:, 1:].ravel()
    down = point[:-1].ravel(), point[1:].ravel()
    src, dst = (np.concatenate(ends) for ends in zip(right, down, strict=True))
    kept = rng.random(src.size) < 0.6
    frame = pd.DataFrame({"src": src[kept], "dst": dst[kept]})
    tile = Tile(side)
    crossing = int((tile(frame["src"]) != tile(frame["dst"])).sum())
    tiles = [dask.delayed(frame[(tile(frame["src"]) == k).to_numpy()]) for k in range(2)]
    return frame, dd.from_delayed(tiles), crossing


class Tile:
    """The tile of each point, for points that are numbered row by row."""

    def __init__(self, side):
        self.side = side

    def __call__(self, ids):
        return ids % (2 * self.side) // self.side


@some("side", [16, 48], usual=[16])
def test_tiles_send_their_borders_alone(client, side, monkeypatch):
    """If each tile lies on a worker of its own, wherever the scheduler has put them."""
    turns = cycle((0, 1))

    def places(tasks, futures):
        return [tasks.workers()[next(turns)] for _ in futures]

    monkeypatch.setattr(Tasks, "places", places)
    frame, tiles, crossing = lattice(side)
    found = found_by(tiles, owners=Tile(side), vertices=range(2 * side * side))
    check(found, frame, vertices=np.arange(2 * side * side))
    # each edge that crosses is sent once as two ids of 8 bytes, and at most one label comes back
    assert 0 < found.facts["bytes"] <= 2 * 16 * crossing
    assert (found.facts["rounds"], found.facts["batches"]) == (0, 4)
    assert found.facts["most_in_a_part"] == side * side


def test_no_part_holds_all_vertices(client):
    frame = random_frame(n=2000, m=3000)
    found = found_by(parts(frame, 4))
    sizes = found.labels().map_partitions(len).compute().tolist()
    assert max(sizes) == found.facts["most_in_a_part"] < 0.6 * sum(sizes)
    first, second = (found.labels().partitions[k].compute()["vertex"] for k in range(2))
    assert first.max() < second.min()


def test_vertices_without_edges_and_nothing_at_all(client):
    frame = pd.DataFrame({"src": [3, 5, 9], "dst": [4, 5, 3]})
    check(found_by(parts(frame, 2), num_vertices=12), frame, vertices=np.arange(12))
    named = parts(pd.DataFrame({"id": [5, 7, 9, 20]}), 2)
    check(found_by(parts(frame, 2), vertices=named), frame, vertices=[5, 7, 9, 20])
    check(found_by(parts(frame, 2), vertices=[5, 30]), frame, vertices=[5, 30])
    assert len(found_by(parts(frame, 1).query("src < 0"))) == 0


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"num_vertices": 100}, errors.InputError, "outside 0..99 of num_vertices=100"),
        ({"labels": "dense"}, errors.InputError, "use labels='min'"),
        ({"source": ["src", "a"], "destination": ["dst", "a"]}, errors.InputError, "one column"),
        ({"room": -1}, errors.InputError, "room must be a number"),
        ({"owners": "tile"}, errors.InputError, "owners must be 'range', 'hash' or a function"),
        ({"owners": lambda ids: ids * 0 + 9}, errors.InputError, "parts from 9 to 9"),
        (
            {"partition": "edges", "room": 5},
            errors.InputError,
            "apply only to partition='vertices'",
        ),
    ],
)
def test_what_cannot_be_used(client, options, error, words):
    with pytest.raises(error, match=words):
        cc_rapids.dask.components(
            parts(random_frame(low=0).assign(a=1), 2), **({"partition": "vertices"} | options)
        )


def test_types_that_have_none_in_common(client):
    frame = pd.DataFrame({"src": np.array([1, 2], np.int64), "dst": np.array([2, 3], np.uint64)})
    check(found_by(parts(frame, 1)), frame.astype("int64"))
    far = frame.assign(src=[-1, 2], dst=np.array([2, 2**63], np.uint64))
    with pytest.raises(errors.ColumnTypeError, match="no integer type holds both"):
        found_by(parts(far, 2))
    with pytest.raises(errors.ColumnTypeError, match="no integer type holds both"):
        found_by(parts(far[1:], 1), vertices=range(-3, 3))
    text = parts(as_text(random_frame()), 2)
    with pytest.raises(errors.InputError, match="'range' needs integer ids"):
        found_by(text, owners="range")


def test_ranges_of_one_length():
    assert even_ranges(-5, 4, 2).cuts == (0,)
    assert even_ranges(-5, 4, 2)(pd.Series([-5, -1, 0, 4])).tolist() == [0, 0, 1, 1]
    far = pd.Series([0, 2**63, 2**64 - 1], dtype="uint64")
    assert even_ranges(0, 2**64 - 1, 2)(far).tolist() == [0, 1, 1]
    largest, cuts = 2**63 - 1, Ranges((5, 2**63, 2**63 + 5))  # cuts that int64 cannot hold
    for dtype in ("int64", "uint64"):
        assert cuts(pd.Series([4, 5, largest], dtype=dtype)).tolist() == [0, 1, 1]
