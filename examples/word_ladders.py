"""Find groups of words that are connected by word ladders, which change one letter at a time.

``python examples/word_ladders.py --make`` writes the file of pairs again, from the word list of
Debian's package ``wamerican``.
"""

import argparse
from collections import defaultdict
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import cc_rapids

PAIRS = Path(str(files("cc_rapids.datasets") / "word_ladders.csv"))
WORDS = Path("/usr/share/dict/american-english")


def make(words: Path, pairs: Path) -> None:
    """Write each pair of neighbours once, sorted. Single letters do not count as words."""
    listed = words.read_text(encoding="utf-8").split()
    kept = [w for w in listed if len(w) > 1 and w.isascii() and w.isalpha() and w.islower()]
    # Neighbours agree in all letters except one, so both are in the bucket of that pattern
    buckets = defaultdict(list)
    for word in sorted(set(kept)):
        for i in range(len(word)):
            buckets[word[:i], word[i + 1 :]].append(word)
    found = sorted(pair for bucket in buckets.values() for pair in combinations(bucket, 2))
    lines = ["word,neighbour", *(f"{a},{b}" for a, b in found)]
    pairs.write_text("\n".join(lines) + "\n", encoding="ascii")


def main() -> None:
    """Find the groups ("islands") in the list that ships with the package."""
    islands = cc_rapids.components(PAIRS, "word", "neighbour")
    labels = islands.labels()
    island = dict(zip(labels["vertex"].to_pylist(), labels["labels"].to_pylist(), strict=True))
    print(f"{len(island):,} words on {len(islands):,} islands")

    assert island["cold"] == island["warm"]  # cold, cord, card, ward, warm
    assert {word for word in island if island[word] == island["island"]} == {
        "inlaid",
        "inland",
        "island",
    }
    assert "aloof" not in island  # it has no neighbour, so it is in no pair


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--make", action="store_true", help="write the file of pairs again")
    parser.add_argument("--words", type=Path, default=WORDS, help="list of words, one per line")
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.words, PAIRS)
    main()
