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
