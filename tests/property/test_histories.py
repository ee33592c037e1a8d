"""Histories of insertions, removals and expiry, against solving what is left anew."""

import os
import tempfile
from contextlib import contextmanager

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from support.machine import SIMULATED

import cc_rapids
from cc_rapids.data.frame_access import names_of
from cc_rapids.incremental import forgetting, kept

EXAMPLES, STEPS = (2, 6) if SIMULATED else (5, 12)
ENGINE = "cuda" if SIMULATED else "threads"
VERTICES = st.integers(0, 11)
EDGES = st.lists(st.tuples(VERTICES, VERTICES, st.integers(0, 9)), max_size=8)
OLD = st.sampled_from(("left", "before", "ever"))
FORMS = st.sampled_from(("frame", "parts", "files"))
# What is told by the number of edges: which are solved anew, merged, or numbered before.
CHOICES = {(forgetting, "DENSE"): (0, 4, 100), (kept, "MERGED"): (0, 4), (kept, "SPARSE"): (0, 8)}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def least_labels(vertices, edges):
    """Return the least vertex of the component of each vertex."""
    label = {v: v for v in vertices}
    for _ in vertices:
        for a, b, _ in edges:
            label[a] = label[b] = min(label[a], label[b])
    return label


class History(RuleBasedStateMachine):
    """A Connectivity beside the list of its edges."""

    keep_forest, expiry = False, None

    def __init__(self):
        super().__init__()
        self.patch = pytest.MonkeyPatch()

    def teardown(self):
        self.patch.undo()

    @initialize(
        ids=st.sampled_from(("near", "far", "text", "rows", "numbered")),
        frame=st.sampled_from(sorted(FRAMES)),
        chosen=st.tuples(*map(st.sampled_from, CHOICES.values())),
    )
    def begin(self, ids, frame, chosen):
        for (module, name), value in zip(CHOICES, chosen, strict=True):
            self.patch.setattr(module, name, value)
        self.ids, self.make = ids, FRAMES[frame]
        count = 12 if ids == "numbered" else None
        self.edges, self.known, self.cut = [], set(range(count or 0)), None
        self.removed = set()
        self.seen = cc_rapids.Connectivity(
            count, engine=ENGINE, keep_forest=self.keep_forest, expiry=self.expiry
        )
        self.insert([(0, 1, 5), (1, 2, 5)])

    def name(self, v):
        return {"near": v, "numbered": v, "far": v * 10**15 - 5 * 10**15, "text": f"v{v:02}"}.get(
            self.ids, (v // 4, f"{v % 4}")
        )

    @property
    def sides(self):
        return (["a", "b"], ["c", "d"]) if self.ids == "rows" else ("a", "c")

    def frame(self, edges):
        columns = {}
        for side, names in enumerate(self.sides):
            ids = [self.name(edge[side]) for edge in edges]
            if self.ids == "rows":
                columns[names[0]] = np.array([one[0] for one in ids], np.int64)
                columns[names[1]] = pa.array([one[1] for one in ids], pa.string())
            else:
                text = self.ids == "text"
                columns[names] = pa.array(ids, pa.string()) if text else np.array(ids, np.int64)
        columns["until"] = np.array([edge[2] for edge in edges], np.int64)
        if self.make is pd.DataFrame:
            columns = {
                name: column.to_pandas() if isinstance(column, pa.Array) else column
                for name, column in columns.items()
            }
            return pd.DataFrame(columns)
        return self.make(columns)

    def link(self, edges):
        """Note inserted edges, except those that have expired."""
        self.known |= {end for edge in edges for end in edge[:2]}
        valid = [edge for edge in edges if self.cut is None or edge[2] >= self.cut]
        self.removed -= {frozenset(edge[:2]) for edge in valid}
        self.edges += valid

    def listed(self, left, old):
        """Return the edges left, those before this removal, or those before all removals."""
        if old == "ever":
            return [*self.edges, *((*sorted(pair), 9) for pair in self.removed)]
        return self.edges if old == "before" else left

    @contextmanager
    def remaining(self, edges, form):
        frames = [self.frame(edges[::2]), self.frame(edges[1::2])]
        with tempfile.TemporaryDirectory() as folder:
            if form == "files":
                for k, frame in enumerate(frames):
                    table = pa.table({name: frame[name] for name in names_of(frame)})
                    pq.write_table(table, os.path.join(folder, f"{k}.parquet"))
                yield os.path.join(folder, "*.parquet")
            else:
                yield iter(frames) if form == "parts" else self.frame(edges)

    @rule(edges=EDGES)
    def insert(self, edges):
        self.seen.insert(self.frame(edges), *self.sides)
        self.link(edges)

    @rule(edges=EDGES, more=EDGES)
    def insert_several(self, edges, more):
        self.seen.insert(iter([self.frame(edges), self.frame(more)]), *self.sides)
        self.link(edges + more)

    @rule(pairs=EDGES, some=st.integers(0, 6), old=OLD, form=FORMS)
    def remove(self, pairs, some, old, form):
        pairs = pairs + [(b, a, u) for a, b, u in self.edges[:some]]
        gone = {frozenset(edge[:2]) for edge in pairs}
        left = [edge for edge in self.edges if frozenset(edge[:2]) not in gone]
        label, found = least_labels(self.known, self.edges), self.frame(pairs)
        with self.remaining(self.listed(left, old), form) as given:
            self.seen.remove(found, *self.sides, remaining=given, missing="ignore")
        self.edges = left
        self.removed |= {
            pair
            for pair in gone
            if len(pair) == 2 and pair <= self.known and len({label[v] for v in pair}) == 1
        }

    @rule(edge=st.tuples(VERTICES, VERTICES, st.just(0)), form=FORMS)
    def fail_to_remove(self, edge, form):
        """An edge that was never inserted, if one of its component goes: an error, no change."""
        label, before = least_labels(self.known, self.edges), self.seen._state
        ends, unknown = {label.get(v) for v in edge[:2]}, not set(edge[:2]) <= self.known
        going = [one for one in self.edges if one[0] != one[1]]
        going = [one for one in going if unknown or label[one[0]] in ends]
        if self.keep_forest or self.expiry or not going or len(ends) + unknown == 1:
            return
        if frozenset(edge[:2]) in self.removed:
            return
        gone = going[0]
        with (
            self.remaining([*self.edges, edge], form) as given,
            pytest.raises(cc_rapids.InputError, match=r"insert .* first"),
        ):
            self.seen.remove(self.frame([gone]), *self.sides, remaining=given)
        assert self.seen._state is before

    @precondition(lambda self: self.ids != "numbered")
    @rule(gone=st.sets(VERTICES, max_size=3), old=OLD, form=FORMS)
    def remove_vertices(self, gone, old, form):
        left = [edge for edge in self.edges if not gone & set(edge[:2])]
        ids = [self.name(v) for v in gone]
        if not ids:
            return
        with self.remaining(self.listed(left, old), form) as given:
            self.seen.remove_vertices(ids, *self.sides, remaining=given, missing="ignore")
        self.edges, self.known = left, self.known - gone
        self.removed = {pair for pair in self.removed if pair <= self.known}

    @rule(engine=st.sampled_from(sorted({"threads", ENGINE})))
    def save_and_load(self, engine):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "seen")
            self.seen.save(path)
            self.seen = cc_rapids.Connectivity.load(path, engine)

    @rule(edges=EDGES)
    def changes(self, edges):
        before = least_labels(self.known, self.edges)
        rows = self.seen.insert(self.frame(edges), *self.sides, return_changes=True)
        self.link(edges)
        after = least_labels(self.known, self.edges)
        assert len(rows) == sum(before.get(v) != after[v] for v in after)

    @invariant()
    def is_that_of_the_edges_left(self):
        if not hasattr(self, "seen"):
            return
        label = least_labels(self.known, self.edges)
        assert self.seen.num_vertices == len(self.known)
        assert len(self.seen) == len(set(label.values()))
        found = self.seen.components(labels="min")
        assert [found.component_of(self.name(v)) for v in sorted(self.known)] == [
            self.name(label[v]) for v in sorted(self.known)
        ]


