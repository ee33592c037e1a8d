"""Connected components of streams of edges, linked chunk by chunk, and the plan of a stream."""

from __future__ import annotations

import logging
import math
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from time import perf_counter
from typing import Any, NamedTuple, cast

from .. import backends
from ..algorithms.design import Design
from ..backends import DEVICE_MEMORY, Array, Backend
from ..backends.choice import EngineChoice, choose, has_gpu
from ..data import html, read
from ..data.adapters import adapter_of
from ..data.column import Content
from ..data.edge_input import ReadRequest, checked_names, with_vertices
from ..data.end_columns import Side
from ..data.files.gpu_parquet import row_group_reader
from ..data.files.opening import planned
from ..data.files.text_ids import LateTextError
from ..data.foreign import opened, with_own_weights
from ..data.frame_build import frame_of_table
from ..data.frame_kind import input_from_description
from ..data.memory_budget import LEAST_ROWS, MOST_ON_DEVICE, MOST_ROWS, Budget, bytes_of, in_words
from ..data.streams import Chunk, Cursor, Gathered, Source, Texts, text_of
from ..data.text_options import COMMENTS, NO_OPTIONS
from ..data.weight_bound import WeightBound
from ..errors import CapacityError, ColumnTypeError, InputError, NullsError, counted
from ..ids.decoders import at_places
from ..ids.growing import Index, Integers, Range, Transfer, Tuples, merge_index
from ..ids.growing import Texts as TextIndex
from ..ids.spelled import may_be_spelled
from ..keywords import suggest_keywords
from ..ledger import Ledger, Reading
from ..options import Options, with_ends
from ..results.answer import LabelKind
from ..results.components import Components
from ..results.lookup import warn_of_bound, warn_of_no_edges
from ..solver.devices import ExchangeBarrier, in_threads, merge_all
from ..solver.spreading import Spreading, spreading_of_stream
from . import inputs
from . import state as batches
from .checkpoint import Resumed, Saver, delay_interrupts
from .connectivity import snapshot
from .estimate import (
    OFFSET_BYTES,
    Estimate,
    bounds_of_ids,
    estimate,
    run_seconds,
    text_rows,
    warn_ahead,
)
from .insertions import initial_state, insert_given
from .progress import StreamProgress, StreamReporter
from .state import ConnectivityState

CHUNKS = 8  # min. chunks per device if the number of edges is known in advance
LONG_TEXT = 256 << 20  # max. bytes for solving strings in one piece; more are solved in chunks
CLOSE = 8  # a range of ids is narrow if it has less than 8 ids per vertex
RATES = {"range": 30e6, "integers": 8e6, "strings": 0.3e6}  # edges per second on two CPU cores


@dataclass(frozen=True)
class StreamPlan:
    """The plan of a stream. Values that are not known before the edges are read are None.

    Attributes
    ----------
    engine, device : str
        The engine and the device that would run.
    pieces : int or None
        The number of files, row groups, fragments or items.
    edges : int or None
        The number of rows of all pieces, from Parquet metadata. Row groups whose statistics are
        outside a bound on weights or a filter do not count.
    vertices : int or None
        An upper bound on the number of vertices.
    ids : str
        The kind of ids: "range" (with ``num_vertices``), "integers" or "strings".
    reason : str
        The reason for this engine.
    bytes : int or None
        The memory for ``vertices`` and for the largest chunk that the limit allows.
    limit : int
        The memory limit in bytes.
    fits : bool or None
        True if upper bounds of the number of vertices and of their text fit into the limit. False
        if a lower bound of the number of vertices does not fit. None if neither is certain.
    rate : float
        The assumed edges per second, for two CPU cores.
    seconds : float or None
        The time for all edges at ``rate``, without the time to compile kernels.
    bounded : bool
        Whether ``edges`` is an upper bound, because a weight bound or another filter drops rows.
    vertices_least : int or None
        A lower bound on the number of vertices, which is the number of distinct ids of a sample.
    bytes_least : int or None
        The memory for ``vertices_least`` and for the smallest chunk.
    id_bytes : int or None
        The memory per vertex in bytes; None if the length of strings is unknown.
    estimated : bool
        Whether ``edges`` is an estimate from the lines at a few positions of text files.
    vertices_probable : int or None
        A low estimate of the number of vertices, if the sample is representative.
    bytes_probable : int or None
        The memory for ``vertices_probable`` and for the smallest chunk.

    See Also
    --------
    cc_rapids.stream_components : Return a StreamPlan with ``explain=True``.
    cc_rapids.Plan : The plan for edges in memory.

    Notes
    -----
    The number of vertices is estimated from the beginning of 1 % of the row groups (at least one),
    or of a text file. See :mod:`cc_rapids.incremental.estimate` for the assumptions.
    """

    engine: str
    device: str
    pieces: int | None
    edges: int | None
    vertices: int | None
    ids: str
    reason: str
    bytes: int | None
    limit: int
    fits: bool | None
    rate: float
    seconds: float | None
    bounded: bool = False
    vertices_least: int | None = None
    bytes_least: int | None = None
    id_bytes: int | None = None
    estimated: bool = False
    vertices_probable: int | None = None
    bytes_probable: int | None = None

    def _repr_html_(self) -> str:
        lines = dict(line.split(maxsplit=1) for line in str(self).splitlines())
        return html.plan("StreamPlan", lines, ("edges", "vertices", "memory", "time"))

    def __str__(self) -> str:
        def shown(value: int | None, prefix: str = "") -> str:
            return "unknown before they are read" if value is None else f"{prefix}{value:,}"

        vertices = shown(self.vertices, "at most ")
        if self.vertices_least is not None and self.vertices is not None:
            vertices = f"{self.vertices_least:,} to {self.vertices:,}"
            if self.vertices_least == self.vertices:
                vertices = f"{self.vertices:,}"
            elif self.vertices_probable:
                vertices += f", probably {self.vertices_probable:,} or more"
        memory = "up to the limit"
        if self.bytes is not None:  # in the units of the limit
            min_bytes = self.bytes_least
            low = "at most" if min_bytes is None else f"{in_words(min_bytes, self.limit)} to"
            memory = f"{low} {in_words(self.bytes, self.limit)}"
        size = "" if self.id_bytes is None else f", {self.id_bytes:,} bytes each"
        prefix = "at most" if self.bounded else "about"
        time = "unknown" if self.seconds is None else f"{prefix} {self.seconds:,.1f} s"
        limit = f"memory_limit {in_words(self.limit, self.limit)}{self._verdict}"
        prefix_of_edges = "at most " if self.bounded else "about " if self.estimated else ""
        return "\n".join(
            (
                f"engine    {self.engine}: {self.device}; {self.reason}",
                f"pieces    {shown(self.pieces)}",
                f"edges     {shown(self.edges, prefix_of_edges)}",
                f"vertices  {vertices} ({self.ids}{size})",
                f"memory    {memory}; {limit}",
                f"time      {time}, at an assumed {self.rate:,.0f} edges a second",
            )
        )

    @property
    def _verdict(self) -> str:
        """A text like ": fits" about the vertices; empty if their number is unknown."""
        if self.bytes is None:
            return ""
        if self.fits is None and (self.bytes_probable or 0) > self.limit:
            return ": is unlikely to fit"
        return {True: ": fits", False: ": does not fit", None: ": may not fit"}[self.fits]


