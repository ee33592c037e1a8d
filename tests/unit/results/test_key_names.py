"""Names of the columns of ids of several columns."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cc_rapids
from cc_rapids import Components, components, errors
from cc_rapids.data.key_names import key_names_of

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
ROWS = {"src_kind": ["u", "w"], "src_id": [7, 1], "dst_kind": ["c", "w"], "dst_id": [3, 1]}
SIDES = ["src_kind", "src_id"], ["dst_kind", "dst_id"]
OWN = ["kind", "id", "kind_labels", "id_labels"]
NUMBERED = ["0_vertex", "1_vertex", "0_labels", "1_labels"]


def names(frame):
    return list(getattr(frame, "column_names", None) or frame.columns)


@pytest.mark.parametrize(
    ("source", "destination", "found"),
    [
        (["src_kind", "src_id"], ["dst_kind", "dst_id"], ["kind", "id"]),
        (["src.user.kind", "src.user.id"], ["dst.user.kind", "dst.user.id"], None),
        (["kind_l", "id_l"], ["kind_r", "id_r"], ["kind", "id"]),
        (["left_id", "left_kind"], ["right_id", "right_kind"], ["id", "kind"]),
        (["kind", "id"], ["other_kind", "other_id"], ["kind", "id"]),
        (["kind1", "id1"], ["kind2", "id2"], ["kind", "id"]),
        (["from kind", "from id"], ["to kind", "to id"], ["kind", "id"]),
        (["tenant", "src_id"], ["tenant", "dst_id"], ["tenant", "id"]),
        (["kind", "id"], ["other", "other_id"], ["kind", "id"]),
        (["a", "b"], ["c", "d"], ["a", "b"]),
        (["src_kind", "a_id"], ["dst_kind", "b_id"], ["src_kind", "a_id"]),
        (["src_labels", "src_id"], ["dst_labels", "dst_id"], []),
        (["src_size", "src_id"], ["dst_size", "dst_id"], []),
        (["a", "vertex"], ["c", "d"], []),
        (["a", "a"], ["c", "d"], []),
        ([0, 1], [2, 3], []),
        (["", "b"], ["c", "d"], []),
        (["naïve_é", "naïve_ü"], ["über_é", "über_ü"], ["é", "ü"]),
    ],
)
def test_names_are_what_both_ends_have_in_common_or_those_of_the_source(source, destination, found):
    wanted = ["user.kind", "user.id"] if found is None else found
    assert list(key_names_of(source, destination)) == wanted


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_answers_have_their_own_names(engine, make):
    frame = make(ROWS)
    found = components(frame, *SIDES, labels="min", engine=engine, forest=True)
    assert names(found.labels()) == OWN
    assert names(found.labels("dense")) == ["kind", "id", "labels"]
    assert names(found.sizes()) == ["kind_labels", "id_labels", "size"]
    assert names(found.members()) == [*OWN[2:], *OWN[:2]]
    for answer in (found.largest(), found.filter(), found.representatives()):
        assert names(answer) == OWN
    ends = ["kind_source", "id_source", "kind_destination", "id_destination"]
    assert names(found.forest()) == ["row", *ends]
    assert names(found.subset(("w", 1))) == ["kind", "id"]
    assert names(found.component_of([("u", 7)])) == OWN[2:]
    assert found.component_of(("u", 7)) == ("c", 3)
    assert [names(members) for _, members in found] == [["kind", "id"]] * 2
    assert names(found.attach(frame, SIDES[0]))[4:] == OWN[2:]
    assert names(found.attach(frame, SIDES[0], name="group"))[4:] == ["kind_group", "id_group"]
    found.audit(frame, *SIDES)
    cc_rapids.oracle.certify_components(found, frame, *SIDES)
    assert found.plot is not None
    assert "(c, 3)" in found._repr_html_()


def test_names_of_a_frame_of_vertices_come_first():
    more = pd.DataFrame({"type": ["x"], "number": [1]})
    found = components(pd.DataFrame(ROWS), *SIDES, labels="min", vertices=more)
    assert names(found.labels())[:2] == ["type", "number"]
    plain = components(pd.DataFrame(ROWS), *SIDES, labels="min", vertices=[("x", 1)])
    assert names(plain.labels()) == OWN
    odd = components(
        pd.DataFrame(ROWS), *SIDES, labels="min", vertices=more.set_axis(["labels", "size"], axis=1)
    )
    assert names(odd.labels()) == OWN


def test_columns_are_numbered_or_renamed_on_request():
    found = components(pd.DataFrame(ROWS), *SIDES, labels="min")
    numbered = found.with_key_names(None)
    assert names(numbered.labels()) == NUMBERED
    assert names(found.labels()) == OWN
    assert numbered == found
    assert names(found.with_key_names(["a", "b"]).labels()) == ["a", "b", "a_labels", "b_labels"]
    for wrong in (["a"], ["a", "a"], ["a", "labels"], ["a", 7], "ab", 7, ["a", ""]):
        with pytest.raises(errors.InputError, match=r"names"):
            found.with_key_names(wrong)
    single = components(([5], [2]))
    assert single.with_key_names(None).labels().vertex.tolist() == [2, 5]
    with pytest.raises(errors.InputError, match="but ids have 1 column: leave out names="):
        single.with_key_names(["a", "b"])


@pytest.mark.parametrize("own", [True, False])
def test_scores_are_taken_by_either_name(own):
    found = components(pd.DataFrame(ROWS), *SIDES, labels="min")
    ids = ["kind", "id"] if own else NUMBERED[:2]
    scores = pd.DataFrame({ids[0]: ["u", "c"], ids[1]: [7, 3], "score": [2, 1]})
    assert found.representatives(by=scores)["kind"].tolist() == ["u", "w"]


def test_names_stay_in_batches_copies_and_files(tmp_path):
    frame = pd.DataFrame(ROWS)
    seen = cc_rapids.Connectivity().insert(frame, *SIDES)
    assert names(seen.components("min").labels()) == OWN
    seen.save(tmp_path / "seen")
    assert names(cc_rapids.Connectivity.load(tmp_path / "seen").components("min").labels()) == OWN
    found = components(frame, *SIDES, labels="min")
    assert names(pickle.loads(pickle.dumps(found)).labels()) == OWN
    found.save(tmp_path / "found")
    assert names(Components.load(tmp_path / "found").labels()) == OWN
    found.with_key_names(None).save(tmp_path / "found")
    assert names(Components.load(tmp_path / "found").labels()) == NUMBERED
    frame.to_parquet(tmp_path / "edges.parquet")
    assert names(components(tmp_path / "edges.parquet", *SIDES, labels="min").labels()) == OWN
    weighed = frame.assign(weight=1)
    cuts = cc_rapids.components_at(weighed, *SIDES, labels="min", thresholds=[1, 0])
    assert names(cuts.labels(1)) == OWN


def test_changes_have_the_names_too():
    seen = cc_rapids.Connectivity().insert(pd.DataFrame(ROWS), *SIDES)
    row = pd.DataFrame({"src_kind": ["u"], "src_id": [7], "dst_kind": ["w"], "dst_id": [1]})
    ends = [f"{name}_{when}" for when in ("before", "after") for name in ("kind", "id")]
    assert names(seen.insert(row, *SIDES, return_changes=True)) == ["kind", "id", *ends]
    more = row.assign(src_id=np.int64(-1))
    changed = seen.insert(more, *SIDES, return_changes=True)
    assert names(changed) == ["kind", "id", *ends]
    assert changed["id_before"].isna().tolist() == [True]


def test_batches_of_two_threads_are_merged_by_any_names():
    seen = cc_rapids.Connectivity()

    def batches():
        yield pd.DataFrame(ROWS)
        seen.insert(pd.DataFrame(ROWS), *SIDES)
        yield pd.DataFrame(ROWS)

    assert seen.insert(batches(), *SIDES).num_components == 2


def test_components_of_keys_are_numbered_unless_labels_are_named(engine):
    frame = pd.DataFrame(ROWS)
    found = components(frame, *SIDES, engine=engine)
    assert found.labels().to_dict("list") == {
        "kind": ["c", "u", "w"],
        "id": [3, 7, 1],
        "labels": [0, 0, 1],
    }
    assert found.attach(frame, SIDES[0], name="group")["group"].tolist() == [0, 1]
    assert names(components(frame, *SIDES, labels="max", engine=engine).labels()) == OWN
    assert components(frame, ["src_id"], ["dst_id"]).labels()["labels"].tolist() == [1, 3, 3]
