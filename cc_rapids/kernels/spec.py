"""The registry of algorithmic choices, by axis and name.

A kernel factory enters it by the decorator of its kind: :func:`sampling_rule`,
:func:`find_rule`, :func:`union_rule`, :func:`rounds_rule` or :func:`standalone_algorithm`. A design
is one name from each axis (see :mod:`cc_rapids.algorithms.design`), with options in parentheses:
``kout(k=3)``, ``liu-tarjan(PRF)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

Step = Callable[[Any], None]  # takes the RunState of one run, see cc_rapids.algorithms.run
Factory = Callable[..., Any]
Options = Mapping[str, int | tuple[str, ...]]

AXES = ("sample", "link", "compress")
CSR = "rows: of an edge list, 48 bytes an edge while they are made"
COUNT = "a count from 1 on"  # among the words of an option: any such number


@dataclass(frozen=True)
class AuxArray:
    """An array that a union rule keeps beside the parents, one element for each vertex.

    Attributes
    ----------
    name : str
        The value of ``aux_array=``.
    dtype : type, optional
        The type of its elements; None for that of vertices.
    initial_byte : int
        The initial value of each of its bytes, unless it is packed.
    has_locks : bool
        Whether its elements are locks, for which threads wait.
    pack, unpack : factory, optional
        Factories of the kernels that make it from the parents, and the parents from it, if it
        contains them.
    parent_bits : integer, optional
        The bits of an element that are the parent, if it contains that.
    """

    name: str
    dtype: type | None = None
    initial_byte: int = 0
    has_locks: bool = False
    pack: Factory | None = None
    unpack: Factory | None = None
    parent_bits: Any = None

    @property
    def packed(self) -> bool:
        """True if it contains the parents, so that those of the forest are out of date."""
        return self.pack is not None


HOOKS = AuxArray("hooks", initial_byte=0xFF)
LOCKS = AuxArray("locks", np.uint32, has_locks=True)


@dataclass(frozen=True)
class Spec:
    """One value of one axis: a factory that takes a backend and returns a part of a kernel.

    Attributes
    ----------
    name : str
    make : factory
        Its docstring's first line is its entry in the table of designs.
    paper : str
        The paper in which the rule was published.
    requires : tuple of str
        The parts that the factory receives, in the order of its arguments: some of :attr:`PARTS`.
    options : mapping of str to int or tuple of str
        The options in parentheses: a count from 1 on, given by its default, or one of some words,
        the first by default; ``COUNT`` among them stands for any count. An option named "" has no
        default, and its value stands alone.
    variants : tuple of str
        The words that the list of designs shows.
    needs : str
        Its needs beyond an edge list or CSR, in words.
    needs_csr : bool
        Whether it works on an adjacency list.

    See Also
    --------
    union_rule, sampling_rule, standalone_algorithm : Register one.
    """

    AXIS: ClassVar[str]
    PARTS: ClassVar[tuple[str, ...]] = ()

    name: str
    make: Factory
    paper: str
    requires: tuple[str, ...] = ()
    options: Options = field(default_factory=dict)
    variants: tuple[str, ...] = ()
    needs: str = ""
    needs_csr: bool = False

    def __post_init__(self) -> None:
        """Raise an error for fields that would otherwise fail only in compilation."""
        for part in self.requires:
            if part not in self.PARTS:
                parts = ", ".join(self.PARTS) or "nothing"
                raise ValueError(f"{self.name!r} requires {part!r}, and there is {parts}")

    @property
    def asks(self) -> str:
        """The needs beyond an edge list, in words; empty if there are none."""
        return "; ".join(filter(None, [CSR if self.needs_csr else "", self.needs]))

    @property
    def line(self) -> str:
        """The first line of the factory's docstring: its entry in the table of designs."""
        return (self.make.__doc__ or "").strip().splitlines()[0]


