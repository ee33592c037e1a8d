"""Lazy frames of Polars, and DuckDB relations, where there is a GPU."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import cc_rapids
import cc_rapids.accessor

pytestmark = pytest.mark.gpu
ENDS = np.random.default_rng(3).integers(0, 200_000, (2, 150_000))
EDGES = pl.DataFrame({"src": ENDS[0], "dst": ENDS[1], "w": np.arange(150_000) / 7})


@pytest.mark.parametrize("engine", [None, "gpu", "threads"])
@pytest.mark.parametrize("collected_by", ["gpu", "streaming"])
def test_lazy_answers_are_those_of_the_frame(tmp_path, engine, collected_by):
    if collected_by == "gpu":
        pytest.importorskip("cudf_polars")
    EDGES.write_parquet(tmp_path / "edges.parquet")
    lazy, whole = pl.scan_parquet(tmp_path / "edges.parquet"), EDGES.cc.labels()
    labels = lazy.cc.labels(engine=engine)
    assert labels.collect_schema() == whole.schema
    assert_frame_equal(labels.collect(engine=collected_by), whole)
    asked = labels.filter(pl.col("vertex") > 100_000).select("labels").head(50)
    wanted = whole.filter(pl.col("vertex") > 100_000).select("labels").head(50)
    assert_frame_equal(asked.collect(engine=collected_by), wanted)
    attached = lazy.cc.attach(name="group", engine=engine).select("group", "w")
    assert_frame_equal(
        attached.collect(engine=collected_by), EDGES.cc.attach(name="group").select("group", "w")
    )


def test_relations_are_solved_on_a_gpu_and_answered_by_relations():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as own:
        relation = own.from_arrow(EDGES.to_arrow())
        found = cc_rapids.components(relation, engine="gpu")
        assert found.labels().pl().equals(EDGES.cc.labels())
        once = cc_rapids.connected_components(relation, engine="gpu")
        assert once.pl().equals(EDGES.cc.labels())
        attached = found.attach(relation, on="src", name="group").order("w").pl()
        assert attached["group"].equals(EDGES.cc.attach(name="group")["group"])
        cuts = cc_rapids.components_at(relation, weight="w", thresholds=[1000], engine="gpu")
        assert (
            cuts.labels(1000)
            .pl()
            .equals(cc_rapids.components_at(EDGES, weight="w", thresholds=[1000]).labels(1000))
        )
