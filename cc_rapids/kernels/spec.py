"""Registry of the rules that make up a design, by axis and name.

A decorator registers a kernel factory: :func:`sampling_rule`, :func:`find_rule`,
:func:`union_rule`, :func:`rounds_rule` or :func:`standalone_algorithm`. A design combines one name
from each axis (see :mod:`cc_rapids.algorithms.design`), with options in parentheses: ``kout(k=3)``,
``liu-tarjan(PRF)``.
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
CSR = "rows, which take 48 bytes per edge to make from an edge list"
COUNT = "a count from 1 on"  # among the allowed words of an option: any count is allowed, too


@dataclass(frozen=True)
class AuxArray:
    """Auxiliary array of a union rule, with one element per vertex.

    Attributes
    ----------
    name : str
        The value of ``aux_array=``.
    dtype : type, optional
        The type of its elements; None for the vertex type.
    initial_byte : int
        The initial value of each byte, unless the array is packed.
    has_locks : bool
        Whether the elements are locks.
    pack, unpack : factory, optional
        For an array that contains the parents: factories of the kernels that build it from the
        parents and write the parents back.
    parent_bits : integer, optional
        For an array that contains the parents: the bit mask of the parent in an element.
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
        """True if the array contains the parents; the forest's own parents are then stale."""
        return self.pack is not None


HOOKS = AuxArray("hooks", initial_byte=0xFF)
LOCKS = AuxArray("locks", np.uint32, has_locks=True)


@dataclass(frozen=True)
class Spec:
    """One rule of one axis: a factory that takes a backend and returns a part of a kernel.

    Attributes
    ----------
    name : str
    make : factory
        The first line of its docstring is its entry in the table of designs.
    paper : str
        The paper that published the rule.
    requires : tuple of str
        The names of the parts that the factory receives, in this order; see :attr:`PARTS`.
    options : mapping of str to int or tuple of str
        The options in parentheses. An integer is the default of a count. A tuple lists the allowed
        words, the default first; ``COUNT`` among them allows any count. An option named "" has no
        default and is written without a name.
    variants : tuple of str
        The names, with options, under which the list of designs shows this rule; by default its
        name alone.
    needs : str
        The requirements of the rule beyond an edge list or CSR, as text.
    needs_csr : bool
        Whether the rule requires an adjacency list.

    See Also
    --------
    union_rule, sampling_rule, standalone_algorithm : Register a rule.
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
        """Raise an error for invalid fields, which would otherwise fail only at compilation."""
        for part in self.requires:
            if part not in self.PARTS:
                parts = ", ".join(self.PARTS) or "nothing"
                raise ValueError(f"{self.name!r} requires {part!r}, but only {parts} exist")

    @property
    def asks(self) -> str:
        """The requirements beyond an edge list, as text; empty if there are none."""
        return "; ".join(filter(None, [CSR if self.needs_csr else "", self.needs]))

    @property
    def line(self) -> str:
        """The first line of the factory's docstring: its entry in the table of designs."""
        return (self.make.__doc__ or "").strip().splitlines()[0]


