"""Allocators over the caller's own, which here hands out numbers for addresses."""

import gc
import weakref
from types import SimpleNamespace

import pytest

from cc_rapids.engines.arenas import Arena, Recycling

LARGE = Arena.SMALL + 1


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
        gc.collect()
        return sum(block().size for block in self.blocks if block() is not None)


@pytest.fixture
def pool():
    return Pool()


@pytest.fixture
def arena(pool):
    found = Arena()
    found.allocate = pool
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
    large = arena.with_room(10 * LARGE, 2 * LARGE)
    inside = arena(LARGE), arena(10)
    assert [array.ptr - large.ptr for array in inside] == [10 * LARGE, 11 * LARGE + 255]
    assert pool.calls == [12 * LARGE]
    arena(LARGE)  # there is not so much left
    assert pool.calls == [12 * LARGE, LARGE]
    arena.leave_room()
    small = arena(10)
    assert pool.calls[2:] == [Arena.SIZE]
    del large, inside
    assert pool.held() == Arena.SIZE
    arena.leave_room()  # it lies beside nothing
    assert arena(10).ptr == small.ptr + Arena.ALIGN


def test_no_room_beside_small_arrays_or_a_second_one(pool, arena):
    arena.with_room(Arena.SMALL, LARGE)
    arena.with_room(LARGE, LARGE)
    assert pool.calls == [Arena.SIZE, LARGE]
