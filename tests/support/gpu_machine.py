"""A session of tests on a machine that has everything: what is missing there is an error.

Elsewhere a test that needs a GPU, or a library of RAPIDS, is skipped. ``pytest --gpu`` says that
nothing has to be: a library that cannot be imported ends the session before it begins, a test that
is skipped has failed unless the machine itself is the reason, and the session ends by saying that
each design has run on the GPU, or fails and names those that have not.
"""

import importlib
from pathlib import Path

import pytest

# Whatever tests/gpu imports, but Python's own and what the package always needs.
LIBRARIES = (
    "cupy",
    "cupyx",
    "cupyx.scipy.sparse",
    "rmm",
    "cudf",
    "pylibcudf",
    "dask_cudf",
    "dask_cuda",
    "dask",
    "distributed",
    "cloudpickle",
    "cugraph",
    "cugraph.dask",
    "cugraph.dask.comms.comms",
    "pylibcugraph",
    "nx_cugraph",
    "networkx",
    "scipy",
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "yaml",
)
# Of doors that have tests of their own, which are skipped where a library is missing.
OPTIONAL = "cudf_polars", "duckdb", "ray", "torch"
# What a complete machine may lack: a second GPU, a larger one, what cuGraph does not bring.
ALLOWED = (
    *(f"could not import {name!r}" for name in OPTIONAL),
    "an all-gather takes two GPUs",
    "this GPU has less shared memory",
    "cuGraph's communicators do not start here",
    "cuGraph's own distributed graph cannot be made here",
    "the installed cugraph comes without its tests",
    "only root gives files away",
    "kernels are compiled",
)
RAN = "designs on the GPU"  # a property of a test's report


def missing(libraries=LIBRARIES):
    """The libraries that cannot be imported, each with the reason."""
    found = {}
    for name in libraries:
        try:
            importlib.import_module(name)
        except Exception as error:  # a broken library raises what it likes
            found[name] = f"{type(error).__name__}: {error}"
    return found


def check(has_gpu):
    """End the session before it begins if a library, or the GPU, is missing."""
    found = missing()
    if not has_gpu:
        found = {"an NVIDIA GPU": "CuPy finds none", **found}
    if found:
        lines = [f"  {name} ({reason.splitlines()[0]})" for name, reason in found.items()]
        raise pytest.UsageError("--gpu needs what is missing here:\n" + "\n".join(lines))


def is_whole(config):
    """Whether all tests of the GPU run, and not some of them."""
    folders = [Path(str(argument).partition("::")[0]) for argument in config.args]
    some = config.getoption("keyword") or config.getoption("markexpr")
    return not some and any(path.is_dir() and path.name in ("gpu", "tests") for path in folders)


class GpuMachine:
    """The plug-in behind ``--gpu``."""

    def __init__(self, config):
        self.whole = is_whole(config)
        self.running = set()  # designs, in the test that runs now
        self.ran = set()  # in all that have passed
        self.missing = None

    def pytest_sessionstart(self):
        """Note each design that is run on a GPU, by whatever test."""
        from cc_rapids.algorithms import run

        solve = run.solve

        def noted(edges, forest, design, *rest, **options):
            if forest.backend.on_device:
                self.running.add(str(design))
            return solve(edges, forest, design, *rest, **options)

        run.solve = noted

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        """Turn skips into failures, and write down what a test has run."""
        report = yield
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            if not any(words in str(reason) for words in ALLOWED):
                report.outcome = "failed"
                report.longrepr = f"{item.nodeid} was skipped, which --gpu forbids: {reason}"
        if report.when == "call":
            report.user_properties.append((RAN, sorted(self.running)))
            self.running.clear()
        return report

    def pytest_runtest_logreport(self, report):
        """Count the designs of tests that have passed, in whatever process."""
        if report.when == "call" and report.passed:
            for name, value in report.user_properties:
                if name == RAN:
                    self.ran.update(value)

    def pytest_sessionfinish(self, session):
        """Fail if all tests have passed and some design has not run."""
        import cc_rapids

        names = list(map(str, cc_rapids.designs()))
        self.missing = [name for name in names if name not in self.ran]
        if self.whole and self.missing and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        """Say whether each design has run."""
        import cc_rapids

        every = len(cc_rapids.designs())
        line = f"{every - len(self.missing):,} of {every:,} designs have run on the GPU"
        if self.missing and self.whole:
            line += f", but not {', '.join(self.missing)}"
        terminalreporter.section("designs")
        terminalreporter.line(line, red=bool(self.missing and self.whole))
