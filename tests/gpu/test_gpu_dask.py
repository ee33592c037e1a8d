"""Dask_cudf frames on the GPUs that there are, and cuGraph's Dask function beside ours."""

import numpy as np
import pandas as pd
import pytest

import cc_rapids

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def client(cudf):
    pytest.importorskip("dask_cudf")
    distributed = pytest.importorskip("distributed")
    import cc_rapids.dask

    with (
        cc_rapids.dask.local_gpus(dashboard_address=":0") as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


def random_edges(n=20_000, m=15_000):
    ends = np.random.default_rng(0).integers(-n, n, (2, m))
    return pd.DataFrame({"src": ends[0], "dst": ends[1]})


def in_parts(cudf, frame, count):
    import dask_cudf

    return dask_cudf.from_cudf(cudf.from_pandas(frame), npartitions=count)


def as_text(frame):
    return frame.assign(src="v" + frame["src"].astype(str), dst="v" + frame["dst"].astype(str))


WAYS = [{}, {"combine": "tree"}, {"partition": "vertices"}, {"partition": "vertices", "room": 0}]


@pytest.mark.parametrize("options", WAYS, ids=str)
@pytest.mark.parametrize("kind", [lambda frame: frame, as_text], ids=["integers", "strings"])
def test_frames_on_gpus(client, cudf, kind, options):
    import dask_cudf

    frame = kind(random_edges())
    found = cc_rapids.dask.components(in_parts(cudf, frame, 5), **options)
    labels = found.labels()
    assert isinstance(labels, dask_cudf.DataFrame)
    local = labels.compute().to_pandas().sort_values("vertex", ignore_index=True)
    expected = cc_rapids.components(frame)
    for name in ("vertex", "labels"):
        assert local[name].tolist() == expected.labels()[name].tolist()
    assert len(found) == len(expected)


@pytest.mark.parametrize("kind", [lambda frame: frame, as_text], ids=["integers", "strings"])
def test_answers_are_equal(client, cudf, kind):
    import dask.dataframe as dd

    frame = kind(random_edges())
    want = cc_rapids.dask.components(in_parts(cudf, frame, 5))
    for edges in (in_parts(cudf, frame[::-1], 2), dd.from_pandas(frame, npartitions=3)):
        found = cc_rapids.dask.components(edges, labels="dense")
        assert found == want == found
    assert cc_rapids.dask.components(in_parts(cudf, frame[:-50], 2)) != want


def test_all_gpus_gather(client, cudf):
    count = len(client.scheduler_info(n_workers=-1)["workers"])
    if count < 2:
        pytest.skip("an all-gather takes two GPUs")
    frame = random_edges()
    found = cc_rapids.dask.components(in_parts(cudf, frame, 4 * count), combine="gather")
    expected = cc_rapids.components(frame).labels()
    local = found.labels().compute().to_pandas()
    assert local["vertex"].tolist() == expected["vertex"].tolist()
    assert local["labels"].tolist() == expected["labels"].tolist()
    forest = found.forest().compute()
    assert len(forest) == len(expected) - len(found)


@pytest.fixture
def spread_graph(client, cudf, cugraph):
    """A graph of cuGraph over all GPUs, and the frame of its edges."""
    pytest.importorskip("cugraph.dask")
    comms = pytest.importorskip("cugraph.dask.comms.comms")
    frame = random_edges() + 20_000
    try:
        comms.initialize(p2p=True)
    except Exception as error:  # whatever is missing of what its communicators need
        pytest.skip(f"cuGraph's communicators do not start here: {error}")
    try:
        graph = cugraph.Graph(directed=False)
        graph.from_dask_cudf_edgelist(in_parts(cudf, frame, 4), source="src", destination="dst")
        failed = [str(made.exception()) for made in graph._plc_graph.values()]
        if any("cugraph_mg_graph_create" in reason for reason in failed):
            pytest.skip(f"cuGraph's own distributed graph cannot be made here: {failed[0]}")
        yield graph, frame
    finally:
        comms.destroy()


def in_order(labels):
    return labels.compute().to_pandas().sort_values("vertex", ignore_index=True)


def test_the_graph_of_cugraph(spread_graph, cugraph):
    graph, frame = spread_graph
    ours = cc_rapids.dask.weakly_connected_components(graph).compute().to_pandas()
    assert ours["labels"].nunique() == len(cc_rapids.components(frame))
    theirs = cugraph.dask.weakly_connected_components(graph).compute().to_pandas()
    assert sorted(ours.columns) == sorted(theirs.columns)
    sizes = [np.sort(one.groupby("labels").size().to_numpy()) for one in (ours, theirs)]
    np.testing.assert_array_equal(*sizes)


def test_installed_on_the_client_or_on_the_workers(spread_graph, client, cugraph):
    graph, frame = spread_graph
    expected = cc_rapids.components(frame).labels()
    with cc_rapids.installed():
        on_client = in_order(cugraph.dask.weakly_connected_components(graph))
    client.run(cc_rapids.install)
    try:  # cuGraph's own function, whose ranks call that of pylibcugraph
        on_workers = in_order(cugraph.dask.weakly_connected_components(graph))
    finally:
        client.run(cc_rapids.uninstall)
    for found in (on_client, on_workers):
        for name in ("vertex", "labels"):
            assert found[name].tolist() == expected[name].tolist()


BOTH = pytest.mark.parametrize("partition", ["edges", "vertices"])


def spread(cudf, *frames):
    """A dask_cudf frame of partitions whose types may differ from those of the first."""
    import dask
    import dask.dataframe as dd

    pieces = [dask.delayed(cudf.from_pandas(frame)) for frame in frames]
    return dd.from_delayed(pieces, meta=cudf.from_pandas(frames[0][:0]), verify_meta=False)


PATH = pd.DataFrame({"src": [1, 10], "dst": [10, 2]})


@BOTH
def test_integers_beside_strings_are_refused(client, cudf, partition):
    text = pd.DataFrame({"src": ["01", "1_0"], "dst": ["1_0", "3"]})
    for frames in ((PATH, text), (text, PATH), (PATH, PATH, text)):
        with pytest.raises(cc_rapids.ColumnTypeError, match="'src' is int64 in some partitions"):
            cc_rapids.dask.components(spread(cudf, *frames), partition=partition)


@BOTH
def test_signed_beside_unsigned_partitions(client, cudf, partition):
    far = pd.DataFrame({"src": [2**63 + 1, 7], "dst": [10, 7]}, dtype="uint64")
    found = cc_rapids.dask.components(spread(cudf, PATH, far), partition=partition)
    local = found.labels().compute().to_pandas().sort_values("vertex")
    assert local["vertex"].tolist() == [1, 2, 7, 10, 2**63 + 1]
    assert local["labels"].tolist() == [1, 1, 7, 1, 1]
    with pytest.raises(cc_rapids.ColumnTypeError, match="no integer type holds both"):
        cc_rapids.dask.components(spread(cudf, PATH - 9, far), partition=partition)


@BOTH
def test_nulls_and_categories(client, cudf, partition):
    holes = PATH.astype("Int64").mask(PATH == 1)
    with pytest.raises(cc_rapids.NullsError, match="'src' has 1 null in 2 rows"):
        cc_rapids.dask.components(spread(cudf, PATH, holes), partition=partition)
    grouped = PATH.astype("category")
    found = cc_rapids.dask.components(
        spread(cudf, PATH, holes, grouped), partition=partition, nulls="drop"
    )
    assert (len(found), found.facts["dropped"]) == (1, 1)
    named = cc_rapids.dask.components(spread(cudf, PATH), partition=partition, vertices=[1, 99])
    assert len(named) == 2


def test_owners_on_gpus(client, cudf):
    frame = spread(cudf, PATH, PATH + 50)
    count = len(client.scheduler_info(n_workers=-1)["workers"])
    options = {"partition": "vertices", "owners": lambda ids: ids % count}
    assert len(cc_rapids.dask.components(frame, **options)) == 2
    with pytest.raises(cc_rapids.InputError, match="owners returned float64"):
        cc_rapids.dask.components(frame, **(options | {"owners": lambda ids: ids * 0.5}))
    with pytest.raises(cc_rapids.InputError, match="owners failed for"):
        cc_rapids.dask.components(frame, **(options | {"owners": lambda ids: ids.nothing}))


@BOTH
def test_a_refused_run_frees_the_gpus(client, cudf, partition):
    import time

    def held():
        tasks = client.run(lambda dask_worker: list(dask_worker.data))
        return {*client.futures, *(key for keys in tasks.values() for key in keys)}

    before = held()  # what other tests of this cluster keep
    with pytest.raises(cc_rapids.InputError, match="holds the id") as raised:
        cc_rapids.dask.components(spread(cudf, PATH, PATH), partition=partition, num_vertices=5)
    deadline = time.monotonic() + 20
    while held() - before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert held() - before == set()
    assert raised.value.__traceback__ is not None
