"""Unknown keyword arguments: every public function names the one that is meant."""

import inspect

import pandas as pd
import pytest

import cc_rapids
from cc_rapids.errors import ArgumentTypeError, CcRapidsError
from cc_rapids.keywords import MEANT, MORE
from cc_rapids.options import CHUNKED

EDGES = pd.DataFrame({"src": [1, 2, 8], "dst": [2, 3, 9], "w": [0.1, 0.2, 0.3]})
PLAIN = {  # without options, or in place of another library's function
    *("frame_library", "release_memory", "install", "installed", "uninstall", "Design", "designs"),
    *("weakly_connected_components", "StreamPlan", "StreamProgress", "Plan", "HDBSCAN"),
}


def functions():
    for name in cc_rapids.__all__:
        value = getattr(cc_rapids, name)
        if name in PLAIN or (isinstance(value, type) and issubclass(value, Exception)):
            continue
        if inspect.isfunction(value):
            yield name, value
        elif isinstance(value, type) and not issubclass(value, Warning | CcRapidsError):
            for inner, method in inspect.getmembers(value, inspect.isfunction):
                if not inner.startswith("_"):
                    yield f"{name}.{inner}", method


FUNCTIONS = dict(functions())


def has_more(function):
    kinds = [one.kind for one in inspect.signature(function).parameters.values()]
    return inspect.Parameter.VAR_KEYWORD in kinds


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not has_more(FUNCTIONS[name])])
def test_every_public_function_names_an_unknown_argument(name):
    last = name.split(".")[-1]
    with pytest.raises(ArgumentTypeError, match=rf"^unknown argument 'unheard' of {last}\(\):"):
        FUNCTIONS[name](unheard=1)


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (
            lambda: cc_rapids.components(EDGES, threshold=1),
            "did you mean 'at_least' or 'at_most'",
        ),
        (lambda: cc_rapids.components(EDGES, src="src"), "did you mean 'source'"),
        (lambda: cc_rapids.components(EDGES, memory_limt=1), "did you mean 'memory_limit'"),
        (lambda: cc_rapids.minimum_spanning_forest(EDGES, weightt="w"), "did you mean 'weight'"),
        (lambda: cc_rapids.Connectivity(nun_vertices=3), r"Connectivity\(\):.*mean 'num_vertices'"),
        (lambda: cc_rapids.Connectivity().insert(EDGES, headr=1), "mean 'header'"),
        (lambda: cc_rapids.components(EDGES).plot("sizes", ax=1), "did you mean 'axes'"),
        (lambda: cc_rapids.components(EDGES).plot("component"), r'pass plot\("component", edges\)'),
    ],
)
def test_the_argument_that_is_meant_is_named(call, hint):
    with pytest.raises(ArgumentTypeError, match=hint):
        call()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_counts_its_positional_arguments(name):
    kinds = [one.kind for one in inspect.signature(FUNCTIONS[name]).parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        pytest.skip("takes any number")
    with pytest.raises(ArgumentTypeError, match=rf"^{name.split('.')[-1]}\(\) takes "):
        FUNCTIONS[name](*range(60))


def test_arguments_after_the_positional_ones_are_named():
    tree = cc_rapids.components(EDGES, weight="w", forest="max").dendrogram()
    with pytest.raises(ArgumentTypeError, match=r"^curve\(\) takes no arguments, but got 1$"):
        tree.curve([0.1, 0.2])
    with pytest.raises(
        ArgumentTypeError, match=r"^linkage\(\) takes 1 .* 2: .* by name: component"
    ):
        tree.linkage(None, 1)


def test_errors_from_inside_are_unchanged():
    def key(word):
        return len(word, wrong=1)

    with pytest.raises(TypeError, match="takes no keyword arguments"):
        cc_rapids.keywords.suggest_keywords(key)("a")


@pytest.mark.slow
def test_suggested_arguments_exist():
    names = {
        one for function in FUNCTIONS.values() for one in inspect.signature(function).parameters
    }
    names |= {one for words in MORE.values() for one in words}
    assert {one for words in MEANT.values() for one in words} <= names
    assert set(MORE["chunked"]) == set(CHUNKED)
