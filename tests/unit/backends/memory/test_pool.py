"""Allocators over the caller's own, which here hands out numbers for addresses."""

import weakref
from concurrent.futures import ThreadPoolExecutor
from random import Random
from types import SimpleNamespace

import pytest

from cc_rapids.backends.memory import pool as arenas
from cc_rapids.backends.memory.pool import Arena, Recycling, Workspace

LARGE, MANY = Arena.SMALL + 1, 32 << 20
TOTAL = Workspace.SHARE * 8 * MANY  # bytes of a device


class Block:
    """Memory of the caller's pool, or a pointer into it, that owns what it points to."""

    def __init__(self, ptr, size, owner=None):
        self.ptr, self.size, self.owner = ptr, size, owner

    def __add__(self, first):
        return Block(self.ptr + first, self.size - first, self)


class Pool:
    """The caller's allocator; knows what has not been given back."""

    def __init__(self):
        self.calls, self.blocks = [], []

    def __call__(self, size):
        block = Block(sum(self.calls) + (len(self.calls) << 20), size)
        self.calls.append(size)
        self.blocks.append(weakref.ref(block))
        return block

    def held(self):
        return sum(block().size for block in self.blocks if block() is not None)


@pytest.fixture
def pool():
    return Pool()


@pytest.fixture
def arena(pool):
    found = Arena()
    found.allocate = found.allocate_own = pool
    return found


@pytest.fixture
def recycling(arena):
    cuda = SimpleNamespace(UnownedMemory=Block, MemoryPointer=lambda memory, offset: memory)
    return Recycling(cuda, arena)


def test_small_arrays_share_a_block(pool, arena):
    arrays = [arena(size) for size in (0, 1, 300, Arena.SMALL)]
    assert [array.ptr - arrays[0].ptr for array in arrays] == [0, 0, 256, 768]
    assert pool.calls == [Arena.SIZE]
    arena(LARGE)
    more = arena(Arena.SMALL)
    assert pool.calls == [Arena.SIZE, LARGE, Arena.SIZE]
    del arrays, arena.block, more
    assert pool.held() == 0


def test_memory_left_serves_the_next(pool, recycling):
    first = recycling(3 * LARGE)
    at = first.ptr
    second = recycling(3 * LARGE)
    assert second.ptr != at
    del first
    assert recycling(LARGE).ptr != at  # three times what is asked for is too much
    assert recycling(2 * LARGE).ptr == at
    third = recycling(3 * LARGE)
    assert third.ptr == at
    assert recycling(10).size <= Arena.SIZE
    assert pool.calls == [3 * LARGE, 3 * LARGE, LARGE, Arena.SIZE]


