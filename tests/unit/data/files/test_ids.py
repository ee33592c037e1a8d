"""Ids that came as text: numbers where that loses nothing."""

import contextlib
import csv
import io
import warnings

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.edge_files import read_edges

from cc_rapids.data.files.text_ids import MISSING
from cc_rapids.data.files.write import write_table
from cc_rapids.errors import CcRapidsWarning, ColumnTypeError, FormatError

pytestmark = pytest.mark.filterwarnings("ignore:.* is read as an id")


class TestTypes:
    pytestmark = pytest.mark.usefixtures("blocks")

    @pytest.mark.parametrize(
        ("late", "expected"),
        [
            ("9223372036854775807", "int64"),
            ("9223372036854775808", "uint64"),
            ("18446744073709551616", "string"),
            ("007", "string"),
            ("-0", "string"),
            ("+5", "string"),
            ("0x1F", "string"),
            ("x", "string"),
        ],
    )
    def test_one_late_id_decides_for_both_columns(self, read, late, expected):
        pairs, types, _ = read("a.csv", "u,v\n" + "10,20\n" * 30 + f"3,{late}\n")
        as_type = str if expected == "string" else int
        assert types == [expected, expected]
        assert pairs == [(as_type(10), as_type(20))] * 30 + [(as_type(3), as_type(late))]

    def test_negative_and_unsigned_ids_have_no_common_integer(self, read):
        pairs, types, _ = read("a.csv", f"u,v\n-1,{2**63}\n")
        assert types == ["string", "string"]
        assert pairs == [("-1", str(2**63))]

    def test_empty_fields_are_nulls(self, read):
        assert read("a.csv", 'u,v\n1,\n , 2\n"",3\n')[0] == [(1, None), (None, 2), (None, 3)]

    def test_words_for_missing_are_nulls_among_numbers_only(self, read):
        numbers, types, _ = read("a.csv", "u,v\n1,NA\nnull,2\nNaN,<NA>\n")
        assert types == ["int64", "int64"]
        assert numbers == [(1, None), (None, 2), (None, None)]
        words, types, _ = read("a.csv", "u,v\n1,NA\n" + "2,3\n" * 30 + "Namibia,NA\n")
        assert types == ["string", "string"]
        assert words == [("1", "NA"), *[("2", "3")] * 30, ("Namibia", "NA")]

    @pytest.mark.parametrize("word", ["#N/A", "?", "-", "n/a", "(null)", "#REF!", "none", "-nan"])
    def test_words_of_spreadsheets_and_databases_are_nulls_among_numbers(self, read, word):
        assert read("a.csv", f"u,v\n1,{word}\n{word},2\n")[0] == [(1, None), (None, 2)]

    @pytest.mark.parametrize(
        ("content", "warned"),
        [
            ("u,v\n1,2\nann,NULL\nbob,NULL\n", "NULL in column 'v'"),
            ('"u","v"\n"ann",NA\n"bob",NA\n', "NA in column 'v'"),
            ('"u","v"\n"ann","NA"\n"bob","NA"\n', ""),
            ("u,v\nann,-\nbob,-\n", ""),
            ("u,v\n" + "ann,\n" * 1200 + "ann,NA\n", "NA in column 'v'"),
            ("u,v\n" + "ann,bob\n" * 10 + "bob,null\n", ""),
            ("u,v\n" + "ann1,bob2\n" * 10 + "bob2,null\n", "null in column 'v'"),
            ("u,v\n1,2\n", ""),
        ],
    )
    def test_a_word_for_missing_among_text_warns_unless_it_is_quoted(self, read, content, warned):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", CcRapidsWarning)
            read("a.csv", content)
        assert len(caught) == bool(warned)
        assert not warned or f"{warned} is read as an id" in str(caught[0].message)

    def test_blanks_around_fields_do_not_count(self, read):
        assert read("a.csv", "u, v\n x , y\ny,\tx\n")[0] == [("x", "y"), ("y", "x")]

    def test_quotes(self, read):
        assert read("a.csv", 'u,v\n"x,1","say ""hi"""\n')[0] == [("x,1", 'say "hi"')]
        assert read("a.txt", "\"x 'y\n", header=False)[0] == [('"x', "'y")]
        content = '"New York"  Boston\n "say ""hi"""\t"\n5" 6"7"\n'
        pairs = [("New York", "Boston"), ('say "hi"', '"'), ('5"', '6"7"')]
        assert read("a.txt", content, header=False, delimiter=" ")[0] == pairs


