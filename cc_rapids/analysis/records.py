"""Labels and deduplication of frames of linked records."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.column import chunked, is_cudf
from ..data.frame_access import columns_of, frame_in_memory, frame_size
from ..data.frame_build import with_column
from ..data.relations import is_relation
from ..errors import InputError, counted
from ..results.answer import Answer
from ..results.lookup import attached, check_name
from .deduplicate import best_of_frame, deduplicated, dropped


def attached_records(
    answer: Answer, frame: Any, on: Any, name: Any, missing: Any, nulls: Any
) -> Any:
    """Add entity labels to records: see :meth:`cc_rapids.LinkedRecords.attach`."""
    frame, on = _frame_and_ids(answer, frame, on)
    if on is not None:
        return attached(answer, frame, on, name, missing, nulls)
    check_name(name)
    check_rows(answer, frame)
    if name in columns_of(frame):
        raise InputError(f"the frame has a column {name!r} already: pass name=")
    with answer.backend.scope():
        labels = answer.kind.columns(answer, name, answer.kind.labels_of_rows(answer))
        # labels are on the device of the frame, or for a dict of arrays, of the linked records
        on_device = answer.given.on_device if isinstance(frame, dict) else is_cudf(frame)
        return with_column(frame, name, answer.bring(labels[name], on_device), None)


def deduplicated_records(
    answer: Answer, frame: Any, on: Any, by: Any, ascending: Any, per: Any, missing: Any
) -> Any:
    """Return the best record of each entity: see LinkedRecords.deduplicate."""
    frame, on = _frame_and_ids(answer, frame, on)
    if on is not None:
        return deduplicated(answer, frame, on, by, ascending, per, missing)
    check_rows(answer, frame)
    return best_of_frame(answer, frame, [], by, ascending, per, missing)


def dropped_records(answer: Answer, frame: Any, on: Any, **options: Any) -> Any:
    """Return the records that are not kept: see :meth:`cc_rapids.LinkedRecords.duplicates`."""
    frame, on = _frame_and_ids(answer, frame, on)
    if on is None:
        check_rows(answer, frame)
        if "row" in columns_of(frame):
            raise InputError(
                "records were linked by their positions, which the result shows in a column 'row',"
                " but the frame has a column 'row' already: rename this column"
            )
        frame, on = with_column(frame, "row", np.arange(frame_size(frame)), None), "row"
    return dropped(answer, frame, on, **options)


def _frame_and_ids(answer: Answer, frame: Any, on: Any) -> tuple[Any, Any]:
    """Return a frame in memory or a relation, and the names of its id columns.

    The names default to those of the linked records; None means that positions are the ids.
    """
    frame = frame if is_relation(frame) else frame_in_memory(chunked(frame))
    if on is None and answer.linked:
        on = answer.linked.id_names or None
    return frame, on


def check_rows(answer: Answer, frame: Any) -> None:
    """Raise an InputError unless a frame has as many rows as the linked records."""
    if is_relation(frame):
        raise InputError(
            "rows of a DuckDB relation have no fixed order, but records were linked by their"
            " positions: link records with id=, and pass the id column as on="
        )
    size = frame_size(frame)
    if size != answer.forest.vertices:
        raise InputError(
            f"the frame has {counted(size, 'row')}, but {answer.forest.vertices:,} records were"
            " linked by their positions: pass the same frame, or link records with id=, and pass"
            " the id column as on="
        )
