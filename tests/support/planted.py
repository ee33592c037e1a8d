"""Faults planted in what runs use, each a small change of its text, under which a run goes wrong.

A function's code is replaced where it is, so that whoever has imported, registered or kept it runs
the fault: the audit too, if it shared it.
"""

import __future__

import ast
import inspect
import linecache
import sys
import textwrap
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd

import cc_rapids
from cc_rapids import Design, backends, components, oracle
from cc_rapids.algorithms import boruvka as by_weight
from cc_rapids.algorithms import merge as merging
from cc_rapids.algorithms import run
from cc_rapids.algorithms.literature import rounds, search
from cc_rapids.backends import base
from cc_rapids.graph import forest as trees
from cc_rapids.graph.edges import Edges
from cc_rapids.graph.forest import Forest
from cc_rapids.ids import arrival_table as arrivals
from cc_rapids.ids import hash_table, multi_column
from cc_rapids.incremental import forgetting
from cc_rapids.kernels import (
    arrival_table,
    blocks,
    boruvka,
    find,
    forest,
    gather,
    giant,
    id_bitmap,
    id_blocks,
    id_place,
    jtb,
    lasting,
    merge,
    partition,
    rem,
    sampling,
    scan,
    shared_filter,
    spelling,
    strings,
    union,
)
from cc_rapids.kernels import csr_sampling as rows_of_runs
from cc_rapids.kernels import edges as reading
from cc_rapids.kernels import forgetting as kernels_of_forgetting
from cc_rapids.kernels import id_hash as ids
from cc_rapids.kernels import primitives as bits_of_runs
from cc_rapids.results.answer import Answer


class Plant(NamedTuple):
    """A fault: in which function what stands where, and a job that it spoils."""

    function: Any
    old: str
    new: str
    job: str
    gpu: bool = False  # whether it takes the lanes of a GPU to spoil that


def paths(count=3, length=95, seed=1):
    """Paths of vertices and edges in any order: each edge matters. And a loop."""
    random = np.random.default_rng(seed)
    ways = [random.permutation(length) + k * length for k in range(count)]
    src, dst = (np.concatenate(ends) for ends in ([w[:-1] for w in ways], [w[1:] for w in ways]))
    order = random.permutation(src.size)
    loop = count * length
    return np.append(src[order], loop), np.append(dst[order], loop)


SRC, DST = paths()
RIGHT = oracle.union_find(SRC, DST, SRC.max() + 1)


def csr():
    """The same as rows that hold both directions."""
    left, right = np.concatenate([SRC, DST]), np.concatenate([DST, SRC])
    order = np.lexsort((right, left))
    starts = np.searchsorted(left[order], np.arange(SRC.max() + 2))
    return cc_rapids.Csr(starts, right[order], symmetric=True)


