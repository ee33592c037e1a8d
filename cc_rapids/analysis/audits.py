"""Audits of an answer against its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..data.frame_access import collected
from ..data.within import explaining_need_of_weights, with_bounds
from ..errors import InputError
from ..results.answer import Answer

if TYPE_CHECKING:
    from ..verify.audit import Audit
    from ..verify.label_frame import LabelFrame
    from ..verify.rules import RulesAudit


def prove(
    answer: Answer,
    edges: Any,
    source: Any,
    destination: Any,
    *,
    oracle: str | None = None,
    **given: Any,
) -> Audit:
    """Audit an answer; the parameters are those of :meth:`cc_rapids.Components.audit`."""
    from ..verify.audit import audit  # runs do not need this import
    from ..verify.forests import AnswerForest

    call, bound = "audit(edges)", answer.given.bound
    options = with_bounds(bound, given, call)
    if given.get("forest") is not None:
        show_forest = None if answer.forest_edges is None else answer.forest_frame
        options["answer_forest"] = AnswerForest(show_forest, answer.facts.greatest)
    labels = shown_labels(answer)
    with explaining_need_of_weights(bound, given, call):
        return audit(labels, answer.backend, edges, source, destination, oracle=oracle, **options)


def prove_rules(
    answer: Answer, edges: Any, source: Any, destination: Any, **given: Any
) -> RulesAudit:
    """Audit clusters under rules: see :meth:`cc_rapids.LinkedPairs.audit`."""
    from ..verify.audit import read_again
    from ..verify.rules import RuleRows, audit_rules

    call, bound, ruled = "audit(edges)", answer.given.bound, answer.required_rules()
    options = with_bounds(bound, given, call)
    if options.get("weight") is None:
        options["weight"] = None if bound is None else bound.weight
    if options["weight"] is None:
        raise InputError("clusters under rules were built by descending weight: pass weight=")
    rules, cannot = ruled.rules, (ruled.rules.first, ruled.rules.second)
    rows = RuleRows(rules.code, rules.limits, cannot, must=ruled.must, max_size=rules.most)
    labels = shown_labels(answer)
    with explaining_need_of_weights(bound, given, call):
        reread = read_again(edges, source, destination, greatest=True, **options)
        with answer.backend.scope():
            refused = answer.columns_of_refused() | {"rule": answer.home(ruled.refused.rule)}
            accepted = answer.columns_of_forest()
        return audit_rules(labels, accepted, refused, rows, reread, answer.backend)


def shown_labels(answer: Answer) -> LabelFrame:
    """Return the label frame that users receive, for an audit."""
    from ..verify.label_frame import LabelFrame

    width = len(answer.given.src.key_columns)
    numbered = answer.with_key_names(()) if width else answer  # id columns by number, not name
    frame = collected(numbered.label_frame())
    return LabelFrame(frame, answer.kind.audited_as, len(answer), width=max(width, 1))
