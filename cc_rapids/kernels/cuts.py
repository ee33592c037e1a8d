"""Assign edges to threshold cuts, and record the trees of each cut.

A cut contains the edges that a threshold admits. Cuts are numbered from the strictest, with the
fewest edges, to the loosest.

levels : (t,) numbers of one type, the thresholds of cut ``first`` and all later cuts; earlier cuts
         contain no edge.
parent : (n,) unsigned, the trees of the latest cut.
cut    : (n,) unsigned, the cut in which a vertex was hooked; all bits set for a root.
above  : (n,) unsigned, the root of a hooked vertex at the end of that cut.

A vertex is hooked once, so its ``cut`` and ``above`` are written once. The vertex ``above`` was a
root when the cut ended and can be hooked only in a later cut, so each step of a climb advances by
at least one cut.
"""

from typing import Any

import numpy as np

from .primitives import none_of

ONE = np.uint64(1)
MAX_COUNTED = np.uint64(16)  # up to this number, thresholds are tested without bisection


def at_least(on: Any) -> Any:
    """Return whether a weight is at least a threshold."""

    @on.device
    def admits(weight, level):
        return weight >= level

    return admits


def at_most(on: Any) -> Any:
    """Return whether a weight is at most a threshold."""

    @on.device
    def admits(weight, level):
        return weight <= level

    return admits


def number_cuts(on: Any, kind: type, admits: Any) -> Any:
    """Write the number of the strictest cut that contains each edge, to ``out``.

    Weights are converted to ``kind``, the type of the thresholds. An edge that no cut contains gets
    the number of cuts. A looser cut contains all edges of a stricter cut, so the result is
    ``first`` plus the number of thresholds that reject the weight. Bisection halves the range of
    undecided thresholds until at most MAX_COUNTED are left, which are then tested one by one. The
    number of steps does not depend on the weight, so threads do not diverge.
    """

    @on.elementwise
    def number_cuts(i, weights, levels, first, out):
        weight, begin, undecided = kind(weights[i]), np.uint64(0), np.uint64(levels.size)
        while undecided > MAX_COUNTED:
            half = (undecided + ONE) >> ONE
            begin += half * np.uint64(not admits(weight, levels[begin + half - ONE]))
            undecided -= half
        number, end = np.uint64(first) + begin, begin + undecided
        while begin < end:
            number += np.uint64(not admits(weight, levels[begin]))
            begin += ONE
        out[i] = number

    def number_cuts_by_numpy(m, weights, levels, first, out):
        values = weights[:m].astype(kind)
        if admits.function(1, 0):  # the rule is ``at_least``, so the levels decrease
            rejected = levels.size - np.searchsorted(levels[::-1], values, "right")
        else:
            rejected = np.searchsorted(levels, values)
        is_nan = values != values
        out[:m] = first + np.where(is_nan, levels.size, rejected)  # NaN is in no cut

    number_cuts.by_numpy = number_cuts_by_numpy
    return number_cuts


def note_hooks(on: Any, vertex: type, number: type, find: Any) -> Any:
    """Record the root and the cut of each vertex that was hooked in the cut ``now``.

    Nothing is linked during the launch. Each vertex is written by its own thread. Allowed race: a
    climb through the vertex sees the old parent or the root, and both lead to the root.
    """
    never = none_of(number)

    @on.elementwise
    def note_hooks(v, parent, cut, above, now):
        if cut[v] == never and parent[v] != v:
            r = find(parent, vertex(v))
            parent[v], above[v], cut[v] = r, r, number(now)

    def note_hooks_by_numpy(n, parent, cut, above, now):
        hooked = np.flatnonzero((cut == never) & (parent != np.arange(n, dtype=parent.dtype)))
        roots = parent[hooked]
        while (parent[roots] != roots).any():
            roots = parent[roots]
        parent[hooked], above[hooked], cut[hooked] = roots, roots, now

    note_hooks.by_numpy = note_hooks_by_numpy
    return note_hooks


def roots_at(on: Any, vertex: type) -> Any:
    """Write the root of each vertex at the cut ``now`` to ``parent``.

    A climb follows ``above`` and stops at a vertex hooked after ``now``, or at a root, whose cut is
    all bits set. There are at most as many steps as cuts.
    """

    @on.elementwise
    def roots_at(v, cut, above, now, parent):
        r = vertex(v)
        while np.int64(cut[r]) <= now:
            r = above[r]
        parent[v] = r

    def roots_at_by_numpy(n, cut, above, now, parent):
        parent[:n] = np.arange(n, dtype=parent.dtype)
        while (hooked := cut[parent] <= now).any():
            parent[hooked] = above[parent[hooked]]

    roots_at.by_numpy = roots_at_by_numpy
    return roots_at
