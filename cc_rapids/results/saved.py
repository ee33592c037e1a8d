"""Saving an answer to one file, and loading it.

The file is an archive of the sorted ids by column (strings as in Arrow: UTF-8 bytes and offsets),
the position of the least id of each vertex's component, and the facts of the summary.
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
from ..data.frame_kind import given_like, kind_words
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
from .lookup import rows_of_shown
from .records import Linked
from .rules import Ruled

FORMAT = "cc_rapids components 1"
ENDS = "source", "destination"  # of the edges of a spanning forest
CONNECTIVITY_FORMAT = "cc_rapids connectivity"  # the prefix in files of Connectivity.save()


def write(path: str | os.PathLike[str], answer: Answer) -> None:
    """Write an answer to a file; raise an OutputError if the file cannot be written."""
    if not answer.kind.is_saved:
        raise InputError(
            "the labels of this answer are stable numbers, which save() of an answer does not"
            " store: call save() of the StableIds"
        )
    backend = answer.backend
    with backend.scope():
        columns = [_parts(column, backend) for column in answer.ids()]
        vertex, least = answer.rows()
        first = backend.xp.flatnonzero(vertex == least)
        word = np.uint32 if word_for(int(vertex.size)) == 4 else np.uint64
        arrays = {"parent": backend.to_host(first[answer.dense].astype(word))}
        forest = {} if answer.forest_edges is None else answer.columns_of_forest()
        weights = {"weight": str(forest["weight"].dtype)} if "weight" in forest else {}
        if forest:
            arrays |= _edge_arrays(answer, "forest", forest)
        if answer.ruled is not None:
            arrays |= _edge_arrays(answer, "refused", answer.columns_of_refused())
            arrays |= answer.ruled.arrays(backend)
    for k, (_, arrays_of_column) in enumerate(columns):
        arrays |= {f"{k}_{name}": array for name, array in arrays_of_column.items()}
    words = {
        "format": FORMAT,
        "labels": answer.kind.name,
        "facts": answer.facts.words(),
        "dropped": answer.given.dropped_rows,
        "taken": [asdict(source) for source in answer.given.formats],
        "answers": kind_words(answer.given),
        "bound": answer.given.bound and answer.given.bound.kept(),
        "columns": [arrays_of_column for arrays_of_column, _ in columns],
        **weights,
        **({} if answer.linked is None else {"records": answer.linked.words()}),
        **({} if answer.ruled is None else {"rules": {"max_size": answer.ruled.rules.most}}),
    }
    archive.write(path, words, arrays)


def _parts(column: Column, backend: Backend) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header values and the arrays that store one column of ids."""
    with column.borrow() as ids_of_column:
        if column.strings:
            octets, offsets = text_buffers(
                ids_of_column.to_arrow() if hasattr(ids_of_column, "to_arrow") else ids_of_column
            )
            return {"ids": "strings"}, {"offsets": offsets, "octets": octets}
        ids = backend.to_host(backend.asarray(ids_of_column))
    words = {"ids": "integers", "dtype": str(ids.dtype)}
    low, high = (int(ids[0]), int(ids[-1])) if ids.size else (0, 0)
    may_be_range = high - low == ids.size - 1 and high < 1 << 63
    if may_be_range and bool((ids[1:] > ids[:-1]).all()):
        return words | {"ids": "range", "low": low}, {}
    wide = np.uint64 if ids.dtype == np.uint64 else np.int64
    return words, {"ids": ids.astype(wide, copy=False)}


def _edge_arrays(answer: Answer, name: str, columns: dict[str, Any]) -> dict[str, Any]:
    """Return the named arrays of edges: rows, weights if any, and positions of the ends."""
    ends, others = rows_of_shown(answer, columns)
    others = {key: answer.backend.asarray(column) for key, column in others.items()}
    arrays = {"row": others["row"]}
    if "weight" in others:
        arrays["weight"] = others["weight"].view(np.uint8)
    arrays |= zip(ENDS, ends, strict=True)
    return {f"{name}_{key}": answer.backend.to_host(array) for key, array in arrays.items()}


def read(path: str | os.PathLike[str], engine: str | None) -> Answer:
    """Return the answer in a file.

    Raises
    ------
    FormatError
        The file does not exist, or is not a saved answer.
    """
    words, arrays = archive.read(path)
    if words.get("format") != FORMAT:
        version = str(words.get("format"))[:80]
        hint = (
            "load it with Connectivity.load()"
            if version.startswith(CONNECTIVITY_FORMAT)
            else "save the answer again with this version"
        )
        raise FormatError(
            f"{path} has format {version!r}, but Components.load reads {FORMAT!r}: {hint}"
        )
    try:
        return _answer_of_file(words, arrays, engine)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise FormatError(
            f"{path} is not a file of Components.save(), or is damaged ({error}): save it again"
        ) from error


