"""Trees that are copied for each batch, and whose arrays are recycled."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

from ..backends import Array
from ..backends.memory.packing import words_of
from ..graph.forest import Forest

MOST_SPARE_BYTES = 1 << 26  # max. bytes of parents for which arrays are recycled
RECYCLED = ("parent", "present", "_before", "_totals", "out_of_range", "arrays", "words")
ADDED = ("words", "spares", "device")  # attributes that a plain Forest does not have


class Trees(Forest):
    """A forest whose arrays are recycled for a later forest.

    For the host, an allocation takes longer than a launch. On a GPU, the arrays of the last freed
    trees are therefore kept for the next trees, if the parents take at most ``MOST_SPARE_BYTES``
    and nothing else refers to the arrays. Recycled arrays are used only on the caller's stream,
    after all kernels that read them. Arrays of other streams are not recycled, because an
    interrupted batch may still be writing to them.
    """

    words: Array | None  # uint64: the memory of all arrays; None if they are not one allocation
    # the arrays to recycle, by device; all successors of these trees share this dict
    spares: dict[int | None, dict[str, Any]]
    device: int | None  # the device of the arrays; None if they must not be recycled

    @classmethod
    def after(cls, forest: Forest) -> Trees:
        """Return trees over the same vertices as a forest, with uninitialised arrays."""
        backend, spares = forest.backend, vars(forest).get("spares", {})
        device = backend.device_id if backend.in_caller_order else None
        recycled = None if device is None else spares.pop(device, None)
        if recycled is None:
            fields = vars(forest.empty_like())
            fields["words"] = words_of(backend.xp, fields["arrays"])
        else:
            fields = vars(forest) | recycled
        trees = cls.__new__(cls)  # without __init__(), which allocates arrays
        vars(trees).update(fields, _rows={}, spares=spares, device=device)  # no cached rows()
        return trees

    def empty_like(self) -> Forest:
        """Return a similar forest whose arrays are not recycled."""
        other = super().empty_like()
        for name in ADDED:
            vars(other).pop(name, None)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling; each array then has its own memory."""
        return {name: value for name, value in super().__getstate__().items() if name not in ADDED}

    def __del__(self) -> None:
        fields = vars(self)
        device = fields.get("device")
        # one set of spare arrays is enough
        if device is None or self.spares or self.parent.nbytes > MOST_SPARE_BYTES:
            return
        # an array that is used elsewhere has more references than the others
        if getrefcount(self.parent) == getrefcount(self.present) == getrefcount(self._before):
            self.spares[device] = {name: fields[name] for name in RECYCLED}


def shared_words(forest: Forest) -> Array | None:
    """Return the memory of all arrays of a forest as uint64; None unless it is one allocation."""
    fields = vars(forest)
    return fields["words"] if "words" in fields else words_of(forest.backend.xp, forest.arrays)
