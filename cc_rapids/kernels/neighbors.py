"""Edges of neighbour arrays: each edge is computed from its number, so no list is built.

Entry e of the array is an edge from its row to the neighbour in the entry. The functions here
correspond to the functions of :mod:`.edges`, with other arrays:

src : uint64. The first HEADER words, named below, describe the array: its size, the strides of its
      memory in elements, and the positions of the other parts of ``src``. These parts are the
      offsets of rows of unequal length and a bit for each entry that is an edge. For clusters,
      ``src`` also has a bit for each entry from a core point to another point, a bit for each core
      point, and codes of core distances.
dst : the memory of the neighbours, of any integer type, as the caller passed it.
weights : the memory of the distances, of any type of numbers.

The caller may write to ``dst`` and ``weights`` during the run, so a kernel checks each neighbour
that it loads. ``src`` belongs to the run.
"""

from functools import partial
from typing import Any

import numpy as np

from . import edges
from .primitives import SOON, lessen, no_prefetch

(
    PERIOD,  # entries after which the row or the column repeats; 0 if rows have offsets
    FACTOR,  # e // period is e * factor >> shift for all entries, unless factor is 0
    SHIFT,
    TURNED,  # 1 if entries are numbered by columns, as in Fortran
    COLUMNS,  # entries in a row, unless rows have offsets
    STEP,  # stride of rows in dst; the stride of columns follows
    _COLUMN_STEP,
    WEIGHT_STEP,  # stride of rows in weights; the stride of columns follows
    _WEIGHT_COLUMN_STEP,
    MISSING,  # the value of a missing neighbour
    KEPT,  # position of the bits of entries that are edges; 0 if every neighbour is an edge
    BORDER,  # position of the bits of entries from core points to other points
    CORE,  # position of the bits of core points
    OFFSETS,  # position of the offsets of rows
    REACH,  # position of the codes of core distances
) = np.arange(15, dtype=np.uint64)
HEADER = 15
ZERO, ONE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)
THREE, SIX, LAST = np.uint64(3), np.uint64(6), np.uint64(63)
MOST_BITS = 31  # numbers of entries with up to 31 bits are divided by a multiplication
NONE = np.uint64(2**64 - 1)
LOW = 0  # the id of vertex 0, because points are numbered from 0

# The reasons by which ``select`` counts entries that are not edges.
REASONS = ABSENT, LOOP, NULL_WEIGHT, OUT_OF_BOUNDS, ONE_SIDED = tuple(np.arange(5, dtype=np.uint64))


def has_bit(on: Any) -> Any:
    """Return whether bit i of the set that begins at word ``first`` is set."""

    @on.device
    def has_bit(src, first, i):
        return (src[first + (i >> SIX)] >> (i & LAST)) & ONE != ZERO

    return has_bit


def place_of(on: Any) -> Any:
    """Return the row and the column of entry e; bisection finds the row if rows have offsets."""

    @on.device
    def place(src, n, e):
        period = src[PERIOD]
        if period == ZERO:
            low, high, first = ZERO, np.uint64(n), src[OFFSETS]
            while high - low > ONE:
                middle = (low + high) >> ONE
                if src[first + middle] <= e:
                    low = middle
                else:
                    high = middle
            return low, e - src[first + low]
        factor = src[FACTOR]
        major = e * factor >> src[SHIFT] if factor != ZERO else e // period
        minor = e - major * period
        if src[TURNED] != ZERO:
            return minor, major
        return major, minor

    return place


def position_of(on: Any) -> Any:
    """Return the position in memory of the entry in a row and column.

    ``step`` is the word of ``src`` at which the strides are.
    """

    @on.device
    def position(src, row, column, step):
        if src[PERIOD] == ZERO:
            return src[src[OFFSETS] + row] + column
        return row * src[step] + column * src[step + ONE]

    return position