class TestFloats:
    """Floats are refused in text as in frames, where a column holds nothing but numbers."""

    pytestmark = pytest.mark.usefixtures("blocks")

    @pytest.mark.parametrize("value", ["1.0", "1e5", "-2.50", "+1.5", ".5", "7.", "inf", "1E-3"])
    @pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt"])
    def test_the_line_the_column_and_the_value_are_named(self, refusal, name, value):
        content = "u,v\n10,20\n\n" + "10,20\n" * 30 + f"3,{value}\n4,NA\n5,007\n"
        content = content.replace(",", {"csv": ",", "tsv": "\t", "txt": " "}[name[2:]])
        said = refusal(name, content, ColumnTypeError)
        assert "line 34:" in said
        assert "column 'v'" in said
        assert repr(value) in said
        assert "source=" in said
        assert len(said) < 600

    def test_rows_of_nulls_are_counted(self, refusal):
        content = "u\tv\n" + "\t\n" * 7 + "\n3\t1.5\n"
        assert "line 10:" in refusal("a.tsv", content, ColumnTypeError)

    def test_a_first_line_of_floats_is_data(self, refusal):
        said = refusal("a.csv", "1.0,2.5\n2.0,3.5\n", ColumnTypeError)
        assert "line 1: column 'src'" in said

    def test_a_score_between_the_ids_is_named(self, refusal):
        said = refusal("a.csv", "u,v\n" + "ann,0.5\n" * 9, ColumnTypeError)
        assert "line 2: column 'v'" in said

    def test_in_quotes_they_are_names(self, read):
        content = 'u,v\n"1.0","1e5"\n"2.5",nan\n'
        assert read("a.csv", content)[0] == [("1.0", "1e5"), ("2.5", "nan")]

    def test_what_would_be_refused_is_not_written(self, tmp_path):
        table = pa.table({"vertex": ["1.5", "7", "nan"], "labels": ["1.5", "7.0", "8"]})
        with pytest.raises(FormatError, match=r"'vertex' is text.*'1\.5' in row 0.*write csv"):
            write_table(table, tmp_path / "a.txt")
        assert list(tmp_path.iterdir()) == []
        write_table(table, tmp_path / "a.csv")
        assert read_edges(tmp_path / "a.csv").table.to_pydict() == table.to_pydict()

    def test_among_names_they_are_names(self, read):
        edges = [("1.0", "1e5"), ("v2", "1.5"), ("3", "x")]
        content = "u,v\n" + "".join(f"{a},{b}\n" for a, b in edges)
        assert read("a.csv", content)[0] == edges


IDS = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.text(st.characters(blacklist_categories=["C", "Z"]), min_size=1, max_size=5),
    st.sampled_from(["007", "-0", "NA", "#", "%x", '"', ",", "+1", " "]),
)


def are_floats(column):
    """Whether all that is there are numbers, as Python sees them, and some are not whole."""
    there = [text for text in column if text.strip() and text not in MISSING]
    with contextlib.suppress(ValueError):
        return bool([float(text) for text in there]) and any(set(".eEnN") & set(t) for t in there)
    return False


@pytest.mark.slow
@settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(IDS, IDS)), st.integers(40, 200))
def test_no_id_is_changed(tmp_path, tuned, edges, block):
    assume(not any(map(are_floats, zip(*edges, strict=True))))
    tuned(text_block_bytes=block)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("u", "v"), *edges])
    path = tmp_path / "a.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    table = read_edges(path).table
    numbers = table.schema.types[0] != pa.string()

    def expected(text):
        missing = text.strip() == "" or (numbers and text in MISSING)
        return None if missing else text

    def seen(value):
        return None if value is None else str(value)

    assert [(seen(a), seen(b)) for a, b in zip(*table.to_pydict().values(), strict=True)] == [
        (expected(a), expected(b)) for a, b in edges
    ]
