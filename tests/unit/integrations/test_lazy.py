"""The accessor of lazy frames of Polars: answers are lazy, and what is read is what they need."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from support.releases import before

import cc_rapids
import cc_rapids.accessor
from cc_rapids.integrations import lazy
from cc_rapids.solver.choose import Plan

EDGES = pl.DataFrame(
    {"src": [5, 2, 9], "dst": [2, 7, 9], "w": [0.5, 1, 2], "text": ["a", "b", "c"]}
)
DOCS = pl.DataFrame({"vertex": [5, 7, 4, 9], "length": [1, 3, 2, 5], "corpus": list("abab")})
ENGINES = "in-memory", "streaming"
I32 = pl.Series([3, 4], dtype=pl.Int32)
# what a source raises, before Polars 2 by its words alone
RAISED = pl.exceptions.ComputeError if before("polars", "2") else cc_rapids.CcRapidsError
SIZES = pl.Series(["s", "l"], dtype=pl.Enum(["s", "m", "l"]))


class Watched:
    """A lazy frame that notes the columns of each time it is read."""

    def __init__(self, frame):
        self.read = []

        def source(columns, condition, count, batch):
            assert condition is None
            assert count is None
            self.read.append(columns)
            yield frame if columns is None else frame.select(columns)

        self.frame = pl.io.plugins.register_io_source(source, schema=frame.schema)


@pytest.fixture
def watched():
    return Watched(EDGES)


@pytest.mark.parametrize("engine", ENGINES)
def test_answers_are_lazy_frames_of_the_same_rows(engine):
    lazy = EDGES.lazy()
    asked = {
        "labels": {},
        "sizes": {"labels": "dense"},
        "attach": {"name": "group"},
        "filter": {"min_size": 2},
        "largest": {"count": 2},
        "members": {},
        "size_histogram": {},
    }
    for word, options in asked.items():
        answer = getattr(lazy.cc, word)(**options)
        assert isinstance(answer, pl.LazyFrame)
        assert_frame_equal(answer.collect(engine=engine), getattr(EDGES.cc, word)(**options))
    attached = lazy.cc.attach(DOCS, missing="null")
    assert_frame_equal(attached.collect(engine=engine), EDGES.cc.attach(DOCS, missing="null"))
    for documents in (DOCS, DOCS.lazy()):
        best = lazy.cc.deduplicate(documents, by="length", per="corpus", missing="drop")
        expected = EDGES.cc.deduplicate(DOCS, by="length", per="corpus", missing="drop")
        assert_frame_equal(best.collect(engine=engine), expected)
        lost = lazy.cc.duplicates(documents, by="length", name="group")
        expected = EDGES.cc.duplicates(DOCS, by="length", name="group")
        assert_frame_equal(lost.collect(engine=engine), expected)
        kept = lost.select("kept_vertex").collect(engine=engine)
        assert_frame_equal(kept, expected.select("kept_vertex"))


def test_components_and_plans_are_no_frames(watched):
    found = watched.frame.cc.components(weight="w", at_least=1)
    assert isinstance(found, cc_rapids.Components)
    assert found == EDGES.cc.components(weight="w", at_least=1)
    assert watched.read == [["src", "dst", "w"]]
    for word in ("components", "labels", "sizes", "attach"):
        assert isinstance(getattr(watched.frame.cc, word)(explain=True), Plan)
    assert isinstance(watched.frame.cc.deduplicate(DOCS, explain=True), Plan)


def test_nothing_is_read_before_an_answer_is_collected(watched):
    labels = watched.frame.cc.labels()
    assert labels.collect_schema() == EDGES.cc.labels().schema
    assert watched.read == []
    labels.collect()
    assert watched.read == [["src", "dst"]]


@pytest.mark.parametrize("engine", ENGINES)
def test_conditions_and_columns_are_of_the_answer_and_not_of_the_edges(watched, engine):
    labels = watched.frame.cc.labels()
    asked = labels.filter(pl.col("vertex") > 5).select("labels")
    assert "SELECTION" in asked.explain()
    assert asked.collect(engine=engine)["labels"].to_list() == [2, 9]
    # edges whose src is above 5 alone would leave 7 out, and label it otherwise
    attached = watched.frame.cc.attach(name="group")
    assert attached.filter(pl.col("dst") == 7).collect(engine=engine)["group"].to_list() == [2]
    assert labels.head(1).collect(engine=engine).rows() == [(2, 2)]
    assert labels.head(2).filter(pl.col("vertex") == 7).collect(engine=engine).is_empty()
    assert labels.filter(pl.col("vertex") == 7).head(2).collect(engine=engine).rows() == [(7, 2)]
    assert len(watched.read) == 6  # whole, as the frame itself asserts


def test_columns_that_are_not_asked_for_are_not_read(watched):
    documents = Watched(DOCS)
    attached = watched.frame.cc.attach(documents.frame, missing="null")
    assert attached.select("labels").collect()["labels"].to_list() == [2, 2, None, 9]
    assert attached.select("corpus").collect()["corpus"].to_list() == list("abab")
    assert documents.read == [["vertex"], ["vertex", "corpus"]]


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"src": pl.Series([1], dtype=pl.Int32), "dst": pl.Series([2], dtype=pl.UInt8)}, {}),
        ({"src": ["x"], "dst": ["y"]}, {"labels": "max"}),
        ({"src": ["x"], "dst": ["y"]}, {"labels": "dense"}),
        ({"src": [1 << 40], "dst": [1]}, {"labels": "size"}),
        ({"src": [3], "dst": [1]}, {"num_vertices": 5}),
        ({"src": [3], "dst": [1]}, {"vertices": [9, 1, 3]}),
        ({"src": I32, "dst": I32}, {"vertices": np.array([9, 1 << 40])}),
        ({"src": [3], "dst": [1]}, {"vertices": pl.Series([9, 1], dtype=pl.Int8)}),
        ({"src": I32[:0], "dst": I32[:0]}, {"vertices": np.array([9, 1 << 40])}),
        ({"src": I32, "dst": I32}, {"vertices": range(2, 9)}),
        ({"src": I32, "dst": I32}, {"num_vertices": 1000}),
        ({"src": ["x"], "dst": ["y"]}, {"vertices": pl.Series(["z"])}),
        ({"src": SIZES, "dst": SIZES}, {}),
        ({"src": SIZES.cast(pl.Categorical), "dst": SIZES.cast(pl.Categorical)}, {}),
        ({"src": pl.Series([], dtype=pl.Enum([])), "dst": pl.Series([], dtype=pl.Enum([]))}, {}),
        ({"src": [3], "dst": [1], "w": [1.0]}, {"weight": "w", "forest": "max"}),
        ({"src": [3], "dst": [1]}, {"forest": True}),
    ],
)
def test_types_are_known_before_anything_is_read(columns, options):
    lazy = pl.LazyFrame(columns)
    for answer in (lazy.cc.labels(**options), lazy.cc.sizes(**options)):
        assert answer.collect_schema() == answer.collect().schema


def test_ids_of_several_columns():
    frame = pl.LazyFrame({"a": [1, 1], "b": ["x", "y"], "c": [1, 2], "d": ["y", "z"]})
    labels = frame.cc.labels(["a", "b"], ["c", "d"], labels="min")
    assert labels.collect_schema() == labels.collect().schema
    assert labels.select("b_labels").collect()["b_labels"].to_list() == ["x", "x", "x"]
    attached = frame.cc.attach(None, ["a", "b"], ["c", "d"], name="of")
    assert attached.collect_schema() == attached.collect().schema
    assert attached.select("of").collect()["of"].to_list() == [0, 0]


@pytest.mark.parametrize("dtype", [pl.String, pl.Int32])
def test_an_answer_without_vertices_has_the_types_that_it_says(dtype):
    none = pl.LazyFrame(schema={"src": dtype, "dst": dtype})
    people = pl.DataFrame({"vertex": pl.Series([1, 2]).cast(dtype)})
    for answer in (none.cc.labels(), none.cc.attach(), none.cc.attach(people, missing="null")):
        assert answer.collect_schema() == answer.collect().schema
        assert answer.collect_schema()["labels"] in (dtype, pl.Int64)


def test_errors_are_our_own_and_come_at_once_where_they_can():
    lazy = EDGES.lazy()
    with pytest.raises(cc_rapids.MissingColumnError, match="unknown column 'a': one of dst, src"):
        lazy.cc.labels("a", "b")
    with pytest.raises(cc_rapids.MissingColumnError, match="unknown column 'v'"):
        lazy.cc.labels(weight="v", at_least=1)
    with pytest.raises(cc_rapids.ArgumentTypeError, match="frames of Polars, not with"):
        lazy.cc.attach(pd.DataFrame({"vertex": [5]}))
    with pytest.raises(cc_rapids.InputError, match="has a column 'w' already"):
        lazy.cc.attach(name="w")
    with pytest.raises(cc_rapids.MissingColumnError, match="no column 'length' to deduplicate by"):
        lazy.cc.deduplicate(DOCS.select("vertex"), by="length")
    with pytest.raises(cc_rapids.ArgumentTypeError, match="source= must name a column"):
        lazy.cc.labels(pl.col("src"), "dst")
    with pytest.raises(cc_rapids.InputError, match="source names 2 columns and destination 1"):
        lazy.cc.labels(["src", "w"], "dst")
    with pytest.raises(cc_rapids.EngineError, match="unknown engine 'both'"):
        lazy.cc.labels(engine="both")
    with pytest.raises(cc_rapids.InputError, match="unknown labels 'least'"):
        lazy.cc.labels(labels="least")
    with pytest.raises(TypeError, match="unknown argument 'limit'"):
        lazy.cc.labels(limit=3)
    for kind in (pl.Float64, pl.Date, pl.Boolean, pl.Int128):
        with pytest.raises(cc_rapids.ColumnTypeError, match=f"column 'src' is {kind}"):
            pl.LazyFrame(schema={"src": kind, "dst": kind}).cc.labels()
    nulls = pl.LazyFrame({"src": [1, None], "dst": [2, 3]}).cc.labels()
    with pytest.raises(RAISED, match="column 'src' has 1 null") as raised:
        nulls.collect()
    assert raised.type in (pl.exceptions.ComputeError, cc_rapids.NullsError)


def test_edges_that_are_lazy_are_not_collected_whole(watched):
    assert cc_rapids.components(watched.frame) == cc_rapids.components(EDGES)
    assert watched.read == [["src", "dst"], ["src"]]  # the second counts the rows


def test_it_is_registered_once():
    cc_rapids.accessor.register()
    kept = pl.LazyFrame.cc
    cc_rapids.accessor.register()
    assert pl.LazyFrame.cc is kept


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=20), st.integers(0, 12))
def test_an_answer_in_a_query_is_that_of_the_frame(pairs, least):
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    frame = pl.DataFrame({"src": ends[:, 0], "dst": ends[:, 1]})
    condition = pl.col("labels") >= least
    expected = frame.cc.labels().filter(condition).select("vertex")
    assert_frame_equal(
        frame.lazy().cc.labels().filter(condition).select("vertex").collect(), expected
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_queries_of_all_kinds_see_the_same_rows(engine):
    labels = EDGES.lazy().cc.labels()
    rows = EDGES.cc.labels()
    queries = [
        lambda frame: frame.with_row_index().filter(pl.col("vertex") > 5),
        lambda frame: frame.join(frame, on="labels").sort("vertex", "vertex_right"),
        lambda frame: frame.slice(1, 2),
        lambda frame: frame.slice(-2, 1),
        lambda frame: frame.tail(1),
        lambda frame: frame.head(0),
        lambda frame: frame.select("labels", "vertex"),
        lambda frame: frame.group_by("labels").len().sort("labels"),
        lambda frame: frame.filter(pl.col("labels").max().over("labels") > 2),
        lambda frame: frame.with_columns(twice=pl.col("labels") * 2).filter(pl.col("twice") == 4),
        lambda frame: frame.select(pl.len()),
    ]
    for query in queries:
        assert_frame_equal(query(labels).collect(engine=engine), query(rows.lazy()).collect())
    joined = EDGES.lazy().join(labels, left_on="src", right_on="vertex", maintain_order="left")
    assert joined.collect(engine=engine)["labels"].to_list() == [2, 2, 9]


def test_files_are_scanned_and_written(tmp_path):
    EDGES.write_parquet(tmp_path / "edges.parquet")
    EDGES.write_csv(tmp_path / "edges.csv")
    for scanned in (
        pl.scan_parquet(tmp_path / "edges.parquet"),
        pl.scan_csv(tmp_path / "edges.csv"),
    ):
        labels = scanned.cc.labels()
        assert_frame_equal(labels.collect(), EDGES.cc.labels())
        labels.sink_parquet(tmp_path / "labels.parquet")
        assert_frame_equal(pl.read_parquet(tmp_path / "labels.parquet"), EDGES.cc.labels())
        attached = scanned.cc.attach(name="group").filter(pl.col("w") > 0.6).select("text", "group")
        assert attached.collect().rows() == [("b", 2), ("c", 9)]


@pytest.mark.parametrize(
    ("engine", "gpu", "module", "expected"),
    [
        (None, True, True, "gpu"),
        ("auto", True, True, "gpu"),
        ("cuda", True, True, "gpu"),
        ("threads", True, True, "streaming"),
        ("cpu", True, True, "streaming"),
        (None, False, True, "streaming"),
        (None, True, False, "streaming"),
    ],
)
def test_edges_are_collected_by_the_engine_beside_ours(monkeypatch, engine, gpu, module, expected):
    class Frame:
        def collect(self, engine):
            return engine

    monkeypatch.setattr(lazy, "has_gpu", lambda: gpu)
    monkeypatch.setattr(lazy, "find_spec", lambda name: object() if module else None)
    assert lazy._collected(Frame(), engine) == expected


def test_a_checkpoint_is_of_the_edges_and_not_of_their_types(tmp_path):
    labels = EDGES.lazy().cc.labels(checkpoint=tmp_path / "state", checkpoint_every=0)
    assert labels.collect_schema().names() == ["vertex", "labels"]
    assert not (tmp_path / "state").exists()
    assert_frame_equal(labels.collect(), EDGES.cc.labels())
    assert (tmp_path / "state").exists()
    assert_frame_equal(labels.collect(), EDGES.cc.labels())


def test_types_of_many_vertices_are_known_without_them():
    labels = EDGES.lazy().cc.labels(num_vertices=1 << 40)
    assert labels.collect_schema() == EDGES.cc.labels().schema
    with pytest.raises(RAISED, match="the ids span 1,099,511,627,776 values"):
        labels.collect()


def test_there_may_be_no_vertices_at_all():
    none = pl.LazyFrame(schema={"src": pl.Int32, "dst": pl.Int32}).cc.labels(num_vertices=0)
    assert none.collect().schema == none.collect_schema()
    with pytest.raises(cc_rapids.InputError, match="num_vertices must be a count"):
        EDGES.lazy().cc.labels(num_vertices=-1)


def test_names_by_default_may_be_none():
    assert_frame_equal(EDGES.lazy().cc.labels(None, None).collect(), EDGES.cc.labels())


def test_other_doors_take_lazy_frames_and_read_what_they_need(watched):
    ids = ["src", "dst", "w"]
    cuts = cc_rapids.components_at(watched.frame, weight="w", thresholds=[1])
    assert cuts.labels(1).rows() == [(2, 2), (5, 5), (7, 2), (9, 9)]
    by_array = cc_rapids.components_at(watched.frame, weight=np.array([0.5, 1, 2]), thresholds=[1])
    assert by_array.labels(1).rows() == cuts.labels(1).rows()
    forest = cc_rapids.maximum_spanning_forest(watched.frame, weight="w")
    assert forest["row"].to_list() == [0, 1]
    found = cc_rapids.components(EDGES.lazy(), weight="w", at_least=1)
    assert found.labels()["vertex"].to_list() == [2, 7, 9]
    assert watched.read == [ids, ["src", "dst"], ids]
    watched.read.clear()
    assert len(cc_rapids.link_records(watched.frame, ["text"], id="src")) == 3
    assert watched.read == [["src", "text"]]
    watched.read.clear()
    assert len(cc_rapids.Connectivity().insert(watched.frame)) == 2
    seen = cc_rapids.Connectivity(expiry="w")
    assert len(seen.insert(watched.frame)) == 2
    asked = EDGES.with_columns(query=pl.lit(True)).lazy()
    assert len(cc_rapids.Connectivity().insert(EDGES).process(asked)) == 3
