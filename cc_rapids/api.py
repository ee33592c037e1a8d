"""The functions that users call."""

from __future__ import annotations

import logging
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, overload

from .algorithms.design import Design
from .backends.choice import choose
from .data.adapters import adapter_of
from .data.arguments import consumed
from .data.edge_input import Lending, ReadRequest
from .data.foreign import opened, with_own_weights
from .data.frame_build import frame_of_table
from .data.read import check_text, named_ends, read
from .data.text_options import COMMENTS, KEYWORDS, TextOptions
from .data.weights import weighted
from .data.within import read_within
from .errors import InputError, MissingColumnError, shown, unknown
from .graph.plain_weights import plain_weights
from .keywords import suggest_keywords, unknown_argument
from .ledger import Reading
from .options import CHUNKED, Options, with_ends, with_weights, within_bound
from .results.answer import Answer, Facts
from .results.components import Components
from .results.labels import DEFAULT_KINDS
from .results.lookup import warn_of_bound, warn_of_no_edges, warn_of_null_weights
from .solver.choose import Plan
from .solver.run import explain, solve, to_device

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .data.end_columns import Side
    from .data.typed import GivenT, Lazy, MadeT, Series
    from .incremental.stream import StreamPlan
    from .results.on_devices import SpreadComponents
    from .results.typed import ArrayComponents, ComponentsOptions

    Array = NDArray[np.generic]

log: logging.Logger = logging.getLogger(__name__)


