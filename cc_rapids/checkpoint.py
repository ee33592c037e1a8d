"""Checkpoint: the state of incremental connectivity in one file, and back.

A NumPy archive (npz) without pickled objects: ids in their order (strings as UTF-8 bytes and
offsets), and for each the place of the least one of its component.
"""

from __future__ import annotations

import os
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from . import frames
from .batches import State
from .engines import Engine
from .errors import FormatError
from .forest import Forest
from .index import Index, Integers, Range, Texts, Tuples
from .inputs import check_design

FORMAT = "cc_rapids connectivity 1"


def write(path: str | os.PathLike[str], state: State, design: str, notes: str = "") -> None:
    """Write a state, with notes if there are any, under a temporary name, and rename it."""
    parts = {
        "format": np.array(FORMAT),
        "design": np.array(design),
        "counts": np.array([state.edges, state.batches], np.int64),
        "parent": state.engine.to_host(state.flat().parent),
        **_arrays(state.index, state.engine),
        **({"notes": np.array(notes)} if notes else {}),
    }
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(beside, "wb") as file:
            np.savez(file, **parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _arrays(index: Index, engine: Engine) -> dict[str, Any]:
    if isinstance(index, Range):
        return {"kind": np.array("range"), "dtype": np.array(str(index.dtype))}
    if isinstance(index, Integers):
        ids = engine.to_host(index.ids)
        return {"kind": np.array("integers"), "dtype": np.array(str(index.dtype)), "ids": ids}
    if isinstance(index, Tuples):
        return _arrays_of_columns(index, engine)
    held = index.held.to_arrow() if hasattr(index.held, "to_arrow") else index.held
    words = [] if held is None else [word.encode() for word in held.to_pylist()]
    ends = np.cumsum([0, *map(len, words)], dtype=np.int64)
    octets = np.frombuffer(b"".join(words), np.uint8)
    return {"kind": np.array("strings"), "ends": ends, "octets": octets}


def _arrays_of_columns(index: Tuples, engine: Engine) -> dict[str, Any]:
    """The values of each column, and of each vertex in the order of the ids which it has there."""
    arrays = {"kind": np.array("rows"), "width": np.array(index.width)}
    for k, (column, ranks) in enumerate(zip(index.columns, index.ranks(), strict=True)):
        arrays[f"{k}_ranks"] = engine.to_host(ranks)
        arrays |= {f"{k}_{name}": value for name, value in _arrays(column, engine).items()}
    return arrays


def read(path: str | os.PathLike[str], engine: Engine) -> tuple[State, str]:
    """As :func:`read_noted`, without the notes."""
    return read_noted(path, engine)[:2]


def read_noted(path: str | os.PathLike[str], engine: Engine) -> tuple[State, str, str]:
    """The state in a file, on an engine, the name of its design, and the notes.

    Raises
    ------
    FormatError
        There is no such file, or it holds something else.
    """
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            parts = {name: archive[name] for name in archive.files}
        if str(parts["format"]) != FORMAT:
            raise FormatError(f"{path} is of format {str(parts['format'])!r}, not {FORMAT!r}")
        design = str(parts["design"])
        check_design(design)
        return _state(parts, engine), design, str(parts.get("notes", ""))
    except FileNotFoundError as error:
        raise FormatError(f"there is no file {path}") from error
    except FormatError:
        raise
    except (OSError, ValueError, LookupError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(
            f"{path} is no file of Connectivity.save(), or is broken ({error}): save it again"
        ) from error


def _state(parts: dict[str, Any], engine: Engine) -> State:
    parent = parts["parent"]
    n = int(parent.size)
    place = np.arange(n, dtype=parent.dtype)
    if parent.dtype not in (np.uint32, np.uint64) or parent.ndim != 1:
        raise ValueError(f"its labels are {parent.dtype} of shape {parent.shape}")
    if (parent > place).any() or (parent[parent] != parent).any():
        raise ValueError("its labels are not those of components")
    index, given = _index(parts, n, engine)
    forest = Forest(engine, n, everyone=True)
    forest.parent[:] = engine.asarray(parent)
    edges, batches = map(int, parts["counts"])
    return State(engine, index, forest, given, edges, batches)


def _index(parts: dict[str, Any], n: int, engine: Engine) -> tuple[Index, Any]:
    """The index over n vertices in the order of their ids, and what answers are like: arrays."""
    kind, ids = str(parts["kind"]), np.empty(0, np.int64)
    if kind == "range":
        return Range(n, np.dtype(str(parts["dtype"]))), plain(ids)
    places = engine.xp.arange(n, dtype=np.uint32 if n < 1 << 32 else np.uint64)
    if kind == "integers":
        ids = parts["ids"]
        if (
            ids.shape != (n,)
            or ids.dtype not in (np.int64, np.uint64)
            or (ids[1:] <= ids[:-1]).any()
        ):
            raise ValueError(f"its ids are not {n:,} different ones in their order")
        dtype = np.dtype(str(parts["dtype"])) if n else None
        return Integers(engine.asarray(ids), places, dtype), plain(ids[:0])
    if kind == "rows":
        return _index_of_columns(parts, n, engine)
    if kind != "strings":
        raise ValueError(f"ids of kind {kind!r}")
    ends, octets = parts["ends"], parts["octets"].tobytes()
    words = np.array([octets[i:j].decode() for i, j in pairwise(ends)], str)
    given = plain(words)
    none = Texts(None, None, engine.empty(0, np.uint32))
    with given.src.lend() as column:
        index, _ = none.extend(given, [column], engine)
    if index.n != n:
        raise ValueError(f"its ids are not {n:,} different strings")
    return index, plain(words[:0])


def _index_of_columns(parts: dict[str, Any], n: int, engine: Engine) -> tuple[Index, Any]:
    """The same where ids have several columns: answers are like PyArrow's tables."""
    columns: list[Integers | Texts] = []
    ranks = [parts[f"{k}_ranks"] for k in range(int(parts["width"]))]
    for k, rank in enumerate(ranks):
        own = {
            name.removeprefix(f"{k}_"): parts[name] for name in parts if name.startswith(f"{k}_")
        }
        size = int(own["ends"].size - 1 if str(own["kind"]) == "strings" else own["ids"].size)
        column, _ = _index(own, size, engine)
        if rank.shape != (n,) or rank.dtype != np.int64 or not isinstance(column, Integers | Texts):
            raise ValueError(f"its column {k} is not that of {n:,} ids")
        if n and not 0 <= rank.min() <= rank.max() < size:
            raise ValueError(f"its column {k} has no values of some ids")
        columns.append(column)
    index = Tuples.of(engine, columns, [engine.asarray(rank) for rank in ranks])
    if index.n != n or (engine.to_host(index.places) != np.arange(n)).any():
        raise ValueError(f"its ids are not {n:,} different ones in their order")
    return index, like_tables(index)


def like_tables(index: Index) -> Any:
    """What a caller who gives tables of PyArrow's would have given for an index."""
    import pyarrow as pa

    columns = index.columns if isinstance(index, Tuples) else [index]
    kinds = [pa.string() if column.strings else pa.int64() for column in columns]
    source, destination = ([f"{side}{k}" for k in range(len(kinds))] for side in ("src", "dst"))
    none = [pa.array([], kind) for kind in [*kinds, *kinds]]
    table = pa.table(none, names=[*source, *destination])
    return frames.read(table, source, destination, None, None, "raise")


def plain(ids: Any) -> Any:
    """What a caller who gives an array of ids would have given."""
    return frames.read((ids, ids), "src", "dst", None, None, "raise")
