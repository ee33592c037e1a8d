"""Names of vertex columns in answers, for ids of several columns.

If the caller passes a frame as ``vertices=``, its column names are used. Without such a frame, if
the names of both ends differ only by a prefix or suffix (``src_kind``, ``dst_kind``), the common
part is used (``kind``). Otherwise the names of the source columns are used. If a name could be
confused with another column of an answer, the columns are numbered: ``0_vertex``, ``1_vertex``, ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

SEPARATORS = "_.- "
COLUMNS_OF_ANSWERS = (
    *("vertex", "labels", "size", "row", "source", "destination", "before", "after", "components"),
    "color",
)


class Affixes(NamedTuple):
    """The prefixes or suffixes by which the names of two columns differ.

    Suffixes are spelled backwards, so that each affix ends at the common stem of the names.
    """

    are_suffixes: bool
    left: str
    right: str


def key_names_of(sources: Sequence[Any], destinations: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of the vertex columns of answers; () if these columns are numbered.

    ``sources`` and ``destinations`` are the names of the columns of both ends of an edge.

    Examples
    --------
    >>> key_names_of(["src_kind", "src_id"], ["dst_kind", "dst_id"])
    ('kind', 'id')
    >>> key_names_of(["kind", "id"], ["other", "other_id"])
    ('kind', 'id')
    >>> key_names_of(["id_l", "labels"], ["id_r", "labels"])
    ()
    """
    if not all(isinstance(name, str) for name in (*sources, *destinations)):
        return ()
    for names in (_stems(sources, destinations), tuple(sources)):
        if names and are_usable(names):
            return names
    return ()


def are_usable(names: Sequence[Any]) -> bool:
    """Return whether names are distinct, and cannot be confused with other columns of answers."""
    # public_name() makes names such as kind_labels; with "_" before it, labels has a suffix, too
    suffixes = tuple(f"_{column}" for column in COLUMNS_OF_ANSWERS)
    names_are_usable = all(
        isinstance(name, str) and name and not f"_{name}".endswith(suffixes) for name in names
    )
    return names_are_usable and len(set(names)) == len(names)


def public_name(column: str, keys: Sequence[str]) -> str:
    """Return the name that a numbered column such as ``0_vertex`` has in answers.

    ``keys`` are the names of the vertex columns. Other columns keep their name.

    Examples
    --------
    >>> [public_name(name, ["kind", "id"]) for name in ("1_vertex", "0_labels", "size")]
    ['id', 'kind_labels', 'size']
    """
    number, _, name = column.partition("_")
    if not (keys and name and number.isdecimal() and int(number) < len(keys)):
        return column
    key = keys[int(number)]
    return key if name == "vertex" else f"{key}_{name}"


def _stems(sources: Sequence[str], destinations: Sequence[str]) -> tuple[str, ...]:
    """Return the common stem of each pair of names; () unless all pairs have the same affixes.

    The stem of two equal names is the name itself; () is returned if all names are equal.
    """
    pairs = list(zip(sources, destinations, strict=True))
    stems = {pair: dict(splits(*pair)) for pair in pairs if pair[0] != pair[1]}  # by affixes
    shared_affixes = set.intersection(*map(set, stems.values())) if stems else set()
    if not shared_affixes:
        return ()
    shortest = min(shared_affixes, key=lambda pair: (len(pair.left) + len(pair.right), pair))
    return tuple(stems[pair][shortest] if pair in stems else pair[0] for pair in pairs)


def splits(left: str, right: str) -> Iterator[tuple[Affixes, str]]:
    """Yield each way to split two names into affixes and a common stem.

    Examples
    --------
    >>> next(splits("unique_id_l", "unique_id_r"))
    (Affixes(are_suffixes=True, left='l_', right='r_'), 'unique_id')
    """
    for are_suffixes in (False, True):
        step = -1 if are_suffixes else 1  # suffixes are the prefixes of the reversed names
        left_name, right_name = left[::step], right[::step]
        for k in range(len(left_name)):
            stem = left_name[k:]
            if not right_name.endswith(stem):
                continue
            affixes = Affixes(are_suffixes, left_name[:k], right_name.removesuffix(stem))
            if _is_affix(affixes.left) and _is_affix(affixes.right):
                yield affixes, stem[::step]


def _is_affix(part: str) -> bool:
    """Return whether a part of a name is empty, is a number, or ends with a separator."""
    return not part or part[-1] in SEPARATORS or part.isdecimal()
