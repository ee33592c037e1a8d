"""The rows that are kept, against pandas' own way: labels, a stable sort, and drop_duplicates."""

import re
from datetime import datetime

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.as_lists import columns
from support.edge_lists import quick

import cc_rapids
from cc_rapids import InputError, components, errors, link_records
from cc_rapids.ids import hash_table, strings

PAIRS = pd.DataFrame({"src": [11, 12, 11], "dst": [13, 16, 14]})
DOCS = pd.DataFrame(
    {
        "doc_id": [16, 12, 13, 17, 14, 11, 17],
        "length": [5, 9, 4, 1, 9, 9, 2],
        "corpus": ["web", "books", None, "web", None, "web", "web"],
    },
    index=list("abcdefg"),
)
FRAMES = {
    "pandas": lambda frame: frame,
    "polars": lambda frame: pl.from_pandas(frame),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "pandas of PyArrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "pandas nullable": lambda frame: frame.convert_dtypes(),
}


def groups_of(ids, pairs):
    """The component of each id by NetworkX, an id without pairs alone."""
    graph = nx.Graph()
    graph.add_nodes_from(ids)
    graph.add_edges_from(pairs)
    number = {v: k for k, part in enumerate(nx.connected_components(graph)) for v in part}
    return [number[v] for v in ids]


def oracle(frame, groups, by=None, ascending=False, per=None):
    """The places of the rows that pandas keeps."""
    frame = frame.reset_index(drop=True).assign(group=groups)
    if by is not None:
        frame = frame.sort_values(by, ascending=ascending, kind="stable", na_position="last")
    return sorted(frame.drop_duplicates(["group", *([per] if per else [])]).index)


def kept(found, frame, **options):
    """The places of the rows that are kept, by a column of them."""
    frame = frame.assign(place=np.arange(len(frame)))
    return found.deduplicate(frame, **options)["place"].tolist()


# From small numbers to ids of each kind, in order; several columns are tuples
KINDS = {
    "int32": lambda v: np.array(v, np.int32),
    "int64": lambda v: (np.array(v, np.int64) - 20) * 2**57,
    "uint64": lambda v: np.uint64(2**63) + np.array(v, np.uint64) * np.uint64(2**50),
    "strings": lambda v: np.array([f"doc {k:02} é" for k in v], object),
}
EVERY = {kind: (make,) for kind, make in KINDS.items()}
EVERY["several"] = KINDS["int64"], lambda v: KINDS["strings"]([k % 3 for k in v])
EVERY["several of integers"] = KINDS["uint64"], KINDS["int32"]

SCORES = {
    "int64": st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-(2**63), 2**63 - 1, 0]),
    "uint64": st.integers(0, 2**64 - 1) | st.sampled_from([0, 2**64 - 1]),
    "Int64": st.none() | st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1]),
    "float64": st.floats(width=64) | st.sampled_from([0.0, -0.0]),
    "float32": st.floats(width=32),
    "bool": st.booleans(),
    "datetime64[ns]": st.none() | st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1)),
    "str": st.none() | st.text("abé", max_size=3),
}


