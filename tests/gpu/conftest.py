"""Real cuDF and cuGraph, or the reason why a test is skipped."""

import logging

import pytest

import cc_rapids


@pytest.fixture(scope="module")
def cudf():
    return pytest.importorskip("cudf")


@pytest.fixture(scope="module")
def cugraph():
    return pytest.importorskip("cugraph")


@pytest.fixture
def make(cudf, cugraph):
    def make(frame, source="src", destination="dst", directed=False, **options):
        graph = cugraph.Graph(directed=directed)
        graph.from_cudf_edgelist(frame, source=source, destination=destination, **options)
        return graph

    return make


@pytest.fixture
def calls(caplog):
    """The lines of the log that say that ours ran, or that it handed a call on."""
    caplog.set_level(logging.INFO, logger="cc_rapids")
    yield caplog
    cc_rapids.uninstall()
