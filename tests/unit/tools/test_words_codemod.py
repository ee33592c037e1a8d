"""The codemod for the words of a backend."""

import subprocess
import sys

from cc_rapids import backends
from cc_rapids.tools.words import RENAMED, renamed

OLD = """
def hook(on):
    cas, low = on.cas, on.min  # on.cas stays in a comment

    @on.each
    def hook(i, parent):
        cas(parent, min(i, parent.max()), i, add(i))
"""


def test_only_attributes_of_a_backend_are_renamed():
    new = renamed(OLD)
    assert new == OLD.replace("on.cas, on.min", "on.atomic_cas, on.atomic_min").replace(
        "@on.each", "@on.elementwise"
    )
    assert renamed(new) == new


def test_every_new_word_is_one_of_a_backend_and_no_old_one_is():
    for old, new in RENAMED.items():
        assert hasattr(backends.Backend, new)
        assert not hasattr(backends.Backend, old)


def test_files_are_rewritten_in_place(tmp_path):
    path, other = tmp_path / "rule.py", tmp_path / "other.py"
    path.write_text(OLD)
    other.write_text("x = 1\n")
    command = [sys.executable, "-m", "cc_rapids.tools.words", path, other]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(path)]
    assert path.read_text() == renamed(OLD)
    assert other.read_text() == "x = 1\n"
