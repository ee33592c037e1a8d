"""Components of Ray datasets, on a cluster of this machine: the same forests as on Dask."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask_graphs import (
    as_categories,
    as_hashes,
    as_text,
    as_unlike,
    as_unsigned,
    check_forest,
    expected,
    random_frame,
)
from support.choices import each, some
from support.machine import with_package
from support.ray_apart import ray_apart

import cc_rapids
from cc_rapids import errors

ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
# Ray's own modules warn of each other
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("cluster")]
SUPPORT = Path(__file__).parents[1] / "support"
VERTICES = {"partition": "vertices", "room": 0}
OPTIONS = [{}, VERTICES, VERTICES | {"owners": "hash"}]


@pytest.fixture(scope="module")
def cluster():
    import warnings

    with ray_apart(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ray.data

        quiet = {"logging_level": logging.CRITICAL, "log_to_driver": False}
        ray.init(
            address="local",
            num_cpus=2,
            num_gpus=1,  # in name: Ray lends it, and nothing looks for it
            include_dashboard=False,
            object_store_memory=150 << 20,
            # Idle processes stay, as new ones import everything again
            _system_config={"idle_worker_killing_time_threshold_ms": 600_000},
            runtime_env={"env_vars": {"PYTHONPATH": with_package(os.environ)["PYTHONPATH"]}},
            **quiet,
        )
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        yield
        ray.shutdown()


def components(edges, *sides, **options):
    import cc_rapids.ray

    return cc_rapids.ray.components(edges, *sides, **options)


def tables(frames):
    """A dataset with a block for each frame."""
    return ray.data.from_arrow([pa.Table.from_pandas(one, preserve_index=False) for one in frames])


def pieces(frame, count):
    bounds = [k * len(frame) // count for k in range(count + 1)]
    return [frame[low:high] for low, high in pairwise(bounds)]


def parts(frame, count):
    return tables(pieces(frame, count))


def pandas_parts(frame, count):
    return ray.data.from_pandas(pieces(frame, count))


def check(found, frame, **names):
    """The labels and counts of a run are those of union-find, and its forest is one."""
    vertex, least = expected(frame, **names)
    labels = found.labels().to_pandas().sort_values("vertex")
    assert labels.columns.tolist() == ["vertex", "labels"]
    np.testing.assert_array_equal(labels["vertex"].to_numpy(), vertex)
    np.testing.assert_array_equal(labels["labels"].to_numpy(), least)
    assert len(found) == len(np.unique(least))
    assert found.facts["vertices"] == len(vertex)
    if found.facts["partition"] == "edges":
        check_forest(found.forest().to_pandas(), frame, vertex, least)
    else:
        assert found.forest() is None


@some("count", [1, 7], usual=[7])
@some("options", OPTIONS, usual=OPTIONS[::2])
def test_blocks_of_any_number(options, count):
    frame = random_frame(seed=count)
    found = components(parts(frame, count), **options)
    check(found, frame)
    vertices, way = found.facts["vertices"], found.facts["partition"]
    words = (
        f"<RayComponents: {len(found)} components of {vertices} vertices, by {way} on 1 worker in"
    )
    assert repr(found).startswith(words)


@some("kind", [as_text, as_hashes, as_categories, as_unlike, as_unsigned], usual=[as_text])
@some("options", OPTIONS, usual=OPTIONS[1:2])
def test_ids_of_every_kind(options, kind):
    frame = kind(random_frame())
    given = frame.astype({"src": "str", "dst": "str"}) if kind is as_categories else frame
    check(components(parts(frame, 3), **options), given)


@pytest.mark.extended
def test_several_columns():
    frame = random_frame(n=200, m=150, low=0)
    several = pd.DataFrame(
        {"a": frame["src"] % 7, "b": frame["src"], "c": frame["dst"] % 7, "d": frame["dst"]}
    )
    sides = ["a", "b"], ["c", "d"]
    found = components(parts(several, 3), *sides)
    alone = cc_rapids.components(several, *sides).with_key_names(None)
    pd.testing.assert_frame_equal(found.labels().to_pandas(), alone.labels(), check_dtype=False)
    assert found.forest().count() == found.facts["vertices"] - len(found)
    assert found.sizes().columns() == ["labels", "size"]


@pytest.mark.extended
@pytest.mark.parametrize("kind", ["min", "dense", "size"])
def test_labels_and_sizes(kind):
    frame = random_frame()
    found = components(parts(frame, 4), labels=kind)
    alone = cc_rapids.components(frame, labels=kind)
    labels = found.labels().to_pandas()
    pd.testing.assert_frame_equal(labels, alone.labels(), check_dtype=False)
    sizes = found.sizes().to_pandas().sort_values("labels", ignore_index=True)
    wanted = alone.sizes().sort_values("labels", ignore_index=True)
    pd.testing.assert_frame_equal(sizes, wanted, check_dtype=False)


@pytest.mark.slow
@pytest.mark.extended
def test_sizes_of_distributed_vertices():
    frame = random_frame(n=60, m=40)
    sizes = components(parts(frame, 2), **VERTICES).sizes().to_pandas()
    wanted = cc_rapids.components(frame).sizes().sort_values("labels", ignore_index=True)
    sizes = sizes.sort_values("labels", ignore_index=True)
    pd.testing.assert_frame_equal(sizes, wanted, check_dtype=False)


@pytest.mark.slow
@pytest.mark.extended
def test_labels_join_other_columns():
    documents = tables([pd.DataFrame({"id": [7, 2, 5, 4], "text": list("abcd")})])
    labels = components(tables([pd.DataFrame({"src": [7, 5], "dst": [5, 4]})])).labels()
    both = documents.join(labels, "left_outer", 2, on=("id",), right_on=("vertex",))
    found = both.to_pandas().sort_values("id")
    assert found["text"].tolist() == ["b", "d", "c", "a"]
    assert found["labels"].fillna(-1).tolist() == [-1, 4, 4, 4]


@pytest.mark.extended
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_vertices_without_edges(options):
    frame = pd.DataFrame({"src": [3, 5, 9], "dst": [4, 5, 3]})
    named = [5, 7, 9, 20]
    for vertices in (np.array(named), named, parts(pd.DataFrame({"id": named}), 2)):
        check(components(parts(frame, 2), vertices=vertices, **options), frame, vertices=named)
    found = components(parts(frame, 2), num_vertices=12, **options)
    check(found, frame, vertices=np.arange(12))
    words = components(parts(frame.astype(str), 2), vertices=["a", "5"], **options)
    ids = sorted(words.labels().to_pandas()["vertex"])
    assert ids == ["3", "4", "5", "9", "a"]


@pytest.mark.extended
def test_blocks_without_rows():
    frame = random_frame()
    pieces = [frame[:0], frame[:200], frame[200:200], frame[200:], frame[:0]]
    check(components(tables(pieces)), frame)
    for edges in (
        tables([frame[:0]]),
        tables([frame[:300]]).map_batches(lambda batch: batch.slice(0, 0), batch_format="pyarrow"),
    ):
        nothing = components(edges)
        assert (len(nothing), nothing.labels().count()) == (0, 0)
        assert list(nothing.labels().to_pandas()) == ["vertex", "labels"]
        assert list(nothing.sizes().to_pandas()) == ["labels", "size"]
        apart = components(edges, **VERTICES)
        assert list(apart.labels().to_pandas()) == ["vertex", "labels"]
        assert list(apart.sizes().to_pandas()) == ["labels", "size"]
    alone = components(tables([frame[:0]]), vertices=tables([pd.DataFrame({"id": [4, 2]})]))
    assert alone.labels().take_all() == [{"vertex": k, "labels": k} for k in (2, 4)]


@pytest.mark.extended
@pytest.mark.parametrize("partition", ["edges", "vertices"])
def test_a_function_may_leave_no_edge(partition):
    left = ray.data.from_arrow(pa.table({"a": [1, 3], "b": [2, 4]})).filter(lambda _: False)
    found = components(left, "a", "b", partition=partition)
    assert len(found) == 0
    assert found.labels().count() == 0
    alone = components(left, "a", "b", partition=partition, num_vertices=2)
    assert alone.labels().take_all() == [{"vertex": 0, "labels": 0}, {"vertex": 1, "labels": 1}]


def test_nulls_are_refused_or_dropped():
    frame = random_frame().astype({"src": "Int64", "dst": "Int64"})
    frame.loc[[3, 400], "src"] = pd.NA
    frame.loc[3, "dst"] = pd.NA
    with pytest.raises(errors.NullsError, match=r"column 'src' has 1 null in 100 rows"):
        components(parts(frame, 5))
    found = components(parts(frame, 5), nulls="drop")
    check(found, frame.dropna().astype({"src": "int64", "dst": "int64"}))
    assert found.facts["dropped"] == 2


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"source": "sender"}, errors.MissingColumnError, "the frame has no column 'sender'"),
        ({"source": "weight", "destination": "dst"}, errors.ColumnTypeError, "'weight' is double"),
        ({"source": "src", "destination": "src"}, errors.InputError, "both 'src'"),
        ({"labels": "most"}, errors.InputError, "labels"),
        ({"nulls": "keep"}, errors.InputError, "nulls policy"),
        ({"partition": "edge"}, errors.InputError, "did you mean"),
        ({"design": "bfs-cc"}, errors.DesignError, "no spanning forest"),
        ({"engine": "tpu"}, errors.EngineError, "tpu"),
        ({"num_cpus": "two"}, errors.InputError, "num_cpus must be a number"),
        ({"num_gpus": -1}, errors.InputError, "num_gpus must be a number"),
        ({"engine": "gpu"}, errors.EngineError, r"'cuda' runs on a GPU.*pass num_gpus=1"),
        ({"engine": "cuda", "num_gpus": 0}, errors.EngineError, r"num_gpus=0\.25"),
        ({"num_vertices": 7}, errors.InputError, "'src' holds the id -[0-9]+, outside 0..6"),
        ({"vertices": [1], "num_vertices": 7}, errors.InputError, "not both"),
        ({"vertices": ["a"]}, errors.ColumnTypeError, "vertices"),
        ({"owners": "hash"}, errors.InputError, "only to partition='vertices'"),
        (VERTICES | {"owners": lambda ids: ids * 0.5}, errors.InputError, "owners returned float"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
)
def test_what_cannot_be_used(options, error, words):
    with pytest.raises(error, match=words):
        components(parts(random_frame(), 2), **options)


def test_what_is_no_dataset():
    with pytest.raises(errors.InputError, match="not a Ray dataset"):
        components(random_frame())


@pytest.mark.extended
def test_columns_that_are_known_late():
    """What a function returns is known once it has run."""
    frame = parts(random_frame(), 2)
    unknown = frame.map_batches(lambda batch: batch.drop(["src"]), batch_format="pyarrow")
    with pytest.raises(errors.MissingColumnError, match="a partition has no column 'src'"):
        components(unknown)
    mixed = frame.map_batches(
        lambda batch: pa.table({"src": batch["src"], "dst": batch["dst"].cast("string")}),
        batch_format="pyarrow",
    )
    with pytest.raises(errors.ColumnTypeError, match=r"'src' is int64.*'dst' is string"):
        components(mixed)


@pytest.mark.extended
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_integers_beside_strings(options):
    frame = random_frame()[["src", "dst"]]
    with pytest.raises(errors.ColumnTypeError, match="'src' is int64 in some partitions and"):
        components(tables([frame]).union(tables([frame.astype(str)])), **options)


FORMS = [(parts, pa.Table), (pandas_parts, pd.DataFrame)]


@pytest.mark.extended
@pytest.mark.parametrize("partition", ["edges", "vertices"])
@pytest.mark.parametrize("form", FORMS, ids=["arrow", "pandas"])
def test_tasks_on_a_gpu(tmp_path, monkeypatch, partition, form):
    """Each block goes to a task that Ray has lent the GPU."""
    from cc_rapids.integrations.ray import api

    blocks, kind = form
    forest_of = api.forest_of

    def watched(block, *arguments):
        lent = ray.get_runtime_context().get_accelerator_ids()["GPU"]
        mark = f"{type(block).__name__} {lent} {os.environ['CUDA_VISIBLE_DEVICES']}"
        (tmp_path / uuid.uuid4().hex).write_text(mark)
        return forest_of(block, *arguments)

    monkeypatch.setattr(api, "forest_of", watched)
    frame, named = random_frame(), pd.DataFrame({"id": [5, 10**6]})
    options = {"partition": partition, "engine": "threads", "num_gpus": 0.5}
    found = components(blocks(frame, 2), vertices=blocks(named, 1), **options)
    check(found, frame, vertices=named["id"].to_numpy())
    marks = [mark.read_text() for mark in tmp_path.iterdir()]
    assert set(marks) == {f"{kind.__name__} ['0'] 0"}
    assert len(marks) >= 3  # Ray may run a task again


@pytest.mark.extended
def test_an_error_in_a_block_on_a_gpu():
    frame = random_frame().astype({"src": "Int64"})
    frame.loc[3, "src"] = pd.NA
    for blocks in (parts, pandas_parts):
        with pytest.raises(errors.NullsError, match=r"column 'src' has 1 null in 100 rows"):
            components(blocks(frame, 5), num_gpus=1)
    found = components(pandas_parts(frame, 5), nulls="drop", num_gpus=1)
    check(found, frame.dropna().astype({"src": "int64"}))
    assert found.facts["dropped"] == 1


def test_no_block_is_read_for_an_engine_without_a_gpu():
    def read(batch):
        raise AssertionError

    edges = ray.data.range(1).map_batches(read, batch_size=None)
    with pytest.raises(errors.EngineError, match="num_gpus=1"):
        components(edges, engine="cuda")


@pytest.mark.extended
def test_few_tasks_wait(monkeypatch):
    """Blocks are taken as tasks end: twice as many wait as there are CPUs, and no more."""
    from cc_rapids.integrations.ray import api

    ready, waiting = api.Tasks.ready, []

    def watched(tasks, results, timeout=0):
        waiting.append(len(results))
        return ready(tasks, results, timeout)

    monkeypatch.setattr(api.Tasks, "ready", watched)
    monkeypatch.setattr(api, "PATIENCE", None)
    frame = random_frame()
    check(components(parts(frame, 30), num_gpus=1), frame)
    assert max(waiting) <= 4


@pytest.mark.extended
def test_the_gpu_may_be_free_once_all_is_read(monkeypatch):
    """As if a function of the dataset's held it."""
    from cc_rapids.integrations.ray import api

    class Holder:
        """An actor; Ray adds a method that returns once it runs."""

    holder, blocks = ray.remote(num_gpus=1)(Holder).remote(), api._blocks
    ray.get(holder.__ray_ready__.remote())

    def released(dataset):
        yield from blocks(dataset)
        ray.kill(holder)

    monkeypatch.setattr(api, "_blocks", released)
    monkeypatch.setattr(api, "PATIENCE", 0.1)
    frame = random_frame()
    check(components(parts(frame, 12), num_gpus=1), frame)