@dataclass(frozen=True)
class SamplingSpec(Spec):
    """The edges that are linked first: the factory returns a ``Sample``, or None for one phase.

    Attributes
    ----------
    samples : bool
        Whether there are two phases; not if all edges are linked in one.
    meta : bool
        Whether it links nothing itself, but calls the link on groups of edges: its factory gives
        what takes the finish phase of a design without a sample, and what unpacks its parents.
    needs_list : bool
        Whether it takes its edges from a list, so that rows are listed first.
    breadth_first : bool
        Whether it keeps the depths and the two queues of a search.
    """

    AXIS = "sample"
    PARTS = ("every_edge", "join", "note", "read")

    samples: bool = True
    meta: bool = False
    needs_list: bool = False
    breadth_first: bool = False


@dataclass(frozen=True)
class FindSpec(Spec):
    """A way to find the root of a vertex: the factory takes only a backend.

    Attributes
    ----------
    one_step : bool
        Whether it is one step of a path, for links that climb two paths at once.
    splices : bool
        Whether it moves a vertex to another tree, by a union that its thread still owes.
    stores_to_root : bool
        Whether it points at the root what it has met on the way, when that has been found.
    packed : bool
        Whether it climbs words that hold a parent and more (see :class:`AuxArray`).
    """

    AXIS = "compress"

    one_step: bool = False
    splices: bool = False
    stores_to_root: bool = False
    packed: bool = False


@dataclass(frozen=True)
class LinkSpec(Spec):
    """A way to join trees: a union rule, rounds, or a standalone algorithm.

    Properties instead of fields have the value of most kinds: nothing is kept per vertex, edge or
    pair.

    Attributes
    ----------
    hooks_roots_only : bool
        Whether only roots are hooked, so that batches and spanning forests are right.
    root_is_min : bool
        Whether the root of a tree is its least vertex in the end.
    """

    AXIS = "link"

    hooks_roots_only: bool = True
    root_is_min: bool = True

    standalone: ClassVar[bool] = False

    @property
    def iterative(self) -> bool:
        """True if it passes over the list of edges repeatedly with its own kernels."""
        return False

    @property
    def rooted_rules(self) -> tuple[str, ...]:
        """The values of its option "" that hook only roots, if not all do."""
        return ()

    @property
    def supports_stages(self) -> bool:
        """True if it can continue from the trees of earlier edges, so that stages may call it."""
        return True

    @property
    def label_arrays(self) -> tuple[int, int]:
        """The maximum number of labels beside the forest, per vertex and per edge."""
        return 0, 0

    @property
    def bytes_per_vertex_pair(self) -> int:
        """The bytes that it keeps for each pair of vertices."""
        return 0

    @property
    def breadth_first(self) -> bool:
        """True if it keeps the depths and the two queues of a search."""
        return False


@dataclass(frozen=True)
class UnionSpec(LinkSpec):
    """A union of two vertices: ``link(parent, aux, u, v)`` returns the root hooked, or NONE.

    The factory takes a backend, the type of vertices and what it requires: ``find``, ``step``, or
    ``compress_after_union``, which is the find called when the two trees are one.

    Attributes
    ----------
    finds : mapping of str to factory
        The words of the compress axis that it composes with; empty if it has its own.
    steps_of_finds : mapping of str to str
        The step that goes with a find after the union, where the name of a design has that alone.
    aux_array : AuxArray, optional
        What it keeps beside the parents: HOOKS, LOCKS, or words that hold the parents too.
    """

    PARTS = ("find", "step", "compress_after_union")

    finds: Mapping[str, Factory] = field(default_factory=dict)
    steps_of_finds: Mapping[str, str] = field(default_factory=dict)
    aux_array: AuxArray | None = None

    is_union: ClassVar[bool] = True

    @property
    def packed(self) -> bool:
        """True if it keeps the parents in its own array."""
        return self.aux_array is not None and self.aux_array.packed

    @property
    def takes_steps(self) -> bool:
        """True if it composes with steps of a path instead of finds."""
        return "step" in self.requires

    @property
    def takes_find(self) -> bool:
        """True if its factory gets a find of whole paths, which it uses to find roots."""
        return "find" in self.requires


