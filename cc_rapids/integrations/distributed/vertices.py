"""Find components with distributed vertices: no worker holds all vertices.

The algorithm follows Balduzzi et al. 2018, section 2. Vertices are divided into parts, one per
worker; the owner of a vertex is its part. Each part first joins the edges inside it, and then the
edges that cross its borders. The paper sends each find and hook to the owner of a vertex by
one-sided MPI. Here each part sends its finds and hooks in batches:

1. Each worker merges the forests of its partitions, and sends each edge to the owner of one end.
   Each part labels its vertices by the edges inside the part.
2. Each part replaces the ends of crossing edges by their labels. The crossing edges now join
   components of parts. A component without crossing edges is complete. Each part keeps a forest of
   its crossing edges.
3. Rounds of hooks run while more than ``room`` edges remain. In a round, every vertex with
   neighbours chooses its least neighbour as parent. If u chooses v, then v chooses u or a lesser
   vertex, so a cycle of choices has two vertices. The lesser vertex of a cycle is the root of its
   tree and the least vertex in the tree. Each batch of finds doubles the distance from a vertex to
   its known ancestor, until the ancestor is its root. Then the ends of the edges are replaced by
   their roots.
4. One worker solves the remaining forest of at most ``room`` edges. Labels are sent back by one
   batch of finds per round.

The number of rounds is bounded. Let b be the number of vertices with neighbours. Every tree of step
3 has at least two vertices, so each round at least halves b. If b is counted after step 2, there
are at most log2(b) rounds. P parts keep at most P (b - 1) edges, so the rounds end once b <= room /
P + 1. In a round that begins with b vertices, trees are less than b deep, so at most log2(b) + 2
batches of finds are sent. By default ``room`` is the number of vertices of the largest part. Then
no worker holds more than ``room`` rows in addition to its share of the vertices and of the edges of
forests. If borders are short, as in road networks and in lattices cut into tiles, no round is
needed, and four batches suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import getitem
from typing import Any, NamedTuple

import numpy as np

from ... import backends
from ...api import components
from ...data.arguments import check_word
from ...data.column import array_of_range, is_cudf
from ...data.dtypes import is_boolean, is_integer
from ...data.end_columns import Side
from ...errors import InputError, shown
from ...incremental.progress import DistributedProgress, Reporter
from ...ledger import Ledger, lost_rows
from ...results.labels import check_labels
from .forests import (
    Ends,
    Forest,
    as_list,
    common_integer_type,
    concat,
    kind_of,
    ledger_of,
    library,
    local_forest,
    of_length,
    row_facts,
    select_rows,
)
from .protocol import Executor, Handle

Owner = Callable[[Any], Any]  # from a column of ids to an array of parts 0 .. count - 1


@dataclass(frozen=True)
class Ranges:
    """Owners by ranges of ids: part k owns the ids from cuts[k - 1] to cuts[k] - 1."""

    cuts: tuple[int, ...]

    def __call__(self, ids: Any) -> Any:
        """Return the part of each id: a new array, on the GPU for cuDF's columns."""
        wide_type = np.uint64 if ids.dtype == np.uint64 else np.int64
        limits = np.iinfo(wide_type)
        # NumPy cannot convert a cut beyond the type. Such a cut is below all ids, or above all ids
        cuts = [max(cut, int(limits.min)) for cut in self.cuts if cut <= limits.max]
        values = ids.astype(wide_type).values
        xp = library(values)
        if not cuts:
            return xp.zeros(values.size, np.int64)
        return xp.searchsorted(xp.asarray(cuts, wide_type), values, side="right")


@dataclass(frozen=True)
class Hashed:
    """Owners by the hash function of the frame library, which is equal in every process."""

    count: int

    def __call__(self, ids: Any) -> Any:
        """Return the part of each id: a new array, on the GPU for cuDF's columns."""
        if hasattr(ids, "hash_values"):
            return (ids.hash_values().values % self.count).astype(np.int64)
        import pandas as pd

        hashes = pd.util.hash_pandas_object(ids, index=False).to_numpy()
        return (hashes % self.count).astype(np.int64)


