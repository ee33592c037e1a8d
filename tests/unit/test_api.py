"""components() of columns of integers: their types, their layout, and which vertices there are."""

import logging

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components as scipy_components
from support.choices import on_simulator, some

from cc_rapids import components, connected_components

WIDTHS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
MIXED = [
    (np.int8, np.uint8, np.int16),
    (np.int32, np.int64, np.int64),
    (np.uint32, np.int32, np.int64),
    (np.int64, np.uint64, np.int64),  # NumPy's common type is float64, which merges ids
    (np.uint64, np.int8, np.int64),
]

# Two components of three vertices and one of one, by its loop; 12 is in none of the edges
SRC, DST = [-5, 9, 2, 7, 4, 7], [-5, 2, 9, 1, 2, 0]
VERTEX = [-5, 0, 1, 2, 4, 7, 9, 12]
LEAST = [-5, 0, 0, 2, 2, 0, 2, 12]


def rows(answer):
    """The two columns of an answer of arrays, as lists."""
    return [np.asarray(column).tolist() for column in answer]


def labels(src, dst, engine, **options):
    return rows(connected_components((src, dst), engine=engine, **options))


def test_host_edges_run_on_threads_unless_told_otherwise():
    assert components(([1], [2])).summary()["engine"] == "threads"


@pytest.mark.parametrize("dtype", WIDTHS)
def test_ids_at_both_ends_of_every_integer_type(engine, dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    for ids in ([low, low + 1, low + 3], [high - 3, high - 1, high]):
        first, second, third = ids
        found = components(
            (np.array([third, first], dtype), np.array([second] * 2, dtype)), engine=engine
        )
        answer = found.labels()
        assert rows(answer) == [ids, [first] * 3]
        assert (answer.vertex.dtype, answer.labels.dtype) == (dtype, dtype)
        assert found.sizes().labels.dtype == dtype


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_a_type_can_be_full_of_vertices(engine, dtype):
    ids = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, dtype=dtype)
    low = int(ids[0])
    assert labels(ids[1:], ids[:-1], engine) == [ids.tolist(), [low] * 256]


@pytest.mark.parametrize(("one", "other", "common"), MIXED)
def test_the_two_sides_may_differ_in_type(engine, one, other, common):
    for sides in ((one, other), (other, one)):
        src, dst = np.array([3, 9], sides[0]), np.array([5, 120], sides[1])
        answer = connected_components((src, dst), engine=engine)
        assert rows(answer) == [[3, 5, 9, 120], [3, 3, 9, 9]]
        assert (answer.vertex.dtype, answer.labels.dtype) == (common, common)


def test_signed_and_unsigned_ids_meet_at_two_to_the_63(engine):
    src, dst = np.array([2**63 + 1], np.uint64), np.array([2**63 - 1], np.int64)
    answer = connected_components((src, dst), engine=engine, vertices=[2**63])
    assert rows(answer) == [[2**63 - 1, 2**63, 2**63 + 1], [2**63 - 1, 2**63, 2**63 - 1]]
    assert answer.vertex.dtype == np.uint64


def test_negative_ids_on_one_side_and_unsigned_on_the_other(engine):
    src, dst = np.array([-2, 4], np.int8), np.array([3, 250], np.uint64)
    assert labels(src, dst, engine) == [[-2, 3, 4, 250], [-2, -2, 4, 4]]


LAYOUTS = {
    "strided": lambda ids: np.repeat(ids, 2)[::2],
    "reversed": lambda ids: ids[::-1].copy()[::-1],
    "column": lambda ids: np.column_stack([ids, ids + 1])[:, 0],
    "big-endian": lambda ids: ids.astype(ids.dtype.newbyteorder(">")),
    "slice": lambda ids: np.concatenate([[1], ids])[1:],
    "unaligned": lambda ids: np.frombuffer(b"x" + ids.tobytes(), ids.dtype, offset=1),
    "list": lambda ids: ids.tolist(),
    "masked": np.ma.array,
}


@pytest.mark.parametrize("laid", LAYOUTS.values(), ids=LAYOUTS)
def test_columns_are_read_however_they_are_laid_out(engine, laid):
    src, dst = laid(np.array(SRC)), laid(np.array(DST))
    assert labels(src, dst, engine, vertices=laid(np.array([12, 9]))) == [VERTEX, LEAST]


def test_read_only_columns_are_read_and_nothing_given_is_changed(engine):
    given = [np.array(SRC), np.array(DST), np.array([12])]
    kept = [array.copy() for array in given]
    for array in given[:2]:
        array.flags.writeable = False
    found = components((given[0], given[1]), vertices=given[2], engine=engine)
    assert rows(found.labels()) == [VERTEX, LEAST]
    assert all((array == copy).all() for array, copy in zip(given, kept, strict=True))
    assert [array.flags.writeable for array in given] == [False, False, True]


def test_loops_duplicates_and_directions_do_not_matter(engine):
    plain = labels([1, 2, 6], [2, 3, 6], engine)
    assert plain == [[1, 2, 3, 6], [1, 1, 1, 6]]
    noisy = labels([2, 1, 1, 3, 3, 2, 6, 6, 1], [1, 2, 2, 2, 2, 2, 6, 6, 1], engine)
    assert noisy == plain


