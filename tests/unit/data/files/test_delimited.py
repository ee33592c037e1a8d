"""csv, tsv and SNAP text: what is read, and what is said of a line that is wrong."""

import gzip

import pytest

from cc_rapids.data.end_columns import KNOWN_PAIRS
from cc_rapids.errors import InputError, MissingColumnError

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
        ("a.snap", "# a comment\n\n% another\n" + "\n\n".join(LINES) + "\n\n"),
        ("a.el", "".join(f" {line}  \t\r\n".replace(" ", "  ") for line in LINES)),
        ("a.csv", "% a comment\n#\n" + "".join(f"{line}  1.5\n" for line in LINES)),
        ("a.txt", "src;dst;w\n" + "".join(f"{a};{b};0,5\n" for a, b in NUMBERS)),
        ("a.csv", "sep=|\nsrc|dst|\n" + "".join(f"{a}|{b}|\n" for a, b in NUMBERS)),
        ("a.csv", "src,dst\n" + "\r".join(f"{a},{b}" for a, b in NUMBERS)),
        ("a.csv", ("src\tdst\r\n" + "\r\n".join(LINES).replace(" ", "\t")).encode("utf-16")),
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


@pytest.mark.usefixtures("blocks")
class TestHeader:
    @pytest.mark.parametrize(
        ("name", "content", "header", "names", "edges"),
        [
            ("a.csv", "1,2\n3,4\n", None, ("src", "dst"), 2),
            ("a.csv", "1,2,x\n3,4,y\n", None, ("src", "dst"), 2),
            ("a.csv", "1,2,0.5\n3,4,0.25\n", None, ("src", "dst"), 2),
            ("a.csv", "1,2\n", None, ("src", "dst"), 1),
            ("a.csv", "1,2\n,NA\n3,4\n", None, ("src", "dst"), 3),
            ("a.csv", "1,2\n3,4\n", True, ("1", "2"), 1),
            ("a.csv", "x,y\nz,x\n", True, ("x", "y"), 1),
            ("a.csv", "x,y\nz,x\n", False, ("src", "dst"), 2),
            ("a.csv", "vertex,labels\nz,x\n", None, ("vertex", "labels"), 1),
            ("a.csv", "src,target\nz,x\n", None, ("src", "target"), 1),
            ("a.csv", "source,who\n1,2\n", None, ("source", "who"), 1),
            ("a.tsv", "1\t2\n", None, ("src", "dst"), 1),
            ("a.txt", "x y\nz x\n", False, ("src", "dst"), 2),
            ("a.txt", "x y\nz x\n", True, ("x", "y"), 1),
            ("a.txt", "# c\nu v\n\n1 2\n", None, ("u", "v"), 1),
            ("a.txt", "x y\n1 2\n", False, ("src", "dst"), 2),
            ("a.txt", "# src dst\nx y\nz x\n", None, ("src", "dst"), 2),
            ("a.txt", "# FromNodeId\tToNodeId\nx\ty\n", None, ("FromNodeId", "ToNodeId"), 1),
            ("a.txt", "# a b\n1 2\n3 4\n", None, ("src", "dst"), 2),
            ("a.txt", "# lines: from to\n1 2 1082040961\n3 4 1082155839\n", None, 2 * ("",), 2),
        ],
    )
    def test_known_names_numbers_and_what_is_said(self, read, name, content, header, names, edges):
        pairs, _, file = read(name, content, header=header)
        assert (file.source, file.destination) == (names if any(names) else ("src", "dst"))
        assert len(pairs) == edges

    @pytest.mark.parametrize(
        ("name", "content", "line"),
        [
            ("a.csv", "ann,bob\nbob,cy\n", 1),
            ("a.csv", "ann,bob\n", 1),
            ("a.csv", "ann,bob\n1,2\n", 1),
            ("a.csv", "1,b\n3,4\n", 1),
            ("a.csv", "0,1\nann,bob\n", 1),
            ("a.csv", "0,1\n5,bob\n", 1),
            ("a.csv", ",0,1\n0,5,6\n1,6,7\n", 1),
            ("a.csv", "to,london\nann,bob\n", 1),
            ("a.csv", "from,a,london\nann,bob,c\n", 1),
            ("a.tsv", "10.0.0.1\t10.0.0.2\n10.0.0.2\t10.0.0.3\n", 1),
            ("a.txt", "x 1\n2 3\n4 5\n", 1),
            ("a.txt", "1 x\n2 3\n", 1),
            ("a.txt", "# c\n\nx y\n\nz x\n", 3),
            ("a.txt", "# our friends\nx y\nz x\n", 2),
            ("a.txt", "word other\n1 2\n", 1),
        ],
    )
    def test_a_line_that_may_be_either_is_refused(self, read, refusal, name, content, line):
        said = refusal(name, content)
        assert f"line {line}:" in said
        for way_out in ("header=False", "--no-header", "header=True", "--header", "source="):
            assert way_out in said
        data = [text for text in content.splitlines() if text and text[0] not in "#%"]
        assert len(read(name, content, header=False)[0]) == len(data)

    def test_names_that_are_given_make_a_header(self, read, refusal):
        content = "word,neighbour,w\nann,bob,1\n"
        found = read("a.csv", content, source="word", destination="neighbour")
        assert found[0] == [("ann", "bob")]
        assert found[2].source_format.header is True
        for options in ({"source": "word"}, {"source": "wrd", "destination": "neighbour"}):
            assert "it has word, neighbour, w" in refusal(
                "a.csv", content, MissingColumnError, **options
            )
        said = refusal("a.csv", content, MissingColumnError, source="wrd", destination="x")
        assert "did you mean 'word'?" in said
        assert "word, neighbour, w" in said
        assert "--no-header" in said

    @pytest.mark.parametrize("name", ["a.mtx", "a.he", "a.gr", "a.graph"])
    def test_other_formats_have_no_such_line(self, refusal, name):
        said = refusal(name, "1,2", InputError, header=False)
        assert "header= (--header) is for csv, tsv, snap" in said


