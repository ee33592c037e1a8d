"""Keys of several columns: every public function and method does with them what it does with ids.

Each call runs on pairs of tuples and on pairs of the positions of these tuples in their order. The
answers are equal after the tuples are replaced by their positions.
"""

import inspect
from types import SimpleNamespace

import pandas as pd
import pytest

import cc_rapids
from cc_rapids import Components

KEYS = [("a", 1), ("a", 2), ("a", 9), ("b", 1), ("b", 2), ("b", 7), ("c", 1)]
PAIRS = [(0, 4), (1, 6), (3, 0), (3, 4), (6, 5)]  # with a cycle of 0, 3 and 4; 2 is alone
WEIGHTS = [0.9, 0.7, 0.8, 0.6, 0.5]
NAMES = "kind", "number"


class Plain:
    """Pairs and records with one column of ids."""

    sides = "from", "to"
    on = "vertex"
    key = staticmethod(int)

    def __init__(self):
        self.ends = [[self.key(row[k]) for row in PAIRS] for k in (0, 1)]
        self.pairs = self.edges(PAIRS).assign(w=WEIGHTS)
        self.records = self.frame(range(7)).assign(value=[3, 1, 4, 1, 5, 9, 2])
        self.truth = self.frame(range(7)).assign(truth=[0, 1, 2, 0, 0, 1, 2])
        self.found = self.answer(forest="max")
        self.cuts = cc_rapids.components_at(
            self.pairs, *self.sides, weight="w", thresholds=[0.75, 0.55], labels="dense"
        )
        self.tree = self.found.dendrogram()

    def answer(self, **options):
        given = {"weight": "w", "labels": "dense", "vertices": self.frame(range(7))}
        return cc_rapids.components(self.pairs, *self.sides, **given | options)

    def edges(self, pairs):
        return pd.DataFrame(pairs, columns=self.sides)

    def frame(self, ids):
        return pd.DataFrame({"vertex": list(ids)})

    def keys(self, ids):
        return list(map(self.key, ids))


class Keyed(Plain):
    """The same with two columns of ids."""

    sides = [f"{name}_l" for name in NAMES], [f"{name}_r" for name in NAMES]
    on = [*NAMES]  # noqa: RUF012
    key = staticmethod(lambda k: KEYS[k])

    def edges(self, pairs):
        rows = [KEYS[first] + KEYS[second] for first, second in pairs]
        return pd.DataFrame(rows, columns=[*self.sides[0], *self.sides[1]])

    def frame(self, ids):
        return pd.DataFrame([KEYS[k] for k in ids], columns=NAMES)


def inserted(on, **options):
    made = cc_rapids.Connectivity(**options)
    return made.insert(on.pairs, *on.sides)


def batch(on):
    asked = on.edges([(0, 1), (1, 6)]).assign(query=[True, False])
    return inserted(on).process(asked, *on.sides, "query")


