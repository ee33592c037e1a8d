"""Random tables of text at every door: see the trial of the campaign."""

import warnings

import numpy as np
import pandas as pd
import pytest
from campaign.tables import several, tables
from support.choices import some

import cc_rapids
from cc_rapids.data.files import delimited


@pytest.mark.slow
@some("seed", range(0, 120, 10), usual=[0])
def test_ten_tables_are_read_as_pandas_reads_them(seed):
    counts = [tables(np.random.default_rng(seed + k), "threads") for k in range(10)]
    assert sum(one.get("same", 0) for one in counts) > 20


@pytest.mark.slow
@some("seed", range(0, 60, 10), usual=[0])
def test_ten_lists_in_several_files_are_read_as_one(seed):
    counts = [several(np.random.default_rng(seed + k), "threads") for k in range(10)]
    assert sum(one.get("same", 0) for one in counts) > 20


@pytest.mark.parametrize(
    ("content", "ways_out"),
    [
        (b"1 2\t3\n4 5\t6\n", ["tabs", "blanks", "delimiter=' '", "--delimiter"]),  # of KONECT
        (b"1 2 0,5\n2 3 0,7\n", ["commas", "blanks"]),
        (b"1 2 {'w': 7, 'c': 1}\n2 3 {'w': 9, 'c': 2}\n", ["commas", "blanks"]),  # of NetworkX
        (b"1;2;0,5\n2;3;0,7\n", ["commas", "semicolons"]),
        (b"x y,z w\nx y,z,w q\n", ["commas", "blanks"]),
        (b"#cat #dog\n#dog #pet\n", ["comment=None", "--no-comment"]),
        (b"#cat #dog\npet dog\n", ["line 1", "comment=None", "comment='#'"]),
        (b"#a,#b\nb,c\n", ["line 1", "comment=None"]),
        (b"1\0\x2c\0002\0\n\0", ["UTF-16", "encoding="]),
        ("天,地\n地,天\n".encode("utf-16-be"), ["UTF-16", "encoding='utf-16-le'"]),
        (b"src dst\n--- ---\n1   2\n", ["line 2", "'--- ---' is a line of dashes"]),  # of sqlcmd
        (b"| src | dst |\n|:---:|----:|\n| a | b |\n", ["line 2", "a line of dashes"]),
        (b"src,dst\nann,b\xf6b\n", ["line 2", "encoding=", "--encoding"]),
        (b"# c\n1 2\n# 3 4\n2 3\n", ["line 3", "comments may only precede the first record"]),
        (b"1::2::5\n2::3::4\n", ["commas, tabs, semicolons, pipes, blanks", "delimiter="]),
        (b"id,a,b,amount,when\nt1,x,y,4,2020-01-01\n", ["which two columns"]),
    ],
)
def test_a_table_that_may_be_two_things_is_refused(tmp_path, content, ways_out):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(cc_rapids.InputError) as caught:
        cc_rapids.components(path)
    assert all(word in str(caught.value) for word in ways_out), caught.value


@pytest.mark.parametrize(
    "rows",
    [
        ["0,1,0", "1,0,1", "0,1,0"],
        ["0 7 0 2", "7 0 0 0", "0 0 0 1", "2 0 1 0"],
        ["0,1,1", "0,0,1", "0,0,0"],
        [",".join("01" * 30)] * 25,
    ],
)
def test_a_matrix_in_text_is_refused_unless_it_is_said_to_hold_edges(tmp_path, rows):
    path = tmp_path / "a.txt"
    path.write_text("\n".join(rows))
    for door in (cc_rapids.components, cc_rapids.stream_components):
        with pytest.raises(
            cc_rapids.FormatError, match=r"adjacency matrix.*coo_array.*--no-header"
        ):
            door(path)
        assert door(path, header=False).num_vertices >= 2


