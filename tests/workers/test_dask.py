"""Components on a cluster: a tree of forests, for every kind of ids and of partitions."""

import subprocess
import sys
from functools import partial

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_graphs import (
    as_categories,
    as_hashes,
    as_text,
    as_unlike,
    as_unsigned,
    check,
    expected,
    parts,
    random_frame,
)
from support.choices import some

import cc_rapids
import cc_rapids.dask
from cc_rapids import errors
from cc_rapids.incremental.progress import Reporter
from cc_rapids.integrations.dask.tasks import DaskProgress


@some("count", [1, 2, 7], usual=[1, 7])
def test_partitions_of_any_number(client, count):
    frame = random_frame(seed=count)
    found = cc_rapids.dask.components(parts(frame, count))
    check(found, frame)
    assert found.labels().npartitions == 2
    assert found.labels().columns.tolist() == ["vertex", "labels"]


def test_empty_partitions(client):
    frame = random_frame()
    pieces = [frame[:0], frame[:200], frame[200:200], frame[200:], frame[:0]]
    check(cc_rapids.dask.components(dd.from_delayed(pieces_of(pieces))), frame)
    nothing = cc_rapids.dask.components(parts(frame, 3).partitions[:1].query("weight < 0"))
    assert (len(nothing), len(nothing.labels())) == (0, 0)


def pieces_of(frames):
    import dask

    return [dask.delayed(frame) for frame in frames]


KINDS = [as_text, as_hashes, as_categories, as_unlike, as_unsigned]


@some("kind", KINDS, usual=KINDS[::2], ids=lambda kind: kind.__name__)
def test_ids_of_every_kind(client, kind):
    frame = kind(random_frame())
    given = frame.astype({"src": "str", "dst": "str"}) if kind is as_categories else frame
    found = cc_rapids.dask.components(parts(frame, 3))
    check(found, given)


def test_several_columns(client):
    frame = random_frame(n=200, m=150, low=0)
    several = pd.DataFrame(
        {"a": frame["src"] % 7, "b": frame["src"], "c": frame["dst"] % 7, "d": frame["dst"]}
    )
    sides = ["a", "b"], ["c", "d"]
    found = cc_rapids.dask.components(parts(several, 3), *sides)
    alone = cc_rapids.components(several, *sides).with_key_names(None)
    pd.testing.assert_frame_equal(
        found.labels().compute().reset_index(drop=True), alone.labels(), check_dtype=False
    )
    assert len(found.forest()) == found.facts["vertices"] - len(found)


@some("kind", ["min", "dense", "size"], usual=["size"])
def test_labels_and_sizes(client, kind):
    frame = random_frame()
    found = cc_rapids.dask.components(parts(frame, 4), labels=kind)
    alone = cc_rapids.components(frame, labels=kind)
    labels = found.labels().compute().reset_index(drop=True)
    pd.testing.assert_frame_equal(labels, alone.labels())
    sizes = found.sizes().compute().sort_values("labels", ignore_index=True)
    expected = alone.sizes().sort_values("labels", ignore_index=True)
    pd.testing.assert_frame_equal(sizes, expected, check_dtype=False)


def test_vertices_without_edges(client):
    frame = pd.DataFrame({"src": [3, 5, 9], "dst": [4, 5, 3]})
    named = [5, 7, 9, 20]
    for vertices in (
        np.array(named),
        parts(pd.DataFrame({"id": named}), 2),
        parts(pd.DataFrame({"id": named}), 2)["id"],
    ):
        found = cc_rapids.dask.components(parts(frame, 2), vertices=vertices)
        check(found, frame, vertices=named)
    check(
        cc_rapids.dask.components(parts(frame, 2), num_vertices=12), frame, vertices=np.arange(12)
    )


def test_loops_stay_and_are_left_out_where_they_join_nothing(client):
    frame = pd.DataFrame({"src": [1, 2, 2, 8, 8], "dst": [1, 2, 3, 8, 8]})
    check(cc_rapids.dask.components(parts(frame, 5)), frame)


def test_nulls_are_refused_or_dropped(client):
    frame = random_frame().astype({"src": "Int64", "dst": "Int64"})
    frame.loc[[3, 400], "src"] = pd.NA
    frame.loc[3, "dst"] = pd.NA
    with pytest.raises(errors.NullsError, match=r"column 'src' has 1 null in \d+ rows"):
        cc_rapids.dask.components(parts(frame, 5))
    found = cc_rapids.dask.components(parts(frame, 5), nulls="drop")
    kept = frame.dropna().astype({"src": "int64", "dst": "int64"})
    check(found, kept)
    assert found.facts["dropped"] == 2


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"source": "sender"}, errors.MissingColumnError, "sender"),
        ({"source": "weight", "destination": "dst"}, errors.ColumnTypeError, "'weight' is float64"),
        ({"source": "src", "destination": "src"}, errors.InputError, "both 'src'"),
        ({"labels": "most"}, errors.InputError, "labels"),
        ({"nulls": "keep"}, errors.InputError, "nulls policy"),
        ({"partition": "edge"}, errors.InputError, "did you mean"),
        ({"design": "asink"}, errors.DesignError, "asink"),
        ({"design": "bfs-cc"}, errors.DesignError, "no spanning forest"),
        ({"engine": "tpu"}, errors.EngineError, "tpu"),
    ],
)
def test_what_cannot_be_used(client, options, error, words):
    with pytest.raises(error, match=words):
        cc_rapids.dask.components(parts(random_frame(), 2), **options)


