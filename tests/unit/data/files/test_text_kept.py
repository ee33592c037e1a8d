"""Ids that are text: each comes back byte for byte, or is refused by its row."""

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.edge_files import read_edges
from support.odd_ids import IDS, ODD

from cc_rapids import components, stream_components
from cc_rapids.data.files import quoted
from cc_rapids.data.files.write import EdgeList, write_edges, write_table
from cc_rapids.errors import FormatError

pytestmark = pytest.mark.filterwarnings("ignore:.* is read as an id")

QUOTED = ("csv", "tsv")
LISTS = st.lists(st.tuples(IDS, st.none() | IDS), min_size=1, max_size=12)
SETTINGS = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    max_examples=25,
)


def edge_list(rows, kind=None):
    src, dst = zip(*rows, strict=True)
    kind = kind or pa.string()
    table = pa.table({"src": pa.array(src, kind), "dst": pa.array(dst, kind)})
    return EdgeList([table], len(table), None, table.schema)


def pairs(path, **options):
    table = read_edges(path, **options).table
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.fixture
def small(tuned):
    """Read in blocks of so many bytes, and look for quotes in windows of so many."""

    def cut(block, window):
        tuned(text_block_bytes=block, quote_window_bytes=window)

    return cut


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "tsv.zst", "arrow", "parquet"])
@SETTINGS
@given(LISTS, st.integers(30, 200), st.integers(1, 60))
@example([(word, word) for word in ODD], 40, 20)
@example([(word, None) for word in ODD], 1 << 20, 1 << 20)
def test_all_text_comes_back(tmp_path, small, suffix, rows, block, window):
    small(block, window)
    write_edges(edge_list(rows), tmp_path / f"e.{suffix}")
    assert pairs(tmp_path / f"e.{suffix}") == rows


@pytest.mark.parametrize("word", ODD)
@pytest.mark.parametrize("kind", QUOTED)
def test_a_word_alone(tmp_path, kind, word):
    write_edges(edge_list([(word, word)]), tmp_path / "e", format=kind)
    assert pairs(tmp_path / "e", format=kind) == [(word, word)]


@SETTINGS
@given(LISTS, st.integers(30, 200))
def test_text_between_blanks_comes_back_or_is_refused(tmp_path, small, rows, block):
    small(block, block)
    path = tmp_path / "e.txt"
    path.unlink(missing_ok=True)
    refused = None
    try:
        write_edges(edge_list(rows), path)
    except FormatError as error:
        refused = str(error)
    if refused is None:
        assert pairs(path) == rows
    else:
        assert not path.exists()
        assert " row " in refused
        assert "write csv, tsv, arrow or parquet" in refused


@pytest.mark.parametrize(
    "word", ['say"hi"', "\x85", "a\u2028b", "\x1c", "\xa0x", "\x00", "\ufeffx"]
)
def test_between_blanks_other_blanks_are_letters(tmp_path, word):
    write_edges(edge_list([("a", word), (word, "b")]), tmp_path / "e.txt")
    assert pairs(tmp_path / "e.txt") == [("a", word), (word, "b")]


@pytest.mark.parametrize(
    "word", ["", None, "a b", "a\tb", "a\vb", "\f", "a\rb", "a\nb", "#a", "%", " a", '"']
)
def test_between_blanks_the_row_is_named(tmp_path, word):
    rows = edge_list([("a", "b"), ("a", "c"), (word, "a"), ("d", word)])
    with pytest.raises(FormatError, match=r"1 values of column 'src' .* row 2; write csv"):
        write_edges(rows, tmp_path / "e.txt")
    assert list(tmp_path.iterdir()) == []


def test_the_row_is_that_of_all_pieces(tmp_path):
    table = edge_list([("a", "b")] * 3 + [("a", "b c")]).pieces[0]
    rows = EdgeList([table.slice(0, 2), table.slice(2)], 4, None, table.schema)
    with pytest.raises(FormatError, match="'b c' in row 3"):
        write_edges(rows, tmp_path / "e.txt")
    numbers = pa.table({"src": [0, 1, 7], "dst": [1, 2, 3]})
    rows = EdgeList([numbers.slice(0, 2), numbers.slice(2)], 3, range(4), numbers.schema)
    with pytest.raises(FormatError, match=r"row 2: src 7 is not one .* write csv"):
        write_edges(rows, tmp_path / "e.he")


@pytest.mark.parametrize("words", [["1", "2"], ["NULL", "7"], ["nan", "NA"], [str(2**64 - 1), "3"]])
def test_text_that_looks_like_numbers_needs_quotes(tmp_path, words):
    rows = [tuple(words), ("5", "6")]
    with pytest.raises(FormatError, match=r"'src' is text .* in row 0, .* write csv"):
        write_edges(edge_list(rows), tmp_path / "e.txt")
    for kind in QUOTED:
        write_edges(edge_list(rows), tmp_path / "e", format=kind)
        assert pairs(tmp_path / "e", format=kind) == rows
    write_edges(edge_list([*rows, ("x", "y")]), tmp_path / "e.txt")
    assert pairs(tmp_path / "e.txt") == [*rows, ("x", "y")]


