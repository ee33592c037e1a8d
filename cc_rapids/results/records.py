"""The answer of linked records, and its methods."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..data.arguments import check_count
from ..data.column import Column, chunked, is_cudf
from ..data.edge_input import EdgeInput
from ..data.frame_access import columns_of, frame_in_memory, frame_size
from ..data.frame_build import with_column
from ..data.records import Key
from ..data.relations import is_relation
from ..errors import InputError, UnknownVertexError, counted
from .components import Components
from .lookup import check_name


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


class LinkedRecords(Components):
    """The entities of a frame's records: the components of records that agree in a key.

    ``len()`` is the number of entities. The vertices are the ids of the records, or the positions
    of their rows (int64, from 0) if :func:`link_records` was called without ``id``. All methods of
    :class:`Components` apply; :meth:`attach` adds the entity of each record to the frame.

    See Also
    --------
    link_records : Link the records of a frame.
    Components : The components of an edge list.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> people = pd.DataFrame({"email": ["a@x.org", "", "a@x.org"], "phone": ["1", "2", "3"]})
    >>> found = cc_rapids.link_records(people, keys=["email", "phone"])
    >>> found
    <LinkedRecords: 2 entities of 3 records; 1 link by 2 keys, on threads>
    >>> found.attach(people, name="person")
         email phone  person
    0  a@x.org     1       0
    1              2       1
    2  a@x.org     3       0
    """

    def __init__(
        self, given: EdgeInput, *answer: Any, keys: dict[Key, KeyFacts], id_names: list[str]
    ) -> None:
        super().__init__(given, *answer)
        self._keys = keys
        self._id_names = id_names  # none if the vertices are row positions

    def attach(
        self,
        frame: Any,
        on: str | list[str] | None = None,
        name: str = "labels",
        missing: str = "raise",
        nulls: str | None = None,
    ) -> Any:
        """Return a frame of records with the label of each record's entity in an added column.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The frame, which is not changed; the result has the same rows and index.
        on : str, or list of str, optional
            The columns of ids; by default those that were named as ``id``. Without these, the
            labels go to the rows by position, so that the frame needs as many rows as records were
            linked.
        name : str
            Of the added column.
        missing : {"raise", "null", "self"}
            As for :meth:`Components.attach`.
        nulls : {"raise", "null"}, optional
            As for :meth:`Components.attach`.

        Returns
        -------
        new frame of the kind of ``frame``

        Raises
        ------
        InputError
            The labels go by position, and the frame has another number of rows; also all errors of
            :meth:`Components.attach`.

        See Also
        --------
        Components.attach : The same for edges.
        Components.labels : The label of each record.
        """
        frame = frame if is_relation(frame) else frame_in_memory(chunked(frame))
        if on is not None or self._id_names:
            on = self._id_names if on is None else on
            return super().attach(frame, on, name, missing, nulls)
        check_name(name)
        self._check_rows(frame)
        if name in columns_of(frame):
            raise InputError(f"the frame has a column {name!r} already: pass name=")
        with self._backend.scope():
            labels = self._kind.columns(self, name, self._kind.rows(self))
            here = self._given.on_device if isinstance(frame, dict) else is_cudf(frame)
            return with_column(frame, name, self._bring(labels[name], here), None)

    def deduplicate(
        self,
        frame: Any,
        on: str | list[str] | None = None,
        by: str | None = None,
        ascending: bool = False,
        per: str | list[str] | None = None,
        missing: str = "self",
    ) -> Any:
        """Return the records of a frame to keep: of each entity the best one.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, DuckDB relation, or dict of columns
            The records, which are not changed; a lazy frame of Polars is collected.
        on : str, or list of str, optional
            The columns of ids; by default those that were named as ``id``. Without these, records
            go by their position, so that the frame needs as many rows as records were linked.
        by, per : str, or for ``per`` list of str, optional
            As for :meth:`Components.deduplicate`.
        ascending : bool
            Keep the least value of ``by`` instead of the greatest.
        missing : {"self", "drop", "raise"}
            As for :meth:`Components.deduplicate`.

        Returns
        -------
        new frame of the kind of ``frame``
            Whole rows, in their order in the frame, with their index.

        Raises
        ------
        InputError
            Records go by position, and the frame has another number of rows; also all errors of
            :meth:`Components.deduplicate`.

        See Also
        --------
        Components.deduplicate : The same for edges.
        LinkedRecords.attach : Label all records instead.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> people = pd.DataFrame({"id": [7, 8, 9], "phone": ["1", "2", "1"], "seen": [3, 5, 4]})
        >>> cc_rapids.link_records(people, ["phone"], id="id").deduplicate(people, by="seen")
           id phone  seen
        1   8     2     5
        2   9     1     4
        """
        frame = frame if is_relation(frame) else frame_in_memory(chunked(frame))
        if on is not None or self._id_names:
            return super().deduplicate(
                frame, self._id_names if on is None else on, by, ascending, per, missing
            )
        self._check_rows(frame)
        return self._best_rows(frame, [], by, ascending, per, missing)

    def _unknown(self, column: Column, known: Any, remedy: str) -> UnknownVertexError:
        if not self._id_names:
            remedy = (
                "records were linked by their positions: give these (attach and deduplicate do"
                " without on=), or name the column of ids by link_records(..., id=)"
            )
        return super()._unknown(column, known, remedy)

    @classmethod
    def _of_words(cls, words: dict[str, Any], *answer: Any) -> LinkedRecords:
        """Return the answer of a file; ``words`` are those of the keys and names of ids."""
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
        return cls(*answer, keys=keys, id_names=list(words["id"]))

    def _own_words(self) -> dict[str, Any]:
        keys = [[key, asdict(facts)] for key, facts in self._keys.items()]
        return {"records": {"keys": keys, "id": self._id_names}}

    def _check_rows(self, frame: Any) -> None:
        """Raise an InputError unless a frame has as many rows as were linked by position."""
        if is_relation(frame):
            raise InputError(
                "rows of a DuckDB relation have no fixed order, and records were linked by their"
                " positions: link them with id=, and name it by on="
            )
        size = frame_size(frame)
        if size != self._forest.vertices:
            raise InputError(
                f"the frame has {counted(size, 'row')}, but {self._forest.vertices:,} records were"
                " linked by their positions: pass the same frame, or link records with id= and name"
                " it by on="
            )

    def summary(self) -> dict[str, Any]:
        """Return facts about the run and the answer.

        Returns
        -------
        dict
            As :meth:`Components.summary`, where ``vertices`` are records, ``components`` entities,
            and ``edges`` the links of all keys. ``keys`` holds for each key (a column, or a tuple
            of several) ``links``, k - 1 for each group of k rows; ``without_value``, the rows in
            which a part of it is null or ignored; and ``left_out_groups`` and ``left_out_rows``,
            the groups of more than ``max_group`` records and their rows.

        See Also
        --------
        Components.summary : The facts about other answers.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> people = pd.DataFrame({"phone": ["0", "0", "0", "7", "7", ""]})
        >>> found = cc_rapids.link_records(people, keys=["phone"], max_group=2)
        >>> found.summary()["keys"]["phone"]
        {'links': 1, 'without_value': 1, 'left_out_groups': 1, 'left_out_rows': 3}
        """
        keys = {key: asdict(facts) for key, facts in self._keys.items()}
        return super().summary() | {"keys": keys}

    def __repr__(self) -> str:
        links, keys = counted(self._facts.edges, "link"), counted(len(self._keys), "key")
        counts = self._known_counts("entity", "record")
        return f"<LinkedRecords: {counts}; {links} by {keys}, on {self._backend.name}>"
