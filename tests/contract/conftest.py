"""cuGraph's stand-ins in the place of the real modules."""

import sys

import peers
import pytest

import cc_rapids
from cc_rapids.integrations import install as machinery


@pytest.fixture
def peer(monkeypatch):
    """The modules by name; nothing of cc_rapids is installed before or after."""
    made = peers.modules()
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    yield made
    cc_rapids.uninstall()
    machinery._replaced.clear()  # or each later test would look for the functions of all before


@pytest.fixture
def graph(peer):
    """A maker of graphs: of ``cugraph.Graph.from_edgelist``."""

    def make(frame, source="src", destination="dst", directed=False, **options):
        made = peers.Graph(directed)
        made.from_edgelist(frame, source, destination, **options)
        return made

    return make


def pytest_configure(config):
    """Register the marks of SciPy's own tests."""
    for name in ("skip_xp_backends", "xfail_xp_backends"):
        config.addinivalue_line("markers", f"{name}: array libraries that SciPy does not test")