def _kind_of_ids(facts: dict[str, Any], count: int | None) -> str:
    """Return the kind of ids of a source; it is "strings" if the metadata do not show a kind."""
    if count is not None:
        return "range"
    return "integers" if facts["span"] or facts.get("text") is False else "strings"


def _choice(stream: Source, options: Options, count: int | None) -> EngineChoice:
    """Return the engine for a stream: the caller's, or the engine expected to be fastest."""
    if options.engine is not None:
        return EngineChoice(options.engine, "as named")
    if not has_gpu():
        return choose(edges=None)
    if not stream.arrow:
        return EngineChoice("threads", "edges are read in chunks where they lie")
    try:
        facts = stream.measure()
    except InputError:  # an unreadable file raises an error when it is read
        return choose(edges=None)
    return choose(facts["edges"], RATES[_kind_of_ids(facts, count)])


def plan(
    source: Source,
    count: int | None,
    backend: Backend,
    budget: Budget,
    width: int,
    reason: str,
    whole: bool = False,
) -> StreamPlan:
    """Return the plan of a stream, of which only a sample is read.

    ``count`` is the argument ``num_vertices``, ``width`` the number of columns of an id, and
    ``reason`` the reason for the backend. ``whole`` tells whether edges that fit into memory are
    solved in one piece.
    """
    facts = source.measure()
    for message in facts.get("unreadable", ()):
        log.warning("skipped as unreadable: %s", message)
    edges, estimated = facts["edges"], False
    if edges is not None:  # a filter leaves out the skipped rows, by the statistics of row groups
        edges -= facts.get("skipped", 0)
    else:
        edges = text_rows(source)
        estimated = edges is not None
    kind = _kind_of_ids(facts, count)
    sample = estimate(source, edges, budget.limit)
    if sample is not None and sample.rows and count is None:
        kind = "strings" if sample.strings else "integers"
    text_per_vertex = 0.0 if sample is None or kind != "strings" else sample.text
    vertices, memory = _vertices_of(source, edges, sample, count), _Memory()
    if vertices.most is not None and (kind != "strings" or sample is not None):
        needed = partial(budget.needed, kind, text=text_per_vertex, width=width)
        memory = _memory_of(source, vertices, needed, count is not None, edges, budget, kind, width)
    seconds = None
    if edges is not None and vertices.most is not None:
        low, high = vertices.probable, vertices.most
        if sample is not None and low is not None and count is None:
            high = sample.likely
        # a weighted geometric mean of the low and high estimates
        expected = high if low is None else round(low ** (2 / 3) * high ** (1 / 3))
        seconds = run_seconds(
            *(kind, edges, expected, text_per_vertex, width),
            text_files=facts.get("text_files", False),
            whole=whole,
            budget=budget,
        )
    return StreamPlan(
        engine=backend.name,
        device=backend.device_name,
        pieces=facts["pieces"],
        edges=edges,
        vertices=vertices.most,
        ids=kind,
        reason=reason,
        bytes=memory.most,
        limit=budget.limit,
        fits=memory.fits,
        rate=edges / seconds if edges and seconds else RATES[kind],
        seconds=seconds,
        bounded=edges is not None and source.filtered,
        vertices_least=vertices.least,
        bytes_least=memory.least,
        id_bytes=memory.per_vertex,
        estimated=estimated,
        vertices_probable=vertices.probable,
        bytes_probable=memory.probable,
    )


class _Vertices(NamedTuple):
    """A lower bound, a low estimate and an upper bound of the number of vertices.

    Unknown values are None.
    """

    least: int | None
    probable: int | None
    most: int | None


class _Memory(NamedTuple):
    """The memory of a run in bytes, as in :class:`StreamPlan`; unknown values are None.

    ``least``, ``probable`` and ``most`` are the memory for the numbers of vertices that
    :class:`_Vertices` has under these names.
    """

    least: int | None = None
    probable: int | None = None
    most: int | None = None
    per_vertex: int | None = None
    fits: bool | None = None


def _vertices_of(
    source: Source, edges: int | None, sample: Estimate | None, count: int | None
) -> _Vertices:
    """Return estimates of the number of vertices of ``source``, from its metadata and a sample.

    ``count`` is the argument ``num_vertices``. ``edges`` is the number of edges; None if unknown.
    """
    if count is not None or edges is None:
        return _Vertices(count, count, count)
    span = source.measure()["span"]  # the least and the greatest id
    most = min(2 * edges, span[1] - span[0] + 1) if span else 2 * edges
    if sample is None:
        return _Vertices(None, None, most)
    most = min(most, sample.most)
    if source.filtered:  # the sample includes rows that the filter leaves out
        return _Vertices(None, None, most)
    return _Vertices(sample.least, sample.probable, most)