@pytest.mark.parametrize("first", [0, 1])
def test_an_index_of_pandas_without_a_header_warns(tmp_path, first):
    path, frame = tmp_path / "a.csv", pd.DataFrame({"src": [5, 6, 7, 8], "dst": [6, 7, 8, 9]})
    frame.index += first
    frame.to_csv(path, header=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", cc_rapids.CcRapidsWarning)
        assert len(cc_rapids.components(path)) == 4
        assert len(cc_rapids.components(path, source="dst", destination="col2")) == 1
    assert ["an index that pandas writes" in str(one.message) for one in caught] == [True] * (
        first == 0
    )


@pytest.mark.parametrize(
    ("content", "options", "pairs"),
    [
        ("New York\tBoston\nLos Angeles\tSan Diego\n", {}, 4),
        ("#cat #dog\n#dog #pet\n", {"comment": None, "header": False}, 3),
        ("src;dst;w\n1;2;0,5\n2;3;0,7\n", {}, 3),
        ("sep=;\nsrc;dst\n1;2\n2;3\n", {}, 3),
        ("# src,dst\na,b\nb,c\n", {}, 3),
        ("1 0 1.0\n2 0 1.0\n", {}, 3),
        ("1 2\t3\n4 5\t6\n", {"delimiter": " "}, 4),
        ("1\t2\t10 20\n2\t3\t30 40\n", {}, 3),
        ("src,dst\n1,2\n  \n\t\n2,3\n   ", {}, 3),
        ("a~b\nc~d\n", {"delimiter": "~", "header": False}, 4),
        ('"Lee, Ann";"Ray, Bo"\n"Ray, Bo";"Fox, Cy"\n', {"header": False}, 3),
        ('"a;b"|"c;d"|1\n"c;d"|"e;f"|2\n', {"header": False}, 3),
    ],
)
def test_what_stands_in_public_files(tmp_path, content, options, pairs):
    path = tmp_path / "a.csv"
    path.write_text(content)
    options = {"header": False if "New" in content else None} | options
    assert cc_rapids.components(path, **options).num_vertices == pairs


@pytest.mark.parametrize("name", ["a.tsv", "a.tab"])
def test_pipes_in_the_ids_of_a_tsv_file_do_not_split_fields(tmp_path, name):
    path = tmp_path / name
    path.write_text("sp|P1|X\tsp|P2|X\nsp|P2|X\tsp|P3|X\n")
    found = cc_rapids.components(path, header=False)
    assert set(found.labels()["vertex"].to_pylist()) == {"sp|P1|X", "sp|P2|X", "sp|P3|X"}


@pytest.mark.parametrize("before", [0, 200])
def test_a_comment_below_the_first_record_warns(tmp_path, monkeypatch, before):
    monkeypatch.setattr(delimited, "BLOCK", 512)
    path = tmp_path / "c.txt"
    path.write_text("# BLASTP\n" + "a b\n" * before + "a b\n# note\nc d\n# more\n")
    words = rf"line {before + 3}: '# note' is read as an edge.*remove"
    with pytest.warns(cc_rapids.CcRapidsWarning, match=words) as caught:
        assert cc_rapids.components(path, header=False).num_vertices == 7
    assert len(caught) == 1


@pytest.mark.parametrize("content", ["% c\n#a b\n#b c\n", "#a b\n#b c\n", "# c\na #b\n"])
def test_ids_that_begin_like_other_comments_do_not_warn(tmp_path, content):
    path = tmp_path / "c.txt"
    path.write_text(content)
    comment = None if content[1] == "a" else content[0]
    assert cc_rapids.components(path, header=False, comment=comment).num_vertices > 1


@pytest.mark.parametrize(
    ("content", "nulls"),
    [("\t\n", 1), ("\t", 1), ("\t\t\r\n", 1), ("\t\n\t\n", 2), ("\t\n1\t2\n", 1)],
)
def test_records_without_an_id_are_left_out_for_null_ends(tmp_path, content, nulls):
    path = tmp_path / "a.tsv"
    path.write_text(content)
    for door in (cc_rapids.components, cc_rapids.stream_components):
        found = door(path, nulls="drop")
        assert found.num_vertices == 2 * ("2" in content)
        assert f"{nulls} null" in found.summary()["ledger"]


@pytest.mark.parametrize("content", [",,7\n", ";;7\n5;;8\n", "5||\n", "5\t\t7\n"])
def test_records_with_few_filled_fields_have_a_separator(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_text(content)
    found = cc_rapids.components(path, header=False, nulls="drop")
    assert found.ledger == {
        "given": content.count("\n"),
        "linked": 0,
        "null_end": content.count("\n"),
    }


@pytest.mark.parametrize("bounds", [{"at_least": 1}, {"forest": "min"}])
@pytest.mark.parametrize("opened", [False, True])
def test_ids_that_become_text_are_read_with_weights(tmp_path, monkeypatch, opened, bounds):
    monkeypatch.setattr(delimited, "BLOCK", 512)
    path = tmp_path / "a.csv"
    path.write_text("src,dst,w\n" + "1,2,1\n" * 2000 + "ann,bob,2\n3,4,0\n")
    with path.open("rb") as file:
        found = cc_rapids.components(file if opened else path, weight="w", **bounds)
    assert found.num_vertices == (4 if "at_least" in bounds else 6)


@pytest.mark.parametrize("signs", [("-5", str(2**63)), (str(2**64 - 1), "-1")])
def test_negative_ids_and_those_beyond_int64_are_text_in_streams_too(tmp_path, monkeypatch, signs):
    monkeypatch.setattr(delimited, "BLOCK", 512)
    path = tmp_path / "a.csv"
    path.write_text(f"src,dst\n{signs[0]},2\n" + "1,2\n" * 2000 + f"{signs[1]},3\n")
    for door in (cc_rapids.components, cc_rapids.stream_components):
        assert set(door(path).labels()["vertex"].to_pylist()) == {*signs, "1", "2", "3"}


@pytest.mark.parametrize("name", ["a.json", "a.txt", "a.csv", "a"])
@pytest.mark.parametrize("content", ['[{"src": 1, "dst": 2}]', "[\n  [1, 2],\n  [2, 3]\n]\n"])
def test_an_array_of_json_is_refused_by_its_name(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    for door in (cc_rapids.components, cc_rapids.stream_components):
        with pytest.raises(cc_rapids.FormatError, match=r"is an array of JSON.*jsonl.*parquet"):
            door(path)


@pytest.mark.parametrize(
    "content", ["", "src,dst\n", "\n\n", "  \n", "# src dst\n", "# src dst weight\n", "\ufeff"]
)
def test_a_file_without_records_is_warned_of(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_text(content)
    for door in (cc_rapids.components, cc_rapids.stream_components):
        with pytest.warns(cc_rapids.CcRapidsWarning, match=r"a\.csv holds no edges"):
            assert len(door(path)) == 0
    with pytest.warns(cc_rapids.CcRapidsWarning, match=r"a\.csv holds no edges"):
        cc_rapids.Connectivity().insert(path)


@pytest.mark.parametrize("after", ["2,x\n", "2,7\n"])
def test_words_such_as_na_have_the_type_of_the_later_ids(tmp_path, monkeypatch, after):
    monkeypatch.setattr(delimited, "BLOCK", 24)
    path = tmp_path / "e.csv"
    path.write_text("src,dst\n" + "1,NA\n" * 20 + after)
    for find in (cc_rapids.components, cc_rapids.stream_components):
        if after == "2,7\n":
            with pytest.raises(cc_rapids.NullsError, match="'dst' has"):
                find(path)
            assert find(path, nulls="drop").labels()["vertex"].to_pylist() == [2, 7]
        else:
            with pytest.warns(cc_rapids.CcRapidsWarning, match="NA in column 'dst'"):
                assert set(find(path).labels()["vertex"].to_pylist()) == {"1", "2", "NA", "x"}
