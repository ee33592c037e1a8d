"""The trials of a campaign; each returns how many answers it has compared.

The expected answer comes from SciPy over dense numbers (``Graph.least``) and Python's own order of
ids, never from the package.
"""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids import CapacityError, CcRapidsError, InputError, VerificationError

DESIGNS = ["auto", "auto", "auto", "auto(rule=paper)", *map(str, cc_rapids.designs())]
SCALE = {"threads": 1, "cuda": 40}


def of(engine):
    """The names of the trials that an engine can run."""
    often = ["jobs", "jobs", "equal", "answers", "doors", "types", "steps"]
    rest = ["rows", "lying_rows", "scribbles", "thresholds", "attached", "audits", "shared"]
    host = ["files", "text", "damage", "saved", "kills", "pickles", "streams", "stored", "tables"]
    host += ["several"]
    return often + rest + (host if engine == "threads" else ["saved", "streams", "pickles"])


class Graph:
    """Edges between 0 .. n - 1, and what has to come out."""

    def __init__(self, random, most=2000):
        self.n = n = int(2 ** random.uniform(0, math.log2(most)))
        m = int(n * 2 ** random.uniform(-3, 2.5))
        shape = random.choice(["uniform", "path", "star", "blocks", "cliques", "loops", "skewed"])
        if shape == "uniform":
            ends = random.integers(0, n, (2, m))
        elif shape == "path":
            ends = np.stack([np.arange(n - 1), np.arange(1, n)]) if n > 1 else np.zeros((2, 0), int)
            ends = ends[:, random.random(ends.shape[1]) < random.choice([0.5, 0.95, 1])]
        elif shape == "star":
            ends = np.stack([np.full(n, random.integers(n)), np.arange(n)])
        elif shape == "blocks":
            first = random.integers(0, n, m)
            ends = np.stack([first, np.minimum(n - 1, first + random.integers(0, 4, m))])
        elif shape == "cliques":
            group = random.integers(1, 6)
            first = random.integers(0, n, m)
            ends = np.stack([first, first // group * group])
        elif shape == "loops":
            first = random.integers(0, n, m)
            ends = np.stack([first, first])
        else:
            ends = (n * random.random((2, m)) ** 4).astype(np.int64)
        order = random.choice(["random", "sorted", "falling", "as is"])
        if random.random() < 0.3:
            ends = np.concatenate([ends, ends[::-1]], 1)
        if random.random() < 0.4:
            ends = random.permutation(n)[ends]
        if order == "random":
            ends = ends[:, random.permutation(ends.shape[1])]
        elif order != "as is":
            ends = ends[:, np.lexsort(ends)]
            ends = ends[:, ::-1] if order == "falling" else ends
        self.src, self.dst = np.ascontiguousarray(ends.astype(np.int64))
        self.present = np.unique(ends)

    def least(self, keep=None):
        """The least vertex of each vertex's component."""
        src, dst = (self.src, self.dst) if keep is None else (self.src[keep], self.dst[keep])
        matrix = sp.coo_array((np.ones(src.size, bool), (src, dst)), shape=(self.n, self.n))
        _, labels = csgraph.connected_components(matrix, directed=False)
        _, first, place = np.unique(labels, return_index=True, return_inverse=True)
        return first[place]


WORDS = ["", " x", "x ", "NULL", "\\N", "nan", "01", "1", "1_0", "#a", "é", "e\u0301", "a,b", 'a"b']
WORDS += ["a\tb", "a\u2028b", "\x85", "a\x0bb", "😀", "'", "''", "-0", "0x1", "true", "None"]


def names(random, n, kind=None):
    """n different ids in increasing order, as an array."""
    kind = kind or random.choice(
        ["near", "int8", "negative", "far", "high", "spread", "words", "odd words"]
    )
    if kind == "int8" and n <= 200:
        return np.sort(random.permutation(256)[:n] - 128).astype(np.int8)
    if kind in ("near", "int8"):
        narrow = [np.uint16] if n <= 1 << 16 else []
        dtype = random.choice([np.int32, np.int64, np.uint32, np.uint64, *narrow])
        return np.arange(n).astype(dtype)
    if kind == "negative":
        return np.sort(random.permutation(3 * n)[:n] - 2 * n).astype(
            random.choice([np.int32, np.int64])
        )
    if kind == "far":
        return np.unique(random.integers(-(2**63), 2**63 - 1, 2 * n + 8))[:n]
    if kind == "high":
        return np.unique(random.integers(2**63, 2**64 - 1, 2 * n + 8, dtype=np.uint64))[:n]
    if kind == "spread":
        return np.unique(random.integers(0, 40 * n + 40, 3 * n + 40))[:n].astype(np.int64)
    if kind == "odd words":
        found = {*WORDS[: n // 2], *(f"{k:x}é" * (k % 4 + 1) for k in range(n))}
        return np.array(sorted(found, key=lambda word: word.encode())[:n], object)
    return np.array([f"v{k:09}" for k in range(n)], object)


def frames(random, ids, graph, engine):
    """An edge list in some kind of frame."""
    src, dst = ids[graph.src], ids[graph.dst]
    if engine == "cuda":
        import cudf

        if ids.dtype == object:
            src, dst = (pa.array(side, pa.string()) for side in (src, dst))
        elif random.random() < 0.2:
            import cupy

            return cupy.asarray(src), cupy.asarray(dst)
        return cudf.DataFrame({"src": cudf.Series(src), "dst": cudf.Series(dst)})
    kinds = ["pandas", "polars", "arrow", "arrays", "chunked", "masked", "strided"]
    if find_spec("polars") is None:  # as where cuDF is
        kinds.remove("polars")
    kind = random.choice(kinds)
    if ids.dtype == object:
        text = random.choice(
            [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
        )
        sides = [pa.array(side.tolist(), pa.string()).cast(text) for side in (src, dst)]
    else:
        sides = [pa.array(src), pa.array(dst)]
    table = pa.table(dict(zip(("src", "dst"), sides, strict=True)))
    if kind == "polars":
        import polars

        return polars.from_arrow(table)
    if kind == "arrow":
        return table
    if kind == "chunked":
        cut = int(random.integers(0, len(src) + 1))
        return pa.concat_tables([table[:cut], table[cut:]])
    if kind == "pandas" or ids.dtype == object:
        return table.to_pandas()
    if kind == "masked":
        return tuple(np.ma.masked_array(side, np.zeros(side.size, bool)) for side in (src, dst))
    if kind == "strided":
        both = np.empty((src.size, 2), src.dtype)
        both[:, 0], both[:, 1] = src, dst
        return both[:, 0], both[:, 1]
    return src, dst


def host(frame, *columns):
    """Columns of a frame of any kind, or of a pair, as lists."""
    if isinstance(frame, tuple):
        return [
            np.asarray(column.get() if hasattr(column, "get") else column).tolist()
            for column in frame
        ]
    if hasattr(frame, "to_arrow"):
        frame = frame.to_arrow()
    if isinstance(frame, pd.DataFrame):
        return [frame[name].tolist() for name in columns]
    return [frame.column(name).to_pylist() for name in columns]


def labelled(found, kind="min"):
    """The label of each id."""
    return dict(zip(*host(found.labels(kind), "vertex", "labels"), strict=True))


def wanted(graph, ids, every=False, keep=None):
    """The label that each id has to get."""
    least, values = graph.least(keep), ids.tolist()
    vertices = range(graph.n) if every else graph.present.tolist()
    return {values[v]: values[least[v]] for v in vertices}


def same(one, other, what):
    """Raise, and say where, if two answers differ."""
    if one != other:
        keys = [k for k in {*one, *other} if one.get(k, "no") != other.get(k, "no")][:3]
        told = [(k, one.get(k, "no"), other.get(k, "no")) for k in keys]
        raise AssertionError(f"{what}: {len(one)} and {len(other)} vertices, {told}")


def attempt(call):
    """What a call gives, and None; or None, and an error of ours, which is no book."""
    try:
        return call(), None
    except CcRapidsError as error:
        told = error
    if len(str(told)) > 600:
        raise AssertionError(f"a message of {len(str(told))} characters: {told}")
    return None, told


def size(engine):
    """The most vertices of a graph."""
    return 2000 * SCALE[engine]


def jobs(random, engine):
    """Any list, any ids, any frame, any design: labels exact, and the audit agrees."""
    graph = Graph(random, size(engine))
    ids = names(random, graph.n)
    design = str(random.choice(DESIGNS))
    edges = frames(random, ids, graph, engine)
    every = ids.dtype.kind in "iu" and int(ids[0]) == 0 and int(ids[-1]) == graph.n - 1
    every = bool(every and random.random() < 0.3)
    options = {"num_vertices": graph.n} if every else {}
    if random.random() < 0.2 and not every:
        options["vertices"] = ids if ids.dtype != object else pa.array(ids.tolist(), pa.string())
        every = True
    found = cc_rapids.components(edges, design=design, engine=engine, **options)
    right = wanted(graph, ids, every)
    same(labelled(found), right, design)
    assert len(found) == len(set(right.values()))
    proof = found.audit(edges, **options)
    assert (proof.edges, proof.vertices) == (graph.src.size, len(right)), proof
    return 2


INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
ENDS = [0, 0, 2**7, 2**8, 2**15, 2**16, 2**31, 2**32, 2**63, 2**64]
DESIGNS_OF_TYPES = ["auto", "auto", "none+async+halve", "strided+rem-cas+splice"]


def ids_of_type(random, dtype, size, middles):
    """Ids of an integer type near the first middle; some near the others, or cut by the type."""
    limit, width = np.iinfo(dtype), int(random.choice([3, 60, 900]))
    rare = random.random(size) < random.choice([0, 0.002, 0.1])
    near = [middles[int(k)] for k in rare * random.integers(0, len(middles), size)]
    beside = random.integers(-width, width, size).tolist()
    ids = [middle + more for middle, more in zip(near, beside, strict=True)]
    return np.array([min(max(one, int(limit.min)), int(limit.max)) for one in ids], dtype)


def least_of(pairs, more=()):
    """The least id of each id's component, for pairs of Python's integers."""
    ids = sorted({*itertools.chain.from_iterable(pairs), *more})
    places = {one: k for k, one in enumerate(ids)}
    graph = Graph.__new__(Graph)
    graph.n = len(ids)
    graph.src, graph.dst = np.array([[places[a], places[b]] for a, b in pairs]).T.reshape(2, -1)
    return {one: ids[k] for one, k in zip(ids, graph.least().tolist(), strict=True)}


def types(random, engine):
    """Columns, batches, named vertices and queries of different integer types; small thresholds."""
    from support.sizes import override

    middles = [int(random.choice([-1, 1])) * ENDS[k] for k in random.integers(0, len(ENDS), 3)]
    kinds, m = random.choice(INTEGERS, 4), int(2 ** random.uniform(0, 11))
    columns = [ids_of_type(random, kind, m, middles) for kind in kinds]
    batches = [tuple(columns[:2]), tuple(columns[2:])]
    pairs = [list(zip(*map(np.ndarray.tolist, batch), strict=True)) for batch in batches]
    sizes = {"sampled_scan_edges": int(random.choice([0, 0, 1 << 62])), "small_id_range": 10}
    sizes |= {"range_margin_ids": int(random.choice([1, 200]))}
    sizes |= {name: int(random.choice([0, 1 << 62])) for name in ("estimated_ids", "paged_rows")}
    options, named = {}, ()
    if random.random() < 0.4:
        first = max(min(middles[1], 2**63), -(2**63)) + int(random.integers(0, 50))
        named = range(first, first + int(random.integers(1, 80)), int(random.choice([1, 1, 3])))
        options["vertices"] = named
    if engine == "cuda":
        import cupy

        batches = [tuple(map(cupy.asarray, batch)) for batch in batches]
    with override(**sizes):
        options["design"] = str(random.choice(DESIGNS_OF_TYPES))
        right = least_of(pairs[0], named)
        found, told = attempt(lambda: cc_rapids.components(batches[0], engine=engine, **options))
        if found is None:
            assert max(right) - min(right) >= 2**63, told  # ids of two signs beyond 64 bits
            return 1
        same(labelled(found), right, (kinds.tolist(), sizes, options))
        del options["design"]
        proof = found.audit(batches[0], **options)
        assert (proof.edges, proof.vertices) == (m, len(right)), proof
        asked = [*right, *itertools.chain.from_iterable(pairs[1])][:: max(1, m // 20)]
        for one in asked:
            label, told = attempt(lambda: found.component_of(one))  # noqa: B023
            assert label == right.get(one), (one, label, right.get(one), told)
        right, state = least_of(pairs[0] + pairs[1], named), None
        for batch in batches:
            state = state or cc_rapids.Connectivity(engine=engine, **options)
            state, told = attempt(functools.partial(state.insert, batch))
            if state is None:
                assert max(right) - min(right) >= 2**63, told
                return 2 + len(asked)
        same(labelled(state.components()), right, (kinds.tolist(), sizes, "batches"))
        if engine != "threads":
            return 3 + len(asked)
        with mock.patch("cc_rapids.backends.threads.Threads.device_count", 2):
            spread, told = attempt(
                lambda: cc_rapids.components(batches, engine=engine, devices=[0, 1], **options)
            )
            if spread is None:
                assert "close together" in str(told) or "64 bits" in str(told), told
                return 3 + len(asked)
            same(labelled(spread.gather()), right, (kinds.tolist(), sizes, "devices"))
    return 4 + len(asked)


def steps(random, engine):
    """Insertions, removals and expiries in any order, against all edges that are left."""
    n, expiring = int(2 ** random.uniform(1, 8)), bool(random.random() < 0.4)
    kind = str(random.choice(["near", "negative", "far", "high", "spread", "words"]))
    ids = names(random, n, kind)
    options = {"expiry": "t"} if expiring else {"keep_forest": bool(random.random() < 0.5)}
    state = cc_rapids.Connectivity(engine=engine, **options)
    left, vertices, now, done, told = [], set(), 0, 0, []

    def frame(edges):
        """The edges in the kind of frame of the engine."""
        src, dst, times = zip(*edges, strict=True) if edges else ((), (), ())
        columns = {"src": np.array(src, ids.dtype), "dst": np.array(dst, ids.dtype)}
        columns["t"] = np.array(times, np.int64)
        if engine == "cuda":
            import cudf

            text = ids.dtype == object
            return cudf.DataFrame(
                {
                    k: pa.array(v.tolist(), pa.string()) if text and k != "t" else v
                    for k, v in columns.items()
                }
            )
        return pd.DataFrame(columns)

    def drawn(count):
        """Edges between random vertices, near each other or not."""
        first = random.integers(0, n, count)
        other = random.integers(0, n, count)
        if random.random() < 0.5:
            other = np.minimum(n - 1, first + random.integers(0, 3, count))
        times = random.integers(0, 60, count).tolist()
        return list(zip(ids[first].tolist(), ids[other].tolist(), times, strict=True))

    for _ in range(int(random.integers(2, 12))):
        verb = str(random.choice(["insert", "insert", "remove", "leave", "expire", "store"]))
        told.append(verb)
        if verb == "insert":
            more = drawn(int(2 ** random.uniform(0, 8)))
            state.insert(frame(more))
            vertices.update(one for edge in more for one in edge[:2])
            left += [edge for edge in more if not expiring or edge[2] >= now]
        elif verb == "remove" and left:
            picked = [left[int(k)] for k in random.integers(0, len(left), random.integers(1, 9))]
            pairs = {frozenset(edge[:2]) for edge in picked}
            before = list(left)
            left = [edge for edge in left if frozenset(edge[:2]) not in pairs]
            rest = frame(before if random.random() < 0.5 else left)
            turned = [(v, u, t) if random.random() < 0.5 else (u, v, t) for u, v, t in picked]
            state.remove(frame(turned), remaining=rest)
        elif verb == "leave" and vertices:
            every = sorted(vertices)
            gone = {every[int(k)] for k in random.integers(0, len(every), random.integers(1, 4))}
            before = list(left)
            left = [edge for edge in left if not gone & {*edge[:2]}]
            vertices -= gone
            column = frame([(one, one, 0) for one in sorted(gone)])["src"]
            state.remove_vertices(
                column, remaining=frame(before if random.random() < 0.5 else left)
            )
        elif verb == "expire" and expiring and vertices:
            now = max(now, int(random.integers(0, 70)))
            alone = bool(random.random() < 0.3)
            left = [edge for edge in left if edge[2] >= now]
            if alone:
                vertices = {one for u, v, _ in left if u != v for one in (u, v)}
                left = [edge for edge in left if edge[0] in vertices]  # without loops of others
            state.expire(now, drop_isolated=alone)
        elif verb == "store":
            with tempfile.TemporaryDirectory() as folder:
                state.save(f"{folder}/state")
                state = cc_rapids.Connectivity.load(f"{folder}/state", engine=engine)
        else:
            continue
        right = least_of([edge[:2] for edge in left], vertices)
        same(labelled(state.components()), right, (kind, options, told))
        assert len(state) == len(set(right.values()))
        done += 1
    return done


def answers(random, engine):
    """All kinds of labels, sizes, subsets and look-ups of one answer."""
    graph = Graph(random, 300)
    ids = names(random, graph.n)
    found = cc_rapids.components(frames(random, ids, graph, engine), engine=engine)
    right = wanted(graph, ids)
    blocks = {}
    for vertex in sorted(right, key=_key):
        blocks.setdefault(right[vertex], []).append(vertex)
    least = list(blocks)
    ranks = {label: k for k, label in enumerate(least)}
    same(labelled(found, "max"), {v: blocks[right[v]][-1] for v in right}, "max")
    same(labelled(found, "dense"), {v: ranks[right[v]] for v in right}, "dense")
    order = sorted(least, key=lambda label: (-len(blocks[label]), ranks[label]))
    places = {label: k for k, label in enumerate(order)}
    same(labelled(found, "size"), {v: places[right[v]] for v in right}, "size")
    if not right:
        return 3
    label = least[int(random.integers(len(least)))]
    part = (
        host(found.subset(label), "vertex")[0] if hasattr(found.subset(label), "columns") else None
    )
    assert part is None or sorted(part, key=_key) == blocks[label]
    one = blocks[label][0]
    assert found.component_of(one) == label, (found.component_of(one), label)
    return 5


def _key(value):
    return value.encode() if isinstance(value, str) else value


def equal(random, engine):
    """Answers of the same graph are equal, however it is told; of another, they are not."""
    graph = Graph(random, 500)
    if not graph.src.size:
        return 0
    ids = names(random, graph.n)
    one = cc_rapids.components(frames(random, ids, graph, engine), engine=engine)
    order = random.permutation(graph.src.size)
    graph.src, graph.dst = graph.dst[order], graph.src[order]
    kind = str(random.choice(["min", "max", "dense", "size"]))
    two = cc_rapids.components(
        frames(random, ids, graph, engine),
        engine=engine,
        labels=kind,
        design=str(random.choice(DESIGNS)),
    )
    assert one == two
    assert one.equals(two)
    least = graph.least()
    roots = np.unique(least[graph.present])
    if roots.size > 1:
        graph.src = np.append(graph.src, roots[0])
        graph.dst = np.append(graph.dst, roots[-1])
        assert one != cc_rapids.components(frames(random, ids, graph, engine), engine=engine)
    assert one != 3
    try:
        hash(one)
    except TypeError:
        return 4
    raise AssertionError("results are hashable")


def rows(random, engine):
    """Matrices and rows in every layout, against SciPy's own labels."""
    graph = Graph(random, size(engine) // 2)
    matrix = sp.coo_array(
        (np.ones(graph.src.size), (graph.src, graph.dst)), shape=(graph.n, graph.n)
    )
    form = str(random.choice(["coo", "csr", "csc", "lil", "dok", "bsr"]))
    if form in ("lil", "dok"):
        matrix = matrix.tocsr()
        matrix.sum_duplicates()
    count, labels = csgraph.connected_components(matrix.tocsr(), directed=False)
    edges = matrix.asformat(form)
    design = str(random.choice(DESIGNS))
    found = cc_rapids.components(edges, design=design, engine=engine)
    dense = found.labels("dense")
    ours = host(dense, "vertex", "labels")[1]
    assert len(found) == count
    assert np.array_equal(ours, labels), (design, form)
    return 1


def lying_rows(random, engine):
    """Rows whose offsets or indices lie: an error that says so, or SciPy's answer."""
    graph = Graph(random, 600)
    if graph.n < 2:
        return 0
    matrix = sp.csr_array(
        (np.ones(graph.src.size, np.int8), (graph.src, graph.dst)), shape=(graph.n, graph.n)
    )
    offsets, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    odd = [-1, 2**31, 2**40, 10**12, -(2**63), 2**63 - 1, offsets[-1] + 1, graph.n, 0]
    for _ in range(int(random.integers(1, 4))):
        target = offsets if random.random() < 0.7 or not indices.size else indices
        target[random.integers(target.size)] = random.choice(odd)
    if random.random() < 0.2:
        offsets = offsets.view(np.uint64)
    if random.random() < 0.1:
        offsets[1:-1] = 2**40
    signed = offsets.astype(object)
    valid = signed[0] == 0 and signed[-1] == indices.size
    valid = valid and all(a <= b for a, b in itertools.pairwise(signed))
    valid = valid and bool(((indices >= 0) & (indices < graph.n)).all())
    design = str(random.choice(DESIGNS))
    rows = cc_rapids.Csr(offsets, indices)
    _, error = attempt(lambda: cc_rapids.components(rows, design=design, engine=engine).labels())
    if valid and isinstance(error, CapacityError):  # others may have filled the device meanwhile
        _, full = attempt(lambda: cc_rapids.components(([0], [1]), engine=engine).labels())
        if isinstance(full, CapacityError):
            return 0
    if valid and error:
        told = f"{design}, {graph.n} vertices, {indices.size} entries, {offsets.dtype}: {error}"
        raise AssertionError(f"rows that are right were refused: {told}") from error
    if not valid and not error:  # SciPy takes indices beyond the last offset as spare room
        rising = all(a <= b for a, b in itertools.pairwise(signed))
        assert signed[0] == 0, "lying rows were taken"
        assert rising, "lying rows were taken"
        assert signed[-1] <= indices.size, "lying rows were taken"
    return 1


def scribbles(random, engine):
    """Columns that another thread overwrites while they are read: an answer, or an InputError."""
    graph = Graph(random, 4000)
    if graph.src.size < 2:
        return 0
    ids = names(random, graph.n, str(random.choice(["near", "spread", "far", "negative"])))
    src, dst = ids[graph.src].copy(), ids[graph.dst].copy()
    if engine == "cuda":
        import cupy

        src, dst = cupy.asarray(src), cupy.asarray(dst)
    else:
        cupy = np
    stop = threading.Event()
    limit = np.iinfo(src.dtype)
    seed = int(random.integers(2**32))

    def scribble():
        own = np.random.default_rng(seed)
        stream = cupy.cuda.Stream(non_blocking=True) if engine == "cuda" else None
        while not stop.is_set():
            at = int(own.integers(src.size))
            value = (limit.min, limit.max, 0, ids[-1])[int(own.integers(4))]
            if stream:
                with stream:
                    (src if own.random() < 0.5 else dst)[at] = value
            else:
                (src if own.random() < 0.5 else dst)[at] = value

    writer = threading.Thread(target=scribble)
    writer.start()
    done = 0
    try:
        for _ in range(20):
            design = str(random.choice(DESIGNS))
            attempt(lambda: cc_rapids.components((src, dst), design=design, engine=engine).labels())  # noqa: B023
            done += 1
    finally:
        stop.set()
        writer.join()
    return done


def thresholds(random, engine):
    """Every threshold against a run of its own; merges speak of labels."""
    graph = Graph(random, 200)
    if not graph.src.size:
        return 0
    ids = names(random, graph.n, str(random.choice(["near", "far", "words"])))
    weight = random.integers(0, 8, graph.src.size) / 8
    src, dst = ids[graph.src], ids[graph.dst]
    if engine == "cuda":
        import cudf

        as_text = (
            (lambda side: pa.array(side.tolist())) if ids.dtype == object else lambda side: side
        )
        edges = cudf.DataFrame({"src": as_text(src), "dst": as_text(dst), "weight": weight})
    else:
        edges = pd.DataFrame({"src": src, "dst": dst, "weight": weight})
    cuts = sorted({float(cut) for cut in random.integers(0, 10, 4) / 8})
    kind = str(random.choice(["min", "max"]))
    found = cc_rapids.components_at(edges, thresholds=cuts, labels=kind, engine=engine)
    before: dict = {}
    merged = []
    for cut in reversed(cuts):
        right = wanted(graph, ids, keep=weight >= cut)
        if kind == "max":
            most = {}
            for vertex in sorted(right, key=_key):
                most[right[vertex]] = vertex
            right = {vertex: most[label] for vertex, label in right.items()}
        same(labelled(found.at(cut), kind), right, (cut, kind))
        after = {before[v]: right[v] for v in before}
        groups = collections.Counter(after.values())
        merged += [(cut, old, new) for old, new in after.items() if groups[new] > 1]
        before = right
    told = zip(*host(found.merges(), "threshold", "before", "after"), strict=True)
    assert sorted(map(str, told)) == sorted(map(str, merged)), merged
    return 1 + len(cuts)


def attached(random, engine):
    """Rows of another frame get labels; those without edges a label of their own."""
    graph = Graph(random, 300)
    ids = names(random, graph.n, str(random.choice(["near", "negative", "far", "words", "high"])))
    found = cc_rapids.components(frames(random, ids, graph, engine), engine=engine)
    if not graph.src.size:
        return 0
    kind = str(random.choice(["min", "max"]))
    if kind == "max":
        found = cc_rapids.components(
            frames(random, ids, graph, engine), engine=engine, labels="max"
        )
    picked = ids[random.integers(0, graph.n, 50)]
    if engine == "cuda":
        import cudf

        text = pa.array(picked.tolist()) if ids.dtype == object else picked
        frame = cudf.DataFrame({"vertex": text})
    else:
        frame = pd.DataFrame({"vertex": picked})
    out = found.attach(frame, on="vertex", missing="self")
    vertex, label = host(out, "vertex", "labels")
    assert vertex == picked.tolist()
    right = labelled(found, kind)
    assert label == [right.get(v, v) for v in picked.tolist()]
    return 1


def audits(random, engine):
    """A label frame with a fault is refused; without one it is proved."""
    from cc_rapids.verify.audit import audit_labels

    graph = Graph(random, size(engine) // 4)
    if not graph.src.size:
        return 0
    ids = names(random, graph.n, str(random.choice(["near", "far", "spread", "words", "negative"])))
    edges = frames(random, ids, graph, engine)
    right = wanted(graph, ids)
    vertices = list(right)
    labels = [right[v] for v in vertices]

    def frame(vertices, labels):
        if engine == "cuda":
            import cudf

            return cudf.DataFrame({"vertex": vertices, "labels": labels})
        return pd.DataFrame({"vertex": vertices, "labels": labels})

    order = random.permutation(len(vertices))
    shuffled = frame([vertices[k] for k in order], [labels[k] for k in order])
    audit_labels(shuffled, edges)
    at = int(random.integers(len(vertices)))
    fault = str(random.choice(["other", "self", "dropped", "twice", "split"]))
    if fault == "other":
        labels[at] = vertices[int(random.integers(len(vertices)))]
    elif fault == "self":
        labels[at] = vertices[at]
    elif fault == "dropped":
        del vertices[at], labels[at]
    elif fault == "twice":
        vertices.append(vertices[at])
        labels.append(labels[at])
    else:
        own = labels[at]
        labels = [
            vertices[at] if label == own and v >= vertices[at] else label
            for v, label in zip(vertices, labels, strict=True)
        ]
    if dict(zip(vertices, labels, strict=True)) == right and fault != "twice":
        return 1
    if not vertices:
        return 1
    try:
        audit_labels(frame(vertices, labels), edges)
    except (VerificationError, InputError):
        return 2
    raise AssertionError(f"a wrong answer was proved: {fault} at {at}")


def streams(random, engine):
    """Chunks of any size, in one stream or batches of a Connectivity, give the whole's answer."""
    graph = Graph(random, size(engine))
    ids = names(random, graph.n)
    edges = frames(random, ids, graph, "threads")
    if isinstance(edges, tuple):
        edges = pa.table(
            {"src": np.ascontiguousarray(edges[0]), "dst": np.ascontiguousarray(edges[1])}
        )
    right = wanted(graph, ids)
    total = graph.src.size
    cuts = [0, *sorted(random.integers(0, total + 1, int(random.integers(0, 5))).tolist()), total]
    chunks = [edges[a:b] for a, b in itertools.pairwise(cuts)]
    found = cc_rapids.stream_components(iter(chunks), engine=engine)
    same(labelled(found), right, "stream")
    state = cc_rapids.Connectivity(engine=engine)
    for chunk in chunks:
        state.insert(chunk)
    same(labelled(state.components()), right, "batches")
    assert state.components() == found
    return 3


def shared(random, engine):
    """Threads that insert into one Connectivity, and ask, save and load meanwhile, lose nothing."""
    n, parts = 400, 24
    src, dst = random.integers(0, n, (2, 300))
    known = random.random() < 0.5
    state = cc_rapids.Connectivity(n if known else None, engine=engine)
    pieces = np.array_split(np.arange(src.size), parts)
    faults = []

    def run(own):
        try:
            for k in own:
                state.insert((src[pieces[k]], dst[pieces[k]]))
                if k % 5 == 0:
                    len(state.components())
        except BaseException as error:
            faults.append(error)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"

        def save():
            try:
                for _ in range(4):
                    state.save(path)
                    cc_rapids.Connectivity.load(path)
            except BaseException as error:
                faults.append(error)

        threads = [threading.Thread(target=run, args=(range(k, parts, 4),)) for k in range(4)]
        threads += [threading.Thread(target=save) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults, faults[0]
        state.save(path)
        assert os.listdir(folder) == ["state"], os.listdir(folder)
        again = cc_rapids.Connectivity.load(path)
    right = cc_rapids.components((src, dst), num_vertices=n if known else None)
    assert state.components() == right
    assert again.components() == right
    return 2


def files(random, engine):
    """An edge list written in any format is read back as the same edges; labels verify."""
    graph = Graph(random, 200)
    ids = names(
        random, graph.n, str(random.choice(["near", "far", "words", "odd words", "negative"]))
    )
    table = pa.table(
        {"src": pa.array(ids[graph.src].tolist()), "dst": pa.array(ids[graph.dst].tolist())}
    )
    if not table.num_rows:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "edges.parquet"
        pq.write_table(table, source)
        suffix = str(
            random.choice(
                [
                    "csv",
                    "tsv",
                    "txt",
                    "csv.gz",
                    "arrow",
                    "feather",
                    "npz",
                    "mtx",
                    "egr",
                    "he",
                    "graph",
                ]
            )
        )
        target = Path(folder) / f"out.{suffix}"
        code, said = _command("convert", source, target)
        if code:
            assert not target.exists(), f"half a file is left: {said}"
            assert "Traceback" not in said, said
            return 1
        right = wanted(graph, ids)
        found = cc_rapids.components(str(target))
        got = labelled(found)
        if suffix in ("npz", "mtx", "egr", "he", "graph"):
            more = int("each 1 more than before" in said)  # ids from one on
            got = {v - more: label - more for v, label in got.items() if v - more in right}
        same(got, right, suffix)
        labels = Path(folder) / f"labels.{random.choice(['csv', 'parquet', 'txt', 'tsv', 'arrow'])}"
        code, said = _command("calculate", source, "--output", labels)
        if code:
            assert "Traceback" not in said, said
            assert not labels.exists()
            return 2
        code, said = _command("verify", source, labels)
        assert code == 0, said
    return 3


def _command(*words):
    from click.testing import CliRunner

    from cc_rapids.cli import main

    done = CliRunner().invoke(main, list(map(str, words)))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise AssertionError(f"{words}: a traceback for the user") from done.exception
    return done.exit_code, done.output


PAIRS = [
    ("src", "dst"),
    ("source", "target"),
    ("source", "destination"),
    ("from", "to"),
    ("u", "v"),
    ("id1", "id2"),
    ("id_l", "id_r"),
    ("unique_id_l", "unique_id_r"),
    ("left_id", "right_id"),
]


def text(random, engine):
    """Tables with columns of any names and places: a known pair is the edge; else an error."""
    graph = Graph(random, 100)
    if graph.src.size < 2:
        return 0
    ids = names(random, graph.n, str(random.choice(["near", "words"])))
    pair = PAIRS[int(random.integers(len(PAIRS)))]
    known = random.random() < 0.6
    columns = pair if known else ("alpha", "beta")
    sides = [ids[graph.src], ids[graph.dst]]
    table = {columns[0]: sides[0], columns[1]: sides[1]}
    for k in range(int(random.integers(0, 3))):
        table[f"other{k}"] = random.random(graph.src.size).round(3)
    order = list(random.permutation(list(table)))
    frame = pd.DataFrame({name: table[name] for name in order})
    right = wanted(graph, ids)
    with tempfile.TemporaryDirectory() as folder:
        suffix = str(random.choice(["csv", "parquet"]))
        path = Path(folder) / f"t.{suffix}"
        if suffix == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
        if known:
            same(labelled(cc_rapids.components(path)), right, order)
        else:
            found, error = attempt(lambda: cc_rapids.components(path))
            if error and len(table) == 2 and suffix == "parquet":
                raise AssertionError("two columns are an edge") from error
            if found is not None:
                assert len(table) == 2, f"a guess among {order}"
                same(labelled(found), right, order)
        named = cc_rapids.components(path, source=columns[0], destination=columns[1])
        same(labelled(named), right, order)
        try:
            cc_rapids.components(path, source=columns[0], destination="nowhere")
        except CcRapidsError:
            return 3
    raise AssertionError("a column that is not there was taken")


def damage(random, engine):
    """Files with some bytes changed: an answer, or an error of ours."""
    graph = Graph(random, 100)
    if not graph.src.size:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        suffix = str(
            random.choice(["csv", "txt", "npz", "mtx", "egr", "he", "graph", "parquet", "arrow"])
        )
        source, path = Path(folder) / "s.parquet", Path(folder) / f"t.{suffix}"
        pq.write_table(pa.table({"src": graph.src, "dst": graph.dst}), source)
        code, _ = _command("convert", source, path)
        if code:
            return 0
        data = bytearray(path.read_bytes())
        for _ in range(20):
            hurt = bytearray(data)
            for _ in range(int(random.integers(1, 4))):
                at = int(random.integers(len(hurt)))
                hurt[at] = int(
                    random.choice([0, 255, 128, 45, 57, hurt[at] ^ 1 << int(random.integers(8))])
                )
            if random.random() < 0.2:
                del hurt[int(random.integers(len(hurt))) :]
            path.write_bytes(hurt)
            attempt(lambda: cc_rapids.components(path, memory_limit="2GiB").labels())
    return 20


def saved(random, engine):
    """A saved Connectivity comes back whole; damaged, it is refused."""
    graph = Graph(random, 200)
    ids = names(random, graph.n)
    state = cc_rapids.Connectivity(engine=engine)
    state.insert(frames(random, ids, graph, "threads"))
    right = wanted(graph, ids)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        state.save(path)
        again = cc_rapids.Connectivity.load(path, engine=engine)
        same(labelled(again.components()), right, "loaded")
        data = path.read_bytes()
        for _ in range(15):
            hurt = bytearray(data)
            hurt[int(random.integers(len(hurt)))] ^= 1 << int(random.integers(8))
            if random.random() < 0.2:
                del hurt[int(random.integers(len(hurt))) :]
            path.write_bytes(hurt)
            try:
                again = cc_rapids.Connectivity.load(path, engine=engine)
            except CcRapidsError:
                continue
            same(labelled(again.components()), right, "a damaged file was taken")
    return 16


STREAM = """
import sys, time
import numpy as np, cc_rapids
folder, seed = sys.argv[1], int(sys.argv[2])
def chunks():
    random = np.random.default_rng(seed)
    for k in range(40):
        yield tuple(random.integers(0, 3000, (2, 50)))
        time.sleep(.002)
print("ready", flush=True)
found = cc_rapids.stream_components(chunks(), checkpoint=folder + "/point", checkpoint_every=0)
frame = found.labels()
np.save(folder + "/answer.npy", np.stack([np.asarray(c) for c in frame]))
"""


def kills(random, engine):
    """A stream that is killed at any moment goes on from its checkpoint, to the same answer."""
    seed = int(random.integers(2**31))
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            process = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(STREAM), folder, str(seed)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            process.stdout.readline()
            time.sleep(float(random.uniform(0.05, 1.2)))
            process.send_signal(signal.SIGKILL)
            process.communicate()
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(STREAM), folder, str(seed)],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        vertex, labels = np.load(Path(folder) / "answer.npy")
        left = [name for name in os.listdir(folder) if name not in ("answer.npy", "point")]
        assert len(left) <= 3, left  # a killed writer cannot clear its own temporary file
    own = np.random.default_rng(seed)
    parts = [own.integers(0, 3000, (2, 50)) for _ in range(40)]
    src, dst = np.concatenate(parts, 1)
    right = cc_rapids.oracle.union_find(src, dst, 3000)
    present = np.unique([src, dst])
    assert np.array_equal(vertex, present)
    assert np.array_equal(labels, right[present])
    return 1


def pickles(random, engine):
    """Answers and states that were pickled or copied answer as before."""
    graph = Graph(random, 200)
    ids = names(random, graph.n)
    found = cc_rapids.components(frames(random, ids, graph, engine), engine=engine)
    right = wanted(graph, ids)
    copies = [pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)]
    for other in copies:
        same(labelled(other), right, "copied")
        assert other == found
    state = cc_rapids.Connectivity(engine=engine)
    state.insert(frames(random, ids, graph, engine))
    other = pickle.loads(pickle.dumps(state))
    same(labelled(other.components()), right, "state")
    return 4


def stored(random, engine):
    """Whatever lies in the folder of compiled kernels, the answer is right."""
    with tempfile.TemporaryDirectory() as folder:
        code = (
            "import numpy as np, cc_rapids\n"
            "found = cc_rapids.components((np.array([1, 5]), np.array([2, 6])))\n"
            "assert found.labels().labels.tolist() == [1, 1, 5, 5]\n"
        )
        environment = os.environ | {"CC_RAPIDS_CACHE": folder}
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)
        kept = [path for path in Path(folder).rglob("*") if path.is_file()]
        for path in kept:
            data = bytearray(path.read_bytes())
            if data:
                data[int(random.integers(len(data)))] ^= 1 << int(random.integers(8))
                path.write_bytes(data)
            if random.random() < 0.3:
                path.chmod(0o666)
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-1500:]
    return 1


def doors(random, engine):
    """Any list by any door, with options at random: the answer, and the rows of its ledger."""
    from .doors import doors as trial

    return trial(random, engine)


def tables(random, engine):
    """A random table of text at every door, as pandas reads it."""
    from .tables import tables as trial

    return trial(random, engine)


def several(random, engine):
    """Several files of text with ids of several types, at every door."""
    from .tables import several as trial

    return trial(random, engine)