def test_of_those_that_fit_the_smallest_is_taken(recycling):
    small, large = recycling(2 * LARGE), recycling(3 * LARGE)
    at = small.ptr
    del large, small
    assert recycling(LARGE + LARGE // 2).ptr == at


def test_all_is_given_back(pool, recycling):
    kept, left = recycling(LARGE), recycling(2 * LARGE)
    del left
    assert pool.held() == 3 * LARGE
    recycling.close()
    assert pool.held() == LARGE
    del kept
    assert pool.held() == 0
    assert recycling(LARGE).size == LARGE
    assert pool.held() == 0


def test_a_block_may_lie_beside_a_large_array(pool, arena):
    """One call for both; it serves arrays of any size until it is left, and none afterwards."""
    large = arena.with_block(10 * LARGE, 2 * LARGE)
    inside = arena(LARGE), arena(10)
    assert [array.ptr - large.ptr for array in inside] == [10 * LARGE, 11 * LARGE + 255]
    assert pool.calls == [12 * LARGE]
    arena(LARGE)  # there is not so much left
    assert pool.calls == [12 * LARGE, LARGE]
    arena.leave_block()
    small = arena(10)
    assert pool.calls[2:] == [Arena.SIZE]
    del large, inside
    assert pool.held() == Arena.SIZE
    arena.leave_block()  # it lies beside nothing
    assert arena(10).ptr == small.ptr + Arena.ALIGN


def test_no_room_beside_small_arrays_or_a_second_one(pool, arena):
    arena.with_block(Arena.SMALL, LARGE)
    arena.with_block(LARGE, LARGE)
    assert pool.calls == [Arena.SIZE, LARGE]


@pytest.fixture
def workspace(monkeypatch):
    monkeypatch.setattr(arenas, "_calls_driver", lambda: True)
    waits = []
    runtime = SimpleNamespace(getDevice=lambda: 0, deviceSynchronize=lambda: waits.append(1))
    cuda = SimpleNamespace(
        runtime=runtime, UnownedMemory=Block, MemoryPointer=lambda memory, offset: memory
    )
    found = Workspace(cuda, lambda device: TOTAL)
    found.waits = waits
    return found


def test_what_a_run_leaves_serves_the_next_of_about_its_size(pool, workspace):
    first = workspace(pool, MANY)
    beside = workspace(pool, MANY)  # while the first is in use
    assert beside.ptr != first.ptr
    assert workspace.waits == []
    at = first.ptr
    del first
    assert pool.held() == 2 * MANY
    again = workspace(pool, MANY - Workspace.SPARE)
    assert again.ptr == at
    assert workspace.waits == [1]
    del again, beside
    assert pool.held() == 2 * MANY
    assert len(pool.calls) == 2


def test_one_wait_is_for_all_blocks_that_are_left(pool, workspace):
    blocks = [workspace(pool, size) for size in (MANY, 2 * MANY, 3 * MANY)]
    del blocks
    blocks = [workspace(pool, size) for size in (MANY, 2 * MANY)]
    assert workspace.waits == [1]
    del blocks
    workspace(pool, 3 * MANY)  # nothing was launched with it since
    assert workspace.waits == [1]
    workspace(pool, MANY)
    assert workspace.waits == [1, 1]
    assert len(pool.calls) == 3


def test_of_the_blocks_that_fit_the_smallest_is_taken(pool, workspace):
    blocks = [workspace(pool, MANY + size) for size in (200, 100, 300)]
    at = blocks[1].ptr
    del blocks
    assert workspace(pool, MANY).ptr == at


@pytest.mark.parametrize("size", [MANY + 1, MANY - Workspace.SPARE - 1])
def test_blocks_of_other_sizes_are_kept_up_to_a_share_of_the_device(pool, workspace, size):
    most = TOTAL // Workspace.SHARE
    workspace(pool, MANY)
    kept = workspace(pool, size)
    assert pool.held() == MANY + size
    others = workspace(pool, most - size)
    assert pool.held() == most  # the first has made room
    del kept, others
    assert pool.held() == most
    workspace(pool, most)
    assert pool.held() == most
    workspace.release()
    assert pool.held() == 0


def test_a_block_that_fits_none_of_many_arrays_is_freed(pool, workspace):
    workspace(pool, 3 * MANY)
    for _ in range(Workspace.TURNS):
        workspace(pool, MANY)
        assert pool.held() == 4 * MANY
    workspace(pool, MANY)
    assert pool.held() == MANY


def test_a_device_keeps_its_own(pool, workspace):
    at = workspace(pool, MANY).ptr
    workspace.cuda.runtime.getDevice = lambda: 1
    assert workspace(pool, MANY).ptr != at
    assert pool.held() == 2 * MANY


def test_too_much_is_not_kept(pool, workspace):
    workspace(pool, TOTAL // Workspace.SHARE + 1)
    assert pool.held() == 0


def test_what_is_kept_is_freed_before_there_is_no_memory(pool, workspace):
    """For the run's own arrays, and for answers, which are allocated beside the workspace."""

    def short(size):
        if pool.held() + size > 3 * MANY:
            raise MemoryError
        return pool(size)

    for allocate in (workspace, workspace.allocate_outside):
        workspace(pool, 2 * MANY)
        allocate(short, 3 * MANY)
        workspace.release()
        with pytest.raises(MemoryError):
            allocate(short, 4 * MANY)
        used = workspace(pool, MANY)
        with pytest.raises(MemoryError):
            allocate(short, 3 * MANY)
        del used
        workspace.release()
    assert pool.held() == 0


def test_a_lease_may_be_collected_while_blocks_are_looked_at(pool, workspace):
    """As garbage collection may free it at any time, in the thread that looks."""
    most = TOTAL // Workspace.SHARE
    leases = [workspace(pool, MANY)]
    workspace(pool, 2 * MANY)
    workspace.total = lambda device: leases.clear() or TOTAL
    room, workspace._make_room = workspace._make_room, lambda *given: leases.clear() or room(*given)
    kept = workspace(pool, most - MANY)
    assert pool.held() == most
    leases.append(workspace(pool, MANY))
    del kept
    assert sorted(block.size for block in workspace.cached) == [MANY, most - MANY]
    assert workspace.used == {}


def test_threads_take_and_release_at_once(pool, workspace):
    def work(seed):
        random = Random(seed)
        for _ in range(300):
            held = [workspace(pool, random.choice((MANY, 2 * MANY, 9 * MANY))) for _ in range(3)]
            if random.random() < 0.2:
                workspace.release()
            del held

    with ThreadPoolExecutor(8) as executor:
        list(executor.map(work, range(8)))
    assert workspace.used == {}
    workspace.release()
    assert pool.held() == 0


def test_with_a_pool_nothing_is_kept(pool, workspace, monkeypatch):
    late = workspace(pool, MANY)
    workspace(pool, MANY)
    monkeypatch.setattr(arenas, "_calls_driver", lambda: False)
    found = workspace(pool, MANY)
    del late  # of a run before the pool
    assert pool.held() == 2 * MANY
    another = workspace(pool, MANY)
    assert pool.held() == 2 * MANY
    del found, another
    assert pool.held() == 0


def test_a_forest_and_the_arrays_beside_it_hold_the_block(pool, arena, workspace):
    arena.draw_from(pool, workspace)
    forest = arena.with_block(MANY, Arena.SIZE)
    small = arena(10)
    assert small.ptr - forest.ptr == MANY
    del forest
    arena.leave_block()
    assert workspace.cached == []
    del small
    assert pool.held() == MANY + Arena.SIZE
    assert len(workspace.cached) == 1


def test_large_arrays_are_of_the_run_until_its_block_is_left(pool, arena, workspace):
    arena.draw_from(pool, workspace)
    arena(MANY)
    forest, own = arena.with_block(MANY, Arena.SIZE), arena(2 * MANY)
    second = arena.with_block(3 * MANY, Arena.SIZE)
    arena.leave_block()
    answer = arena(4 * MANY)
    del forest, own, second, answer
    assert sorted(block.size for block in workspace.cached) == [
        MANY + Arena.SIZE,
        2 * MANY,
        3 * MANY,
    ]


def test_memory_that_is_used_again_is_kept_for_the_next_run(pool, arena, workspace):
    arena.draw_from(pool, workspace)
    for _ in range(2):
        recycling = Recycling(workspace.cuda, arena)
        kept = recycling(2 * MANY)
        recycling(MANY)
        recycling(MANY)
        recycling.close()
        assert [left.size for left in workspace.cached] == [MANY]
        del kept
    assert pool.calls == [2 * MANY, MANY]


def test_a_scope_within_one_of_the_same_run_goes_on_with_its_pool(pool, workspace):
    arena = Arena()
    for allocate in (pool, arena):  # of the scope within, the arena is what allocates
        arena.draw_from(allocate, workspace)
    arena(MANY)
    arena.with_block(MANY, 100)
    assert pool.calls == [MANY, MANY + 100]


def test_an_arena_without_a_block_can_leave_it(arena, pool):
    arena.leave_block()
    arena(MANY)
    assert pool.calls == [MANY]