class KeptHistory(History):
    """The same with a forest that is kept."""

    keep_forest = True


class ExpiringHistory(History):
    """The same with edges that expire."""

    expiry = "until"

    @rule(before=st.integers(-1, 10), dropped=st.booleans())
    def expire(self, before, dropped):
        dropped = dropped and self.ids != "numbered"
        self.seen.expire(before, drop_isolated=dropped)
        self.cut = before if self.cut is None else max(self.cut, before)
        self.edges = [edge for edge in self.edges if edge[2] >= self.cut]
        if dropped:
            self.known = {end for a, b, _ in self.edges for end in (a, b) if a != b}
            self.edges = [edge for edge in self.edges if edge[0] in self.known]
            self.removed = {pair for pair in self.removed if pair <= self.known}


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from((20,) if SIMULATED else (20, 200, 1000)),
    spread=st.sampled_from((1, 3, 40)),
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_windows_of_many_edges_that_expire_at_once(seed, n, spread):
    random, every, known = np.random.default_rng(seed), [], set()
    seen = cc_rapids.Connectivity(engine=ENGINE, expiry="until")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "MERGED", 0)
        for step in range(4 * STEPS):
            ends, until = random.integers(0, n, (2, n // 10)), random.integers(0, spread, n // 10)
            every.append(pd.DataFrame({"src": ends[0], "dst": ends[1], "until": step + until}))
            seen.insert(every[-1]).expire(step - spread // 2)
            known |= set(ends.ravel().tolist())
            left = pd.concat(every)
            left = left[left["until"] >= step - spread // 2][["src", "dst"]]
            anew = cc_rapids.components(left, vertices=sorted(known)).labels()
            assert np.array_equal(seen.components().labels(), anew)


@pytest.mark.filterwarnings("ignore:.* no edges")
@pytest.mark.parametrize("history", [History, KeptHistory, ExpiringHistory])
def test_what_is_left_equals_solving_anew(history):
    case = history.TestCase
    case.settings = settings(max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None)
    case("runTest").runTest()
