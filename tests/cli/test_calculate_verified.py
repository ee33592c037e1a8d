"""``calculate``, then ``verify``: right answers are right, whatever the ids and the formats."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from odd_ids import IDS

TEXTS = st.lists(st.tuples(IDS, IDS), min_size=1, max_size=10)
NUMBERS = st.lists(st.tuples(st.integers(-3, 9), st.integers(-(2**63), 2**63 - 1)), min_size=1)
SETTINGS = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20
)


@pytest.mark.parametrize("labels", ["csv", "tsv.gz", "parquet"])
@pytest.mark.parametrize("edges", ["csv", "tsv", "arrow"])
@SETTINGS
@given(TEXTS | NUMBERS)
def test_what_is_calculated_is_verified(run, tmp_path, edges, labels, rows):
    src, dst = zip(*rows, strict=True)
    stored, edges, labels = (tmp_path / name for name in ("e.parquet", f"e.{edges}", f"l.{labels}"))
    pq.write_table(pa.table({"src": src, "dst": dst}), stored)
    assert run("convert", stored, edges, "--quiet").output == ""
    assert run("convert", edges, tmp_path / "back.parquet", "--quiet").output == ""
    assert pq.read_table(tmp_path / "back.parquet").equals(pq.read_table(stored))
    assert run("calculate", edges, "--output", labels, "--quiet").output == ""
    for file in (stored, edges):
        done = run("verify", file, labels, "--quiet")
        assert (done.output, done.exit_code) == ("", 0)
