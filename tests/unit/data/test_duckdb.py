"""DuckDB relations as edges, read by record batches."""

import copy
import pickle
import subprocess
import sys
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

import cc_rapids
from cc_rapids import components
from cc_rapids.data.adapters import adapter_of

duckdb = pytest.importorskip("duckdb")
ROWS = 300_000  # more than two of DuckDB's batches have
CHAINS = f"select range as src, range + 10 as dst, -range as weight from range({ROWS})"


def values(relation, name):
    """Return a column of a relation as a list."""
    return relation.fetchnumpy()[name].tolist()


def kinds(relation):
    return list(map(str, relation.types))


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
    assert isinstance(labels, duckdb.DuckDBPyRelation)
    assert values(labels, "labels") == [v % 10 for v in range(ROWS + 10)]
    assert found.audit(relation, oracle="scipy").components == 10
    assert found == components(relation.to_arrow_table())


def test_batches_are_read_and_no_table_is_made(ask, monkeypatch):
    tables, sizes = pa.concat_tables, []
    monkeypatch.setattr(
        pa, "concat_tables", lambda batches: tables([sizes.append(len(b)) or b for b in batches])
    )
    components(ask(f"{CHAINS} union all {CHAINS} union all {CHAINS} union all {CHAINS}"))
    assert sum(sizes) == 4 * ROWS
    assert len(sizes) > 1  # of a million rows in older releases


def test_only_columns_of_ids_are_read_whatever_they_are_called(ask):
    relation = ask("""select 1 as "a b", 2 as "c""d", error('read') as other""")
    assert values(components(relation, "a b", 'c"d').labels(), "vertex") == [1, 2]
    with pytest.raises(cc_rapids.MissingColumnError, match="which two columns are the ids"):
        components(relation)
    with pytest.raises(cc_rapids.InputError, match="source and destination are both"):
        components(relation, "a b", "a b")


def test_ids_of_several_columns_strings_and_nulls(ask, engine):
    relation = ask(
        "select * from (values (1, 'x', 1, 'y'), (1, 'y', 2, 'x'), (3, 'z', null, 'z'))"
        " as edges(a, b, c, d)"
    )
    found = components(relation, ["a", "b"], ["c", "d"], labels="min", nulls="drop", engine=engine)
    assert values(found.labels(), "b_labels") == ["x", "x", "x"]
    assert found.summary()["dropped"] == 1
    with pytest.raises(cc_rapids.NullsError, match="'c' has 1 null"):
        components(relation, ["a", "b"], ["c", "d"])
    words = ask("select 'é' as src, 'b'::enum('a', 'b') as dst")
    assert values(components(words, engine=engine).labels(), "vertex") == ["b", "é"]


def test_a_relation_without_rows_has_types(ask):
    none = ask("select range::uinteger as src, range::uinteger as dst from range(0)")
    for found in (components(none), cc_rapids.stream_components(none)):
        assert len(found) == 0
        assert len(found.labels()) == 0
    assert kinds(components(none).labels()) == ["UINTEGER", "UINTEGER"]


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
    text = ask("select 1 as src, 2 as dst, 'x' as weight")
    with pytest.raises(cc_rapids.ColumnTypeError, match=r"'weight' must be numbers.*VARCHAR"):
        components(text, weight="weight", at_least=1)
    with pytest.raises(cc_rapids.InputError, match="names a column of a DuckDB relation"):
        cc_rapids.components_at(ask(CHAINS), weight=np.zeros(ROWS), thresholds=[0])


def test_the_connection_is_free_after_a_run_that_failed(ask):
    relation = ask("select case when range = 250000 then null else range end as src, 0 as dst"
                   " from range(400000)")  # fmt: skip
    with pytest.raises(cc_rapids.NullsError):
        cc_rapids.stream_components(relation)
    assert ask("select 1").fetchall() == [(1,)]


@pytest.mark.slow
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


