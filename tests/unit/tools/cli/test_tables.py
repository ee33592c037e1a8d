"""Tables of documents and records: deduplicated by pairs, and linked by keys."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from cc_rapids.cli import main

DOCS = (
    "doc_id,length,corpus\n11,43,web\n12,41,books\n13,47,web\n14,51,books\n16,41,web\n17,27,web\n"
)
PAIRS = "src,dst\n11,13\n13,14\n12,16\n"
PEOPLE = (
    "record_id,email,name,birthday\n11,ann@x.org,Ann Lee,1990-05-01\n12,,A. Lee,1990-05-01\n"
    "13,ann@x.org,A. Lee,1990-05-01\n14,,Bo,\n"
)
COMMAND = [sys.executable, "-m", "cc_rapids"]
KEYS = ["--key", "email", "--key", "name,birthday"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Documents, near-duplicates of them, and records."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[4]))
    for name, text in (("docs", DOCS), ("pairs", PAIRS), ("people", PEOPLE)):
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def given(*words, content=None):
    done = CliRunner().invoke(main, [str(word) for word in words], input=content)
    assert (done.exit_code, done.stderr) == (0, ""), done.stderr
    return done.stdout


def refused(*words, content=None):
    done = CliRunner().invoke(main, [str(word) for word in words], input=content)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    return done.stderr


def test_a_header_that_comes_again_is_no_row(folder):
    (folder / "docs.csv").write_text(DOCS + DOCS)
    (folder / "people.csv").write_text(PEOPLE + PEOPLE)
    said = "row 7 (from 1, below the header) repeats the header"
    assert said in refused("deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id")
    assert said in refused("calculate", "pairs.csv", "--vertices", "docs.csv", "--on", "doc_id")
    assert "row 5 " in refused("link", "people.csv", *KEYS)
    (folder / "scored.csv").write_text("src,dst,score\n11,12,0.9\n")
    words = ["link-pairs", "scored.csv", "--weight", "score", "--records", "docs.csv"]
    assert said in refused(*words, "--on", "doc_id")
    (folder / "labels.csv").write_text("vertex,labels\n11,11\n12,11\n" * 2)
    assert "row 3 " in refused("score-clusters", "labels.csv", "labels.csv")


def test_documents_that_are_not_utf8_name_a_way_out(folder):
    (folder / "docs.csv").write_bytes("doc_id,name\n11,é\n".encode("latin-1"))
    said = refused("deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id")
    assert "line 2: not UTF-8 text" in said
    assert "iconv -f latin1 -t utf-8" in said


def kept(*words, docs="docs.csv", pairs="pairs.csv", on="doc_id"):
    given("deduplicate", docs, pairs, "--on", on, *words, "--output", "keep.parquet")
    return pq.read_table("keep.parquet")[on].to_pylist()


class TestDeduplicate:
    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ([], [11, 12, 17]),
            (["--by", "length"], [12, 14, 17]),
            (["--by", "length", "--descending"], [12, 14, 17]),
            (["--by", "length", "--ascending"], [11, 12, 17]),
            (["--by", "length", "--per", "corpus"], [12, 13, 14, 16, 17]),
            (["--by", "length", "--missing", "drop"], [12, 14]),
            (["--by", "length", "--memory-limit", "1GiB"], [12, 14, 17]),
        ],
    )
    def test_the_best_of_each_group_is_kept(self, words, expected):
        assert kept(*words) == expected

    def test_the_rows_are_whole_and_as_they_were(self):
        with open("docs.csv", "w") as file:
            file.write('doc_id,length,note\n11,43.50,007\n13,7.00,"a,""b"""\n17,,""\n18,1.25,\n')
        given("deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id", "--by", "length")
        output = ["--by", "length", "--ascending", "--output", "keep.csv"]
        given("deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id", *output)
        with open("keep.csv") as file:
            lines = file.read().splitlines()
        assert lines == [
            '"doc_id","length","note"',
            '13,"7.00","a,""b"""',
            '17,,""',
            '18,"1.25",',
        ]

    def test_numbers_are_compared_as_numbers_and_dates_as_dates(self):
        with open("docs.csv", "w") as file:
            file.write("doc_id,score,seen\n11,9.50,2024-01-02\n13,10.25,2023-12-31\n")
        assert kept("--by", "score") == [13]
        assert kept("--by", "seen") == [11]

    @pytest.mark.parametrize("ascending", [False, True])
    @pytest.mark.parametrize("kind", ["integers", "floats", "dates"])
    def test_values_are_ordered_as_pandas_orders_them(self, folder, kind, ascending):
        random = Random(kind)
        make = {
            "integers": lambda: str(random.randrange(-12, 120)),
            "floats": lambda: f"{random.random() * 100:.3}",
            "dates": lambda: f"20{random.randrange(10, 30)}-0{random.randrange(1, 9)}-11T08:30",
        }[kind]
        missing = ["NA", "N/A", "null", "None", "NaN", "nan", "?", "-", ""]
        values = [random.choice([make(), make(), random.choice(missing)]) for _ in range(60)]
        docs = pd.DataFrame(
            {"doc_id": range(60), "value": values, "set": [k % 12 for k in range(60)]}
        )
        docs.to_csv(folder / "docs.csv", index=False)
        docs[["doc_id", "set"]].assign(set=docs["set"]).to_csv(folder / "pairs.csv", index=False)
        present = docs["value"].where(~docs["value"].isin(missing))
        as_type = pd.to_datetime if kind == "dates" else pd.to_numeric
        ordered = docs.assign(value=as_type(present)).sort_values(
            "value", ascending=ascending, na_position="last", kind="stable"
        )
        expected = sorted(ordered.groupby("set")["doc_id"].first())
        words = ["--by", "value", "--ascending" if ascending else "--descending"]
        assert kept(*words, "--source", "doc_id", "--destination", "set") == expected

    @pytest.mark.parametrize(
        ("values", "says"),
        [
            (
                ["7", "1,000", "9"],
                "column 'v' of docs.csv: '1,000' in row 2 .* not a number, unlike other",
            ),
            (["7", "NA", "n.d."], "'n.d.' in row 3"),
            (["7", "0x10", ""], "'0x10' in row 2"),
            (["-", "1,000", "2,500"], "'1,000' in row 2 .* neither a plain number nor an ISO date"),
            (["31/12/2024", "1/1/2025", ""], "'31/12/2024' in row 1"),
            (["2024-01-02", "?", "later"], "'later' in row 3 .* not an ISO date"),
            (["2024-01-02", "2024-02-30", ""], "'2024-02-30' in row 2"),
            ([f"{2**64}", f"{2**64 + 1}", ""], f"'{2**64 + 1}' in row 2 .* is rounded"),
            ([f"{2**53 + 1}", "0.5", f"{2**53}"], f"'{2**53 + 1}' in row 1 .* is rounded"),
            (["2024-01-02T08:00Z", "2024-01-02T08:00", ""], "row 2 .* without a time zone"),
        ],
    )
    def test_other_values_are_refused_by_row(self, folder, values, says):
        frame = pd.DataFrame({"doc_id": [11, 13, 14], "v": values})
        frame.to_csv(folder / "docs.csv", index=False)
        words = ["deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id", "--by", "v"]
        assert re.search(f"{says}.* --by-text", refused(*words))
        expected = frame.sort_values("v", ascending=False, kind="stable")["doc_id"].iloc[0]
        assert kept("--by", "v", "--by-text") == [expected]

    def test_values_are_checked_before_ids(self, folder):
        (folder / "docs.csv").write_text("doc_id,v\n11,3\n,x\n")
        words = ["deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id"]
        assert "'x' in row 2" in refused(*words, "--by", "v")
        assert "--missing drop" in refused(*words)

    def test_a_table_that_is_none_is_refused_by_its_row_or_column(self, folder):
        words = ["deduplicate", "docs.csv", "pairs.csv", "--on", "id", "--by", "v", "--json"]
        for content, says in (
            ("id,v\n1,9\n2,1,000\n", "Row #3: Expected 2 columns, got 3"),
            ("id,v,v\n1,9,1\n", "docs.csv has 2 columns called 'v'"),
            ("\n", "docs.csv is empty: its first line must name the columns"),
        ):
            (folder / "docs.csv").write_text(content)
            assert says in refused(*words)

    def test_ids_that_are_spelled_otherwise_are_told(self, folder):
        words = ["deduplicate", "docs.csv", "pairs.csv", "--on", "id", "--output", "keep.csv"]
        for docs, pairs in (("007", "7"), ("7", "007")):
            (folder / "pairs.csv").write_text(f"src,dst\n{pairs},8\n")
            (folder / "docs.csv").write_text(f"id,len\n{docs},5\n8,9\n10,2\n")
            done = CliRunner().invoke(main, words)
            assert done.exit_code == 0
            assert re.fullmatch(f"Warning: 1 of 3 ids in 'id' .*, such as {docs}:.*\n", done.stderr)
            assert given(*words, "--quiet") == ""
            (folder / "docs.csv").write_text(f"id,len\n{docs},5\n10,2\n")
            assert "docs.csv: no id in 'id' is a vertex" in refused(*words)

    @pytest.mark.parametrize("kind", ["parquet", "arrow", "tsv", "csv.gz"])
    def test_formats(self, kind):
        table = pyarrow.csv.read_csv("docs.csv")
        if kind == "parquet":
            pq.write_table(table, "docs.parquet")
        elif kind == "arrow":
            with pyarrow.ipc.new_file("docs.arrow", table.schema) as writer:
                writer.write_table(table)
        else:
            text = DOCS if kind == "csv.gz" else DOCS.replace(",", "\t")
            packed = gzip.compress(text.encode()) if kind == "csv.gz" else text.encode()
            with open(f"docs.{kind}", "wb") as file:
                file.write(packed)
        assert kept("--by", "length", docs=f"docs.{kind}") == [12, 14, 17]

    def test_a_folder_or_a_pattern_is_one_table(self, folder):
        (folder / "docs").mkdir()
        lines = DOCS.splitlines(keepends=True)
        (folder / "docs/a.csv").write_text("".join(lines[:3]))
        (folder / "docs/b.csv").write_text("".join([lines[0], *lines[3:]]))
        assert kept("--by", "length", docs="docs") == [12, 14, 17]
        assert kept("--by", "length", docs="docs/*.csv") == [12, 14, 17]
        assert "no file matches" in refused("deduplicate", "x*.csv", "pairs.csv", "--on", "doc_id")
        (folder / "docs/c.csv").write_text("doc_id,width\n1,2\n")
        words = ["deduplicate", "docs", "pairs.csv", "--on", "doc_id"]
        assert "different columns" in refused(*words)

    def test_names_and_weights_of_pairs(self, folder):
        (folder / "scored.csv").write_text("a,b,score\n11,13,.9\n13,14,.5\n12,16,.8\n")
        words = ["--left", "a", "--right", "b", "--weight", "score", "--at-least", ".8"]
        assert kept("--by", "length", *words, pairs="scored.csv") == [12, 13, 14, 17]

    @pytest.mark.extended
    @pytest.mark.slow
    def test_standard_input_and_output(self):
        words = ["--on", "doc_id", "--by", "length", "--output", "-"]
        expected = b'"doc_id","length","corpus"\n12,41,"books"\n14,51,"books"\n17,27,"web"\n'
        for own, content in (
            (["-", "pairs.csv", "--format", "csv"], DOCS),
            (["docs.csv", "-", "--pairs-format", "csv"], PAIRS),
        ):
            line = [*COMMAND, "deduplicate", *own, *words]
            done = subprocess.run(line, input=content.encode(), capture_output=True, check=False)
            assert (done.stdout, done.stderr) == (expected, b"")
        said = refused("deduplicate", "docs.csv", "pairs.csv", *words, "--json")
        assert "standard output" in said

    def test_what_is_told(self):
        told = given("deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id")
        assert "6 in docs.csv" in told
        assert "2, the largest of 3" in told
        words = ["--on", "doc_id", "--output", "keep.csv", "--json"]
        facts = json.loads(given("deduplicate", "docs.csv", "pairs.csv", *words))
        known = {"rows": 6, "edges": 3, "components": 2, "kept": 3, "removed": 3}
        assert facts.items() >= known.items()
        assert facts["output"] == "keep.csv"
        assert given("deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id", "--quiet") == ""

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["--on", "docid"], "no column 'docid'; did you mean 'doc_id'?"),
            (["--on", "doc_id", "--by", "len_gth"], "did you mean 'length'?"),
            (["--on", "doc_id", "--per", "corpse"], "did you mean 'corpus'?"),
            (["--on", "doc_id", "--left", "scr"], "did you mean 'src'?"),
            (["--on", "doc_id", "--missing", "raise"], "17"),
            (["--on", "corpus"], "cannot be compared"),
            (["--on", "doc_id", "--output", "docs.csv"], "is the input file"),
            (["--on", "doc_id", "--output-format", "csv"], "needs --output"),
            (["--on", "doc_id", "--at-least", "1"], "--weight"),
            ([], "'--on'"),
        ],
    )
    def test_what_is_refused(self, words, said):
        with open("names.arrow", "wb") as sink:
            table = pa.table({"src": [11, 13], "dst": [13, 14]})
            with pyarrow.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
        pairs = "names.arrow" if "corpus" in words else "pairs.csv"
        assert said in refused("deduplicate", "docs.csv", pairs, *words)

    def test_files_that_cannot_be_read(self, folder):
        (folder / "bad.csv").write_text("doc_id,length\n1\n")
        (folder / "empty.csv").write_text("")
        (folder / "graph.mtx").write_text("%%MatrixMarket")
        (folder / "bad.parquet").write_text("doc_id")
        for name, said in (
            ("bad.csv", "Expected 2 columns, got 1"),
            ("empty.csv", "mpty"),
            ("graph.mtx", "is mtx"),
            ("bad.parquet", "bad.parquet"),
            ("none.csv", "does not exist"),
        ):
            assert said in refused("deduplicate", name, "pairs.csv", "--on", "doc_id")
        assert "Only one" in refused("deduplicate", "-", "-", "--on", "doc_id")

    def test_rows_without_an_id(self, folder):
        (folder / "docs.csv").write_text(DOCS + ",99,web\n")
        said = refused("deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id")
        assert "1 of 7 rows has no id in 'doc_id'" in said
        assert "--missing drop" in said
        assert kept("--by", "length", "--missing", "drop") == [12, 14]

    def test_ids_of_text_files_are_alike(self, folder):
        (folder / "docs.csv").write_text(DOCS + "x1,99,web\n")
        assert kept("--by", "length") == ["12", "14", "17", "x1"]
        (folder / "docs.csv").write_text(DOCS)
        (folder / "pairs.csv").write_text(PAIRS + "x1,11\n")
        assert kept("--by", "length") == [12, 14, 17]

    def test_blanks_around_ids_are_not_part_of_them(self, folder):
        (folder / "docs.csv").write_text(DOCS.replace("11,", " 11 ,"))
        assert kept() == [" 11 ", "12", "17"]

    def test_tables_of_utf_16(self, folder):
        (folder / "docs.csv").write_text(DOCS, encoding="utf-16")
        assert kept("--by", "length") == [12, 14, 17]

    def test_huge_and_negative_ids(self, folder):
        (folder / "docs.csv").write_text(f"doc_id,n\n{2**62},1\n-5,2\n0,3\n")
        (folder / "pairs.csv").write_text(f"src,dst\n{2**62},-5\n")
        assert kept("--by", "n") == [-5, 0]

    def test_without_rows(self, folder):
        (folder / "docs.csv").write_text("doc_id,length\n")
        assert kept("--by", "length") == []
        (folder / "docs.csv").write_text(DOCS)
        (folder / "pairs.csv").write_text("src,dst\n")
        words = ["deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id", "--output", "keep.csv"]
        done = CliRunner().invoke(main, words)
        assert (done.exit_code, done.stderr) == (0, "Warning: pairs.csv has no rows\n")
        assert pyarrow.csv.read_csv("keep.csv")["doc_id"].to_pylist() == [11, 12, 13, 14, 16, 17]

    def test_dropped_documents_are_listed_with_the_ones_kept(self, folder):
        words = ["--by", "length", "--dropped", "dropped.csv", "--json"]
        facts = json.loads(given("deduplicate", "docs.csv", "pairs.csv", "--on", "doc_id", *words))
        assert (facts["removed"], facts["dropped"]) == (3, "dropped.csv")
        rows = pyarrow.csv.read_csv("dropped.csv").to_pydict()
        assert list(rows) == ["doc_id", "kept_doc_id", "labels", "length", "kept_length"]
        assert rows["doc_id"] == [11, 13, 16]
        assert rows["kept_doc_id"] == [14, 14, 12]
        assert rows["labels"] == [11, 11, 12]
        pairs = Path("pairs.csv").read_text().splitlines()
        scored = [f"{pairs[0]},w", *(f"{pair},0.{k}" for k, pair in enumerate(pairs[1:], 7))]
        Path("scored.csv").write_text("\n".join(scored))
        words += ["--on", "doc_id", "--weight", "w", "--at-least", "0.1"]
        given("deduplicate", "docs.csv", "scored.csv", *words)
        scores = pyarrow.csv.read_csv("dropped.csv")["weakest_weight"].to_pylist()
        assert scores == [0.7, 0.8, 0.9]
        for same in ("a.csv", f"../{folder.name}/a.csv"):
            words = ["--on", "doc_id", "--output", "a.csv", "--dropped", same]
            assert "the same file" in refused("deduplicate", "docs.csv", "pairs.csv", *words)

    def test_ids_of_several_columns(self, folder):
        (folder / "docs.csv").write_text("of,id,n\na,1,5\nb,2,9\na,2,1\nb,1,4\nb,007,3\n")
        names = "source_dataset_l,unique_id_l,source_dataset_r,unique_id_r"
        (folder / "pairs.csv").write_text(f"{names}\na,1,b,2\na,2,b,1\n")
        sides = ["source_dataset_l,unique_id_l", "source_dataset_r,unique_id_r"]
        for ends in ([], ["--left", sides[0], "--right", sides[1]]):
            words = ["deduplicate", "docs.csv", "pairs.csv", "--by", "n", *ends]
            given(*words, "--on", "of,id", "--output", "keep.parquet")
            assert pq.read_table("keep.parquet")["n"].to_pylist() == [9, 4, 3]
        assert "have 2 columns, but --on names 1 column" in refused(*words, "--on", "id")
        for other in (["convert", "pairs.csv", "e.csv"], ["verify", "pairs.csv", "pairs.csv"]):
            assert "ids have several columns" in refused(*other)


