"""Answers that keep the bounds of their edges, and rows that are numbered by the caller's list."""

import copy
import io
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
import scipy.sparse as sp

import cc_rapids
from cc_rapids import Components, bipartition, bridges
from cc_rapids.data.frame_access import column_of, columns_of
from cc_rapids.errors import InputError, MissingColumnError, VerificationError

FRAME = pd.DataFrame(
    {
        "src": [7, 1, 2, 1, 3, 4, 5],
        "dst": [8, 2, 3, 3, 4, 5, 1],
        "w": [0.1, 0.99, 0.96, 0.195, 0.97, 0.2, 0.96],
    }
)
BOUND = {"weight": "w", "at_least": 0.95}
WITHIN = [1, 2, 4, 6]
PAIR = FRAME["src"].to_numpy(), FRAME["dst"].to_numpy()


def to_parquet(folder):
    FRAME.to_parquet(folder / "edges.parquet")
    return folder / "edges.parquet"


def to_csv(folder):
    FRAME.to_csv(folder / "edges.csv", index=False)
    return folder / "edges.csv"


FORMS = {
    "pandas": lambda _: FRAME,
    "Polars": lambda _: pl.from_pandas(FRAME),
    "lazy": lambda _: pl.from_pandas(FRAME).lazy(),
    "PyArrow": lambda _: pa.Table.from_pandas(FRAME),
    "mapping": lambda _: {name: FRAME[name].to_numpy() for name in FRAME},
    "Parquet": to_parquet,
    "csv": to_csv,
}
UNNAMED = {
    "arrays": PAIR,
    "lists": tuple(side.tolist() for side in PAIR),
    "pairs": list(zip(*(side.tolist() for side in PAIR), strict=True)),
    "array": np.stack(PAIR, axis=1),
}


def rows(frame, name="row"):
    return np.asarray(column_of(frame, name)).tolist()


def without_weights(edges, folder):
    """Return the same list without its column of weights."""
    if isinstance(edges, dict):
        return {name: edges[name] for name in ("src", "dst")}
    if not hasattr(edges, "suffix"):
        return edges.select(["src", "dst"]) if hasattr(edges, "select") else edges[["src", "dst"]]
    path = folder / f"lacking{edges.suffix}"
    two = FRAME[["src", "dst"]]
    two.to_csv(path, index=False) if edges.suffix == ".csv" else two.to_parquet(path)
    return path


@pytest.mark.parametrize("form", FORMS)
def test_later_lists_are_read_within_the_bounds(form, tmp_path):
    edges = FORMS[form](tmp_path)
    found = cc_rapids.components(edges, **BOUND)
    path = found.path(1, 4, edges, shortest=True)
    assert (rows(path), rows(path, "weight")) == ([1, 2, 4], [0.99, 0.96, 0.97])
    assert found.audit(edges).edges == len(WITHIN)
    lacking = without_weights(edges, tmp_path)
    for call in (lambda: found.path(1, 4, lacking, shortest=True), lambda: found.audit(lacking)):
        with pytest.raises(MissingColumnError, match=r"at_least=0.95 of column 'w'.* weight=None"):
            call()
    said = {"weight": None}  # that all of these are within
    assert rows(found.path(1, 4, lacking, shortest=True, **said)) == [3, 4]
    with pytest.raises(VerificationError):
        found.audit(lacking, **said)
    found.save(tmp_path / "answer")
    for same in (
        copy.copy(found),
        pickle.loads(pickle.dumps(found)),
        Components.load(tmp_path / "answer"),
    ):
        assert rows(same.path(1, 4, edges, shortest=True)) == [1, 2, 4]


@pytest.mark.parametrize("form", UNNAMED)
def test_weights_of_arrays_are_passed_again(form):
    edges, weight = UNNAMED[form], FRAME["w"].to_numpy()
    found = cc_rapids.components(edges, weight=weight, at_least=0.95)
    assert rows(found.path(1, 4, edges, shortest=True, weight=weight)) == [1, 2, 4]
    assert rows(found.path(1, 4, FRAME, shortest=True, weight="w")) == [1, 2, 4]
    with pytest.raises(InputError, match=r"of an array of weights.* weight=None"):
        found.path(1, 4, edges)
    with pytest.raises(InputError, match=r"weight=None if all these edges are within the bounds"):
        found.audit(edges)
    assert found.audit(edges, weight=weight).edges == len(WITHIN)
    for forest in (True, "max"):
        made = cc_rapids.components(edges, weight=weight, at_least=0.95, forest=forest)
        assert rows(made.forest()) == WITHIN


def test_an_answer_in_chunks_keeps_its_bounds(tmp_path):
    path = str(to_parquet(tmp_path))
    for found in (
        cc_rapids.stream_components(path, **BOUND, memory_limit="64MiB"),
        cc_rapids.components(iter([FRAME[:3], FRAME[3:]]), **BOUND),
    ):
        assert rows(found.path(1, 4, FRAME, shortest=True)) == [1, 2, 4]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("forest", [True, "min", "max"])
def test_forests_within_bounds_name_the_rows_of_the_list(form, forest, tmp_path):
    edges = FORMS[form](tmp_path)
    found = cc_rapids.components(edges, **BOUND, forest=forest)
    assert rows(found.forest()) == WITHIN
    assert found.summary()["edges"] == len(WITHIN)
    assert rows(found.path(5, 2)) == [6, 1]
    words = {"forest": forest} | ({} if forest is True else {"weight": "w"})
    assert found.audit(edges, **words).edges == len(WITHIN)
    pairs = [5, 1], [2, 3]
    proof = found.audit_paths(
        found.paths(pairs), pairs, edges, **({} if forest is True else {"weight": "w"})
    )
    assert proof.pairs == 2
    if forest is not True:
        function = getattr(cc_rapids, f"{forest}imum_spanning_forest")
        assert rows(function(edges, **BOUND)) == WITHIN
        assert rows(found.paths(pairs), "weakest_row") == ([1, 1] if forest == "min" else [6, 2])
    assert rows(cc_rapids.spanning_forest(edges, **BOUND)) == WITHIN


