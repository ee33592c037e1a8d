"""What launches every kernel, with each kind of arguments that has code of its own."""

import itertools
from dataclasses import replace
from functools import cache
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import cc_rapids
from cc_rapids import Design, VerificationError, backends, generators
from cc_rapids.algorithms import boruvka, merge, pixels, staged
from cc_rapids.algorithms.auto import AUTO, for_forest
from cc_rapids.backends.dry_run import recorded_launches
from cc_rapids.data.adapters import Csr
from cc_rapids.data.edge_input import Labels
from cc_rapids.graph.edges import Edges
from cc_rapids.graph.forest import Forest
from cc_rapids.ids import spelled, text_table
from cc_rapids.ids import strings as texts
from cc_rapids.ids.groups import chosen_rows
from cc_rapids.kernels import gather, partition, queries, spelling
from cc_rapids.kernels.marked import gather_marked
from cc_rapids.kernels.weights import note_nan
from cc_rapids.tools.generators import pieces
from cc_rapids.verify.audit import audit_labels
from support import design_pairs, sizes

# What "auto" runs by either of its rules, with a forest too.
CHOSEN = [rule.design for rule in AUTO]
CHOSEN += [Design(sample) for sample in ("none", "strided", "kout")]
CHOSEN += [Design("hook", "ecl", None), *map(for_forest, CHOSEN)]

INT, LONG, ULONG = np.int32, np.int64, np.uint64

# Of k-out, what no design of the list has.
OPTIONS = ("k=3", "coalesce=off, reorganise=off", "reorganise=off", "gather=off")


def edges(dtype=LONG):
    """A few: a pair both ways, a new vertex, and a loop."""
    return np.array([1, 5, 9, 9], dtype), np.array([5, 1, 12, 9], dtype)


def solve(design, dtype):
    """A design on a list, and on rows that hold both directions or do not."""
    for forest in dict.fromkeys((False, design.makes_forests)):
        cc_rapids.components(edges(dtype), design=design, forest=forest)
        for symmetric in (True, False):
            rows = Csr(np.array([0, 2, 3, 4], dtype), np.array([1, 2, 0, 0], dtype), symmetric)
            cc_rapids.components(rows, design=design, forest=forest)


def batches(design):
    """Insertions, and queries alone and among them."""
    src, dst = edges()
    seen = cc_rapids.Connectivity(design=design).insert((src, dst))
    seen.process((src, dst), query=src > 5)
    seen.connected((src, dst))
    seen.components()


