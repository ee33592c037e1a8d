"""Lists of strings that are hard to number by their bytes, and hashes that tell few apart."""

import numpy as np

from cc_rapids.ids import strings as texts

LONG = "the same first thousand letters " * 32
CHAIN = ["a" * length for length in range(8 * texts.ROUNDS + 2)]  # each a prefix of the next
LISTS = {
    "empty strings": ["", "", ""],
    "one": ["a"],
    "bytes that are zero": [
        "a\0",
        "a",
        "",
        "\0",
        "a\0\0\0\0\0\0\0b",
        "a\0\0\0\0\0\0",
        "\0" * 9,
        "a",
    ],
    "ends of pieces": ["abcdefgh"[:k] for k in range(9)] + ["abcdefg\0", "abcdefgi"],
    "long prefix": [LONG + end for end in ("b", "", "a", "ab", "\0", "b")] + ["a", LONG[:700]],
    "two prefixes": [first + LONG + end for first in "ba" for end in ("y", "x", "é")],
    "unicode": ["é", "e", "z", "ÿ", "😀", "\uffff", "e\u0301", "é"],
    "numbers": [f"vertex {k * 7919 % 1009}" for k in range(60)],
    "next to each other": ["ab", "a", "abab", "ba", "b", "aba"],
}


def weakly(monkeypatch, good_from):
    """Hashes of two bits, until so many seeds were tried; the seeds are noted."""
    proper, seeds = texts.hashes, []

    def hashes(text, seed):
        seeds.append(seed)
        found = proper(text, seed)
        return found if len(seeds) > good_from else found & np.uint64(3)

    monkeypatch.setattr(texts, "hashes", hashes)
    return seeds