def _memory_of(
    source: Source,
    vertices: _Vertices,
    needed: Callable[[int], int],
    is_exact: bool,
    edges: int | None,
    budget: Budget,
    kind: str,
    width: int,
) -> _Memory:
    """Return the memory of a run whose number of vertices has an upper bound.

    ``needed`` takes a number of vertices, and returns the memory for these and for the smallest
    chunk. ``is_exact`` tells whether the number of vertices is known exactly. ``kind`` is a row of
    the memory table, and ``width`` is the number of columns of an id.
    """
    assert vertices.most is not None
    bytes_most, per_vertex, is_upper_bound = needed(vertices.most), None, is_exact
    bytes_per_edge = budget.edge_bytes(kind, width)
    smallest_chunk = LEAST_ROWS * bytes_per_edge
    if vertices.most:
        per_vertex = round((bytes_most - smallest_chunk - budget.fixed) / vertices.most)
    if not is_exact and (bounds := bounds_of_ids(source, vertices.most)) is not None:
        ids, text = bounds  # at most so many ids, with so many bytes of text
        text = text + OFFSET_BYTES * width * ids if kind == "strings" else 0
        bytes_of_vertices = budget.vertex_bytes(kind, ids, text, width)
        is_upper_bound, bytes_most = True, max(bytes_most, bytes_of_vertices + smallest_chunk)
    fits = True if is_upper_bound and bytes_most <= budget.limit else None
    if fits:
        max_rows = budget.max_rows if edges is None else min(budget.max_rows, edges)
        largest_chunk = max(LEAST_ROWS, max_rows) * bytes_per_edge
        bytes_most = min(budget.limit, bytes_most - smallest_chunk + largest_chunk)
    bytes_least = None if vertices.least is None else needed(vertices.least)
    if bytes_least is not None and bytes_least > budget.limit:
        fits = False
    bytes_probable = None if vertices.probable is None else needed(vertices.probable)
    return _Memory(bytes_least, bytes_probable, bytes_most, per_vertex, fits)


def memory_use(index: Index) -> tuple[str, int, int, int]:
    """Return the arguments of :meth:`Budget.update` for an index.

    They are the row of the memory table for the index, the number of vertices, the bytes of their
    strings, and the number of columns of an id. An index without ids has the row "strings", which
    takes the most memory.
    """
    row = "strings"
    if isinstance(index, Range):
        row = "range"
    elif index.n and not index.strings:
        row = "integers"
    return row, index.n, _text_bytes(index), index.width


def _text_bytes(index: Index) -> int:
    """Return the bytes of the strings in an index; 0 if ids are not strings."""
    if isinstance(index, Tuples):
        return sum(map(_text_bytes, index.columns))
    return index.text_bytes if isinstance(index, TextIndex) else 0


log: logging.Logger = logging.getLogger(__name__)


@suggest_keywords
def stream_components(
    edges: Any,
    source: Side | None = None,
    destination: Side | None = None,
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
    memory_limit: int | str | None = None,
    progress: bool | Callable[[StreamProgress], object] = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    unreadable: str = "raise",
    devices: str | Sequence[int] | None = None,
    explain: bool = False,
) -> Components | StreamPlan:
    """Find the connected components of edges that do not fit into memory.

    Edges are read in chunks, which are linked and then dropped. Only the vertices must fit into
    memory. There may be more than 2^31 edges. While a chunk is linked, a background thread reads
    the next chunk from files. If Parquet files are read to a GPU, two threads read them with cuDF.
    An iterable is read in the caller's thread.

    Parameters
    ----------
    edges : path, list of paths, iterable, dataset or reader
        One of:

        - a folder, including its subfolders, partitioned or not;
        - a pattern such as ``"edges/*.parquet"``;
        - a list of paths of csv, tsv, snap, Parquet or Arrow files, which are read in pieces, or of
          files of any other format of :mod:`cc_rapids.data.files`, each of which is read as a
          whole;
        - addresses such as ``"s3://bucket/*.parquet"``, read by fsspec;
        - an iterable of frames, of column pairs, or of lists of pairs;
        - a pyarrow Dataset or RecordBatchReader, or a DuckDB relation.

        For text, the first block determines whether ids are integers or strings.
    source, destination : str, or lists of str of equal length, optional
        The columns of both ends. For files and datasets, the defaults of
        :func:`cc_rapids.components` apply to each file separately. A list of columns forms one
        composite id.
    weight : str, or (m,) array, optional
        As for :func:`cc_rapids.components`.
    at_least, at_most : float, optional
        As for :func:`cc_rapids.components`.
    vertices : column, array or range, optional
        As for :func:`cc_rapids.components`.
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1. This is fastest and takes the least memory.
    labels : {"min", "max", "dense", "size", ...}, optional
        As for :func:`cc_rapids.components`.
    nulls : {"raise", "drop"}
        As for :func:`cc_rapids.components`.
    design : str or Design
        As for :func:`cc_rapids.components`.
    engine : {"auto", "gpu", "cpu", "cuda", "threads"}, optional
        As for :func:`cc_rapids.components`.
    frames : {"pyarrow", "cudf", "pandas", "polars"}, optional
        The library of returned frames for files. Defaults to PyArrow, even on a GPU.
    memory_limit : int or str, optional
        The limit for vertices and chunks together, in bytes or as a string such as ``"2GiB"``.
        Defaults to half of the free memory of the machine, or of the GPU if the run uses one. The
        limit determines the size of chunks, see :mod:`cc_rapids.data.memory_budget`. A vertex takes
        20 bytes with ``num_vertices``, 52 bytes for integer ids, and 54 bytes plus the text for
        string ids. Reading takes at least 32 MiB, or 48 MiB for text. The limit does not include
        the memory of Python and its libraries, of DuckDB queries, of the items of an iterable, and
        of the frames that the answer returns. It includes a lazy Polars frame, which is collected
        as a whole.
    progress : bool or callable
        True shows a bar on stderr if it is a terminal, and otherwise logs lines. A callable
        receives a ``StreamProgress`` after the first chunk, then twice a second, and at the end.

    Returns
    -------
    Components
        The components. For files, frames are PyArrow tables by default; otherwise they have the
        library of the items.

    Other Parameters
    ----------------
    header, delimiter, encoding, comment, format : optional
        Options of all files, as in :func:`cc_rapids.components`.
    checkpoint, checkpoint_every : path and float, optional
        The path of a checkpoint file. The state is written every ``checkpoint_every`` seconds (if
        this is 0, after each chunk), and when an exception or Ctrl-C ends the run after its first
        chunk. If the file exists, the run resumes from its state and reads only the remaining
        edges, possibly with another ``memory_limit``. The file is not removed after the run.
        SIGTERM ends Python without writing a checkpoint, unless a handler raises an exception:
        ``signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))``.

        The checkpoint identifies the edges that were read. A file is identified by its path, size,
        modification time and a hash of its beginning and end. Data in memory or from an iterable
        are identified by a hash of each item. A resumed run reads the finished items of an iterable
        again and compares them. A file may change or be removed if none of its rows was linked.

        When a run resumes, the input may have more files anywhere in the order, more items, or more
        rows in the last item. ``summary()["resumed"]`` and the log report what was added.
    unreadable : {"raise", "skip"}
        How to handle a file that cannot be opened or parsed, for paths and datasets of files.
        ``"skip"`` leaves out all rows of the file, logs a warning that names the file, and counts
        the file in ``ledger``. A resumed run tries it again. It is still an error if a file fails
        after some of its rows were linked, or if no file is readable. A plan also leaves out
        unreadable files.
    devices : "all", or list of int, optional
        Read Parquet files on several of these GPUs of this machine, as far as more GPUs reduce the
        time. Each GPU takes the next row groups when it is ready, and builds a forest of the edges
        that it has read. At the end, the forests are merged from GPU to GPU, without the host. The
        first GPU stores the result. ``memory_limit`` applies to each GPU.
    explain : bool
        Return a ``StreamPlan`` with edges, vertices, memory and time. This reads metadata and the
        beginning of 1 % of the row groups (at least one), or of a text file.

    Raises
    ------
    CapacityError
        The vertices do not fit into the memory limit. If a sample shows this before files are read,
        a ``CapacityWarning`` precedes the error.
    CheckpointError
        The checkpoint was written for other edges, columns, nulls or vertices. The error names the
        difference.
    ChangedFileError
        A file was truncated, rewritten or replaced while it was read, or since it was listed.
    LedgerError
        Rows were lost or repeated: see :attr:`Components.ledger`.
    InputError
        An argument cannot be used. All errors of :func:`cc_rapids.components` occur too.

    See Also
    --------
    cc_rapids.components : Find components of edges in memory, or in one file.
    cc_rapids.Connectivity : Insert batches of edges and query between batches.
    cc_rapids.StreamProgress : The argument of ``progress``.
    cc_rapids.StreamPlan : The result of ``explain=True``.

    Examples
    --------
    >>> import numpy as np, cc_rapids
    >>> chunks = ((np.array([k]), np.array([k + 2])) for k in range(1000))
    >>> cc_rapids.stream_components(chunks, memory_limit="64MiB").sizes()
    Sizes(labels=array([0, 1]), size=array([501, 501]))
    """
    if at_least is not None or at_most is not None:  # a matrix or graph has its own weights
        edges, weight = with_own_weights(edges, weight)
    edges = opened(edges)
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
        memory_limit=memory_limit,
        progress=progress,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        unreadable=unreadable,
        devices=devices,
        explain=explain,
    )
    find = find_in_stream if options.devices is None else find_in_stream_on_devices
    return planned(find, edges, options) if options.explain else find(edges, options)