@pytest.mark.filterwarnings("ignore:no id in .* is a vertex", "ignore:.* contains no score")
@quick
@given(st.data(), st.sampled_from(sorted(EVERY)), st.sampled_from(sorted(SCORES)))
def test_it_keeps_what_pandas_keeps(data, kind, scores):
    makes, vertex = EVERY[kind], st.integers(0, 30)
    pairs = data.draw(st.lists(st.tuples(vertex, vertex), max_size=25), label="pairs")
    rows = data.draw(
        st.lists(st.tuples(st.integers(0, 40), SCORES[scores], st.sampled_from("abc")), max_size=40)
    )
    ids = [row[0] for row in rows]
    on = [f"id{k}" for k in range(len(makes))]
    docs = pd.DataFrame({name: make(ids) for name, make in zip(on, makes, strict=True)})
    docs["score"] = pd.Series([row[1] for row in rows], dtype=scores)
    corpus = pd.Series([row[2] for row in rows], dtype=object)
    docs["corpus"] = corpus.where(corpus != "c", None)
    left, right = zip(*pairs, strict=True) if pairs else ((), ())
    ends = {f"a{k}": make(left) for k, make in enumerate(makes)}
    ends |= {f"b{k}": make(right) for k, make in enumerate(makes)}
    names = [[f"{end}{k}" for k in range(len(makes))] for end in "ab"]
    found = components(pd.DataFrame(ends), *(n if len(n) > 1 else n[0] for n in names))
    groups, known = groups_of(ids, pairs), np.isin(ids, left + right)
    chosen = {"on": on, "by": "score", "ascending": data.draw(st.booleans())}
    if data.draw(st.booleans()):
        chosen["by"] = None
    if data.draw(st.booleans()):
        chosen["per"] = "corpus"
    told = {name: word for name, word in chosen.items() if name != "on"}
    assert kept(found, docs, **chosen) == oracle(docs, groups, **told)
    least = oracle(docs[known], np.array(groups)[known], **told)
    places = np.flatnonzero(known)[least].tolist()
    assert kept(found, docs, missing="drop", **chosen) == places
    if known.all():
        assert kept(found, docs, missing="raise", **chosen) == places


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_whole_rows_in_their_order_and_of_their_own_library(make, engine):
    docs, pairs = make(DOCS), make(PAIRS)
    found = components(pairs, engine=engine)
    best = found.deduplicate(docs, on="doc_id", by="length")
    assert type(best) is type(docs)
    assert list(best["doc_id"].to_numpy()) == [12, 14, 17]
    assert list(best["length"].to_numpy()) == [9, 9, 2]
    if isinstance(best, pd.DataFrame):
        assert best.index.tolist() == ["b", "e", "g"]
        assert best.dtypes.equals(docs.dtypes)
    else:
        assert best.schema == docs.schema


@pytest.mark.parametrize("ascending", [False, True])
def test_engines_agree_with_pandas_on_many_rows(engine, ascending, tuned):
    tuned(ids_per_lookup=4)
    rng = np.random.default_rng(3)
    ids, scores = rng.integers(0, 400, 300), rng.integers(0, 9, 300)
    pairs = rng.integers(0, 400, (150, 2))
    docs = pd.DataFrame({"id": ids * 2**40, "score": scores, "corpus": rng.integers(0, 3, 300)})
    found = components((pairs[:, 0] * 2**40, pairs[:, 1] * 2**40), engine=engine)
    groups = groups_of(ids.tolist(), pairs.tolist())
    for per in (None, "corpus"):
        options = {"by": "score", "ascending": ascending, "per": per}
        assert kept(found, docs, on="id", **options) == oracle(docs, groups, **options)


def test_ids_that_the_edges_do_not_name_have_groups_of_their_own():
    found = components(PAIRS)
    assert kept(found, DOCS, on="doc_id", by="length") == [1, 4, 6]
    assert kept(found, DOCS, on="doc_id", by="length", missing="drop") == [1, 4]
    assert kept(found, DOCS, on="doc_id") == [0, 2, 3]
    with pytest.raises(
        errors.UnknownVertexError, match=r"2 of 7 ids in 'doc_id' are not .* 17, 17"
    ):
        found.deduplicate(DOCS, on="doc_id", missing="raise")
    named = components(PAIRS, vertices=[17])
    assert kept(named, DOCS, on="doc_id", by="length", missing="raise") == [1, 4, 6]


def test_one_for_each_value_of_a_column_of_which_null_is_one():
    found = components(PAIRS)
    assert kept(found, DOCS, on="doc_id", per="corpus") == [0, 1, 2, 3, 5]
    assert kept(found, DOCS, on="doc_id", by="length", per="corpus") == [0, 1, 4, 5, 6]
    assert kept(found, DOCS, on="doc_id", by="length", per=["corpus", "length"]) == list(range(7))


