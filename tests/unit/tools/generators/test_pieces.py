"""Edge lists in pieces: the same edges as in one, whatever the pieces are."""

import numpy as np
import pytest

from cc_rapids import generators
from cc_rapids.errors import InputError
from cc_rapids.tools.generators import pieces

PAIRS = {
    "uniform": lambda room: room.uniform(100, 500, 3),
    "uniform of none": lambda room: room.uniform(0, 0),
    "rmat": lambda room: room.rmat(7, 500, 0.5, 0.2, 0.2, 3),
    "rmat as made": lambda room: room.rmat(7, 300, 0.5, 0.2, 0.2, 3, permute=False),
    "barabasi_albert": lambda room: room.barabasi_albert(70, 5, 3),
    "barabasi_albert of none": lambda room: room.barabasi_albert(7, 0),
    "grid": lambda room: room.grid(6, 9),
    "grid in part": lambda room: room.grid(13, 7, 0.5, 3),
    "torus": lambda room: room.torus2d(4, 5),
    "torus of none": lambda room: room.torus2d(4, 0),
    "grid of none": lambda room: room.grid(0, 7),
    "cliques": lambda room: room.cliques([3, 0, 5, 1, 9]),
    "path": lambda room: room.path(50),
    "path of none": lambda room: room.path(0),
    "path shuffled": lambda room: room.path(50, 4),
    "star": lambda room: room.star(50),
    "self-loops": lambda room: room.self_loops(20),
    "isolated": lambda room: room.isolated(20),
    "permuted": lambda room: room.permuted(room.grid(5, 5), 2),
    "duplicated": lambda room: room.duplicated(room.permuted(room.grid(5, 5), 2), 3, 1),
    "pairs": lambda room: room.near_duplicate_pairs(60, 90, 1.5, 9, 3),
    "pairs of none": lambda room: room.near_duplicate_pairs(0, 0),
    "bands": lambda room: room.banded_pairs(60, 500, 7, seed=3),
    "records": lambda room: room.record_keys(60, 70, 3, 2, 3),
    "records as made": lambda room: room.record_keys(60, 70, permute=False),
    **{name: lambda room, name=name: room.reference(name, 6, 2) for name in generators.REFERENCES},
}


@pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("size", [7, 64, 1 << 20])
def test_pieces_make_up_the_whole(make, size):
    whole, cut = make(generators), make(pieces)
    assert (cut.name, cut.num_vertices) == (whole.name, whole.num_vertices)
    assert cut.num_edges == whole.num_edges
    parts = [*cut.cut(size)]
    for side, column in enumerate(whole.edges):
        made = [part[side] for part in parts]
        np.testing.assert_array_equal(np.concatenate([column[:0], *made]), column)
        assert {part.dtype for part in made} <= {np.dtype(np.int32)}
        assert all(part.size <= size for part in made)
    for gathered, column in zip(cut.gather(), whole.edges, strict=True):
        np.testing.assert_array_equal(gathered, column)


def test_a_list_can_be_cut_again():
    cut, whole = (
        room.permuted(room.duplicated(room.path(20), 2, 1), 5) for room in (pieces, generators)
    )
    for _ in range(2):
        for made, known in zip(cut.gather(), whole.edges, strict=True):
            np.testing.assert_array_equal(made, known)


def test_every_generator_comes_in_pieces():
    known = set(generators.__all__) - {"REFERENCES", "Graph", "pieces"}
    assert known <= set(dir(pieces))


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (2, 1), (5, 10), (20, 190), (100, 700)])
def test_gnm_has_distinct_pairs(n, m):
    src, dst = pieces.gnm(n, m, seed=3).gather()
    assert (src != dst).all()
    assert len({frozenset(pair) for pair in zip(src.tolist(), dst.tolist(), strict=True)}) == m
    assert max([*src, *dst], default=0) < max(n, 1)


def test_gnm_is_even():
    """Each of the 15 pairs is among 5 of them equally often."""
    seen = np.zeros((6, 6), int)
    for seed in range(1500):
        src, dst = pieces.gnm(6, 5, seed).gather()
        np.add.at(seen, (np.minimum(src, dst), np.maximum(src, dst)), 1)
    counts = seen[np.triu_indices(6, 1)]
    assert counts.sum() == seen.sum() == 7500
    assert ((counts - 500) ** 2 / 500).sum() < 40  # 14 degrees of freedom: p = 0.0003


def test_a_piece_of_a_list_larger_than_memory():
    cut = pieces.uniform(1 << 32, 10**13).cut(1000)
    for _ in range(3):
        src, dst = next(cut)
        assert src.dtype == dst.dtype == np.int64
        assert 1 << 30 < src.max() < 1 << 32


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pieces.gnm(4, 7), "4 vertices have 6 pairs, fewer than the 7 edges requested"),
        (lambda: pieces.gnm(-1, 0), "num_vertices must be an integer"),
        (lambda: pieces.uniform(0, 1), "at least one vertex"),
        (lambda: pieces.uniform(1, -1), "num_edges must be an integer"),
        (lambda: pieces.rmat(33, 1, 0.5, 0.2, 0.2), "from 0 to 32"),
        (lambda: pieces.rmat(3, 1, 0.9, 0.2, 0.2), "sum of at most 1"),
        (lambda: pieces.grid(2, 2, 1.5), "probability from 0 to 1"),
        (lambda: pieces.reference("kron22"), "'kron22'"),
        (lambda: pieces.path(1 << 33), "do not fit"),
        (lambda: pieces.cliques([-1]), "size must be an integer"),
    ],
)
def test_what_cannot_be_made(make, words):
    with pytest.raises(InputError, match=words):
        make()
