"""``cc-rapids link-pairs`` and ``cc-rapids score-clusters``."""

import json

import pytest
from click.testing import CliRunner

from cc_rapids.cli import main


@pytest.fixture
def files(tmp_path):
    texts = {
        "pairs": "src,dst,score\na1,b1,0.8\na2,b1,0.9\na2,b2,0.7\n",
        "records": "id,file\na1,a\na2,a\nb1,b\nb2,b\n",
        "apart": "src,dst\na2,b1\n",
        "truth": "id,entity\na1,1\na2,2\nb1,2\nb2,3\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def run(*words):
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.output


def test_clusters_refused_pairs_and_scores_of_files(files):
    words = ["--weight", "score", "--records", files / "records.csv", "--datasets", "file"]
    out, refused = files / "out.csv", files / "refused.csv"
    facts = json.loads(run(
        "link-pairs", files / "pairs.csv", *words, "--output", out, "--refused", refused, "--json"
    ))  # fmt: skip
    assert (facts["clusters"], facts["refused"], facts["records"]) == (3, 2, 4)
    assert '"b1","a2"' in out.read_text()
    assert '0,"a1","b1",0.8,"per_dataset","a1","a2"' in refused.read_text()
    scores = json.loads(run("score-clusters", out, files / "truth.csv", "--json"))
    assert (scores["vertices"], scores["cluster_f1"]) == (4, 1.0)


def test_pairs_that_must_not_be_together(files):
    words = "--weight", "score", "--cannot-link", files / "apart.csv"
    assert "3 (1 refused)" in run("link-pairs", files / "pairs.csv", *words)


def test_numbers_of_a_rule_are_text_if_other_ids_are(files):
    (files / "pairs.csv").write_text("src,dst,score\n1,a7,0.8\n2,a7,0.9\n")
    (files / "apart.csv").write_text("src,dst\n1,2\n")
    words = "--weight", "score", "--cannot-link", files / "apart.csv"
    assert "2 (1 refused)" in run("link-pairs", files / "pairs.csv", *words)


def fails(*words):
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 2, result.output
    return result.output


def test_the_ids_of_records_with_more_columns_are_named(files):
    (files / "images.csv").write_text("name,size,by\na1,1,a\na2,2,a\nb1,3,b\nb2,4,b\n")
    words = ["link-pairs", files / "pairs.csv", "--weight", "score", "--datasets", "by"]
    words += ["--records", files / "images.csv"]
    said = fails(*words)
    assert "--records has the columns name, size, by" in said
    assert said.endswith("the ids and the column 'by' by --on\n")
    assert "3 (2 refused)" in run(*words, "--on", "name")
    assert "did you mean 'name'?" in fails(*words, "--on", "names")
    assert "pass --records" in fails(*words[:4], "--on", "name")


def test_pairs_without_an_id(files):
    (files / "pairs.csv").write_text("src,dst,score\na1,b1,0.8\na2,,0.9\n")
    words = "link-pairs", files / "pairs.csv", "--weight", "score"
    assert "--nulls drop" in fails(*words)
    assert "1 (0 refused)" in run(*words, "--nulls", "drop")


def test_scores_of_a_truth_with_more_columns_and_records(files):
    (files / "found.csv").write_text("vertex,labels\na1,1\na2,1\n")
    (files / "truth.csv").write_text("who,id,scene\nx,a1,1\nx,a2,1\ny,b1,1\ny,b2,1\n")
    words = "score-clusters", files / "found.csv", files / "truth.csv"
    assert "truth has 2 other columns, id, scene: select" in fails(*words)
    assert "pass both" in fails(*words, "--on", "id")
    named = *words, "--on", "id", "--label", "who", "--json"
    assert "Warning: found lacks 2 of the 4 vertices of truth" in run(*named)
    for missing, recall in (("drop", 1.0), ("self", 0.5)):
        assert json.loads(run(*named, "--missing", missing))["pairwise_recall"] == recall
    assert "--missing self" in fails(*named, "--missing", "raise")


@pytest.mark.parametrize("metric", ["pairwise_f1", "cluster_precision", "variation_of_information"])
def test_the_best_threshold_is_that_of_all_scored_alone(files, metric):
    pairs, truth = files / "scored.csv", files / "truth.csv"
    pairs.write_text("a,b,w\na1,b1,0.25\na2,b1,0.7123456\n,b2,9\na2,b2,0.5\na1,c9,0.75\n")
    words = ["--source", "a", "--destination", "b", "--nulls", "drop"]
    options = ["--weight", "w", "--best", metric]
    command = ["score-clusters", pairs, truth, *words, *options, "--missing", "drop"]
    facts = json.loads(run(*command, "--json"))
    alone, all_ids = {}, "id\na1\na2\nb1\nb2\nc9\n"
    (files / "all.csv").write_text(all_ids)
    for threshold in ("0.75", "0.7123456", "0.5", "0.25"):
        bound = ["--weight", "w", "--at-least", threshold, "--vertices", files / "all.csv"]
        run("calculate", pairs, *words, *bound, "--output", files / "found.csv")
        scored = run("score-clusters", files / "found.csv", truth, "--missing", "drop", "--json")
        alone[float(threshold)] = json.loads(scored)
    choose = min if metric == "variation_of_information" else max
    best = choose(alone, key=lambda threshold: alone[threshold][metric])
    curve = facts.pop("curve")
    for row, one in zip([*curve, facts], [*alone, best], strict=True):
        assert row == pytest.approx({"threshold": one} | alone[one], abs=1e-12)
    assert f" {best} " in run(*command)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--best", "pairwise_f1"], "--best is for scored pairs: name their scores with --weight"),
        (["--nulls", "drop"], "--nulls is for scored pairs"),
        (["--weight", "score", "--best", "f1"], "unknown metric 'f1'"),
        (["--weight", "scores"], "did you mean 'score'?"),
    ],
)
def test_errors_of_thresholds_name_options(files, words, error):
    words = ["score-clusters", files / "pairs.csv", files / "truth.csv", *words]
    done = CliRunner().invoke(main, list(map(str, words)))
    assert (done.exit_code, done.stdout) == (2, "")
    assert error in done.stderr


