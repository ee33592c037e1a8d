"""Label propagation: lower labels along all edges, round after round, until no label changes.

old, new : (n,) unsigned, labels before and in this round. Invariant: new[v] <= old[v] <= v, and
           labels only fall, so the rounds end. Finally, each label is the least vertex of the
           component.
now      : whether the current labels are read, instead of those before this round.
us, vs   : (k,) the endpoints of the remaining edges.
es       : (k,) the rows of the remaining edges, if a spanning forest is recorded.

The edges inside the giant component of a sample are left out, so the label of the giant component
must never change. A label does not change if it is the least of all labels. So vertices are
renamed: the giant component's root L becomes 0, and the vertices before L move up by one.

Hong et al. 2020, 3.4, A.3 and A.4; rules after Liu and Tarjan 2019. The papers differ in the
vertices that parent-connect updates. Here parent-connect updates the parents, as in Liu and Tarjan,
because root updates need parents.
"""

from typing import Any

from ...kernels.find import naive
from ...kernels.giant import giant_of
from ...kernels.sampling import renamed
from ...kernels.spec import Step, rounds_rule
from ..phases import changes

SHORTCUT_RULES = ("CUSA", "CRSA", "PUSA", "PRSA", "PUS", "PRS", "EUSA", "EUS")
RULES = (*SHORTCUT_RULES, *(rule.replace("S", "F") for rule in SHORTCUT_RULES))


def original(on: Any, vertex: type) -> Any:
    """Return the original vertex of a new name from :func:`cc_rapids.kernels.sampling.renamed`."""
    giant = giant_of(on, vertex)

    @on.device
    def vertex_of(x, root_word):
        if x > giant(root_word):
            return x
        return giant(root_word) if x == 0 else vertex(x - vertex(1))

    return vertex_of


def label_ends(on: Any) -> Any:
    """Return the endpoints of an edge, the larger first, for connect (C).

    ``alter`` has replaced the endpoints by their labels, so the labels ``old`` and ``new`` are not
    used.
    """

    @on.device
    def pair(u, v, old, new):
        return max(u, v), min(u, v)

    return pair


def labels_of(on: Any, now: bool = False) -> Any:
    """Return the labels of both endpoints, the larger first, for parent-connect (P)."""

    @on.device
    def pair(u, v, old, new):
        x, y = (new[u], new[v]) if now else (old[u], old[v])
        return max(x, y), min(x, y)

    return pair


def end_and_label(on: Any, now: bool = False) -> Any:
    """Return the endpoint of the larger label, and the smaller label, for extended connect (E)."""

    @on.device
    def pair(u, v, old, new):
        x, y = (new[u], new[v]) if now else (old[u], old[v])
        return (u, y) if x > y else (v, x)

    return pair


def connect(on: Any, pairs: list[Any], roots: bool) -> Any:
    """Lower the label of the first vertex of each pair to at most the second vertex of the pair.

    ``pairs`` are one or two functions that return a pair for an edge. With root updates (``roots``,
    R), only vertices that were roots before this round are updated.
    """
    low, first, second = on.atomic_min, pairs[0], pairs[-1]
    has_second = len(pairs) > 1

    @on.device
    def send(h, label, old, new):
        if label < new[h] and (not roots or old[h] == h):
            low(new, h, label)

    @on.elementwise
    def connect(i, us, vs, old, new):
        u, v = us[i], vs[i]
        h, label = first(u, v, old, new)
        send(h, label, old, new)
        if has_second:
            h, label = second(u, v, old, new)
            send(h, label, old, new)

    return connect


def hooked_by(on: Any, vertex: type, pair: Any) -> Any:
    """Record, for each root hooked in this round, one of the edges that sent its new label.

    ``pair`` is the function by which :func:`connect` sends labels.
    """
    vertex_of = original(on, vertex)

    @on.elementwise
    def hooked_by(i, us, vs, es, old, new, root_word, hook_edge):
        h, label = pair(us[i], vs[i], old, new)
        if h != label and old[h] == h and new[h] == label:  # a root, hooked to this label
            hook_edge[vertex_of(h, root_word)] = es[i]

    return hooked_by


def shortcut(on: Any) -> Any:
    """Point every vertex at its grandparent (S)."""

    @on.elementwise
    def shortcut(v, new):
        p = new[v]
        g = new[p]
        if g != p:
            new[v] = g

    return shortcut


def full_shortcut(on: Any) -> Any:
    """Point every vertex at its root (F)."""
    climb = naive(on)

    @on.elementwise
    def full_shortcut(v, new):
        p = new[v]
        r = climb(new, p)
        if r != p:
            new[v] = r

    return full_shortcut


def first_labels(on: Any, vertex: type) -> Any:
    """Write the labels of the first round: the roots of a sample, under their new names."""
    name = renamed(on, vertex)

    @on.elementwise
    def first_labels(v, root_word, parent, old, new):
        x = name(vertex(v), root_word)
        old[x] = new[x] = name(parent[v], root_word)

    return first_labels


