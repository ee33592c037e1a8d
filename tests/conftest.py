"""Which engines this process can test, and which tests need more than it has."""

import contextlib
import ctypes
import gc
import importlib
import itertools
import os
import signal
import stat
from pathlib import Path

import hypothesis
import pyarrow as pa
import pytest
import simulation
from _pytest.doctest import DoctestModule
from support import choices, design_pairs, gpu_machine, sizes
from support.encodings import ENCODINGS, force_encoding
from support.machine import SELDOM, SIMULATED

if SIMULATED:
    simulation.install()
for _checks in "design_graphs", "edge_lists", "refusals", "stream_inputs":
    pytest.register_assert_rewrite(f"support.{_checks}")
SLOW = hypothesis.HealthCheck.too_slow  # however busy the machine is
_any_machine = {"deadline": None, "suppress_health_check": [SLOW]}
hypothesis.settings.register_profile(
    "same examples", derandomize=True, max_examples=50, **_any_machine
)
hypothesis.settings.register_profile(
    "few examples", derandomize=True, max_examples=20, **_any_machine
)
hypothesis.settings.register_profile("new examples", **_any_machine)
hypothesis.settings.load_profile("same examples")
gc.set_threshold(*SELDOM)
# Compiling the sequential functions of oracles and proofs takes seconds in each process; their code
# can be kept, because none of them calls a function of another file
for _name in "oracle.certificate", "oracle.forests", "oracle.lowpoints", "merges", "condensed_tree":
    for _value in vars(importlib.import_module(f"cc_rapids.verify.{_name}")).values():
        if hasattr(_value, "enable_caching"):
            _value.enable_caching()
# A cluster that somebody else runs, and what makes a terminal of every file
for _name in "DASK_SCHEDULER_ADDRESS", "RAY_ADDRESS", "FORCE_COLOR", "CLICOLOR_FORCE":
    os.environ.pop(_name, None)
# Kernels are compiled by the calls that need them; tests/unit/test_until_compiled.py does without
os.environ.setdefault("CC_RAPIDS_WAIT_FOR_COMPILER", "1")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in what is started in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _has_gpu():
    if SIMULATED:
        return False
    try:
        import cupy

        return cupy.cuda.runtime.getDeviceCount() > 0
    except Exception:  # no CuPy, no driver or no device: each means no GPU here
        return False


GPU = _has_gpu()
# Threads run without the simulator, which changes nothing for them.
ENGINES = ["cuda"] if SIMULATED else ["threads", *(["cuda"] if GPU else [])]


def pytest_addoption(parser):
    parser.addoption(
        "--designs",
        choices=("each", "pairs", "all"),
        default="each",
        help="all designs, or some in which each choice occurs (default) or every two meet",
    )
    parser.addoption(
        "--no-fast-paths", action="store_true", help="all fast paths are off, see support/sizes.py"
    )
    parser.addoption(
        "--architectures",
        choices=("oldest", "all"),
        default="oldest",
        help="GPU architectures for which kernels are compiled: the oldest, and each kernel once"
        " (default), or all",
    )
    parser.addoption(
        "--gpu",
        action="store_true",
        help="fail where a GPU or a library is missing; run all designs and say that they have run",
    )


