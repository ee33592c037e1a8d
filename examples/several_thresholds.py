"""Compare several thresholds, and choose one after the components are known.

A threshold that is too high splits records that belong together. A threshold that is too low joins
records that do not. One pass over the edges finds the components at all thresholds, and the answer
also shows which components merge between two thresholds.
"""

import cc_rapids

frames = cc_rapids.frame_library()  # cuDF where there is a GPU, pandas elsewhere

matches = frames.DataFrame(
    {
        "left": ["ann", "anne", "bob", "rob", "anne"],
        "right": ["anne", "a. lee", "rob", "bobby", "bob"],
        "score": [0.95, 0.9, 0.9, 0.85, 0.6],
    }
)
cuts = cc_rapids.components_at(matches, "left", "right", weight="score", thresholds=[0.9, 0.8, 0.5])
merges = cuts.merges()
last = merges[merges["threshold"] == 0.5]

print(cuts)
print(last)
assert [len(cuts.at(threshold)) for threshold in cuts.thresholds] == [3, 2, 1]
assert cuts.sizes(0.8)["size"].to_numpy().tolist() == [3, 3]
assert last["before"].to_numpy().tolist() == ["a. lee", "bob"]  # not one person: 0.5 is too low
