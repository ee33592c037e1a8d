"""Keep one document of each group of near-duplicates.

Similarity is not transitive: the first and the last of three versions of a text may differ too
much to be a pair. So a group is a connected component of the pairs. This program keeps the first
document of each group; ``by=`` selects another. With cuDF, the same code runs on the GPU.
"""

from itertools import combinations

import cc_rapids

frames = cc_rapids.frame_library()  # cuDF where there is a GPU, pandas elsewhere

TEXTS = {
    11: "the quick brown fox jumps over the lazy dog",
    12: "connected components of a graph, on a GPU",
    13: "the quick brown fox jumps over the lazy old dog",
    14: "a quick brown fox jumps over the lazy old dog today",
    15: "a stitch in time saves nine",
    16: "connected components of a large graph, on a GPU",
    17: "many hands make light work",
}
SIMILAR = 0.75  # the least share of common words among the words of two texts


def similar(one: str, other: str) -> bool:
    """Return whether two texts share most words; for millions of texts, find pairs by MinHash."""
    a, b = set(one.split()), set(other.split())
    return len(a & b) >= SIMILAR * len(a | b)


pairs = [(i, j) for i, j in combinations(TEXTS, 2) if similar(TEXTS[i], TEXTS[j])]
edges = frames.DataFrame({"left": [i for i, _ in pairs], "right": [j for _, j in pairs]})

groups = cc_rapids.components(edges, "left", "right")
# Texts without a similar text are in no pair, and are kept
documents = frames.DataFrame({"document": list(TEXTS)})
keep = groups.deduplicate(documents, on="document")["document"].to_numpy().tolist()

print(f"{len(TEXTS)} texts, {len(pairs)} similar pairs; keep {len(keep)}:")
for document in keep:
    print(f"  {document}  {TEXTS[document]}")

assert (11, 14) not in pairs  # but both are similar to 13, so they are in one group
assert keep == [11, 12, 15, 17]
