"""The values that linked records share: as edges of an entity, as evidence, and as a graph.

The vertices of the graph are the records and the shared values. An edge leads from each record to
each of its values that another record shares. A graph of records only could join the k records of a
value by k - 1 links, but these links would depend on the order of the records.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..algorithms.bridges import Reached
from ..algorithms.paths import shortest_path
from ..backends import Array
from ..data.column import chunked
from ..data.frame_access import column_of, frame_in_memory, on_host, values_of
from ..data.records import Records, parts_of, read_records
from ..data.relations import is_relation, whole_table_of
from ..errors import InputError
from ..graph.sorting import begins, order_of
from ..results.answer import Answer
from ..results.lookup import rows_of_ids
from ..results.records import link_key
from ..results.written import arrow_of
from ..solver.run import any_forest
from ..verify.audit import Audit, audit
from ..verify.records import partners, row_ranks
from .audits import shown_labels
from .deduplicate import rows_at
from .evidence import EdgeRecords, Evidence
from .pairs import rows_of_joined
from .records import check_rows
from .rules import text_column

OTHER_FRAME = (
    "the records or keys of this frame differ from those of the answer: pass the frame that was"
    " linked"
)


class SharedValues(NamedTuple):
    """The values that several records share: m pairs of a record and a shared value.

    Attributes
    ----------
    frame : frame
        The records, in memory.
    vertex : (m,) array of int64
        For each pair, the row of the record in the answer.
    key : (m,) array of int64
        For each pair, the number of the key that has the value.
    value : (m,) array of int64
        For each pair, the number of the value, from 0. Values of different keys have different
        numbers.
    example : (v,) array of int64
        For each value, a row of the frame with this value.
    """

    frame: Any
    vertex: Array
    key: Array
    value: Array
    example: Array


def shared_values(answer: Answer, frame: Any) -> SharedValues:
    """Compare the keys of records again, and return the values that several records share.

    Raise an InputError if this is not the frame that was linked: an id is unknown, the counts of a
    key differ from those of the answer, or records of two entities share a value.
    """
    linked, xp, backend = answer.linked, answer.backend.xp, answer.backend
    assert linked is not None
    frame, records = _read(answer, frame)
    if linked.id_names:
        record_of_row = rows_of_ids(answer, records.ids.src, "raise")[0]
    else:
        record_of_row = xp.arange(records.size)
    # Each value of key k has the code k * records.size + r, where r is one row with this value.
    codes = []
    for k, (key, parts) in enumerate(records.keys.items()):
        example, facts = link_key(parts, records.size, record_of_row, linked.max_group, backend)
        if facts != linked.keys[key]:
            raise InputError(OTHER_FRAME)
        codes.append(k * records.size + example.astype(np.int64))
    value, vertex = xp.concatenate(codes), xp.concatenate([record_of_row] * len(codes))
    pairs = _pairs_of_shared_values(value, vertex, xp)
    distinct, number = xp.unique(value[pairs], return_inverse=True)
    vertex, number = vertex[pairs].astype(np.int64), number.reshape(-1).astype(np.int64)
    entity, entity_of_value = answer.dense[vertex], xp.zeros(distinct.size, np.int64)
    entity_of_value[number] = entity
    if bool((entity_of_value[number] != entity).any()):  # records of two entities share a value
        raise InputError(OTHER_FRAME)
    size = max(records.size, 1)
    key, example = pairs // size, distinct % size
    return SharedValues(frame, vertex, key, value=number, example=example)


def _read(answer: Answer, frame: Any) -> tuple[Any, Records]:
    """Return a frame of linked records in memory, and the columns of its ids and keys."""
    linked = answer.linked
    assert linked is not None
    frame = whole_table_of(frame) if is_relation(frame) else frame_in_memory(chunked(frame))
    records = read_records(frame, list(linked.keys), linked.id_names or None, linked.ignore)
    if not linked.id_names:
        check_rows(answer, frame)
    return frame, records


def _pairs_of_shared_values(value: Array, vertex: Array, xp: Any) -> Array:
    """Return the ascending positions of the distinct pairs whose value several vertices have."""
    order = order_of([value, vertex], xp)
    pairs = order[begins([value[order], vertex[order]], xp)]  # without repeated pairs
    is_first = begins([value[pairs]], xp)  # the first pair of each value
    first = xp.flatnonzero(is_first)
    count = xp.diff(xp.concatenate([first, xp.full(1, pairs.size, first.dtype)]))
    count_of_pair = count[xp.cumsum(is_first) - 1]
    return xp.sort(pairs[count_of_pair > 1])


def values_of_entity(answer: Answer, label: Any, frame: Any) -> Any:
    """Return the records and values of an entity: see :meth:`cc_rapids.LinkedRecords.edges`."""
    with answer.backend.scope():
        number = answer.component(label)
        shared = shared_values(answer, frame)
        pairs = answer.backend.xp.flatnonzero(answer.dense[shared.vertex] == number)
        keys, values = (np.array(texts, str) for texts in _texts(answer, shared, pairs))
        columns = answer.vertex(shared.vertex[pairs])
        columns |= {"key": text_column(answer, keys), "value": text_column(answer, values)}
        return answer.frame(columns)


def graph_of_entity(
    answer: Answer, members: Array, frame: Any
) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the shared values of an entity as text, and its edges as pairs of vertex numbers.

    ``members`` are the rows of the entity's records in the answer, ascending. Vertex k is the
    record ``members[k]``; the values follow the records.
    """
    with answer.backend.scope():
        xp, backend = answer.backend.xp, answer.backend
        shared = shared_values(answer, frame)
        pairs = xp.flatnonzero(answer.dense[shared.vertex] == answer.dense[members[0]])
        values = backend.to_host(shared.value[pairs])
        _, first, number = np.unique(values, return_index=True, return_inverse=True)
        keys, texts = _texts(answer, shared, pairs[backend.asarray(first)])
        record = backend.to_host(xp.searchsorted(members, shared.vertex[pairs]))
        edges = zip(record.tolist(), (members.size + number).tolist(), strict=True)
        return [f"{key}={text}" for key, text in zip(keys, texts, strict=True)], list(edges)


