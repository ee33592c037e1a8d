"""Builds of Python without a GIL are refused before anything is compiled, with the way out."""

import subprocess
import sys

import pytest

from cc_rapids import backends, components, errors
from cc_rapids.tools import doctor

REASON = "free-threaded build.*use the ordinary build"


@pytest.fixture
def without_gil(monkeypatch):
    """A process in which sysconfig describes a free-threaded build, and no backend is open yet."""
    monkeypatch.setattr("sysconfig.get_config_var", {"Py_GIL_DISABLED": 1}.get)
    backends.opened.cache_clear()
    yield
    backends.opened.cache_clear()


@pytest.mark.parametrize("name", backends.ENGINES)
def test_no_engine_opens(without_gil, name):
    with pytest.raises(errors.EngineError, match=REASON):
        backends.get(name)


def test_the_first_solve_is_refused(without_gil):
    with pytest.raises(errors.EngineError, match=REASON):
        components(([1], [2]))


def test_the_doctor_says_so(without_gil):
    facts = doctor.diagnose()
    assert facts.engine == "none"
    assert "free-threaded" in facts.why
    with pytest.raises(RuntimeError, match=REASON):
        doctor.check()


@pytest.mark.parametrize("value", [0, None])
def test_ordinary_builds_are_not_refused(monkeypatch, value):
    monkeypatch.setattr("sysconfig.get_config_var", {"Py_GIL_DISABLED": value}.get)
    assert errors.unsupported_python() is None


def test_the_refusal_comes_before_numba_is_imported():
    code = """
import sys, sysconfig
sysconfig.get_config_var = {"Py_GIL_DISABLED": 1}.get
import cc_rapids
try:
    cc_rapids.components(([1], [2]))
except cc_rapids.EngineError:
    sys.exit("numba" in sys.modules)
sys.exit("it was not refused")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