def test_files_without_a_header_lose_no_record(files):
    pairs, apart, truth = (files / f"{name}.csv" for name in ("pairs", "apart", "truth"))
    apart.write_text("a2 ;b1\nc8;c9\n")
    words = "link-pairs", pairs, "--weight", "score", "--cannot-link", apart
    assert "apart.csv, line 1: this may be an edge, or the names of columns" in fails(*words)
    assert "3 (1 refused)" in run(*words, "--no-header")
    truth.write_text("a1;x\na2 ;y\nb1;y\nb2;y\n")
    words = "score-clusters", pairs, truth, "--weight", "score", "--json"
    assert "truth.csv, line 1: this may be a record, or the names of columns" in fails(*words)
    scores = json.loads(run(*words, "--no-header"))
    assert (scores["vertices"], scores["only_in_truth"]) == (4, 0)


def test_pairs_without_a_header_and_in_another_encoding(files):
    (files / "pairs.csv").write_bytes("\xe91,b1,0.8\n\xe91,b2,0.9\n".encode("latin-1"))
    words = "link-pairs", files / "pairs.csv", "--weight", "col2", "--encoding", "latin-1"
    assert "pass --no-header" in fails(*words)
    assert json.loads(run(*words, "--no-header", "--json"))["pairs"] == 2
    (files / "pairs.csv").write_text("\xe91,b1,0.8\n\xe91,b2,0.9\n")
    (files / "truth.csv").write_text("\xe91,x\nb1,x\nb2,y\n")
    words = "score-clusters", files / "pairs.csv", files / "truth.csv", "--weight", "col2"
    assert json.loads(run(*words, "--no-header", "--json"))["vertices"] == 3