def articulation_points_of_records(answer: Answer, frame: Any) -> Any:
    """Return the records whose removal splits an entity: see LinkedRecords.articulation_points."""
    backend, xp = answer.backend, answer.backend.xp
    with backend.scope():
        shared = shared_values(answer, frame)
        points, n = xp.zeros(0, np.int64), answer.forest.vertices
        if shared.vertex.size:
            # vertices 0 .. n - 1 are records, and the values follow
            ends, size = (shared.vertex, n + shared.value), n + int(shared.example.size)
            forest_edges, _ = any_forest(*ends, size, backend)
            if forest_edges.size != size - len(answer):
                raise InputError(OTHER_FRAME)
            reached = Reached.of(ends, xp.sort(forest_edges), answer.least_rows, size, backend)
            # the components of the skeleton are the blocks
            _, block_of_vertex = any_forest(*reached.skeleton(backend), size, backend)
            points = reached.articulation_points(block_of_vertex, backend)
        return answer.frame(answer.vertex(points[points < n]))


def explain_records(
    answer: Answer, first: Any, second: Any, frame: Any, records: Any, on: Any
) -> Evidence:
    """Return the values that join two records: see :meth:`cc_rapids.LinkedRecords.explain_pair`."""
    backend, xp = answer.backend, answer.backend.xp
    with backend.scope():
        ends = rows_of_joined(answer, first, second, "entities, which no shared value joins")
        shared = shared_values(answer, frame)
        pairs = xp.flatnonzero(answer.dense[shared.vertex] == answer.dense[ends[0]])
        record, value = shared.vertex[pairs], answer.forest.vertices + shared.value[pairs]
        # number the records and values of this entity 0 .. k - 1
        joined = xp.concatenate([xp.asarray(ends), record, value])
        nodes, number = xp.unique(joined, return_inverse=True)
        start, stop = backend.to_host(number[:2]).tolist()
        src, dst = number[2 : 2 + pairs.size], number[2 + pairs.size :]
        path = shortest_path(src, dst, int(nodes.size), start, stop, backend)
        if path is None:
            raise InputError(OTHER_FRAME)
        # Two edges of the path are one step: from a record to a value, and from there to a record.
        edges = pairs[xp.asarray(path, np.int64)]
        keys, values = _texts(answer, shared, edges[::2])
        left, right = shared.vertex[edges[::2]], shared.vertex[edges[1::2]]
    texts = {"key": np.array(keys, str), "value": np.array(values, str)}
    frame = EdgeRecords(answer, records, on).of_edges(left, right, texts)
    return Evidence(frame, (first, second), "link")


def audit_records(answer: Answer, frame: Any, oracle: str | None) -> Audit:
    """Audit the entities of a frame: see :meth:`cc_rapids.LinkedRecords.audit`."""
    linked, backend = answer.linked, answer.backend
    assert linked is not None
    frame, records = _read(answer, frame)
    size = records.size
    ids = arrow_of({"vertex": np.arange(size)})
    if linked.id_names:
        ids = arrow_of(rows_at(frame, linked.id_names, np.arange(size)))
    names = ids.column_names
    codes = [ids[name].combine_chunks().dictionary_encode().indices.to_numpy() for name in names]
    record_of_row = row_ranks(codes) if size else np.zeros(0, np.int64)
    with backend.scope():
        partner_rows = [
            partners(parts, size, record_of_row, linked.max_group, backend)
            for parts in records.keys.values()
        ]
    # for each key, an edge from each row to the first row with the same value, by ids
    ends = np.tile(np.arange(size), len(partner_rows)), np.concatenate(partner_rows)
    edges = {f"{k}{name}": ids[name].take(rows) for k, rows in enumerate(ends) for name in names}
    sides: list[Any] = [[f"{k}{name}" for name in names] for k in range(2)]
    if len(names) == 1:
        sides = [name for (name,) in sides]  # the name of a single id column, not a list
    return audit(shown_labels(answer), backend, edges, *sides, oracle=oracle)


def _texts(answer: Answer, shared: SharedValues, pairs: Array) -> tuple[list[str], list[str]]:
    """Return the key and the value of each given pair as text.

    ``pairs`` are indices of pairs in ``shared``. If a key has several columns, their names and
    values are joined by commas.
    """
    assert answer.linked is not None
    names = [parts_of(key) for key in answer.linked.keys]
    to_host = answer.backend.to_host
    key, row = to_host(shared.key[pairs]), to_host(shared.example[shared.value[pairs]])
    values = np.empty(key.size, object)
    for k, parts in enumerate(names):
        has_key = key == k
        if has_key.any():
            frame = on_host(rows_at(shared.frame, list(parts), row[has_key]))
            columns = [map(str, values_of(column_of(frame, part))) for part in parts]
            values[has_key] = [", ".join(value) for value in zip(*columns, strict=True)]
    return [", ".join(names[k]) for k in key.tolist()], values.tolist()
