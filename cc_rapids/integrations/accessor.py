"""The accessor ``cc`` of pandas, cuDF and Polars frames; importing cc_rapids.accessor registers it.

>>> import pandas as pd, cc_rapids.accessor
>>> edges = pd.DataFrame({"a": [5, 2, 9], "b": [2, 7, 9]})
>>> edges.cc.labels("a", "b")
   vertex  labels
0       2       2
1       5       2
2       7       2
3       9       9
>>> docs = pd.DataFrame({"doc_id": [2, 5, 6], "length": [10, 30, 20]})
>>> edges.cc.deduplicate(docs, "a", "b", on="doc_id", by="length")
   doc_id  length
1       5      30
2       6      20
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..api import components
from ..data.end_columns import Side
from ..data.read import named_ends
from ..keywords import suggest_keywords_of_methods
from ..results.components import Components
from ..results.lookup import check_name

NAME = "cc"
NO_ROWS = object()  # the default of rows=, as None may be a frame of the caller


@suggest_keywords_of_methods
class Accessor:
    """Connected components of a frame that is an edge list.

    Parameters
    ----------
    frame : pandas.DataFrame, cudf.DataFrame or polars.DataFrame
        The edge list; an AttributeError is raised if it has fewer than two columns.

    See Also
    --------
    cc_rapids.accessor.register : Put it on the frames of pandas, cuDF and Polars.
    cc_rapids.components : The function behind it.
    """

    def __init__(self, frame: Any) -> None:
        if len(frame.columns) < 2:
            raise AttributeError(
                f"an edge list needs two columns of ids, but this frame has {len(frame.columns)}:"
                f" .{NAME} does not apply"
            )
        self._frame = frame

    def components(
        self, source: Side | None = None, destination: Side | None = None, **options: Any
    ) -> Components:
        """Find the components of the frame, with the options of :func:`cc_rapids.components`.

        Parameters
        ----------
        source, destination : str, or list of as many str on each side, optional
            The columns, as for :func:`cc_rapids.components`.
        **options
            All other arguments of :func:`cc_rapids.components`.

        Returns
        -------
        Components
            Or the plan, with ``explain=True``.

        See Also
        --------
        Accessor.labels : Return only the label frame.
        """
        result: Components = components(self._frame, source, destination, **options)
        return result

    def labels(
        self, source: Side | None = None, destination: Side | None = None, **options: Any
    ) -> Any:
        """Return the label frame: columns ``vertex`` and ``labels``.

        With ``explain=True``, return the plan.

        Parameters
        ----------
        source, destination : str, or list of as many str on each side, optional
            The columns, as for :func:`cc_rapids.components`.
        **options
            All other arguments of :func:`cc_rapids.components`.

        Returns
        -------
        frame of the same library
            As :meth:`Components.labels` returns it.

        See Also
        --------
        Accessor.sizes : The size of each component.
        Accessor.components : The whole answer.
        """
        return self._answer(Components.labels, source, destination, options)

    def sizes(
        self, source: Side | None = None, destination: Side | None = None, **options: Any
    ) -> Any:
        """Return the size of each component, the largest first: columns ``labels`` and ``size``.

        With ``explain=True``, return the plan.

        Parameters
        ----------
        source, destination : str, or list of as many str on each side, optional
            The columns, as for :func:`cc_rapids.components`.
        **options
            All other arguments of :func:`cc_rapids.components`.

        Returns
        -------
        frame of the same library
            As :meth:`Components.sizes` returns it.

        See Also
        --------
        Accessor.labels : The component of each vertex.
        Accessor.components : The whole answer.
        """
        return self._answer(Components.sizes, source, destination, options)

    def attach(
        self,
        frame: Any = None,
        source: Side | None = None,
        destination: Side | None = None,
        *,
        on: str | list[str] | None = None,
        name: str = "labels",
        missing: str = "raise",
        **options: Any,
    ) -> Any:
        """Return a frame with the label of each row in an added column.

        With ``explain=True``, return the plan.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow, optional
            The frame of vertices, which is not changed; by default the edge list itself.
        source, destination : str, or list of as many str on each side, optional
            The columns of the edge list, as for :func:`cc_rapids.components`.
        on : str, or list of str, optional
            The column of vertices in ``frame``; by default ``"vertex"``, or the source column if
            ``frame`` is the edge list.
        name : str
            The name of the added column.
        missing : {"raise", "null", "self"}
            As for :meth:`Components.attach`.
        **options
            All other arguments of :func:`cc_rapids.components`.

        Returns
        -------
        new frame of the kind of ``frame``
            As :meth:`Components.attach` returns it.

        See Also
        --------
        Accessor.deduplicate : Keep the best row of each component.
        Accessor.labels : The component of each vertex.

        Examples
        --------
        >>> import pandas as pd, cc_rapids.accessor
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        >>> edges.cc.attach(name="group")
           src  dst  group
        0    5    2      2
        1    2    7      2
        2    9    9      9
        """
        check_name(name)
        if on is None and frame is None:
            on, _ = named_ends(self._frame, source, destination, options.get("weight"))
        key: Any = "vertex" if on is None else on

        def attach(components: Components, rows: Any) -> Any:
            return components.attach(rows, key, name, missing)

        rows = self._frame if frame is None else frame
        return self._answer(attach, source, destination, options, rows, [key])

    def deduplicate(
        self,
        frame: Any,
        source: Side | None = None,
        destination: Side | None = None,
        *,
        on: str | list[str] = "vertex",
        by: str | None = None,
        ascending: bool = False,
        per: Side | None = None,
        missing: str = "self",
        **options: Any,
    ) -> Any:
        """Return the best row of each component of a frame.

        With ``explain=True``, return the plan.

        Parameters
        ----------
        frame : frame of cuDF, pandas, Polars or PyArrow
            The documents, one or several rows for each id; not changed.
        source, destination : str, or list of as many str on each side, optional
            The columns of the edge list, as for :func:`cc_rapids.components`.
        on, by, per : str or list of str
            As for :meth:`Components.deduplicate`.
        ascending : bool
            Whether the least value of ``by`` is the best.
        missing : {"self", "drop", "raise"}
            As for :meth:`Components.deduplicate`.
        **options
            All other arguments of :func:`cc_rapids.components`.

        Returns
        -------
        new frame of the kind of ``frame``
            As :meth:`Components.deduplicate` returns it.

        See Also
        --------
        Accessor.attach : Label all rows instead.
        Accessor.components : The whole answer.
        """

        def deduplicate(components: Components, rows: Any) -> Any:
            return components.deduplicate(rows, on, by, ascending, per, missing)

        return self._answer(deduplicate, source, destination, options, frame, [on, by, per])

    def _answer(
        self,
        answer: Callable[..., Any],
        source: Side | None,
        destination: Side | None,
        options: dict[str, Any],
        rows: Any = NO_ROWS,
        keys: Sequence[str | list[str] | None] = (),
    ) -> Any:
        """Return ``answer(components)`` or ``answer(components, rows)``; the plan if ``explain``.

        ``keys`` are the columns of ``rows`` that ``answer`` reads.
        """
        components = self.components(source, destination, **options)
        if options.get("explain"):
            return components
        return answer(components) if rows is NO_ROWS else answer(components, rows)