class TestColumns:
    @pytest.mark.parametrize("at", range(len(KNOWN_PAIRS)))
    def test_known_pairs_are_taken_whole(self, read, at):
        pair, *others = KNOWN_PAIRS[at], *KNOWN_PAIRS[:at], *KNOWN_PAIRS[at + 1 :]
        halves = {first for first, second in others if not {first, second} & {*pair}}
        halves -= {second for _, second in others}
        names = ["w", pair[1].upper(), *sorted(halves), pair[0].title()]
        lines = [",".join(names), ",".join(map(str, range(len(names))))]
        pairs, _, file = read("a.csv", "\n".join(lines))
        assert (file.source, file.destination) == (pair[0].title(), pair[1].upper())
        assert pairs == [(len(names) - 1, names.index(pair[1].upper()))]

    @pytest.mark.parametrize(
        ("columns", "options", "picked"),
        [
            ("a,b", {"source": "b"}, "b a"),
            ("a,b", {"destination": "a"}, "b a"),
            ("src,target", {}, "src target"),
            ("a,b,c", {"source": "c", "destination": "a"}, "c a"),
            ("id,src,dst", {"source": "dst"}, "dst src"),
            ("id,src,dst", {"destination": "src"}, "dst src"),
            ("target,id,source,destination", {"source": "destination"}, "destination source"),
            (
                "match_weight,match_probability,unique_id_l,unique_id_r",
                {},
                "unique_id_l unique_id_r",
            ),
            ("SRC,dst,x", {}, "SRC dst"),
            ("src,dst,SRC", {}, "src dst"),
        ],
    )
    def test_choice_of_columns(self, read, columns, options, picked):
        values = columns.replace(",", "x,") + "x"
        pairs, _, file = read("a.csv", f"{columns}\n{values}\n", **options)
        assert f"{file.source} {file.destination}" == picked
        assert pairs == [tuple(f"{name}x" for name in picked.split())]
        assert file.table.column_names == picked.split()

    @pytest.mark.parametrize(
        ("columns", "options"),
        [
            ("weight,src,target", {}),
            ("src,dst,u,v", {}),
            ("source,target,destination", {}),
            ("weight,src,target", {"source": "src"}),
            ("weight,src,target", {"source": "src", "destination": "dst"}),
            ("src,weight", {"source": "src", "destination": "dst"}),
            ("a,b,c", {"source": "b"}),
            ("a,b,c", {"destination": "b"}),
            ("a,src,dst", {"source": "a"}),
            ("a,Src,Dst", {"source": "src"}),
        ],
    )
    def test_no_column_is_taken_for_another(self, refusal, columns, options):
        content = f"{columns}\n" + ",".join("12345"[: columns.count(",") + 1]) + "\n"
        said = refusal("a.csv", content, MissingColumnError, **options)
        assert columns.replace(",", ", ") in said or "which two columns are the ids" in said

    def test_many_columns_are_listed_in_few_words(self, refusal):
        names = ",".join(["src", *(f"column_{i}_{'x' * (i % 90)}" for i in range(500))])
        said = refusal("a.csv", f"{names}\n{'1,' * 500}1\n", MissingColumnError)
        assert len(said) < 600
        assert "(501 in all)" in said
        assert "src, column_0_" in said

    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"header": True},
            {"source": "x" * 5000},
            {"source": "x" * 5000, "destination": "x" * 5000},
            {"source": "a" * 400},
        ],
    )
    def test_no_message_is_long(self, refusal, options):
        names = [f"{letter}" * 400 for letter in "abcdefgh"] * 40
        said = refusal("a.csv", ",".join(names) + "\n", InputError, **options)
        assert len(said) < 600

    def test_columns_without_a_header(self, read, refusal):
        options = {"source": "col2", "destination": "src"}
        assert read("a.csv", "1,2,3\n", **options)[0] == [(3, 1)]
        said = refusal("a.csv", "1,2,3\n", MissingColumnError, source="user")
        assert "it has src, dst, col2" in said

    def test_missing_column_names_the_nearest(self, refusal):
        said = refusal("a.csv", "user,item\n1,2\n", MissingColumnError, source="usr")
        assert "'usr'" in said
        assert "did you mean 'user'?" in said

    def test_missing_column_names_those_there_are(self, refusal):
        said = refusal("a.csv", "user,item\n1,2\n", MissingColumnError, source="zzz")
        assert "user, item" in said

    @pytest.mark.parametrize(
        ("content", "options", "part"),
        [
            ("b,b\n1,2\n", {"source": "b", "destination": "b"}, "the same column 'b'"),
            ("b,b\n1,2\n", {"header": True}, "the same column 'b'"),
            ("b,b,c\n1,2,3\n", {"source": "b", "destination": "c"}, "2 columns called 'b'"),
            ("src,dst,src\n1,2,3\n", {}, "2 columns called 'src'"),
            ("Src,dst,SRC\n1,2,3\n", {}, "2 columns called 'src'"),
        ],
    )
    def test_equal_columns(self, refusal, content, options, part):
        assert part in refusal("a.csv", content, InputError, **options)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ""),
        ("a.csv", "\n\r\n"),
        ("a.csv", "src,dst"),
        ("a.csv", "\ufeffsrc,dst\r\n"),
        ("a.tsv", "src\tdst\n"),
        ("a.txt", ""),
        ("a.txt", "# only\n% comments\n# src dst"),
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
            ("a.csv", "u,v\n" + "1,2\n" * 40 + "3\n4,5\n", 42, "'3'"),
            ("a.csv", "u,v\n1,2\n\n3,4,5\n6,7\n", 4, "'3,4,5'"),
            ("a.csv", "u,v\r\n1,2\r\n3,4,5\r\n", 3, "'3,4,5'"),
            ("a.csv", 'u,v\n1,2\n"3,4\n', 3, "'\"3,4'"),
            ("a.tsv", "1\t2\n1,2\n", 2, "'1,2'"),
            ("a.txt", "# c\n1 2\n\n\n   3\n4 5\n", 5, "'   3'"),
            (
                "a.txt",
                "1 2\n3 4\n# now three\n",
                3,
                "remove such lines, for example by grep -v '^#'",
            ),
            ("a.txt", "1 2 3\n2 4\n3\n", 2, "expected 3 fields"),
            ("a.csv", "src,dst\n1,2\nsrc,dst\n2,3\n", 3, "--no-header"),
            ("a.txt", "1\n", 1, "'1'"),
            ("a.csv", "a:b\n1:2\n", 1, "delimiter="),
            ("a.csv", b"u,v\n1,2\n3,\xff\n", 3, "not UTF-8"),
            ("a.txt", b"# c\n1 2\n3 \xe9t\xe9\n", 3, "not UTF-8"),
            ("a.csv", "u,v\n1,2\n".encode("utf-16")[:-3], 2, "utf-16"),
        ],
    )
    def test_the_line_is_named(self, refusal, name, content, line, text):
        said = refusal(name, content)
        assert f"line {line}:" in said
        assert text in said

    def test_a_long_line_is_cut_in_the_message(self, refusal, tuned):
        tuned(text_block_bytes=1 << 12)
        said = refusal("a.csv", "u,v\n1,2,3" + "x" * 1000 + "\n")
        assert len(said) < 300
        assert "..." in said

    def test_a_wide_line_is_read(self, read, tuned):
        tuned(text_block_bytes=16 << 20)
        wide = "x" * (3 << 20)
        assert read("a.csv", f"u,v,w\n1,2,{wide}\n")[0] == [(1, 2)]

    def test_not_text_at_all(self, refusal):
        said = refusal("a.csv", b"a" * 200)
        assert "line 1" in said