def last_labels(on: Any, vertex: type) -> Any:
    """Write the final parents: the labels of the last round, as original vertices."""
    name, vertex_of = renamed(on, vertex), original(on, vertex)

    @on.elementwise
    def last_labels(v, root_word, new, parent):
        parent[v] = vertex_of(new[name(vertex(v), root_word)], root_word)

    return last_labels


def label_rounds(
    on: Any, vertex: type, pairs: list[Any], shorten: Any, rule: str, recorded_pair: Any
) -> Step:
    """Run rounds of connect, shortcut and alter over the remaining edges.

    ``shorten`` is the kernel of the shortcut, or None. ``rule`` contains R if only roots are
    updated, and A if edges are altered. ``recorded_pair`` is the pair function by which a spanning
    forest is recorded; None if the rule cannot record a spanning forest.
    """
    send = connect(on, pairs, "R" in rule)
    hook = hooked_by(on, vertex, recorded_pair) if recorded_pair else None
    begin, end = first_labels(on, vertex), last_labels(on, vertex)

    @on.elementwise
    def store_labels(v, old, new, changed):
        if old[v] != new[v]:
            old[v] = new[v]
            changed[0] = 1

    @on.elementwise
    def alter(i, us, vs, new):
        us[i], vs[i] = new[us[i]], new[vs[i]]

    def connect_rest(state: Any) -> None:
        backend, n, (parent, _, hook_edge) = state.backend, state.n, state.trees
        us, vs, es = state.remaining
        old, new = backend.empty(n, vertex), backend.empty(n, vertex)
        begin(n, state.giant.root_word, parent, old, new)
        if "A" in rule:  # endpoints become the roots of their trees in the sample
            alter(us.size, us, vs, new)
        while True:
            send(us.size, us, vs, old, new)
            if state.record_forest and hook:
                hook(us.size, us, vs, es, old, new, state.giant.root_word, hook_edge)
            if shorten:
                shorten(n, new)
            if not changes(state, store_labels, n, old, new):
                break
            if "A" in rule:
                alter(us.size, us, vs, new)
        end(n, state.giant.root_word, new, parent)

    return connect_rest


NEEDS = "a copy of the edges, 8 bytes each, and 8 bytes per vertex for labels"


@rounds_rule(
    "liu-tarjan",
    options={"": RULES},
    variants=tuple(f"liu-tarjan({rule})" for rule in RULES),
    needs=NEEDS,
    hooks_roots_only=False,
    rooted_rules=tuple(rule for rule in RULES if "R" in rule),
    paper="Liu and Tarjan 2019; Hong et al. 2020, A.4",
)
def liu_tarjan(on: Any, vertex: type, rule: str) -> Step:
    """Connect (C, P or E), update (U or R), shortcut (S or F), and optionally alter (A)."""
    pair_makers: dict[str, list[Any]]
    pair_makers = {"C": [label_ends], "P": [labels_of], "E": [labels_of, end_and_label]}
    pairs = [make(on) for make in pair_makers[rule[0]]]
    shorten = full_shortcut(on) if "F" in rule else shortcut(on)
    return label_rounds(
        on, vertex, pairs, shorten, rule, recorded_pair=pairs[0] if "R" in rule else None
    )


@rounds_rule(
    "shiloach-vishkin",
    requires=("record_forest",),
    needs=NEEDS,
    paper="Hong et al. 2020, Algorithm 15",
)
def shiloach_vishkin(on: Any, vertex: type, record_forest: bool) -> Step:
    """Hook each root to the least label that it receives, shortcut to stars, and repeat.

    Only vertices that were roots at the start of a round are hooked. A round reads the current
    labels, which saves rounds. If a spanning forest is recorded, a round reads the labels before
    the round, so that the edge of each hook is known.
    """
    pair = labels_of(on, now=not record_forest)
    return label_rounds(on, vertex, [pair], full_shortcut(on), rule="R", recorded_pair=pair)


@rounds_rule(
    "stergiou",
    needs=NEEDS,
    hooks_roots_only=False,
    paper="Stergiou et al. 2018; Hong et al. 2020, 3.4",
)
def stergiou(on: Any, vertex: type) -> Step:
    """Propagate the labels of the previous round along all edges, and shortcut."""
    return label_rounds(on, vertex, [end_and_label(on)], shortcut(on), rule="", recorded_pair=None)


@rounds_rule(
    "label-propagation",
    needs=NEEDS,
    hooks_roots_only=False,
    paper="Shun and Blelloch 2013; Hong et al. 2020, 3.4",
)
def label_propagation(on: Any, vertex: type) -> Step:
    """Lower the larger label of each edge to the smaller label, until no label changes."""
    return label_rounds(
        on, vertex, [end_and_label(on, now=True)], shorten=None, rule="", recorded_pair=None
    )