def vertices_of_batches():
    """Insertions of vertices, and questions about them, where the host goes on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cc_rapids.backends.dry_run.RecordingBackend.in_caller_order", True)
        for dtype in (INT, LONG, ULONG):
            seen = cc_rapids.Connectivity(num_vertices=20).insert(edges(dtype))
            seen.connected(edges(dtype))
            backend, (src, dst), words = backends.get("cuda"), edges(dtype), np.zeros(3, np.uint64)
            look = backend.kernel(queries.copy_and_note_strays)
            look(4, words, words.copy(), 4, src, dst, 20, 1, words[:1].copy())


def changes():
    """What a batch changed: two trees that it joined."""
    seen = cc_rapids.Connectivity().insert((np.array([1, 3]), np.array([2, 4])))
    seen.insert((np.array([2]), np.array([4])), return_changes=True)


def forgetting():
    """Edges and vertices that go, with a forest and without, and edges that expire."""
    for dtype, keep in itertools.product((INT, LONG, ULONG), (False, True)):
        src, dst = edges(dtype)
        for factor, count in ((1, 20), (1, None), (10**8, None)):
            given = src * dtype(factor), dst * dtype(factor)
            seen = cc_rapids.Connectivity(count, keep_forest=keep)
            seen.insert(given).remove((given[0][:1], given[1][:1]), remaining=given)
            if count is None:
                seen.remove_vertices(given[0][:1], remaining=given)
    apart = np.arange(40), np.arange(40) // 2 * 2
    seen = cc_rapids.Connectivity().insert(apart)  # of which few are looked at
    seen.remove((np.array([1]), np.array([0])), remaining=apart)
    path = cc_rapids.Connectivity(keep_forest=True).insert((np.array([0, 1]), np.array([1, 2])))
    for _ in range(8):  # the last builds an index of the forest
        path.remove((np.array([0]), np.array([2])))
    for kind in (LONG, np.float64):
        frame = pd.DataFrame(
            {"src": apart[0], "dst": apart[1], "until": np.arange(40).astype(kind)}
        )
        seen = cc_rapids.Connectivity(expiry="until").insert(frame)
        seen.insert(frame[:3]).insert(frame[:2]).expire(5)


def takes_batches(design):
    """Whether a design takes batches; a sample makes no difference to them."""
    return (
        design.hooks_roots_only and design.sample == "none" and not design.words[1].spec.standalone
    )


def ids():
    """Every way from ids to vertices and back to labels, without a word for each of a wide span."""
    with sizes.override(small_id_range=100):
        name_vertices()
        with sizes.override(estimated_ids=10, sampled_scan_edges=10):
            glance()


def name_vertices():
    """Ids of each type and kind, by themselves and with vertices named besides."""
    for dtype in (INT, LONG, ULONG):
        found = cc_rapids.components(edges(dtype), vertices=edges(dtype)[0])
        for labels in ("min", "dense", "size"):
            found.labels(labels)
        for width in (100, 10**7):  # a bit each, and slots
            far = np.arange(50, dtype=dtype) * dtype(width)
            cc_rapids.components((far, far[::-1].copy()), vertices=far).labels()
            cc_rapids.components((far, far[::-1].copy())).labels()
            arriving = cc_rapids.Connectivity().insert((far, far[::-1].copy()))
            arriving.insert((far + dtype(1), far)).connected((far, far))
        src, dst = np.triu_indices(6)
        dense = src.astype(dtype), dst.astype(dtype)
        cc_rapids.components(dense, num_vertices=6, design="auto(rule=paper)")
    cc_rapids.components(edges(), vertices=range(0, 30, 7)).labels()
    cc_rapids.components(edges(), vertices=[100_000]).labels()
    with sizes.override(single_block_sum=1):
        cc_rapids.components(edges(), num_vertices=10_000).labels()
    strided = np.arange(20)[::2]
    cc_rapids.components((strided, strided))


def glance():
    """Lists of which a glance is taken, or whose ids are estimated: of any length here."""
    for dtype in (INT, LONG, ULONG):
        near = np.arange(400, dtype=dtype)
        cc_rapids.components((near, near[::-1].copy())).labels()
        cc_rapids.components((near, near[::-1].copy()), num_vertices=400).labels()
        far = near[::8] * dtype(10**6)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("cc_rapids.ids.hash_table._spread_evenly", lambda *given: True)
            cc_rapids.components((far, far[::-1].copy())).labels()
            with sizes.override(blocked_ids=1):
                cc_rapids.components((far, far[::-1].copy())).labels()
        cc_rapids.components((far, far[::-1].copy())).labels()  # counted, and none seen


def lookups():
    """Ids looked up by their distance and among sorted ones, and the rows of a frame to keep."""
    for dtype, factor, slots in itertools.product((INT, LONG, ULONG), (1, 10**7), (0, 10**7)):
        ids = edges(dtype)[0] * dtype(factor)
        frame = pd.DataFrame({"vertex": np.append(ids, dtype(3)), "score": range(5)})
        with sizes.override(small_id_range=100, group_slots_per_row=slots):
            found = cc_rapids.components((ids, ids[::-1].copy()), vertices=ids)
            found.representatives(by=(ids, ids))
            found.deduplicate(frame, by="score", per="score")


def strings():
    """Strings whose first bytes are the same, with offsets of either width."""
    chars = np.frombuffer(b"vertex 12345678vertex 12345679vertex 12345678", np.uint8)
    for dtype in (INT, LONG):
        text = texts.Text.of(chars, np.arange(0, 46, 15, dtype), backends.get("cuda"))
        texts.check_offsets(text)
        texts.factorise_text(text)
        text_table.TextTable.of(text)
        number_and_spell(text)


def number_and_spell(text):
    """Strings as numbers of either width, one of them looked up, and back."""
    for more in (np.zeros(0, int), np.arange(1, 255)):
        seen = np.zeros(spelling.SEEN, np.uint8)
        text.run(spelling.note_letters, text.size, 1, seen)
        for place in range(5):
            seen[256 * place + more] = 1
        seen[spelling.LENGTHS + 3] = more.size > 0
        how = spelled.Spelling.of(seen, text.backend)
        how.spell(how.codes(text, text.backend, np.zeros(1, np.uint64)), text.backend)
        how.lookup(pa.array(["vertex 12345678"]), text.backend)


def records():
    """Keys of each type of integers, alone and with a second part."""
    for dtype in (INT, LONG, ULONG):
        numbers = edges(dtype)[0]
        chosen_rows([numbers, numbers], backends.get("cuda"))
        cc_rapids.link_records({"id": numbers, "key": numbers}, ["key"], id="id", engine="cuda")


def neighbors():
    """Entries with distances of each width and without, under every rule."""
    for dtype, mutual in itertools.product((INT, LONG, ULONG), (False, True)):
        indices = np.array([[1, 2, 3], [0, 2, 0], [0, 1, 4], [0, 4, 3], [3, 3, 3]], dtype)
        for weights in (None, np.float32, np.float64, INT):
            distances = None if weights is None else np.ones(indices.shape, weights)
            for border in ("first", "nearest")[: 1 + (weights is not None)]:
                for least in (None, 3)[border == "nearest" :]:
                    cc_rapids.components_of_neighbors(
                        indices, distances, mutual=mutual, min_samples=least, border=border
                    )


def clusters_of_points():
    """Neighbours with distances of each width, in each order, and with rows of unequal length."""
    for dtype, weight in itertools.product((INT, LONG, ULONG), (np.float32, np.float64)):
        indices = np.array([[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4]], dtype)
        distances = np.ones(indices.shape, weight)
        model = cc_rapids.HDBSCAN(2, metric="precomputed", engine="cuda")
        for order in "CF":
            model.fit((np.asarray(indices, order=order), np.asarray(distances, order=order)))
        model.fit((indices[:, ::-1], distances))


def at_once(dtype):
    """A list in one launch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cc_rapids.backends.dry_run.RecordingBackend.in_one_launch", True)
        cc_rapids.components(edges(dtype)).labels()
        far = np.arange(50, dtype=dtype) * dtype(10**7)
        for edges_at_once in (0, 100):
            with sizes.override(hashed_at_once=edges_at_once):
                cc_rapids.components((far, far[::-1].copy())).labels()