PER = {
    "categories": pd.Series(list("aab"), dtype="category"),
    "categories of integers": pd.Series([1, 1, 2], dtype="category"),
    "booleans": pd.Series([True, True, False]),
    "floats with nan": pd.Series([np.nan, np.nan, 1.5]),
    "nullable": pd.Series([None, None, 1], dtype="Int64"),
    "dates": pd.to_datetime(pd.Series(["2020", "2020", "2021"])),
    "huge": pd.Series([2**64 - 1, 2**64 - 1, 0], dtype=np.uint64),
    "objects": pd.Series(["a", "a", None], dtype=object),
    "polars Categorical": pl.Series(["a", "a", None], dtype=pl.Categorical),
    "polars Enum": pl.Series(["a", "a", "b"], dtype=pl.Enum(["a", "b", "c"])),
    "a value twice in a dictionary": pa.chunked_array(
        [pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", "a"]))]
    ),
    "string_view": pa.chunked_array([["a", "a", "b"]], pa.string_view()),
    "chunks": pa.chunked_array([["a"], ["a", None]]),
    "dictionaries of two chunks": pa.chunked_array(
        [
            pa.array(["b", "a"]).dictionary_encode().take([1]),
            pa.array(["a", "b"]).dictionary_encode(),
        ]
    ),
}


@pytest.mark.parametrize("column", PER.values(), ids=PER)
def test_columns_of_any_type_tell_rows_apart(column):
    ids = [11, 13, 14]
    if isinstance(column, pd.Series):
        frame = pd.DataFrame({"vertex": ids, "corpus": column})
    elif isinstance(column, pl.Series):
        frame = pl.DataFrame({"vertex": ids, "corpus": column})
    else:
        frame = pa.table({"vertex": ids, "corpus": column})
    best = components(PAIRS).deduplicate(frame, per="corpus")
    assert list(map(int, best["vertex"].to_numpy())) == [11, 14]


def test_nulls_among_the_scores_come_last_whatever_their_order():
    low = -(2**63)
    frame = pd.DataFrame({"vertex": [11, 13, 14], "score": pd.array([None, low, None], "Int64")})
    assert kept(components(PAIRS), frame, by="score") == [1]
    high = frame.assign(score=pd.array([None, 2**63 - 1, None], "Int64"))
    assert kept(components(PAIRS), high, by="score", ascending=True) == [1]
    none = frame.assign(score=pd.array([None] * 3, "Int64"))
    with pytest.warns(errors.CcRapidsWarning, match="column 'score' contains no score"):
        assert kept(components(PAIRS), none, by="score") == [0]


def test_null_ids_are_refused_or_left_out():
    docs = DOCS.assign(doc_id=DOCS.doc_id.astype("Int64").where(DOCS.doc_id != 17))
    found = components(PAIRS)
    with pytest.raises(
        errors.NullsError, match=r"2 of 7 rows have nulls in 'doc_id'.*='drop' leav"
    ):
        found.deduplicate(docs, on="doc_id")
    assert kept(found, docs, on="doc_id", by="length", missing="drop") == [1, 4]
    per = {"by": "length", "per": "corpus", "missing": "drop"}
    assert kept(found, docs, on="doc_id", **per) == [0, 1, 4, 5]
    none = docs.assign(doc_id=pd.array([None] * 7, "Int64"))
    assert kept(found, none, on="doc_id", missing="drop") == []


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_and_answers_without_rows(make):
    found, empty = components(PAIRS), make(DOCS.iloc[:0])
    best = found.deduplicate(empty, on="doc_id", by="length", per="corpus")
    assert type(best) is type(empty)
    assert len(best) == 0
    nothing = components(make(PAIRS.iloc[:0]))
    assert len(nothing.deduplicate(make(DOCS), on="doc_id", by="length")) == 6
    assert len(nothing.deduplicate(make(DOCS), on="doc_id", missing="drop")) == 0


def test_the_frame_and_the_edges_may_be_of_two_libraries():
    found = components(pl.from_pandas(PAIRS))
    assert kept(found, DOCS, on="doc_id", by="length") == [1, 4, 6]
    best = components(PAIRS).deduplicate(pl.from_pandas(DOCS), on="doc_id", by="length")
    assert best["doc_id"].to_list() == [12, 14, 17]


def test_the_kind_of_the_labels_does_not_matter_and_nothing_is_changed():
    before = DOCS.copy()
    for labels in ("min", "max", "dense", "size", "fingerprint"):
        found = components(PAIRS, labels=labels)
        assert kept(found, DOCS, on="doc_id", by="length") == [1, 4, 6]
    pd.testing.assert_frame_equal(DOCS, before)


def test_answers_of_batches_and_copies_deduplicate():
    import pickle

    seen = cc_rapids.Connectivity().insert(PAIRS).components()
    for found in (seen, pickle.loads(pickle.dumps(components(PAIRS)))):
        assert kept(found, DOCS, on="doc_id", by="length") == [1, 4, 6]


def test_duplicate_names_matter_only_where_they_are_asked_for():
    twice = pd.DataFrame([[11, 1, 2], [13, 3, 4]], columns=["vertex", "a", "a"])
    assert components(PAIRS).deduplicate(twice).index.tolist() == [0]
    with pytest.raises(errors.InputError, match="2 columns are called 'a'"):
        components(PAIRS).deduplicate(twice, by="a")


def test_strings_that_share_every_hash_are_told_apart_by_the_library(monkeypatch):
    monkeypatch.setattr(strings, "hashes", lambda text, seed: np.zeros(text.size, np.uint64))
    docs = pd.DataFrame({"vertex": ["x", "y", "x", "a"]})
    assert kept(components((["a"], ["b"])), docs) == [0, 1, 3]


def test_few_rows_of_a_large_answer_need_no_group_of_each_vertex(monkeypatch):
    found = components((np.arange(0, 2000, 2), np.arange(1, 2000, 2)))
    sizes = []
    fill = hash_table.Slots._fill
    monkeypatch.setattr(
        hash_table.Slots,
        "_fill",
        lambda own, size, *rest: sizes.append(size) or fill(own, size, *rest),
    )
    docs = pd.DataFrame({"vertex": [7, 6, 1999]})
    assert kept(found, docs) == [0, 2]
    assert sizes == [32]


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        (
            {"on": "id"},
            errors.MissingColumnError,
            "no column 'id' to deduplicate by: .* there are doc",
        ),
        ({"by": "size"}, errors.MissingColumnError, "'size' .* columns with on=, by= and per="),
        ({"by": "lengths"}, errors.MissingColumnError, r"'lengths' .*: did you mean 'length'\?"),
        ({"per": "corpsu"}, errors.MissingColumnError, r"'corpsu' .*: did you mean 'corpus'\?"),
        ({"on": "vertex"}, errors.MissingColumnError, "'vertex' is the name by default, and there"),
        ({"per": "web"}, errors.MissingColumnError, "no column 'web' to deduplicate by"),
        ({"by": ["length"]}, errors.InputError, "by= must name one column"),
        ({"on": []}, errors.InputError, "on= names no column"),
        ({"per": []}, errors.InputError, "per= names no column"),
        ({"on": "corpus"}, errors.NullsError, "2 of 7 rows have nulls in 'corpus'"),
        ({"on": ["doc_id", "length"]}, errors.InputError, "ids have 1 column, but on= names 2"),
        ({"missing": "null"}, errors.InputError, "missing, 'null': one of drop, raise, self"),
        ({"ascending": "yes"}, errors.ArgumentTypeError, "ascending= must be True or False"),
    ],
)
def test_what_cannot_be_done_is_said(options, kind, says):
    with pytest.raises(kind, match=says):
        components(PAIRS).deduplicate(DOCS, **{"on": "doc_id", **options})


