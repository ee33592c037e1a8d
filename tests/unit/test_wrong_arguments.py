"""Arguments of wrong types, everywhere: an answer, or an error of ours that names what is wrong."""

import inspect
import uuid
from decimal import Decimal

import dask.dataframe
import duckdb
import igraph
import narwhals as nw
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import cc_rapids
import cc_rapids.integrations.cugraph
import cc_rapids.scipy
from cc_rapids import CcRapidsError, Connectivity
from cc_rapids.data.text_options import KEYWORDS
from cc_rapids.verify.audit import audit_labels

EDGES = pd.DataFrame({"src": [1, 2, 5], "dst": [2, 3, 5], "weight": [0.5, 1.0, 2.0]})
PAIR = EDGES["src"].to_numpy(), EDGES["dst"].to_numpy()
MATRIX = sp.eye_array(3).tocsr()
WRONG = {
    "None": None,
    "True": True,
    "bytes": b"x",
    "empty": "",
    "word": "x" * 1000,
    "NUL": "a\0b",
    "surrogate": "\ud800",
    "nan": float("nan"),
    "float": np.float32(1.5),
    "huge": 2**70,
    "negative": -1,
    "array": np.zeros(2),
    "scalar": np.array(3),
    "words": np.array(["a", "b"]),
    "objects": np.array([None, 1], object),
    "empty list": [],
    "list": ["src"],
    "nested": [[1, 2], [3, [4]]],
    "tuple": (),
    "dict": {"a": 1},
    "set": {1},
    "object": object(),
    "class": dict,
    "NA": pd.NA,
    "series": pd.Series([1, 2]),
    "frame": EDGES[["weight"]],
    "matrix": MATRIX,
}
CHUNKED = ["memory_limit", "checkpoint", "checkpoint_every"]


def one_in_three(values, place):
    """Every third value: those of an argument are others than those of the ones beside it."""
    return list(values.items())[place % 3 :: 3]


def inserted():
    return Connectivity().insert(EDGES)


def asked(found):
    """All that is lazy in an answer, asked for."""
    if isinstance(found, cc_rapids.Components):
        found.labels()
    return found


def cuts():
    return cc_rapids.components_at(EDGES, thresholds=[1])


def explained(**options):
    return cc_rapids.components(**{"explain": True} | options)


def spanned(**options):
    return cc_rapids.spanning_forest(**options)


def of_connectivity(name):
    return lambda **options: getattr(inserted(), name)(**options)


def numbered():
    return cc_rapids.components(EDGES).stable_ids()


def of_answer(name):
    return lambda **options: getattr(cc_rapids.components(EDGES, forest=True), name)(**options)


def parameters(function, but=()):
    names = [name for name in inspect.signature(function).parameters if name not in but]
    return [name for name in names if name != "text"] + [*KEYWORDS] * ("text" in names)


