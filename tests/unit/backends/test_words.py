"""The list of the words to write a kernel in: what kernels use, and what backends have."""

import ast
from pathlib import Path

import pytest

import cc_rapids
from cc_rapids import backends
from cc_rapids.backends.cuda import Cuda
from cc_rapids.backends.words import WORDS

PACKAGE = Path(cc_rapids.__file__).parent


def used(path):
    """Return the attributes that a module takes from ``on``."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "on"
    }


@pytest.mark.parametrize("folder", ["kernels", "algorithms/literature", "tools/generators"])
def test_kernels_are_written_in_the_listed_words(folder):
    words = {word for path in (PACKAGE / folder).glob("*.py") for word in used(path)}
    assert words <= set(WORDS)


@pytest.mark.parametrize("word", WORDS)
def test_every_backend_has_every_word(word):
    assert hasattr(backends.get("threads"), word)
    assert hasattr(Cuda, word)


def test_an_unknown_word_names_the_nearest_ones():
    with pytest.raises(AttributeError, match="'atomic_mim': did you mean 'atomic_min'"):
        _ = backends.get("threads").atomic_mim
