"""What the tests of graphs are made of."""

import numpy as np
import scipy.sparse as sp


def ran(calls):
    return sum("components in" in line for line in calls.messages)


def random_frame(cudf, n, m, dtype=np.int32, seed=0):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, m)).astype(dtype)
    return cudf.DataFrame({"src": ends[0], "dst": ends[1], "weight": rng.random(m, np.float32)})


def symmetric(n=300, m=200, dtype=np.int32):
    rng = np.random.default_rng(1)
    at = rng.integers(0, n - 5, (2, m)).astype(dtype)
    matrix = sp.coo_matrix((np.ones(m, np.float32), tuple(at)), shape=(n, n))
    return (matrix + matrix.T).tocsr()
