"""Record linkage: the connected components of records that share the value of a key."""

from __future__ import annotations

import logging
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from .backends import Array, Backend
from .data.arguments import check_count
from .data.column import without_rows
from .data.edge_input import Lending
from .data.records import Key, Records, read_records
from .errors import listed, shown
from .graph.edges import Edges
from .graph.forest import Forest
from .ids.decoders import OffsetDecoder
from .ids.encode import COLUMNS, EncodedIds, IdEncoding, choose_encoding, scan_ids
from .ids.multi_column import MULTI_COLUMN
from .ids.range import UNKNOWN_ORDER
from .keywords import suggest_keywords
from .ledger import Ledger, lost_rows
from .options import Options
from .results.answer import Answer, Facts
from .results.components import LinkedRecords
from .results.labels import DEFAULT_KINDS
from .results.lookup import warn
from .results.records import KeyFacts, Linked, link_key
from .solver.run import solve_encoded

log: logging.Logger = logging.getLogger(__name__)


@suggest_keywords
def link_records(
    frame: Any,
    keys: Any,
    id: str | list[str] | None = None,
    *,
    max_group: int | None = None,
    ignore: Any = ("",),
    labels: str | None = None,
    engine: str | None = None,
) -> LinkedRecords:
    """Group records into entities: records that agree in any key belong to one entity.

    Two records agree in a key if all columns of the key are equal. Entities are the connected
    components of the agreements. For example, if records 1 and 2 share an email, and records 2 and
    3 share a phone number, then all three are one entity. Every record is a vertex of the result,
    even if it agrees with no other.

    Records are compared by hash tables. Each is linked to the first record with the same value, so
    a group of k records produces k - 1 links rather than all pairs. The frame is not modified. A
    cuDF frame stays on the GPU.

    Parameters
    ----------
    frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
        The records, one per row. DuckDB relations need ``id``. Only the named columns of relations
        and of Polars lazy frames are read.
    keys : list of str, or of lists of str
        The columns in which records may agree. An inner list is one key whose columns must all
        agree. Columns hold integers, strings, categories (compared by value), booleans, dates or
        times.
    id : str, or list of str, optional
        The column of the record ids, or several columns that form a composite id, of any type that
        :func:`components` accepts. Rows with the same id are one record. By default, the ids are
        the row positions from 0.
    max_group : int, optional
        The maximum number of records that one value may link. Larger groups, such as the group of a
        placeholder ("unknown") or a shared mailbox, are left out and counted in
        ``summary()["keys"]``.
    ignore : list, tuple or set of values, or None
        Values that never link records, in any column of a key. Each value applies to columns of its
        own type: strings, integers, booleans, dates or times. A value that fits no column, such as
        ``"0"`` for integers, causes a warning. Nulls (None, NaN, NaT, masked values) never link
        records.
    labels : {"min", "max", "dense", "size", ...}, optional
        The default kind of labels of :meth:`LinkedRecords.labels` and :meth:`LinkedRecords.attach`.
    engine : {"threads", "cuda"}, optional
        Where to run. Defaults to the location of the frame.

    Returns
    -------
    LinkedRecords
        The entities: a :class:`Components` whose vertices are the ids. In addition to the frame, a
        run allocates 8 bytes per record and key (up to 24 with ids). During the comparison of one
        key, it also allocates 30 to 60 bytes per record, and a copy of the key's columns if they
        have nulls.

    Raises
    ------
    MissingColumnError
        A column of ``keys`` or ``id`` is not in the frame. The error names the nearest column.
    ColumnTypeError
        A key column has a type that cannot be compared exactly, such as floats, or the ids have a
        type that cannot name vertices.
    NullsError
        Some ids are null.
    ArgumentTypeError, InputError
        ``keys`` is empty or repeats a key; ``max_group`` is not a positive integer; ``ignore`` is
        not a list of values; ``frame`` is not a frame, or its columns differ in length.
    CapacityError, EngineError
        The run needs more memory than is available, or the engine is unknown.

    See Also
    --------
    components : Find the components of an edge list, such as pairs that another tool has matched.
    LinkedRecords.attach : Add the entity of each record to the frame.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> people = pd.DataFrame({
    ...     "record_id": [11, 12, 13, 14],
    ...     "email": ["ann@x.org", "", "ann@x.org", ""],
    ...     "name": ["Ann Lee", "A. Lee", "A. Lee", "Bo"],
    ...     "birthday": ["1990-05-01", "1990-05-01", "1990-05-01", None],
    ... })
    >>> found = cc_rapids.link_records(people, ["email", ["name", "birthday"]], id="record_id")
    >>> found.labels()
       vertex  labels
    0      11      11
    1      12      11
    2      13      11
    3      14      14
    """
    options = Options.check(labels=labels, engine=engine)
    if max_group is not None:
        meaning = ", the maximum number of records of a group"
        advice = "; leave it out to link groups of any size"
        max_group = check_count("max_group", max_group, 1, meaning, advice)
    records = read_records(frame, keys, id, ignore)
    _warn_of_unfit(records)
    ids = records.ids
    backend = options.backend(ids.on_device)
    started = perf_counter()
    with backend.scope(), Lending(ids) as (columns, _):
        encoded = _encoded_ids(records, columns, backend)
        # the ids are encoded as the sources of edges
        vertices = encoded.edges.src if records.id_names else None
        partners_by_key, facts = [], dict[Key, KeyFacts]()
        for key, parts in records.keys.items():
            partners, facts[key] = link_key(parts, records.size, vertices, max_group, backend)
            partners_by_key.append(partners)
        edges = _edges(vertices, encoded.edges.low, partners_by_key, records.size, backend)
        # the partners of successive rows are in any order
        encoded = replace(encoded, edges=edges, edge_order=UNKNOWN_ORDER)
        solved = solve_encoded(ids, encoded, backend, options)
        forest, decoder = encoded.forest, encoded.decoder
        if not forest.complete:  # an id was changed during the run
            raise ids.changed()
        if decoder is None:  # hashed or composite ids: not sorted yet
            forest, decoder = encoded.finalise(forest)
    seconds = {"copy": None, "compute": perf_counter() - started}
    ignored_values = list(ignore or ())
    sets_ignore = ignored_values not in ([], [""])  # "" is the default
    has_ignored = any(of_key.ignored for of_key in facts.values())
    if records.size and sets_ignore and not (records.unfit or has_ignored):
        warn(
            "ignore= leaves out no record: no record has"
            f" {listed(list(map(shown, ignored_values)))}; values are compared exactly, including"
            " case and blanks"
        )
    # Each key has one edge per record, to the record itself or to another record.
    if edges.m != records.size * len(facts):
        raise lost_rows("the records of all keys", records.size * len(facts), edges.m)
    ledger = Ledger(records.size, edges.m // len(facts))
    run_facts = Facts(
        design=solved.plan.design,
        ids=encoded.name,
        edges=sum(of_key.links for of_key in facts.values()),
        seconds=seconds,
        ledger=ledger.check("the records"),
    )
    log.info("%d records are %d entities", forest.vertices, forest.components)
    without_ids = replace(ids, src=without_rows(ids.src), dst=without_rows(ids.dst))
    kind = options.labels or DEFAULT_KINDS[bool(ids.src.key_columns)]
    linked = Linked(facts, records.id_names, ignored_values, max_group)
    return LinkedRecords(
        Answer(without_ids, backend, decoder, forest, kind, run_facts, linked=linked)
    )


def _warn_of_unfit(records: Records) -> None:
    """Warn of the values in ``ignore=`` that no column of a key can contain, if there are any."""
    if records.unfit:
        columns = {part.values.name: None for parts in records.keys.values() for part in parts}
        warn(
            f"ignore= contains {listed(list(map(shown, records.unfit)))}, which no value of"
            f" {listed(list(map(repr, columns)))} can equal: pass values of the type of the"
            " column, such as 0 instead of '0' for integers"
        )


def _encoded_ids(records: Records, columns: list[Any], backend: Backend) -> EncodedIds:
    """Return the encoded ids of the records, which are row positions if no column has ids."""
    if not records.id_names:
        no_ends, size = backend.empty(0, np.uint32), records.size
        forest = Forest(backend, size, all_present=True)
        decoder = OffsetDecoder(0, np.dtype(np.int64))
        return EncodedIds(Edges(no_ends, no_ends, low=0), forest, "row positions", size, decoder)
    scanned = scan_ids(records.ids, columns, backend)
    encoding: IdEncoding = MULTI_COLUMN
    if scanned.facts.kind != COLUMNS:
        limits = backend.free_bytes(), backend.uncompiled_rows
        encoding = choose_encoding(scanned.facts, *limits)
    return encoding.encode(scanned, backend)


def _edges(
    vertices: Array, low: int, partners_by_key: list[Array], size: int, backend: Backend
) -> Edges:
    """Return the edges from the vertex of each row to the vertex of its partner, for all keys.

    ``partners_by_key`` has one array per key: for each row, the row of its partner. Every row has a
    partner, at least itself, so every vertex occurs in an edge. ``vertices`` has the vertex of each
    row, plus ``low``, or is None if the rows are the vertices.
    """
    xp = backend.xp
    src = xp.concatenate([xp.arange(size, dtype=np.uint32)] * len(partners_by_key))
    dst = xp.concatenate(partners_by_key)
    if vertices is None:
        return Edges(src, dst, 0)
    return Edges(vertices[src], vertices[dst], low)
