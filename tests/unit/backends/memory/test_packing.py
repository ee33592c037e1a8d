"""Pieces of one allocation, as arrays and as arguments of a launch."""

import numpy as np

from cc_rapids.backends import Layout, pack_layout


def test_pieces_laid_for_a_launch_are_the_arrays_of_the_same_pieces(on):
    shapes = (5, np.int64), (0, np.uint8), (7, np.uint32)
    size, pieces = pack_layout(shapes)
    whole = on.fill(on.empty(size, np.uint8), 0)
    there = on.asarray(np.arange(5, dtype=np.int32))

    @on.elementwise
    def note(i, more, first, none, second, there):
        first[i] = np.int64(there[i]) - more
        second[i + np.uint64(2)] = i + np.uint64(none.size)

    layout = Layout(pieces)
    for more in (1, 2):  # the second time all that a launch needs is known
        note(5, more, *on.packed_args(whole, layout), there)
        first, none, second = map(on.to_host, on.packed_views(whole, pieces))
        assert first.tolist() == [i - more for i in range(5)]
        assert none.size == 0
        assert second.tolist() == [0, 0, 0, 1, 2, 3, 4]


def test_a_layout_serves_every_allocation(on):
    layout = Layout(pack_layout(((3, np.int64), (3, np.int64)))[1])

    @on.elementwise
    def number(i, left, right):
        left[i], right[i] = i, -np.int64(i)

    wholes = [on.empty(512, np.uint8) for _ in range(3)]
    for whole in wholes:
        number(3, *on.packed_args(whole, layout))
    for whole in wholes:
        found = [on.to_host(array).tolist() for array in on.packed_views(whole, layout.pieces)]
        assert found == [[0, 1, 2], [0, -1, -2]]
