"""Stand-ins for cuGraph and pylibcugraph where there is no GPU.

They hold what the real classes hold after the same calls, in frames of pandas: a graph keeps the
user's frame, its own edge list (numbered in no order of the user's, as cuGraph's hash tables do),
and a handle of pylibcugraph's with all its vertices. The originals answer with -1, so that no test
takes theirs for ours.
"""

import threading
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd


class SGGraph:
    def __init__(self, src, dst, vertices=None):
        self.src, self.dst = np.asarray(src), np.asarray(dst)
        named = np.concatenate([self.src, self.dst])
        self.vertices = np.unique(named if vertices is None else np.asarray(vertices))


class MGGraph(SGGraph):
    pass


class ResourceHandle:
    """A handle of one rank, whose ranks are threads here."""

    def __init__(self, ranks=None, rank=0):
        self.ranks, self.rank = ranks or Ranks(1), rank


class Ranks:
    """Some ranks that wait for each other wherever they send something."""

    def __init__(self, count, patience=20):
        self.given, self.patience = [None] * count, patience
        self.barrier = threading.Barrier(count)
        self.sent = []  # the edges of each rank at each step

    def gathered(self, rank, pair):
        self.given[rank] = pair
        if self.barrier.wait(self.patience) == 0:
            self.sent.append([len(src) for src, _ in self.given])
        found = [np.concatenate(side) for side in zip(*self.given, strict=True)]
        self.barrier.wait(self.patience)
        return found


def decompress_to_edgelist(resource_handle, graph, do_expensive_check):
    assert isinstance(resource_handle, ResourceHandle)
    both = np.concatenate([graph.src, graph.dst]), np.concatenate([graph.dst, graph.src])
    return (*both, None, None, None)


def out_degrees(resource_handle, graph, source_vertices, do_expensive_check):
    assert isinstance(resource_handle, ResourceHandle)
    assert source_vertices is None
    named, degrees = np.unique(np.concatenate([graph.src, graph.dst]), return_counts=True)
    return named, degrees


def replicate_edgelist(
    resource_handle, src_array, dst_array, weight_array, edge_id_array, edge_type_id_array
):
    assert isinstance(resource_handle, ResourceHandle)
    assert len(src_array) == len(dst_array) > 0
    found = resource_handle.ranks.gathered(resource_handle.rank, (src_array, dst_array))
    return (*found, None, None, None, np.array([0, len(found[0])]))


def extract_vertex_list(resource_handle, graph, do_expensive_check):
    assert isinstance(resource_handle, ResourceHandle)
    return graph.vertices[::-1].copy()


class Graph:
    def __init__(self, directed=False):
        self._Impl = None
        self.graph_properties = SimpleNamespace(directed=directed)

    def __getattr__(self, name):
        if name == "_Impl":
            raise AttributeError(name)
        return getattr(self._Impl, name)

    def is_directed(self):
        return self.graph_properties.directed

    def is_multi_gpu(self):
        return False

    def number_of_vertices(self):
        return len(self._plc_graph.vertices)

    def _hold(self, **state):
        held = {"edgelist": None, "adjlist": None, "input_df": None, "renumber_map": None}
        renumbered = "renumber_map" in state
        properties = SimpleNamespace(renumbered=renumbered)
        self._Impl = SimpleNamespace(properties=properties, **(held | state))

    def from_edgelist(
        self, frame, source, destination, edge_attr=None, renumber=True, vertices=None
    ):
        weights = {} if edge_attr is None else {"weights": frame[edge_attr]}
        columns = {"source_columns": source, "destination_columns": destination, "input_df": frame}
        if not isinstance(source, list) and str(frame[source].dtype) in ("int32", "int64"):
            edges = pd.DataFrame({"src": frame[source], "dst": frame[destination]} | weights)
            top = (
                None
                if renumber
                else np.arange(edges.to_numpy().max() + 1, dtype=edges["src"].dtype)
            )
            handle = SGGraph(edges["src"], edges["dst"], top if vertices is None else vertices)
            self._hold(edgelist=SimpleNamespace(edgelist_df=edges), _plc_graph=handle, **columns)
            return
        sides = [side if isinstance(side, list) else [side] for side in (source, destination)]
        ends = [frame[side].set_axis([str(k) for k in range(len(side))], axis=1) for side in sides]
        table = pd.concat(ends).drop_duplicates().sample(frac=1, random_state=7, ignore_index=True)
        table["id"] = np.arange(len(table), dtype=np.int32)
        keys = list(ends[0].columns)
        src, dst = (end.merge(table, on=keys, how="left")["id"] for end in ends)
        edges = pd.DataFrame({"src": src, "dst": dst} | weights)
        self._hold(
            edgelist=SimpleNamespace(edgelist_df=edges),
            renumber_map=SimpleNamespace(implementation=SimpleNamespace(df=table)),
            _plc_graph=SGGraph(src, dst),
            **columns,
        )

    from_cudf_edgelist = from_edgelist

    def unrenumber(self, frame, column):
        table = self.renumber_map.implementation.df.set_index("id")
        own = table.loc[frame[column]].reset_index(drop=True)
        alone = len(own.columns) == 1
        own.columns = [column if alone else f"{name}_{column}" for name in own.columns]
        return pd.concat([frame.drop(columns=column), own], axis=1)

    def from_adjlist(self, offsets, indices):
        self._hold(adjlist=SimpleNamespace(offsets=offsets, indices=indices))

    def delete_edge_list(self):
        self._Impl.edgelist = None


