"""Keep the fewest links that explain each cluster: those of a spanning forest.

Record linkage finds far more matching pairs than its clusters need. A spanning forest is a smallest
subset of the pairs that joins the same records. It consists of rows of the original table, so the
other columns of a link are available as well.
"""

import cc_rapids

frames = cc_rapids.frame_library()  # cuDF where there is a GPU, pandas elsewhere

matches = frames.DataFrame(
    {
        "left": ["ann", "anne", "ann", "bob", "rob", "bob", "carol"],
        "right": ["anne", "a. lee", "a. lee", "rob", "bobby", "bobby", "carol"],
        "rule": ["phone", "e-mail", "address", "phone", "e-mail", "address", "itself"],
    }
)

found = cc_rapids.components(matches, "left", "right", forest=True)
forest = found.forest()
kept = matches.take(forest["row"].to_numpy() if frames.__name__ == "pandas" else forest["row"])

print(found)
print(kept)
assert len(kept) == found.summary()["vertices"] - len(found) == 4
again = cc_rapids.components(kept, "left", "right", vertices=["carol"])  # carol matches no other
assert again.labels().equals(found.labels())  # the same clusters, from fewer links
