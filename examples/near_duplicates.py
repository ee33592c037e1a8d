"""Keep one document of each group of near-duplicates.

MinHash or embeddings give pairs of similar documents; similar is not transitive, but a group to
keep one of is: a connected component. The least document id of each is its label already.
"""

import numpy as np
import pandas as pd

import cc_rapids

documents = pd.DataFrame({"document": np.arange(100, 112), "words": np.arange(12) * 10 + 50})
pairs = pd.DataFrame({"left": [104, 101, 109, 110], "right": [101, 107, 110, 108]})

groups = cc_rapids.components(
    pairs, source="left", destination="right", vertices=documents["document"]
)
labels = groups.labels()
keep = documents[documents["document"].isin(labels["labels"])]

if __name__ == "__main__":
    print(groups)
    print(keep.to_string(index=False))

assert len(keep) == len(groups) == 8
assert not set(keep["document"]) & {104, 107, 109, 110}, "each is the duplicate of a kept one"
