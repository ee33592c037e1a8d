"""Files with a few bytes changed: each is read, or refused in our own words that name it."""

import random

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from support.choices import each
from support.edge_files import read_edges
from support.lies import no_hang
from support.trials import TRIALS

import cc_rapids
from cc_rapids.data.files.formats import IN_PIECES, WEIGHTED, WRITTEN
from cc_rapids.data.files.write import EdgeList, write_edges
from cc_rapids.errors import CcRapidsError

pytestmark = pytest.mark.slow

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


def written(path, kind, weights=False):
    """The bytes of a small file of a format."""
    src, dst = np.random.default_rng(0).integers(0, 20, (2, 30))
    # METIS and ECL store an edge once, so its weight is the same in both directions
    weight = {"weight": src * dst % 20} if weights and kind in WEIGHTED else {}
    table = pa.table({"src": src, "dst": dst} | weight)
    write_edges(EdgeList([table], 30, range(22), table.schema), path, format=kind)
    return path.read_bytes()


@each(weights=[False, True], kind=WRITTEN)
def test_no_other_error(tmp_path, kind, weights):
    path, chance = tmp_path / "e", random.Random(f"{kind} {weights}")
    whole, refusals = written(path, kind, weights), []
    for _ in range(TRIALS["damage"].times):
        path.write_bytes(damaged(whole, chance))
        try:
            with no_hang():
                file = read_edges(path, format=kind, weights=weights)
        except CcRapidsError as error:
            refusals.append(str(error))
        else:
            ids = [i for column in file.table.columns[:2] for i in column.to_pylist()]
            assert file.vertices is None or all(i in file.vertices for i in ids)
    assert all(str(path) in said for said in refusals)
    assert len(refusals) > (10 if kind in ("csv", "tsv", "snap") else 50)


def write_npy(graph, path):
    np.save(path, np.array(graph.edges).T)


READ_ONLY = {
    "graphml": nx.write_graphml,
    "gml": nx.write_gml,
    "gexf": nx.write_gexf,
    "net": nx.write_pajek,
    "npy": write_npy,
}


@pytest.mark.parametrize("suffix", READ_ONLY)
def test_no_other_error_of_formats_that_are_only_read(tmp_path, suffix):
    path, chance, refused = tmp_path / f"e.{suffix}", random.Random(suffix), 0
    READ_ONLY[suffix](nx.path_graph(9), path)
    whole = path.read_bytes()
    for _ in range(TRIALS["damage"].times):
        path.write_bytes(damaged(whole, chance))
        try:
            with no_hang():
                read_edges(path, weights=chance.random() < 0.5)
        except CcRapidsError as error:
            refused += str(path) in str(error)
    assert refused > 10


@pytest.mark.filterwarnings("ignore:.* no edges")
@each(packed=["", ".gz", ".zst"], kind=IN_PIECES)
def test_no_other_error_in_pieces(tmp_path, kind, packed):
    path, chance = (
        tmp_path / f"e{WRITTEN[kind].suffixes[0]}{packed}",
        random.Random(f"{kind}{packed}"),
    )
    whole, refusals = written(path, kind), []
    for _ in range(TRIALS["damage in pieces"].times):
        path.write_bytes(damaged(whole, chance))
        try:
            with no_hang():
                found = cc_rapids.stream_components(path, memory_limit="256MiB", nulls="drop")
        except CcRapidsError as error:
            refusals.append(str(error))
        else:
            found.audit(path, nulls="drop")
    assert len(refusals) > 5
    # what the columns hold is said of the columns
    assert all(str(path) in said or "column" in said for said in refusals)