class TestLink:
    def labels(self, *words):
        given("link", "people.csv", *words, "--output", "entities.parquet")
        table = pq.read_table("entities.parquet")
        return table["labels"].to_pylist()

    def test_records_that_share_a_key(self):
        assert self.labels(*KEYS, "--id", "record_id") == [11, 11, 11, 14]
        assert self.labels(*KEYS) == [0, 0, 0, 3]
        assert self.labels("--key", "email") == [0, 1, 0, 3]
        assert self.labels(*KEYS, "--labels", "dense") == [0, 0, 0, 1]
        assert self.labels(*KEYS, "--max-group", "1") == [0, 1, 2, 3]
        assert self.labels("--key", "email", "--ignore", "ann@x.org") == [0, 1, 2, 3]

    def test_whole_records_with_their_entity(self):
        given("link", "people.csv", *KEYS, "--attach", "who", "--output", "with.csv")
        with open("with.csv") as file:
            lines = file.read().splitlines()
        assert lines[0] == '"record_id","email","name","birthday","who"'
        assert lines[2] == '12,,"A. Lee","1990-05-01",0'
        assert "'name' already" in refused(
            "link", "people.csv", *KEYS, "--attach", "name", "--output", "with.csv"
        )

    def test_numbers_in_text_are_compared_as_they_are_written(self, folder):
        (folder / "people.csv").write_text("phone,id\n7,1\n007,2\n7,3\n0,4\n0,5\n1.5,6\n1.5,7\n")
        words = ["--key", "phone", "--ignore", "0"]
        assert self.labels(*words) == [0, 1, 0, 3, 4, 5, 5]
        pq.write_table(pa.table({"phone": [7, 7, 0, 0]}), "people.parquet")
        given("link", "people.parquet", *words, "--output", "o.parquet")
        assert pq.read_table("o.parquet")["labels"].to_pylist() == [0, 0, 2, 3]

    def test_words_for_missing_values(self, folder):
        rows = "NA,NA\nNA,NA\n5,null\n5,x\n?,null\n?,x\n,NULL\n"
        (folder / "people.csv").write_text("phone,email\n" + rows)
        assert self.labels("--key", "phone") == [0, 1, 2, 2, 4, 5, 6]  # as in a column of integers
        words = ["link", "people.csv", "--key", "email", "--output", "o.parquet"]
        warning = CliRunner().invoke(main, words).stderr
        assert "'NA' in 2 rows, 'null' in 2 rows" in warning
        assert "pass --ignore NA --ignore null" in warning
        assert pq.read_table("o.parquet")["labels"].to_pylist() == [0, 0, 2, 3, 2, 3, 6]
        given(*words, "--ignore", "NA", "--ignore", "null")
        assert pq.read_table("o.parquet")["labels"].to_pylist() == [0, 1, 2, 3, 4, 3, 6]

    def test_the_separator_and_the_encoding_of_a_table(self, folder):
        (folder / "people.csv").write_bytes("n,x|id\n\xe9,x|1\n\xe9,x|2\n".encode("latin-1"))
        words = ["--encoding", "latin-1", "--delimiter", "|"]
        assert self.labels("--key", "n,x", *words) == [0, 0]
        assert "not text in ascii" in refused(
            "link", "people.csv", "--key", "id", "--encoding", "ascii"
        )
        (folder / "pairs.csv").write_text("src,dst\n1,2\n")
        words = ["--docs-encoding", "latin-1", "--docs-delimiter", "|", "--output", "o.csv"]
        given("deduplicate", "people.csv", "pairs.csv", "--on", "id", *words)
        assert (folder / "o.csv").read_text() == '"n,x","id"\n"\xe9,x",1\n'
        pq.write_table(pa.table({"n": [7, 7]}), "people.parquet")
        said = refused("link", "people.parquet", "--key", "n", "--delimiter", "|")
        assert "people.parquet is parquet: leave it out" in said

    def test_a_column_with_a_comma_in_its_name(self, folder):
        (folder / "people.csv").write_text('"a,b",c\n1,2\n1,3\n')
        assert self.labels("--key", "a,b") == [0, 0]

    def test_what_is_told(self):
        told = given("link", "people.csv", *KEYS, "--id", "record_id")
        assert "2, the largest of 3 records" in told
        assert "1 link; 2 records without a value" in told
        words = ["--key", "email", "--max-group", "1"]
        assert "left out 1 value of 2 records" in given("link", "people.csv", *words)
        facts = json.loads(given("link", "people.csv", *KEYS, "--json"))
        assert facts["keys"][1]["key"] == ["name", "birthday"]
        assert (facts["records"], facts["entities"], facts["output"]) == (4, 2, None)

    def test_standard_input(self):
        told = given("link", "-", "--format", "csv", *KEYS, "--json", content=PEOPLE)
        assert json.loads(told)["entities"] == 2
        assert json.loads(given("link", "-", *KEYS, "--json", content=PEOPLE))["entities"] == 2

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["--key", "emial"], "did you mean 'email'?"),
            (["--key", "name,birthdy"], "did you mean 'birthday'?"),
            (["--key", "email", "--id", "recordid"], "did you mean 'record_id'?"),
            (["--key", "email", "--key", "email"], "twice"),
            (["--key", "email", "--id", "email"], "null"),
            (["--key", "email", "--attach", "who"], "--attach needs --output"),
            (["--key", "email", "--output", "people.csv"], "is the input file"),
            ([], "'--key'"),
        ],
    )
    def test_what_is_refused(self, words, said):
        assert said in refused("link", "people.csv", *words)
