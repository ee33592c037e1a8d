"""he and gr: the counts at the head, a tag on each line, and what is said of a wrong one."""

import pytest
from support.edge_files import read_edges

from cc_rapids.errors import FormatError, MissingColumnError

ARCS = [(1 + i % 7, 1 + (3 * i) % 11) for i in range(30)]
HEADS = {"he": "H 12 30 1\n", "gr": "c a comment\np sp 12 30\n"}


def content(kind, between=""):
    first, tag = (0, "E") if kind == "he" else (1, "a")
    lines = (f"{between}{tag} {u - 1 + first} {v - 1 + first} {u * v}\n" for u, v in ARCS)
    return HEADS[kind] + "".join(lines)


class TestRead:
    pytestmark = pytest.mark.usefixtures("blocks")

    @pytest.mark.parametrize("between", ["", "\n", " "])
    def test_he_counts_from_zero(self, read, between):
        pairs, types, file = read("a.he", content("he", between))
        assert pairs == [(u - 1, v - 1) for u, v in ARCS]
        assert types == ["int64", "int64"]
        assert (file.source_format.format, file.vertices) == ("he", range(12))

    @pytest.mark.parametrize("between", ["", "\n", "c in the middle\n"])
    def test_gr_counts_from_one(self, read, between):
        pairs, types, file = read("a.gr", content("gr", between))
        assert pairs == ARCS
        assert types == ["int64", "int64"]
        assert (file.source_format.format, file.vertices) == ("gr", range(1, 13))

    @pytest.mark.parametrize(
        ("name", "text", "vertices"),
        [("a.he", "H 0 0 1\n", range(0)), ("a.gr", "p sp 3 0", range(1, 4))],
    )
    def test_no_edges(self, read, name, text, vertices):
        pairs, types, file = read(name, text)
        assert (pairs, types, file.vertices) == ([], ["int64", "int64"], vertices)

    @pytest.mark.parametrize("flag", [0, 1])
    def test_a_weight_may_be_missing_or_anything(self, read, flag):
        text = f"H 3 3 {flag}\nE 0 1\nE 1 2 -1.5e3\r\nE 2 2 x y\n"
        assert read("a.he", text)[0] == [(0, 1), (1, 2), (2, 2)]

    def test_the_columns_are_src_and_dst(self, read, refusal):
        assert read("a.gr", "p sp 3 1\na 3 2 1\n", source="dst")[0] == [(2, 3)]
        refusal("a.gr", "p sp 3 1\na 3 2 1\n", MissingColumnError, source="from")


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize(
    ("name", "content", "line", "text"),
    [
        ("a.he", "", 1, "expected 'H <nodes> <edges>"),
        ("a.he", "E 0 1 1\n", 1, "'E 0 1 1'"),
        ("a.he", "H 4 1\nE 0 1 1\n", 1, "'H 4 1'"),
        ("a.he", "H 4 1 2\nE 0 1 1\n", 1, "'H 4 1 2'"),
        ("a.he", "H 4 -1 1\n", 1, "'H 4 -1 1'"),
        ("a.he", "H 4 2 1\nE 0 1 1\n", 1, "declares 2 edges, but the file has 1"),
        ("a.he", "H 4 1 1\nE 0 1 1\nE 0 2 1\n", 1, "declares 1 edges, but the file has 2"),
        (
            "a.he",
            "H 4 9 1\n" + "E 0 1 1\n" * 8 + "E 0 4 1\n",
            10,
            "'E' and two indices from 0 to 3",
        ),
        ("a.he", "H 4 2 1\nE 0 1 1\nF 0 2 1\n", 3, "'F 0 2 1'"),
        ("a.he", "H 4 2 1\nE 0 1 1\nE x 2 1\n", 3, "'E x 2 1'"),
        ("a.he", "H 4 2 1\nE 0 1 1\nE 2\n", 3, "'E 2'"),
        ("a.he", "H 4 2 1\nE 0 1 1\nE 1.0 2 1\n", 3, "'E 1.0 2 1'"),
        ("a.gr", "c only a comment\n", 1, "expected 'p <problem> <nodes> <edges>'"),
        ("a.gr", "c\np cut 4 1\n", 2, "'p cut 4 1'"),
        ("a.gr", "p sp 4 2\na 1 2 1\nc\n", 1, "declares 2 edges, but the file has 1"),
        ("a.gr", "p sp 4 2\na 1 2 1\nc\na 1 0 1\n", 4, "'a' and two indices from 1 to 4"),
        ("a.gr", "p sp 4 2\na 1 2 1\na 1 5 1\n", 3, "'a 1 5 1'"),
        ("a.gr", "p sp 4 2\na 1 2 1\ne 1 2 1\n", 3, "'e 1 2 1'"),
        ("a.gr", "p sp 4 2\na 1 2 1\na 1 NA 1\n", 3, "'a 1 NA 1'"),
        ("a.gr", "p sp 4 2\na 1 2 1\na 1\n", 3, "'a 1'"),
    ],
)
def test_malformed(refusal, name, content, line, text):
    said = refusal(name, content)
    assert f"line {line}:" in said
    assert text in said


def test_a_text_is_not_read_as_another_format(tmp_path):
    (tmp_path / "a.dat").write_text(content("he"))
    with pytest.raises(FormatError, match="cannot be read as DIMACS: it begins like he"):
        read_edges(tmp_path / "a.dat", format="gr")
    assert len(read_edges(tmp_path / "a.dat", format="he").table) == 30
