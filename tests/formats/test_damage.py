"""Files with a few bytes changed: each is read, or refused in our own words that name it."""

import random

import numpy as np
import pyarrow as pa
import pytest

from cc_rapids.errors import CcRapidsError
from cc_rapids.formats import FORMATS, EdgeList, read_edges, write_edges

WORDS = [b" ", b"\n", b"0", b"9", b"-1", b"x", b"9" * 20, b"%", b"\xff", b",", b"\r", b"\t", b"c"]
WORDS += [b"\x00", b"1e3", b'"', b"0x1"]


def damaged(content, chance):
    content = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(content) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            content[at : at + chance.randint(0, 3)] = chance.choice(WORDS)
        elif kind == 1:
            del content[at : at + chance.randint(1, 20)]
        elif kind == 2:
            content[at : at + 1] = bytes([chance.randrange(256)])
        else:
            del content[at:]
    return bytes(content)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("kind", FORMATS)
def test_no_other_error(tmp_path, kind, weights):
    path, chance = tmp_path / "e", random.Random(f"{kind} {weights}")
    src, dst, weight = np.random.default_rng(0).integers(0, 20, (3, 30))
    table = pa.table({"src": src, "dst": dst} | ({"weight": weight} if weights else {}))
    write_edges(EdgeList([table], 30, range(22), table.schema), path, format=kind)
    whole, refusals = path.read_bytes(), []
    for _ in range(300):
        path.write_bytes(damaged(whole, chance))
        try:
            file = read_edges(path, format=kind, weights=weights)
        except CcRapidsError as error:
            refusals.append(str(error))
        else:
            ids = [i for column in file.table.columns[:2] for i in column.to_pylist()]
            assert file.vertices is None or all(i in file.vertices for i in ids)
    assert all(str(path) in said for said in refusals)
    assert len(refusals) > (20 if kind in ("csv", "tsv", "snap") else 100)