@dataclass(frozen=True)
class GivenOwners:
    """Owners by a function of the caller, whose results are checked."""

    owner: Owner
    count: int

    def __call__(self, ids: Any) -> Any:
        """Return the part of each id, as the caller computes it."""
        xp = cupy_or_numpy(ids)
        if not len(ids):
            return xp.zeros(0, np.int64)
        try:
            parts_of_ids = self.owner(ids)
            parts = xp.asarray(getattr(parts_of_ids, "values", parts_of_ids))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"[:300]
            raise InputError(
                f"owners failed for {len(ids):,} ids of type {ids.dtype}: {reason}"
            ) from error
        if parts.shape != (len(ids),) or not (is_integer(parts.dtype) or is_boolean(parts.dtype)):
            raise InputError(
                f"owners returned {parts.dtype} of shape {parts.shape} for {len(ids):,} ids: it"
                " must return an array of integers, the number of a part for each id"
            )
        if int(parts.min()) < 0 or int(parts.max()) >= self.count:
            raise InputError(
                f"owners returned parts from {parts.min()} to {parts.max()}, but parts must be 0 .."
                f" {self.count - 1}"
            )
        return parts.astype(np.int64)

    def parts_by_call(self, ids: Any) -> Any:
        """Call the function on the ids in different orders and pieces; return the parts of the ids.

        The result is a NumPy array with a row per call and a column per id. All rows are equal if
        parts depend only on the ids.
        """
        xp, cut = cupy_or_numpy(ids), len(ids) // 3  # pieces of unequal lengths
        forwards, backwards = self(ids), self(ids.iloc[::-1])[::-1]
        in_pieces = xp.concatenate([self(ids.iloc[:cut]), self(ids.iloc[cut:])])
        parts_by_call = xp.stack([forwards, backwards, in_pieces])
        return parts_by_call.get() if hasattr(parts_by_call, "get") else parts_by_call

    def check(self, ids: Any, part: int) -> None:
        """Raise an InputError if a part does not own an id that it received."""
        parts = self(ids)
        mismatched = parts != part
        if mismatched.any():
            at = int(mismatched.argmax())
            raise two_owners_error(ids.iloc[at], part, parts[at])


def two_owners_error(an_id: Any, part: Any, other_part: Any) -> InputError:
    """Return the error for an id that was assigned to both ``part`` and ``other_part``."""
    an_id = an_id.item() if hasattr(an_id, "item") else an_id
    return InputError(
        f"owners assigns the id {shown(an_id)} to part {int(part)} in one call, but to part"
        f" {int(other_part)} in another call: the part must depend on the id alone, not on other"
        " ids, and be the same in every process (unlike Python's hash() of a string; use"
        " owners='hash')"
    )


def cupy_or_numpy(ids: Any) -> Any:
    """Return CuPy for a column of cuDF, otherwise NumPy."""
    if type(ids).__module__.startswith("cudf"):
        import cupy

        return cupy
    return np


