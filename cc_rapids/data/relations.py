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
from .lazy import duckdb, pa

ALTERED = re.compile(r"\b(BIT|UHUGEINT|TIME WITH TIME ZONE)\b")  # types that Arrow cannot represent
INTEGERS = {  # dtypes by the names of DuckDB's types
    f"{sign}{name}": f"{sign}int{bits}"
    for sign in ("", "u")
    for name, bits in (("tinyint", 8), ("smallint", 16), ("integer", 32), ("bigint", 64))
}
DTYPES = INTEGERS | {"hugeint": "int128", "uhugeint": "uint128"}
IDS = (*INTEGERS, "varchar", "enum", "uuid")  # column types read as integers or strings
FLOATS = "float", "double"
WIDE = "decimal", "hugeint", "uhugeint"  # number types that become 64-bit floats as weights
KEEP_OPEN = "keep it open until the relation has been read, or pass relation.to_arrow_table()"
KEEP_OPEN_FOR_ANSWERS = (
    "answers are relations on the same connection; keep it open, or save() the answer,"
    " which returns PyArrow tables once it is loaded"
)


def is_relation(thing: Any) -> bool:
    """Return whether an object is a relation of DuckDB, without importing DuckDB."""
    kind = type(thing)
    library = kind.__module__.partition(".")[0]
    return kind.__name__ == "DuckDBPyRelation" and library in ("duckdb", "_duckdb")


def quoted(name: str) -> str:
    """Return the name of a column in the double quotes of SQL."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def connected(advice: str = KEEP_OPEN) -> Iterator[None]:
    """Convert DuckDB's error for a closed connection to an InputError with advice."""
    try:
        yield
    except duckdb.ConnectionException as error:
        raise InputError(
            f"the connection of the DuckDB relation is closed, so its query cannot run: {advice}"
        ) from error


def columns_in(relation: Any) -> list[str]:
    """Return the names of a relation's columns."""
    with connected():
        return list(relation.columns)


def type_of(relation: Any, name: str) -> Any:
    """Return the DuckDB type of a column; its ``id`` is the type's name without parameters."""
    return relation.types[list(relation.columns).index(name)]


