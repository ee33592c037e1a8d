"""Answers as containers on a GPU: members on the host, frames on the device, and few readbacks."""

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import Components, Connectivity, components

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def cudf():
    return pytest.importorskip("cudf")


@pytest.fixture
def edges(cudf):
    src, dst = np.random.default_rng(4).integers(0, 4000, (2, 3000))
    return cudf.DataFrame({"src": src, "dst": dst, "row": np.arange(3000)})


def test_members_come_in_blocks_as_pandas(cudf, edges, tuned):
    tuned(iterated_rows=500)
    found, host = components(edges), components(edges.to_pandas())
    for (label, members), (other, others) in zip(found, host, strict=True):
        assert label == other
        pd.testing.assert_series_equal(members, others)
    arrays = components((edges["src"].values, edges["dst"].values))
    assert all(isinstance(members, np.ndarray) for _, members in arrays)


def test_questions_are_answered_where_the_answer_lies(cudf, edges):
    found = components(edges)
    label, members = max(found, key=lambda pair: len(pair[1]))
    assert int(members[0]) in found
    assert -1 not in found
    assert found.same_component(int(members.iloc[0]), int(members.iloc[-1])) is True
    connected = found.connected(edges)
    assert isinstance(connected, cudf.Series)
    assert bool(connected.all())
    part = found.edges(label, edges)
    assert isinstance(part, cudf.DataFrame)
    mine = edges.to_pandas()
    wanted = mine[mine["src"].isin(members)]
    pd.testing.assert_frame_equal(part.to_pandas(), wanted)
    assert "components" in found._repr_html_()


def test_tensors_on_the_device_are_read_there(cudf, edges):
    import cupy

    rows = cupy.stack([edges["src"].values, edges["dst"].values])
    assert components(rows) == components(edges)
    assert components(rows.T) == components(edges)

    class Tensor:
        __dlpack__, __dlpack_device__ = rows.__dlpack__, rows.__dlpack_device__

    found = components(Tensor())
    assert isinstance(found.labels().vertex, cupy.ndarray)
    assert found == components(edges)


@pytest.mark.parametrize("strings", [False, True])
def test_answers_are_saved_and_loaded_on_either_engine(cudf, edges, tmp_path, strings):
    frame = edges.astype({"src": "str", "dst": "str"}) if strings else edges
    found = components(frame)
    found.save(tmp_path / "found")
    again = Components.load(tmp_path / "found")
    assert again.summary()["engine"] == "cuda"
    assert isinstance(again.labels(), cudf.DataFrame)
    assert again == found
    assert Components.load(tmp_path / "found", engine="threads") == found


@pytest.mark.parametrize("strings", [False, True])
def test_changes_stay_on_the_device(cudf, edges, strings):
    frame = edges.astype({"src": "str", "dst": "str"}) if strings else edges
    seen, host = Connectivity(), Connectivity()
    for begin in range(0, 3000, 500):
        batch = frame[begin : begin + 500]
        changed = seen.insert(batch, return_changes=True)
        assert isinstance(changed, cudf.DataFrame)
        wanted = host.insert(batch.to_pandas(), return_changes=True)
        for name in wanted:
            left, right = changed[name].to_arrow().to_pylist(), wanted[name].tolist()
            assert left == [None if value is pd.NA or value != value else value for value in right]


def test_ids_of_several_columns_have_their_names(cudf, edges):
    frame = edges.rename(columns={"src": "src_id", "dst": "dst_id"})
    frame = frame.assign(src_kind="x", dst_kind="x")
    sides = ["src_kind", "src_id"], ["dst_kind", "dst_id"]
    found = components(frame, *sides)
    assert list(found.labels()) == ["kind", "id", "labels"]
    assert found == components(frame.to_pandas(), *sides)
    assert len(list(found)) == found.num_components
    assert cc_rapids.Connectivity().insert(frame, *sides).num_components == len(found)