def with_nulls(frame):
    """A frame in which some edges have a null end."""
    frame = frame[["src", "dst"]].astype("Int64")
    frame.loc[::7, "src"] = pd.NA
    return frame


GPUS = some("gpus", [None, 0.5], usual=[None])  # tasks that hold a GPU start processes


@some("options", OPTIONS, usual=OPTIONS[-1:])
@GPUS
def test_rows_add_up(tmp_path, options, gpus):
    frame = pa.Table.from_pandas(with_nulls(random_frame()), preserve_index=False)
    alone = cc_rapids.components(frame, nulls="drop")
    options = options | {"nulls": "drop", "num_gpus": gpus}
    blocks = ray.data.from_arrow([frame[:100], frame[100:180], frame[180:]])
    found = components(blocks, **options)
    assert found.ledger == alone.ledger
    assert found.summary()["ledger"] == alone.summary()["ledger"]
    pq.write_table(frame, tmp_path / "edges.parquet")
    late = known_late(ray.data.read_parquet(str(tmp_path)))
    assert components(late, **options).ledger == alone.ledger


def known_late(dataset):
    """The same dataset, of which Ray knows the number of rows once they have come."""
    return dataset.map_batches(lambda rows: rows, batch_format="pyarrow")


BLOCK_FAULTS = {
    "lost": lambda blocks: blocks[:-1],
    "repeated": lambda blocks: [*blocks, blocks[0]],
}