def check_ids(relation: Any, names: Sequence[str]) -> None:
    """Raise a ColumnTypeError for the first column of a type that cannot hold ids."""
    for name in names:
        kind = type_of(relation, name)
        if kind.id not in IDS:
            sql = quoted(name)
            reason = ", because floats merge ids beyond 2^53" if kind.id in FLOATS else ""
            raise ColumnTypeError(
                f"column {name!r} of the DuckDB relation is {kind}: ids must be integers of up to"
                f" 64 bits, strings, enums or UUIDs{reason}; cast it in the query, {sql}::bigint if"
                f" its values are such integers, otherwise {sql}::varchar"
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
    """Return the SQL condition that a column of weights is within bounds of its type.

    ``bounds`` is :meth:`WeightBound.bounds`. The condition does not use ``not isnan()``. DuckDB
    would optimize this away if the statistics of a Parquet file, which ignore NaN, say that all
    weights are within the bounds.
    """
    kind, column = type_of(relation, name).id, quoted(name)
    limit_type = kind if kind in (*DTYPES, "float") else "double"
    limits = bounds(DTYPES.get(kind, kind))
    comparisons = [f"{column} {sign} '{limit!r}'::{limit_type}" for sign, limit in limits]
    is_number = f"(isfinite({column}::double) or isinf({column}::double))"
    return " and ".join([*comparisons, is_number])


def batches_of(relation: Any, names: Sequence[str], weights: Sequence[str] = ()) -> Iterator[Any]:
    """Yield the columns ``names`` and ``weights`` of a relation in tables, at least one table.

    Weights of types that arrays cannot hold become floats. The connection of the relation is busy
    until the iterator is exhausted or closed.
    """
    columns = columns_in(relation)
    for name in (*names, *weights):
        if name not in columns:
            raise MissingColumnError(unknown("column", name, columns))
    expressions = {name: quoted(name) for name in (*names, *weights)}
    for name in weights:
        if type_of(relation, name).id in WIDE:
            expressions[name] = _cast(name, "double")
    with connected():
        relation = relation.project(", ".join(expressions.values()))
        methods = "to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch"  # newest first
        open_reader = next(getattr(relation, name) for name in methods if hasattr(relation, name))
        with open_reader() as reader:
            tables = (pa.Table.from_batches([batch]) for batch in reader)
            first = next(tables, None)
            yield reader.schema.empty_table() if first is None else first
            yield from tables


def count_of(relation: Any, *aggregates: str) -> tuple[int, ...]:
    """Return SQL aggregates over all rows of a relation as integers, by one query; null as 0."""
    with connected():
        (row,) = relation.aggregate(", ".join(aggregates)).fetchall()
    return tuple(int(number or 0) for number in row)


def table_of(relation: Any, names: Sequence[str] | None = None) -> Any:
    """Return columns of a relation, by default all, as one PyArrow table."""
    return pa.concat_tables(batches_of(relation, columns_in(relation) if names is None else names))


def distinct_of(relation: Any, names: Sequence[str]) -> Any:
    """Return the distinct rows of the columns ``names`` of a relation as a PyArrow table."""
    with connected():
        return table_of(relation.project(", ".join(map(quoted, names))).distinct())


@dataclass(frozen=True, eq=False)
class Answers:
    """Converter of answers to DuckDB relations, used if the edges are a relation."""

    relation: Any  # a relation on the connection of the edges
    text: str = "varchar"  # the SQL type of string columns

    def __call__(self, frame: Any) -> Any:
        """Convert a table to a relation; return a column unchanged."""
        if not hasattr(type(frame), "column_names"):
            return frame
        return relation_of(frame, self.relation, _expressions(frame.schema, self.text))

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """Pickle as None: another process has no connection, so its answers are tables."""
        return type(None), ()

    def __deepcopy__(self, memo: Any) -> Answers:  # deepcopy would otherwise make None
        return self


def answers_for(relation: Any, ids: Sequence[str]) -> Answers:
    """Return the converter of answers for edges that are a relation with the columns ``ids``.

    UUIDs are read as strings. Answers contain UUIDs if all columns in ``ids`` contain UUIDs.
    """
    return Answers(relation, text_type(relation, ids))


def text_type(relation: Any, ids: Sequence[str]) -> str:
    """Return the SQL type of ids that are read as strings."""
    kinds = {type_of(relation, name).id for name in ids}
    return "uuid" if kinds == {"uuid"} else "varchar"


def _expressions(schema: Any, text: str) -> list[str]:
    """Return SQL expressions for the columns of a table; strings are cast to the type ``text``."""
    expressions = []
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        expressions.append(_cast(field.name, text) if is_text else quoted(field.name))
    return expressions


def _cast(name: str, kind: str) -> str:
    """Return an SQL expression for a column cast to a type; a cast to varchar is left out."""
    return quoted(name) if kind == "varchar" else f"{quoted(name)}::{kind} as {quoted(name)}"


def relation_of(table: Any, relation: Any, expressions: Sequence[str]) -> Any:
    """Return SQL expressions of a table as a relation on the connection of another relation.

    The result keeps the table alive. DuckDB finds the table by the name of a local variable.
    """
    cc_rapids_answer = table
    assert cc_rapids_answer is table  # otherwise linters report an unused variable
    query = f"select {', '.join(expressions)} from cc_rapids_answer"
    try:
        with connected(KEEP_OPEN_FOR_ANSWERS):
            return relation.query("cc_rapids_edges", query)  # a name that the query does not use
    except duckdb.CatalogException as error:
        if "cc_rapids_answer" not in str(error):
            raise
        raise InputError(
            f"DuckDB cannot read a Python variable ({error}): run SET python_enable_replacements ="
            " true, or pass relation.to_arrow_table(), which gives answers as tables"
        ) from error


def rows_like(table: Any, relation: Any) -> Any:
    """Convert a table to a relation with the column types of ``relation``."""
    kinds = zip(table.column_names, map(str, relation.types), strict=True)
    return relation_of(table, relation, [_cast(name, kind) for name, kind in kinds])


def whole_table_of(relation: Any) -> Any:
    """Return all rows as a table that :func:`rows_like` can convert back to a relation."""
    for name in columns_in(relation):
        kind = str(type_of(relation, name))
        if ALTERED.search(re.sub("'[^']*'", "", kind)):  # the values of an enum are in quotes
            raise ColumnTypeError(
                f"column {name!r} of the DuckDB relation is {kind}, which PyArrow does not hold:"
                f" cast it in the query, such as {quoted(name)}::varchar, or leave it out"
            )
    return table_of(relation)


def joined(relation: Any, labels: Any, on: Sequence[str]) -> Any:
    """Join a table of labels to a relation, and keep the row order of the relation.

    A join of DuckDB does not keep the order, so rows are numbered before and sorted afterwards.
    ``labels`` has one row per distinct id of the relation; its first columns are the ids, ``on``.
    """
    expressions = [_cast(name, str(type_of(relation, name))) for name in on]
    expressions += _expressions(labels.schema, text_type(relation, on))[len(on) :]
    right = relation_of(labels, relation, expressions).set_alias("cc_rapids_labels")
    used_names, row_number = {column.lower() for column in relation.columns}, "cc_rapids_row"
    while row_number in used_names:
        row_number += "_"
    numbered = relation.project(f"*, row_number() over () as {row_number}")
    left = numbered.set_alias("cc_rapids_rows")
    condition = " and ".join(
        f"cc_rapids_rows.{name} is not distinct from cc_rapids_labels.{name}"
        for name in map(quoted, on)
    )
    names = map(quoted, labels.column_names[len(on) :])
    columns = ", ".join(["cc_rapids_rows.*", *(f"cc_rapids_labels.{name}" for name in names)])
    result = left.join(right, condition, how="left").project(columns)
    in_order = f"select * exclude ({row_number}) from cc_rapids_found order by {row_number}"
    return result.query("cc_rapids_found", in_order)