def ahead():
    """Rows gathered before they are counted, of lists that are linked in two parts."""
    with pytest.MonkeyPatch.context() as patch, sizes.override(split_finish_edges=1):
        patch.setattr("cc_rapids.graph.forest.Forest.spare", lambda *rest: 100)
        for dtype in (INT, LONG, ULONG):
            for bits in ("cached", "shared"):
                many = np.arange(2000, dtype=dtype)
                design = f"strided(every=2, bits={bits})+rem-cas+splice"
                cc_rapids.connected_components((many, many[::-1].copy()), design=design)


def audits():
    """Every way from ids to the vertices of an answer."""
    for dtype in (INT, LONG, ULONG):
        audit(edges(dtype))
        audit(edges(dtype), labels="max")
        audit(edges(dtype), labels="size")
        audit((edges(dtype)[0].astype(LONG), edges(ULONG)[1]))
        far = np.arange(50, dtype=dtype) * dtype(10**7)
        audit((far, far[::-1].copy()))
        rows = Csr(np.array([0, 2, 3, 4], dtype), np.array([1, 2, 0, 0], dtype))
        for oracle in (None, "scipy"):
            cc_rapids.components(rows).audit(rows, oracle=oracle)
    with pytest.raises(VerificationError, match="edge 4 joins"):
        cc_rapids.components(edges()).audit(
            tuple(np.append(end, v) for end, v in zip(edges(), (1, 9), strict=True))
        )
    forged = Labels(np.array([1, 5, 9]), np.array([1, 1, 1]))
    with pytest.raises(VerificationError, match="no path joins the two"):
        audit_labels(forged, (np.array([1, 9]), np.array([5, 9])), engine="cuda")