ALL = [*parameters(cc_rapids.components, ("chunked",)), *CHUNKED]
STREAM = parameters(cc_rapids.stream_components, ("progress",))
AT = parameters(cc_rapids.components_at)
PEOPLE = pd.DataFrame({"vertex": [1, 2]})
# What is called, with what is right, and the arguments that get wrong values: by default all
CALLS = {
    "components": (cc_rapids.components, {"edges": EDGES}, ALL),
    "components of arrays": (cc_rapids.components, {"edges": PAIR}, ALL),
    "components of csv": (cc_rapids.components, {"edges": "e.csv"}, ALL),
    "components of items": (cc_rapids.components, {"edges": [EDGES, EDGES]}, ALL),
    "explain": (explained, {"edges": EDGES}, ALL),
    "spanning_forest": (spanned, {"edges": EDGES}, ALL),
    "stream_components": (cc_rapids.stream_components, {"edges": "e.parquet"}, STREAM),
    "is_bipartite": (cc_rapids.is_bipartite, {"edges": PAIR}, ALL),
    "stable_ids": (
        of_answer("stable_ids"),
        {"previous": numbered(), "next_id": 9},
        ["previous", "policy", "next_id"],
    ),
    "report": (
        of_answer("report"),
        {"edges": EDGES},
        ["edges", "source", "destination", "weight", "nulls"],
    ),
    "StableIds.load": (cc_rapids.StableIds.load, {"path": "numbers"}, ["path", "engine"]),
    "StableIds.save": (lambda **one: numbered().save(**one), {}, ["path"]),
    "link_records": (cc_rapids.link_records, {"frame": PEOPLE, "keys": ["vertex"]}),
    "link_pairs": (cc_rapids.link_pairs, {"edges": EDGES, "weight": "weight"}),
    "attach by position": (
        lambda **options: cc_rapids.link_records(PEOPLE, ["vertex"]).attach(**options),
        {"frame": PEOPLE},
        ["frame", "on", "name", "missing", "nulls"],
    ),
    "components_at": (cc_rapids.components_at, {"edges": EDGES, "thresholds": [1]}, AT),
    "components_at of csv": (cc_rapids.components_at, {"edges": "e.csv", "thresholds": [1]}, AT),
    "Connectivity": (Connectivity, {}),
    "Connectivity.load": (Connectivity.load, {"path": "state"}, ["path", "engine"]),
    "connected_components": (cc_rapids.connected_components, {"edges": EDGES}),
    "connected_components of a matrix": (
        cc_rapids.connected_components,
        {"edges": MATRIX},
        ["directed", "connection", "return_labels"],
    ),
    "cuGraph's": (
        cc_rapids.integrations.cugraph.connected_components,
        {"G": MATRIX},
        ["G", "directed", "return_labels", "connection"],
    ),
    "SciPy's": (cc_rapids.scipy.connected_components, {"csgraph": MATRIX}),
    "SciPy's tree": (cc_rapids.scipy.minimum_spanning_tree, {"csgraph": MATRIX}),
    "ndimage.label": (cc_rapids.ndimage.label, {"input": np.eye(3)}),
    "measure.label": (cc_rapids.measure.label, {"label_image": np.eye(3)}),
    "certify_image": (
        cc_rapids.oracle.certify_image,
        {"labels": np.eye(2), "image": np.eye(2), "by_value": True},
    ),
    "minimum_spanning_forest": (
        lambda **options: cc_rapids.minimum_spanning_forest(**options),
        {"edges": EDGES, "weight": "weight"},
        [name for name in ALL if name != "forest"],
    ),
    "maximum_spanning_forest of arrays": (
        lambda **options: cc_rapids.maximum_spanning_forest(**options),
        {"edges": PAIR, "weight": np.arange(3)},
        [name for name in ALL if name != "forest"],
    ),
    "components by weight": (
        cc_rapids.components,
        {"edges": "e.csv", "weight": "weight", "forest": "min"},
        ALL,
    ),
    "Csr": (
        lambda **rows: cc_rapids.components(cc_rapids.Csr(**rows)),
        {"offsets": np.array([0, 1, 2]), "indices": np.array([1, 0])},
        ["offsets", "indices"],
    ),
    "memory_bound": (cc_rapids.memory_bound, {"ids": 5, "answer": 9}, ["ids", "answer", "edges"]),
    "audit_labels": (
        audit_labels,
        {"frame": cc_rapids.components(EDGES).labels(), "edges": EDGES},
        ["frame", "edges", "labels", "engine", "oracle", "source", "destination", "nulls"],
    ),
    "at": (lambda **one: cuts().at(**one), {}, ["threshold"]),
    "attach": (
        of_answer("attach"),
        {"frame": PEOPLE, "on": "vertex", "missing": "null"},
        ["frame", "on", "name", "missing", "nulls"],
    ),
    "deduplicate": (
        of_answer("deduplicate"),
        {"frame": PEOPLE, "on": "vertex", "missing": "drop"},
        ["frame", "on", "by", "ascending", "per", "missing"],
    ),
    "audit": (of_answer("audit"), {"edges": EDGES}, ["edges", "source", "destination", "oracle"]),
    "labels": (of_answer("labels"), {}, ["kind"]),
    "paths": (
        of_answer("paths"),
        {"pairs": EDGES},
        parameters(cc_rapids.Components.paths, ("self",)),
    ),
    "path": (
        of_answer("path"),
        {"first": 1, "second": 3, "edges": EDGES},
        parameters(cc_rapids.Components.path, ("self",)),
    ),
    "plot": (of_answer("plot"), {}, ["kind"]),
    "component_of": (of_answer("component_of"), {}, ["vertices"]),
    "subset": (of_answer("subset"), {}, ["label"]),
    "filter": (of_answer("filter"), {}, ["min_size", "max_size"]),
    "representatives": (of_answer("representatives"), {}, ["by", "ascending"]),
}
FOUND_BY_FORESTS = "bipartition", "bridges", "articulation_points", "biconnected_component_edges"
for word in (*FOUND_BY_FORESTS, "two_edge_connected_components"):
    CALLS[word] = getattr(cc_rapids, word), {"edges": EDGES}, ALL