# a function of a table of edges, the options, and how the files of the table were read
Solve = Callable[[Any, Options, Reading], Any]


def find_in_stream(
    edges: Any, options: Options, solve: Solve | None = None
) -> Components | StreamPlan:
    """Find the components of a stream, after :func:`stream_components` has checked its options.

    If files and other tables on the host fit into half of the free memory, together with the frame
    of the result, they are concatenated and passed to ``solve``. If a file with text ids follows
    files with integer ids, all files are read again as text. If a column begins with words such as
    NA, the files are read again with the type of the ids that follow.
    """
    try:
        components = _run_stream(edges, options, solve)
    except LateTextError as error:
        if not error.can_restart:
            raise
        has_text = True in error.text  # a flag for each column of an id
        types = f"ids as text: {error}" if has_text else "the types of the first ids"
        log.info("reading from the first file again, with %s", types)
        options = replace(options, text=options.text.with_text(error.text))
        return find_in_stream(edges, options, solve)
    if not isinstance(components, Components):  # a plan
        return components
    return _finished(components, edges, options)


def _finished(components: Components, edges: Any, options: Options) -> Components:
    """Return the answer with its weight bound stored; warn if no edge was read or linked."""
    components.answer.keep_bound(options.remembered())
    rows = components.answer.facts.rows
    if not rows.records:
        warn_of_no_edges(edges)
    if (bound := options.weight_bound or options.applied_bound) and not rows.linked:
        warn_of_bound(rows, bound)
    return components


def _run_stream(edges: Any, options: Options, solve: Solve | None) -> Components | StreamPlan:
    """Return the components of a stream, or its plan.

    If all edges fit into memory, ``solve`` gets them as one table. Otherwise, or if ``solve`` is
    None, they are linked in chunks.
    """
    if solve is None or not options.forest:  # one table may still be solved with a forest
        options.check_streamed()
    design = options.batch_design  # raises a DesignError before edges are read
    vertices, bound = options.vertices, options.weight_bound
    count = read.check_vertices(options.num_vertices, vertices)
    adapter = adapter_of(edges)
    options = with_ends(edges, options, adapter)
    source, destination, _ = inputs.sides(options.source, options.destination, count)
    skips = options.unreadable == "skip"
    stream = read.source_of(edges, source, destination, options.text, bound, skips, adapter)
    _, _, width = inputs.sides(*stream.names, count)  # the source may have found the names
    choice = _choice(stream, options, count)
    runner = options.backend(choice=choice)
    if not options.forest:  # a forest needs row numbers of one table on the host
        stream.use_gpu_reader(row_group_reader(runner.device_id))
    limit = bytes_of(options.memory_limit, runner.free_bytes() if runner.on_device else None)
    max_rows = MOST_ON_DEVICE if runner.on_device else MOST_ROWS
    budget = Budget(limit, stream.fixed, max_rows=max_rows, readers=stream.readers)
    if options.explain:
        may_solve_whole = solve is not None and stream.arrow and not runner.on_device
        return plan(stream, count, runner, budget, width, choice.reason, may_solve_whole)
    if options.memory_limit is not None and not os.path.exists(options.checkpoint or ""):
        with suppress(InputError):  # an unreadable file raises an error when it is read
            warn_ahead(stream, count, budget, width)
    if solve is not None and stream.arrow and (options.forest or not runner.on_device):
        budget.update("integers", count or 0, width=width)
        # as in Options.check_streamed()
        may_link_chunks = not options.forest and options.memory == DEVICE_MEMORY
        stops = partial(_is_long_text, runner) if may_link_chunks else None
        gathered = Gathered(stream, budget, stops)
        if gathered.table is not None:
            return _solve_table(gathered, options, solve)
        stream = cast(Source, gathered)  # yields the gathered chunks again, then the others
    options.check_streamed()
    if options.frames is not None and not stream.arrow:
        raise InputError(
            "frames= is for files, datasets and readers: leave it out, because answers for frames"
            " are frames of the same library"
        )
    run = Run(
        stream,
        design,
        options.nulls,
        budget,
        saver=_saver_of(stream, options, (source, destination), count, width),
        movable=options.engine is None,
        width=width,
        frames=options.frames,
        answers=adapter.answers(edges, ReadRequest(source, destination)),
        bound=bound,
    )
    return run.go(count, vertices, options.progress, options.labels, runner)