def even_ranges(low: int, high: int, count: int) -> Ranges:
    """Divide the ids from ``low`` to ``high`` into ``count`` equal ranges."""
    span = high - low + 1
    return Ranges(tuple(low + k * span // count for k in range(1, count)))


PARTITIONS = ("edges", "vertices")
OWNERS = ("range", "hash")
ENDS = ("source", "destination")
Box = list[Any]  # one frame for each part
BYTES_OF_A_ROW = 16  # of a label table: an id and a label of 64 bits
SAMPLE_EDGES = 1 << 10  # sampled edges per worker, for the check of the caller's owner function
OWNER_CALL_VERTICES = 1 << 22  # vertices per call of the owner function


def described(forest: Forest) -> dict[str, Any]:
    """Return the facts about a forest that the client needs.

    ``kinds`` are the kinds of both columns, or empty without rows. ``low`` and ``high`` are the
    least and the greatest id; None for strings, and without rows.
    """
    edges = forest.checked()
    kinds = [kind_of(edges[end]) for end in ENDS] if len(edges) else []
    bounds = [bound for kind in kinds for bound in (kind.low, kind.high) if bound is not None]
    return {
        "rows": forest.rows,
        "kinds": kinds,
        "low": min(bounds, default=None),
        "high": max(bounds, default=None),
        "ledger": forest.ledger,
    }


def total_ledger(facts: list[dict[str, Any]]) -> Ledger:
    """Return the sum of the ledgers of all forests, which are among their facts."""
    return reduce(Ledger.plus, (fact["ledger"] for fact in facts), Ledger())


def kind_of_ids(
    id_names: Ends, facts: list[dict[str, Any]], vertex_range: range | None = None
) -> str | None:
    """Return the integer type that holds all ids of the forests; None if ids are strings."""
    [name] = as_list(id_names[0])
    kinds = [kind for fact in facts for kind in fact["kinds"]]
    integer_type = common_integer_type(name, kinds, vertex_range)
    if vertex_range is not None and kinds and integer_type is None:
        raise InputError(
            f"column {name!r} holds strings, so vertices= must be strings, too (and num_vertices="
            " does not apply)"
        )
    return integer_type


def bytes_of_forest(forest: Forest) -> int:
    """Return the size of the edges of a forest in bytes."""
    return bytes_of_frame(forest.edges)


def edges_by_owner(forest: Forest, owner: Owner, count: int, kind: str | None) -> Box:
    """Return the edges of a partition, grouped by the owner of one end.

    Most edges should stay on this worker. Therefore every edge with an end in the home part, which
    owns most ends in this partition, goes to the home part. Other edges go to the owner of their
    source. ``kind`` is the integer type to cast ids to; None for strings.
    """
    edges = forest.edges if kind is None else forest.edges.astype(kind)
    source_parts, destination_parts = (owner(edges[end]) for end in ENDS)
    xp = library(source_parts)
    sources_by_part = xp.bincount(source_parts, minlength=count)
    home = int((sources_by_part + xp.bincount(destination_parts, minlength=count)).argmax())
    # All edges are sent to the owner of their source, so turn edges with only the destination home
    is_turned = (destination_parts == home) & (source_parts != home)
    swapped = dict(zip(ENDS, ENDS[::-1], strict=True))
    turned_edges = select_rows(edges, is_turned).rename(columns=swapped)
    all_edges = concat([select_rows(edges, ~is_turned), turned_edges[list(ENDS)]])
    of_length(all_edges, forest.rows, "the edges of a forest")
    return box_by_owner(all_edges, "source", owner, count)


def box_by_owner(frame: Any, by: str, owner: Owner, count: int) -> Box:
    """Return a frame for each part, with the rows whose ids in column ``by`` the part owns."""
    parts = owner(frame[by])
    box = [select_rows(frame, parts == k) for k in range(count)]
    if sum(map(len, box)) != len(frame):
        raise lost_rows("the rows for all parts", len(frame), sum(map(len, box)))
    return box


class _Size(NamedTuple):
    """The number of rows of a frame, and the size of the frame in bytes."""

    rows: int
    bytes: int


def frame_sizes(box: Box) -> list[_Size]:
    """Return the size of each frame of a box."""
    return [_Size(len(frame), bytes_of_frame(frame)) for frame in box]


def bytes_of_frame(frame: Any) -> int:
    """Return the size of the columns of a frame in bytes."""
    return int(frame.memory_usage(index=False, deep=True).sum()) if len(frame) else 0


def received_rows(owner: Owner, by: str, part: int, rows: int, *frames: Any) -> Any:
    """Concatenate the rows received from other parts, after a check of their number and owners."""
    rows_of_part = of_length(concat(list(frames)), rows, f"the rows for part {part}")
    if isinstance(owner, GivenOwners):
        owner.check(rows_of_part[by], part)
    return rows_of_part


def sample(forest: Forest, kind: str | None) -> Any:
    """Return the ends of a sample of the edges, as a column of vertices."""
    edges = forest.edges if kind is None else forest.edges.astype(kind)
    step = -(-len(edges) // SAMPLE_EDGES) or 1  # -(-a // b) rounds up; 1 if there are no edges
    sampled = edges.iloc[::step]
    return concat([sampled[[end]].rename(columns={end: "vertex"}) for end in ENDS])


def sampled_parts(owner: GivenOwners, vertex_range: range | None, *samples: Any) -> tuple[Any, Any]:
    """Return distinct ids of samples and range, and their parts in several calls of ``owner``."""
    ids = concat(list(samples))["vertex"]
    if vertex_range:
        step = -(-len(vertex_range) // SAMPLE_EDGES)
        dtype = ids.dtype if len(ids) else np.int64
        ids_of_range = type(ids)(np.array(vertex_range[::step], dtype), name="vertex")
        ids = concat([ids.to_frame(), ids_of_range.to_frame()])["vertex"]
    ids = ids.drop_duplicates().reset_index(drop=True)
    return ids, owner.parts_by_call(ids)  # compared in _check_owner_function


def sampled_id(result: tuple[Any, Any], at: int) -> Any:
    """Return the id at a position of the result of :func:`sampled_parts`."""
    ids, _ = result
    return ids.iloc[at]


def local_labels(
    edges: Any,
    owner: Owner,
    part: int,
    count: int,
    vertex_range: range | None,
    options: dict[str, Any],
) -> Any:
    """Return the label table of a part, from the edges inside the part.

    ``edges`` are the edges whose source the part owns. The table has all vertices of the part:
    these sources, and the vertices of ``vertex_range`` that the part owns. ``options`` are those of
    :func:`components`.
    """
    if vertex_range:  # check that the label table of an average part fits into memory
        engine = backends.get("cuda" if is_cudf(edges["source"]) else "threads")
        size = -(-len(vertex_range) // count) * BYTES_OF_A_ROW
        engine.check_capacity(size, f"the share of one worker of {len(vertex_range):,} vertices")
    inner, outer = _split(edges, owner, part)
    # Each source of a crossing edge gets a self-loop, because it may be in no edge inside the part
    single_vertices = outer[["source"]].drop_duplicates()
    frame = concat([inner, single_vertices.assign(destination=single_vertices["source"])])
    own_vertices = None
    if vertex_range is not None:
        own_vertices = _owned(vertex_range, edges["source"], owner, part)
    result = components(frame, *ENDS, vertices=own_vertices, **options)
    # Not len(frame), so that the check also finds rows that concat has lost
    rows = len(edges) - len(outer) + len(single_vertices)
    ledger_of(result, rows, f"the edges of part {part}")
    return result.labels()


def _owned(vertex_range: range, like: Any, owner: Owner, part: int) -> Any:
    """Return the vertices of a range that a part owns, computed in pieces on this worker.

    The answer is a column of the library of ``like``, and of its type if this type holds the range.
    """
    column_class, limits, pieces = type(like), np.iinfo(like.dtype), []
    fits = not vertex_range or limits.min <= min(vertex_range) <= max(vertex_range) <= limits.max
    # Even an empty range makes one piece, which has the type of the ids
    for start in range(0, max(len(vertex_range), 1), OWNER_CALL_VERTICES):
        values = array_of_range(vertex_range[start : start + OWNER_CALL_VERTICES], np)
        ids = column_class(values.astype(like.dtype) if fits else values, name="vertex")
        pieces.append(select_rows(ids.to_frame(), owner(ids) == part))
    return concat(pieces)["vertex"]


def _split(edges: Any, owner: Owner, part: int) -> tuple[Any, Any]:
    """Return the edges whose destination the part owns, and the other edges."""
    inside = owner(edges["destination"]) == part
    inner, outer = select_rows(edges, inside), select_rows(edges, ~inside)
    if len(inner) + len(outer) != len(edges):
        raise lost_rows(f"the edges of part {part}", len(edges), len(inner) + len(outer))
    return inner, outer


def crossing(edges: Any, labels: Any, owner: Owner, part: int, count: int) -> Box:
    """Return the edges that leave a part, grouped by the owner of their destination.

    The source of each edge is replaced by its label.
    """
    outer = with_labels(_split(edges, owner, part)[1], "source", labels)
    return box_by_owner(outer.drop_duplicates(), "destination", owner, count)


def with_border_vertices(labels: Any, edges: Any) -> Any:
    """Add vertices that occur only in edges from other parts to the label table of a part."""
    new = edges[["destination"]].drop_duplicates().rename(columns={"destination": "vertex"})
    new = new[~new["vertex"].isin(labels["vertex"])]
    return concat([labels, new.assign(labels=new["vertex"])])


def border_forest(edges: Any, labels: Any, options: dict[str, Any]) -> Forest:
    """Return a forest of the edges that other parts sent, with labels at both ends."""
    return forest_without_loops(with_labels(edges, "destination", labels), options)


def forest_without_loops(edges: Any, options: dict[str, Any]) -> Forest:
    """Return a spanning forest of the edges, without self-loops."""
    edges = edges[edges["source"] != edges["destination"]]
    return local_forest(edges, *ENDS, "raise", options)


def with_labels(frame: Any, by: str, table: Any) -> Any:
    """Replace the ids in column ``by`` by their labels in a label table.

    Rows with ids that are not in the table are kept as they are, after all other rows.
    """
    if not (len(frame) and len(table)):
        return frame
    # "label" is a new name, because the frame may have a column "labels"
    matched = frame.merge(table.rename(columns={"vertex": by, "labels": "label"}), on=by)
    replaced = matched.drop(columns=by).rename(columns={"label": by})[list(frame.columns)]
    all_rows = concat([replaced, frame[~frame[by].isin(table["vertex"])]])
    return of_length(all_rows, len(frame), f"the rows with a {by} to look up")


def least_neighbours(forest: Forest, owner: Owner, count: int) -> Box:
    """Return each vertex with its least neighbour in a forest, grouped by owner of the vertex."""
    names, directions = ("vertex", "labels"), []
    for ends in (ENDS, ENDS[::-1]):
        directed = forest.edges.rename(columns=dict(zip(ends, names, strict=True)))
        directions.append(directed[list(names)])
    return box_by_owner(least_labels(*directions), "vertex", owner, count)


def least_labels(*tables: Any) -> Any:
    """Return a table with the least label that each vertex has in several tables."""
    return concat(list(tables)).groupby("vertex").agg({"labels": "min"}).reset_index()


def ids_to_look_up(frame: Any, by: str, owner: Owner, count: int) -> Box:
    """Return the distinct ids of a column, grouped by the owner that looks them up."""
    ids = frame[[by]].drop_duplicates().rename(columns={by: "vertex"})
    return box_by_owner(ids, "vertex", owner, count)


def lookup_rows(queries: Any, table: Any) -> Any:
    """Return the rows of a label table for the ids in ``queries``."""
    return table[table["vertex"].isin(queries["vertex"])].reset_index(drop=True)


def with_answers(frame: Any, by: str, *answers: Any) -> Any:
    """Replace the ids in column ``by`` by their labels in the tables that their owners returned."""
    return with_labels(frame, by, concat(list(answers))) if answers else frame


def with_grandparents(table: Any, *answers: Any) -> Any:
    """Add a column ``grandparent``: the label of each label, from the tables of the owners."""
    return with_answers(table.assign(grandparent=table["labels"]), "grandparent", *answers)


def without_cycles(table: Any) -> Any:
    """Break cycles of two vertices that chose each other: the lesser vertex becomes a root."""
    is_root = (table["grandparent"] == table["vertex"]) & (table["vertex"] < table["labels"])
    roots = table[is_root][["vertex"]]
    others = table[~is_root][["vertex", "labels"]]
    return concat([others, roots.assign(labels=roots["vertex"])])


def pointer_jump(table: Any) -> Any:
    """Replace each label by its own label."""
    return table[["vertex", "grandparent"]].rename(columns={"grandparent": "labels"})


def count_changed(table: Any) -> int:
    """Return the number of rows that a pointer jump changes."""
    return int((table["labels"] != table["grandparent"]).sum())


def solved(options: dict[str, Any], *forests: Forest) -> Any:
    """Return the label table of the remaining edges, solved on one worker."""
    edges = concat([forest.edges for forest in forests])
    result = components(edges, *ENDS, **options)
    ledger_of(result, sum(forest.rows for forest in forests), "the remaining edges")
    return result.labels()


def final_labels(labels: Any, table: Any) -> Any:
    """Return the label table of a part with final labels, in the order of the ids.

    ``labels`` is the table from the edges inside the part. ``table`` maps its labels to final
    labels. A label that is not in ``table`` is final, because no crossing edge joins its component.
    """
    return with_labels(labels, "labels", table).sort_values("vertex", ignore_index=True)


def count_vertices(answer: Any) -> tuple[int, int]:
    """Return the number of vertices, and the number of components whose least vertex is here."""
    return len(answer), int((answer["vertex"] == answer["labels"]).sum())


@dataclass
class Exchange:
    """The exchange of batches between the parts 0 .. count - 1."""

    tasks: Executor
    owner: Owner
    count: int
    watch: Reporter
    batches: int = 0  # the number of synchronizations of all parts

    def __post_init__(self) -> None:
        # the bytes that each part (row) has sent to each other part (column)
        self.bytes: np.ndarray[Any, Any] = np.zeros((self.count, self.count), np.int64)
        # the preferred worker of each part, chosen so that most rows stay on their workers
        self.workers: list[str | None] = [None] * self.count

    def on(self, part: int, function: Any, *arguments: Any) -> Handle:
        """Return the handle of a call for a part, on the worker of the part if it still exists."""
        return self.tasks.submit(function, *arguments, worker=self.workers[part])

    def send(
        self,
        boxes: list[Handle],
        by: str,
        homes: Sequence[int] | None,
        stage: str,
        total: int | None = None,
    ) -> list[Handle]:
        """Send each frame of the boxes to its part; return one frame for each part.

        A box has one frame for each part, which owns the ids in column ``by``. ``homes`` are the
        parts that hold the boxes; None if parts have no preferred workers yet, which are then
        assigned here. ``total`` is the number of rows that all boxes should have; None: no check.
        """
        box_sizes = self._gather_sizes(boxes, stage)
        rows_of_part = [sum(sizes[part].rows for sizes in box_sizes) for part in range(self.count)]
        if total is not None and total != sum(rows_of_part):
            raise lost_rows("the edges of all forests", total, sum(rows_of_part))
        if homes is None:
            homes = self._assign_workers(boxes, box_sizes)
        pieces: list[list[Handle]] = [[] for _ in range(self.count)]
        for box_number, (box, home) in enumerate(zip(boxes, homes, strict=True)):
            for part, size in enumerate(box_sizes[box_number]):
                # Each part gets at least one frame, even if it is empty, because frames have types
                if size.rows or box_number == part % len(boxes):
                    pieces[part].append(self.on(home, getitem, box, part))
                if part != home:
                    self.bytes[home, part] += size.bytes
        return [
            self.on(part, received_rows, self.owner, by, part, rows_of_part[part], *frames)
            for part, frames in enumerate(pieces)
        ]

    def _assign_workers(self, boxes: list[Handle], box_sizes: list[list[_Size]]) -> list[int]:
        """Assign a worker to each part; return, for each box, the part on its worker.

        Among the parts and workers that are not assigned yet, the next pair is the part and worker
        with most bytes of the part on the worker. For a box on a worker without a part, it is 0.
        """
        places = self.tasks.places(boxes)
        local_bytes: dict[tuple[int, str], int] = {
            (part, name): 0 for part in range(self.count) for name in self.tasks.workers()
        }
        for sizes_of_box, place in zip(box_sizes, places, strict=True):
            for part, size in enumerate(sizes_of_box):
                if (part, place) in local_bytes:  # false if the worker was lost
                    local_bytes[part, place] += size.bytes
        while local_bytes:
            part, name = max(local_bytes, key=lambda pair: local_bytes[pair])
            self.workers[part] = name
            local_bytes = {
                pair: size
                for pair, size in local_bytes.items()
                if pair[0] != part and pair[1] != name
            }
        return [self.workers.index(place) if place in self.workers else 0 for place in places]

    def _gather_sizes(self, boxes: list[Handle], stage: str) -> list[list[_Size]]:
        """Return the size of each frame of the boxes; count and report this batch."""
        self.batches += 1
        box_sizes = self.tasks.gather([self.tasks.submit(frame_sizes, box) for box in boxes])
        done = total = self.batches  # the total is unknown
        self.watch.report(done, total, partial(DistributedProgress, stage, done, total))
        return box_sizes

    def find(self, frames: list[Handle], by: str, tables: list[Handle], stage: str) -> list[Handle]:
        """Replace the ids in one column of each frame by the labels that their owners return."""
        answers = self._look_up(frames, by, tables, stage)
        return [
            self.on(part, with_answers, frame, by, *answers[part])
            for part, frame in enumerate(frames)
        ]

    def add_grandparents(self, tables: list[Handle], stage: str) -> list[Handle]:
        """Add the label of each label, which the owners return, to the tables."""
        answers = self._look_up(tables, "labels", tables, stage)
        return [
            self.on(part, with_grandparents, table, *answers[part])
            for part, table in enumerate(tables)
        ]

    def _look_up(
        self, frames: list[Handle], by: str, tables: list[Handle], stage: str
    ) -> list[list[Handle]]:
        """Return, for each part, the rows of the owners' tables for the ids in column ``by``.

        The rows are a list of frames.
        """
        boxes = [
            self.on(part, ids_to_look_up, frame, by, self.owner, self.count)
            for part, frame in enumerate(frames)
        ]
        answers: list[list[Handle]] = [[] for _ in range(self.count)]
        answer_bytes: dict[tuple[int, int], Handle] = {}
        for part, sizes_of_box in enumerate(self._gather_sizes(boxes, stage)):
            for other, size in enumerate(sizes_of_box):
                if not size.rows:
                    continue
                queries = self.on(part, getitem, boxes[part], other)
                answer = self.on(other, lookup_rows, queries, tables[other])
                answers[part].append(answer)
                if other != part:
                    self.bytes[part, other] += size.bytes
                    answer_bytes[other, part] = self.on(other, bytes_of_frame, answer)
        bytes_of_answers = self.tasks.gather(list(answer_bytes.values()))
        for pair, size in zip(answer_bytes, bytes_of_answers, strict=True):
            self.bytes[pair] += size
        self.batches += 1  # for the answers; _gather_sizes has counted the queries
        return answers


def owner_of(rule: Any, facts: list[dict[str, Any]], count: int) -> Owner:
    """Return the function that assigns one of ``count`` owners to each vertex.

    The caller's ``rule`` is a function, "hash" or "range". None means ranges if ids are integers,
    and hashes if ids are strings. ``facts`` are the results of :func:`described` for all forests.
    """
    # Both lists are empty if ids are strings, or if there are no edges
    lows = [fact["low"] for fact in facts if fact["low"] is not None]
    highs = [fact["high"] for fact in facts if fact["high"] is not None]
    if callable(rule):
        return GivenOwners(rule, count)
    if rule == "hash" or (rule is None and not lows):
        return Hashed(count)
    kinds = sorted({kind.dtype for fact in facts for kind in fact["kinds"]})
    if kinds and not lows:
        raise InputError(f"owners='range' needs integer ids, but ids are {', '.join(kinds)}")
    return even_ranges(min(lows, default=0), max(highs, default=0), count)


@dataclass
class Distributed:
    """A run with distributed vertices, which begins with the forests of the workers."""

    exchange: Exchange
    vertex_range: range | None
    options: dict[str, Any]
    facts: dict[str, Any] = field(default_factory=dict)

    def run(
        self, leaves: list[Handle], kind: str | None, room: int | None, total: int
    ) -> list[Handle]:
        """Run the steps in the docstring of the module; return the table of labels of each part.

        ``leaves`` are the forests of the workers, and ``total`` is the number of their edges.
        ``kind`` is the integer type of the ids, or None for strings. ``room`` may be None, for the
        number of vertices of the largest part.
        """
        exchange, options = self.exchange, self.options
        send, on, tasks = exchange.send, exchange.on, exchange.tasks
        owner, count = exchange.owner, exchange.count
        parts = range(count)
        # Step 1: send edges to owners, and label the vertices of each part
        boxes = [
            tasks.submit(edges_by_owner, leaf, owner, count, kind, worker=place)
            for leaf, place in zip(leaves, tasks.places(leaves), strict=True)
        ]
        edges = send(boxes, "source", homes=None, stage="to owners", total=total)
        inner = [
            on(p, local_labels, edges[p], owner, p, count, self.vertex_range, options)
            for p in parts
        ]
        # Step 2: exchange crossing edges, and keep a forest of them
        cross = [on(p, crossing, edges[p], inner[p], owner, p, count) for p in parts]
        border = send(cross, "destination", parts, "borders")
        del boxes, edges, cross  # they can be computed again from the forests of the workers
        labels = [on(p, with_border_vertices, inner[p], border[p]) for p in parts]
        remaining = [on(p, border_forest, border[p], labels[p], options) for p in parts]
        if room is None:
            room = max(tasks.gather([on(p, len, labels[p]) for p in parts]))
        # Step 3: rounds of hooks
        levels: list[list[Handle]] = []  # for each round, the tables of roots of the parts
        while sum(rows := self._rows(remaining)) > room:
            if not levels:  # a bound on the number of vertices with neighbours
                self.facts["border"] = 2 * sum(rows)
            levels.append(self._hook(remaining, len(levels) + 1))
            remaining = self._relabel(remaining, levels[-1], len(levels))
        self.facts |= {"rounds": len(levels), "room": room, "rest": sum(rows)}
        # Step 4: solve the rest, and send labels back
        table = self._solve(remaining, rows)
        for number, level in reversed(list(enumerate(levels, 1))):
            table = exchange.find(level, "labels", table, f"back, round {number}")
        return [on(p, final_labels, labels[p], table[p]) for p in parts]

    def _rows(self, remaining: list[Handle]) -> list[int]:
        """Return the number of remaining edges of each part."""
        tasks = self.exchange.tasks
        facts = tasks.gather([tasks.submit(described, forest) for forest in remaining])
        return [fact["rows"] for fact in facts]

    def _hook(self, remaining: list[Handle], number: int) -> list[Handle]:
        """Run a round of hooks; return label tables of the parts, where labels are roots.

        The tables have the vertices with neighbours in the forests ``remaining``. A label begins as
        the least neighbour, and the lesser vertex of a cycle becomes a root. Then labels are
        replaced by their own labels until no label changes.
        """
        exchange, stage = self.exchange, f"hooks, round {number}"
        on, owner, count = exchange.on, exchange.owner, exchange.count
        boxes = [on(p, least_neighbours, remaining[p], owner, count) for p in range(count)]
        neighbours = exchange.send(boxes, "vertex", range(count), stage)
        tables = [on(p, least_labels, table) for p, table in enumerate(neighbours)]
        extended = exchange.add_grandparents(tables, stage)
        tables = [on(p, without_cycles, table) for p, table in enumerate(extended)]
        while True:
            extended = exchange.add_grandparents(tables, stage)
            tables = [on(p, pointer_jump, table) for p, table in enumerate(extended)]
            changed = [on(p, count_changed, table) for p, table in enumerate(extended)]
            if not sum(exchange.tasks.gather(changed)):
                return tables

    def _relabel(self, remaining: list[Handle], roots: list[Handle], number: int) -> list[Handle]:
        """Return forests of the edges that still join different trees."""
        on, stage = self.exchange.on, f"edges, round {number}"
        edges = [on(p, Forest.checked, forest) for p, forest in enumerate(remaining)]
        for end in ENDS:
            edges = self.exchange.find(edges, end, roots, stage)
        return [on(p, forest_without_loops, frame, self.options) for p, frame in enumerate(edges)]

    def _solve(self, remaining: list[Handle], rows: list[int]) -> list[Handle]:
        """Solve the remaining edges on the worker with most edges; send the labels to the owners.

        ``rows`` are the numbers of remaining edges of each part.
        """
        exchange, home = self.exchange, int(np.argmax(rows))
        on = exchange.on
        bytes_by_part = exchange.tasks.gather(
            [on(p, bytes_of_forest, forest) for p, forest in enumerate(remaining)]
        )
        for part, size in enumerate(bytes_by_part):
            exchange.bytes[part, home] += size if part != home else 0
        exchange.batches += 1
        label_table = on(home, solved, self.options, *remaining)
        box = on(home, box_by_owner, label_table, "vertex", exchange.owner, exchange.count)
        return exchange.send([box], "vertex", [home], "rest")


def distributed(
    tasks: Executor,
    leaves: list[Handle],
    id_names: Ends,
    owners: Any,
    room: int | None,
    vertex_range: range | None,
    num_vertices: int | None,
    options: dict[str, Any],
    watch: Reporter,
) -> tuple[list[Handle], dict[str, Any]]:
    """Solve the forests of the workers; return the answers of the parts, and the facts.

    ``leaves`` are the forests, and ``owners`` is the caller's rule for :func:`owner_of`. All
    vertices of ``vertex_range`` are in the answer, even without edges.
    """
    facts = tasks.gather([tasks.submit(described, leaf) for leaf in leaves])
    part_count = len(tasks.workers())
    kind = kind_of_ids(id_names, facts, vertex_range)
    owner = owner_of(owners, facts, part_count)
    _check_ids(id_names, facts, num_vertices)
    if isinstance(owner, GivenOwners):
        _check_owner_function(tasks, leaves, owner, kind, vertex_range)
    exchange = Exchange(tasks, owner, part_count, watch)
    run = Distributed(exchange, vertex_range, options)
    answers = run.run(leaves, kind, room, sum(fact["rows"] for fact in facts))
    counts = tasks.gather([tasks.submit(count_vertices, answer) for answer in answers])
    vertex_counts, component_counts = zip(*counts, strict=True)
    return answers, run.facts | {
        "vertices": sum(vertex_counts),
        "components": sum(component_counts),
        **row_facts(total_ledger(facts)),
        "most_in_a_part": max(vertex_counts),
        "bytes": int(exchange.bytes.sum()),
        "batches": exchange.batches,
    }


def check_partition(
    partition: str,
    source: Side,
    labels: str | None,
    owners: Any,
    room: Any,
    dumps: Callable[[Any], bytes],
) -> None:
    """Check the arguments of distributed vertices, and that ``dumps`` can pickle the owners."""
    check_word("partition", partition, PARTITIONS)
    if partition == "edges":
        if owners is not None or room is not None:
            raise InputError("owners and room apply only to partition='vertices'")
        return
    if not isinstance(source, str):
        raise InputError(
            f"distributed vertices need ids of one column, not source={source!r}: combine the"
            " columns into one, for example by joining them as strings"
        )
    if labels is not None and not check_labels(labels).is_root:
        raise InputError(
            f"labels={labels!r} number all components, but with distributed vertices no worker has"
            " all components: use labels='min'"
        )
    is_word = isinstance(owners, str) and owners in OWNERS
    if not (owners is None or is_word or callable(owners)):
        raise InputError(
            f"owners must be 'range', 'hash' or a function of ids, not {shown(owners)}"
        )
    try:
        dumps(owners)
    except Exception as error:
        raise InputError(f"owners cannot be sent to the workers: {error}"[:500]) from error
    if room is not None and (isinstance(room, bool) or not isinstance(room, int) or room < 0):
        raise InputError(f"room must be a number of edges, 0 or more, not {room!r}")


def _check_owner_function(
    tasks: Executor,
    leaves: list[Handle],
    owner: GivenOwners,
    kind: str | None,
    vertex_range: range | None,
) -> None:
    """Compute the owners of sampled ids on every worker; raise an InputError if two calls differ.

    Later, each part checks the owners of the ids that it receives. To check that no id has two
    owners, parts would have to send all their ids: at least one bit per vertex is needed to decide
    whether the vertices of two parts are disjoint.
    """
    samples = [tasks.submit(sample, leaf, kind) for leaf in leaves]
    results = [
        tasks.submit(sampled_parts, owner, vertex_range, *samples, worker=worker)
        for worker in tasks.workers()
    ]
    # A result is a pair (ids, parts by call). The ids stay on the workers
    parts = tasks.gather([tasks.submit(getitem, result, 1) for result in results])
    parts_by_call = np.concatenate(parts)
    differs = (parts_by_call != parts_by_call[0]).any(axis=0)
    if differs.any():
        at = int(differs.argmax())
        [an_id] = tasks.gather([tasks.submit(sampled_id, results[0], at)])
        raise two_owners_error(an_id, *np.unique(parts_by_call[:, at])[:2])


def _check_ids(id_names: Ends, facts: list[dict[str, Any]], num_vertices: int | None) -> None:
    """Raise an InputError if an id is outside the range of ``num_vertices``."""
    bounds = [fact[end] for fact in facts for end in ("low", "high") if fact[end] is not None]
    if num_vertices is None or not bounds:
        return
    low, high = min(bounds), max(bounds)
    if low < 0 or high >= num_vertices:
        raise InputError(
            f"{id_names[0]!r} or {id_names[1]!r} holds the id {low if low < 0 else high}, outside"
            f" 0..{num_vertices - 1} of {num_vertices=}: pass a larger number, or vertices="
        )