@each(options=OPTIONS, fault=BLOCK_FAULTS.values())
@GPUS
def test_blocks_that_are_lost(monkeypatch, options, gpus, fault):
    from cc_rapids.integrations.ray import api

    blocks = api._blocks
    monkeypatch.setattr(api, "_blocks", lambda dataset: iter(fault(list(blocks(dataset)))))
    edges = parts(random_frame(), 5)
    for given in (edges, known_late(edges)):
        with pytest.raises(errors.LedgerError, match=r"500 rows were given|forests of 5 blocks"):
            components(given, num_gpus=gpus, **options)


@GPUS
def test_rows_that_a_block_loses(monkeypatch, gpus):
    from cc_rapids.integrations.ray import api

    solve = api.local_forest
    monkeypatch.setattr(api, "local_forest", lambda frame, *given: solve(frame.iloc[:-1], *given))
    edges = parts(random_frame(), 5)
    for given in (edges, known_late(edges)):
        with pytest.raises(errors.LedgerError, match="500 rows were given, but 495 are accounted"):
            components(given, num_gpus=gpus)


def test_progress_is_told():
    told = []
    components(parts(random_frame(), 5), progress=told.append)
    forests = [fact for fact in told if fact.stage == "forests"]
    assert [fact.done for fact in forests] == list(range(1, len(forests) + 1))
    assert str(forests[0]).startswith("forests: 1, ")