def test_columns_without_an_order_or_without_equality_are_refused():
    lists = pa.table({"vertex": [11, 13], "what": [[1], [2]], "score": [0.5, 1]})
    found = components(PAIRS)
    with pytest.raises(errors.ColumnTypeError, match=r"'what' is List.*: by= must be one column"):
        found.deduplicate(lists, by="what")
    with pytest.raises(errors.ColumnTypeError, match=r"'what' is list.*: per= must name a column"):
        found.deduplicate(lists, per="what")
    with pytest.raises(errors.ColumnTypeError, match=r"'score' is double .*floats merge ids"):
        found.deduplicate(lists, on="score")


def test_tables_keep_their_types_whatever_these_are():
    views = pa.array(["x", "y", "z"], pa.string_view())
    lists = pa.array([[1], [2], None])
    table = pa.table({"vertex": [11, 13, 9], "views": views, "lists": lists})
    table = pa.concat_tables([table[:2], table[2:]])
    best = components(PAIRS).deduplicate(table, by="vertex")
    assert best.schema == table.schema
    assert best.to_pylist() == table.slice(1).to_pylist()
    more = table.append_column("runs", pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]))
    best = components(PAIRS).deduplicate(more, by="vertex")
    assert best.schema == more.schema
    assert best["runs"].to_pylist() == more["runs"].to_pylist()[1:]


