"""The simulator: threads that switch at each access, by schedules that can be repeated."""

import numpy as np
import pytest
from races import plants
from simulation import simulator
from simulation.interpreter import callee_of
from simulation.simulator import BLOCK_THREADS, WARP_SIZE, Simulator

from cc_rapids.backends.dry_run import ATOMS
from cc_rapids.kernels import find as compress
from cc_rapids.kernels import union

ONE = np.uint64(1)


def on(schedule=0):
    return Simulator(schedule=schedule)


def zeros(n, dtype=np.uint64):
    return np.zeros(n, dtype)


def count_without_atomics(on):
    @on.elementwise
    def count(i, total):
        total[0] = total[0] + ONE

    return count


def count_in_place(on):
    @on.elementwise
    def count(i, total):
        total[0] += ONE

    return count


def count_in_a_function(on):
    @on.device
    def add(total, value):
        total[0] = value + ONE

    @on.elementwise
    def count(i, total):
        add(total, total[0])

    return count


def count_in_pairs(on):
    @on.elementwise
    def count(i, total):
        total[0], total[1] = total[0] + ONE, total[1] + ONE

    return count


@pytest.mark.parametrize(
    "make", [count_without_atomics, count_in_place, count_in_a_function, count_in_pairs]
)
def test_threads_that_take_no_turns_lose_additions(make):
    totals = set()
    for schedule in range(5):
        total = zeros(2)
        make(on(schedule))(100, total)
        totals.add(int(total[0]))
    assert max(totals) < 100
    assert min(totals) > 0
    assert len(totals) > 1


def test_atomic_additions_are_lost_by_no_schedule():
    def count(on):
        add = on.atomic_add

        @on.elementwise
        def count(i, total):
            add(total, 0, 1)

        return count

    for schedule in range(20):
        total = zeros(1)
        count(on(schedule))(100, total)
        assert total[0] == 100


def test_a_schedule_is_repeated_by_its_number(monkeypatch):
    def told(number):
        monkeypatch.setenv(simulator.SCHEDULE, str(number))
        backend, orders = Simulator(), []

        def order(on):
            add = on.atomic_add

            @on.elementwise
            def order(i, place, order):
                order[add(place, 0, 1)] = i

            return order

        for _ in range(2):
            found = zeros(90)
            order(backend)(90, zeros(1), found)
            orders.append(found.tolist())
        return orders

    first, again = told(3)
    assert first == again == told(3)[0]  # whatever ran before
    assert first != told(4)[0]
    assert sorted(first) == list(range(90))


def test_the_schedule_depends_on_the_content_of_arrays():
    def order(on):
        add = on.atomic_add

        @on.elementwise
        def order(i, given, place, order):
            order[add(place, 0, given[i])] = i

        return order

    orders = set()
    for start in range(3):
        found, backend = zeros(60), on()
        order(backend)(60, np.ones(60 + start, np.uint64), zeros(1), found)
        orders.add(tuple(found))
    assert len(orders) == 3


def test_new_arrays_hold_anything_but_the_same_each_time():
    """What no kernel has written is neither zero nor what was there before."""
    first, again, other = (on(schedule).empty(50, np.uint64) for schedule in (3, 3, 4))
    assert np.array_equal(first, again)
    assert np.unique([first, other]).size == 100
    assert on(3).empty(0, np.uint32).size == 0


def test_an_error_names_the_kernel_and_the_schedule():
    def leave(on):
        @on.elementwise
        def leave(i, array):
            array[i + ONE] = i

        return leave

    with pytest.raises(IndexError, match="out of bounds") as raised:
        leave(on(7))(3, zeros(3))
    assert raised.value.__notes__ == ["of kernel 'leave' by CC_RAPIDS_SCHEDULE=7"]


