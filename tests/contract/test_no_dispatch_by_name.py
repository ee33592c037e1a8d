"""What a thing does hangs on the thing: nothing is chosen by comparing its name in text."""

import ast
from pathlib import Path

import numpy as np
import pytest

import cc_rapids
from cc_rapids.data import dtypes

PACKAGE = Path(cc_rapids.__file__).parent
NAMES = {"name", "kind", "ids", "engine"}
PARSERS = {  # of what callers give in text, and of letters that NumPy gives its types
    "options.py",
    "data/dtypes.py",
}


def is_words(node):
    """Whether a node is a string, or a collection of strings alone."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return bool(node.elts) and all(map(is_words, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def by_name(source):
    """The comparisons of an attribute that holds a name with words, as text."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Match):
            patterns = [case.pattern for case in node.cases]
            values = [p.value for p in patterns if isinstance(p, ast.MatchValue)]
            sides = [node.subject, *values]
        else:
            continue
        named = any(isinstance(side, ast.Attribute) and side.attr in NAMES for side in sides)
        if named and any(map(is_words, sides)):
            found.append(f"{node.lineno}: {ast.unparse(node).splitlines()[0]}")
    return found


@pytest.mark.parametrize(
    "source",
    [
        "way.name == 'hash slots'",
        "'cuda' != task.engine",
        "dtype.kind in 'iu'",
        "found.ids not in ('bit map', 'offsets')",
        "match rule.kind:\n    case 'min': pass",
    ],
)
def test_what_is_looked_for_is_found(source):
    assert len(by_name(source)) == 1
    assert by_name("way.name == other.name, name == 'a', dtype.kind in KINDS, x.size == 'a'") == []


@pytest.mark.slow
def test_nothing_is_dispatched_by_comparing_names():
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        compared = by_name(path.read_text(encoding="utf-8"))
        if compared and name not in PARSERS:
            found[name] = compared
    assert not found


DTYPES = {
    "i1": {"is_integer", "is_signed", "is_number"},
    "u8": {"is_integer", "is_number"},
    "f4": {"is_float", "is_number"},
    "?": {"is_boolean"},
    "M8[s]": {"is_time"},
    "m8[s]": {"is_time"},
    "O": {"is_object"},
    "U3": {"is_text", "is_fixed_text"},
    "S3": set(),
    "V3": set(),
}


@pytest.mark.parametrize(("text", "holds"), DTYPES.items(), ids=DTYPES)
def test_types_say_what_they_hold(text, holds):
    questions = {name: ask for name, ask in vars(dtypes).items() if name.startswith("is_")}
    assert {name for name, ask in questions.items() if ask(np.dtype(text)) is True} == holds
    assert not any(ask(object()) for ask in questions.values())


def test_types_of_frame_libraries_say_it_too():
    pd = pytest.importorskip("pandas")
    assert dtypes.is_integer(pd.Int64Dtype())
    assert dtypes.is_number(pd.Float32Dtype())
    assert dtypes.is_boolean(pd.BooleanDtype())
    assert not dtypes.is_integer(pd.StringDtype())
