"""Small runs of every kernel under NVIDIA's sanitizer, which is slow: in shares, side by side.

    export PYTHONPATH=tests
    compute-sanitizer --tool memcheck python -m support.sanitized 0 8    # the first of eight
    compute-sanitizer --tool racecheck python -m support.sanitized 0 8

Racecheck looks at shared memory, which tiles alone use of ours: what it says of kernels that begin
in ``tile`` are the races that a union allows (see kernels/find.py), all else is of CuPy's.
"""

import argparse
import itertools
from contextlib import suppress
from dataclasses import replace
from unittest import mock

import numpy as np

import cc_rapids
from cc_rapids import Design, backends, generators
from cc_rapids.algorithms import boruvka, merge, run, staged
from cc_rapids.data.adapters import Csr
from cc_rapids.graph.edges import Edges
from cc_rapids.graph.forest import Forest
from cc_rapids.kernels import id_blocks
from cc_rapids.solver import choose
from support import sizes
from support.lies import FAR, LIES, N, edges, rows, same_kind

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, so that products are as different as the ids
BATCHED = (
    "none+async+halve",
    "none+jtb+two-try-split",
    "none+rem-cas+split-one",
    "shiloach-vishkin",
)
TILED = [f"none(tiles={window})+async+halve" for window in (100, 1 << 14)]
TILED += [f"{sample}order=partitioned)+rem-cas+splice" for sample in ("none(", "strided(every=3, ")]
LEVELS = 2, 5, 16
TYPES = np.int32, np.int64, np.uint64, np.uint16


def graphs(engine):
    """Skewed, contended, sparse, and of loops alone."""
    yield generators.rmat(11, 9000, 0.57, 0.19, 0.19, engine=engine)
    yield generators.star(3000, engine=engine)
    yield generators.grid(20, 30, 0.6, engine=engine)
    yield generators.self_loops(333, engine=engine)


def designs(share, shares, engine):
    """A share of all designs, on lists and on rows."""
    chosen = [*map(Design.parse, TILED), *cc_rapids.designs()][share::shares]
    skewed, *others = graphs(engine)
    order, xp = skewed.src.argsort(), backends.get(engine).xp
    starts = xp.searchsorted(skewed.src[order], xp.arange(skewed.num_vertices + 1))
    rows = Csr(starts, skewed.dst[order])
    for design in chosen:
        for graph in (skewed, *others):
            given = {"num_vertices": graph.num_vertices, "forest": design.makes_forests}
            found = cc_rapids.components(graph.edges, design=design, engine=engine, **given)
            found.labels()
            if design.makes_forests:
                found.forest()
        cc_rapids.components(rows, design=design, engine=engine).labels()
    return len(chosen)


def any_answer(given, **options):
    """An answer, or an error of ours."""
    with suppress(cc_rapids.CcRapidsError):
        cc_rapids.components(given, **options).labels()


def changing(engine, columns, since):
    """A context in which columns are overwritten before each launch after so many."""
    on, chance, launches = backends.get(engine), np.random.default_rng(since), iter(range(10**9))
    launch = on.launch

    def overwritten(kernel, n, arguments):
        if next(launches) >= since:
            for column in columns:
                some = same_kind(chance.choice([*FAR, 0, N - 1, N], column.size), column.dtype)
                column[:] = on.asarray(some)
        launch(kernel, n, arguments)

    return mock.patch.object(on, "launch", overwritten)


def lies(share, shares, engine):
    """A share of all designs on rows that lie, unseen by what looks at them first, and on rows and
    lists that change between two launches.
    """
    chosen = [*map(Design.parse, TILED), *cc_rapids.designs()][share::shares]
    there = backends.get(engine).asarray
    for design in chosen:
        with mock.patch("cc_rapids.solver.run.check_offsets_async"):
            for lie in LIES.values():
                offsets, indices = rows()
                given = Csr(there(lie(offsets)), there(indices), True)
                any_answer(given, design=design, engine=engine)
        for since in (1, 3):
            given = [there(array) for array in rows()]
            with changing(engine, given, since):
                any_answer(Csr(*given, True), design=design, engine=engine)
            given = tuple(there(array) for array in edges())
            with changing(engine, given, since):
                any_answer(given, num_vertices=N, design=design, engine=engine)


