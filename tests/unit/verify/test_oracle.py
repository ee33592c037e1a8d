"""Each oracle accepts right answers and refuses planted faults, naming a counter-example."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cc_rapids
from cc_rapids import generators, oracle
from cc_rapids.errors import ArgumentTypeError, InputError, VerificationError

# 0 - 1 - 2    3 - 4 - 5 - 3    6, and an edge given twice
SRC, DST, N = np.array([1, 1, 3, 4, 5, 4]), np.array([0, 2, 4, 5, 3, 3]), 7
LABELS = np.array([0, 0, 0, 3, 3, 3, 6])
DENSE = np.array([0, 0, 0, 1, 1, 1, 2])


def changed(labels, **at):
    """The labels with those of some vertices replaced: v4=0."""
    labels = labels.copy()
    for vertex, label in at.items():
        labels[int(vertex[1:])] = label
    return labels


@pytest.mark.parametrize("seed", range(30))
def test_union_find_is_right(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 60))
    src, dst = random.integers(0, n, (2, int(random.integers(0, 80))))
    graph = nx.Graph(zip(src.tolist(), dst.tolist(), strict=True))
    graph.add_nodes_from(range(n))
    expected = np.empty(n, int)
    for part in nx.connected_components(graph):
        expected[list(part)] = min(part)
    labels = oracle.union_find(src, dst, n)
    np.testing.assert_array_equal(labels, expected)
    oracle.certify(src, dst, n, labels)
    oracle.against_scipy(src, dst, n, np.unique(labels, return_inverse=True)[1])


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8"])
def test_any_integers_will_do(dtype):
    src, dst, labels = (column.astype(dtype) for column in (SRC, DST, LABELS))
    src.flags.writeable = False
    assert oracle.union_find(src, dst, N).tolist() == LABELS.tolist()
    assert oracle.union_find(src, dst, N).dtype == np.int64
    oracle.certify(src, dst, N, labels)
    oracle.against_scipy(src, dst, N, DENSE.astype(dtype))


def test_nothing_is_a_graph():
    assert oracle.union_find([], [], 0).size == 0
    oracle.certify([], [], 0, [])
    oracle.against_scipy([], [], 0, [])
    oracle.certify([], [], 2, [0, 1])
    oracle.against_scipy([], [], 2, [0, 1])
    nothing = np.array([], np.int64), np.array([], np.int64)
    oracle.certify_components(cc_rapids.components(nothing), nothing)
    oracle.against_networkx(nothing, nothing)


def test_large_graphs():
    graph = generators.reference("social22", scale=16)
    labels = oracle.union_find(graph.src, graph.dst, graph.num_vertices)
    oracle.certify(graph.src, graph.dst, graph.num_vertices, labels)
    with pytest.raises(VerificationError):
        oracle.certify(graph.src, graph.dst, graph.num_vertices, np.zeros(graph.num_vertices, int))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.where(LABELS == 3, 0, LABELS), "vertex 3 has the label 0, but no path joins the two"),
        (changed(LABELS, v6=3), "vertex 6 has the label 3, but no path"),
        (changed(LABELS, v5=5), "edge 3 joins 4 and 5, which have the labels 3 and 5"),
        (changed(LABELS, v2=2), "edge 1 joins 1 and 2, which have the labels 0 and 2"),
        (np.where(LABELS == 3, 4, LABELS), "vertex 3 has the label 4, which itself has"),
        (changed(LABELS, v0=1, v1=1, v2=1), "vertex 0 has the label 1, which itself has"),
        (changed(LABELS, v4=1), "vertex 4 has the label 1, which itself has the label 0"),
        (changed(LABELS, v6=7), r"vertex 6 has the label 7, not in 0\.\.6"),
        (changed(LABELS, v2=-1), r"vertex 2 has the label -1, not in 0\.\.6"),
        (LABELS[:-1], r"shape \(6,\) for 7 vertices"),
        (LABELS.astype(float), "labels of type float64"),
    ],
    ids=["merged", "merged one", "split", "split end", "not least", "not least first",
         "no root", "outside", "negative", "missing", "floats"],
)  # fmt: skip
def test_certify_refuses(labels, message):
    with pytest.raises(VerificationError, match=message):
        oracle.certify(SRC, DST, N, labels)


def test_certify_names_vertices_by_their_ids():
    with pytest.raises(VerificationError, match="vertex g has the label d, but no path"):
        oracle.certify(SRC, DST, N, changed(LABELS, v6=3), ids="abcdefg")
    with pytest.raises(VerificationError, match="joins e and f, which have the labels d and f"):
        oracle.certify(SRC, DST, N, changed(LABELS, v5=5), ids="abcdefg")


def test_an_extra_edge_is_noticed():
    with pytest.raises(VerificationError, match="edge 6 joins 2 and 6"):
        oracle.certify([*SRC, 2], [*DST, 6], N, LABELS)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (changed(DENSE, v6=1), "vertex 6 has the label 1, but should have 2, as in SciPy's 3"),
        (DENSE[::-1], "vertex 0 has the label 2, but should have 0, as in SciPy"),
        (LABELS, "vertex 3 has the label 3, but should have 1"),
        (DENSE[1:], r"shape \(6,\) for 7 vertices"),
    ],
    ids=["merged", "other order", "not dense", "missing"],
)
def test_against_scipy_refuses(labels, message):
    with pytest.raises(VerificationError, match=message):
        oracle.against_scipy(SRC, DST, N, labels)


@pytest.mark.parametrize("check", [oracle.union_find, lambda *a: oracle.certify(*a, LABELS)])
@pytest.mark.parametrize(
    ("src", "dst", "message"),
    [
        ([0, 7], [0, 1], r"name 0\.\.7, but the vertices are 0\.\.6"),
        ([0, -2], [0, 1], r"name -2\.\.0, but the vertices"),
        ([0, 1], [0], "2 sources and 1 destinations"),
        ([0.0], [1.0], "1-d integers, not float64"),
        ([[0]], [[1]], r"of shape \(1, 1\)"),
    ],
)
def test_edges_have_to_be_usable(check, src, dst, message):
    with pytest.raises(InputError, match=message):
        check(np.array(src), np.array(dst), N)


IDS = {
    "integers": np.array([2, 3, 5, 7, 8, 9, 11]) - 6,
    "unsigned": np.arange(7, dtype=np.uint64) + np.uint64(2**64 - 8),
    "strings": np.array(["aa", "b", "c", "d", "é", "日", "\U0001f600"], object),
}
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "arrays": lambda columns: cc_rapids.data.edge_input.Labels(*columns.values()),
}


def edges_and_answer(ids, make, labels=LABELS, keep=slice(None)):
    edges = {"src": ids[SRC], "dst": ids[DST]}
    answer = {"vertex": ids[keep], "labels": ids[np.array(labels)[keep]]}
    return (tuple(edges.values()) if make is FRAMES["arrays"] else make(edges)), make(answer)


def result(answer, count=3):
    """What certify_components looks at of a Components."""

    class Found:
        def __len__(self):
            return count

        def labels(self, kind):
            assert kind == "min"
            return answer

    return Found()


every_kind = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
all_ids = pytest.mark.parametrize("ids", IDS.values(), ids=IDS)


@every_kind
@all_ids
def test_right_answers_of_any_kind(ids, make):
    edges, answer = edges_and_answer(ids, make)
    oracle.certify_components(result(answer), edges, vertices=ids[6:])
    oracle.against_networkx(edges, answer, vertices=ids[6:])
    found = cc_rapids.components(edges, vertices=ids[6:])
    oracle.certify_components(found, edges, vertices=ids[6:])


@every_kind
@all_ids
@pytest.mark.parametrize(
    ("fault", "proof", "sets"),
    [
        ({"labels": changed(LABELS, v6=3)}, "{6} has the label {3}, but no path", "of {3} is"),
        ({"labels": changed(LABELS, v2=2)}, "edge 1 joins {1} and {2}", "of {0} is {0}, {1}, but"),
        ({"keep": [0, 1, 2, 3, 4, 5]}, "{6} have no label", "{6} have no label"),
        ({"keep": [0, 2, 3, 4, 5, 6]}, "{1} have no label", "of {0} is {0}, {2}, but"),
    ],
    ids=["merged", "split", "missing vertex", "missing in the middle"],
)
def test_wrong_answers_of_any_kind(ids, make, fault, proof, sets):
    edges, answer = edges_and_answer(ids, make, **fault)
    with pytest.raises(VerificationError) as error:
        oracle.certify_components(result(answer), edges, vertices=ids[6:])
    assert proof.format(*ids) in str(error.value)
    with pytest.raises(VerificationError) as error:
        oracle.against_networkx(edges, answer, vertices=ids[6:])
    assert sets.format(*ids) in str(error.value)


def test_ids_of_mixed_types_are_shown():
    ids = np.array(["a", 2], object)
    with pytest.raises(VerificationError, match="the component of a is a, but NetworkX finds 2, a"):
        oracle.against_networkx((ids, ids[::-1]), (ids, np.array([0, 1])))


@pytest.mark.parametrize(
    ("vertex", "labels", "count", "message"),
    [
        ([1, 2, 3, 4], [1, 1, 3, 3], 1, r"len\(\) is 1, but there are 2 components"),
        ([1, 2, 3, 4, 9], [1, 1, 3, 3, 9], 3, "9 have a label, but neither edges"),
        ([2, 1, 3, 4], [1, 1, 3, 3], 2, "not in the order of their ids"),
        ([1, 2, 2, 3, 4], [1, 1, 1, 3, 3], 2, "listed twice"),
        ([1, 2, 3, 4], [1, 1, 0, 3], 2, "vertex 3 has the label 0, which is not a vertex"),
        ([1, 2, 3, 4], [1, 1, 3, 5], 2, "vertex 4 has the label 5, which is not a vertex"),
        ([1, 2, 3, 4], [1, 1, 4, 4], 2, "vertex 3 has the label 4, which itself"),
    ],
)
def test_certify_components_refuses(vertex, labels, count, message):
    edges = np.array([1, 4]), np.array([2, 3])
    answer = np.array(vertex), np.array(labels)
    with pytest.raises(VerificationError, match=message):
        oracle.certify_components(result(answer, count), edges)


def test_certify_components_with_num_vertices_and_nulls():
    edges = pa.table({"src": [0, 3, None], "dst": [4, 3, 1]})
    found = cc_rapids.components(edges, num_vertices=6, nulls="drop")
    oracle.certify_components(found, edges, num_vertices=6, nulls="drop")
    with pytest.raises(VerificationError, match="1, 2, 5 have a label, but neither edges"):
        oracle.certify_components(found, edges, nulls="drop")
    with pytest.raises(VerificationError, match="6 have no label"):
        oracle.certify_components(found, edges, num_vertices=7, nulls="drop")


def test_certify_components_of_mixed_and_distant_ids():
    mixed = np.array([5, 2**64 - 1], np.uint64), np.array([-3, 8])
    answer = np.array([-3, 5, 8, 2**64 - 1], object), np.array([-3, -3, 8, 8], object)
    oracle.certify_components(result(answer, 2), mixed)
    far = np.array([0, 10**15]), np.array([7, -(10**15)])
    answer = np.array([-(10**15), 0, 7, 10**15]), np.array([-(10**15), 0, 0, -(10**15)])
    oracle.certify_components(result(answer, 2), far)


def partition(labels, vertex=None):
    return pd.DataFrame(
        {"vertex": range(len(labels)) if vertex is None else vertex, "labels": labels}
    )


def test_partitions_are_equal_whatever_their_labels():
    oracle.same_partition(partition([0, 0, 2, 2]), partition([7, 7, 1, 1]))
    oracle.same_partition(partition([0, 0, 2]), partition([9, 5, 9], vertex=[0, 2, 1]))
    oracle.same_partition(partition(["a", "a"], vertex=["a", "b"]), partition([4, 4], ["a", "b"]))
    oracle.same_partition(partition([]), partition([]))


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        (partition([0, 0, 0]), partition([5, 5, 6]),
         "0, 2 share the label 0 of the first frame, but have the labels 5, 6 in the other"),
        (partition([0, 1, 1]), partition([5, 5, 5]),
         "0, 1 share the label 5 of the second frame, but have the labels 0, 1 in the other"),
        (partition([0, 0]), partition([0, 0, 2]), "2 have no label in the first frame"),
        (partition([0, 0, 2]), partition([0, 0]), "2 have no label in the second frame"),
        (partition([0] * 9), partition([0]), r"1, 2, 3, 4, 5, \.\.\. \(8\) have no label"),
        (partition([0, 0, 0], vertex=[0, 1, 1]), partition([0, 0]), "1 are listed more than once"),
    ],
    ids=["merged", "split", "missing", "invented", "many", "twice"],
)  # fmt: skip
def test_other_partitions_are_refused(ours, theirs, message):
    with pytest.raises(VerificationError, match=message):
        oracle.same_partition(ours, theirs)


def test_cugraph_is_asked_as_its_users_ask(monkeypatch):
    """Everything about it but the GPU; tests/gpu has the real one."""
    asked = {}

    class Graph:
        def from_cudf_edgelist(self, edges, **options):
            asked.update(options)
            self.edges = edges

    def weakly_connected_components(graph):
        assert graph.edges is edges
        return pd.DataFrame({"labels": DENSE[:6] + 40, "vertex": range(6)})

    module = SimpleNamespace(Graph=Graph, weakly_connected_components=weakly_connected_components)
    monkeypatch.setitem(__import__("sys").modules, "cugraph", module)
    edges = pd.DataFrame({"a": SRC, "b": DST})
    oracle.against_cugraph(edges, cc_rapids.connected_components(edges, "a", "b"), "a", "b")
    assert asked == {"source": "a", "destination": "b", "renumber": True}
    with pytest.raises(VerificationError):
        oracle.against_cugraph(edges, partition(DENSE[:6] // 2), "a", "b")


def test_certify_components_refuses_labels_alone():
    edges = pd.DataFrame({"src": [1, 2], "dst": [2, 3]})
    with pytest.raises(ArgumentTypeError, match="found must be an answer of components"):
        oracle.certify_components(cc_rapids.components(edges).labels(), edges)
