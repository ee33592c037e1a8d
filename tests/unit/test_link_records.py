"""Records that share a key: entities, against the comparison of every pair."""

import datetime as dt
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import DAY, VALUES, entities, quick, records

import cc_rapids
from cc_rapids import errors, link_records

TYPES = {
    "text": pa.string(),
    "number": pa.int64(),
    "flag": pa.bool_(),
    "day": pa.date32(),
    "instant": pa.timestamp("us"),
}


def table(columns):
    """A PyArrow table of drawn columns."""
    kinds = {name: TYPES[name.rstrip("0123456789")] for name in columns}
    return pa.table({name: pa.array(values, kinds[name]) for name, values in columns.items()})


def pandas_objects(columns):
    return pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in columns.items()})


def pandas_arrow(columns):
    return table(columns).to_pandas(types_mapper=pd.ArrowDtype)


def pandas_plain(columns):
    return table(columns).to_pandas(integer_object_nulls=True)


FRAMES = {
    "pyarrow": table,
    "polars": lambda columns: pl.from_arrow(table(columns)),
    "pandas of PyArrow": pandas_arrow,
    "pandas of objects": pandas_objects,
    "pandas": pandas_plain,
    "lists": dict,
}


def labels_in(frame):
    column = frame["labels"]
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


@pytest.mark.slow
@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@quick
@given(drawn=records())
def test_records_that_agree_in_a_key_are_one_entity(make, drawn):
    columns, keys = drawn
    size = len(next(iter(columns.values())))
    found = link_records(make(columns), keys)
    expected, facts = entities(columns, keys, range(size))
    assert labels_in(found.attach(make(columns))) == expected
    assert len(found) == len(set(expected))
    assert found.summary()["keys"] == facts
    assert found.summary()["vertices"] == size
    assert found.summary()["edges"] == sum(key["links"] for key in facts.values())


@pytest.mark.filterwarnings("ignore:ignore= contains:cc_rapids.CcRapidsWarning")
@quick
@given(
    drawn=records(),
    ids=st.lists(st.integers(-3, 12), min_size=14, max_size=14),
    limit=st.none() | st.integers(1, 4),
    ignore=st.lists(st.one_of(*VALUES.values()), max_size=4),
    spread=st.sampled_from([1, 10**6, 10**15]),
)
def test_ids_that_repeat_limits_and_ignored_values(drawn, ids, limit, ignore, spread):
    columns, keys = drawn
    size = len(next(iter(columns.values())))
    ids = [i * spread for i in ids[:size]]
    frame = table(columns).append_column("id", pa.array(ids, pa.int64()))
    found = link_records(frame, keys, id="id", max_group=limit, ignore=ignore)
    expected, facts = entities(columns, keys, ids, limit, ignore)
    assert labels_in(found.attach(frame)) == expected
    assert found.labels()["vertex"].to_pylist() == sorted(set(ids))
    assert found.summary()["keys"] == facts