def test_labels_of_columns_with_equal_names_are_refused(files):
    (files / "truth.csv").write_text("id,id\na1,x\na2,y\n")
    words = "score-clusters", files / "pairs.csv", files / "truth.csv", "--weight", "score"
    assert "has 2 columns called 'id'" in fails(*words)


def test_the_best_of_1000_thresholds(files):
    k = range(1000)
    rows = "".join(f"a{i},b{i},{1 - i / 2000}\n" for i in k)
    (files / "pairs.csv").write_text("src,dst,score\n" + rows)
    rows = "".join(f"a{i},{i}\nb{i},{i if i <= 497 else -i}\n" for i in k)
    (files / "truth.csv").write_text("id,entity\n" + rows)
    words = "score-clusters", files / "pairs.csv", files / "truth.csv", "--weight", "score"
    scores = json.loads(run(*words, "--json"))
    assert (scores["threshold"], scores["pairwise_f1"]) == (pytest.approx(0.7515), 1.0)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--per-dataset", "2"], "pass --datasets"),
        (["--must-link", "far.csv"], "must be vertices: include them in --records"),
        (["--cannot-link", "wide.csv"], "wide.csv has 3 columns"),
        (["--output", "x.csv", "--refused", "x.csv"], "name the same file"),
    ],
)
def test_rules_that_cannot_be_used(files, words, error, monkeypatch):
    monkeypatch.chdir(files)
    (files / "far.csv").write_text("src,dst\nz1,z2\n")
    (files / "wide.csv").write_text("a,b,why\na1,b1,1\n")
    assert error in fails("link-pairs", "pairs.csv", "--weight", "score", *words)
    assert not (files / "x.csv").exists()


def test_names_of_ids_in_files_of_rules_and_records(files):
    """Of rules as in the pairs, beside others; of records with a comma."""
    (files / "pairs.csv").write_text("Id A,B %,score\na1,b1,0.8\na2,b1,0.9\n")
    (files / "wide.csv").write_text("why,Id A,B %\n1,a2,b1\n")
    (files / "people.csv").write_text('file,"id, of both"\na,a1\na,a2\nb,b1\n')
    words = "link-pairs", files / "pairs.csv", "--source", "Id A", "--destination", "B %"
    words = *words, "--weight", "score"
    for apart in ("wide.csv", "apart.csv"):
        assert "2 (1 refused)" in run(*words, "--cannot-link", files / apart)
    words = *words, "--records", files / "people.csv", "--datasets", "file", "--on", "id, of both"
    assert "2 (1 refused)" in run(*words)


def test_a_rule_without_effect_warns(files):
    (files / "far.csv").write_text("src,dst\nz1,z2\n")
    words = "link-pairs", files / "pairs.csv", "--weight", "score"
    printed = run(*words, "--cannot-link", files / "far.csv")
    assert "Warning: of 1 pair of --cannot-link, none has two ids that are vertices" in printed


def test_a_score_that_is_no_number_is_named(files):
    (files / "pairs.csv").write_text("src,dst,score\na1,b1,0.8\na2,b1,high\n")
    assert "pairs.csv, line 3" in fails("link-pairs", files / "pairs.csv", "--weight", "score")


def test_pairs_that_must_not_be_together_of_several_columns(files):
    (files / "keys.csv").write_text("kl,il,kr,ir,s\np,1,q,2,0.9\np,1,q,3,0.8\n")
    (files / "apart.csv").write_text("kl,il,kr,ir\np,1,q,2\n")
    words = "--source", "kl,il", "--destination", "kr,ir", "--weight", "s"
    printed = run("link-pairs", files / "keys.csv", *words, "--cannot-link", files / "apart.csv")
    assert "2 (1 refused)" in printed


def test_pairs_of_a_folder_of_files_without_headers(tmp_path):
    for k in (1, 2):
        (tmp_path / f"{k}.csv").write_text(f"a{k},b{k},0.5\n")
    words = "link-pairs", tmp_path, "--weight", "col2"
    assert "pass --no-header" in fails(*words).replace("\n", " ")
    assert json.loads(run(*words, "--no-header", "--json"))["pairs"] == 2
