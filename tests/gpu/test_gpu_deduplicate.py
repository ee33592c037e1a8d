"""The rows that are kept of real cuDF frames: those of threads, without a column on the host."""

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import errors

pytestmark = pytest.mark.gpu

MIX = np.uint64(0x9E3779B97F4A7C15)
KINDS = {
    "near": lambda v: v.astype(np.int32),
    "far": lambda v: (v.astype(np.uint64) * MIX).view(np.int64),
    "high": lambda v: v.astype(np.uint64) * MIX,
    "words": lambda v: np.array([f"doc {k} é" for k in v], object),
}
SCORES = {
    "integers": lambda v: v,
    "floats": lambda v: np.where(v % 7, v / 3, np.nan),
    "booleans": lambda v: v % 2 == 0,
    "times": lambda v: pd.to_datetime(v, unit="D"),
    "words": lambda v: [f"w{k:03}" if k % 5 else None for k in v],
}
CORPORA = {
    "words": lambda v: [("web", "books", None)[k % 3] for k in v],
    "categories": lambda v: pd.Categorical.from_codes(v % 3 - 1, ["web", "books"]),
    "integers": lambda v: v % 200,
}


def documents(kind, scores, corpora, rows=5000):
    rng = np.random.default_rng(7)
    docs = pd.DataFrame(
        {
            "id": KINDS[kind](rng.integers(0, 6000, rows)),
            "score": SCORES[scores](rng.integers(0, 300, rows)),
            "corpus": CORPORA[corpora](rng.integers(0, 300, rows)),
        },
        index=rng.permutation(rows),
    )
    ends = {side: KINDS[kind](rng.integers(0, 6000, 3000)) for side in ("src", "dst")}
    return docs, pd.DataFrame(ends)


@pytest.mark.parametrize("corpora", CORPORA)
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_are_those_of_threads(cudf, kind, scores, corpora):
    docs, pairs = documents(kind, scores, corpora)
    host = cc_rapids.components(pairs)
    found = cc_rapids.components(cudf.from_pandas(pairs))
    frame = cudf.from_pandas(docs)
    for options in (
        {"by": "score"},
        {"by": "score", "ascending": True, "per": "corpus"},
        {"missing": "drop"},
    ):
        best = found.deduplicate(frame, on="id", **options)
        assert isinstance(best, cudf.DataFrame)
        expected = host.deduplicate(docs, on="id", **options)
        assert best.index.to_pandas().tolist() == expected.index.tolist()
    assert best.dtypes.tolist() == frame.dtypes.tolist()


def test_ids_of_several_columns(cudf):
    docs, pairs = documents("far", "integers", "integers")
    docs["kind"] = np.arange(len(docs)) % 2
    for side in ("src", "dst"):
        pairs[f"{side}_kind"] = np.arange(len(pairs)) % 2
    names = ["src", "src_kind"], ["dst", "dst_kind"]
    best = cc_rapids.components(cudf.from_pandas(pairs), *names).deduplicate(
        cudf.from_pandas(docs), on=["id", "kind"], by="score"
    )
    expected = cc_rapids.components(pairs, *names).deduplicate(docs, on=["id", "kind"], by="score")
    assert best.index.to_pandas().tolist() == expected.index.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_no_column_visits_the_host(cudf, kind, monkeypatch):
    import cupy

    docs, pairs = documents(kind, "integers", "words")
    found = cc_rapids.components(cudf.from_pandas(pairs))
    frame = cudf.from_pandas(docs)
    copied = []
    get = cupy.asnumpy
    monkeypatch.setattr(
        cupy, "asnumpy", lambda array, *rest: copied.append(array.size) or get(array, *rest)
    )
    for name in ("to_pandas", "to_arrow", "to_numpy"):
        for kind_of in (cudf.DataFrame, cudf.Series):
            monkeypatch.setattr(
                kind_of, name, lambda *rest, **more: pytest.fail("a column is copied")
            )
    best = found.deduplicate(frame, on="id", by="score", per="corpus")
    assert 0 < len(best) < len(frame)
    assert max(copied, default=0) <= 1 << 14  # the registers of an estimate at most


def test_nulls_and_unknown_ids(cudf):
    found = cc_rapids.components(cudf.DataFrame({"src": [1], "dst": [2]}))
    docs = cudf.DataFrame({"vertex": [2, None, 1, 5, 5], "score": [1, 9, None, 3, 4]})
    with pytest.raises(errors.NullsError, match="1 of 5 rows has nulls"):
        found.deduplicate(docs)
    with pytest.raises(errors.UnknownVertexError, match=r"2 of 4 .* 5, 5"):
        found.deduplicate(docs.dropna(subset=["vertex"]), missing="raise")
    best = found.deduplicate(docs, by="score", missing="drop")
    assert best.index.to_pandas().tolist() == [0]
    whole = docs.dropna(subset=["vertex"])
    assert found.deduplicate(whole, by="score").index.to_pandas().tolist() == [0, 4]
    assert len(found.deduplicate(whole.head(0), by="score")) == 0


def test_the_accessor(cudf):
    import cc_rapids.accessor

    assert "cudf" in cc_rapids.accessor.register()
    pairs = cudf.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
    docs = cudf.DataFrame({"vertex": [2, 5, 6], "length": [10, 30, 20]})
    assert pairs.cc.attach(docs, missing="self")["labels"].to_arrow().to_pylist() == [2, 2, 6]
    best = pairs.cc.deduplicate(docs, by="length")
    assert best["vertex"].to_arrow().to_pylist() == [5, 6]


def test_host_frames_and_answers_of_the_device_mix(cudf):
    docs, pairs = documents("near", "integers", "integers")
    expected = cc_rapids.components(pairs).deduplicate(docs, on="id", by="score")
    found = cc_rapids.components(cudf.from_pandas(pairs))
    pd.testing.assert_frame_equal(found.deduplicate(docs, on="id", by="score"), expected)
    best = cc_rapids.components(pairs).deduplicate(cudf.from_pandas(docs), on="id", by="score")
    assert best.index.to_pandas().tolist() == expected.index.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_without_any_vertex_is_warned_of(cudf, kind):
    ids = KINDS[kind](np.arange(8))
    pairs = cudf.from_pandas(pd.DataFrame({"src": ids[:2], "dst": ids[2:4]}))
    docs = cudf.from_pandas(pd.DataFrame({"id": ids[4:], "own": ids[:4]}))
    found = cc_rapids.components(pairs)
    with pytest.warns(UserWarning, match="no id in 'id' is a vertex of this answer"):
        assert len(found.deduplicate(docs, on="id")) == 4
    with pytest.warns(UserWarning, match="but the vertices are "):
        found.attach(docs, on="id", missing="null")
    found.deduplicate(docs, on="own")
