"""The answer of a run on several devices of one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import InputError, counted, shown
from ..keywords import suggest_keywords_of_methods
from ..solver.devices import ExchangeBarrier, in_threads, share_of
from .answer import LabelKind
from .labels import LABEL_KINDS, check_labels

if TYPE_CHECKING:
    from ..backends import Backend
    from ..solver.devices import OnDevice
    from .components import Components


@suggest_keywords_of_methods
class SpreadComponents:
    """The connected components of an edge list that several GPUs of one machine have found.

    Every GPU has the forest of all vertices, and a part of the label frame. ``len()`` is the number
    of components.

    Attributes
    ----------
    devices : list of int
        The GPUs, in the order of the parts of the edges and of the frames.
    vertices : int
        The number of vertices.

    See Also
    --------
    components : Find components; with ``devices=`` on several GPUs.
    """

    devices: list[int]

    def __init__(
        self,
        parts: list[OnDevice],
        answers: list[Components],
        backend: Backend,
        kind: LabelKind,
        facts: dict[str, Any],
    ) -> None:
        # each GPU has one item of ``parts`` and of ``answers``; summary() returns the ``facts``
        self._parts, self._answers, self._backend = parts, answers, backend
        self._kind, self._facts = kind, facts
        self.devices = [part.number for part in parts]
        self.vertices: int = parts[0].forest.vertices

    def __len__(self) -> int:
        return self._parts[0].forest.components

    def __repr__(self) -> str:
        return (
            f"<SpreadComponents: {counted(len(self), 'component')} of"
            f" {counted(self.vertices, 'vertex', 'vertices')} on GPUs"
            f" {', '.join(map(str, self.devices))}; {counted(self._facts['edges'], 'edge')},"
            f" {self._facts['design']} on {self._backend.name}>"
        )

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise an AttributeError that points to :meth:`gather` for methods of Components."""
            from .components import Components

            message = f"an answer on several GPUs has no {name!r}"
            if not name.startswith("_") and hasattr(Components, name):
                raise AttributeError(
                    f"{message}: use gather().{name}, within 'with"
                    f" cupy.cuda.Device({self.devices[0]}):'"
                )
            raise AttributeError(message)

    def __reduce__(self) -> Any:
        """Raise a TypeError: a copy would move all arrays to the current GPU."""
        raise TypeError(
            "an answer on several GPUs cannot be copied or pickled: copy or pickle gather(), the"
            " whole answer on one GPU"
        )

    @property
    def num_components(self) -> int:
        """The number of components."""
        return len(self)

    @property
    def frames(self) -> list[Any]:
        """The label frames of the default kind, one per GPU: see :meth:`labels`."""
        return self.labels()

    @property
    def ledger(self) -> dict[str, Any]:
        """The counts of rows of the run on all GPUs: see :attr:`Components.ledger`."""
        return self._answers[0].ledger

    def summary(self) -> dict[str, Any]:
        """Return the facts about the run.

        Returns
        -------
        dict
            The numbers of components, vertices, edges, and edges that were dropped because of
            nulls; ``ledger``, which is :attr:`ledger` as one line of text; the devices, and the
            number of edges on each device; the design; the encoding of the ids; and the seconds.

        See Also
        --------
        Components.summary : The same for one GPU.
        """
        counts = {"components": len(self), "vertices": self.vertices}
        return counts | self._facts

    def labels(self, kind: str | None = None) -> list[Any]:
        """Return the label frames, one per GPU; each vertex has a row in one of them.

        Parameters
        ----------
        kind : str, optional
            The kind of labels: see :func:`components`.

        Returns
        -------
        list of frames of the caller's kind
            Columns ``vertex`` and ``labels``, sorted by id. All ids of a frame are less than the
            ids of the next frame. Each cuDF frame or tuple of CuPy arrays is on its own GPU.

        Raises
        ------
        InputError
            ``kind`` is unknown.
        CapacityError
            A GPU has too little memory.

        See Also
        --------
        SpreadComponents.gather : Return the whole answer on one GPU.
        """
        label_kind = self._kind if kind is None else check_labels(kind)
        count = len(self._parts)

        def label_share(k: int, _: ExchangeBarrier) -> Any:
            """Return the k-th part of the label frame, on GPU k."""
            with self._backend.scope():
                part, answer = self._parts[k], self._answers[k]
                if label_kind is LABEL_KINDS["min"]:  # found without labelling all vertices
                    vertex, label = part.label_rows(k, count)
                else:
                    share = part.forest.slice_between(*share_of(part.forest.n, k, count))
                    all_vertices, all_labels = label_kind.vertices_and_labels(answer.answer)
                    vertex, label = all_vertices[share], all_labels[share]
                labels = label_kind.columns(answer.answer, "labels", label)
                return answer.answer.frame({"vertex": vertex} | labels)

        return in_threads(self.devices, self._backend, label_share)

    def gather(self, device: int | None = None) -> Components:
        """Return the whole answer as an object on one GPU, without copying arrays.

        Parameters
        ----------
        device : int, optional
            One of ``devices``. Defaults to the first of them.

        Returns
        -------
        Components
            The answer. Call its methods while this GPU is the current device (``with
            cupy.cuda.Device(device):``). Methods that read the edges again read only the edges on
            this GPU.

        Raises
        ------
        InputError
            ``device`` is not one of ``devices``.

        See Also
        --------
        SpreadComponents.labels : Return the labels as one frame per GPU.
        """
        number = self.devices[0] if device is None else device
        if isinstance(number, bool) or number not in self.devices:
            raise InputError(
                f"device={shown(device)} is not a GPU of this answer: pass one of"
                f" {', '.join(map(str, self.devices))}"
            )
        return self._answers[self.devices.index(number)]
