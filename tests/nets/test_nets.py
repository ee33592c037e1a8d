"""What a commit that only moves or renames leaves as it is; see tests/nets."""

import json

from nets import public
from nets.snapshots import differences, kept

CHANGED = "`make nets` writes the snapshot anew, for a commit that means to change it"


def test_public_names_signatures_fields_and_designs_are_what_they_were():
    new = json.loads(json.dumps(public.public()))
    assert list(differences(kept("public"), new)) == [], CHANGED


def test_differences_are_named():
    old, new = {"a": [1, 2], "b": {"c": 1}, "d": 0}, {"a": [2, 1], "b": {"c": 2}, "e": 0}
    assert list(differences(old, new)) == [
        "/a: another order",
        "/b/c: 1 is now 2",
        "/d is gone",
        "/e is new",
    ]