def test_text_that_looks_like_floats_needs_quotes(tmp_path):
    rows = [("a", "7"), ("b", "1.5")]
    with pytest.raises(FormatError, match=r"'dst' is text .* '1.5' in row 1, .* write csv"):
        write_edges(edge_list(rows), tmp_path / "e.txt")
    for kind in QUOTED:
        write_edges(edge_list(rows), tmp_path / "e", format=kind)
        assert pairs(tmp_path / "e", format=kind) == rows


def test_numbers_stay_numbers_beside_text_in_quotes(tmp_path):
    table = pa.table({"vertex": ["1", "2"], "labels": [0, 1]})
    write_table(table, tmp_path / "l.csv")
    assert (tmp_path / "l.csv").read_text() == '"vertex","labels"\n"1",0\n"2",1\n'
    table = pa.table({"src": ["1"], "dst": [5]})
    write_edges(EdgeList([table], 1, None, table.schema), tmp_path / "e.csv")
    assert pairs(tmp_path / "e.csv") == [("1", "5")]


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt"])
def test_text_of_other_types(tmp_path, suffix, kind):
    rows = [("a", "1"), ("b", "a")]
    table = edge_list(rows).pieces[0].cast(pa.schema({"src": kind, "dst": kind}))
    write_edges(EdgeList([table], 2, None, table.schema), tmp_path / f"e.{suffix}")
    assert pairs(tmp_path / f"e.{suffix}") == rows


class TestRead:
    """What stands in quotes is text, to the last blank; what does not, is as it always was."""

    @pytest.fixture(
        params=[(16 << 20, 1 << 20), (30, 7)], ids=["one block", "many blocks"], autouse=True
    )
    def blocks(self, request, small):
        small(*request.param)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('" x",x\n', [(" x", "x")]),
            ('" x" , x \n', [(" x", "x")]),
            ('  "a,b",\t"c"\n', [("a,b", "c")]),
            ('"a\nb","c\r\nd"\r\ne,f\r\n', [("a\nb", "c\r\nd"), ("e", "f")]),
            ('"NULL","NA"\n1,2\n', [("NULL", "NA"), ("1", "2")]),
            ('1,NULL\n2,\\N\n', [(1, None), (2, None)]),
            ('1,"NULL"\n2,3\n', [("1", "NULL"), ("2", "3")]),
            ('1,"\\N"\n2,\n', [("1", "\\N"), ("2", None)]),
            ('"1","01"\n', [("1", "01")]),
            ('"1","2"\n3,4\n', [("1", "2"), ("3", "4")]),
            ('1,""\n2,3\n', [(1, None), (2, 3)]),
            ('a,""\n,b\n', [("a", ""), (None, "b")]),
            ('"",""\n', [("", "")]),
            ('"a","b"', [("a", "b")]),
            ('a,5"\n6",b"c\n', [("a", '5"'), ('6"', 'b"c')]),
            ('a,5" x 7"\n"q\nr",s\n', [("a", '5" x 7"'), ("q\nr", "s")]),
            ('""""," "" "\n', [('"', ' " ')]),
            ("a,b\r\nc,d\r\n", [("a", "b"), ("c", "d")]),
            ("a,b\rc,d\r", [("a", "b"), ("c", "d")]),
            ("1,2\r3,4", [(1, 2), (3, 4)]),
            ('"a",b\r"c\rd",e\r', [("a", "b"), ("c\rd", "e")]),
            ("1,2\n\n\n3,4\n", [(1, 2), (3, 4)]),
            ('"1",2\n\n\r\n"3",4\n', [("1", "2"), ("3", "4")]),
            ("ä,日本\n😀,é\n" * 9, [("ä", "日本"), ("😀", "é")] * 9),
            ("a,b\n\ufeffc,d\n" * 9, [("a", "b"), ("\ufeffc", "d")] * 9),
            (",\n,\n1,2\n", [(None, None), (None, None), (1, 2)]),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
    def test_quotes(self, read, name, text, expected):
        if name == "a.tsv":
            text = text.replace(",\t", ",").replace(",", "\t")
            expected = [
                tuple(w.replace(",", "\t") if isinstance(w, str) else w for w in row)
                for row in expected
            ]
        head = "src,dst\n" if name == "a.csv" else "src\tdst\n"
        assert read(name, head + text)[0] == expected

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.mtx", "a.he", "a.graph"])
    def test_ends_of_lines(self, read, name, end):
        text = {
            "a.csv": "src,dst\n1,2\n2,3\n",
            "a.txt": "# src dst\n1 2\n2 3",
            "a.mtx": "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
            "a.he": "H 4 2 1\nE 1 2 1\nE 2 3 1\n",
            "a.graph": "3 2\n2\n1 3\n2\n",
        }[name]
        assert {(1, 2), (2, 3)} <= set(read(name, text.replace("\n", end))[0])

    @pytest.mark.parametrize(
        ("content", "line", "words"),
        [
            ('src,dst\na,b\n"c,d\ne,f\n', 3, "a quotation mark is never closed: '\"c,d"),
            ('src,dst\na,b\n"c\nd","e\n', 4, "a quotation mark is never closed"),
            (
                'src,dst\n"a\nb",c\n"d"e,f\n',
                4,
                "a field continues after its closing quote: '\"d\"e,f'",
            ),
            ('src,dst\n"a\nb",c\n"d",e,f\n', 4, "expected 2 fields, as in the first record"),
            ('src,dst\n"a\nb",c\n\n"d"\n', 5, "expected 2 fields, as in the first record"),
            (b'src,dst\n"a\nb",c\n"\xff",d\n', 4, "not UTF-8 text"),
            (b"src,dst\ra,b\r\xff,d\r", 3, "not UTF-8 text"),
        ],
    )
    def test_the_line_is_named(self, refusal, content, line, words):
        said = refusal("a.csv", content)
        assert f"line {line}: {words}" in said

    def test_quotes_in_other_columns_change_nothing(self, read):
        text = 'src,dst,name\n1,2,"x, y"\n3,NA,"a\nb"\n'
        pairs, types, _ = read("a.csv", text)
        assert pairs == [(1, 2), (3, None)]
        assert types == ["int64", "int64"]

    def test_weights_may_be_in_quotes(self, read):
        text = 'src,dst,weight\n1,2,"0.5"\n3,4,"2"\n'
        assert read("a.csv", text, weights=True)[0] == [(1, 2, 0.5), (3, 4, 2.0)]
        assert read("a.csv", text, weights=True)[1] == ["int64", "int64", "double"]


