"""Saving an answer to one file, and loading it.

The file is an archive of a header and arrays. The arrays have the columns of the sorted ids, and
for each vertex the row of the least id of its component. Strings are stored as in Arrow, as UTF-8
bytes and offsets. The header has the facts of the summary.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

import numpy as np

from .. import backends
from ..backends import Array, Backend
from ..data.column import Column, of, of_key_columns, text_buffers, text_of_buffers
from ..data.dtypes import is_integer, is_number
from ..data.edge_input import EdgeInput, Lending
from ..data.files import archive
from ..data.files.read import SourceFormat
from ..data.frame_kind import describe_frames, input_from_description
from ..data.read import NOTHING
from ..data.weight_bound import WeightBound
from ..errors import FormatError, InputError
from ..graph.chosen_edges import ChosenEdges
from ..graph.forest import Forest, check_parents
from ..graph.memory_bound import word_for
from ..ids.decoders import IdDecoder, OffsetDecoder, SortedDecoder
from ..ids.growing import Integers, extended
from ..solver.run import check_spanning
from .answer import Answer, Facts
from .labels import check_labels
from .lookup import rows_of_ends
from .records import Linked
from .rules import Ruled

FORMAT = "cc_rapids components 1"
ENDS = "source", "destination"  # the names of the ends of an edge in arrays and columns
CONNECTIVITY_FORMAT = "cc_rapids connectivity"  # the format of Connectivity.save() begins with this


def write(path: str | os.PathLike[str], answer: Answer) -> None:
    """Write an answer to a file; raise an OutputError if the file cannot be written."""
    if not answer.kind.is_saved:
        raise InputError(
            "the labels of this answer are stable numbers, which save() of an answer does not"
            " store: call save() of the StableIds"
        )
    backend = answer.backend
    with backend.scope():
        columns = [_stored_column(column, backend) for column in answer.ids()]
        vertex, least = answer.rows()
        root_rows = backend.xp.flatnonzero(vertex == least)  # the least id of each component
        parent = root_rows[answer.dense].astype(_row_dtype(vertex.size))
        arrays = {"parent": backend.to_host(parent)}
        forest = {} if answer.forest_edges is None else answer.columns_of_forest()
        weight_type = {"weight": str(forest["weight"].dtype)} if "weight" in forest else {}
        if forest:
            arrays |= _edge_arrays(answer, "forest", forest)
        if answer.ruled is not None:
            arrays |= _edge_arrays(answer, "refused", answer.columns_of_refused())
            arrays |= answer.ruled.arrays(backend)
    for k, (_, arrays_of_column) in enumerate(columns):
        arrays |= {f"{k}_{name}": array for name, array in arrays_of_column.items()}
    header = {
        "format": FORMAT,
        "labels": answer.kind.name,
        "facts": answer.facts.to_json(),
        "dropped": answer.given.dropped_rows,
        "taken": [asdict(source) for source in answer.given.formats],  # how files were read
        "answers": describe_frames(answer.given),
        "bound": answer.given.bound and answer.given.bound.to_json(),
        "columns": [column_header for column_header, _ in columns],
        **weight_type,
        **({} if answer.linked is None else {"records": answer.linked.to_json()}),
        **({} if answer.ruled is None else {"rules": {"max_size": answer.ruled.rules.most}}),
    }
    archive.write(path, header, arrays)


def _row_dtype(n: int) -> Any:
    """Return the unsigned type of row numbers below n."""
    return np.uint32 if word_for(int(n)) == 4 else np.uint64


def _stored_column(column: Column, backend: Backend) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header values and the arrays that store one column of ids."""
    with column.borrow() as ids_of_column:
        if column.strings:
            octets, offsets = text_buffers(
                ids_of_column.to_arrow() if hasattr(ids_of_column, "to_arrow") else ids_of_column
            )
            return {"ids": "strings"}, {"offsets": offsets, "octets": octets}
        ids = backend.to_host(backend.asarray(ids_of_column))
    header = {"ids": "integers", "dtype": str(ids.dtype)}
    low, high = (int(ids[0]), int(ids[-1])) if ids.size else (0, 0)
    may_be_range = high - low == ids.size - 1 and high < 1 << 63
    if may_be_range and bool((ids[1:] > ids[:-1]).all()):
        return header | {"ids": "range", "low": low}, {}
    wide = np.uint64 if ids.dtype == np.uint64 else np.int64  # archives lack int8, int16, uint16
    return header, {"ids": ids.astype(wide, copy=False)}


