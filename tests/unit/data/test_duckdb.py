"""DuckDB relations as edges, read by record batches."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import cc_rapids
from cc_rapids import components
from cc_rapids.data.adapters import adapter_of

duckdb = pytest.importorskip("duckdb")
ROWS = 300_000  # more than two of DuckDB's batches have
CHAINS = f"select range as src, range + 10 as dst, -range as weight from range({ROWS})"


@pytest.fixture
def ask():
    """Give a relation of a query, on a connection of the test's own."""
    with duckdb.connect() as connection:
        yield connection.sql


def test_a_relation_gives_the_answer_of_its_table(ask, engine):
    relation = ask(CHAINS)
    found = components(relation, engine=engine)
    assert type(adapter_of(relation)).__name__ == "DuckDBRelations"
    assert len(found) == 10
    labels = found.labels()
    assert isinstance(labels, pa.Table)
    assert labels["labels"].to_pylist() == [v % 10 for v in range(ROWS + 10)]
    assert found.audit(relation, oracle="scipy").components == 10
    assert found == components(relation.to_arrow_table())


def test_batches_are_read_and_no_table_is_made(ask, monkeypatch):
    tables, sizes = pa.concat_tables, []
    monkeypatch.setattr(
        pa, "concat_tables", lambda batches: tables([sizes.append(len(b)) or b for b in batches])
    )
    components(ask(CHAINS))
    assert sum(sizes) == ROWS
    assert len(sizes) > 2


def test_only_columns_of_ids_are_read_whatever_they_are_called(ask):
    relation = ask("""select 1 as "a b", 2 as "c""d", error('read') as other""")
    assert components(relation, "a b", 'c"d').labels()["vertex"].to_pylist() == [1, 2]
    with pytest.raises(cc_rapids.MissingColumnError, match="unknown column 'src'"):
        components(relation)
    with pytest.raises(cc_rapids.InputError, match="source and destination are both"):
        components(relation, "a b", "a b")


def test_ids_of_several_columns_strings_and_nulls(ask, engine):
    relation = ask(
        "select * from (values (1, 'x', 1, 'y'), (1, 'y', 2, 'x'), (3, 'z', null, 'z'))"
        " as edges(a, b, c, d)"
    )
    found = components(relation, ["a", "b"], ["c", "d"], nulls="drop", engine=engine)
    assert found.labels()["b_labels"].to_pylist() == ["x", "x", "x"]
    assert found.summary()["dropped"] == 1
    with pytest.raises(cc_rapids.NullsError, match="'c' has 1 null"):
        components(relation, ["a", "b"], ["c", "d"])
    words = ask("select 'é' as src, 'b'::enum('a', 'b') as dst")
    assert components(words, engine=engine).labels()["vertex"].to_pylist() == ["b", "é"]


def test_a_relation_without_rows_has_types(ask):
    none = ask("select range::uinteger as src, range::uinteger as dst from range(0)")
    for found in (components(none), cc_rapids.stream_components(none)):
        assert len(found) == 0
        assert isinstance(found.labels(), pa.Table)
    assert components(none).labels().schema.types == [pa.uint32(), pa.uint32()]


def test_a_relation_is_read_in_chunks(ask, engine):
    relation, steps = ask(CHAINS), []
    found = components(relation, memory_limit="64MiB", progress=steps.append, engine=engine)
    assert 0 < steps[0].edges < steps[-1].edges == ROWS
    assert found == components(relation, engine=engine)
    seen = cc_rapids.Connectivity(engine=engine)
    assert len(seen.insert(relation)) == 10


def test_weights_of_a_relation_are_a_column_of_it(ask):
    cuts = cc_rapids.components_at(ask(CHAINS), weight="weight", thresholds=[-20, -ROWS])
    assert [len(cuts.at(level)) for level in (-20, -ROWS)] == [ROWS - 11, 10]
    with pytest.raises(cc_rapids.MissingColumnError, match="unknown column 'wait'"):
        cc_rapids.components_at(ask(CHAINS), weight="wait", thresholds=[0])
    with pytest.raises(cc_rapids.InputError, match="must name the column of weights"):
        cc_rapids.components_at(ask(CHAINS), weight=np.zeros(ROWS), thresholds=[0])


def test_the_connection_is_free_after_a_run_that_failed(ask):
    relation = ask("select case when range = 250000 then null else range end as src, 0 as dst"
                   " from range(400000)")  # fmt: skip
    with pytest.raises(cc_rapids.NullsError):
        cc_rapids.stream_components(relation)
    assert ask("select 1").fetchall() == [(1,)]


def test_duckdb_is_not_imported_for_others():
    code = (
        "import sys, numpy, cc_rapids\n"
        "cc_rapids.components((numpy.arange(3), numpy.arange(3))).labels()\n"
        "print('duckdb' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_the_connection_is_free_while_the_error_is_held(ask):
    relation = ask("select case when range = 250000 then null else range end as src, 0 as dst"
                   " from range(400000)")  # fmt: skip
    with pytest.raises(cc_rapids.NullsError) as held:
        cc_rapids.stream_components(relation)
    assert ask("select 1").fetchall() == [(1,)]
    assert held.value
