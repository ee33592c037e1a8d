"""The ways through the package, which may become shorter: then these bounds do, too."""

import pytest

from nets import counts

LONGEST = {  # modules and functions
    "on threads": (14, 48),
    "on a GPU": (14, 50),
    "on a GPU, in one launch": (14, 39),
    "on a GPU, with its backend": (16, 65),
}
CALLS = {
    "insert": counts.Calls(93, ["copy_and_note_strays", "record", "every_edge", "wait"]),
    "connected": counts.Calls(64, ["ask_ids", "record", "wait"]),
}


def test_chains_of_imports_are_no_longer_than_they_were():
    assert len(counts.longest()) <= 16
    assert len(counts.chain("cc_rapids.api")) <= 12


@pytest.mark.parametrize("path", counts.PATHS)
def test_the_main_paths_are_no_longer_than_they_were(path):
    found = counts.entered(path)
    assert any(name == "components" for _, name in found)
    assert any(name.endswith(".launch") for _, name in found)
    modules, functions = LONGEST[path]
    assert len({file for file, _ in found}) <= modules
    assert len(found) <= functions


@pytest.mark.parametrize("name", counts.BATCHES)
def test_a_batch_takes_no_more_calls_than_it_did(name):
    python, driver = counts.calls(name)
    assert driver == CALLS[name].driver
    assert 50 < python <= CALLS[name].python