def test_columns_of_pandas_that_pandas_cannot_take_are_kept():
    frame = pd.DataFrame({"vertex": [11, 13], "views": pa_views(["x", "y"])})
    frame.index = [5, 7]
    best = components(PAIRS).deduplicate(frame)
    assert 0 < len(best) <= 2
    assert best["views"].tolist() == ["x", "y"][: len(best)]
    assert best.index.tolist() == [5, 7][: len(best)]
    assert best.dtypes.tolist() == frame.dtypes.tolist()


def pa_views(words):
    """A column of pandas whose strings are views of PyArrow's."""
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(words, pa.string_view())))


@pytest.mark.parametrize("frame", [[1, 2], 5])
def test_what_is_no_frame_is_refused(frame):
    with pytest.raises(errors.InputError, match="frame cannot be a"):
        components(PAIRS).deduplicate(frame)


def test_a_lazy_frame_is_collected():
    docs = pl.LazyFrame({"vertex": [11, 13, 9], "score": [1, 2, 3]})
    best = components(PAIRS).deduplicate(docs, by="score")
    assert best.equals(docs.collect()[1:])


def test_a_dictionary_of_columns_gives_one():
    documents = {"vertex": np.array([9, 1, 2, 7]), "text": ["nine", "one", "two", "seven"]}
    found = components(([1, 2], [2, 7])).deduplicate(documents)
    assert list(found) == ["vertex", "text"]
    assert found["vertex"].tolist() == [9, 1]
    assert found["text"] == ["nine", "one"]


STRANGE = {
    "deduplicate": lambda found, frame, on: found.deduplicate(frame, on=on),
    "drop": lambda found, frame, on: found.deduplicate(frame, on=on, missing="drop"),
    "self": lambda found, frame, on: found.attach(frame, on=on, missing="self"),
    "null": lambda found, frame, on: found.attach(frame, on=on, missing="null"),
}


@pytest.mark.parametrize("how", STRANGE)
def test_a_column_without_any_vertex_is_warned_of(how):
    pairs = pd.DataFrame({"src": ["a11", "b12"], "dst": ["b13", "b16"]})
    docs = pd.DataFrame({"doc": ["A11", "B12", "B13", "B16"], "id": ["a11", "x", "y", "z"]})
    found, call = cc_rapids.components(pairs), STRANGE[how]
    says = (
        "no id in 'doc' is a vertex of this answer: it has 4 ids (A11, B12, B13, ...), but"
        " the vertices are a11, b12, b13, ...; does on= name"
    )
    with pytest.warns(UserWarning, match=re.escape(says)) as warned:
        rows = call(found, docs, "doc")
    assert warned[0].filename == __file__
    assert len(rows) == (0 if how == "drop" else 4)
    call(found, docs, "id")  # one is a vertex
    call(found, docs[:0], "doc")
    call(cc_rapids.components(pairs[:0]), docs, "doc")
    two = cc_rapids.components(([7], [8]))
    with pytest.warns(UserWarning, match=r"in 'id' .*\(1, 2\), but the vertices are 7, 8; does"):
        call(two, pd.DataFrame({"id": [1, 2]}), "id")
    several = pd.DataFrame({"k": ["u"], "i": [1], "l": ["u"], "j": [2]})
    both = cc_rapids.components(several, ["k", "i"], ["l", "j"])
    with pytest.warns(
        UserWarning, match=r"in 'l, i' .* 1 id \(\('w', 5\)\), .* are \('u', 1\), \('u'"
    ):
        call(both, pd.DataFrame({"l": ["w"], "i": [5]}), ["l", "i"])


