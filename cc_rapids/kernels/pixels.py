"""Label the pixels of an image by a union-find over runs of pixels, found with bits of 32 pixels.

A row is a line along the last axis. A run is a maximal series of joined pixels of one row. The runs
are numbered from 1 in raster order, and vertex 0 is the background. The edges between runs are
computed from the bits of two rows, so there is no list of edges.

pixels : (rows * width,) numbers.
inside : (rows * words,) uint32, one bit per pixel that is not background; the last word of a row
         may have unused bits, which are 0.
starts : (rows * words,) uint32, one bit per pixel, set for the first pixel of each run.
before : (rows * words + 1,) unsigned, the number of runs that start before each word.
parent : (runs + 1,) unsigned, the trees of the runs; the root of a finished tree is its first run.
"""

from typing import Any

import numpy as np

from . import primitives

BITS, LAST = np.uint64(primitives.WORD), np.uint32(primitives.WORD - 1)
ONE, TWO = np.uint64(1), np.uint64(2)
ZERO, BIT, ALL = np.uint32(0), np.uint32(1), np.uint32(0xFFFFFFFF)
TWO_BITS, PAIRS, LABEL_BITS = np.uint32(3), np.uint64(primitives.WORD // 2), np.uint64(32)
# Bits of the neighbours in an earlier row that a pixel is joined with, by column
LEFT, SAME, RIGHT = np.uint8(1), np.uint8(2), np.uint8(4)


def is_nonzero(on: Any) -> Any:
    """Return whether a pixel is not 0; true for NaN."""

    @on.device
    def is_inside(pixels, p, background):
        return pixels[p] != 0

    return is_inside


def is_other(on: Any) -> Any:
    """Return whether the value of a pixel differs from ``background``."""

    @on.device
    def is_inside(pixels, p, background):
        return np.int64(pixels[p]) != background

    return is_inside


def always(on: Any) -> Any:
    """Return True: all neighbours are joined, or, as ``is_inside``, all pixels are inside."""

    @on.device
    def are_joined(pixels, p, q):
        return True

    return are_joined


def never(on: Any) -> Any:
    """Return False: no neighbours are joined."""

    @on.device
    def are_joined(pixels, p, q):
        return False

    return are_joined


def if_equal(on: Any) -> Any:
    """Return whether two neighbours have equal values, and so are joined."""

    @on.device
    def are_joined(pixels, p, q):
        return pixels[p] == pixels[q]

    return are_joined


def pack(on: Any, is_inside: Any, are_joined: Any) -> Any:
    """Write the bits of 32 pixels of a row, and the number of runs that start there.

    Two neighbours in a row belong to one run if both are inside and ``are_joined`` is true.
    """
    count = primitives.count(on)

    @on.elementwise
    def pack(w, width, words, pixels, background, inside, starts, before):
        row = w // np.uint64(words)
        column = (w - row * np.uint64(words)) * BITS
        first = row * np.uint64(width) + column
        size = min(np.uint64(width) - column, BITS)
        bits, joined = ZERO, ZERO  # which pixels are inside, and which join their left neighbour
        k = np.uint64(0)
        while k < size:
            bits |= np.uint32(is_inside(pixels, first + k, background)) << np.uint32(k)
            k += ONE
        k = np.uint64(0) if column > 0 else ONE
        while k < size:
            p = first + k
            joined |= np.uint32(are_joined(pixels, p - ONE, p)) << np.uint32(k)
            k += ONE
        inside_left = np.uint32(bits << BIT)  # pixels whose left neighbour is inside
        if column > 0 and is_inside(pixels, first - ONE, background):
            inside_left |= BIT
        begun = np.uint32(bits & ~(inside_left & joined))
        inside[w], starts[w], before[w + ONE] = bits, begun, count(begun)
        if w == 0:
            before[w] = 0

    return pack


def link_rows(on: Any, vertex: type, link: Any, are_joined: Any) -> Any:
    """Link the runs in 32 pixels of a row with their neighbours in earlier rows.

    ``join`` links the two runs at each column with a set bit. The word of this row begins at pixel
    p, and the word of the earlier row at pixel q. The number of a run is the number of starts up to
    its column: ``base`` (``their_base`` in the earlier row) starts before the word, and the set
    bits of ``starts`` (``their_starts``) in the word. Two runs are linked only at the first of the
    consecutive columns where they touch. A diagonal contact is skipped if the pixel, or the pixel
    next to it in its run, also touches the other run in its own column. For a diagonal, the words
    of the earlier row are shifted by one pixel; the missing pixel comes from an adjacent word.

    shape : (d,) int64, the sizes of all axes except the last, in reverse order.
    distance : (r,) int64, the number of rows back to each earlier row of the neighbourhood.
    beyond : (r,) uint64, a bit set of the ends of axes at which this earlier row does not exist:
             for axis k of ``shape``, bit 2 k for its first row, and bit 2 k + 1 for its last.
    columns : (r,) uint8, the neighbours in this earlier row: LEFT, SAME and RIGHT.
    """
    count = primitives.count(on)

    @on.device
    def join(bits, starts, their_starts, base, their_base, p, q, pixels, parent):
        while bits != ZERO:
            lowest = np.uint32(bits & (~bits + BIT))  # the lowest set bit
            bits ^= lowest
            below = np.uint32(lowest - BIT)
            k = np.uint64(count(below))
            if are_joined(pixels, p + k, q + k):
                below |= lowest
                u = vertex(base + vertex(count(np.uint32(starts & below))))
                v = vertex(their_base + vertex(count(np.uint32(their_starts & below))))
                if parent[u] != parent[v]:
                    # the union rule has no auxiliary array: ``parent`` fills its place, unused
                    link(parent, parent, u, v)

    @on.elementwise
    def link_rows(
        w, width, words, shape, distance, beyond, columns, pixels, inside, starts, before, parent
    ):
        bits = inside[w]
        if bits == ZERO:
            return
        words = np.uint64(words)
        row = w // words
        column = w - row * words
        begun, base = starts[w], before[w]
        # The ends of axes at which this row lies, from its coordinates
        ends, rest, axis = np.uint64(0), row, np.uint64(0)
        while axis < np.uint64(shape.size):
            size, above = np.uint64(shape[axis]), rest
            rest //= size
            place = above - rest * size
            if place == 0:
                ends |= ONE << (TWO * axis)
            if place + ONE == size:
                ends |= TWO << (TWO * axis)
            axis += ONE
        p = row * np.uint64(width) + column * BITS
        r = np.uint64(0)
        while r < np.uint64(distance.size):
            if ends & beyond[r] == 0:
                far = np.uint64(distance[r])
                v, q, side = w - far * words, p - far * np.uint64(width), columns[r]
                theirs, their_starts, their_base = inside[v], starts[v], before[v]
                if side & SAME != 0:  # the same column of the earlier row
                    touch = np.uint32(bits & theirs & (begun | their_starts))
                    join(touch, begun, their_starts, base, their_base, p, q, pixels, parent)
                if side & LEFT != 0:  # the column before, shifted onto this column
                    shifted = np.uint32(theirs << BIT)
                    shifted_starts = np.uint32(their_starts << BIT)
                    carry = ZERO  # whether a run starts at the last pixel of the word before
                    if column > 0:
                        shifted |= inside[v - ONE] >> LAST
                        carry = starts[v - ONE] >> LAST
                    shifted_starts |= carry
                    touch = np.uint32(bits & shifted & (begun | shifted_starts))
                    if side & SAME != 0:  # if a run covers both columns, SAME links the two runs
                        touch &= np.uint32(begun & ~(theirs & ~their_starts))
                    shift_base = vertex(their_base - vertex(carry))
                    join(touch, begun, shifted_starts, base, shift_base, p, q - ONE, pixels, parent)
                if side & RIGHT != 0:  # the column after, shifted onto this column
                    shifted = np.uint32(theirs >> BIT)
                    shifted_starts = np.uint32(their_starts >> BIT)
                    continues = np.uint32((bits & ~begun) >> BIT)
                    if column + ONE < words:
                        shifted |= np.uint32(inside[v + ONE] << LAST)
                        shifted_starts |= np.uint32(starts[v + ONE] << LAST)
                        continues |= np.uint32((inside[w + ONE] & ~starts[w + ONE]) << LAST)
                    touch = np.uint32(bits & shifted & (begun | shifted_starts))
                    if side & SAME != 0:  # if a run covers both columns, SAME links the two runs
                        touch &= np.uint32(shifted_starts & ~continues)
                    shift_base = vertex(their_base + vertex(their_starts & BIT))
                    join(touch, begun, shifted_starts, base, shift_base, p, q + ONE, pixels, parent)
            r += ONE

    return link_rows


def mark_roots(on: Any, vertex: type, find: Any) -> Any:
    """Point each run at its root, and write 1 for roots and 0 for other runs to ``marks``."""

    @on.elementwise
    def mark_roots(v, parent, marks):
        r = find(parent, v)
        if r != parent[v]:
            parent[v] = r
        marks[v] = vertex(r == v)

    return mark_roots


def number_runs(on: Any, vertex: type) -> Any:
    """Replace each run's root by its label; ``roots[v]`` counts the roots up to and including v."""

    @on.elementwise
    def number_runs(v, parent, roots):
        parent[v] = roots[parent[v]] - vertex(1)

    return number_runs


def write_labels(on: Any) -> Any:
    """Write the label of each pixel; 0 for the background.

    The threads of a warp share the 32 pixels of a word, so that they write to neighbouring pixels.
    If all pixels of a word are background, or of one run that started earlier, the bits are not
    tested one by one.
    """
    count, lanes = primitives.count(on), np.uint64(on.warp_size)

    @on.elementwise
    def write_labels(i, width, words, inside, starts, before, label, out):
        w, k = i // lanes, i % lanes
        first, size = w * BITS, BITS
        unused = np.uint64(words) * BITS - np.uint64(width)  # bits of the last word of each row
        if unused != 0:
            row = w // np.uint64(words)
            first -= row * unused
            if (row + ONE) * np.uint64(words) == w + ONE:
                size -= unused
        bits, begun, base = inside[w], starts[w], np.uint64(before[w])
        if begun == ZERO and np.uint32(bits + BIT) <= BIT:  # no bit is set, or all 32
            value = label[base] if bits != ZERO else label[0]
            while k < size:
                out[first + k] = value
                k += lanes
            return
        while k < size:
            up_to_k = np.uint32(ALL >> np.uint32(LAST - np.uint32(k)))
            run = base + np.uint64(count(np.uint32(begun & up_to_k)))
            if (bits >> np.uint32(k)) & BIT == ZERO:
                run = np.uint64(0)
            out[first + k] = label[run]
            k += lanes

    return write_labels


def write_label_pairs(on: Any) -> Any:
    """Write the labels of two pixels as one word, if rows are whole words and labels have 32 bits.

    out : (pixels / 2,) uint64, the memory of the labels; the lower half of an element is the first
          label.
    """
    count = primitives.count(on)

    @on.elementwise
    def write_label_pairs(i, inside, starts, before, label, out):
        w, k = i // PAIRS, np.uint32(i % PAIRS) << BIT
        bits, begun = inside[w] >> k, starts[w]
        run = before[w] + count(np.uint32(begun & (ALL >> np.uint32(LAST - k))))
        pair = np.uint64(label[run]) if bits & BIT != ZERO else np.uint64(0)
        if bits & TWO_BITS > BIT:  # the second pixel is inside
            run += (begun >> np.uint32(k + BIT)) & BIT
            pair |= np.uint64(label[run]) << LABEL_BITS
        out[i] = pair

    return write_label_pairs