COMPONENTS = {
    "attach": lambda on: on.found.attach(on.records, name="person"),
    "audit": lambda on: on.found.audit(on.pairs, *on.sides, vertices=on.frame(range(7))).vertices,
    "audit_paths": lambda on: on.found.audit_paths(
        on.found.paths(tuple(on.ends)), tuple(on.ends), on.pairs, *on.sides, weight="w",
        vertices=on.frame(range(7)),
    ).joined,
    "component_of": lambda on: [
        on.found.component_of(on.key(3)),
        on.found.component_of(on.keys([6, 2])).tolist(),
        on.found.component_of(on.frame([1]) if on.on != "vertex" else [1]).tolist(),
    ],
    "connected": lambda on: [
        list(on.found.connected(tuple(on.ends))),
        list(on.found.connected(on.edges([(0, 1), (1, 5)]), *on.sides)),
        list(on.found.connected([(on.key(0), on.key(3)), (on.key(2), on.key(3))])),
    ],
    "deduplicate": lambda on: on.found.deduplicate(on.records, by="value"),
    "dendrogram": lambda on: len(on.found.dendrogram()),
    "duplicates": lambda on: on.found.duplicates(on.records, by="value"),
    "edges": lambda on: on.found.edges(0, on.pairs, *on.sides)["w"],
    "equals": lambda on: on.found.equals(on.answer(at_least=0)),
    "explain_pair": lambda on: on.found.explain_pair(
        on.key(3), on.key(4), records=on.records, on=on.on
    ).frame,
    "filter": lambda on: on.found.filter(3),
    "forest": lambda on: on.found.forest(),
    "labels": lambda on: on.found.labels(),
    "largest": lambda on: on.found.largest(),
    "members": lambda on: on.found.members(),
    "path": lambda on: on.found.path(on.key(3), on.key(4), on.pairs, *on.sides, shortest=True),
    "paths": lambda on: [
        on.found.paths(tuple(on.ends), rows=True),
        on.found.paths([tuple(map(on.key, pair)) for pair in PAIRS]),
    ],
    "plot": lambda on: len(
        on.found.plot("component", on.pairs, source=on.sides[0], destination=on.sides[1]).texts
    ),
    "report": lambda on: on.found.report(on.pairs, *on.sides, weight="w").components(),
    "representatives": lambda on: on.found.representatives(by=on.records),
    "same_component": lambda on: on.found.same_component(on.key(0), on.key(3)),
    "sizes": lambda on: on.found.sizes(),
    "size_histogram": lambda on: on.found.size_histogram(),
    "stable_ids": lambda on: on.found.stable_ids(on.answer(at_least=0.65).stable_ids()).labels(),
    "subset": lambda on: pd.DataFrame(on.found.subset(1)),
    "summary": lambda on: on.found.summary()["components"],
}  # fmt: skip
CALLS = {f"Components.{name}": call for name, call in COMPONENTS.items()} | {
    "components": lambda on: len(cc_rapids.components(tuple(on.ends))),
    "connected_components": lambda on: cc_rapids.connected_components(
        on.pairs, *on.sides, labels="dense"
    ),
    "components_at": lambda on: on.cuts.at(0.75).labels(),
    "Cuts.at": lambda on: on.cuts.at(0.55).labels(),
    "Cuts.equals": lambda on: on.cuts.equals(on.cuts),
    "Cuts.labels": lambda on: on.cuts.labels(0.55),
    "Cuts.sizes": lambda on: on.cuts.sizes(0.55),
    "Cuts.merges": lambda on: on.cuts.merges(),
    "Cuts.scores": lambda on: on.cuts.scores(on.truth, missing="drop"),
    "Dendrogram.at": lambda on: on.tree.at(0.75).labels("dense"),
    "Dendrogram.audit": lambda on: (
        on.tree.audit(on.pairs, *on.sides, weight="w", vertices=on.frame(range(7))).merges
    ),
    "Dendrogram.best": lambda on: on.tree.best(truth=on.truth).threshold,
    "Dendrogram.curve": lambda on: on.tree.curve(),
    "Dendrogram.cuts": lambda on: on.tree.cuts([0.75]).sizes(0.75)["size"],
    "Dendrogram.labels": lambda on: on.tree.labels(0.75, labels="dense"),
    "Dendrogram.linkage": lambda on: on.tree.linkage(lambda w: 1 - w, component=0).tolist(),
    "Dendrogram.merges": lambda on: on.tree.merges(),
    "Dendrogram.plot": lambda on: len(on.tree.plot().collections),
    "Dendrogram.sizes": lambda on: on.tree.sizes(0.75)["size"],
    "Dendrogram.split": lambda on: on.tree.split(max_size=2).parts.labels("dense"),
    "Connectivity.components": lambda on: inserted(on).components().labels("dense"),
    "Connectivity.connected": lambda on: list(inserted(on).connected(tuple(on.ends))),
    "Connectivity.insert": lambda on: inserted(on).insert(tuple(on.ends)).num_components,
    "Connectivity.process": lambda on: list(batch(on)),
    "Connectivity.remove": lambda on: (
        inserted(on, keep_forest=True)
        .remove(on.edges(PAIRS[:1]), *on.sides, remaining=on.edges(PAIRS[1:]))
        .num_components
    ),
    "Connectivity.remove_vertices": lambda on: (
        inserted(on, keep_forest=True)
        .remove_vertices(on.keys([6]), *on.sides, remaining=on.edges([PAIRS[0], *PAIRS[2:4]]))
        .num_components
    ),
    "Connectivity.same_component": lambda on: inserted(on).same_component(on.key(0), on.key(3)),
    "Report.components": lambda on: on.found.report(on.pairs, *on.sides).components(),
    "Report.overall": lambda on: on.found.report(on.pairs, *on.sides).overall(),
    "Report.weakest_rows": lambda on: on.found.report(
        on.pairs, *on.sides, weight="w", records=on.records, on=on.on
    ).weakest_rows(),
    "StableIds.audit": lambda on: on.found.stable_ids().audit().vertices,
    "StableIds.changes": lambda on: on.found.stable_ids(
        on.answer(at_least=0.65).stable_ids()
    ).changes(),
    "StableIds.labels": lambda on: on.found.stable_ids().labels(),
    "LinkedRecords.articulation_points": lambda on: chained(on),
    "LinkedPairs.refused": lambda on: ruled(on).refused(),
    "link_pairs": lambda on: ruled(on).labels("dense"),
    "link_records": lambda on: cc_rapids.link_records(
        on.records, ["value"], id=on.on, labels="dense"
    ).labels(),
    "score_clusters": lambda on: cc_rapids.score_clusters(on.found, on.truth),
    "spanning_forest": lambda on: len(cc_rapids.spanning_forest(on.pairs, *on.sides)),
    "minimum_spanning_forest": lambda on: cc_rapids.minimum_spanning_forest(
        on.pairs, *on.sides, weight="w"
    ),
    "maximum_spanning_forest": lambda on: cc_rapids.maximum_spanning_forest(
        on.pairs, *on.sides, weight="w"
    ),
    "stream_components": lambda on: cc_rapids.stream_components(iter([on.pairs]), *on.sides).labels(
        "dense"
    ),
    "articulation_points": lambda on: cc_rapids.articulation_points(on.pairs, *on.sides),
    "biconnected_component_edges": lambda on: cc_rapids.biconnected_component_edges(
        on.pairs, *on.sides
    ),
    "bipartition": lambda on: cc_rapids.bipartition(on.pairs, *on.sides).is_bipartite,
    "Bipartition.audit": lambda on: (
        cc_rapids.bipartition(on.pairs, *on.sides).audit(on.pairs, *on.sides).vertices
    ),
    "Bipartition.colors": lambda on: cc_rapids.bipartition(on.pairs[1:], *on.sides).colors(),
    "Bipartition.odd_cycles": lambda on: cc_rapids.bipartition(on.pairs, *on.sides).odd_cycles()[
        "row"
    ],
    "bridges": lambda on: cc_rapids.bridges(on.pairs, *on.sides),
    "is_bipartite": lambda on: cc_rapids.is_bipartite(on.pairs, *on.sides),
    "two_edge_connected_components": lambda on: cc_rapids.two_edge_connected_components(
        on.pairs, *on.sides
    ).labels("dense"),
}
SAME = {
    "LinkedPairs",
    "LinkedRecords",
    "NeighborComponents",
}  # their other methods are those of Components
WITHOUT = {  # take and return no ids, or have tests of their own for saved keys and for workers
    *("Components.load", "Components.save", "Components.to_parquet", "Components.with_key_names"),
    *("Connectivity.expire", "Connectivity.load", "Connectivity.save"),
    *("Evidence.to_html", "Report.to_html", "StableIds.load", "StableIds.save"),
    *("SpreadComponents.gather", "SpreadComponents.labels"),
    *("SpreadComponents.summary", "designs", "frame_library", "install", "installed"),
    *("NeighborComponents.core", "components_of_neighbors", "memory_bound"),
    *("release_memory", "uninstall"),
    "weakly_connected_components",
}  # fmt: skip
CLASSES = {"Design", "HDBSCAN", "Plan", "StreamPlan", "StreamProgress"}  # without ids


