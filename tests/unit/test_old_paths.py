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


EACH = """
import os, sys
import numba, pandas, pyarrow  # which take all the time, and know nothing of this package
for name in sys.argv[1:]:
    if not (child := os.fork()):
        parent, _, last = name.rpartition(".")
        exec(f"from {parent} import {last}; import {parent}.{last}; print({last}.__name__)")
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, name
"""


def test_an_old_name_is_enough_in_a_process_of_its_own():
    names = [f"cc_rapids.{old}" for old in _old_paths.MOVED]
    # Python from 3.12 on warns of any fork where a library has started threads
    command = [sys.executable, "-W", "error", "-W", "ignore:.*fork", "-c", EACH, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == list(map(_old_paths.new_path, names))


def test_other_names_are_no_modules():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'cc_rapids.component'"):
        importlib.import_module("cc_rapids.component")
    assert _old_paths.new_path("cc_rapids.api") is None