def _saver_of(
    stream: Source,
    options: Options,
    ends: tuple[Side | None, Side | None],
    count: int | None,
    width: int,
) -> Saver:
    """Return the writer of checkpoints, with the arguments that a resumed run compares.

    ``ends`` are the requested columns of both ends, ``count`` is the argument ``num_vertices``, and
    ``width`` is the number of columns of an id.
    """
    bound = options.weight_bound
    # None stands for a column of edges in memory with its default name
    default_names = (None, None) if stream.arrow else checked_names(None, None)
    arguments: dict[str, Any] = {
        "columns": [
            None if name == default else name
            for name, default in zip(ends, default_names, strict=True)
        ],
        **options.text.as_dict(),
        "nulls": options.nulls,
        "num_vertices": count,
        "weight": None if bound is None else bound.for_checkpoint(),
    }
    if options.checkpoint is not None:
        arguments["vertices"] = _digest(options.vertices, width)
    design = str(options.batch_design)
    replaces = True in options.text.as_text  # an earlier checkpoint has integer ids
    return Saver(options.checkpoint, options.checkpoint_every, arguments, design, replaces)


def _solve_table(gathered: Gathered, options: Options, solve: Solve) -> Components:
    """Return the components of a stream whose chunks were concatenated into one table."""
    first, bound, table = gathered.chunks[0], options.weight_bound, gathered.table
    ends: dict[str, Any] = {"source": first.source, "destination": first.destination}
    settings = replace(options, **ends, text=NO_OPTIONS, frames=None)
    if bound is not None and first.weight is not None:
        settings = replace(settings, weight_bound=replace(bound, weight=first.weight))
    if options.frames not in (None, "pyarrow"):
        table = frame_of_table(table, options.frames)
    try:
        reading = Reading(tuple(gathered.formats), gathered.ledger)
        return cast(Components, solve(table, settings, reading))
    except NullsError:
        for chunk in gathered.chunks:  # raises the error of the first file that has nulls
            read.read_chunk(chunk, options.nulls, bound)
        raise


def _is_long_text(backend: Backend, chunk: Chunk, size: int) -> bool:
    """Return whether a list that begins with a chunk is solved faster in chunks than in one piece.

    Long lists of strings are solved faster in chunks, with half of the memory, unless the strings
    are short enough to be encoded as integers. ``size`` is the memory in bytes for solving all rows
    read so far in one piece.
    """
    ends = chunk.source, chunk.destination
    if size < LONG_TEXT or chunk.load is not None:  # with ``load``, the frame has no rows yet
        return False
    is_composite = not all(isinstance(name, str) for name in ends)
    if is_composite or not any(text_of(chunk.frame, *ends)) or not len(chunk.frame):
        return False
    return not may_be_spelled([chunk.frame[name].drop_null() for name in ends], backend)


def _digest(vertices: Any, width: int) -> str | None:
    """Return a text with the number, type and hash of ``vertices=``, to notice changes."""
    if vertices is None or isinstance(vertices, range):
        return None if vertices is None else repr(vertices)
    column, content = inputs.vertices(vertices, width).src, Content()
    content.add([column])
    return f"{column.size:,} of {column.dtype}, {content.digest()}"