def test_dropped_edges_and_those_outside_are_told_apart():
    frame = FRAME.assign(src=FRAME["src"].astype("Int64"))
    frame.loc[[0, 1], "src"] = pd.NA  # one within the bound, and one outside
    with pytest.raises(cc_rapids.NullsError):
        cc_rapids.components(frame, **BOUND, forest="max")
    found = cc_rapids.components(frame, **BOUND, forest="max", nulls="drop")
    assert (rows(found.forest()), found.summary()["dropped"]) == ([2, 4, 6], 1)
    assert rows(found.path(2, 4, frame, shortest=True)) == [2, 4]


@pytest.mark.parametrize("form", FORMS)
def test_bridges_and_odd_cycles_name_the_rows_of_the_list(form, tmp_path):
    edges = FORMS[form](tmp_path)
    assert rows(bridges(edges, **BOUND)) == WITHIN
    sides = bipartition(edges, weight="w", at_least=0.19)
    assert rows(sides.odd_cycles()) == [3, 2, 1] or sorted(rows(sides.odd_cycles())) == [1, 2, 3]
    assert sides.audit(edges).edges == 6
    found = cc_rapids.components(edges, **BOUND)
    assert found.audit(edges, bridges=bridges(edges, **BOUND)).edges == len(WITHIN)


def test_a_report_and_the_edges_of_a_component_are_within_the_bounds():
    found = cc_rapids.components(FRAME, **BOUND)
    assert found.report(FRAME).overall()["edges"].tolist() == [4]
    each = found.report(FRAME, weight="w").components()
    assert (each["edges"].tolist(), each["weakest_row"].tolist()) == ([4], [2])
    assert found.edges(1, FRAME).index.tolist() == WITHIN
    lacking = FRAME[["src", "dst"]]
    for call in (found.report, lambda edges: found.edges(1, edges)):
        with pytest.raises(MissingColumnError, match=r"at_least=0.95 of column 'w'"):
            call(lacking)
    assert found.edges(1, lacking, weight=None).index.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.report(lacking.loc[WITHIN], weight=None).overall()["edges"].tolist() == [4]


@pytest.mark.slow
def test_other_lists_are_read_within_the_bounds_or_refused():
    found = cc_rapids.components(FRAME, **BOUND)
    text = FRAME.to_csv(index=False).encode()
    assert rows(found.path(1, 4, io.BytesIO(text), shortest=True)) == [1, 2, 4]
    dataset = ds.dataset(pa.Table.from_pandas(FRAME))
    assert rows(found.path(1, 4, dataset, shortest=True)) == [1, 2, 4]
    for edges in (io.BytesIO(text), dataset):
        made = cc_rapids.components(edges, **BOUND, forest="max")
        assert rows(made.forest()) == WITHIN
    assert rows(cc_rapids.spanning_forest(dataset, **BOUND)) == WITHIN
    lacking = io.BytesIO(FRAME[["src", "dst"]].to_csv(index=False).encode())
    for edges in (lacking, sp.eye(9, format="csr")):
        with pytest.raises(MissingColumnError, match=r"at_least=0.95 of column 'w'.* weight=None"):
            found.path(1, 4, edges, shortest=True)
    for edges in (iter([FRAME]), [FRAME]):
        with pytest.raises(InputError, match="read them into one frame"):
            found.path(1, 4, edges, shortest=True)
    tree = cc_rapids.components(FRAME, **BOUND, forest="max").dendrogram()
    assert tree.audit(FRAME, weight="w").merges == 4
    assert tree.split(2).parts.path(1, 2, FRAME, shortest=True)["row"].tolist() == [1]
    axes = found.plot("component", FRAME)
    assert axes.lines
    plt.close(axes.figure)
    with pytest.raises(MissingColumnError, match="for a drawing"):
        found.plot("component", FRAME[["src", "dst"]])


def test_answers_at_a_threshold_keep_it():
    tree = cc_rapids.components(FRAME, weight="w", forest="max").dendrogram()
    cuts = cc_rapids.components_at(FRAME, weight="w", thresholds=[0.95, 0.1])
    for found in (tree.at(0.95), cuts.at(0.95), tree.cuts([0.95, 0.1]).at(0.95)):
        assert rows(found.path(1, 4, FRAME, shortest=True)) == [1, 2, 4]
    assert rows(cuts.at(0.1).path(1, 4, FRAME, shortest=True)) == [3, 4]
    tree = cc_rapids.components(FRAME, **BOUND, forest="max").dendrogram()
    assert rows(tree.at(0.1).path(1, 4, FRAME, shortest=True)) == [1, 2, 4]
    far = cc_rapids.components(FRAME, weight="w", at_most=0.2, forest="min").dendrogram().at(0.195)
    assert rows(far.path(1, 3, FRAME)) == [3]
    with pytest.raises(InputError, match="are in two components"):
        far.path(4, 5, FRAME, shortest=True)


def test_weights_are_shown_where_the_answer_knows_their_column():
    found = cc_rapids.components(FRAME, weight="w", forest="max")
    assert columns_of(found.path(1, 4, FRAME, shortest=True))[-1] == "weight"
    assert "weight" not in found.path(1, 4, FRAME[["src", "dst"]], shortest=True)
    assert "weight" not in cc_rapids.components(FRAME).path(1, 4, FRAME, shortest=True)