def test_answers_are_relations_of_the_connection_and_used_in_its_queries():
    with duckdb.connect() as own:
        own.execute(
            "create table edges as select * from (values (5, 2), (2, 7), (9, 9)) t(src, dst)"
        )
        found = components(own.table("edges"))
        labels = found.labels()
        query = "select src, labels from edges join labels on src = vertex order by src"
        assert own.sql(query).fetchall() == [(2, 2), (5, 2), (9, 9)]
        own.execute("create table kept as from labels")  # which needs a relation of this connection
        assert own.table("kept").fetchall() == labels.fetchall() == [(2, 2), (5, 2), (7, 2), (9, 9)]
        for word in ("sizes", "largest", "members", "representatives", "size_histogram", "filter"):
            assert isinstance(getattr(found, word)(), duckdb.DuckDBPyRelation)
        views = own.sql("select view_name from duckdb_views() where not internal").fetchall()
        assert views in ([], [("cc_rapids_edges",)])  # versions before 2.0 leave one behind


def test_a_query_of_the_edges_does_not_run_for_answers(ask):
    runs = []
    with duckdb.connect() as own:
        own.create_function("noted", lambda x: runs.append(x) or x, ["bigint"], "bigint",
                            side_effects=True)  # fmt: skip
        found = components(own.sql("select noted(1) as src, 2::bigint as dst"))
        assert len(runs) == 1
        assert found.labels().fetchall() == [(1, 1), (2, 1)]
        assert found.sizes().fetchall() == [(1, 2)]
        assert len(runs) == 1


@pytest.mark.parametrize(
    "kind", ["utinyint", "smallint", "uinteger", "bigint", "ubigint", "varchar", "uuid"]
)
def test_labels_have_the_type_of_the_ids(ask, kind):
    if kind == "uuid":
        ends = [f"'4ac7a9e9-607c-4c8a-84f3-843f0191e3f{k}'::uuid" for k in (1, 2)]
    else:
        ends = [f"{k}::{kind}" for k in (1, 2)]
    relation = ask(f"select {ends[1]} as src, {ends[0]} as dst")
    labels = components(relation).labels()
    assert kinds(labels) == [kind.upper()] * 2
    ((src, dst),) = relation.fetchall()
    assert labels.fetchall() == [(dst, dst), (src, dst)]
    attached = components(relation).attach(relation, on="src")
    assert kinds(attached) == [kind.upper()] * 3
    assert attached.fetchall() == [(src, dst, dst)]


def test_the_greatest_unsigned_id_stays_what_it_is(ask):
    labels = components(
        ask("select 18446744073709551615::ubigint as src, 1::ubigint as dst")
    ).labels()
    assert labels.fetchall() == [(1, 1), (2**64 - 1, 1)]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("1::hugeint", "HUGEINT"),
        ("1::uhugeint", "UHUGEINT"),
        ("1.0::decimal(9, 0)", r"DECIMAL\(9,0\)"),
        ("1.0::double", "DOUBLE"),
        ("true", "BOOLEAN"),
        ("date '2020-01-01'", "DATE"),
        ("[1]", r"INTEGER\[\]"),
    ],
)
def test_other_types_are_refused_before_the_query_runs(ask, words, kind):
    relation = ask(f"select error('it ran')::integer as dst, {words} as src")
    for door in (components, cc_rapids.stream_components, cc_rapids.Connectivity().insert):
        with pytest.raises(cc_rapids.ColumnTypeError, match=f"'src' of.*{kind}.*\"src\"::bigint"):
            door(relation)


def test_nulls_are_counted_and_dropped(ask):
    relation = ask("select * from (values (1, 2), (null, 2), (3, null)) as t(src, dst)")
    with pytest.raises(cc_rapids.NullsError, match="'src' has 1 null"):
        components(relation)
    found = components(relation, nulls="drop")
    assert found.labels().fetchall() == [(1, 1), (2, 1)]
    assert found.summary()["dropped"] == 2