def forests_audited():
    """The audit of forests by weight, of each type that weights have on a device."""
    for weight in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]:
        for dtype, word in itertools.product((INT, LONG, ULONG), ("min", "max")):
            given = {"weight": np.arange(4, dtype=weight), "forest": word}
            cc_rapids.components(edges(dtype), **given, engine="cuda").audit(edges(dtype), **given)
    rows = Csr(np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0]), True)
    given = {"weight": np.arange(4), "forest": "min"}
    cc_rapids.components(rows, **given, engine="cuda").audit(rows, **given)


def rooted_forests():
    """Rooted forests: bridges and their audit, blocks of edges, paths and odd cycles."""
    for dtype in (INT, LONG, ULONG):
        given, options = edges(dtype), {"engine": "cuda"}
        right = cc_rapids.bridges(given, **options)
        cc_rapids.components(given, **options).audit(given, bridges=right)
        cc_rapids.articulation_points(given, **options)
        cc_rapids.biconnected_component_edges(given, **options)
        cc_rapids.components(given, **options, forest=True).paths((given[0], given[0]))
        cc_rapids.bipartition((given[0], given[0]), **options).odd_cycles()
    many = np.arange(200)
    ring = many, (many + 1) % 200  # of more numbers than a block has, and no forest
    cc_rapids.bridges(ring, engine="cuda")
    rows = Csr(np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0]), True)
    cc_rapids.articulation_points(rows, engine="cuda")


def audit(given, **options):
    """The audit of an answer."""
    cc_rapids.components(given, **options).audit(given)


def thresholds():
    """Weights of each type, thresholds few and many, and trees whose roots are not the least."""
    src, dst = edges()
    options = {"engine": "cuda", "thresholds": [2.5, 1]}
    for weight in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]:
        for levels, direction in itertools.product(([2.5, 1], [2, 1]), ("at_least", "at_most")):
            options |= {"thresholds": levels, "direction": direction}
            cuts = cc_rapids.components_at((src, dst), weight=np.arange(4, dtype=weight), **options)
            cuts.merges()
    options["weight"] = np.arange(4)
    for given in ((src * 10**12, dst), (src.astype(INT), dst.astype(INT)), (src % 4, dst % 4)):
        cc_rapids.components_at(given, **options).at(1)
        cc_rapids.components_at(given, **options, design="jtb+naive").at(1)
    cc_rapids.components_at(edges(), **options | {"thresholds": list(range(300))}).at(1)
    cc_rapids.components_at(edges(), **options, num_vertices=13).at(1)


def rules():
    """Clusters under every rule, in rounds and then in order, and their audit."""
    ends = {"src": [1, 2, 4, 4], "dst": [2, 3, 5, 6]}
    for weight in ["i8", "u8", "f4", "f8"]:
        frame = pd.DataFrame(ends | {"w": np.arange(4, dtype=weight)})
        found = cc_rapids.link_pairs(
            frame,
            weight="w",
            datasets=([1, 2, 3, 4], ["a", "b", "c", "d"]),
            cannot_link=[(4, 5)],
            must_link=[(1, 2)],
            max_size=2,
            engine="cuda",
        )
        assert len(found.refused()) == 2
        found.audit(frame, weight="w")


