"""The rules by which audits check each kind of labels; they share no code with runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LabelRule:
    """The rule by which an audit checks labels of one kind.

    Attributes
    ----------
    name : str
        The value of ``labels=``.
    is_vertex : bool
        Whether the label of a component is the least or the greatest of its vertices.
    is_greatest : bool
        Whether this vertex is the greatest.
    is_place : bool
        Whether labels are 0 .. k - 1, by default in the order of the components' least ids.
    is_by_size : bool
        Whether the largest components come first in this order. Components of equal size are in the
        order of their least ids.
    """

    name: str
    is_vertex: bool = False
    is_greatest: bool = False
    is_place: bool = False
    is_by_size: bool = False

    @property
    def is_least(self) -> bool:
        """True if the label of a component is the vertex with the least id."""
        return self.is_vertex and not self.is_greatest

    @property
    def extreme(self) -> str:
        """The name of the vertex that labels a component, "least" or "greatest"."""
        return "greatest" if self.is_greatest else "least"


LABEL_RULES = {
    rule.name: rule
    for rule in (
        LabelRule("min", is_vertex=True),
        LabelRule("max", is_vertex=True, is_greatest=True),
        LabelRule("dense", is_place=True),
        LabelRule("size", is_place=True, is_by_size=True),
        LabelRule("any"),
    )
}
