"""Find the components of an edge list on a Dask cluster, without collecting it on one machine.

Each worker reduces its partitions to a forest, forests are merged pairwise, and the labels stay on
the workers. With dask_cudf frames and ``cc_rapids.dask.local_gpus()`` as the cluster, the same code
runs on the GPUs of this machine.
"""

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client

import cc_rapids.dask

USERS, MESSAGES = 5_000, 4_000


def month(number):
    """Return the messages of a month; a real program would read a file."""
    random = np.random.default_rng(number)
    ends = random.integers(0, USERS, (2, MESSAGES // 12))
    return pd.DataFrame({"sender": ends[0], "receiver": ends[1]})


messages = dd.from_map(month, range(12))
# The workers are threads, because these start quickly; any other cluster works the same way
with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0"):
    found = cc_rapids.dask.components(messages, "sender", "receiver")
    print(found)
    sizes = found.sizes().nlargest(3, "size").compute()
    print(sizes.to_string(index=False))
    users = len(found.labels())  # one row per user, counted on the workers

alone = cc_rapids.components(pd.concat(map(month, range(12))), "sender", "receiver")
assert len(found) == len(alone)
assert users == alone.summary()["vertices"]
assert sizes["size"].max() == alone.summary()["largest"]
