"""Which library of frames a program gets that runs with and without a GPU."""

import sys
from types import ModuleType

import pandas as pd
import pytest

from cc_rapids import MissingExtraError, backends, errors, frame_library


@pytest.fixture
def no_gpu(monkeypatch):
    def get(name):
        raise errors.EngineError("no NVIDIA GPU")

    monkeypatch.setattr(backends, "get", get)


@pytest.fixture
def cudf(monkeypatch):
    module = ModuleType("cudf")
    monkeypatch.setitem(sys.modules, "cudf", module)
    return module


def test_frames_are_cudfs_where_there_is_a_gpu(monkeypatch, cudf):
    monkeypatch.setattr(backends, "get", lambda name: None)
    assert frame_library() is cudf


def test_frames_are_of_pandas_where_cudf_is_installed_but_no_gpu(no_gpu, cudf):
    assert frame_library() is pd


def test_frames_are_of_pandas_where_there_is_a_gpu_but_no_cudf(monkeypatch):
    monkeypatch.setattr(backends, "get", lambda name: None)
    monkeypatch.setitem(sys.modules, "cudf", None)
    assert frame_library() is pd


def test_neither_is_an_error_that_says_what_to_install(no_gpu, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pip install pandas"):
        frame_library()