def test_columns_of_one_name_are_refused(ask):
    twice = ask("select 1 as src, 2 as dst, 3 as src")
    if twice.columns.count("src") == 2:  # some versions call the second one otherwise
        with pytest.raises(cc_rapids.InputError, match="2 columns called 'src'"):
            components(twice)


def test_attach_joins_a_relation_with_labels(ask):
    found = components(ask("select * from (values (5, 2), (2, 7)) as t(src, dst)"))
    people = ask("select * from (values (5, 'e'), (9, 'n'), (5, 'f'), (null, 'x')) as t(id, name)")
    with pytest.raises(cc_rapids.NullsError, match="has nulls in 'id'"):
        found.attach(people, on="id")
    known = people.filter("id is not null")
    with pytest.raises(cc_rapids.UnknownVertexError, match=r"'id' is not a vertex.*: 9"):
        found.attach(known, on="id")
    alone = found.attach(known, on="id", name="of", missing="self")
    assert alone.columns == ["id", "name", "of"]
    assert sorted(alone.fetchall()) == [(5, "e", 2), (5, "f", 2), (9, "n", 9)]
    nulls = found.attach(people, on="id", missing="null")
    assert sorted(nulls.fetchall(), key=str) == [
        (5, "e", 2), (5, "f", 2), (9, "n", None), (None, "x", None)
    ]  # fmt: skip
    with pytest.raises(cc_rapids.InputError, match="has a column 'name' already"):
        found.attach(known, on="id", name="name", missing="self")
    with pytest.raises(cc_rapids.InputError, match="has a column 'Name' already"):
        found.attach(known, on="id", name="Name", missing="self")
    with pytest.raises(cc_rapids.MissingColumnError, match="there is no column 'vertex'"):
        found.attach(known)


def test_attach_to_a_relation_reads_ids_alone_and_works_for_any_edges(ask):
    found = components((np.array([1, 2]), np.array([2, 3])))
    rows = ask("select 3 as vertex, '101'::bit as other, interval 1 month as late")
    attached = found.attach(rows)
    assert kinds(attached) == ["INTEGER", "BIT", "INTERVAL", "BIGINT"]
    assert attached.fetchall() == [(*rows.fetchall()[0], 1)]
    broken = found.attach(ask("select 3 as vertex, error('read') as other"))
    assert broken.select("labels").fetchall() == [(1,)]


def test_attached_rows_have_the_order_of_the_relation(ask):
    found = components(
        ask("select i * 7919 % 1000 as src, i * 104729 % 1000 as dst from range(900) t(i)")
    )
    for order in ("", "order by hash(k)", "order by vertex desc, k"):
        rows = ask(
            "select i * 31 % 1300 as vertex, i as k, 'x' as cc_rapids_row, 1 as CC_rapids_row_"
            f" from range(20_000) t(i) {order}"
        )
        attached = found.attach(rows, missing="null")
        assert attached.columns == [*rows.columns, "labels"]
        first = attached.fetchall()
        assert [row[:-1] for row in first] == rows.fetchall()
        assert found.attach(rows, missing="null", name="of").fetchall() == first


def test_attach_on_several_columns(ask):
    edges = ask("select 1 as a, 'x' as b, 2 as c, 'y' as d")
    found = components(edges, ["a", "b"], ["c", "d"], labels="min")
    attached = found.attach(edges, ["c", "d"], name="of")
    assert attached.columns == ["a", "b", "c", "d", "a_of", "b_of"]
    assert attached.fetchall() == [(1, "x", 2, "y", 1, "x")]
    frame = found.component_of(ask("select 2 as c, 'y' as d"))
    assert frame.fetchall() == [(1, "x")]


def test_the_best_rows_of_a_relation_keep_their_types(ask):
    found = components(ask("select 1 as src, 2 as dst"))
    rows = ask(
        "select * from (values"
        " (1, 5, 'x'::enum('x', 'y'), 170141183460469231731687303715884105727),"
        " (2, 7, 'y', 1::hugeint), (3, 0, 'x', 2)) as t(vertex, size, letter, wide)"
    )
    kept = found.deduplicate(rows, by="size")
    assert kept.types == rows.types
    assert sorted(kept.fetchall()) == [(2, 7, "y", 1), (3, 0, "x", 2)]
    with pytest.raises(cc_rapids.ColumnTypeError, match="'bits' of the DuckDB relation is BIT"):
        found.deduplicate(ask("select 1 as vertex, '101'::bit as bits"))


