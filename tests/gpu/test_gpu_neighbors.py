"""Neighbour arrays on a real GPU, against the answers of the host."""

import numpy as np
import pytest

from cc_rapids import components_of_neighbors, errors

pytestmark = pytest.mark.gpu

RULES = (
    {},
    {"at_most": 0.6},
    {"at_most": 0.6, "mutual": True},
    {"at_most": 0.4, "min_samples": 5},
    {"at_most": 0.4, "min_samples": 5, "border": "nearest"},
)


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


def random_neighbors(n, k, dtype):
    rng = np.random.default_rng(n)
    indices = (np.arange(n)[:, None] + rng.integers(-20, 21, (n, k))) % n
    indices[rng.random((n, k)) < 0.05] = -1
    return indices.astype(dtype), rng.random((n, k)).astype(np.float32)


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_answers_are_those_of_the_host(cupy, rules, dtype, order):
    indices, distances = random_neighbors(20_000, 12, dtype)
    expected = components_of_neighbors(indices, distances, **rules)
    given = [cupy.asarray(array, order=order) for array in (indices, distances)]
    found = components_of_neighbors(*given, **rules)
    assert found.summary()["engine"] == "cuda"
    assert isinstance(found.labels().labels, cupy.ndarray)
    assert found.labels().labels.get().tolist() == expected.labels().labels.tolist()
    assert found.ledger == expected.ledger
    found.audit(*given)


def test_columns_matrices_and_tensors_are_read_in_place(cupy):
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    indices, distances = random_neighbors(5_000, 8, np.int32)
    indices[indices < 0] = 0
    expected = components_of_neighbors(indices[:, 1:], distances[:, 1:], at_most=0.3)
    on_device = cupy.asarray(indices), cupy.asarray(distances)
    found = components_of_neighbors(*(array[:, 1:] for array in on_device), at_most=0.3)
    assert found.labels().labels.get().tolist() == expected.labels().labels.tolist()
    flat = [array[:, 1:].reshape(-1) for array in on_device]
    offsets = cupy.arange(0, 7 * 5_000 + 1, 7, dtype=np.int32)
    matrix = sparse.csr_matrix((flat[1], flat[0], offsets), (5_000, 5_000))
    found = components_of_neighbors(matrix, at_most=0.3)
    assert found.labels().labels.get().tolist() == expected.labels().labels.tolist()
    torch = pytest.importorskip("torch")
    tensors = [torch.as_tensor(array) for array in on_device]
    found = components_of_neighbors(*(tensor[:, 1:] for tensor in tensors), at_most=0.3)
    assert found.labels().labels.get().tolist() == expected.labels().labels.tolist()


def test_labels_join_a_frame(cupy):
    cudf = pytest.importorskip("cudf")
    found = components_of_neighbors(cupy.array([[1], [0], [2], [-1]]), min_samples=2)
    images = cudf.DataFrame({"vertex": [3, 1, 0], "file": ["d", "b", "a"]})
    assert found.attach(images)["labels"].to_arrow().to_pylist() == [-1, 0, 0]


def test_wrong_indices_are_named(cupy):
    with pytest.raises(errors.InputError, match=r"indices\[1, 0\] is 7"):
        components_of_neighbors(cupy.array([[1, 0], [7, 0]]))


@pytest.mark.parametrize("wide", [np.int32, np.int64])
def test_long_arrays_are_not_copied(cupy, wide):
    """Designs of long lists copy edges in the order of blocks; those of arrays do not."""
    n, k = 20_000_000, 4
    indices = cupy.random.randint(0, n, (n, k)).astype(wide)
    components_of_neighbors(indices[:1000] % 1000)  # load the kernels
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.total_bytes()
    found = components_of_neighbors(indices)
    assert pool.total_bytes() - before < 6 * n + (64 << 20)
    assert "partitioned" not in found.summary()["design"]