def _edge_arrays(answer: Answer, name: str, columns: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays that store the edges in ``columns``, named ``{name}_{column}``."""
    ends, others = rows_of_ends(answer, columns)
    others = {key: answer.backend.asarray(column) for key, column in others.items()}
    arrays = {"row": others["row"]}
    if "weight" in others:
        # as bytes, because archives have no floats; the header has the type
        arrays["weight"] = others["weight"].view(np.uint8)
    arrays |= zip(ENDS, ends, strict=True)
    return {f"{name}_{key}": answer.backend.to_host(array) for key, array in arrays.items()}


def read(path: str | os.PathLike[str], engine: str | None) -> Answer:
    """Return the answer in a file; raise a FormatError unless the file is a saved answer."""
    header, arrays = archive.read(path)
    if header.get("format") != FORMAT:
        version = str(header.get("format"))[:80]
        hint = (
            "load it with Connectivity.load()"
            if version.startswith(CONNECTIVITY_FORMAT)
            else "save the answer again with this version"
        )
        raise FormatError(
            f"{path} has format {version!r}, but Components.load reads {FORMAT!r}: {hint}"
        )
    try:
        return _answer_of_file(header, arrays, engine)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise FormatError(
            f"{path} is not a file of Components.save(), or is damaged ({error}): save it again"
        ) from error


def parts_on_host(ids: list[Column]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the header values and the arrays that store columns of ids on the host."""
    backend = backends.get("threads")
    with backend.scope():
        return [_stored_column(column, backend) for column in ids]


def of_columns(
    ids: list[Column], parent: Array, header: dict[str, Any], engine: str | None
) -> Answer:
    """Return the answer that has the given ids and components.

    ``ids`` are the columns of the n ids on the host. ``parent``, an (n,) array of integers, has the
    row of the least id of each vertex's component. The header has the ``facts`` of the run, and
    ``answers``, the kind of frames. Raise a ValueError unless the ids are distinct and sorted.
    """
    columns = parts_on_host(ids)
    arrays = {"parent": parent.astype(_row_dtype(parent.size))}
    for k, (_, arrays_of_column) in enumerate(columns):
        arrays |= {f"{k}_{name}": array for name, array in arrays_of_column.items()}
    column_headers = [column_header for column_header, _ in columns]
    defaults = {"labels": "min", "dropped": 0, "taken": [], "columns": column_headers}
    return _answer_of_file(defaults | header, arrays, engine)


def _answer_of_file(header: dict[str, Any], arrays: dict[str, Any], engine: str | None) -> Answer:
    """Return the answer of a file; raise an error if the header or the arrays are invalid."""
    parent = arrays["parent"]
    check_parents(parent)
    given = _given_of(header)
    backend = backends.get(engine or ("cuda" if given.on_device else "threads"))
    with backend.scope():
        decoder = _decoder(header["columns"], arrays, int(parent.size), given, backend)
        forest = Forest(backend, int(parent.size), all_present=True)
        forest.parent[:] = backend.asarray(parent)
        forest.count()
        kind, facts = check_labels(header["labels"]), Facts.from_json(header["facts"])
        rows = arrays.get("forest_row")
        forest_edges = None if rows is None else ChosenEdges(backend, backend.asarray(rows))
        answer = Answer(given, backend, decoder, forest, kind, facts, forest_edges)
        if "records" in header:
            answer.linked = Linked.from_json(header["records"])
        if rows is not None:
            weight = header.get("weight")
            must = None  # the ends of must_link, which join vertices as forest edges do
            if "rules" in header:
                ends = _stored_ends(answer, "refused", arrays)
                max_size = header["rules"]["max_size"]
                ruled = Ruled.of_arrays(arrays, ends, max_size, forest.n, backend)
                answer.ruled = ruled.with_columns(_stored_edges(answer, "refused", arrays, weight))
                must = arrays["must_first"], arrays["must_second"]
            check_spanning(*_stored_ends(answer, "forest", arrays), forest, must)
            answer.saved_forest = _stored_edges(answer, "forest", arrays, weight)
    return answer


def _given_of(header: dict[str, Any]) -> EdgeInput:
    """Return the input of a saved answer, without edges: the kind of frames, and facts of files."""
    are_strings = [column_header["ids"] == "strings" for column_header in header["columns"]]
    empty = input_from_description(header["answers"], are_strings)
    sources = tuple(
        SourceFormat(**source | {"columns": tuple(source["columns"])}) for source in header["taken"]
    )
    return EdgeInput(
        empty.src,
        empty.dst,
        empty.make_frame,
        empty.on_device,
        dropped_rows=int(header["dropped"]),
        formats=sources,
        bound=WeightBound.from_json(header.get("bound")),
        vertex_names=empty.vertex_names,
        end_names=empty.end_names,
    )


def _stored_ends(answer: Answer, name: str, arrays: dict[str, Any]) -> tuple[Any, Any]:
    """Return the answer's rows of both ends of stored edges; raise a ValueError if invalid."""
    src, dst = (arrays[f"{name}_{end}"] for end in ENDS)
    are_rows = src.dtype == dst.dtype == np.int64 and src.shape == dst.shape
    if are_rows and src.size:
        are_rows = min(src.min(), dst.min()) >= 0 and max(src.max(), dst.max()) < answer.forest.n
    if not are_rows:
        raise ValueError(f"the ends of its {name} edges are not vertices")
    return src, dst


def _stored_edges(
    answer: Answer, name: str, arrays: dict[str, Any], weight: str | None
) -> dict[str, Any]:
    """Return the edges in a file, in columns like those of :meth:`Answer.columns_of_forest`.

    The names of the arrays begin with ``name``, "forest" or "refused". ``weight`` is the type of
    the weights; None without weights. Raise a ValueError if ends, rows or weights are invalid.
    """
    ends, rows = _stored_ends(answer, name, arrays), arrays[f"{name}_row"]
    ascend = bool((rows[1:] > rows[:-1]).all()) and bool((rows[:1] >= 0).all())
    if rows.dtype != np.int64 or rows.shape != ends[0].shape or not ascend:
        raise ValueError(f"the rows of its {rows.size:,} {name} edges are invalid, or not sorted")
    vertex, columns = answer.rows()[0], {"row": answer.backend.asarray(rows)}
    for end, rows_of_end in zip(ENDS, ends, strict=True):
        columns |= answer.columns(end, vertex[answer.backend.asarray(rows_of_end)])
    if (weight is None) != (answer.facts.greatest is None):
        fault = "lacks weights" if weight is None else "has weights, but was not found by weight"
        raise ValueError(f"its spanning forest {fault}")
    if weight is not None:
        dtype = np.dtype(weight)
        if not is_number(dtype) or dtype.itemsize > 8:
            raise ValueError(f"the weights of its spanning forest are {dtype}")
        weights = arrays[f"{name}_weight"].view(dtype)
        has_nan = bool((weights != weights).any())  # unlike isnan(), this takes integers
        if weights.size != rows.size or has_nan:
            raise ValueError(
                f"it has {weights.size:,} weights for {rows.size:,} {name} edges, or NaN weights"
            )
        columns["weight"] = answer.backend.asarray(weights)
    return {key: answer.home(column) for key, column in columns.items()}


def _decoder(
    columns: list[dict[str, Any]],
    arrays: dict[str, Any],
    n: int,
    given: EdgeInput,
    backend: Backend,
) -> IdDecoder:
    """Return the decoder of n vertices; raise a ValueError unless ids are distinct and sorted.

    ``columns`` are the header values of each id column.
    """
    ids_of_columns = [_ids(header, arrays, k, n) for k, header in enumerate(columns)]
    if len(ids_of_columns) == 1 and columns[0]["ids"] != "strings":
        (ids,) = ids_of_columns
        if isinstance(ids, range):
            return OffsetDecoder(ids.start, np.dtype(columns[0]["dtype"]))
        if n and not (ids[1:] > ids[:-1]).all():
            raise ValueError(f"its {n:,} ids are not distinct and sorted")
        return SortedDecoder.of(backend.asarray(ids))
    dtypes = [header.get("dtype") for header in columns]
    parts = [
        np.arange(part.start, part.stop, dtype=dtype) if isinstance(part, range) else part
        for part, dtype in zip(ids_of_columns, dtypes, strict=True)
    ]
    column = of_key_columns([of("vertex", part) for part in parts])
    # The index numbers ids in the order of their first row; ``places`` lists the numbers by id.
    as_edges = EdgeInput(column, column, NOTHING.make_frame, on_device=False)
    with Lending(as_edges) as (borrowed, _):
        index, (numbers,) = extended(Integers.empty(backend), as_edges, borrowed[:1], backend)
    in_order = np.arange(n)
    distinct = np.array_equal(backend.to_host(numbers), in_order)
    if not (distinct and np.array_equal(backend.to_host(index.places), in_order)):
        raise ValueError(f"its {n:,} ids are not distinct and sorted")
    return index.decoder(given)


def _ids(header: dict[str, Any], arrays: dict[str, Any], k: int, n: int) -> Any:
    """Return the k-th column of n ids: a range, an array of integers, or PyArrow strings."""
    if header["ids"] == "strings":
        return text_of_buffers(arrays[f"{k}_octets"], arrays[f"{k}_offsets"], n)
    if header["ids"] not in ("range", "integers"):
        raise ValueError(f"the kind of its ids is {header['ids']!r}")
    dtype = np.dtype(header["dtype"])
    ids = arrays.get(f"{k}_ids")
    if ids is None:
        ids = range(int(header["low"]), int(header["low"]) + n)
    low = high = 0
    if len(ids):
        low, high = (
            (ids[0], ids[-1]) if isinstance(ids, range) else (int(ids.min()), int(ids.max()))
        )
    if not is_integer(dtype) or low < np.iinfo(dtype).min or high > np.iinfo(dtype).max:
        raise ValueError(f"its ids, from {low:,} to {high:,}, do not fit {dtype}")
    if len(ids) != n:
        raise ValueError(f"it has {len(ids):,} ids for {n:,} vertices")
    return ids if isinstance(ids, range) else ids.astype(dtype)
