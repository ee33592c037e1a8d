"""Modules that have moved are found under the names that documentation gave them once."""

import importlib
import subprocess
import sys

import pytest

from cc_rapids import _old_paths


@pytest.mark.parametrize("old", _old_paths.MOVED)
def test_an_old_name_is_the_module_itself(old):
    module = importlib.import_module(f"cc_rapids.{old}")
    new = _old_paths.new_path(f"cc_rapids.{old}")
    assert module is importlib.import_module(new)
    assert module.__name__ == module.__spec__.name == new


@pytest.mark.parametrize("old", _old_paths.MOVED)
def test_an_old_name_is_enough_in_a_process_of_its_own(old):
    parent, _, name = f"cc_rapids.{old}".rpartition(".")
    code = f"from {parent} import {name}; import {parent}.{name}; print({name}.__name__)"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [_old_paths.new_path(f"cc_rapids.{old}")]


def test_other_names_are_no_modules():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'cc_rapids.component'"):
        importlib.import_module("cc_rapids.component")
    assert _old_paths.new_path("cc_rapids.api") is None
