"""Cuts: the answers at several thresholds, and which components merge from one to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from .columns import of
from .errors import InputError, shown
from .result import Components


class Cuts:
    """The components at each of several thresholds, the strictest first.

    ``len()`` is the number of thresholds.

    Attributes
    ----------
    thresholds : tuple of numbers
        From the strictest cut, with the fewest edges, to the loosest.
    """

    def __init__(self, found: dict[Any, Components], kind: str) -> None:
        self._found, self._kind = found, kind
        self.thresholds = tuple(found)

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(cut):,} at {level}" for level, cut in self._found.items())
        return f"<Cuts: components {counts}>"

    def at(self, threshold: Any) -> Components:
        """The whole answer at a threshold.

        Raises
        ------
        InputError
            It is none of the thresholds.
        """
        for level, found in self._found.items():
            if np.ndim(threshold) == 0 and level == threshold:
                return found
        known = ", ".join(map(str, self.thresholds))
        raise InputError(f"{shown(threshold)} is none of the thresholds {known}: give one of these")

    def labels(self, threshold: Any) -> Any:
        """The component of each vertex at a threshold: see :meth:`Components.labels`."""
        return self.at(threshold).labels()

    def sizes(self, threshold: Any) -> Any:
        """The sizes of the components at a threshold: see :meth:`Components.sizes`."""
        return self.at(threshold).sizes()

    def merges(self) -> Any:
        """Which components of a cut are one at the next: a row for each of those that merge.

        Returns
        -------
        frame of the caller's kind, new, columns
            ``threshold``, at which they are one; ``before``, the label at the cut before; ``after``
            the label there (both as :meth:`labels` gives them); and ``size`` (int64), the vertices
            at the cut before. A component to which only new vertices come is not a merge.

        Examples
        --------
        >>> import numpy as np, cc_rapids
        >>> edges = np.array([1, 3, 5]), np.array([2, 4, 1])
        >>> weights = np.array([9, 9, 8])
        >>> options = {"weight": weights, "thresholds": [9, 8], "num_vertices": 6}
        >>> cc_rapids.components_at(edges, **options).merges()._asdict()["before"]
        array([1, 5])
        """
        cuts = list(self._found.values())
        last = cuts[-1]
        with last._engine.scope():
            xp = last._engine.xp
            steps = [
                (level, *self._step(strict, loose, last))
                for level, strict, loose in zip(self.thresholds[1:], cuts, cuts[1:], strict=False)
            ]
            numbers = np.asarray(self.thresholds).dtype
            levels = [xp.full(size.size, level, numbers) for level, _, _, size in steps]
            none = xp.empty(0, np.int64)
            before, after, size = (
                xp.concatenate([none, *(step[part] for step in steps)]) for part in (1, 2, 3)
            )
            columns = {"threshold": xp.concatenate([xp.empty(0, numbers), *levels])}
            for name, labels in (("before", before), ("after", after)):
                if self._kind == "min":
                    columns |= last._columns(name, last._rows()[0][labels])
                else:
                    columns[name] = labels
            return last._frame(columns | {"size": size.astype(np.int64)})

    def _step(self, strict: Components, loose: Components, last: Components) -> tuple[Any, ...]:
        """The labels before and after, and the sizes, of what merges; ids as rows of the last."""
        xp = strict._engine.xp
        vertex, least = strict._rows()
        roots = xp.flatnonzero(vertex == least)
        if not roots.size:
            return (xp.empty(0, np.int64),) * 3
        at = _rows_in(loose, strict, vertex[roots])
        joined = loose._dense[at]
        merge = strict._engine.counts(joined, len(loose))[joined] > 1
        roots, at = roots[merge], at[merge]
        size = strict._counts[merge]
        if self._kind == "min":
            before = _rows_in(last, strict, vertex[roots])
            return before, _rows_in(last, loose, loose._rows()[1][at]), size
        return strict._number(self._kind)[roots], loose._number(self._kind)[at], size


def _rows_in(there: Components, here: Components, ids: Any) -> Any:
    """The rows in one answer of some vertices of another."""
    if not ids.size:
        return here._engine.xp.empty(0, np.int64)
    column = here._names.take(ids, here._engine)
    return there._places(of("vertices", column), "raise")[0]