@pytest.mark.extended
def test_an_error_ends_the_reading(tmp_path, monkeypatch):
    """With four blocks taken, the run waits for one of them: it is refused, and that ends it."""
    from cc_rapids.integrations.ray import api

    monkeypatch.setattr(api, "PATIENCE", None)
    blocks, go = tmp_path / "blocks", tmp_path / "go"
    blocks.mkdir()

    def read(batch):
        (blocks / str(batch["id"][0])).touch()
        while len(os.listdir(blocks)) > 4 and not go.exists():
            time.sleep(0.01)
        return pa.table({"src": pa.array([None], pa.int64()), "dst": [1]})

    edges = ray.data.range(30, override_num_blocks=30)
    edges = edges.map_batches(read, batch_size=None, concurrency=1)
    with pytest.raises(errors.NullsError, match="column 'src'") as raised:
        components(edges)
    assert raised.value.__traceback__ is not None
    go.touch()
    for thread in threading.enumerate():
        if thread.name.startswith("StreamingExecutor"):
            thread.join()
    assert len(os.listdir(blocks)) <= 6  # one had begun, and one more was about to


@pytest.mark.extended
@pytest.mark.parametrize("options", [{}, VERTICES], ids=str)
def test_blocks_of_a_lost_process_are_read_again(tmp_path, options):
    parts, rows = 8, 100
    frame = random_frame(n=1000, m=parts * rows)

    def read(batch):
        [number] = batch["id"]
        (tmp_path / f"{number}.{uuid.uuid4().hex}").touch()
        if number == 3 and len(list(tmp_path.glob("3.*"))) == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return pa.Table.from_pandas(frame[number * rows : (number + 1) * rows])

    edges = ray.data.range(parts, override_num_blocks=parts).map_batches(read, batch_size=None)
    check(components(edges, **options), frame)
    reads = Counter(int(name.partition(".")[0]) for name in os.listdir(tmp_path))
    assert set(reads) == set(range(parts))
    assert reads[3] >= 2  # Ray may read others again, too


@pytest.mark.extended
def test_an_answer_outlives_its_processes():
    frame = random_frame()
    found = components(parts(frame, 4))

    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    for _ in range(2):
        with pytest.raises(ray.exceptions.WorkerCrashedError):
            ray.get(ray.remote(max_retries=0)(die).remote())
    check(found, frame)


@pytest.mark.slow
@pytest.mark.extended
def test_blocks_of_a_lost_node_are_read_again():
    """Two nodes, of which one is killed while blocks are read; a process of its own starts both."""
    command = [sys.executable, "-W", "ignore", SUPPORT / "ray_nodes.py"]
    environment = with_package(os.environ)
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "the answer is right" in done.stdout


@pytest.mark.extended
def test_without_ray():
    code = (
        "import sys; sys.modules['ray'] = None\n"
        "try:\n    from cc_rapids.ray import components\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs ray, which is not installed: pip install '.[ray]'" in done.stdout
