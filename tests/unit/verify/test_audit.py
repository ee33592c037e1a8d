"""The audit proves right answers, and names the first counter-example of each planted fault."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from support.trials import TRIALS

import cc_rapids
from cc_rapids import InputError, VerificationError, backends, components, generators, oracle
from cc_rapids.errors import MissingColumnError, NullsError
from cc_rapids.verify.audit import audit_labels
from cc_rapids.verify.oracle import peers

pytestmark = pytest.mark.slow

# 10 - 11 - 12    13 - 14 - 15 - 13    16 - 16, and an edge given twice
SRC, DST = np.array([11, 11, 13, 14, 15, 14, 16]), np.array([10, 12, 14, 15, 13, 13, 16])
EDGES = pd.DataFrame({"src": SRC, "dst": DST})


def wrong(says):
    """A counter-example in these words."""
    return pytest.raises(VerificationError, match=re.escape(says))


@pytest.fixture(params=["as they are", "table"])
def way(request, tuned):
    """Find ids by their distances, or by a table."""
    if request.param == "table":
        tuned(lookup_slots=0, lookup_slots_per_vertex=0)
    return request.param


def kinds_of_ids(src, dst):
    """The same edges by ids of every kind, in order."""
    yield "int32", (src.astype(np.int32), dst.astype(np.int32))
    yield "mixed", (src.astype(np.int64), dst.astype(np.uint8))
    yield "far", (src * 2**40, dst * 2**40)
    yield "negative", (-2 - src[::-1] * 2**57, -2 - dst[::-1] * 2**57)
    high = np.uint64(2**63)
    yield "unsigned", (src.astype(np.uint64) + high, dst.astype(np.uint64) + high)
    words = {v: f"v{v}" for v in range(10, 17)}
    yield "words", pd.DataFrame({"src": [words[v] for v in src], "dst": [words[v] for v in dst]})
    yield "polars", pl.DataFrame({"src": src, "dst": dst})
    yield "arrow", pa.table({"src": src, "dst": dst})
    yield "categories", EDGES.astype("category")


KINDS = dict(kinds_of_ids(SRC, DST))


@pytest.mark.parametrize("edges", KINDS.values(), ids=KINDS)
@pytest.mark.usefixtures("way")
def test_right_answers_are_proved(engine, edges):
    found = components(edges, engine=engine)
    proof = found.audit(edges, oracle="scipy")
    assert (proof.edges, proof.vertices, proof.components) == (7, 7, 3)
    assert str(proof).startswith("right: 3 components of 7 vertices, by 7 edges")
    found.audit(edges, oracle="networkx")


def test_ids_of_several_columns(engine):
    edges = pd.DataFrame(
        {"a": [1, 1, 2], "b": ["x", "y", "x"], "c": [1, 2, 2], "d": ["x", "y", "x"]}
    )
    sides = ["a", "b"], ["c", "d"]
    found = components(edges, *sides, engine=engine)
    assert found.audit(edges, *sides, oracle="scipy").components == 3
    more = pd.DataFrame({"a": [1], "b": ["x"], "c": [2], "d": ["z"]})
    says = "edge 3 joins (1, 'x') and (2, 'z'), but (2, 'z') has no label"
    with wrong(says):
        found.audit(pd.concat([edges, more]), *sides)


def parents(found):
    """The trees that labels are read from, once none are ready any more."""
    found.labels("min")
    return found.answer.forest.parent


def answer(labels, edges=EDGES, engine=None, **options):
    """The right answer with some labels replaced, by their ids less 10: v3=4."""
    found = components(edges, engine=engine, **options)
    for vertex, label in labels.items():
        parents(found)[int(vertex[1:])] = label
    return found


FAULTS = {
    "split": ({"v2": 2}, "edge 1 joins 11 and 12, which have the labels 10 and 12"),
    "split off": ({"v3": 3, "v4": 4, "v5": 4}, "edge 2 joins 13 and 14, which have the labels"),
    "merged": ({"v3": 0, "v4": 0, "v5": 0}, "vertex 13 has the label 10, but no path joins the"),
    "merged loop": ({"v6": 3}, "vertex 16 has the label 13, but no path joins the two"),
    "another": ({"v6": 0}, "vertex 16 has the label 10, but no path joins the two"),
    "not least": ({"v0": 1, "v1": 1, "v2": 1}, "vertex 10 has the label 11, which itself has"),
    "a chain": ({"v5": 4, "v4": 4, "v3": 4}, "vertex 13 has the label 14, which itself has the"),
    "outside": ({"v6": 77}, "vertex 16 has the label 87, which is not a vertex"),
}


@pytest.mark.parametrize(("labels", "says"), FAULTS.values(), ids=FAULTS)
@pytest.mark.usefixtures("way")
def test_wrong_labels_are_told(engine, labels, says):
    with wrong(says):
        answer(labels, engine=engine).audit(EDGES)


@pytest.mark.parametrize("edges", KINDS.values(), ids=KINDS)
@pytest.mark.usefixtures("way")
def test_wrong_labels_are_told_of_every_kind_of_ids(engine, edges):
    found = components(edges, engine=engine)
    labels = parents(found)
    labels[labels == labels[-1]] = 0
    with pytest.raises(VerificationError):
        found.audit(edges)


@pytest.mark.usefixtures("way")
def test_missing_and_foreign_vertices_are_told(engine):
    found = components(EDGES, engine=engine)
    more = pd.concat([EDGES, pd.DataFrame({"src": [10], "dst": [17]})])
    with wrong("edge 7 joins 10 and 17, but 17 has no label"):
        found.audit(more)
    with wrong("vertex 16 has a label, but no edge names it"):
        found.audit(EDGES[:-1])
    found.audit(EDGES[:-1], vertices=[16])
    with wrong("vertex 99 has no label"):
        found.audit(EDGES, vertices=[16, 99])
    hole = components((np.array([0, 5]), np.array([2, 5])), engine=engine)
    with wrong("edge 2 joins 3 and 3, but 3 has no label"):
        hole.audit((np.array([0, 5, 3]), np.array([2, 5, 3])))
    with wrong("vertex 1 has no label"):
        hole.audit((np.array([0, 5]), np.array([2, 5])), num_vertices=6)
    words = components((["a"], ["b"]), engine=engine)
    with wrong("edge 1 joins a and q, but q has no label"):
        words.audit((["a", "a"], ["b", "q"]))


def test_ids_of_other_types_are_not_taken_for_vertices(engine):
    low = components((np.array([2**32]), np.array([2**32 + 5])), engine=engine)
    with wrong("edge 0 joins 0 and 5, but 0 and 5 have no label"):
        low.audit((np.array([0], np.int32), np.array([5], np.int32)))
    negative = components((np.array([-2]), np.array([-1])), engine=engine)
    high = np.array([2**64 - 2], np.uint64), np.array([2**64 - 1], np.uint64)
    with wrong("have no label"):
        negative.audit(high)
    with pytest.raises(InputError, match="but the vertices are int64"):
        negative.audit((["a"], ["b"]))


@pytest.mark.usefixtures("way")
def test_edges_with_nulls_are_numbered_as_they_came(engine):
    edges = pd.DataFrame({"src": [1, None, 3], "dst": [2, 2, 1]}, dtype="Int64")
    found = components(edges, nulls="drop", engine=engine)
    assert found.audit(edges, nulls="drop").edges == 2
    short = components(edges[:2], nulls="drop", vertices=[3], engine=engine)
    with wrong("edge 2 joins 3 and 1"):
        short.audit(edges, nulls="drop")


def test_vertices_without_edges_have_to_be_named(engine):
    found = components(([1], [2]), num_vertices=5, engine=engine)
    assert found.audit(([1], [2]), num_vertices=5).components == 4
    with wrong("vertex 0 has a label, but no edge names it"):
        found.audit(([1], [2]))
    matrix = sp.coo_array((np.ones(2), ([0, 3], [1, 3])), shape=(6, 6))
    assert components(matrix, engine=engine).audit(matrix, oracle="scipy").vertices == 6


def test_nothing_is_right():
    for empty in ([], pd.DataFrame({"src": [], "dst": []})):
        assert components(empty).audit(empty).edges == 0
    with wrong("edge 0 joins 1 and 2, but 1 and 2 have no label"):
        components([]).audit(([1], [2]))
    assert components([], num_vertices=3).audit([], num_vertices=3, oracle="scipy").components == 3


def test_streams_are_audited_in_chunks(tmp_path):
    graph = generators.reference("social22", scale=12)
    edges = pa.table({"src": graph.src, "dst": graph.dst})
    for k in range(3):
        part = edges.slice(k * len(edges) // 3, len(edges) // 3 + 2)
        pq.write_table(part, tmp_path / f"{k}.parquet", row_group_size=1000)
    found = components(f"{tmp_path}/*.parquet")
    proof = found.audit(f"{tmp_path}/*.parquet", memory_limit="34MiB")
    assert proof.edges == found.summary()["edges"]
    frames = [pq.read_table(tmp_path / f"{k}.parquet") for k in range(3)]
    assert found.audit(iter(frames)).components == len(found)
    assert found.audit(pa.concat_tables(frames), oracle="scipy").components == len(found)
    with pytest.raises(InputError, match="needs all edges at once"):
        found.audit(iter(frames), oracle="scipy")
    rows = sum(map(len, frames))
    extra = pa.table({"src": [2**20], "dst": [2**20]})
    with wrong(f"edge {rows:,} joins 1048576"):
        found.audit(iter([*frames, extra]))


def test_a_file_is_a_stream(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\n5,2\n2,7\n9,9\n")
    assert components(path).audit(path).edges == 3
    assert components(path).audit(path, oracle="networkx").edges == 3
    path.write_text("src,dst\n5,2\n2,9\n9,9\n")
    with wrong("edge 1 joins 2 and 9, which have the labels 2"):
        components((([5, 2, 9]), [2, 7, 9])).audit(path)
    assert components(path).audit(path, ["src"], ["dst"]).edges == 3
    with pytest.raises(InputError, match="names 2 columns, but the vertices of the answer have 1"):
        components(path).audit(path, ["src", "dst"], ["dst", "src"])


SIDES = ["kind", "id"], ["other", "other_id"]


def keys(m=400):
    random = np.random.default_rng(0)
    words = np.array(["user", "card", "007", "é"])[random.integers(0, 4, (2, m))]
    ids = random.integers(-40, 40, (2, m))
    columns = words[0], ids[0], words[1], ids[1].astype(np.int32)
    return pa.table(dict(zip([*SIDES[0], *SIDES[1]], columns, strict=True)))


@pytest.fixture
def streams(tmp_path):
    """What gives all kinds of streams of a table, by name."""

    def made(table):
        half = len(table) // 2
        for number, part in enumerate([table[:half], table[half:]]):
            pq.write_table(part, tmp_path / f"{number}.parquet", row_group_size=90)
            pyarrow.csv.write_csv(part, tmp_path / f"{number}.csv")
        return {
            "pattern": str(tmp_path / "*.parquet"),
            "text": [tmp_path / "0.csv", tmp_path / "1.csv"],
            "dataset": pyarrow.dataset.dataset([tmp_path / "0.parquet", tmp_path / "1.parquet"]),
            "reader": table.to_reader(90),
            "items": iter([pl.from_arrow(table[:half]), pl.from_arrow(table[half:])]),
        }

    return made


@pytest.mark.parametrize("kind", ["pattern", "text", "dataset", "reader", "items"])
@pytest.mark.parametrize("labels", ["min", "size"])
def test_streams_of_several_columns_are_audited(streams, kind, labels, engine):
    table = keys()
    options = {"vertices": [("none", 1), ("user", 99)]}
    found = components(streams(table)[kind], *SIDES, labels=labels, engine=engine, **options)
    proof = found.audit(streams(table)[kind], *SIDES, **options)
    assert (proof.edges, proof.components) == (400, len(found))
    with wrong("vertex ('none', 1) has no label"):
        components(table, *SIDES).audit(streams(table)[kind], *SIDES, **options)
    with wrong("vertex ('none', 1) has a label, but no edge names it"):
        found.audit(streams(table)[kind], *SIDES)
    extra = pa.table({"kind": ["user"], "id": [99], "other": ["none"], "other_id": [1]})
    extra = extra.cast(table.schema)
    with wrong("edge 400 joins ('user', 99) and ('none', 1), which have the labels"):
        found.audit(streams(pa.concat_tables([table, extra]))[kind], *SIDES, **options)


def test_what_is_dropped_of_several_columns_is_counted(streams):
    table = keys(40)
    holes = table.set_column(1, "id", pa.array([None, *table["id"].to_pylist()[1:]]))
    for kind in streams(holes):
        found = components(streams(holes)[kind], *SIDES, nulls="drop")
        assert found.audit(streams(holes)[kind], *SIDES, nulls="drop").edges == 39
        with pytest.raises(NullsError, match="'id' has 1 null"):
            found.audit(streams(holes)[kind], *SIDES)


def test_what_cannot_be_audited_of_several_columns_is_said(streams):
    table = keys(40)
    found, given = components(table, *SIDES), streams(table)
    with pytest.raises(InputError, match="names 1 columns, but the vertices of the answer have 2"):
        found.audit(given["pattern"], "kind", "other")
    with pytest.raises(InputError, match="source names 2 columns and destination 1"):
        found.audit(given["pattern"], SIDES[0], ["other"])
    with pytest.raises(MissingColumnError, match="'kinds'"):
        found.audit(given["pattern"], ["kinds", "id"], SIDES[1])
    with pytest.raises(InputError, match="pass ids of the same kind as those of the edges"):
        found.audit(given["pattern"], ["id", "kind"], ["other_id", "other"])
    with pytest.raises(InputError, match="vertices have 3 columns, but the edges have 2 per side"):
        found.audit(given["pattern"], *SIDES, vertices=pd.DataFrame({"a": [1], "b": [1], "c": [1]}))
    for counted in ({"num_vertices": 3}, {"vertices": range(3)}):
        with pytest.raises(InputError, match="one column"):
            found.audit(given["pattern"], *SIDES, **counted)
    one = given["text"][0]
    with wrong("edge 0 joins"):
        components(table[:0], *SIDES).audit(one, *SIDES)
    assert components(one, *SIDES).audit(one, *SIDES, oracle="scipy").edges == 20


@pytest.mark.usefixtures("way")
def test_one_changed_label_is_always_found():
    random, tried = np.random.default_rng(0), 0
    while tried < TRIALS["audits"].times:
        n = int(random.integers(2, 60))
        src, dst = random.integers(0, n, (2, int(random.integers(1, 90))))
        found = components((src, dst), num_vertices=n)
        found.audit((src, dst), num_vertices=n)
        vertex, other = int(random.integers(n)), int(random.integers(n))
        if parents(found)[vertex] != other:
            parents(found)[vertex] = other
            with pytest.raises(VerificationError):
                found.audit((src, dst), num_vertices=n)
            tried += 1


@pytest.mark.parametrize("name", ["social22", "road"])
@pytest.mark.parametrize("spread", [0, 30])
def test_large_lists_of_every_density(name, spread):
    graph = generators.reference(name, scale=15)
    edges = tuple(end.astype(np.int64) << spread for end in graph.edges)
    found = components(edges)
    assert found.audit(edges, oracle="scipy").components == len(found)
    oracle.certify_components(found, edges)
    parent = parents(found)
    parent[-1] = 0 if parent[-1] == parent.size - 1 else parent.size - 1  # merged, or split off
    with pytest.raises(VerificationError):
        oracle.certify_components(found, edges)
    with pytest.raises(VerificationError):
        found.audit(edges)


RACES = {
    "star": lambda: generators.permuted(generators.star(20_000), 1),
    "path": lambda: generators.path(30_000, shuffle=2),
    "clique": lambda: generators.permuted(generators.cliques([200]), 3),
    "one edge": lambda: generators.duplicated(generators.path(2), 30_000, 4),
    "grid": lambda: generators.grid(150, 150, 0.6, 5),
}


@pytest.mark.parametrize("make", RACES.values(), ids=RACES)
def test_threads_that_race_refuse_no_right_answer(make, monkeypatch, tuned):
    """Portions are long enough for the threads to overlap, and too short for them to stay apart."""
    monkeypatch.setattr(backends.get("threads"), "workers", 4)
    graph = make()
    found = components(graph.edges, num_vertices=graph.num_vertices)
    tuned(thread_chunk=256)
    for _ in range(10):
        found.audit(graph.edges, num_vertices=graph.num_vertices)


def test_an_oracle_that_disagrees_is_named(monkeypatch):
    monkeypatch.setitem(peers.PEERS, "scipy", lambda src, dst, n: np.zeros(n, int))
    says = (
        "vertex 13 has the label 13, but scipy finds that the least vertex of its component is 10"
    )
    with wrong(says):
        components(EDGES).audit(EDGES, oracle="scipy")
    with pytest.raises(InputError, match="unknown oracle 'scipi': did you mean 'scipy'"):
        components(EDGES).audit(EDGES, oracle="scipi")


def test_labels_of_others_are_audited():
    labels = components(EDGES).labels()
    assert audit_labels(labels[::-1], EDGES).components == 3
    twice = pd.concat([labels, labels[:1]])
    with wrong("vertex 10 is listed 2 times"):
        audit_labels(twice, EDGES)
    with wrong("vertex 16 has the label 3, which is not a vertex"):
        audit_labels(labels.replace({"labels": {16: 3}}), EDGES)
    words = pa.table({"vertex": ["a", "b"], "labels": ["a", "a"]})
    assert audit_labels(words, (["a"], ["b"])).vertices == 2
    assert audit_labels(pa.table({"vertex": [], "labels": []}), []).vertices == 0


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint16])
def test_rows_of_others_come_in_any_order(engine, dtype):
    """However near the ids of the first and the last row are."""
    random = np.random.default_rng(5)
    src, dst = random.integers(0, 500, (2, 250)).astype(dtype)
    frame = components((src, dst), engine=engine).labels()
    vertex, labels = np.asarray(frame.vertex), np.asarray(frame.labels)
    for _ in range(10):
        order = random.permutation(vertex.size)
        assert audit_labels((vertex[order], labels[order]), (src, dst), engine).edges == 250


def test_answers_of_batches_are_audited(engine):
    seen = cc_rapids.Connectivity(engine=engine).insert(EDGES[4:]).insert(EDGES[:4])
    assert seen.components().audit(EDGES).components == 3
    words = cc_rapids.Connectivity(engine=engine).insert((["z"], ["b"])).insert((["a"], ["z"]))
    assert words.components().audit((["z", "a"], ["b", "z"])).components == 1


def test_bounds_of_weights_are_those_of_the_answer(tmp_path):
    frame = pd.DataFrame({"left": [1, 2, 5], "right": [2, 3, 6], "w": [0.9, 0.5, 0.95]})
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    frame.to_parquet(tmp_path / "pairs.parquet")
    ends, bound = ("left", "right"), {"weight": "w", "at_least": 0.8, "at_most": 1}
    for edges in (frame, tmp_path / "pairs.csv", tmp_path / "pairs.parquet"):
        found = components(edges, *ends, **bound)
        assert (found.audit(edges, *ends, **bound).edges, len(found)) == (2, 2)
        assert found.audit(edges, *ends).edges == 2
        with pytest.raises(VerificationError, match="edge 1 joins 2 and 3, but 3 has no label"):
            found.audit(edges, *ends, weight=None)
        with pytest.raises(VerificationError):
            found.audit(edges, *ends, weight="w", at_least=0.93)
        lacking = frame[["left", "right"]]
        if edges is not frame:
            write = lacking.to_csv if edges.suffix == ".csv" else lacking.to_parquet
            lacking = tmp_path / f"lacking{edges.suffix}"
            write(lacking, index=False)
        with pytest.raises(MissingColumnError, match=r"at_least=0.8 and at_most=1 of column 'w'"):
            found.audit(lacking, *ends)
    assert found.audit(frame, *ends, **bound, oracle="scipy").oracle == "scipy"
    with pytest.raises(InputError, match="pass weight='its column'"):
        found.audit(frame, *ends, at_least=0.8)


def test_named_vertices_across_2_63_are_read_as_integers():
    """NumPy would read such a range as floats, which have no label."""
    named = range(2**63 - 2, 2**63 + 3)
    edges = np.array([2**63 - 2], np.uint64), np.array([2**63 + 1], np.uint64)
    found = cc_rapids.components(edges, vertices=named)
    proof = found.audit(edges, vertices=named)
    assert (proof.vertices, proof.components) == (5, 4)