@overload  # the options are those of the function itself
def components(
    edges: Any,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[True],
    **options: Unpack[ComponentsOptions],
) -> Plan: ...
@overload
def components(
    edges: GivenT,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[False] = False,
    **options: Unpack[ComponentsOptions],
) -> Components[GivenT]: ...
@overload
def components(
    edges: tuple[Series[MadeT], Series[MadeT]] | Lazy[MadeT],
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[False] = False,
    **options: Unpack[ComponentsOptions],
) -> Components[MadeT]: ...
@overload
def components(
    edges: tuple[Array, Array] | tuple[Sequence[Any], Sequence[Any]] | Array,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[False] = False,
    **options: Unpack[ComponentsOptions],
) -> ArrayComponents: ...
@overload
def components(
    edges: Any,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: Literal[False] = False,
    **options: Unpack[ComponentsOptions],
) -> Components[Any]: ...
@overload
def components(
    edges: Any,
    source: Side | None = None,
    destination: Side | None = None,
    *,
    explain: bool,
    **options: Unpack[ComponentsOptions],
) -> Components[Any] | Plan | StreamPlan: ...
@suggest_keywords
def components(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = COMMENTS,
    format: str | None = None,
    weight: Any = None,
    at_least: float | None = None,
    at_most: float | None = None,
    labels: str | None = None,
    nulls: str = "raise",
    design: str | Design = "auto",
    engine: str | None = None,
    frames: str | None = None,
    memory: str = "device",
    forest: bool | str = False,
    devices: str | Sequence[int] | None = None,
    explain: bool = False,
    **chunked: Any,
) -> Components | SpreadComponents | Plan | StreamPlan:
    """Find the connected components of an edge list.

    Edges are undirected. Duplicate edges and the order of the edges do not change the result. A
    self-loop adds its vertex. The input is not modified. Integer ids from a narrow range serve as
    vertices directly, so these edges are not renumbered, symmetrised, sorted or copied. With
    ``engine="cuda"``, a host frame is copied to the GPU once.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        One of:

        - a cuDF, pandas, Polars or PyArrow frame, a DuckDB relation, or a mapping of names to
          columns;
        - a tuple ``(source, destination)`` of lists, series, NumPy or CuPy arrays, or objects with
          ``__cuda_array_interface__``, of equal length;
        - a list of edges, each a pair of ids, such as ``[(1, 2), (3, 4)]``; ids may be tuples, in
          both forms;
        - an array or tensor (``__dlpack__``) of shape (m, 2) or (2, m) for m edges; in shape (2, 2)
          each row is an edge;
        - a SciPy or CuPy sparse matrix of shape (n, n), whose stored entries are edges;
        - a NetworkX, igraph or cuGraph graph, whose isolated vertices are included;
        - the path of a csv, tsv, SNAP text, Matrix Market or Parquet file;
        - a folder, a pattern or list of paths, an address (fsspec), an iterable or list of frames
          or of column pairs, or a pyarrow Dataset or RecordBatchReader. These inputs may be larger
          than memory.

        Ids are integers of any width, signed or unsigned, strings, or categories. Categories are
        compared by value.
    source, destination : str, or lists of str of equal length, optional
        The columns that hold the two ends of each edge. A list of columns forms one composite id;
        two ids are equal if they agree in every column. By default, a known pair of column names is
        used: src and dst, source and target, from and to, left and right, u and v, id_l and id_r,
        unique_id_l and unique_id_r (with source_dataset_l and source_dataset_r, if present), and
        others listed in :doc:`/guides/inputs`. A frame with only two columns needs no names.
    vertices : column, array or range, optional
        Vertices to include even if no edge names them. Composite ids need a frame or tuples.
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    weight : str or int, or (m,) array, optional
        The name of the weight column, or a numeric array of weights. ``at_least``, ``at_most``,
        ``forest="min"`` and ``forest="max"`` use it. Defaults to the values of a matrix, and to the
        edge attribute ``"weight"`` of a graph.
    at_least, at_most : float, optional
        Keep only edges whose weight is within these inclusive bounds. Edges whose weight is null or
        NaN are dropped. A vertex is left out if only dropped edges name it. The result
        remembers the bounds and applies them to edges that its methods receive later. Row groups of
        Parquet files and datasets that contain no weight within the bounds are not read. 32-bit
        floats are compared in 32 bits; integers are compared exactly for any bound.
    labels : {"min", "max", "dense", "size", ...}, optional
        The default kind of labels of :meth:`Components.labels`: ``"min"``, or ``"dense"`` for
        composite ids.
    nulls : {"raise", "drop"}
        Whether an edge with a null end raises an error, or is dropped and counted.
    design : str or Design
        The name of the algorithm, such as ``"none+async+halve"`` (see :func:`cc_rapids.designs`).
        ``"auto"`` selects the fastest design by measured rules; ``"auto(rule=paper)"`` follows the
        decision tree of Hong et al. 2020.
    engine : {"auto", "gpu", "cpu", "cuda", "threads"}, optional
        Where to run. ``"auto"``, the default, runs where the edges are. Edges in files go to the
        GPU if this is faster, including the start of the GPU. ``"gpu"`` means ``"cuda"``, and
        ``"cpu"`` means ``"threads"``.
    frames : {"pyarrow", "cudf", "pandas", "polars"}, optional
        The library of returned frames if ``edges`` are files. Defaults to PyArrow.

    Returns
    -------
    Components
        The components. For integer ids from a narrow range, the run allocates at most 4 n + n / 8 +
        answer + 8 MiB beyond the input, where n is the size of the id range (8 n in place of 4 n if
        n exceeds 2^32). :func:`cc_rapids.memory_bound` documents the full formula.
        :mod:`cc_rapids.ids.encode` covers other ids. With ``explain=True``, the plan instead.

    Other Parameters
    ----------------
    header : bool, optional
        Whether the first line of a csv, tsv or SNAP file names its columns. By default, the first
        line is a header if it contains the given or known column names, and an edge if its ends are
        numbers like the ends of the next line. An ambiguous line raises an error.
    delimiter : str, optional
        The field delimiter of a text file. A space stands for any run of spaces and tabs. By
        default, the delimiter is whichever of comma, tab, semicolon and pipe splits each of the
        first twenty records into the same number of fields, at least two. If none does, it is a run
        of spaces and tabs. If several do, an error is raised. The file suffix is ignored.
    encoding : str, optional
        The encoding of a text file. Defaults to the encoding that the byte order mark of the file
        names, or to UTF-8 if there is no mark.
    comment : str or None
        The characters that start a comment line in a text file. Defaults to ``#`` and ``%``. Only
        lines before the first record can be comments; every later line is an edge.
    format : str, optional
        The format of files, such as ``"csv"`` or ``"mtx"``. By default, the suffix decides, then
        the first bytes.
    memory : {"device", "pinned", "zero-copy"}
        The memory from which GPU kernels read the edges, and any rows or matrix that a design
        builds from them.

        - ``"device"``: GPU memory.
        - ``"pinned"``: GPU memory. Host edges are copied through pinned memory.
        - ``"zero-copy"``: pinned host memory, read over the bus. Integer ids that serve as vertices
          directly then take no GPU memory; renumbered ids and rows are still built on the GPU.
          NumPy arrays in pinned memory (``cupyx.empty_pinned``) are used in place, and all other
          arrays are copied to pinned memory.

        CPU threads use ordinary memory in all three cases.
    forest : bool, or {"min", "max"}
        Record the edges of a spanning forest for :meth:`Components.forest`. This takes one more
        integer per vertex and no second run. ``"min"`` and ``"max"`` record a minimum or maximum
        spanning forest by ``weight``; see :func:`cc_rapids.minimum_spanning_forest`.
    devices : "all", or list of int, optional
        Run on several GPUs of this machine, without a cluster: see :doc:`/larger`. The result is a
        :class:`~cc_rapids.SpreadComponents`. Edges on one GPU or on the host are distributed over
        the number of GPUs that is estimated to be fastest. A list of one frame or column pair per
        GPU stays in place. Ids must be integers from a narrow range.
    explain : bool
        Return a :class:`~cc_rapids.solver.choose.Plan` instead of running: the encoding of the ids,
        the design and its reason, and the peak memory.
    **chunked
        ``memory_limit``, ``progress``, ``checkpoint``, ``checkpoint_every`` and ``unreadable``:
        options that read a file or frame in chunks, see :func:`cc_rapids.stream_components`.

    Raises
    ------
    InputError
        The edges or an argument cannot be used. Subclasses: ColumnTypeError, NullsError,
        MissingColumnError, FormatError and DesignError.
    CapacityError
        The id range needs more memory than is available, or a design needs memory for each pair of
        vertices.
    EngineError
        The engine is unknown or this machine cannot run it.
    LedgerError
        Rows were lost or repeated between the input and the kernels: see :attr:`Components.ledger`.

    See Also
    --------
    stream_components : Find components of edges that do not fit into memory.
    Connectivity : Insert batches of edges and query between batches.
    components_at : Find components of weighted edges at several thresholds.
    spanning_forest : Find a spanning forest of the edges.
    minimum_spanning_forest : Find a spanning forest of minimum weight.
    memory_bound : Return an upper bound on the memory of a run.

    Examples
    --------
    >>> import numpy as np, cc_rapids
    >>> far = np.array([-(2**62), 7]), np.array([7, 2**60])
    >>> cc_rapids.components(far).summary()["ids"]
    'hash slots'
    >>> found = cc_rapids.components((np.array([0, 4]), np.array([1, 5])), num_vertices=6)
    >>> len(found)
    4
    >>> found.labels("dense").labels
    array([0, 0, 1, 2, 3, 3], dtype=int32)
    """
    for name in chunked.keys() - set(CHUNKED):
        raise unknown_argument(name, components)
    if isinstance(forest, str) or at_least is not None or at_most is not None:
        edges, weight = with_own_weights(edges, weight)
    elif isinstance(weight, str | int):
        _check_names(edges, source, destination, weight)  # before the error for an unused weight
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
        weight=weight,
        at_least=at_least,
        at_most=at_most,
        labels=labels,
        nulls=nulls,
        design=design,
        engine=engine,
        frames=frames,
        memory=memory,
        forest=forest,
        devices=devices,
        explain=explain,
        **chunked,
    )
    find: Any = find_components
    if options.devices is not None:
        from .several_gpus import find_on_devices  # most runs are on one

        find = find_on_devices
    if options.explain:
        from .data.files.opening import planned

        plan: Plan | StreamPlan = planned(find, edges, options)
        return plan
    result: Components | SpreadComponents = find(edges, options)
    return result


