"""The columns of both ends by their names: one rule at every door, ids of two columns with it."""

import io

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import cc_rapids
from cc_rapids import InputError, MissingColumnError

M = 60


def pairs_of(
    stems=("source_dataset", "unique_id"), affixes=("{}_l", "{}_r"), dataset="ab".__getitem__
):
    """Scored pairs of records of two datasets, in which ids begin at 0."""
    random = np.random.default_rng(3)
    columns = {"match_probability": random.random(M)}
    for affix in affixes:
        columns[affix.format(stems[0])] = [dataset(one) for one in random.integers(0, 2, M)]
        columns[affix.format(stems[1])] = random.integers(0, 30, M)
    return pd.DataFrame(columns)


PAIRS = pairs_of()
TABLE = pa.Table.from_pandas(PAIRS, preserve_index=False)
IN_MEMORY = {
    "pandas": lambda: PAIRS,
    "polars": lambda: pl.from_pandas(PAIRS),
    "lazy": lambda: pl.from_pandas(PAIRS).lazy(),
    "pyarrow": lambda: TABLE,
    "record batch": lambda: TABLE.to_batches()[0],
    "relation": lambda: duckdb.from_arrow(TABLE),
    "mapping": lambda: {name: PAIRS[name].tolist() for name in PAIRS},
    "reader": TABLE.to_reader,
    "dataset in memory": lambda: pa.dataset.dataset(TABLE),
    "batches": lambda: [PAIRS[:20], PAIRS[20:]],
    "generator": lambda: (TABLE.slice(at, 20) for at in (0, 20, 40)),
}
FILES = {
    "csv": lambda path: PAIRS.to_csv(path / "a.csv", index=False) or path / "a.csv",
    "csv.gz": lambda path: PAIRS.to_csv(path / "a.csv.gz", index=False) or path / "a.csv.gz",
    "utf-16": lambda path: (
        PAIRS.to_csv(path / "a.csv", index=False, encoding="utf-16") or path / "a.csv"
    ),
    "tsv": lambda path: PAIRS.to_csv(path / "a.tsv", index=False, sep="\t") or path / "a.tsv",
    "parquet": lambda path: pq.write_table(TABLE, path / "a.pq") or path / "a.pq",
    "feather": lambda path: pa.feather.write_feather(TABLE, path / "a.arrow") or path / "a.arrow",
    "bytes": lambda path: io.BytesIO(FILES["parquet"](path).read_bytes()),
    "list": lambda path: [FILES["csv"](path), FILES["parquet"](path)],
    "folder": lambda path: FILES["list"](path)[0].parent,
    "dataset": lambda path: pa.dataset.dataset(FILES["parquet"](path)),
}
SCORED = {"weight": "match_probability", "engine": "threads"}
CALLS = {
    "components": lambda edges: cc_rapids.components(edges, engine="threads"),
    "bound": lambda edges: cc_rapids.components(edges, at_least=0.5, **SCORED),
    "stream": lambda edges: cc_rapids.stream_components(edges, engine="threads"),
    "Connectivity": lambda edges: cc_rapids.Connectivity(engine="threads").insert(edges),
    "components_at": lambda edges: cc_rapids.components_at(edges, thresholds=[0.5, 0], **SCORED),
    "forest": lambda edges: cc_rapids.components(edges, forest="max", **SCORED),
}
AT_ONCE = "batches", "generator"  # that have no forest


def groups(found):
    frame = found.labels("dense")
    frame = (
        frame.df()
        if hasattr(frame, "df")
        else pd.DataFrame({n: frame[n] for n in frame})
        if (isinstance(frame, dict | pd.DataFrame))
        else pa.table(frame).to_pandas()
    )
    ids = [name for name in frame if name != "labels"]
    rows = zip(frame["labels"], *(frame[name].astype(str) for name in ids), strict=True)
    found = {}
    for label, *key in rows:
        found.setdefault(label, set()).add(tuple(key))
    return sorted(map(sorted, found.values()))


def expected(pairs, names=("source_dataset", "unique_id"), affixes=("{}_l", "{}_r")):
    sides = [
        zip(*(pairs[affix.format(name)].astype(str) for name in names), strict=True)
        for affix in affixes
    ]
    return sorted(map(sorted, nx.connected_components(nx.Graph(zip(*sides, strict=True)))))


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("door", [*IN_MEMORY, *FILES])
def test_datasets_are_part_of_the_ids_at_every_door(tmp_path, door, call):
    if call == "forest" and door in AT_ONCE:
        pytest.skip("no such answer")
    edges = IN_MEMORY[door]() if door in IN_MEMORY else FILES[door](tmp_path)
    found = CALLS[call](edges)
    if call == "Connectivity":
        found = found.components()
    if call == "components_at":
        assert groups(found.at(0)) == expected(PAIRS)
        assert len(found.at(0.5)) > len(found.at(0))
        found = found.at(0)
    within = PAIRS[PAIRS["match_probability"] >= 0.5] if call == "bound" else PAIRS
    assert groups(found) == expected(within)
    if call == "components":
        facts = found.summary()
        columns = facts.get("columns") or facts["taken"][0]["columns"]
        assert sorted(columns) == sorted(set(PAIRS) - {"match_probability"})