@dataclass
class Run:
    """One run over a stream."""

    stream: Source
    design: Design
    nulls: str
    budget: Budget
    saver: Saver
    movable: bool  # whether the first batch with rows determines the backend
    width: int  # the number of columns of an id
    frames: str | None  # the library of the frames of the answer, if the caller has named one
    answers: Callable[[Any], Any] | None  # converts these frames to the library of the edges
    bound: WeightBound | None

    def go(
        self,
        count: int | None,
        vertices: Any,
        progress: Any,
        labels: LabelKind | None,
        backend: backends.Backend,
    ) -> Components:
        """Run the stream, resuming from a checkpoint if there is one, and return the answer."""
        started = perf_counter()
        saved = self.saver.read(backend, self.stream)
        if saved is None:
            row = "range" if count is not None else "strings"  # as memory_use() without ids
            self.budget.update(row, count or 0, width=self.width)
            state = initial_state(backend, count, vertices, self.movable, self.width)
            cursor, done = Cursor(), False
        else:
            state, cursor, self.stream = saved.state, saved.cursor, saved.stream
            # Items of an iterable are read again in any case, because there may be more of them.
            done = saved.done and not saved.more and self.saver.trace is None
            kind = replace(self._kind_of_answers(state), dropped_rows=state.given.dropped_rows)
            state = replace(state, given=kind)
        if self.stream.unchecked:
            state = replace(state, ledger=state.ledger._replace(unchecked=True))
        self._plan_chunk(state)
        total = _edges_of(self.stream) if progress and not done else None
        with StreamReporter(progress, total, state, self.stream.filtered) as reporter:
            if not done:
                state = self.link_chunks(state, cursor, reporter.report_state)
            reporter.report_state(state, last=True)
        state = self.with_output_kind(state)
        if isinstance(state.index, TextIndex):
            state.index.table.release_slots()  # a later lookup builds them again
        resumed = self._describe_resumed(saved, state.edges) if saved else None
        return snapshot(state, self.design, labels, perf_counter() - started, resumed)

    def with_output_kind(self, state: ConnectivityState) -> ConnectivityState:
        """Return the final state with the type of frames that the caller requested."""
        on_device = row_group_reader(state.backend.device_id) is not None
        if self.stream.arrow and (on_device or self.frames):
            kind = replace(self._kind_of_answers(state), dropped_rows=state.given.dropped_rows)
            state = replace(state, given=kind)
        kind = replace(state.given, formats=tuple(self.stream.formats), answers=self.answers)
        skipped = len(getattr(self.stream, "unreadable", ()))
        return replace(state, given=kind, ledger=state.ledger._replace(unreadable_files=skipped))

    def _describe_resumed(self, saved: Resumed, edges: int) -> str:
        """Return how many of ``edges`` earlier runs linked, as text; log it with the others."""
        new = edges - saved.state.edges
        description = f"{saved.state.edges:,} edges were linked by earlier runs"
        if saved.done:
            added = saved.more or "no more"
            if self.saver.trace and new:  # of an iterable, ``saved.more`` is not known in advance
                added = f"{new:,} edges more"
            description += f", all of the input then; {added} since"
        log.info("checkpoint %s: %s, and %d by this one", self.saver.path, description, new)
        return description

    def _kind_of_answers(self, state: ConnectivityState) -> Any:
        """Return the type of answers; for files, PyArrow tables unless ``frames=`` is set."""
        if not self.stream.arrow:
            return state.given
        frame_kind = {"frame": self.frames or "pyarrow", "names": state.given.key_names}
        return batches.kind_of(input_from_description(frame_kind, state.index.kinds), None)

    def link_chunks(
        self,
        state: ConnectivityState,
        cursor: Cursor,
        report: Callable[[ConnectivityState], object],
    ) -> ConnectivityState:
        """Return the state after all chunks that follow a position; report each state.

        ``old`` chunks, which an earlier run has linked, are only compared with the checkpoint.
        """
        has_types = state.index.n and not isinstance(state.index, Range)
        are_text = state.index.kinds if has_types else None  # for each column of an id
        chunks = self.stream.read_ahead(cursor, self.budget, are_text)
        new = False  # whether chunks were linked since the last checkpoint
        rows_before, saver = state.ledger.given, self.saver
        try:
            with closing(chunks):  # type: ignore[type-var]
                for chunk in chunks:
                    with delay_interrupts(saver.path is not None):
                        file = _file_of(chunk, cursor)
                        linked = self._link(state, chunk, file)
                        if chunk.given is not None and not chunk.old:
                            _check_given(linked, rows_before + chunk.given, chunk.path)
                        has_rows = linked.ledger.accounted_for > state.ledger.accounted_for
                        saver.record_linked(file, has_rows or chunk.vertices is not None)
                        state, cursor = linked, chunk.after
                        new = new or not chunk.old
                    self._plan_chunk(state)
                    if not chunk.old:
                        if saver.due():
                            saver.write(state, cursor)
                            new = False
                        report(state)
        except LateTextError as error:
            if not error.can_restart:  # otherwise find_in_stream() reads the files again
                saver.save_after_error(state, cursor, new, error)
            raise
        except BaseException as error:
            saver.save_after_error(state, cursor, new, error)
            raise
        saver.finish()
        given = self.stream.given
        if given is not None:
            _check_given(state, rows_before + given)
        saver.write(state, cursor, done=True)
        return state

    def _plan_chunk(self, state: ConnectivityState) -> None:
        """Set the size of the next chunk; raise a CapacityError that reports the progress so far.

        If ids are strings, or before the first chunk of Arrow data, the memory that Arrow's pool
        retains is released first: it can be several times the size of a chunk, or of a sample.
        """
        kind, *sizes = memory_use(state.index)
        if kind == "strings" and (state.index.n or self.stream.arrow):
            import pyarrow as pa

            pa.default_memory_pool().release_unused()
        try:
            self.budget.update(kind, *sizes)
        except CapacityError as error:
            if not state.edges:
                raise
            total = _edges_of(self.stream)
            of_total = "" if total is None else f" of {total:,}"
            advice = self._advice(state, total)
            raise CapacityError(f"after {state.edges:,}{of_total} edges, {error}{advice}") from None

    def _advice(self, state: ConnectivityState, total: int | None) -> str:
        """Return the end of a CapacityError, which suggests a limit or ``num_vertices=``.

        The limit is extrapolated from the vertices per edge so far.
        """
        kind, vertices, text, width = memory_use(state.index)
        factor = 1.0 if total is None else max(1.0, total / state.edges)
        max_vertices = math.ceil(factor * vertices)
        advice, index = "", state.index
        if isinstance(index, Integers) and index.low >= 0 and index.high < CLOSE * max_vertices:
            advice = (
                "; or, if ids are 0..n-1, pass num_vertices=n (--num-vertices), with which each"
                f" vertex takes 20 bytes: the greatest id so far is {index.high:,}"
            )
        if total is None:
            return advice
        need = self.budget.vertex_bytes(kind, max_vertices, math.ceil(factor * text), width)
        need += LEAST_ROWS * self.budget.edge_bytes(kind, width)
        need += need // 20  # a margin of 5 %
        limit = self.budget.in_words(need)
        return f" to about {limit}, if the other edges add vertices at the same rate{advice}"

    def _link(self, state: ConnectivityState, chunk: Chunk, file: int) -> ConnectivityState:
        """Return the state with one chunk linked; ``file`` is the number of its file.

        The trees of the old state are reused if no vertex is new.
        """
        given = read.read_chunk(chunk, self.nulls, self.bound)
        given = with_vertices(given, chunk.vertices, dense=False)
        self.saver.record_read(given, chunk.after)
        if chunk.old:  # an earlier run has linked these rows; they only determine types
            kind = batches.kind_of(given, None)
            return replace(state, given=replace(kind, dropped_rows=state.given.dropped_rows))
        exact = self.saver.path is not None  # a checkpoint must not contain parts of a chunk
        try:
            return insert_given(state, given, self.design, self.movable, copied=False, exact=exact)
        except InputError:  # no edge of the chunk was linked
            raise
        except BaseException:  # some edges may already be linked, so the file must not change
            self.saver.files_begun.add(file)
            raise


