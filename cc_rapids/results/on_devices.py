"""The answer of a run on several devices of one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import InputError, counted, shown
from ..solver.devices import ExchangeBarrier, in_threads, share_of
from .answer import LabelKind
from .labels import LABEL_KINDS, check_labels

if TYPE_CHECKING:
    from ..backends import Backend
    from ..solver.devices import OnDevice
    from .components import Components


class SpreadComponents:
    """The connected components of an edge list that several GPUs of one machine have solved.

    Every GPU has the forest of all vertices, so that a row can be looked up on the GPU that holds
    it; of label frames each has a share. ``len()`` is the number of components.

    Attributes
    ----------
    devices : list of int
        The GPUs, in the order of the parts of the edges, and of frames.
    vertices : int
        The number of vertices.

    See Also
    --------
    components : Find components; with ``devices=`` on several GPUs.
    """

    def __init__(
        self,
        held: list[OnDevice],
        answers: list[Components],
        backend: Backend,
        kind: LabelKind,
        facts: dict[str, Any],
    ) -> None:
        self._held, self._answers, self._backend = held, answers, backend
        self._kind, self._facts = kind, facts
        self.devices = [one.number for one in held]
        self.vertices: int = held[0].forest.vertices

    def __len__(self) -> int:
        return self._held[0].forest.components

    def __repr__(self) -> str:
        return (
            f"<SpreadComponents: {counted(len(self), 'component')} of"
            f" {counted(self.vertices, 'vertex', 'vertices')} on GPUs"
            f" {', '.join(map(str, self.devices))}; {counted(self._facts['edges'], 'edge')},"
            f" {self._facts['design']} on {self._backend.name}>"
        )

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Say where the methods of an answer on one GPU are."""
            from .components import Components

            message = f"an answer on several GPUs has no {name!r}"
            if not name.startswith("_") and hasattr(Components, name):
                raise AttributeError(
                    f"{message}: that of the whole answer on one is gather().{name}, within 'with"
                    f" cupy.cuda.Device({self.devices[0]}):'"
                )
            raise AttributeError(message)

    def __reduce__(self) -> Any:
        """Refuse a copy, whose arrays would all be on the current GPU."""
        raise TypeError(
            "an answer on several GPUs is not copied or pickled: gather() is the whole of it on"
            " one, which can be"
        )

    @property
    def num_components(self) -> int:
        """The number of components."""
        return len(self)

    @property
    def frames(self) -> list[Any]:
        """The label frames of the default kind, one a GPU: :meth:`labels`."""
        return self.labels()

    @property
    def ledger(self) -> dict[str, Any]:
        """The rows of the run: see :attr:`Components.ledger`; ``linked`` is of all GPUs."""
        return self._answers[0].ledger

    def summary(self) -> dict[str, Any]:
        """Return the facts about the run.

        Returns
        -------
        dict
            Numbers of components, vertices, edges, and edges dropped for nulls, ``ledger`` (one
            line of what :attr:`ledger` counts), the devices and the edges that each has solved, the
            design, how ids were encoded, and seconds.

        See Also
        --------
        Components.summary : The same for one GPU.
        """
        counts = {"components": len(self), "vertices": self.vertices}
        return counts | self._facts

    def labels(self, kind: str | None = None) -> list[Any]:
        """Return the label frames, one a GPU, which together have a row for each vertex.

        Parameters
        ----------
        kind : str, optional
            The kind of labels, as of :func:`components`.

        Returns
        -------
        list of frames of the caller's kind
            Columns ``vertex`` and ``labels`` in the order of the ids: those of the first frame are
            less than those of the second, and so on. Frames of cuDF, and CuPy arrays, are each on
            their GPU.

        Raises
        ------
        InputError
            There is no such kind.
        CapacityError
            A GPU has too little memory.

        See Also
        --------
        SpreadComponents.gather : Return the whole answer on one GPU.
        """
        label_kind = self._kind if kind is None else check_labels(kind)
        count = len(self._held)

        def share(k: int, _: ExchangeBarrier) -> Any:
            with self._backend.scope():
                part, answer = self._held[k], self._answers[k]
                if label_kind is LABEL_KINDS["min"]:
                    vertex, label = part.label_rows(k, count)
                else:
                    rows = part.forest.rows_of_share(*share_of(part.forest.n, k, count))
                    vertex, label = label_kind.vertices_and_rows(answer.answer)
                    vertex, label = vertex[rows], label[rows]
                labels = label_kind.columns(answer.answer, "labels", label)
                return answer.answer.frame({"vertex": vertex} | labels)

        return in_threads(self.devices, self._backend, share)

    def gather(self, device: int | None = None) -> Components:
        """Return the whole answer on one GPU, without copying anything.

        Parameters
        ----------
        device : int, optional
            One of ``devices``; by default the first.

        Returns
        -------
        Components
            All methods, to be called while this GPU is the current one (``with
            cupy.cuda.Device(device):``). Methods that read edges again see those of this GPU.

        Raises
        ------
        InputError
            The GPU has no part in the answer.

        See Also
        --------
        SpreadComponents.labels : Return the labels where they are.
        """
        number = self.devices[0] if device is None else device
        if isinstance(number, bool) or number not in self.devices:
            raise InputError(
                f"device={shown(device)} has no part in this answer: it is on"
                f" {', '.join(map(str, self.devices))}"
            )
        return self._answers[self.devices.index(number)]