def ids_that_change(engine):
    """Columns of every kind of id that change between two launches."""
    there = backends.get(engine).asarray
    with sizes.override(small_id_range=2 * N, estimated_ids=10, sampled_scan_edges=200):
        for factor in (1, 20, 10**9):
            for since in range(8):
                src, dst = (there(end * factor) for end in edges())
                named = there(np.unique(np.concatenate([end * factor for end in edges()])))
                with changing(engine, (src, dst, named), since):
                    any_answer((src, dst), engine=engine)
                    any_answer((src, dst), vertices=named, engine=engine)
                    with suppress(cc_rapids.CcRapidsError):
                        cc_rapids.Connectivity(N, engine=engine).insert((src, dst))
                    with suppress(cc_rapids.CcRapidsError):
                        cc_rapids.Connectivity(engine=engine).insert((src, dst))


def ids(engine):
    """Ids of every kind, with audits that look them up."""
    for graph in graphs(engine):
        near, far = graph.edges, tuple(end.astype(np.uint64) * SPREAD for end in graph.edges)
        short = [tuple(end[:900].astype(kind) for end in near) for kind in TYPES]
        for given in (near, far, *short):
            found = cc_rapids.components(given, engine=engine)
            for kind in ("min", "max", "dense", "size"):
                found.labels(kind)
            found.sizes(), found.members(), found.audit(given)
        for spelling in ("vertex {} of a name that is long", "v{}", "{:05}"):
            words = tuple([spelling.format(v) for v in end[:4000].tolist()] for end in near)
            found = cc_rapids.components(words, engine=engine)
            found.labels(), found.audit(words)


def tables(engine):
    """Hashed ids whose table is ready before their number is known, is made after, and in order.

    Those in order are found in the order of the list, and block by block.
    """
    for graph in graphs(engine):
        far = tuple(end.astype(np.uint64) * SPREAD for end in graph.edges)
        bunched = tuple(end.astype(np.uint64) % 7 * SPREAD + end for end in graph.edges)
        for ends in (far, bunched):
            for at_once in (1, choose.HASHED_AT_ONCE):
                with sizes.override(hashed_at_once=at_once):
                    cc_rapids.components(ends, engine=engine).labels()
            for least in (1, id_blocks.LEAST_IDS):
                with sizes.override(estimated_ids=10, small_id_range=10, blocked_ids=least):
                    cc_rapids.components(ends, design="none+rem-cas+splice", engine=engine).labels()


def thresholds(engine):
    """Edges in buckets of their weights, with ids that are near each other, hashed and spelled."""
    for graph in graphs(engine):
        near, weight = graph.edges, backends.get(engine).xp.arange(graph.num_edges) % 17
        far = tuple(end.astype(np.uint64) * SPREAD for end in near)
        for src, dst in (near, far):
            given = {"src": src, "dst": dst, "score": weight}
            cuts = cc_rapids.components_at(given, weight="score", thresholds=LEVELS, engine=engine)
            cuts.merges(), [cuts.at(level).labels() for level in LEVELS]


def forests_by_weight(engine):
    """Weights with many ties, of 32 and 64 bits, by light edges and heavy ones, or all at once."""
    for graph in graphs(engine):
        weight = backends.get(engine).xp.arange(graph.num_edges) % 97
        far = tuple(end.astype(np.uint64) * SPREAD for end in graph.edges)
        for light, last in ((1, 0), (1, 500), (1000, boruvka.ONE_LAUNCH_CANDIDATES)):
            at_once = mock.patch.object(boruvka, "ONE_LAUNCH_CANDIDATES", last)
            with sizes.override(light_edges_per_vertex=light), at_once:
                for kind in (np.float32, np.float64, np.int8, np.uint64):
                    given = {"weight": weight.astype(kind), "forest": "min"}
                    cc_rapids.components(graph.edges, **given, engine=engine).audit(
                        graph.edges, **given
                    )
                    given["forest"] = "max"
                    cc_rapids.components(far, **given, engine=engine).audit(far, **given)


