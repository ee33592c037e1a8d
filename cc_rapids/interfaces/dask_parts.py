"""What workers run where vertices are distributed: each task sees the frames of one part.

Edges are frames ``source``, ``destination``; a table says of vertices what they are part of, by
columns ``vertex``, ``labels``. A box is a list of frames, one for each part, to be sent there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import backends
from ..api import components
from ..data.column import is_cudf
from ..errors import InputError
from .dask_owners import Given, Owner
from .dask_work import (
    Ends,
    Forest,
    common_kind,
    concat,
    kind_of,
    library,
    listed,
    local_forest,
    taken,
)

ENDS = ("source", "destination")
Box = list[Any]
BYTES_OF_A_ROW = 16  # of a table: an id and a label of 64 bits
SAMPLE = 1 << 10  # edges of a worker, of whose ends owners are asked on every worker
RUN = 1 << 22  # vertices that are looked at together for their owner


def described(forest: Forest) -> dict[str, Any]:
    """What the client has to know of the edges of a partition."""
    edges = forest[0]
    kinds = [kind_of(edges[end]) for end in ENDS] if len(edges) else []
    facts = {"rows": len(edges), "kinds": kinds, "dropped": forest[1], "low": None, "high": None}
    bounds = [bound for kind in kinds for bound in kind[1:] if bound is not None]
    return facts | ({"low": min(bounds), "high": max(bounds)} if bounds else {})


def kind_of_ids(
    called: Ends, facts: list[dict[str, Any]], named: range | None = None
) -> str | None:
    """The type of integers that all ids of the forests fit; None if they are strings.

    Raises
    ------
    ColumnTypeError
        They are integers in some and strings in others, or there is no such type.
    InputError
        They are strings, and integers are named besides.
    """
    [name] = listed(called[0])
    kinds = [kind for fact in facts for kind in fact["kinds"]]
    kind = common_kind(name, kinds, named)
    if named is not None and kinds and kind is None:
        raise InputError(
            f"column {name!r} holds strings, so vertices= takes strings too"
            " (and num_vertices= does not apply)"
        )
    return kind


def edges_of(forest: Forest) -> Any:
    """The edges themselves."""
    return forest[0]


def weight_of(forest: Forest) -> int:
    """The bytes of the edges."""
    return weight(forest[0])


def routed(forest: Forest, owner: Owner, count: int, kind: str | None) -> Box:
    """The edges of a partition for the owners of one end each.

    That is the end whose owner has most ends here, if it has one of the two: what lies where it
    belongs stays.
    """
    edges = forest[0] if kind is None else forest[0].astype(kind)
    left, right = (owner(edges[end]) for end in ENDS)
    xp = library(left)
    counts = xp.bincount(left, minlength=count) + xp.bincount(right, minlength=count)
    home = int(counts.argmax())
    turned = (right == home) & (left != home)
    back = taken(edges, turned).rename(columns=dict(zip(ENDS, ENDS[::-1], strict=True)))
    return boxed(concat([taken(edges, ~turned), back[list(ENDS)]]), "source", owner, count)


def boxed(frame: Any, by: str, owner: Owner, count: int) -> Box:
    """The rows of a frame for the owners of one of its columns, without an index to send along."""
    parts = owner(frame[by])
    return [taken(frame, parts == k) for k in range(count)]


def sizes(box: Box) -> list[tuple[int, int]]:
    """The rows and the bytes of each frame of a box."""
    return [(len(frame), weight(frame)) for frame in box]


def weight(frame: Any) -> int:
    """The bytes of a frame's columns."""
    return int(frame.memory_usage(index=False, deep=True).sum()) if len(frame) else 0


def arrived(owner: Owner, by: str, part: int, *frames: Any) -> Any:
    """All rows of what came from other parts, by the owners of a column.

    Raises
    ------
    InputError
        A function that the caller gave says of some of them that they belong elsewhere.
    """
    whole = concat(list(frames))
    if isinstance(owner, Given):
        owner.check(whole[by], part)
    return whole