@dataclass(frozen=True)
class SamplingSpec(Spec):
    """A choice of the edges that are linked first: the factory returns a ``Sample``, or None.

    Attributes
    ----------
    samples : bool
        Whether there are two phases; False if all edges are linked in one phase.
    meta : bool
        Whether the rule calls the link on groups of edges instead of linking edges itself. Its
        factory then returns a function with two parameters: the step by which the design without a
        sample links all edges, and the kernel that unpacks the parents of that design.
    needs_list : bool
        Whether the rule requires an edge list. The rows of an adjacency list are then expanded.
    breadth_first : bool
        Whether the rule stores the depths and the two queues of a breadth-first search.
    """

    AXIS: ClassVar[str] = "sample"
    PARTS: ClassVar[tuple[str, ...]] = ("every_edge", "join", "note", "read")

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
        Whether the find is a single step, for links that climb two paths at the same time.
    splices : bool
        Whether the find moves a vertex to another tree before the same thread links the two roots.
    stores_to_root : bool
        Whether the find points the vertices of the path at the root after it has found the root.
    needs_order : bool
        Whether the find relies on ``parent[v] <= v``, so the root of a tree is its least vertex.
    packed : bool
        Whether the find climbs words that contain a parent and other bits (see :class:`AuxArray`).
    """

    AXIS: ClassVar[str] = "compress"

    one_step: bool = False
    splices: bool = False
    stores_to_root: bool = False
    needs_order: bool = False
    packed: bool = False


@dataclass(frozen=True)
class LinkSpec(Spec):
    """A way to join trees: a union rule, rounds, or a standalone algorithm.

    All kinds of links may set the two attributes below. Each subclass documents the other
    attributes that it may set; the rest keep their defaults.

    Attributes
    ----------
    hooks_roots_only : bool
        Whether only roots are hooked, which batches and spanning forests require.
    root_is_min : bool
        Whether the final root of a tree is its least vertex.
    """

    AXIS: ClassVar[str] = "link"

    hooks_roots_only: bool = True
    root_is_min: bool = True
    finds: Mapping[str, Factory] = field(default_factory=dict, init=False)
    steps_of_finds: Mapping[str, str] = field(default_factory=dict, init=False)
    aux_array: AuxArray | None = field(default=None, init=False)
    rooted_rules: tuple[str, ...] = field(default=(), init=False)
    iterative: bool = field(default=False, init=False)
    supports_stages: bool = field(default=True, init=False)
    label_arrays: tuple[int, int] = field(default=(0, 0), init=False)
    bytes_per_vertex_pair: int = field(default=0, init=False)
    breadth_first: bool = field(default=False, init=False)

    is_union: ClassVar[bool] = False
    standalone: ClassVar[bool] = False

    @property
    def packed(self) -> bool:
        """True if the auxiliary array contains the parents."""
        return self.aux_array is not None and self.aux_array.packed

    @property
    def takes_steps(self) -> bool:
        """True if the link combines with single steps instead of finds."""
        return "step" in self.requires

    @property
    def takes_find(self) -> bool:
        """True if the factory receives a find that climbs whole paths."""
        return "find" in self.requires


@dataclass(frozen=True)
class UnionSpec(LinkSpec):
    """A union of two vertices: ``link(parent, aux, u, v)`` returns the hooked root, or NONE.

    The factory takes a backend, the vertex type and the required parts: ``find``, ``step``, or
    ``compress_after_union``, a find that is called after the two trees are linked.

    Attributes
    ----------
    finds : mapping of str to factory
        The names of the compress axis that the union combines with; empty if it has its own find.
    steps_of_finds : mapping of str to str
        For a find, the step used when a design names only the find.
    aux_array : AuxArray, optional
        The auxiliary array: HOOKS, LOCKS, or words that also contain the parents.
    """

    PARTS: ClassVar[tuple[str, ...]] = ("find", "step", "compress_after_union")

    finds: Mapping[str, Factory] = field(default_factory=dict)
    steps_of_finds: Mapping[str, str] = field(default_factory=dict)
    aux_array: AuxArray | None = None

    is_union: ClassVar[bool] = True


@dataclass(frozen=True)
class RoundsSpec(LinkSpec):
    """Rounds over a copy of the edges outside a sample: the factory returns their procedure.

    Attributes
    ----------
    rooted_rules : tuple of str
        The values of the option "" that hook only roots, if some values hook other vertices.
    """

    PARTS: ClassVar[tuple[str, ...]] = ("record_forest",)

    rooted_rules: tuple[str, ...] = ()
    iterative: bool = field(default=True, init=False)
    supports_stages: bool = field(default=False, init=False)


@dataclass(frozen=True)
class StandaloneSpec(LinkSpec):
    """A standalone algorithm, which links all edges: the factory returns its procedure.

    Attributes
    ----------
    iterative : bool
        Whether the algorithm iterates over the edge list; otherwise it searches rows.
    supports_stages : bool
        Whether stages may call the algorithm, because it can continue from earlier trees.
    label_arrays : (int, int)
        The maximum number of additional labels per vertex and per edge.
    bytes_per_vertex_pair : int
        The bytes that the algorithm needs for each pair of vertices.
    breadth_first : bool
        Whether the algorithm stores the depths and the two queues of a breadth-first search.
    """

    PARTS: ClassVar[tuple[str, ...]] = ("read", "prefetch_edge", "note")

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
    """Return a decorator that registers a factory as a ``kind`` with the fields ``facts``."""

    def register(make: Factory) -> Factory:
        if name in CHOICES[kind.AXIS]:
            raise ValueError(f"{kind.AXIS} {name!r} is registered already")
        if not (make.__doc__ or "").strip():
            raise ValueError(f"{name!r} has no docstring, whose first line is its entry")
        CHOICES[kind.AXIS][name] = kind(name, make, **facts)
        return make

    return register


def sampling_rule(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a factory as a sampling rule; ``facts`` are fields of :class:`SamplingSpec`."""
    return _register(SamplingSpec, name, {"paper": paper, **facts})


def find_rule(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a factory as a find or a single step; ``facts`` are fields of :class:`FindSpec`."""
    return _register(FindSpec, name, {"paper": paper, **facts})


def union_rule(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a factory as a union of two vertices.

    Parameters
    ----------
    name : str
        The name in designs, such as ``async``.
    paper : str
        The paper that published it.
    **facts
        Fields of :class:`UnionSpec`, such as ``finds``, ``requires``, ``aux_array`` and
        ``hooks_roots_only``.

    Returns
    -------
    decorator, which returns the factory unchanged

    Raises
    ------
    ValueError
        The name is taken, the factory has no docstring, or it requires an unknown part.
    """
    return _register(UnionSpec, name, {"paper": paper, **facts})


def rounds_rule(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a factory as rounds over all edges; ``facts`` are fields of :class:`RoundsSpec`."""
    return _register(RoundsSpec, name, {"paper": paper, **facts})


def standalone_algorithm(name: str, *, paper: str, **facts: Any) -> Callable[[Factory], Factory]:
    """Register a standalone algorithm; ``facts`` are fields of :class:`StandaloneSpec`."""
    return _register(StandaloneSpec, name, {"paper": paper, **facts})