for word, right in {
    "insert": {"edges": EDGES},
    "connected": {"pairs": EDGES},
    "process": {"batch": EDGES, "query": [True, False, False]},
    "components": {},
    "save": {"path": "state"},
}.items():
    names = parameters(getattr(Connectivity, word), ("self",))
    CALLS[f"Connectivity.{word}"] = of_connectivity(word), right, names


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    EDGES.to_csv("e.csv", index=False)
    EDGES.to_parquet("e.parquet")
    inserted().save("state")
    numbered().save("numbers")


@pytest.mark.usefixtures("files")
@pytest.mark.filterwarnings("ignore")  # of NumPy, NetworkX and others about the values themselves
@pytest.mark.parametrize("name", CALLS)
def test_no_error_is_raw(name):
    function, right, *arguments = CALLS[name]
    told = {}
    for place, argument in enumerate(*arguments or [parameters(function)]):
        for kind, value in one_in_three(WRONG, place):
            try:
                asked(function(**right | {argument: value}))
            except CcRapidsError as error:
                if len(str(error)) > 600:
                    told[argument, kind] = f"a message of {len(str(error))} characters"
            except Exception as error:
                told[argument, kind] = f"{type(error).__name__}: {error}"[:200]
    assert not told


NAMED = {
    "engine": "unknown engine a ndarray",
    "labels": "unknown labels a ndarray",
    "nulls": "unknown nulls policy a ndarray",
    "memory": "unknown memory a ndarray",
    "source": "source= must name a column, but a ndarray is not a name",
    "forest": "forest= must be True or False, not a ndarray",
    "explain": "explain= must be True or False, not a ndarray",
    "progress": "progress= must be True, False or a function, not a ndarray",
    "checkpoint": "checkpoint= must be a path, a str or os.PathLike, not a ndarray",
    "checkpoint_every": "checkpoint_every= must be seconds, 0 or more, not a ndarray",
}


@pytest.mark.parametrize("name", NAMED)
def test_the_argument_is_named(name):
    with pytest.raises(CcRapidsError, match=NAMED[name]):
        cc_rapids.components(EDGES, **{name: np.zeros(2)})


@pytest.mark.parametrize("seconds", [True, -1, float("nan"), "60", None])
def test_seconds_between_checkpoints_are_a_number(seconds):
    with pytest.raises(cc_rapids.ArgumentTypeError, match="checkpoint_every= must be seconds"):
        cc_rapids.components([EDGES], checkpoint_every=seconds)


def test_words_are_no_flags():
    for word in ("no", "false", 2, [0]):
        with pytest.raises(cc_rapids.ArgumentTypeError, match="forest= must be True or False, not"):
            cc_rapids.components(EDGES, forest=word)
    for flag in (np.bool_(True), 1, np.True_):
        assert len(cc_rapids.components(EDGES, forest=flag).forest()) == 2


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("path", [0, 1, True, np.int64(1), b"state", "", "a\0b", "\ud800"])
def test_numbers_and_bytes_are_no_paths(path, capfd):
    seen = inserted()
    for call in (seen.save, Connectivity.load):
        with pytest.raises(cc_rapids.InputError, match="path="):
            call(path)
    with pytest.raises(cc_rapids.InputError, match="checkpoint="):
        cc_rapids.components(EDGES, checkpoint=path)
    print("standard output is open")
    assert capfd.readouterr().out == "standard output is open\n"


