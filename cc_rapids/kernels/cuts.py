"""Edges by the strictest cut that contains them, and trees that grow from cut to cut.

Cuts are numbered from the strictest one, with the fewest edges, to the loosest.

levels : (t,) numbers of one type, the thresholds of the cuts from ``first`` on; no edge is in the
         cuts before.
parent : (n,) unsigned, the trees of the cut that was linked last.
cut    : (n,) unsigned, the cut at which a vertex was hooked, or all bits set for one that is a root
         still.
above  : (n,) unsigned, the root of its tree at the end of that cut, for a vertex that was hooked.

A vertex is hooked once, so both are written once for each. What lies above a vertex was a root when
its cut ended, and is hooked at a later one, if ever: climbs go up one cut at least with each step.
"""

from typing import Any

import numpy as np

from .primitives import none_of

ONE = np.uint64(1)
FEW = np.uint64(16)  # thresholds that are counted: of ten a tenth of the time of bisection


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
    """Write the strictest cut that contains each edge, one beyond the last if none does.

    What a cut admits, all looser ones admit: so it is the number of those that do not, of the
    ``left`` thresholds from ``low`` on. Half of them are dropped with each step, whatever the
    weight, and the last ones are counted, so it ends, and no branch depends on a weight. Each row
    is read and written by its own thread.
    """

    @on.elementwise
    def number_cuts(i, weights, levels, first, out):
        weight, low, left = kind(weights[i]), np.uint64(0), np.uint64(levels.size)
        while left > FEW:
            half = (left + ONE) >> ONE
            low += half * np.uint64(not admits(weight, levels[low + half - ONE]))
            left -= half
        place, last = np.uint64(first) + low, low + left
        while low < last:
            place += np.uint64(not admits(weight, levels[low]))
            low += ONE
        out[i] = place

    return number_cuts


def note_hooks(on: Any, vertex: type, number: type, find: Any) -> Any:
    """Note the root and the cut of each vertex that was a root and is none any more.

    Nothing is linked meanwhile. A vertex is written by its own thread; a climb of another one that
    passes it sees its old parent or its root; both lead to the root.
    """
    never = none_of(number)

    @on.elementwise
    def note_hooks(v, parent, cut, above, now):
        if cut[v] == never and parent[v] != v:
            r = find(parent, vertex(v))
            parent[v], above[v], cut[v] = r, r, number(now)

    return note_hooks


def roots_at(on: Any, vertex: type) -> Any:
    """Write the root of each vertex at a cut, in a forest of its own; nothing else is written.

    A step up leads to a vertex that is hooked at a later cut, so a climb ends after as many steps
    as there are cuts.
    """

    @on.elementwise
    def roots_at(v, cut, above, now, parent):
        r = vertex(v)
        while np.int64(cut[r]) <= now:
            r = above[r]
        parent[v] = r

    return roots_at
