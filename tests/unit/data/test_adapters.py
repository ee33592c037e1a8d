"""Kinds of edges: each is accepted by one adapter, and nobody else looks at their type."""

import ast
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from scipy.sparse import coo_array

import cc_rapids
from cc_rapids import InputError
from cc_rapids.data import adapters
from cc_rapids.data.adapters import ADAPTERS, ANYTHING, PAIRS, adapter_of
from cc_rapids.data.edge_input import Lending
from cc_rapids.data.foreign import opened
from cc_rapids.data.read import read

PACKAGE = Path(cc_rapids.__file__).parent
SRC, DST = np.array([5, 2]), np.array([2, 7])
TABLE = pa.table({"src": SRC, "dst": DST})
KINDS = {
    "Pairs": [(SRC, DST), (pd.Series(SRC), pd.Series(DST)), ([5, 2], [2, 7])],
    "Frames": [
        pd.DataFrame({"src": SRC, "dst": DST}),
        pl.DataFrame({"src": SRC, "dst": DST}),
        pl.LazyFrame({"src": SRC, "dst": DST}),
        TABLE,
        *TABLE.to_batches(),
        pd.DataFrame({"src": SRC, "dst": DST, "tocoo": SRC, "as_gpu_object": SRC}),
    ],
    "CsrRows": [cc_rapids.Csr(np.array([0, 1, 1]), np.array([1]))],
    "Matrices": [coo_array((np.ones(2), (SRC, DST)), shape=(8, 8))],
    "Paths": ["edges.csv", Path("edges.csv")],
    "SeveralFiles": ["*.csv", "s3://bucket/edges.csv", ["a.csv", "b.csv"]],
    "Datasets": [ds.dataset(TABLE)],
    "Readers": [TABLE.to_reader()],
    "Batches": [iter([TABLE]), [TABLE, TABLE], (pair for pair in [(SRC, DST)])],
    "PairLists": [[SRC, DST], []],
    "EdgeArrays": [np.zeros((2, 2)), np.array([SRC, DST])],
    "Mappings": [{"src": SRC, "dst": DST}, {}],
    "Unopened": [nx.Graph(), nx.path_graph(3).edges],
    "OpenedGraphs": [opened(nx.Graph())],
    "Anything": [5, None, pd.Series(SRC)],
}
STREAMS = {"SeveralFiles", "Datasets", "Readers", "Batches"}


@pytest.mark.parametrize(("name", "edges"), [(k, e) for k, es in KINDS.items() for e in es])
def test_each_kind_of_edges_has_one_adapter(name, edges):
    adapter = adapter_of(edges)
    assert type(adapter).__name__ == name
    assert adapter.is_stream == (name in STREAMS)
    assert adapter.names_files == (name in {"Paths", "SeveralFiles"})


def test_adapters_are_in_one_tuple_the_last_of_which_accepts_all():
    assert len({type(adapter) for adapter in ADAPTERS}) == len(ADAPTERS)
    assert type(ADAPTERS[0]).__name__ == "CudfFrames"
    assert [adapter.accepts(object()) for adapter in ADAPTERS] == [False] * (len(ADAPTERS) - 1) + [
        True
    ]


def test_a_type_is_asked_about_once_where_it_tells_all(monkeypatch):
    class Pair(tuple):
        pass

    class Path(str):
        pass

    assert [adapter_of(kind()) for kind in (Pair, Path)] == [PAIRS, adapter_of("a.csv")]
    assert adapter_of(Path("*.csv")) is adapter_of("*.csv") is not adapter_of(Path("a.csv"))
    monkeypatch.setattr(adapters, "ADAPTERS", [ANYTHING])
    assert adapter_of(Pair()) is PAIRS
    monkeypatch.setattr(adapters.Paths, "accepts", lambda *_: False)
    assert type(adapter_of(Path("a.csv"))) is not adapters.Paths


def test_what_has_its_own_vertices_takes_no_others():
    for name in ("CsrRows", "Matrices"):
        for edges in KINDS[name]:
            with pytest.raises(InputError, match=r"own .*leave out vertices"):
                cc_rapids.components(edges, vertices=[1])


@pytest.mark.parametrize("name", ["Pairs", "Frames", "Matrices", "CsrRows"])
def test_columns_are_borrowed_and_row_offsets_beside_them(name):
    found = read(KINDS[name][0], None, None, None, None, "raise")
    with Lending(found) as (columns, offsets):
        assert len(offsets) == (found.row_offsets is not None)
        assert [column.size for column in columns] == [found.src.size, found.dst.size]
    named = read((SRC, DST), None, None, [4], None, "raise")
    with Lending(named) as (columns, _):
        assert columns[2].tolist() == [4]


def test_to_accept_edges_imports_nothing():
    code = (
        "import numpy, sys; from cc_rapids.data.adapters import ADAPTERS\n"
        "before = set(sys.modules)\n"
        "for edges in ((), [], 'a', 5, numpy.zeros(2), iter(()), ['a'], [()]):\n"
        "    [adapter.accepts(edges) for adapter in ADAPTERS]\n"
        "print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.slow
def test_nobody_but_adapters_asks_for_the_type_of_edges():
    """Nor do the contracts of other libraries, whose functions take what theirs do."""
    asked = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith(("integrations/", "data/")) or name.endswith("oracle/peers.py"):
            continue
        asked += [
            f"{name}:{node.lineno}"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "hasattr", "is_graph", "is_cudf_frame")
            and isinstance(node.args[0], ast.Name)
            and node.args[0].id in ("edges", "batch", "pairs")
        ]
    assert asked == []


def test_batches_are_tuples_of_lazy_frames_of_one_column():
    source, destination = pl.LazyFrame({"a": [1, 2]}), pl.LazyFrame({"b": [2, 3]})
    found = cc_rapids.components(iter([(source, destination)]))
    assert (len(found), found.ledger["given"]) == (1, 2)
