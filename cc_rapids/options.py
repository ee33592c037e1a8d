"""The options of all entry points and their checks."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import backends
from .algorithms.design import Design, check_batch_design, check_forest_design
from .backends import DEVICE_MEMORY, MEMORY, Backend
from .backends.choice import EngineChoice
from .data.adapters import Adapter, adapter_of
from .data.arguments import (
    UNREADABLE,
    check_flag,
    check_path,
    check_progress,
    check_seconds,
    check_word,
)
from .data.edge_input import ReadRequest, checked_names
from .data.end_columns import Side
from .data.frame_build import frame_of_table
from .data.read import check_text
from .data.text_options import COMMENTS, NO_OPTIONS, TextOptions
from .data.weight_bound import WeightBound
from .data.weights import ForestWeight
from .errors import ArgumentTypeError, DesignError, EngineError, InputError, shown
from .ledger import Ledger, Reading
from .results.answer import LabelKind
from .results.labels import check_labels
from .solver.choose import MEASURED, DesignPolicy, FixedDesign, policy_of

log: logging.Logger = logging.getLogger(__name__)
NULLS = ("raise", "drop")
FRAMES = ("pyarrow", "cudf", "pandas", "polars")
CHUNKED = ("memory_limit", "progress", "checkpoint", "checkpoint_every", "unreadable")
GATHERS_AHEAD = True  # whether a GPU gathers the rows of the label frame before it counts them
FORESTS = {"min": False, "max": True}  # forests by weight, and whether the weight is maximised


def _forest_weight(weight: Any, greatest: bool, policy: DesignPolicy) -> ForestWeight:
    """Return the weights for a maximum spanning forest if ``greatest``, else for a minimum one."""
    if weight is None:
        word = "max" if greatest else "min"
        raise InputError(f"forest={word!r} is a spanning forest by weight: pass weight= as well")
    if not policy.is_measured:  # the caller has set ``design``
        raise DesignError(
            "a spanning forest by weight is found by Borůvka's algorithm, not by a design: leave"
            " out design="
        )
    return ForestWeight(weight, greatest)


def check_devices(devices: Any) -> str | tuple[int, ...] | None:
    """Return the requested devices: "all", or distinct device numbers; None by default.

    Raises
    ------
    InputError
        The value is neither "all" nor a list of distinct device numbers.
    """
    if devices is None or (isinstance(devices, str) and devices == "all"):
        return devices
    numbers = list(devices) if isinstance(devices, list | tuple | range) else []
    numbers = [int(k) if isinstance(k, np.integer) else k for k in numbers]
    valid = all(isinstance(k, int) and not isinstance(k, bool) and k >= 0 for k in numbers)
    if not numbers or not valid or len(set(numbers)) < len(numbers):
        raise InputError(
            "devices= must be 'all', or a list of distinct GPU numbers such as [0, 1], not"
            f" {devices if numbers else shown(devices)}"
        )
    return tuple(numbers)


@dataclass(frozen=True)
class Options:
    """The checked options of a run; :func:`cc_rapids.components` documents most of them.

    Create instances with :meth:`check`.

    Attributes
    ----------
    policy : DesignPolicy
        The rule that chooses the design, made from the option ``design``.
    speculates : bool
        True if the rows of the label frame may be gathered before they are counted.
    expected_rows : int, optional
        The number of rows of the label frame, if the caller knows it.
    chunked : bool
        True if an option of chunked reads was given.
    weight_bound, applied_bound : WeightBound, optional
        The bound of the weights, before and after the edges are filtered.
    spanning : ForestWeight, optional
        The weights of a minimum or maximum spanning forest.
    """

    source: Side | None = None
    destination: Side | None = None
    vertices: Any = None
    num_vertices: int | None = None
    text: TextOptions = NO_OPTIONS
    weight_bound: WeightBound | None = None
    applied_bound: WeightBound | None = None
    labels: LabelKind | None = None
    nulls: str = NULLS[0]
    policy: DesignPolicy = MEASURED
    engine: str | None = None
    memory: str = DEVICE_MEMORY
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
        labels: Any = None,
        nulls: Any = NULLS[0],
        design: str | Design = "auto",
        memory: Any = DEVICE_MEMORY,
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

        ``wants_labels`` is true if only the label frame is requested. If the labels are least ids,
        its rows can then be gathered before they are counted. ``given`` has more fields of Options.

        Raises
        ------
        InputError, DesignError, EngineError, ArgumentTypeError
            An option has an invalid value. The error names the nearest valid words.
        TypeError
            An option does not exist.
        """
        kind = None if labels is None else check_labels(labels)
        are_strings = isinstance(memory, str) and isinstance(nulls, str)
        if not (are_strings and memory in MEMORY and nulls in NULLS):  # the usual case is fast
            check_word("memory", memory, MEMORY)
            check_word("nulls policy", nulls, NULLS)
        greatest = None
        if isinstance(forest, str):
            greatest = FORESTS.get(forest)
            if greatest is None:
                raise ArgumentTypeError(
                    f"forest= must be True or False, not {shown(forest)}; or 'min' or 'max', for a"
                    " spanning forest by weight"
                )
            forest = True
        elif not isinstance(forest, bool):
            forest = check_flag("forest", forest)
        explain = explain if isinstance(explain, bool) else check_flag("explain", explain)
        if frames is not None:
            check_word("library of frames", frames, FRAMES)
        if not isinstance(design, str | Design):
            Design.parse(design)  # raises an error; unhashable values would fail in the cache below
        policy = policy_of(design)
        spanning = None if greatest is None else _forest_weight(weight, greatest, policy)
        bounded = at_least is not None or at_most is not None
        weight_bound = None
        if bounded or (weight is not None and greatest is None):
            weight_bound = WeightBound.check(weight, at_least, at_most)
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
            speculates=GATHERS_AHEAD and wants_labels and (kind is None or kind.is_root),
            chunked=not given.keys().isdisjoint(CHUNKED),
            devices=None if devices is None else check_devices(devices),
            text=text,
            **given,
        )

    def remembered(self) -> WeightBound | None:
        """Return the weight column and bounds for edges that are inserted later, or None."""
        bound = self.weight_bound or self.applied_bound
        if bound is None and self.spanning is not None:
            bound = WeightBound(self.spanning.weight)
        return None if bound is None else bound.remembered()

    @property
    def named_design(self) -> Design | None:
        """The design that the caller names; None if a rule chooses the design."""
        return self.policy.design if isinstance(self.policy, FixedDesign) else None

    @property
    def batch_design(self) -> Design:
        """The design for batches of edges.

        Raises
        ------
        DesignError
            The requested design does not support batches. The error names the reason.
        """
        return check_batch_design(self.named_design or "auto")

    def check_streamed(self) -> None:
        """Raise an InputError if an option is not supported for edges that are read in chunks."""
        if self.memory != DEVICE_MEMORY:
            raise InputError(
                "edges that are read in chunks are copied chunk by chunk: leave out"
                f" memory={self.memory!r}, or read the edges into one frame"
            )
        if self.forest:
            raise InputError(
                "edges that are read in chunks are not kept, but a spanning forest (forest=) and"
                " clusters under rules need all edges: read the edges into one frame"
            )

    def check_on_devices(self) -> None:
        """Raise an InputError if an option is not supported for runs on several devices."""
        unsupported = {  # the name of each option, and whether the caller has set it
            "forest=": self.forest,
            f"memory={self.memory!r}": self.memory != DEVICE_MEMORY,
            "memory_limit=, progress= and checkpoint=": self.chunked,
            "frames=": self.frames is not None,
        }
        for name, is_set in unsupported.items():
            if is_set:
                raise InputError(
                    f"{name} is for one GPU, but devices= is for several: leave out one of them"
                )

    def device_numbers(self, backend: Backend) -> list[int]:
        """Return the numbers of the devices that the caller names.

        Raises
        ------
        EngineError
            The backend has no devices to choose.
        InputError
            A requested device does not exist.
        """
        count = backend.device_count
        if not count:
            raise EngineError(
                f"devices= names GPUs, but engine {backend.name!r} runs on {backend.device_name}:"
                " leave out devices=, or pass engine='cuda' on a machine with GPUs"
            )
        if self.devices == "all" or self.devices is None:
            return list(range(count))
        numbers = [int(number) for number in self.devices]
        missing = [number for number in numbers if number >= count]
        if missing:
            existing = "only GPU 0" if count == 1 else f"GPUs 0 to {count - 1}"
            raise InputError(
                f"devices={numbers} names GPU {missing[0]}, but this machine has {existing}:"
                " devices='all' uses all GPUs of the machine"
            )
        return numbers

    def backend(self, on_device: bool = False, choice: EngineChoice | None = None) -> Backend:
        """Return the backend that the caller names; by default, the backend that has the edges.

        For edges in files, the default is ``choice``, the engine that is estimated to be fastest.
        If this engine cannot be used, CPU threads run instead.

        Raises
        ------
        EngineError
            This machine cannot run the engine that the caller names.
        """
        if self.engine is not None or choice is None:
            return backends.opened(self.engine or backends.ENGINES[on_device])
        try:
            return backends.opened(choice.engine)
        except EngineError as error:
            log.info("on threads: %s", error)
            return backends.opened("threads")


