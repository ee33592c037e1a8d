"""Plots of answers that lie on the device."""

import pytest

import cc_rapids

pytestmark = pytest.mark.gpu


@pytest.fixture
def edges():
    import cudf

    return cudf.DataFrame({"src": ["e", "b", "i"], "dst": ["b", "g", "i"]})


def test_answers_of_cudf_are_drawn(edges):
    import matplotlib as mpl

    mpl.use("Agg")
    found = cc_rapids.components(edges)
    assert found.plot().lines[0].get_xdata().tolist() == [1, 3]
    labels = found.plot("largest").get_yticklabels()
    assert [label.get_text() for label in labels] == ["b", "i"]
    axes = found.plot("component", edges)
    assert sorted(text.get_text() for text in axes.texts) == ["b", "e", "g"]
    mpl.pyplot.close("all")


def test_dendrograms_of_cudf_are_drawn(edges):
    import matplotlib as mpl

    mpl.use("Agg")
    edges["w"] = [3, 1, 2]
    tree = cc_rapids.components(edges, weight="w", forest="max").dendrogram()
    labels = tree.plot().get_xticklabels()
    assert sorted(label.get_text() for label in labels) == ["b", "e", "g"]
    assert tree.plot("curve").lines[1].get_xdata().tolist() == [3, 1]
    mpl.pyplot.close("all")


def test_arrays_of_cupy_are_drawn():
    import cupy
    import matplotlib as mpl

    mpl.use("Agg")
    pairs = cupy.array([5, 2, 9]), cupy.array([2, 7, 9])
    found = cc_rapids.components(pairs)
    assert [bar.get_width() for bar in found.plot("largest").patches] == [3, 1]
    axes = found.plot("component", pairs, 2)
    assert sorted(text.get_text() for text in axes.texts) == ["2", "5", "7"]
    mpl.pyplot.close("all")