def ids_in_clusters():
    """Ids that take pages, which threads choose alone."""
    with pytest.MonkeyPatch.context() as patch, sizes.override(small_id_range=100, paged_rows=1):
        patch.setattr("cc_rapids.backends.dry_run.RecordingBackend.on_device", False)
        for dtype in (INT, LONG, ULONG):
            near = np.arange(50, dtype=dtype)
            found = cc_rapids.components((near, near + dtype(10**8)))
            assert found.summary()["ids"] == "bit map, paged"


def forests_by_weight():
    """Weights of each type, lists with light edges, and those whose ids are far apart."""
    many = np.arange(2000)
    for weight in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]:
        options = {"weight": np.arange(4, dtype=weight), "engine": "cuda"}
        for dtype, last in itertools.product(
            (INT, LONG, ULONG), (0, boruvka.ONE_LAUNCH_CANDIDATES)
        ):
            with mock.patch.object(boruvka, "ONE_LAUNCH_CANDIDATES", last):
                cc_rapids.minimum_spanning_forest(edges(dtype), **options)
        cc_rapids.maximum_spanning_forest(edges(), **options)
    for weight, last in itertools.product((many, many.astype(np.float32)), (0, 4000)):
        with mock.patch.object(boruvka, "ONE_LAUNCH_CANDIDATES", last):
            cc_rapids.minimum_spanning_forest((many % 7, many % 5), weight=weight, engine="cuda")
            cc_rapids.minimum_spanning_forest(  # few candidates of many vertices
                (many[:2], many[1:3]), weight=weight[:2], num_vertices=2000, engine="cuda"
            )
    rows = Csr(np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0]), True)
    cc_rapids.minimum_spanning_forest(rows, weight=np.arange(4), engine="cuda")


def columns_of_frames():
    """What is launched for the columns of cuDF frames alone."""
    backend, rows = backends.get("cuda"), np.arange(4)
    for ends, weight in itertools.product((INT, LONG, ULONG), ("i4", "i8", "f2", "f4", "f8", "u1")):
        held = rows.astype(ends), rows.astype(ends), rows.astype(weight)
        for number in (np.uint32, ULONG):
            write = backend.kernel(gather.row_of_edge)
            gathered = backend.kernel(gather.edges_of_rows, write)
            made = rows.copy(), *(own.copy() for own in held)
            gathered(4, rows.astype(number), *held, *made)
            bits, before = np.ones(1, np.uint32), np.zeros(2, number)
            backend.kernel(gather_marked, write)(1, bits, before, *held, *made)
    for weight in ("f4", "f8"):
        flag = backend.new_flag()
        backend.kernel(note_nan)(1, rows.astype(weight), flag.value, flag.word)


def dendrograms():
    """Cuts, merges and splits of a forest by weight, among ids that are all there or not."""
    for given, which in itertools.product(
        (edges(), (np.arange(40), np.arange(1, 41))), ("min", "max")
    ):
        weight = np.arange(given[0].size) % 3  # some are equal, and some have lighter neighbours
        options = {"weight": weight, "forest": which, "engine": "cuda"}
        tree = cc_rapids.components(given, **options).dendrogram()
        tree.cuts([2.5, 1]).merges()
        tree.merges(), tree.linkage(lambda own: np.arange(own.size)), tree.split(1), tree.curve()
    with pytest.MonkeyPatch.context() as patch:  # the passes of threads, too
        patch.setattr("cc_rapids.backends.dry_run.RecordingBackend.merges_in_order", True)
        cc_rapids.components(given, **options).dendrogram().merges()


def merges():
    """Forests of two devices that are merged, by the bits of a giant and by all parents."""
    backend = backends.get("cuda")
    forest = Forest(backend, 400)
    backend.fill(forest.parent, 0)
    packed = merge.pack(forest)
    few = backend.fill(backend.empty(9, forest.vertex), 0)
    merge.merge(forest, replace(packed, vertices=few, roots=few))
    merge.merge(forest, replace(packed, parent=backend.fill(backend.empty(400, few.dtype), 0)))
    for dtype in (INT, LONG, ULONG):
        forest.rows_between(0, 256, 0, np.dtype(dtype))
        few = np.arange(8, dtype=dtype)
        n = (1 << 8) + 8  # two blocks; the second is linked last
        with (
            sizes.override(staged_neighbours=few.size / n),
            mock.patch.object(partition, "LEAST_SHIFT", 8),
        ):
            staged.link_in_stages(Edges(few, few[::-1].copy(), 0), Forest(backend, n))


