"""Saved files with right checksums and wrong contents: each is refused in our own words."""

import numpy as np
import pandas as pd
import pytest
from support.lies import no_hang

import cc_rapids
from cc_rapids import Components, Connectivity, components, errors
from cc_rapids.algorithms.dendrogram import MergeTree
from cc_rapids.analysis import dendrogram, paths
from cc_rapids.data.files import archive
from cc_rapids.results import lookup

EDGES = pd.DataFrame(
    {"src": [0, 2, 4, 1, 6, 0], "dst": [2, 4, 0, 1, 6, 5], "w": [4.0, 3, 2, 1, 1, 1]}
)
CYCLE = {"forest_source": [0, 2, 0], "forest_destination": [2, 0, 5]}
FORESTS = {
    "cycle": CYCLE,
    "a loop": {"forest_source": [0, 2, 4], "forest_destination": [2, 4, 4]},
    "two trees": {"forest_source": [0, 2, 1], "forest_destination": [2, 3, 4]},
    "beyond": {"forest_source": [0, 2, 77]},
    "negative": {"forest_source": [0, 2, -1]},
    "far": {"forest_destination": [2**62, 3, 4]},
    "short": {"forest_source": [0], "forest_destination": [2]},
    "of two lengths": {"forest_source": [0]},
    "short rows": {"forest_row": [0, 1]},
    "rows in disorder": {"forest_row": [1, 0, 5]},
    "a row twice": {"forest_row": [0, 0, 5]},
    "a negative row": {"forest_row": [-1, 0, 5]},
    "nan": {"forest_weight": np.array([1, np.nan, 2]).view(np.uint8)},
    "fewer weights": {"forest_weight": np.array([1.0, 2]).view(np.uint8)},
    "cut weights": {"forest_weight": np.zeros(23, np.uint8)},
    "small integers": {"forest_source": np.array([0, 0, 1], np.int32)},
}
WORDS = {
    "no weights": {"weight": None},
    "wide weights": {"weight": "complex128"},
    "no direction": {"facts": {"greatest": None}},
    "a word": {"facts": {"greatest": "max"}},
    "edges": {"facts": {"edges": "7"}},
    "negative edges": {"facts": {"edges": -7}},
    "seconds": {"facts": {"seconds": [1]}},
    "a duration": {"facts": {"seconds": {"compute": "long"}}},
    "resumed": {"facts": {"resumed": 3}},
    "design": {"facts": {"design": 3}},
    "other facts": {"facts": {"other": 3}},
}


def forged(path, said, own):
    """Write the file again with other words and arrays."""
    words, arrays = archive.read(path)
    for name, value in said.items():
        words[name] = words[name] | value if isinstance(value, dict) else value
    own = {name: np.asarray(array) for name, array in own.items()}
    archive.write(path, words, arrays | own)


@pytest.mark.parametrize("kind", [*FORESTS, *WORDS])
def test_a_forged_answer_is_refused(kind, engine, tmp_path):
    path = tmp_path / "found"
    found = components(EDGES, weight="w", forest="max", engine=engine)
    found.save(path)
    assert Components.load(path, engine=engine).forest().equals(found.forest())
    forged(path, WORDS.get(kind, {}), FORESTS.get(kind, {}))
    with pytest.raises(errors.FormatError, match="save it again") as raised, no_hang():
        Components.load(path, engine=engine)
    assert str(path) in str(raised.value)


RULES = {
    "another rule": {"refused_rule": np.array([4], np.uint8)},
    "wide rules": {"refused_rule": [1]},
    "a rule for two": {"refused_rule": np.array([1, 1], np.uint8)},
    "a dataset too many": {"rule_code": [0, 1, 0, 2, 0]},
    "datasets of few": {"rule_code": [0, 1]},
    "no limit": {"rule_limits": [0, 1]},
    "beyond": {"refused_source": [77]},
    "small rows": {"refused_row": np.array([2], np.int32)},
    "half a pair": {"cannot_first": [1]},
    "a stranger": {"must_first": [5], "must_second": [0]},
    "another must_link": {"must_first": [0], "must_second": [3]},
    "fewer weights": {"refused_weight": np.zeros(7, np.uint8)},
}


@pytest.mark.parametrize("kind", [*RULES, "size"])
def test_forged_rules_of_clusters_are_refused(kind, tmp_path):
    path, ids = tmp_path / "found", np.arange(5)
    pairs = pd.DataFrame({"src": [0, 2, 1], "dst": [1, 3, 2], "w": [3.0, 2.0, 1.0]})
    cc_rapids.link_pairs(pairs, weight="w", datasets=(ids, ids % 2), vertices=ids).save(path)
    assert Components.load(path).refused().equals(pd.DataFrame(
        {"row": [2], "source": [1], "destination": [2], "weight": [1.0], "rule": ["per_dataset"],
         "source_labels": [0], "destination_labels": [2]}
    ))  # fmt: skip
    forged(path, {"rules": {"max_size": "many"}} if kind == "size" else {}, RULES.get(kind, {}))
    with pytest.raises(errors.FormatError, match="save it again"), no_hang():
        Components.load(path)


@pytest.mark.slow
def test_any_forged_number_of_a_forest_is_refused_or_harmless(tmp_path):
    path, chance = tmp_path / "found", np.random.default_rng(0)
    found = components(EDGES, weight="w", forest="max")
    found.save(path)
    words, arrays = archive.read(path)
    pairs, loaded = ([0, 5, 4], [4, 2, 5]), 0
    for _ in range(500):
        name = chance.choice(["forest_source", "forest_destination", "forest_row", "parent"])
        bent = arrays[name].copy()
        bent[chance.integers(bent.size)] = chance.integers(0, 8)
        archive.write(path, words, arrays | {name: bent})
        with no_hang():
            try:
                other = Components.load(path)
            except errors.FormatError:
                continue
            loaded += 1
            assert other.paths(pairs).length.min() > 0
            other.dendrogram().linkage(lambda weights: -weights + 4)
    assert loaded