def pytest_configure(config):
    if config.getoption("--gpu"):
        gpu_machine.check(GPU)
        config.pluginmanager.register(gpu_machine.GpuMachine(config))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for doctests in the package only."""
    return [one for one in (yield) if not isinstance(one, DoctestModule)]


def pytest_generate_tests(metafunc):
    marks = metafunc.definition.iter_markers("parametrize")
    chosen = any("design" in str(mark.args[0]) for mark in marks)
    if "design" in metafunc.fixturenames and not chosen:
        found = design_pairs.selected(design_pairs.asked(metafunc.config))
        metafunc.parametrize("design", found, ids=str)


@pytest.hookimpl(tryfirst=True)  # before marks select
def pytest_collection_modifyitems(config, items):
    choices.few_of_products(item for item in items if not WHOLE & set(item.path.parts))
    # What a process has left over at the end is taken by another, which would start a cluster too
    items.sort(key=lambda item: "workers" not in item.path.parts)
    if SIMULATED:
        same = [item for item in items if not _runs_on_simulator(item)]
        config.hook.pytest_deselected(items=same)
        items[:] = [item for item in items if _runs_on_simulator(item)]
    for item in items:
        if "gpu" in item.keywords and not GPU:
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU here"))


def _runs_on_simulator(item):
    """Whether a test takes an engine, or its module names the simulator; others run as without."""
    names = vars(item.module) if isinstance(item, pytest.Function) else {}
    return "engine" in getattr(item, "fixturenames", ()) or bool(ADAPTED & names.keys())


def pytest_collection_finish():
    """Leave what was imported and collected to itself: each later search for garbage is short."""
    gc.collect()
    gc.freeze()


WHOLE = {"contract", "property", "races", "workers"}  # folders whose products run as a whole
ADAPTED = {"SIMULATED", "Simulator"}  # names in modules of tests that use the simulator
FILES = itertools.count(1)  # whose tests are over


def pytest_runtest_teardown(item, nextitem):
    """Free the memory of some files' tests, and exempt the rest from later collections.

    Garbage among exempt objects is found at every 40th file, because that takes half a second.
    """
    if nextitem is None or nextitem.path != item.path:
        done = next(FILES)
        if done % 40 == 0:
            gc.unfreeze()
        if done % 4 == 0:
            gc.collect()
            gc.freeze()
        pa.default_memory_pool().release_unused()
        with contextlib.suppress(OSError, AttributeError):  # of another C library
            ctypes.CDLL("libc.so.6").malloc_trim(0)


@pytest.fixture(scope="session", autouse=True)
def small_cache():
    """A cache so small that benchmarks fill a few MB to empty it, and not hundreds."""
    from cc_rapids.backends.threads import Threads

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Threads, "cache_bytes", lambda _: 1 << 20)
        yield


@pytest.fixture(params=ENGINES)
def engine(request):
    """The name of each engine that runs here."""
    return request.param


@pytest.fixture
def on(engine):
    """Each engine that runs here."""
    from cc_rapids import backends

    return backends.get(engine)


@pytest.fixture(params=ENCODINGS)
def way(request, monkeypatch):
    """Each encoding of integers in turn, whatever would be chosen."""
    force_encoding(monkeypatch, request.param)
    return request.param


@pytest.fixture
def uncompiled(monkeypatch):
    """No common kernel is compiled, and none is being compiled: libraries solve short lists.

    The answers are the same, so tests of what is read and shown need not compile kernels.
    """
    from cc_rapids import backends
    from cc_rapids.backends import readiness

    monkeypatch.setattr(readiness.common, "compile_in_background", lambda: None)
    monkeypatch.setattr(readiness.common, "is_ready", lambda: False)
    monkeypatch.setattr(backends.get("threads"), "is_compiled", False)


@pytest.fixture
def own_store(tmp_path, monkeypatch):
    """An empty store of compiled kernels, without those that a wheel brings."""
    from cc_rapids.backends import objects

    monkeypatch.setattr(objects, "FILE", tmp_path / "none")
    objects._archive.cache_clear()
    monkeypatch.setenv("CC_RAPIDS_CACHE", str(tmp_path))
    yield tmp_path
    objects._archive.cache_clear()


@pytest.fixture
def full_device(tmp_path_factory):
    """A device that is always full."""
    return _device(tmp_path_factory, "full", 7)


@pytest.fixture
def null_device(tmp_path_factory):
    """A device that takes all and keeps nothing."""
    return _device(tmp_path_factory, "null", 3)


def _device(folders, name, minor):
    """One of Linux's memory devices: a node of its own for who might replace the machine's."""
    node = folders.mktemp("device") / name
    try:
        os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        os.close(os.open(node, os.O_WRONLY))
    except PermissionError:
        node = Path("/dev", name)
        if os.access(node.parent, os.W_OK) or not node.is_char_device():
            pytest.skip("such a device can neither be made here nor be written to safely")
    return node


@pytest.fixture
def run(monkeypatch):
    """Run ``cc-rapids`` in this process, on a wide terminal."""
    from click.testing import CliRunner

    from cc_rapids.cli import main

    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="session", autouse=True)
def fast_paths(request):
    """Switch off all fast paths for the whole session, with ``--no-fast-paths``."""
    off = sizes.WITHOUT_FAST_PATHS if request.config.getoption("--no-fast-paths") else {}
    with sizes.override(**off, **sizes.ON_SIMULATOR if SIMULATED else {}):
        yield


@pytest.fixture
def tuned():
    """Set sizes until the end of a test: ``tuned(thread_chunk=256)``, see support/sizes.py."""
    with contextlib.ExitStack() as stack:
        yield lambda **values: stack.enter_context(sizes.override(**values))