@pytest.mark.parametrize("block", [5, 1 << 20])
def test_an_id_of_many_blocks(tmp_path, small, block):
    rows = [("x" * 20_000, 'y\n"' * 2000)] if block > 5 else [("x" * 90, 'y\n"' * 20)]
    small(block, block)
    write_edges(edge_list(rows), tmp_path / "e.csv")
    assert pairs(tmp_path / "e.csv") == rows


def test_quotes_that_are_only_in_some_windows(tmp_path, small):
    small(1 << 20, 8)
    path = tmp_path / "e.csv"
    path.write_bytes(b'"a,b","c"\n' + b"d,e\r\n" * 9 + b'f,"g\r\nh" \n\n"i""j",k\n')
    kept = components(path, header=False).labels()["vertex"].to_pylist()
    assert kept == ["a,b", "c", "d", "e", "f", "g\r\nh", 'i"j', "k"]


@st.composite
def rough(draw):
    """Text with quotes where they may be and where they should not, and what it holds."""
    return draw(st.text('ab", \r\n', max_size=40))


@SETTINGS
@given(rough(), st.integers(1, 8))
def test_quotes_are_found_as_a_reader_of_bytes_finds_them(text, window):
    """By arrays and by a regular expression, whole and in windows: the same quotes."""
    data, found, start, place = text.encode(), [], True, 0
    while place < len(data):  # one letter after the other
        letter = data[place : place + 1]
        if start and letter == b'"':
            close = place + 1
            while close < len(data) and (data[close] != 34 or data[close + 1 : close + 2] == b'"'):
                close += 1 + (data[close] == 34)
            close = min(close, len(data))
            found.append((place, close))
            start, place = False, close + 1
            continue
        start = letter in (b",", b"\n", b"\r") or (start and letter == b" ")
        place += 1
    opens, closes, _ = quoted.quoted_spans(data, b",")
    assert list(zip(opens.tolist(), closes.tolist(), strict=True)) == found


def test_streams_and_whole_files_see_the_same_ids(tmp_path, small):
    rows = [(word, word + "'") for word in ODD if word] + [("1", "2"), ("2", "01")]
    write_edges(edge_list(rows), tmp_path / "e.csv")
    whole = components(tmp_path / "e.csv").labels()
    small(50, 20)
    streamed = stream_components([tmp_path / "e.csv"], memory_limit="256MiB").labels()
    for name in ("vertex", "labels"):
        assert list(streamed[name].to_pylist()) == list(whole[name].to_pylist())
    assert set(whole["vertex"].to_pylist()) == {word for row in rows for word in row}