def modules():
    """New modules of cuGraph, pylibcugraph and nx-cugraph, by their names."""

    def plc_wcc(resource_handle, graph, offsets, indices, weights, labels, do_expensive_check):
        return -1, type(graph).__name__

    def weakly_connected_components(G, directed=None, connection=None, return_labels=None):  # noqa: N803
        plc = made["cugraph.components"].pylibcugraph_wcc
        return "cugraph", plc(None, getattr(G, "_plc_graph", None), None, None, None, None, False)

    def connected_components(G, directed=None, connection="weak", return_labels=None):  # noqa: N803
        return weakly_connected_components(G, directed, connection, return_labels)

    def strongly_connected_components(G, directed=None, connection=None, return_labels=None):  # noqa: N803
        return "strong", directed, connection, return_labels

    def minimum_spanning_tree(G, weight=None, algorithm="boruvka", ignore_nan=False):  # noqa: N803
        if G.is_directed():
            raise ValueError("input graph must be undirected")
        return "least", weight, algorithm, ignore_nan

    def maximum_spanning_tree(G, weight=None, algorithm="boruvka", ignore_nan=False):  # noqa: N803
        return "greatest", *minimum_spanning_tree(G, weight, algorithm, ignore_nan)[1:]

    def of_workers(input_graph):
        return "cugraph.dask", input_graph

    names = ("pylibcugraph", "cugraph", "cugraph.components", "cugraph.tree", "nx_cugraph.all")
    names = (*names, "cugraph.dask", "cugraph.dask.components", "nemo_curator.stages")
    made = {name: ModuleType(name) for name in names}
    plc = (SGGraph, MGGraph, ResourceHandle, decompress_to_edgelist, extract_vertex_list)
    plc = (*plc, out_degrees, replicate_edgelist)
    vars(made["pylibcugraph"]).update({thing.__name__: thing for thing in plc})
    made["pylibcugraph"].weakly_connected_components = plc_wcc
    theirs = weakly_connected_components, connected_components, strongly_connected_components
    for name in ("cugraph", "cugraph.components"):
        vars(made[name]).update({function.__name__: function for function in theirs})
    for name in ("cugraph", "cugraph.tree"):
        made[name].minimum_spanning_tree = minimum_spanning_tree
        made[name].maximum_spanning_tree = maximum_spanning_tree
    made["cugraph"].Graph = Graph
    made["cugraph.components"].pylibcugraph_wcc = plc_wcc
    made["nx_cugraph.all"].wcc = made["nemo_curator.stages"].pylibcugraph_wcc = plc_wcc
    for name in ("cugraph.dask", "cugraph.dask.components"):
        made[name].weakly_connected_components = of_workers
    return made
