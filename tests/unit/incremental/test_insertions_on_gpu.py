"""Batches by the backend of GPUs itself, whose driver runs kernels as Python on the host."""

import pickle

import numpy as np
import pytest
from support import fake_cudf, fake_gpu
from support.choices import some
from support.fake_gpu import Driver

import cc_rapids
from cc_rapids import InputError, UnknownVertexError, oracle
from cc_rapids.backends.cuda import Cuda
from cc_rapids.incremental import trees

N = 40_000  # more than fit beside other arrays
BATCH = ["copy_and_note_strays", "record", "every_edge", "wait"]
QUESTION = ["ask_ids", "record", "wait"]


@pytest.fixture
def gpu():
    """The backend of GPUs over the stand-ins."""
    with fake_gpu.installed() as backend:
        yield backend


def frame(*ends, dtype=np.int32):
    return fake_cudf.DataFrame(dict(zip(("src", "dst"), np.array(ends, dtype), strict=True)))


def labels(seen):
    return np.asarray(seen.components().labels()["labels"]._column.values)


def asked(work):
    Driver.calls.clear()
    work()
    return Driver.calls


@pytest.mark.slow
@some("dtype", [np.int32, np.int64], usual=[np.int64])
def test_random_batches_and_questions(gpu, dtype):
    random = np.random.default_rng(5)
    rows = random.integers(0, N, (2, 120)) // 400 * 7
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda")
    for k in range(0, 120, 60):
        batch = frame(*rows[:, k : k + 60], dtype=dtype)
        assert asked(lambda batch=batch: seen.insert(batch)) == BATCH
        least = oracle.union_find(*rows[:, : k + 60], N)
        pairs = random.integers(0, 100, (2, 50)) * 7
        Driver.calls.clear()
        found = seen.connected(frame(*pairs))
        assert Driver.calls == QUESTION
        want = least[pairs[0]] == least[pairs[1]]
        np.testing.assert_array_equal(found._column.values, want)
        np.testing.assert_array_equal(labels(seen), least)
    assert repr(seen).endswith("120 edges in 2 batches, none+async+halve on cuda>")


@pytest.mark.slow
def test_a_batch_with_a_stray_changes_nothing_and_the_next_one_is_inserted(gpu):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda").insert(frame([1], [2]))
    for stray in (-1, N, 2**40):
        with pytest.raises(InputError, match=f"holds the id {stray}, outside 0..{N - 1}"):
            seen.insert(frame([3, stray], [4, 5], dtype=np.int64))
        assert len(seen) == N - 1
    seen.insert(frame([3], [4]))
    assert np.flatnonzero(labels(seen) != np.arange(N)).tolist() == [2, 4]
    with pytest.raises(UnknownVertexError, match="1 of 2 ids in 'dst' is not a vertex so far: -7"):
        seen.connected(frame([3, 3], [4, -7]))
    found = seen.connected(frame([3, 3], [4, -7]), missing="false")
    assert found._column.values.tolist() == [True, False]


def test_what_an_interrupted_look_has_left_does_not_count(gpu, monkeypatch):
    """A look that nobody waited for finds its stray while the next batch is on its way."""
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda").insert(frame([1], [2]))
    flag = gpu.new_flag()
    page, value = flag.page, flag.value
    del flag
    record = fake_gpu.Event.record

    def finds_a_stray_late(self, stream=None):
        page.word[0] = value  # after the next look was launched
        record(self, stream)

    monkeypatch.setattr(fake_gpu.Event, "record", finds_a_stray_late)
    seen.insert(frame([3], [4]))
    assert gpu.new_flag().page is page
    assert len(seen) == N - 2


@pytest.mark.parametrize("resource", [fake_gpu.PLAIN, fake_gpu.POOL])
def test_the_arrays_of_the_trees_before_the_last_are_used_again(gpu, monkeypatch, resource):
    """So nothing is allocated, which without a pool would wait for the device."""
    monkeypatch.setattr(fake_gpu.RESOURCES, "get_current_device_resource", resource)
    seen, batch = cc_rapids.Connectivity(num_vertices=N, engine="cuda"), frame([1], [2])
    places = [seen.insert(batch)._state.forest.parent.data.ptr for _ in range(5)]
    assert places[0] != places[1]
    assert places[:2] == places[2:4]
    assert asked(lambda: seen.insert(batch)) == BATCH


@pytest.mark.parametrize("hold", [lambda state: state, lambda state: state.forest.parent[5:]])
def test_trees_that_somebody_holds_are_not_written_again(gpu, hold):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda").insert(frame([1], [2]))
    held = hold(seen._state)
    parent = seen._state.forest.parent[5:]
    before = parent.copy()
    for k in range(6, 12):
        seen.insert(frame([k], [k + 1]))
    assert np.array_equal(parent, before)
    assert held is not None
    assert len(seen) == N - 7


def test_trees_are_made_anew_on_a_stream_of_its_own_and_on_another_device(gpu, monkeypatch):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda")
    for k in range(3):
        seen.insert(frame([k], [k + 1]))
    (held,) = seen._state.forest.spares.values()
    for name, value in (("in_caller_order", False), ("device_id", 1)):
        with monkeypatch.context() as patch:
            patch.setattr(Cuda, name, value)
            assert trees.Trees.after(seen._state.forest).parent is not held["parent"]
    assert trees.Trees.after(seen._state.forest).parent is held["parent"]