def _file_of(chunk: Chunk, before: Cursor) -> int:
    """Return the number of the file that contains a chunk, given the position before the chunk."""
    after = chunk.after
    # the chunk is the last of a file if the next position is the start of a file
    is_last = after.file > before.file and not (after.group or after.rows)
    return after.file - 1 if is_last else after.file


def _edges_of(stream: Source) -> int | None:
    """Return the number of edges from metadata, or None if unknown or if a file is unreadable.

    An unreadable file raises an error later, when the files before it are linked.
    """
    try:
        edges: int | None = stream.measure()["edges"]
    except InputError:
        return None
    return edges


def _check_given(state: ConnectivityState, given: int, path: str = "") -> None:
    """Raise a LedgerError unless the rows of the state are the ``given`` rows of the source."""
    state.ledger._replace(given=given).check(path)


def find_in_stream_on_devices(edges: Any, options: Options) -> Components | StreamPlan:
    """Find the components of files, after :func:`stream_components` has checked its options.

    Each device takes the next chunk of any file when it is ready, and links it in its own trees.
    """
    options.check_streamed()
    if options.checkpoint is not None:
        raise InputError("checkpoint= is for streams on one GPU: leave it out, or devices=")
    if options.unreadable != "raise":
        raise InputError("unreadable= is for streams on one GPU: leave it out, or devices=")
    backend = options.backend(on_device=True)
    numbers = options.device_numbers(backend)
    count = read.check_vertices(options.num_vertices, options.vertices)
    source, destination, _ = inputs.sides(options.source, options.destination, count)
    stream = read.source_of(edges, source, destination, options.text, options.weight_bound)
    _, _, width = inputs.sides(*stream.names, count)
    if not (stream.threaded and stream.arrow):
        raise InputError(
            "devices= of streams is for files and datasets: write these edges to Parquet files, or"
            " leave out devices="
        )
    stream.use_gpu_reader(row_group_reader(backend.device_id, current=True))
    limit = bytes_of(options.memory_limit, backend.free_bytes() if backend.on_device else None)
    facts = stream.measure()
    spreading = _spreading(facts, stream.readers, count, len(numbers))
    numbers = numbers[: spreading.count]
    max_rows = _max_chunk_rows(facts, len(numbers))
    budget = Budget(limit, stream.fixed, max_rows=max_rows, readers=stream.readers)
    if options.explain:
        reason = f"files are read by {counted(len(numbers), 'GPU')}: {spreading.why}"
        return plan(stream, count, backend, budget, width, reason)
    log.info("on %s: %s", counted(len(numbers), "device"), spreading.why)
    budget.update("strings" if count is None else "range", count or 0, width=width)
    total = facts["edges"] if options.progress else None
    answers = adapter_of(edges).answers(edges, ReadRequest(source, destination))
    queue = _ChunkQueue(stream, stream.read(Cursor(), budget, text=None))
    with StreamReporter(options.progress, total, None, stream.filtered) as reporter:
        run = _RunOnDevices(
            queue, numbers, backend, budget, options, count, width, answers, reporter
        )
        try:
            components = in_threads(numbers, backend, run.on)[0]
        finally:
            queue.chunks.close()
        assert components is not None
        return _finished(components, edges, options)


def _spreading(
    facts: dict[str, Any], readers: int, num_vertices: int | None, devices: int
) -> Spreading:
    """Return how many devices to use for a stream; ``facts`` are the result of its ``measure()``.

    A stream with one reader is read by the host, as all formats but Parquet are, and uses one
    device. Without ``num_vertices``, the model assumes half as many vertices as edges, or the size
    of the range of ids if this is smaller.
    """
    m, span, n = facts["edges"], facts["span"], num_vertices
    if m is None or readers == 1:
        return Spreading(1, "the host reads the edges")
    if n is None:
        n = m // 2 if span is None else min(m // 2, span[1] - span[0] + 1)
    max_devices = max(1, min(devices, facts["pieces"]))
    return spreading_of_stream(m, n, max_devices, counted=num_vertices is not None)


def _max_chunk_rows(facts: dict[str, Any], devices: int) -> int:
    """Return the maximum rows of a chunk: CHUNKS per device, unless row groups are larger."""
    edges: int | None = facts["edges"]
    groups: list[int] = [footer.rows for footer in facts.get("footers", ())]
    share = MOST_ON_DEVICE if edges is None else edges // (CHUNKS * devices)
    return min(MOST_ON_DEVICE, max(share, LEAST_ROWS, *groups))


@dataclass
class _ChunkQueue:
    """The chunks of a source, from which each device takes the next chunk when it is ready."""

    source: Source
    chunks: Generator[Chunk, None, None]
    lock: threading.Lock = field(default_factory=threading.Lock)
    count: int = 0

    def next(self) -> tuple[int, Chunk] | None:
        """Return the next chunk and its number, counted from 1; None at the end."""
        with self.lock:
            chunk = next(self.chunks, None)
            self.count += 1
            return None if chunk is None else (self.count, chunk)