def _check_names(edges: Any, *columns: Any) -> None:
    """Raise a MissingColumnError for the first named column that a frame does not have."""
    names = adapter_of(edges).column_names(edges)
    if names is None:
        return
    for column in columns:
        for name in column if isinstance(column, list) else [column]:
            if name is not None and name not in names:
                raise MissingColumnError(unknown("column", name, map(str, names)))


def find_components(
    edges: Any, options: Options, reading: Reading | None = None
) -> Components | Plan | StreamPlan:
    """Find the components of edges with options that :func:`components` has checked.

    :func:`cc_rapids.stream_components` handles streams, chunked reads, and files with composite
    ids. For a stream that fits into memory, it calls this function again with one table, and
    ``reading`` describes how the files of the stream were read.

    All other edges are read as one id column per end, or as several for composite ids.
    :func:`~cc_rapids.data.read.read` counts null ends and drops or refuses them. Unless the caller
    names an engine, the backend is the one whose memory holds the edges; for files, it is the one
    that is estimated to be faster. :func:`~cc_rapids.solver.run.solve` maps ids to vertices
    0 .. n - 1 and runs a design, which builds a union-find forest.
    :func:`~cc_rapids.solver.run.explain` makes the same choices without a run.

    The forest of hashed or composite ids is sorted by id at the end. To read the number of
    components from the GPU, the host waits until the run has finished. A forest by weight is
    counted only when a caller or the log needs its number of components. The time of such a run in
    ``seconds`` therefore covers only the search for the edges of the forest.
    """
    given, answers = edges, None  # ``answers`` converts frames to the kind of the given edges
    # ``list_ledger`` counts all rows of the list as given; later ledgers are added with given=0
    list_ledger = None if reading is None else reading.ledger
    adapter = adapter_of(edges)
    bound = options.weight_bound
    bound_to_warn_of = bound if reading is None else None  # a stream warns of its own bound
    if adapter.opens:
        edges = opened(edges)
        adapter = adapter_of(edges)
    if options.frames is not None and not (adapter.is_stream or adapter.has_header):
        raise InputError(
            f"frames= is for files, but edges are a {type(edges).__name__}: leave it out"
        )
    if bound is not None and not options.forest:
        if options.chunked or adapter.is_stream or adapter.has_header:
            bound = None  # find_in_stream() applies it
        elif not _keeps_row_numbers(edges):
            bound = None  # applied here, before the edges are read
            edges, options, ledger = within_bound(edges, options)
            adapter = adapter_of(edges)
            list_ledger = list_ledger.plus(ledger._replace(given=0)) if list_ledger else ledger
    if options.spanning is not None or (bound is not None and options.forest):
        options = with_ends(edges, options, adapter)
        request = ReadRequest(options.source, options.destination)
        if options.explain and adapter.is_iterable and adapter.rows(edges, request) is None:
            raise consumed(f"the {type(edges).__name__}")  # a plan needs the number of edges
        edges, options, reading = with_weights(edges, options)
        list_ledger = reading.ledger if reading.formats else None
        answers, adapter = adapter.answers(given, request), adapter_of(edges)
    streamed_file = adapter.has_header and (
        isinstance(options.source, list) or options.weight_bound is not None
    )
    if options.chunked or adapter.is_stream or streamed_file or options.frames is not None:
        from .incremental.stream import find_in_stream

        return find_in_stream(edges, options, None if options.chunked else find_components)
    weights_of = None  # waits for a check of the weights, which runs while the ends are read
    if options.spanning is not None and bound is None:
        weights_of = plain_weights(adapter, edges, options.spanning.weight)
    source, destination = options.source, options.destination
    how_to_read = options.vertices, options.num_vertices, options.nulls, options.text
    if bound is None:
        edge_input = read(edges, source, destination, *how_to_read, adapter=adapter)
    else:
        by_weight = options.spanning is not None
        edge_input = read_within(
            edges, source, destination, bound, *how_to_read, keeps_weights=by_weight
        )
        edge_input = replace(edge_input, answers=answers or edge_input.answers)
    if options.weight_bound or options.applied_bound or options.spanning:
        edge_input = replace(edge_input, bound=options.remembered())
    formats = () if reading is None else tuple(reading.formats)
    if formats:
        edge_input = replace(edge_input, formats=formats)
    if options.spanning is not None and weights_of is not None:
        weights = weights_of() or adapter.weights(edges, options.spanning.weight)
        edge_input = weighted(edge_input, weights, options.spanning.name, options.nulls)
        edge_input = replace(edge_input, answers=answers or edge_input.answers)
    choice = choose(edge_input.src.size) if adapter.names_files or formats else None
    backend = options.backend(edge_input.on_device, choice)
    # Kernels read the borrowed columns within this scope; the answer keeps the arena's memory.
    with backend.scope() as arena, Lending(edge_input) as (columns, offsets):
        run_options = options
        if options.spanning is not None and options.spanning.later:  # only components for now
            run_options = replace(options, forest=False, spanning=None)
        if options.explain:
            return explain(edge_input, columns, offsets, backend, run_options)
        started = perf_counter()
        copied_at = None
        if backend.on_device and (not edge_input.on_device or options.memory == "zero-copy"):
            columns, offsets = to_device(edge_input, columns, offsets, backend, options.memory)
            copied_at = perf_counter()
        solved = solve(edge_input, columns, offsets, backend, run_options)
        encoded = solved.encoded
        forest, decoder = encoded.forest, encoded.decoder
        if decoder is None:  # hashed or composite ids: not sorted yet
            forest, decoder = encoded.finalise(forest, options.speculates and backend.goes_on)
        done = perf_counter()
    input_ledger = edge_input.ledger
    assert input_ledger is not None
    if list_ledger is not None:
        input_ledger = list_ledger.plus(input_ledger._replace(given=0))
    ledger = input_ledger._replace(linked=encoded.edges.m).check()
    if not (ledger.linked or ledger.records):
        warn_of_no_edges(given)
    if bound_to_warn_of is not None and not ledger.linked:
        warn_of_bound(ledger, bound_to_warn_of)
    seconds = {"copy": None if copied_at is None else copied_at - started}
    seconds["compute"] = done - (copied_at or started)
    facts = Facts(
        design=solved.plan.design,
        ids=encoded.name,
        edges=edge_input.src.size,
        memory=options.memory,
        seconds=seconds,
        greatest=None if options.spanning is None else options.spanning.greatest,
        chosen_again=solved.chosen_again,
        ledger=ledger,
    )
    if edge_input.dropped_rows:
        log.info("%d edges with a null end were left out", edge_input.dropped_rows)
    if log.isEnabledFor(logging.INFO):  # counts a forest by weight
        log.info(
            "%s on %s: %d components in %.4f s",
            *(facts.design, backend.name, forest.components, seconds["compute"]),
        )
    chosen, frame = solved.forest_edges, solved.frame
    kind = options.labels or DEFAULT_KINDS[bool(edge_input.src.key_columns)]
    return Components(
        Answer(edge_input, backend, decoder, forest, kind, facts, chosen, frame, arena)
    )