def test_a_batch_without_rows_copies_and_launches_nothing(gpu):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda").insert(frame([1], [2]))
    before = seen._state.forest
    assert asked(lambda: seen.insert(frame([], []))) == ["record", "wait"]
    assert seen._state.forest is before
    assert (seen._state.batches, len(seen.insert(frame([2], [3])))) == (2, N - 2)


def test_batches_of_an_iterator_between_others(gpu):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda")
    for batch in (frame([1], [2]), iter([frame([2], [3]), frame([3], [4])]), frame([4], [5])):
        seen.insert(batch)
    assert np.flatnonzero(labels(seen) == 1).tolist() == [1, 2, 3, 4, 5]


def test_designs_with_arrays_of_their_own_take_them_from_the_workspace(gpu, monkeypatch):
    """They share one allocation with the trees, which is waited for where there is no pool."""
    monkeypatch.setattr(fake_gpu.RESOURCES, "get_current_device_resource", fake_gpu.PLAIN)
    design = "none+rem-lock+split-one"
    seen = cc_rapids.Connectivity(num_vertices=N, design=design, engine="cuda")
    for k in range(4):
        seen.insert(frame([k], [k + 1]))
        assert not isinstance(seen._state.forest, trees.Trees)
    assert len(seen) == N - 4
    assert asked(lambda: seen.insert(frame([4], [5])))[0] == "wait for all"


def test_arrays_that_another_stream_may_still_write_are_not_kept(gpu, monkeypatch):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda")
    for k in range(3):
        seen.insert(frame([k], [k + 1]))
    with monkeypatch.context() as patch:
        patch.setattr(Cuda, "in_caller_order", False)
        made = trees.Trees.after(seen._state.forest)
    seen._state.forest.spares.clear()
    del made
    assert seen._state.forest.spares == {}


def test_only_so_many_bytes_are_kept_for_later_trees(gpu, monkeypatch):
    monkeypatch.setattr(trees, "MOST_SPARE_BYTES", 4 * N - 1)
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda")
    for k in range(4):
        seen.insert(frame([k], [k + 1]))
    assert seen._state.forest.spares == {}
    assert len(seen) == N - 4


def test_an_interrupted_batch_changes_nothing(gpu, monkeypatch):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda").insert(frame([1], [2]))

    def fail(self, kernel, n, arguments):
        raise KeyboardInterrupt

    batch = frame([3], [4])
    monkeypatch.setattr(Cuda, "launch", fail)
    with pytest.raises(KeyboardInterrupt):
        seen.insert(batch)
    monkeypatch.undo()
    assert len(seen) == N - 1
    assert len(seen.insert(batch)) == N - 2


def test_on_a_stream_of_its_own_the_host_waits_for_the_trees(gpu, monkeypatch):
    """What cuDF does next with the columns is on another stream then."""
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda")
    monkeypatch.setattr(Driver.stream, "ptr", 7, raising=False)
    batch = frame([1, 2], [2, 3])
    assert asked(lambda: seen.insert(batch)) == ["copy", "every_edge", "copy", "wait"]
    pairs = frame([1, -1], [3, 2])
    assert asked(lambda: seen.connected(pairs, missing="false"))[-1] == "wait"
    with pytest.raises(InputError, match=f"holds the id {N}"):
        seen.insert(frame([1], [N]))
    monkeypatch.undo()
    assert len(seen) == N - 2


@pytest.mark.slow
def test_trees_that_were_pickled_are_copied_one_by_one(gpu):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda").insert(frame([1, 2], [2, 3]))
    other = pickle.loads(pickle.dumps(seen))
    one_by_one = asked(lambda: other.insert(frame([3], [4])))  # by CuPy itself
    assert one_by_one == ["note_strays", *BATCH[1:]]
    assert asked(lambda: other.insert(frame([4], [5]))) == BATCH
    assert np.flatnonzero(labels(other) == 1).tolist() == [1, 2, 3, 4, 5]
    assert len(seen) == N - 2


def test_earlier_states_keep_their_trees(gpu):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda").insert(frame([1], [2]))
    before = seen.components()
    changed = seen.insert(frame([2], [3]), return_changes=True)
    assert changed["vertex"]._column.values.tolist() == [3]
    assert len(before) == N - 1
    assert len(seen.components()) == N - 2


def test_answers_have_the_index_of_the_frame(gpu):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda").insert(frame([1], [2]))
    pairs = frame([1, 3], [2, 4])
    found = seen.connected(pairs)
    assert found.index is pairs.index
    assert found.name == "connected"
    assert found._column.values.tolist() == [True, False]


@pytest.mark.slow
def test_the_kind_of_answers_is_that_of_the_latest_batch(gpu):
    seen = cc_rapids.Connectivity(num_vertices=N, engine="cuda").insert(frame([1], [2]))
    kind = seen._state.given
    assert seen.insert(frame([1], [2]))._state.given is kind
    assert seen.insert(frame([2], [3], dtype=np.int64))._state.given is not kind
    assert seen._state.given.src.dtype == "int64"
    other = fake_cudf.DataFrame({"a": np.array([1]), "b": np.array([2])})
    assert seen.insert(other, "a", "b")._state.given.src.name == "a"
    seen.insert((np.array([1]), np.array([2])))
    assert isinstance(seen.components().labels(), tuple)
