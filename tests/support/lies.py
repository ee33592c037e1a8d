"""Lies about rows, columns that change while read, and backends that check accesses."""

import signal
import warnings
from contextlib import contextmanager, suppress
from functools import cache
from unittest import mock

import numpy as np

import cc_rapids
from cc_rapids import CcRapidsError, Design, backends
from cc_rapids.algorithms.design import designs
from cc_rapids.backends import dry_run
from cc_rapids.backends.threads import Threads
from support import sizes

N, M = 300, 280  # vertices and edges
SECONDS = 60  # for what takes some milliseconds
FAR = [-1, 2**31 - 1, 2**31, 2**32 - 1, 2**32 + 5, 10**12, 2**62, -(2**40), -(2**63)]


@contextmanager
def no_hang(seconds=SECONDS):
    """An error where something waits for ever."""

    def late(*_):
        raise TimeoutError(f"not done in {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def edges(n=N, m=M, dtype=np.int64):
    return tuple(np.random.default_rng(1).integers(0, n, (2, m)).astype(dtype))


def rows(n=N, m=M, dtype=np.int64):
    """The offsets and indices of both directions."""
    src, dst = edges(n, m, dtype)
    both, other = np.concatenate([src, dst]), np.concatenate([dst, src])
    order = np.argsort(both, kind="stable")
    starts = np.searchsorted(both[order], np.arange(n + 1)).astype(dtype)
    return starts, other[order].copy()


def set_to(*values, at=None):
    """Offsets of which some hold other values."""

    def lie(offsets):
        offsets = offsets.astype(np.int64)
        places = at(offsets) if callable(at) else slice(1, -1) if at is None else at
        offsets[places] = np.resize(values, offsets[places].shape)
        return offsets

    return lie


def middle(offsets):
    """The place in the middle, as a slice."""
    return slice(offsets.size // 2, offsets.size // 2 + 1)


def unsigned(offsets):
    found = offsets.astype(np.uint64)
    found[1:-1] = np.uint64(2**63 + 5)
    return found


# What offsets become; "end" is taken for right where there may be room behind them.
LIES = {
    "far": set_to(10**12, at=middle),
    "negative": set_to(-7, at=middle),
    "all far": set_to(2**40),
    "all negative": set_to(-(2**40)),
    "unsigned": unsigned,
    "falling": lambda offsets: np.concatenate([offsets[:1], offsets[-2:0:-1], offsets[-1:]]),
    "falls once": set_to(0, at=middle),
    "begins late": set_to(3, at=slice(0, 1)),
    "ends late": set_to(10**9, at=slice(-1, None)),
    "any": lambda offsets: np.random.default_rng(0).choice(FAR, offsets.size),
}


def same_kind(values, dtype):
    """Integers as a type of other width has them: their lowest bits."""
    return np.asarray(values, np.int64).astype(dtype)


# What stands in the list of designs with other options only, or not at all
FURTHER = [
    f"{sample}+async+halve"
    for sample in (
        "none(tiles=64)",
        "none(order=partitioned)",
        "kout",
        "strided(bits=shared)",
        "strided(every=2)",
        "kout(coalesce=off, reorganise=off, gather=off)",
        "kout(k=3, reorganise=off)",
        "hook(gather=off)",
        "bfs(gather=off)",
    )
]


@cache
def chosen(how):
    """All designs; or some, in which each sampling and each union rule stands once."""
    further = [*map(Design.parse, [*FURTHER, "owner(output=lists)"])]
    if how == "all":
        return list(dict.fromkeys([*further, *designs()]))
    few, known = [], set()
    for design in [*further, *sorted(designs(), key=lambda design: len(str(design)))]:
        words = {word.spec.name for word in design.words[:2]}
        if design in further or words - known:
            few.append(design)
        known |= words
    return list(dict.fromkeys(few))


class Overwritten:
    """A backend whose ``columns`` are overwritten before each launch from ``since`` on."""

    columns = ()
    values = FAR
    since = launches = 0

    def launch(self, kernel, n, arguments):
        self.launches += 1
        if self.launches > self.since:
            some = np.random.default_rng(self.launches)
            for column in self.columns:
                column[:] = same_kind(some.choice(self.values, column.size), column.dtype)
        super().launch(kernel, n, arguments)


class Changing(Overwritten, Threads):
    """Threads that check every access."""


class Watched:
    """An array as a kernel sees it: no index wraps around, and a column of the caller's holds
    something else each time it is read.
    """

    def __init__(self, array, values=None, chance=None):
        self.array, self.values, self.chance = array, values, chance
        self.dtype, self.size, self.strides = array.dtype, array.size, array.strides

    def __getitem__(self, i):
        assert 0 <= int(i) < self.size, f"reads {int(i)} of {self.size}"
        if self.values is None or self.chance.random() < 0.5:
            return self.array[int(i)]
        return same_kind(self.chance.choice(self.values), self.dtype)[()]

    def __setitem__(self, i, value):
        assert self.values is None, "writes to the caller's memory"
        assert 0 <= int(i) < self.size, f"writes {int(i)} of {self.size}"
        self.array[int(i)] = value


FIRST_LOOKS = (
    "find_bounds",
    "sampled_scan",
    "sampled_order",
    "first_wrong_offset",
    "note_outside",
)  # or no other kernel would run


class Flickering(dry_run.RecordingBackend):
    """Kernels as plain Python, on columns that change between two reads of one word."""

    columns = ()
    values = FAR
    flickers = True

    def __init__(self, warps):
        super().__init__()
        if not warps:
            self.threads_per_row = self.warp_size = 1
            self.samples, self.warp_shuffle_xor = False, None

    def launch(self, kernel, n, arguments):
        chance = np.random.default_rng(n)

        def watched(argument):
            if isinstance(argument, int):
                return argument
            own = self.flickers and any(
                np.may_share_memory(argument, column) for column in self.columns
            )
            lies = own and kernel.part.function.__name__ not in FIRST_LOOKS
            return Watched(argument, self.values if lies else None, chance)

        most = {} if self.warp_size == 1 else dry_run.MAX_INDICES | {"link_pairs": n}
        with mock.patch.object(dry_run, "MAX_INDICES", most):
            super().launch(kernel, n, tuple(map(watched, arguments)))


class Interpreted(Overwritten, Flickering):
    """Kernels as plain Python that checks every access."""

    flickers = False

    def __init__(self):
        super().__init__(warps=False)


@cache
def engine_of(kind):
    """One of each for all tests: kernels are compiled for a backend."""
    made = {
        "checked": lambda: Changing(checked=True),
        "interpreted": Interpreted,
        "one by one": lambda: Flickering(warps=False),
        "by warps": lambda: Flickering(warps=True),
    }
    return made[kind]()


def any_answer(given, **options):
    """Whether there was an answer; an error of ours is as good, and nothing else is."""
    with no_hang(), suppress(CcRapidsError):
        found = cc_rapids.components(given, **options)
        found.labels(), found.sizes()
        if options.get("forest"):
            found.forest()
        return True
    return False


@contextmanager
def running_on(backend, columns=(), since=0, values=FAR):
    """The backend stands for every other, and the columns are the caller's that change."""
    backend.columns, backend.since, backend.launches, backend.values = columns, since, 0, values
    with (
        mock.patch.object(backends, "opened", return_value=backend),
        sizes.override(giant_probes=96),  # which Python compares with each other
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", ".*overflow encountered", RuntimeWarning)
        try:
            yield backend
        finally:
            backend.columns = ()