def chained(on):
    """The methods that take the records again, for records that are linked in a chain."""
    records = on.records.assign(left=[0, 0, 1, 1, 2, 2, 3], right=[9, 1, 1, 2, 2, 3, 3])
    found = cc_rapids.link_records(records, ["left", "right"], id=on.on, labels="dense")
    return [
        found.articulation_points(records),
        found.edges(0, records),
        found.explain_pair(on.key(0), on.key(3), records, records=records).frame,
        found.audit(records).vertices,
    ]


def ruled(on):
    forbidden = [(on.key(0), on.key(3))]
    return cc_rapids.link_pairs(
        on.pairs, *on.sides, weight="w", cannot_link=forbidden, labels="dense"
    )


def public():
    """Yield the names of all public functions and methods."""
    for name in cc_rapids.__all__:
        value = getattr(cc_rapids, name)
        if inspect.isfunction(value):
            yield name
        elif inspect.isclass(value) and not issubclass(value, Exception) and name not in CLASSES:
            for inner, _ in inspect.getmembers(value, inspect.isroutine):
                inherited = name in SAME and hasattr(Components, inner)
                if not inner.startswith("_") and not inherited:
                    yield f"{name}.{inner}"


def test_all_public_names_are_tried():
    names = set(public())
    assert set(CALLS) | WITHOUT == names
    assert not set(CALLS) & WITHOUT


def positions(value):
    """Return an answer with tuples as their positions, and columns named as those of plain ids."""
    if isinstance(value, list | tuple):
        return [positions(one) for one in value]
    if isinstance(value, pd.Series):
        return value.tolist()
    if not isinstance(value, pd.DataFrame):
        return value
    columns = {}
    for name in value:
        if NAMES[0] in name:
            parts = zip(value[name], value[name.replace(*NAMES)], strict=True)
            columns[short(name.replace(NAMES[0], "vertex"))] = [KEYS.index(key) for key in parts]
        elif NAMES[1] not in name:
            columns[short(name)] = value[name].tolist()
    return columns


def short(name):
    """Return a name of columns of ids without the word that stands for ids."""
    return name.replace("_vertex", "").replace("vertex_", "")


@pytest.fixture(scope="module")
def both():
    return SimpleNamespace(plain=Plain(), keyed=Keyed())


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_keys_of_two_columns_are_as_good_as_ids(both, name):
    found, want = (positions(CALLS[name](on)) for on in (both.keyed, both.plain))
    assert repr(found) == repr(want)  # nan equals nan
