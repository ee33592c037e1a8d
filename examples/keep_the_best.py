"""Keep the best row of each group, not just the first, and label every row with its group.

One product may have several article numbers. This program keeps the offer with the most reviews of
each product, and adds the number of its group to every offer.
"""

import cc_rapids

frames = cc_rapids.frame_library()  # cuDF where there is a GPU, pandas elsewhere

offers = frames.DataFrame(
    {
        "article": [101, 102, 103, 104, 105, 106],
        "reviews": [3, 250, 17, 8, 40, 1],
    }
)
same = frames.DataFrame({"left": [101, 102, 105], "right": [102, 103, 106]})

groups = cc_rapids.components(same, "left", "right")
kept = groups.deduplicate(offers, on="article", by="reviews")

# 104 matches no other article, so it is a group of its own
marked = groups.attach(offers, on="article", name="group", missing="self")

print(kept)
assert kept["article"].to_numpy().tolist() == [102, 104, 105]
assert marked["group"].to_numpy().tolist() == [101, 101, 101, 104, 105, 105]
assert "group" not in offers.columns  # the input is never changed