def test_a_plan_of_a_spanning_forest():
    plan = cc_rapids.spanning_forest(EDGES, explain=True)
    same = cc_rapids.components(EDGES, forest=True, explain=True)
    assert plan == same


class Refusing:
    """An object whose every protocol fails, as those of libraries on a device may."""

    def fail(self, *given, **more):
        raise RuntimeError("not on the host")

    __array__ = __len__ = __iter__ = __getitem__ = __arrow_c_stream__ = fail


TABLE = pa.table(EDGES)
FOREIGN = {
    "graph of NetworkX": lambda: nx.path_graph(3),
    "view of NetworkX": lambda: nx.path_graph(3).edges,
    "graph of igraph": lambda: igraph.Graph(n=3, edges=[(0, 1)]),
    "reader": lambda: TABLE.rename_columns(["left", "right", "w"]).to_reader(),
    "relation": lambda: duckdb.from_arrow(TABLE),
    "frame of Dask": lambda: dask.dataframe.from_pandas(EDGES, npartitions=2),
    "series of Dask": lambda: dask.dataframe.from_pandas(EDGES, npartitions=2)["src"],
    "expression": lambda: pl.col("src"),
    "lazy frame": lambda: pl.LazyFrame(TABLE),
    "narwhals": lambda: nw.from_native(EDGES),
    "levels": lambda: pd.MultiIndex.from_tuples([(1, 2), (2, 3)]),
    "fields": lambda: np.zeros(2, [("src", "i8"), ("dst", "i8")]),
    "nested": lambda: pa.chunked_array([[[1, 2], [3]]]),
    "group": lambda: EDGES.groupby("src"),
    "generator": lambda: ((k, k + 1) for k in range(3)),
    "objects": lambda: pd.Series([uuid.UUID(int=1), Decimal(2), None, (1, 2)]),
    "dates": lambda: pd.date_range("2026-01-01", periods=3),
    "swapped": lambda: np.array([1, 2, 5], ">i8"),
    "module": lambda: np,
    "refusing": Refusing,
}
ANSWERS = {  # methods of answers, and what is right; those without an argument for objects are not
    cc_rapids.Components: lambda: cc_rapids.components(EDGES, weight="weight", forest="max"),
    Connectivity: lambda: Connectivity(keep_forest=True).insert(EDGES),
    cc_rapids.Dendrogram: lambda: cc_rapids.components(
        EDGES, weight="weight", forest="max"
    ).dendrogram(),
}
WRITES = {"save", "to_csv", "to_parquet", "load", "plot", "to_feather"}  # to paths, or to a screen
PLACES = {"weight": "weight", "thresholds": [1], "keys": ["src"], "kind": "path"}


def takes_objects():
    """Yield the name, a maker and the required arguments of each public function and method."""
    for name in cc_rapids.__all__:
        function = getattr(cc_rapids, name)
        if inspect.isfunction(function):
            yield name, lambda own=function: own
    for kind, make in ANSWERS.items():
        for name, _ in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and name not in WRITES:
                yield f"{kind.__name__}.{name}", lambda make=make, name=name: getattr(make(), name)


TAKING = dict(takes_objects())


@pytest.mark.slow
@pytest.mark.usefixtures("files")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TAKING)
def test_foreign_objects_never_end_in_a_raw_error(name):
    """Each argument is each object in turn, beside edges or ids for the others that are needed."""
    make = TAKING[name]
    known = inspect.signature(make()).parameters.values()
    others = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL
    plain = [one for one in known if one.kind not in others and one.name != "progress"]
    right = {
        one.name: PLACES.get(one.name, EDGES) for one in plain if one.default is inspect._empty
    }
    told = {}
    for place, argument in enumerate(plain):
        for kind, foreign in one_in_three(FOREIGN, place):
            try:
                asked(make()(**right | {argument.name: foreign()}))
            except CcRapidsError:
                pass
            except Exception as error:
                told[argument.name, kind] = f"{type(error).__name__}: {error}"[:200]
    assert not told