@pytest.mark.parametrize("name", ["docs.parquet", "docs.csv", "docs.tsv"])
def test_paths_are_refused_with_the_way_to_read_them(name, tmp_path):
    found, read = cc_rapids.components(([1], [2])), f"pd.read_{name[5:].replace('tsv', 'csv')}"
    for path in (name, tmp_path / name):
        for call in (found.deduplicate, found.attach):
            with pytest.raises(
                InputError, match=re.escape(f"{name}': read it first, such as by {read}")
            ):
                call(path)
        with pytest.raises(InputError, match="read it first"):
            cc_rapids.link_records(path, ["email"])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("by", [None, "length"])
@pytest.mark.parametrize("per", [None, "corpus"])
def test_duplicates_are_the_rows_that_deduplicate_drops(engine, make, by, per):
    random = np.random.default_rng(3)
    found = components((random.integers(0, 60, 40), random.integers(0, 60, 40)), engine=engine)
    docs = pd.DataFrame({"id": random.integers(0, 90, 200), "length": random.integers(0, 9, 200)})
    docs["corpus"] = docs["length"] % 2
    group = found.attach(docs, on="id", missing="self")
    lists = []
    for _, rows in group.groupby(["labels", per] if per else "labels"):
        order = rows if by is None else rows.sort_values(by, ascending=False, kind="stable")
        best, *others = order.to_dict("records")
        lists += [
            (*((row["id"], best["id"], row["labels"])), *([row[by], best[by]] if by else []))
            for row in others
        ]
    rows = found.duplicates(make(docs.to_dict("list")), on="id", by=by, per=per)
    assert sorted(zip(*columns(rows), strict=True)) == sorted(lists)
    kept = found.deduplicate(docs, on="id", by=by, per=per)
    assert len(rows) + len(kept) == len(docs)


def test_duplicates_keep_the_index_and_may_be_none(engine):
    found = components(([11, 12], [13, 16]), engine=engine)
    docs = pd.DataFrame({"vertex": [11, 12, 13, 16]}, index=list("abcd"))
    assert found.duplicates(docs, missing="drop").index.tolist() == ["c", "d"]
    none = found.duplicates(docs[:2], name="group")
    assert none.shape == (0, 3)
    assert list(none) == ["vertex", "kept_vertex", "group"]
    with pytest.raises(errors.InputError, match="equal names"):
        found.duplicates(docs, name="kept_vertex")


def test_duplicates_of_records_without_ids():
    people = pd.DataFrame({"phone": ["1", "2", "1"], "seen": [3, 5, 4]})
    rows = link_records(people, ["phone"]).duplicates(people, by="seen")
    assert rows.to_dict("list") == {
        "row": [0],
        "kept_row": [2],
        "labels": [0],
        "seen": [3],
        "kept_seen": [4],
    }


@pytest.mark.parametrize("make", FRAMES)
def test_duplicates_have_the_weakest_weight_of_their_path(make, engine):
    """14 is kept for 11 and 13: the weakest of 11-13-12-14 is 0.6; the pair of 13 and 14 is 0.5."""
    pairs = pd.DataFrame({"src": [11, 13, 12, 13, 16], "dst": [13, 12, 14, 14, 17]})
    pairs["score"] = [0.9, 0.6, 0.8, 0.5, 0.7]
    docs = pd.DataFrame({"doc_id": [14, 13, 11, 17, 16, 99, 99, 17]})
    for forest, sign in (("max", 1), ("min", -1)):
        weighed = pairs.assign(score=sign * pairs["score"])
        found = components(weighed, weight="score", forest=forest, engine=engine)
        lost = columns(found.duplicates(FRAMES[make](docs), on="doc_id"))
        assert lost[:2] == [[13, 11, 16, 99, 17], [14, 14, 17, 99, 17]]
        weights = [None if pd.isna(value) else value for value in lost[-1]]
        assert weights == [sign * 0.6, sign * 0.6, sign * 0.7, None, None]
        cut = found.dendrogram().at(sign * 0.7)
        lost = cut.duplicates(docs, on="doc_id", missing="drop")
        assert lost["weakest_weight"].tolist()[:2] == [sign * 0.9, sign * 0.7]
    none = components(pairs[:0], weight="score", forest="max", engine=engine)
    assert none.duplicates(docs, on="doc_id")["weakest_weight"].isna().tolist() == [True] * 2