@dataclass(frozen=True)
class LoopSpec(LinkSpec):
    """A link with its own loop on the host, which takes no find."""

    is_union: ClassVar[bool] = False

    @property
    def finds(self) -> Mapping[str, Factory]:
        """The words of the compress axis that it composes with; empty if it has its own."""
        return {}

    @property
    def takes_steps(self) -> bool:
        """True if it composes with steps of a path instead of finds."""
        return False

    @property
    def steps_of_finds(self) -> Mapping[str, str]:
        """The step that goes with a find after the union, if a name has only the find."""
        return {}

    @property
    def aux_array(self) -> AuxArray | None:
        """The array that it keeps beside the parents."""
        return None

    @property
    def packed(self) -> bool:
        """True if it keeps the parents in its own array."""
        return False


@dataclass(frozen=True)
class RoundsSpec(LoopSpec):
    """Rounds over a copy of the edges outside a sample: the factory returns their procedure.

    Attributes
    ----------
    rooted_rules : tuple of str
        The rules of its option "" by which only roots are hooked, where not all do so.
    """

    PARTS = ("record_forest",)

    rooted_rules: tuple[str, ...] = ()

    @property
    def iterative(self) -> bool:
        return True

    @property
    def supports_stages(self) -> bool:
        return False


@dataclass(frozen=True)
class StandaloneSpec(LoopSpec):
    """A standalone algorithm for all edges at once: the factory returns its procedure.

    Attributes
    ----------
    iterative : bool
        Whether it goes over the list of edges; else it searches rows.
    supports_stages : bool
        Whether it goes on from the trees of earlier edges, so that stages may call it.
    label_arrays : (int, int)
        The most labels that it keeps beside the forest for a vertex, and for an edge.
    bytes_per_vertex_pair : int
        What it keeps for each pair of vertices.
    breadth_first : bool
        Whether it keeps the depths and the two queues of a search.
    """

    PARTS = ("read", "note")

    hooks_roots_only: bool = False
    iterative: bool = True
    supports_stages: bool = False
    label_arrays: tuple[int, int] = (0, 0)
    bytes_per_vertex_pair: int = 0
    breadth_first: bool = False

    standalone: ClassVar[bool] = True


CHOICES: dict[str, dict[str, Any]] = {axis: {} for axis in AXES}


def _register(
    kind: type[Spec], name: str, facts: Mapping[str, Any]
) -> Callable[[Factory], Factory]:
    def register(make: Factory) -> Factory:
        if name in CHOICES[kind.AXIS]:
            raise ValueError(f"{kind.AXIS} {name!r} is registered already")
        if not (make.__doc__ or "").strip():
            raise ValueError(f"{name!r} has no docstring, whose first line is its entry")
        CHOICES[kind.AXIS][name] = kind(name, make, **facts)
        return make

    return register


def sampling_rule(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a factory as a way to sample; ``facts`` are fields of :class:`SamplingSpec`."""
    return _register(SamplingSpec, name, {"paper": paper, **facts})


def find_rule(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a factory as a find, or a step of one; ``facts`` are fields of :class:`FindSpec`."""
    return _register(FindSpec, name, {"paper": paper, **facts})


def union_rule(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a factory as a union of two vertices.

    Parameters
    ----------
    name : str
        The word of designs, such as ``async``.
    paper : str
        Where it was published.
    **facts
        Fields of :class:`UnionSpec`: ``finds``, ``requires``, ``aux_array``, ``hooks_roots_only``
        and so on.

    Returns
    -------
    decorator, which returns the factory as it is

    Raises
    ------
    ValueError
        The name is taken, the factory has no docstring, or it requires what there is not.
    """
    return _register(UnionSpec, name, {"paper": paper, **facts})


def rounds_rule(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a factory as rounds over all edges; ``facts`` are fields of :class:`RoundsSpec`."""
    return _register(RoundsSpec, name, {"paper": paper, **facts})


def standalone_algorithm(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a standalone algorithm; ``facts`` are fields of :class:`StandaloneSpec`."""
    return _register(StandaloneSpec, name, {"paper": paper, **facts})
