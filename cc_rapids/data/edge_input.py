"""The caller's edges, checked, and the form in which answers are returned."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ColumnTypeError, InputError, shown
from ..ledger import Ledger
from .arguments import check_names
from .column import Borrowing, Column, empty, empty_like, of
from .end_columns import Side, sides_of
from .frame_access import collected, columns_of, is_frame, vertices_of_keys
from .key_names import are_usable, key_names_of, public_name
from .kinds import DESTINATION, SOURCE, frame_of_levels
from .text_options import NO_OPTIONS, TextOptions

if TYPE_CHECKING:
    from .weight_bound import WeightBound


class Labels(NamedTuple):
    """The label columns for callers who gave arrays: two arrays of one length."""

    vertex: Any
    labels: Any


class Sizes(NamedTuple):
    """The components for callers who gave arrays: two arrays of one length, largest first."""

    labels: Any
    size: Any


class Members(NamedTuple):
    """The vertices, grouped by component, for callers who gave arrays."""

    labels: Any
    vertex: Any


class Histogram(NamedTuple):
    """The number of components of each size, for callers who gave arrays."""

    size: Any
    components: Any


class SpanningForest(NamedTuple):
    """The edges of a spanning forest, for callers who gave arrays: row numbers and ends."""

    row: Any
    source: Any
    destination: Any


# The other named tuples for callers who gave arrays: their columns and contents. Pickle finds them
# by their names in this module.
_DECLARATIONS = {
    "Vertices: vertex": "The vertices of some components",
    "Merges: threshold before after size": "Components that merge between thresholds",
    "Changes: vertex before after": "Vertices whose label a batch changed",
    "Shared: before after shared": "The members that components share with earlier components",
    "Resized: labels before after": "The sizes of components that kept their number",
    "Colors: vertex color": "The colours of vertices, -1 where there is none",
    "Splits: labels size parts largest oversized edges_cut weakest_cut strongest_cut": (
        "The components that are too large, and their parts"
    ),
    "Curve: threshold components largest susceptibility": (
        "The components at each weight at which components merge"
    ),
    "OddCycles: labels row source destination": (
        "The edges around odd cycles, their row numbers and ends"
    ),
    "WeightedForest: row source destination weight": "The edges of a spanning forest by weight",
    "EdgeBlocks: row source destination labels": "The edges with their biconnected components",
    "WeightedEdgeBlocks: row source destination weight labels": (
        "The weighted edges with their biconnected components"
    ),
    "RefusedRows: row source destination weight rule source_labels destination_labels": (
        "The edges that a rule refused, and the labels of their clusters"
    ),
    "ClusterScores: threshold vertices only_in_found only_in_truth pairwise_precision"
    " pairwise_recall pairwise_f1 bcubed_precision bcubed_recall bcubed_f1 cluster_precision"
    " cluster_recall cluster_f1 variation_of_information adjusted_rand_index": (
        "The scores of the components at each threshold against true clusters"
    ),
    "Lengths: length": "The paths of pairs along a forest, -1 where there is none",
    "WeakestRows: length weakest_row weakest_weight": (
        "The paths of pairs along a forest by weight"
    ),
    "PathRows: pair step row source destination": "The edges of the paths of pairs along a forest",
    "WeightedPathRows: pair step row source destination weight": (
        "The edges of the paths of pairs along a forest by weight"
    ),
    "Overall: components vertices edges repeated self_loops bridges singletons singleton_share"
    " size_min size_q25 size_median size_q75 size_q99 size_mean size_max": (
        "The numbers of a report over all components, arrays of one value"
    ),
    "Reported: labels size edges density bridges": (
        "The numbers of each component in a report without weights"
    ),
    "ReportedLinks: labels size edges density bridges weakest_row weakest_weight": (
        "The numbers of each component in a report, with its weakest link"
    ),
}
PLAIN_FRAMES: dict[tuple[str, ...], Any] = {
    kind._fields: kind for kind in (Labels, Sizes, Members, Histogram, SpanningForest)
}


def _add_plain_frame(declaration: str, content: str) -> None:
    """Add the named tuple of a row of ``_DECLARATIONS`` to this module and to ``PLAIN_FRAMES``."""
    name, columns = declaration.split(": ")
    named_tuple: Any = namedtuple  # mypy would require a literal name
    kind = named_tuple(name, columns, module=__name__)
    kind.__doc__ = f"{content}, for callers who gave arrays."
    globals()[name] = PLAIN_FRAMES[kind._fields] = kind


for _declaration, _content in _DECLARATIONS.items():
    _add_plain_frame(_declaration, _content)


class Lending(Borrowing):
    """A context manager that borrows the ids and the row offsets of an :class:`EdgeInput`.

    It gives two lists of borrowed arrays or strings: the columns of ids, and the offsets, if any.
    """

    given: EdgeInput
    columns: list[Column]

    def __init__(self, given: EdgeInput) -> None:
        self.given, self.columns = given, given.lent

    def __enter__(self) -> Any:
        borrowed, id_count = super().__enter__(), len(self.given.columns)
        return borrowed[:id_count], borrowed[id_count:]


@dataclass(frozen=True)
class EdgeInput:
    """The caller's edges, checked: two columns, and the form in which answers are returned."""

    src: Column  # for an adjacency list, both columns are its indices
    dst: Column
    make_frame: Callable[[dict[str, Any]], Any]  # makes frames in memory from columns by name
    on_device: bool
    vertices: Column | range | None = None
    dropped_rows: int = 0  # the number of rows left out for a null end or a null weight
    vertices_are_dense_range: bool = False  # whether the vertices are 0 .. n - 1
    row_offsets: Column | None = None  # the row offsets of an adjacency list
    symmetric: bool = False  # whether every edge is in the rows of both its ends
    row_index: Callable[[], Any] | None = None  # gives row numbers if rows were left out
    formats: tuple[Any, ...] = ()  # how files were read
    # the names of key columns of vertices in answers; () for numbers, None for names of the edges
    vertex_names: tuple[str, ...] | None = None
    end_names: tuple[str, ...] | None = None  # the names of the columns of ends in answers
    text_bytes: int = 0  # bytes of the strings that were replaced by integers
    weights: Any = None  # an array with one number per edge, for a spanning forest by weight
    index: Any = None  # the index of the caller's frame, if its library has one
    bound: WeightBound | None = None  # the bound on weights that an answer stores
    rows_outside: int = 0  # the number of rows outside a bound on weights
    answers: Callable[[Any], Any] | None = None  # converts frames in memory to another kind
    # marks an array as free of NaN for ``make_frame``; None if ``make_frame`` never looks for NaN
    without_nan: Callable[[Any], Any] | None = None
    ledger: Ledger | None = None  # rows given and left out; linked rows are added later
    columns: list[Column] = field(init=False, repr=False, compare=False)  # the columns of ids
    lent: list[Column] = field(init=False, repr=False, compare=False)  # ids and offsets

    def __post_init__(self) -> None:
        columns = [self.src, self.dst]
        if isinstance(self.vertices, Column):
            columns.append(self.vertices)
        offsets = [] if self.row_offsets is None else [self.row_offsets]
        vars(self).update(columns=columns, lent=[*columns, *offsets])

    @property
    def rows(self) -> Ledger:
        """The ledger of the edges, by default with the present rows as the given ones."""
        return Ledger(self.src.size) if self.ledger is None else self.ledger

    @property
    def key_names(self) -> tuple[str, ...]:
        """The names of the key columns of vertices in answers; empty if they are numbered."""
        if self.vertex_names is not None:
            return self.vertex_names
        ends = self.src.key_columns, self.dst.key_columns
        return key_names_of(*([part.name for part in side] for side in ends))

    @property
    def end_columns(self) -> list[str]:
        """The columns of ids, alternating between the ends; empty unless edges are a frame."""
        if self.end_names is not None:
            return list(self.end_names)
        if self.formats or self.make_frame is plain_frame or self.row_offsets is not None:
            return []
        ends = (end.key_columns or (end,) for end in (self.src, self.dst))
        return [part.name for parts in zip(*ends, strict=True) for part in parts]

    def output_name(self, column: str) -> str:
        """Return the name that a numbered column such as ``0_vertex`` has in answers."""
        return public_name(column, self.key_names) if self.src.key_columns else column

    def answer(self, frame: Any) -> Any:
        """Convert a frame or column in memory to the kind of object that the caller gets."""
        return frame if self.answers is None else self.answers(frame)

    def changed(self) -> InputError:
        """Return the error for ids or rows that changed between two readings."""
        offsets = self.lent[len(self.columns) :]
        names = dict.fromkeys(column.name for column in [*offsets, *self.columns])
        return InputError(
            f"{' or '.join(map(repr, names))} changed while it was read: the second reading found"
            " other vertices; pass a copy, or wait until nothing writes to it"
        )


