"""``connected_components``: labels in one call, or the answer of cuGraph's function for a graph."""

from __future__ import annotations

from typing import Any

from ..algorithms.design import Design
from ..api import find_components
from ..data.cugraph_graphs import is_graph
from ..data.text_options import COMMENTS
from ..errors import ArgumentTypeError
from ..keywords import suggest_keywords
from ..options import Options
from . import cugraph


@suggest_keywords
def connected_components(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    return_labels: bool | None = None,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = COMMENTS,
    format: str | None = None,
    labels: str | None = None,
    nulls: str = "raise",
    design: str | Design = "auto",
    engine: str | None = None,
    memory: str = "device",
    explain: bool = False,
    directed: bool | None = None,
    connection: str | None = None,
) -> Any:
    """Return ``components(...).labels()``; for a graph, the answer of cuGraph's function.

    For a ``cugraph.Graph``, this function calls
    :func:`cc_rapids.integrations.cugraph.connected_components`, and other options have no effect.
    The same is true for a matrix if ``directed``, ``connection`` or ``return_labels`` is passed.
    Graphs and matrices have no column names, so the positional arguments after them are
    ``directed``, ``connection`` and ``return_labels``, as in cuGraph.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        The columns of the edges, as for :func:`cc_rapids.components`.
    source, destination : str, or lists of str of equal length, optional
        The columns of the edges, as for :func:`cc_rapids.components`.
    vertices : column, array or range, optional
        Vertices to include even if no edge names them, as for :func:`cc_rapids.components`.
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    labels : {"min", "max", "dense", "size", ...}, optional
        As for :func:`cc_rapids.components`.
    nulls, design, engine : optional
        As for :func:`cc_rapids.components`.
    return_labels : bool, optional
        Whether to return labels in addition to the count, as in cuGraph's and SciPy's functions.
    directed : bool, optional
        Whether the matrix describes a directed graph, as in cuGraph's and SciPy's functions.
    connection : {"weak", "strong"}, optional
        The kind of components, as in cuGraph's and SciPy's functions; ``"weak"`` by default.

    Returns
    -------
    frame of the caller's kind, columns ``vertex`` and ``labels``
        For a matrix with an option of cuGraph's function, ``(n_components, labels)`` or
        ``n_components``. On a GPU, memory for the frame may be allocated before its rows are
        counted, within :func:`cc_rapids.memory_bound`. The frame keeps this memory unless the rows
        need less than two thirds of it.

    Other Parameters
    ----------------
    header, delimiter, encoding, comment, format, memory, explain : optional
        As for :func:`cc_rapids.components`.

    See Also
    --------
    cc_rapids.components : Return the whole answer instead of the label frame.
    cc_rapids.weakly_connected_components : Do the same as cuGraph's function of this name.

    Examples
    --------
    >>> import pandas as pd, scipy.sparse, cc_rapids
    >>> pairs = pd.DataFrame({"src": ["b", "c"], "dst": ["a", "d"]})
    >>> cc_rapids.connected_components(pairs)
      vertex labels
    0      a      a
    1      b      a
    2      c      c
    3      d      c
    >>> cc_rapids.connected_components(scipy.sparse.eye_array(2), directed=False)
    (2, array([0, 1], dtype=int32))
    >>> cc_rapids.connected_components(scipy.sparse.eye_array(2), True, "strong", False)
    2
    """
    if cugraph.is_accepted(edges):  # a graph or matrix has no source and destination columns
        directed = _passed_once("directed", directed, source)
        connection = _passed_once("connection", connection, destination)
    cugraph_options = directed, connection, return_labels
    if is_graph(edges) or any(option is not None for option in cugraph_options):
        connection = "weak" if connection is None else connection
        return cugraph.connected_components(edges, directed, connection, return_labels)
    options = Options.check(
        source=source,
        destination=destination,
        vertices=vertices,
        num_vertices=num_vertices,
        header=header,
        delimiter=delimiter,
        encoding=encoding,
        comment=comment,
        format=format,
        labels=labels,
        nulls=nulls,
        design=design,
        engine=engine,
        memory=memory,
        explain=explain,
        wants_labels=True,
    )
    if explain:
        from ..data.files.opening import planned

        return planned(find_components, edges, options)
    result: Any = find_components(edges, options)
    return result.labels()


def _passed_once(name: str, by_keyword: Any, by_position: Any) -> Any:
    """Return an option passed by keyword or by position; raise an error if it is passed twice."""
    if by_position is None:
        return by_keyword
    if by_keyword is not None:
        raise ArgumentTypeError(
            f"'{name}' is passed twice: {by_position!r} by position, {by_keyword!r} by name"
        )
    return by_position