def parts_on_host(ids: list[Column]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the header values and the arrays that store columns of ids on the host."""
    backend = backends.get("threads")
    with backend.scope():
        return [_parts(column, backend) for column in ids]


def of_columns(
    ids: list[Column], parent: Array, words: dict[str, Any], engine: str | None
) -> Answer:
    """Return the answer with the given ids and components.

    Parameters
    ----------
    ids : list of Column
        The columns of the n ids on the host, sorted by id.
    parent : (n,) array of integers
        The row of the least id of each vertex's component.
    words : dict
        The ``facts`` of the run, and ``answers``, the kind of frames.

    Raises
    ------
    ValueError
        The ids are not distinct or not sorted.
    """
    columns = parts_on_host(ids)
    word = np.uint32 if word_for(int(parent.size)) == 4 else np.uint64
    arrays = {"parent": parent.astype(word)}
    for k, (_, arrays_of_column) in enumerate(columns):
        arrays |= {f"{k}_{name}": array for name, array in arrays_of_column.items()}
    defaults = {"labels": "min", "dropped": 0, "taken": [], "columns": [w for w, _ in columns]}
    return _answer_of_file(defaults | words, arrays, engine)


def _answer_of_file(words: dict[str, Any], arrays: dict[str, Any], engine: str | None) -> Answer:
    """Return the answer with the header values and the arrays of a file, all checked."""
    parent = arrays["parent"]
    check_parents(parent)
    kinds = [column_words["ids"] == "strings" for column_words in words["columns"]]
    like = given_like(words["answers"], kinds)
    sources = tuple(
        SourceFormat(**column_words | {"columns": tuple(column_words["columns"])})
        for column_words in words["taken"]
    )
    given = EdgeInput(
        like.src,
        like.dst,
        like.make_frame,
        like.on_device,
        dropped_rows=int(words["dropped"]),
        formats=sources,
        bound=WeightBound.of_kept(words.get("bound")),
        vertex_names=like.vertex_names,
        end_names=like.end_names,
    )
    backend = backends.get(engine or ("cuda" if given.on_device else "threads"))
    with backend.scope():
        decoder = _decoder(words["columns"], arrays, int(parent.size), given, backend)
        forest = Forest(backend, int(parent.size), all_present=True)
        forest.parent[:] = backend.asarray(parent)
        forest.count()
        kind, facts = check_labels(words["labels"]), Facts.of_words(words["facts"])
        rows = arrays.get("forest_row")
        chosen = None if rows is None else ChosenEdges(backend, backend.asarray(rows))
        answer = Answer(given, backend, decoder, forest, kind, facts, chosen)
        if "records" in words:
            answer.linked = Linked.of_words(words["records"])
        if rows is not None:
            weight = words.get("weight")
            must = None
            if "rules" in words:
                ends = _ends(answer, "refused", arrays)
                most = words["rules"]["max_size"]
                ruled = Ruled.of_arrays(arrays, ends, most, forest.n, backend)
                answer.ruled = ruled.with_columns(_columns(answer, "refused", arrays, weight))
                must = arrays["must_first"], arrays["must_second"]
            check_spanning(*_ends(answer, "forest", arrays), forest, must)
            answer.saved_forest = _columns(answer, "forest", arrays, weight)
    return answer


def _type_of_weights(name: Any) -> Any:
    """Return a type of weights by name; raise a ValueError unless it is numeric, up to 64 bits."""
    dtype = np.dtype(name)
    if not is_number(dtype) or dtype.itemsize > 8:
        raise ValueError(f"the weights of its spanning forest are {dtype}")
    return dtype


def _ends(answer: Answer, name: str, arrays: dict[str, Any]) -> tuple[Any, Any]:
    """Return the positions of both ends of the named edges; raise a ValueError if invalid."""
    src, dst = (arrays[f"{name}_{end}"] for end in ENDS)
    sound = src.dtype == dst.dtype == np.int64 and src.shape == dst.shape
    if sound and src.size:
        sound = min(src.min(), dst.min()) >= 0 and max(src.max(), dst.max()) < answer.forest.n
    if not sound:
        raise ValueError(f"the ends of its {name} edges are not vertices")
    return src, dst


def _columns(
    answer: Answer, name: str, arrays: dict[str, Any], weight: str | None
) -> dict[str, Any]:
    """Return the columns of the named edges in a file: those of the forest, or the refused ones.

    Parameters
    ----------
    weight : str, optional
        The type of the weights; None without weights.

    Raises
    ------
    ValueError
        Ends, rows or weights are invalid.
    """
    places, rows = _ends(answer, name, arrays), arrays[f"{name}_row"]
    falls = bool((rows[1:] <= rows[:-1]).any()) or bool((rows[:1] < 0).any())
    if rows.dtype != np.int64 or rows.shape != places[0].shape or falls:
        raise ValueError(f"the rows of its {name} edges are not {rows.size:,} ascending ones")
    vertex, columns = answer.rows()[0], {"row": answer.backend.asarray(rows)}
    for end, place in zip(ENDS, places, strict=True):
        columns |= answer.columns(end, vertex[answer.backend.asarray(place)])
    if (weight is None) != (answer.facts.greatest is None):
        raise ValueError(
            "its spanning forest has weights although it is not by weight, or the reverse"
        )
    if weight is not None:
        weights = arrays[f"{name}_weight"].view(_type_of_weights(weight))
        if weights.size != rows.size or bool((weights != weights).any()):
            raise ValueError(f"its {weights.size:,} weights are not one for each {name} edge")
        columns["weight"] = answer.backend.asarray(weights)
    return {name: answer.home(column) for name, column in columns.items()}


def _decoder(
    columns: list[dict[str, Any]],
    arrays: dict[str, Any],
    n: int,
    given: EdgeInput,
    backend: Backend,
) -> IdDecoder:
    """Return the decoder of n vertices; raise a ValueError unless ids are distinct and sorted."""
    ids_of_columns = [_ids(column_words, arrays, k, n) for k, column_words in enumerate(columns)]
    if len(ids_of_columns) == 1 and columns[0]["ids"] != "strings":
        (ids,) = ids_of_columns
        if isinstance(ids, range):
            return OffsetDecoder(ids.start, np.dtype(columns[0]["dtype"]))
        if n and not (ids[1:] > ids[:-1]).all():
            raise ValueError(f"its ids are not {n:,} different ones in their order")
        return SortedDecoder.of(backend.asarray(ids))
    dtypes = [column_words.get("dtype") for column_words in columns]
    parts = [
        np.arange(part.start, part.stop, dtype=dtype) if isinstance(part, range) else part
        for part, dtype in zip(ids_of_columns, dtypes, strict=True)
    ]
    column = of_key_columns([of("vertex", part) for part in parts])
    rows = EdgeInput(column, column, NOTHING.make_frame, False)
    with Lending(rows) as (borrowed, _):
        index, numbered = extended(Integers.empty(backend), rows, borrowed[:1], backend)
    order: Array = backend.to_host(numbered[0])
    if index.n != n or not np.array_equal(order, np.arange(n)):
        raise ValueError(f"its ids are not {n:,} different ones in their order")
    return index.decoder(given)


def _ids(words: dict[str, Any], arrays: dict[str, Any], k: int, n: int) -> Any:
    """Return one column of n ids: a range, an array of integers, or PyArrow strings."""
    if words["ids"] == "strings":
        return text_of_buffers(arrays[f"{k}_octets"], arrays[f"{k}_offsets"], n)
    if words["ids"] not in ("range", "integers"):
        raise ValueError(f"ids of kind {words['ids']!r}")
    dtype = np.dtype(words["dtype"])
    ids = arrays.get(f"{k}_ids")
    if ids is None:
        ids = range(int(words["low"]), int(words["low"]) + n)
    low, high = _bounds(ids)
    if not is_integer(dtype) or low < np.iinfo(dtype).min or high > np.iinfo(dtype).max:
        raise ValueError(f"its ids, from {low:,} to {high:,}, do not fit {dtype}")
    if len(ids) != n:
        raise ValueError(f"its {len(ids):,} ids are not those of {n:,} vertices")
    return ids if isinstance(ids, range) else ids.astype(dtype)


def _bounds(ids: Any) -> tuple[int, int]:
    """Return the least and the greatest id; 0 and 0 if there is none."""
    if not len(ids):
        return 0, 0
    return (ids[0], ids[-1]) if isinstance(ids, range) else (int(ids.min()), int(ids.max()))
