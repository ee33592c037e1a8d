"""Audited: an answer that can be proved, as a base of Components."""

from __future__ import annotations

from typing import Any

from ..backends import Engine
from ..data.edge_input import Given
from ..graph.forest import Forest
from ..verify.audit import Audit


class Audited:
    """An answer that can be held against its edges."""

    _given: Given
    _engine: Engine
    _forest: Forest
    _kind: str
    _made: Any

    def __len__(self) -> int:
        raise NotImplementedError

    def labels(self, kind: str | None = None) -> Any:
        raise NotImplementedError

    def audit(
        self,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        oracle: str | None = None,
        **given: Any,
    ) -> Audit:
        """Prove from the edges that the label frame is right: the one that ``labels()`` returns.

        One pass over the edges, on the engine that holds the answer, for lists of any size; no
        function that runs use is asked. Every edge has to join two vertices of one label, so that
        no component is split. Its ends are joined meanwhile in trees of the audit's own, of which
        there have to be as many in the end as there are labels, so that no components are merged:
        trees may miss an edge, and then a right answer is refused, but no tree joins what no path
        does, so that no wrong one is proved. Labels have to be what their kind says (see
        :meth:`labels`), rows in the order of the ids, ``len()`` the number of labels, and each
        vertex has to be named. The rows that were looked at are counted, and their numbers summed
        in two ways: unless that is what so many rows give, nothing is proved.

        The cost is at most one and a half times that of finding the answer, on an H100 for the
        reference graphs (benchmarks/records/audit.jsonl). Edges are left out where both ends are
        known to hang in one tree of one label. Memory: that of the label frame, which is made once
        more; 8 bytes and 3 bits for each id from the least to the greatest (16 bytes from 2^32 of
        them on), or where ids lie far apart, 40 bytes a vertex and 8 bytes an edge.

        Parameters
        ----------
        edges, source, destination
            What the answer was found for, in any order: all that :func:`cc_rapids.components`
            takes; paths and other streams pass by in chunks.
        oracle : {"scipy", "networkx", "cugraph"}, optional
            A library that has to find the same components; not for streams.
        **given
            ``vertices``, ``num_vertices``, ``nulls`` and ``header`` as they were given for the
            answer, and ``memory_limit`` of streams, as for :func:`cc_rapids.stream_components`.

        Returns
        -------
        Audit
            What was proved: how many edges, vertices and components.

        Raises
        ------
        VerificationError
            The first edge (by its row, from 0 on) or the first vertex for which that does not hold;
            or the audit itself has not seen each row once.
        InputError
            The edges or an argument cannot be used.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        >>> print(cc_rapids.components(edges).audit(edges, oracle="scipy"))
        right: 2 components of 4 vertices, by 3 edges; scipy finds the same
        >>> edges.loc[3] = 7, 9
        >>> cc_rapids.components(edges[:3]).audit(edges)
        Traceback (most recent call last):
            ...
        cc_rapids.errors.VerificationError: edge 3 joins 7 and 9, which have the labels 2 and 9
        """
        from ..verify.answer import Answer
        from ..verify.audit import audit  # a run needs none of what an audit does

        held = self._kind == "min" and (self._made is not None or self._forest.has_rows)
        frame = self.labels()
        if held:
            self._made = frame  # the next call gives what was audited, which is only read here
        parts = max(len(self._given.src.parts), 1)
        answer = Answer(frame, self._kind, len(self), parts=parts)
        return audit(answer, self._engine, edges, source, destination, oracle=oracle, **given)
