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

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..api import components
from ..data.end_columns import Side
from ..data.read import named_ends
from ..keywords import suggest_keywords_of_methods
from ..results.components import Components
from ..results.lookup import check_name

NAME = "cc"
NO_ROWS = object()  # for methods without a frame of rows; None from a caller raises an error

END_PARAMETERS = {
    name: inspect.Parameter(
        name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation="Side | None"
    )
    for name in ("source", "destination")
}
ENDS_DOC = """source, destination : str, or lists of str of equal length, optional
    The columns of the edge list, as for :func:`cc_rapids.components`."""
OPTIONS_DOC = """**options
    All other arguments of :func:`cc_rapids.components`. With ``explain=True``, the plan is
    returned."""
ROW_COLUMNS = "on", "by", "per"  # arguments that name columns of the frame of rows


def _delegating_method(name: str, *, takes_rows: bool = False) -> Callable[..., Any]:
    """Return a method of Accessor that finds the components and calls their method ``name``.

    Its positional arguments are a frame of rows, if ``takes_rows`` is true, and the columns of the
    edge list. The other arguments of the method of Components, and the options of
    :func:`cc_rapids.components`, are keyword-only.
    """
    method = getattr(Components, name)
    parameters = list(inspect.signature(method).parameters.values())
    own_count = 2 if takes_rows else 1  # positional parameters: self, and the frame of rows
    own, others = parameters[:own_count], parameters[own_count:]
    keyword_only = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in others]
    options = inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD, annotation="Any")
    signature = inspect.Signature(
        [*own, *END_PARAMETERS.values(), *keyword_only, options],
        return_annotation="Any",
    )

    def delegate(self: Any, *arguments: Any, **keywords: Any) -> Any:
        bound = signature.bind(self, *arguments, **keywords)
        bound.apply_defaults()
        values = bound.arguments
        method_keywords = {parameter.name: values[parameter.name] for parameter in keyword_only}
        rows, columns_of_rows = NO_ROWS, []
        if takes_rows:
            rows, columns_of_rows = values["frame"], [values[key] for key in ROW_COLUMNS]

        def call_method(components: Components, *frame: Any) -> Any:
            return getattr(components, name)(*frame, **method_keywords)

        ends = values["source"], values["destination"]
        return self._answer(call_method, *ends, values["options"], rows, columns_of_rows)

    delegate.__name__, delegate.__qualname__ = name, f"Accessor.{name}"
    delegate.__doc__ = _docstring(method, takes_rows)
    delegate.__signature__ = signature  # type: ignore[attr-defined]
    return delegate


def _docstring(method: Callable[..., Any], takes_rows: bool) -> str:
    """Return the docstring of a method of Components for the accessor, without examples."""
    text = re.sub(
        r":meth:`(\w+)`", r":meth:`~cc_rapids.Components.\1`", inspect.getdoc(method) or ""
    )
    section_break = r"\n\n(?=[A-Z][A-Za-z ]+\n-+\n)"  # before a title and a line of dashes
    summary, *section_texts = re.split(section_break, text)
    sections = {}
    for section in section_texts:
        title, _, content = section.split("\n", 2)
        sections[title] = content
    # A description is indented below the name of its parameter
    parameters = re.split(r"\n(?=\S)", sections.get("Parameters", ""))
    parameters.insert(1 if takes_rows else 0, ENDS_DOC)  # after the frame of rows
    sections["Parameters"] = "\n".join(filter(None, [*parameters, OPTIONS_DOC]))
    sections["See Also"] = f"cc_rapids.Components.{method.__name__} : The method of an answer."
    kept = [name for name in ("Parameters", "Returns", "Raises", "See Also") if name in sections]
    texts = (f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in kept)
    return "\n\n".join([summary, *texts])


@suggest_keywords_of_methods
class Accessor:
    """Connected components of a frame that is an edge list.

    Parameters
    ----------
    frame : pandas.DataFrame, cudf.DataFrame or polars.DataFrame
        The edge list. A frame with fewer than two columns raises an AttributeError.

    See Also
    --------
    cc_rapids.accessor.register : Add the accessor to the frames of pandas, cuDF and Polars.
    cc_rapids.components : Find components without an accessor.
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
        source, destination : str, or lists of str of equal length, optional
            The columns of the edge list, as for :func:`cc_rapids.components`.
        **options
            All other arguments of :func:`cc_rapids.components`.

        Returns
        -------
        Components
            The components, or the plan with ``explain=True``.

        See Also
        --------
        Accessor.labels : Return only the label frame.
        """
        result: Components = components(self._frame, source, destination, **options)
        return result

    labels: Callable[..., Any] = _delegating_method("labels")
    sizes: Callable[..., Any] = _delegating_method("sizes")
    size_histogram: Callable[..., Any] = _delegating_method("size_histogram")
    members: Callable[..., Any] = _delegating_method("members")
    largest: Callable[..., Any] = _delegating_method("largest")
    filter: Callable[..., Any] = _delegating_method("filter")
    deduplicate: Callable[..., Any] = _delegating_method("deduplicate", takes_rows=True)
    duplicates: Callable[..., Any] = _delegating_method("duplicates", takes_rows=True)

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
        source, destination : str, or lists of str of equal length, optional
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
        new frame of the same library as ``frame``
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

    def explain_pair(
        self,
        first: Any,
        second: Any,
        source: Side | None = None,
        destination: Side | None = None,
        *,
        records: Any = None,
        on: str | list[str] = "vertex",
        **options: Any,
    ) -> Any:
        """Explain by a path of edges and by records why two vertices are in one component.

        With ``explain=True``, return the plan.

        Parameters
        ----------
        first, second : id
            The ids of the two vertices; tuples for composite ids.
        source, destination : str, or lists of str of equal length, optional
            The columns of the edge list, as for :func:`cc_rapids.components`.
        records : frame, optional
            The records of the vertices, as for :meth:`cc_rapids.Components.explain_pair`.
        on : str, or list of str
            The id columns of the records.
        **options
            All other arguments of :func:`cc_rapids.components`. By default, the path has the fewest
            edges. With ``forest="max"``, the weakest edge of the path is as strong as possible.

        Returns
        -------
        Evidence
            As :meth:`cc_rapids.Components.explain_pair` returns it.

        See Also
        --------
        Accessor.components : The whole answer.

        Examples
        --------
        >>> import pandas as pd, cc_rapids.accessor
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 8]})
        >>> people = pd.DataFrame({"id": [2, 5, 7], "name": ["Al", "Ann", "A. L."]})
        >>> edges.cc.explain_pair(5, 7, records=people, on="id").frame
           from  to  row from_name to_name
        0     5   2    0       Ann      Al
        1     2   7    1        Al   A. L.
        """
        components = self.components(source, destination, **options)
        if options.get("explain"):
            return components
        edges = self._frame, source, destination
        return components.explain_pair(first, second, *edges, records=records, on=on)

    def _answer(
        self,
        answer: Callable[..., Any],
        source: Side | None,
        destination: Side | None,
        options: dict[str, Any],
        rows: Any = NO_ROWS,
        keys: Sequence[str | list[str] | None] = (),
    ) -> Any:
        """Return ``answer(components)`` or ``answer(components, rows)``.

        With ``explain``, return the plan. ``keys`` are the columns of ``rows`` that ``answer``
        always reads; only LazyAccessor needs them, to collect no other columns.
        """
        components = self.components(source, destination, **options)
        if options.get("explain"):
            return components
        return answer(components) if rows is NO_ROWS else answer(components, rows)
