"""Membership, connectivity of pairs, edges of a component, and equality of answers."""

from __future__ import annotations

from typing import Any

from ..backends import Backend
from ..data.arguments import check_word
from ..data.column import Column
from ..data.edge_input import EdgeInput
from ..data.frame_access import is_single
from ..data.frame_build import column_like
from ..data.read import check_one_id, read_pairs
from ..data.text_options import TextOptions
from ..data.within import edges_where, read_for_answer
from ..errors import ArgumentTypeError, InputError, id_shown, shown
from ..graph.edges import BorrowedEdges
from ..ids.decoders import same_integers
from ..ids.strings import same_strings
from ..results.answer import Answer
from ..results.lookup import (
    roots_of_borrowed,
    roots_of_ids,
    rows_of_borrowed,
    rows_of_ids,
    single_id,
)


def has_vertex(answer: Answer, vertex: Any) -> bool:
    """Return whether an id is a vertex of an answer."""
    if not is_single(vertex):
        if hasattr(vertex, "__len__") and not isinstance(vertex, bytes | tuple):
            raise ArgumentTypeError(
                f"`in` looks up one vertex, not {shown(vertex)}: pass several vertices to"
                " attach(frame, missing='null'), or to component_of()"
            )
        return False
    try:
        with answer.backend.scope():
            return bool(rows_of_ids(answer, single_id(vertex), "null")[1][0])
    except InputError:  # an id of another kind, or beyond 64 bits
        return False


def same_component(answer: Answer, first: Any, second: Any, *, missing: str) -> bool:
    """Return whether two vertices are in one component."""
    policy = _policy(missing)
    with answer.backend.scope():
        ends = []
        for name, vertex in (("first", first), ("second", second)):
            check_one_id(name, vertex)
            ends.append(roots_of_ids(answer, single_id(vertex, name), policy))
        (left, left_valid), (right, right_valid) = ends
        return bool((left_valid & right_valid & (left == right))[0])


def rows_of_joined(answer: Answer, first: Any, second: Any, plural: str) -> list[int]:
    """Return the rows of two vertices of one component; call it within the backend's scope.

    An error calls different components ``plural``, such as "entities".
    """
    ends = []
    for name, vertex in (("first", first), ("second", second)):
        check_one_id(name, vertex, "paths()")
        rows, _ = rows_of_ids(answer, single_id(vertex, name), "raise")
        ends.append(int(rows[0]))
    if bool(answer.dense[ends[0]] != answer.dense[ends[1]]):
        raise InputError(
            f"{id_shown(first)} and {id_shown(second)} are in two {plural}: use"
            " same_component(first, second) to test pairs"
        )
    return ends


def connected(
    answer: Answer, pairs: Any, source: Any, destination: Any, *, missing: str, **text: Any
) -> Any:
    """Return whether the two vertices of each pair are in one component."""
    policy, id_width = _policy(missing), len(answer.given.src.key_columns) or 1
    options = TextOptions.of(text)
    given = read_pairs(pairs, source, destination, options, id_width)
    with BorrowedEdges(answer.backend, given) as (source_ids, destination_ids, *_):
        left, left_valid = roots_of_borrowed(answer, given.src, source_ids, policy)
        right, right_valid = roots_of_borrowed(answer, given.dst, destination_ids, policy)
        answers = left_valid & right_valid & (left == right)
        return column_like(pairs, answers, answer.backend, given.on_device)


def edges_of(
    answer: Answer, label: Any, edges: Any, source: Any, destination: Any, *, weight: Any
) -> Any:
    """Return the edges of one component: see :meth:`cc_rapids.Components.edges`."""

    def edges_inside(given: Any) -> Any:
        """Return a mask of the given edges with both ends in the component."""
        with BorrowedEdges(answer.backend, given) as (source_ids, destination_ids, *_):
            component = answer.component(label)  # raises an error if there are no vertices
            inside: Any = True
            for side, ids in ((given.src, source_ids), (given.dst, destination_ids)):
                rows, is_vertex = rows_of_borrowed(answer, side, ids, "null")
                inside = inside & is_vertex & (answer.dense[rows] == component)
            return answer.bring(inside, given.on_device)

    answer.check_edges(edges)
    bound, options = answer.given.bound, {"what": "edges(label, edges)", "nulls": "drop"}

    def read(part: Any) -> EdgeInput:
        """Return the edges within the bound, without null ends."""
        return read_for_answer(part, source, destination, bound, weight, **options)

    return edges_where(edges, edges_inside, read)


def equal(first: Answer, second: Answer) -> bool:
    """Return whether two answers have the same vertices in the same components."""
    if first.forest.vertices != second.forest.vertices or len(first) != len(second):
        return False
    if not first.forest.vertices or first is second:
        return True
    with second.backend.scope():
        second_ids, second_dense = second.ids(), second.dense
    with first.backend.scope():
        first_ids = first.ids()
        if len(first_ids) != len(second_ids):
            return False
        pairs = zip(first_ids, second_ids, strict=True)
        if not all(_same(*pair, first.backend) for pair in pairs):
            return False
        # vertices are sorted by id, and components are numbered by least id, in both answers
        return bool((first.dense == first.backend.asarray(second_dense)).all())


def _same(first: Column, second: Column, backend: Backend) -> bool:
    """Return whether two id columns of the same length are equal."""
    if first.strings != second.strings:
        return False
    with first.borrow() as first_ids, second.borrow() as second_ids:
        if first.strings:
            return same_strings(first_ids, second_ids)
        return same_integers(backend.asarray(first_ids), backend.asarray(second_ids))


def _policy(missing: str) -> str:
    """Check an argument ``missing``, and return the policy of :func:`rows_of_ids` for it.

    In answers with clusters, "raise" accepts noise, which is in no component.
    """
    check_word("policy for unknown ids, missing,", missing, ("raise", "false"))
    return "noise" if missing == "raise" else "null"
