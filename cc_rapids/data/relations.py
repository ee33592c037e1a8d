"""Relations of DuckDB: their rows as tables, and tables as relations of the same connection.

A relation is a query that runs each time it is read. DuckDB is not imported before there is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..errors import ColumnTypeError, InputError, MissingColumnError, unknown

ALTERED = re.compile(r"\b(BIT|UHUGEINT|TIME WITH TIME ZONE)\b")  # which Arrow brings back otherwise
INTEGERS = (
    *("tinyint", "smallint", "integer", "bigint"),
    *("utinyint", "usmallint", "uinteger", "ubigint"),
)
IDS = (*INTEGERS, "varchar", "enum", "uuid")  # types of columns that come as integers or strings
FLOATS = "float", "double"
WIDE = "decimal", "hugeint", "uhugeint"  # numbers that are weights as 64-bit floats
SIZED = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 int128 uint128"
SIZES = dict(zip((*INTEGERS, *WIDE[1:]), SIZED.split(), strict=True))  # integers by their bits


def is_relation(thing: Any) -> bool:
    """Return whether an object is a relation of DuckDB, without importing DuckDB."""
    kind = type(thing)
    library = kind.__module__.partition(".")[0]
    return kind.__name__ == "DuckDBPyRelation" and library in ("duckdb", "_duckdb")


def quoted(name: str) -> str:
    """Return a column's name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def connected(way: str) -> Iterator[None]:
    """Return a context in which a closed connection is an InputError that tells the way out."""
    import duckdb

    try:
        yield
    except duckdb.ConnectionException as error:
        raise InputError(
            f"the connection of the DuckDB relation is closed, so its query cannot run: {way}"
        ) from error


def columns_in(relation: Any) -> list[str]:
    """Return the names of the columns."""
    with connected(BEFORE):
        return list(relation.columns)


BEFORE = "keep it open until the relation has been read, or pass relation.to_arrow_table()"
AFTER = (
    "answers for a relation are relations of its connection; keep it open, or save() the answer,"
    " whose frames are PyArrow's after it was loaded"
)


def type_of(relation: Any, name: str) -> Any:
    """Return the type of a column as DuckDB's object, by whose ``id`` it is known."""
    return relation.types[list(relation.columns).index(name)]


def check_ids(relation: Any, names: Sequence[str]) -> None:
    """Raise a ColumnTypeError that names the first of some columns that holds no ids."""
    for name in names:
        kind = type_of(relation, name)
        if kind.id not in IDS:
            own, merged = quoted(name), ""
            if kind.id in FLOATS:
                merged = ", because floats merge ids beyond 2^53"
            raise ColumnTypeError(
                f"column {name!r} of the DuckDB relation is {kind}: ids must be integers of up to"
                f" 64 bits, strings, enums or UUIDs{merged}; cast it in the query, {own}::bigint if"
                f" its values are such integers, and else {own}::varchar"
            )


def check_weights(relation: Any, name: str) -> None:
    """Raise a ColumnTypeError unless a column holds numbers."""
    kind = type_of(relation, name)
    if kind.id not in (*INTEGERS, *FLOATS, *WIDE):
        raise ColumnTypeError(
            f"weights {name!r} must be numbers, but these are {kind}: cast them in the query,"
            f" {quoted(name)}::double"
        )


def within(relation: Any, name: str, bounds: Callable[[Any], list[tuple[str, Any]]]) -> str:
    """Return the condition, in SQL, that a column of weights is within bounds of its type.

    It says in a positive way that a weight is not NaN: of ``not isnan()`` DuckDB leaves nothing
    where the statistics of Parquet files, which leave NaN out, tell it that all are within.
    """
    kind, column = type_of(relation, name).id, quoted(name)
    dtype = SIZES.get(kind, kind)
    own = kind if kind in (*SIZES, "float") else "double"
    words = [f"{column} {sign} '{limit!r}'::{own}" for sign, limit in bounds(dtype)]
    number = f"(isfinite({column}::double) or isinf({column}::double))"
    return " and ".join([*words, number])


def batches_of(relation: Any, names: Sequence[str], weights: Sequence[str] = ()) -> Iterator[Any]:
    """Yield the rows as tables of some columns; one empty table if there are none.

    Numbers of ``weights`` that no array holds become floats. Until the iterator is closed or at its
    end, the connection of the relation runs nothing else.
    """
    import pyarrow as pa

    known = columns_in(relation)
    for name in (*names, *weights):
        if name not in known:
            raise MissingColumnError(unknown("column", name, known))
    words = {name: quoted(name) for name in (*names, *weights)}
    for name in weights:
        if type_of(relation, name).id in WIDE:
            words[name] = f"{quoted(name)}::double as {quoted(name)}"
    with connected(BEFORE):
        relation = relation.project(", ".join(words.values()))
        ways = "to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch"  # by version
        read = next(getattr(relation, way) for way in ways if hasattr(relation, way))
        with read() as reader:
            tables = (pa.Table.from_batches([batch]) for batch in reader)
            first = next(tables, None)
            yield reader.schema.empty_table() if first is None else first
            yield from tables


def count_of(relation: Any, *aggregates: str) -> tuple[int, ...]:
    """Return aggregates over all rows, by one query."""
    with connected(BEFORE):
        (row,) = relation.aggregate(", ".join(aggregates)).fetchall()
    return tuple(int(number or 0) for number in row)


