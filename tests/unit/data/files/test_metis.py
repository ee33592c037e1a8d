"""METIS: lines of neighbours, with and without weights, and what is said of a wrong one."""

import networkx
import pyarrow as pa
import pytest

from cc_rapids.data.files.formats import metis
from cc_rapids.data.files.write import EdgeList, write_edges

# The graph of the METIS manual, figure 2: 7 vertices, 11 edges
NEIGHBOURS = {
    1: [5, 3, 2],
    2: [1, 3, 4],
    3: [5, 4, 2, 1],
    4: [2, 3, 6, 7],
    5: [1, 3, 6],
    6: [5, 4, 7],
    7: [6, 4],
}
EDGES = [(u, v) for u, all_v in NEIGHBOURS.items() for v in all_v]


def lines(ahead="", each="{}"):
    rows = (" ".join(each.format(v) for v in all_v) for all_v in NEIGHBOURS.values())
    return "".join(f"{ahead}{row}\n" for row in rows)


class TestRead:
    pytestmark = pytest.mark.usefixtures("blocks")

    @pytest.mark.parametrize(
        "content",
        [
            "7 11\n" + lines(),
            "% a comment\n7 11 0\n" + lines().replace("\n", " \n% another\n"),
            "\n7 11 000\r\n" + lines().replace("\n", "\r\n").replace(" ", "  "),
            "7 11 001\n" + lines(each="{} 1"),
            "7 11 1\n" + lines(each="{} 12"),
            "7 11 010\n" + lines("9 "),
            "7 11 10 3\n" + lines("9 8 7 "),
            "7 11 011 2\n" + lines(" 9 8 ", "{} 5"),
            "7 11 100\n" + lines("4 "),
            "7 11 111 1\n" + lines("4 3 ", "{} 2"),
            "7 11\n" + lines() + "\n\n% end\n\n",
        ],
    )
    def test_every_kind_of_weights(self, read, content):
        pairs, types, file = read("a.graph", content)
        assert pairs == EDGES
        assert types == ["int64", "int64"]
        assert (file.source_format.format, file.vertices) == ("metis", range(1, 8))

    def test_blank_lines_are_vertices_without_neighbours(self, read):
        pairs, _, file = read("a.graph", "6 1\n\n3\n2\n\n \n\n")
        assert pairs == [(2, 3), (3, 2)]
        assert file.vertices == range(1, 7)
        assert networkx.number_connected_components(_graph(pairs, file.vertices)) == 5

    @pytest.mark.parametrize("content", ["0 0\n", "0 0", "3 0\n\n\n\n"])
    def test_no_edges(self, read, content):
        pairs, types, file = read("a.metis", content)
        assert (pairs, types) == ([], ["int64", "int64"])
        assert len(file.vertices) == int(content[0])

    def test_the_columns_are_src_and_dst(self, read):
        assert read("a.graph", "2 1\n2\n1\n", source="dst")[0] == [(2, 1), (1, 2)]


def _graph(pairs, vertices):
    graph = networkx.Graph(pairs)
    graph.add_nodes_from(vertices)
    return graph


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize(
    ("content", "line", "text"),
    [
        ("", 1, "expected '<vertices> <edges>"),
        ("3\n", 1, "'3'"),
        ("3 x\n", 1, "'3 x'"),
        ("3 ²\n", 1, "'3 ²'"),
        (f"3 1 011 {10**20}\n", 1, "fmt of up to three digits 0 or 1"),
        ("3 1 2\n", 1, "'3 1 2'"),
        ("3 1 0 1 1\n", 1, "'3 1 0 1 1'"),
        ("7 11\n" + lines().replace("5 4 7", "5 8 7"), 7, "found '5 8 7'"),
        ("7 11\n% c\n" + lines().replace("5 4 7", "5 0 7"), 8, "from 1 to 7, found '5 0 7'"),
        ("7 11\n" + lines().replace("5 4 7", "5 x 7"), 7, "found '5 x 7'"),
        ("7 11\n" + lines().replace("5 4 7", "5 -4 7"), 7, "found '5 -4 7'"),
        ("7 11\n" + lines().replace("5 4 7", "5 4.0 7"), 7, "found '5 4.0 7'"),
        ("7 11\n" + lines().replace("5 4 7", "5 \xff 7"), 7, "found"),
        ("7 11 1\n" + lines(each="{} 1").replace("5 1 4 1 7 1", "5 1 4 1 7"), 7, "with a weight"),
        ("7 11 10 9\n" + lines("1 1 1 1 "), 2, "9 weights, then neighbours"),
        ("7 12\n" + lines(), 1, "declares 12 edges, each listed at both ends, but there are 22"),
        ("8 11\n" + lines(), 1, "declares 8 vertices, but the file has lines for 7"),
        ("6 11\n" + lines().replace("7", "6"), 1, "declares 6 vertices, but there are lines"),
    ],
)
def test_malformed(refusal, content, line, text):
    said = refusal("a.graph", content)
    assert f"line {line}:" in said
    assert text in said


def test_no_text(refusal):
    assert "line 2: not UTF-8" in refusal("a.graph", b"1 0\n\xff\xfe\n")


def test_slices_of_vertices_may_have_2_to_the_31_neighbours(tmp_path, monkeypatch):
    types, join = [], metis.pc.binary_join

    def joined(lists, separator):
        types.append(lists.type)
        return join(lists, separator)

    monkeypatch.setattr("pyarrow.compute.binary_join", joined)
    table = pa.table({"src": [0, 1], "dst": [1, 2]})
    write_edges(EdgeList([table], 2, range(3), table.schema), tmp_path / "e.graph")
    assert types == [pa.large_list(pa.large_string())]
    assert (tmp_path / "e.graph").read_text() == "3 2\n2\n1 3\n2\n"
