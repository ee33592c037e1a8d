"""One edge list on several devices, for which the engine of threads stands, or stand-in GPUs."""

import copy
import gc
import itertools
import logging
import os
import pickle
import signal
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import fake_gpu
from support.choices import each

import cc_rapids
from cc_rapids import several_gpus
from cc_rapids.algorithms import merge, staged
from cc_rapids.algorithms.auto import PARTITIONED, SAMPLED, in_stages
from cc_rapids.algorithms.design import Design
from cc_rapids.algorithms.run import link
from cc_rapids.backends import get
from cc_rapids.backends.peers import Peers, workers
from cc_rapids.backends.threads import Threads
from cc_rapids.errors import CapacityError, ColumnTypeError, EngineError, NullsError
from cc_rapids.graph.edges import Edges
from cc_rapids.graph.forest import Forest
from cc_rapids.kernels import partition
from cc_rapids.solver import choose, devices
from cc_rapids.solver.spreading import STAGED, Spreading, seconds_on, spreading

DEVICES = 5


@pytest.fixture(scope="module", autouse=True)
def machine():
    """Threads pass for as many devices."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Threads, "device_count", DEVICES)
        yield


def spread(edges, numbers="all", **options):
    return cc_rapids.components(edges, devices=numbers, engine="threads", **options)


def check(found, whole, kinds=("min", "dense", "max", "size")):
    """Require that an answer of several devices is that of one."""
    assert len(found) == found.num_components == len(whole)
    for kind in kinds:
        frames, expected = found.labels(kind), whole.labels(kind)
        for name in ("vertex", "labels"):
            ours = np.concatenate([np.asarray(getattr(frame, name)) for frame in frames])
            theirs = np.asarray(getattr(expected, name))
            assert ours.dtype == theirs.dtype
            assert (ours == theirs).all()
    for number in found.devices:
        assert found.gather(number) == whole


def cut(edges, cuts):
    """Parts of a pair of arrays."""
    bounds = [0, *sorted(cuts), edges[0].size]
    return [tuple(side[first:last] for side in edges) for first, last in itertools.pairwise(bounds)]


def random_edges(seed, n, m, low=0, dtype=np.int64):
    rng = np.random.default_rng(seed)
    return tuple((rng.integers(0, n, m) + low).astype(dtype) for _ in range(2))


@settings(deadline=None)
@given(
    seed=st.integers(0, 1 << 20),
    n=st.integers(1, 3000),
    per_vertex=st.sampled_from([0.1, 0.6, 1.0, 3.0]),
    low=st.sampled_from([0, -7, 1 << 40]),
    cuts=st.lists(st.floats(0, 1), max_size=DEVICES - 1),
    order=st.permutations(range(DEVICES)),
)
def test_any_split_of_the_rows_gives_the_same_labels(seed, n, per_vertex, low, cuts, order):
    m = int(n * per_vertex)
    edges = random_edges(seed, n, m, low)
    parts = cut(edges, [int(where * m) for where in cuts])
    whole = cc_rapids.components(edges, engine="threads")
    check(spread(parts, list(order)[: len(parts)]), whole)


@pytest.mark.parametrize("count", range(1, DEVICES + 1))
def test_paths_that_no_device_has_whole_are_joined(count):
    n = 5000
    path = np.arange(n - 1), np.arange(1, n)
    parts = [tuple(side[k::count] for side in path) for k in range(count)]
    check(spread(parts, list(range(count))), cc_rapids.components(path, engine="threads"))


@pytest.mark.parametrize(
    "design", ["auto", "strided+rem-cas+splice", "kout+async+halve", "auto(rule=paper)"]
)
def test_all_kinds_of_designs_run_on_devices(design):
    edges = random_edges(3, 2000, 6000)
    whole = cc_rapids.components(edges, engine="threads")
    found = spread(cut(edges, [1000, 2500]), [0, 1, 2], design=design)
    check(found, whole, ["min"])


@pytest.mark.parametrize(
    ("own", "design", "staged"),
    [(1.4, PARTITIONED, False), (2, PARTITIONED, True), (4, SAMPLED, True), (2, Design(), False)],
)
def test_parts_of_lists_in_no_order_are_linked_in_stages(own, design, staged):
    n = 20_000_000
    assert in_stages(design, n, int(own * n)) == staged


GRAPHS = {
    "uniform": lambda n: random_edges(21, n, 3 * n),
    "sparse": lambda n: random_edges(22, n, n),
    "path": lambda n: (np.arange(n - 1), np.arange(1, n)),
    "far": lambda n: (np.arange(n // 2), np.arange(n // 2) + n // 2),
    "loops": lambda n: (np.arange(n), np.arange(n)),
    "late": lambda n: tuple(n - 1 - end for end in random_edges(23, n // 3, 2 * n)),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("neighbours", [0.01, 2.2, 9])
def test_stages_find_what_a_design_finds(name, neighbours, monkeypatch, tuned):
    n = 5000
    tuned(staged_neighbours=neighbours)
    monkeypatch.setattr(partition, "LEAST_SHIFT", 6)
    src, dst = GRAPHS[name](n)
    order = np.random.default_rng(24).permutation(src.size)
    edges = src[order].astype(np.int32), dst[order].astype(np.int32)
    expected, found = forest_of(edges, n), Forest(get("threads"), n)
    staged.link_in_stages(Edges(*edges, 0), found)
    assert (found.parent == expected.parent).all()
    found.count()
    expected.count()
    assert (found.present == expected.present).all()
    assert found.components == expected.components


def test_stages_note_ids_out_of_range():
    forest = Forest(get("threads"), 50)
    staged.link_in_stages(Edges(np.array([1, 70]), np.array([2, 3]), 0), forest)
    assert forest.out_of_range[0]
    forest.count()
    assert not forest.complete


@pytest.mark.parametrize(
    ("n", "m", "first"), [(250, 500, 56), (250, 1000, 28), (250, 250, 100), (9, 0, 100)]
)
def test_the_first_blocks_have_two_neighbours_a_vertex(n, m, first):
    assert staged.first_blocks(n, m, 100) == first


@pytest.mark.parametrize("room", [True, False])
def test_devices_link_in_stages_where_there_is_room(monkeypatch, room):
    monkeypatch.setattr(choose, "in_stages", lambda *_: True)
    monkeypatch.setattr(partition, "LEAST_SHIFT", 6)
    edges = random_edges(25, 3000, 9000)
    parts = cut(edges, [4000])
    alloc = Threads.alloc_packed

    def allocated(self, *shapes, arena_bytes=0):
        if not room and [dtype for _, dtype in shapes] == [partition.WORD] * 3:
            raise MemoryError("of the test")
        return alloc(self, *shapes, arena_bytes=arena_bytes)

    whole = cc_rapids.components(edges, engine="threads")
    monkeypatch.setattr(Threads, "alloc_packed", allocated)
    found = spread(parts, [0, 1])
    assert found.summary()["design"].endswith("in stages") == room
    check(found, whole, ["min"])


def forest_of(edges, n):
    forest = Forest(get("threads"), n)
    link(Edges(*edges, 0), forest, Design(), None)
    return forest


@pytest.mark.parametrize(("m", "packs"), [(5000, True), (700, False)])
def test_a_giant_is_sent_as_bits_and_many_small_trees_as_parents(m, packs):
    n = 1000
    own, other = random_edges(1, n, 500), random_edges(2, n, m)
    forest, sent = forest_of(own, n), merge.pack(forest_of(other, n))
    assert (sent.parent is None) == packs
    assert sent.nbytes < 4 * n if packs else sent.nbytes >= 4 * n
    merge.merge(forest, sent.received(get("threads"), 1))
    expected = forest_of([np.concatenate(side) for side in zip(own, other, strict=True)], n)
    assert (forest.parent == expected.parent).all()
    forest.count()
    expected.count()
    assert (forest.present == expected.present).all()


def test_edges_of_the_host_are_cut_into_rows():
    edges = random_edges(5, 4000, 9000)
    whole = cc_rapids.components(edges, engine="threads")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(several_gpus, "spreading", lambda *_: Spreading(3, "so"))
        found = spread(edges)
        assert found.summary()["devices"] == {0: 3000, 1: 3000, 2: 3000}
        check(found, whole)
        table = pa.table(dict(zip(("src", "dst"), edges, strict=True)))
        frames = spread(table).frames
        assert [type(frame) for frame in frames] == [pa.Table] * 3
        assert pa.concat_tables(frames)["labels"].to_pylist() == whole.labels().labels.tolist()


def test_frames_of_parts_are_the_callers():
    frames = [pd.DataFrame({"a": [1, 2], "b": [2, 3]}), pd.DataFrame({"a": [3, 8], "b": [4, 9]})]
    found = spread(frames, [1, 0], source="a", destination="b")
    assert pd.concat(found.frames)["labels"].tolist() == [1, 1, 1, 1, 8, 8]
    assert found.gather(0).component_of([9, 4]).tolist() == [8, 1]


def test_vertices_that_no_edge_names_count_once():
    parts = cut(random_edges(6, 50, 40), [10, 30])
    edges = tuple(np.concatenate(side) for side in zip(*parts, strict=True))
    for named in ({"num_vertices": 300}, {"vertices": range(10, 90)}, {"vertices": [70, 3, 99]}):
        check(spread(parts, [0, 1, 2], **named), cc_rapids.components(edges, **named))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(several_gpus, "spreading", lambda *_: Spreading(4, "so"))
            check(spread(edges, **named), cc_rapids.components(edges, **named))


def test_bounds_of_weights_and_nulls_apply_to_each_part():
    frames = [
        pd.DataFrame({"src": [1, 2], "dst": [2, 3], "w": [1.0, 0.1]}),
        pd.DataFrame({"src": [3, 5], "dst": [4, 6], "w": [0.9, 0.8]}),
    ]
    whole = pd.concat(frames)
    found = spread(frames, [0, 1], weight="w", at_least=0.5)
    expected = cc_rapids.components(whole, weight="w", at_least=0.5)
    assert pd.concat(found.frames)["labels"].tolist() == expected.labels()["labels"].tolist()
    null = pd.DataFrame({"src": [1.0, None], "dst": [2.0, 3.0]}).convert_dtypes()
    found = spread([null, frames[1], null], [0, 1, 2], nulls="drop")
    assert found.vertices == 6
    assert found.summary()["dropped"] == found.gather(1).summary()["dropped"] == 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(several_gpus, "spreading", lambda *_: Spreading(2, "so"))
        assert spread(null, nulls="drop").summary()["dropped"] == 1
    with pytest.raises(NullsError, match="column 'src' has 1 null") as raised:
        spread([frames[1], null], [0, 1])
    assert raised.value.__notes__ == ["(in part 1 of the edges, counted from 0)"]


def test_a_range_that_was_guessed_too_narrow_is_read_again(tuned, caplog):
    tuned(sampled_scan_edges=1000, range_margin_ids=1)
    caplog.set_level(logging.INFO, logger="cc_rapids")
    src, dst = random_edges(7, 2000, 40000)
    src[20001] = 9000  # not among the rows that are looked at
    whole = cc_rapids.components((src, dst), engine="threads")
    check(spread(cut((src, dst), [12000]), [0, 1]), whole)


def test_ids_outside_those_that_are_counted_are_named():
    parts = cut(random_edges(27, 300, 500), [200])
    with pytest.raises(cc_rapids.InputError, match=r"outside 0\.\.9 of num_vertices=10"):
        spread(parts, [0, 1], num_vertices=10)


def test_what_was_sent_is_let_go(monkeypatch):
    sent = []

    def packed(forest):
        sent.append(weakref.ref(found := merge.pack(forest)))
        return found

    def joined(forest, other):
        gc.collect()
        still.append(sum(one() is not None for one in sent))
        merge.merge(forest, other)

    still: list[int] = []
    monkeypatch.setattr(devices, "pack", packed)
    monkeypatch.setattr(devices, "merge", joined)
    meeting = threading.Barrier(2)
    forget = devices.ExchangeBarrier.forget
    monkeypatch.setattr(
        devices.ExchangeBarrier, "forget", lambda *own: (forget(*own), meeting.wait())
    )
    spread(cut(random_edges(28, 3000, 2000), [1000]), [0, 1])
    assert still == [0, 0]


def test_the_types_of_parts_may_differ():
    first, second = random_edges(8, 90, 50, dtype=np.int32), random_edges(9, 90, 50, dtype=np.uint8)
    whole = tuple(np.concatenate(sides) for sides in zip(first, second, strict=True))
    check(spread([first, second], [0, 1]), cc_rapids.components(whole))


def test_ids_may_be_all_of_their_type():
    edges = random_edges(8, 256, 3000, low=-128, dtype=np.int8)
    check(spread(cut(edges, [1000]), [0, 1]), cc_rapids.components(edges))


def test_parts_without_rows_and_no_rows_at_all():
    none = np.empty(0, np.int64), np.empty(0, np.int64)
    edges = random_edges(10, 50, 40, 1000)
    check(spread([none, edges, none], [0, 1, 2]), cc_rapids.components(edges))
    assert len(spread([none, none], [0, 1])) == 0
    assert [frame.vertex.size for frame in spread([none, none], [0, 1]).frames] == [0, 0]


@pytest.mark.parametrize(
    "empty",
    [
        pd.DataFrame({"src": np.empty(0, object), "dst": np.empty(0, object)}),
        pd.DataFrame({"src": [], "dst": []}),
    ],
)
@pytest.mark.parametrize("named", [{}, {"vertices": [9]}, {"num_vertices": 12}])
def test_a_frame_without_rows_has_ids_of_any_kind(empty, named):
    edges = pd.DataFrame({"src": [3, 7], "dst": [4, 3]})
    whole = cc_rapids.components(edges, **named)
    for parts in ([empty, edges], [edges, empty], [empty, edges, empty]):
        found = spread(parts, list(range(len(parts))), **named)
        assert pd.concat(found.frames).equals(whole.labels())
        for number in found.devices:
            assert found.gather(number).attach(edges, "src").equals(whole.attach(edges, "src"))


PAIR = [0], [1]
ONE, FAR = (np.zeros(1, int),) * 2, (np.array([0, 1 << 60]), np.array([1, 1 << 61]))
WORDS = pd.DataFrame({"src": ["a"], "dst": ["b"]})
TWO = [0, 1]
REFUSED = [
    (PAIR, {"devices": [DEVICES]}, "names GPU 5, but this machine"),
    (PAIR, {"devices": []}, "devices= must be 'all', or a list"),
    (PAIR, {"devices": [True]}, "distinct GPU numbers"),
    (PAIR, {"devices": "both"}, "not 'both'"),
    (PAIR, {"forest": True}, "forest= is for one GPU"),
    (PAIR, {"memory": "pinned"}, "memory='pinned' is for one"),
    (PAIR, {"memory_limit": "1GB"}, "memory_limit=, progress="),
    (iter([]), {}, "read in chunks are not spread"),
    ([ONE] * 6, {}, "6 parts for 5 devices"),
    ([ONE], {"devices": TWO}, "1 part for 2 devices"),
    ([ONE] * 2, {"devices": TWO, "weight": [0], "at_least": 1}, "parts must name a column"),
    ("*.parquet", {}, r"pass the files to stream_components"),
    (WORDS, {"explain": True}, "devices= takes integer ids"),
    ([WORDS], {"devices": [0]}, "devices= takes integer ids"),
    ([WORDS, WORDS.assign(src=1, dst=2)], {"devices": TWO}, "on some devices and not on others"),
    (FAR, {"explain": True}, "takes ids that are close together"),
    ([(FAR[0][:1], FAR[1][:1]), (FAR[0][1:], FAR[1][1:])], {}, "ids that are close together"),
    ([FAR], {"devices": [0]}, "takes ids that are close together"),
]


@pytest.mark.parametrize(("edges", "options", "words"), REFUSED)
def test_what_cannot_be_spread_is_refused(edges, options, words):
    error = ColumnTypeError if "on some devices" in words else cc_rapids.InputError
    with pytest.raises(error, match=words):
        cc_rapids.components(edges, **{"devices": "all", "engine": "threads"} | options)


@pytest.mark.parametrize("name", ["bipartition", "bridges", "articulation_points"])
def test_functions_that_read_edges_again_refuse_devices(name):
    with pytest.raises(cc_rapids.InputError, match="devices= is for components"):
        getattr(cc_rapids, name)(([0], [1]), engine="threads", devices="all")


def test_an_engine_without_devices_is_refused(monkeypatch):
    monkeypatch.setattr(Threads, "device_count", 0)
    with pytest.raises(EngineError, match="devices= names GPUs, but engine 'threads' runs on"):
        spread(([0], [1]))


def test_a_gpu_without_memory_is_named_and_nothing_is_left(monkeypatch):
    made, empty, name = [], Threads.empty, threading.current_thread

    def allocate(backend, n, dtype):
        if name().name.startswith("cc_rapids-device-2") and n > 1000:
            raise MemoryError("of the test")
        array = empty(backend, n, dtype)
        made.append(weakref.ref(array))
        return array

    parts = cut(random_edges(11, 5000, 9000), [2000, 4000])
    monkeypatch.setattr(Threads, "empty", allocate)
    with pytest.raises(CapacityError, match=r"on GPU 2: .* without GPU 2, or more GPUs") as raised:
        spread(parts, [0, 1, 2])
    gc.collect()  # while the error is still there
    assert raised.value.__suppress_context__
    held = [array() for array in made]
    assert [array.nbytes for array in held if array is not None and array.nbytes > 1000] == []
    monkeypatch.undo()
    monkeypatch.setattr(Threads, "device_count", DEVICES)
    assert spread(parts, [0, 1, 2]).vertices


@each(step=["received", "synchronize", "count"], late=[False, True])
def test_an_error_keeps_nothing_alive_whenever_it_comes(monkeypatch, step, late):
    made, empty, threads = [], Threads.empty, {}
    kind = Forest if step == "count" else Threads
    own = getattr(kind, step)

    def allocate(backend, n, dtype):
        array = empty(backend, n, dtype)
        made.append(weakref.ref(array))
        return array

    def fail(*arguments):
        name = threading.current_thread().name
        threads[name] = threads.get(name, 0) + 1
        if name.startswith("cc_rapids-device-1") and threads[name] == times:
            raise RuntimeError("of the test")
        return own(*arguments)

    parts = cut(random_edges(35, 50_000, 90_000), [20_000, 40_000])
    monkeypatch.setattr(Threads, "empty", allocate)
    monkeypatch.setattr(kind, step, fail)
    times = 0
    if late:  # by then the other threads may have their results
        spread(parts, [0, 1, 2])
        times = next(n for name, n in threads.items() if name.startswith("cc_rapids-device-1"))
        threads.clear()
    times = max(times, 1)
    with pytest.raises(RuntimeError, match="of the test") as raised:
        spread(parts, [0, 1, 2])
    gc.collect()  # while the error is still there
    assert raised.value.args
    held = [array() for array in made]
    assert [array.nbytes for array in held if array is not None and array.nbytes > 1000] == []


@pytest.mark.parametrize("step", ["received", "connect", "to_host"])
def test_an_error_of_one_thread_ends_all(monkeypatch, step):
    own = getattr(Threads, step)

    def fail(*arguments):
        if threading.current_thread().name.startswith("cc_rapids-device-1"):
            raise RuntimeError("of the test")
        return own(*arguments)

    parts = cut(random_edges(12, 5000, 9000), [2000, 4000])
    with monkeypatch.context() as patch:
        patch.setattr(Threads, step, fail)
        with pytest.raises(RuntimeError, match="of the test"):
            spread(parts, [0, 1, 2])
    assert spread(parts, [0, 1, 2]).vertices


def test_runs_of_several_threads_of_the_caller_take_turns():
    lists = [random_edges(seed, 500, 900) for seed in range(8)]
    parts = [cut(edges, [300, 600]) for edges in lists]
    orders = [[0, 1, 2], [2, 1, 0]] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(spread, parts, orders))
    for answer, edges in zip(found, lists, strict=True):
        check(answer, cc_rapids.components(edges, engine="threads"), ["min"])


def test_a_run_within_a_run_is_refused_and_does_not_wait_for_itself(tmp_path):
    (tmp_path / "a.csv").write_text("src,dst\n1,2\n")
    said = []

    def told(progress):
        cc_rapids.release_memory()  # leaves the threads, of which this is one
        with pytest.raises(
            cc_rapids.InputError, match="start the next run after this run has returned"
        ) as raised:
            spread([random_edges(29, 9, 5)], [0])
        said.append(raised.value)

    options = {"devices": [0, 1], "engine": "threads", "progress": told}
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(cc_rapids.stream_components, str(tmp_path / "a.csv"), **options)
        assert len(found.result(60)) == 1
    assert said


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_starts_threads_of_its_own():
    parts = cut(random_edges(30, 90, 80), [30])
    spread(parts, [0, 1])
    held = workers.lock
    with held:  # by another thread at that time, which the fork does not have
        child = os.fork()
        if not child:
            signal.alarm(600)  # ends one that waits for threads of its parent
            os._exit(not len(spread(parts, [0, 1])))
    assert os.waitpid(child, 0)[1] == 0


def test_numbers_of_devices_may_be_those_of_numpy():
    found = spread(cut(random_edges(31, 50, 40), [9]), [np.int32(3), np.int64(1)])
    assert found.devices == [3, 1]
    assert {type(number) for number in found.devices} == {int}


def test_a_plan_says_on_how_many_devices_and_why():
    edges = random_edges(13, 50, 400)
    assert "devices   0: about" in str(spread(edges, explain=True))
    many = spread([edges, edges], [3, 1], explain=True)
    assert many.devices == ((3, 1), "each holds a part of the edges")
    assert many.bytes >= cc_rapids.components(edges, explain=True).bytes + 8 * 400
    assert "devices" not in str(cc_rapids.components(edges, explain=True))


def test_a_plan_of_parts_is_that_of_all_their_rows_and_ids():
    frames = [
        pl.LazyFrame({"src": [1], "dst": [2], "w": [0.5]}),
        pl.LazyFrame({"src": [5, 800, 9], "dst": [2, 3, 7], "w": [0.1, 0.5, 0.7]}),
    ]
    found = spread(frames, [0, 1], explain=True, weight="w", at_least=0.3)
    assert (found.edges, found.vertices, found.ids) == (3, 800, "offset")
    assert found.ids_why.startswith("the 6 ends of edges have ids from 1 to 800: ")
    none = np.empty(0, int), np.empty(0, int)
    assert spread([none, none], [0, 1], explain=True).vertices == 0


def test_an_answer_says_what_ran_and_refuses_other_devices():
    found = spread(cut(random_edges(14, 50, 40), [9]), [4, 2])
    assert repr(found).startswith("<SpreadComponents: ")
    assert "on GPUs 4, 2; 40 edges" in repr(found)
    facts = found.summary()
    assert facts["devices"] == {4: 9, 2: 31}
    assert set(facts["seconds"]) == {"compute", "solve", "pack", "copy", "join", "count"}
    assert found.gather().labels().labels.size == found.vertices
    for number in (0, True, "4"):
        with pytest.raises(cc_rapids.InputError, match=r"device=.* is not a GPU of this answer"):
            found.gather(number)


def test_what_an_answer_on_one_gpu_has_is_said_to_be_there():
    found = spread(cut(random_edges(32, 50, 40), [9]), [1, 0])
    for name in ("sizes", "attach", "to_parquet"):
        with pytest.raises(AttributeError, match=rf"gather\(\)\.{name}, within .*Device\(1\)"):
            getattr(found, name)
    with pytest.raises(AttributeError, match=r"has no 'nonsense'$"):
        found.nonsense  # noqa: B018
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"copy or pickle gather\(\)"):
            copied(found)
    assert pickle.loads(pickle.dumps(found.gather())) == found.gather()


def test_the_model_spreads_what_pays():
    large = 1_000_000_000, 250_000_000
    assert spreading(*large, 8, 4, "host").count == 8
    assert spreading(1000, 1000, 8, 4, "device").count == 1
    assert spreading(*large, 2, 8, "device").count == 1
    assert spreading(1000, 1000, 8, 4, "devices").count == 8
    assert seconds_on(*large, 2, 4, "devices") < seconds_on(*large, 1, 4, "devices")


def test_the_model_links_dense_lists_in_stages_on_several_devices_only():
    n = 10**9
    sparse, dense = (int(2 * STAGED * n + more) for more in (-2, 0))
    assert seconds_on(dense, n, 2, 4, "devices") < seconds_on(sparse, n, 2, 4, "devices")
    assert seconds_on(dense / 2, n, 1, 4, "device") > seconds_on(sparse / 2, n, 1, 4, "device")


def shares(n, count):
    return [devices.share_of(n, k, count) for k in range(count)]


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 5000, 1 << 33])
def test_shares_are_all_vertices_in_order(n, count):
    found = shares(n, count)
    assert found[0][0] == 0
    assert found[-1][1] == n
    assert all(one[1] == other[0] for one, other in itertools.pairwise(found))


def test_no_gpu_reads_the_memory_of_another_but_by_copies():
    edges = random_edges(15, 3000, 4000)
    whole = cc_rapids.components(edges, engine="threads").labels()
    with fake_gpu.installed(devices=3):
        import cupy

        parts = []
        for number, part in enumerate(cut(edges, [1000, 2000])):
            with cupy.cuda.Device(number):
                parts.append(tuple(map(on_gpu, part)))
        found = cc_rapids.components(parts, devices="all", engine="cuda")
        labels = [np.asarray(frame.labels) for frame in found.frames]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(several_gpus, "spreading", lambda *_: Spreading(3, "so"))
            with cupy.cuda.Device(1):
                held = tuple(map(on_gpu, edges))
                again = cc_rapids.components(held, devices=[2, 0, 1], engine="cuda")
            moved = [np.asarray(frame.labels) for frame in again.frames]
    assert (np.concatenate(labels) == whole.labels).all()
    assert (np.concatenate(moved) == whole.labels).all()


@pytest.mark.parametrize("holder", range(3))
def test_edges_that_do_not_pay_to_spread_stay_where_they_are(holder):
    with fake_gpu.installed(devices=3):
        import cudf
        import cupy

        with cupy.cuda.Device(holder):
            src, dst = map(on_gpu, random_edges(33, 90, 60))
            frame = cudf.DataFrame({"src": src, "dst": dst})
        found = cc_rapids.components(frame, devices="all", engine="cuda")
        assert found.devices == [holder]
        others = [number for number in range(3) if number != holder]
        assert cc_rapids.components(frame, devices=others, engine="cuda").devices == others[:1]


def test_threads_start_once_the_streams_of_the_caller_are_done(monkeypatch):
    """A stream that waits for no other one is known to the caller's thread alone."""
    waited, own, caller = [], fake_gpu.Gpu.synchronize, threading.get_ident()

    def synchronize(backend):
        waited.append((threading.get_ident() == caller, backend.device_id))
        own(backend)

    with fake_gpu.installed(devices=3):
        monkeypatch.setattr(fake_gpu.Gpu, "synchronize", synchronize)
        cc_rapids.components(cut(random_edges(34, 90, 60), [9]), devices=[2, 1], engine="cuda")
    assert waited[:3] == [(True, 0), (True, 2), (True, 1)]
    assert not any(is_caller for is_caller, _ in waited[3:])


