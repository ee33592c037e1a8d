"""Trees that one batch after the other copies, in arrays that are used in turn."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

from ..backends import Array
from ..backends.memory.words import words_of
from ..graph.forest import Forest

MOST_SPARE_BYTES = 1 << 26  # of the parents of trees whose arrays are kept for others
ARRAYS = ("parent", "present", "_before", "_totals", "out_of_range", "arrays", "words")
OWN = ("words", "spares", "device")  # attributes that a forest alike does not have


class Trees(Forest):
    """A forest whose arrays serve a later one once it has gone.

    To make arrays takes the host longer than a launch. So of trees that come one after the other on
    a GPU the arrays of the last that have gone are kept, up to ``MOST_SPARE_BYTES`` of parents,
    unless one of them has more holders than another. They are used for work in the caller's order,
    which comes after all that reads them, and kept of such work alone: on other streams a batch
    that was interrupted may still be written, and questions wait for their answers.

    Attributes
    ----------
    words : array of uint64, or None
        The bytes of all arrays; None unless these are one allocation.
    spares : dict of int to dict
        The arrays that are kept, by their device; the same for all that come after these trees.
    device : int or None
        The device of the arrays, if they are to be kept.
    """

    words: Array | None
    spares: dict[int | None, dict[str, Any]]
    device: int | None

    @classmethod
    def after(cls, forest: Forest) -> Trees:
        """Return trees of the same vertices as a forest, whose arrays are not filled."""
        backend, spares = forest.backend, vars(forest).get("spares", {})
        device = backend.device_id if backend.in_caller_order else None
        spare_arrays = None if device is None else spares.pop(device, None)
        if spare_arrays is None:
            fields = vars(forest.alike())
            spare_arrays = {"words": words_of(backend.xp, fields["arrays"])}
        else:
            fields = vars(forest)
        trees = cls.__new__(cls)
        vars(trees).update(fields, **spare_arrays, _rows={}, spares=spares, device=device)
        return trees

    def alike(self) -> Forest:
        """Return a forest that keeps no arrays for others."""
        other = super().alike()
        for name in OWN:
            vars(other).pop(name, None)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling, after which each array has its own memory."""
        return {name: value for name, value in super().__getstate__().items() if name not in OWN}

    def __del__(self) -> None:
        fields = vars(self)
        device = fields.get("device")
        if device is None or self.spares or self.parent.nbytes > MOST_SPARE_BYTES:
            return
        if getrefcount(self.parent) == getrefcount(self.present) == getrefcount(self._before):
            self.spares[device] = {name: fields[name] for name in ARRAYS}


def words_in(forest: Forest) -> Array | None:
    """Return the bytes of all arrays as uint64; None unless these are one allocation."""
    fields = vars(forest)
    return fields["words"] if "words" in fields else words_of(forest.backend.xp, forest.arrays)
