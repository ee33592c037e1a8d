"""Accounts that share a card or a phone form rings; show the largest.

Accounts, cards and phones are vertices alike, named by strings: no numbering is needed. On a
machine with cuDF the same lines run on the GPU.
"""

try:
    import cudf as frames
except ImportError:
    import pandas as frames

import cc_rapids

uses = frames.DataFrame(
    {
        "account": ["ann", "bob", "bob", "cy", "dan", "eve", "eve", "flo"],
        "thing": [
            "card 1",
            "card 1",
            "phone 7",
            "phone 7",
            "card 2",
            "card 3",
            "phone 9",
            "card 3",
        ],
    }
)
rings = cc_rapids.components(uses, source="account", destination="thing")
largest = rings.largest()["vertex"]
ring = sorted(name for name in map(str, list(largest.to_numpy())) if " " not in name)

if __name__ == "__main__":
    print(rings)
    print("the largest ring:", ", ".join(ring))

assert ring == ["ann", "bob", "cy"]
assert len(rings) == 3