def test_ids_far_from_zero_cost_only_their_span(engine):
    far = 10**15
    assert labels([far, -far + 2 * far], [far + 40, far + 3], engine) == [
        [far, far + 3, far + 40],
        [far] * 3,
    ]


@pytest.mark.parametrize(
    "vertices",
    [
        [8, 1, 8, 5],
        (8, 5),
        np.array([5, 8], np.int8),
        np.array([8, 5], np.uint64),
        range(5, 9, 3),
        range(8, 3, -3),
        pd.Series([5, 8], index=[3, 3]),
        pd.DataFrame({"v": [5, 8]})["v"],
    ],
    ids=["list", "tuple", "int8", "uint64", "range", "descending", "series", "column"],
)
def test_vertices_count_though_no_edge_names_them(engine, vertices):
    src, dst = np.array([1]), np.array([3])
    assert labels(src, dst, engine, vertices=vertices) == [[1, 3, 5, 8], [1, 1, 5, 8]]


@pytest.mark.parametrize("vertices", [[], np.array([], np.int32), range(0), range(9, 2)])
def test_no_further_vertices_change_nothing(engine, vertices):
    assert labels([1], [3], engine, vertices=vertices) == [[1, 3], [1, 1]]


def test_vertices_may_need_a_wider_type_than_the_edges(engine):
    edges = np.array([1], np.int8), np.array([3], np.int8)
    for options in ({"vertices": [300]}, {"vertices": range(300, 301)}):
        assert labels(*edges, engine, **options) == [[1, 3, 300], [1, 1, 300]]
    answer = connected_components(edges, engine=engine, num_vertices=200)
    assert answer.vertex.tolist() == list(range(200))
    assert answer.labels.tolist() == [0, 1, 2, 1, *range(4, 200)]


def test_num_vertices_are_exactly_those_from_zero(engine):
    for count in (4, np.int64(4)):
        assert labels([3], [1], engine, num_vertices=count) == [[0, 1, 2, 3], [0, 1, 2, 1]]


@pytest.mark.parametrize("options", [{"num_vertices": 3}, {"vertices": range(3)}])
def test_no_edges_between_some_vertices(engine, options):
    assert labels([], [], engine, **options) == [[0, 1, 2], [0, 1, 2]]


def reference(src, dst, n):
    """Vertices that occur, and their labels of each kind, from SciPy's."""
    _, dense = scipy_components(coo_array((np.ones(src.size), (src, dst)), shape=(n, n)))
    occur = np.unique(np.concatenate([src, dst]))
    _, first, dense, size = np.unique(
        dense[occur], return_index=True, return_inverse=True, return_counts=True
    )
    place = np.argsort(np.argsort(-size, kind="stable"))
    return occur, {"min": occur[first][dense], "dense": dense, "size": place[dense]}


@pytest.mark.parametrize("m", [1, 15, 40, 120])
@pytest.mark.parametrize("n", [31, 32, 33, 64, 65])
def test_random_graphs_have_the_labels_of_scipy(engine, n, m):
    rng = np.random.default_rng([n, m])
    src, dst = rng.integers(0, n, (2, m))
    vertex, expected = reference(src, dst, n)
    found = components((src - 40, dst - 40), engine=engine)
    for kind, label in expected.items():
        shift = 40 if kind == "min" else 0
        assert rows(found.labels(kind)) == [(vertex - 40).tolist(), (label - shift).tolist()]
    _, isolated = scipy_components(coo_array((np.ones(m), (src, dst)), shape=(n, n)))
    assert labels(src, dst, engine, num_vertices=n, labels="dense")[1] == isolated.tolist()


FAST = [f"{sample}+async+{find}" for sample in ("none", "strided") for find in ("naive", "halve")]


@pytest.mark.slow
@some("name", FAST, usual=FAST[-1:])
def test_a_graph_for_many_threads_has_the_same_labels_on_each_run(name):
    n = 300_000
    rng = np.random.default_rng(7)
    src, dst = rng.integers(0, n, (2, n))
    path = rng.permutation(n // 10)
    src, dst = np.append(src, n + path[1:]), np.append(dst, n + path[:-1])
    vertex, expected = reference(src, dst, n + n // 10)
    for _ in range(3):
        found = components((src, dst), design=name)
        for kind, label in expected.items():
            answer = found.labels(kind)
            assert np.array_equal(answer.vertex, vertex)
            assert np.array_equal(answer.labels, label)


@on_simulator
def test_every_design_gives_the_same_answer_and_is_named_in_the_summary(engine, design):
    edges = np.array(SRC, np.int32), np.array(DST, np.int32)
    for given in (design, str(design)):
        found = components(edges, vertices=[12], engine=engine, design=given)
        assert rows(found.labels()) == [VERTEX, LEAST]
        assert found.summary()["design"] == str(design)


def test_a_run_is_logged(caplog):
    with caplog.at_level(logging.INFO, "cc_rapids"):
        components(([1], [2]), design="none+async+naive")
    assert "none+async+naive on threads: 1 components in" in caplog.text
