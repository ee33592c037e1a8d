"""Checkpoint: the state of incremental connectivity in one file, and back.

An archive of ids in their order (strings as Arrow has them: UTF-8 bytes and offsets), and for each
the place of the least one of its component.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from . import archive
from .algorithms.design import check_batch_design
from .backends import Engine
from .batches import State, kind_of
from .data.column import text_buffers
from .data.frame_kind import given_like, kind_words
from .data.read import NOTHING
from .errors import FormatError
from .graph.forest import Forest
from .ids.growing import Index, Integers, Range, Texts, Tuples

FORMAT = "cc_rapids connectivity 2"


def write(
    path: str | os.PathLike[str], state: State, design: str, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a state, with notes if there are any; an OutputError if that is impossible."""
    own, arrays = _parts(state.index, state.engine)
    words = {
        "format": FORMAT,
        "design": design,
        "edges": state.edges,
        "batches": state.batches,
        "dropped": state.given.dropped,
        "answers": kind_words(state.given),
        **own,
        "notes": notes,
    }
    arrays["parent"] = state.engine.to_host(state.flat().parent)
    archive.write(path, words, arrays)


def _parts(index: Index, engine: Engine) -> tuple[dict[str, Any], dict[str, Any]]:
    """The words and the arrays that an index consists of."""
    if isinstance(index, Range):
        return {"ids": "range", "dtype": str(index.dtype)}, {}
    if isinstance(index, Integers):
        return {"ids": "integers", "dtype": str(index.dtype)}, {"ids": engine.to_host(index.ids)}
    if isinstance(index, Tuples):
        return _parts_of_columns(index, engine)
    octets, offsets = text_buffers(_arrow(index.held))
    return {"ids": "strings"}, {"offsets": offsets, "octets": octets}


