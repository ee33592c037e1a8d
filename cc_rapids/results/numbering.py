"""The methods of answers that number components so that the numbers go on, and report on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..data.within import AS_FOUND
from .lookup import Lookup

if TYPE_CHECKING:
    from .components import Components
    from .report import Report
    from .stable_ids import StableIds


class Numbering(Lookup):
    """An answer whose components can get numbers that stay the same."""

    def stable_ids(
        self, previous: Any = None, policy: str = "majority", *, next_id: int | None = None
    ) -> StableIds:
        """Return a number for each component that goes on from one answer to the next.

        A previous number has one heir: the component with most of its members (of equal ones, that
        with the least id). A component that is the heir of one number goes on with it; of several,
        with the one that ``policy`` chooses. Every other component is born, also one with members
        of a number whose heir goes on with another number, and gets the next number that was never
        used, in the order of the least ids. Numbers that do not go on are retired, and never come
        back, even if their members do. The order of the edges, the engine and the library of the
        frames do not matter.

        Parameters
        ----------
        previous : StableIds, path or frame, optional
            The numbers to go on from: those of an earlier answer, the file that
            :meth:`StableIds.save` has written, or a frame with the columns of
            :meth:`StableIds.labels` and any others. By default all components are born.
        policy : {"majority", "largest", "least"}
            The number with which the heir of several goes on: that of which it has most members,
            among equal ones the least; the largest number, so that the newest goes on; or the
            least, so that the oldest does. The last two look at the numbers alone, and not at how
            many members a component has or had.
        next_id : int, optional
            The first number that births may take. A frame does not tell which numbers were retired
            (a PyArrow table that was read from a saved file does), so it needs this: more than the
            largest number ever used. By default the counter of ``previous`` goes on, from 0.

        Returns
        -------
        StableIds
            The numbers, with the counter.

        Raises
        ------
        NullsError
            A vertex or a number of the frame is null.
        InputError
            A vertex is twice in the frame, its ids are of another kind than those of the edges, its
            numbers are no integers of 64 bits with sign, the counter is missing, or ``next_id`` was
            used (also MissingColumnError, ColumnTypeError and FormatError).

        See Also
        --------
        StableIds.changes : The splits, merges, births and deaths.
        Components.labels : Labels that depend on this answer alone.

        Examples
        --------
        >>> import cc_rapids
        >>> monday = cc_rapids.components(([1, 2, 7], [2, 3, 8])).stable_ids()
        >>> monday.labels()
        Labels(vertex=array([1, 2, 3, 7, 8]), labels=array([0, 0, 0, 1, 1]))
        >>> tuesday = cc_rapids.components(([2, 7, 5], [3, 8, 6])).stable_ids(monday)
        >>> tuesday.labels()
        Labels(vertex=array([2, 3, 5, 6, 7, 8]), labels=array([0, 0, 2, 2, 1, 1]))
        """
        from .stable_ids import number  # most answers are not numbered

        return number(cast("Components", self), previous, policy, next_id)

    def report(
        self,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        weight: Any = AS_FOUND,
        nulls: str = "raise",
    ) -> Report:
        """Return counts, sizes, densities, bridges and weakest links, as frames and as HTML.

        Parameters
        ----------
        edges : frame, or pair of arrays or series
            The edges of the answer, each once, in any order; not changed. An answer that was read
            in chunks can be reported on if its edges fit into memory.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        weight : str, (m,) array, or None
            The similarity of both ends of each edge, as for
            :func:`cc_rapids.maximum_spanning_forest`; for distances, pass them with the other sign.
            Without it the report has no weakest links. Edges outside the bounds of this answer are
            left out, by default by the column that it was found with. None says that the list has
            only edges within the bounds.
        nulls : {"raise", "drop"}
            What becomes of edges with a null end, or a weight that is null or nan. One that is
            dropped counts nowhere: another may be a bridge without it.

        Returns
        -------
        Report
            The numbers, which are found by this call: :meth:`Report.overall` and
            :meth:`Report.components`.

        Raises
        ------
        InputError
            The edges join two components of the answer or do not join all of one, or they are
            a path, a stream, a matrix or a graph (also UnknownVertexError, NullsError,
            MissingColumnError and ColumnTypeError).

        See Also
        --------
        cc_rapids.bridges : The bridges themselves.
        Components.audit : Prove the answer from the edges.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [1, 2, 3, 3, 8], "dst": [2, 3, 1, 4, 9]})
        >>> cc_rapids.components(pairs).report(pairs)
        <Report: 2 components of 6 vertices, 5 edges, 2 bridges>
        """
        from .report import report  # most answers are not reported on

        return report(cast("Components", self), edges, source, destination, weight, nulls)
