"""``calculate``, then ``verify``: right answers are right, whatever the ids and the formats."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.choices import each
from support.odd_ids import IDS

TEXTS = st.lists(st.tuples(IDS, IDS), min_size=1, max_size=10)
NUMBERS = st.lists(st.tuples(st.integers(-3, 9), st.integers(-(2**63), 2**63 - 1)), min_size=1)
SETTINGS = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    max_examples=10,
)


def refused_by_its_row(done, path):
    """Whether what was to be written there is refused, which text between blanks alone may be."""
    if done.exit_code:
        assert path.suffix == ".txt"
        assert " in row " in done.stderr
        assert "write csv, tsv, arrow or parquet" in done.stderr
    assert done.stdout == ""
    return bool(done.exit_code)


@pytest.mark.slow
@each(labels=["csv", "tsv.gz", "txt", "parquet"], edges=["csv", "tsv", "txt", "arrow"])
@SETTINGS
@given(TEXTS | NUMBERS)
def test_what_is_calculated_is_verified(run, tmp_path, edges, labels, rows):
    src, dst = zip(*rows, strict=True)
    stored, edges, labels = (tmp_path / name for name in ("e.parquet", f"e.{edges}", f"l.{labels}"))
    pq.write_table(pa.table({"src": src, "dst": dst}), stored)
    if refused_by_its_row(run("convert", stored, edges, "--quiet"), edges):
        edges = stored
    assert run("convert", edges, tmp_path / "back.parquet", "--quiet").output == ""
    assert pq.read_table(tmp_path / "back.parquet").equals(pq.read_table(stored))
    if refused_by_its_row(run("calculate", edges, "--output", labels, "--quiet"), labels):
        return
    for file in (stored, edges):
        done = run("verify", file, labels, "--quiet")
        assert (done.output, done.exit_code) == ("", 0)