def _parts_of_columns(index: Tuples, engine: Engine) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of each column, and of each vertex in the order of the ids which it has there."""
    words: list[Any] = []
    arrays: dict[str, Any] = {}
    for k, (column, ranks) in enumerate(zip(index.columns, index.ranks(), strict=True)):
        own, held = _parts(column, engine)
        words.append(own)
        arrays |= {f"{k}_{name}": value for name, value in held.items()}
        arrays[f"{k}_ranks"] = engine.to_host(ranks)
    return {"ids": "rows", "columns": words}, arrays


def _arrow(held: Any) -> Any:
    return held.to_arrow() if hasattr(held, "to_arrow") else held


def read(path: str | os.PathLike[str], engine: Engine) -> tuple[State, str]:
    """As :func:`read_noted`, without the notes."""
    return read_noted(path, engine)[:2]


def read_noted(
    path: str | os.PathLike[str], engine: Engine
) -> tuple[State, str, dict[str, Any] | None]:
    """The state in a file, on an engine, the name of its design, and the notes.

    Raises
    ------
    FormatError
        There is no such file, or it holds something else.
    """
    words, arrays = archive.read(path)
    if words.get("format") != FORMAT:
        raise FormatError(
            f"{path} is of format {str(words.get('format'))[:80]!r}, and this version of cc_rapids"
            f" reads {FORMAT!r}: save it again by this version, or start anew"
        )
    try:
        check_batch_design(words["design"])
        return _state(words, arrays, engine), words["design"], words["notes"]
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise FormatError(
            f"{path} is no file of Connectivity.save(), or is broken ({error}): save it again"
        ) from error


def _state(words: dict[str, Any], arrays: dict[str, Any], engine: Engine) -> State:
    parent = arrays["parent"]
    check_parents(parent)
    n = int(parent.size)
    counts = {name: int(words[name]) for name in ("edges", "batches", "dropped")}
    if min(counts.values()) < 0:
        raise ValueError("a count is negative")
    index = _index(words, arrays, n, engine)
    given = kind_of(given_like(words["answers"], index.kinds), None)
    forest = Forest(engine, n, everyone=True)
    forest.parent[:] = engine.asarray(parent)
    given = replace(given, dropped=counts["dropped"])
    return State(engine, index, forest, given, counts["edges"], counts["batches"])


def check_parents(parent: Any) -> None:
    """Raise a ValueError unless an array holds a flat forest: for each vertex the least of its
    tree. A climb in any other might leave the array, or never end.
    """
    if parent.dtype != (np.uint32 if parent.size < 1 << 32 else np.uint64):
        raise ValueError(f"its {parent.size:,} labels are {parent.dtype}")
    wrong = parent > np.arange(parent.size, dtype=parent.dtype)
    if not wrong.any():
        wrong = parent[parent] != parent
    if wrong.any():
        v = int(np.argmax(wrong))
        raise ValueError(
            f"the label of vertex {v:,} is {parent[v]:,}, which is not the least of its component"
        )


def _index(words: dict[str, Any], arrays: dict[str, Any], n: int, engine: Engine) -> Index:
    """The index over n vertices in the order of their ids."""
    if words["ids"] == "range":
        return Range(n, _type_of(words["dtype"], 0, max(n - 1, 0)))
    if words["ids"] == "integers":
        return _integers(arrays["ids"], words["dtype"], n, engine)
    if words["ids"] == "rows":
        return _tuples(words["columns"], arrays, n, engine)
    if words["ids"] != "strings":
        raise ValueError(f"ids of kind {words['ids']!r}")
    return _texts(arrays["offsets"], arrays["octets"], n, engine)


def _type_of(name: str, low: int, high: int) -> np.dtype[Any]:
    """The type of ids from ``low`` to ``high``, if it is one that holds them."""
    dtype = np.dtype(name)
    if dtype.kind not in "iu" or low < np.iinfo(dtype).min or high > np.iinfo(dtype).max:
        raise ValueError(f"its ids, from {low:,} to {high:,}, are said to be {dtype}")
    return dtype


def _integers(ids: Any, dtype: str, n: int, engine: Engine) -> Integers:
    if ids.shape != (n,) or ids.dtype not in (np.int64, np.uint64) or (ids[1:] <= ids[:-1]).any():
        raise ValueError(f"its ids are not {n:,} different ones in their order")
    places = engine.xp.arange(n, dtype=np.uint32 if n < 1 << 32 else np.uint64)
    own = _type_of(dtype, int(ids[0]), int(ids[-1])) if n else None
    return Integers(engine.asarray(ids), places, own)


def _texts(offsets: Any, octets: Any, n: int, engine: Engine) -> Index:
    import pyarrow as pa

    whole = offsets.dtype == np.int64 and octets.dtype == np.uint8 and offsets.size == n + 1
    if not whole or offsets[0] or offsets[-1] != octets.size or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"its {octets.size:,} bytes of text are not those of {n:,} ids")
    held = pa.LargeStringArray.from_buffers(n, pa.py_buffer(offsets), pa.py_buffer(octets))
    held.validate(full=True)
    none = Texts(None, None, engine.empty(0, np.uint32))
    index, (numbers,) = none.extend(NOTHING, [held], engine)
    if index.n != n or (engine.to_host(numbers) != np.arange(n)).any():
        raise ValueError(f"its ids are not {n:,} different strings in their order")
    return index


def _tuples(columns: list[Any], arrays: dict[str, Any], n: int, engine: Engine) -> Tuples:
    held: list[Integers | Texts] = []
    ranks = []
    for k, words in enumerate(columns):
        own = {name: arrays[name] for name in arrays if name.startswith(f"{k}_")}
        own = {name.removeprefix(f"{k}_"): array for name, array in own.items()}
        size = int(own["offsets"].size - 1 if words["ids"] == "strings" else own["ids"].size)
        column, rank = _index(words, own, size, engine), own["ranks"]
        if rank.shape != (n,) or rank.dtype != np.int64 or not isinstance(column, Integers | Texts):
            raise ValueError(f"its column {k} is not that of {n:,} ids")
        if n and not 0 <= rank.min() <= rank.max() < size:
            raise ValueError(f"its column {k} has no values of some ids")
        held.append(column)
        ranks.append(engine.asarray(rank))
    index = Tuples.of(engine, held, ranks)
    if index.n != n or (engine.to_host(index.places) != np.arange(n)).any():
        raise ValueError(f"its ids are not {n:,} different ones in their order")
    return index