def test_frames_that_are_not_dasks(client):
    with pytest.raises(errors.InputError, match="not a Dask frame"):
        cc_rapids.dask.components(random_frame())


def many_on_few(part, vertices, edges):
    ends = np.random.default_rng(part).integers(0, vertices, (2, edges))
    return pd.DataFrame({"src": ends[0], "dst": ends[1]})


def test_forests_are_sent_and_not_edges_nor_labels(client):
    homes = sorted(client.scheduler_info(n_workers=-1)["workers"])
    size = {"vertices": 100, "edges": 50_000}  # 800 kB each, whose forests have 1.6 kB
    pieces = [client.submit(many_on_few, k, **size, workers=[w]) for k, w in enumerate(homes)]
    frame = dd.from_delayed(pieces)

    def sent():
        counted = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
        return sum(counted.values())

    before = sent()
    found = cc_rapids.dask.components(frame)
    assert len(found) == 1
    assert sent() - before < 50_000


def test_progress_is_told(client, capsys):
    told = []
    cc_rapids.dask.components(parts(random_frame(), 5), progress=told.append)
    assert [fact.done for fact in told if fact.stage == "forests"] == [1, 2, 3, 4, 5]
    assert "forests: 5 of 5, " in str(told[4])
    cc_rapids.dask.components(parts(random_frame(), 5), progress=True)
    assert capsys.readouterr().err == ""  # no terminal, no bar


def test_a_terminal_gets_a_bar(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Reporter(True) as reporter:
        reporter.report(2, 5, partial(DaskProgress, "forests", 2, 5))
    assert "forests: 2 of 5" in capsys.readouterr().err


def test_the_dashboard_shows_tasks_by_name(client):
    cc_rapids.dask.components(parts(random_frame(), 5))
    prefixes = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    ours = {name for name in prefixes if name.startswith("cc_rapids-")}
    assert {"cc_rapids-local-forest", "cc_rapids-merged", "cc_rapids-labelled"} <= ours


class Graph:
    """What cuGraph's graphs over several GPUs hold."""

    def __init__(self, frame, source="src", destination="dst", directed=False):
        self.input_df, self.directed = frame, directed
        self.source_columns, self.destination_columns = source, destination
        self.edgelist = None

    def is_directed(self):
        return self.directed


def test_the_contract_of_cugraph(client):
    frame = random_frame()
    labels = cc_rapids.dask.weakly_connected_components(Graph(parts(frame, 3)))
    assert sorted(labels.columns) == ["labels", "vertex"]
    vertex, least = expected(frame)
    local = labels.compute()
    assert local["vertex"].tolist() == vertex.tolist()
    assert local["labels"].tolist() == least.tolist()
    texts = cc_rapids.dask.weakly_connected_components(Graph(parts(as_text(frame), 3), ["src"]))
    assert texts.compute()["labels"].max() == len(np.unique(least)) - 1
    bare = Graph(None)
    bare.edgelist = type("EdgeList", (), {"edgelist_df": parts(frame, 3)})
    again = cc_rapids.dask.weakly_connected_components(bare)
    pd.testing.assert_frame_equal(again.compute(), local)


def test_graphs_that_cannot_be_used(client):
    frame = parts(random_frame(), 2)
    with pytest.raises(ValueError, match="input graph must be undirected"):
        cc_rapids.dask.weakly_connected_components(Graph(frame, directed=True))
    with pytest.raises(errors.GraphStateError, match="no longer has a Dask edge list"):
        cc_rapids.dask.weakly_connected_components(Graph(random_frame()))
    with pytest.raises(TypeError, match=r"is not a cugraph\.Graph"):
        cc_rapids.dask.weakly_connected_components(frame)


def test_without_a_cluster_and_without_dask(monkeypatch):
    import distributed

    def none():
        raise ValueError("No clients found")

    monkeypatch.setattr("cc_rapids.integrations.dask.api.default_client", none)
    with pytest.raises(errors.EngineError, match="no cluster is connected"):
        cc_rapids.dask.components(parts(random_frame(), 2))
    assert distributed.default_client is not none
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "try:\n    from cc_rapids.dask import components\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs distributed, which is not installed: pip install '.[dask]'" in done.stdout