def _keeps_row_numbers(edges: Any) -> bool:
    """Return whether a selection of the edges keeps their row numbers: they are rows in memory."""
    return adapter_of(edges).has_rows and not hasattr(type(edges), "collect")  # not a lazy frame


@suggest_keywords
def spanning_forest(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find a spanning forest: acyclic edges with the same components as all edges.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        As for :func:`components`.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`.

    Returns
    -------
    frame of the caller's kind
        See :meth:`Components.forest`. The number of rows is the number of vertices minus the number
        of components. With ``explain=True``, the plan instead.

    Raises
    ------
    DesignError
        The design hooks vertices that are not roots, or splices paths. All errors of
        :func:`components` occur too.

    See Also
    --------
    components : Find the components, and also the forest with ``forest=True``.
    minimum_spanning_forest : Find a spanning forest of minimum weight.
    Components.forest : Return the spanning forest of an answer.

    Notes
    -----
    Hong et al. 2020, Algorithm 2: each forest edge is stored at the root that it hooked.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"a": [1, 2, 3, 3], "b": [2, 3, 1, 1]})
    >>> len(cc_rapids.spanning_forest(edges, "a", "b"))
    2
    """
    _check_forest(options, True)
    options["forest"] = True
    result = components(edges, source, destination, **options)
    return result.forest() if isinstance(result, Components) else result


@suggest_keywords
def bipartition(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find a 2-colouring of the vertices: the ends of each edge have different colours.

    A component has a 2-colouring if and only if it contains no cycle of odd length. It is then
    *bipartite*. A self-loop is an odd cycle.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        As for :func:`components`. The edges are read twice, so they must fit into memory.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`. Rows of cycles are positions in the whole list, even with
        ``at_least`` or ``at_most``.

    Returns
    -------
    Bipartition
        The colours, and an odd cycle for each component that has one. The colouring allocates about
        48 bytes per edge and 16 bytes per vertex during the run, in addition to the components, and
        then keeps 13 bytes per vertex. With ``explain=True``, the plan of the components instead.

    Raises
    ------
    InputError
        The edges are read in chunks. All errors of :func:`components` occur too.

    See Also
    --------
    is_bipartite : Return whether all vertices have a 2-colouring.
    spanning_forest : Find acyclic edges with the same components.

    Notes
    -----
    The double cover of a graph has two copies of each vertex. A component is not bipartite if the
    two copies of a vertex are connected: see :mod:`cc_rapids.algorithms.bipartition`.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> likes = pd.DataFrame({"src": ["ann", "bob", "bob"], "dst": ["tea", "tea", "jam"]})
    >>> cc_rapids.bipartition(likes).colors()
      vertex  color
    0    ann      0
    1    bob      0
    2    jam      1
    3    tea      1
    """
    from .analysis.bipartition import Bipartition  # most runs look for no colours

    edges = _opened_for_second_run(edges, options)
    edges, source, destination = _in_memory_if_bounded(edges, source, destination, options)
    result = components(edges, source, destination, **options)
    if not isinstance(result, Components):
        return result
    return Bipartition(result, _options_of_second_run(options))


def _opened_for_second_run(edges: Any, options: dict[str, Any]) -> Any:
    """Return converted edges; with bounds, also store their own weights in ``options``.

    Raise an InputError for edges and options that cannot be read twice on one device.
    """
    if any(options.get(name) is not None for name in ("at_least", "at_most")):
        edges, options["weight"] = with_own_weights(edges, options.get("weight"))
    else:
        edges = opened(edges)
    _check_second_run(edges, options)
    return edges


def _in_memory_if_bounded(
    edges: Any, source: Any, destination: Any, options: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """Load edges with weight bounds into memory; return the edges, and the columns of both ends.

    Row numbers then refer to the list before the bounds apply. A file becomes a table, and a lazy
    frame is collected. The options for reading a file are removed from ``options``.
    """
    adapter = adapter_of(edges)
    is_bounded = any(options.get(name) is not None for name in ("at_least", "at_most"))
    is_stream = adapter.is_stream and not adapter.becomes_table
    in_chunks = is_stream or not options.keys().isdisjoint(CHUNKED)
    if not is_bounded or in_chunks or _keeps_row_numbers(edges):
        return edges, source, destination
    source, destination = named_ends(edges, source, destination, options.get("weight"))
    text = TextOptions.among(options)
    check_text(adapter, edges, text)
    request = ReadRequest(source, destination, options.get("nulls", "raise"), text)
    table, sides = adapter.in_memory(edges, request, options.get("weight"), Reading())
    if sides is None:  # the edges were not files
        return table, source, destination
    for name in KEYWORDS:
        options.pop(name, None)
    if not (adapter.is_stream or adapter.has_header):
        return table, *sides  # frames= stays among the options, and components() refuses it
    library = options.pop("frames", None)
    return (table if library in (None, "pyarrow") else frame_of_table(table, library)), *sides


def _forest_by_weight(result: Any) -> Any:
    """Return the forest of an answer, or a plan; warn of the edges without a weight."""
    if not isinstance(result, Components):
        return result
    warn_of_null_weights(result.ledger.get("null_weight", 0))
    return result.forest()


def _check_forest(options: dict[str, Any], expected: bool | str) -> None:
    """Raise an InputError if ``forest=`` names another kind of forest than the function finds."""
    given = options.get("forest", expected)
    if type(given) is not type(expected) or given != expected:  # 1 == True
        raise InputError(
            f"forest={shown(given)} is not the forest that this function finds: leave it out, or"
            " use components(..., forest=), spanning_forest(), minimum_spanning_forest() or"
            " maximum_spanning_forest()"
        )


def _check_second_run(edges: Any, options: dict[str, Any]) -> None:
    """Raise an InputError for edges and options that cannot be read twice on one device."""
    if options.get("devices") is not None:
        raise InputError(
            "devices= is for components(): leave it out, because this function reads the edges"
            " twice, on one device"
        )
    if options.get("explain") is True:
        return  # a plan needs no second run
    adapter = adapter_of(edges)
    if adapter.is_stream and not adapter.becomes_table:
        raise InputError(
            f"edges are a {type(edges).__name__} of frames, which are read in chunks and not kept,"
            " but this function reads all edges twice: read them into one frame"
        )
    if chunked := [name for name in CHUNKED if name in options]:
        raise InputError(
            f"{chunked[0]}= reads edges in chunks, which are not kept, but this function reads all"
            " edges twice: leave it out"
        )


def _options_of_second_run(options: dict[str, Any]) -> Options:
    """Return the options that a second run on the same edges shares: the design and the memory."""
    shared = {name: options[name] for name in ("design", "memory") if name in options}
    return Options.check(**shared)


@suggest_keywords
def is_bipartite(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Return whether the graph is bipartite: no cycle has an odd length.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        As for :func:`bipartition`.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`.

    Returns
    -------
    bool
        True for a graph without edges. False if an edge is a self-loop. With ``explain=True``, the
        plan instead.

    Raises
    ------
    InputError
        As for :func:`bipartition`.

    See Also
    --------
    bipartition : Find a 2-colouring and the odd cycles.

    Examples
    --------
    >>> import cc_rapids
    >>> cc_rapids.is_bipartite(([1, 2, 3, 4], [2, 3, 4, 1]))
    True
    >>> cc_rapids.is_bipartite(([1, 2, 3], [2, 3, 1]))
    False
    """
    result = bipartition(edges, source, destination, **options)
    return result if options.get("explain") else result.is_bipartite


@suggest_keywords
def bridges(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find the bridges: edges whose removal splits a component in two.

    Duplicate edges, in either direction, and self-loops are not bridges. A warning is given if most
    edges are listed in both directions, as in the output of BLAST: list each pair once.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, graph, or path
        As for :func:`components`, except matrices and cuGraph graphs, which may store an edge in
        both directions. The edges are read twice, so they must fit into memory.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`. Rows are positions in the whole list, even with ``at_least`` or
        ``at_most``. The labels of a pandas index are added as a column.

    Returns
    -------
    frame of the caller's kind
        Columns ``row``, ``source`` and ``destination`` as in :meth:`Components.forest`, sorted by
        row. With ``explain=True``, the plan of the components instead.

    Raises
    ------
    InputError
        The edges are read in chunks, or are a matrix or a cuGraph graph. All errors of
        :func:`components` occur too.

    See Also
    --------
    two_edge_connected_components : Find the components that remain without the bridges.
    articulation_points : Find vertices whose removal splits a component.
    spanning_forest : Find acyclic edges, which include all bridges.
    Components.audit : Verify the returned frame: pass it as ``bridges=``.

    Notes
    -----
    Tarjan and Vishkin 1985: see :mod:`cc_rapids.algorithms.bridges`. The search allocates about 90
    bytes per vertex (180 from 2^30 vertices) and 26 bytes per edge, in addition to the components.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [1, 2, 3, 3], "dst": [2, 3, 1, 4]})
    >>> cc_rapids.bridges(edges)
       row  source  destination
    0    3       3            4
    """
    from .analysis.bridges import bridges_of, check_listed_once  # most runs look for no bridges

    check_listed_once(opened(edges))
    return _edges_of_answer(edges, source, destination, options, bridges_of)


def _edges_of_answer(
    edges: Any, source: Any, destination: Any, options: dict[str, Any], edges_of: Any
) -> Any:
    """Find components, and return the frame ``edges_of(answer)``, with rows of the given list."""
    given = _opened_for_second_run(edges, options)
    source, destination = named_ends(given, source, destination, options.get("weight"))
    request = ReadRequest(source, destination)
    edges, source, destination = _in_memory_if_bounded(given, source, destination, options)
    result = components(edges, source, destination, **options)
    if not isinstance(result, Components):
        return result
    frame = edges_of(result.answer)
    if edges is given:
        return frame
    to_given_kind = adapter_of(given).answers(given, request)  # such as to a lazy frame
    return frame if to_given_kind is None else to_given_kind(frame)


@suggest_keywords
def two_edge_connected_components(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find the 2-edge-connected components, which stay connected if any one edge is removed.

    They are the connected components of the graph without its bridges. A vertex whose edges are all
    bridges or self-loops is a component of its own.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, or path
        As for :func:`bridges`.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`, without ``forest``.

    Returns
    -------
    Components
        The 2-edge-connected components of all vertices. To verify them with ``audit()``, pass the
        edges without the bridges, and all vertices as ``vertices=``. With ``explain=True``, the
        plan of the connected components instead.

    Raises
    ------
    InputError
        As for :func:`bridges`, and if a forest is requested.

    See Also
    --------
    bridges : Find the edges between the 2-edge-connected components.
    components : Find the components of all edges.

    Examples
    --------
    >>> import cc_rapids
    >>> found = cc_rapids.two_edge_connected_components(([1, 2, 3, 3], [2, 3, 1, 4]))
    >>> found.labels()
    Labels(vertex=array([1, 2, 3, 4]), labels=array([1, 1, 1, 4]))
    """
    from .analysis.bridges import check_listed_once, without_bridges

    check_listed_once(opened(edges))
    edges = _opened_for_second_run(edges, options)
    forest = options.get("forest", False)
    if isinstance(forest, int | str) and forest:
        raise InputError(
            "forest= is for components(...): 2-edge-connected components have no forest, leave it"
            " out"
        )
    result = components(edges, source, destination, **options)
    if not isinstance(result, Components):
        return result
    return Components(without_bridges(result.answer, _options_of_second_run(options)))


@suggest_keywords
def articulation_points(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find the articulation points: vertices whose removal disconnects their component.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        As for :func:`components`. The edges are read twice, so they must fit into memory. Duplicate
        edges and self-loops do not change the result. If the edges join records to values, such as
        accounts to cards, drop each value that only one record has: otherwise, the removal of this
        record separates the value. Then keep only the records of the result.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`.

    Returns
    -------
    frame of the caller's kind
        Column ``vertex`` (one column per id column for composite ids), sorted by id. With
        ``explain=True``, the plan of the components instead.

    Raises
    ------
    InputError
        The edges are read in chunks. All errors of :func:`components` occur too.

    See Also
    --------
    bridges : Find edges whose removal disconnects their component.
    LinkedRecords.articulation_points : Find the records that alone join others by shared values.
    biconnected_component_edges : Find the groups of edges that these vertices separate.

    Notes
    -----
    Dong et al. 2023: see :mod:`cc_rapids.algorithms.bridges`.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [1, 2, 3, 3], "dst": [2, 3, 1, 4]})
    >>> cc_rapids.articulation_points(edges)
       vertex
    0       3
    """
    from .analysis.bridges import articulation_points_of

    edges = _opened_for_second_run(edges, options)
    result = components(edges, source, destination, **options)
    if not isinstance(result, Components):
        return result
    return articulation_points_of(result.answer, _options_of_second_run(options))


@suggest_keywords
def biconnected_component_edges(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find the biconnected components: groups of edges that no single vertex separates.

    Two edges are in one biconnected component if a cycle without a repeated vertex contains both
    edges. A bridge is a component by itself. The components share only articulation points.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
        As for :func:`components`. The edges are read twice, so they must fit into memory. Duplicate
        edges, in either direction, are in the same component.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    **options
        As for :func:`components`. Rows are positions in the whole list, as for :func:`bridges`.

    Returns
    -------
    frame of the caller's kind
        Columns ``row``, ``source`` and ``destination`` as in :meth:`Components.forest`, sorted by
        row, and ``labels`` (int64): the biconnected components, numbered from 0 in the order of
        their first rows. Self-loops are in no component and are left out. With ``explain=True``,
        the plan of the components instead.

    Raises
    ------
    InputError
        The edges are read in chunks. All errors of :func:`components` occur too.

    See Also
    --------
    articulation_points : Find the vertices that several biconnected components share.
    bridges : Find the edges that are biconnected components by themselves.
    two_edge_connected_components : Find groups of vertices that no single edge separates.

    Notes
    -----
    Dong et al. 2023: see :mod:`cc_rapids.algorithms.bridges`. The search allocates about 90 bytes
    per vertex and 80 bytes per edge, including the answer, in addition to the components.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [1, 2, 3, 3], "dst": [2, 3, 1, 4]})
    >>> cc_rapids.biconnected_component_edges(edges)
       row  source  destination  labels
    0    0       1            2       0
    1    1       2            3       0
    2    2       3            1       0
    3    3       3            4       1
    """
    from .analysis.bridges import biconnected_component_edges_of

    def edges_of(answer: Answer) -> Any:
        return biconnected_component_edges_of(answer, _options_of_second_run(options))

    return _edges_of_answer(edges, source, destination, options, edges_of)


@suggest_keywords
def minimum_spanning_forest(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    weight: Any = None,
    **options: Any,
) -> Any:
    """Find a minimum spanning forest: a minimum spanning tree of each component.

    Ties between equal weights are broken by row, lowest first, as in Kruskal's algorithm. The
    forest is therefore the same on every run and engine.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, or path
        As for :func:`components`. The edges must fit into memory.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    weight : str, or (m,) array, optional
        The name of the weight column, or an array of weights: integers or floats of up to 64 bits.
        Defaults to the values of a matrix, and to the edge attribute ``"weight"`` of a graph.
        Weights may be infinite, and -0.0 equals 0.0. A null or NaN weight raises an error. With
        ``nulls="drop"``, edges with such a weight are dropped, and so are vertices without any
        other edge; a warning gives the number of these edges.
    **options
        As for :func:`components`, without ``design``. With ``at_least`` or ``at_most``, the rows in
        the result still count all edges of the list.

    Returns
    -------
    frame of the caller's kind
        See :meth:`Components.forest`: columns ``row``, ``source``, ``destination`` and ``weight``.
        With ``explain=True``, the plan instead.

    Raises
    ------
    NullsError
        A weight is null or NaN.
    MissingColumnError, ColumnTypeError, InputError, DesignError
        A weight or an argument cannot be used. All errors of :func:`components` occur too.

    See Also
    --------
    maximum_spanning_forest : Find a maximum spanning forest.
    components : Find the components, and also this forest with ``forest="min"``.
    cc_rapids.oracle.kruskal : Find a minimum spanning forest by Kruskal's algorithm.
    cc_rapids.oracle.certify_forest : Prove that a forest is a minimum spanning forest.

    Notes
    -----
    Borůvka's algorithm on 64-bit keys of weight and row. Lighter edges come first, so that most
    heavier edges can be dropped early. The search allocates at most 13 bytes per vertex and 37
    bytes per edge, or 21 and 57 for 64-bit weights, if no edge is dropped.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [1, 2, 3, 8], "dst": [2, 3, 1, 9], "km": [5, 2, 4, 7]})
    >>> cc_rapids.minimum_spanning_forest(edges, weight="km")
       row  source  destination  weight
    0    1       2            3       2
    1    2       3            1       4
    2    3       8            9       7
    """
    _check_forest(options, "min")
    options |= {"weight": weight, "forest": "min"}
    return _forest_by_weight(components(edges, source, destination, **options))


@suggest_keywords
def maximum_spanning_forest(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    weight: Any = None,
    **options: Any,
) -> Any:
    """Find a maximum spanning forest: a maximum spanning tree of each component.

    Ties between equal weights are broken by row, lowest first. The path between two vertices in
    this forest is a bottleneck path: no other path has a greater minimum weight.

    Parameters
    ----------
    edges : frame, pair of columns, list of pairs, or path
        As for :func:`minimum_spanning_forest`.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`components`.
    weight : str, or (m,) array, optional
        As for :func:`minimum_spanning_forest`.
    **options
        As for :func:`minimum_spanning_forest`.

    Returns
    -------
    frame of the caller's kind
        As for :func:`minimum_spanning_forest`.

    Raises
    ------
    NullsError, MissingColumnError, ColumnTypeError, InputError, DesignError
        As for :func:`minimum_spanning_forest`.

    See Also
    --------
    minimum_spanning_forest : Find a minimum spanning forest.
    components_at : Find components of weighted edges at several thresholds.

    Examples
    --------
    >>> import numpy as np, cc_rapids
    >>> edges = np.array([1, 2, 3]), np.array([2, 3, 1])
    >>> found = cc_rapids.maximum_spanning_forest(edges, weight=np.array([0.5, 0.9, 0.7]))
    >>> found.row, found.weight
    (array([1, 2]), array([0.9, 0.7]))
    """
    _check_forest(options, "max")
    options |= {"weight": weight, "forest": "max"}
    return _forest_by_weight(components(edges, source, destination, **options))
