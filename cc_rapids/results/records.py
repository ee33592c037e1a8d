"""The keys that records of an answer were linked by."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..data.arguments import check_count
from ..data.records import Key


@dataclass(frozen=True)
class KeyFacts:
    """The facts about one key.

    Attributes
    ----------
    links : int
        The links that it has given, k - 1 for a group of k rows.
    without_value : int
        The rows that it does not link, because a part is null or ignored.
    left_out_groups, left_out_rows : int
        The groups of more than ``max_group`` records, and the rows in them.
    """

    links: int
    without_value: int
    left_out_groups: int
    left_out_rows: int


@dataclass(frozen=True)
class Linked:
    """The keys of linked records.

    Attributes
    ----------
    keys : dict of KeyFacts
        By key: a column, or a tuple of several.
    id_names : list of str
        The columns of the ids of records; none if the vertices are row positions.
    """

    keys: dict[Key, KeyFacts]
    id_names: list[str]

    def words(self) -> dict[str, Any]:
        """Return the keys as JSON values."""
        return {
            "keys": [[key, asdict(facts)] for key, facts in self.keys.items()],
            "id": self.id_names,
        }

    @classmethod
    def of_words(cls, words: dict[str, Any]) -> Linked:
        """Return the keys of JSON values; raise a ValueError if these are of other types."""
        keys = {
            key if isinstance(key, str) else tuple(key): KeyFacts(**facts)
            for key, facts in words["keys"]
        }
        parts = [part for key in keys for part in (key if isinstance(key, tuple) else (key,))]
        for facts in keys.values():
            for name, count in asdict(facts).items():
                check_count(name, count)
        if not all(isinstance(name, str) for name in (*parts, *words["id"])):
            raise ValueError("the facts of its keys are of other types")
        return cls(keys, list(words["id"]))
