"""Find the rings of accounts that share a card or a phone, directly or through others.

Accounts, cards and phones are all vertices, and their names are the ids. With cuDF, the same code
runs on the GPU.
"""

import cc_rapids

frames = cc_rapids.frame_library()  # cuDF where there is a GPU, pandas elsewhere

cards = {"ann": "card-1", "bob": "card-1", "dan": "card-2", "eve": "card-3", "flo": "card-3"}
phones = {"bob": "tel-7", "cy": "tel-7", "eve": "tel-9", "gil": None}
links = [*cards.items(), *phones.items()]
uses = frames.DataFrame({"account": [a for a, _ in links], "means": [m for _, m in links]})

# The phone of gil is unknown, so his row is dropped and counted
rings = cc_rapids.components(uses, "account", "means", labels="size", nulls="drop")
members = rings.labels()
accounts = members[members["vertex"].isin(uses["account"])]
sizes = accounts.groupby("labels").size().sort_index()  # accounts only, without cards and phones
worst = rings.largest()["vertex"]
ring = worst[worst.isin(uses["account"])]

print(rings, f"{rings.summary()['dropped']} row dropped")
print("accounts in each ring:", sizes.to_numpy().tolist())
print("the largest ring:", ", ".join(ring.to_numpy().tolist()))

assert sizes.to_numpy().tolist() == [3, 2, 1]
assert ring.to_numpy().tolist() == ["ann", "bob", "cy"]
assert rings.summary()["dropped"] == 1