def check_range(name: str, ids: range, given: str = "") -> None:
    """Raise an InputError if a range has more than 2^63 - 1 ids, or ids beyond 64 bits.

    ``given`` is the argument ``name`` as the error shows it, by default the range.
    """
    if not ids:
        return
    least, greatest = min(ids[0], ids[-1]), max(ids[0], ids[-1])
    count = (greatest - least) // abs(ids.step) + 1
    if least < -(1 << 63) or greatest >= 1 << 64 or count >= 1 << 63:
        raise InputError(
            f"{name}={given or shown(ids)} goes beyond 64-bit integers: pass fewer vertices, or"
            " pass the existing ids as vertices="
        )


def with_vertices(edge_input: EdgeInput, vertices: Any, dense: bool) -> EdgeInput:
    """Return the input with the vertices that the caller names.

    Parameters
    ----------
    vertices : column, array, frame of several columns, range or None
    dense : bool
        Whether the vertices are exactly 0 .. n - 1.

    Raises
    ------
    InputError, ColumnTypeError
        The vertices are of another kind than the ids of the edges.
    """
    if vertices is None:
        return edge_input
    src = edge_input.src
    if src.key_columns:
        vertices = collected(frame_of_levels(vertices))
        if isinstance(vertices, range):
            raise InputError(
                f"the vertices are rows of {len(src.key_columns)} columns ({src.name}), so"
                f" vertices= must be a frame of {len(src.key_columns)} columns (and num_vertices="
                " does not apply)"
            )
        column = vertices_of_keys(vertices, len(src.key_columns))
        if is_frame(vertices) and are_usable(columns_of(vertices)):
            edge_input = replace(edge_input, vertex_names=tuple(columns_of(vertices)))
        return _with_column(edge_input, column)
    if not isinstance(vertices, range):
        return _with_column(edge_input, of("vertices", vertices))
    check_range("vertices", vertices)
    if src.strings and src.size:
        raise InputError(
            f"column {src.name!r} holds strings, so vertices= must be strings too (and"
            " num_vertices= does not apply)"
        )
    if src.strings:  # columns without rows may be of any type
        edge_input = replace(edge_input, src=empty(src.name), dst=empty(edge_input.dst.name))
    return replace(edge_input, vertices=vertices, vertices_are_dense_range=dense)


