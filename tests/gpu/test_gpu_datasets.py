"""Data sets of the package on a GPU."""

import pytest

import cc_rapids


@pytest.mark.gpu
def test_words_are_a_cudf_frame_where_there_is_a_gpu():
    cudf = pytest.importorskip("cudf")
    for frames in (None, "cudf"):
        words = cc_rapids.datasets.word_ladders(frames)
        assert isinstance(words, cudf.DataFrame)
        found = cc_rapids.components(words, "word", "neighbour")
        assert len(found) == 6_019
        assert found.summary()["engine"] == "cuda"