def with_ends(edges: Any, options: Options, adapter: Adapter | None = None) -> Options:
    """Return the options with the columns of both ends, if the edges have column names.

    ``adapter`` is the adapter of the edges, if it is already known.
    """
    weighting = options.spanning or options.weight_bound
    weight = None if weighting is None else weighting.weight
    source, destination = options.source, options.destination
    ends = (adapter or adapter_of(edges)).ends(edges, source, destination, weight)
    if ends[0] is source and ends[1] is destination:
        return options
    named_options = copy(options)  # faster than replace(), which sets all fields again
    vars(named_options).update(source=ends[0], destination=ends[1])
    return named_options


def within_bound(edges: Any, options: Options) -> tuple[Any, Options, Ledger]:
    """Return the edges whose weight is within the bound, the options for them, and the ledger.

    The ledger counts all rows, including the rows outside the bound.
    """
    options = with_ends(edges, options)
    assert options.weight_bound is not None
    adapter, source, destination = adapter_of(edges), options.source, options.destination
    check_text(adapter, edges, options.text)
    request = ReadRequest(source, destination, options.nulls, options.text)
    edges, source, destination, ledger = adapter.bounded(edges, request, options.weight_bound)
    ends = {"source": source, "destination": destination}
    applied = replace(options, weight_bound=None, applied_bound=options.weight_bound)
    return edges, replace(applied, text=NO_OPTIONS, **ends), ledger  # any files have been read


def with_weights(edges: Any, options: Options) -> tuple[Any, Options, Reading]:
    """Load edges and their weights; return a table, the options for it, and a Reading.

    Files become a table, and lazy frames are collected. The Reading counts the rows of files.

    Raises
    ------
    InputError
        The edges are read in chunks.
    """
    if not (options.source is None and options.destination is None):
        checked_names(options.source, options.destination)  # raises an error if these are not names
    options = with_ends(edges, options)
    adapter, weighting = adapter_of(edges), options.spanning or options.weight_bound
    assert weighting is not None
    if options.chunked or (adapter.is_stream and not adapter.becomes_table):
        options.check_streamed()
    check_text(adapter, edges, options.text)
    request = ReadRequest(options.source, options.destination, options.nulls, options.text)
    reading = Reading()
    table, ends_of_table = adapter.in_memory(edges, request, weighting.weight, reading)
    if ends_of_table is None:  # the edges were neither files nor a stream
        return table, options, reading
    if options.frames not in (None, "pyarrow"):
        table = frame_of_table(table, options.frames)
    ends = {"source": ends_of_table[0], "destination": ends_of_table[1]}
    return table, replace(options, text=NO_OPTIONS, frames=None, **ends), reading