KEPT = {
    "cycle": {"kept_src": [0, 1, 2], "kept_dst": [1, 2, 0]},
    "loops": {"kept_src": [0, 0, 0], "kept_dst": [0, 1, 1]},
    "beyond": {"kept_src": [0, 1, 9]},
    "negative": {"kept_src": [0, 1, -1]},
    "short": {"kept_src": [0], "kept_dst": [1]},
    "short times": {"kept_until": [1]},
    "two cuts": {"kept_cut": [1, 2]},
    "times of another type": {"kept_until": np.array([1, 2, 3], np.uint8)},
}
TIMES = {
    "no column": {"kept": {"expiry": None}},
    "a number": {"kept": {"expiry": 3}},
    "another kind": {"kept": {"kind": "dates"}},
    "design": {"design": "bfs-cc"},
}


@pytest.mark.parametrize("kind", [*KEPT, *TIMES])
def test_forged_batches_are_refused(kind, engine, tmp_path):
    path = tmp_path / "seen"
    seen = Connectivity(expiry="t", engine=engine)
    seen.insert(pd.DataFrame({"src": [0, 1, 2, 4], "dst": [1, 2, 3, 4], "t": [5, 6, 7, 8]}))
    seen.save(path)
    assert len(Connectivity.load(path, engine=engine).components()) == 2
    forged(path, TIMES.get(kind, {}), KEPT.get(kind, {}))
    with pytest.raises(errors.FormatError, match="save it again"), no_hang():
        Connectivity.load(path, engine=engine)


NOTES = {
    "no identity": {"identity": None},
    "no options": {"options": 3},
    "no items": {"items": 3},
    "no last": {"items": {"items": [], "count": 1, "beyond": ""}},
    "entries": {"items": {"items": [3], "count": 1, "beyond": "", "last": None}},
    "a number": {"items": {"items": [], "count": 0, "beyond": "", "last": ["5", "", ""]}},
    "a negative number": {"items": {"items": [], "count": -1, "beyond": "", "last": None}},
}


@pytest.mark.parametrize("kind", NOTES)
def test_forged_checkpoints_are_refused(kind, tmp_path):
    path, parts = tmp_path / "point", [EDGES[["src", "dst"]]] * 2
    cc_rapids.stream_components(parts, checkpoint=path)
    assert len(cc_rapids.stream_components(parts, checkpoint=path)) == 3
    forged(path, {"notes": NOTES[kind]}, {})
    with pytest.raises(errors.FormatError, match="delete it to start again"), no_hang():
        cc_rapids.stream_components(parts, checkpoint=path)


def test_a_forged_place_in_a_file_is_refused(tmp_path):
    path, edges = tmp_path / "point", tmp_path / "edges.parquet"
    EDGES.to_parquet(edges)
    cc_rapids.stream_components(edges, checkpoint=path)
    for cursor in ([-1, 0, 0], ["0", 0, 0], [0], 3, [0, 0, 0, 0, 0]):
        forged(path, {"notes": {"cursor": cursor}}, {})
        with pytest.raises(errors.FormatError, match="delete it to start again"), no_hang():
            cc_rapids.stream_components(edges, checkpoint=path)


def test_forged_facts_of_records_are_refused(tmp_path):
    path = tmp_path / "records"
    found = cc_rapids.link_records(pd.DataFrame({"mail": ["a", "a", "b"]}), ["mail"])
    found.save(path)
    assert isinstance(Components.load(path), cc_rapids.LinkedRecords)
    counts = "links", "without_value", "ignored", "left_out_groups", "left_out_rows"
    facts = dict.fromkeys(counts, 0)
    wrong = [["mail", facts | {"links": -1}]], [[7, facts]], [["mail", {}]], 7
    right = {"keys": [["mail", facts]], "id": [], "ignore": [], "max_group": None}
    words = [right | {"keys": keys} for keys in wrong]
    words += [right | {"ignore": [value]} for value in (0.5, ["date", "x"], ["time", "12:00"])]
    for records in (*words, right | {"max_group": -1}):
        forged(path, {"records": records}, {})
        with pytest.raises(errors.FormatError, match="save it again"):
            Components.load(path)


def test_paths_and_merges_of_a_broken_forest_end(monkeypatch):
    """Which no loader lets in: a pickle of another hand may hold one."""
    found = components(EDGES, weight="w", forest="max")
    ends, others = lookup.rows_of_forest(found.answer)
    wrong = [np.array(CYCLE[name]) for name in CYCLE]
    for module in (paths, dendrogram):
        monkeypatch.setattr(module, "rows_of_forest", lambda _: (wrong, others))
    with pytest.raises(errors.InputError, match="would not end"), no_hang():
        found.paths(([4, 0], [0, 4]))
    with pytest.raises(errors.InputError, match="would merge a cluster with itself"):
        found.dendrogram().merges()
    assert MergeTree.of(*ends, 6, found.answer.backend).size.max() == 4


def test_strings_out_of_order(tmp_path):
    path = tmp_path / "words.cc"
    found = components((["a", "b", "d"], ["b", "a", "d"]))
    found.save(path)
    forged(path, {}, {"0_octets": np.frombuffer(b"bad", np.uint8)})  # ids b, a, d
    with pytest.raises(errors.FormatError, match="ids are not distinct and sorted"):
        Components.load(path)
