"""Contour: lower the labels on the paths up from both endpoints of an edge to their least label.

labels : (n,) unsigned, L in the paper, shared by all threads. Invariant: labels[v] <= v, and
         labels[v] is in the component of v.
old    : (n,) unsigned, the labels at the start of a round, for synchronous updates.
read   : returns the endpoints of an edge, or two equal vertices for an invalid edge.

The minimum-mapping operator of order h climbs h labels from both endpoints, u, L[u], L[L[u]], ...
The smaller of the two labels at which the climbs end is z. Each label larger than z on the two
paths is replaced by z.

Du, Alvarado Rodriguez, Li, Dindoost and Bader, HiPC 2023.
"""

from itertools import chain, cycle
from typing import Any

from ...kernels.primitives import lessen
from ...kernels.spec import Step, standalone_algorithm
from ..phases import changes

ORDER_M = 1024  # the order m of the paper
Orders = tuple[int, ...]
# by variant: the orders of the first rounds, and the orders of later rounds, which repeat
ORDERS: dict[str, tuple[Orders, Orders]] = {
    "2": ((), (2,)),
    "1": ((), (1,)),
    "m": ((), (ORDER_M,)),
    "11mm": ((1, 1), (ORDER_M,)),
    "1m1m": ((), (1, ORDER_M)),
    "syn": ((), (2,)),
}


def minimum_mapping(on: Any, read: Any, synchronous: bool) -> Any:
    """Apply the minimum-mapping operator to an edge.

    Allowed race, if updates are asynchronous: stores are plain, so a store may replace a smaller
    label. A stored label is smaller than the label read, even if the read was stale. So a round
    raises no label above its value at the start of the round, and a round with a store lowers a
    label.
    """
    lower = lessen(on)

    @on.device
    def climb(seen, v, order):
        for _ in range(order):
            p = seen[v]
            if p == v:
                return v
            v = p
        return v

    @on.device
    def assign(seen, labels, v, z, order, changed):
        for _ in range(order):
            p = seen[v]
            if p <= z:
                return
            if synchronous:
                lower(labels, v, z)
            else:
                labels[v] = z
            changed[0] = 1
            v = p

    @on.elementwise
    def minimum_mapping(e, src, dst, low, n, present, out_of_range, order, old, labels, changed):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            seen = old if synchronous else labels
            z = min(climb(seen, u, order), climb(seen, v, order))
            assign(seen, labels, u, z, order, changed)
            assign(seen, labels, v, z, order, changed)

    return minimum_mapping


@standalone_algorithm(
    "contour",
    options={"orders": tuple(ORDERS)},
    requires=("read",),
    label_arrays=(1, 0),
    paper="Contour, Du et al. 2023",
)
def contour(on: Any, vertex: type, read: Any, orders: str) -> Step:
    """Map the labels on both paths up from an edge to their least label, until no label changes.

    ``orders`` is the paper's variant, C-2 by default: the orders of the rounds, where m is 1,024.
    ``syn`` has the order two; it reads the labels of the previous round and stores atomic minima.

    Each round except the last lowers a label and raises no label, so the rounds end. If a round
    stores nothing, both endpoints of every edge have the label z, so a component has one label, the
    least of its vertices.
    """
    synchronous = orders == "syn"
    mapping, (first, repeated) = minimum_mapping(on, read, synchronous), ORDERS[orders]

    def connect_rest(state: Any) -> None:
        backend, n, labels = state.backend, state.n, state.trees.parent
        old = backend.empty(n, vertex) if synchronous else backend.unused(vertex)
        round_orders = chain(first, cycle(repeated))
        moving = True
        while moving:
            if synchronous:
                old[:] = labels
            edges = state.m, *state.edges, n, *state.flags
            moving = changes(state, mapping, *edges, next(round_orders), old, labels)

    return connect_rest