def sample(forest: Forest, kind: str | None) -> Any:
    """Some vertices of the edges, from all over them."""
    edges = forest[0] if kind is None else forest[0].astype(kind)
    some = edges.iloc[:: -(-len(edges) // SAMPLE) or 1]
    return concat([some[[end]].rename(columns={end: "vertex"}) for end in ENDS])


def called(owner: Given, named: range | None, *samples: Any) -> tuple[Any, Any]:
    """Different ids of some samples and of a range, and their parts by several calls."""
    ids = concat(list(samples))["vertex"]
    if named:
        some = named[:: -(-len(named) // SAMPLE)]
        dtype = ids.dtype if len(ids) else np.int64
        ids = concat([ids.to_frame(), type(ids)(np.array(some, dtype), name="vertex").to_frame()])
        ids = ids["vertex"]
    ids = ids.drop_duplicates().reset_index(drop=True)
    return ids, owner.calls(ids)


def one_of(asked: tuple[Any, Any], at: int) -> Any:
    """One of the ids that were asked about."""
    return asked[0].iloc[at]


def local_labels(
    edges: Any, owner: Owner, part: int, count: int, named: range | None, options: dict[str, Any]
) -> Any:
    """The table of a part by the edges that do not leave it, and of the named vertices it owns.

    Raises
    ------
    CapacityError
        The largest of so many parts would have more of these than fit into memory.
    """
    if named:
        engine = backends.get("cuda" if is_cudf(edges["source"]) else "threads")
        size = -(-len(named) // count) * BYTES_OF_A_ROW
        engine.check_room(size, f"the share of {len(named):,} vertices that a worker has")
    inner, outer = _split(edges, owner, part)
    alone = outer[["source"]].drop_duplicates()
    frame = concat([inner, alone.assign(destination=alone["source"])])
    own = None if named is None else _owned(named, edges["source"], owner, part)
    return components(frame, *ENDS, vertices=own, **options).labels()


def _owned(named: range, like: Any, owner: Owner, part: int) -> Any:
    """The vertices of a range that a part owns, found run by run; nothing is sent for them."""
    kind, limits, found = type(like), np.iinfo(like.dtype), []
    fits = not named or (limits.min <= min(named) and max(named) <= limits.max)
    dtype = np.dtype(like.dtype if fits else np.int64)
    for first in range(0, max(len(named), 1), RUN):
        run = named[first : first + RUN]
        ids = kind(np.arange(run.start, run.stop, run.step, dtype=dtype), name="vertex")
        found.append(taken(ids.to_frame(), owner(ids) == part))
    return concat(found)["vertex"]


def _split(edges: Any, owner: Owner, part: int) -> tuple[Any, Any]:
    inside = owner(edges["destination"]) == part
    return taken(edges, inside), taken(edges, ~inside)


def crossing(edges: Any, labels: Any, owner: Owner, part: int, count: int) -> Box:
    """The edges that leave a part, from the labels of their sources, for their other owners."""
    outer = looked_up(_split(edges, owner, part)[1], "source", labels)
    return boxed(outer.drop_duplicates(), "destination", owner, count)


def with_new(labels: Any, edges: Any) -> Any:
    """The table of a part, and the vertices that only edges from other parts name."""
    new = edges[["destination"]].drop_duplicates().rename(columns={"destination": "vertex"})
    new = new[~new["vertex"].isin(labels["vertex"])]
    return concat([labels, new.assign(labels=new["vertex"])])


def bordering(edges: Any, labels: Any, options: dict[str, Any]) -> Forest:
    """The forest over labels of edges from the labels of other parts to vertices of this one."""
    return shrunk(looked_up(edges, "destination", labels), options)


def shrunk(edges: Any, options: dict[str, Any]) -> Forest:
    """The forest of edges, those aside whose ends have become one."""
    edges = edges[edges["source"] != edges["destination"]]
    return local_forest(edges, *ENDS, "raise", options)


def looked_up(frame: Any, by: str, table: Any) -> Any:
    """A frame whose ids in one column are replaced by what a table says; unknown ones stay."""
    if not (len(frame) and len(table)):
        return frame
    wanted = table.rename(columns={"vertex": by, "labels": "found"})
    known = frame.merge(wanted, on=by, how="inner")
    named = known.drop(columns=by).rename(columns={"found": by})[list(frame.columns)]
    return concat([named, frame[~frame[by].isin(table["vertex"])]])


def least_neighbours(forest: Forest, owner: Owner, count: int) -> Box:
    """Each vertex of the edges here with the least that is linked to it here, for its owner."""
    names, pair = ("vertex", "labels"), []
    for ends in (ENDS, ENDS[::-1]):
        pair.append(forest[0].rename(columns=dict(zip(ends, names, strict=True)))[list(names)])
    return boxed(least(*pair), "vertex", owner, count)


def least(*tables: Any) -> Any:
    """The table of the least of what tables say of each vertex."""
    return concat(list(tables)).groupby("vertex").agg({"labels": "min"}).reset_index()


def wanted(frame: Any, by: str, owner: Owner, count: int) -> Box:
    """The ids of a column, once each, for their owners to look up."""
    ids = frame[[by]].drop_duplicates().rename(columns={by: "vertex"})
    return boxed(ids, "vertex", owner, count)


def told(asked: Any, table: Any) -> Any:
    """The rows of a table for ids that another part asks about."""
    return table[table["vertex"].isin(asked["vertex"])].reset_index(drop=True)


def replaced(frame: Any, by: str, *answers: Any) -> Any:
    """A frame with the ids of one column replaced by what their owners have told."""
    return looked_up(frame, by, concat(list(answers))) if answers else frame


def grand(frame: Any, *answers: Any) -> Any:
    """A table with what is told of its labels beside them, as ``further``."""
    frame = frame.assign(further=frame["labels"])
    return replaced(frame, "further", *answers)


def rooted(frame: Any) -> Any:
    """The table in which, of two vertices that have chosen each other, the lesser is a root."""
    root = (frame["further"] == frame["vertex"]) & (frame["vertex"] < frame["labels"])
    return concat(
        [
            frame[~root][["vertex", "labels"]],
            frame[root][["vertex"]].assign(labels=frame[root]["vertex"]),
        ]
    )


def jumped(frame: Any) -> Any:
    """The table a jump further."""
    return frame[["vertex", "further"]].rename(columns={"further": "labels"})


def moved(frame: Any) -> int:
    """How many rows a jump has changed."""
    return int((frame["labels"] != frame["further"]).sum())


def solved(options: dict[str, Any], *forests: Forest) -> Any:
    """The table of the components of what little is left, all on one worker."""
    return components(concat([edges for edges, _ in forests]), *ENDS, **options).labels()


def finished(labels: Any, table: Any) -> Any:
    """The answer of a part: its labels replaced by the last ones, in the order of the ids."""
    found = looked_up(labels, "labels", table)
    return found.sort_values("vertex", ignore_index=True)


def counted(answer: Any) -> tuple[int, int]:
    """The vertices and the components of a part."""
    return len(answer), int((answer["vertex"] == answer["labels"]).sum())
