"""Choose the columns that hold the two ends of edges, by their names.

:func:`end_columns` chooses for files, frames, datasets and streams. Columns that the caller names
must exist. By default, a known pair of names is chosen, or the only two columns. A table with more
than two columns raises an error unless it has exactly one known pair. If a table with the pair
``unique_id_l`` and ``unique_id_r`` also has the columns ``source_dataset_l`` and
``source_dataset_r``, these two are part of the ids, because ids are unique only within a dataset.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from ..errors import InputError, MissingColumnError, counted, listed
from .key_names import SEPARATORS, Affixes, splits

Side = str | list[str]  # the column of one end of each edge, or several that are one id
KNOWN_PAIRS = (
    ("src", "dst"),
    ("source", "target"),
    ("source", "destination"),
    ("from", "to"),
    ("left", "right"),
    ("head", "tail"),
    ("u", "v"),
    ("node1", "node2"),
    ("fromnodeid", "tonodeid"),
    ("id1", "id2"),
    ("id_1", "id_2"),
    ("id_a", "id_b"),
    ("id_l", "id_r"),
    ("unique_id_l", "unique_id_r"),
    ("rec_id_1", "rec_id_2"),
    ("left_id", "right_id"),
    ("id_left", "id_right"),
)
DATASETS = (  # the names of columns that hold the dataset of an id
    *("source_dataset", "dataset", "dataset_id", "dataset_name", "data_set", "source", "z_source"),
    *("source_table", "table", "table_name", "data_source", "datasource", "source_system"),
)
# DATASETS without names that contain a shorter one: a text without _ROOTS contains no dataset
_ROOTS = [word for word in DATASETS if not any(w in word and w != word for w in DATASETS)]
LABELS = ("vertex", "labels")  # the columns of label files, which are read as edges
KNOWN_NAMES = frozenset((*(name for pair in KNOWN_PAIRS for name in pair), *LABELS))

_KEY = re.compile(r"(?<![^/])([^/=]+)=[^/]*/")  # a Hive partition in a path

_LONGEST_LIST = 180  # the maximum number of characters of names in a message
_LONGEST_NAME = 40
NAME_THEM = "name the two columns of ids with source= and destination= (--source, --destination)"


@lru_cache(256, typed=True)
def end_columns(
    what: str,
    names: tuple[Any, ...],
    source: str | None,
    destination: str | None,
    weight: str | None = None,
) -> tuple[Side, Side]:
    """Return the columns of the two ends of an edge; each is a name, or a list of names.

    ``what`` is the name of the edges in errors, and ``names`` are the names of all columns.
    ``source`` and ``destination`` are the columns that the caller named, or None. The column
    ``weight`` is chosen as an end only if the caller named it as an end, or if there is no other
    known pair.

    Raises
    ------
    MissingColumnError
        A column does not exist, or the choice is ambiguous. The error lists the columns. The
        error is also raised if the name of an end is the key of a partitioned folder.
    InputError
        Both ends are the same column, or several columns have the name of an end.
    """
    if source is not None and source == destination:
        raise _one_column(what, names, source)
    for name in (source, destination):
        if name is not None:
            place_of(what, names, name)
    if source is not None and destination is not None:
        return source, destination
    named_end = destination if source is None else source
    # keys of partitioned folders are not in files, but may be meant as ends: these raise an error
    keys = partition_keys(what, names)
    known_keys = [key for key in keys if key.lower() in KNOWN_NAMES]
    pair = _known_pair(what, (*names, *known_keys), named_end, weight)
    datasets = None if pair is None else _dataset_columns(what, (*names, *keys), pair)
    end_names = known_keys if pair is None else [*pair, *(datasets or ())]
    for key in keys:
        if key in end_names:
            raise MissingColumnError(f"{what} {_key_message(key)}; it has {naming(names)}")
    if pair is None:
        pair = _only_pair(names, named_end, weight)
    if pair is None:
        unnamed = "destination" if destination is None else "source"
        raise _no_pair(what, names, named_end, unnamed)
    if named_end is not None and datasets is not None:
        raise InputError(
            f"{what}: {_quoted(named_end)} is one of several columns of an id, beside"
            f" {listed(list(datasets))}: name both ends, with source= and destination="
        )
    if pair[0] == pair[1]:
        raise _one_column(what, names, pair[0])
    if datasets is not None:
        return [datasets[0], pair[0]], [datasets[1], pair[1]]
    # a named end may be the second of a pair as a source, or the first as a destination
    is_swapped = source == pair[1] if destination is None else destination == pair[0]
    return pair[::-1] if is_swapped else pair


def _only_pair(
    names: Sequence[Any], named_end: str | None, weight: str | None
) -> tuple[str, str] | None:
    """Return the only two columns of a table besides the weights; None if there are not two."""
    candidates = [name for name in names if name != weight or name == named_end]
    if len(candidates) == 2 and all(isinstance(name, str) for name in candidates):
        return candidates[0], candidates[1]
    return None


def _no_pair(
    what: str, names: Sequence[Any], named_end: str | None, argument: str
) -> MissingColumnError:
    """Return the error if the ids are unclear; ``argument`` would name the end not yet named."""
    if named_end is None:
        return MissingColumnError(
            f"{what} has {counted(len(names), 'column')} and no known pair of names: which two"
            f" columns are the ids? {NAME_THEM}; it has {naming(names)}"
        )
    return MissingColumnError(
        f"{what}: one end of the edges is column {_quoted(named_end)}, but nothing determines the"
        f" other end: name it with {argument}= (--{argument}); it has {naming(names)}"
    )


def _one_column(what: str, names: Sequence[Any], name: str) -> InputError:
    """Return the error for a column that is both ends of the edges."""
    return InputError(
        f"{what}: source and destination are the same column {_quoted(name)}: an edge has two ends,"
        f" in two columns; it has {naming(names)}"
    )


def _known_pair(
    what: str, names: Sequence[Any], named_end: str | None, weight: str | None
) -> tuple[str, str] | None:
    """Return the known pair of names among the columns of a table; None if there is none.

    If one end is named, only pairs that include ``named_end`` are considered. A pair that includes
    ``weight`` is chosen only if there is no other pair. Exact names are preferred to names that
    differ in upper and lower case.
    """
    lower = [name.lower() if isinstance(name, str) else None for name in names]
    matches: list[tuple[str, str]] = []
    for known_pair in KNOWN_PAIRS:
        columns_of_ends = []
        for known in known_pair:
            compared = names if known in names else lower  # the exact name is preferred
            columns = [name for name, word in zip(names, compared, strict=True) if word == known]
            columns_of_ends.append(columns)
        left, right = columns_of_ends
        if not (left and right) or (named_end is not None and named_end not in (*left, *right)):
            continue
        for known, columns in zip(known_pair, columns_of_ends, strict=True):
            if len(columns) > 1:
                raise InputError(
                    f"{what} has {len(columns)} columns called {_quoted(known)}: rename one, or"
                    f" {NAME_THEM}"
                )
        matches.append((left[0], right[0]))
    if len(matches) > 1 and weight is not None:
        matches = [pair for pair in matches if weight not in pair]
    if len(matches) > 1:
        pairs = " or ".join(f"{a} and {b}" for a, b in matches)
        raise MissingColumnError(
            f"{what} has {len(matches)} known pairs of names: which two columns are the ids,"
            f" {pairs}? {NAME_THEM}"
        )
    return matches[0] if matches else None


def _dataset_columns(
    what: str, names: Sequence[Any], pair: tuple[str, str]
) -> tuple[str, str] | None:
    """Return the two columns with the datasets of the ids, if ids are unique only within a dataset.

    ``pair`` is the known pair of columns of ids. Without columns of datasets, the result is None.
    The columns of datasets have the affixes of the known pair, such as ``_l`` and ``_r``; the
    remaining part of their names is one of ``DATASETS``. Raise an error if only one end has such a
    column, or if an end has several. A pair such as src and dst has no affixes; two columns such as
    ``src_dataset`` and ``dst_dataset`` then raise an error, because their meaning is unclear.
    """
    pairs_of_datasets: list[tuple[str, str]] = []
    originals = {name.lower(): name for name in names if isinstance(name, str)}
    left, right = (name.lower() for name in pair)
    for word in DATASETS:
        for candidates in _possible_names(left, right, word):
            present = [originals[name] for name in candidates if name in originals]
            # beside a pair without affixes, such as src and dst, a single column is no error
            if len(present) == 1 and _affixes(left, right):
                lacking = next(name for name in candidates if name not in originals)
                raise MissingColumnError(
                    f"{what} has {_quoted(present[0])} beside {pair[0]} and {pair[1]}, but no"
                    f" {_quoted(lacking)}: {NAME_THEM}"
                )
            if len(present) == 2:
                pairs_of_datasets.append((present[0], present[1]))
    if len(pairs_of_datasets) > 1 or (pairs_of_datasets and not _affixes(left, right)):
        pairs = "; ".join(f"{a} and {b}" for a, b in pairs_of_datasets)
        raise MissingColumnError(
            f"{what} has columns of datasets beside {pair[0]} and {pair[1]} ({pairs}), which may be"
            " part of the ids: name the columns with source= and destination= (--source,"
            " --destination), as lists where an id has several"
        )
    return pairs_of_datasets[0] if pairs_of_datasets else None


def may_name_datasets(head: bytes) -> bool:
    """Return whether the first bytes of a text may name a column of datasets for each end."""
    text = head.replace(b"\0", b"").lower()  # UTF-16 has a zero byte beside each letter
    return any(text.count(word.encode()) > 1 for word in _ROOTS)


def _possible_names(left: str, right: str, word: str) -> list[tuple[str, str]]:
    """Return the names that the columns of datasets beside ``left`` and ``right`` may have.

    ``word`` is the part of these names that means a dataset.
    """
    affixes = _affixes(left, right)
    if affixes is None:
        return [(f"{left}_{word}", f"{right}_{word}"), (f"{word}_{left}", f"{word}_{right}")]
    if affixes.are_suffixes:  # Affixes stores suffixes backwards
        return [(word + affixes.left[::-1], word + affixes.right[::-1])]
    return [(affixes.left + word, affixes.right + word)]


def _affixes(left: str, right: str) -> Affixes | None:
    """Return the shortest affixes by which two names differ, with separators, or None."""
    stems = {key: stem for key, stem in splits(left, right) if stem.strip(SEPARATORS) == stem}
    return max(stems, key=lambda affixes: len(stems[affixes]), default=None)  # the longest stem


def sides_of(*sides: Any) -> list[list[Any]]:
    """Return the columns of each side as a list; a side may be the name of a single column."""
    return [side if isinstance(side, list) else [side] for side in sides]


def place_of(what: str, names: Sequence[Any], name: Any) -> int:
    """Return the position of column ``name`` among the columns.

    Raises
    ------
    MissingColumnError
        No column has the name. The error suggests the most similar name, and lists all names.
    InputError
        Several columns have the name.
    """
    if name not in names:
        raise MissingColumnError(f"{missing_message(what, names, name)}; it has {naming(names)}")
    if names.count(name) > 1:
        raise InputError(
            f"{what} has {names.count(name)} columns called {_quoted(name)}: rename one"
        )
    return names.index(name)


def partition_keys(path: str, names: Sequence[Any]) -> list[str]:
    """Return the keys of Hive partitions in a path that are not among the columns of its file.

    ``src=1/0.parquet`` has the key src.
    """
    return [key for key in map(unquote, _KEY.findall(path)) if key not in names]


def check_without_header(path: str, names: Sequence[str]) -> None:
    """Raise a MissingColumnError if a file without header is in a folder such as ``src=1``.

    An end of the edges may be meant to be this key. ``names`` are the numbered columns of the file.
    """
    for key in partition_keys(path, ()):
        if key.lower() in KNOWN_NAMES:
            raise MissingColumnError(
                f"{path} {_key_message(key)}; it has no header: {naming(names)}"
            )


def _key_message(name: str) -> str:
    """Return the message, without the path, for a name that is a key of a folder, not a column."""
    return (
        f"has {_quoted(name)} as the key of a partitioned folder, but not as a column: pass"
        " pyarrow.dataset.dataset(folder, partitioning='hive'), in which keys are columns, or name"
        " columns of the files with source= and destination= (--source, --destination)"
    )


def missing_message(what: str, names: Sequence[Any], name: Any) -> str:
    """Return the message for a column that does not exist, with the most similar existing name."""
    if name in partition_keys(what, names):
        return f"{what} {_key_message(name)}"
    near = difflib.get_close_matches(str(name), list(map(str, names)), n=1)
    hint = f"; did you mean {_quoted(near[0])}?" if near else ""
    return f"{what} has no column {_quoted(name)}{hint}"


def is_known_pair(names: Sequence[str]) -> bool:
    """Return whether two columns are one of ``KNOWN_PAIRS``, in any case and order."""
    return {name.lower() for name in names} in [set(pair) for pair in KNOWN_PAIRS]


def naming(names: Iterable[Any]) -> str:
    """Return column names for a message; a long list is cut, and ends with the number of names."""
    names, letters = list(names), 0
    shown: list[str] = []
    for name in names:
        name = _short(str(name))
        letters += len(name) + 2
        if letters > _LONGEST_LIST:
            return f"{', '.join(shown)}, ... ({len(names):,} in all)"
        shown.append(name)
    return ", ".join(shown) or "none"


def _short(name: str) -> str:
    name = name or "''"  # an empty name would be invisible
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."


def _quoted(name: object) -> str:
    return repr(_short(name) if isinstance(name, str) and name else name)
