"""Names of vertex columns in answers, for ids of several columns.

The names are those of the frame passed as ``vertices=``. Without one, if the names of both ends
differ only by a prefix or suffix (``src_kind``, ``dst_kind``), the common part is used (``kind``).
Otherwise the names are those of the source. If a name could be confused with another column of an
answer, columns are numbered: ``0_vertex``, ``1_vertex``, ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

SEPARATORS = "_.- "
COLUMNS_OF_ANSWERS = (
    *("vertex", "labels", "size", "row", "source", "destination", "before", "after", "components"),
    "color",
)


def key_names_of(sources: Sequence[Any], destinations: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of the vertex columns; empty if these are numbered.

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
    suffixes = tuple(f"_{column}" for column in COLUMNS_OF_ANSWERS)
    names_are_usable = all(
        isinstance(name, str) and name and not f"_{name}".endswith(suffixes) for name in names
    )
    return names_are_usable and len(set(names)) == len(names)


def public_name(column: str, keys: Sequence[str]) -> str:
    """Return the name in answers of a numbered column such as ``0_vertex``.

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
    """Return the names without the affixes of their sides; () unless all pairs have the same."""
    pairs = list(zip(sources, destinations, strict=True))
    stems_by_affixes = [dict(cuts(*pair)) for pair in pairs if len(set(pair)) == 2]
    shared = set.intersection(*map(set, stems_by_affixes)) if stems_by_affixes else set()
    if not shared:
        return ()
    shortest = min(shared, key=lambda affixes: (len(affixes[1]) + len(affixes[2]), affixes))
    stems = iter([stem_by_affixes[shortest] for stem_by_affixes in stems_by_affixes])
    # a column that has the same name on both sides keeps it
    return tuple(left if left == right else next(stems) for left, right in pairs)


def cuts(left: str, right: str) -> Iterator[tuple[tuple[bool, str, str], str]]:
    """Yield each split of two names into a pair of affixes and their common stem.

    The affixes are (is_suffix, left, right); suffixes are reversed, so that they end at the stem.

    Examples
    --------
    >>> next(cuts("unique_id_l", "unique_id_r"))
    ((True, 'l_', 'r_'), 'unique_id')
    """
    for is_suffix in (False, True):
        step = -1 if is_suffix else 1  # suffixes are the prefixes of the reversed names
        left_name, right_name = left[::step], right[::step]
        for k in range(len(left_name)):
            stem = left_name[k:]
            affixes = left_name[:k], right_name.removesuffix(stem)
            if right_name.endswith(stem) and all(map(_is_affix, affixes)):
                yield (is_suffix, *affixes), stem[::step]


def _is_affix(part: str) -> bool:
    """Return whether a part is empty, is a number, or is separated from the stem."""
    return not part or part[-1] in SEPARATORS or part.isdecimal()