def ring(on, sync, words):
    """Each thread reads what its neighbour has written."""
    wait = on.block_sync if sync else on.memory_fence

    @on.block_kernel(words)
    def ring(k, t, step, shared, found):
        shared[t] = np.uint32(t)
        wait()
        found[k * step + t] = shared[(t + ONE) % step]

    return ring


def test_blocks_share_memory_of_any_content_and_wait():
    right = np.tile(np.roll(np.arange(BLOCK_THREADS), -1), 4)
    wrong = 0
    for schedule in range(4):
        for sync in (True, False):
            found = zeros(4 * BLOCK_THREADS)
            ring(on(schedule), sync, BLOCK_THREADS)(4, found)
            same = found.tolist() == right.tolist()
            assert same or not sync
            wrong += not same
    assert wrong == 4  # a barrier that is left out is always found


def test_grids_wait_for_all_blocks():
    def neighbours(on, sync):
        wait = on.grid_sync if sync else (lambda word, i: None)

        @on.cooperative
        def with_sync(t, n, step, word, there, back):
            there[t] = t + ONE
            wait(word, 0)
            back[t] = there[step - ONE - t]

        @on.cooperative
        def without(t, n, step, word, there, back):
            there[t] = t + ONE
            back[t] = there[step - ONE - t]

        return with_sync if sync else without

    n = 2 * BLOCK_THREADS
    for sync in (True, False):
        back = zeros(n)
        neighbours(on(), sync)(n, zeros(1), zeros(n), back)
        assert (back.tolist() == list(range(n, 0, -1))) == sync


def test_lanes_of_a_warp_count_and_exchange():
    def lanes(on):
        rank, swap, wait = on.warp_ballot_rank, on.warp_shuffle_xor, on.warp_sync

        @on.elementwise
        def lanes(i, ranks, raised, swapped):
            before, every = rank(i % np.uint64(3) == np.uint64(0))
            ranks[i], raised[i] = before, every
            wait()
            swapped[i] = swap(i)

        return lanes

    n = 2 * BLOCK_THREADS
    ranks, raised, swapped = zeros(n), zeros(n), zeros(n)
    lanes(on())(n, ranks, raised, swapped)
    flags = (np.arange(n) % 3 == 0).reshape(-1, WARP_SIZE)
    assert ranks.tolist() == (np.cumsum(flags, 1) - flags).ravel().tolist()
    assert raised.tolist() == np.repeat(flags.sum(1), WARP_SIZE).tolist()
    assert swapped.tolist() == (np.arange(n) ^ 1).tolist()


def waits_in_a_branch(on):
    wait = on.block_sync

    @on.block_kernel(1)
    def waits(k, t, step, shared, found):
        if t > np.uint64(3):
            wait()
        found[t] = t

    return waits


def waits_elsewhere(on):
    wait, rank = on.warp_sync, on.warp_ballot_rank

    @on.elementwise
    def waits(i, found):
        if i % np.uint64(2) == np.uint64(0):
            wait()
        else:
            rank(True)
        found[i] = i

    return waits


@pytest.mark.parametrize(
    ("make", "n", "says"),
    [
        (waits_in_a_branch, 1, f"{BLOCK_THREADS - 4} at block_sync"),
        (waits_elsewhere, WARP_SIZE, f"{WARP_SIZE // 2} at warp_.*, {WARP_SIZE // 2} at warp_"),
    ],
)
def test_threads_that_wait_for_ever_are_told(make, n, says):
    with pytest.raises(AssertionError, match=f"'waits': threads wait .* do not come: {says}"):
        make(on())(n, zeros(BLOCK_THREADS))


def test_a_kernel_that_never_ends_is_told(monkeypatch):
    def spin(on):
        @on.elementwise
        def spin(i, array):
            while array[0] == np.uint64(0):
                pass

        return spin

    monkeypatch.setattr("simulation.interpreter.MOST_TURNS", 100)
    with pytest.raises(AssertionError, match="'spin' does not end"):
        spin(on())(2, zeros(1))