def row_size(on: Any) -> Any:
    """Return the number of entries of a row."""

    @on.device
    def size(src, row):
        if src[PERIOD] == ZERO:
            first = src[OFFSETS] + row
            return src[first + ONE] - src[first]
        return src[COLUMNS]

    return size


def next_of(on: Any) -> Any:
    """Return the row and the column of the next entry; arbitrary after the last entry."""
    size = row_size(on)

    @on.device
    def next_place(src, n, row, column):
        if src[TURNED] != ZERO:
            row += ONE
            if row == np.uint64(n):
                return ZERO, column + ONE
            return row, column
        column += ONE
        while column == size(src, row) and row + ONE < np.uint64(n):
            row, column = row + ONE, ZERO
        return row, column

    return next_place


def number_of(on: Any) -> Any:
    """Return the number of the entry in a row and column."""

    @on.device
    def number(src, row, column):
        if src[PERIOD] == ZERO:
            return src[src[OFFSETS] + row] + column
        if src[TURNED] != ZERO:
            return column * src[PERIOD] + row
        return row * src[PERIOD] + column

    return number


def edge_of_neighbors(on: Any, wide: type) -> Any:
    """Return the row and the neighbour of entry e; if the entry is not an edge, the row twice."""
    at, place, position = edges.distance(on, wide), place_of(on), position_of(on)
    has = has_bit(on)

    @on.device
    def load_edge(e, src, dst, low, n):
        row, column = place(src, n, e)
        v, kept = at(dst, position(src, row, column, STEP), low), src[KEPT]
        links = v != wide(src[MISSING]) and (kept == ZERO or has(src, kept, e))
        return wide(row), v if links else wide(row)

    return load_edge


def edge_in_order(turned: bool, on: Any, wide: type) -> Any:
    """Return the same as ``edge_of_neighbors`` in half of the time, if entry e is ``dst[e]``.

    ``src`` must have a FACTOR. ``turned`` is whether entries are numbered by columns.
    """
    at, has = edges.distance(on, wide), has_bit(on)

    @on.device
    def load_edge(e, src, dst, low, n):
        row, v, kept = e * src[FACTOR] >> src[SHIFT], at(dst, e, low), src[KEPT]
        if turned:
            row = e - row * src[PERIOD]
        links = v != wide(src[MISSING]) and (kept == ZERO or has(src, kept, e))
        return wide(row), v if links else wide(row)

    return load_edge


def prefetch_neighbor(on: Any, wide: type, edge_index: Any) -> Any:
    """Prefetch the parent of the neighbour in a later entry; parents of rows are read in order."""
    if on.prefetch is None:
        return no_prefetch(on)
    at, prefetch = edges.distance(on, wide), on.prefetch

    @on.device
    def prefetch_edge(i, src, dst, low, parent):
        e = edge_index(i + SOON)
        if e < np.uint64(dst.size):
            prefetch(parent, at(dst, e, low))

    return prefetch_edge


def is_listed(on: Any, wide: type, weighs: bool) -> Any:
    """Return whether vertex v is in a row; if ``weighs``, with a weight within ``limits``."""
    at, position, size = edges.distance(on, wide), position_of(on), row_size(on)

    @on.device
    def is_listed(src, dst, weights, limits, row, v):
        column, last = ZERO, size(src, row)
        while column < last:
            if at(dst, position(src, row, column, STEP), LOW) == v:
                if not weighs:
                    return True
                weight = weights[position(src, row, column, WEIGHT_STEP)]
                if limits[0] <= weight and weight <= limits[1]:
                    return True
            column += ONE
        return False

    return is_listed


