"""The audit of forests by weight: no edge outside is lighter than the heaviest on its path.

The components are proved by :mod:`cc_rapids.verify.audit`, which reads the edges. Here the rows of
the forest are shown to have no cycle, and the path of every other edge along them is looked up in a
tree of log2 n levels. Nothing of what finds forests is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends import Array, Backend
from ..data.arguments import check_word
from ..data.edge_input import EdgeInput
from ..data.weights import ForestWeight
from ..errors import InputError, VerificationError, counted
from ..kernels import audit_forest as kernels
from ..kernels.audit import kernel
from .vertex_lookup import ALL, vertex_for

if TYPE_CHECKING:
    from .answer import Answer
    from .audit import Rows


@dataclass(frozen=True)
class ForestClaim:
    """The rows of a spanning forest, and their weights, that are to be proved.

    Attributes
    ----------
    row : (k,) array of integers
        The caller's rows.
    weight : (k,) array of numbers
        The weights that they are said to have.
    asked : ForestWeight
        The weights of all edges, and which forest it is said to be.
    """

    row: Any
    weight: Any
    asked: ForestWeight

    @classmethod
    def check(
        cls, forest: Any, claimed: dict[str, Any] | None, weight: Any, unbounded: bool
    ) -> ForestClaim:
        """Return the claim of an answer's columns, for the argument ``forest`` of an audit.

        Raises
        ------
        InputError
            The answer has no forest by weight, the argument is none of these, or it is combined
            with bounds of weights.
        """
        check_word("forest", forest, ("min", "max"))
        if claimed is None or "weight" not in claimed:
            raise InputError(
                f"forest={forest!r} is proved of an answer that was found with weight= and"
                " forest='min' or forest='max': find it so, or leave forest= out"
            )
        if weight is None or not unbounded:
            raise InputError(
                f"forest={forest!r} is a spanning forest by weight: pass weight= without at_least="
                " and at_most="
            )
        return cls(claimed["row"], claimed["weight"], ForestWeight(weight, forest == "max"))

    def prove(self, given: EdgeInput, rows: Rows, answer: Answer) -> None:
        """Raise a VerificationError unless the rows are the forest: see :func:`prove`."""
        prove(self, given, rows, answer.ids.n, answer.backend)

    def check_count(self, vertices: int, components: int) -> None:
        """Raise a VerificationError unless a forest of so many edges spans the components."""
        if len(self.row) != vertices - components:
            raise VerificationError(
                f"the forest has {len(self.row):,} edges, but {vertices:,} vertices in"
                f" {components:,} components need {vertices - components:,}"
            )


def prove(claim: ForestClaim, given: EdgeInput, rows: Rows, n: int, backend: Backend) -> None:
    """Raise a VerificationError unless rows are the spanning forest of their graph by weight.

    Parameters
    ----------
    claim : ForestClaim
        What is to be proved.
    given : EdgeInput
        The edges, with their weights.
    rows : Rows
        The same edges as kernels read them; both ends of each are slots below ``n``.
    n : int
        The number of slots.
    backend : Backend
        Of the answer.
    """
    kept = None if given.row_index is None else backend.asarray(given.row_index())
    weights = backend.asarray(given.weights)
    listed = backend.asarray(claim.row).astype(np.int64)
    chosen = places_of(listed, kept, rows.m, "forest", backend.xp)
    _check_weights(claim, weights, chosen, backend)
    keys = weights[chosen]
    if claim.asked.greatest:  # a stable sort of the rows backwards, read backwards
        order = keys.size - 1 - backend.xp.argsort(keys[::-1], kind="stable")[::-1]
    else:
        order = backend.xp.argsort(keys, kind="stable")
    ordered = chosen[order]
    node = vertex_for(2 * n + 1)
    kinds = backend, node, rows.wide, rows.load_edge(backend)
    ends_of = kernel(kernels.ends_of_rows, *kinds)
    edges = rows.first, rows.second, rows.low, n
    us, vs = (backend.empty(ordered.size, node) for _ in range(2))
    ends_of(ordered.size, ordered, *edges, us, vs)
    up, taken = _levels(us, vs, n, node, backend)
    before = kernel(kernels.is_heavier if claim.asked.greatest else kernels.is_lighter, backend)
    first = backend.fill(backend.alloc_readback(2), 0xFF)
    find = kernel(kernels.find_lighter, *kinds, before)
    compared = weights if weights.dtype != np.float16 else weights.astype(np.float32)
    find(rows.m, *edges, compared, up, taken, ordered, first)
    lighter, apart = map(int, backend.to_host(first)[:2])

    def told(e: int) -> str:
        return f"edge {e if kept is None else int(kept[e]):,}"

    if apart != ALL:
        raise VerificationError(f"{told(apart)} joins two trees of the forest")
    if lighter != ALL:
        one = backend.asarray(np.array([lighter]))
        ends = backend.empty(1, node), backend.empty(1, node)
        ends_of(1, one, *edges, *ends)
        last = int(ordered[_last(int(ends[0][0]), int(ends[1][0]), up, taken) - 1])
        raise VerificationError(
            f"{told(lighter)} of weight {weights[lighter]} is not in the forest, but joins the ends"
            f" of {told(last)} of weight {weights[last]}, which is"
        )


def check_acyclic(src: Array, dst: Array, n: int, backend: Backend) -> None:
    """Raise a VerificationError if edges between slots below n have a cycle."""
    node = vertex_for(2 * n + 1)
    _levels(src.astype(node), dst.astype(node), n, node, backend)


def places_of(row: Array, kept: Array | None, m: int, what: str, xp: Any) -> Array:
    """Return the places of rows of ``what`` among the edges kept; raise unless they ascend."""
    if row.size and not bool((row[1:] > row[:-1]).all()):
        k = int((row[1:] <= row[:-1]).argmax())
        raise VerificationError(
            f"row {int(row[k + 1]):,} of the {what} comes after {int(row[k]):,}"
        )
    found = row if kept is None else xp.searchsorted(kept, row)
    outside = (found < 0) | (found >= m)
    if kept is not None and m:
        outside |= kept[found.clip(0, m - 1)] != row
    if bool(outside.any()):
        strange = int(row[outside.argmax()])
        raise VerificationError(f"row {strange:,} of the {what} is none of the {m:,} edges")
    return found


def _check_weights(claim: ForestClaim, weights: Array, chosen: Array, backend: Backend) -> None:
    """Raise a VerificationError unless the weights of the forest are those of its rows."""
    own = backend.asarray(claim.weight)
    wrong = own != weights[chosen]
    if bool(wrong.any()):
        k = int(wrong.argmax())
        raise VerificationError(
            f"edge {int(claim.row[k]):,} has the weight {weights[chosen[k]]}, and {own[k]} in the"
            " forest"
        )


def _levels(us: Array, vs: Array, n: int, node: Any, backend: Backend) -> tuple[Array, Array]:
    """Return the parents of all nodes of all rounds, and what each took; the slots are first.

    Raises
    ------
    VerificationError
        The edges have a cycle: they join fewer trees than there are of them.
    """
    xp, edges = backend.xp, us.size
    take = kernel(kernels.take_first, backend)
    follow = kernel(kernels.follow_first, backend, node)
    ranks = xp.arange(edges, dtype=node)
    parents, numbers, base, size, joined = [], [], 0, n, 0
    while True:
        keep = us != vs
        us, vs, ranks = us[keep], vs[keep], ranks[keep]
        best = backend.fill(backend.empty(size, np.uint64), 0xFF)
        take(us.size, us, vs, best)
        up, taken = backend.empty(size, node), backend.empty(size, node)
        follow(size, us, vs, ranks, best, up, taken)
        numbers.append(taken)
        own = xp.arange(size, dtype=node)
        if not us.size:
            parents.append(own + node(base))
            break
        while not bool(((further := up[up]) == up).all()):
            up = further
        moved, is_root = taken != 0, up == own
        roots = is_root & moved
        number = (xp.cumsum(roots) - 1).astype(node)
        up = number[up]
        us, vs = up[us], up[vs]
        parents.append(xp.where(moved, up + node(base + size), own + node(base)))
        base, following = base + size, int(roots.sum())
        joined += int(moved.sum()) - following
        size = following
    if joined != edges:
        raise VerificationError(
            f"the {counted(edges, 'edge')} of the forest close {counted(edges - joined, 'cycle')}"
        )
    return xp.concatenate(parents), xp.concatenate(numbers)


def _last(u: int, v: int, up: Array, taken: Array) -> int:
    """Return one more than the number of the last edge between two vertices along the forest."""
    last = 0
    while u != v:
        last = max(last, int(taken[u]), int(taken[v]))
        u, v = int(up[u]), int(up[v])
    return last