def test_records_of_a_relation_are_linked(ask):
    people = ask(
        "select * from (values (11, 'a@x', 'p'), (12, '', 'q'), (13, 'a@x', 'q'), (14, null, 'z'))"
        " as t(id, mail, phone)"
    )
    found = cc_rapids.link_records(people, ["mail", "phone"], id="id")
    assert found.labels().fetchall() == [(11, 11), (12, 11), (13, 11), (14, 14)]
    attached = found.attach(people, name="entity")
    assert sorted(attached.select("id, entity").fetchall()) == found.labels().fetchall()
    assert sorted(values(found.deduplicate(people, by="phone"), "id")) == [12, 14]
    with pytest.raises(cc_rapids.InputError, match=r"no fixed order.*by id="):
        cc_rapids.link_records(people, ["mail"])
    with pytest.raises(cc_rapids.MissingColumnError, match="unknown column 'post'"):
        cc_rapids.link_records(people, ["post"], id="id")
    by_position = cc_rapids.link_records(people.to_arrow_table(), ["mail"])
    with pytest.raises(cc_rapids.InputError, match=r"no fixed order.*as on="):
        by_position.attach(people)


def test_batches_of_relations_have_answers_that_are_relations(ask):
    seen = cc_rapids.Connectivity()
    changes = seen.insert(ask("select 1 as src, 2 as dst"), return_changes=True)
    assert changes.fetchall() == [(1, None, 1), (2, None, 1)]
    assert seen.components().labels().fetchall() == [(1, 1), (2, 1)]
    rows = ask("select * from (values (2, 3, false), (2, 1, true)) as t(src, dst, query)")
    assert seen.process(rows).to_pylist() == [True]
    assert seen.connected(ask("select 1 as src, 3 as dst")).tolist() == [True]


def test_streams_thresholds_and_forests_answer_with_relations(ask):
    relation = ask("select * from (values (1, 2, 0.5), (2, 3, 0.9)) as t(src, dst, w)")
    assert kinds(relation)[2] == "DECIMAL(2,1)"  # as literals are
    cuts = cc_rapids.components_at(relation, weight="w", thresholds=[0.9, 0.5])
    assert cuts.labels(0.9).fetchall() == [(1, 1), (2, 2), (3, 2)]
    assert cuts.merges().fetchall() == [(0.5, 1, 1, 1), (0.5, 2, 1, 2)]
    stream = cc_rapids.stream_components(relation)
    assert stream.labels().fetchall() == [(1, 1), (2, 1), (3, 1)]
    within = components(relation, weight="w", at_least=0.9)
    assert within.labels().fetchall() == [(2, 2), (3, 2)]
    forest = cc_rapids.maximum_spanning_forest(relation, weight="w")
    assert forest.fetchall() == [(0, 1, 2, 0.5), (1, 2, 3, 0.9)]
    assert cc_rapids.bridges(relation).fetchall() == [(0, 1, 2), (1, 2, 3)]
    sides = cc_rapids.bipartition(relation)
    assert sides.colors().fetchall() == [(1, 0), (2, 1), (3, 0)]
    assert sides.audit(relation).bipartite == 1
    report = components(relation).report(relation, weight="w")
    assert report.components().fetchall()[0][:3] == (1, 3, 2)
    items = cc_rapids.stream_components(iter([relation, relation.filter("src = 1")]))
    assert items.num_vertices == 3