class _DeviceReader(Source):
    """The chunks that one device takes from the queue of all devices.

    ``waiting`` has the numbers of the chunks that this device has taken, but not linked yet.
    ``last`` is the number of the last chunk with rows that this device has linked.
    """

    given: Any = None  # the rows are counted for all devices together

    def __init__(
        self, queue: _ChunkQueue, number: int, backend: Backend, barrier: ExchangeBarrier
    ) -> None:
        self.queue, self.number, self.backend, self.barrier = queue, number, backend, barrier
        self.waiting: deque[int] = deque()
        self.last = 0
        source = queue.source
        self.formats, self.filtered = source.formats, source.filtered
        self.readers, self.fixed = source.readers, source.fixed

    def measure(self) -> dict[str, Any]:
        """Return the metadata of the whole source."""
        return self.queue.source.measure()

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield chunks until the queue is empty or another device has failed."""
        while (numbered_chunk := self.queue.next()) is not None:
            self.barrier.check()
            number, chunk = numbered_chunk
            self.waiting.append(number)
            load = chunk.load and partial(self._load, chunk.load)
            yield chunk._replace(load=load, given=None)

    def _load(self, load: Any) -> Any:
        with self.backend.using_device(self.number):
            return load()


@dataclass
class _RunOnDevices:
    """One run over a stream on several devices; the thread of each device calls :meth:`on`.

    ``numbers`` are the numbers of the devices, ``count`` is the argument ``num_vertices``, and
    ``edges`` has the number of edges that each device has linked so far.
    """

    queue: _ChunkQueue
    numbers: list[int]
    backend: Backend
    budget: Budget
    options: Options
    count: int | None
    width: int
    answers: Any
    reporter: StreamReporter
    edges: dict[int, int] = field(default_factory=dict)

    def on(self, k: int, barrier: ExchangeBarrier) -> Components | None:
        """Link the chunks of device k, and merge the trees; device 0 returns the answer."""
        started, options, backend = perf_counter(), self.options, self.backend
        reader = _DeviceReader(self.queue, self.numbers[k], backend, barrier)
        run = Run(
            reader,
            options.batch_design,
            options.nulls,
            self.budget,
            saver=Saver(None, options.checkpoint_every, {}, str(options.batch_design)),
            movable=False,
            width=self.width,
            frames=options.frames,
            answers=self.answers,
            bound=options.weight_bound,
        )
        vertices = None if k else options.vertices  # they are inserted once
        state = initial_state(backend, self.count, vertices, movable=False, width=self.width)
        state = run.link_chunks(state, Cursor(), partial(self._report, k, reader))
        reports = barrier.exchange(k, (reader.last, state))
        states = [state_of_device for _, state_of_device in reports]
        _check_kinds([state_of_device.index for state_of_device in states])
        # the last chunk of the stream determines types, whichever device linked it
        _, latest = max(reports, key=lambda report: (report[0], report[1].batches))
        if not k:
            state = _with_types_of(state, latest)
        merge = self._merge_trees if self.count is not None else self._merge_states
        state = merge(k, run.with_output_kind(state), barrier)
        if k:
            return None
        dropped = sum(state_of_device.given.dropped_rows for state_of_device in states)
        kind = replace(latest.given, dropped_rows=dropped)
        edges = sum(state_of_device.edges for state_of_device in states)
        ledger = reduce(Ledger.plus, (state_of_device.ledger for state_of_device in states))
        ledger = ledger._replace(given=self.queue.source.given).check()
        state = run.with_output_kind(replace(state, given=kind, edges=edges, ledger=ledger))
        self.reporter.report_state(state, last=True)
        return snapshot(state, options.batch_design, options.labels, perf_counter() - started)

    def _report(self, k: int, reader: _DeviceReader, state: ConnectivityState) -> None:
        """Record the state of device k after a chunk; device 0 reports the edges of all devices."""
        number = reader.waiting.popleft()
        if state.edges > self.edges.get(k, 0):
            reader.last = number
        self.edges[k] = state.edges
        if not k:
            self.reporter.report_state(replace(state, edges=sum(self.edges.values())))

    def _merge_trees(
        self, k: int, state: ConnectivityState, barrier: ExchangeBarrier
    ) -> ConnectivityState:
        """Return the state of device k with the trees of all devices, over the same vertices."""
        with self.backend.scope():
            forest = state.flat()
            merge_all(k, forest, self.numbers, self.backend, barrier)
        return replace(state, forest=forest)

    def _merge_states(
        self, k: int, state: ConnectivityState, barrier: ExchangeBarrier
    ) -> ConnectivityState:
        """Return the state of device k, on device 0 with the ids and trees of all devices.

        In each round, half of the remaining devices send their ids and the root of each id to the
        other half.
        """
        backend = self.backend
        distance = 1  # the number of the sender minus the number of the receiver
        while distance < len(self.numbers):
            sends, sender = k % (2 * distance) == distance, k + distance
            with backend.scope():
                message = (state, batches.flat_parents(state)) if sends else None
                backend.synchronize()
                messages = barrier.exchange(k, message)
                if not k % (2 * distance) and sender < len(self.numbers):
                    backend.connect(self.numbers[sender])
                    state = self._with_trees(state, messages[sender], self.numbers[sender])
                    backend.synchronize()
            del message, messages
            barrier.exchange(k)  # all have received, so the sent states are freed
            barrier.forget(k)
            distance *= 2
        return state

    def _with_trees(
        self, state: ConnectivityState, sent: tuple[ConnectivityState, Array], device: int
    ) -> ConnectivityState:
        """Return a state with the ids and the trees of another device added.

        ``sent`` has the state of the other device, whose number is ``device``, and the root of each
        vertex of that state.
        """

        def check(index: Index) -> int:
            """Return the rows that fit next to an index; raise a CapacityError if none do."""
            try:
                return self.budget.update(*memory_use(index))
            except CapacityError as error:
                raise CapacityError(f"while the forests of the GPUs are merged, {error}") from None

        backend, (other, roots) = self.backend, sent
        transfer = Transfer(backend, device, check(state.index), check)
        # the vertex of this state for each vertex of the other
        index, vertices = merge_index(state.index, other.index, transfer)
        forest = batches.grown(state.forest, index.n)
        for rows in transfer.parts(other.index.n):
            roots_here = at_places(vertices, transfer.receive(roots[rows]), backend)
            batches.link(forest, None, vertices[rows], roots_here)
        return replace(state, index=index, forest=forest)


def _with_types_of(state: ConnectivityState, latest: ConnectivityState) -> ConnectivityState:
    """Return the state with the types of ids and of answers of the state ``latest``."""
    index = state.index
    if isinstance(index, Range) and isinstance(latest.index, Range):
        index = replace(index, dtype=latest.index.dtype)
    return replace(state, given=latest.given, index=index)


def _check_kinds(indices: list[Index]) -> None:
    """Raise a ColumnTypeError if ids are integers in some chunks and strings in others."""
    kinds = {tuple(index.kinds) for index in indices if index.n}
    if len(kinds) > 1:
        raise ColumnTypeError(
            "ids are integers in some files and strings in others: cast the columns to one type"
        )
