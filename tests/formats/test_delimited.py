"""csv, tsv and SNAP text: what is read, and what is said of a line that is wrong."""

import gzip

import pytest

from cc_rapids.errors import InputError, MissingColumnError
from cc_rapids.formats import delimited

NUMBERS = [(i, (7 * i) % 101) for i in range(60)]
LINES = [f"{a} {b}" for a, b in NUMBERS]


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "src,dst\n" + "\n".join(LINES).replace(" ", ",")),
        ("a.csv", "\n".join(LINES).replace(" ", ",") + "\n"),
        ("a.csv", "src,dst\r\n" + "\r\n".join(LINES).replace(" ", ",") + "\r\n"),
        ("a.csv", "\ufeffsrc,dst\n" + "\n\n".join(LINES).replace(" ", ", ")),
        ("A.TSV", "src\tdst\tw\n" + "\n".join(f"{line}\t0.5" for line in LINES).replace(" ", "\t")),
        ("a.txt", "\n".join(LINES)),
        ("a.snap", "# a comment\n\n% another\n" + "\n# in the middle\n".join(LINES) + "\n# end"),
        ("a.el", "".join(f" {line}  \t\r\n".replace(" ", " \t ") for line in LINES)),
        ("a.edges", "".join(f"{line}{' 1.5 x' * (i % 3)}\n" for i, line in enumerate(LINES))),
        ("a.txt", "".join(f"{line} 1.5\n" for line in LINES)),
        ("a.txt", "src dst\n" + "\n".join(LINES)),
    ],
)
def test_one_list_of_edges_in_many_spellings(read, name, content):
    pairs, types, file = read(name, content)
    assert pairs == NUMBERS
    assert types == ["int64", "int64"]
    assert (file.source, file.destination) == ("src", "dst")
    assert file.vertices is None


class TestHeader:
    @pytest.mark.parametrize(
        ("name", "content", "header", "names", "edges"),
        [
            ("a.csv", "1,2\n3,4\n", None, ("src", "dst"), 2),
            ("a.csv", "1,2,x\n3,4,y\n", None, ("src", "dst"), 2),
            ("a.csv", "1,b\n3,4\n", None, ("1", "b"), 1),
            ("a.csv", "1,2\n3,4\n", True, ("1", "2"), 1),
            ("a.csv", "x,y\nz,x\n", None, ("x", "y"), 1),
            ("a.csv", "x,y\nz,x\n", False, ("src", "dst"), 2),
            ("a.tsv", "1\t2\n", None, ("src", "dst"), 1),
            ("a.txt", "x y\nz x\n", None, ("src", "dst"), 2),
            ("a.txt", "x y\nz x\n", True, ("x", "y"), 1),
            ("a.txt", "# c\nx y\n\n% c\n1 2\n", None, ("x", "y"), 1),
            ("a.txt", "x y\n1 2\n", False, ("src", "dst"), 2),
        ],
    )
    def test_guess_and_override(self, read, name, content, header, names, edges):
        pairs, _, file = read(name, content, header=header)
        assert (file.source, file.destination) == names
        assert len(pairs) == edges

    @pytest.mark.parametrize(
        ("columns", "options", "picked"),
        [
            ("a,b,c", {}, "a b"),
            ("id,dst,src", {}, "src dst"),
            ("id,Source,TARGET", {}, "Source TARGET"),
            ("w,From,To", {}, "From To"),
            ("a,b,c", {"source": "b"}, "b a"),
            ("a,b,c", {"source": "c"}, "c b"),
            ("a,b,c", {"destination": "a"}, "b a"),
            ("a,b,c", {"source": "c", "destination": "a"}, "c a"),
            ("id,src,dst", {"source": "dst"}, "dst src"),
        ],
    )
    def test_choice_of_columns(self, read, columns, options, picked):
        pairs, _, file = read("a.csv", f"{columns}\n{columns}\n", **options)
        assert f"{file.source} {file.destination}" == picked
        assert pairs == [tuple(picked.split())]
        assert file.table.column_names == picked.split()

    def test_columns_without_a_header(self, read):
        assert read("a.csv", "1,2,3\n", source="col2", destination="src")[0] == [(3, 1)]

    def test_missing_column_names_the_nearest(self, refusal):
        said = refusal("a.csv", "user,item\n1,2\n", MissingColumnError, source="usr")
        assert "'usr'" in said
        assert "did you mean 'user'?" in said

    def test_missing_column_names_those_there_are(self, refusal):
        said = refusal("a.csv", "user,item\n1,2\n", MissingColumnError, source="zzz")
        assert "user, item" in said

    @pytest.mark.parametrize("options", [{"source": "b", "destination": "b"}, {}])
    def test_equal_columns(self, refusal, options):
        said = refusal("a.csv", "b,b\n1,2\n", InputError, **options)
        assert "both column 'b'" in said


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ""),
        ("a.csv", "\n\r\n"),
        ("a.csv", "src,dst"),
        ("a.csv", "\ufeffsrc,dst\r\n"),
        ("a.tsv", "src\tdst\n"),
        ("a.txt", ""),
        ("a.txt", "# only\n% comments"),
        ("a.csv.gz", gzip.compress(b"", mtime=0)),
    ],
)
def test_nothing_is_no_edges(read, name, content):
    pairs, types, file = read(name, content)
    assert pairs == []
    assert types == ["int64", "int64"]
    assert file.table.column_names == ["src", "dst"]


class TestMalformed:
    pytestmark = pytest.mark.usefixtures("blocks")

    @pytest.mark.parametrize(
        ("name", "content", "line", "text"),
        [
            ("a.csv", "a,b\n" + "1,2\n" * 40 + "3\n4,5\n", 42, "'3'"),
            ("a.csv", "a,b\n1,2\n\n3,4,5\n6,7\n", 4, "'3,4,5'"),
            ("a.csv", "a,b\r\n1,2\r\n3,4,5\r\n", 3, "'3,4,5'"),
            ("a.csv", 'a,b\n1,2\n"3,4\n', 3, "'\"3,4'"),
            ("a.tsv", "1\t2\n1,2\n", 2, "'1,2'"),
            ("a.txt", "# c\n1 2\n% c\n\n   3\n4 5\n", 5, "'   3'"),
            ("a.txt", "1\n", 1, "'1'"),
            ("a.csv", "a;b\n1;2\n", 1, "separated by commas"),
            ("a.csv", b"a,b\n1,2\n3,\xff\n", 3, "not UTF-8"),
            ("a.txt", b"# c\n1 2\n3 \xe9t\xe9\n", 3, "not UTF-8"),
            ("a.csv", "a,b\n1,2\n".encode("utf-16"), 1, "not UTF-8"),
        ],
    )
    def test_the_line_is_named(self, refusal, name, content, line, text):
        said = refusal(name, content)
        assert f"line {line}:" in said
        assert text in said

    def test_a_long_line_is_cut_in_the_message(self, refusal, monkeypatch):
        monkeypatch.setattr(delimited, "BLOCK_BYTES", 1 << 12)
        said = refusal("a.csv", "a,b\n1,2,3" + "x" * 1000 + "\n")
        assert len(said) < 300
        assert "..." in said

    def test_a_wide_line_is_read(self, read, monkeypatch):
        monkeypatch.setattr(delimited, "BLOCK_BYTES", 16 << 20)
        wide = "x" * (3 << 20)
        assert read("a.csv", f"a,b,c\n1,2,{wide}\n")[0] == [(1, 2)]

    def test_not_text_at_all(self, refusal):
        said = refusal("a.csv", b"a" * 200)
        assert "line 1" in said