def images():
    """Pixels of every type of kernels, joined in rows or not, with positions of both widths."""
    backend, full = backends.get("cuda"), np.ones((3, 3), bool)
    for wide, dtype in itertools.product((1 << 32, 0), ("u1", "u2", "u4", "u8", "f4", "f8")):
        image = np.arange(120).reshape(3, 40).astype(dtype) % 3
        with mock.patch.object(pixels, "WIDE", wide):
            for by_value, labels in itertools.product((False, True), (INT, LONG)):
                if not (by_value and dtype[0] == "f"):
                    joined = pixels.Joined(full, by_value)
                    pixels.label_pixels(image, joined, labels, backend)
            pixels.label_pixels(image, pixels.Joined(full & False), INT, backend)
            words = np.arange(128).reshape(2, 64).astype(dtype)  # rows of whole words
            pixels.label_pixels(words, pixels.Joined(full), INT, backend)


def graphs():
    """Every generator that has a kernel."""
    for name in generators.REFERENCES:
        generators.reference(name, 4, engine="cuda")
    ring = generators.permuted(generators.cliques([3, 1, 2], engine="cuda"), seed=5)
    generators.duplicated(ring, 20, seed=6)
    generators.star(5, engine="cuda")
    generators.torus2d(2, 3, engine="cuda")
    generators.barabasi_albert(5, 2, engine="cuda")
    generators.near_duplicate_pairs(9, 20, engine="cuda")
    generators.banded_pairs(9, 90, engine="cuda")
    generators.record_keys(5, 6, engine="cuda")
    pieces.uniform(5, 10).gather()


@cache
def by_name(which):
    """The designs of a selection, and of the options of k-out, by name."""
    selected = [*design_pairs.selected(which)]
    selected += [Design(f"kout({options})") for options in OPTIONS]
    selected.append(Design.parse("owner(output=lists)"))
    return {str(design): design for design in selected}


@cache
def rehearse(which):
    """Each kernel that is launched by its key, and the first to do so: a design, or a use of ids.

    Parameters
    ----------
    which : {"each", "pairs", "all"}
        Designs besides those of "auto", which come first.

    Returns
    -------
    kernels by their keys, names by the same keys, and the keys of what "auto" launches for ids of
    the usual types
    """

    def of(dtype):
        by_name = [(f"{design} on {dtype.__name__}", solve, design, dtype) for design in CHOSEN]
        return [("at once", at_once, dtype), *by_name]

    named = of(INT) + of(LONG)
    others = (
        ids,
        lookups,
        ahead,
        strings,
        records,
        neighbors,
        clusters_of_points,
        vertices_of_batches,
        changes,
        thresholds,
    )
    others += forgetting, audits, forests_by_weight, forests_audited, rooted_forests
    others += (columns_of_frames,)
    others += dendrograms, merges, graphs, rules, ids_in_clusters, images
    uses = of(ULONG) + [(use.__name__, use) for use in others]
    uses += [(name, solve, design, INT) for name, design in by_name(which).items()]
    uses += [
        (f"{design} in batches", batches, design)
        for design in filter(takes_batches, by_name(which).values())
    ]
    by = {}
    with recorded_launches() as backend, sizes.override(frequent_root_vertices=0):
        for name, use, *arguments in named + uses:
            use(*arguments)
            by |= dict.fromkeys(backend.launched.keys() - by.keys(), name)
            if name == named[-1][0]:
                chosen = set(backend.launched)
    return backend.launched, by, chosen
