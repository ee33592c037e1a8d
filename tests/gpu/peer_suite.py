"""Run cuGraph's own tests of connected components with cc_rapids installed under its names.

    python tests/gpu/peer_suite.py FILE [ONLY]    # cugraph/tests/components/test_connectivity.py

Its data sets are not in the wheel: karate is NetworkX's, the others are random graphs under the
names and in the format that the tests ask for. The last line says how often ours ran.
"""

import logging
import sys

import numpy as np
import pytest

SIZES = {"dolphins": (62, 159), "netscience": (1461, 2742), "email_Eu_core": (1005, 25571)}


class Shim:
    """Fixtures of plug-ins that the tests time themselves with, if these are missing."""

    @pytest.fixture
    def benchmark(self):
        return lambda function, *arguments: function(*arguments)

    @pytest.fixture
    def gpubenchmark(self, benchmark):
        return benchmark


class Count(logging.Handler):
    """How often cc_rapids has found components, and how often it has handed work on."""

    ran = handed = 0

    def emit(self, record):
        self.ran += "components in" in record.getMessage()
        self.handed += "passed to" in record.getMessage()


def write(dataset, src, dst):
    path = dataset.get_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = np.column_stack([src, dst, np.ones(len(src))])
    np.savetxt(path, rows, fmt=("%d", "%d", "%.1f"))


def write_all():
    """Every vertex of 0 .. n - 1 has an edge, because the tests count those of matrices so."""
    import networkx as nx
    from cugraph import datasets

    club = np.array(nx.karate_club_graph().edges).T
    write(datasets.karate, *club)
    write(datasets.karate_disjoint, *np.hstack([club, club + 34]))
    rng = np.random.default_rng(0)
    for name, (n, m) in SIZES.items():
        each = np.arange(n)
        pairs = each, np.minimum(each ^ 1, n - 1)
        ends = np.hstack([pairs, rng.integers(0, n // 2, (2, m - n))])
        write(getattr(datasets, name), *ends)


def lend_names():
    """What releases before 26 still had, and a copy of the tests from then still imports."""
    import cugraph.utilities
    import networkx as nx
    from cugraph.testing import utils

    for module, name, value in (
        (cugraph.utilities, "is_nx_graph_type", lambda kind: kind in (nx.Graph, nx.DiGraph)),
        (utils, "NX_DIR_INPUT_TYPES", []),
    ):
        if not hasattr(module, name):
            setattr(module, name, value)


def main(file, only=""):
    """Run the tests; those that ``only`` names run without cc_rapids, for comparison."""
    import cc_rapids

    write_all()
    lend_names()
    count = Count()
    logging.getLogger("cc_rapids").addHandler(count)
    logging.getLogger("cc_rapids").setLevel(logging.INFO)
    if not only:
        cc_rapids.install()
    options = ["-q", "-rA", "-c", "/dev/null", "-p", "no:cacheprovider", "-W", "ignore"]
    code = pytest.main([*options, "-k", only, file], plugins=[Shim()])
    print(f"cc_rapids ran {count.ran} times, and handed on {count.handed} calls")
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
