"""Labels of any program as an answer to be audited."""

from __future__ import annotations

from typing import Any

from .. import engines, frames, inputs
from ..errors import VerificationError
from ..forest import Forest
from ..index import Integers, extended
from .places import Places, in_words
from .proof import Audit
from .run import audit


def audit_labels(frame: Any, edges: Any, engine: str | None = None, **options: Any) -> Audit:
    """Prove a frame of labels, as :meth:`cc_rapids.Components.audit` proves an answer.

    Parameters
    ----------
    frame
        Columns ``vertex`` and ``labels``, each label the least vertex of its component; in any
        order.
    edges, **options
        As for :meth:`cc_rapids.Components.audit`.
    engine : {"threads", "cuda"}, optional
        Where to run; by default where the labels lie.

    Raises
    ------
    VerificationError
        A vertex is listed twice, a label is no vertex, or the labels are wrong.
    """
    given = frames.read(frame, "vertex", "labels", None, None, "raise")
    runner = engines.get(engine or ("cuda" if given.on_device else "threads"))
    with inputs.lent_on(runner, given) as columns:
        index, _ = extended(Integers.empty(runner), given, columns[:1], runner)
        names = index.names(given) if index.n else index.names(inputs.NOTHING)
        forest = Forest(runner, index.n, everyone=True)
        places = Places(runner, names, forest, given.src)
        if given.src.size:
            _label(places, columns)
    options = {"source": "src", "destination": "dst"} | options
    return audit(places, edges, **options)


def _label(places: Places, columns: list[Any]) -> None:
    """Let the forest be what the frame says."""
    forest, xp = places.forest, places.engine.xp
    vertex, label = (places.of(column) for column in columns)
    rows = places.engine.counts(vertex, forest.n)
    if int(rows.max()) > 1:
        twice = places.name(int(xp.argmax(rows)))
        raise VerificationError(f"vertex {twice} is listed {int(rows.max())} times")
    strange = xp.flatnonzero(label >= forest.n)
    if strange.size:
        at = int(strange[0])
        name, own = (in_words(column[at : at + 1], False) for column in columns)
        raise VerificationError(f"vertex {name} has the label {own}, which is no vertex")
    forest.parent[vertex] = label
    forest.count()