@pytest.mark.parametrize("by_host", [True, False])
def test_copies_that_the_driver_refuses_go_by_way_of_the_host(monkeypatch, caplog, by_host):
    edges = random_edges(36, 3000, 4000)
    whole = cc_rapids.components(edges, engine="threads").labels()
    parts, runtime = cut(edges, [2000]), fake_gpu.RUNTIME
    refused = RefusedError("nor this")
    with fake_gpu.installed(devices=2):
        monkeypatch.setattr(runtime, "memcpyPeerAsync", lambda *_: fail_with(RefusedError("no"), 0))
        if by_host:
            found = cc_rapids.components(parts, devices="all", engine="cuda")
            labels = [np.asarray(frame.labels) for frame in found.frames]
            assert (np.concatenate(labels) == whole.labels).all()
        else:
            monkeypatch.setattr(runtime, "memcpyAsync", lambda *_: fail_with(refused, 0))
            words = r"GPU \d cannot receive data of GPU \d: nor this: leave GPU \d out"
            with pytest.raises(EngineError, match=words):
                cc_rapids.components(parts, devices="all", engine="cuda")
    said = [record.getMessage() for record in caplog.records]
    assert any("through NumPy: no" in line for line in said)


def on_gpu(array):
    held = fake_gpu.Array((array.size,), array.dtype)
    held[:] = array
    return held


class RefusedError(RuntimeError):
    status = 1


class AlreadyError(RuntimeError):
    status = 704


def fail_with(error, _):
    raise error


@pytest.mark.parametrize(
    ("can", "error", "connected"),
    [(1, None, True), (1, AlreadyError(), True), (1, RefusedError("no"), False), (0, None, False)],
)
def test_gpus_that_do_not_connect_are_logged_once(caplog, can, error, connected):
    runtime = SimpleNamespace(
        deviceCanAccessPeer=lambda own, other: can,
        deviceEnablePeerAccess=partial(fail_with, error) if error else lambda other: None,
        CUDARuntimeError=RuntimeError,
    )
    peers = Peers(runtime)
    assert [peers.connect(0, 1), peers.connect(0, 1)] == [connected] * 2
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == (not connected)
    assert all("GPU 0 receives data of GPU 1 through the host" in line for line in said)
