"""The audit of spanning forests.

:mod:`cc_rapids.verify.audit` proves the components and reads the edges. This module compares every
column of the frame of a forest with the edge list, and proves that the rows have no cycle. A
forest is a minimum spanning forest if each other edge is at least as heavy as all edges on the
forest path between its ends. The audit finds the heaviest edge of a path in a tree of at most log2
n levels. It shares no code with the solvers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..data.frame_access import is_frame
from ..data.weights import ForestWeight
from ..errors import InputError, VerificationError, counted, shown
from ..kernels import audit_forest as kernels
from ..kernels.audit import kernel
from .shown_rows import ShownRows, check_ascending, edge_in_words, places_of
from .vertex_lookup import ALL, slot_type

if TYPE_CHECKING:
    from .label_frame import LabelFrame
    from .rows import Rows


@dataclass(frozen=True)
class ForestClaim:
    """The frame of a spanning forest to verify.

    ``forest_weight`` has the weights of all edges and tells whether the forest is a maximum one; it
    is None if the forest is not by weight.
    """

    shown: ShownRows
    forest_weight: ForestWeight | None

    @classmethod
    def check(
        cls, forest: Any, answer_forest: AnswerForest, weight: Any, width: int
    ) -> ForestClaim:
        """Return the claim for the argument ``forest`` of an audit.

        ``forest`` is a frame, or the word True, ``"min"`` or ``"max"`` for the forest of the
        answer. A frame and True are by weight if the forest of the answer is. ``weight`` has the
        weights of all edges, and an id has ``width`` columns.
        """
        is_word = isinstance(forest, str | bool)
        is_mapping = isinstance(forest, dict) or hasattr(forest, "_asdict")
        is_known = forest in (True, "min", "max") if is_word else is_mapping or is_frame(forest)
        if not is_known:
            raise InputError(
                f"forest={shown(forest)} cannot be proved: pass True, 'min' or 'max', or the frame"
                " of forest()"
            )
        frame = forest
        if is_word:
            by_weight = forest is not True
            if answer_forest.show is None or (by_weight and answer_forest.greatest is None):
                how = "weight= and forest='min' or forest='max'" if by_weight else "forest=True"
                raise InputError(
                    f"forest={forest!r} needs an answer that was found with {how}: find it again"
                    " with this option, or leave out forest="
                )
            frame = answer_forest.show()
        rows = ShownRows(frame, "forest", width)
        greatest = forest == "max" if isinstance(forest, str) else answer_forest.greatest
        if greatest is None:
            if "weight" in rows.names:
                raise InputError(
                    "the frame has weights, but this answer has no forest by weight: audit the"
                    " answer of components(..., weight=..., forest='min') or forest='max'"
                )
            return cls(rows, None)
        if weight is None:
            word = repr(forest) if is_word else "..."
            raise InputError(f"forest={word} is a spanning forest by weight: pass weight= as well")
        return cls(rows, ForestWeight(weight, greatest))

    def prove(self, given: EdgeInput, rows: Rows, answer: LabelFrame) -> None:
        """Raise a VerificationError if the frame shows wrong edges, a cycle, or a wrong weight.

        A forest by weight must also have the least, or the greatest, possible weight.
        :meth:`check_count` checks that the forest spans the components.

        Parameters
        ----------
        given : EdgeInput
            The edges, with weights if the forest is by weight.
        rows : Rows
            The same edges as kernels read them. Both ends of each edge are vertices of the answer.
        answer : LabelFrame
            The vertices.
        """
        n, backend = answer.ids.n, answer.backend
        caller_rows = None if given.row_index is None else backend.asarray(given.row_index())
        # the caller's rows of the forest, and their positions: both differ if rows were left out
        listed = backend.asarray(self.shown.rows())
        check_ascending(listed, "forest")
        chosen = places_of(listed, caller_rows, rows.m, "forest", backend.xp)
        node = slot_type(2 * n + 1)  # the tree of Boruvka's rounds has fewer than 2 n nodes
        kernel_parts = backend, node, rows.wide, rows.load_edge(backend)
        ends_of = kernel(kernels.ends_of_rows, *kernel_parts)
        edges = rows.first, rows.second, rows.low, n
        us, vs = (backend.empty(chosen.size, node) for _ in range(2))
        ends_of(chosen.size, chosen, *edges, us, vs)
        self.shown.check_ends(answer, listed, [us, vs])
        if self.forest_weight is None:
            boruvka_tree(us, vs, n, node, backend)  # raises an error for a cycle
            return
        weights = backend.asarray(given.weights)
        forest_weights = weights[chosen]
        self.shown.check_weights(listed, forest_weights, backend.asarray)
        greatest = self.forest_weight.greatest
        order = stable_order(forest_weights, greatest, backend.xp)
        ordered = chosen[order]  # the best weight first
        parents, numbers = boruvka_tree(us[order], vs[order], n, node, backend)
        precedes = kernel(kernels.is_heavier if greatest else kernels.is_lighter, backend)
        faults = backend.fill(backend.alloc_readback(2), 0xFF)
        find = kernel(kernels.find_better, *kernel_parts, precedes)
        # kernels do not read float16
        compared = weights if weights.dtype != np.float16 else weights.astype(np.float32)
        find(rows.m, *edges, compared, parents, numbers, ordered, faults)
        better, separate = map(int, backend.to_host(faults)[:2])
        if separate != ALL:
            raise VerificationError(
                f"{edge_in_words(separate, caller_rows)} joins two trees of the forest"
            )
        if better != ALL:
            edge = backend.asarray(np.array([better]))
            ends = backend.empty(1, node), backend.empty(1, node)
            ends_of(1, edge, *edges, *ends)
            u, v = int(ends[0][0]), int(ends[1][0])
            last = int(ordered[_last_on_path(u, v, parents, numbers)])
            raise VerificationError(
                f"{edge_in_words(better, caller_rows)} of weight {weights[better]} is not in the"
                f" forest, but should replace {edge_in_words(last, caller_rows)} of weight"
                f" {weights[last]}, which is on the forest path between its ends"
            )

    def check_count(self, vertices: int, components: int) -> None:
        """Raise a VerificationError unless the forest has ``vertices - components`` edges."""
        if len(self.shown) != vertices - components:
            raise VerificationError(
                f"the forest has {counted(len(self.shown), 'edge')}, but"
                f" {counted(vertices, 'vertex', 'vertices')} in"
                f" {counted(components, 'component')} need {vertices - components:,}"
            )


class AnswerForest(NamedTuple):
    """The spanning forest of an answer.

    ``show`` returns the frame that callers see; it is None without a forest. ``greatest`` is
    whether the forest has the greatest or the least weight; None if the forest is not by weight.
    """

    show: Callable[[], Any] | None = None
    greatest: bool | None = None


NO_FOREST = AnswerForest()


def stable_order(keys: Array, descending: bool, xp: Any) -> Array:
    """Return the rows in ascending or descending order of their keys; the lower row wins ties."""
    if not descending:
        return xp.argsort(keys, kind="stable")
    # reversed twice, because one reversal would put ties into descending order
    return keys.size - 1 - xp.argsort(keys[::-1], kind="stable")[::-1]


def boruvka_tree(us: Array, vs: Array, n: int, node: Any, backend: Backend) -> tuple[Array, Array]:
    """Return the tree in which Boruvka's algorithm contracts a forest.

    A node is a set of connected slots, at first one slot. In each round, every node with edges to
    other nodes chooses the first of these edges. Nodes that chosen edges connect get a common
    parent. ``us`` and ``vs`` have the slots of both ends of each edge, in the order in which edges
    are preferred. ``node`` is the unsigned type of nodes. Raise a VerificationError if the edges
    have a cycle.

    Returns
    -------
    parents : (nodes,) array of integers
        The parent of each node, or the node itself if it has no parent. Nodes 0 .. n - 1 are the
        slots.
    numbers : (nodes,) array of integers
        One plus the index in ``us`` of the edge that each node chose; 0 if the node chose none.
    """
    xp, edges = backend.xp, us.size
    take = kernel(kernels.take_first, backend)
    follow = kernel(kernels.follow_first, backend, node)
    ranks = xp.arange(edges, dtype=node)
    parents, numbers = [], []
    base, size = 0, n  # the first node of a round, and how many nodes the round has
    joined = 0  # the number of edges that joined two nodes
    while True:  # within a round, us, vs and up count nodes from base
        keep = us != vs  # drop edges inside a node
        us, vs, ranks = us[keep], vs[keep], ranks[keep]
        best = backend.fill(backend.empty(size, np.uint64), 0xFF)
        take(us.size, us, vs, best)
        up, chosen = backend.empty(size, node), backend.empty(size, node)
        follow(size, us, vs, ranks, best, up, chosen)
        numbers.append(chosen)
        nodes = xp.arange(size, dtype=node)
        if not us.size:
            parents.append(nodes + node(base))
            break
        while not bool(((further := up[up]) == up).all()):
            up = further
        has_chosen = chosen != 0
        is_root = (up == nodes) & has_chosen
        next_node = (xp.cumsum(is_root) - 1).astype(node)  # for each root
        up = next_node[up]
        us, vs = up[us], up[vs]
        parents.append(xp.where(has_chosen, up + node(base + size), nodes + node(base)))
        root_count = int(is_root.sum())
        joined += int(has_chosen.sum()) - root_count
        base, size = base + size, root_count
    if joined != edges:
        raise VerificationError(
            f"the {counted(edges, 'edge')} of the forest close {counted(edges - joined, 'cycle')}"
        )
    return xp.concatenate(parents), xp.concatenate(numbers)


def _last_on_path(u: int, v: int, parents: Array, numbers: Array) -> int:
    """Return the index in ``us`` of the last edge on the forest path between two slots.

    ``parents`` and ``numbers`` are the results of :func:`boruvka_tree`. Of the edges that nodes
    below the common ancestor chose, the last one is also the last on the path (King 1997).
    """
    last_number = 0
    while u != v:  # both slots have the same depth
        last_number = max(last_number, int(numbers[u]), int(numbers[v]))
        u, v = int(parents[u]), int(parents[v])
    return last_number - 1
