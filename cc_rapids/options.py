"""Options of all entry points, checked once."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import backends
from .algorithms.auto import MEASURED, DesignPolicy, FixedDesign, policy_of
from .algorithms.design import Design, check_batch_design, check_forest_design
from .backends import MEMORY, Backend
from .backends.choice import EngineChoice
from .data.adapters import Adapter, adapter_of
from .data.arguments import check_flag, check_path, check_progress, check_seconds, check_word
from .data.edge_input import ReadRequest, named
from .data.frame_build import frame_of_table
from .data.read import Side, check_text, in_memory, named_ends
from .data.reading import Reading
from .data.text_options import COMMENTS, NO_OPTIONS, TextOptions
from .data.weight_bound import WeightBound
from .data.weights import ForestWeight
from .errors import ArgumentTypeError, DesignError, EngineError, InputError, shown
from .ledger import Ledger
from .results.answer import LabelKind
from .results.labels import LABEL_KINDS, check_labels

log = logging.getLogger(__name__)
NULLS = ("raise", "drop")
FRAMES = ("pyarrow", "cudf", "pandas", "polars")
CHUNKED = ("memory_limit", "progress", "checkpoint", "checkpoint_every", "unreadable")
UNREADABLE = ("raise", "skip")


FORESTS = {"min": False, "max": True}  # forests by weight, and whether of the greatest


def _forest_weight(weight: Any, greatest: bool, policy: DesignPolicy) -> ForestWeight:
    """Return the weights of a spanning forest.

    Raises
    ------
    InputError
        There are none.
    DesignError
        The caller names a design, which rounds of their own would not run.
    """
    if weight is None:
        word = "max" if greatest else "min"
        raise InputError(f"forest={word!r} is a spanning forest by weight: pass weight= as well")
    if not policy.is_measured:
        raise DesignError(
            "a spanning forest by weight is found by rounds of its own, and by no design: leave out"
            " design="
        )
    return ForestWeight(weight, greatest)


def check_chunked(given: dict[str, Any]) -> None:
    """Raise a TypeError unless all of these are options for edges that are read in chunks."""
    for name in given:
        if name not in CHUNKED:
            raise TypeError(f"components() got an unexpected keyword argument {name!r}")


def check_devices(devices: Any) -> str | tuple[int, ...] | None:
    """Return the devices that the caller names: "all", or numbers that differ; None by default.

    Raises
    ------
    InputError
        They are neither.
    """
    if devices is None or (isinstance(devices, str) and devices == "all"):
        return devices
    numbers = list(devices) if isinstance(devices, list | tuple | range) else []
    numbers = [int(one) if isinstance(one, np.integer) else one for one in numbers]
    fits = all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in numbers)
    if not numbers or not fits or len(set(numbers)) < len(numbers):
        raise InputError(
            f"devices= must be 'all', or a list of different numbers of GPUs such as [0, 1], not"
            f" {devices if numbers else shown(devices)}"
        )
    return tuple(numbers)


@dataclass(frozen=True)
class Options:
    """The caller's options; see :func:`cc_rapids.components` for most of them.

    Make one by :meth:`check`. ``policy`` replaces ``design``: it chooses the design that runs.
    ``speculates`` is true if the label frame is requested at once, and ``expected_rows`` the number
    of its rows, if the caller knows it. ``chunked`` is true if an option was given that makes edges
    be read in chunks. ``weight_bound`` becomes ``applied_bound`` once the edges are those within.
    ``spanning`` are the weights of a spanning forest, if ``forest`` is one by weight.
    """

    source: Side | None = None
    destination: Side | None = None
    vertices: Any = None
    num_vertices: int | None = None
    text: TextOptions = NO_OPTIONS
    weight_bound: WeightBound | None = None
    applied_bound: WeightBound | None = None
    labels: LabelKind = LABEL_KINDS["min"]
    nulls: str = NULLS[0]
    policy: DesignPolicy = MEASURED
    engine: str | None = None
    memory: str = MEMORY[0]
    forest: bool = False
    spanning: ForestWeight | None = None
    explain: bool = False
    frames: str | None = None
    speculates: bool = False
    expected_rows: int | None = None
    memory_limit: int | str | None = None
    progress: bool | Callable[..., object] = False
    checkpoint: str | os.PathLike[str] | None = None
    checkpoint_every: float = 60.0
    unreadable: str = UNREADABLE[0]
    chunked: bool = False
    devices: str | tuple[int, ...] | None = None

    @classmethod
    def check(
        cls,
        *,
        labels: Any = "min",
        nulls: Any = NULLS[0],
        design: str | Design = "auto",
        memory: Any = MEMORY[0],
        forest: Any = False,
        engine: Any = None,
        explain: Any = False,
        frames: Any = None,
        weight: Any = None,
        at_least: Any = None,
        at_most: Any = None,
        wants_labels: bool = False,
        devices: Any = None,
        header: Any = None,
        delimiter: Any = None,
        encoding: Any = None,
        comment: Any = COMMENTS,
        format: Any = None,
        **given: Any,
    ) -> Options:
        """Check all options that do not depend on the edges.

        ``wants_labels`` says that the label frame is what the caller asks for: if it is of least
        ids, its rows may be gathered, and it may be made, before they are counted.

        Raises
        ------
        InputError, DesignError, EngineError, ArgumentTypeError
            An option cannot be used; names the nearest words where it is a word.
        TypeError
            There is no such option.
        """
        kind = (isinstance(labels, str) and LABEL_KINDS.get(labels)) or check_labels(labels)
        words = isinstance(memory, str) and isinstance(nulls, str)
        if not (words and memory in MEMORY and nulls in NULLS):
            check_word("memory", memory, MEMORY)
            check_word("nulls policy", nulls, NULLS)
        greatest = FORESTS.get(forest) if isinstance(forest, str) else None
        if isinstance(forest, str) and greatest is None:
            raise ArgumentTypeError(
                f"forest= must be True or False, not {shown(forest)}; or 'min' or 'max', for a"
                " spanning forest by weight"
            )
        if not isinstance(forest, bool):
            forest = greatest is not None or check_flag("forest", forest)
        explain = explain if isinstance(explain, bool) else check_flag("explain", explain)
        if frames is not None:
            check_word("library of frames", frames, FRAMES)
        if not isinstance(design, str | Design):
            Design.parse(design)  # raises; what cannot be hashed cannot be looked up below
        policy = policy_of(design)
        bounds, weight_bound = (weight, at_least, at_most), None
        spanning = None
        if greatest is not None:
            spanning = _forest_weight(weight, greatest, policy)
        bounded = not (at_least is None and at_most is None)
        if bounded or (weight is not None and greatest is None):
            weight_bound = WeightBound.check(*bounds)
        engine = None if engine is None else backends.named(engine)
        text = NO_OPTIONS
        if not (header is delimiter is encoding is format is None and comment is COMMENTS):
            text = TextOptions.check(header, delimiter, encoding, comment, format)
        if forest and isinstance(policy, FixedDesign):
            check_forest_design(policy.design)
        if given.get("checkpoint") is not None:
            given["checkpoint"] = check_path("checkpoint", given["checkpoint"])
        if "checkpoint_every" in given:
            check_seconds("checkpoint_every", given["checkpoint_every"])
        if "unreadable" in given:
            check_word("unreadable policy", given["unreadable"], UNREADABLE)
        if "progress" in given:
            check_progress(given["progress"])
        return cls(
            labels=kind,
            nulls=nulls,
            weight_bound=weight_bound,
            policy=policy,
            memory=memory,
            forest=forest,
            spanning=spanning,
            engine=engine,
            explain=explain,
            frames=frames,
            speculates=wants_labels and kind.is_root,
            chunked=not given.keys().isdisjoint(CHUNKED),
            devices=None if devices is None else check_devices(devices),
            text=text,
            **given,
        )

    def remembered(self) -> WeightBound | None:
        """Return what the answer keeps of the weights and their bounds."""
        bound = self.weight_bound or self.applied_bound
        if bound is None and self.spanning is not None:
            bound = WeightBound(self.spanning.weight)
        return None if bound is None else bound.remembered()

    @property
    def named_design(self) -> Design | None:
        """The design that the caller names; None for "auto" by any rule."""
        return self.policy.design if isinstance(self.policy, FixedDesign) else None

    @property
    def batch_design(self) -> Design:
        """The design for batches of edges.

        Raises
        ------
        DesignError
            The one that was asked for cannot take batches, and why.
        """
        return check_batch_design(self.named_design or "auto")

    def check_streamed(self) -> None:
        """Raise an InputError for options that edges read in chunks do not support."""
        if self.memory != MEMORY[0]:
            raise InputError(
                "edges that are read in chunks are copied chunk by chunk: leave out"
                f" memory={self.memory!r}, or read the edges into one frame"
            )
        if self.forest:
            raise InputError(
                "edges that are read in chunks are not kept, so they have no spanning forest:"
                " leave out forest=, or read the edges into one frame"
            )

    def check_on_devices(self) -> None:
        """Raise an InputError for options that runs on several devices do not support."""
        others = {
            "forest=": self.forest,
            f"memory={self.memory!r}": self.memory != MEMORY[0],
            "memory_limit=, progress= and checkpoint=": self.chunked,
            "frames=": self.frames is not None,
        }
        for name, given in others.items():
            if given:
                raise InputError(
                    f"{name} is for one GPU, and devices= for several: leave out one of the two"
                )

    def device_numbers(self, backend: Backend) -> list[int]:
        """Return the numbers of the devices that the caller names.

        Raises
        ------
        EngineError
            The backend has no devices to choose.
        InputError
            There is no such device.
        """
        count = backend.device_count
        if not count:
            raise EngineError(
                f"devices= names GPUs, and engine {backend.name!r} runs on {backend.device_name}:"
                " leave out devices=, or pass engine='cuda' on a machine with GPUs"
            )
        if self.devices == "all" or self.devices is None:
            return list(range(count))
        numbers = [int(number) for number in self.devices]
        lacking = [number for number in numbers if number >= count]
        if lacking:
            has = "only GPU 0" if count == 1 else f"GPUs 0 to {count - 1}"
            raise InputError(
                f"devices={numbers} names GPU {lacking[0]}, and this machine has {has}:"
                " devices='all' takes those that there are"
            )
        return numbers

    def backend(self, on_device: bool = False, choice: EngineChoice | None = None) -> Backend:
        """Return the backend that runs: the one that the caller names, or where the edges are.

        ``choice`` is that for edges in files; if its GPU cannot be used, threads run.

        Raises
        ------
        EngineError
            This machine cannot run the one that the caller names.
        """
        if self.engine is not None or choice is None:
            return backends.opened(self.engine or backends.ENGINES[on_device])
        try:
            return backends.opened(choice.engine)
        except EngineError as error:
            log.info("on threads: %s", error)
            return backends.opened("threads")


def with_ends(edges: Any, options: Options, adapter: Adapter | None = None) -> Options:
    """Return the options with the columns of both ends, where the edges have names of columns.

    The ``adapter`` is that of the edges, if the caller has asked for it.
    """
    given = options.spanning or options.weight_bound
    weight = None if given is None else given.weight
    ends = named_ends(edges, options.source, options.destination, weight, adapter)
    if ends == (options.source, options.destination):
        return options
    found = copy(options)  # replace() would set all fields again, one by one
    vars(found).update(source=ends[0], destination=ends[1])
    return found


def within_bound(edges: Any, options: Options) -> tuple[Any, Options, Ledger]:
    """Return the edges whose weight is within the caller's bound, and the options for these.

    The ledger counts all rows, and those that the bound leaves out.
    """
    options = with_ends(edges, options)
    assert options.weight_bound is not None
    adapter, source, destination = adapter_of(edges), options.source, options.destination
    check_text(adapter, edges, options.text)
    request = ReadRequest(source, destination, options.nulls, options.text)
    edges, source, destination, ledger = adapter.bounded(edges, request, options.weight_bound)
    ends = {"source": source, "destination": destination}
    applied = replace(options, weight_bound=None, applied_bound=options.weight_bound)
    return edges, replace(applied, text=NO_OPTIONS, **ends), ledger


def with_weights(edges: Any, options: Options) -> tuple[Any, Options, Reading]:
    """Return edges with a column of weights in memory, their options, and how files were read.

    Files become a table, whose rows the third result counts, and lazy frames are collected.

    Raises
    ------
    InputError
        The edges are read in chunks.
    """
    if not (options.source is None and options.destination is None):
        named(options.source, options.destination)  # raises an error if these are not names
    options = with_ends(edges, options)
    adapter, given = adapter_of(edges), options.spanning or options.weight_bound
    assert given is not None
    if options.chunked or (adapter.is_stream and not adapter.becomes_table):
        options.check_streamed()
    check_text(adapter, edges, options.text)
    request = ReadRequest(options.source, options.destination, options.nulls, options.text)
    reading = Reading()
    table, sides = in_memory(adapter, edges, request, given.weight, reading)
    if sides is None:
        return table, options, reading
    if options.frames not in (None, "pyarrow"):
        table = frame_of_table(table, options.frames)
    source, destination = sides
    own = replace(options, source=source, destination=destination, text=NO_OPTIONS, frames=None)
    return table, own, reading