def select(on: Any, wide: type, weighs: bool, mutual: bool) -> Any:
    """Count the entries that are not edges by reason, and write the bits of the edges.

    A thread owns whole bytes of the bits, ``octets``, which are empty if no bits are needed.
    ``wrong[0]`` is lowered to the first entry whose neighbour is not a point. ``limits`` are the
    least and the greatest weight of an edge, if ``weighs``. With ``mutual``, each endpoint of an
    edge must be in the row of the other endpoint.
    """
    block_add, block_min = on.block_reduce_add, on.block_reduce_min
    at, place, position = edges.distance(on, wide), place_of(on), position_of(on)
    listed, next_place = is_listed(on, wide, weighs), next_of(on)

    @on.grid_stride
    def select(b, last, step, m, n, src, dst, weights, limits, octets, counts, wrong):
        absent, loops, null, beyond, one_sided = ZERO, ZERO, ZERO, ZERO, ZERO
        first_wrong, missing = NONE, wide(src[MISSING])
        while b < last:
            octet, bit, e = np.uint8(0), np.uint8(1), b << THREE
            stop = min(e + EIGHT, np.uint64(m))
            row, column = place(src, n, e)
            while e < stop:
                # Check the neighbour, then the weight, then the row of the neighbour.
                v = at(dst, position(src, row, column, STEP), LOW)
                keeps = False
                if v == missing:
                    absent += ONE
                elif v >= wide(n):
                    first_wrong = min(first_wrong, e)
                elif v == wide(row):
                    loops += ONE
                else:
                    keeps = True
                if weighs and keeps:
                    weight = weights[position(src, row, column, WEIGHT_STEP)]
                    if weight != weight:
                        keeps = False
                        null += ONE
                    elif weight < limits[0] or weight > limits[1]:
                        keeps = False
                        beyond += ONE
                if mutual and keeps:
                    keeps = listed(src, dst, weights, limits, np.uint64(v), wide(row))
                    if not keeps:
                        one_sided += ONE
                if keeps:
                    octet |= bit
                bit = np.uint8(bit << np.uint8(1))
                row, column = next_place(src, n, row, column)
                e += ONE
            if octets.size > 0:
                octets[b] = octet
            b += step
        block_add(counts, ABSENT, absent)
        block_add(counts, LOOP, loops)
        block_add(counts, NULL_WEIGHT, null)
        block_add(counts, OUT_OF_BOUNDS, beyond)
        block_add(counts, ONE_SIDED, one_sided)
        block_min(wrong, ZERO, first_wrong)

    return select


def find_core(on: Any) -> Any:
    """Write the bits of points with at least ``least`` neighbours; a thread owns whole bytes."""
    has, size, number = has_bit(on), row_size(on), number_of(on)

    @on.grid_stride
    def find_core(b, last, step, n, least, src, octets):
        while b < last:
            octet, bit, v = np.uint8(0), np.uint8(1), b << THREE
            stop = min(v + EIGHT, np.uint64(n))
            while v < stop:
                column, columns, count = ZERO, size(src, v), ZERO
                while column < columns and count < np.uint64(least):
                    if has(src, src[KEPT], number(src, v, column)):
                        count += ONE
                    column += ONE
                if count >= np.uint64(least):
                    octet |= bit
                bit = np.uint8(bit << np.uint8(1))
                v += ONE
            octets[b] = octet
            b += step

    return find_core


def is_before(on: Any, nearest: bool) -> Any:
    """Return whether entry e, rather than entry ``other``, joins a border point to a cluster.

    Both are entries in rows of core points. If ``nearest``, the nearer core point takes precedence,
    or the lesser of two equally near core points. Otherwise, the core point of the cluster with the
    lesser root takes precedence. Trees of core points are flat.
    """
    place, position = place_of(on), position_of(on)

    @on.device
    def is_before(src, n, weights, parent, e, other):
        row, column = place(src, n, e)
        other_row, other_column = place(src, n, other)
        if not nearest:
            return parent[row] < parent[other_row]
        weight = weights[position(src, row, column, WEIGHT_STEP)]
        other_weight = weights[position(src, other_row, other_column, WEIGHT_STEP)]
        return weight < other_weight or (weight == other_weight and row < other_row)

    return is_before


