"""Frozen dataclasses whose fields are set at once behave as others do."""

import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from cc_rapids.frozen import set_at_once


@set_at_once
@dataclass(frozen=True)
class Quick:
    name: str
    size: int = 3
    kind: object = len
    both: str = field(init=False)

    def __post_init__(self):
        vars(self).update(both=f"{self.name}{self.size}")


@dataclass(frozen=True)
class Plain:
    name: str
    size: int = 3
    kind: object = len
    both: str = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "both", f"{self.name}{self.size}")


@pytest.mark.parametrize("kind", [Quick, Plain])
def test_fields_are_set_by_place_by_name_and_by_default(kind):
    made = kind("a", size=5)
    assert vars(made) == {"name": "a", "size": 5, "kind": len, "both": "a5"}
    assert made == kind(name="a", size=5)
    assert hash(made) == hash(kind("a", 5, len))
    assert made != kind("a")
    assert replace(made, size=1).both == "a1"
    assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(FrozenInstanceError):
        made.size = 1
    for wrong in ((), ("a", 1, len, "b")):
        with pytest.raises(TypeError, match=r"__init__\(\)"):
            kind(*wrong)
    with pytest.raises(TypeError, match="both"):
        kind("a", both="b")


def test_the_signature_is_that_of_a_dataclass():
    assert inspect.signature(Quick) == inspect.signature(Plain)
    assert Quick.__init__.__qualname__ == "Quick.__init__"
    assert Quick.__init__.__module__ == __name__