def test_vertices_and_scores_are_relations_of_one_column_or_two(ask):
    edges = ask("select 1 as src, 2 as dst")
    found = components(edges, vertices=ask("select 9 as v"))
    assert found.labels().fetchall() == [(1, 1), (2, 1), (9, 9)]
    assert found.component_of(ask("select unnest([9, 2]) as v")).to_pylist() == [9, 1]
    best = found.representatives(by=ask("select unnest([1, 2]) as vertex, unnest([3, 5]) as score"))
    assert best.fetchall() == [(2, 1), (9, 9)]
    with pytest.raises(cc_rapids.InputError, match=r"of 2 columns \('v', 'w'\)"):
        components(edges, vertices=ask("select 9 as v, 8 as w"))
    stream = cc_rapids.stream_components(edges, vertices=ask("select 9 as v"))
    assert stream.num_vertices == 3


def test_stable_numbers_go_on_from_a_relation(ask):
    monday = components(ask("select 1 as src, 2 as dst")).stable_ids()
    before = monday.labels()
    assert before.fetchall() == [(1, 0), (2, 0)]
    found = components(ask("select unnest([2, 5]) as src, unnest([3, 6]) as dst"))
    tuesday = found.stable_ids(before, next_id=1)
    assert tuesday.labels().fetchall() == [(2, 0), (3, 0), (5, 1), (6, 1)]
    assert tuesday.audit(before, next_id=1)


def test_a_closed_connection_is_told_and_the_answer_can_be_saved(tmp_path):
    with duckdb.connect() as own:
        relation = own.sql("select 1 as src, 2 as dst")
        found = components(relation)
    attach = partial(found.attach, on="src")
    for door in (components, cc_rapids.stream_components, attach):
        with pytest.raises(
            cc_rapids.InputError, match="connection of the DuckDB relation is closed"
        ):
            door(relation)
    with pytest.raises(cc_rapids.InputError, match="keep it open, or save\\(\\) the answer"):
        found.labels()
    assert len(found) == 1
    assert "1 component" in repr(found)
    assert "<table" in found._repr_html_()
    found.save(tmp_path / "found")
    assert cc_rapids.Components.load(tmp_path / "found").labels() == LABELS
    assert pickle.loads(pickle.dumps(found)).labels() == LABELS
    found.to_parquet(tmp_path / "labels")


LABELS = pa.table({"vertex": pa.array([1, 2], pa.int32()), "labels": pa.array([1, 1], pa.int32())})


def test_copies_have_relations_and_pickles_tables(ask):
    found = components(ask("select 1 as src, 2 as dst"))
    assert pickle.loads(pickle.dumps(found)).labels() == LABELS
    for other in (copy.copy(found), copy.deepcopy(found)):
        assert other.labels().fetchall() == [(1, 1), (2, 1)]


def test_settings_of_a_connection_that_stand_in_the_way():
    with duckdb.connect() as own:
        relation = own.sql("select range as src, range + 1 as dst from range(50000)")
        own.execute("set preserve_insertion_order = false")
        found = components(relation)
        assert found.audit(relation).components == 1
        assert len(found.labels()) == 50001
        try:
            own.execute("set python_enable_replacements = false")
        except duckdb.Error:
            return  # a version without the setting
        with pytest.raises(cc_rapids.InputError, match="SET python_enable_replacements = true"):
            found.labels()


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
@pytest.mark.parametrize("bounds", [{"at_least": 0.5}, {"at_most": 2.0}], ids=str)
def test_a_weight_that_statistics_of_parquet_leave_out_is_within_no_bound(
    ask, tmp_path, bounds, kind
):
    """DuckDB takes a row group for one without NaN, as its statistics say nothing of NaN."""
    import pyarrow.parquet as pq

    weights = [0.6, float("nan"), 0.7, float("inf"), 0.1, None, float("nan"), float("nan")]
    ids = range(len(weights))
    table = pa.table({"src": ids, "dst": ids, "w": pa.array(weights, kind)})
    pq.write_table(table, path := tmp_path / "edges.parquet", row_group_size=2)
    found = components(ask(f"from '{path}'"), weight="w", **bounds)
    assert found.ledger == components(table, weight="w", **bounds).ledger