def dendrograms(engine):
    """Forests of both kinds, cut at several weights, and split."""
    for graph in graphs(engine):
        weight = backends.get(engine).xp.arange(graph.num_edges) % 17
        for which in ("min", "max"):
            options = {"weight": weight, "forest": which, "engine": engine}
            tree = cc_rapids.components(graph.edges, **options).dendrogram()
            tree.cuts(LEVELS).merges(), tree.merges(), tree.split(100), tree.curve()


def rooted_forests(engine):
    """Bridges of edges of each type with their audit, articulation points, blocks, and depths."""
    for graph in graphs(engine):
        near = graph.edges
        for given in (near, tuple(end.astype(np.int32) for end in near)):
            right = cc_rapids.bridges(given, engine=engine)
            cc_rapids.components(given, engine=engine).audit(given, bridges=right)
        cc_rapids.articulation_points(near, engine=engine)
        cc_rapids.biconnected_component_edges(near, engine=engine)
        cc_rapids.components(near, engine=engine, forest=True).paths((near[0], near[0]))


def merges(engine):
    """Forests of halves of lists, merged by the bits of a giant, by pairs and by all parents."""
    backend = backends.get(engine)
    for graph in graphs(engine):
        n, m, forests = graph.num_vertices, graph.num_edges, []
        with backend.scope():
            for rows in (slice(m // 2), slice(m // 2, m)):
                forests.append(Forest(backend, n))
                edges = Edges(*(end[rows] for end in graph.edges), 0)
                run.link(edges, forests[-1], Design(), None)
            whole = Forest(backend, n)
            staged.link_in_stages(Edges(*graph.edges, 0), whole)
            packed = merge.pack(forests[1])
            merge.merge(forests[0], packed)
            merge.merge(forests[0], replace(packed, parent=forests[1].parent))
            forests[0].count()
            forests[0].rows_between(0, n, 0, np.dtype(np.int64))


def batches(engine):
    """Insertions, queries, and both at once."""
    skewed, _, sparse, _ = graphs(engine)
    asked = backends.get(engine).xp.arange(sparse.num_edges) % 3 == 0
    known = cc_rapids.Connectivity(skewed.num_vertices, engine=engine)
    known.insert(skewed.edges).insert(sparse.edges).connected(skewed.edges)
    known.components().labels()
    for design in BATCHED:
        seen = cc_rapids.Connectivity(design=design, engine=engine)
        for _ in range(2):
            seen.insert(skewed.edges).insert(sparse.edges)
            seen.process(sparse.edges, query=asked)
            seen.connected(skewed.edges)
        seen.components().labels()


def forgetting(engine):
    """Removals from all components and few, by ids of every kind, and windows with many ties."""
    xp = backends.get(engine).xp
    for graph in graphs(engine):
        near = graph.edges
        far = tuple(end.astype(np.uint64) * SPREAD for end in near)
        for keep, (src, dst) in itertools.product((False, True), (near, far)):
            for some in (3, 300):
                seen = cc_rapids.Connectivity(keep_forest=keep, engine=engine).insert((src, dst))
                seen.remove((src[:some], dst[:some]), remaining=(src, dst))
                seen.remove_vertices(src[some : some + 3], remaining=(src[some:], dst[some:]))
        src, dst = near
        until = xp.arange(graph.num_edges) % 17
        seen = cc_rapids.Connectivity(expiry="until", engine=engine)
        for k in (slice(None), slice(50), slice(50, 99)):
            seen.insert({"src": src[k], "dst": dst[k], "until": until[k]})
        seen.expire(5)


def main(arguments=None):
    """A share of the designs; the first share runs all else too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("share", type=int)
    parser.add_argument("shares", type=int)
    parser.add_argument("--engine", default="cuda")
    args = parser.parse_args(arguments)
    if args.share == 0:
        ids(args.engine)
        tables(args.engine)
        thresholds(args.engine)
        forests_by_weight(args.engine)
        dendrograms(args.engine)
        rooted_forests(args.engine)
        merges(args.engine)
        ids_that_change(args.engine)
        batches(args.engine)
        forgetting(args.engine)
    lies(args.share, args.shares, args.engine)
    count = designs(args.share, args.shares, args.engine)
    print(f"done: share {args.share} of {args.shares}, {count} designs")


if __name__ == "__main__":
    main()
