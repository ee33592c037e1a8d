"""Labels of any program as an answer to be audited."""

from __future__ import annotations

from typing import Any

from .. import backends
from ..data.arguments import check_word
from .answer import KINDS, Answer
from .proof import Audit
from .run import audit


def audit_labels(
    frame: Any, edges: Any, engine: str | None = None, *, labels: str = "min", **options: Any
) -> Audit:
    """Prove a frame of labels, as :meth:`cc_rapids.Components.audit` proves an answer.

    Parameters
    ----------
    frame
        Columns ``vertex`` and ``labels``, in any order; or such a pair of arrays.
    edges, **options
        As for :meth:`cc_rapids.Components.audit`.
    engine : {"threads", "cuda"}, optional
        Where to run; by default where the labels lie.
    labels : {"min", "max", "dense", "size"}
        What the labels are, see :meth:`cc_rapids.Components.labels`.

    Raises
    ------
    VerificationError
        A vertex is listed twice, a label is no vertex, or the labels are wrong.
    """
    check_word("labels", labels, KINDS)
    answer = Answer(frame, labels, sort=True)
    runner = backends.get(
        engine if engine is not None else "cuda" if answer.on_device else "threads"
    )
    options = {"source": "src", "destination": "dst"} | options
    return audit(answer, runner, edges, **options)