@pytest.mark.parametrize("door", ["pandas", "polars", "lazy"])
def test_datasets_are_part_of_the_ids_of_accessors(door):
    import cc_rapids.accessor  # noqa: F401

    edges = IN_MEMORY[door]()
    assert groups(edges.cc.components()) == expected(PAIRS)
    rows = edges.cc.attach(name="group", labels="dense")
    rows = rows.collect() if door == "lazy" else rows
    ends = zip(PAIRS["source_dataset_l"], PAIRS["unique_id_l"].astype(str), strict=True)
    of = {vertex: k for k, group in enumerate(expected(PAIRS)) for vertex in group}
    assert len({*zip(rows["group"], map(of.get, ends), strict=True)}) == len({*rows["group"]})


@pytest.mark.parametrize(
    ("stem", "word", "affixes"),
    [
        ("unique_id", "source_dataset", ("{}_l", "{}_r")),
        ("UNIQUE_ID", "Source_Dataset", ("{}_L", "{}_r")),
        ("id", "dataset", ("{}_l", "{}_r")),
        ("rec_id", "table", ("{}_1", "{}_2")),
        ("id", "dataset", ("{}1", "{}2")),
        ("id", "source", ("left_{}", "right_{}")),
        ("id", "source_table", ("{}_a", "{}_b")),
    ],
)
def test_known_pairs_and_their_datasets(stem, word, affixes):
    pairs = pairs_of((word, stem), affixes, int)
    assert groups(cc_rapids.components(pairs)) == expected(pairs, (word, stem), affixes)
    one = [affix.format(stem) for affix in affixes]
    alone = expected(pairs, (stem,), affixes)
    assert groups(cc_rapids.components(pairs, *one)) == alone  # as it is named
    others = pairs.drop(columns=[affix.format(word) for affix in affixes])
    assert groups(cc_rapids.components(others)) == alone
    with pytest.raises(MissingColumnError, match=affixes[1].format(word).lower()):
        cc_rapids.components(pairs.drop(columns=affixes[1].format(word)))
    with pytest.raises(InputError, match="name both ends"):
        cc_rapids.components(pairs, one[0])


@pytest.mark.parametrize(
    ("names", "options", "says"),
    [
        ("src,dst,left,right", {}, "src and dst or left and right"),
        ("source,target,destination", {}, "which two columns are the ids"),
        ("id,from_acct,to_acct,amount,when", {}, "which two columns are the ids"),
        ("src,dst,src_dataset,dst_dataset", {}, "may be part of the ids"),
        ("id_l,id_r,dataset_l,dataset_r,table_l,table_r", {}, "dataset_l and dataset_r; table_l"),
        ("id,src", {"source": "src"}, None),
        ("a,b", {}, None),
        ("weight,a,b", {"weight": "weight", "at_least": 0}, None),
        ("weight,src,dst,u,v", {"weight": "u", "at_least": 0}, None),
    ],
)
def test_what_is_not_known_is_asked_for(tmp_path, names, options, says):
    frame = pd.DataFrame([range(2, 2 + names.count(",") + 1)] * 2, columns=names.split(","))
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    header = {"header": True} if names == "a,b" or "weight" in names or options else {}
    doors = [(frame, {}), (tmp_path / "a.csv", header), (tmp_path / "a.parquet", {})]
    doors += [([frame], {}), (pa.dataset.dataset(tmp_path / "a.parquet"), {})]
    for edges, more in doors:
        if says is None:
            assert len(cc_rapids.components(edges, **options, **more)) == 1
            continue
        with pytest.raises(MissingColumnError, match=says) as caught:
            cc_rapids.components(edges, **options, **more)
        assert "source= and destination= (--source, --destination)" in str(caught.value)


EMPTY = {
    **{name: CALLS[name] for name in ("components", "stream", "Connectivity")},
    "components_at": lambda edges: cc_rapids.components_at(edges, thresholds=[1]),
    "forest": cc_rapids.spanning_forest,
}


@pytest.mark.parametrize("call", EMPTY)
@pytest.mark.parametrize("content", ["", "src,dst,weight\n"])
def test_files_without_edges_are_warned_of(tmp_path, content, call):
    (tmp_path / "a.csv").write_text(content)
    for edges, name in ((tmp_path / "a.csv", "a.csv holds"), ([tmp_path / "a.csv"], "files hold")):
        with pytest.warns(cc_rapids.CcRapidsWarning, match=f"{name} no edges$") as warned:
            EMPTY[call](edges)
        assert len(warned) == 1