def test_threads_that_hold_locks_are_waited_for():
    def locked(on):
        cas, fence = on.atomic_cas, on.memory_fence
        free, held = np.uint64(0), np.uint64(1)

        @on.elementwise
        def locked(i, lock, total):
            while cas(lock, 0, free, held) != free:
                pass
            fence()
            total[0] += ONE
            fence()
            lock[0] = free

        return locked

    for schedule in range(5):
        total = zeros(1)
        locked(on(schedule))(100, zeros(1), total)
        assert total[0] == 100


def hooks_of(link, schedule, n=48):
    """The number of hooks that the links of a star have made, and of roots that are left."""
    backend = on(schedule)
    join = link(backend, compress.halve(backend))

    def hook(on):
        add = on.atomic_add

        @on.elementwise
        def hook(i, src, dst, parent, hooks):
            if join(parent, parent, src[i], dst[i]) != np.uint32(plants.NONE):
                add(hooks, 0, 1)

        return hook

    dst = np.arange(n - 1, dtype=np.uint32)
    src = np.full(n - 1, n - 1, np.uint32)
    parent, hooks = np.arange(n, dtype=np.uint32), zeros(1)
    hook(backend)(src.size, src, dst, parent, hooks)
    return int(hooks[0]), int((parent == np.arange(n)).sum())


def right(on, find):
    return union.asynchronous(on, np.uint32, find)


def test_a_link_rule_loses_no_hook_by_any_schedule():
    assert {hooks_of(right, schedule) for schedule in range(12)} == {(47, 1)}


@pytest.mark.parametrize("link", [plants.plain_store, plants.hook_of_no_root, plants.no_retry])
def test_link_rules_with_faults_lose_hooks_by_some_schedule(link):
    found = {hooks_of(link, schedule) for schedule in range(12)}
    assert found != {(47, 1)}


def test_expressions_are_evaluated_as_python_does():
    """One thread gives what the text gives as it stands: the rewriting changes no meaning."""

    def mixed(on):
        swap, add, load = on.atomic_cas, on.atomic_add, on.load_streaming

        @on.device
        def both(a, i):
            return a[i], a[a[i]]

        @on.device
        def twice(v):
            return v * np.uint64(2)

        @on.grid_stride
        def mixed(first, n, step, a, b, *rest):
            x, y = both(a, first)
            a[a[x]], b[y] = b[a[y]], twice(a[0]) if a[1] > x else b[b[2]]
            b[a[1]] += a[add(b, 0, 1) % n]
            k = np.uint64(0)
            while k < n and (a[k] != y or b[k] < n):
                if swap(a, k, load(a, k), b[k] % n) == k:
                    rest[0][k] ^= a[k]
                k += ONE
            for j in range(3):
                a[j] = min(a[j], b[j], rest[0][j])
            b[3] = b[4] = a[2] + b[0]

        return mixed

    random = np.random.default_rng(5)
    part, threads = mixed(on()).part, (np.uint64(0), np.uint64(6), ONE)
    rewritten = callee_of(part, {})
    body = part.compiled(lambda function: function, ATOMS)
    assert rewritten.yields
    for _ in range(50):
        arrays = [random.integers(0, 6, 6).astype(np.uint64) for _ in range(3)]
        copies = [array.copy() for array in arrays]
        with np.errstate(over="ignore"):
            assert set(rewritten.call(*threads, *arrays)) == {None}
            body(*threads, *copies)
        assert [array.tolist() for array in arrays] == [copy.tolist() for copy in copies]


def test_functions_without_an_access_are_left_as_they_are():
    def sum_of(on):
        @on.device
        def plus(a, b):
            return a + b

        @on.elementwise
        def sum_of(i, value):
            plus(i, value)

        return sum_of

    part = sum_of(on()).part
    found = callee_of(part, {})
    assert not found.yields
    assert found.call.__code__ is part.function.__code__
    sum_of(on())(70, 3)
