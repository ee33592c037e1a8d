"""Short lists without compiled kernels: the same answers by NumPy, SciPy and PyArrow."""

import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from support import sizes
from support.choices import some
from support.common_jobs import few_kernels
from support.machine import with_package

import cc_rapids
from cc_rapids import backends
from cc_rapids.backends import kernel_times, readiness
from cc_rapids.backends.threads import Threads
from cc_rapids.solver.choose import BY_SCIPY
from cc_rapids.tools import ahead

M = 300
WORDS = np.array([f"id {k}" for k in range(M)] + [f"{'long' * 20}{k}" for k in range(M)], object)
WIDTHS = [np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FAR = np.unique(np.random.default_rng(9).integers(-(2**63), 2**63, M))


@pytest.fixture
def both(monkeypatch):
    """Return what a function returns with kernels, and without any."""
    monkeypatch.setattr(readiness.common, "compile_in_background", lambda: None)

    def results(function):
        with_kernels = function()
        with monkeypatch.context() as patch, kernel_times.watched() as times:
            patch.setattr(readiness.common, "is_ready", lambda: False)
            patch.setattr(backends.get("threads"), "is_compiled", False)
            without = function()
        assert times.seconds == 0
        return with_kernels, without

    return results


def random_pairs(seed, n=M // 2, m=M):
    rng = np.random.default_rng(seed)
    return rng.integers(0, n, m), np.minimum(rng.integers(0, n, m), n - 1)


LISTS = {
    **{
        f"{np.dtype(t)}": lambda t=t: tuple(e.astype(t) for e in random_pairs(1, 100))
        for t in WIDTHS
    },
    "mixed": lambda: (random_pairs(2)[0].astype(np.int32), random_pairs(2)[1].astype(np.uint64)),
    "far": lambda: tuple(FAR[e % FAR.size] for e in random_pairs(3)),
    "far, unsigned": lambda: tuple(FAR[e % FAR.size].view(np.uint64) for e in random_pairs(3)),
    "negative": lambda: tuple(e - 50 for e in random_pairs(4)),
    "strided": lambda: tuple(np.repeat(e, 2)[::2] for e in random_pairs(5)),
    "strings": lambda: tuple(WORDS[e] for e in random_pairs(6)),
    "long strings": lambda: tuple(WORDS[M + e] for e in random_pairs(6)),
    "empty": lambda: (np.empty(0, np.int64), np.empty(0, np.int64)),
    "loops": lambda: (np.arange(5), np.arange(5)),
}


def as_lists(value):
    """Return a frame, or a tuple of arrays, as lists of Python values."""
    if isinstance(value, pa.Table):
        return value.to_pydict()
    if isinstance(value, pl.DataFrame):
        return value.to_dict(as_series=False)
    if isinstance(value, pd.DataFrame):
        return {name: value[name].tolist() for name in value}
    if isinstance(value, tuple):
        return [np.asarray(part).tolist() for part in value]
    return np.asarray(value).tolist()


@some("edges", LISTS, usual=[name for name in LISTS if name not in ("uint16", "int32", "uint32")])
def test_answers_are_those_of_kernels(edges, both):
    src, dst = LISTS[edges]()

    def answers():
        found = cc_rapids.components((src, dst))
        kinds = [as_lists(found.labels(kind)) for kind in ("min", "max", "dense", "size")]
        asked = found.num_components, as_lists(found.sizes()), as_lists(found.component_of(src))
        named = as_lists(found.connected((src, dst[::-1]))) if src.size else []
        found.audit((src, dst)) if found.summary()["design"] != BY_SCIPY else None
        return kinds, asked, named, found.ledger

    with_kernels, without = both(answers)
    assert with_kernels == without


@pytest.mark.parametrize(
    "options",
    [
        {"vertices": [7, 1000, 7]},
        {"vertices": range(20, 400, 3)},
        {"num_vertices": 1000},
        {"labels": "dense"},
        {"weight": np.linspace(0, 1, M), "at_least": 0.4},
    ],
    ids=str,
)
def test_options_are_followed(options, both):
    edges = random_pairs(11)
    one, other = both(lambda: as_lists(cc_rapids.components(edges, **options).labels()))
    assert one == other


def test_ids_outside_num_vertices_are_refused(uncompiled):
    with pytest.raises(cc_rapids.InputError, match=r"holds the id 9, outside 0\.\.8"):
        cc_rapids.components(([1, 9], [2, 3]), num_vertices=9)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_with_nulls_and_several_columns(make, both):
    src, dst = random_pairs(12)
    sides = [np.where(e % 17 == 0, None, WORDS[e]) for e in (src, dst)]
    names = {"a": sides[0].tolist(), "b": (src % 3).tolist(), "c": sides[1].tolist()}
    frame = make(names | {"d": (dst % 3).tolist()})

    def answer():
        found = cc_rapids.components(frame, ["a", "b"], ["c", "d"], nulls="drop")
        with_labels = found.attach(frame, ["a", "b"], "x", missing="self", nulls="null")
        return as_lists(found.labels()), as_lists(with_labels), found.ledger

    one, other = both(answer)
    assert one == other


@pytest.mark.parametrize("kind", ["integers", "strings", "pairs"])
def test_thresholds_are_cut_alike(kind, both):
    src, dst = random_pairs(13)
    score = np.round(np.random.default_rng(2).random(M), 1)
    columns = {"a": src, "b": dst, "weight": score}
    sides = ["a"], ["b"]
    if kind != "integers":
        columns |= {"a": WORDS[src], "b": WORDS[dst]}
    if kind == "pairs":
        columns |= {"c": src % 2, "d": dst % 2}
        sides = ["a", "c"], ["b", "d"]
    frame = pd.DataFrame(columns)

    def answer():
        cuts = cc_rapids.components_at(frame, *sides, thresholds=[0.9, 0.5, 0.0, 1.5])
        each = [as_lists(cuts.labels(level)) for level in (0.9, 0.5, 0.0, 1.5)]
        return each, as_lists(cuts.merges())

    one, other = both(answer)
    assert one == other


@pytest.mark.parametrize("direction", ["at_least", "at_most"])
def test_many_thresholds_of_integer_weights(direction, both):
    edges = pd.DataFrame(dict(zip("ab", random_pairs(14), strict=True)))
    edges["weight"] = np.random.default_rng(3).integers(0, 50, M)
    options = {"thresholds": list(range(0, 60, 2)), "direction": direction}
    one, other = both(lambda: as_lists(cc_rapids.components_at(edges, **options).merges()))
    assert one == other


@pytest.mark.parametrize("id", [None, "id", "name"])
def test_records_are_linked_alike(id, both):
    rng = np.random.default_rng(4)
    records = pd.DataFrame(
        {
            "id": rng.integers(0, 200, M),
            "name": WORDS[rng.integers(0, 200, M)],
            "email": np.where(rng.random(M) < 0.2, "", WORDS[rng.integers(0, 150, M)]),
            "phone": rng.integers(0, 2**40, 90)[rng.integers(0, 90, M)],
            "score": np.round(rng.random(M), 1),
        }
    )

    def answer():
        found = cc_rapids.link_records(records, ["email", ["phone", "email"]], id, max_group=9)
        kept = [found.deduplicate(records, by=by) for by in (None, "score", "name")]
        attached = found.attach(records, name="person")
        return as_lists(attached), [as_lists(k) for k in kept], found.summary()["keys"]

    one, other = both(answer)
    assert one == other


def test_rows_of_a_matrix(both):
    src, dst = random_pairs(15)
    matrix = csr_array((np.ones(M), (src, dst)), (M, M))
    one, other = both(lambda: as_lists(cc_rapids.components(matrix).labels()))
    assert one == other


def test_each_stand_in_writes_what_its_kernel_writes(monkeypatch):
    """Arguments of kernels that have one result whatever the order of threads."""
    compared = set()
    launch = Threads.launch

    def launched(self, kernel, n, arguments):
        # Arrays of reserved memory are as large as the machine: copy their first part
        own = {id(a): a if isinstance(a, int) else a[: 1 << 16].copy() for a in arguments}
        copies = [own[id(a)] for a in arguments]
        launch(self, kernel, n, arguments)
        name = kernel.part.function.__name__
        if kernel.by_numpy and name not in ("number_slots", "claim", "choose_rows", "fill"):
            kernel.by_numpy(n, *copies)
            for mine, theirs in zip(copies, arguments, strict=True):
                same = isinstance(mine, int) or mine.tobytes() == theirs[: mine.size].tobytes()
                assert same, name
            compared.add(name)

    monkeypatch.setattr(Threads, "launch", launched)
    src, dst = random_pairs(16)
    frame = pd.DataFrame({"a": src, "b": dst, "weight": np.round(src / 7 % 1, 1)})
    with sizes.override(library_vertices=0, library_strings=0, small_id_range=10):
        for edges in (LISTS["far"](), (src, dst), LISTS["long strings"]()):
            found = cc_rapids.components(edges)
            found.component_of(edges[0])
            found.connected((edges[0], edges[1]))
            found.deduplicate(pd.DataFrame({"vertex": edges[0], "x": src}), by="x")
            cc_rapids.components(edges, vertices=edges[0][:5])
        cc_rapids.components((src, dst), vertices=range(3, 99, 2))
        words = frame.assign(a=WORDS[src], b=WORDS[M + dst])
        cc_rapids.components_at(words, "a", "b", thresholds=[0.5]).labels(0.5)
        for weighted in (frame, frame.assign(a=FAR[src % 9], b=FAR[dst % 9])):
            cuts = cc_rapids.components_at(weighted, "a", "b", thresholds=[0.9, 0.5, 0.1])
            [cuts.labels(level) for level in (0.9, 0.1)]
    assert compared >= {
        *("find_bounds", "look_up", "scatter_min", "assign_min_root", "lower_key", "lower_place"),
        *("mark_chosen", "number_cuts", "note_hooks", "roots_at", "pick_edges", "mark_ids"),
        *("note_wrong_places", "hash_rows", "row_sizes", "copy_rows", "compare_kept"),
        *("decode_rows", "assign_numbers", "number_claimed", "init_singletons", "mark_range"),
    }


def design_of(edges, **options):
    found = cc_rapids.components(edges, **options)
    plan = cc_rapids.components(edges, explain=True, **options)
    summary = found.summary()
    assert (plan.design, plan.ids) == (summary["design"], summary["ids"])
    return plan.design


def test_the_plan_says_what_runs(uncompiled):
    edges = random_pairs(17)
    assert design_of(edges) == BY_SCIPY
    assert design_of(LISTS["far"]()) == BY_SCIPY
    assert design_of(LISTS["strings"]()) == BY_SCIPY
    plan = cc_rapids.components(edges, explain=True)
    assert plan.design_why == "the kernels are being compiled in the background"
    assert plan.bytes > 40 * M


def test_what_the_caller_names_is_what_runs(uncompiled):
    edges = random_pairs(18)
    assert design_of(edges, engine="threads") != BY_SCIPY
    assert design_of(edges, design="none+async+halve") == "none+async+halve"
    assert design_of(edges, forest=True) != BY_SCIPY
    with sizes.override(uncompiled_rows=M - 1):
        assert design_of(edges) != BY_SCIPY
    with sizes.override(uncompiled_rows=M // 8):
        assert design_of(random_pairs(18, 5, M // 8)) == BY_SCIPY
        assert design_of(random_pairs(18, 5, M // 8), num_vertices=M) != BY_SCIPY


def test_a_size_of_0_turns_it_off(uncompiled):
    with sizes.override(uncompiled_rows=0):
        assert design_of(random_pairs(19)) == "none+async+halve"
        assert design_of(LISTS["far"]()) == "none+async+halve"


def fresh(own_store, code, **environment):
    """Run Python with an empty kernel cache, in which calls do not wait for the compiler."""
    given = with_package({k: v for k, v in os.environ.items() if k != readiness.WAIT})
    command = [sys.executable, "-c", code]
    given |= {"CC_RAPIDS_CACHE": str(own_store)} | environment
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


FIVE_CALLS = """
import numpy as np, pandas as pd, cc_rapids
from cc_rapids.backends import kernel_times, readiness
readiness.common.compile_in_background = lambda: None
rng = np.random.default_rng(0)
ids = rng.integers(0, 2000, (2, 4000))
words = np.array([f"record {k}" for k in range(2000)], object)[ids]
with kernel_times.watched() as times:
    for src, dst in (ids, words):
        pairs = pd.DataFrame({"src": src, "dst": dst, "weight": rng.random(4000)})
        found = cc_rapids.components(pairs)
        assert len(found) > 1
        found.attach(pairs, on="src", name="x")
        found.deduplicate(pairs, on="src", by="weight")
        cc_rapids.components_at(pairs, thresholds=[0.5, 0.9]).labels(0.9)
        cc_rapids.link_records(pairs, ["src", "dst"]).attach(pairs, name="x")
    found.labels(), found.sizes(), found.largest(2), found.members()
print(times.compiled, found.summary()["design"])
"""


@pytest.mark.slow
def test_first_calls_compile_nothing(own_store):
    assert fresh(own_store, FIVE_CALLS) == f"0 {BY_SCIPY}\n"
    assert not list(own_store.iterdir())


@pytest.mark.extended
def test_the_environment_can_ask_for_the_compiler(own_store):
    code = "import cc_rapids; print(cc_rapids.components(([1], [2])).summary()['design'])"
    assert fresh(own_store, code, **{readiness.WAIT: "1"}) == "none+async+halve\n"


@pytest.mark.slow
def test_python_is_left_while_kernels_are_compiled(own_store):
    """The process that compiles goes on alone, and leaves no word behind."""
    code = f"""
import pathlib, cc_rapids
from cc_rapids.backends import readiness
readiness.COMPILE = '''import pathlib, time
store = pathlib.Path({str(own_store)!r})
while not (store / "left").exists():
    time.sleep(0.05)
(store / "done").touch()'''
print(len(cc_rapids.components(([1], [2]))), pathlib.Path({str(own_store)!r}, 'done').exists())
"""
    own_store.chmod(0o700)
    assert fresh(own_store, code) == "1 False\n"
    (own_store / "left").touch()
    while not (own_store / "done").exists():
        time.sleep(0.05)


@pytest.mark.slow
def test_the_background_process_marks_the_cache(own_store, monkeypatch):
    own_store.chmod(0o700)
    monkeypatch.delenv(readiness.WAIT)
    monkeypatch.setattr(ahead, "kernels_of_common_jobs", few_kernels)
    assert not readiness.Readiness().is_ready()
    with readiness.compile_lock():
        ahead.compile_common()  # another process is at it
        assert not readiness.Readiness().is_ready()
    ahead.compile_common()
    assert readiness.Readiness().is_ready()


def test_without_a_cache_nothing_is_started(own_store, monkeypatch):
    started = []
    monkeypatch.delenv(readiness.WAIT)
    monkeypatch.setattr(os, "posix_spawn", lambda *how, **more: started.append(how) or 0)
    monkeypatch.setenv("CC_RAPIDS_CACHE_SIZE", "0")
    readiness.Readiness().compile_in_background()
    assert not started
    monkeypatch.delenv("CC_RAPIDS_CACHE_SIZE")
    once = readiness.Readiness()
    for _ in range(2):
        once.compile_in_background()
    assert len(started) == 1


@pytest.mark.parametrize("seed", range(4))
def test_kernels_may_be_compiled_in_the_middle(seed, monkeypatch):
    """Some launches run by NumPy and others by kernels, on the same tables and forests."""
    rng = np.random.default_rng(seed)
    src, dst = random_pairs(seed)
    frame = pd.DataFrame({"a": WORDS[src], "b": src % 3, "c": WORDS[dst], "d": dst % 3})
    frame["weight"] = np.round(rng.random(M), 1)

    def answers():
        each = [as_lists(cc_rapids.components(make()).labels()) for make in LISTS.values()]
        cuts = cc_rapids.components_at(frame, ["a", "b"], ["c", "d"], thresholds=[0.8, 0.3])
        linked = cc_rapids.link_records(frame, ["a", ["b", "c"]])
        attached = linked.deduplicate(linked.attach(frame), by="weight")
        return each, [as_lists(cuts.labels(level)) for level in (0.8, 0.3)], as_lists(attached)

    known = answers()
    threads = backends.get("threads")
    monkeypatch.setattr(readiness.common, "compile_in_background", lambda: None)
    monkeypatch.setattr(readiness.common, "is_ready", lambda: False)
    monkeypatch.setattr(threads, "is_compiled", False)
    launch = Threads.launch

    def launched(self, *arguments):
        self.is_compiled = bool(rng.integers(2))
        launch(self, *arguments)

    monkeypatch.setattr(Threads, "launch", launched)
    assert answers() == known
