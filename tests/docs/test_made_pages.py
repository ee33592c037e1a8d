"""Pages that show the code: one run from its first kernel to its last, and a backend's words."""

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from cc_rapids.backends.words import THEMES


@pytest.fixture
def made(monkeypatch):
    """The module that makes pages from the code."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
    import made_pages

    return made_pages


@pytest.fixture
def kernels(made):
    """The names of the factories of a run's kernels, in the order of their launches."""
    return [next(iter(made.factories(kernel.part)))[1] for kernel in made.launched()]


def test_a_run_has_words_for_each_of_its_kernels_and_for_no_other(made, kernels):
    assert kernels == list(made.STEPS)


def test_the_page_of_a_run_explains_arguments_that_its_kernels_have(made):
    code = "\n".join(re.findall(r"```python\n(.*?)```", made.run(), re.DOTALL))
    heads = "\n".join(re.findall(r"^ *def \w+\(.*?\)", code, re.MULTILINE | re.DOTALL))
    names = {name for row in (*made.FACTORY, *made.ARRAYS) for name in row.split(", ")}
    assert [name for name in names if not re.search(rf"\b{name}\b", heads)] == []


def test_the_list_of_the_networkx_backend_has_all_its_functions(made):
    [entry] = entry_points(group="networkx.backend_info", name="cc_rapids")
    listed = re.findall(r"`(\w+)`(?=[,:])", made.networkx_functions())
    assert sorted(listed) == sorted(entry.load()()["functions"])


def test_the_page_of_words_has_them_all_by_theme(made):
    page = made.words()
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == list(THEMES)
    words = [word for known in THEMES.values() for word in known]
    assert [word.call for word in words if f"`on.{word.call}`" not in page] == []