def split_by_core(on: Any, wide: type) -> Any:
    """Clear the bits of entries that do not join two core points.

    Entries from a core point to another point get a bit in ``borders``. A thread owns whole bytes.
    ``joined[0]`` counts the entries between core points.
    """
    at, place, position = edges.distance(on, wide), place_of(on), position_of(on)
    has, add, next_place = has_bit(on), on.block_reduce_add, next_of(on)

    @on.grid_stride
    def split_by_core(b, last, step, m, n, src, dst, octets, borders, joined):
        between, core = ZERO, src[CORE]
        while b < last:
            octet, border, bit, e = octets[b], np.uint8(0), np.uint8(1), b << THREE
            stop = min(e + EIGHT, np.uint64(m))
            row, column = place(src, n, e)
            while e < stop:
                if octet & bit != 0:
                    v = at(dst, position(src, row, column, STEP), LOW)
                    from_core = has(src, core, row) and v < wide(n)
                    if from_core and has(src, core, np.uint64(v)):
                        between += ONE
                    else:
                        octet ^= bit  # clear the bit
                        if from_core:
                            border |= bit
                bit = np.uint8(bit << np.uint8(1))
                row, column = next_place(src, n, row, column)
                e += ONE
            octets[b], borders[b] = octet, border
            b += step
        add(joined, ZERO, between)

    return split_by_core


def choose_core(on: Any, wide: type, nearest: bool) -> Any:
    """Find the entry by which each border point joins a cluster.

    All bits of ``chosen`` are set initially, and stay set for noise. An entry is replaced only by
    an entry that takes precedence, so the loop ends.
    """
    at, place, position = edges.distance(on, wide), place_of(on), position_of(on)
    has, cas, precedes = has_bit(on), on.atomic_cas, is_before(on, nearest)

    @on.elementwise
    def choose_core(e, n, src, dst, weights, parent, chosen):
        if has(src, src[BORDER], e):
            row, column = place(src, n, e)
            v = at(dst, position(src, row, column, STEP), LOW)
            if v < wide(n):
                old, done = chosen[v], False
                while not done:
                    done = old != NONE and not precedes(src, n, weights, parent, e, old)
                    if not done:
                        current = cas(chosen, v, old, e)
                        done = current == old
                        old = current

    return choose_core


def join_border(on: Any) -> Any:
    """Make border points children of roots of core points, and mark noise as absent.

    ``octets`` are the bytes of the words of ``present``; a thread owns whole bytes. Core points are
    present, and their trees are flat. ``joined[1]`` counts the border points.
    """
    has, place, add = has_bit(on), place_of(on), on.block_reduce_add

    @on.grid_stride
    def join_border(b, last, step, n, src, chosen, parent, octets, joined):
        borders = ZERO
        while b < last:
            octet, bit, v = np.uint8(0), np.uint8(1), b << THREE
            stop = min(v + EIGHT, np.uint64(n))
            while v < stop:
                if has(src, src[CORE], v):
                    octet |= bit
                elif chosen[v] != NONE:
                    row, _ = place(src, n, chosen[v])
                    parent[v] = parent[row]
                    borders += ONE
                    octet |= bit
                bit = np.uint8(bit << np.uint8(1))
                v += ONE
            octets[b] = octet
            b += step
        add(joined, ONE, borders)

    return join_border


def least_core(on: Any, vertex: type) -> Any:
    """Compute the least core point ``lowest[r]`` of each root r of a flat forest."""
    has, low = has_bit(on), lessen(on)

    @on.elementwise
    def least_core(v, src, parent, lowest):
        if has(src, src[CORE], v):
            low(lowest, parent[v], vertex(v))

    return least_core


ANY_ORDER = edges.EdgeForm(edge_of_neighbors, edge_of_neighbors, no_prefetch)
_by_rows, _by_columns = partial(edge_in_order, False), partial(edge_in_order, True)
BY_ROWS = edges.EdgeForm(_by_rows, _by_rows, prefetch_neighbor)
BY_COLUMNS = edges.EdgeForm(_by_columns, _by_columns, prefetch_neighbor)