def _with_column(edge_input: EdgeInput, vertices: Column) -> EdgeInput:
    """Return the input with a column of vertices, whose type is ignored if there are no vertices.

    If there are no edges, the types of their ids are replaced by the type of the vertices.
    """
    src, dst = edge_input.src, edge_input.dst
    if not vertices.size:
        return edge_input
    if not src.size:
        src, dst = empty_like(vertices, src), empty_like(vertices, dst)
        return replace(edge_input, src=src, dst=dst, vertices=vertices)
    parts = vertices.key_columns or (vertices,), src.key_columns or (src,)
    for of_vertices, of_edges in zip(*parts, strict=True):
        if of_vertices.strings != of_edges.strings:
            raise ColumnTypeError(
                f"vertices are {of_vertices.dtype}, but column {of_edges.name!r} is"
                f" {of_edges.dtype}: pass ids of the same kind as those of the edges"
            )
    return replace(edge_input, vertices=vertices)


def plain_frame(columns: dict[str, Any]) -> Any:
    """Return arrays as a named tuple, for a caller who gave arrays."""
    return PLAIN_FRAMES[tuple(columns)](**columns)


@dataclass(frozen=True)
class ReadRequest:
    """The options for reading edges."""

    source: Side | None = None  # the columns that the caller named; None for the default
    destination: Side | None = None
    nulls: str = "raise"  # the policy for null ends: "raise", "drop", or REFUSE of data.column
    options: TextOptions = NO_OPTIONS  # only for files
    vertices: Any = None  # the caller's; an error if the edges have their own vertices
    bound: WeightBound | None = None  # applied by the reader of a stream to its chunks
    skips_unreadable: bool | None = None  # of streams; None if a function has no such option

    @property
    def names(self) -> tuple[Side, Side]:
        """The columns of both ends of edges in memory, by default src and dst."""
        source = SOURCE if self.source is None else self.source
        return source, DESTINATION if self.destination is None else self.destination

    @cached_property
    def sides(self) -> tuple[list[str], list[str]]:
        """The columns of both ends as lists of equal length; do not modify them."""
        if self.source is None and self.destination is None:
            return [SOURCE], [DESTINATION]
        return lists_of_ends(*self.names)

    @property
    def ids(self) -> list[str]:
        """The distinct columns of ids."""
        return list(dict.fromkeys(name for side in self.sides for name in side))

    def columns(self, weight: Any) -> list[Any]:
        """Return the columns of ids, and the column of weights if ``weight`` is a name."""
        source, destination = self.sides
        return [*source, *destination, *([weight] if isinstance(weight, str | int) else [])]

    def weight_name(self, kind: str) -> Any:
        """Return the column of weights of the bound, if any; errors call the edges ``kind``."""
        return None if self.bound is None else self.bound.name(kind)

    @property
    def has_lists(self) -> bool:
        """True if several columns form one id, which only frames and files have."""
        return isinstance(self.source, list) or isinstance(self.destination, list)


def checked_names(
    source: str | list[str] | None, destination: str | list[str] | None
) -> tuple[str | list[str], str | list[str]]:
    """Check and return the columns of both ends of edges in memory, by default src and dst."""
    for what, names in (("source=", source), ("destination=", destination)):
        if names is not None:
            check_names(what, names)
    return ReadRequest(source, destination).names


def lists_of_ends(source: Any, destination: Any) -> tuple[list[str], list[str]]:
    """Return the columns of both ends as lists; raise an InputError if their lengths differ."""
    left, right = sides_of(source, destination)
    if len(left) != len(right) or not left:
        raise InputError(
            f"source names {len(left)} columns and destination {len(right)}: both ends of an edge"
            " need the same number of columns"
        )
    return left, right
