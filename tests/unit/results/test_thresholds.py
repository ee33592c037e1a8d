"""Several cuts from one pass: the same as a run for each."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.choices import each
from support.counted import TO_HOST, counted

import cc_rapids
from cc_rapids import ColumnTypeError
from cc_rapids.data.frame_access import numbers_and_mask
from cc_rapids.incremental import thresholds

IDS = st.integers(0, 12)
EDGES = st.lists(st.tuples(IDS, IDS, st.integers(0, 5)), max_size=30)
LEVELS = st.lists(st.integers(-1, 6), min_size=1, max_size=4)


def frame(edges, words):
    columns = zip(*edges, strict=True) if edges else ([], [], [])
    src, dst, weight = (np.array(list(column), np.int64) for column in columns)
    found = pd.DataFrame({"src": src, "dst": dst, "weight": weight / 4})
    return found.astype({"src": "string", "dst": "string"}) if words else found


def separate(edges, level, direction, **options):
    heavy = edges["weight"] >= level if direction == "at_least" else edges["weight"] <= level
    every = pd.concat([edges["src"], edges["dst"]], ignore_index=True)
    options = options or {"vertices": every}
    return cc_rapids.components(edges[heavy].reset_index(drop=True), **options)


def merged(cuts, kind):
    """The merges by the label frames alone."""
    rows = []
    for strict, loose in zip(cuts.thresholds, cuts.thresholds[1:], strict=False):
        before, after = (cuts.at(level).labels(kind) for level in (strict, loose))
        joint = before.merge(after, on="vertex", suffixes=("", "_after"))
        pairs = joint.groupby(["labels", "labels_after"]).size().reset_index(name="size")
        parts = pairs.groupby("labels_after")["labels"].transform("size")
        for _, row in pairs[parts > 1].iterrows():
            rows.append((loose, row["labels"], row["labels_after"], row["size"]))
    return sorted(rows)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* no edges")
@settings(deadline=None, max_examples=40)
@given(EDGES, LEVELS, st.booleans(), st.booleans(), st.sampled_from(["at_least", "at_most"]))
def test_each_cut_is_what_a_run_of_its_own_gives(edges, levels, words, streamed, direction):
    edges, levels = frame(edges, words), [level / 4 for level in levels]
    parts = [edges.iloc[a : a + 7] for a in range(0, max(len(edges), 1), 7)]
    cuts = cc_rapids.components_at(
        iter(parts) if streamed else edges, thresholds=levels, direction=direction
    )
    assert list(cuts.thresholds) == sorted(set(levels), reverse=direction == "at_least")
    for level in set(levels):
        want = separate(edges, level, direction)
        assert len(cuts.at(level)) == len(want)
        assert cuts.at(level).summary()["edges"] == want.summary()["edges"]
        assert list(cuts.labels(level)["vertex"]) == list(want.labels()["vertex"])
        assert list(cuts.labels(level)["labels"]) == list(want.labels()["labels"])
        assert list(cuts.sizes(level)["size"]) == list(want.sizes()["size"])
    rows = cuts.merges()
    assert list(rows.columns) == ["threshold", "before", "after", "size"]
    assert sorted(rows.itertuples(index=False, name=None)) == merged(cuts, "min")


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(EDGES, LEVELS, st.sampled_from(["max", "dense", "size"]), st.booleans())
def test_other_labels(edges, levels, kind, counted):
    edges, levels = frame(edges, False), [level / 4 for level in levels]
    named = {"num_vertices": 13} if counted else {"vertices": [2, 90]}
    options = named | {"labels": kind}
    cuts = cc_rapids.components_at(edges, thresholds=levels, **options)
    for level in levels:
        if not counted:
            ends = [*edges["src"], *edges["dst"]]
            options["vertices"] = np.array([2, 90, *ends])
        want = separate(edges, level, "at_least", **options)
        assert cuts.labels(level).equals(want.labels())
        assert cuts.sizes(level).equals(want.sizes())
    assert sorted(cuts.merges().itertuples(index=False, name=None)) == merged(cuts, kind)


LINE = {"src": [1, 2, 3], "dst": [2, 3, 4], "weight": [0.9, 0.7, 0.8]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_each_kind(make):
    cuts = cc_rapids.components_at(make(LINE), thresholds=(0.7, 0.9, 0.8))
    assert repr(cuts) == "<Cuts: components 3 at 0.9, 2 at 0.8, 1 at 0.7>"
    assert len(cuts) == 3
    assert isinstance(cuts.merges(), type(make(LINE)))
    assert np.asarray(cuts.labels(0.8)["labels"]).tolist() == [1, 1, 3, 3]


def test_arrays_with_weights_of_32_bits():
    pair, weights = (LINE["src"], LINE["dst"]), np.array(LINE["weight"], np.float32)
    cuts = cc_rapids.components_at(pair, weight=weights, thresholds=[0.9, 0.7])
    assert cuts.labels(0.9).labels.tolist() == [1, 1, 3, 4]
    assert cuts.merges().size.tolist() == [2, 1, 1]
    exact = np.array([2**53, 2**53 + 1, 0])
    cuts = cc_rapids.components_at(pair, weight=exact, thresholds=[2**53 + 1, 2**53])
    assert cuts.labels(2**53 + 1).labels.tolist() == [1, 2, 2, 4]


def test_files_datasets_and_readers(tmp_path):
    table = pa.table(LINE)
    pq.write_table(table.slice(0, 2), tmp_path / "a.parquet")
    pq.write_table(table.slice(2), tmp_path / "b.parquet")
    for edges in (
        str(tmp_path / "*.parquet"),
        pyarrow.dataset.dataset(tmp_path),
        table.to_reader(1),
    ):
        cuts = cc_rapids.components_at(edges, thresholds=[0.9, 0.8, 0.7])
        assert cuts.labels(0.8)["labels"].to_pylist() == [1, 1, 3, 3]
        assert cuts.merges()["before"].to_pylist() == [3, 4, 1, 3]


def test_weights_that_are_missing():
    edges = pd.DataFrame({"src": [1, 2, None], "dst": [2, 3, 4], "weight": [1.0, None, 2.0]})
    edges = edges.astype({"src": "Int64"})
    with pytest.raises(cc_rapids.NullsError, match="null"):
        cc_rapids.components_at(edges, thresholds=[1])
    cuts = cc_rapids.components_at(edges, thresholds=[1, 2], nulls="drop")
    assert cuts.labels(1)["vertex"].tolist() == [1, 2]
    assert cuts.at(2).summary()["dropped"] == 2
    assert cuts.at(1).summary()["dropped"] == 2
    with pytest.raises(cc_rapids.NullsError, match="1 of 2 weights"):
        cc_rapids.components_at(edges.iloc[:2], thresholds=[1])


def test_a_chain_that_is_cut_keeps_all_its_vertices():
    chain = pd.DataFrame({"src": [1, 2, 3, 4], "dst": [2, 3, 4, 5], "weight": [0.9, 0.8, 0.7, 0.6]})
    cuts = cc_rapids.components_at(chain, thresholds=[0.99, 0.85, 0.5])
    assert [len(cuts.at(level)) for level in cuts.thresholds] == [5, 4, 1]
    assert cuts.at(0.99).summary()["vertices"] == 5
    assert cuts.sizes(0.85)["size"].tolist() == [2, 1, 1, 1]
    assert cuts.merges().query("threshold == 0.5")["before"].tolist() == [1, 3, 4, 5]


@pytest.mark.parametrize("kind", ["min", "max", "dense", "size"])
@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("streamed", [False, True])
def test_merges_name_labels_of_both_cuts(engine, kind, words, streamed):
    edges = frame([(5, 2, 4), (2, 9, 1), (7, 7, 4), (9, 8, 3), (7, 3, 0)], words)
    given = iter([edges.iloc[:2], edges.iloc[2:]]) if streamed else edges
    cuts = cc_rapids.components_at(given, thresholds=[1, 0.75, 0.25, 0], labels=kind, engine=engine)
    merges = cuts.merges()
    assert len(merges)
    assert sorted(merges.itertuples(index=False, name=None)) == merged(cuts, kind)
    before, after = (cuts.labels(level)["labels"].dtype for level in cuts.thresholds[:2])
    assert (merges["before"].dtype, merges["after"].dtype) == (before, after)


def test_merges_of_the_greatest_labels():
    cuts = cc_rapids.components_at(
        ([1, 4, 2], [2, 5, 4]), weight=[9, 9, 1], thresholds=[9, 1], labels="max"
    )
    assert cuts.merges().before.tolist() == [2, 5]
    assert cuts.merges().after.tolist() == [5, 5]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("vertices", [None, [("z", 9), ("x", 1)]], ids=["", "vertices"])
def test_keys_of_several_columns(make, streamed, vertices):
    rows = {"a": ["x", "y", "x"], "b": [1, 2, 7], "c": ["y", "x", "y"], "d": [2, 1, 7]}
    edges = make(rows | {"weight": [0.9, 0.2, 0.5]})
    columns = ["a", "b"], ["c", "d"]
    given = iter([edges[:1], edges[1:]]) if streamed else edges
    if streamed and make is pa.table:
        given = edges.to_reader(1)
    options = {"thresholds": [0.95, 0.9, 0.5], "vertices": vertices, "labels": "min"}
    cuts = cc_rapids.components_at(given, *columns, **options)
    more = 0 if vertices is None else 1
    assert [len(cuts.at(level)) for level in cuts.thresholds] == [4 + more, 3 + more, 2 + more]
    assert pl.DataFrame(cuts.labels(0.9)).rows()[:4] == [
        ("x", 1, "x", 1),
        ("x", 7, "x", 7),
        ("y", 2, "x", 1),
        ("y", 7, "y", 7),
    ]
    assert pl.DataFrame(cuts.merges()).rows() == [
        (0.9, "x", 1, "x", 1, 1),
        (0.9, "y", 2, "x", 1, 1),
        (0.5, "x", 7, "x", 7, 1),
        (0.5, "y", 7, "x", 7, 1),
    ]


ROWS = {
    "c": ["y", "x", "w", "x"],
    "weight": [0.9, 0.2, 0.5, 0.5],
    "a": ["x", "y", "x", "007"],
    "of": ["p", "p", "q", "p"],
    "w": ["p", "p", "q", "p"],
    "b": [1, 2, 7, 2],
    "d": [2, 1, 7, 1],
}
WRITERS = {
    "parquet": pq.write_table,
    "arrow": pyarrow.feather.write_feather,
    "csv": pyarrow.csv.write_csv,
    "tsv": lambda table, path: pyarrow.csv.write_csv(
        table, path, pyarrow.csv.WriteOptions(delimiter="\t")
    ),
    "txt": lambda table, path: table.to_pandas().to_csv(path, sep=" ", index=False),
}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize(
    "columns",
    [
        (["a", "b"], ["c", "d"]),
        (["of", "b"], ["of", "d"]),
        (["b", "w", "a"], ["d", "of", "c"]),
        (["b"], ["d"]),
    ],
    ids=["two", "one that both share", "three", "one"],
)
def test_keys_of_several_columns_of_files(kind, columns, tmp_path):
    table = pa.table(ROWS)
    WRITERS[kind](table[:3], tmp_path / f"0.{kind}")
    WRITERS[kind](table[3:], tmp_path / f"1.{kind}")
    options = {"thresholds": [0.95, 0.9, 0.5], "labels": "min"}
    want = cc_rapids.components_at(table, *columns, **options)
    paths = [tmp_path / f"{number}.{kind}" for number in range(2)]
    streams = [paths, str(tmp_path / f"*.{kind}")]
    if kind == "parquet":
        streams.append(pyarrow.dataset.dataset(tmp_path))
    for stream in streams:
        found = cc_rapids.components_at(stream, *columns, **options)
        assert found == want
        assert found.merges().to_pylist() == want.merges().to_pylist()
        taken = found.at(0.9).summary()["taken"]
        assert [{*way["columns"]} for way in taken] == [{*columns[0], *columns[1]}]
    one = cc_rapids.components_at(paths[0], *columns, **options)
    assert one == cc_rapids.components_at(table[:3], *columns, **options)


@pytest.mark.filterwarnings("ignore:.* is read as an id")
@pytest.mark.parametrize("columns", [("a", "b"), (["t", "a"], ["t", "b"])], ids=["one", "several"])
def test_text_files_are_of_the_kind_of_those_before(columns, tmp_path):
    paths = [tmp_path / "0.csv", tmp_path / "1.csv"]
    for path, end in zip(paths, ("007", "7"), strict=True):
        path.write_text(f"t,a,b,weight\nx,1,{end},1\nx,NA,{end},1\n")
    cuts = cc_rapids.components_at(paths, *columns, thresholds=[1])
    assert cuts.at(1) == cc_rapids.components(paths, *columns)
    least = cuts.at(1).labels("min")
    assert least[least.schema.names[-1]].to_pylist() == ["007"] * 4
    with pytest.raises(cc_rapids.ColumnTypeError, match="is string, but the 2 vertices so far are"):
        cc_rapids.components_at(paths[::-1], *columns, thresholds=[1], nulls="drop")


def test_what_files_of_several_columns_lack(tmp_path):
    path, columns = tmp_path / "a.csv", (["a", "b"], ["c", "d"])
    WRITERS["csv"](pa.table(ROWS), path)
    options = {"thresholds": [0.5]}
    with pytest.raises(cc_rapids.MissingColumnError, match="has no column 'z'"):
        cc_rapids.components_at(path, ["a", "z"], columns[1], **options)
    with pytest.raises(cc_rapids.MissingColumnError, match="has no column 'heavy'"):
        cc_rapids.components_at(path, *columns, weight="heavy", **options)
    with pytest.raises(
        cc_rapids.InputError, match="'d' is an end of the edges, and cannot be the weight"
    ):
        cc_rapids.components_at(path, *columns, weight="d", **options)
    with pytest.raises(cc_rapids.FormatError, match="line 2: expected a number as weight"):
        cc_rapids.components_at(path, *columns, weight="of", **options)
    with pytest.raises(cc_rapids.ColumnTypeError, match="column 'weight' is a column of floats"):
        cc_rapids.components_at(path, ["a", "weight"], columns[1], weight="b", **options)
    with pytest.raises(cc_rapids.InputError, match="not two ends of an edge"):
        cc_rapids.components_at(path, columns[0], columns[0], **options)
    np.savez(tmp_path / "a.npz", src=[1], dst=[2], weight=[1])
    with pytest.raises(cc_rapids.InputError, match="is npz, whose ids have one column"):
        cc_rapids.components_at(tmp_path / "a.npz", ["src", "dst"], ["dst", "src"], **options)
    for kind in ("csv", "parquet"):
        WRITERS[kind](pa.table(ROWS)[:0], tmp_path / f"none.{kind}")
        with pytest.warns(cc_rapids.CcRapidsWarning, match="no edges"):
            none = cc_rapids.components_at(tmp_path / f"none.{kind}", *columns, **options)
        assert none.labels(0.5).column_names == [
            *columns[0],
            "labels",
        ]


MASKED = {
    "list": lambda values: list(values),
    "masked": lambda values: np.ma.array(
        [value or 0 for value in values], mask=[value is None for value in values]
    ),
    "nullable": lambda values: pd.array(values, "Int64"),
}


@pytest.mark.parametrize("make", MASKED.values(), ids=MASKED)
def test_nulls_of_lists_and_masked_arrays(make):
    pair, weights = (make([1, None, 3, 7]), make([2, 3, 4, 8])), make([9, 9, 5, None])
    with pytest.raises(cc_rapids.NullsError, match="1 null in 4 rows: nulls='drop'"):
        cc_rapids.components_at(pair, weight=weights, thresholds=[9])
    with pytest.raises(cc_rapids.NullsError, match="1 of 4 weights is null or nan"):
        cc_rapids.components_at(([1] * 4, [2] * 4), weight=weights, thresholds=[9])
    for options in ({}, {"num_vertices": 5}):
        cuts = cc_rapids.components_at(
            pair, weight=weights, thresholds=[9, 5], nulls="drop", **options
        )
        labels = dict(zip(*cuts.labels(9), strict=True))
        assert {k: v for k, v in labels.items() if k} == {1: 1, 2: 1, 3: 3, 4: 4}
        assert cuts.at(5).summary()["dropped"] == 2
        assert len(cuts.at(5)) == 2 + len(options)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"thresholds": []}, cc_rapids.InputError, "one number or more"),
        ({"thresholds": [float("nan")]}, cc_rapids.InputError, "nan"),
        ({"thresholds": [1], "weight": "heavy"}, cc_rapids.MissingColumnError, "weight="),
        ({"thresholds": [1], "weight": np.ones(2)}, cc_rapids.InputError, "2 weights and 3 edges"),
        ({"thresholds": [1], "weight": ["a"] * 3}, cc_rapids.ColumnTypeError, "numbers"),
        ({"thresholds": [1], "direction": "up"}, cc_rapids.InputError, "at_least"),
    ],
)
def test_what_cannot_be_cut(options, error, words):
    with pytest.raises(error, match=words):
        cc_rapids.components_at(pd.DataFrame(LINE), **options)


def test_an_unknown_threshold_is_said():
    cuts = cc_rapids.components_at(pd.DataFrame(LINE), thresholds=[0.9])
    with pytest.raises(cc_rapids.InputError, match=r"0\.8 is not one of the thresholds 0\.9"):
        cuts.labels(0.8)
    for threshold in (pd.NA, None, [0.9], np.array([0.9]), "0.9"):
        with pytest.raises(cc_rapids.InputError, match=r"is not one of the thresholds 0\.9"):
            cuts.at(threshold)
    assert cuts.at(np.array(0.9)) is cuts.at(0.9)


TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4", ">f8"]
THRESHOLDS = {
    "integers": [3, 100, 1, -1],
    "beyond small types": [300, 100, 2**40, -(2**40), 2],
    "beyond int64": np.array([2**63 + 5, 100, 2**64 - 1, 0], np.uint64),
    "floats": [0.5, 3, 99.5, 1e9, -1e300],
    "many": [level / 3 for level in range(300)],
}


@each(dtype=TYPES, kind=THRESHOLDS)
def test_weights_are_compared_as_numpy_compares_them(dtype, kind):
    """In one direction each, so that each type and each kind of thresholds has both."""
    turn = TYPES.index(dtype) + list(THRESHOLDS).index(kind)
    direction = ("at_least", "at_most")[turn % 2]
    levels, values = THRESHOLDS[kind], np.arange(0, 120, 3).astype(dtype)
    ends = np.arange(values.size), np.arange(1, values.size + 1)
    with np.errstate(over="ignore"):
        cuts = cc_rapids.components_at(ends, weight=values, thresholds=levels, direction=direction)
        for level in cuts.thresholds:
            own = np.array(level).astype(dtype) if np.dtype(dtype).kind == "f" else level
            within = values >= own if direction == "at_least" else values <= own
            assert cuts.at(level).summary()["edges"] == int(within.sum())
            assert len(cuts.at(level)) == values.size + 1 - int(within.sum())


@pytest.mark.parametrize("direction", ["at_least", "at_most"])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_integers_are_compared_exactly(dtype, direction):
    values = np.array([0, 2**53, 2**53 + 1, 2**63 - 2, 2**63 - 1], dtype)
    ends = np.arange(5), np.arange(1, 6)
    levels = [-1, *values.tolist()]
    cuts = cc_rapids.components_at(ends, weight=values, thresholds=levels, direction=direction)
    edges = [cuts.at(level).summary()["edges"] for level in sorted(levels)]
    assert edges == ([5, 5, 4, 3, 2, 1] if direction == "at_least" else [0, 1, 2, 3, 4, 5])


SPREADS = {
    "as they are": lambda ids: ids,
    "offset": lambda ids: ids - 10**12,
    "beyond int64": lambda ids: ids.astype(np.uint64) + np.uint64(2**63),
    "far apart": lambda ids: ids * 10**12,
}


@pytest.mark.parametrize(
    ("levels", "counts", "threshold"),
    [
        ([2**64 - 1, 5], [3, 1], [5, 5, 5]),
        ((5, 2**64 - 1), [3, 1], [5, 5, 5]),
        ([2**64 - 1, -1, 2**64 - 2], [3, 2, 1], [float(2**64)] * 2 + [-1.0] * 2),
        ([2**64 - 1, 2**64 - 2], [3, 2], [2**64 - 2] * 2),
    ],
)
def test_lists_of_integers_from_2_to_the_63_on_are_no_floats(levels, counts, threshold):
    """NumPy makes floats of such lists if they have lower integers, too: close ones are equal."""
    edges, weights = ([1, 2, 3], [2, 3, 4]), np.array([2**64 - 1, 2**64 - 2, 5], np.uint64)
    found = cc_rapids.components_at(edges, weight=weights, thresholds=levels)
    assert found.thresholds == tuple(sorted(levels, reverse=True))
    assert [len(found.at(level)) for level in found.thresholds] == counts
    assert found.merges().threshold.tolist() == threshold
    tree = cc_rapids.components(edges, weight=weights, forest="max").dendrogram()
    assert tree.cuts(levels) == found
    assert [len(tree.at(level)) for level in found.thresholds] == counts
    assert [len(cut) for cut in map(tree.cuts([2**64, 1]).at, (2**64, 1))] == [4, 1]


@pytest.mark.parametrize("kind", SPREADS)
@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_cuts_of_ids_of_each_spread(engine, kind, dropped, named):
    rng = np.random.default_rng(0)
    src, dst = SPREADS[kind](rng.integers(0, 500, (2, 600)))
    weight = rng.random(600)
    if dropped:
        weight[::7] = np.nan
    edges = pd.DataFrame({"src": src, "dst": dst, "weight": weight})
    options = {"nulls": "drop", "engine": engine}
    more = SPREADS[kind](np.array([3, 700]))
    if named:
        options["vertices"] = more
    cuts = cc_rapids.components_at(edges, thresholds=[0.9, 0.5, 0.1], **options)
    weighed = edges[edges["weight"].notna()]
    every = np.concatenate([weighed["src"], weighed["dst"], more[: 2 * named]])
    for level in cuts.thresholds:
        want = separate(edges, level, "at_least", vertices=every)
        assert cuts.labels(level).equals(want.labels())
        assert cuts.sizes(level).equals(want.sizes())
        assert cuts.at(level).summary()["dropped"] == (86 if dropped else 0)


@pytest.mark.parametrize(
    "design", ["jtb+naive", "rem-cas+halve-one", "hooks+full", "liu-tarjan(PRF)"]
)
def test_cuts_by_other_designs(engine, design):
    rng = np.random.default_rng(1)
    edges = pd.DataFrame(rng.integers(0, 300, (400, 2)), columns=["src", "dst"])
    edges["weight"] = rng.random(400)
    levels = [0.9, 0.6, 0.5, 0.0]
    cuts = cc_rapids.components_at(edges, thresholds=levels, design=design, engine=engine)
    want = cc_rapids.components_at(edges, thresholds=levels)
    assert cuts.at(0.6).summary()["design"] == str(cc_rapids.Design.parse(design))
    for level in levels:
        assert cuts.labels(level).equals(want.labels(level))


@pytest.mark.parametrize("many", [16, 17, 254, 255, 256, 257])
def test_many_thresholds(engine, many):
    """Of as many as fit into a byte, and more; each cut joins one more edge."""
    ends, weight = (np.arange(many), np.arange(1, many + 1)), np.arange(many)
    cuts = cc_rapids.components_at(ends, weight=weight, thresholds=weight, engine=engine)
    assert [len(cuts.at(level)) for level in cuts.thresholds] == list(range(many, 0, -1))
    assert cuts.merges().threshold.tolist() == np.repeat(np.arange(many - 1)[::-1], 2).tolist()


def test_an_answer_is_made_once():
    cuts = cc_rapids.components_at(pd.DataFrame(LINE), thresholds=[0.9, 0.8, 0.7])
    assert cuts.at(0.7) is cuts.at(0.7)
    assert cuts.at(0.9).labels()["labels"].tolist() == [1, 1, 3, 4]  # after a looser one


def test_columns_that_change_meanwhile_are_said(monkeypatch):
    src, dst = np.arange(100), np.arange(1, 101)
    with_offsets = thresholds._with_offsets

    def changing(*given):
        encoded = with_offsets(*given)
        src[50] = 10**12
        return encoded

    monkeypatch.setattr(thresholds, "_with_offsets", changing)
    with pytest.raises(cc_rapids.InputError, match="changed while it was read"):
        cc_rapids.components_at((src, dst), weight=np.ones(100), thresholds=[1])


def random_pairs(m, spread):
    rng = np.random.default_rng(m)
    return tuple(rng.integers(0, m // 4, (2, m)) * spread), rng.random(m)


@pytest.mark.parametrize("spread", [1, 10**12], ids=["near", "far"])
def test_no_column_visits_the_host(spread):
    """As few copies, of as few bytes, for five times the edges."""
    found = []
    for m in (8_000, 40_000):
        ends, weight = random_pairs(m, spread)
        with counted() as backend:
            cuts = cc_rapids.components_at(ends, weight=weight, thresholds=[0.9, 0.5, 0.1])
            cuts.merges()
        found.append(backend.copies)
    for copies in found:
        assert {direction for direction, _ in copies} == {TO_HOST}
        assert sum(size for _, size in copies) <= 512
    assert len(found[0]) == len(found[1])


def test_all_cuts_together_take_the_memory_of_one():
    ends, weight = random_pairs(40_000, 1)
    held = []
    for many in (2, 200):
        levels = np.linspace(0, 1, many).tolist()
        with counted() as backend:
            cuts = cc_rapids.components_at(ends, weight=weight, thresholds=levels)
            held.append(backend.held)
        assert len(cuts) == many
    assert held[0] == held[1] <= 6 * 10_000 + (1 << 17)


@pytest.mark.parametrize("masked", [True, False])
def test_weights_of_several_fields_are_no_numbers(masked):
    pairs = np.array([1, 2]), np.array([2, 3])
    rows = np.array([(1, 2), (3, 4)], [("a", int), ("b", int)])
    weights = np.ma.array(rows) if masked else rows
    with pytest.raises(ColumnTypeError, match="weights must be numbers, but these are"):
        cc_rapids.components_at(pairs, weight=weights, thresholds=[1])


def test_numbers_of_which_none_is_missing_have_no_mask():
    """So that nothing is copied, and no mask is looked at."""
    for column in (np.arange(3.0), np.ma.array(np.arange(3.0)), pd.Series([1.0, 2.0]), [1, 2]):
        values, there = numbers_and_mask(column)
        assert there is None
        assert values.tolist() == list(column)
    values = np.arange(3.0)
    assert np.shares_memory(numbers_and_mask(values)[0], values)
    assert numbers_and_mask(np.ma.array([1.0, 2.0], mask=[0, 1]))[1].tolist() == [True, False]
    assert numbers_and_mask(pd.Series([1.0, None]))[1].tolist() == [True, False]
