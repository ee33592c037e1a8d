"""Ranges of ids, at the ends of 64-bit integers and beyond the memory, at every door."""

import numpy as np
import pytest

from cc_rapids import (
    CapacityError,
    Connectivity,
    InputError,
    components,
    components_at,
    stream_components,
)

pytestmark = pytest.mark.filterwarnings("ignore:.* yields no edges")
NO_EDGES = ([], [])
DOORS = {
    "components": lambda ids: components(NO_EDGES, vertices=ids).labels(),
    "batches": lambda ids: Connectivity(vertices=ids).components().labels(),
    "stream": lambda ids: stream_components(iter([NO_EDGES]), vertices=ids).labels(),
    "thresholds": lambda ids: components_at(
        NO_EDGES, weight=[], thresholds=[1], vertices=ids
    ).labels(1),
}
RANGES = [
    range(2**63, 2**63 + 3),
    range(2**63 - 2, 2**63 + 3),
    range(2**63 - 3, 2**63),
    range(2**63 + 4, 2**63, -2),
    range(2**64 - 2, 2**64),
    range(-(2**63), -(2**63) + 2),
    range(-1, 2**63 + 2, 2**62),
    range(-(2**63), 2**63 - 1, 2**61),
    range(5, -4, -3),
    range(0),
]


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("ids", RANGES, ids=str)
def test_a_range_names_its_ids(ids, door):
    vertex, label = door(ids)
    assert vertex.tolist() == label.tolist() == sorted(ids)
    assert vertex.dtype == (np.uint64 if ids and max(ids) >= 2**63 else np.int64)


def test_a_range_of_great_ids_is_looked_up():
    edges = np.array([2**63 - 1], np.uint64), np.array([2**63], np.uint64)
    found = components(edges).component_of(range(2**63 - 1, 2**63 + 1))
    assert found.tolist() == [2**63 - 1] * 2
    seen = Connectivity(vertices=range(2**63, 2**63 + 3)).insert(edges)
    assert seen.num_vertices == 4


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("ids", [range(2**64 - 1, 2**64 + 1), range(2**70)], ids=str)
def test_a_range_beyond_64_bits_is_refused(ids, door):
    with pytest.raises(InputError, match="64-bit integer"):
        door(ids)


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("ids", [range(2**62), range(1, 2**63), range(10**12)], ids=str)
def test_a_range_beyond_the_memory_is_refused(ids, door):
    with pytest.raises(CapacityError, match="GiB"):
        door(ids)
    with pytest.raises(CapacityError):
        components(([1], [2])).component_of(range(2**62))


@pytest.mark.parametrize("count", [2**63 - 1, 2**62, 10**12])
@pytest.mark.parametrize(
    "door", [components, stream_components, Connectivity().insert], ids=lambda door: door.__name__
)
def test_a_file_that_claims_so_many_vertices_is_refused(count, door, tmp_path):
    path = tmp_path / "claims.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate pattern symmetric\n{count} {count} 1\n2 1\n")
    with pytest.raises(CapacityError, match="GiB"):
        door(path)
