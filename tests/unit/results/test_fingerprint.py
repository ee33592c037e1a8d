"""Labels that are hashes of the sets of vertices: equal for equal sets, and for no others."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.as_lists import columns

import cc_rapids
from cc_rapids import components

# {2, 5, 7}, {1, 9} and {4}
SRC, DST = np.array([5, 2, 9, 4]), np.array([2, 7, 1, 4])
PARTS = [1, 9], [2, 5, 7], [4]
DTYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FRAMES = {
    "arrays": lambda src, dst: (src, dst),
    "pandas": lambda src, dst: pd.DataFrame({"src": src, "dst": dst}),
    "Polars": lambda src, dst: pl.DataFrame({"src": src, "dst": dst}),
    "PyArrow": lambda src, dst: pa.table({"src": src, "dst": dst}),
}


def labels_of(edges, engine=None, **options):
    """The label of each vertex."""
    found = components(edges, labels="fingerprint", engine=engine, **options).labels()
    vertex, label = columns(found)
    return dict(zip(vertex, label, strict=True))


NUMBERS = labels_of((SRC, DST), "threads")


def words(ids):
    return np.array([f"vertex {id_}" for id_ in ids.tolist()], object)


def test_labels_are_alike_in_a_component_and_differ_between_them(engine):
    label = labels_of((SRC, DST), engine)
    assert [len({label[v] for v in part}) for part in PARTS] == [1, 1, 1]
    assert len(set(label.values())) == 3
    assert components((SRC, DST), labels="fingerprint").labels().labels.dtype == np.uint64


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_equal_integers_give_equal_labels_of_any_width_in_any_frame(engine, make, dtype):
    assert labels_of(make(SRC.astype(dtype), DST.astype(dtype)), engine) == NUMBERS


def test_the_order_of_rows_and_other_components_change_nothing(engine):
    order = [3, 1, 0, 2]
    assert labels_of((DST[order], SRC[order]), engine) == NUMBERS
    assert labels_of((SRC[:2], DST[:2]), engine).items() <= NUMBERS.items()
    many = labels_of((SRC, DST), engine, num_vertices=300)
    assert NUMBERS.items() <= many.items()
    assert len(set(many.values())) == 3 + 300 - 6
    far = labels_of((np.append(SRC, 2**40), np.append(DST, 2**62)), engine)
    assert NUMBERS.items() <= far.items()


def test_what_a_stream_finds_has_the_same_labels(engine):
    parts = [(SRC[:2], DST[:2]), (SRC[2:], DST[2:])]
    assert labels_of(iter(parts), engine) == NUMBERS
    seen = cc_rapids.Connectivity(engine=engine)
    seen.insert(parts[1])
    seen.insert(parts[0])
    vertex, label = columns(seen.components("fingerprint").labels())
    assert dict(zip(vertex, label, strict=True)) == NUMBERS


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_strings_have_labels_of_their_bytes(engine, make):
    expected = labels_of((words(SRC), words(DST)), "threads")
    assert len(set(expected.values())) == 3
    assert set(expected.values()).isdisjoint(NUMBERS.values())
    assert labels_of(make(words(SRC), words(DST)), engine) == expected
    categories = pd.DataFrame({"src": words(SRC), "dst": words(DST)}, dtype="category")
    assert labels_of(categories, engine) == expected
    fewer = labels_of(make(words(SRC[:2]), words(DST[:2])), engine)
    assert fewer.items() <= expected.items()


def test_ids_of_several_columns_have_labels_of_all_in_their_order(engine):
    def label(one, other, kind):
        ends = {"a": one(SRC), "b": other(SRC), "c": one(DST), "d": other(DST)}
        found = components(
            kind(ends), ["a", "b"], ["c", "d"], labels="fingerprint", engine=engine
        ).labels()
        return columns(found)[-1]

    def same(ids):
        return ids

    def narrow(ids):
        return ids.astype(np.int16)

    expected = label(same, words, pd.DataFrame)
    assert len(set(expected)) == 3
    assert label(narrow, words, pl.DataFrame) == expected
    assert set(label(words, same, pd.DataFrame)).isdisjoint(expected)
    twins = label(same, same, pa.table)
    assert len({*twins, *NUMBERS.values()}) == 6


def test_ids_with_the_same_bits_are_others(engine):
    low = labels_of((np.array([-1]), np.array([-1])), engine)[-1]
    high = labels_of((np.array([2**64 - 1], np.uint64),) * 2, engine)[2**64 - 1]
    assert low != high
    assert labels_of((np.array([-1], np.int8),) * 2, engine)[-1] == low


def test_a_component_is_found_by_its_label(engine):
    found = components((SRC, DST), labels="fingerprint", engine=engine)
    for part in PARTS:
        assert found.subset(NUMBERS[part[0]]).tolist() == part
        assert found.component_of(part[-1]) == NUMBERS[part[0]]
    sizes = found.sizes()
    assert sizes.labels.tolist() == [NUMBERS[part[0]] for part in (PARTS[1], PARTS[0], PARTS[2])]
    assert found.largest().labels.tolist() == [NUMBERS[2]] * 3
    assert found.members().labels.tolist() == [NUMBERS[v] for part in PARTS for v in part]
    for label in (3, -1, 2**64, "5", 0.5):
        with pytest.raises(cc_rapids.InputError, match="is not a label of these 3 components"):
            found.subset(label)


def test_vertices_of_no_edge_have_labels_of_components_of_their_own(engine):
    found = components((SRC, DST), labels="fingerprint", engine=engine)
    people = pd.DataFrame({"vertex": [7, 4, 300, 300, -1]})
    label = found.attach(people, missing="self")["labels"].tolist()
    alone = labels_of(([300, -1], [300, -1]), engine)
    assert label == [NUMBERS[7], NUMBERS[4], alone[300], alone[300], alone[-1]]
    nobody = components(([], []), labels="fingerprint", engine=engine)
    assert nobody.attach(people[2:], missing="self")["labels"].tolist() == label[2:]
    assert len(nobody.labels().labels) == 0


def test_merges_go_by_what_the_labels_are(engine):
    cuts = cc_rapids.components_at(
        (SRC, DST), weight=np.array([2, 1, 2, 2]), thresholds=[2, 1], labels="fingerprint"
    )
    merged = cuts.merges()
    before = labels_of((np.array([5, 7]), np.array([2, 7])), engine)
    assert sorted(merged.before.tolist()) == sorted([before[2], before[7]])
    assert set(merged.after.tolist()) == {NUMBERS[2]}


def test_an_audit_proves_that_they_differ_where_components_do(engine):
    found = components((SRC, DST), labels="fingerprint", engine=engine)
    assert found.audit((SRC, DST), oracle="scipy").components == 3
    with pytest.raises(cc_rapids.VerificationError, match="edge 4 joins 4 and 9, which have the"):
        found.audit((np.append(SRC, 4), np.append(DST, 9)))
    found.answer.kind = Merging()
    with pytest.raises(cc_rapids.VerificationError, match="1 different labels, but 3 components"):
        found.audit((SRC, DST))


class Merging(type(cc_rapids.results.labels.LABEL_KINDS["fingerprint"])):
    """Labels that are all alike."""

    def labels_of_rows(self, answer):
        return np.zeros(6, np.uint64)


IDS = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 20)
EDGES = st.lists(st.tuples(IDS, IDS), max_size=20)


@settings(max_examples=60, deadline=None)
@given(EDGES, EDGES)
def test_answers_share_the_labels_of_the_sets_that_they_share(one, other):
    def sets(edges):
        src, dst = (np.array([edge[k] for edge in edges], np.int64) for k in (0, 1))
        found = components((src, dst), labels="fingerprint", engine="threads").members()
        label, vertex = found.labels.tolist(), found.vertex.tolist()
        of = {
            k: frozenset(v for v, own in zip(vertex, label, strict=True) if own == k) for k in label
        }
        return of

    mine, others = sets(one), sets(other)
    assert {mine[k] for k in mine.keys() & others} == {*mine.values()} & {*others.values()}


def test_many_sets_have_as_many_labels():
    ids = np.arange(200_000)
    alone = components((ids, ids), labels="fingerprint", engine="threads").sizes().labels
    pairs = components((ids[::2], ids[1::2]), labels="fingerprint", engine="threads").sizes().labels
    assert np.unique(np.concatenate([alone, pairs])).size == alone.size + pairs.size
    ones = np.unpackbits(np.concatenate([alone, pairs]).view(np.uint8).reshape(-1, 8), axis=1)
    assert np.abs(ones.mean(axis=0) - 0.5).max() < 0.01