def table_of(relation: Any, names: Sequence[str] | None = None) -> Any:
    """Return the rows as one table of PyArrow's, of some columns or of all."""
    import pyarrow as pa

    return pa.concat_tables(batches_of(relation, columns_in(relation) if names is None else names))


def distinct_of(relation: Any, names: Sequence[str]) -> Any:
    """Return the distinct rows of some columns as a table."""
    with connected(BEFORE):
        few = relation.project(", ".join(map(quoted, names))).distinct()
    return table_of(few)


@dataclass(frozen=True, eq=False)
class Answers:
    """A maker of relations from tables: of answers for edges that are a relation.

    Attributes
    ----------
    relation : DuckDBPyRelation
        One of the connection on which they are.
    text : str
        The type of columns of strings, in SQL.
    """

    relation: Any
    text: str = "varchar"

    def __call__(self, frame: Any) -> Any:
        """Return a table as a relation; a column as it is."""
        if not hasattr(type(frame), "column_names"):
            return frame
        return relation_of(frame, self.relation, _words(frame.schema, self.text))

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        """Return what a copy in another process has: none, so that its frames are tables."""
        return _nothing, ()

    def __deepcopy__(self, memo: Any) -> Answers:
        return self


def _nothing() -> None:
    """Return None."""


def answers_for(relation: Any, ids: Sequence[str]) -> Answers:
    """Return what makes answers for a relation with these columns of ids.

    UUIDs come as strings, and are UUIDs again if all columns of ids are.
    """
    return Answers(relation, text_type(relation, ids))


def text_type(relation: Any, ids: Sequence[str]) -> str:
    """Return the type, in SQL, of ids that come as strings."""
    kinds = {type_of(relation, name).id for name in ids}
    return "uuid" if kinds == {"uuid"} else "varchar"


def _words(schema: Any, text: str) -> list[str]:
    """Return the columns of a table in SQL, those of strings as a type."""
    import pyarrow as pa

    words = []
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        strings = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        words.append(_cast(field.name, text if strings else "varchar"))
    return words


def _cast(name: str, kind: str) -> str:
    """Return a column in SQL, cast to a type unless that is the one of strings."""
    return quoted(name) if kind == "varchar" else f"{quoted(name)}::{kind} as {quoted(name)}"


def relation_of(table: Any, relation: Any, words: Sequence[str]) -> Any:
    """Return a table as a relation of the connection of another one; it keeps the table alive.

    ``words`` are its columns in SQL. DuckDB finds the table by the name of a variable here.
    """
    cc_rapids_answer = table
    assert cc_rapids_answer is table
    query = f"select {', '.join(words)} from cc_rapids_answer"
    import duckdb

    try:
        with connected(AFTER):
            return relation.query("cc_rapids_edges", query)
    except duckdb.CatalogException as error:
        if "cc_rapids_answer" not in str(error):
            raise
        raise InputError(
            f"DuckDB does not find a variable of Python ({error}): SET python_enable_replacements ="
            " true, or pass relation.to_arrow_table(), whose answers are tables"
        ) from error


def rows_like(table: Any, relation: Any) -> Any:
    """Return a table of rows of a relation as a relation with the same types."""
    kinds = zip(table.column_names, map(str, relation.types), strict=True)
    return relation_of(table, relation, [_cast(name, kind) for name, kind in kinds])


def whole_table_of(relation: Any) -> Any:
    """Return all rows as a table of which :func:`rows_like` makes a relation again.

    Raises
    ------
    ColumnTypeError
        A column is of a type that tables of PyArrow's do not hold.
    """
    for name in columns_in(relation):
        kind = str(type_of(relation, name))
        if ALTERED.search(re.sub("'[^']*'", "", kind)):
            raise ColumnTypeError(
                f"column {name!r} of the DuckDB relation is {kind}, which PyArrow does not hold:"
                f" cast it in the query, such as {quoted(name)}::varchar, or leave it out"
            )
    return table_of(relation)


def joined(relation: Any, labels: Any, on: Sequence[str]) -> Any:
    """Return a relation with the columns of a table that its columns ``on`` do not have.

    Its rows have the order of the relation: a join of DuckDB has none, so they are numbered before
    it and sorted after.

    Parameters
    ----------
    labels : pyarrow.Table
        For each distinct id of the relation a row; its columns ``on`` come first.
    """
    words = [_cast(name, str(type_of(relation, name))) for name in on]
    added = _words(labels.schema, text_type(relation, on))[len(on) :]
    beside = relation_of(labels, relation, [*words, *added]).set_alias("cc_rapids_labels")
    taken, number = {column.lower() for column in relation.columns}, "cc_rapids_row"
    while number in taken:
        number += "_"
    numbered = relation.project(f"*, row_number() over () as {number}")
    rows = numbered.set_alias("cc_rapids_rows")
    same = " and ".join(
        f"cc_rapids_rows.{own} is not distinct from cc_rapids_labels.{own}"
        for own in map(quoted, on)
    )
    names = map(quoted, labels.column_names[len(on) :])
    more = ", ".join(f"cc_rapids_labels.{name}" for name in names)
    found = rows.join(beside, same, how="left").project(f"cc_rapids_rows.*, {more}")
    in_order = f"select * exclude ({number}) from cc_rapids_found order by {number}"
    return found.query("cc_rapids_found", in_order)
