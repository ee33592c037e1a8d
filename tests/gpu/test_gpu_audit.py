"""The audit on the GPU: cuDF frames with ids of every kind, and each fault planted in them."""

import re

import numpy as np
import pytest

import cc_rapids
from cc_rapids import VerificationError, components, generators

pytestmark = pytest.mark.gpu


def frames(cudf, n=3000, m=2500, seed=0):
    """The same edges by ids as they are, by hashed ones, by strings and by two columns."""
    src, dst = np.random.default_rng(seed).integers(0, n, (2, m))
    plain = cudf.DataFrame({"src": src, "dst": dst})
    words = cudf.DataFrame({name: "v" + plain[name].astype("str") for name in ("src", "dst")})
    yield plain, "src", "dst"
    yield plain * 0x9E3779B97F4A7C1, "src", "dst"
    yield words, "src", "dst"
    rows = cudf.DataFrame({"a": src // 7, "b": words["src"], "c": dst // 7, "d": words["dst"]})
    yield rows, ["a", "b"], ["c", "d"]


def test_right_answers_are_proved_and_wrong_ones_are_not(cudf):
    for edges, source, destination in frames(cudf):
        found = components(edges, source, destination, labels="min")
        for oracle in (None, "scipy", "cugraph"):
            proof = found.audit(edges, source, destination, oracle=oracle)
            assert (proof.edges, proof.components) == (len(edges), len(found))
        found.labels()  # what comes next is read from the trees
        roots, bits = found.answer.forest.parent, found.answer.forest.present.get().view(np.uint8)
        occur = np.unpackbits(bits, bitorder="little")[: roots.size].astype(bool)
        two = np.unique(roots.get()[occur])[-2:]
        roots[roots == two[1]] = two[0]
        with pytest.raises(VerificationError, match=r"no path joins|which is not a vertex"):
            found.audit(edges, source, destination)


def test_the_first_edge_that_is_wrong_is_told(cudf):
    edges = cudf.DataFrame({"src": ["a", "c", "e"], "dst": ["b", "d", "f"]})
    found = components(edges)
    more = cudf.concat([edges, cudf.DataFrame({"src": ["b", "a"], "dst": ["d", "z"]})])
    says = "edge 3 joins b and d, which have the labels a and c"
    with pytest.raises(VerificationError, match=re.escape(says)):
        found.audit(more)
    with pytest.raises(VerificationError, match=r"vertex e has a label, but no edge names it"):
        found.audit(edges[:2])


def test_host_edges_of_an_answer_on_the_gpu_and_the_other_way(cudf):
    edges = next(iter(frames(cudf)))[0]
    assert components(edges).audit(edges.to_pandas()).edges == len(edges)
    assert components(edges.to_pandas()).audit(edges).edges == len(edges)
    chunks = [edges[at : at + 400] for at in range(0, len(edges), 400)]
    assert components(edges).audit(iter(chunks)).edges == len(edges)


def test_the_name_under_which_we_are_installed_is_no_oracle(cudf, cugraph):
    edges = next(iter(frames(cudf)))[0]
    with (
        cc_rapids.installed(),
        pytest.raises(cc_rapids.InputError, match=r"cc_rapids.uninstall\(\) first"),
    ):
        components(edges).audit(edges, oracle="cugraph")


def test_a_long_list_in_order(cudf):
    """Each fault of a label in it is found."""
    graph = generators.grid(2500, 2000, 0.6, 3, engine="cuda")
    found = components(graph.edges, num_vertices=graph.num_vertices)
    assert found.summary()["design"] == "none(tiles=16384)+async+halve"
    for _ in range(3):
        proof = found.audit(graph.edges, num_vertices=graph.num_vertices)
        assert proof.components == len(found)
    found.labels()  # what comes next is read from the trees
    labels = found.answer.forest.parent
    root = int(labels[-1])
    for wrong in (root + 1, 0 if root else 1):
        labels[-1] = wrong
        with pytest.raises(VerificationError):
            found.audit(graph.edges, num_vertices=graph.num_vertices)
    labels[-1] = root
    roots = np.unique(labels.get())[-2:]
    labels[labels == roots[1]] = roots[0]
    with pytest.raises(VerificationError):
        found.audit(graph.edges, num_vertices=graph.num_vertices)


def test_a_long_list_of_one_giant(cudf):
    """Vertices of 2.2 million that say otherwise are found."""
    import cupy

    n = 2_200_000
    src, dst = cupy.random.default_rng(5).integers(0, n, (2, 10 * n)).astype(cupy.int32)
    found = components((src, dst))
    assert "bits=shared" in found.summary()["design"]
    assert found.audit((src, dst)).components == len(found)
    found.labels()  # what comes next is read from the trees
    labels, answer = found.answer.forest.parent, found.answer.forest.parent.copy()
    least = int(labels[src[0]])
    for v in (int(src[77]), int(dst[-1])):
        if v == least:
            continue
        labels[v] = v
        row = int(cupy.flatnonzero((src == v) ^ (dst == v))[0])
        with pytest.raises(VerificationError, match=f"edge {row:,} joins"):
            found.audit((src, dst))
        labels[:] = answer


def test_bounds_of_weights_are_those_of_the_answer(cudf):
    frame = cudf.DataFrame({"src": [1, 2, 5], "dst": [2, 3, 6], "w": [0.9, 0.5, 0.95]})
    bound = {"weight": "w", "at_least": 0.8}
    found = components(frame, **bound)
    assert found.audit(frame, **bound).edges == 2
    with pytest.raises(VerificationError, match="3 has no label"):
        found.audit(frame, weight=None)
