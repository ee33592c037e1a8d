"""Find the rings of accounts that share a card or a phone, directly or through others.

Each account is a record, so sizes count accounts. With cuDF, the same code runs on the GPU.
"""

import cc_rapids

frames = cc_rapids.frame_library()  # cuDF where there is a GPU, pandas elsewhere

accounts = frames.DataFrame(
    {
        "account": ["ann", "bob", "cy", "dan", "eve", "flo"],
        "card": ["card-1", "card-1", None, "card-2", "card-3", "card-3"],
        "phone": [None, "tel-7", "tel-7", None, "tel-9", None],
    }
)

rings = cc_rapids.link_records(accounts, ["card", "phone"], id="account", labels="size")
sizes = rings.sizes(min_size=2)
ring = rings.largest()["vertex"].to_numpy().tolist()
between = rings.articulation_points(accounts)["vertex"].to_numpy().tolist()
why = rings.explain_pair("ann", "cy", accounts).frame

print(rings)
print("accounts in each ring:", sizes["size"].to_numpy().tolist())
print("the largest ring:", ", ".join(ring))
print("accounts that hold a ring together:", ", ".join(between))
print(why)

assert sizes["size"].to_numpy().tolist() == [3, 2]
assert ring == ["ann", "bob", "cy"]
assert between == ["bob"]
assert why["value"].to_numpy().tolist() == ["card-1", "tel-7"]
