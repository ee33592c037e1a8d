"""Estimates of distinct ids hold for lists of many kinds, and come from a hundredth of the list."""

import gzip
import warnings
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from support.choices import some

import cc_rapids
from cc_rapids import CapacityWarning, errors
from cc_rapids.incremental import estimate

N = 200_000


@cache
def lists():
    """Return the sources and destinations of lists, by name."""
    random = np.random.default_rng(11)
    row = np.arange(N)
    power = (random.power(3, (2, N)) * N).astype(np.int64)
    twice = random.permutation(np.repeat(row, 2))
    ring = random.permutation(N)
    of_its_own = row // 100 * 60
    zipf = random.zipf(1.4, (2, N)) % (1 << 40)
    hubs = random.permutation(np.where(np.arange(2 * N) < N // 5, np.arange(2 * N) % 500, N))
    hubs = np.where(hubs == N, twice, hubs)
    order = np.argsort(power[0], kind="stable")
    return {
        "uniform": random.integers(0, N, (2, N)),
        "few ids": random.integers(0, N // 50, (2, N)),
        "zipf": zipf,
        "zipf, sorted": zipf[:, np.argsort(zipf[0], kind="stable")],
        "power": power,
        "power, sorted": power[:, order],
        "path": (row, row + 1),
        "grid": (row // 2, np.where(row % 2, row // 2 + 500, row // 2 + 1)),
        "twice": twice.reshape(2, N),
        "twice, in neighbouring rows": (ring, np.roll(ring, -1)),
        "once on each side": (random.permutation(N), random.permutation(N)),
        "twice, and hubs": hubs.reshape(2, N),
        "two sides": (random.integers(0, 500, N), 10**9 + random.integers(0, N, N)),
        "clusters": of_its_own + random.integers(0, 60, (2, N)),
        "the same ids each day": (
            np.tile(random.permutation(N // 20), 20),
            np.concatenate([random.permutation(N // 20) for _ in range(20)]),
        ),
        "repeated": np.tile(random.permutation(2 * N // 9)[: 2 * (N // 9)].reshape(2, -1), 9),
        "repeated in a few rows": np.tile(random.integers(0, N, (2, N // 200)), 200),
        "new ids in the middle alone": np.where(abs(row - N // 2) < N // 40, (row, row + N), 7),
        "no new ids in the middle": np.where(abs(row - N // 2) < N // 40, 7, (row, row + N)),
        "all distinct": (2 * row, 2 * row + 1),
        "star": (np.zeros(N, np.int64), row),
    }


@pytest.fixture(scope="module", autouse=True)
def freed():
    """Keep the lists no longer than this file needs them."""
    yield
    lists.cache_clear()


NAMES = [
    "uniform",
    "few ids",
    "zipf",
    "zipf, sorted",
    "power",
    "power, sorted",
    "path",
    "grid",
    "twice",
    "twice, in neighbouring rows",
    "once on each side",
    "twice, and hubs",
    "two sides",
    "clusters",
    "the same ids each day",
    "repeated",
    "repeated in a few rows",
    "new ids in the middle alone",
    "no new ids in the middle",
    "all distinct",
    "star",
]


def written(path, ends, groups, text=False):
    """Write a list in row groups, and return the path."""
    table = pa.table({"src": pa.array(ends[0]), "dst": pa.array(ends[1])})
    if text:
        table = table.cast(pa.schema({"src": pa.string(), "dst": pa.string()}))
    pq.write_table(table, path, row_group_size=max(1, -(-len(table) // groups)))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("groups", [1, 20, 500])
@some("name", NAMES, usual=NAMES[::2])
def test_the_range_holds_the_distinct_ids(name, groups, tmp_path):
    ends = lists()[name]
    vertices = np.unique(np.concatenate(ends)).size
    path = written(tmp_path / "edges.parquet", ends, groups, text=groups == 20)
    plan = cc_rapids.stream_components(path, explain=True, memory_limit="8GiB")
    assert plan.vertices_least <= plan.vertices_probable <= vertices <= plan.vertices
    assert plan.bytes_least <= plan.bytes_probable <= plan.bytes
    assert plan.fits
    dataset = pyarrow.dataset.dataset(path)
    of_dataset = cc_rapids.stream_components(dataset, explain=True, memory_limit="8GiB")
    assert of_dataset.vertices_probable <= vertices <= of_dataset.vertices


@pytest.mark.parametrize("shift", [0, 1, 700])
def test_the_range_holds_where_row_groups_repeat_each_other(shift, tmp_path):
    """The rows of ten row groups come ten times, each time in another order."""
    random = np.random.default_rng(5)
    some = random.integers(0, 40_000, (10, 2, 2000))
    rows = [some[k % 10][:, random.permutation(2000)] for k in range(100)]
    ends = np.roll(np.concatenate(rows, 1), shift, axis=1)
    path = written(tmp_path / "edges.parquet", ends, 100, text=True)
    vertices = np.unique(ends).size
    plan = cc_rapids.stream_components(path, explain=True, memory_limit="1GB")
    assert plan.vertices_least <= vertices <= plan.vertices
    if not shift:
        assert plan.vertices_probable <= vertices


@pytest.mark.extended
@pytest.mark.slow
def test_ids_drawn_at_random_are_known_within_a_quarter(tmp_path):
    ends = np.random.default_rng(1).integers(0, 5 * N, (2, 5 * N))
    path = written(tmp_path / "more.parquet", ends, 20, text=True)
    plan = cc_rapids.stream_components(path, explain=True)
    assert plan.vertices_probable > 0.75 * np.unique(ends).size


def test_a_string_takes_its_text_once(tmp_path):
    names = np.char.zfill(lists()["few ids"][:, :5000].astype(str), 36)
    path = written(tmp_path / "edges.parquet", names, 1)
    plan = cc_rapids.stream_components(path, explain=True, memory_limit="1GB")
    assert plan.id_bytes == 46 + (36 + 8) == 90


@pytest.mark.parametrize(
    ("limit", "fits", "words"),
    [
        ("1GB", True, ": fits"),
        ("50MB", None, ": may not fit"),
        ("38MB", None, ": is unlikely to fit"),
        ("6MB", False, ": does not fit"),
    ],
)
def test_a_plan_says_whether_ids_fit(limit, fits, words, tmp_path):
    path = written(tmp_path / "edges.parquet", lists()["uniform"], 20, text=True)
    plan = cc_rapids.stream_components(path, explain=True, memory_limit=limit)
    assert plan.fits is fits
    assert words in str(plan)
    assert words in plan._repr_html_()


def test_a_run_warns_before_it_reads_what_does_not_fit(tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "LONG", 1000)
    path = written(tmp_path / "edges.parquet", lists()["uniform"], 20, text=True)
    with (
        pytest.warns(
            CapacityWarning, match=r"probably have [0-9,]+ distinct ids.*raise the limit to"
        ) as seen,
        pytest.raises(cc_rapids.CapacityError),
    ):
        cc_rapids.stream_components(path, memory_limit="10MB")
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cc_rapids.stream_components(path, memory_limit="1GB")


@pytest.mark.parametrize("packed", [False, True])
def test_text_files_are_estimated_by_their_first_rows(packed, tmp_path):
    src, dst = lists()["uniform"]
    text = "".join(f"{a},{b}\n" for a, b in zip(src[:90_000], dst[:90_000], strict=True))
    path = tmp_path / ("edges.csv.gz" if packed else "edges.csv")
    text = ("src,dst\n" + text).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    plan = cc_rapids.stream_components(path, explain=True)
    assert plan.estimated
    assert 0.9 < plan.edges / 90_000 < 1.1
    assert plan.ids == "integers"
    vertices = np.unique(np.concatenate([src[:90_000], dst[:90_000]])).size
    assert plan.vertices_probable <= vertices <= plan.vertices
    assert "edges     about " in str(plan)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_lists_of_a_few_rows_have_plans(rows, tmp_path):
    path = written(tmp_path / "edges.parquet", (np.arange(rows), np.arange(rows) + 1), 1)
    for edges in (path, pyarrow.dataset.dataset(path)):
        plan = cc_rapids.stream_components(edges, explain=True)
        assert plan.vertices_least == plan.vertices == (rows + 1 if rows else 0)


@pytest.mark.parametrize("kind", [pa.string(), pa.int64()])
def test_the_plan_of_no_rows(kind, tmp_path):
    path = tmp_path / "none.parquet"
    pq.write_table(pa.table({"src": pa.array([], kind), "dst": pa.array([], kind)}), path)
    dataset = pyarrow.dataset.dataset(path)
    for given in (path, dataset, dataset.filter(pyarrow.dataset.field("src").is_valid())):
        plan = cc_rapids.stream_components(given, memory_limit="60MB", explain=True)
        assert (plan.edges, plan.vertices, plan.fits) == (0, 0, True)


@pytest.mark.parametrize("filtered_by", ["bound", "dataset"])
def test_the_plan_of_filtered_edges_counts_the_text_of_ids(filtered_by, tmp_path):
    """Ids of 42 characters take 46 + 42 + 8 bytes, as without a filter."""
    ids = [f"0x{k:040x}" for k in range(40_000)]
    path = tmp_path / "edges.parquet"
    table = pa.table({"src": ids[::2], "dst": ids[1::2], "w": [1.0] * 20_000})
    pq.write_table(table, path, row_group_size=1000)
    given, options = path, {"explain": True}
    if filtered_by == "bound":
        options |= {"weight": "w", "at_least": 0}
    else:
        given = pyarrow.dataset.dataset(path).filter(pyarrow.dataset.field("w") >= 0)
    plan = cc_rapids.stream_components(given, memory_limit="37MB", **options)
    assert (plan.id_bytes, plan.vertices, plan.vertices_least) == (96, 40_000, None)
    assert plan.fits is None  # 40,000 * 96 bytes, and 32 MiB for reading
    assert cc_rapids.stream_components(given, memory_limit="45MB", **options).fits


def test_a_sample_of_short_strings_does_not_prove_that_ids_fit(tmp_path):
    """The middle row group, which is sampled, has the shortest ids."""
    ids = [f"{k}" if 900 <= k < 1100 else f"{k:03000}" for k in range(2000)]
    path = tmp_path / "edges.parquet"
    pq.write_table(pa.table({"src": ids, "dst": ids}), path, row_group_size=100)
    plan = cc_rapids.stream_components(path, memory_limit="36MB", explain=True)
    assert plan.id_bytes < 60
    assert plan.fits is None


def test_the_memory_of_frames_of_unknown_ids_is_unknown():
    chunk = pa.table({"src": ["x" * 1000], "dst": ["y" * 1000]})
    plan = cc_rapids.stream_components([chunk, chunk], memory_limit="64MiB", explain=True)
    assert (plan.vertices, plan.bytes, plan.id_bytes, plan.fits) == (4, None, None, None)
    assert "memory    up to the limit" in str(plan)


@pytest.mark.slow
@pytest.mark.parametrize("given", [str, pyarrow.dataset.dataset])
def test_the_plan_counts_no_row_groups_outside_a_bound(given, tmp_path):
    path, options = str(tmp_path / "edges.parquet"), {"weight": "w", "explain": True}
    ids = list(range(1000))
    pq.write_table(pa.table({"src": ids, "dst": ids, "w": ids}), path, row_group_size=100)
    plan = cc_rapids.components(given(path), at_least=850, **options)
    assert (plan.edges, plan.bounded) == (200, True)
    none = cc_rapids.components(given(path), at_least=1000, **options)
    assert (none.edges, none.vertices, none.fits) == (0, 0, True)
    pq.write_table(pa.table({"src": ids, "dst": ids, "w": list(map(str, ids))}), path)
    with pytest.raises(errors.ColumnTypeError, match="weights 'w' must be numbers"):
        cc_rapids.components(given(path), at_least=0, **options)
