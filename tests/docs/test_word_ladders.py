"""The word list that ships with the examples, and the script that made it."""

import runpy
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "examples" / "word_ladders.py"


def test_the_data_are_pairs_of_neighbours_each_once():
    names = runpy.run_path(str(SCRIPT), run_name="word_ladders")
    size = names["PAIRS"].stat().st_size
    header, *lines = names["PAIRS"].read_text(encoding="ascii").splitlines()
    pairs = [tuple(line.split(",")) for line in lines]
    assert header == "word,neighbour"
    assert size < 1_000_000
    assert pairs == sorted(set(pairs))
    assert all(a < b and len(a) == len(b) for a, b in pairs)
    assert all(sum(x != y for x, y in zip(a, b, strict=True)) == 1 for a, b in pairs)


def test_the_script_pairs_words_that_differ_in_one_letter(tmp_path):
    words, pairs = tmp_path / "words", tmp_path / "pairs.csv"
    words.write_text("warm\ncord\ncold\nCold\ncard\nward\ncold's\ncafé\na\ni\ncolds\n")
    runpy.run_path(str(SCRIPT), run_name="word_ladders")["make"](words, pairs)
    assert pairs.read_text() == "word,neighbour\ncard,cord\ncard,ward\ncold,cord\nward,warm\n"


def test_the_example_runs():
    runpy.run_path(str(SCRIPT), run_name="word_ladders")["main"]()
