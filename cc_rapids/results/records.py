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
        The number of links, k - 1 for a group of k rows.
    without_value : int
        The number of rows that the key does not link, because a part is null or ignored.
    left_out_groups, left_out_rows : int
        The numbers of groups of more than ``max_group`` records, and of the rows in them.
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
        The facts by key: a column name, or a tuple of them.
    id_names : list of str
        The id columns of records; empty if the vertices are row positions.
    """

    keys: dict[Key, KeyFacts]
    id_names: list[str]

    def words(self) -> dict[str, Any]:
        """Return the keys and their facts as JSON values."""
        return {
            "keys": [[key, asdict(facts)] for key, facts in self.keys.items()],
            "id": self.id_names,
        }

    @classmethod
    def of_words(cls, words: dict[str, Any]) -> Linked:
        """Return the keys from JSON values; raise a ValueError if a value has a wrong type."""
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