@quick
@given(drawn=records(), kind=st.sampled_from(["strings", "columns"]))
def test_ids_of_other_kinds(drawn, kind):
    columns, keys = drawn
    size = len(next(iter(columns.values())))
    rows = range(size)
    frame = table(columns)
    if kind == "strings":
        frame = frame.append_column("id", pa.array([f"r{row:03}" for row in rows], pa.string()))
        found = link_records(frame, keys, id="id")
        held = [int(word[1:]) for word in labels_in(found.attach(frame))]
    else:
        frame = frame.append_column("site", pa.array([row // 5 for row in rows], pa.int32()))
        frame = frame.append_column("no", pa.array([str(row % 5) for row in rows], pa.string()))
        found = link_records(frame, keys, id=["site", "no"], labels="min")
        attached = found.attach(frame).to_pydict()
        pairs = zip(attached["site_labels"], attached["no_labels"], strict=True)
        held = [5 * site + int(number) for site, number in pairs]
    assert held == entities(columns, keys, rows)[0]


PEOPLE = {
    "record_id": [11, 12, 13, 14],
    "email": ["ann@x.org", "", "ann@x.org", ""],
    "name": ["Ann Lee", "A. Lee", "A. Lee", "Bo"],
    "birthday": [DAY, DAY, DAY, None],
}
KEYS = ["email", ["name", "birthday"]]


def test_records_run_where_they_are_told(engine):
    found = link_records(PEOPLE, KEYS, id="record_id", engine=engine, max_group=3)
    assert found.summary()["engine"] == engine
    assert found.labels()["labels"].tolist() == [11, 11, 11, 14]
    assert found.attach(PEOPLE)["labels"].tolist() == [11, 11, 11, 14]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_answers_are_frames_of_the_library_of_the_records(make):
    found = link_records(make(PEOPLE), KEYS)
    assert type(found.labels()) is type(make(PEOPLE)) is type(found.attach(make(PEOPLE)))
    assert isinstance(found, cc_rapids.Components)
    assert np.array(found.subset(0)).tolist() == [0, 1, 2]


def test_a_dictionary_of_columns_is_a_frame():
    arrays = {name: np.array(column) for name, column in PEOPLE.items()}
    found = link_records(arrays, KEYS, id="record_id")
    assert found.labels()["vertex"].tolist() == [11, 12, 13, 14]
    attached = found.attach(arrays, name="person")
    assert list(attached) == [*PEOPLE, "person"]
    assert list(found.sizes()) == ["labels", "size"]
    several = link_records(arrays, KEYS, id=["record_id", "name"])
    assert several.component_of((14, "Bo")) == 1
    assert "person" not in arrays
    assert attached["person"].tolist() == [11, 11, 11, 14]
    words = link_records({"id": np.array(["b", "a"], object), "k": [1, 1]}, ["k"], id="id")
    assert words.labels()["labels"].tolist() == ["a", "a"]


def test_record_batches_are_frames():
    batch = pa.RecordBatch.from_pydict(PEOPLE)
    for named in (None, "record_id"):
        found = link_records(batch, KEYS, id=named)
        assert len(set(found.attach(batch)["labels"].to_pylist())) == 2


def test_the_frame_is_not_changed_and_keeps_its_index():
    frame = pd.DataFrame(PEOPLE, index=[7, 7, 3, 1])
    before = frame.copy()
    attached = link_records(frame, KEYS).attach(frame, name="person")
    pd.testing.assert_frame_equal(frame, before)
    assert attached.index.tolist() == [7, 7, 3, 1]
    assert attached["person"].tolist() == [0, 0, 0, 3]


def test_labels_of_other_kinds_are_attached_by_position():
    frame = pd.DataFrame({"k": [5, 7, 7, 7, 5]})
    found = link_records(frame, ["k"], labels="size")
    assert found.attach(frame)["labels"].tolist() == [1, 0, 0, 0, 1]
    assert found.labels("max")["labels"].tolist() == [4, 3, 3, 3, 4]


def test_labels_are_attached_by_another_column_on_request():
    frame = pd.DataFrame({"k": [5, 7, 7]})
    found = link_records(frame, ["k"])
    other = pd.DataFrame({"row": [2, 0]})
    assert found.attach(other, on="row")["labels"].tolist() == [1, 0]
    named = link_records(frame.assign(id=[9, 8, 7]), ["k"], id="id")
    pairs = pd.DataFrame({"id": [7, 5], "other": [9, 8]})
    assert named.attach(pairs, missing="self")["labels"].tolist() == [7, 5]
    assert named.attach(pairs, on="other")["labels"].tolist() == [9, 7]


def test_a_group_costs_one_link_less_than_its_records():
    frame = pd.DataFrame({"k": np.zeros(100_000, np.int64)})
    found = link_records(frame, ["k"])
    assert found.summary()["edges"] == 99_999
    assert len(found) == 1


def test_a_group_at_the_limit_is_linked_and_a_larger_one_is_not():
    frame = pd.DataFrame({"k": [1, 1, 2, 2, 2], "other": [5, None, None, None, 5]})
    frame["other"] = frame["other"].astype("Int64")
    found = link_records(frame, ["k", "other"], max_group=2)
    assert found.attach(frame)["labels"].tolist() == [0, 0, 2, 3, 0]
    assert found.summary()["keys"]["k"] == {
        "links": 1,
        "without_value": 0,
        "ignored": 0,
        "left_out_groups": 1,
        "left_out_rows": 3,
    }


def test_rows_of_one_record_count_once_for_the_limit():
    """As of a record that is listed once for each of its emails."""
    frame = pd.DataFrame({"id": [1, 1, 1, 2], "name": ["a", "a", "a", "a"]})
    assert len(link_records(frame, ["name"], id="id", max_group=2)) == 1
    left_out = link_records(frame, ["name"], id="id", max_group=1)
    assert len(left_out) == 2
    assert left_out.summary()["keys"]["name"]["left_out_rows"] == 4


@pytest.mark.parametrize("ignore", [[], None, (), set()])
def test_empty_strings_link_if_nothing_is_ignored(ignore):
    frame = pd.DataFrame({"k": ["", "", "a"]})
    assert len(link_records(frame, ["k"])) == 3
    assert len(link_records(frame, ["k"], ignore=ignore)) == 2


@pytest.mark.filterwarnings("ignore:ignore= (contains|leaves out no):cc_rapids.CcRapidsWarning")
def test_ignored_values_are_of_the_kind_of_their_column():
    frame = pd.DataFrame(
        {
            "text": ["0", "0", "a", "b"],
            "number": [0, 1, 0, 3],
            "flag": [False, True, True, False],
            "day": pd.to_datetime(["1900-01-01", "1900-01-01", "1990-05-01", "1990-05-01"]),
        }
    )

    def linked(key, *ignore):
        return link_records(frame, [key], ignore=ignore).summary()["edges"]

    assert (linked("text", 0), linked("text", "0")) == (1, 0)
    assert (linked("number", "0", False), linked("number", 0)) == (1, 0)
    assert (linked("number", 2**70), linked("number", np.int8(0))) == (1, 0)
    assert (linked("flag", 0, 1), linked("flag", False), linked("flag", True, False)) == (2, 1, 0)
    for day in (dt.date(1900, 1, 1), dt.datetime(1900, 1, 1), pd.Timestamp("1900-01-01")):
        assert linked("day", day) == 1
    assert linked("day", np.datetime64("1900-01-01"), dt.date(1990, 5, 1)) == 0
    assert linked("day", "1900-01-01") == 2


def test_ignored_values_that_fit_no_column_are_warned_of():
    frame = pd.DataFrame({"device": [0, 0, 7], "day": [DAY, DAY, None], "phone": ["0", "", "5"]})
    says = "ignore= contains '0', which no value of 'device', 'day' can equal"
    with pytest.warns(cc_rapids.CcRapidsWarning, match=says) as shown:
        found = link_records(frame, ["device", "day"], ignore=["0", "", DAY])
    assert shown[0].filename == __file__
    assert [key["ignored"] for key in found.summary()["keys"].values()] == [0, 2]
    link_records(frame, ["device", "phone"], ignore=["0", 0])  # each fits a column
    link_records(frame, ["device"], ignore=["0", 0])  # the same text is meant for another column


def test_ignored_values_that_no_record_has_are_warned_of():
    frame = pd.DataFrame({"phone": ["unknown", "Unknown", "5"]})
    says = "ignore= leaves out no record: no record has 'unknown ', ' unknown'; values are compared"
    with pytest.warns(cc_rapids.CcRapidsWarning, match=says):
        link_records(frame, ["phone"], ignore=["unknown ", " unknown"])
    link_records(frame, ["phone"], ignore=["unknown ", "unknown"])  # one is there
    link_records(frame, ["phone"])


def test_ignored_dates_of_arrays():
    days = np.array(["1900-01-01", "1900-01-01", "NaT", "NaT"], "M8[D]")
    assert link_records({"day": days}, ["day"]).summary()["edges"] == 1
    assert len(link_records({"day": days}, ["day"], ignore=[dt.date(1900, 1, 1)])) == 4
    spans = {"span": np.array([5, 5, 7], "m8[s]")}
    with pytest.warns(
        cc_rapids.CcRapidsWarning, match="ignore= leaves out no record: no record has a da"
    ):
        assert len(link_records(spans, ["span"], ignore=[dt.date(1900, 1, 1)])) == 2
    masked = np.ma.array([True, True, False, False], mask=[0, 0, 1, 1])
    assert len(link_records({"flag": masked}, ["flag"])) == 3


def test_times_durations_and_zones_are_compared():
    frame = pl.DataFrame(
        {
            "time": [dt.time(1, 2), dt.time(1, 2), dt.time(3), None],
            "span": [dt.timedelta(1), None, dt.timedelta(1), None],
        }
    ).with_columns(zone=pl.Series([dt.datetime(2020, 1, 1)] * 4).dt.replace_time_zone("UTC"))
    assert len(link_records(frame, ["time"])) == 3
    assert len(link_records(frame, ["time", "span"])) == 2
    assert len(link_records(frame, ["zone"])) == 1


def test_categories_are_compared_as_their_values():
    words = pd.Series(["a", "b", "a", None], dtype="category")
    numbers = pd.Series([3, 4, 4, 5], dtype="category")
    frame = pd.DataFrame({"w": words, "n": numbers})
    assert link_records(frame, ["w"]).attach(frame)["labels"].tolist() == [0, 1, 0, 3]
    assert link_records(frame, ["w", "n"]).attach(frame)["labels"].tolist() == [0, 0, 0, 3]
    assert len(link_records(pl.from_pandas(frame), ["w", "n"])) == 2


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_the_ends_of_each_type_of_integers(dtype):
    ends = np.iinfo(dtype).min, np.iinfo(dtype).max
    frame = pd.DataFrame({"k": np.array([*ends, 3, *ends], dtype)})
    assert link_records(frame, ["k"]).attach(frame)["labels"].tolist() == [0, 1, 2, 0, 1]
    found = link_records(frame, ["k"], id="k")
    assert found.labels()["vertex"].tolist() == sorted({*map(int, ends), 3})
    assert found.labels()["vertex"].dtype == dtype


def test_integers_with_missing_values_stay_exact():
    big = 2**53
    frame = pd.DataFrame({"k": pd.array([big, big + 1, None, None, big + 1], "Int64")})
    assert link_records(frame, ["k"]).attach(frame)["labels"].tolist() == [0, 1, 2, 3, 1]


def test_key_columns_without_any_value_link_nothing():
    frame = pd.DataFrame({"none": [None, None], "nan": [np.nan, np.nan], "k": [1, 1]})
    assert len(link_records(frame, ["none", "nan", ["none", "k"]])) == 2
    assert len(link_records(pa.table({"k": pa.nulls(3)}), ["k"])) == 3


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
@pytest.mark.parametrize("named", [None, "id", ["id", "k"]])
def test_no_records_are_no_entities(make, named):
    frame = make({"id": [], "k": []})
    found = link_records(frame, ["k"], id=named, max_group=1)
    assert len(found) == 0
    assert found.summary()["keys"]["k"]["links"] == 0
    assert len(found.labels()["labels"]) == 0
    assert found.attach(frame) is not frame


def test_answers_are_pickled_compared_and_shown():
    found = link_records(pd.DataFrame(PEOPLE), KEYS)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.summary()["keys"] == found.summary()["keys"]
    assert again.attach(pd.DataFrame(PEOPLE))["labels"].tolist() == [0, 0, 0, 3]
    shown = "<LinkedRecords: 2 entities of 4 records, the largest of 3; 2 links by 2 keys, on "
    assert repr(found).startswith(shown)
    assert found == cc_rapids.components(([0, 1], [2, 2]), vertices=range(4))


def test_a_frame_of_another_length_is_refused():
    found = link_records(pd.DataFrame(PEOPLE), KEYS)
    with pytest.raises(errors.InputError, match="frame has 3 rows, but 4 records were linked"):
        found.attach(pd.DataFrame(PEOPLE)[:3])
    with pytest.raises(errors.InputError, match="has a column 'email' already: pass name="):
        found.attach(pd.DataFrame(PEOPLE), name="email")
    with pytest.raises(errors.InputError, match="frame cannot be a list"):
        found.attach([1, 2, 3, 4])


def test_a_lazy_frame_is_collected():
    frame = pl.LazyFrame(PEOPLE)
    found = link_records(frame, KEYS)
    assert found.equals(link_records(frame.collect(), KEYS))
    assert found.attach(frame).equals(found.attach(frame.collect()))
    assert found.deduplicate(frame).equals(found.deduplicate(frame.collect()))


@pytest.mark.parametrize("made", [{"id": "record_id"}, {}], ids=["by id", "by position"])
def test_records_are_deduplicated_by_what_they_were_linked_by(made, engine):
    frame = pd.DataFrame(PEOPLE).assign(seen=[1, 2, 3, 4])[::-1]
    found = link_records(frame, KEYS, **made, engine=engine)
    labelled = found.attach(frame)
    best = found.deduplicate(frame, by="seen")
    expected = frame.loc[labelled.groupby("labels")["seen"].idxmax()].sort_index(ascending=False)
    pd.testing.assert_frame_equal(best, expected)
    assert 1 < len(best) < len(frame)
    other = frame.rename(columns={"record_id": "other"})
    pd.testing.assert_frame_equal(
        found.deduplicate(other, on="other" if made else None, by="seen"),
        best.rename(columns={"record_id": "other"}),
    )
    if made:
        with pytest.raises(errors.MissingColumnError, match="no column 'record_id'"):
            found.deduplicate(other)
    else:
        with pytest.raises(errors.InputError, match="frame has 1 row, but 4 records were linked"):
            found.deduplicate(frame[:1])


@pytest.mark.parametrize(
    ("phones", "said"),
    [
        (["1", "1"], "1 entity of 2 records; 1 link by 1 key"),
        (["1"], "of 1 record; 0 links"),
    ],
)
def test_one_is_told_in_the_singular(phones, said):
    assert re.search(said, repr(link_records(pd.DataFrame({"phone": phones}), ["phone"])))


ODD = pd.DataFrame(PEOPLE).assign(
    score=[0.5, 1.0, np.nan, 0.5],
    parts=[[1], [2], [1], [2]],
    mixed=[1, "a", 1, "a"],
    gaps=pd.array([1, None, 2, None], "Int64"),
)
REFUSED = {
    "no keys": ({"keys": []}, errors.InputError, "keys= is empty"),
    "a word": ({"keys": "email"}, errors.ArgumentTypeError, "must be a list of columns"),
    "no columns": ({"keys": [[]]}, errors.InputError, "an empty list"),
    "None": ({"keys": [None]}, errors.ArgumentTypeError, "None, which names no column"),
    "unknown": ({"keys": ["mail"]}, errors.MissingColumnError, "'mail': did you mean 'email'"),
    "unknown part": ({"keys": [["name", "x"]]}, errors.MissingColumnError, "unknown column 'x'"),
    "unknown id": ({"id": "record"}, errors.MissingColumnError, "did you mean 'record_id'.*by id="),
    "twice": ({"keys": ["email", "email"]}, errors.InputError, "key 'email' is named twice"),
    "twice as a list": ({"keys": ["email", ["email"]]}, errors.InputError, "is named twice"),
    "twice in another order": (
        {"keys": [["name", "birthday"], ["birthday", "name"]]},
        errors.InputError,
        "the key 'birthday', 'name' is named twice",
    ),
    "twice in a key": ({"keys": [["name", "name"]]}, errors.InputError, "twice in a key"),
    "floats": ({"keys": ["score"]}, errors.ColumnTypeError, r"'score' is float64 .*\('Int64'\)"),
    "float ids": (
        {"id": "score"},
        errors.ColumnTypeError,
        "'score' is float64 .*1 of them missing",
    ),
    "lists": (
        {"keys": ["parts"]},
        errors.ColumnTypeError,
        r"'parts' is object .*explode\('parts'\).* id=",
    ),
    "several kinds": ({"keys": ["mixed"]}, errors.ColumnTypeError, "'mixed' is object"),
    "null ids": ({"id": "gaps"}, errors.NullsError, "'gaps' has 2 nulls in 4 rows"),
    "null parts of ids": ({"id": ["name", "gaps"]}, errors.NullsError, "'gaps' has 2 nulls"),
    "no id": ({"id": []}, errors.InputError, "id= names no column"),
    "an id twice": ({"id": ["name", "name"]}, errors.InputError, "'name' is named twice in id="),
    "a limit of 0": (
        {"max_group": 0},
        errors.InputError,
        "at least 1, the maximum number of records of a group, not 0; leave it out to link groups",
    ),
    "a flag": ({"max_group": True}, errors.InputError, "max_group= must be"),
    "one value": ({"ignore": ""}, errors.ArgumentTypeError, "ignore= must be a list"),
    "a float": ({"ignore": [0.5]}, errors.ArgumentTypeError, "ignore= contains 0.5"),
    "NaT": ({"ignore": [pd.NaT]}, errors.ArgumentTypeError, "nulls are always ignored"),
    "NaT of NumPy": (
        {"ignore": [np.datetime64("NaT", "s")]},
        errors.ArgumentTypeError,
        "nulls are always ignored",
    ),
    "labels": ({"labels": "mim"}, errors.InputError, "did you mean 'min'"),
    "an engine": ({"engine": "gpus"}, errors.EngineError, "unknown engine 'gpus'"),
}


@pytest.mark.parametrize(("wrong", "error", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_named(wrong, error, says):
    with pytest.raises(error, match=says):
        link_records(ODD, **{"keys": KEYS} | wrong)


@pytest.mark.filterwarnings("ignore:ignore= leaves out no:cc_rapids.CcRapidsWarning")
def test_dates_that_a_column_cannot_hold_are_in_no_row():
    days = pa.array([DAY, DAY])
    for column in (days, days.cast(pa.timestamp("ns")), np.array(days).astype("M8[D]")):
        for value in (dt.datetime(1990, 5, 1, 12), dt.date(1, 1, 1)):
            found = link_records({"day": column}, ["day"], ignore=[value])
            assert found.summary()["edges"] == 1
    times = pa.table({"time": [dt.time(12), dt.time(12)]})
    assert len(link_records(times, ["time"], ignore=[dt.datetime(1990, 5, 1, 12)])) == 1


LISTS = [["a", "b"], ["b"], ["c"]]


@pytest.mark.parametrize(
    "make",
    [
        pl.DataFrame,
        pd.DataFrame,
        pa.table,
        dict,
        lambda data: pd.DataFrame(data).map(tuple),
        lambda data: pd.DataFrame(
            {"v": pd.Series(data["v"], dtype=pd.ArrowDtype(pa.list_(pa.string())))}
        ),
    ],
)
def test_lists_are_refused_with_the_way_to_link_by_their_items(make):
    with pytest.raises(errors.ColumnTypeError, match=r"lists: .*frame\.explode\('v'\).* id="):
        link_records(make({"v": LISTS}), ["v"])
    rows = pd.DataFrame({"v": LISTS, "id": [1, 2, 3]}).explode("v")
    assert link_records(rows, ["v"], id="id").labels()["labels"].tolist() == [1, 1, 3]


def test_columns_of_several_lengths_or_names_are_refused():
    with pytest.raises(errors.InputError, match="'b' has 2 values, but the first column has 3"):
        link_records({"a": [1, 2, 3], "b": [1, 2]}, ["b"])
    with pytest.raises(errors.InputError, match="'b' has 2 values"):
        link_records({"a": [1, 2, 3], "b": [1, 2]}, ["a"], id="b")
    twice = pd.DataFrame([[1, 2], [1, 2]], columns=["a", "a"])
    with pytest.raises(errors.InputError, match="2 columns are called 'a'"):
        link_records(twice, ["a"])
    other = pd.DataFrame([[1, 2, 5], [1, 2, 5]], columns=["a", "a", "b"])
    assert len(link_records(other, ["b"])) == 1


def test_more_records_than_rows_have_numbers_are_refused(monkeypatch):
    monkeypatch.setattr("cc_rapids.data.records.MAX_RECORDS", 4)
    with pytest.raises(errors.InputError, match="4 records are too many: at most 3"):
        link_records(PEOPLE, KEYS)


@pytest.mark.parametrize("ids", [None, "id", ["id", "kind"]])
def test_saved_entities_come_back_as_they_were(ids, tmp_path):
    ignore = [
        "",
        7,
        True,
        DAY,
        dt.datetime(1990, 5, 1, 12),
        np.datetime64("1990-05-01T12:00", "ns"),
    ]
    people = pd.DataFrame(
        {
            "email": ["a", "b", "a"],
            "name": ["x", "y", "y"],
            "id": [7, 8, 9],
            "kind": ["u", "u", "v"],
        }
    )
    options = {"id": ids, "ignore": ignore, "max_group": 2}
    with pytest.warns(cc_rapids.CcRapidsWarning, match="no value of 'email', 'name', 'kind'"):
        found = cc_rapids.link_records(people, ["email", ["name", "kind"]], **options)
    found.save(tmp_path / "found")
    again = cc_rapids.Components.load(tmp_path / "found")
    assert isinstance(again, cc_rapids.LinkedRecords)
    assert (again == found, again.summary(), repr(again)) == (True, found.summary(), repr(found))
    linked = again.answer.linked
    assert (linked.ignore, linked.max_group) == (ignore, 2)
    assert list(map(type, linked.ignore)) == list(map(type, ignore))
    assert again.attach(people).equals(found.attach(people))
    assert again.deduplicate(people).equals(found.deduplicate(people))