def path_after_path():
    """The same list with a sample that joins whole paths: one is a third of all vertices."""
    order = np.argsort(SRC // (SRC.max() // 3), kind="stable")
    return SRC[order], DST[order]


def words(v):
    """Strings of 14 bytes in the order of the numbers, which are numbers themselves."""
    return np.array([f"vertex {k:07d}" for k in v.tolist()])


def long_words(v):
    """Strings of 74 bytes in the order of the numbers, too many for that."""
    return np.array([f"{'x' * 60}vertex {k:07d}" for k in v.tolist()])


AS_STRINGS = __future__.annotations.compiler_flag  # annotations, as in the file of a function


def in_clusters(v):
    """Return ids in clusters of twenty, far apart."""
    return v // 20 * 10**5 + v % 20


SMALL = {"small_id_range": 100}
BY_NUMPY = {"library_vertices": 1000}
LIST = lambda design: lambda: ((SRC, DST), {"design": design}, {})  # noqa: E731
SPREAD = lambda by: lambda: ((SRC * by, DST * by), {"design": "none+async+naive"}, SMALL)  # noqa: E731

# A job: what gives the edges, options of ``components``, and what is set for it. Vertices are in
# the order of the numbers 0, 1, ... whatever their ids are.
JOBS = {
    "list": LIST("none+async+halve"),
    "sample": LIST("strided+rem-cas+splice"),
    "giant": lambda: (path_after_path(), {"design": "strided+rem-cas+splice"}, {}),
    "shared bits": LIST("strided(bits=shared)+rem-cas+splice"),
    "partitioned": LIST("none(order=partitioned)+rem-cas+splice"),
    "tiles": lambda: (
        tuple(np.sort(np.stack([SRC, DST]), axis=0)[:, np.argsort(np.minimum(SRC, DST))]),
        {"design": "none(tiles=64)+async+halve"},
        {},
    ),
    "few": lambda: ((SRC, DST), {"design": "none+async+naive"}, BY_NUMPY),
    "few dense": lambda: ((SRC, DST), {"labels": "dense", "design": "none+async+naive"}, BY_NUMPY),
    "rows": lambda: (csr(), {"design": "none+async+halve"}, {}),
    "k-out": lambda: (csr(), {"design": "kout+async+halve"}, {}),
    "rows as a list": lambda: (csr(), {"design": "strided+rem-cas+splice"}, {}),
    "search": lambda: (csr(), {"design": "bfs-cc"}, {}),
    "offset": lambda: ((SRC + 1000, DST + 1000), {"design": "none+async+naive"}, {}),
    "named": lambda: ((SRC, DST), {"vertices": range(1, 440, 3), "design": "none+async+naive"}, {}),
    "dense": lambda: ((SRC, DST), {"labels": "dense", "design": "none+async+naive"}, {}),
    "largest first": lambda: ((SRC, DST), {"labels": "size", "design": "none+async+naive"}, {}),
    "max": lambda: ((SRC, DST), {"labels": "max", "design": "none+async+naive"}, {}),
    "strewn": lambda: ((SRC * 50, DST * 50), {"design": "none+async+naive"}, {}),
    "bit map": SPREAD(50),
    "bit map, paged": lambda: (
        (in_clusters(SRC), in_clusters(DST)),
        {"design": "none+async+naive"},
        SMALL | {"paged_rows": 10},
    ),
    "slots": SPREAD(10**7),
    "placed": lambda: (
        (SRC * 10**7, DST * 10**7),
        {"design": "none+async+naive"},
        {"small_id_range": 100, "estimated_ids": 10, "spread_sample_ids": 1000},
    ),
    "placed in blocks": lambda: (
        (SRC * 10**7, DST * 10**7),
        {"design": "none+async+naive"},
        {"small_id_range": 100, "estimated_ids": 10, "spread_sample_ids": 1000, "blocked_ids": 1},
    ),
    "strings": lambda: ((long_words(SRC), long_words(DST)), {}, {}),
    "spelt": lambda: ((words(SRC), words(DST)), {}, {}),
    "several": lambda: (
        pd.DataFrame({"a": SRC // 7, "b": SRC % 7, "c": DST // 7, "d": DST % 7}),
        {"source": ["a", "b"], "destination": ["c", "d"]},
        {},
    ),
    "by weight": lambda: ((SRC, DST), {"forest": "min", "weight": SRC % 7}, {}),
    "by weight in rounds": lambda: ((SRC, DST), {"forest": "min", "weight": SRC % 7}, {}),
    "growing": lambda: ((SRC * 2, DST * 2), {}, {}),
    "growing far": lambda: ((SRC * 10**7, DST * 10**7), {}, {}),
}
# What joins the paths, and goes again: of all vertices, of few, of a forest that is kept, by time.
JOBS |= dict.fromkeys(("removed", "removed from few", "removed from kept", "expired"), LIST(None))
JOBS |= dict.fromkeys(("merged", "merged by parents"), LIST(None))
BETWEEN = np.arange(0, RIGHT.size - 1, 30), np.arange(95, RIGHT.size + 94, 30) % (RIGHT.size - 1)
for design in (
    *(
        "none+early+halve",
        "none+hooks+naive",
        "none+ecl",
        "none+afforest",
        "none+rem-cas+halve-one",
    ),
    *("none+rem-lock+split-one", "none+jtb+two-try-split", "none+async+split", "none+async+full"),
    *("none+async+naive", "liu-tarjan(PRF)", "shiloach-vishkin", "rem-parallel", "none+jtb+naive"),
):
    JOBS[design] = LIST(design)

IN_BLOCKS = "placed in blocks", True  # which a GPU gains by

PLANTS = {
    # Which rows there are.
    "every": Plant(reading.every, "return i", "return i - np.uint64(i == SOON)", "list"),
    "sampled": Plant(reading.sampled, "* gap", "* gap - np.uint64(i == SOON)", "sample"),
    "unsampled": Plant(reading.unsampled, "* block", "* block - np.uint64(i == ONE)", "sample"),
    "the last left": Plant(
        sampling.strided, "m - count(m, every)", "m - count(m, every) - 1", "sample"
    ),
    "listed": Plant(
        reading.edge_of_list, "at(dst, e,", "at(dst, e - np.uint64(e % SOON == ONE),", "list"
    ),
    "listed once": Plant(
        reading.edge_of_list_streaming,
        "load_streaming(dst, e)",
        "load_streaming(dst, e - np.uint64(e == np.uint64(270)))",
        "shared bits",
    ),
    "distance": Plant(reading.distance, "- low)", "- low - np.int64(i == SOON))", "list"),
    "row of an entry": Plant(reading.row_of, "<= e", "< e", "rows as a list"),
    "short rows": Plant(rows_of_runs.short_rows, "w <= v", "w + wide(1) < v", "rows"),
    "every row": Plant(
        rows_of_runs.every_row, "vertex(v), vertex(w)", "vertex(v), vertex(w >> ONE)", "k-out"
    ),
    "one edge": Plant(reading.one_edge, "u == v:", "u == v or e == 40:", "list"),
    "one after the sample": Plant(
        sampling.link_edges_outside,
        "e = edge_index(i)",
        "e = edge_index(i - (i & np.uint64(1)))",
        "sample",
    ),
    "stripes": Plant(
        blocks.strided_permutation, "i & row_mask", "i & row_mask & ~ONE", "tiles", gpu=True
    ),
    # The giant, and what is left out beside it.
    "unless inside": Plant(giant.unless_in_giant, "elif not u_in:", "elif u_in:", "sample"),
    "mark inside": Plant(
        giant.mark_in_giant, "r == giant(root_word)", "r != giant(root_word)", "giant"
    ),
    "partition": Plant(partition.partition_tile, "high, min(u, v)", "high, high", "partitioned"),
    "blocks before": Plant(partition.before, "block < b:", "block + ONE < b:", "partitioned"),
    "link blocks": Plant(
        partition.link_blocks, "load(smaller, e))", "load(smaller, base))", "partitioned"
    ),
    "known": Plant(
        shared_filter.is_inside, "WORD(WORD(shared[", "WORD(BIT | WORD(shared[", "shared bits"
    ),
    "share": Plant(
        shared_filter.share, "shared[i] = word", "shared[i] = WORD(~word)", "shared bits"
    ),
    "both inside": Plant(
        shared_filter.both_in_giant, "a & b & BIT", "(a | b) & BIT", "shared bits"
    ),
    "two edges": Plant(
        shared_filter.two_edges, "min(e + warp_size, last)", "min(e, last)", "shared bits"
    ),
    "look at two": Plant(
        shared_filter.look_at_two, "(first, second)", "(first, BIT)", "shared bits"
    ),
    "odd": Plant(
        shared_filter.is_skipped,
        "mark(present, vertex(u))",
        "mark(present, vertex(0))",
        "shared bits",
    ),
    "filter": Plant(shared_filter.filter_edges, "m == 0", "m >= 0", "shared bits"),
    "enter": Plant(shared_filter.enqueue, "WORD(u), WORD(v)", "WORD(u), WORD(u)", "shared bits"),
    "leave": Plant(
        shared_filter.dequeue, "np.uint64(at) + capacity", "np.uint64(at)", "shared bits"
    ),
    "together": Plant(
        shared_filter.dequeue_by_warp,
        "dequeue(warp_queues, WORD(WORD(queue + waiting) + lane)",
        "dequeue(warp_queues, WORD(queue + lane)",
        "shared bits",
    ),
    "bits": Plant(bits_of_runs.has, "!= 0", "== 0", "sample"),
    # Unions, and finds.
    "async": Plant(union.asynchronous, "cas(parent, u, u, v)", "cas(parent, u, u, u)", "list"),
    "early": Plant(union.early, "cas(parent, a, a, b)", "cas(parent, a, a, a)", "none+early+halve"),
    "hooks": Plant(union.hooks, "parent[u] = v", "parent[u] = u", "none+hooks+naive"),
    "ecl": Plant(union.ecl, "cas(parent, u, u, v)", "cas(parent, u, u, u)", "none+ecl"),
    "afforest": Plant(
        union.afforest, "cas(parent, p, p, q)", "cas(parent, p, p, p)", "none+afforest"
    ),
    "rem-cas": Plant(
        rem.rem_cas, "cas(parent, a, a, q)", "cas(parent, a, a, a)", "none+rem-cas+halve-one"
    ),
    "rem-lock": Plant(rem.locked_hook, "parent[a] = q", "parent[a] = a", "none+rem-lock+split-one"),
    "jtb": Plant(jtb.jtb, "a - u + v) == a", "a) == a", "none+jtb+two-try-split"),
    "joining": Plant(forest.joining, "link(parent, aux, u, v)", "link(parent, aux, u, u)", "list"),
    "halve": Plant(find.halve, "parent[v] = g", "parent[v] = g // 2", "list"),
    "split": Plant(find.split, "parent[v] = g", "parent[v] = g // 2", "none+async+split"),
    "full": Plant(find.full, "parent[v] = r", "parent[v] = r // 2", "none+async+full"),
    "naive": Plant(find.naive, "return v", "return v // 2", "none+async+naive"),
    "halve-one": Plant(rem.halve_one, "return g", "return g // 2", "none+rem-cas+halve-one"),
    "split-one": Plant(rem.split_one, "return p", "return p // 2", "none+rem-lock+split-one"),
    "start": Plant(forest.init_singletons, "vertex(v)", "vertex(v // 2)", "list"),
    # Flat trees, and what is counted and gathered of them.
    "flatten": Plant(forest.flatten, "parent[v] = r", "parent[v] = p", "none+async+naive"),
    "roots that occur": Plant(forest.flatten, "mark(present, r)", "mark(present, v)", "list"),
    "least of trees": Plant(
        forest.least_of_trees,
        "parent[v], vertex(v)",
        "parent[v], vertex(parent[v])",
        "none+jtb+naive",
    ),
    "reroot": Plant(forest.reroot, "parent[v] = r", "parent[v] = r // 2", "none+jtb+naive"),
    "complete": Plant(forest.complete, "hooked += np.int64(1)", "hooked += np.int64(2)", "list"),
    "components": Plant(forest.complete, "roots += np.int64(1)", "roots += np.int64(2)", "list"),
    "count blocks": Plant(
        scan.count_blocks,
        "count += ones(present[w])",
        "count += ones(present[w] >> np.uint32(1))",
        "list",
    ),
    "sums": Plant(scan.sum_all, "values[i] = total", "values[i] = total - total // 3", "list"),
    "gather": Plant(
        gather.row_of_vertex,
        "ids[k] = np.int64(v)",
        "ids[k] = np.int64(v) - np.int64(v == LAST)",
        "list",
    ),
    "empty words": Plant(gather.gather, "v += WORD", "v, rank = (v + WORD, rank + NEXT)", "strewn"),
    "labels": Plant(gather.row_of_vertex, "label(parent[v],", "label(parent[v // 2],", "list"),
    "least": Plant(gather.min_label, "return np.int64(r) + low", "return np.int64(r)", "offset"),
    "dense": Plant(
        gather.dense_label,
        "rank(roots, before_roots, r)",
        "rank(roots, before_roots, r // 2)",
        "dense",
    ),
    "mark roots": Plant(gather.mark_roots, "parent[v] == v", "parent[v] != v", "dense"),
    "rank": Plant(bits_of_runs.rank, "return set_bits", "return set_bits // 2", "dense"),
    "count bits": Plant(bits_of_runs.count, "& np.uint32(255)", "& np.uint32(254)", "dense"),
    "order of sizes": Plant(Answer.by_size.func, "-self.counts", "self.counts", "largest first"),
    "the last of each": Plant(Answer.greatest_rows.func, "- 1]", "- 2]", "max"),
    "few counted": Plant(trees.count_by_numpy, "|= octets", "&= octets", "few"),
    "few components": Plant(trees.count_by_numpy, "occur & ~hooked", "occur", "few"),
    "few rows": Plant(
        trees.rows_by_numpy, "vertices, parent[vertices]", "vertices, vertices", "few"
    ),
    "few dense": Plant(
        trees.dense_by_numpy, "label_type.type(1)", "label_type.type(0)", "few dense"
    ),
    # Blocks of ids.
    "near": Plant(blocks.link_in_block, "LOCAL(x), LOCAL(y)", "LOCAL(x), LOCAL(0)", "tiles"),
    "settle": Plant(
        blocks.flatten_block, "vertex(base +", "vertex(base // ONE // (base + ONE) +", "tiles"
    ),
    "solve": Plant(
        blocks.solve_blocks, "shared[v] = LOCAL(v)", "shared[v] = LOCAL(v // 2)", "tiles"
    ),
    # Ids.
    "offset": Plant(
        Answer.label_frame,
        "{'vertex': vertex, 'labels': label}",
        "{'vertex': vertex + (vertex == 1003), 'labels': label}",
        "offset",
    ),
    "mark range": Plant(id_bitmap.mark_range, "np.int64(i)", "np.int64(i // 2)", "named"),
    "number ranks": Plant(
        id_bitmap.number_ranks, "at(column, i, low)", "at(column, i // 2, low)", "bit map"
    ),
    "members": Plant(
        id_bitmap.members, "np.int64(w << FIVE)", "np.int64(w >> ONE << FIVE)", "bit map"
    ),
    "place in pages": Plant(
        id_bitmap.place_in_pages,
        "at(column, i, low)",
        "at(column, i // 2, low)",
        "bit map, paged",
    ),
    "ids of places": Plant(
        id_bitmap.ids_of_places, "place - (page << np.uint64(shift))", "page", "bit map, paged"
    ),
    "listed ids": Plant(
        gather.decode_rows,
        "ids_by_vertex[parent[v]]",
        "ids_by_vertex[parent[v >> NEXT]]",
        "bit map",
    ),
    "place ids": Plant(
        id_place.place_ids,
        "read_key(column, i, bias)",
        "read_key(column, i >> ONE, bias)",
        "placed",
    ),
    "partition ends": Plant(
        id_blocks.partition_ends, "read_key(dst, e, bias)", "read_key(dst, base, bias)", *IN_BLOCKS
    ),
    "place larger": Plant(
        id_blocks.place_larger, "SMALLER, i, other)", "SMALLER, i, key)", *IN_BLOCKS
    ),
    "place smaller": Plant(
        id_blocks.place_smaller, "full, key,", "full, key ^ np.uint64(e == ONE),", *IN_BLOCKS
    ),
    "words of keys": Plant(id_blocks.load_key, "at + i]", "at]", *IN_BLOCKS),
    "order slots": Plant(
        id_place.order_slots, "np.int64(key ^ bias)", "np.int64(key ^ bias ^ (k & ONE))", "placed"
    ),
    "number slots": Plant(ids.number_slots, "column[i])", "column[i // 2])", "slots"),
    "insert": Plant(ids.insert, "if stored == key:", "if stored != key:", "slots"),
    "lower": Plant(forest.scatter_min, "vertex(k)", "vertex(k // 2)", "slots"),
    "hang": Plant(forest.assign_min_root, "roots[k]", "roots[k // 2]", "slots"),
    "order of ids": Plant(
        hash_table.Slots.finalise_order,
        "order = backend.xp.argsort(ids)",
        "order = backend.xp.argsort(-ids)",
        "slots",
    ),
    "number spelt": Plant(
        spelling.write_codes, "codes[i] = code", "codes[i] = code - (code & ONE)", "spelt"
    ),
    "bytes": Plant(
        strings.first_bytes, "min(size, EIGHT) << THREE", "min(size, EIGHT) << ONE", "strings"
    ),
    "pieces": Plant(
        strings.sort_keys,
        "x << HALVES | x >> HALVES",
        "~(x << HALVES | x >> HALVES | BYTE)",
        "strings",
    ),
    "digits": Plant(
        multi_column.number_rows, "numbers_of_side * size", "numbers_of_side", "several"
    ),
    "split digits": Plant(
        multi_column.Digits.split, "numbers // size", "numbers // size // 2", "several"
    ),
    "claimed": Plant(
        arrival_table.assign_numbers,
        "table[numbers[i]] = vertex(number)",
        "table[numbers[i]] = vertex(np.uint64(n))",
        "growing",
    ),
    "same id": Plant(
        arrival_table.by_hash, "arrived[number] == key", "arrived[number] <= key", "growing far"
    ),
    "places": Plant(
        arrivals.ArrivalTable.in_order, "self.vertex(n)]", "self.vertex(n)][::-1]", "growing"
    ),
    # Forests of several devices.
    "packed bits": Plant(merge.pack, "octet |= bit", "octet |= bit & np.uint8(254)", "merged"),
    "packed pairs": Plant(merge.pack, "(v, r)", "(v, v)", "merged"),
    "linked giant": Plant(
        merge.link_giant, "link(parent, aux, p, r)", "climb(parent, p)", "merged"
    ),
    "linked pairs": Plant(merge.link_pairs, "roots[k])", "vertices[k])", "merged"),
    "linked parents": Plant(
        merge.link_parents, "link(parent, aux, p, q)", "p = q", "merged by parents"
    ),
    # Forests by weight.
    "collect": Plant(boruvka.append_candidate, "kept = u != v", "kept = u < v", "by weight"),
    "candidates": Plant(boruvka.load_candidate, "vs[i]", "us[i]", "by weight in rounds"),
    # Edges that go.
    "singles": Plant(
        kernels_of_forgetting.singles,
        "is_touched(touched, root)",
        "not is_touched(touched, root)",
        "removed",
    ),
    "touched bits": Plant(
        kernels_of_forgetting.touch_slots,
        "if is_touched",
        "if not is_touched",
        "removed from few",
    ),
    "touched edges": Plant(
        kernels_of_forgetting.list_touched,
        "count, ZERO, ONE",
        "count, ZERO, ZERO",
        "removed from few",
    ),
    "labels of places": Plant(
        kernels_of_forgetting.labels_of_places, "labels[v]", "labels[v // 2]", "removed"
    ),
    "listed pairs": Plant(
        kernels_of_forgetting.is_listed, "pairs[middle] < key", "pairs[middle] <= key", "removed"
    ),
    "ends left": Plant(
        kernels_of_forgetting.write_ends, "vertex(u), vertex(v)", "vertex(u), vertex(u)", "removed"
    ),
    "edges between": Plant(
        kernels_of_forgetting.mark_between, "kept = u != v", "kept = u < v", "removed from kept"
    ),
    "edges of the forest": Plant(
        kernels_of_forgetting.mark_removed,
        "is_listed(u, v, ends, pairs)",
        "is_listed(u, u, ends, pairs)",
        "removed from kept",
    ),
    "what lasts longer": Plant(
        lasting.lasts_longer, "until[e] > until[f]", "until[e] < until[f]", "expired"
    ),
    "merged": Plant(lasting.merge, "v, a >> HALF", "v, v", "expired"),
    # Other ways to connect.
    "checked": Plant(
        reading.checked,
        "vertex(u), vertex(v)",
        "vertex(u), vertex(v if e != SOON else u)",
        "rem-parallel",
    ),
    "edges of rounds": Plant(
        sampling.copy_edge,
        "rename(vertex(v), root_word)",
        "rename(vertex(u), root_word)",
        "liu-tarjan(PRF)",
    ),
    "connect": Plant(
        rounds.connect, "low(new, h, label)", "low(new, h, label // 2)", "liu-tarjan(PRF)"
    ),
    "search": Plant(
        search.enqueue_vertex, "parent[w] = vertex(source)", "parent[w] = vertex(w)", "search"
    ),
}


@contextmanager
def planted(plant, folder):
    """The fault is there, and nothing compiled before is taken for what holds it."""
    function = inspect.unwrap(plant.function)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    tree.body[0].decorator_list.clear()
    if ast.get_docstring(tree.body[0]):
        del tree.body[0].body[0]
    right = ast.unparse(tree)
    assert right.count(plant.old) == 1, right
    path = folder / f"{function.__name__}.py"
    path.write_text(right.replace(plant.old, plant.new), encoding="utf-8")
    linecache.checkcache(str(path))
    made: dict[str, Any] = {}
    exec(
        compile(path.read_text(encoding="utf-8"), str(path), "exec", AS_STRINGS),
        dict(function.__globals__),
        made,
    )
    code = function.__code__
    function.__code__ = made[function.__name__].__code__
    forget()
    try:
        yield
    finally:
        function.__code__ = code
        forget()


def forget():
    """No kernel of runs that was made before is used again; those of audits are."""
    base.Backend.kernel.cache_clear()
    for name, module in list(sys.modules.items()):
        if not name.startswith("cc_rapids.") or name.startswith(
            ("cc_rapids.backends", "cc_rapids.kernels.audit", "cc_rapids.verify")
        ):
            continue
        for value in vars(module).values():
            # hasattr() would import a library that is read lazily
            if getattr(value, "__module__", "") == name and "cache_clear" in dir(value):
                value.cache_clear()


def runs(plant, engine):
    """Whether an engine runs what the fault is in: NumPy counts and gathers for threads alone."""
    return backends.get(engine).few_by_library or not plant.job.startswith("few")


def runs_on_gpus(name):
    """Whether GPUs run what the fault of a name is in."""
    return not PLANTS[name].job.startswith(("few", "bit map, paged"))


def solved(job, engine, tuned):
    """The answer, and the edges as the audit takes them."""
    edges, options, settings = JOBS[job]()
    tuned(**{"library_vertices": 0, "library_strings": 0} | settings)
    if job.startswith("growing"):
        half = edges[0].size // 2
        seen = cc_rapids.Connectivity(engine=engine)
        for part in (slice(half), slice(half, None)):
            seen.insert((edges[0][part], edges[1][part]))
        return seen.components(), edges, {}
    if job in ("removed", "removed from few", "removed from kept", "expired"):
        return forgotten(job, engine), edges, {}
    if job in ("merged", "merged by parents"):
        return merged(job, engine), edges, {}
    named = {k: v for k, v in options.items() if k in ("source", "destination", "vertices")}
    if job == "by weight in rounds":
        with mock.patch.object(by_weight, "ONE_LAUNCH_CANDIDATES", 0):
            return components(edges, engine=engine, **options), edges, named
    return components(edges, engine=engine, **options), edges, named


def forgotten(job, engine):
    """The answer after edges between the paths have gone."""
    every = tuple(np.concatenate(ends) for ends in zip(BETWEEN, (SRC, DST), strict=True))
    if job == "expired":
        until = np.repeat([1, 2], [BETWEEN[0].size, SRC.size])
        rows = pd.DataFrame({"src": every[0], "dst": every[1], "until": until})
        seen = cc_rapids.Connectivity(vertices=range(RIGHT.size), engine=engine, expiry="until")
        for k in range(0, len(rows), 20):
            seen.insert(rows[k : k + 20])
        return seen.expire(2).components()
    seen = cc_rapids.Connectivity(engine=engine, keep_forest=job == "removed from kept")
    seen.insert(every)
    with mock.patch.object(forgetting, "DENSE", 0 if job == "removed from few" else 4):
        return seen.remove(BETWEEN, remaining=every).components()


def merged(job, engine):
    """The answer of two forests: of some paths, or of every other edge, and of all else."""
    backend, forests = backends.get(engine), []
    first = SRC // 95 == 1 if job == "merged" else np.arange(SRC.size) % 2 == 0
    first |= (SRC // 95 == 2) & (np.arange(SRC.size) % 8 == 0)
    with backend.scope():
        for rows in (~first, first):
            ends = (backend.asarray(column[rows]) for column in (SRC, DST))
            forests.append(Forest(backend, RIGHT.size))
            run.link(Edges(*ends, 0), forests[-1], Design(), None)
        packed = merging.pack(forests[1])
        assert (packed.parent is None) == (job == "merged")
        merging.merge(forests[0], packed)
        forests[0].count()
        found = components((SRC, DST), engine=engine)
        found.answer.forest, found.answer.prefetched_frame = forests[0], None
    return found


def is_right(found, job):
    """Whether the label frame is that of sequential union-find, and len() as well."""
    kind = "min" if job == "several" else found.answer.kind.name
    frame = found.labels(kind)
    right, order = RIGHT, np.arange(RIGHT.size)
    if job == "named":
        order = np.union1d(order, range(1, 440, 3))
        right = np.append(RIGHT, order[RIGHT.size :])
    if job == "several":
        ids = pd.DataFrame({"0": np.arange(RIGHT.size) // 7, "1": np.arange(RIGHT.size) % 7})
        columns = ids, ids.iloc[right].reset_index(drop=True)
        columns = [part[name].to_numpy() for part in columns for name in part]
        got = [frame[name].to_numpy() for name in frame]
    else:
        names = {
            "offset": lambda v: v + 1000,
            "strewn": lambda v: v * 50,
            "bit map": lambda v: v * 50,
            "bit map, paged": in_clusters,
            "slots": lambda v: v * 10**7,
            "placed": lambda v: v * 10**7,
            "placed in blocks": lambda v: v * 10**7,
            "growing": lambda v: v * 2,
            "growing far": lambda v: v * 10**7,
            "strings": long_words,
            "spelt": words,
        }.get(job, lambda v: v)
        least, number, count = np.unique(right, return_inverse=True, return_counts=True)
        if kind == "max":
            greatest = np.array([np.flatnonzero(number == k).max() for k in range(least.size)])
            label = names(greatest[number])
        elif kind == "dense":
            label = number
        elif kind == "size":
            place = np.empty(least.size, int)
            place[np.argsort(-count, kind="stable")] = np.arange(least.size)
            label = place[number]
        else:
            label = names(right)
        columns, got = (names(order), label), (frame.vertex, frame.labels)
    same = all(np.array_equal(np.asarray(a), b) for a, b in zip(got, columns, strict=True))
    return same and len(found) == np.unique(right).size


# In the rounds of forests by weight: the part, what it holds, the fault, and weights that show it.
IN_ROUNDS = {
    "unsigned": (boruvka.unsigned_order, "np.uint64(bits)", "np.uint64(bits) ^ np.uint64(8)", "u4"),
    "signed": (boruvka.signed_order, " ^ sign", "", "i4"),
    "zero": (boruvka.float_order, "pattern = ZERO", "pattern = sign", "f4"),
    "negative": (boruvka.float_order, "all_bits ^ pattern", "pattern", "f4"),
    "reversed": (boruvka.reversed_order, "all_bits ^ order(bits)", "order(bits)", "u4"),
    "key": (boruvka.Keys.key, "weight << HALF | row", "weight >> ONE << HALF | row", "u4"),
    "its row": (boruvka.Keys.load_row, "key & LOW", "key & LOW & ~ONE", "u4"),
    "wide": (boruvka.WideKeys.load_row, "rows[i]", "rows[i] & ~ONE", "u8"),
    "least row": (boruvka.lower_row, "key == best[u]", "key >= best[u]", "u8"),
    "bands": (boruvka.within, "pivots[k], pivots[k + ONE]", "pivots[ZERO], pivots[ONE]", "u4"),
    "a band": (boruvka.collect_band, "np.uint32(i)", "np.uint32(i // 2)", "u4"),
    "giant": (boruvka.outside_giant, "has(in_giant, vertex(u)) and", "", "u4"),
    "collect": (boruvka.append_candidate, "kept = u != v", "kept = u < v", "u4"),
    "lower": (boruvka.lower_both, "min(best, v, key)", "min(best, u, key)", "u4"),
    "taken": (boruvka.link_candidate, "u, key, row) or", "u, key, row) or u != v or", "u4"),
    "takes": (boruvka.WideKeys.selects, " and best_row[r] == row", "", "u8"),
    "alone": (boruvka.singleton_root, "return v", "return v ^ v", "u4"),
}
#: The same of rounds in one launch, which threads on a CPU do not run.
IN_ONE_LAUNCH = {
    "forgets": (boruvka.Keys.reset_best, "best[r] = NONE", "best[r] = ZERO", "u4"),
    "other end": (boruvka.finish, "lower(best, u, v, key)", "lower(best, u, u, key)", "u4"),
    "found": (boruvka.finish, "us[i], vs[i] = (u, v)", "us[i], vs[i] = (v, v)", "u4"),
    "left": (boruvka.finish, "words[LEFT] = ONE", "words[LEFT] = ZERO", "u4"),
    "no end": (boruvka.finish, "words[LEFT] = ZERO", "words[LEFT] = ONE", "u4"),
    "rows apart": (boruvka.finish, "if wide_keys:", "if not wide_keys:", "u8"),
}

__all__ = ["IN_ONE_LAUNCH", "IN_ROUNDS", "JOBS", "PLANTS", "is_right", "planted", "solved"]
