"""The README of this folder: the scene in it is found, and reads as it says."""

import re
from pathlib import Path

import pytest

from races.explore import RaceError

TEXT = Path(__file__).with_name("README.md").read_text(encoding="utf-8")


def test_the_scene_gives_the_counter_example():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    (said,) = re.findall(r"```text\n(.*?)\n```", TEXT, re.S)
    with pytest.raises(RaceError) as caught:
        exec(code)
    assert str(caught.value) == said


def test_every_file_of_tests_is_told():
    files = {path.name for path in Path(__file__).parent.glob("test_*.py")} - {Path(__file__).name}
    assert set(re.findall(r"^\| `(test_\w+\.py)`", TEXT, re.M)) == files
